/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests on every round of every subject: the largest change and additivity, or the
 * attack on small layouts, and collects the rows of the document. A broken bound outweighs an
 * attack that was too weak to tell. Nothing here draws noise or charges by itself: releases
 * come from targets.c and distinguish.c, through the real door. */
#include "owner/audit/audit_tests.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "door/privatise/privatise.h"
#include "owner/audit/additivity.h"
#include "owner/audit/audit_records.h"
#include "owner/audit/change.h"
#include "owner/audit/confidence.h"
#include "owner/audit/distinguish.h"
#include "owner/audit/linked_change.h"
#include "owner/audit/linked_neighbours.h"
#include "owner/audit/targets.h"
#include "public/options/option_values.h"
#include "records/source/source.h"
#include "run/pipeline/gather.h"
#include "semblance/version.h"

/* Below this part of its charge no pair shows whether an attack would see what it should. */
#define ATTACKED_REACH 0.9
/* For a release: every hostile record keeps its own sum, and all pairs are compared. */
#define MOST_VALUES ((size_t)1 << 19)

typedef struct run {
    const sbl_audit_options *options;
    sbl_store *store;    /* of its releases and ledgers, in memory */
    sbl_hostile hostile; /* of the data at hand */
    json_t *rounds;
    json_t *attacks;
    bool broken; /* a bound */
    bool weak;   /* an attack */
} run;

/* ---- what is written down ---- */

static json_t *names_of(const sbl_subject *subject, const sbl_round *round, const sbl_ledger_entry *entry)
{
    const sbl_synth_options *asked = &subject->options;
    const char *geometry = sbl_setting_given(asked, "geometry");
    const char *variant = geometry != NULL ? geometry : sbl_setting_given(asked, "embedding");
    return json_pack("{s:s, s:s, s:s?, s:I, s:s, s:s, s:I}", "data", subject->data->name, "method",
                     subject->options.method, "variant", variant, "round", (json_int_t)round->plan.round,
                     "neighbours", sbl_neighbours_name(entry->neighbours), "mechanism",
                     sbl_mechanism_name(entry->mechanism), "values", (json_int_t)round->release->value_count);
}

/* A contribution in words; of one class there is nothing to say. */
static json_t *contribution_to_json(const sbl_contributions *all, size_t which)
{
    if (which == SBL_NO_CONTRIBUTION) return json_string("no record");
    return sbl_sum_layout(all->sums[which])->classes > 1
               ? json_sprintf("%s, label %llu", all->names[which], (unsigned long long)all->labels[which])
               : json_string(all->names[which]);
}

/* Takes first and second: what moved most, in words. */
static json_t *moved_to_json(const sbl_change *change, const sbl_ledger_entry *entry, size_t kinds,
                             size_t records, json_t *first, json_t *second)
{
    return json_pack("{s:I, s:I, s:I, s:o, s:o, s:f, s:b, s:o, s:o}", "kinds", (json_int_t)kinds, "records",
                     (json_int_t)records, "pairs", (json_int_t)change->pairs, "moved",
                     sbl_json_u128(change->moved), "charged", sbl_json_u128(entry->joint), "reach",
                     change->reach, "within", (int)change->within, "first", first, "second", second);
}

static json_t *change_to_json(const sbl_change *change, const sbl_contributions *all,
                              const sbl_ledger_entry *entry)
{
    return moved_to_json(change, entry, all->kinds, all->count, contribution_to_json(all, change->first),
                         contribution_to_json(all, change->second));
}

static json_t *packages_to_json(const sbl_linked_change *found, const sbl_ledger_entry *entry)
{
    sbl_package_pair pair = sbl_package_pair_make(found->change.first, entry->neighbours);
    sbl_package_rows_clear(&pair.rows);
    return moved_to_json(
        &found->change, entry, sbl_package_pair_kinds(), found->packages, json_string(pair.name),
        json_string(entry->neighbours == SBL_REPLACE_ONE ? "another such person" : "no person"));
}

static json_t *attack_to_json(const sbl_attack_result *result)
{
    return json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:b}", "runs", (json_int_t)result->runs,
                     "epsilon_charged", result->epsilon_charged, "epsilon_found", result->epsilon_found,
                     "epsilon_counted", result->epsilon_counted, "mu_charged", result->mu_charged, "mu_found",
                     result->mu_found, "epsilon_half", result->epsilon_half, "within", (int)result->within,
                     "caught", (int)result->caught);
}

/* list takes row, of which a part may have failed. */
static sbl_status append(json_t *list, json_t *row, sbl_error *err)
{
    return row != NULL && json_array_append_new(list, row) == 0 ? SBL_OK : sbl_no_memory(err, "an audit");
}

/* ---- change and additivity ---- */

