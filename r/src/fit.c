/* SPDX-License-Identifier: Apache-2.0 */
/* Fits, what they hold, and what is drawn from them. */
#include "semblance.h"

#include <semblance/ask.h>
#include <semblance/certificate.h>
#include <semblance/combine.h>
#include <semblance/estimate.h>
#include <semblance/evaluate.h>
#include <semblance/ledger.h>
#include <semblance/shards.h>
#include <string.h>

SEXP semblance_new(void)
{
    sbl_synthesizer *synth = NULL;
    sbl_error err = {.status = SBL_OK};
    const sbl_status status = sbl_synthesizer_new(&synth, &err);
    return status == SBL_OK ? r_synthesizer_wrap(synth) : r_failure(status, &err);
}

SEXP semblance_fit(SEXP pointer, SEXP frame, SEXP schema, SEXP pairs)
{
    sbl_synthesizer *synth = r_synthesizer_of(pointer);
    sbl_data *data = NULL;
    sbl_error err;
    r_call call;
    sbl_status status = r_call_begin(&call, pairs, &err);
    if (status == SBL_OK) status = r_data_of(&data, frame, &call, &err);
    if (status == SBL_OK) status = sbl_synthesizer_fit(synth, data, r_schema_of(schema), &call.options, &err);
    sbl_data_free(data);
    SEXP done = PROTECT(Rf_ScalarLogical(TRUE));
    done = r_call_end(&call, done, status, &err);
    UNPROTECT(1);
    return done;
}

SEXP semblance_plan(SEXP schema, SEXP rows, SEXP pairs)
{
    char *text = NULL;
    sbl_error err;
    r_call call;
    sbl_status status = r_call_begin(&call, pairs, &err);
    if (status == SBL_OK)
        status = sbl_synthesizer_plan(&text, r_schema_of(schema), NULL, (uint64_t)Rf_asReal(rows), false,
                                      &call.options, &err);
    SEXP made = PROTECT(r_text(text));
    made = r_call_end(&call, made, status, &err);
    UNPROTECT(1);
    return made;
}

/* ---- what it holds ---- */

SEXP semblance_item(SEXP pointer, SEXP item)
{
    return r_borrowed_text(
        sbl_synthesizer_text(r_synthesizer_of(pointer), (sbl_synthesizer_item)Rf_asInteger(item)));
}

SEXP semblance_facts(SEXP pointer)
{
    const char *names[] = {"releases", "model", "method", "rows", ""};
    sbl_synthesizer_facts facts = {.struct_size = sizeof facts};
    sbl_error err = {.status = SBL_OK};
    const sbl_status status = sbl_synthesizer_get_facts(r_synthesizer_of(pointer), &facts, &err);
    if (status != SBL_OK) return r_failure(status, &err);
    SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(made, 0, Rf_ScalarReal((double)facts.releases));
    SET_VECTOR_ELT(made, 1, Rf_ScalarLogical(facts.has_model));
    SET_VECTOR_ELT(made, 2, r_borrowed_text(facts.method));
    SET_VECTOR_ELT(made, 3, Rf_ScalarReal((double)facts.rows));
    UNPROTECT(1);
    return made;
}

SEXP semblance_schema_of_fit(SEXP pointer)
{
    sbl_schema *schema = NULL;
    char *json = NULL;
    sbl_error err = {.status = SBL_OK};
    sbl_status status = sbl_synthesizer_schema(&schema, r_synthesizer_of(pointer), &err);
    if (status == SBL_OK) status = sbl_schema_as_json(&json, schema, &err);
    sbl_schema_free(schema);
    return status == SBL_OK ? r_text(json) : r_failure(status, &err);
}

SEXP semblance_write_model(SEXP pointer, SEXP path, SEXP overwrite)
{
    sbl_error err = {.status = SBL_OK};
    const sbl_status status = sbl_synthesizer_save(r_synthesizer_of(pointer), NULL, NULL, r_string(path),
                                                   Rf_asLogical(overwrite) == TRUE, &err);
    return status == SBL_OK ? Rf_ScalarLogical(TRUE) : r_failure(status, &err);
}

SEXP semblance_read_model(SEXP pointer, SEXP path)
{
    sbl_error err = {.status = SBL_OK};
    const sbl_status status = sbl_synthesizer_load(r_synthesizer_of(pointer), NULL, 0, r_string(path), &err);
    return status == SBL_OK ? Rf_ScalarLogical(TRUE) : r_failure(status, &err);
}

/* ---- drawing ---- */

static sbl_status begin_draw(sbl_sample_options *options, SEXP rows, SEXP seed, SEXP where, unsigned threads)
{
    sbl_sample_options_init(options);
    options->rows = (uint64_t)Rf_asReal(rows);
    options->seed = (uint64_t)Rf_asReal(seed);
    options->where = r_string(where);
    options->threads = threads;
    return SBL_OK;
}

