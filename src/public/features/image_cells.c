/* SPDX-License-Identifier: Apache-2.0 */
/* Sums run in one order and in double precision, so that an image's cell depends on that image alone. */
#include "public/features/image_cells.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/text.h"

static const char where[] = "the plan's cells";

void sbl_image_cells_free(sbl_image_cells *cells)
{
    if (cells == NULL) return;
    sbl_encoded_clear(&cells->space.encoded);
    sbl_free(cells->projection);
    sbl_free(cells->centres);
    sbl_free(cells);
}

static size_t centre_numbers(const sbl_image_cells *cells)
{
    return cells->classes * cells->number * cells->dimensions;
}

/* What follows from the encoder: the space, and memory. */
static sbl_status make_space(sbl_image_cells *cells, sbl_error *err)
{
    sbl_perceptual *space = &cells->space;
    sbl_status status = SBL_OK;
    for (size_t l = 0; l < space->encoded.layer_count; l++) {
        space->volumes[l] = sbl_encoded_layer(&space->encoded, l)->volume;
        space->width += sbl_points_count(space->volumes[l]);
    }
    SBL_ALLOC(cells->projection, cells->dimensions * space->width, where);
    SBL_ALLOC(cells->centres, centre_numbers(cells), where);
done:
    return status;
}

sbl_status sbl_image_cells_new(sbl_image_cells **cells, const sbl_facts *facts, sbl_encoded *encoded,
                               size_t number, sbl_error *err)
{
    sbl_image_cells *made = NULL;
    sbl_status status = SBL_OK;
    *cells = NULL;
    SBL_ALLOC(made, 1, where);
    made->space.encoded = *encoded;
    *encoded = (sbl_encoded){0};
    made->classes = facts->classes;
    made->number = number;
    made->dimensions = SBL_CELLS_DIMENSIONS;
    if (number < 1 || number > SBL_CELLS_MOST)
        SBL_FAIL(err, SBL_EARG, "cells must be a whole number from 1 to %d", SBL_CELLS_MOST);
    SBL_TRY(make_space(made, err));
    *cells = made;
    made = NULL;
done:
    sbl_encoded_clear(encoded);
    sbl_image_cells_free(made);
    return status;
}

/* ---- the plan's setting ---- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exactly `size` bytes. */
static sbl_status read_hex(uint8_t *bytes, size_t size, const json_t *object, const char *name,
                           sbl_error *err)
{
    const char *text;
    SBL_CHECK(sbl_json_get_string(&text, object, name, where, err));
    bool good = strlen(text) == 2 * size;
    for (size_t i = 0; good && i < size; i++) {
        const int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        good = high >= 0 && low >= 0;
        if (good) bytes[i] = (uint8_t)(high << 4 | low);
    }
    return good ? SBL_OK : sbl_fail(err, SBL_EINPUT, "%s: '%s' is damaged", where, name);
}

static json_t *write_hex(const uint8_t *bytes, size_t size)
{
    char *text = sbl_alloc_array(2 * size + 1, 1);
    if (text == NULL) return NULL;
    (void)sbl_hex_encode(text, bytes, size);
    json_t *made = json_string(text);
    sbl_free(text);
    return made;
}

static sbl_status read_numbers(sbl_image_cells *cells, const json_t *object, sbl_error *err)
{
    const size_t count = centre_numbers(cells);
    uint8_t *bytes = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(bytes, 4 * count, where);
    SBL_TRY(read_hex((uint8_t *)cells->projection, cells->dimensions * cells->space.width, object,
                     "projection", err));
    SBL_TRY(read_hex(bytes, 4 * count, object, "centres", err));
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = sbl_load_u32(bytes + 4 * i);
        memcpy(&cells->centres[i], &bits, sizeof bits);
        if (!isfinite(cells->centres[i])) SBL_FAIL(err, SBL_EINPUT, "%s: a centre is not finite", where);
    }
