/* SPDX-License-Identifier: Apache-2.0 */
/* [9] Checks what a format can hold before anything is opened, then writes headers and records of
 * IDX and CIFAR itself and leaves PNG folders to png_folder_write.c. A set with fewer images than
 * announced never appears. A file is pending, with 64 KiB of buffer or zlib in front of it; images and labels of an IDX pair
 * are committed together. */
#include "after/sinks/image_writer.h"

#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "public/image/image_container.h"

/* ---- files ---- */

#define BUFFER_SIZE ((size_t)64 << 10)
#define GZIP_WRAPPER (MAX_WBITS + 16)

#define SINKS 2 /* that may be finished together: a pair */

/* A file that appears whole or not at all, gzip when its name says so. */
typedef struct sink {
    sbl_pending_file file;
    bool pending; /* begun, neither committed nor discarded */
    bool gzip;
    z_stream stream;
    size_t filled;               /* plain: bytes of the buffer that wait */
    uint8_t buffer[BUFFER_SIZE]; /* plain: what waits; gzip: what came out */
} sink;

static sbl_status flush_plain(sink *to, sbl_error *err)
{
    const size_t size = to->filled;
    to->filled = 0;
    return sbl_write_all(to->file.descriptor, to->buffer, size, to->file.path.data, err);
}

/* bytes are fewer than 2^32: the callers write one image at a time. */
static sbl_status deflate_bytes(sink *to, const void *bytes, size_t size, int flush, sbl_error *err)
{
    int result;
    to->stream.next_in = (Bytef *)(uintptr_t)bytes;
    to->stream.avail_in = (uInt)size;
    do {
        to->stream.next_out = to->buffer;
        to->stream.avail_out = (uInt)BUFFER_SIZE;
        result = deflate(&to->stream, flush);
        if (result == Z_STREAM_ERROR)
            return sbl_fail(err, SBL_EINTERNAL, "compressing %s failed", to->file.path.data);
        const sbl_status status = sbl_write_all(to->file.descriptor, to->buffer,
                                                BUFFER_SIZE - to->stream.avail_out, to->file.path.data, err);
        if (status != SBL_OK) return status;
    } while (flush == Z_FINISH ? result != Z_STREAM_END : to->stream.avail_out == 0);
    return SBL_OK;
}

/* Free; what was not finished never was. sink may be NULL. */
static void sink_free(sink *to)
{
    if (to == NULL) return;
    if (to->gzip) (void)deflateEnd(&to->stream);
    if (to->pending) sbl_file_discard(&to->file);
    sbl_free_wiped(to, sizeof *to);
}

static sbl_status sink_open(sink **out, const char *path, bool overwrite, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sink *made = sbl_alloc_array(1, sizeof *made);
    *out = NULL;
    if (made == NULL) return sbl_no_memory(err, "a file of images");
    if (sbl_image_has_suffix(path, ".gz")) {
        if (deflateInit2(&made->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WRAPPER, 8,
                         Z_DEFAULT_STRATEGY) != Z_OK)
            SBL_TRY(sbl_no_memory(err, "a file of images"));
        made->gzip = true;
    }
    SBL_TRY(sbl_file_check_target(path, overwrite, err));
    SBL_TRY(sbl_file_begin(&made->file, path, (sbl_file_write_options){.mode = 0644, .overwrite = overwrite},
                           err));
    made->pending = true;
    *out = made;
    made = NULL;
done:
    sink_free(made);
    return status;
}

