/* SPDX-License-Identifier: Apache-2.0 */
/* Verifies a ledger: grammar, hash chain, sequence, running totals, and which line may follow which. A line
 * is checked in the same way before it is appended, so a ledger never holds a line that a reader would
 * refuse. No floating point. */
#include "door/ledger/ledger_read.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/kinds.h"
#include "door/ledger/ledger_line.h"

static sbl_status fail_line(const sbl_ledger_place *place, const char *field, const char *what,
                            sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "ledger %s: line %zu: field '%s' %s%s", place->where, place->number,
                    field, what, place->hint);
}

static bool is_plain_text(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] < ' ' || bytes[i] > '~') return false;
    return true;
}

/* ---- one line after the first ---- */

/* The RESERVE with this release id; NULL when there is none. */
static sbl_ledger_line *find_reserve(const sbl_ledger_view *view, const char *rid)
{
    for (size_t i = view->line_count; i-- > 0;) {
        sbl_ledger_line *line = &view->lines[i];
        if (line->op == SBL_LEDGER_RESERVE && strcmp(line->rid, rid) == 0) return line;
    }
    return NULL;
}

sbl_ledger_line *sbl_ledger_find_open(const sbl_ledger_view *view, const char *rid)
{
    sbl_ledger_line *line = find_reserve(view, rid);
    return line != NULL && !line->committed && !line->voided ? line : NULL;
}

/* The first field that contradicts the joint sensitivity or the relation; NULL when none does. */
static const char *wrong_charge(const sbl_ledger_view *view, const sbl_ledger_entry *entry)
{
    sbl_charge expected;
    if (entry->neighbours != view->facts.neighbours) return "rel";
    /* n is public under replace-one for rows, and private under add-remove and for persons. */
    if (entry->n_public != (entry->neighbours == SBL_REPLACE_ONE && !view->facts.by_person)) return "n";
    if (sbl_charge_from_joint(&expected, entry->mechanism, entry->joint, entry->charge.draws, NULL) != SBL_OK)
        return "joint";
    if (expected.draws != entry->charge.draws) return "draws";
    if (expected.mu2 != entry->charge.mu2) return "mu2";
    if (expected.eps0 != entry->charge.eps0) return "eps0";
    return NULL;
}

bool sbl_totals_add(sbl_totals *totals, const sbl_charge *charge)
{
    if (sbl_charge_add(&totals->charge, charge, NULL) != SBL_OK) return false;
    totals->releases += (charge->mu2 | charge->eps0 | charge->delta) != 0;
    totals->gaussian_releases += charge->mu2 != 0;
    return true;
}

static const char *wrong_totals(const sbl_totals *found, const sbl_totals *expected)
{
    if (found->charge.mu2 != expected->charge.mu2) return "sum_mu2";
    if (found->charge.eps0 != expected->charge.eps0) return "sum_eps0";
    if (found->charge.delta != expected->charge.delta) return "sum_delta";
    if (found->charge.draws != expected->charge.draws) return "sum_draws";
    if (found->releases != expected->releases) return "sum_releases";
    if (found->gaussian_releases != expected->gaussian_releases) return "sum_gaussian";
    return NULL;
}

/* For a line that charges: RESERVE or REPAIR. Nothing is charged after the rest was given up. */
static const char *wrong_cost(const sbl_ledger_view *view, sbl_ledger_line *line)
{
    const bool reserves = line->op == SBL_LEDGER_RESERVE;
    const sbl_charge *charge = &line->entry.charge;
    const char *wrong = reserves ? wrong_charge(view, &line->entry) : NULL;
    sbl_totals totals = view->totals;
    if (wrong != NULL) return wrong;
    if (reserves && (view->exhausted || view->next[0] != '\0')) return "op";
    /* What the periods after a closed ledger add to is no longer changed. */
    if ((line->basis == SBL_REPAIR_REST || view->next[0] != '\0') &&
        (charge->mu2 | charge->eps0 | charge->delta | charge->draws) != 0)
        return "basis";
    if (!sbl_totals_add(&totals, charge)) return "mu2";
    line->entry.test_key = view->facts.test_key;
    line->entry.rows_per_unit = view->facts.by_person ? view->facts.rows_per_unit : 0;
    return wrong_totals(&line->totals, &totals);
}

static const char *wrong_limit(const sbl_ledger_view *view, const sbl_ledger_line *line)
{
    return sbl_budget_allows_no_more(&line->budget, &view->budget) ? NULL : "budget_eps";
}

/* A ledger has one successor, and its cost is known by then. */
static const char *wrong_succeed(const sbl_ledger_view *view)
{
    return view->next[0] != '\0' || view->exhausted ? "op" : NULL;
}

/* A COMMIT or VOID closes its RESERVE. */
static const char *wrong_close(const sbl_ledger_view *view, const sbl_ledger_line *line)
{
    sbl_ledger_line *reserve = sbl_ledger_find_open(view, line->rid);
    if (reserve == NULL) return "rid";
    reserve->committed = line->op == SBL_LEDGER_COMMIT;
    reserve->voided = line->op == SBL_LEDGER_VOID;
    return NULL;
}

