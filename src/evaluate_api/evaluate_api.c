/* Evaluation of tables (include/semblance/evaluate.h), and what it shares with that of images. No ledger is opened here,
 * whatever a certificate names. */
#include "semblance/evaluate.h"

#include <string.h>

#include "api/entry.h"
#include "base/caller_struct.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation_text.h"
#include "evaluate_api/evaluation.h"
#include "learners/learner.h"
#include "methods/method_options.h"
#include "pipeline/dialect.h"
#include "report/report.h"
#include "schema/spikes.h"
#include "semblance/files.h"

#define CERTIFICATE_SIZE_LIMIT ((size_t)64 << 20)

sbl_status sbl_evaluation_options(sbl_evaluate_options *options, const sbl_evaluate_options *theirs,
                                  sbl_error *err)
{
    *options = (sbl_evaluate_options){.struct_size = sizeof *options};
    const sbl_status status = sbl_struct_take(options, sizeof *options, theirs, "options", err);
    if (status != SBL_OK) return status;
    if (options->threads > 1024) return sbl_fail(err, SBL_EARG, "threads must be at most 1024");
    if (options->sets > SBL_EVALUATE_MAX_SETS)
        return sbl_fail(err, SBL_EARG, "sets must be at most %d", SBL_EVALUATE_MAX_SETS);
    return SBL_OK;
}

sbl_status sbl_evaluation_report(char **report, const char *certificate, const char *evaluation,
                                 const sbl_report_preview *preview,
                                 const sbl_evaluate_options *options, sbl_error *err)
{
    const sbl_report_options page = {.public_only = options->public_only,
                                     .overwrite = options->overwrite,
                                     .title = options->title,
                                     .preview = preview};
    sbl_status status = SBL_OK;
    if (options->report_path != NULL)
        SBL_TRY(sbl_report_write(options->report_path, certificate, evaluation, &page, err));
    if (report != NULL) SBL_TRY(sbl_report_render(report, certificate, evaluation, &page, err));
done:
    return status;
}

/* Canonical JSON and a line end. */
static char *json_line(const json_t *document)
{
    char *text = sbl_json_canonical(document);
    sbl_text line = {.failed = text == NULL};
    if (text != NULL) sbl_text_append_plain(&line, text);
    sbl_text_append(&line, "\n", 1);
    sbl_free(text);
    if (line.failed) sbl_text_clear(&line);
    return line.data;
}

sbl_status sbl_evaluation_certificate(uint8_t **text, const sbl_evaluate_options *options,
                                      sbl_error *err)
{
    size_t size;
    if (options->certificate_path == NULL) return SBL_OK;
    return sbl_file_read(text, &size, options->certificate_path, CERTIFICATE_SIZE_LIMIT, err);
}

void sbl_evaluation_start(const sbl_evaluation_wanted *wanted)
{
    if (wanted->json != NULL) *wanted->json = NULL;
    if (wanted->text != NULL) *wanted->text = NULL;
    if (wanted->report != NULL) *wanted->report = NULL;
}

void sbl_evaluation_drop(const sbl_evaluation_wanted *wanted)
{
    if (wanted->json != NULL) sbl_free(*wanted->json);
    if (wanted->text != NULL) sbl_free(*wanted->text);
    if (wanted->report != NULL) sbl_free(*wanted->report);
    sbl_evaluation_start(wanted);
}

sbl_status sbl_evaluation_hand_over(const sbl_evaluation_wanted *wanted, const json_t *document,
                                    const char *certificate, const sbl_report_preview *preview,
                                    const sbl_evaluate_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    char *line = json_line(document);
    char *words = sbl_evaluation_text(document);
    if (line == NULL || words == NULL) SBL_TRY(sbl_no_memory(err, "an evaluation"));
    SBL_TRY(sbl_evaluation_report(wanted->report, certificate, line, preview, options, err));
    if (wanted->json != NULL) {
        *wanted->json = line;
        line = NULL;
    }
    if (wanted->text != NULL) {
        *wanted->text = words;
        words = NULL;
    }
done:
    sbl_free(line);
    sbl_free(words);
    return status;
}

sbl_status sbl_schema_read_as(sbl_schema **schema, const char *path,
                              const sbl_synth_options *reading, sbl_error *err)
{
    sbl_synth_options ours;
    sbl_status status = SBL_OK;
    if (reading == NULL) return sbl_schema_read(schema, path, err);
    SBL_TRY(sbl_synth_options_take(&ours, reading, err));
    SBL_TRY(sbl_options_check_values(&ours, SBL_STEP_READ, err));
    const sbl_dialect_given given = sbl_dialect_of_options(&ours);
    SBL_TRY(sbl_schema_read(schema, path, err));
    SBL_TRY(sbl_schema_apply_dialect(*schema, &given, err));
done:
    return status;
}

/* Within bounds measures compare numbers, however they were fitted: a schema without spikes. */
static sbl_status schema_of_measures(sbl_schema **own, const sbl_schema *schema, sbl_error *err)
{
    const sbl_status status = sbl_schema_copy(own, schema, err);
    if (status == SBL_OK) sbl_spikes_forget(*own);
    return status;
}

sbl_status sbl_evaluation_tables(const sbl_evaluation_wanted *wanted, const sbl_data *real,
                                 const sbl_data *synthetic, const sbl_data *train,
                                 const sbl_schema *schema, const char *certificate,
                                 const sbl_evaluate_options *options, sbl_error *err)
{
    const sbl_table_options reading = {.extra_column = options->notice,
                                       .context = options->context};
    sbl_evaluate_request request = {
        .schema_name = options->schema_name != NULL ? options->schema_name : "the schema",
        .models = options->models,
        .sets = (size_t)options->sets,
        .seed = options->seed,
        .threads = options->threads,
        .table_options = &reading,
        .progress = options->progress,
        .context = options->context};
    sbl_schema *own = NULL;
    json_t *document = NULL;
    int threads = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_data_table(&request.real, real, err));
    SBL_TRY(sbl_data_table(&request.synthetic, synthetic, err));
    if (train != NULL) SBL_TRY(sbl_data_table(&request.train, train, err));
    SBL_TRY(schema_of_measures(&own, schema, err));
    request.schema = own;
    threads = sbl_threads_borrow(options->threads);
    SBL_TRY(sbl_evaluate_study(&document, &request, err));
    SBL_TRY(sbl_evaluation_hand_over(wanted, document, certificate, NULL, options, err));
done:
    sbl_threads_restore(threads);
    json_decref(document);
    sbl_schema_free(own);
    return status;
}

/* The list of learners has those of one library together. */
sbl_status sbl_evaluate_describe_build(char **text, sbl_error *err)
{
    size_t count;
    const char *last = NULL;
    sbl_text words = {0};
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    const sbl_learner *learners = sbl_learners(&count);
    for (size_t i = 0; i < count; i++) {
        const char *needs = learners[i].needs, *missing = learners[i].missing();
        if (needs != NULL && needs != last)
            sbl_text_printf(&words, "%s\t%s\n", needs, missing != NULL ? missing : "there");
        last = needs;
    }
    SBL_TRY(sbl_text_check(&words, "the libraries of models", err));
    *text = words.data;
    words = (sbl_text){0};
done:
    sbl_text_clear(&words);
    return status;
}
