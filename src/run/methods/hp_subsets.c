/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the subsets that were named, else lists all of one size in lexicographic order if they
 * fit, else draws them from the seed without repeats. It sees facts and options only, so the
 * plan stays public. */
#include "run/methods/hp_subsets.h"

#include <math.h>
#include <string.h>

#include "base/random/model_rng.h"
#include "public/features/hermite_basis.h"
#include "public/options/option_row.h"
#include "public/options/option_values.h"

#define WINDOW 3 /* pixels of a subset are at most this number of rows and columns from the first */
#define TRIES 64 /* draws of a subset before one that came already is taken for good */

static const sbl_option_range up_to_million = {1, 1e6, false, "a whole number from 1 to 1000000"};

const sbl_option sbl_option_products =
    SBL_SETTING("products", SBL_OPTION_WHOLE, "R", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "subsets of the product kernel at most; more than there are: all, else drawn by seed",
                .range = &up_to_million, SBL_STANDARD_EACH("200", "1000"));
const sbl_option sbl_option_subsets = SBL_SETTING(
    "subsets", SBL_OPTION_TEXT, "LIST", SBL_TABLES, SBL_STEPS_PLAN,
    "subsets of columns of the product kernel, e.g. age+ward,ward+drug", SBL_STANDARD_WORDS("drawn"));

typedef struct subset {
    size_t columns[SBL_HERMITE_MOST_SIZE]; /* rising */
    size_t count;
} subset;

static size_t coordinates_of(const sbl_facts *facts)
{
    return facts->shape.numeric + facts->shape.categorical;
}

/* In its place; false: it is there. */
static bool insert(subset *s, size_t coordinate)
{
    size_t at = s->count;
    while (at > 0 && s->columns[at - 1] > coordinate) at--;
    if (at > 0 && s->columns[at - 1] == coordinate) return false;
    memmove(s->columns + at + 1, s->columns + at, (s->count - at) * sizeof s->columns[0]);
    s->columns[at] = coordinate;
    s->count++;
    return true;
}

static sbl_status append(json_t *subsets, const subset *s, sbl_error *err)
{
    json_t *item = json_array();
    for (size_t k = 0; k < s->count; k++)
        item = sbl_json_append(item, json_integer((json_int_t)s->columns[k]));
    return json_array_append_new(subsets, item) == 0 ? SBL_OK : sbl_no_memory(err, "a plan");
}

static bool is_there(const json_t *subsets, const subset *s)
{
    for (size_t p = 0; p < json_array_size(subsets); p++) {
        const json_t *item = json_array_get(subsets, p);
        bool same = json_array_size(item) == s->count;
        for (size_t k = 0; same && k < s->count; k++)
            same = (size_t)json_integer_value(json_array_get(item, k)) == s->columns[k];
        if (same) return true;
    }
    return false;
}

/* ---- those that were asked for ---- */

/* The coordinates of a column of the schema: its number or category, not whether it is missing. */
static bool insert_column(subset *s, const sbl_facts *facts, const char *name, size_t length)
{
    for (size_t h = 0; h < facts->heads.count; h++) {
        const sbl_head *head = &facts->heads.items[h];
        const char *column = facts->schema->columns[head->column].name;
        if (head->indicator || strncmp(column, name, length) != 0 || column[length] != '\0') continue;
        if (head->kind == SBL_HEAD_NUMERIC) return insert(s, head->index);
        for (size_t k = 0; k < facts->shape.categorical; k++)
            if (facts->code_columns[k] == head->index) return insert(s, facts->shape.numeric + k);
    }
    return false;
}

static sbl_status read_subset(subset *s, const sbl_facts *facts, const char *text, size_t length,
                              sbl_error *err)
{
    const char *end = text + length;
    *s = (subset){0};
    for (const char *at = text;; at++) {
        const char *plus = memchr(at, '+', (size_t)(end - at));
        const char *stop = plus != NULL ? plus : end;
        if (s->count == SBL_HERMITE_MOST_SIZE || !insert_column(s, facts, at, (size_t)(stop - at)))
            return sbl_fail(err, SBL_EARG,
                            "subsets: '%.*s' cannot be part of a subset: it must be a column of the schema "
                            "that is fitted, not the label, and named once",
                            (int)(stop - at < 60 ? stop - at : 60), at);
        if (stop == end) return SBL_OK;
        at = stop;
    }
}

static sbl_status read_subsets(json_t *subsets, const sbl_facts *facts, const char *text, sbl_error *err)
{
    if (facts->kind != SBL_DATA_TABLE)
        return sbl_fail(err, SBL_EARG, "subsets is an option for tables: leave it out for images");
    for (;;) {
        subset s;
        const size_t length = strcspn(text, ",");
        SBL_CHECK(read_subset(&s, facts, text, length, err));
        SBL_CHECK(append(subsets, &s, err));
        if (text[length] == '\0') break;
        text += length + 1;
    }
    return SBL_OK;
}

/* ---- those that are drawn ---- */