/* The first field of a line that does not fit the lines before it; NULL when all do. */
static const char *wrong_in_sequence(const sbl_ledger_view *view, sbl_ledger_line *line)
{
    const bool charges = line->op == SBL_LEDGER_RESERVE || line->op == SBL_LEDGER_REPAIR;
    if (line->seq != view->line_count + 1) return "seq";
    if (!charges) line->totals = view->totals;
    if (line->op != SBL_LEDGER_LIMIT) line->budget = view->budget;
    if (charges) return wrong_cost(view, line);
    if (line->op == SBL_LEDGER_SUCCEED) return wrong_succeed(view);
    return line->op == SBL_LEDGER_LIMIT ? wrong_limit(view, line) : wrong_close(view, line);
}

/* Room for one more line; the array grows by half, so that a file of junk costs no memory. */
static sbl_status make_room(sbl_ledger_view *view, const sbl_ledger_place *place, sbl_error *err)
{
    if (view->line_count < view->line_room) return SBL_OK;
    const size_t room = view->line_count + view->line_count / 2 + 16;
    sbl_ledger_line *lines = sbl_resize_array(view->lines, room, sizeof *lines);
    if (lines == NULL) return sbl_fail(err, SBL_EMEM, "out of memory while reading ledger %s", place->where);
    view->lines = lines;
    view->line_room = room;
    return SBL_OK;
}

/* Check that text ends, after its body, in the hash that follows view->head. */
static sbl_status check_hash(uint8_t hash[SBL_SHA256_SIZE], const sbl_ledger_view *view, const char *text,
                             size_t length, size_t body, const sbl_ledger_place *place, sbl_error *err)
{
    uint8_t expected[SBL_SHA256_SIZE];
    if (!sbl_ledger_hash_parse(hash, text + body, length - body))
        return fail_line(place, "h", "is missing or malformed", err);
    const sbl_status status = sbl_ledger_hash(expected, view->head, text, body, err);
    if (status != SBL_OK) return status;
    if (memcmp(hash, expected, sizeof expected) != 0)
        return fail_line(place, "h", "does not match: this line or the one before it was edited", err);
    return SBL_OK;
}

sbl_status sbl_ledger_extend(sbl_ledger_view *view, const char *text, size_t length,
                             const sbl_ledger_place *place, sbl_error *err)
{
    size_t body;
    sbl_status status = make_room(view, place, err);
    if (status != SBL_OK) return status;
    sbl_ledger_line *line = &view->lines[view->line_count];
    const char *wrong = sbl_ledger_line_parse(line, &body, text, length, view->version);
    if (wrong != NULL) return fail_line(place, wrong, "is missing or malformed", err);
    status = check_hash(line->hash, view, text, length, body, place, err);
    if (status != SBL_OK) return status;
    wrong = wrong_in_sequence(view, line);
    if (wrong != NULL) return fail_line(place, wrong, "does not follow from the lines above", err);
    view->totals = line->totals;
    view->budget = line->budget;
    if (line->op == SBL_LEDGER_SUCCEED) memcpy(view->next, line->next, sizeof view->next);
    view->exhausted |= line->op == SBL_LEDGER_REPAIR && line->basis == SBL_REPAIR_REST;
    memcpy(view->head, line->hash, sizeof view->head);
    view->line_count++;
    return SBL_OK;
}

/* ---- the first line ---- */

/* A first ledger has no predecessor and no cost before it; any other has a predecessor. */
static bool is_past(const sbl_ledger_past *past)
{
    const sbl_charge *cost = &past->totals.charge;
    const bool has_cost = (cost->mu2 | cost->eps0 | cost->delta | cost->draws | past->totals.releases |
                           past->totals.gaussian_releases) != 0;
    const bool has_id = strspn(past->id, "0") != SBL_LEDGER_ID_TEXT_SIZE - 1;
    if (past->periods == 0) return past->id[0] == '\0' || (!has_id && !has_cost);
    return has_id && past->totals.gaussian_releases <= past->totals.releases;
}

static sbl_status read_first(sbl_ledger_view *view, const char *text, size_t length,
                             const sbl_ledger_place *place, sbl_error *err)
{
    size_t body;
    const char *wrong = sbl_ledger_first_parse(view, &body, text, length);
    if (body == 0) return sbl_fail(err, SBL_EINPUT, "%s is not a ledger", place->where);
    if (wrong != NULL && strcmp(wrong, "v") == 0)
        return sbl_fail(err, SBL_EINPUT,
                        "ledger %s does not have version %d or %d: use the program that made it",
                        place->where, SBL_LEDGER_OLDEST, SBL_LEDGER_VERSION);
    if (wrong != NULL) return fail_line(place, wrong, "is missing or malformed", err);
    const sbl_status status = check_hash(view->first_hash, view, text, length, body, place, err);
    if (status != SBL_OK) return status;
    memcpy(view->head, view->first_hash, sizeof view->head);
    if (view->facts.rows_per_unit == 0 ||
        view->facts.rows_per_unit > (view->facts.by_person ? SBL_ROWS_PER_UNIT_MAX : 1))
        return fail_line(place, "rows_per_unit", "is out of range for its unit", err);
    if (!is_past(&view->facts.past))
        return fail_line(place, "earlier", "does not agree with what follows it", err);
    if (sbl_budget_validate(&view->facts.budget, NULL) != SBL_OK)
        return fail_line(place, "budget_eps, budget_delta or budget_mu2", "is not a budget", err);
    view->budget = view->facts.budget;
    return SBL_OK;
}

