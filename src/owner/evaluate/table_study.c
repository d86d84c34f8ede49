/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation of a table from request to document: checks, reading, then one measure after the
 * other, each under its name. A measure that was stopped on the way is thrown away. NOT PRIVATE. */
#include "owner/evaluate/table_study.h"

#include <stdlib.h>
#include <string.h>

#include "base/compute/threads.h"
#include "owner/evaluate/evaluation_text.h"
#include "owner/evaluate/rule_shares.h"
#include "owner/evaluate/utility.h"
#include "owner/fidelity/measures.h"
#include "owner/fidelity/worst_relations.h"
#include "records/formats/diagnose.h"
#include "semblance/version.h"

/* What an evaluation holds while it runs. */
typedef struct evaluation {
    const sbl_evaluate_request *request;
    sbl_codec codec;
    sbl_view view;
    sbl_tables tables;
    sbl_relations relations;
    sbl_diagnosis diagnosis;
    bool models_wanted;
    sbl_progress_listener listener; /* of tables.progress */
} evaluation;

static sbl_status check_request(evaluation *e, sbl_error *err)
{
    const sbl_evaluate_request *request = e->request;
    const bool none = request->models != NULL && strcmp(request->models, "none") == 0;
    if (request->sets > SBL_EVALUATE_MAX_SETS)
        return sbl_fail(err, SBL_EARG, "sets must be at most %d", SBL_EVALUATE_MAX_SETS);
    if (!request->synthetic->can_rewind)
        return sbl_fail(err, SBL_EARG, "the synthetic table is read twice: give a file, not '%s'",
                        request->synthetic->name);
    e->models_wanted =
        !none && request->schema->label != SBL_NO_COLUMN && request->schema->task != SBL_TASK_NONE;
    if (none || request->models == NULL) return SBL_OK;
    const sbl_status status = sbl_utility_check_models(request->models, err);
    if (status != SBL_OK || e->models_wanted) return status;
    return sbl_fail(err, SBL_EINPUT,
                    "%s: the schema names no label for models to predict (no label): add semblance.label, or "
                    "ask for no models",
                    request->schema_name);
}

static sbl_status read_table(evaluation *e, sbl_table_role role, const sbl_table *table, sbl_error *err)
{
    sbl_frame *frame = &e->tables.frames[role];
    const sbl_status status = sbl_frame_read(frame, table, &e->codec, &e->tables.progress, err);
    if (status != SBL_OK || frame->rows != 0) return status;
    return sbl_fail(err, SBL_EINPUT, "%s: the table has no rows", table->name);
}

/* A classifier needs two classes to be trained on or tested with. */
static sbl_status check_classes(const evaluation *e, sbl_table_role role, const sbl_table *table,
                                sbl_error *err)
{
    const sbl_frame *frame = &e->tables.frames[role];
    const sbl_heads *heads = &e->codec.heads;
    if (!e->models_wanted || heads->class_count == 0) return SBL_OK;
    const size_t label = heads->items[heads->label].index;
    for (size_t row = 1; row < frame->rows; row++)
        if (frame->codes[row * heads->categorical_count + label] != frame->codes[label]) return SBL_OK;
    return sbl_fail_hint(err, SBL_EINPUT, SBL_HINT_NO_MODELS, table->name,
                         "%s: label column '%s' holds one class only, so no classifier can be trained: ask "
                         "for no models to get the other measures",
                         table->name, e->codec.schema->columns[e->codec.schema->label].name);
}

static sbl_status read_all(evaluation *e, sbl_error *err)
{
    const sbl_evaluate_request *request = e->request;
    SBL_CHECK(read_table(e, SBL_ROLE_REAL, request->real, err));
    SBL_CHECK(read_table(e, SBL_ROLE_SYNTHETIC, request->synthetic, err));
    if (e->tables.has_train) SBL_CHECK(read_table(e, SBL_ROLE_CEILING, request->train, err));
    SBL_CHECK(check_classes(e, SBL_ROLE_REAL, request->real, err));
    SBL_CHECK(check_classes(e, SBL_ROLE_SYNTHETIC, request->synthetic, err));
    if (e->tables.has_train) SBL_CHECK(check_classes(e, SBL_ROLE_CEILING, request->train, err));
    SBL_CHECK(sbl_table_diagnose(&e->diagnosis, request->synthetic, request->schema, request->table_options,
                                 NULL, err));
    return sbl_tables_complete(&e->tables, &e->view, err);
}

