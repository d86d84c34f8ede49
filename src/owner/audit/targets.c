/* SPDX-License-Identifier: Apache-2.0 */
/* Lists methods, relations, mechanisms and variants as loops, and takes each through the
 * production path: rounds, gather, publish with a ledger in memory. Subjects that are attacked
 * get few features, since an attack makes thousands of releases. */
#include "owner/audit/targets.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "door/privatise/privatise.h"
#include "records/source/source.h"
#include "run/methods/ask.h"
#include "run/pipeline/gather.h"
#include "run/pipeline/publish.h"
#include "run/pipeline/rounds.h"

/* An attack wants many releases of few numbers; Hermite features of few numbers still hold nearly
 * all of their kernels by these. */
static const sbl_setting attacked_settings[] = {
    {"features", "16"}, {"bins", "4"}, {"lengths", "1"}, {"product-order", "9"}, {"products", "1"}};

/* ---- one subject ---- */

#define LEDGER "audit.ledger"

sbl_status sbl_audit_ledger(sbl_store_entry ledger, sbl_neighbours neighbours, uint64_t rows_per_unit,
                            double delta, sbl_error *err)
{
    sbl_ledger_facts facts = {.neighbours = neighbours,
                              .by_person = rows_per_unit != 0,
                              .rows_per_unit = rows_per_unit != 0 ? rows_per_unit : 1,
                              .test_key = sbl_door_is_test_build()};
    char number[SBL_DOUBLE_TEXT_SIZE];
    (void)snprintf(facts.budget.epsilon, sizeof facts.budget.epsilon, "inf");
    (void)snprintf(facts.budget.delta, sizeof facts.budget.delta, "%s", sbl_double_to_text(number, delta));
    sbl_store_entry_remove(ledger);
    return sbl_ledger_create(ledger, &facts, err);
}

/* The last charge of a ledger. */
static sbl_status read_entry(sbl_ledger_entry *entry, sbl_store_entry ledger, sbl_error *err)
{
    sbl_ledger_view view = {0};
    bool found = false;
    const sbl_status status = sbl_ledger_read(&view, ledger, err);
    if (status != SBL_OK) return status;
    for (size_t i = 0; i < view.line_count; i++)
        if (view.lines[i].op == SBL_LEDGER_RESERVE) {
            *entry = view.lines[i].entry;
            found = true;
        }
    sbl_ledger_view_clear(&view);
    return found ? SBL_OK : sbl_fail(err, SBL_EINTERNAL, "a release was made and nothing was charged");
}

static sbl_publish_facts publish_facts(const sbl_subject *subject, const sbl_rounds *rounds,
                                       const sbl_store *store)
{
    return (sbl_publish_facts){
        .data = subject->data->facts.kind,
        .method = rounds->method->name,
        .rows_together = rounds->method->whole_units ? sbl_facts_rows_per_unit(&subject->data->facts) : 0,
        .neighbours = subject->options.neighbours,
        .epsilon = subject->options.epsilon,
        .delta = subject->options.pure ? 0.0 : subject->options.delta,
        .rounds = rounds->most,
        .shares = rounds->shares,
        .ledger = {store, LEDGER},
        .release = {store, "audit.release"},
        .certificate = {store, "audit.certificate"},
        .overwrite = true};
}