/* Takes row, records and features. */
static sbl_status append_round(run *r, json_t *row, json_t *records, json_t *features,
                               const sbl_additivity *additivity, sbl_error *err)
{
    json_t *sums =
        json_pack("{s:I, s:I}", "sums", (json_int_t)additivity->sums, "equal", (json_int_t)additivity->equal);
    int failed = json_object_set_new(row, "records", records);
    failed |= json_object_set_new(row, "features", features); /* each takes its value, also on failure */
    failed |= json_object_set_new(row, "additivity", sums);
    if (failed != 0) {
        json_decref(row);
        row = NULL;
    }
    return append(r->rounds, row, err);
}

static sbl_status test_round(run *r, const sbl_subject *subject, const sbl_round *round,
                             const sbl_ledger_entry *entry, const sbl_contributions *records,
                             const sbl_contributions *features, sbl_error *err)
{
    const sbl_audit_data *data = subject->data;
    const sbl_records all = sbl_drawn_records(&data->columns, &data->facts, 0, data->rows);
    const sbl_change by_records = sbl_change_largest(records, round->release, entry);
    const sbl_change by_features = sbl_change_largest(features, round->release, entry);
    sbl_additivity additivity;
    const sbl_status status =
        sbl_additivity_check(&additivity, &round->features, &data->facts, &all, &r->hostile, records, err);
    if (status != SBL_OK) return status;
    if (!by_records.within || !by_features.within || additivity.equal != additivity.sums) r->broken = true;
    return append_round(r, names_of(subject, round, entry), change_to_json(&by_records, records, entry),
                        change_to_json(&by_features, features, entry), &additivity, err);
}

/* The same with hostile packages, where tables are linked. */
static sbl_status test_packages(run *r, const sbl_subject *subject, const sbl_round *round,
                                const sbl_ledger_entry *entry, const sbl_contributions *features,
                                sbl_error *err)
{
    const sbl_change by_features = sbl_change_largest(features, round->release, entry);
    sbl_linked_change found;
    const sbl_status status = sbl_linked_change_find(&found, round, &subject->data->facts, entry, err);
    if (status != SBL_OK) return status;
    if (!found.change.within || !by_features.within || found.additivity.equal != found.additivity.sums)
        r->broken = true;
    return append_round(r, names_of(subject, round, entry), packages_to_json(&found, entry),
                        change_to_json(&by_features, features, entry), &found.additivity, err);
}

/* ---- the attack ---- */

/* The exact sum of the data with one record more; NULL: without. */
static sbl_status with_record(sbl_sum **sum, const sbl_subject *subject, const sbl_round *round,
                              const sbl_sum *own, sbl_error *err)
{
    sbl_source *source = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_audit_data_open(&source, subject->data, &round->features, err));
    SBL_TRY(sbl_gather(sum, source, &round->features, "nothing", &subject->options, err));
    if (own != NULL) SBL_TRY(sbl_sum_merge(*sum, own, err));
done:
    sbl_source_close(source);
    return status;
}

static sbl_status attack_pair(run *r, const sbl_subject *subject, const sbl_round *round,
                              const sbl_ledger_entry *entry, const sbl_contributions *from,
                              const sbl_change *change, sbl_error *err)
{
    const sbl_sum *other = change->second != SBL_NO_CONTRIBUTION ? from->sums[change->second] : NULL;
    sbl_sum *first = NULL;
    sbl_sum *second = NULL;
    sbl_attack_result result;
    sbl_status status = SBL_OK;
    SBL_TRY(with_record(&first, subject, round, from->sums[change->first], err));
    SBL_TRY(with_record(&second, subject, round, other, err));
    const sbl_attack attack = {.plan = &round->plan,
                               .release = round->release,
                               .entry = entry,
                               .first = first,
                               .second = second,
                               .delta = subject->options.pure ? 0.0 : subject->options.delta,
                               .runs = r->options->runs,
                               .store = r->store,
                               .progress = r->options->progress,
                               .context = r->options->context};
    SBL_TRY(sbl_attack_run(&result, &attack, err));
    if (!result.within) r->broken = true;
    if (!result.caught) r->weak = true;
    json_t *row = names_of(subject, round, entry);
    json_t *found = attack_to_json(&result);
    json_t *pair = change_to_json(change, from, entry);
    const bool made =
        row != NULL && json_object_update(row, found) == 0 && json_object_set(row, "pair", pair) == 0;
    json_decref(found);
    json_decref(pair);
    if (!made) {
        json_decref(row);
        row = NULL;
    }
    status = append(r->attacks, row, err);
done:
    sbl_sum_free(first);
    sbl_sum_free(second);
    return status;
}

/* With the pair, of records or of features, that takes up most of the charge. */
static sbl_status attack_round(run *r, const sbl_subject *subject, const sbl_round *round,
                               const sbl_ledger_entry *entry, const sbl_contributions *records,
                               const sbl_contributions *features, sbl_error *err)
{
    const sbl_change by_records = sbl_change_largest(records, round->release, entry);
    const sbl_change by_features = sbl_change_largest(features, round->release, entry);
    const bool recorded = by_records.moved >= by_features.moved;
    const sbl_change *most = recorded ? &by_records : &by_features;
    if (most->reach < ATTACKED_REACH) return SBL_OK;
    return attack_pair(r, subject, round, entry, recorded ? records : features, most, err);
}

