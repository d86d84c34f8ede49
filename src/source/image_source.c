/* An image set as a source: IDX, CIFAR binary or a folder of PNG files. */
#include <string.h>

#include "base/memory.h"
#include "image/image_set.h"
#include "source/source.h"

#define BATCH_BYTES ((size_t)1 << 22) /* of pixels read at a time */
#define BATCH_IMAGES ((size_t)4096)   /* at most */

typedef struct image_source {
    char *labels_path; /* NULL: none */
    sbl_image_options options;
    sbl_image_reader *reader;
    uint8_t *pixels;
    uint32_t *labels;
    uint8_t *misfits; /* of files, of which each may be no image of the set's; else NULL */
    size_t capacity;
    size_t size; /* of an image */
    /* Of the set and its labels when they were opened first; a list of files has no look of its
     * own, and only the number and size of its images are compared. */
    struct stat seen[2];
    bool has_look[2];
    bool again; /* read again: it must have been the same to its end */
} image_source;

static sbl_status open_reader(sbl_source *source, sbl_error *err)
{
    image_source *set = source->state;
    return sbl_image_open(&set->reader, source->name, set->labels_path, &set->options, err);
}

static void take_look(image_source *set, size_t i, const char *path)
{
    set->has_look[i] = path != NULL && stat(path, &set->seen[i]) == 0;
}

static bool is_unchanged(const sbl_source *source)
{
    const image_source *set = source->state;
    return (!set->has_look[0] || sbl_source_unchanged(source->name, &set->seen[0])) &&
           (!set->has_look[1] || sbl_source_unchanged(set->labels_path, &set->seen[1]));
}

static sbl_status changed(const sbl_source *source, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s changed after it was read first", source->name);
}

static sbl_status read_images(sbl_source *source, sbl_error *err)
{
    image_source *set = source->state;
    size_t count = 0;
    const sbl_status status = sbl_image_read_marked(set->reader, set->pixels, set->labels,
                                                    set->misfits, &count, set->capacity, err);
    if (status != SBL_OK) return status;
    if (count == 0 && set->again && !is_unchanged(source)) return changed(source, err);
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
        return sbl_fail(err, SBL_EARG, "%s is a stream and cannot be read again: give a file",
                        source->name);
    if (!is_unchanged(source)) return changed(source, err);
    set->again = true;
    sbl_image_close(set->reader);
    set->reader = NULL;
    const sbl_status status = open_reader(source, err);
    if (status != SBL_OK) return status;
    const sbl_image_shape shape = sbl_image_reader_shape(set->reader);
    return sbl_image_size(shape) == set->size &&
                   sbl_image_reader_count(set->reader) == source->count
               ? SBL_OK
               : changed(source, err);
}

static void close_images(sbl_source *source)
{
    image_source *set = source->state;
    if (set == NULL) return;
    sbl_image_close(set->reader);
    sbl_free_wiped(set->pixels, set->capacity * set->size);
    sbl_free_wiped(set->labels, set->capacity * sizeof *set->labels);
    sbl_free_wiped(set->misfits, set->capacity);
    sbl_free(set->labels_path);
    sbl_free(set);
}

static sbl_status read_facts(sbl_facts *facts, const sbl_image_reader *reader, bool balanced,
                             sbl_error *err)
{
    const sbl_image_shape shape = sbl_image_reader_shape(reader);
    const size_t classes = sbl_image_reader_classes(reader);
    const bool named = classes > 0 && sbl_image_reader_class_name(reader, 0) != NULL;
    const char **names = named ? sbl_alloc_array(classes, sizeof *names) : NULL;
    sbl_image_facts images = {0};
    if (named && names == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for names");
    for (size_t c = 0; named && c < classes; c++) names[c] = sbl_image_reader_class_name(reader, c);
    sbl_status status = sbl_image_facts_init(&images, shape.height, shape.width, shape.channels,
                                             classes, names, err);
    if (status == SBL_OK) status = sbl_facts_of_images(facts, &images, balanced, err);
    sbl_image_facts_clear(&images);
    sbl_free(names);
    return status;
}

static sbl_status make_room(image_source *set, const sbl_image_origin *origin, bool files,
                            sbl_error *err)
{
    const size_t fit = BATCH_BYTES / set->size;
    set->capacity = fit < BATCH_IMAGES ? fit : BATCH_IMAGES;
    set->pixels = sbl_alloc_array(set->capacity, set->size);
    set->labels = sbl_alloc_array(set->capacity, sizeof *set->labels);
    set->misfits = files ? sbl_alloc_array(set->capacity, 1) : NULL;
    return set->pixels != NULL && set->labels != NULL && (!files || set->misfits != NULL)
               ? SBL_OK
               : sbl_fail(err, SBL_EMEM, "out of memory for a batch of images of %.80s",
                          origin->images);
}

static sbl_status begin(sbl_source *source, const sbl_image_origin *origin, sbl_error *err)
{
    image_source *set = source->state = sbl_alloc_array(1, sizeof *set);
    if (set == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", origin->images);
    set->options = (sbl_image_options){.classes = origin->classes,
                                       .channels = origin->grey ? 1 : 0,
                                       .height = origin->height,
                                       .width = origin->width};
    take_look(set, 0, origin->images);
    take_look(set, 1, origin->labels);
    if (origin->labels == NULL) return SBL_OK;
    const size_t size = strlen(origin->labels) + 1;
    set->labels_path = sbl_alloc_array(size, 1);
    if (set->labels_path == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", origin->labels);
    memcpy(set->labels_path, origin->labels, size);
    return SBL_OK;
}

sbl_status sbl_source_open_images(sbl_source **source, sbl_facts *facts, sbl_image_origin *origin,
                                  sbl_error *err)
{
    static const sbl_source_kind kind = {read_images, rewind_images, close_images};
    sbl_status status = sbl_source_new(source, &kind, origin->images, facts, err);
    *facts = (sbl_facts){0};
    if (status != SBL_OK) return status;
    SBL_TRY(begin(*source, origin, err));
    SBL_TRY(open_reader(*source, err));
    image_source *set = (*source)->state;
    if (sbl_image_reader_classes(set->reader) == 0 && (origin->classes != 0 || origin->balanced))
        SBL_FAIL(err, SBL_EARG, "%s goes with labels, and %s has none",
                 origin->balanced ? "balanced" : "classes", origin->images);
    SBL_TRY(read_facts(facts, set->reader, origin->balanced, err));
    set->size = facts->shape.numeric;
    facts->files = sbl_image_reader_format(set->reader) == SBL_IMAGE_PNG;
    SBL_TRY(make_room(set, origin, facts->files, err));
    (*source)->count = sbl_image_reader_count(set->reader);
    (*source)->can_rewind = !sbl_source_is_stream(origin->images) &&
                            (origin->labels == NULL || !sbl_source_is_stream(origin->labels));
    origin->size_of_first = origin->height == 0 && facts->files;
done:
    if (status != SBL_OK) {
        sbl_source_close(*source);
        *source = NULL;
        sbl_facts_clear(facts);
    }
    return status;
}
