/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody who waits: steps rise over stretches of stretches, a stop is heard for good, and nobody is no trouble. */
#include "base/progress.h"

#include <string.h>

#include "support/cmocka_all.h"

typedef struct heard {
    const char *what;
    uint64_t step;
    int calls, stop; /* stop: at this call; 0: never */
} heard;

static int hear(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    heard *h = context;
    assert_true(steps == SBL_PROGRESS_STEPS && step <= steps && loss == 0.0);
    assert_true(step >= h->step);
    h->what = what;
    h->step = step;
    return ++h->calls == h->stop;
}

TEST(stretches_of_stretches_rise)
{
    heard h = {0};
    sbl_progress_listener listener = {.progress = hear, .context = &h};
    const sbl_progress_span whole = sbl_progress_begin(&listener, "all");
    for (uint64_t part = 0; part < 3; part++) {
        const sbl_progress_span outer = sbl_progress_part(&whole, part, 3);
        for (uint64_t inner = 0; inner < 7; inner++) {
            const sbl_progress_span progress = sbl_progress_part(&outer, inner, 7);
            for (uint64_t step = 0; step <= 5; step++) assert_true(sbl_progress_goes_on(&progress, step, 5));
        }
    }
    assert_int_equal(h.calls, 3 * 7 * 6);
    assert_int_equal(h.step, SBL_PROGRESS_STEPS);
    assert_string_equal(h.what, "all");
    h = (heard){0};
    const sbl_progress_span span = sbl_progress_range(&whole, 1, 3, 4, "middle");
    assert_true(sbl_progress_goes_on(&span, 0, 0)); /* of nothing: its beginning */
    assert_int_equal(h.step, 250);
    assert_true(sbl_progress_goes_on(&span, 1, 2));
    assert_int_equal(h.step, 500);
    assert_true(sbl_progress_goes_on(&span, 9, 2)); /* beyond its end: its end */
    assert_int_equal(h.step, 750);
    assert_string_equal(h.what, "middle");
}

TEST(a_stop_is_heard_for_good)
{
    heard h = {.stop = 2};
    sbl_progress_listener listener = {.progress = hear, .context = &h};
    const sbl_progress_span whole = sbl_progress_begin(&listener, "all");
    const sbl_progress_span other = sbl_progress_part(&whole, 1, 2);
    sbl_error err = {0};
    assert_true(sbl_progress_goes_on(&whole, 0, 4));
    assert_false(sbl_progress_stopped(&other));
    assert_true(sbl_progress_team_goes_on(&other, 1, 0, 4)); /* another thread asks nobody */
    assert_int_equal(h.calls, 1);
    assert_false(sbl_progress_team_goes_on(&whole, 0, 1, 4));
    assert_true(sbl_progress_stopped(&other));
    assert_false(sbl_progress_goes_on(&other, 0, 4));
    assert_false(sbl_progress_team_goes_on(&other, 1, 0, 4));
    assert_int_equal(h.calls, 2); /* who said stop is not asked again */
    assert_int_equal(sbl_progress_fail(&err), SBL_ESTOPPED);
    assert_non_null(strstr(err.message, "stopped"));
}

TEST(nobody_is_no_trouble)
{
    sbl_progress_listener silent = {0};
    const sbl_progress_span none = {0}, unheard = sbl_progress_begin(&silent, "x");
    const sbl_progress_span part = sbl_progress_part(NULL, 0, 3);
    assert_true(sbl_progress_goes_on(NULL, 0, 1) && sbl_progress_goes_on(&none, 0, 1) &&
                sbl_progress_goes_on(&unheard, 0, 1) && sbl_progress_goes_on(&part, 0, 1));
    assert_false(sbl_progress_stopped(NULL) || sbl_progress_stopped(&none) ||
                 sbl_progress_stopped(&unheard) || sbl_progress_stopped(&part));
}
