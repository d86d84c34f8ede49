/* SPDX-License-Identifier: Apache-2.0 */
/* Reads IDX, the format of MNIST: two zero bytes, 08 (unsigned bytes), the number of dimensions, each
 * dimension as a big-endian 32-bit number, then the bytes. Labels have one dimension, grey images three,
 * colour images four with the channels last. */
#include "base/alloc.h"
#include "base/byte_source.h"
#include "public/image/image_container.h"

#define MOST_DIMENSIONS ((size_t)4)
#define LABEL_CHUNK ((size_t)512)
#define DEFAULT_CLASSES ((size_t)10)

typedef struct idx_state {
    sbl_byte_source *images;
    sbl_byte_source *labels; /* NULL: none */
    size_t image_size;
    uint8_t chunk[LABEL_CHUNK];
} idx_state;

typedef struct idx_header {
    size_t dimensions;
    size_t sizes[MOST_DIMENSIONS];
} idx_header;

static sbl_status fail_short(const sbl_byte_source *source, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s is cut short: its header promises more",
                    sbl_byte_source_name(source));
}

static sbl_status fail_long(const sbl_byte_source *source, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s is longer than its header promises", sbl_byte_source_name(source));
}

static sbl_status read_exactly(sbl_byte_source *source, void *bytes, size_t size, sbl_error *err)
{
    size_t got;
    const sbl_status status = sbl_byte_source_read(source, bytes, size, &got, err);
    if (status != SBL_OK) return status;
    return got == size ? SBL_OK : fail_short(source, err);
}

static sbl_status expect_end(sbl_byte_source *source, sbl_error *err)
{
    uint8_t byte = 0;
    size_t got;
    const sbl_status status = sbl_byte_source_read(source, &byte, 1, &got, err);
    if (status != SBL_OK) return status;
    return got == 0 ? SBL_OK : fail_long(source, err);
}

/* A file may end before its header does, which then promises nothing. */
static sbl_status read_in_header(sbl_byte_source *source, void *bytes, size_t size, bool first,
                                 sbl_error *err)
{
    size_t got;
    const sbl_status status = sbl_byte_source_read(source, bytes, size, &got, err);
    if (status != SBL_OK || got == size) return status;
    return sbl_fail(
        err, SBL_EINPUT,
        first && got == 0 ? "%s is empty: it has no IDX header" : "%s is cut short within its IDX header",
        sbl_byte_source_name(source));
}

