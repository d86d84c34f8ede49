/* SPDX-License-Identifier: Apache-2.0 */
/* The map of unit_record.h, number by number and category by category. The Helmert basis is never
 * stored: one pass over a column's coordinates gives its proportions, from the last code down. */
#include "public/rows/unit_record.h"

#include <math.h>

#include "base/alloc.h"

#define LARGEST_RADIUS 1024.0

sbl_status sbl_unit_record_init(sbl_unit_record *record, const sbl_record_shape *shape, size_t target,
                                double target_radius, bool centred, sbl_error *err)
{
    *record = (sbl_unit_record){.target = target, .centred = centred};
    const bool targeted = target != SBL_NO_TARGET;
    if (targeted && !(target_radius > 0.0 && target_radius <= LARGEST_RADIUS))
        return sbl_fail(err, SBL_EARG, "the target's radius must be above 0 and at most 1024");
    if (targeted && target >= shape->numeric)
        return sbl_fail(err, SBL_EARG, "there is no numeric column %zu to be the target", target);
    record->target_radius = targeted ? target_radius : 0.0;
    record->columns = record->dimensions = shape->numeric - (targeted ? 1 : 0);
    for (size_t k = 0; k < shape->categorical; k++) {
        record->columns += shape->cardinalities[k] > 1 ? 1 : 0;
        record->dimensions += shape->cardinalities[k] - 1;
    }
    if (record->dimensions == 0)
        return sbl_fail(err, SBL_EARG,
                        "a record needs at least one column with two values besides the label");
    return sbl_record_shape_copy(&record->shape, shape, err);
}

void sbl_unit_record_clear(sbl_unit_record *record)
{
    sbl_record_shape_clear(&record->shape);
    *record = (sbl_unit_record){0};
}

json_t *sbl_unit_record_to_json(const sbl_unit_record *record)
{
    const sbl_record_shape *shape = &record->shape;
    const bool targeted = record->target != SBL_NO_TARGET;
    json_t *cardinalities = json_array();
    for (size_t k = 0; k < shape->categorical; k++)
        if (json_array_append_new(cardinalities, json_integer((json_int_t)shape->cardinalities[k])) != 0) {
            json_decref(cardinalities);
            return NULL;
        }
    return json_pack("{s:I, s:o, s:I, s:b, s:I, s:f}", "numeric", (json_int_t)shape->numeric, "cardinalities",
                     cardinalities, "classes", (json_int_t)shape->classes, "centred", record->centred,
                     "target", targeted ? (json_int_t)record->target : (json_int_t)-1, "target_radius",
                     record->target_radius);
}

static sbl_status read_shape(sbl_record_shape *shape, const json_t *object, const char *where, sbl_error *err)
{
    uint64_t numeric;
    uint64_t classes;
    json_t *list;
    size_t *cardinalities = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_u64(&numeric, object, "numeric", where, err));
    SBL_TRY(sbl_json_get_u64(&classes, object, "classes", where, err));
    SBL_TRY(sbl_json_get_array(&list, object, "cardinalities", where, err));
    const size_t count = json_array_size(list);
    SBL_ALLOC(cardinalities, count, "a plan");
    for (size_t k = 0; k < count; k++) cardinalities[k] = (size_t)json_integer_value(json_array_get(list, k));
    SBL_TRY(sbl_record_shape_init(shape, numeric, cardinalities, count, classes, err));
done:
    sbl_free(cardinalities);
    return status;
}

sbl_status sbl_unit_record_from_json(sbl_unit_record *record, const json_t *object, const char *where,
                                     sbl_error *err)
{
    sbl_record_shape shape = {0};
    bool centred;
    double radius;
    sbl_status status = SBL_OK;
    *record = (sbl_unit_record){0};
    const json_t *target = json_object_get(object, "target");
    SBL_TRY(read_shape(&shape, object, where, err));
    SBL_TRY(sbl_json_get_bool(&centred, object, "centred", where, err));
    SBL_TRY(sbl_json_get_double(&radius, object, "target_radius", where, err));
    if (!json_is_integer(target))
        SBL_FAIL(err, SBL_EINPUT, "%s: field 'target' must be a whole number", where);
    const json_int_t index = json_integer_value(target);
    SBL_TRY(sbl_unit_record_init(record, &shape, index < 0 ? SBL_NO_TARGET : (size_t)index, radius, centred,
                                 err));
done:
    if (status == SBL_EARG) status = SBL_EINPUT;
    sbl_record_shape_clear(&shape);
    return status;
}

