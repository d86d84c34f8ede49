/* SPDX-License-Identifier: Apache-2.0 */
/* The made-up digits of examples/make_images.c: a set as any other, the same bytes everywhere, with
 * classes that can be told apart, though not by every means. */
#include <stdio.h>
#include <stdlib.h>

#include "base/sha256.h"
#include "base/text.h"
#include "image/image_kit.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

static void make(const char *count, const char *images, const char *labels)
{
    char command[2048];
    (void)snprintf(command, sizeof command, "'%s' %s 7 '%s' '%s'", MAKE_IMAGES, count, images, labels);
    assert_int_equal(system(command), 0);
}

TEST(drawings_are_the_same_everywhere)
{
    static const char expected[] = "e87b580a4a728c1843a997e4019f24a4367d6324420e597971f97e0c7bde1818";
    uint8_t digest[SBL_SHA256_SIZE];
    char hex[2 * SBL_SHA256_SIZE + 1];
    size_t size;
    size_t prefix;
    make("2000", in_folder(kit_folder, "i"), in_folder(kit_folder, "l"));
    make("50", in_folder(kit_folder, "few"), in_folder(kit_folder, "few_labels"));
    FREED(free) char *all = slurp(in_folder(kit_folder, "i"), &size);
    FREED(free) char *few = slurp(in_folder(kit_folder, "few"), &prefix);
    assert_ok(sbl_sha256(digest, all, size, NULL, 0, NULL));
    assert_string_equal(sbl_hex_encode(hex, digest, sizeof digest), expected);
    assert_int_equal(prefix, 16 + 50 * 784);
    assert_memory_equal(all + 16, few + 16, 50 * 784); /* drawing i depends on i alone */
}

/* Share of the second half whose nearest class mean of the first half is its own. */
TEST(classes_are_neither_trivial_nor_hopeless)
{
    static double means[10][784];
    size_t counts[10] = {0};
    size_t right = 0;
    CLEARED(kit_set_free)
    kit_set set = kit_read(in_folder(kit_folder, "i"), in_folder(kit_folder, "l"), NULL, 256);
    assert_int_equal(set.count, 2000);
    for (size_t i = 0; i < 1000; i++) counts[set.labels[i]]++;
    for (size_t k = 0; k < 10; k++) assert_in_range(counts[k], 60, 140);
    for (size_t i = 0; i < 1000; i++)
        for (size_t at = 0; at < 784; at++)
            means[set.labels[i]][at] += (double)set.pixels[784 * i + at] / (double)counts[set.labels[i]];
    for (size_t i = 1000; i < 2000; i++) {
        size_t best = 0;
        double least = 1e300;
        for (size_t k = 0; k < 10; k++) {
            double distance = 0;
            for (size_t at = 0; at < 784; at++) {
                const double d = set.pixels[784 * i + at] - means[k][at];
                distance += d * d;
            }
            if (distance < least) best = k;
            if (distance < least) least = distance;
        }
        right += best == set.labels[i];
    }
    printf("nearest mean: %zu of 1000\n", right);
    assert_in_range(right, 600, 900);
}

TEST(bad_calls_are_refused)
{
    assert_int_not_equal(system("'" MAKE_IMAGES "' 2>/dev/null"), 0);
    assert_int_not_equal(system("'" MAKE_IMAGES "' 0 1 /dev/null /dev/null 2>/dev/null"), 0);
    assert_int_not_equal(system("'" MAKE_IMAGES "' 5 1 /nonexistent/x /dev/null 2>/dev/null"), 0);
}

ALL_TESTS(kit_setup, kit_teardown)
