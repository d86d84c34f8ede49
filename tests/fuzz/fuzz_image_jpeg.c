/* SPDX-License-Identifier: Apache-2.0 */
/* JPEG: byte 0 says grey or colour, and whether images of any size are resized; then the file. A header is refused or
 * accepted; pixels always come out, the same twice, and nothing is printed. */
#include "fuzz/fuzz_image.h"
#include "records/image/jpeg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sbl_error err = {0};
    size_t height, width;
    if (size < 4) return 0;
    const size_t channels = data[0] & 1 ? 3 : 1;
    const bool resize = data[0] & 2;
    /* Exactly as large as the file: a byte too many is a byte past the allocation. */
    uint8_t *bytes = malloc(size - 1);
    CHECK(bytes != NULL);
    memcpy(bytes, data + 1, size - 1);
    const sbl_status status = sbl_image_file_size(&height, &width, bytes, size - 1, "x.jpg", &err);
    if (status == SBL_OK) {
        const sbl_image_shape shape = {height, width, channels};
        CHECK(sbl_image_shape_valid(shape));
        decode_twice(shape, false, bytes, size - 1);
    } else {
        CHECK(status == SBL_EINPUT);
        check_line(&err);
    }
    /* A decoder that is told another size than the file has must not believe the file. */
    decode_twice((sbl_image_shape){3, 5, channels}, resize, bytes, size - 1);
    free(bytes);
    return 0;
}