static sbl_status sink_write(sink *to, const void *bytes, size_t size, sbl_error *err)
{
    const uint8_t *next = bytes;
    if (to->gzip) return deflate_bytes(to, bytes, size, Z_NO_FLUSH, err);
    while (size > 0) {
        const size_t left = BUFFER_SIZE - to->filled;
        const size_t part = size < left ? size : left;
        memcpy(to->buffer + to->filled, next, part);
        to->filled += part;
        next += part;
        size -= part;
        if (to->filled < BUFFER_SIZE) break;
        const sbl_status status = flush_plain(to, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

/* Write what is left and let the files appear, all or none. Called at most once for each. */
static sbl_status sinks_finish(sink *const *sinks, size_t count, sbl_error *err)
{
    sbl_pending_file *files[SINKS];
    for (size_t i = 0; i < count; i++) {
        const sbl_status status =
            sinks[i]->gzip ? deflate_bytes(sinks[i], "", 0, Z_FINISH, err) : flush_plain(sinks[i], err);
        if (status != SBL_OK) return status;
        files[i] = &sinks[i]->file;
    }
    for (size_t i = 0; i < count; i++) sinks[i]->pending = false;
    return sbl_file_commit_all(files, count, err);
}

/* ---- image sets ---- */

struct sbl_image_writer {
    sbl_image_format format;
    sbl_image_shape shape;
    size_t classes;
    size_t count;
    size_t written;
    sink *images;           /* IDX, CIFAR */
    sink *labels;           /* IDX */
    sbl_png_output *folder; /* PNG */
};

static sbl_status check_options(const sbl_image_write_options *options, sbl_image_format format,
                                const char *images, const char *labels, sbl_error *err)
{
    const sbl_image_shape shape = options->shape;
    const bool with_labels = format == SBL_IMAGE_IDX && options->classes != 0;
    const size_t most = format == SBL_IMAGE_CIFAR ? SBL_CIFAR_MOST_IMAGES : SBL_IMAGE_COUNT_LIMIT;
    if (!sbl_image_shape_valid(shape))
        return sbl_fail(err, SBL_EARG, "%s: images of %zu x %zu with %zu channels cannot be written", images,
                        shape.height, shape.width, shape.channels);
    if (options->count == 0 || options->count > most)
        return sbl_fail(err, SBL_EARG, "%s: 1 to %zu images can be written", images, most);
    if (options->classes > (format == SBL_IMAGE_PNG ? SBL_IMAGE_CLASS_LIMIT : 256) ||
        (format == SBL_IMAGE_CIFAR && sbl_cifar_is_100(options->classes)))
        return sbl_fail(err, SBL_EARG, "%s: this format cannot hold %zu classes: write PNG files", images,
                        options->classes);
    if (with_labels && labels == NULL)
        return sbl_fail(err, SBL_EARG, "%s: name a file for the labels, too", images);
    if (!with_labels && labels != NULL)
        return sbl_fail(err, SBL_EARG, "%s: only labelled IDX images have a file of labels: leave it out",
                        labels);
    if (format == SBL_IMAGE_CIFAR && (shape.height != SBL_CIFAR_SIDE || shape.width != SBL_CIFAR_SIDE ||
                                      shape.channels != 3 || options->classes == 0))
        return sbl_fail(err, SBL_EARG,
                        "%s: CIFAR holds labelled colour images of 32 x 32 only; write IDX or PNG", images);
    return SBL_OK;
}

static uint8_t *store_big_endian(uint8_t *bytes, size_t value)
{
    for (size_t i = 0; i < 4; i++) bytes[i] = (uint8_t)(value >> (24 - 8 * i));
    return bytes + 4;
}

static sbl_status begin_idx(sbl_image_writer *writer, const char *images, const char *labels, bool overwrite,
                            sbl_error *err)
{
    uint8_t header[20] = {0, 0, 8, writer->shape.channels == 3 ? 4 : 3};
    uint8_t *end = store_big_endian(header + 4, writer->count);
    end = store_big_endian(end, writer->shape.height);
    end = store_big_endian(end, writer->shape.width);
    if (writer->shape.channels == 3) end = store_big_endian(end, 3);
    SBL_CHECK(sink_open(&writer->images, images, overwrite, err));
    SBL_CHECK(sink_write(writer->images, header, (size_t)(end - header), err));
    if (labels == NULL) return SBL_OK;
    header[3] = 1;
    SBL_CHECK(sink_open(&writer->labels, labels, overwrite, err));
    return sink_write(writer->labels, header, 8, err);
}

sbl_status sbl_image_writer_open(sbl_image_writer **writer, const char *images, const char *labels,
                                 const sbl_image_write_options *options, sbl_error *err)
{
    sbl_image_format format = options->format;
    sbl_image_writer *made = NULL;
    sbl_status status;
    *writer = NULL;
    if (format == SBL_IMAGE_AUTO) format = sbl_image_is_cifar_name(images) ? SBL_IMAGE_CIFAR : SBL_IMAGE_IDX;
    SBL_TRY(check_options(options, format, images, labels, err));
    made = sbl_alloc_array(1, sizeof *made);
    if (made == NULL) return sbl_no_memory(err, "a writer of images");
    made->format = format;
    made->shape = options->shape;
    made->classes = options->classes;
    made->count = options->count;
    if (format == SBL_IMAGE_IDX)
        SBL_TRY(begin_idx(made, images, labels, options->overwrite, err));
    else if (format == SBL_IMAGE_CIFAR)
        SBL_TRY(sink_open(&made->images, images, options->overwrite, err));
    else
        SBL_TRY(sbl_png_output_open(&made->folder, images, options, err));
    *writer = made;
    made = NULL;
done:
    sbl_image_writer_free(made);
    return status;
}

static sbl_status write_idx(sbl_image_writer *writer, const uint8_t *pixels, uint32_t label, sbl_error *err)
{
    const uint8_t byte = (uint8_t)label;
    const sbl_status status = sink_write(writer->images, pixels, sbl_image_size(writer->shape), err);
    if (status != SBL_OK || writer->labels == NULL) return status;
    return sink_write(writer->labels, &byte, 1, err);
}

static sbl_status write_cifar(sbl_image_writer *writer, const uint8_t *pixels, uint32_t label, sbl_error *err)
{
    uint8_t record[1 + 3 * SBL_CIFAR_PIXELS];
    record[0] = (uint8_t)label;
    for (size_t pixel = 0; pixel < SBL_CIFAR_PIXELS; pixel++)
        for (size_t channel = 0; channel < 3; channel++)
            record[1 + channel * SBL_CIFAR_PIXELS + pixel] = *pixels++;
    return sink_write(writer->images, record, sizeof record, err);
}

sbl_status sbl_image_write(sbl_image_writer *writer, const uint8_t *pixels, const uint32_t *labels,
                           size_t count, sbl_error *err)
{
    const size_t size = sbl_image_size(writer->shape);
    if (count > writer->count - writer->written)
        return sbl_fail(err, SBL_EARG, "more images than the %zu announced", writer->count);
    for (size_t i = 0; i < count; i++, pixels += size, writer->written++) {
        const uint32_t label = writer->classes != 0 ? labels[i] : 0;
        sbl_status status;
        if (writer->classes != 0 && label >= writer->classes)
            return sbl_fail(err, SBL_EARG, "a label to be written is outside the %zu classes",
                            writer->classes);
        if (writer->format == SBL_IMAGE_IDX)
            status = write_idx(writer, pixels, label, err);
        else if (writer->format == SBL_IMAGE_CIFAR)
            status = write_cifar(writer, pixels, label, err);
        else
            status = sbl_png_output_write(writer->folder, pixels, label, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

sbl_status sbl_image_writer_finish(sbl_image_writer *writer, sbl_error *err)
{
    if (writer->written != writer->count)
        return sbl_fail(err, SBL_EARG, "%zu images were announced, but %zu written", writer->count,
                        writer->written);
    if (writer->folder != NULL) return sbl_png_output_finish(writer->folder, err);
    /* Labels first: images without theirs would pass for a set that has none. */
    sink *const sinks[SINKS] = {writer->labels, writer->images};
    return writer->labels != NULL ? sinks_finish(sinks, 2, err) : sinks_finish(sinks + 1, 1, err);
}

void sbl_image_writer_free(sbl_image_writer *writer)
{
    if (writer == NULL) return;
    sink_free(writer->images);
    sink_free(writer->labels);
    sbl_png_output_free(writer->folder);
    sbl_free(writer);
}
