/* SPDX-License-Identifier: Apache-2.0 */
/* [1] Chooses the container by names alone and checks it against the declared facts. The containers (idx,
 * cifar, folder, memory) read. The rule for labels outside the classes is applied here, once for all of
 * them. */
#include "records/image/image_set.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "public/image/image_container.h"

/* ---- images that are in memory already ---- */

typedef struct borrowed {
    sbl_image_buffers buffers;
    size_t next; /* number of the next image */
} borrowed;

/* NOLINTNEXTLINE(readability-non-const-parameter): the type of all readers */
static sbl_status read_borrowed(void *state, uint8_t *pixels, uint32_t *labels, uint8_t *misfits,
                                size_t count, bool last, sbl_error *err)
{
    borrowed *from = state;
    const size_t size = sbl_image_size(from->buffers.shape);
    (void)misfits, (void)last, (void)err;
    memcpy(pixels, from->buffers.pixels + from->next * size, count * size);
    if (labels != NULL && from->buffers.labels != NULL)
        memcpy(labels, from->buffers.labels + from->next, count * sizeof *labels);
    else if (labels != NULL)
        memset(labels, 0, count * sizeof *labels);
    from->next += count;
    return SBL_OK;
}

/* ---- any set ---- */

struct sbl_image_reader {
    sbl_image_container container;
    size_t next; /* number of the next image */
};

static sbl_status check_options(const sbl_image_options *options, sbl_error *err)
{
    if (options->classes > SBL_IMAGE_CLASS_LIMIT)
        return sbl_fail(err, SBL_EARG, "at most %zu classes of images are supported", SBL_IMAGE_CLASS_LIMIT);
    if (options->channels != 0 && options->channels != 1 && options->channels != 3)
        return sbl_fail(err, SBL_EARG, "images have 1 channel (grey) or 3 (colour)");
    const sbl_image_shape declared = {options->height, options->width, 1};
    if ((options->height != 0 || options->width != 0) && !sbl_image_shape_valid(declared))
        return sbl_fail(err, SBL_EARG, "an image has %zu x %zu pixels; sides must be from 1 to %zu",
                        options->height, options->width, SBL_IMAGE_SIDE_LIMIT);
    if (options->resize && options->height == 0)
        return sbl_fail(err, SBL_EARG, "resizing images needs a size: declare it");
    return SBL_OK;
}

/* For a container that knows its own size and colours. */
static sbl_status check_declared(const sbl_image_container *container, const char *images,
                                 const sbl_image_options *options, sbl_error *err)
{
    const sbl_image_shape *shape = &container->shape;
    if (options->channels == 1 && shape->channels == 3)
        return sbl_fail(err, SBL_EARG,
                        "%s contains colour images: only a folder of PNG or JPEG files can be read as grey",
                        images);
    if (options->height == 0 || (shape->height == options->height && shape->width == options->width))
        return SBL_OK;
    return sbl_fail(err, SBL_EINPUT, "%s holds images of %zu x %zu, but %zu x %zu is declared", images,
                    shape->height, shape->width, options->height, options->width);
}

static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* By names alone: what a file holds must not decide how it is read. */
static sbl_status choose_format(sbl_image_format *format, const char *path, sbl_error *err)
{
    sbl_folder_list list;
    if (!is_folder(path)) {
        *format = sbl_image_is_cifar_name(path) ? SBL_IMAGE_CIFAR : SBL_IMAGE_IDX;
        return SBL_OK;
    }
    const sbl_status status = sbl_folder_list_read(&list, path, err);
    *format = SBL_IMAGE_PNG;
    for (size_t i = 0; i < list.count; i++)
        if (!list.entries[i].is_folder && sbl_image_is_cifar_name(list.entries[i].name))
            *format = SBL_IMAGE_CIFAR;
    sbl_folder_list_clear(&list);
    return status;
}

