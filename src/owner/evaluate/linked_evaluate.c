/* SPDX-License-Identifier: Apache-2.0 */
/* The study of linked tables: reads all, then table after table. */
#include "owner/evaluate/linked_evaluate.h"

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/json.h"
#include "base/progress.h"
#include "owner/evaluate/evaluation_text.h"
#include "owner/evaluate/rule_shares.h"
#include "owner/fidelity/linked_frames.h"
#include "owner/fidelity/measures.h"
#include "owner/fidelity/worst_relations.h"
#include "semblance/version.h"

enum { REAL, SYNTHETIC, TRAIN, SETS };
static const char *const set_names[SETS] = {"real", "synthetic", "train"};
static const sbl_table_role roles[SETS] = {SBL_ROLE_REAL, SBL_ROLE_SYNTHETIC, SBL_ROLE_CEILING};

typedef struct study {
    const sbl_evaluate_request *request;
    const sbl_linked_input *inputs[SETS];
    sbl_linked_plan plan;
    sbl_linked_set sets[SETS];
    sbl_relations relations;
    sbl_progress_listener listener;
    sbl_progress_span progress;
} study;

static bool has(const study *s, size_t set) { return s->inputs[set]->name != NULL; }

static sbl_status go_on(study *s, size_t step, size_t steps, const char *what, sbl_error *err)
{
    const sbl_progress_span whole = sbl_progress_begin(&s->listener, NULL);
    s->progress = sbl_progress_range(&whole, step, step + 1, steps, what);
    return sbl_progress_goes_on(&s->progress, 0, 1) ? SBL_OK : sbl_progress_fail(err);
}

static json_t *inputs_json(const study *s)
{
    json_t *inputs = json_object();
    for (size_t i = 0; i < SETS; i++) {
        json_t *name = has(s, i) ? json_string(s->inputs[i]->name) : NULL;
        if (has(s, i) && name == NULL) name = json_string("(a path that is not text)");
        inputs = sbl_json_put(inputs, set_names[i],
                              has(s, i) ? json_pack("{s:o, s:I}", "path", name, "rows",
                                                    (json_int_t)s->sets[i].tables[0].frame.rows)
                                        : json_null());
    }
    return inputs;
}

static json_t *keys_json(const study *s, size_t t)
{
    json_t *keys = json_object();
    for (size_t i = 0; i < SETS; i++)
        keys = sbl_json_put(keys, set_names[i], has(s, i) ? sbl_linked_keys(&s->sets[i], t) : json_null());
    return keys;
}

static sbl_status measure_rules(json_t **part, const study *s, size_t t, sbl_error *err)
{
    const sbl_linked_set *sets[SETS];
    for (size_t i = 0; i < SETS; i++) sets[i] = has(s, i) ? &s->sets[i] : NULL;
    return sbl_measure_linked_constraints(part, &s->plan, sets, set_names, SETS, t, err);
}

