/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the columns once and gives each its heads, numbering numeric and categorical ones apart:
 * those numbers are the columns of the encoded matrices that codec, features and models share. */
#include "public/schema/encoding_layout.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "public/schema/spikes.h"

static void add(sbl_heads *heads, sbl_head head)
{
    head.index = head.kind == SBL_HEAD_NUMERIC ? heads->numeric_count++ : heads->categorical_count++;
    heads->items[heads->count++] = head;
}

static void add_column(sbl_heads *heads, const sbl_column *column, size_t index)
{
    if (column->kind == SBL_COLUMN_IGNORED) return;
    if (column->kind == SBL_COLUMN_CATEGORY) {
        const uint32_t count = sbl_column_missing_code(column);
        add(heads, (sbl_head){.kind = SBL_HEAD_CATEGORICAL,
                              .column = index,
                              .cardinality = count + (column->missing_allowed ? 1U : 0U),
                              .ordered = column->ordered});
        return;
    }
    add(heads, (sbl_head){.kind = SBL_HEAD_NUMERIC, .column = index, .cardinality = 1});
    if (column->missing_allowed || column->spike_count > 0)
        add(heads, (sbl_head){.kind = SBL_HEAD_CATEGORICAL,
                              .column = index,
                              .cardinality = sbl_spike_code(column, column->spike_count),
                              .indicator = true});
}

sbl_status sbl_heads_init(sbl_heads *heads, const sbl_schema *schema, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *heads = (sbl_heads){.label = SBL_NO_HEAD};
    SBL_ALLOC(heads->items, 2 * schema->column_count, "the head layout");
    for (size_t i = 0; i < schema->column_count; i++) {
        if (i == schema->label) heads->label = heads->count;
        add_column(heads, &schema->columns[i], i);
    }
    if (schema->task == SBL_TASK_CLASSIFICATION) heads->class_count = heads->items[heads->label].cardinality;
done:
    return status;
}

void sbl_heads_clear(sbl_heads *heads)
{
    sbl_free(heads->items);
    memset(heads, 0, sizeof *heads);
}

/* Checks the sizes of an encoded record once and adds up the offsets of its one-hot entries. */

#define LARGEST ((size_t)1 << 24)

sbl_status sbl_record_shape_init(sbl_record_shape *shape, size_t numeric, const size_t *cardinalities,
                                 size_t categorical, size_t classes, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *shape = (sbl_record_shape){.numeric = numeric, .categorical = categorical, .classes = classes};
    if (numeric + categorical == 0)
        return sbl_fail(err, SBL_EARG, "a record needs at least one column besides the label");
    if (classes < 1 || classes > LARGEST || numeric > LARGEST || categorical > LARGEST)
        return sbl_fail(err, SBL_EARG, "number of columns or classes is out of range");
    SBL_ALLOC(shape->cardinalities, categorical, "the shape of a record");
    SBL_ALLOC(shape->offsets, categorical + 1, "the shape of a record");
    for (size_t k = 0; k < categorical; k++) {
        if (cardinalities[k] < 1 || cardinalities[k] > LARGEST - shape->offsets[k])
            SBL_FAIL(err, SBL_EARG, "categorical column %zu has no or too many categories", k);
        shape->cardinalities[k] = cardinalities[k];
        shape->offsets[k + 1] = shape->offsets[k] + cardinalities[k];
    }
    shape->onehot = shape->offsets[categorical];
done:
    if (status != SBL_OK) sbl_record_shape_clear(shape);
    return status;
}

sbl_status sbl_record_shape_copy(sbl_record_shape *copy, const sbl_record_shape *shape, sbl_error *err)
{
    return sbl_record_shape_init(copy, shape->numeric, shape->cardinalities, shape->categorical,
                                 shape->classes, err);
}

size_t sbl_record_shape_most(const sbl_record_shape *shape)
{
    size_t most = 1;
    for (size_t k = 0; k < shape->categorical; k++)
        if (shape->cardinalities[k] > most) most = shape->cardinalities[k];
    return most;
}

void sbl_record_shape_clear(sbl_record_shape *shape)
{
    sbl_free(shape->cardinalities);
    sbl_free(shape->offsets);
    *shape = (sbl_record_shape){0};
}

/* Limits, copies and JSON of the public facts of an image set. A class is looked up by its name,
 * and by its number only where classes have no names. */