static sbl_status visit(void *context, const sbl_subject *subject, const sbl_round *round,
                        const sbl_ledger_entry *entry, sbl_error *err)
{
    run *r = context;
    sbl_contributions records = {0};
    sbl_contributions features = {0};
    sbl_status status = SBL_OK;
    if (r->options->progress != NULL &&
        r->options->progress(r->options->context, "testing sums", 0, 0, 0.0) != 0)
        return sbl_fail(err, SBL_ESTOPPED, "stopped during the audit");
    if (round->release->value_count > MOST_VALUES)
        return sbl_fail(err, SBL_EARG,
                        "method '%s' would release more than %zu numbers of this table: too many to "
                        "audit; name another method",
                        subject->options.method, MOST_VALUES);
    SBL_TRY(sbl_contributions_of_features(&features, &round->features.layout, err));
    if (subject->data->package != NULL) {
        SBL_TRY(test_packages(r, subject, round, entry, &features, err));
        goto done;
    }
    SBL_TRY(sbl_contributions_of_records(&records, &round->features, &r->hostile, err));
    SBL_TRY(
        (subject->attacked ? attack_round : test_round)(r, subject, round, entry, &records, &features, err));
done:
    sbl_contributions_clear(&records);
    sbl_contributions_clear(&features);
    return status;
}

/* ---- the whole ---- */

static sbl_status audit_data(run *r, const sbl_audit_data *data, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (data->package == NULL) status = sbl_hostile_make(&r->hostile, &data->facts, err);
    if (status == SBL_OK) status = sbl_subjects_of(data, r->options, r->store, visit, r, err);
    sbl_hostile_clear(&r->hostile);
    return status;
}

static sbl_status audit_all(run *r, sbl_error *err)
{
    const bool given = r->options->data != NULL;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < (given ? 1 : SBL_AUDIT_GENERATED + 1); i++) {
        sbl_audit_data data = {0};
        if (given)
            status = sbl_audit_data_read(&data, r->options->data, r->options->schema, err);
        else
            status = i < SBL_AUDIT_GENERATED ? sbl_audit_data_generate(&data, i, err)
                                             : sbl_audit_data_link(&data, err);
        if (status == SBL_OK) status = audit_data(r, &data, err);
        sbl_audit_data_clear(&data);
        if (status != SBL_OK) return status;
    }
    if (json_array_size(r->rounds) > 0) return SBL_OK;
    const sbl_method *unused;
    status = sbl_method_find(&unused, r->options->method, SBL_DATA_TABLE, NULL, err);
    return status != SBL_OK ? status
                            : sbl_fail(err, SBL_EARG,
                                       "there is nothing to audit: method '%s' has no releases of "
                                       "delta 0",
                                       unused->name);
}

const char *const sbl_audit_verdicts[] = {
    [SBL_AUDIT_BROKEN] = "broken", [SBL_AUDIT_WEAK] = "weak", [SBL_AUDIT_HELD] = "held"};

static json_t *describe(const run *r)
{
    static const char warning[] = "NOT PRIVATE: computed from the records of the table, for its owner's eyes";
    const sbl_audit_options *options = r->options;
    const bool given = options->data != NULL;
    const sbl_audit_verdict verdict = r->broken ? SBL_AUDIT_BROKEN
                                      : r->weak ? SBL_AUDIT_WEAK
                                                : SBL_AUDIT_HELD;
    return json_pack("{s:s, s:I, s:s?, s:s, s:s, s:b, s:f, s:f, s:f, s:s, s:O, s:O}", "format",
                     "semblance-audit", "version", (json_int_t)1, "warning", given ? warning : NULL,
                     "program", sbl_version(), "data",
                     given ? sbl_data_tell(options->data).name : "generated", "test_key",
                     (int)sbl_door_is_test_build(), "epsilon", options->epsilon, "delta",
                     options->pure ? 0.0 : options->delta, "confidence", SBL_AUDIT_CONFIDENCE, "verdict",
                     sbl_audit_verdicts[verdict], "rounds", r->rounds, "attacks", r->attacks);
}

sbl_status sbl_audit_document(json_t **document, const sbl_audit_options *options, sbl_error *err)
{
    run r = {.options = options, .rounds = json_array(), .attacks = json_array()};
    sbl_status status = SBL_OK;
    *document = NULL;
    if (r.rounds == NULL || r.attacks == NULL) {
        status = sbl_no_memory(err, "an audit");
        goto done;
    }
    SBL_TRY(sbl_store_memory_new(&r.store, err));
    SBL_TRY(audit_all(&r, err));
    *document = describe(&r);
    if (*document == NULL) status = sbl_no_memory(err, "an audit");
done:
    sbl_store_memory_free(r.store);
    json_decref(r.rounds);
    json_decref(r.attacks);
    return status;
}