static sbl_status read_header(idx_header *header, sbl_byte_source *source, sbl_error *err)
{
    uint8_t bytes[4 * MOST_DIMENSIONS];
    const char *name = sbl_byte_source_name(source);
    SBL_CHECK(read_in_header(source, bytes, 4, true, err));
    if (bytes[0] != 0 || bytes[1] != 0 || bytes[3] == 0 || bytes[3] > MOST_DIMENSIONS)
        return sbl_fail(err, SBL_EINPUT, "%s is not an IDX file: wrong magic number", name);
    if (bytes[2] != 8) return sbl_fail(err, SBL_EINPUT, "%s: the IDX values are not unsigned bytes", name);
    header->dimensions = bytes[3];
    SBL_CHECK(read_in_header(source, bytes, 4 * header->dimensions, false, err));
    for (size_t i = 0; i < header->dimensions; i++) {
        const uint8_t *at = bytes + 4 * i;
        header->sizes[i] = (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | (size_t)at[3];
    }
    return SBL_OK;
}

/* Where the size of the file is known, compare it with the header before anything is read. */
static sbl_status check_size(const sbl_byte_source *source, const idx_header *header, size_t item,
                             sbl_error *err)
{
    uint64_t size;
    /* No overflow: at most 2^26 items of 3 * 2^14 bytes. */
    const uint64_t promised = 4 + 4 * header->dimensions + (uint64_t)header->sizes[0] * item;
    if (!sbl_byte_source_size(source, &size) || size == promised) return SBL_OK;
    return size < promised ? fail_short(source, err) : fail_long(source, err);
}

static sbl_status check_count(const idx_header *header, const char *name, sbl_error *err)
{
    if (header->sizes[0] > SBL_IMAGE_COUNT_LIMIT)
        return sbl_fail(err, SBL_EINPUT, "%s: the header promises more than %zu images", name,
                        SBL_IMAGE_COUNT_LIMIT);
    return SBL_OK;
}

static sbl_status open_images(sbl_image_container *container, idx_state *state, const char *path,
                              sbl_error *err)
{
    idx_header header = {0};
    SBL_CHECK(sbl_byte_source_open(&state->images, path, err));
    const char *name = sbl_byte_source_name(state->images);
    SBL_CHECK(read_header(&header, state->images, err));
    if (header.dimensions < 3)
        return sbl_fail(err, SBL_EINPUT,
                        "%s holds no images: its magic number is that of %s; images have 0x00000803", name,
                        header.dimensions == 1 ? "labels" : "a matrix");
    container->shape =
        (sbl_image_shape){header.sizes[1], header.sizes[2], header.dimensions == 4 ? header.sizes[3] : 1};
    container->count = header.sizes[0];
    SBL_CHECK(check_count(&header, name, err));
    if (!sbl_image_shape_valid(container->shape))
        return sbl_fail(err, SBL_EINPUT,
                        "%s: images of %zu x %zu with %zu channels; sides must be from 1 to %zu, channels "
                        "1 or 3",
                        name, header.sizes[1], header.sizes[2], container->shape.channels,
                        SBL_IMAGE_SIDE_LIMIT);
    state->image_size = sbl_image_size(container->shape);
    return check_size(state->images, &header, state->image_size, err);
}

static sbl_status open_labels(const sbl_image_container *container, idx_state *state, const char *path,
                              sbl_error *err)
{
    idx_header header = {0};
    SBL_CHECK(sbl_byte_source_open(&state->labels, path, err));
    SBL_CHECK(read_header(&header, state->labels, err));
    if (header.dimensions != 1)
        return sbl_fail(err, SBL_EINPUT, "%s holds no labels: its magic number is not 0x00000801",
                        sbl_byte_source_name(state->labels));
    /* Under add-remove the numbers themselves are private. */
    if (header.sizes[0] != container->count)
        return sbl_fail(err, SBL_EINPUT, "the number of labels in %s differs from the number of images in %s",
                        sbl_byte_source_name(state->labels), sbl_byte_source_name(state->images));
    return check_size(state->labels, &header, 1, err);
}

static sbl_status read_labels(idx_state *state, uint32_t *labels, size_t count, sbl_error *err)
{
    while (count > 0) {
        const size_t part = count < LABEL_CHUNK ? count : LABEL_CHUNK;
        const sbl_status status = read_exactly(state->labels, state->chunk, part, err);
        if (status != SBL_OK) return status;
        if (labels != NULL)
            for (size_t i = 0; i < part; i++) *labels++ = state->chunk[i];
        count -= part;
    }
    return SBL_OK;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type of all readers */
static sbl_status read_idx(void *of, uint8_t *pixels, uint32_t *labels, uint8_t *misfits, size_t count,
                           bool last, sbl_error *err)
{
    idx_state *state = of;
    (void)misfits; /* every image fits */
    SBL_CHECK(read_exactly(state->images, pixels, count * state->image_size, err));
    if (last) SBL_CHECK(expect_end(state->images, err));
    if (state->labels == NULL) {
        if (labels != NULL) memset(labels, 0, count * sizeof *labels);
    } else {
        SBL_CHECK(read_labels(state, labels, count, err));
        if (last) SBL_CHECK(expect_end(state->labels, err));
    }
    return SBL_OK;
}

static void close_idx(void *of)
{
    idx_state *state = of;
    sbl_byte_source_free(state->images);
    sbl_byte_source_free(state->labels);
    sbl_free_wiped(state, sizeof *state);
}

sbl_status sbl_idx_open(sbl_image_container *container, const char *images, const char *labels,
                        const sbl_image_options *options, sbl_error *err)
{
    sbl_status status;
    if (labels != NULL && strcmp(images, "-") == 0 && strcmp(labels, "-") == 0)
        return sbl_fail(err, SBL_EARG, "images and labels cannot both be standard input");
    idx_state *state = sbl_alloc_array(1, sizeof *state);
    if (state == NULL) return sbl_no_memory(err, "a reader of images");
    SBL_TRY(open_images(container, state, images, err));
    if (labels != NULL) {
        SBL_TRY(open_labels(container, state, labels, err));
        container->classes = options->classes != 0 ? options->classes : DEFAULT_CLASSES;
    }
    /* The ends are checked with the last image, which an empty set does not have. */
    if (container->count == 0) SBL_TRY(read_idx(state, state->chunk, NULL, NULL, 0, true, err));
    container->state = state;
    container->read = read_idx;
    container->close = close_idx;
done:
    if (status != SBL_OK) close_idx(state);
    return status;
}