static json_t *input_json(const sbl_table *table, const sbl_frame *frame)
{
    json_t *name = json_string(table->name);
    if (name == NULL) name = json_string("(a path that is not text)");
    return json_pack("{s:o, s:I}", "path", name, "rows", (json_int_t)frame->rows);
}

static json_t *head_json(const evaluation *e)
{
    const sbl_evaluate_request *request = e->request;
    const sbl_schema *schema = request->schema;
    const sbl_frame *frames = e->tables.frames;
    const bool labelled = schema->label != SBL_NO_COLUMN;
    return json_pack(
        "{s:s, s:i, s:s, s:s, s:s, s:I, s:{s:o, s:o, s:o}, s:{s:I, s:s?, s:s?}}", "format",
        "semblance-evaluation", "version", 1, "program", SBL_VERSION_STRING, "warning",
        SBL_EVALUATION_WARNING, "kind", "table", "seed", (json_int_t)request->seed, "inputs", "real",
        input_json(request->real, &frames[SBL_ROLE_REAL]), "synthetic",
        input_json(request->synthetic, &frames[SBL_ROLE_SYNTHETIC]), "train",
        e->tables.has_train ? input_json(request->train, &frames[SBL_ROLE_CEILING]) : json_null(), "schema",
        "columns", (json_int_t)e->view.count, "label", labelled ? schema->columns[schema->label].name : NULL,
        "task", labelled && schema->task != SBL_TASK_NONE ? sbl_task_name(schema->task) : NULL);
}

static sbl_status measure_utility(json_t **part, const evaluation *e, sbl_error *err)
{
    const sbl_utility_options options = {.seed = e->request->seed,
                                         .models = e->request->models,
                                         .threads = (unsigned)e->tables.threads,
                                         .progress = &e->tables.progress};
    const sbl_frame *train;
    const sbl_frame *test;
    *part = json_null();
    if (!e->models_wanted) return SBL_OK;
    sbl_tables_utility(&train, &test, &e->tables);
    return sbl_evaluate_utility(part, &e->tables.frames[SBL_ROLE_SYNTHETIC], train, test,
                                train != NULL ? &e->tables.utility_floor : NULL, &options, err);
}

static sbl_status measure_disclosure(json_t **part, const evaluation *e, sbl_error *err)
{
    *part = json_null();
    return e->tables.has_train ? sbl_measure_disclosure(part, &e->tables, &e->view, err) : SBL_OK;
}

/* Takes the part that a measure made, or failed to make (status). What was stopped on the way is not whole, whatever
 * the measure says of it. */
static sbl_status add(json_t *document, const evaluation *e, const char *name, json_t **part,
                      sbl_status status, sbl_error *err)
{
    json_t *made = *part;
    *part = NULL;
    if (status == SBL_OK && !sbl_progress_stopped(&e->tables.progress)) {
        if (json_object_set_new(document, name, made) == 0) return SBL_OK;
        return sbl_no_memory(err, "an evaluation");
    }
    json_decref(made);
    return sbl_progress_stopped(&e->tables.progress) ? sbl_progress_fail(err) : status;
}

/* The parts that take time, with about what share of it. */
static const struct part {
    const char *what;
    uint64_t from, to; /* of SHARES */
} parts[] = {{"reading", 0, 1}, {"columns", 1, 2},   {"marginals", 2, 4}, {"association", 4, 5},
             {"mmd", 5, 6},     {"histories", 6, 7}, {"utility", 7, 14},  {"disclosure", 14, 16}};
enum { READING, COLUMNS, MARGINALS, ASSOCIATION, MMD, HISTORIES, UTILITY, DISCLOSURE };
#define SHARES 16

