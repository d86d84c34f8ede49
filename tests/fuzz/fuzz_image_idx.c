/* SPDX-License-Identifier: Apache-2.0 */
/* IDX: byte 0 says whether there are labels, bytes 1 and 2 how long their file is; then the labels'
 * file, then that of the images. */
#include "fuzz/fuzz_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char images[64];
    char labels[64];
    if (size < 3) return 0;
    const size_t wanted = (size_t)data[1] | (size_t)data[2] << 8;
    const size_t length = wanted < size - 3 ? wanted : size - 3;
    const sbl_image_options options = {.format = SBL_IMAGE_IDX, .classes = data[0] >> 1};
    const int labels_file = open_memory_file(labels, data + 3, length);
    const int images_file = open_memory_file(images, data + 3 + length, size - 3 - length);
    check_set(images, data[0] & 1 ? labels : NULL, &options);
    (void)close(labels_file);
    (void)close(images_file);
    return 0;
}
