/* SPDX-License-Identifier: Apache-2.0 */
/* Ledgers: any bytes, and the same lines with their hashes computed anew, so that what stands
 * behind the chain is reached. What is accepted must keep the promises of door/ledger/ledger_book.h. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "door/ledger/ledger_line.h"

#define CHECK(condition) \
    if (!(condition)) abort()

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_totals(const sbl_ledger_view *view)
{
    sbl_charge sum = {0};
    uint64_t releases = 0;
    for (size_t i = 0; i < view->line_count; i++) {
        const sbl_ledger_line *line = &view->lines[i];
        CHECK(line->seq == i + 1);
        const sbl_charge *charge = &line->entry.charge;
        CHECK(sbl_charge_add(&sum, charge, NULL) == SBL_OK);
        releases += (charge->mu2 | charge->eps0 | charge->delta) != 0;
        CHECK(line->totals.releases == releases && line->totals.charge.mu2 == sum.mu2);
        CHECK(!(line->committed && line->voided));
        CHECK(sbl_budget_allows_no_more(&view->budget, &line->budget));
        if (line->op != SBL_LEDGER_RESERVE) continue;
        CHECK(line->entry.neighbours == view->facts.neighbours);
    }
    CHECK(view->totals.releases == releases);
    CHECK(view->torn || !view->torn_is_known);
}

static void parse(const char *bytes, size_t size)
{
    sbl_ledger_view view;
    sbl_error err;
    const sbl_status status = sbl_ledger_parse(&view, bytes, size, "input", &err);
    if (status != SBL_OK) {
        CHECK(status == SBL_EINPUT && strchr(err.message, '\n') == NULL && view.lines == NULL);
        return;
    }
    CHECK(view.whole_size + view.torn_size == size && view.torn == (view.torn_size != 0));
    check_totals(&view);
    sbl_ledger_view_clear(&view);
}

/* Every line up to the last " h=" in it, with the right hash. */
static void rehash(sbl_text *text, const char *bytes, size_t size)
{
    uint8_t hash[SBL_SHA256_SIZE] = {0};
    char hex[SBL_SHA256_TEXT_SIZE];
    while (size > 0) {
        const char *end = memchr(bytes, '\n', size);
        const size_t length = end != NULL ? (size_t)(end - bytes) : size;
        size_t body = length;
        for (size_t i = 0; i + 3 <= length; i++)
            if (memcmp(bytes + i, " h=", 3) == 0) body = i;
        CHECK(sbl_ledger_hash(hash, hash, bytes, body, NULL) == SBL_OK);
        sbl_text_append(text, bytes, body);
        sbl_text_printf(text, " h=%s%s", sbl_hex_encode(hex, hash, sizeof hash), end != NULL ? "\n" : "");
        bytes += length + (end != NULL);
        size -= length + (end != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sbl_text text = {0};
    parse((const char *)data, size);
    rehash(&text, (const char *)data, size);
    CHECK(!text.failed);
    parse(text.data, text.length);
    sbl_text_clear(&text);
    return 0;
}
