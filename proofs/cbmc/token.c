/* SPDX-License-Identifier: Apache-2.0 */
/* The token of a reservation is spent once, a key is made for an unspent token of the same kind of build only, and a token exists
 * only after its charge was appended. The file of the ledger is taken as a function that may fail at every step. */
#include "door/ledger/ledger_book.c"
#include "door/noise/noise.c"

#include "proof.h"

/* ---- what is around the two files ---- */

static bool key_is_test, key_made, opened, world_checked, prepared, budget_asked, appended, out_of_order;
static sbl_status any_status(void) { return nondet_bool() ? SBL_OK : SBL_EIO; }

bool sbl_key_is_test(void) { return key_is_test; }
sbl_status sbl_keystream_open(sbl_noise **noise, sbl_error *err)
{
    (void)noise, (void)err;
    key_made = true;
    return any_status();
}
sbl_status sbl_fail(sbl_error *err, sbl_status status, const char *format, ...)
{
    (void)err, (void)format;
    return status;
}
sbl_status sbl_no_memory(sbl_error *err, const char *what)
{
    (void)err, (void)what;
    return SBL_EMEM;
}
sbl_status sbl_os_random(void *bytes, size_t size, sbl_error *err)
{
    (void)bytes, (void)size, (void)err;
    return any_status();
}
char *sbl_hex_encode(char *text, const uint8_t *bytes, size_t size)
{
    (void)bytes, (void)size;
    return text;
}
const char *sbl_neighbours_name(sbl_neighbours neighbours)
{
    (void)neighbours;
    return "";
}
void *sbl_alloc_array(size_t count, size_t size)
{
    static struct {
        sbl_reserve_token token;
        char name[8];
    } room;
    (void)count, (void)size;
    return nondet_bool() ? &room : NULL;
}
void sbl_free(void *block) { (void)block; }
void sbl_text_clear(sbl_text *text) { (void)text; }
sbl_status sbl_ledger_file_open(sbl_ledger_file *file, sbl_store_entry ledger, bool writing, sbl_error *err)
{
    (void)err, (void)ledger;
    PROVE(writing, "the ledger is locked for writing");
    file->path = "";
    file->view.facts.neighbours = nondet_bool() ? SBL_REPLACE_ONE : SBL_ADD_REMOVE;
    file->view.facts.rows_per_unit = nondet_u64();
    file->view.facts.by_person = nondet_bool();
    file->view.facts.test_key = nondet_bool();
    file->view.exhausted = nondet_bool();
    file->view.line_count = nondet_size();
    const sbl_status status = any_status();
    opened = status == SBL_OK;
    return status;
}
sbl_status sbl_ledger_file_prepare(sbl_ledger_file *file, sbl_text *text, const sbl_ledger_line *line,
                                   sbl_error *err)
{
    (void)text, (void)err;
    PROVE(line->op == SBL_LEDGER_RESERVE, "the line is a RESERVE");
    PROVE(!file->view.exhausted, "nothing is charged to a ledger whose rest was given up");
    PROVE(line->entry.neighbours == file->view.facts.neighbours, "the relation is the ledger's");
    PROVE(line->entry.test_key == file->view.facts.test_key, "the kind of key is the ledger's");
    out_of_order |= !opened;
    const sbl_status status = any_status();
    prepared = status == SBL_OK;
    return status;
}
sbl_status sbl_budget_check(const sbl_budget *budget, const sbl_totals *totals, sbl_error *err)
{
    (void)budget, (void)totals, (void)err;
    out_of_order |= !prepared; /* the view holds the totals with the new line from then on */
    const sbl_status status = any_status();
    budget_asked = status == SBL_OK;
    return status;
}
sbl_status sbl_ledger_file_append(sbl_ledger_file *file, const sbl_text *text, sbl_error *err)
{
    (void)file, (void)text, (void)err;
    out_of_order |= !budget_asked;
    const sbl_status status = any_status();
    appended = status == SBL_OK;
    return status;
}
void sbl_ledger_file_close(sbl_ledger_file *file) { (void)file; }

/* ---- the proofs ---- */

void prove_sbl_ledger_reserve(void)
{
    sbl_ledger_entry entry = {.neighbours = nondet_bool() ? SBL_REPLACE_ONE : SBL_ADD_REMOVE,
                              .test_key = nondet_bool(),
                              .rows_per_unit = nondet_u64()};
    sbl_reserve_token *token;
    const sbl_status status = sbl_ledger_reserve(&token, (sbl_store_entry){NULL, "x"}, &entry, NULL);
    PROVE((status == SBL_OK) == (token != NULL), "there is a token exactly if nothing failed");
    PROVE(token == NULL || appended, "a token exists only after the charge was appended");
    PROVE(!out_of_order,
          "open, check, budget and append come in this order, each after the one before succeeded");
    PROVE(token == NULL || !token->spent, "a new token is not spent");
    PROVE(token == NULL || token->test_key == entry.test_key, "it knows the kind of its ledger");
}

void prove_sbl_reserve_token_spend(void)
{
    sbl_reserve_token token = {.spent = nondet_bool()};
    const bool before = token.spent;
    const bool first = sbl_reserve_token_spend(&token);
    const bool second = sbl_reserve_token_spend(&token);
    PROVE(first == !before, "a token that is not spent can be spent");
    PROVE(!second, "and not again");
    PROVE(token.spent, "it stays spent");
}

void prove_sbl_noise_open(void)
{
    sbl_reserve_token token = {.spent = nondet_bool(), .test_key = nondet_bool()};
    const bool before = token.spent;
    sbl_noise *noise;
    key_is_test = nondet_bool();
    (void)sbl_noise_open(&noise, &token, NULL);
    PROVE(!key_made || !before, "a key is made for a token that was not spent");
    PROVE(!key_made || token.spent, "which is spent then");
    PROVE(!key_made || token.test_key == key_is_test, "and belongs to the kind of this build");
    key_made = false;
    (void)sbl_noise_open(&noise, &token, NULL);
    PROVE(!before || !key_made, "a spent token makes no key");
    key_made = false;
    (void)sbl_noise_open(&noise, &token, NULL);
    PROVE(!key_made, "two calls make two keys at most of no token");
}
