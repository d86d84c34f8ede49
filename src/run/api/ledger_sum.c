/* SPDX-License-Identifier: Apache-2.0 */
/* Several ledgers of the same people, added up (include/semblance/ledger.h). */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/error.h"
#include "base/text.h"
#include "door/ledger/ledger_book.h"
#include "public/account/budget.h"
#include "semblance/ledger.h"

#define MOST_ROWS 1000000000 /* of a person, as account has it */

/* What was read so far. */
typedef struct sum_of_ledgers {
    sbl_totals totals;
    sbl_neighbours neighbours;
    double delta; /* the smallest of the budgets that is not 0; 0: none */
} sum_of_ledgers;

/* A ledger whose cost is known and guaranteed. */
static sbl_status read_ledger(sbl_ledger_view *view, const char *path, sbl_error *err)
{
    const sbl_status status = sbl_ledger_read(view, sbl_file_item(path), err);
    if (status != SBL_OK) return status;
    if (view->facts.test_key)
        return sbl_fail(err, SBL_EINPUT,
                        "ledger %s was made by a test build, so it guarantees nothing: leave it out", path);
    if (strcmp(view->budget.epsilon, "inf") == 0)
        return sbl_fail(err, SBL_EINPUT,
                        "ledger %s has a budget of epsilon inf, so it guarantees nothing: leave it out",
                        path);
    if (view->torn)
        return sbl_fail(err, SBL_EINPUT,
                        "ledger %s: its last line is torn, so its cost is unknown: repair the ledger first",
                        path);
    if (view->exhausted)
        return sbl_fail(
            err, SBL_EINPUT,
            "ledger %s: a repair gave up the rest of its budget, so its cost is unknown and cannot be added",
            path);
    return SBL_OK;
}

/* How many steps from one table to a neighbour, in the units and relation of this ledger: as many rows
 * as a person may own, and two where a row or person is taken out and another put in. */
static sbl_status steps_of(uint64_t *steps, const sbl_ledger_view *view, uint64_t rows,
                           sbl_neighbours neighbours, const char *path, sbl_error *err)
{
    const bool by_person = view->facts.by_person;
    if (by_person && rows == 0)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_ROWS_PER_PERSON, NULL,
                             "ledger %s is about persons: state how many rows a person may have in the data "
                             "of the other ledgers, which are about rows",
                             path);
    *steps = (by_person || rows == 0 ? 1 : rows) * (view->facts.neighbours == neighbours ? 1 : 2);
    if (*steps > 1 && view->totals.charge.delta != 0)
        return sbl_fail(err, SBL_EINPUT,
                        "ledger %s holds a schema that was released by keys, whose delta is known for "
                        "one row, not for a person with several",
                        path);
    return SBL_OK;
}

/* with_past: its predecessor is not given, so what it carries of earlier periods is added, too. */
static sbl_status add_ledger(sum_of_ledgers *sum, const sbl_ledger_view *view, bool with_past, uint64_t rows,
                             const char *path, sbl_error *err)
{
    double delta = 0.0;
    uint64_t steps = 1;
    SBL_CHECK(steps_of(&steps, view, rows, sum->neighbours, path, err));
    SBL_CHECK(sbl_totals_add_group(&sum->totals, &view->totals, steps, err));
    if (with_past) SBL_CHECK(sbl_totals_add_group(&sum->totals, &view->facts.past.totals, steps, err));
    (void)sbl_text_to_double(&delta, view->budget.delta);
    if (delta > 0.0 && (sum->delta == 0.0 || delta < sum->delta)) sum->delta = delta;
    return SBL_OK;
}

/* Is the ledger that this one succeeds among them? */
static bool has_predecessor(const sbl_ledger_view *view, const sbl_ledger_view *views, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(view->facts.past.id, views[i].id) == 0) return true;
    return false;
}

static sbl_status check_ids(const sbl_ledger_view *views, size_t count, const char *const *paths,
                            sbl_error *err)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(views[i].id, views[j].id) == 0)
                return sbl_fail(
                    err, SBL_EINPUT,
                    "ledgers %s and %s are the same ledger, which would count twice: give it once", paths[j],
                    paths[i]);
    return SBL_OK;
}

static sbl_status state(sbl_ledger_sum *stated, const sum_of_ledgers *sum, uint64_t rows, double delta,
                        sbl_error *err)
{
    const sbl_charge *charge = &sum->totals.charge;
    const bool pure = charge->mu2 == 0 && charge->delta == 0;
    const double root = sqrt(sbl_fixed96_to_double_up(charge->mu2));
    *stated = (sbl_ledger_sum){
        .delta = delta > 0.0 ? delta
                 : pure      ? 0.0
                             : sum->delta,
        .mu = charge->mu2 == 0 ? 0.0 : nextafter(root, INFINITY),
        .pure_epsilon = sbl_fixed96_to_double_up(charge->eps0),
        .releases = sum->totals.releases,
        .rows = rows,
        .neighbours = sum->neighbours,
    };
    return sbl_totals_epsilon(&stated->epsilon, &sum->totals, stated->delta, err);
}

sbl_status sbl_ledger_add_up(sbl_ledger_sum *theirs, const char *const *paths, size_t count,
                             uint64_t rows_per_person, double delta, sbl_error *err)
{
    sbl_ledger_view *views = NULL;
    sum_of_ledgers sum = {.neighbours = SBL_ADD_REMOVE};
    sbl_ledger_sum ours;
    sbl_status status = SBL_OK;
    SBL_NEED(theirs);
    SBL_NEED(paths);
    if (count == 0 || !(delta >= 0.0 && delta < 1.0) || rows_per_person > MOST_ROWS)
        SBL_FAIL(err, SBL_EARG,
                 "a sum of ledgers needs at least one ledger, a delta from 0 to below 1, and at most 1e9 "
                 "rows per person");
    if (theirs->struct_size < sizeof theirs->struct_size)
        SBL_FAIL(err, SBL_EARG, "sum: its struct_size must be set");
    views = sbl_alloc_array(count, sizeof *views);
    if (views == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for ledgers");
    for (size_t i = 0; i < count; i++) {
        SBL_NEED(paths[i]);
        SBL_TRY(read_ledger(&views[i], paths[i], err));
        if (views[i].facts.neighbours == SBL_REPLACE_ONE) sum.neighbours = SBL_REPLACE_ONE;
    }
    SBL_TRY(check_ids(views, count, paths, err));
    for (size_t i = 0; i < count; i++)
        SBL_TRY(add_ledger(&sum, &views[i], !has_predecessor(&views[i], views, count), rows_per_person,
                           paths[i], err));
    SBL_TRY(state(&ours, &sum, rows_per_person, delta, err));
    ours.struct_size = theirs->struct_size;
    memcpy(theirs, &ours, ours.struct_size < sizeof ours ? ours.struct_size : sizeof ours);
done:
    for (size_t i = 0; views != NULL && i < count; i++) sbl_ledger_view_clear(&views[i]);
    sbl_free(views);
    return status;
}
