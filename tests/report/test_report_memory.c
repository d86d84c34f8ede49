/* SPDX-License-Identifier: Apache-2.0 */
/* A report when memory runs out, at every allocation: an error, never half a page. */
#include <stdio.h>
#include <stdlib.h>
/* cmocka wants the four above first */

#include "base/alloc.h"
#include "certificate/certificate_kit.h"
#include "owner/report/report_page.h"
#include "report/image_report_kit.h"
#include "report/report_kit.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/temp_folder.h"

TEST(every_failed_allocation_is_an_error)
{
    certified c;
    const kit_evaluation facts = {.columns = 4, .images = true};
    char *evaluation = kit_evaluation_text(&facts);
    long n = 0;
    kit_certify(&c, &kit_cases[0]);
    while (sbl_test_fail_next(&n)) {
        char *html = (char *)1;
        if (sbl_test_no_memory(sbl_report_render(&html, c.text, evaluation, NULL, NULL))) {
            assert_null(html);
        } else {
            sbl_free(html);
        }
    }
    assert_true(n > 20);
    free(evaluation);
    kit_clear(&c);
}

TEST(every_failed_allocation_of_a_picture_is_an_error)
{
    static const kit_image_set set = {{6, 6, 1}, 20, 3, false};
    char folder[256], images[300], labels[300];
    long n = 0;
    temp_folder_make(folder);
    (void)snprintf(images, sizeof images, "%s/images", folder);
    (void)snprintf(labels, sizeof labels, "%s/labels", folder);
    const sbl_image_place place = {.images = images, .labels = labels, .classes = set.classes};
    kit_write_images(&set, &place);
    while (sbl_test_fail_next(&n)) {
        sbl_report_preview preview = {.rows = 1};
        if (sbl_test_no_memory(sbl_report_preview_make(&preview, &place, NULL, NULL))) {
            assert_true(preview.png == NULL && preview.names == NULL && preview.rows == 0);
        } else {
            sbl_report_preview_clear(&preview);
        }
    }
    assert_true(n > 15);
    temp_folder_remove(folder);
}