sbl_status sbl_subject_release(const sbl_subject *subject, const sbl_store *store, sbl_subject_visit visit,
                               void *context, sbl_error *err)
{
    const sbl_audit_data *data = subject->data;
    const sbl_synth_options *options = &subject->options;
    sbl_rounds rounds = {0};
    sbl_publish *publish = NULL;
    sbl_source *source = NULL;
    sbl_gathered gathered = {0};
    sbl_ledger_entry entry;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_rounds_begin(&rounds, &data->facts, options, err));
    const sbl_publish_facts facts = publish_facts(subject, &rounds, store);
    const sbl_round *first = &rounds.items[0];
    SBL_TRY(sbl_audit_ledger(facts.ledger, options->neighbours, first->features.layout.rows_per_unit,
                             facts.delta, err));
    SBL_TRY(sbl_publish_open(&publish, &facts, &first->features.layout, first->features.weights,
                             first->plan.share, data->rows, err));
    SBL_TRY(sbl_audit_data_open(&source, data, &first->features, err));
    for (bool more = true; more;) {
        sbl_round *round = &rounds.items[rounds.count - 1];
        SBL_TRY(sbl_source_rewind(source, err));
        SBL_TRY(sbl_gather(&gathered.sum, source, &round->features, "nothing", options, err));
        SBL_TRY(sbl_publish_next(publish, &round->release, &gathered, &round->plan, round->features.weights,
                                 err));
        SBL_TRY(read_entry(&entry, facts.ledger, err));
        SBL_TRY(visit(context, subject, round, &entry, err));
        SBL_TRY(sbl_rounds_next(&more, &rounds, options, err));
        if (more && rounds.items[rounds.count - 1].plan.rest_count > 0) {
            const sbl_publish_rest rest = {
                .method = facts.method, .rounds = rounds.most, .shares = rounds.shares};
            SBL_TRY(sbl_publish_replan(publish, &rest, err));
        }
    }
done:
    sbl_publish_close(publish);
    sbl_source_close(source);
    sbl_rounds_clear(&rounds);
    return status;
}

/* ---- all of them ---- */

typedef struct listing {
    const sbl_audit_options *asked;
    const sbl_store *store;
    sbl_subject_visit visit;
    void *context;
} listing;

static sbl_status release_subject(const listing *l, sbl_subject subject, const char *geometry, sbl_error *err)
{
    const size_t count = subject.attacked ? sizeof attacked_settings / sizeof *attacked_settings : 0;
    if (geometry != NULL) SBL_CHECK(sbl_options_set(&subject.options, "geometry", geometry, err));
    for (size_t i = 0; i < count; i++)
        SBL_CHECK(
            sbl_options_set(&subject.options, attacked_settings[i].name, attacked_settings[i].text, err));
    return sbl_subject_release(&subject, l->store, l->visit, l->context, err);
}

/* One relation, one sort of noise: every variant of the method. Attacked is the first. */
static sbl_status visit_variants(const listing *l, const sbl_subject *subject, bool attack, sbl_error *err)
{
    static const char *const geometries[] = {"clip", "normalise"};
    const bool projected = strcmp(subject->options.method, "ron-gauss") == 0;
    const bool encoded = strcmp(subject->options.method, "mepf") == 0;
    sbl_subject attacked = *subject;
    SBL_CHECK(release_subject(l, *subject, projected ? geometries[0] : NULL, err));
    if (projected) SBL_CHECK(release_subject(l, *subject, geometries[1], err));
    if (encoded) {
        sbl_subject moments = *subject;
        SBL_CHECK(sbl_options_set(&moments.options, "embedding", "moments", err));
        SBL_CHECK(release_subject(l, moments, NULL, err));
        sbl_subject cells = *subject;
        SBL_CHECK(sbl_options_set(&cells.options, "cells", "2", err));
        SBL_CHECK(sbl_options_set(&cells.options, "steps", "2", err));
        SBL_CHECK(sbl_options_set(&cells.options, "batch", "32", err));
        SBL_CHECK(release_subject(l, cells, NULL, err));
    }
    attacked.attacked = true;
    if (attack) SBL_CHECK(release_subject(l, attacked, projected ? geometries[0] : NULL, err));
    return SBL_OK;
}