/* ---- the torn line ---- */

/* What follows the last line feed can be the work of a crash in two ways only: the beginning of the
 * line that comes next, without its end; and zeros where blocks of it, or all of it, did not reach
 * the disk. Everything else was not written by us. */
static bool is_torn(const sbl_ledger_view *view, const char *text, size_t length)
{
    char head[SBL_INT128_TEXT_SIZE + 16];
    char number[SBL_INT128_TEXT_SIZE];
    const int expected =
        snprintf(head, sizeof head, "seq=%s op=", sbl_u128_to_text(number, view->line_count + 1));
    size_t plain = 0;
    while (plain < length && text[plain] != '\0') plain++;
    for (size_t i = plain; i < length; i++)
        if (text[i] != '\0') return false;
    const size_t known = plain < (size_t)expected ? plain : (size_t)expected;
    return plain < SBL_LEDGER_LINE_LIMIT && is_plain_text(text, plain) && memcmp(text, head, known) == 0;
}

/* What a torn line charges is known where all fields before h= are there and agree with each other,
 * and where its kind can be read and is one that charges nothing. No noise can have followed it,
 * but what a whole line would have charged is not given up. */
static void read_torn(sbl_ledger_view *view, const char *text, size_t length)
{
    sbl_ledger_line line;
    sbl_totals totals = view->totals;
    size_t body;
    const bool whole =
        sbl_ledger_line_parse(&line, &body, text, strnlen(text, length), view->version) == NULL;
    view->torn = true;
    view->torn_size = length;
    /* Nor can a line charge anything once a successor has its own ledger. */
    if (line.op == SBL_LEDGER_COMMIT || line.op == SBL_LEDGER_VOID || line.op == SBL_LEDGER_LIMIT ||
        line.op == SBL_LEDGER_SUCCEED || view->next[0] != '\0') {
        view->torn_is_known = true;
        return;
    }
    /* A number that was cut is less than it was, and fields that are missing are 0. */
    view->torn_charge = line.entry.charge;
    view->torn_is_known = whole && line.op == SBL_LEDGER_RESERVE && wrong_charge(view, &line.entry) == NULL &&
                          sbl_totals_add(&totals, &line.entry.charge);
}

/* ---- the whole ---- */

static sbl_status fail_damaged(const sbl_ledger_place *place, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s: line %zu is not a line of a ledger%s", place->where, place->number,
                    place->hint);
}

/* Lines end in LF; only the bytes after the last LF can be torn. */
static sbl_status read_lines(sbl_ledger_view *view, const char *bytes, size_t size, const char *where,
                             sbl_error *err)
{
    sbl_ledger_place place = {where, 0, "; restore the ledger from a copy"};
    sbl_status status = SBL_OK;
    while (view->whole_size < size && status == SBL_OK) {
        const char *text = bytes + view->whole_size;
        const size_t rest = size - view->whole_size;
        const char *end = memchr(text, '\n', rest);
        const size_t length = end != NULL ? (size_t)(end - text) : rest;
        place.number++;
        if (end == NULL && place.number == 1)
            return sbl_fail(err, SBL_EINPUT, "ledger %s ends within its first line: restore it from a backup",
                            where);
        if (end == NULL) {
            if (!is_torn(view, text, length)) return fail_damaged(&place, err);
            read_torn(view, text, length);
            return SBL_OK;
        }
        if (length >= SBL_LEDGER_LINE_LIMIT || !is_plain_text(text, length)) return fail_damaged(&place, err);
        status = place.number == 1 ? read_first(view, text, length, &place, err)
                                   : sbl_ledger_extend(view, text, length, &place, err);
        view->whole_size += length + 1;
    }
    return status;
}

sbl_status sbl_ledger_parse(sbl_ledger_view *view, const char *bytes, size_t size, const char *where,
                            sbl_error *err)
{
    memset(view, 0, sizeof *view);
    const sbl_status status =
        size == 0
            ? sbl_fail(
                  err, SBL_EINPUT,
                  "ledger %s is empty: restore it from a backup, or remove it if nothing was ever released",
                  where)
            : read_lines(view, bytes, size, where, err);
    if (status != SBL_OK) sbl_ledger_view_clear(view);
    return status;
}

void sbl_ledger_view_clear(sbl_ledger_view *view)
{
    sbl_free(view->lines);
    memset(view, 0, sizeof *view);
}
