/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation document: floor and ceiling are what they say, bad input is one line, nothing is
 * ever NaN. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "evaluate_kit.h"
#include "owner/evaluate/pictures.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

static kit k;

AROUND(set_up) { kit_make(&k); }

AROUND(tear_down) { kit_clear(&k); }

/* ---- floor and ceiling ---- */

TEST(floor_keeps_the_columns_and_loses_their_relations)
{
    json_auto_t *document = kit_evaluate(&k);
    char path[64];
    char other[64];
    for (int c = 0; c < 11; c++) { /* shuffled training columns are training columns */
        (void)snprintf(path, sizeof path, "columns.%d.tvd.floor", c);
        (void)snprintf(other, sizeof other, "columns.%d.tvd.ceiling", c);
        assert_true(kit_number(document, path) == kit_number(document, other));
    }
    (void)snprintf(path, sizeof path, "columns.%d.ks.floor", 3); /* missing moves with its number */
    (void)snprintf(other, sizeof other, "columns.%d.ks.ceiling", 3);
    assert_true(kit_number(document, path) == kit_number(document, other));
    assert_true(kit_number(document, "association.mean_difference.floor") >
                kit_number(document, "association.mean_difference.ceiling"));
}

TEST(a_histogram_of_each_column_adds_up_to_all_rows)
{
    json_auto_t *document = NULL;
    const json_t *column;
    size_t c;
    assert_int_equal(sbl_table_histograms(&document, k.request.synthetic, k.schema, &k.err), SBL_OK);
    const json_t *columns = json_object_get(document, "columns");
    assert_int_equal(json_array_size(columns), 11);
    assert_true(json_integer_value(json_object_get(document, "rows")) > 0);
    json_array_foreach(columns, c, column)
    {
        const json_t *shares = json_object_get(column, "shares");
        double sum = 0;
        assert_int_equal(json_array_size(shares), json_array_size(json_object_get(column, "labels")));
        for (size_t i = 0; i < json_array_size(shares); i++)
            sum += json_number_value(json_array_get(shares, i));
        assert_true(fabs(sum - 1) < 1e-9);
    }
}

TEST(a_table_without_rows_has_no_histogram)
{
    json_auto_t *document = NULL;
    json_auto_t *reference = kit_reference();
    const char *real = json_string_value(json_object_get(reference, "real"));
    char head[512];
    (void)snprintf(head, sizeof head, "%.*s", (int)(strcspn(real, "\n") + 1), real);
    kit_replace(&k, NULL, NULL, head, NULL);
    assert_int_equal(sbl_table_histograms(&document, k.request.synthetic, k.schema, &k.err), SBL_EINPUT);
    assert_non_null(strstr(k.err.message, "has no rows"));
}

TEST(without_a_training_table_the_ceiling_is_two_halves)
{
    json_auto_t *document;
    k.request.train = NULL;
    document = kit_evaluate(&k);
    assert_true(json_is_null(kit_find(document, "disclosure")));
    assert_true(json_is_null(kit_find(document, "inputs.train")));
    /* the floor is made of the real columns themselves */
    assert_true(kit_number(document, "marginals.0.tvd.floor") == 0.0);
    assert_true(kit_number(document, "marginals.0.tvd.ceiling") > 0.0);
    assert_true(kit_number(document, "marginals.1.tvd.floor") > 0.0);
}

TEST(a_table_against_itself_is_at_distance_zero)
{
    json_auto_t *reference = kit_reference();
    json_auto_t *document;
    kit_replace(&k, NULL, NULL, json_string_value(json_object_get(reference, "real")), NULL);
    document = kit_evaluate(&k);
    for (int way = 0; way < 4; way++) {
        char path[64];
        (void)snprintf(path, sizeof path, "marginals.%d.tvd.synthetic", way);
        assert_true(kit_number(document, path) == 0.0);
    }
    assert_true(kit_number(document, "association.largest_difference.synthetic") == 0.0);
    assert_true(kit_number(document, "columns.2.wasserstein.synthetic") == 0.0);
    assert_true(kit_number(document, "out_of_domain.cells") == 0.0);
}

