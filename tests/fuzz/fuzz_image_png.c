/* SPDX-License-Identifier: Apache-2.0 */
/* PNG: byte 0 says grey or colour and whether checksums are made good first, so that what they hide
 * is reached; then the file. A header is refused or accepted; pixels always come out, the same
 * twice.
 */
#include <zlib.h>

#include "fuzz/fuzz_image.h"
#include "public/image/png.h"

/* Give every chunk that is whole the checksum it should have. */
static void mend(uint8_t *bytes, size_t size)
{
    for (size_t at = 8; size - at >= 12;) {
        const size_t length = (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 |
                              (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (length > size - at - 12) return;
        const uint32_t sum = (uint32_t)crc32(0, bytes + at + 4, (uInt)length + 4);
        for (size_t i = 0; i < 4; i++) bytes[at + 8 + length + i] = (uint8_t)(sum >> (24 - 8 * i));
        at += length + 12;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sbl_png_header header;
    sbl_error err = {0};
    if (size < 9) return 0;
    const size_t channels = data[0] & 1 ? 3 : 1;
    uint8_t *bytes = malloc(size - 1);
    CHECK(bytes != NULL);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] & 2) mend(bytes, size - 1);
    const sbl_status status = sbl_png_header_parse(&header, bytes, size - 1, "x.png", &err);
    if (status == SBL_OK) {
        const sbl_image_shape shape = {header.height, header.width, channels};
        CHECK(sbl_image_shape_valid(shape));
        decode_twice(shape, false, bytes, size - 1);
    } else {
        CHECK(status == SBL_EINPUT);
        check_line(&err);
    }
    /* A decoder that is told another size than the file has must not believe the file. */
    decode_twice((sbl_image_shape){3, 5, channels}, false, bytes, size - 1);
    free(bytes);
    return 0;
}
