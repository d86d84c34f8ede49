/* A report when memory runs out, at every allocation: an error, never half a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "base/memory.h"
#include "certificate/certificate_kit.h"
#include "report/report.h"
#include "report/report_kit.h"
#include "support/fail_alloc.h"

static void every_failed_allocation_is_an_error(void **state)
{
    (void)state;
    certified c;
    const kit_evaluation facts = {.columns = 4, .images = true};
    char *evaluation = kit_evaluation_text(&facts);
    long n = 1;
    kit_certify(&c, &kit_cases[0]);
    for (;; n++) {
        char *html = (char *)1;
        sbl_test_fail_alloc(n);
        const sbl_status status = sbl_report_render(&html, c.text, evaluation, NULL, NULL);
        if (!sbl_test_alloc_failed()) {
            assert_int_equal(status, SBL_OK);
            sbl_free(html);
            break;
        }
        assert_int_equal(status, SBL_EMEM);
        assert_null(html);
    }
    sbl_test_fail_alloc(0);
    assert_true(n > 20);
    free(evaluation);
    kit_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failed_allocation_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