static sbl_status measure_table(json_t **part, study *s, size_t t, sbl_error *err)
{
    const sbl_evaluate_request *request = s->request;
    sbl_tables tables = {.has_train = has(s, TRAIN),
                         .seed = request->seed,
                         .threads = request->threads != 0 ? (int)request->threads : sbl_thread_limit(),
                         .progress = s->progress,
                         .relations = &s->relations};
    const sbl_linked_table *table = &s->plan.schema->tables[t];
    const sbl_linked_view *view = &s->plan.views[t];
    const size_t above = table->parent != SBL_NO_TABLE ? s->plan.schema->tables[table->parent].count : 0;
    json_t *rules = NULL, *by = NULL;
    sbl_status status = SBL_OK;
    *part = NULL;
    s->relations.table = table->name;
    s->relations.parent = table->parent != SBL_NO_TABLE ? s->plan.schema->tables[table->parent].name : NULL;
    for (size_t i = 0; i < SETS; i++)
        if (has(s, i)) SBL_TRY(sbl_linked_join(&tables.frames[roles[i]], &s->plan, &s->sets[i], t, err));
    SBL_TRY(sbl_tables_complete(&tables, &s->plan.views[t].view, err));
    SBL_TRY(sbl_measure_linked(part, &s->plan, t, &tables,
                               request->sets != 0 ? request->sets : SBL_EVALUATE_SETS, err));
    if (sbl_progress_stopped(&s->progress)) SBL_TRY(sbl_progress_fail(err));
    *part = sbl_json_put(*part, "keys", keys_json(s, t));
    SBL_TRY(sbl_measure_by(&by, &tables, &view->view, view->columns + above, table->schema, err));
    *part = sbl_json_put(*part, "by", by);
    SBL_TRY(measure_rules(&rules, s, t, err));
    *part = sbl_json_put(*part, "constraints", rules);
    if (*part == NULL) SBL_TRY(sbl_no_memory(err, "an evaluation"));
done:
    if (status != SBL_OK) {
        json_decref(*part);
        *part = NULL;
    }
    sbl_tables_clear(&tables);
    return status;
}

static sbl_status measure_all(json_t **list, study *s, sbl_error *err)
{
    const size_t count = s->plan.schema->table_count;
    sbl_status status = SBL_OK;
    *list = json_array();
    for (size_t t = 0; t < count; t++) {
        json_t *part = NULL;
        SBL_TRY(go_on(s, SETS + t, SETS + count, s->plan.schema->tables[t].name, err));
        SBL_TRY(measure_table(&part, s, t, err));
        *list = sbl_json_append(*list, part);
    }
    if (*list == NULL) status = sbl_no_memory(err, "an evaluation");
done:
    if (status != SBL_OK) {
        json_decref(*list);
        *list = NULL;
    }
    return status;
}

static sbl_status read_all(study *s, sbl_error *err)
{
    const size_t count = s->plan.schema->table_count;
    for (size_t i = 0; i < SETS; i++) {
        SBL_CHECK(go_on(s, i, SETS + count, "reading", err));
        if (has(s, i))
            SBL_CHECK(sbl_linked_set_read(&s->sets[i], &s->plan, s->inputs[i]->tables, &s->progress, err));
    }
    return SBL_OK;
}

sbl_status sbl_evaluate_linked(json_t **document, const sbl_evaluate_request *request,
                               const sbl_linked_input *real, const sbl_linked_input *synthetic,
                               const sbl_linked_input *train, sbl_error *err)
{
    study s = {.request = request,
               .inputs = {real, synthetic, train},
               .listener = {.progress = request->progress, .context = request->context}};
    json_t *tables = NULL, *worst = NULL;
    sbl_status status = SBL_OK;
    *document = NULL;
    SBL_TRY(sbl_linked_plan_init(&s.plan, request->schema, err));
    SBL_TRY(read_all(&s, err));
    SBL_TRY(measure_all(&tables, &s, err));
    SBL_TRY(sbl_measure_worst(&worst, &s.relations, err));
    *document =
        json_pack("{s:s, s:i, s:s, s:s, s:s, s:I, s:o, s:O, s:O, s:o}", "format", "semblance-evaluation",
                  "version", 1, "program", SBL_VERSION_STRING, "warning", SBL_EVALUATION_WARNING, "kind",
                  "linked", "seed", (json_int_t)request->seed, "inputs", inputs_json(&s), "tables", tables,
                  "worst", worst, "units", sbl_linked_units(&s.plan, &s.sets[SYNTHETIC]));
    if (*document == NULL) SBL_TRY(sbl_no_memory(err, "an evaluation"));
done:
    json_decref(tables);
    json_decref(worst);
    sbl_relations_clear(&s.relations);
    for (size_t i = 0; i < SETS; i++) sbl_linked_set_clear(&s.sets[i]);
    sbl_linked_plan_clear(&s.plan);
    return status;
}
