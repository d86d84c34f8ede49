/* SPDX-License-Identifier: Apache-2.0 */
/* Loads releases with their charges, masks what is random by design, and compares what is left;
 * the distance of the values is held against the charge in 128-bit integers. */
#include "support/replay_kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "door/ledger/ledger_book.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

static void mask(char *text, size_t size, const char *key)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i + length < size; i++) {
        if (memcmp(text + i, key, length) != 0) continue;
        for (i += length; i < size && strchr(" \n\"", text[i]) == NULL; i++) text[i] = 'x';
    }
}

static void find_charge(replayed *run, const char *ledger_path)
{
    sbl_ledger_view view;
    sbl_error err = {0};
    size_t found = 0;
    assert_ok_or_say(sbl_ledger_read(&view, sbl_file_item(ledger_path), &err));
    for (size_t i = 0; i < view.line_count; i++) {
        const sbl_ledger_line *line = &view.lines[i];
        if (line->op != SBL_LEDGER_RESERVE || strcmp(line->rid, run->release->rid) != 0) continue;
        run->charge = line->entry.charge;
        found++;
    }
    assert_int_equal(found, 1);
    sbl_ledger_view_clear(&view);
}

void replayed_load(replayed *run, const char *release_path, const char *ledger_path)
{
    static const char *const names[] = {"\"rid\":\"", "\"ledger\":\""};
    sbl_error err = {0};
    size_t size = 0;
    *run = (replayed){0};
    assert_ok_or_say(sbl_release_load(&run->release, sbl_file_item(release_path), &err));
    run->head = slurp(release_path, &size);
    run->head_size = size - 16 * run->release->value_count - SBL_SHA256_SIZE;
    for (size_t i = 0; i < 2; i++) mask(run->head, run->head_size, names[i]);
    find_charge(run, ledger_path);
}

void replayed_clear(replayed *run)
{
    sbl_release_free(run->release);
    free(run->head);
    *run = (replayed){0};
}

/* What the values may move by. Charges are fixed96, the noise is of scale 2^56: sum (y - y')^2 <=
 * mu^2 2^112; of a pure one sum |y - y'| <= epsilon 2^56. */
static sbl_u128 limit_of(const replayed *run)
{
    return run->charge.mu2 != 0 ? run->charge.mu2 << 16 : run->charge.eps0 >> 40;
}

double replayed_part(const replayed *run, sbl_u128 moved) { return (double)moved / (double)limit_of(run); }

double replayed_compare(const replayed *a, const replayed *b, const char *what)
{
    const bool pure = a->charge.mu2 == 0;
    sbl_u128 moved = 0;
    if (a->head_size != b->head_size || memcmp(a->head, b->head, a->head_size) != 0)
        fail_msg("%s: public bytes differ", what);
    assert_int_equal(a->release->value_count, b->release->value_count);
    for (size_t i = 0; i < a->release->value_count; i++) {
        const sbl_i128 step = a->release->values[i] - b->release->values[i];
        const sbl_u128 length = (sbl_u128)(step < 0 ? -step : step);
        moved += pure ? length : length * length;
    }
    assert_true(a->charge.mu2 == b->charge.mu2 && a->charge.eps0 == b->charge.eps0);
    if (moved > limit_of(a)) fail_msg("%s: moved %g of what was charged", what, replayed_part(a, moved));
    return replayed_part(a, moved);
}

void replayed_ledgers_agree(const char *a, const char *b, const char *what)
{
    static const char *const fields[] = {" id=", " rid=", " t=", " h=", " out="};
    size_t sizes[2];
    char *texts[2] = {slurp(a, &sizes[0]), slurp(b, &sizes[1])};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) mask(texts[i], sizes[i], fields[k]);
    if (sizes[0] != sizes[1] || memcmp(texts[0], texts[1], sizes[0]) != 0)
        fail_msg("%s: ledgers differ", what);
    free(texts[0]);
    free(texts[1]);
}
