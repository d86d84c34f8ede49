/* SPDX-License-Identifier: Apache-2.0 */
/* From one period to the next: a ledger is closed, and its successor carries what all periods so far cost
 * (docs/mechanisms/ledger.md, "Periods"). The successor's bytes are on disk, under a name of their own, before
 * SUCCEED is appended, and get their final name after it. So a crash leaves a ledger that is either open or
 * has one successor, whose bytes exist. No floating point. */
#include <string.h>

#include "base/alloc.h"
#include "door/ledger/ledger_file.h"
#include "door/ledger/ledger_line.h"

#define PENDING ".pending"

sbl_status sbl_ledger_all_periods(sbl_totals *all, const sbl_ledger_past *past, const sbl_totals *totals,
                                  sbl_error *err)
{
    *all = past->totals;
    all->releases += totals->releases;
    all->gaussian_releases += totals->gaussian_releases;
    return sbl_charge_add(&all->charge, &totals->charge, err);
}

sbl_status sbl_ledger_policy_check(const sbl_ledger_policy *policy, const sbl_ledger_past *past,
                                   const sbl_totals *totals, sbl_error *err)
{
    sbl_totals all;
    if (policy->period.epsilon[0] != '\0') SBL_CHECK(sbl_budget_check(&policy->period, totals, err));
    if (policy->all.epsilon[0] == '\0') return SBL_OK;
    SBL_CHECK(sbl_ledger_all_periods(&all, past, totals, err));
    return sbl_budget_check(&policy->all, &all, err);
}

static sbl_status check_can_succeed(const sbl_ledger_file *old, const sbl_ledger_facts *facts, sbl_error *err)
{
    const sbl_ledger_view *view = &old->view;
    if (view->exhausted)
        return sbl_fail(err, SBL_EINPUT,
                        "ledger %s gave up the rest of its budget, whose cost is not known: it cannot have a "
                        "successor",
                        old->path);
    if (strcmp(view->budget.epsilon, "inf") == 0)
        return sbl_fail(err, SBL_EINPUT, "ledger %s guarantees nothing: it cannot have a successor",
                        old->path);
    if (view->facts.test_key != facts->test_key)
        return sbl_fail(err, SBL_EINPUT, "ledger %s belongs to another kind of build: use that one",
                        old->path);
    if (!view->facts.by_person && facts->rows_per_unit != 1)
        return sbl_fail(err, SBL_EARG, "ledger %s is of rows: its successor counts no rows of a person",
                        old->path);
    return SBL_OK;
}

static sbl_status fail_two(const sbl_ledger_file *old, sbl_store_entry next, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "ledger %s has a successor, %s: %s cannot be another one", old->path,
                    old->view.next, next.name);
}

/* The bytes of a ledger that must be the successor that was recorded. */
static sbl_status read_recorded(uint8_t **bytes, size_t *size, const sbl_ledger_file *old,
                                sbl_store_entry from, sbl_store_entry next, sbl_error *err)
{
    sbl_ledger_view view = {0};
    sbl_status status = SBL_OK;
    *bytes = NULL;
    if (!sbl_store_entry_exists(from)) return fail_two(old, next, err);
    SBL_TRY(sbl_store_entry_read(bytes, size, from, SBL_LEDGER_SIZE_LIMIT, err));
    SBL_TRY(sbl_ledger_parse(&view, (const char *)*bytes, *size, from.name, err));
    if (strcmp(view.id, old->view.next) != 0) status = fail_two(old, next, err);
done:
    sbl_ledger_view_clear(&view);
    return status;
}

/* SUCCEED is there. What a stopped call left is completed; anything else would be a second successor. */
static sbl_status complete(const sbl_ledger_file *old, sbl_store_entry pending, sbl_store_entry next,
                           sbl_error *err)
{
    const sbl_file_write_options options = {.mode = 0600, .overwrite = false};
    const bool is_there = sbl_store_entry_exists(next);
    uint8_t *bytes = NULL;
    size_t size = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(read_recorded(&bytes, &size, old, is_there ? next : pending, next, err));
    if (!is_there) SBL_TRY(sbl_store_entry_write(next, bytes, size, options, err));
    sbl_store_entry_remove(pending);
done:
    sbl_free(bytes);
    return status;
}

/* The first line of the successor, once SUCCEED is prepared: all that the view of old says is final. */
static sbl_status format_next(sbl_text *text, const sbl_ledger_file *old, const sbl_ledger_facts *facts,
                              sbl_store_entry next, sbl_error *err)
{
    const sbl_ledger_view *from = &old->view;
    sbl_ledger_view view = {.facts = *facts};
    sbl_ledger_past *past = &view.facts.past;
    sbl_status status = SBL_OK;
    view.facts.neighbours = from->facts.neighbours;
    view.facts.by_person = from->facts.by_person;
    memcpy(view.id, from->next, sizeof view.id);
    past->periods = from->facts.past.periods + 1;
    memcpy(past->id, from->id, sizeof past->id);
    memcpy(past->head, from->head, sizeof past->head);
    SBL_TRY(sbl_ledger_all_periods(&past->totals, &from->facts.past, &from->totals, err));
    SBL_TRY(sbl_ledger_format_first(text, &view, next.name, err));
done:
    sbl_ledger_view_clear(&view);
    return status;
}

static sbl_status close_and_make(sbl_ledger_file *old, sbl_store_entry pending, sbl_store_entry next,
                                 const sbl_ledger_facts *facts, const char *reason, sbl_error *err)
{
    const sbl_file_write_options options = {.mode = 0600, .overwrite = false};
    sbl_ledger_line line = {.op = SBL_LEDGER_SUCCEED};
    sbl_text closing = {0}, first = {0};
    sbl_status status = SBL_OK;
    if (reason[0] == '\0' || strlen(reason) >= sizeof line.why)
        return sbl_fail(err, SBL_EARG, "a reason must have 1 to %zu bytes", sizeof line.why - 1);
    memcpy(line.why, reason, strlen(reason));
    SBL_TRY(check_can_succeed(old, facts, err));
    if (sbl_store_entry_exists(next))
        SBL_FAIL(err, SBL_EIO, "ledger %s exists already and is never overwritten", next.name);
    SBL_TRY(sbl_ledger_make_id(line.next, err));
    SBL_TRY(sbl_ledger_file_prepare(old, &closing, &line, err));
    SBL_TRY(format_next(&first, old, facts, next, err));
    sbl_store_entry_remove(pending); /* what a stopped call left that was not recorded */
    SBL_TRY(sbl_store_entry_write(pending, first.data, first.length, options, err));
    SBL_TRY(sbl_ledger_file_append(old, &closing, err));
    SBL_TRY(complete(old, pending, next, err));
done:
    sbl_text_clear(&closing);
    sbl_text_clear(&first);
    return status;
}

sbl_status sbl_ledger_succeed(sbl_store_entry old, sbl_store_entry next, const sbl_ledger_facts *facts,
                              const char *reason, sbl_error *err)
{
    sbl_ledger_file file;
    sbl_text name = {0};
    sbl_status status = SBL_OK;
    sbl_text_printf(&name, "%s" PENDING, next.name);
    SBL_TRY(sbl_ledger_file_open(&file, old, true, err));
    SBL_TRY(sbl_text_check(&name, "a file name", err));
    const sbl_store_entry pending = {next.store, name.data};
    if (file.view.next[0] != '\0')
        SBL_TRY(complete(&file, pending, next, err));
    else
        SBL_TRY(close_and_make(&file, pending, next, facts, reason, err));
done:
    sbl_ledger_file_close(&file);
    sbl_text_clear(&name);
    return status;
}
