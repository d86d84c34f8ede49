/* SPDX-License-Identifier: Apache-2.0 */
/* The write-ahead charge: nothing that can make a noise key exists before a RESERVE line is on disk and has
 * been read back (docs/mechanisms/ledger.md). No floating point; public/account/budget.c decides whether a
 * charge fits. */
#include "door/ledger/ledger_book.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/os_random.h"
#include "base/text.h"
#include "door/ledger/ledger_file.h"
#include "door/ledger/ledger_line.h"
#include "door/ledger/ledger_read.h"

struct sbl_reserve_token {
    char rid[SBL_LEDGER_ID_TEXT_SIZE];
    char ledger_id[SBL_LEDGER_ID_TEXT_SIZE];
    uint64_t seq;
    bool test_key;
    bool spent;
    const sbl_store *store; /* of the ledger */
    char name[];            /* its name there */
};

sbl_status sbl_ledger_make_id(char text[SBL_LEDGER_ID_TEXT_SIZE], sbl_error *err)
{
    uint8_t bytes[SBL_LEDGER_ID_SIZE];
    const sbl_status status = sbl_os_random(bytes, sizeof bytes, err);
    if (status == SBL_OK) sbl_hex_encode(text, bytes, sizeof bytes);
    return status;
}

/* ---- create ---- */

sbl_status sbl_ledger_format_first(sbl_text *text, sbl_ledger_view *view, const char *path, sbl_error *err)
{
    const uint8_t before[SBL_SHA256_SIZE] = {0};
    uint8_t hash[SBL_SHA256_SIZE];
    char hex[SBL_SHA256_TEXT_SIZE];
    view->version = SBL_LEDGER_VERSION;
    sbl_utc_now(view->created);
    if (view->facts.past.periods == 0) memset(view->facts.past.id, '0', sizeof view->facts.past.id - 1);
    sbl_ledger_first_format(text, view);
    const sbl_status status = sbl_ledger_hash(hash, before, text->data, text->length, err);
    if (status != SBL_OK) return status;
    sbl_text_printf(text, " h=%s\n", sbl_hex_encode(hex, hash, sizeof hash));
    if (text->failed) return sbl_no_memory(err, "a ledger");
    /* What is written must be readable: this also refuses facts that no line can hold. */
    return sbl_ledger_parse(view, text->data, text->length, path, err);
}

sbl_status sbl_ledger_create(sbl_store_entry ledger, const sbl_ledger_facts *facts, sbl_error *err)
{
    const sbl_file_write_options options = {.mode = 0600, .overwrite = false};
    sbl_status status = SBL_OK;
    sbl_text text = {0};
    sbl_ledger_view view = {.facts = *facts};
    SBL_TRY(sbl_budget_validate(&facts->budget, err));
    if (sbl_store_entry_exists(ledger))
        SBL_FAIL(err, SBL_EIO, "ledger %s exists already and is never overwritten", ledger.name);
    SBL_TRY(sbl_ledger_make_id(view.id, err));
    SBL_TRY(sbl_ledger_format_first(&text, &view, ledger.name, err));
    SBL_TRY(sbl_store_entry_write(ledger, text.data, text.length, options, err));
done:
    sbl_ledger_view_clear(&view);
    sbl_text_clear(&text);
    return status;
}

/* ---- reserve ---- */

static sbl_status check_same_world(const sbl_ledger_file *file, const sbl_ledger_entry *entry, sbl_error *err)
{
    const sbl_ledger_facts *facts = &file->view.facts;
    if (entry->neighbours != facts->neighbours)
        return sbl_fail(err, SBL_EINPUT,
                        "ledger %s is for %s neighbours and the release for %s: their costs cannot be added; "
                        "use another ledger",
                        file->path, sbl_neighbours_name(facts->neighbours),
                        sbl_neighbours_name(entry->neighbours));
    /* What a person gives away by one record of its own adds up with what it does by k rows. */
    if (entry->rows_per_unit != (facts->by_person ? facts->rows_per_unit : 0) &&
        !(facts->by_person && entry->rows_per_unit == 1))
        return sbl_fail(err, SBL_EINPUT,
                        "ledger %s adds up the cost for %s with up to %llu rows; the release counts another "
                        "number of rows, so use another ledger",
                        file->path, facts->by_person ? "a person" : "a row",
                        (unsigned long long)facts->rows_per_unit);
    if (entry->test_key != facts->test_key)
        return sbl_fail(err, SBL_EINPUT,
                        facts->test_key
                            ? "ledger %s belongs to a build with a fixed test key; use another"
                            : "ledger %s is a real ledger, which a build with a fixed test key must not use",
                        file->path);
    return SBL_OK;
}