TEST(a_copy_of_the_training_table_is_found_out)
{
    json_auto_t *reference = kit_reference();
    json_auto_t *document;
    kit_replace(&k, NULL, NULL, json_string_value(json_object_get(reference, "train")), NULL);
    document = kit_evaluate(&k);
    assert_true(kit_number(document, "disclosure.exact_copies.synthetic") == 70.0);
    assert_true(kit_number(document, "disclosure.distance_to_closest_record.synthetic.median") == 0.0);
    assert_true(kit_number(document, "disclosure.distance_to_closest_record.holdout.median") > 0.0);
    assert_true(kit_number(document, "disclosure.membership.low") > 0.9);
}

/* ---- determinism ---- */

static char *evaluate_to_text(uint64_t seed, unsigned threads, size_t sets)
{
    k.request.seed = seed;
    k.request.threads = threads;
    k.request.sets = sets;
    json_t *document = kit_evaluate(&k);
    char *text = sbl_json_canonical(document);
    json_decref(document);
    return text;
}

TEST(same_seed_gives_the_same_bytes_on_any_number_of_threads)
{
    FREED(free) char *one = evaluate_to_text(3, 1, 100);
    FREED(free) char *many = evaluate_to_text(3, 5, 100);
    FREED(free) char *other = evaluate_to_text(4, 1, 100);
    assert_string_equal(one, many);
    assert_string_not_equal(one, other);
}

TEST(sampled_sets_say_so)
{
    json_auto_t *document;
    k.request.sets = 60;
    document = kit_evaluate(&k);
    assert_true(kit_number(document, "marginals.0.sets") == 11.0);
    assert_true(json_is_false(kit_find(document, "marginals.0.sampled")));
    assert_true(kit_number(document, "marginals.1.sets") == 55.0);
    assert_true(kit_number(document, "marginals.2.sets") == 60.0);
    assert_true(kit_number(document, "marginals.2.of") == 165.0);
    assert_true(json_is_true(kit_find(document, "marginals.3.sampled")));
}

/* ---- what the document holds ---- */

TEST(every_part_says_not_private)
{
    json_auto_t *document = kit_evaluate(&k);
    FREED(free) char *text = sbl_evaluation_text(document);
    assert_memory_equal(json_string_value(json_object_get(document, "warning")), "NOT PRIVATE", 11);
    assert_memory_equal(text, "NOT PRIVATE", 11);
    assert_string_equal(json_string_value(json_object_get(document, "format")), "semblance-evaluation");
    assert_string_equal(json_string_value(kit_find(document, "schema.label")), "sick");
    assert_string_equal(json_string_value(kit_find(document, "schema.task")), "classification");
    assert_true(json_is_null(kit_find(document, "utility")));
    assert_null(strstr(text, "nan"));
}

TEST(constant_columns_have_no_association_and_are_named)
{
    json_auto_t *document = kit_evaluate(&k);
    assert_true(json_is_null(kit_find(document, "association.real.8.8")));
    assert_true(json_is_null(kit_find(document, "association.real.0.9")));
    assert_int_equal(json_array_size(kit_find(document, "association.constant.real")), 2);
    assert_string_equal(json_string_value(kit_find(document, "association.constant.real.0")), "fixed");
    assert_string_equal(json_string_value(kit_find(document, "association.constant.real.1")), "still");
    assert_string_equal(json_string_value(kit_find(document, "association.measure.0.2")), "pearson");
    assert_string_equal(json_string_value(kit_find(document, "association.measure.0.5")),
                        "correlation_ratio");
    assert_string_equal(json_string_value(kit_find(document, "association.measure.6.5")), "cramers_v");
}

static double sum_of(const json_t *list)
{
    double sum = 0.0;
    for (size_t i = 0; i < json_array_size(list); i++) sum += json_number_value(json_array_get(list, i));
    return sum;
}