SEXP semblance_draw(SEXP pointer, SEXP rows, SEXP seed, SEXP where, SEXP threads)
{
    struct ArrowArrayStream stream = {0};
    sbl_sample_options options;
    sbl_error err = {.status = SBL_OK};
    sbl_status status = begin_draw(&options, rows, seed, where, (unsigned)Rf_asInteger(threads));
    options.stream = &stream;
    status = sbl_synthesizer_sample(r_synthesizer_of(pointer), &options, &err);
    return status == SBL_OK ? r_frame_of_stream(&stream) : r_failure(status, &err);
}

SEXP semblance_draw_file(SEXP pointer, SEXP rows, SEXP seed, SEXP where, SEXP path, SEXP overwrite)
{
    sbl_sample_options options;
    sbl_error err = {.status = SBL_OK};
    sbl_status status = begin_draw(&options, rows, seed, where, 0);
    options.path = r_string(path);
    options.overwrite = Rf_asLogical(overwrite) == TRUE;
    status = sbl_synthesizer_sample(r_synthesizer_of(pointer), &options, &err);
    return status == SBL_OK ? Rf_ScalarLogical(TRUE) : r_failure(status, &err);
}

/* ---- replicates ---- */

static void drop_replicates(SEXP pointer)
{
    sbl_replicates_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

SEXP semblance_replicates_new(SEXP pointer, SEXP seed, SEXP threads)
{
    sbl_replicates *replicates = NULL;
    sbl_sample_options options;
    sbl_error err = {.status = SBL_OK};
    r_call call = {.stopped = 0};
    sbl_sample_options_init(&options);
    options.seed = (uint64_t)Rf_asReal(seed);
    options.threads = (unsigned)Rf_asInteger(threads);
    options.progress = r_progress;
    options.context = &call;
    const sbl_status status = sbl_replicates_new(&replicates, r_synthesizer_of(pointer), &options, &err);
    if (status != SBL_OK) return r_failure(status, &err);
    SEXP made = PROTECT(R_MakeExternalPtr(replicates, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(made, drop_replicates, TRUE);
    UNPROTECT(1);
    return made;
}

SEXP semblance_replicates_next(SEXP replicates, SEXP into)
{
    sbl_error err = {.status = SBL_OK};
    const sbl_status status =
        sbl_replicates_next(R_ExternalPtrAddr(replicates), r_synthesizer_of(into), &err);
    return status == SBL_OK ? Rf_ScalarLogical(TRUE) : r_failure(status, &err);
}

SEXP semblance_combine(SEXP estimates, SEXP variances, SEXP level, SEXP ratio)
{
    const char *names[] = {
        "estimate", "low",    "high", "standard_error", "degrees_of_freedom", "privacy_share",
        "between",  "within", ""};
    sbl_combined combined = {.struct_size = sizeof combined};
    sbl_combine_options options;
    sbl_error err = {.status = SBL_OK};
    sbl_combine_options_init(&options);
    options.level = Rf_asReal(level);
    options.row_ratio = Rf_asReal(ratio);
    const sbl_status status =
        sbl_combine(&combined, REAL(estimates), REAL(variances), (size_t)XLENGTH(estimates), &options, &err);
    if (status != SBL_OK) return r_failure(status, &err);
    const double found[] = {
        combined.estimate,           combined.low,           combined.high,    combined.standard_error,
        combined.degrees_of_freedom, combined.privacy_share, combined.between, combined.within};
    SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
    for (R_xlen_t i = 0; i < 8; i++) SET_VECTOR_ELT(made, i, Rf_ScalarReal(found[i]));
    UNPROTECT(1);
    return made;
}

/* ---- statistics ---- */

/* asked: list(count, mean, share, quantile, correlation, by, difference, where, draws, level, seed). */
SEXP semblance_estimate(SEXP pointer, SEXP asked, SEXP threads)
{
    sbl_estimate_options options;
    char *text = NULL;
    sbl_error err = {.status = SBL_OK};
    r_call call = {.stopped = 0};
    sbl_estimate_options_init(&options);
    options.count = Rf_asLogical(VECTOR_ELT(asked, 0)) == TRUE;
    options.mean = r_string(VECTOR_ELT(asked, 1));
    options.share = r_string(VECTOR_ELT(asked, 2));
    options.quantile = r_string(VECTOR_ELT(asked, 3));
    options.correlation = r_string(VECTOR_ELT(asked, 4));
    options.by = r_string(VECTOR_ELT(asked, 5));
    options.difference = r_string(VECTOR_ELT(asked, 6));
    options.where = r_string(VECTOR_ELT(asked, 7));
    options.draws = (uint64_t)Rf_asReal(VECTOR_ELT(asked, 8));
    options.level = Rf_asReal(VECTOR_ELT(asked, 9));
    options.seed = (uint64_t)Rf_asReal(VECTOR_ELT(asked, 10));
    options.threads = (unsigned)Rf_asInteger(threads);
    options.progress = r_progress;
    options.context = &call;
    options.form = SBL_ESTIMATE_CSV;
    const sbl_status status = sbl_synthesizer_estimate(r_synthesizer_of(pointer), &text, &options, &err);
    return status == SBL_OK ? r_text(text) : r_failure(status, &err);
}

/* asked: list(count, sum, mean, by, regress, weight). */
SEXP semblance_ask(SEXP pointer, SEXP frame, SEXP schema, SEXP asked, SEXP pairs)
{
    sbl_synthesizer *synth = r_synthesizer_of(pointer);
    sbl_data *data = NULL;
    sbl_questions questions;
    char *json = NULL, *text = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    sbl_error err;
    r_call call;
    sbl_questions_init(&questions);
    questions.count = r_string(VECTOR_ELT(asked, 0));
    questions.sum = r_string(VECTOR_ELT(asked, 1));
    questions.mean = r_string(VECTOR_ELT(asked, 2));
    questions.by = r_string(VECTOR_ELT(asked, 3));
    questions.regress = r_string(VECTOR_ELT(asked, 4));
    questions.weight = r_string(VECTOR_ELT(asked, 5));
    sbl_status status = r_call_begin(&call, pairs, &err);
    if (status == SBL_OK) status = sbl_options_ask(&call.options, &json, &questions, &err);
    if (status == SBL_OK) status = r_data_of(&data, frame, &call, &err);
    if (status == SBL_OK) status = sbl_synthesizer_fit(synth, data, r_schema_of(schema), &call.options, &err);
    if (status == SBL_OK) status = sbl_synthesizer_release(synth, &bytes, &size, 0, &err);
    if (status == SBL_OK) status = sbl_answers_text(&text, bytes, size, SBL_ANSWERS_CSV, &err);
    sbl_data_free(data);
    sbl_free(json);
    sbl_free(bytes);
    SEXP made = PROTECT(r_text(text));
    made = r_call_end(&call, made, status, &err);
    UNPROTECT(1);
    return made;
}

/* ---- for the owner's eyes ---- */

SEXP semblance_inspect(SEXP frame, SEXP pairs)
{
    sbl_data *data = NULL;
    char *schema = NULL, *notes = NULL;
    sbl_error err;
    r_call call;
    sbl_status status = r_call_begin(&call, pairs, &err);
    if (status == SBL_OK) status = r_data_of(&data, frame, &call, &err);
    if (status == SBL_OK) status = sbl_schema_inspect(&schema, &notes, data, NULL, false, &err);
    sbl_data_free(data);
    if (notes != NULL) r_notice(&call, notes);
    sbl_free(notes);
    SEXP made = PROTECT(r_text(schema));
    made = r_call_end(&call, made, status, &err);
    UNPROTECT(1);
    return made;
}

SEXP semblance_evaluate(SEXP real, SEXP synthetic, SEXP train, SEXP schema, SEXP models, SEXP seed,
                        SEXP pairs)
{
    sbl_data *data[3] = {NULL, NULL, NULL};
    SEXP frames[3] = {real, synthetic, train};
    char *json = NULL, *text = NULL;
    sbl_evaluate_options options;
    sbl_error err;
    r_call call;
    sbl_status status = r_call_begin(&call, pairs, &err);
    sbl_evaluate_options_init(&options);
    options.models = r_string(models);
    options.seed = (uint64_t)Rf_asReal(seed);
    options.threads = call.options.threads;
    options.notice = r_notice;
    options.progress = r_progress;
    options.context = &call;
    for (int i = 0; i < 3 && status == SBL_OK; i++)
        if (frames[i] != R_NilValue) status = r_data_of(&data[i], frames[i], &call, &err);
    if (status == SBL_OK)
        status = sbl_evaluate(&json, &text, data[0], data[1], data[2], r_schema_of(schema), &options, &err);
    for (int i = 0; i < 3; i++) sbl_data_free(data[i]);
    SEXP made = PROTECT(Rf_allocVector(STRSXP, 2));
    SEXP first = PROTECT(r_text(text)), second = PROTECT(r_text(json));
    SET_STRING_ELT(made, 0, STRING_ELT(first, 0));
    SET_STRING_ELT(made, 1, STRING_ELT(second, 0));
    made = r_call_end(&call, made, status, &err);
    UNPROTECT(3);
    return made;
}

/* ---- ledgers and certificates ---- */

SEXP semblance_ledger_show(SEXP path)
{
    char *json = NULL;
    sbl_error err = {.status = SBL_OK};
    const sbl_status status = sbl_ledger_describe(&json, r_string(path), &err);
    return status == SBL_OK ? r_text(json) : r_failure(status, &err);
}

static SEXP record_row(const sbl_ledger_record *record)
{
    const char *names[] = {"seq", "op", "name", "time", "state", "mechanism", "mu", "epsilon_total", ""};
    SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(made, 0, Rf_ScalarReal((double)record->seq));
    SET_VECTOR_ELT(made, 1, r_borrowed_text(record->op));
    SET_VECTOR_ELT(made, 2, r_borrowed_text(record->name));
    SET_VECTOR_ELT(made, 3, r_borrowed_text(record->time));
    SET_VECTOR_ELT(made, 4, r_borrowed_text(record->state));
    SET_VECTOR_ELT(made, 5, r_borrowed_text(record->mechanism));
    SET_VECTOR_ELT(made, 6, Rf_ScalarReal(record->mu));
    SET_VECTOR_ELT(made, 7, Rf_ScalarReal(record->epsilon_total));
    UNPROTECT(1);
    return made;
}

/* list(lines, budget epsilon, delta, epsilon spent, releases). */
SEXP semblance_ledger_lines(SEXP path)
{
    sbl_ledger *ledger = NULL;
    sbl_ledger_summary summary = {.struct_size = sizeof summary};
    sbl_ledger_record record = {.struct_size = sizeof record};
    sbl_error err = {.status = SBL_OK};
    sbl_status status = sbl_ledger_open(&ledger, r_string(path), &err);
    if (status == SBL_OK) status = sbl_ledger_get_summary(ledger, &summary, &err);
    if (status != SBL_OK) {
        sbl_ledger_close(ledger);
        return r_failure(status, &err);
    }
    SEXP made = PROTECT(Rf_allocVector(VECSXP, 5));
    SEXP lines = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)summary.line_count));
    for (size_t i = 0; i < summary.line_count; i++)
        if (sbl_ledger_get_record(ledger, &record, i, &err) == SBL_OK)
            SET_VECTOR_ELT(lines, (R_xlen_t)i, record_row(&record));
    SET_VECTOR_ELT(made, 0, lines);
    SET_VECTOR_ELT(made, 1, r_borrowed_text(summary.epsilon));
    SET_VECTOR_ELT(made, 2, r_borrowed_text(summary.delta));
    SET_VECTOR_ELT(made, 3, Rf_ScalarReal(summary.epsilon_spent));
    SET_VECTOR_ELT(made, 4, Rf_ScalarReal((double)summary.releases));
    sbl_ledger_close(ledger);
    UNPROTECT(2);
    return made;
}