static sbl_status check(size_t height, size_t width, size_t channels, size_t classes, sbl_error *err)
{
    if (height < 1 || height > SBL_IMAGE_FACTS_MOST_SIDE || width < 1 || width > SBL_IMAGE_FACTS_MOST_SIDE)
        return sbl_fail(err, SBL_EARG, "images must be from 1 x 1 to %d x %d pixels",
                        SBL_IMAGE_FACTS_MOST_SIDE, SBL_IMAGE_FACTS_MOST_SIDE);
    if (channels != 1 && channels != 3)
        return sbl_fail(err, SBL_EARG, "images must be grey or RGB: 1 or 3 channels");
    if (classes > SBL_IMAGE_FACTS_MOST_CLASSES)
        return sbl_fail(err, SBL_EARG, "an image set may have at most %d classes",
                        SBL_IMAGE_FACTS_MOST_CLASSES);
    return SBL_OK;
}

sbl_status sbl_image_facts_init(sbl_image_facts *facts, size_t height, size_t width, size_t channels,
                                size_t classes, const char *const *names, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *facts = (sbl_image_facts){0};
    SBL_TRY(check(height, width, channels, classes, err));
    *facts = (sbl_image_facts){.height = height, .width = width, .channels = channels, .classes = classes};
    if (!names || classes == 0) return SBL_OK;
    SBL_ALLOC(facts->names, classes, "the names of classes");
    for (size_t c = 0; c < classes; c++)
        SBL_TRY(sbl_copy_text(&facts->names[c], names[c], "the names of classes", err));
done:
    if (status != SBL_OK) sbl_image_facts_clear(facts);
    return status;
}

sbl_status sbl_image_facts_copy(sbl_image_facts *copy, const sbl_image_facts *facts, sbl_error *err)
{
    return sbl_image_facts_init(copy, facts->height, facts->width, facts->channels, facts->classes,
                                (const char *const *)facts->names, err);
}

void sbl_image_facts_clear(sbl_image_facts *facts)
{
    for (size_t c = 0; facts->names && c < facts->classes; c++) sbl_free(facts->names[c]);
    sbl_free(facts->names);
    *facts = (sbl_image_facts){0};
}

json_t *sbl_image_facts_to_json(const sbl_image_facts *facts)
{
    json_t *names = json_array();
    for (size_t c = 0; facts->names && c < facts->classes; c++)
        names = sbl_json_append(names, json_string(facts->names[c]));
    return json_pack("{s:I, s:I, s:I, s:I, s:o}", "height", (json_int_t)facts->height, "width",
                     (json_int_t)facts->width, "channels", (json_int_t)facts->channels, "classes",
                     (json_int_t)facts->classes, "names", names);
}

/* The names of a list that is empty or as long as there are classes. */
static sbl_status read_names(const char ***names, const json_t *list, uint64_t classes, const char *where,
                             sbl_error *err)
{
    sbl_status status = SBL_OK;
    *names = NULL;
    size_t count = json_array_size(list);
    if (count == 0) return SBL_OK;
    if (count != classes)
        return sbl_fail(err, SBL_EINPUT, "%s: field 'names' must have one name for each class", where);
    SBL_ALLOC(*names, count, where);
    for (size_t c = 0; c < count; c++) {
        (*names)[c] = json_string_value(json_array_get(list, c));
        if (!(*names)[c])
            SBL_FAIL(err, SBL_EINPUT, "%s: field 'names' holds an entry that is not text", where);
    }
done:
    return status;
}

sbl_status sbl_image_facts_from_json(sbl_image_facts *facts, const json_t *object, const char *where,
                                     sbl_error *err)
{
    uint64_t height, width, channels, classes;
    const char **names = NULL;
    json_t *list;
    sbl_status status;
    *facts = (sbl_image_facts){0};
    SBL_TRY(sbl_json_get_u64(&height, object, "height", where, err));
    SBL_TRY(sbl_json_get_u64(&width, object, "width", where, err));
    SBL_TRY(sbl_json_get_u64(&channels, object, "channels", where, err));
    SBL_TRY(sbl_json_get_u64(&classes, object, "classes", where, err));
    SBL_TRY(sbl_json_get_array(&list, object, "names", where, err));
    SBL_TRY(read_names(&names, list, classes, where, err));
    SBL_TRY(sbl_image_facts_init(facts, height, width, channels, classes, names, err));
done:
    sbl_free(names);
    if (status == SBL_EARG) status = SBL_EINPUT;
    return status;
}

bool sbl_image_facts_class(size_t *index, const sbl_image_facts *facts, const char *text)
{
    uint64_t number;
    for (size_t c = 0; facts->names && c < facts->classes; c++)
        if (strcmp(facts->names[c], text) == 0) {
            *index = c;
            return true;
        }
    /* A number beside names would be ambiguous: names may be numbers. */
    if (facts->names || !sbl_text_to_u64(&number, text) || number >= facts->classes) return false;
    *index = (size_t)number;
    return true;
}