TEST(histograms_have_few_bars_that_add_to_one)
{
    json_auto_t *document = kit_evaluate(&k);
    size_t c;
    json_t *column;
    json_array_foreach(json_object_get(document, "columns"), c, column)
    {
        const json_t *labels = kit_find(column, "histogram.labels");
        assert_in_range(json_array_size(labels), 1, 40);
        assert_int_equal(json_array_size(labels), json_array_size(kit_find(column, "histogram.real")));
        assert_true(fabs(sum_of(kit_find(column, "histogram.real")) - 1.0) < 1e-12);
        assert_true(fabs(sum_of(kit_find(column, "histogram.synthetic")) - 1.0) < 1e-12);
    }
    assert_string_equal(json_string_value(kit_find(document, "columns.7.histogram.labels.39")), "(others)");
    assert_string_equal(json_string_value(kit_find(document, "columns.1.histogram.labels.20")), "(missing)");
    assert_string_equal(json_string_value(kit_find(document, "columns.4.histogram.labels.0")), "2019-01-01");
    assert_string_equal(json_string_value(kit_find(document, "columns.9.histogram.labels.0")), "3");
}

static double sum_of_matrix(const json_t *rows, size_t columns)
{
    double sum = 0.0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        assert_int_equal(json_array_size(json_array_get(rows, i)), columns);
        sum += sum_of(json_array_get(rows, i));
    }
    return sum;
}

TEST(pairs_have_few_cells_that_add_to_one_and_no_column_is_in_more_than_two)
{
    json_auto_t *document = kit_evaluate(&k);
    const json_t *pairs = json_object_get(document, "pairs");
    size_t uses[64] = {0};
    assert_int_equal(json_array_size(pairs), 6);
    for (size_t i = 0; i < 6; i++) {
        const json_t *pair = json_array_get(pairs, i);
        const size_t rows = json_array_size(kit_find(pair, "labels.0"));
        const size_t columns = json_array_size(kit_find(pair, "labels.1"));
        assert_in_range(rows, 2, 13);
        assert_in_range(columns, 2, 13);
        assert_int_equal(json_array_size(kit_find(pair, "real")), rows);
        assert_true(fabs(sum_of_matrix(kit_find(pair, "real"), columns) - 1.0) < 1e-12);
        assert_true(fabs(sum_of_matrix(kit_find(pair, "synthetic"), columns) - 1.0) < 1e-12);
        for (size_t c = 0; c < json_array_size(kit_find(document, "association.names")); c++)
            for (size_t side = 0; side < 2; side++)
                uses[c] += json_equal(json_array_get(kit_find(pair, "columns"), side),
                                      json_array_get(kit_find(document, "association.names"), c)) != 0;
    }
    for (size_t c = 0; c < 64; c++) assert_in_range(uses[c], 0, 2);
}

TEST(cells_outside_the_domain_are_counted_by_column)
{
    json_auto_t *document;
    kit_replace(&k, JSON({"fields": [{"name": "x", "type": "integer", "constraints": {"minimum": 0,
        "maximum": 9,
                "required": true}}, {"name": "t", "type": "string", "constraints": {"enum": ["a", "b"]}}]}),
                                      "x,t\n1,a\n2,b\n3,a\n", "x,t\n10,a\nfew\n,z\n4,b\n5,b,6\n",
                                      "x,t\n1,a\n2,b\n");
    document = kit_evaluate(&k);
    assert_true(kit_number(document, "out_of_domain.cells") == 5.0);
    assert_true(kit_number(document, "out_of_domain.rows") == 2.0);
    assert_true(kit_number(document, "out_of_domain.columns.0.cells") == 3.0);
    assert_string_equal(json_string_value(kit_find(document, "out_of_domain.columns.1.name")), "t");
}

/* ---- tiny tables and bad input ---- */

#define TINY_SCHEMA                                                                             \
    "{\"fields\": [{\"name\": \"x\", \"type\": \"integer\", \"constraints\": {\"minimum\": 0, " \
    "\"maximum\": 9}}, {\"name\": \"y\", \"type\": \"string\", \"constraints\": {\"enum\": "    \
    "[\"a\", \"b\"], \"required\": true}}], \"missingValues\": [\"\"], \"semblance\": "         \
    "{\"label\": "                                                                              \
    "\"y\", \"task\": \"classification\"}}"