static sbl_status open_container(sbl_image_container *container, const char *images, const char *labels,
                                 const sbl_image_options *options, sbl_error *err)
{
    sbl_image_format format = options->format;
    sbl_status status = check_options(options, err);
    if (status == SBL_OK && format == SBL_IMAGE_AUTO) status = choose_format(&format, images, err);
    if (status != SBL_OK) return status;
    container->format = format;
    if (options->resize && format != SBL_IMAGE_PNG)
        return sbl_fail(err, SBL_EARG, "%s: only images of a folder of PNG or JPEG files are resized",
                        images);
    if (format == SBL_IMAGE_IDX) return sbl_idx_open(container, images, labels, options, err);
    if (labels != NULL)
        return sbl_fail(err, SBL_EARG,
                        format == SBL_IMAGE_CIFAR
                            ? "%s has its own labels; only IDX images take a file of labels"
                            : "%s is a folder: its subfolders are the labels, one per class; only IDX images "
                              "take a file of labels",
                        images);
    return format == SBL_IMAGE_CIFAR ? sbl_cifar_open(container, images, options, err)
                                     : sbl_image_folder_open(container, images, options, err);
}

sbl_status sbl_image_open(sbl_image_reader **reader, const char *images, const char *labels,
                          const sbl_image_options *options, sbl_error *err)
{
    const sbl_image_options defaults = {0};
    sbl_image_reader *made = NULL;
    sbl_status status = SBL_OK;
    *reader = NULL;
    if (options == NULL) options = &defaults;
    SBL_ALLOC(made, 1, "a reader of images");
    SBL_TRY(open_container(&made->container, images, labels, options, err));
    SBL_TRY(check_declared(&made->container, images, options, err));
    *reader = made;
    made = NULL;
done:
    sbl_image_close(made);
    return status;
}

sbl_status sbl_image_open_buffers(sbl_image_reader **reader, const sbl_image_buffers *buffers, sbl_error *err)
{
    sbl_image_reader *made = NULL;
    borrowed *from = NULL;
    sbl_status status = SBL_OK;
    *reader = NULL;
    SBL_ALLOC(made, 1, "images");
    SBL_ALLOC(from, 1, "images");
    from->buffers = *buffers;
    made->container = (sbl_image_container){.format = SBL_IMAGE_MEMORY,
                                            .shape = buffers->shape,
                                            .count = buffers->count,
                                            .classes = buffers->classes,
                                            .class_names = buffers->class_names,
                                            .state = from,
                                            .read = read_borrowed,
                                            .close = sbl_free};
    *reader = made;
    made = NULL;
done:
    sbl_free(made);
    return status;
}

sbl_image_format sbl_image_reader_format(const sbl_image_reader *reader) { return reader->container.format; }

sbl_image_shape sbl_image_reader_shape(const sbl_image_reader *reader) { return reader->container.shape; }

size_t sbl_image_reader_count(const sbl_image_reader *reader) { return reader->container.count; }

size_t sbl_image_reader_classes(const sbl_image_reader *reader) { return reader->container.classes; }

const char *sbl_image_reader_class_name(const sbl_image_reader *reader, size_t index)
{
    return reader->container.class_names != NULL ? reader->container.class_names[index] : NULL;
}

sbl_status sbl_image_read(sbl_image_reader *reader, uint8_t *pixels, uint32_t *labels, size_t *got,
                          size_t capacity, sbl_error *err)
{
    return sbl_image_read_marked(reader, pixels, labels, NULL, got, capacity, err);
}

sbl_status sbl_image_read_marked(sbl_image_reader *reader, uint8_t *pixels, uint32_t *labels,
                                 uint8_t *misfits, size_t *got, size_t capacity, sbl_error *err)
{
    const sbl_image_container *container = &reader->container;
    const size_t left = container->count - reader->next;
    const size_t count = capacity < left ? capacity : left;
    *got = 0;
    if (count == 0) return SBL_OK;
    if (misfits != NULL) memset(misfits, 0, count);
    const sbl_status status =
        container->read(container->state, pixels, labels, misfits, count, count == left, err);
    if (status != SBL_OK) return status;
    /* The rule for a bad label: class 0, for every container. */
    if (labels != NULL)
        for (size_t i = 0; i < count; i++)
            if (labels[i] >= container->classes) labels[i] = 0;
    reader->next += count;
    *got = count;
    return SBL_OK;
}

void sbl_image_close(sbl_image_reader *reader)
{
    if (reader == NULL) return;
    if (reader->container.close != NULL) reader->container.close(reader->container.state);
    sbl_free(reader);
}
