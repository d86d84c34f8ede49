/* SPDX-License-Identifier: Apache-2.0 */
/* An image set as a source: IDX, CIFAR binary, a folder of PNG and JPEG files, or pixels in memory. */

#include "base/alloc.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"

#define BATCH_BYTES ((size_t)1 << 22) /* of pixels read at a time */
#define BATCH_IMAGES ((size_t)4096)   /* at most */

typedef struct image_source {
    const sbl_image_place *place; /* borrowed */
    sbl_image_reader *reader;
    uint8_t *pixels;
    uint32_t *labels;
    uint8_t *misfits; /* of files, of which each may be no image of the set's; else NULL */
    size_t capacity;
    size_t size; /* of an image */
    /* Of the set and its labels when they were opened first; a list of files has no look of its
     * own, and only the number and size of its images are compared. */
    sbl_file_stamp look, label_look;
    bool again; /* read again: it must have been the same to its end */
} image_source;

static sbl_status open_reader(sbl_source *source, sbl_error *err)
{
    image_source *set = source->state;
    return sbl_image_place_open(&set->reader, set->place, err);
}

static bool is_unchanged(const image_source *set)
{
    return sbl_file_stamp_equal(&set->look, set->place->images) &&
           sbl_file_stamp_equal(&set->label_look, set->place->labels);
}

static sbl_status read_images(sbl_source *source, sbl_error *err)
{
    image_source *set = source->state;
    size_t count = 0;
    const sbl_status status = sbl_image_read_marked(set->reader, set->pixels, set->labels, set->misfits,
                                                    &count, set->capacity, err);
    if (status != SBL_OK) return status;
    if (count == 0 && set->again && !is_unchanged(set)) return sbl_source_has_changed(source->name, err);
    source->batch = (sbl_records){.pixels = set->pixels,
                                  .labels = source->facts->classes > 1 ? set->labels : NULL,
                                  .misfits = set->misfits,
                                  .rows = count};
    return SBL_OK;
}

static sbl_status rewind_images(sbl_source *source, sbl_error *err)
{
    image_source *set = source->state;
    if (!source->can_rewind)
        return sbl_fail(err, SBL_EARG, "%s is a stream and cannot be read again: save it as a file",
                        source->name);
    if (!is_unchanged(set)) return sbl_source_has_changed(source->name, err);
    set->again = true;
    sbl_image_close(set->reader);
    set->reader = NULL;
    const sbl_status status = open_reader(source, err);
    if (status != SBL_OK) return status;
    const sbl_image_shape shape = sbl_image_reader_shape(set->reader);
    return sbl_image_size(shape) == set->size && sbl_image_reader_count(set->reader) == source->count
               ? SBL_OK
               : sbl_source_has_changed(source->name, err);
}

static void close_images(sbl_source *source)
{
    image_source *set = source->state;
    if (set == NULL) return;
    sbl_image_close(set->reader);
    sbl_free_wiped(set->pixels, set->capacity * set->size);
    sbl_free_wiped(set->labels, set->capacity * sizeof *set->labels);
    sbl_free_wiped(set->misfits, set->capacity);
    sbl_free(set);
}

static sbl_status read_facts(sbl_facts *facts, const sbl_image_reader *reader, bool balanced, sbl_error *err)
{
    const sbl_image_shape shape = sbl_image_reader_shape(reader);
    const size_t classes = sbl_image_reader_classes(reader);
    const bool named = classes > 0 && sbl_image_reader_class_name(reader, 0) != NULL;
    const char **names = named ? sbl_alloc_array(classes, sizeof *names) : NULL;
    sbl_image_facts images = {0};
    if (named && names == NULL) return sbl_no_memory(err, "names");
    for (size_t c = 0; named && c < classes; c++) names[c] = sbl_image_reader_class_name(reader, c);
    sbl_status status =
        sbl_image_facts_init(&images, shape.height, shape.width, shape.channels, classes, names, err);
    if (status == SBL_OK) status = sbl_facts_of_images(facts, &images, balanced, err);
    sbl_image_facts_clear(&images);
    sbl_free(names);
    return status;
}

static sbl_status make_buffers(image_source *set, bool files, sbl_error *err)
{
    const size_t fit = BATCH_BYTES / set->size;
    sbl_status status = SBL_OK;
    set->capacity = fit < BATCH_IMAGES ? fit : BATCH_IMAGES;
    SBL_ALLOC(set->pixels, set->capacity * set->size, "a batch of images");
    SBL_ALLOC(set->labels, set->capacity, "a batch of images");
    if (files) SBL_ALLOC(set->misfits, set->capacity, "a batch of images");
done:
    return status;
}

/* Can it be read again? Looks at files only. */
static bool can_rewind(const sbl_image_place *place)
{
    return place->memory != NULL || (!sbl_path_is_stream(place->images) &&
                                     (place->labels == NULL || !sbl_path_is_stream(place->labels)));
}

sbl_status sbl_source_open_images(sbl_source **source, sbl_facts *facts, const sbl_image_place *place,
                                  bool balanced, sbl_error *err)
{
    static const sbl_source_kind kind = {.read = read_images, .rewind = rewind_images, .close = close_images};
    image_source *set = NULL;
    sbl_status status = SBL_OK;
    *facts = (sbl_facts){0};
    SBL_TRY(sbl_source_new(source, &kind, sizeof *set, place->images, facts, err));
    set = (*source)->state;
    set->place = place;
    if (place->memory == NULL) {
        set->look = sbl_file_stamp_read(place->images);
        set->label_look = sbl_file_stamp_read(place->labels);
    }
    SBL_TRY(open_reader(*source, err));
    if (sbl_image_reader_classes(set->reader) == 0 && (place->classes != 0 || balanced))
        SBL_FAIL(err, SBL_EARG, "the option %s needs labels, but %s has none",
                 balanced ? "balanced" : "classes", place->images);
    SBL_TRY(read_facts(facts, set->reader, balanced, err));
    set->size = facts->shape.numeric;
    facts->files = sbl_image_reader_format(set->reader) == SBL_IMAGE_PNG;
    SBL_TRY(make_buffers(set, facts->files, err));
    (*source)->count = sbl_image_reader_count(set->reader);
    (*source)->can_rewind = can_rewind(place);
done:
    if (sbl_source_opened(source, status) != SBL_OK) sbl_facts_clear(facts);
    return status;
}
