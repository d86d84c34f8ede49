/* [9] Checks what a format can hold before anything is opened, then writes headers and records of
 * IDX and CIFAR itself and leaves PNG folders to png_folder_write.c. A set with fewer images than
 * announced never appears. */
#include "image/image_writer.h"

#include "base/memory.h"
#include "image/image_container.h"
#include "image/image_output.h"
#include "image/image_sink.h"

struct sbl_image_writer {
    sbl_image_format format;
    sbl_image_shape shape;
    size_t classes;
    size_t count;
    size_t written;
    sbl_image_sink *images; /* IDX, CIFAR */
    sbl_image_sink *labels; /* IDX */
    sbl_png_output *folder; /* PNG */
};

static sbl_status check_options(const sbl_image_write_options *options, sbl_image_format format,
                                const char *images, const char *labels, sbl_error *err)
{
    const sbl_image_shape shape = options->shape;
    const bool with_labels = format == SBL_IMAGE_IDX && options->classes != 0;
    const size_t most = format == SBL_IMAGE_CIFAR ? SBL_CIFAR_MOST_IMAGES : SBL_IMAGE_COUNT_LIMIT;
    if (!sbl_image_shape_valid(shape))
        return sbl_fail(err, SBL_EARG,
                        "%s: images of %zu x %zu with %zu channels cannot be written", images,
                        shape.height, shape.width, shape.channels);
    if (options->count == 0 || options->count > most)
        return sbl_fail(err, SBL_EARG, "%s: 1 to %zu images can be written", images, most);
    if (options->classes > (format == SBL_IMAGE_PNG ? SBL_IMAGE_CLASS_LIMIT : 256) ||
        (format == SBL_IMAGE_CIFAR && sbl_cifar_is_100(options->classes)))
        return sbl_fail(err, SBL_EARG, "%s: this format has no room for %zu classes", images,
                        options->classes);
    if (with_labels && labels == NULL)
        return sbl_fail(err, SBL_EARG, "%s: a file for the labels must be named, too", images);
    if (!with_labels && labels != NULL)
        return sbl_fail(err, SBL_EARG, "%s: a file of labels goes with labelled IDX images only",
                        labels);
    if (format == SBL_IMAGE_CIFAR &&
        (shape.height != SBL_CIFAR_SIDE || shape.width != SBL_CIFAR_SIDE || shape.channels != 3 ||
         options->classes == 0))
        return sbl_fail(err, SBL_EARG,
                        "%s: CIFAR holds labelled colour images of 32 x 32 only; write IDX or PNG",
                        images);
    return SBL_OK;
}

static uint8_t *store_big_endian(uint8_t *bytes, size_t value)
{
    for (size_t i = 0; i < 4; i++) bytes[i] = (uint8_t)(value >> (24 - 8 * i));
    return bytes + 4;
}

static sbl_status begin_idx(sbl_image_writer *writer, const char *images, const char *labels,
                            bool overwrite, sbl_error *err)
{
    uint8_t header[20] = {0, 0, 8, writer->shape.channels == 3 ? 4 : 3};
    sbl_status status;
    uint8_t *end = store_big_endian(header + 4, writer->count);
    end = store_big_endian(end, writer->shape.height);
    end = store_big_endian(end, writer->shape.width);
    if (writer->shape.channels == 3) end = store_big_endian(end, 3);
    SBL_TRY(sbl_image_sink_open(&writer->images, images, overwrite, err));
    SBL_TRY(sbl_image_sink_write(writer->images, header, (size_t)(end - header), err));
    if (labels == NULL) goto done;
    header[3] = 1;
    SBL_TRY(sbl_image_sink_open(&writer->labels, labels, overwrite, err));
    SBL_TRY(sbl_image_sink_write(writer->labels, header, 8, err));
done:
    return status;
}

sbl_status sbl_image_writer_open(sbl_image_writer **writer, const char *images, const char *labels,
                                 const sbl_image_write_options *options, sbl_error *err)
{
    sbl_image_format format = options->format;
    sbl_image_writer *made = NULL;
    sbl_status status;
    *writer = NULL;
    if (format == SBL_IMAGE_AUTO)
        format = sbl_image_is_cifar_name(images) ? SBL_IMAGE_CIFAR : SBL_IMAGE_IDX;
    SBL_TRY(check_options(options, format, images, labels, err));
    made = sbl_alloc_array(1, sizeof *made);
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory while writing %s", images);
    made->format = format;
    made->shape = options->shape;
    made->classes = options->classes;
    made->count = options->count;
    if (format == SBL_IMAGE_IDX)
        SBL_TRY(begin_idx(made, images, labels, options->overwrite, err));
    else if (format == SBL_IMAGE_CIFAR)
        SBL_TRY(sbl_image_sink_open(&made->images, images, options->overwrite, err));
    else
        SBL_TRY(sbl_png_output_open(&made->folder, images, options, err));
    *writer = made;
    made = NULL;
done:
    sbl_image_writer_free(made);
    return status;
}

static sbl_status write_idx(sbl_image_writer *writer, const uint8_t *pixels, uint32_t label,
                            sbl_error *err)
{
    const uint8_t byte = (uint8_t)label;
    const sbl_status status =
        sbl_image_sink_write(writer->images, pixels, sbl_image_size(writer->shape), err);
    if (status != SBL_OK || writer->labels == NULL) return status;
    return sbl_image_sink_write(writer->labels, &byte, 1, err);
}

static sbl_status write_cifar(sbl_image_writer *writer, const uint8_t *pixels, uint32_t label,
                              sbl_error *err)
{
    uint8_t record[1 + 3 * SBL_CIFAR_PIXELS];
    record[0] = (uint8_t)label;
    for (size_t pixel = 0; pixel < SBL_CIFAR_PIXELS; pixel++)
        for (size_t channel = 0; channel < 3; channel++)
            record[1 + channel * SBL_CIFAR_PIXELS + pixel] = *pixels++;
    return sbl_image_sink_write(writer->images, record, sizeof record, err);
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
    sbl_image_sink *const sinks[SBL_IMAGE_SINKS] = {writer->labels, writer->images};
    return writer->labels != NULL ? sbl_image_sinks_finish(sinks, 2, err)
                                  : sbl_image_sinks_finish(sinks + 1, 1, err);
}

void sbl_image_writer_free(sbl_image_writer *writer)
{
    if (writer == NULL) return;
    sbl_image_sink_free(writer->images);
    sbl_image_sink_free(writer->labels);
    sbl_png_output_free(writer->folder);
    sbl_free(writer);
}