static double clamp_unit(double value)
{
    if (!(value >= 0.0)) return 0.0; /* NaN too */
    return value <= 1.0 ? value : 1.0;
}

/* Length of column k's one-hot vector less its centre, made 1/sqrt(M). */
static double category_scale(const sbl_unit_record *record, size_t categories)
{
    return sqrt((double)categories / ((double)(categories - 1) * (double)record->columns));
}

/* The Helmert coordinates of category `code` of `categories`. */
static void encode_category(float *point, size_t categories, size_t code, double scale)
{
    for (size_t j = 1; j < categories; j++) {
        const double length = sqrt((double)j * (double)(j + 1));
        double value = 0.0;
        if (code < j)
            value = 1.0;
        else if (code == j)
            value = -(double)j;
        point[j - 1] = (float)(scale * value / length);
    }
}

/* count numbers to coordinates slope * u + shift. */
static void encode_numbers(float *point, const double *numeric, size_t count, double slope, double shift)
{
    for (size_t i = 0; i < count; i++) {
        const double above = numeric[i] >= 0.0 ? numeric[i] : 0.0; /* NaN too */
        point[i] = (float)(slope * (above <= 1.0 ? above : 1.0) + shift);
    }
}

double sbl_unit_record_encode(const sbl_unit_record *record, float *point, const double *numeric,
                              const uint32_t *codes, const size_t *columns)
{
    const sbl_record_shape *shape = &record->shape;
    const double unit = 1.0 / sqrt((double)record->columns);
    const double slope = record->centred ? 2.0 * unit : unit;
    const double shift = record->centred ? -unit : 0.0;
    const bool targeted = record->target != SBL_NO_TARGET;
    const size_t before = targeted ? record->target : shape->numeric;
    double y = 0.0;
    size_t at = before;
    encode_numbers(point, numeric, before, slope, shift);
    if (targeted) {
        y = record->target_radius * (2.0 * clamp_unit(numeric[before]) - 1.0);
        encode_numbers(point + at, numeric + before + 1, shape->numeric - before - 1, slope, shift);
        at = shape->numeric - 1;
    }
    for (size_t k = 0; k < shape->categorical; k++) {
        const size_t categories = shape->cardinalities[k];
        const size_t code = codes[columns != NULL ? columns[k] : k];
        if (categories == 1) continue;
        encode_category(point + at, categories, code < categories ? code : 0,
                        category_scale(record, categories));
        at += categories - 1;
    }
    return y;
}

void sbl_unit_record_proportions(const sbl_unit_record *record, float *proportions, size_t column,
                                 const float *coordinates)
{
    const size_t categories = record->shape.cardinalities[column];
    double above = 1.0 / (double)categories; /* centre and the h_j that have a 1 at this code */
    if (categories == 1) {
        proportions[0] = 1.0F;
        return;
    }
    const double scale = category_scale(record, categories);
    for (size_t code = categories - 1; code > 0; code--) {
        const double t = (double)coordinates[code - 1] / scale;
        const double length = sqrt((double)code * (double)(code + 1));
        proportions[code] = (float)(above - (double)code * t / length);
        above += t / length;
    }
    proportions[0] = (float)above;
}

static uint32_t largest_of(const float *proportions, const float *offsets, size_t count)
{
    size_t best = 0;
    float most = -INFINITY;
    for (size_t code = 0; code < count; code++) {
        const float value = proportions[code] + (offsets != NULL ? offsets[code] : 0.0F);
        if (value > most) {
            most = value;
            best = code;
        }
    }
    return (uint32_t)best;
}

void sbl_unit_record_decode(const sbl_unit_record *record, double *numeric, uint32_t *codes,
                            const float *point, double y, const float *offsets, float *proportions)
{
    const sbl_record_shape *shape = &record->shape;
    const double unit = sqrt((double)record->columns);
    size_t at = 0;
    for (size_t i = 0; i < shape->numeric; i++) {
        double u;
        if (i == record->target)
            u = (y / record->target_radius + 1.0) / 2.0;
        else if (record->centred)
            u = ((double)point[at++] * unit + 1.0) / 2.0;
        else
            u = (double)point[at++] * unit;
        numeric[i] = clamp_unit(u);
    }
    for (size_t k = 0; k < shape->categorical; k++) {
        const float *own = offsets != NULL ? offsets + shape->offsets[k] : NULL;
        sbl_unit_record_proportions(record, proportions, k, point + at);
        codes[k] = largest_of(proportions, own, shape->cardinalities[k]);
        at += shape->cardinalities[k] - 1;
    }
}