static sbl_status begin(evaluation *e, int part, sbl_error *err)
{
    const sbl_progress_span whole = sbl_progress_begin(&e->listener, NULL);
    e->tables.progress =
        sbl_progress_range(&whole, parts[part].from, parts[part].to, SHARES, parts[part].what);
    return sbl_progress_goes_on(&e->tables.progress, 0, 1) ? SBL_OK : sbl_progress_fail(err);
}

static sbl_status measure(json_t *document, evaluation *e, sbl_error *err)
{
    const size_t sets = e->request->sets != 0 ? e->request->sets : SBL_EVALUATE_SETS;
    const sbl_tables *tables = &e->tables;
    json_t *part = NULL;
    SBL_CHECK(begin(e, COLUMNS, err));
    SBL_CHECK(add(document, e, "columns", &part, sbl_measure_columns(&part, tables, &e->view, err), err));
    SBL_CHECK(add(document, e, "by", &part,
                  sbl_measure_by(&part, tables, &e->view, e->codec.schema->columns, e->codec.schema, err),
                  err));
    SBL_CHECK(begin(e, MARGINALS, err));
    SBL_CHECK(
        add(document, e, "marginals", &part, sbl_measure_marginals(&part, tables, &e->view, sets, err), err));
    SBL_CHECK(begin(e, ASSOCIATION, err));
    SBL_CHECK(
        add(document, e, "association", &part, sbl_measure_association(&part, tables, &e->view, err), err));
    SBL_CHECK(add(document, e, "pairs", &part,
                  sbl_measure_pairs(&part, tables, &e->view, json_object_get(document, "association"), err),
                  err));
    SBL_CHECK(begin(e, MMD, err));
    SBL_CHECK(add(document, e, "mmd", &part, sbl_measure_mmd(&part, tables, &e->view, err), err));
    SBL_CHECK(
        add(document, e, "constraints", &part, sbl_measure_constraints(&part, tables, &e->codec, err), err));
    SBL_CHECK(add(document, e, "out_of_domain", &part,
                  sbl_measure_domain(&part, &e->diagnosis, e->request->schema, err), err));
    SBL_CHECK(begin(e, HISTORIES, err));
    SBL_CHECK(add(document, e, "histories", &part,
                  sbl_measure_histories(&part, tables, &e->view, e->request->schema, sets, err), err));
    SBL_CHECK(add(document, e, "worst", &part, sbl_measure_worst(&part, &e->relations, err), err));
    SBL_CHECK(begin(e, UTILITY, err));
    SBL_CHECK(add(document, e, "utility", &part, measure_utility(&part, e, err), err));
    SBL_CHECK(begin(e, DISCLOSURE, err));
    return add(document, e, "disclosure", &part, measure_disclosure(&part, e, err), err);
}

sbl_status sbl_evaluate_study(json_t **document, const sbl_evaluate_request *request, sbl_error *err)
{
    evaluation e = {.request = request,
                    .listener = {.progress = request->progress, .context = request->context}};
    json_t *made = NULL;
    sbl_status status = SBL_OK;
    *document = NULL;
    e.tables.has_train = request->train != NULL;
    e.tables.relations = &e.relations;
    e.tables.seed = request->seed;
    e.tables.threads = request->threads != 0 ? (int)request->threads : sbl_thread_limit();
    SBL_TRY(check_request(&e, err));
    SBL_TRY(sbl_codec_init_plain(&e.codec, request->schema, err));
    SBL_TRY(sbl_view_init(&e.view, &e.codec, err));
    SBL_TRY(begin(&e, READING, err));
    SBL_TRY(read_all(&e, err));
    made = head_json(&e);
    if (made == NULL) SBL_TRY(sbl_no_memory(err, "an evaluation"));
    SBL_TRY(measure(made, &e, err));
    *document = made;
    made = NULL;
done:
    json_decref(made);
    sbl_tables_clear(&e.tables);
    sbl_relations_clear(&e.relations);
    sbl_diagnosis_clear(&e.diagnosis);
    sbl_view_clear(&e.view);
    sbl_codec_clear(&e.codec);
    return status;
}