TEST(tables_of_one_row_give_numbers_or_null)
{
    json_auto_t *document;
    kit_replace(&k, TINY_SCHEMA, "x,y\n1,a\n", "x,y\n,b\n", NULL);
    k.request.train = NULL;
    document = kit_evaluate(&k);
    assert_true(kit_number(document, "columns.0.tvd.synthetic") == 1.0);
    assert_true(json_is_null(kit_find(document, "columns.0.ks.synthetic"))); /* nothing present */
    assert_true(json_is_null(kit_find(document, "columns.0.tvd.ceiling")));
    assert_true(json_is_null(kit_find(document, "mmd.squared.synthetic")));
    assert_true(json_is_string(kit_find(document, "mmd.why")));
    assert_true(json_is_null(kit_find(document, "association.mean_difference.synthetic")));
    FREED(free) char *text = sbl_evaluation_text(document);
    assert_null(strstr(text, "nan"));
}

/* x has a cell for each of its ten values, and one for missing ones. */
TEST(a_pair_has_the_shares_of_rows_in_its_cells)
{
    json_auto_t *document;
    kit_replace(&k, TINY_SCHEMA, "x,y\n1,a\n1,a\n2,b\n,b\n", "x,y\n1,a\n1,b\n2,a\n2,b\n", "x,y\n1,a\n2,b\n");
    document = kit_evaluate(&k);
    assert_int_equal(json_array_size(kit_find(document, "pairs")), 1);
    assert_string_equal(json_string_value(kit_find(document, "pairs.0.columns.0")), "x");
    assert_string_equal(json_string_value(kit_find(document, "pairs.0.columns.1")), "y");
    assert_true(json_is_true(kit_find(document, "pairs.0.numbers.0")));
    assert_true(json_is_false(kit_find(document, "pairs.0.numbers.1")));
    assert_int_equal(json_array_size(kit_find(document, "pairs.0.labels.0")), 11);
    assert_string_equal(json_string_value(kit_find(document, "pairs.0.labels.0.10")), "(missing)");
    assert_string_equal(json_string_value(kit_find(document, "pairs.0.labels.1.1")), "b");
    assert_true(kit_number(document, "pairs.0.real.1.0") == 0.5);
    assert_true(kit_number(document, "pairs.0.real.2.1") == 0.25);
    assert_true(kit_number(document, "pairs.0.real.10.1") == 0.25);
    assert_true(kit_number(document, "pairs.0.synthetic.1.1") == 0.25);
    assert_true(kit_number(document, "pairs.0.synthetic.10.1") == 0.0);
}

TEST(a_table_of_one_column_has_no_pairs)
{
    json_auto_t *document;
    kit_replace(&k,
                "{\"fields\": [{\"name\": \"x\", \"type\": \"number\", \"constraints\": "
                "{\"minimum\": 0, \"maximum\": 1, \"required\": true}}]}",
                "x\n0\n0.25\n", "x\n0.5\n1\n", "x\n0\n0.1\n");
    document = kit_evaluate(&k);
    assert_int_equal(json_array_size(kit_find(document, "marginals")), 1);
    assert_int_equal(json_array_size(kit_find(document, "pairs")), 0);
    assert_true(json_is_null(kit_find(document, "association.mean_difference.synthetic")));
    assert_true(kit_number(document, "columns.0.ks.synthetic") == 1.0);
    assert_true(kit_number(document, "columns.0.wasserstein.synthetic") == 0.625);
    assert_true(json_is_null(kit_find(document, "schema.label")));
}

static void refused(sbl_status expected, const char *words)
{
    json_t *document;
    const sbl_status status = sbl_evaluate_study(&document, &k.request, &k.err);
    assert_null(document);
    assert_int_equal(status, expected);
    if (strstr(k.err.message, words) == NULL) fail_msg("'%s' without '%s'", k.err.message, words);
    assert_null(strchr(k.err.message, '\n'));
}