/* Both relations and both sorts of noise, unless one was asked for. */
static sbl_status visit_method(const listing *l, const sbl_audit_data *data, const sbl_method *method,
                               const char *questions, sbl_error *err)
{
    const sbl_audit_options *asked = l->asked;
    sbl_subject subject = {.data = data,
                           .options = {.struct_size = sizeof subject.options,
                                       .method = method->name,
                                       .epsilon = asked->epsilon,
                                       .delta = asked->delta}};
    if (questions != NULL) {
        subject.options.more_methods = sbl_method_ask_list;
        SBL_CHECK(sbl_options_set(&subject.options, SBL_SETTING_QUESTIONS, questions, err));
    }
    for (int r = SBL_REPLACE_ONE; r <= SBL_ADD_REMOVE; r++) {
        if (asked->one_relation && r != (int)asked->neighbours) continue;
        for (int pure = asked->pure; pure <= method->pure; pure++) {
            const bool first = asked->one_relation || r == SBL_REPLACE_ONE;
            const bool attacked = pure != 0 ? data->attacked_pure : data->attacked;
            subject.options.neighbours = (sbl_neighbours)r;
            subject.options.pure = pure != 0;
            SBL_CHECK(visit_variants(l, &subject, first && attacked, err));
        }
    }
    return SBL_OK;
}

/* ---- questions ---- */

/* The first column of a kind that is read as it is declared, after the first `skipped` of them; NULL: none. */
static const char *find_column(const sbl_facts *facts, sbl_column_kind kind, size_t skipped)
{
    for (size_t c = 0; c < facts->schema->column_count; c++)
        if (facts->schema->columns[c].kind == kind && sbl_facts_fit_column(facts, c) && skipped-- == 0)
            return facts->schema->columns[c].name;
    return NULL;
}

/* A count, a mean by group and a regression, as far as the table has columns for them; sbl_free. NULL: it has none, or
 * out of memory. */
static char *make_questions(const sbl_facts *facts)
{
    const char *group = find_column(facts, SBL_COLUMN_CATEGORY, 0);
    const char *value = find_column(facts, SBL_COLUMN_NUMBER, 0),
               *term = find_column(facts, SBL_COLUMN_NUMBER, 1);
    json_t *list = json_array();
    if (group != NULL) list = sbl_json_append(list, json_pack("{s:[s]}", "count", group));
    if (value != NULL && group != NULL)
        list = sbl_json_append(list, json_pack("{s:s, s:[s]}", "mean", value, "by", group));
    if (value != NULL && group == NULL) list = sbl_json_append(list, json_pack("{s:s}", "mean", value));
    if (value != NULL && term != NULL)
        list = sbl_json_append(list, json_pack("{s:s, s:[s]}", "regress", value, "on", term));
    const bool any = json_array_size(list) > 0;
    json_t *object = sbl_json_put(json_object(), "questions", list);
    char *text = any && object != NULL ? sbl_json_canonical(object) : NULL;
    json_decref(object);
    return text;
}

static bool can(const sbl_method *method, const sbl_audit_data *data)
{
    if (method->whole_units && sbl_facts_rows_per_unit(&data->facts) == 0) return false;
    if (data->whole_units && !method->whole_units) return false;
    return data->facts.kind == SBL_DATA_IMAGES ? method->images : method->tables;
}

sbl_status sbl_subjects_of(const sbl_audit_data *data, const sbl_audit_options *options,
                           const sbl_store *store, sbl_subject_visit visit, void *context, sbl_error *err)
{
    const listing l = {options, store, visit, context};
    for (const sbl_method *const *m = sbl_method_list; *m != NULL; m++) {
        if (!can(*m, data)) continue;
        if (options->method != NULL && strcmp(options->method, (*m)->name) != 0) continue;
        SBL_CHECK(visit_method(&l, data, *m, NULL, err));
    }
    if (!can(&sbl_method_ask, data)) return SBL_OK;
    if (options->method != NULL && strcmp(options->method, sbl_method_ask.name) != 0) return SBL_OK;
    char *questions = make_questions(&data->facts);
    const sbl_status status =
        questions != NULL ? visit_method(&l, data, &sbl_method_ask, questions, err) : SBL_OK;
    sbl_free(questions);
    return status;
}
