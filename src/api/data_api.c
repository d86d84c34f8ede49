/* Records in memory: the handle (include/semblance/data.h). */
#include "semblance/data.h"

#include <stdio.h>
#include <string.h>

#include "api/data.h"
#include "api/entry.h"
#include "base/caller_struct.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "base/text.h"

#define USUAL_CLASSES 10

static void drop_data(void *handle)
{
    sbl_data *data = handle;
    for (size_t i = 0; i < data->batch_count; i++)
        if (data->batches[i].release != NULL) data->batches[i].release(&data->batches[i]);
    sbl_free(data->batches);
    if (data->schema.release != NULL) data->schema.release(&data->schema);
    if (data->stream.release != NULL) data->stream.release(&data->stream);
    sbl_free(data->types);
    sbl_image_facts_clear(&data->images.facts);
    sbl_free_wiped(data->labels, data->images.records.rows * sizeof *data->labels);
    sbl_free(data->label_file);
    sbl_free(data->name);
    sbl_free(data);
}

sbl_status sbl_data_make(sbl_data **data, sbl_data_form form, const char *name, sbl_error *err)
{
    const char *given = name != NULL ? name : form == SBL_FORM_PIXELS ? "the images" : "the table";
    const size_t size = strlen(given) + 1;
    sbl_data *made = sbl_alloc_array(1, sizeof *made);
    *data = NULL;
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", given);
    sbl_mark_init(&made->mark, drop_data, made);
    made->form = form;
    made->name = sbl_alloc_array(size, 1);
    if (made->name == NULL) {
        sbl_free(made);
        return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", given);
    }
    memcpy(made->name, given, size);
    *data = made;
    return SBL_OK;
}

void sbl_data_free(sbl_data *data)
{
    if (data != NULL) sbl_mark_drop(&data->mark);
}

/* ---- the handle's own batches as a stream ---- */

typedef struct batch_stream {
    sbl_data *data;
    size_t next;
} batch_stream;

/* What is lent is the handle's: the borrower's release does nothing but say that it is over. */
static void end_schema_loan(struct ArrowSchema *schema) { schema->release = NULL; }
static void end_array_loan(struct ArrowArray *array) { array->release = NULL; }

static int lend_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const batch_stream *from = stream->private_data;
    *out = from->data->schema;
    out->release = end_schema_loan;
    return 0;
}

static int lend_batch(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    batch_stream *from = stream->private_data;
    *out = (struct ArrowArray){0};
    if (from->next == from->data->batch_count) return 0;
    *out = from->data->batches[from->next++];
    out->release = end_array_loan;
    return 0;
}

static const char *no_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

static void end_batches(struct ArrowArrayStream *stream)
{
    sbl_free(stream->private_data);
    stream->release = NULL;
}