/* A pixel at most WINDOW rows and columns from another one, of any colour. */
static size_t pixel_near(const sbl_image_facts *images, size_t pixel, sbl_model_rng *rng)
{
    const size_t row = pixel / images->channels / images->width;
    const size_t column = pixel / images->channels % images->width;
    const size_t top = row > WINDOW ? row - WINDOW : 0;
    const size_t left = column > WINDOW ? column - WINDOW : 0;
    const size_t bottom = row + WINDOW < images->height ? row + WINDOW : images->height - 1;
    const size_t right = column + WINDOW < images->width ? column + WINDOW : images->width - 1;
    const size_t r = top + sbl_model_rng_below(rng, bottom - top + 1);
    const size_t c = left + sbl_model_rng_below(rng, right - left + 1);
    return (r * images->width + c) * images->channels + sbl_model_rng_below(rng, images->channels);
}

/* Columns from anywhere; pixels near the first, for a while, then from anywhere: an image may have
 * fewer pixels nearby than a subset wants. */
static subset draw_subset(const sbl_facts *facts, size_t size, sbl_model_rng *rng)
{
    subset s = {0};
    const size_t first = sbl_model_rng_below(rng, coordinates_of(facts));
    (void)insert(&s, first);
    for (int tries = 0; s.count < size; tries++)
        (void)insert(&s, facts->kind == SBL_DATA_IMAGES && tries < TRIES
                             ? pixel_near(&facts->images, first, rng)
                             : sbl_model_rng_below(rng, coordinates_of(facts)));
    return s;
}

static sbl_status draw_subsets(json_t *subsets, const sbl_facts *facts, size_t size, size_t most,
                               uint64_t seed, sbl_error *err)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_SUBSETS, 0);
    for (size_t p = 0; p < most; p++) {
        subset s = draw_subset(facts, size, &rng);
        for (int tries = 0; is_there(subsets, &s) && tries < TRIES; tries++)
            s = draw_subset(facts, size, &rng);
        if (is_there(subsets, &s)) break;
        SBL_CHECK(append(subsets, &s, err));
    }
    return SBL_OK;
}

/* Are there no more than `most` subsets of this size? */
static bool all_fit(size_t coordinates, size_t size, size_t most)
{
    double count = 1.0;
    for (size_t k = 0; k < size; k++) count *= (double)(coordinates - k) / (double)(k + 1);
    return count <= (double)most + 0.5;
}

/* In lexicographic order. */
static sbl_status list_all(json_t *subsets, size_t coordinates, size_t size, sbl_error *err)
{
    subset s = {.count = size};
    for (size_t k = 0; k < size; k++) s.columns[k] = k;
    for (;;) {
        SBL_CHECK(append(subsets, &s, err));
        size_t k = size;
        while (k > 0 && s.columns[k - 1] == coordinates - size + k - 1) k--;
        if (k == 0) break;
        s.columns[k - 1]++;
        for (; k < size; k++) s.columns[k] = s.columns[k - 1] + 1;
    }
    return SBL_OK;
}

double sbl_hp_width(const json_t *subsets, const sbl_facts *facts, const sbl_hp_functions *functions)
{
    double total = sbl_hp_metric_width(functions);
    for (size_t p = 0; p < json_array_size(subsets); p++) {
        const json_t *item = json_array_get(subsets, p);
        double width = 1.0;
        for (size_t k = 0; k < json_array_size(item); k++) {
            const size_t i = (size_t)json_integer_value(json_array_get(item, k));
            width *= i < facts->shape.numeric ? sbl_hp_number_width(functions, i)
                                              : (double)facts->shape.cardinalities[i - facts->shape.numeric];
        }
        total += width;
    }
    return total;
}

sbl_status sbl_hp_subsets(json_t **subsets, const sbl_facts *facts, size_t size,
                          const sbl_synth_options *options, sbl_error *err)
{
    const size_t coordinates = coordinates_of(facts);
    const size_t most = (size_t)sbl_setting_whole(options, &sbl_option_products, sbl_kinds_of(facts));
    const char *named = sbl_setting_text(options, &sbl_option_subsets, sbl_kinds_of(facts));
    sbl_status status = SBL_OK;
    *subsets = json_array();
    if (*subsets == NULL) return sbl_no_memory(err, "a plan");
    if (size > SBL_HERMITE_MOST_SIZE)
        SBL_FAIL(err, SBL_EARG, "product-size must be at most %d", SBL_HERMITE_MOST_SIZE);
    if (named != NULL)
        SBL_TRY(read_subsets(*subsets, facts, named, err));
    else if (size > 1 && coordinates >= size && all_fit(coordinates, size, most))
        SBL_TRY(list_all(*subsets, coordinates, size, err));
    else if (size > 1 && coordinates >= size)
        SBL_TRY(draw_subsets(*subsets, facts, size, most, options->seed, err));
done:
    if (status != SBL_OK) {
        json_decref(*subsets);
        *subsets = NULL;
    }
    return status;
}