static sbl_status check_budget(const sbl_ledger_file *file, const sbl_ledger_policy *policy, sbl_error *err)
{
    const char *what = "";
    sbl_error reason;
    sbl_status status = sbl_budget_check(&file->view.budget, &file->view.totals, &reason);
    if (status == SBL_OK && policy != NULL) {
        status = sbl_ledger_policy_check(policy, &file->view.facts.past, &file->view.totals, &reason);
        what = "by the policy, ";
    }
    if (status == SBL_OK) return SBL_OK;
    return sbl_fail(err, status, "ledger %s: %s%s", file->path, what, reason.message);
}

static sbl_status check_not_ended(const sbl_ledger_file *file, sbl_error *err)
{
    if (file->view.next[0] != '\0')
        return sbl_fail(err, SBL_EBUDGET, "ledger %s is closed: ledger %s succeeds it, so charge that one",
                        file->path, file->view.next);
    if (!file->view.exhausted) return SBL_OK;
    return sbl_fail(
        err, SBL_EBUDGET,
        "ledger %s: a repair of a torn line gave up the rest of its budget, so nothing more can be released",
        file->path);
}

static sbl_reserve_token *make_token(sbl_store_entry ledger)
{
    const size_t length = strlen(ledger.name) + 1;
    sbl_reserve_token *token = sbl_alloc_array(sizeof *token + length, 1);
    if (token == NULL) return NULL;
    token->store = ledger.store;
    memcpy(token->name, ledger.name, length);
    return token;
}

static sbl_store_entry ledger_of(const sbl_reserve_token *token)
{
    return (sbl_store_entry){token->store, token->name};
}

/* Lock, verify, ask, append, sync, read back; the lock goes with the file. */
static sbl_status charge(sbl_reserve_token *token, const sbl_ledger_entry *entry, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_ledger_file file;
    sbl_text text = {0};
    sbl_ledger_line line = {.op = SBL_LEDGER_RESERVE, .entry = *entry};
    memcpy(line.rid, token->rid, sizeof line.rid);
    SBL_TRY(sbl_ledger_file_open(&file, ledger_of(token), true, err));
    SBL_TRY(check_same_world(&file, entry, err));
    SBL_TRY(check_not_ended(&file, err));
    SBL_TRY(sbl_ledger_file_prepare(&file, &text, &line, err));
    SBL_TRY(check_budget(&file, entry->policy, err));
    SBL_TRY(sbl_ledger_file_append(&file, &text, err));
    token->seq = file.view.line_count;
    token->test_key = entry->test_key;
    memcpy(token->ledger_id, file.view.id, sizeof token->ledger_id);
done:
    sbl_text_clear(&text);
    sbl_ledger_file_close(&file);
    return status;
}

sbl_status sbl_ledger_reserve(sbl_reserve_token **token, sbl_store_entry ledger,
                              const sbl_ledger_entry *entry, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_reserve_token *made = make_token(ledger);
    *token = NULL;
    if (made == NULL) return sbl_no_memory(err, "a charge");
    SBL_TRY(sbl_ledger_make_id(made->rid, err));
    SBL_TRY(charge(made, entry, err));
    *token = made;
    made = NULL;
done:
    sbl_reserve_token_free(made);
    return status;
}

bool sbl_reserve_token_spend(sbl_reserve_token *token)
{
    return !__atomic_exchange_n(&token->spent, true, __ATOMIC_SEQ_CST);
}

const char *sbl_reserve_token_rid(const sbl_reserve_token *token) { return token->rid; }

const char *sbl_reserve_token_ledger_id(const sbl_reserve_token *token) { return token->ledger_id; }

uint64_t sbl_reserve_token_seq(const sbl_reserve_token *token) { return token->seq; }

bool sbl_reserve_token_is_test(const sbl_reserve_token *token) { return token->test_key; }

void sbl_reserve_token_free(sbl_reserve_token *token) { sbl_free(token); }

/* ---- limit, repair ---- */

static sbl_status append_one(sbl_ledger_file *file, const sbl_ledger_line *line, sbl_error *err)
{
    sbl_text text = {0};
    sbl_status status = sbl_ledger_file_prepare(file, &text, line, err);
    if (status == SBL_OK) status = sbl_ledger_file_append(file, &text, err);
    sbl_text_clear(&text);
    return status;
}