SEXP semblance_ledger_init(SEXP path, SEXP epsilon, SEXP delta, SEXP add_remove)
{
    sbl_ledger_options options;
    sbl_error err = {.status = SBL_OK};
    sbl_ledger_options_init(&options);
    options.epsilon = r_string(epsilon);
    if (r_string(delta) != NULL) options.delta = r_string(delta);
    if (Rf_asLogical(add_remove) == TRUE) options.neighbours = SBL_ADD_REMOVE;
    const sbl_status status = sbl_ledger_init(r_string(path), &options, &err);
    return status == SBL_OK ? Rf_ScalarLogical(TRUE) : r_failure(status, &err);
}

SEXP semblance_verify(SEXP path, SEXP ledger, SEXP output)
{
    sbl_certificate_files files;
    char *statement = NULL;
    sbl_error err = {.status = SBL_OK};
    const char *outputs[] = {r_string(output)};
    sbl_certificate_files_init(&files);
    files.ledger = r_string(ledger);
    files.outputs = outputs;
    files.output_count = outputs[0] != NULL ? 1 : 0;
    const sbl_status status = sbl_certificate_verify(&statement, r_string(path), &files, &err);
    return status == SBL_OK ? r_text(statement) : r_failure(status, &err);
}

/* ---- exact sums, for tests: SECRET ---- */

SEXP semblance_sum(SEXP frame, SEXP plan, SEXP output, SEXP pairs)
{
    sbl_data *data = NULL;
    sbl_shards shards;
    sbl_error err;
    r_call call;
    sbl_status status = r_call_begin(&call, pairs, &err);
    if (status == SBL_OK) status = r_data_of(&data, frame, &call, &err);
    sbl_shards_init(&shards);
    shards.step = SBL_SHARDS_SUM;
    shards.plan = r_string(plan);
    shards.output = r_string(output);
    shards.data = data;
    shards.part = "1/1";
    if (status == SBL_OK) status = sbl_shards_run(NULL, &shards, &call.options, &err);
    sbl_data_free(data);
    SEXP done = PROTECT(Rf_ScalarLogical(TRUE));
    done = r_call_end(&call, done, status, &err);
    UNPROTECT(1);
    return done;
}