static sbl_status open_batches(sbl_data *data, struct ArrowArrayStream *stream, sbl_error *err)
{
    if (data->schema.release == NULL)
        return sbl_fail(err, SBL_EINPUT, "%s has no columns yet", data->name);
    batch_stream *from = sbl_alloc_array(1, sizeof *from);
    if (from == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", data->name);
    from->data = data;
    *stream = (struct ArrowArrayStream){lend_schema, lend_batch, no_error, end_batches, from};
    return SBL_OK;
}

/* ---- any table as a stream ---- */

static bool is_whole(const struct ArrowArrayStream *stream)
{
    return stream->get_schema != NULL && stream->get_next != NULL && stream->release != NULL;
}

static sbl_status open_table(void *context, struct ArrowArrayStream *stream, sbl_error *err)
{
    sbl_data *data = context;
    *stream = (struct ArrowArrayStream){0};
    if (data->form == SBL_FORM_BATCHES) return open_batches(data, stream, err);
    if (data->form == SBL_FORM_STREAM) {
        if (data->stream.release == NULL)
            return sbl_fail(err, SBL_EARG, "%s is a stream that was read already", data->name);
        *stream = data->stream;
        data->stream = (struct ArrowArrayStream){0};
        return SBL_OK;
    }
    if (data->open(data->context, stream) != 0 || !is_whole(stream)) {
        *stream = (struct ArrowArrayStream){0};
        return sbl_fail(err, SBL_EIO, "%s could not be opened for reading", data->name);
    }
    return SBL_OK;
}

sbl_status sbl_data_table(sbl_arrow_origin *origin, sbl_data *data, sbl_error *err)
{
    if (data->form == SBL_FORM_PIXELS || data->form == SBL_FORM_IMAGE_FILES)
        return sbl_fail(err, SBL_EARG, "%s holds images, not a table", data->name);
    *origin = (sbl_arrow_origin){.name = data->name,
                                 .open = open_table,
                                 .context = data,
                                 .can_rewind = data->form != SBL_FORM_STREAM,
                                 .count = data->rows};
    return SBL_OK;
}

/* ---- streams ---- */

sbl_status sbl_data_from_streams(sbl_data **data, sbl_open_stream open, void *context,
                                 const char *name, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (data != NULL) *data = NULL;
    SBL_NEED(data);
    if (open == NULL) SBL_FAIL(err, SBL_EARG, "open must not be NULL");
    SBL_TRY(sbl_data_make(data, SBL_FORM_STREAMS, name, err));
    (*data)->open = open;
    (*data)->context = context;
done:
    return status;
}

sbl_status sbl_data_keep_batch(sbl_data *data, struct ArrowArray *batch, sbl_error *err)
{
    if (data->batch_count == data->batch_room) {
        const size_t room = data->batch_room == 0 ? 16 : data->batch_room * 2;
        struct ArrowArray *more = sbl_resize_array(data->batches, room, sizeof *more);
        if (more == NULL) {
            batch->release(batch);
            return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", data->name);
        }
        data->batches = more;
        data->batch_room = room;
    }
    data->rows += batch->length > 0 ? (uint64_t)batch->length : 0;
    data->batches[data->batch_count++] = *batch;
    *batch = (struct ArrowArray){0};
    return SBL_OK;
}

/* All batches of the stream become the handle's. They are checked where they are read. */
static sbl_status keep_stream(sbl_data *data, struct ArrowArrayStream *stream, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (stream->get_schema(stream, &data->schema) != 0) {
        data->schema = (struct ArrowSchema){0};
        SBL_FAIL(err, SBL_EIO, "%s: its stream failed while it was read", data->name);
    }
    for (;;) {
        struct ArrowArray batch = {0};
        if (stream->get_next(stream, &batch) != 0)
            SBL_FAIL(err, SBL_EIO, "%s: its stream failed while it was read", data->name);
        if (batch.release == NULL) break;
        SBL_TRY(sbl_data_keep_batch(data, &batch, err));
    }
done:
    return status;
}

sbl_status sbl_data_from_stream(sbl_data **data, struct ArrowArrayStream *stream, bool keep,
                                const char *name, sbl_error *err)
{
    sbl_status status = SBL_OK;
    struct ArrowArrayStream own = {0};
    sbl_data *made = NULL;
    if (data != NULL) *data = NULL;
    SBL_NEED(stream);
    own = *stream;
    stream->release = NULL;
    SBL_NEED(data);
    if (!is_whole(&own)) SBL_FAIL(err, SBL_EARG, "the stream was released, or is none");
    SBL_TRY(sbl_data_make(&made, keep ? SBL_FORM_BATCHES : SBL_FORM_STREAM, name, err));
    if (keep) {
        SBL_TRY(keep_stream(made, &own, err));
    } else {
        made->stream = own;
        own = (struct ArrowArrayStream){0};
    }
    *data = made;
    made = NULL;
done:
    if (own.release != NULL) own.release(&own);
    sbl_data_free(made);
    return status;
}

/* ---- images ---- */

void sbl_pixels_init_sized(sbl_pixels *pixels, size_t size)
{
    const sbl_pixels ours = {.struct_size = sizeof ours};
    sbl_struct_set_up(pixels, size, &ours, sizeof ours);
}

/* A label that is no class is the first: one record changes one record. */
static sbl_status copy_labels(sbl_data *data, const sbl_pixels *pixels, size_t classes,
                              sbl_error *err)
{
    if (pixels->labels == NULL) return SBL_OK;
    data->labels = sbl_alloc_array((size_t)pixels->count, sizeof *data->labels);
    if (data->labels == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for labels");
    for (size_t i = 0; i < (size_t)pixels->count; i++)
        data->labels[i] = pixels->labels[i] < classes ? pixels->labels[i] : 0;
    return SBL_OK;
}

static sbl_status check_pixels(const sbl_pixels *pixels, sbl_error *err)
{
    size_t size;
    if (pixels->height < 1 || pixels->height > SBL_IMAGE_FACTS_MOST_SIDE || pixels->width < 1 ||
        pixels->width > SBL_IMAGE_FACTS_MOST_SIDE)
        return sbl_fail(err, SBL_EARG, "height and width of images must be 1 to %d",
                        SBL_IMAGE_FACTS_MOST_SIDE);
    if (pixels->channels != 0 && pixels->channels != 1 && pixels->channels != 3)
        return sbl_fail(err, SBL_EARG, "images must have 1 or 3 channels");
    if (pixels->classes > SBL_IMAGE_FACTS_MOST_CLASSES)
        return sbl_fail(err, SBL_EARG, "there can be at most %d classes",
                        SBL_IMAGE_FACTS_MOST_CLASSES);
    if (pixels->labels == NULL &&
        (pixels->classes != 0 || pixels->balanced || pixels->class_names != NULL))
        return sbl_fail(err, SBL_EARG, "classes go with labels, and the images have none");
    if (pixels->count > 0 && pixels->pixels == NULL)
        return sbl_fail(err, SBL_EARG, "the pixels must not be NULL");
    const uint64_t named = pixels->class_names == NULL ? 0
                           : pixels->classes != 0      ? pixels->classes
                                                       : USUAL_CLASSES;
    for (size_t c = 0; c < named; c++)
        if (pixels->class_names[c] == NULL)
            return sbl_fail(err, SBL_EARG, "class %zu has no name", c);
    if (!sbl_size_mul(&size, (size_t)pixels->count, 3 * 128 * 128))
        return sbl_fail(err, SBL_EARG, "there cannot be so many images");
    return SBL_OK;
}

sbl_status sbl_data_from_pixels(sbl_data **data, const sbl_pixels *images, const char *name,
                                sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_pixels ours = {.struct_size = sizeof ours};
    sbl_data *made = NULL;
    if (data != NULL) *data = NULL;
    SBL_NEED(data);
    SBL_TRY(sbl_struct_take(&ours, sizeof ours, images, "images", err));
    SBL_TRY(check_pixels(&ours, err));
    const size_t classes = ours.labels == NULL ? 0
                           : ours.classes != 0 ? (size_t)ours.classes
                                               : USUAL_CLASSES;
    SBL_TRY(sbl_data_make(&made, SBL_FORM_PIXELS, name, err));
    SBL_TRY(sbl_image_facts_init(&made->images.facts, (size_t)ours.height, (size_t)ours.width,
                                 ours.channels != 0 ? (size_t)ours.channels : 1, classes,
                                 ours.class_names, err));
    made->images.balanced = ours.balanced;
    made->images.records.rows = (size_t)ours.count;
    SBL_TRY(copy_labels(made, &ours, classes, err));
    made->images.records.pixels = ours.pixels;
    /* One class is none, as for files. */
    made->images.records.labels = classes > 1 ? made->labels : NULL;
    *data = made;
    made = NULL;
done:
    sbl_data_free(made);
    return status;
}

sbl_status sbl_data_from_image_files(sbl_data **data, const sbl_image_input *images, sbl_error *err)
{
    sbl_image_input ours;
    sbl_data *made = NULL;
    sbl_status status = SBL_OK;
    if (data != NULL) *data = NULL;
    SBL_NEED(data);
    SBL_TRY(sbl_image_input_take(&ours, images, "images", err));
    SBL_TRY(sbl_data_make(&made, SBL_FORM_IMAGE_FILES, ours.images, err));
    made->files = ours;
    made->files.images = made->files.labels = NULL;
    if (ours.labels != NULL) {
        made->label_file = sbl_alloc_array(strlen(ours.labels) + 1, 1);
        if (made->label_file == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for a file name");
        memcpy(made->label_file, ours.labels, strlen(ours.labels) + 1);
    }
    *data = made;
    made = NULL;
done:
    sbl_data_free(made);
    return status;
}
