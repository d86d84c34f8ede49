/* SPDX-License-Identifier: Apache-2.0 */
/* MNIST and FashionMNIST, where they are at hand (SBL_DATA, or shared/data beside the source):
 * counts, shape, labels per class and the sum of all pixels are those of the published files. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "records/image/image_set.h"
#include "support/cmocka_all.h"

#define BATCH ((size_t)512)

typedef struct known_set {
    const char *folder;
    const char *part;
    size_t count;
    uint64_t pixel_sum;
    size_t labels[10];
} known_set;

static const known_set known[] = {
    {"mnist", "train", 60000, 1567298545, {5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}},
    {"mnist", "t10k", 10000, 264923200, {980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}},
    {"fashion_mnist",
     "train",
     60000,
     3431114169,
     {6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000}},
    {"fashion_mnist", "t10k", 10000, 573469082, {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}},
};

static const char *data_folder(void)
{
    const char *named = getenv("SBL_DATA");
    return named != NULL ? named : SBL_TEST_SOURCE_DIR "/../../shared/data";
}

static void check_set(const known_set *set, const char *images, const char *labels_path)
{
    static uint8_t pixels[BATCH * 784];
    static uint32_t labels[BATCH];
    size_t counts[10] = {0};
    uint64_t sum = 0;
    size_t total = 0;
    size_t got = 1;
    sbl_image_reader *reader;
    sbl_error err = {0};
    assert_ok_or_say(sbl_image_open(&reader, images, labels_path, NULL, &err));
    assert_int_equal(sbl_image_reader_count(reader), set->count);
    assert_int_equal(sbl_image_size(sbl_image_reader_shape(reader)), 784);
    for (; got > 0; total += got) {
        assert_ok_or_say(sbl_image_read(reader, pixels, labels, &got, BATCH, &err));
        for (size_t i = 0; i < got * 784; i++) sum += pixels[i];
        for (size_t i = 0; i < got; i++) counts[labels[i]]++;
    }
    sbl_image_close(reader);
    assert_int_equal(total, set->count);
    assert_int_equal(sum, set->pixel_sum);
    assert_memory_equal(counts, set->labels, sizeof counts);
}

TEST(published_sets_are_read_whole)
{
    size_t found = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char images[4096];
        char labels[4096];
        const char *folder = known[i].folder;
        (void)snprintf(images, sizeof images, "%s/%s/%s-images-idx3-ubyte.gz", data_folder(), folder,
                       known[i].part);
        (void)snprintf(labels, sizeof labels, "%s/%s/%s-labels-idx1-ubyte.gz", data_folder(), folder,
                       known[i].part);
        if (access(images, R_OK) != 0) continue;
        check_set(&known[i], images, labels);
        found++;
    }
    printf("%zu sets\n", found);
    if (found == 0) skip();
}
