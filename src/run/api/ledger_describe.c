/* SPDX-License-Identifier: Apache-2.0 */
/* A verified ledger as JSON for machines (docs/FORMATS.md, "Description of a ledger"). */
#include <math.h>

#include "base/json.h"
#include "base/text.h"
#include "door/ledger/ledger_line.h"
#include "run/api/ledger_api.h"

/* A number, or "inf". */
static json_t *real(double value) { return isinf(value) ? json_string("inf") : json_real(value); }

static json_t *hash_text(const uint8_t hash[SBL_SHA256_SIZE])
{
    char hex[SBL_SHA256_TEXT_SIZE];
    return json_string(sbl_hex_encode(hex, hash, SBL_SHA256_SIZE));
}

static json_t *rows_of(const sbl_ledger_entry *entry)
{
    return entry->n_public ? sbl_json_u128(entry->n) : json_string("private");
}

/* What a line charged. */
static json_t *charge_object(const sbl_ledger_line *line, const sbl_ledger_record *record)
{
    const sbl_ledger_entry *entry = &line->entry;
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                     record->name, "who", record->who, "title", record->title, "mechanism", record->mechanism,
                     "state", record->state, "n", rows_of(entry), "plan", hash_text(entry->plan_hash),
                     "draws", sbl_json_u128(entry->charge.draws), "joint", sbl_json_u128(entry->joint), "mu2",
                     sbl_json_u128(entry->charge.mu2), "eps0", sbl_json_u128(entry->charge.eps0), "delta",
                     sbl_json_u128(entry->charge.delta), "mu", real(record->mu), "pure_epsilon",
                     real(record->pure_epsilon));
}

static json_t *limit_object(const sbl_ledger_line *line)
{
    return json_pack("{s:{s:s, s:s, s:o}}", "budget", "epsilon", line->budget.epsilon, "delta",
                     line->budget.delta, "mu2", sbl_json_u128(line->budget.mu2));
}

static json_t *repair_object(const sbl_ledger_line *line, const sbl_ledger_record *record)
{
    const sbl_charge *charge = &line->entry.charge;
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "basis", sbl_repair_basis_name(line->basis),
                     "state", record->state, "draws", sbl_json_u128(charge->draws), "mu2",
                     sbl_json_u128(charge->mu2), "eps0", sbl_json_u128(charge->eps0), "delta",
                     sbl_json_u128(charge->delta), "mu", real(record->mu), "pure_epsilon",
                     real(record->pure_epsilon));
}

static json_t *line_object(const sbl_ledger *ledger, size_t index)
{
    const sbl_ledger_line *line = &ledger->view.lines[index];
    sbl_ledger_record record = {.struct_size = sizeof record};
    if (sbl_ledger_get_record(ledger, &record, index, NULL) != SBL_OK) return NULL;
    json_t *object = json_pack("{s:I, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "seq", (json_int_t)record.seq,
                               "op", record.op, "rid", record.rid, "time", record.time, "hash",
                               hash_text(line->hash), "mu_total", real(record.mu_total), "pure_total",
                               real(record.pure_total), "epsilon_total", real(record.epsilon_total));
    int failed = 0;
    if (line->op == SBL_LEDGER_COMMIT)
        failed = json_object_set_new(object, "out", hash_text(line->release_hash));
    if (line->op == SBL_LEDGER_VOID)
        failed = json_object_set_new(object, "reason", json_string(line->reason));
    if (line->op == SBL_LEDGER_SUCCEED)
        failed = json_object_set_new(object, "next", json_string(line->next)) |
                 json_object_set_new(object, "reason", json_string(line->why));
    json_t *more = line->op == SBL_LEDGER_RESERVE  ? charge_object(line, &record)
                   : line->op == SBL_LEDGER_LIMIT  ? limit_object(line)
                   : line->op == SBL_LEDGER_REPAIR ? repair_object(line, &record)
                                                   : NULL;
    if (line->op == SBL_LEDGER_RESERVE || line->op == SBL_LEDGER_LIMIT || line->op == SBL_LEDGER_REPAIR)
        failed = json_object_update(object, more);
    json_decref(more);
    if (failed == 0) return object;
    json_decref(object);
    return NULL;
}

static json_t *line_list(const sbl_ledger *ledger)
{
    json_t *list = json_array();
    for (size_t i = 0; i < ledger->view.line_count; i++)
        if (json_array_append_new(list, line_object(ledger, i)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *totals_object(const sbl_totals *totals, const sbl_ledger_summary *summary)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "releases",
                     sbl_json_u128(totals->releases), "gaussian_releases",
                     sbl_json_u128(totals->gaussian_releases), "draws", sbl_json_u128(totals->charge.draws),
                     "mu2", sbl_json_u128(totals->charge.mu2), "eps0", sbl_json_u128(totals->charge.eps0),
                     "delta", sbl_json_u128(totals->charge.delta), "mu", real(summary->mu_spent),
                     "pure_epsilon", real(summary->pure_spent), "epsilon", real(summary->epsilon_spent));
}

/* All periods up to this one. */
static json_t *periods_object(const sbl_ledger_summary *summary)
{
    return json_pack("{s:I, s:s, s:I, s:o, s:o, s:o}", "earlier", (json_int_t)summary->earlier_periods,
                     "predecessor", summary->predecessor, "releases", (json_int_t)summary->releases_all, "mu",
                     real(summary->mu_all), "pure_epsilon", real(summary->pure_all), "epsilon",
                     real(summary->epsilon_all));
}

static json_t *describe(const sbl_ledger *ledger, const sbl_ledger_summary *summary)
{
    const sbl_ledger_facts *facts = &ledger->view.facts;
    return json_pack(
        "{s:s, s:i, s:s, s:s, s:s, s:s, s:I, s:s, s:{s:s, s:s, s:o}, s:b, s:b, s:o, s:{s:o, s:o, s:o}, "
        "s:s, s:o, s:s, s:o}",
        "format", "semblance-ledger-description", "version", 3, "id", summary->id, "created",
        summary->created, "unit", facts->by_person ? "person" : "row", "neighbours",
        sbl_neighbours_name(facts->neighbours), "rows_per_unit", (json_int_t)facts->rows_per_unit, "key",
        facts->test_key ? "test" : "system", "budget", "epsilon", summary->epsilon, "delta", summary->delta,
        "mu2", sbl_json_u128(ledger->view.budget.mu2), "torn", summary->torn, "exhausted", summary->exhausted,
        "totals", totals_object(&ledger->view.totals, summary), "left", "mu", real(summary->mu_left),
        "pure_epsilon", real(summary->pure_left), "epsilon", real(summary->epsilon_left), "head",
        summary->head, "periods", periods_object(summary), "successor", summary->successor, "lines",
        line_list(ledger));
}

sbl_status sbl_ledger_describe(char **json, const char *path, sbl_error *err)
{
    sbl_ledger_summary summary = {.struct_size = sizeof summary};
    sbl_ledger *ledger = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(json);
    *json = NULL;
    SBL_NEED(path);
    SBL_TRY(sbl_ledger_open(&ledger, path, err));
    SBL_TRY(sbl_ledger_get_summary(ledger, &summary, err));
    json_t *object = describe(ledger, &summary);
    if (object != NULL) *json = sbl_json_pretty(object);
    json_decref(object);
    if (*json == NULL) status = sbl_fail(err, SBL_EMEM, "out of memory while describing %s", path);
done:
    sbl_ledger_close(ledger);
    return status;
}
