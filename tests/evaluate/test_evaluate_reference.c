/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of an evaluation are those of numpy, scipy and scikit-learn: reference.py makes
 * reference.json. */
#include <math.h>
#include <stdio.h>

#include "evaluate_kit.h"
#include "support/cmocka_all.h"

static kit k;

AROUND(set_up) { kit_make(&k); }

AROUND(tear_down) { kit_clear(&k); }

static void same(const json_t *found, const json_t *expected, double tolerance, const char *what)
{
    if (json_is_null(expected) && json_is_null(found)) return;
    if (!json_is_number(expected) || !json_is_number(found) ||
        !(fabs(json_number_value(found) - json_number_value(expected)) <= tolerance))
        fail_msg("%s: %.17g, not %.17g", what, json_number_value(found), json_number_value(expected));
}

static void same_at(const json_t *document, const char *path, const json_t *expected,
                    const char *expected_path, double tolerance)
{
    same(kit_find(document, path), kit_find(expected, expected_path), tolerance, path);
}

TEST(columns_agree_with_scipy)
{
    static const char *const names[] = {"tvd", "ks", "wasserstein"};
    json_t *reference = kit_reference();
    json_t *document = kit_evaluate(&k);
    char path[64];
    char wanted[64];
    for (int c = 0; c < 11; c++)
        for (int m = 0; m < 3; m++) {
            (void)snprintf(path, sizeof path, "columns.%d.%s", c, names[m]);
            (void)snprintf(wanted, sizeof wanted, "expected.columns.%d.%s", c, names[m]);
            if (json_is_null(kit_find(reference, wanted))) {
                assert_true(json_is_null(kit_find(document, path)));
                continue;
            }
            (void)snprintf(path, sizeof path, "columns.%d.%s.synthetic", c, names[m]);
            same_at(document, path, reference, wanted, 1e-12);
            (void)snprintf(path, sizeof path, "columns.%d.%s.ceiling", c, names[m]);
            (void)snprintf(wanted, sizeof wanted, "expected.ceiling.%d.%s", c, names[m]);
            same_at(document, path, reference, wanted, 1e-12);
        }
    json_decref(document);
    json_decref(reference);
}

TEST(marginals_agree_with_the_pinned_protocol)
{
    json_auto_t *reference = kit_reference();
    json_auto_t *document = kit_evaluate(&k);
    char path[64];
    char wanted[64];
    assert_int_equal(json_array_size(kit_find(document, "marginals")), 4);
    for (int way = 0; way < 4; way++) {
        (void)snprintf(path, sizeof path, "marginals.%d.tvd.synthetic", way);
        (void)snprintf(wanted, sizeof wanted, "expected.marginals.%d", way);
        same_at(document, path, reference, wanted, 1e-12);
        (void)snprintf(path, sizeof path, "marginals.%d.tvd.ceiling", way);
        (void)snprintf(wanted, sizeof wanted, "expected.marginals_ceiling.%d", way);
        same_at(document, path, reference, wanted, 1e-12);
    }
}

TEST(associations_agree_with_scipy)
{
    static const char *const tables[] = {"real", "synthetic"};
    json_auto_t *reference = kit_reference();
    json_auto_t *document = kit_evaluate(&k);
    char path[64];
    char wanted[64];
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < 11; i++)
            for (int j = 0; j < 11; j++) {
                (void)snprintf(path, sizeof path, "association.%s.%d.%d", tables[t], i, j);
                (void)snprintf(wanted, sizeof wanted, "expected.association_%s.%d.%d", tables[t], i, j);
                same_at(document, path, reference, wanted, 1e-9);
            }
    same_at(document, "association.mean_difference.synthetic", reference, "expected.association_difference.0",
            1e-9);
    same_at(document, "association.largest_difference.synthetic", reference,
            "expected.association_difference.1", 1e-9);
    same_at(document, "association.mean_difference.ceiling", reference, "expected.association_ceiling.0",
            1e-9);
    same_at(document, "association.largest_difference.ceiling", reference, "expected.association_ceiling.1",
            1e-9);
}

TEST(kernel_and_disclosure_agree_with_numpy)
{
    json_auto_t *reference = kit_reference();
    json_auto_t *document = kit_evaluate(&k);
    same_at(document, "mmd.squared.synthetic", reference, "expected.mmd", 1e-12);
    same_at(document, "mmd.squared.ceiling", reference, "expected.mmd_ceiling", 1e-12);
    same_at(document, "disclosure.exact_copies.synthetic", reference, "expected.copies.0", 0);
    same_at(document, "disclosure.exact_copies.holdout", reference, "expected.copies.1", 0);
    static const char *const sides[] = {"synthetic", "holdout"};
    for (int i = 0; i < 2; i++) {
        char path[96];
        char wanted[96];
        (void)snprintf(path, sizeof path, "disclosure.distance_to_closest_record.%s.median", sides[i]);
        (void)snprintf(wanted, sizeof wanted, "expected.disclosure.%s.0", sides[i]);
        same_at(document, path, reference, wanted, 1e-12);
        (void)snprintf(path, sizeof path, "disclosure.distance_to_closest_record.%s.p5", sides[i]);
        (void)snprintf(wanted, sizeof wanted, "expected.disclosure.%s.1", sides[i]);
        same_at(document, path, reference, wanted, 1e-12);
    }
    same_at(document, "disclosure.membership.advantage", reference, "expected.disclosure.advantage", 1e-12);
    same_at(document, "disclosure.membership.low", reference, "expected.disclosure.low", 1e-12);
    same_at(document, "disclosure.membership.high", reference, "expected.disclosure.high", 1e-12);
}

EACH_TEST(set_up, tear_down)