TEST(bad_tables_are_refused_in_one_line)
{
    kit_replace(&k, TINY_SCHEMA, "x,y\n1,a\n2,b\n", "x,y\n", "x,y\n1,a\n2,b\n");
    refused(SBL_EINPUT, "synthetic.csv: the table has no rows");
    kit_replace(&k, NULL, "x,y\n", "x,y\n1,a\n", NULL);
    refused(SBL_EINPUT, "real.csv: the table has no rows");
    kit_replace(&k, NULL, "x,y\n1,a\n2,b\n", NULL, "x,y\n");
    refused(SBL_EINPUT, "train.csv: the table has no rows");
    kit_replace(&k, NULL, NULL, "x,z\n1,a\n", "x,y\n1,a\n2,b\n");
    refused(SBL_EINPUT, "'y'"); /* the label is missing, the columns are others */
    kit_replace(&k, NULL, NULL, "x,y\n1,a\n", NULL);
    k.request.models = NULL;
    refused(SBL_EINPUT, "synthetic.csv: label column 'y' holds one class only");
    kit_replace(&k, NULL, "x,y\n1,b\n2,b\n", "x,y\n1,a\n2,b\n", NULL);
    refused(SBL_EINPUT, "real.csv: label column 'y' holds one class only");
    kit_replace(&k, NULL, "x,y\n1,a\n2,b\n", NULL, "x,y\n1,a\n");
    refused(SBL_EINPUT, "train.csv: label column 'y' holds one class only");
    remove(k.request.synthetic->path);
    refused(SBL_EIO, "synthetic.csv");
}

TEST(bad_requests_are_refused_before_a_table_is_opened)
{
    const sbl_table *table = k.request.synthetic, input = sbl_csv_table("-");
    remove(k.request.real->path);
    k.request.models = "oracle";
    refused(SBL_EARG, "oracle");
    k.request.models = "none";
    k.request.synthetic = &input;
    refused(SBL_EARG, "'-'");
    k.request.synthetic = table;
    k.request.sets = SBL_EVALUATE_MAX_SETS + 1;
    refused(SBL_EARG, "sets must be at most");
    k.request.sets = 0;
    kit_replace(&k,
                "{\"fields\": [{\"name\": \"x\", \"type\": \"integer\", \"constraints\": "
                "{\"minimum\": 0, \"maximum\": 9}}]}",
                NULL, NULL, NULL);
    k.request.models = "logistic";
    refused(SBL_EINPUT, "names no label");
}

/* A schema has no such names, but a document may come from anywhere. */
TEST(hostile_names_stay_on_their_line)
{
    json_auto_t *document = kit_evaluate(&k);
    json_t *columns = json_object_get(document, "columns");
    json_object_set_new(json_array_get(columns, 0), "name",
                        json_string("a\x1b[31m\x07 very long name that has no end"));
    json_object_set_new(json_array_get(columns, 1), "name", json_string("\xc3\xa4\xc3\xb6"));
    json_object_set_new(json_object_get(json_object_get(document, "inputs"), "real"), "path",
                        json_string("two\nlines"));
    FREED(free) char *text = sbl_evaluation_text(document);
    assert_null(strchr(text, '\x1b'));
    assert_null(strchr(text, '\x07'));
    assert_non_null(strstr(text, "two?lines"));
    assert_non_null(strstr(text, "\na?[31m? very long name.. "));
    assert_non_null(strstr(text, "\n\xc3\xa4\xc3\xb6                       "));
}

TEST(allocation_failures_end_the_evaluation_cleanly)
{
    long n = 1;
    kit_replace(&k, TINY_SCHEMA, "x,y\n1,a\n2,b\n,a\n", "x,y\n,b\n3,a\n", "x,y\n1,a\n2,b\n9,b\n");
    for (;; n++) {
        json_t *document;
        sbl_test_fail_alloc(n);
        const sbl_status status = sbl_evaluate_study(&document, &k.request, &k.err);
        const bool failed = sbl_test_fail_end();
        if (failed) {
            assert_int_equal(status, SBL_EMEM);
            assert_null(document);
        } else {
            assert_ok(status);
            json_decref(document);
            break;
        }
    }
    assert_true(n > 100);
}

EACH_TEST(set_up, tear_down)