done:
    sbl_free(bytes);
    return status;
}

sbl_status sbl_image_cells_read(sbl_image_cells **cells, const sbl_facts *facts, const json_t *settings,
                                sbl_error *err)
{
    const json_t *object = json_object_get(settings, SBL_CELLS_SETTING);
    sbl_image_cells *made = NULL;
    uint64_t number, dimensions;
    sbl_status status = SBL_OK;
    *cells = NULL;
    if (!json_is_object(object)) return SBL_OK; /* none, or those of a later plan */
    if (facts->kind != SBL_DATA_IMAGES || json_object_size(object) != 5)
        return sbl_fail(err, SBL_EINPUT, "%s are not those of images", where);
    SBL_ALLOC(made, 1, where);
    made->classes = facts->classes;
    SBL_TRY(sbl_json_get_u64(&number, object, "number", where, err));
    SBL_TRY(sbl_json_get_u64(&dimensions, object, "dimensions", where, err));
    if (number < 2 || number > SBL_CELLS_MOST || dimensions != SBL_CELLS_DIMENSIONS)
        SBL_FAIL(err, SBL_EINPUT, "%s are not known to this version", where);
    made->number = (size_t)number;
    made->dimensions = (size_t)dimensions;
    SBL_TRY(sbl_encoded_read(&made->space.encoded, facts, json_object_get(object, "space"), 4, where, err));
    SBL_TRY(make_space(made, err));
    SBL_TRY(read_numbers(made, object, err));
    *cells = made;
    made = NULL;
done:
    sbl_image_cells_free(made);
    return status;
}

json_t *sbl_image_cells_to_json(const sbl_image_cells *cells)
{
    const size_t count = centre_numbers(cells);
    json_t *object = json_object();
    uint8_t *bytes = sbl_alloc_array(count, 4);
    if (bytes == NULL) {
        json_decref(object);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &cells->centres[i], sizeof bits);
        (void)sbl_store_u32(bytes + 4 * i, bits);
    }
    object = sbl_json_put(object, "centres", write_hex(bytes, 4 * count));
    object = sbl_json_put(object, "dimensions", json_integer((json_int_t)cells->dimensions));
    object = sbl_json_put(object, "number", json_integer((json_int_t)cells->number));
    object =
        sbl_json_put(object, "projection",
                     write_hex((const uint8_t *)cells->projection, cells->dimensions * cells->space.width));
    object = sbl_json_put(object, "space", sbl_encoded_parameters(&cells->space.encoded));
    sbl_free(bytes);
    return object;
}

size_t sbl_image_cells_number(const json_t *settings)
{
    const json_t *object = json_object_get(settings, SBL_CELLS_SETTING);
    const json_int_t number = json_integer_value(json_object_get(object, "number"));
    return json_is_object(object) && number >= 1 && number <= SBL_CELLS_MOST ? (size_t)number : 1;
}

/* ---- an image's cell ---- */

void sbl_image_cells_project(float *place, const sbl_image_cells *cells, const float *point)
{
    const size_t width = cells->space.width;
    for (size_t d = 0; d < cells->dimensions; d++) {
        const int8_t *direction = cells->projection + d * width;
        double sum = 0;
        for (size_t i = 0; i < width; i++) sum += (double)direction[i] * (double)point[i];
        place[d] = (float)sum;
    }
}

size_t sbl_image_cells_nearest(const sbl_image_cells *cells, const float *place, size_t class)
{
    const float *centres = cells->centres + class * cells->number * cells->dimensions;
    double best = INFINITY;
    size_t nearest = 0;
    for (size_t k = 0; k < cells->number; k++) {
        double sum = 0;
        for (size_t d = 0; d < cells->dimensions; d++) {
            const double apart = (double)place[d] - (double)centres[k * cells->dimensions + d];
            sum += apart * apart;
        }
        if (!(sum < best)) continue;
        best = sum;
        nearest = k;
    }
    return nearest;
}
