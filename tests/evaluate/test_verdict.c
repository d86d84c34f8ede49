/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of an evaluation in words: what is close, what is not, what to do next. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "owner/evaluate/evaluation_text.h"
#include "owner/evaluate/verdict.h"
#include "support/cmocka_all.h"

#define COLUMNS                                                                                              \
    "\"columns\":[{\"name\":\"age\",\"tvd\":{\"synthetic\":0.02}},{\"name\":\"pay\",\"tvd\":{\"synthetic\":" \
    "0.01},"                                                                                                 \
    "\"ks\":{\"synthetic\":0.25}}]"
/* Independent columns are at 0.5 and real data at 0.1. */
#define MARGINALS(single, pairs)                               \
    "\"marginals\":[{\"way\":1,\"tvd\":{\"synthetic\":" single \
    ",\"floor\":0.01,\"ceiling\":0.01}},"                      \
    "{\"way\":2,\"tvd\":{\"synthetic\":" pairs ",\"floor\":0.5,\"ceiling\":0.1}}]"
#define TABLE(single, pairs) "{\"kind\":\"table\"," COLUMNS "," MARGINALS(single, pairs) "}"

static void assert_verdict(const char *document, const char *expected)
{
    json_t *json = json_loads(document, 0, NULL);
    assert_non_null(json);
    char *verdict = sbl_evaluation_verdict(json);
    assert_non_null(verdict);
    assert_string_equal(verdict, expected);
    sbl_free(verdict);
    json_decref(json);
}

TEST(a_table_that_is_close_is_to_be_used_and_any_other_to_be_made_better)
{
    assert_verdict(TABLE("0.02", "0.12"),
                   "Single columns and pairs of columns are close to the real data. Pairs of columns are 95% "
                   "of the way from independent columns to real data. The column that differs most is pay, "
                   "by 0.25. Next: use it, and check important findings against the real data.");
    assert_verdict(
        TABLE("0.02", "0.3"),
        "Single columns are close to the real data; pairs of columns are roughly right. Pairs of columns are "
        "50% of the way from independent columns to real data. The column that differs most is pay, by 0.25. "
        "Next: for better data use a larger epsilon, more rows or fewer columns.");
    assert_verdict(
        TABLE("0.08", "0.4"),
        "Single columns are roughly right; pairs of columns keep only a small part of their relation. Pairs "
        "of columns are 25% of the way from independent columns to real data. The column that differs most "
        "is pay, by 0.25. Next: for better data use a larger epsilon, more rows or fewer columns.");
    assert_verdict(
        TABLE("0.5", "0.6"),
        "Single columns are far from the real data; pairs of columns are not better than independent "
        "columns. Pairs of columns are further from real data than independent columns are. The column that "
        "differs most is pay, by 0.25. Next: check the bounds and categories of that column in the schema.");
}

TEST(measures_that_do_not_exist_are_left_out)
{
    assert_verdict("{\"kind\":\"table\"}", "");
    assert_verdict("{\"kind\":\"images\"}", "");
    assert_verdict("{\"kind\":\"linked\"}", "");
    assert_verdict("{}", "");
    assert_verdict("{\"marginals\":[{\"way\":1,\"tvd\":{\"synthetic\":0.02,\"ceiling\":0.01}}]}",
                   "Single columns are close to the real data. Next: use it, and check important findings "
                   "against the real data.");
    assert_verdict(
        "{\"marginals\":[{\"way\":2,\"tvd\":{\"synthetic\":0.02,\"floor\":0.12,\"ceiling\":0.02}}]}",
        "Single columns were not compared; pairs of columns are close to the real data. Pairs of columns are "
        "100% of the way from independent columns to real data. Next: use it, and check important findings "
        "against the real data.");
    /* No relation to keep: the floor is as good as the ceiling. */
    assert_verdict(
        "{\"marginals\":[{\"way\":1,\"tvd\":{\"synthetic\":0.02,\"ceiling\":0.01}},{\"way\":2,\"tvd\":{"
        "\"synthetic\":0.02,\"floor\":0.01,\"ceiling\":0.01}}]}",
        "Single columns are close to the real data. Pairs of columns cannot be judged: in this data, "
        "independent columns are as close as real data. Next: use it, and check important findings against "
        "the real data.");
}

TEST(cells_that_break_the_schema_are_counted)
{
    assert_verdict(
        "{\"marginals\":[{\"way\":1,\"tvd\":{\"synthetic\":0.02,\"ceiling\":0.01}}],\"out_of_domain\":{"
        "\"cells\":3}}",
        "Single columns are close to the real data. 3 cells are outside the bounds or categories of the "
        "schema: was the table edited, or made with another schema?");
}

TEST(the_worst_of_linked_tables_counts_and_broken_keys_are_said)
{
    assert_verdict("{\"kind\":\"linked\",\"tables\":[{\"name\":\"a\"," MARGINALS("0.02", "0.12") ",\"keys\":{\"synthetic\":{\"repeated\":0,\"orphans\":null}}},{\"name\":\"b\"," MARGINALS("0.02", "0.3") ",\"keys\":{\"synthetic\":{\"repeated\":0,\"orphans\":0}}},{\"name\":\"c\",\"marginals\":null,\"histories\":{\"person_event\":{\"synthetic\":0.4,\"floor\":0.5,\"ceiling\":0.1}}}]}",
                   "Single columns are close to the real data; pairs of columns keep only a small part "
                   "of their relation. The weakest table is c. Its pairs of columns, its own or with its "
                   "parent's, are 25% of the way from independent columns to real data. All keys are "
                   "valid. Next: for better data use a larger epsilon, more rows or fewer columns.");
    assert_verdict("{\"kind\":\"linked\",\"tables\":[{\"name\":\"a\"," MARGINALS(
                       "0.02", "0.12") ",\"keys\":{\"synthetic\":{\"repeated\":2,\"orphans\":5}}}]}",
                   "Single columns and pairs of columns are close to the real data. The weakest table is a. "
                   "Its pairs of columns, its own or with its parent's, are 95% of the way from independent "
                   "columns to real data. 2 keys are missing or repeated and 5 rows refer to a row that does "
                   "not exist: were the tables edited?");
}

TEST(images_are_judged_by_the_best_model_or_else_by_their_distance)
{
    assert_verdict(
        "{\"kind\":\"images\",\"images\":{\"scores\":[{\"name\":\"accuracy of a "
        "CNN\",\"value\":{\"synthetic\":0.5,\"floor\":0.1,\"ceiling\":0.9}},{\"name\":\"accuracy of a "
        "model\",\"value\":{\"synthetic\":0.7,\"floor\":0.1,\"ceiling\":0.8}}],\"frechet\":{\"distance\":{"
        "\"synthetic\":10,\"floor\":100,\"ceiling\":0}}}}",
        "Models that learn from the synthetic images do fairly well on real ones. The best model (accuracy "
        "of a CNN) reaches 0.50 after learning from synthetic images, 0.90 from real ones and 0.10 from "
        "independent pixels. By the Frechet distance they are 90% of the way from independent pixels to real "
        "images. Next: use a larger epsilon, more images, or an encoder pretrained on similar public "
        "images.");
    assert_verdict(
        "{\"kind\":\"images\",\"images\":{\"frechet\":{\"distance\":{\"synthetic\":10,\"floor\":100,"
        "\"ceiling\":0}}}}",
        "The synthetic images are close to the real ones. By the Frechet distance they are 90% of the way "
        "from independent pixels to real images. Next: look at the images, and check important findings "
        "against the real data.");
}