sbl_status sbl_ledger_append_limit(sbl_store_entry ledger, const sbl_budget *budget, sbl_error *err)
{
    const sbl_ledger_line line = {.op = SBL_LEDGER_LIMIT, .budget = *budget};
    sbl_ledger_file file;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_ledger_file_open(&file, ledger, true, err));
    SBL_TRY(sbl_budget_validate(budget, err));
    if (!sbl_budget_allows_no_more(budget, &file.view.budget))
        SBL_FAIL(err, SBL_EARG,
                 "ledger %s: a limit can only be lowered, and it is epsilon %s at delta %s now", ledger.name,
                 file.view.budget.epsilon, file.view.budget.delta);
    SBL_TRY(append_one(&file, &line, err));
done:
    sbl_ledger_file_close(&file);
    return status;
}

static bool covers(const sbl_charge *stated, const sbl_charge *least)
{
    return stated->mu2 >= least->mu2 && stated->eps0 >= least->eps0 && stated->delta >= least->delta &&
           stated->draws >= least->draws;
}

/* What the torn line is taken to have cost, and why. */
static sbl_status decide_repair(sbl_ledger_line *line, const sbl_ledger_file *file, const sbl_charge *stated,
                                sbl_error *err)
{
    const sbl_ledger_view *view = &file->view;
    if (!view->torn)
        return sbl_fail(err, SBL_EARG, "ledger %s has no torn line: there is nothing to repair", file->path);
    if (stated != NULL && !covers(stated, &view->torn_charge))
        return sbl_fail(err, SBL_EARG,
                        "ledger %s: the stated cost is less than the torn line charged: state at least that "
                        "cost, or none",
                        file->path);
    if (stated != NULL) {
        line->basis = SBL_REPAIR_STATED;
        line->entry.charge = *stated;
    } else if (view->torn_is_known) {
        line->basis = SBL_REPAIR_LINE;
        line->entry.charge = view->torn_charge;
    } else if (sbl_budget_has_limit(&view->budget)) {
        line->basis = SBL_REPAIR_REST;
    } else {
        return sbl_fail(err, SBL_EBUDGET,
                        "ledger %s: the cost of its torn line cannot be read, and the ledger has no limit: "
                        "state the highest cost that it can have had",
                        file->path);
    }
    return SBL_OK;
}

sbl_status sbl_ledger_append_repair(sbl_store_entry ledger, const sbl_charge *stated, sbl_error *err)
{
    sbl_ledger_line line = {.op = SBL_LEDGER_REPAIR};
    sbl_ledger_file file;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_ledger_file_open(&file, ledger, true, err));
    SBL_TRY(decide_repair(&line, &file, stated, err));
    SBL_TRY(append_one(&file, &line, err));
done:
    sbl_ledger_file_close(&file);
    return status;
}

/* ---- commit, void ---- */

/* Append a line that closes the reservation. */
static sbl_status close_reservation(const sbl_reserve_token *token, sbl_ledger_line *line, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_ledger_file file;
    memcpy(line->rid, token->rid, sizeof line->rid);
    SBL_TRY(sbl_ledger_file_open(&file, ledger_of(token), true, err));
    if (sbl_ledger_find_open(&file.view, token->rid) == NULL)
        SBL_FAIL(err, SBL_EINPUT,
                 "ledger %s has no open reservation %s: it was closed before, or an older copy replaced the "
                 "ledger",
                 token->name, token->rid);
    SBL_TRY(append_one(&file, line, err));
done:
    sbl_ledger_file_close(&file);
    return status;
}

sbl_status sbl_ledger_commit(const sbl_reserve_token *token, const uint8_t release_hash[SBL_SHA256_SIZE],
                             sbl_error *err)
{
    sbl_ledger_line line = {.op = SBL_LEDGER_COMMIT};
    memcpy(line.release_hash, release_hash, sizeof line.release_hash);
    return close_reservation(token, &line, err);
}

sbl_status sbl_ledger_void(const sbl_reserve_token *token, const char *reason, sbl_error *err)
{
    sbl_ledger_line line = {.op = SBL_LEDGER_VOID};
    /* A longer text is cut, and then refused as any other that is not one of the two. */
    memcpy(line.reason, reason, strnlen(reason, sizeof line.reason - 1));
    return close_reservation(token, &line, err);
}
