/* SPDX-License-Identifier: Apache-2.0 */
/* What a set of books must agree in. Which data sets are copies of each other is found by hashing files of the same size, here and
 * now: a hash of private data in a ledger would reach its head, which certificates publish
 * (docs/mechanisms/ledger.md, "Copies"). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "owner/register/books.h"

static sbl_status add_problem(sbl_book_ledger *ledger, sbl_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static sbl_status add_problem(sbl_book_ledger *ledger, sbl_error *err, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ledger->problems = sbl_json_append(ledger->problems, json_string(sbl_plain_lines(text)));
    return ledger->problems != NULL ? SBL_OK : sbl_no_memory(err, "a register");
}

/* ---- one data set, one ledger ---- */

/* A file that cannot be read has no hash, and is a copy of none. */
static bool is_copy(sbl_book_ledger *a, sbl_book_ledger *b)
{
    sbl_book_ledger *both[] = {a, b};
    if (a->data == NULL || b->data == NULL || a->data_size == 0 || a->data_size != b->data_size) return false;
    for (size_t i = 0; i < 2; i++)
        if (both[i]->data_hash[0] == '\0' &&
            sbl_file_sha256(both[i]->data_hash, both[i]->data, NULL) != SBL_OK)
            return false;
    return strcmp(a->data_hash, b->data_hash) == 0;
}

static sbl_status check_pair(sbl_book_ledger *a, sbl_book_ledger *b, sbl_error *err)
{
    const sbl_ledger_past *past = &a->view.facts.past;
    if (strcmp(a->view.id, b->view.id) == 0) {
        const bool same = memcmp(a->view.head, b->view.head, sizeof a->view.head) == 0;
        SBL_CHECK(add_problem(a, err, "%s is %s of the same ledger: keep one", b->path,
                              same ? "a copy" : "another state"));
        return add_problem(b, err, "%s is %s of the same ledger: keep one", a->path,
                           same ? "a copy" : "another state");
    }
    if (past->periods != 0 && strcmp(past->id, b->view.facts.past.id) == 0) {
        SBL_CHECK(add_problem(a, err, "%s succeeds the same ledger: a period has one ledger", b->path));
        return add_problem(b, err, "%s succeeds the same ledger: a period has one ledger", a->path);
    }
    if (!is_copy(a, b)) return SBL_OK;
    SBL_CHECK(add_problem(a, err,
                          "%s has the same bytes as %s and another ledger: neither states the whole cost",
                          b->data, a->data));
    return add_problem(b, err,
                       "%s has the same bytes as %s and another ledger: neither states the whole cost",
                       a->data, b->data);
}

/* ---- periods ---- */

static bool carries(const sbl_ledger_past *past, const sbl_ledger_view *old)
{
    sbl_totals all;
    return old->line_count > 0 &&
           sbl_ledger_all_periods(&all, &old->facts.past, &old->totals, NULL) == SBL_OK &&
           past->periods == old->facts.past.periods + 1 && all.charge.mu2 == past->totals.charge.mu2 &&
           all.charge.eps0 == past->totals.charge.eps0 && all.charge.delta == past->totals.charge.delta &&
           all.charge.draws == past->totals.charge.draws && all.releases == past->totals.releases &&
           all.gaussian_releases == past->totals.gaussian_releases;
}

/* Does the line that closed the old ledger have the hash that its successor names? */
static bool is_closed_by(const sbl_ledger_view *old, const sbl_ledger_view *next)
{
    for (size_t i = 0; i < old->line_count; i++)
        if (old->lines[i].op == SBL_LEDGER_SUCCEED && strcmp(old->lines[i].next, next->id) == 0)
            return memcmp(old->lines[i].hash, next->facts.past.head, SBL_SHA256_SIZE) == 0;
    return false;
}

static sbl_status check_periods(sbl_book_ledger *ledger, const sbl_books *books, sbl_error *err)
{
    const sbl_ledger_past *past = &ledger->view.facts.past;
    for (size_t i = 0; past->periods != 0 && i < books->ledger_count; i++) {
        const sbl_book_ledger *old = &books->ledgers[i];
        if (strcmp(old->view.id, past->id) != 0) continue;
        if (!is_closed_by(&old->view, &ledger->view))
            SBL_CHECK(add_problem(ledger, err, "%s does not name it as its successor", old->path));
        else if (!carries(past, &old->view))
            SBL_CHECK(
                add_problem(ledger, err, "it does not carry what %s says earlier periods cost", old->path));
    }
    return SBL_OK;
}

static sbl_status check_state(sbl_book_ledger *ledger, sbl_error *err)
{
    if (sbl_path_ends_in(ledger->path, ".pending"))
        SBL_CHECK(add_problem(ledger, err, "a succession was interrupted: repeat it"));
    if (ledger->view.torn) SBL_CHECK(add_problem(ledger, err, "its last line is torn: repair the ledger"));
    if (ledger->view.facts.test_key)
        SBL_CHECK(add_problem(ledger, err, "it was made by a test build and guarantees nothing"));
    return SBL_OK;
}

sbl_status sbl_books_check(sbl_books *books, sbl_error *err)
{
    for (size_t i = 0; i < books->ledger_count; i++) {
        SBL_CHECK(check_state(&books->ledgers[i], err));
        SBL_CHECK(check_periods(&books->ledgers[i], books, err));
        for (size_t j = 0; j < i; j++) SBL_CHECK(check_pair(&books->ledgers[j], &books->ledgers[i], err));
    }
    return SBL_OK;
}
