/* SPDX-License-Identifier: Apache-2.0 */
/* [3] The features `hermite` and `hermite-product`. In mode `kernel` a record is only its levels,
 * and its integers are looked up in tables of which every pair was compared; in mode `norm` the
 * values are computed in double, multiplied out over the factors of a part, and clipped as any
 * feature. */
#include "records/features/hermite.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/size.h"
#include "records/accumulate/levels.h"
#include "records/accumulate/sum.h"

/* ---- public ---- */

/* phi at the levels' places, l / (levels - 1). */
static void fill_table(double *rows, const sbl_hermite_function *function, size_t levels)
{
    const size_t width = function->order + 1;
    const double s = function->length * function->reach;
    const double rho = sbl_hermite_rho(s * s);
    for (size_t l = 0; l < levels; l++)
        sbl_hermite_values(rows + l * width, function->reach * ((double)l / (double)(levels - 1) - 0.5), rho,
                           function->order);
}

/* Tables 0 .. F - 1 are the functions', the others unit vectors of the categorical columns. */
static sbl_status make_levels(sbl_hermite *h, sbl_error *err)
{
    const sbl_record_shape *shape = &h->facts->shape;
    const size_t tables = h->function_count + shape->categorical;
    sbl_level_table *table;
    sbl_level_factor *factors;
    sbl_level_part *parts;
    double *rows;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, table, tables, 1, "tables of levels");
    SBL_POOL(&pool, factors, h->factor_count, 1, "tables of levels");
    SBL_POOL(&pool, parts, h->part_count, 1, "tables of levels");
    for (size_t f = 0; f < h->function_count; f++) {
        const size_t width = h->functions[f].order + 1;
        SBL_POOL(&pool, rows, h->level_count, width, "tables of levels");
        fill_table(rows, &h->functions[f], h->level_count);
        table[f] = (sbl_level_table){h->level_count, width, rows};
    }
    for (size_t k = 0; k < shape->categorical; k++)
        table[h->function_count + k] =
            (sbl_level_table){shape->cardinalities[k], shape->cardinalities[k], NULL};
    for (size_t i = 0; i < h->factor_count; i++) {
        const sbl_hermite_factor *from = &h->factors[i];
        factors[i] =
            (sbl_level_factor){from->coordinate, from->function != SBL_HERMITE_ONEHOT
                                                     ? from->function
                                                     : h->function_count + from->coordinate - shape->numeric};
    }
    for (size_t p = 0; p < h->part_count; p++)
        parts[p] = (sbl_level_part){factors + h->parts[p].factor, h->parts[p].count};
    const sbl_levels_rule rule = {.coordinates = sbl_hermite_coordinates(h),
                                  .tables = table,
                                  .table_count = tables,
                                  .parts = parts,
                                  .part_count = h->part_count,
                                  .bound2 = SBL_GRID_BOUND2};
    SBL_TRY(sbl_levels_new(&h->levels, &rule, err));
done:
    sbl_pool_clear(&pool);
    return status;
}

sbl_status sbl_hermite_init(sbl_hermite *h, const sbl_facts *facts, const json_t *parameters, bool product,
                            sbl_error *err)
{
    sbl_status status = sbl_hermite_parts_read(h, facts, parameters, product, err);
    if (status == SBL_OK && h->kernel) status = make_levels(h, err);
    if (status != SBL_OK) sbl_hermite_clear(h);
    return status;
}

void sbl_hermite_clear(sbl_hermite *h)
{
    sbl_hermite_parts_clear(h);
    sbl_levels_free(h->levels);
    *h = (sbl_hermite){0};
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters, bool product,
                       sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_hermite *h;
    SBL_ALLOC(h, 1, "a plan");
    SBL_TRY(sbl_hermite_init(h, facts, parameters, product, err));
    *made = h;
    h = NULL;
done:
    sbl_free(h);
    return status;
}

static sbl_status make_sum(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    return make(made, facts, parameters, false, err);
}

static sbl_status make_product(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    return make(made, facts, parameters, true, err);
}

static void free_made(void *made)
{
    sbl_hermite_clear(made);
    sbl_free(made);
}

/* Masked by class: a record moves the sums of its own class and no other. */
static void describe(const void *made, sbl_block *block, double *weight)
{
    const sbl_hermite *h = made;
    const double norm = sqrt((double)h->part_count);
    *block = (sbl_block){.width = h->width,
                         .per_class = true,
                         .bound2 = SBL_GRID_BOUND2,
                         .pairwise = h->kernel,
                         .levels = h->levels};
    memcpy(block->name, h->name, strlen(h->name) + 1);
    block->scale = h->kernel ? sbl_levels_scale(h->levels) : sbl_block_scale(h->width, block->bound2, norm);
    *weight = 1.0 / norm / block->scale;
}

/* ---- records ---- */

/* One coordinate's values of a part at most. */
static size_t most_values(const sbl_hermite *h)
{
    size_t most = 0;
    for (size_t i = 0; i < h->factor_count; i++)
        if (h->factors[i].width > most) most = h->factors[i].width;
    return most;
}

/* Mode kernel: levels (slice, coordinates). Mode norm: features (slice, width), then one coordinate's values. */
static size_t workspace_bytes(const void *made)
{
    const sbl_hermite *h = made;
    const size_t rows = sbl_slice_rows(h->facts);
    size_t count;
    if (h->kernel) return rows * sbl_hermite_coordinates(h) * sizeof(uint32_t);
    if (!sbl_size_mul(&count, rows, h->width) || !sbl_size_add(&count, count, most_values(h)) ||
        !sbl_size_mul(&count, count, sizeof(double)))
        return SIZE_MAX;
    return count;
}

/* Coordinate j of the metric, moved to [0,1]; what is not a number stays so, and becomes level 0. */
static double metric_number(const sbl_hermite *h, const sbl_records *records, size_t r, size_t j)
{
    const double *numbers = records->numeric + r * h->facts->heads.numeric_count;
    double low, range, z = 0.0;
    sbl_metric_bounds(&low, &range, &h->metric, j);
    for (size_t i = j; i < h->metric.count; i++) z += h->metric.factor[i][j] * numbers[h->metric.columns[i]];
    return (z - low) / range;
}

/* A coordinate of a record as a number; categories have none. */
static double number_of(const sbl_hermite *h, const sbl_records *records, size_t r, size_t i)
{
    const sbl_facts *facts = h->facts;
    if (i >= sbl_hermite_first_metric(h))
        return metric_number(h, records, r, i - sbl_hermite_first_metric(h));
    return facts->kind == SBL_DATA_IMAGES ? (double)records->pixels[r * facts->shape.numeric + i] / 255.0
                                          : records->numeric[r * facts->heads.numeric_count + i];
}

/* One that does not exist is category 0, as in records/features/onehot.h. */
static uint32_t code_of(const sbl_hermite *h, const sbl_records *records, size_t r, size_t k)
{
    const sbl_facts *facts = h->facts;
    const uint32_t code = records->codes[r * facts->heads.categorical_count + facts->code_columns[k]];
    return code < facts->shape.cardinalities[k] ? code : 0;
}

/* The nearest of the levels 0, 1 / (n - 1), .., 1; NaN is level 0. */
static uint32_t level_of(double x, size_t levels)
{
    const double top = (double)(levels - 1);
    const double at = x * top + 0.5;
    return (uint32_t)(at >= 0.0 ? (at < top ? at : top) : 0.0);
}

static sbl_status add_levels(sbl_sum *sum, size_t block, const sbl_hermite *h, uint32_t *levels,
                             const sbl_records *records, sbl_error *err)
{
    const sbl_facts *facts = h->facts;
    const size_t d = facts->shape.numeric;
    uint32_t *level = levels;
    for (size_t r = 0; r < records->rows; r++) {
        if (facts->kind == SBL_DATA_IMAGES)
            for (size_t i = 0; i < d; i++) *level++ = records->pixels[r * d + i];
        else
            for (size_t i = 0; i < d; i++)
                *level++ = level_of(records->numeric[r * facts->heads.numeric_count + i], h->level_count);
        for (size_t k = 0; k < facts->shape.categorical; k++) *level++ = code_of(h, records, r, k);
        for (size_t j = 0; j < h->metric.count; j++)
            *level++ = level_of(metric_number(h, records, r, j), h->level_count);
    }
    return sbl_sum_add_levels(sum, block, levels, err);
}

/* to = what stands there (x) phi: from behind, so that nothing is overwritten before it is used. */
static void multiply_in(double *to, size_t count, const double *phi, size_t width)
{
    for (size_t i = count; i-- > 0;) {
        const double value = to[i];
        for (size_t j = width; j-- > 0;) to[i * width + j] = value * phi[j];
    }
}

static void part_features(double *to, const sbl_hermite *h, const sbl_hermite_part *part, double *phi,
                          const sbl_records *records, size_t r)
{
    size_t width = 1;
    to[0] = 1.0;
    for (size_t i = 0; i < part->count; i++) {
        const sbl_hermite_factor *factor = &h->factors[part->factor + i];
        if (factor->function == SBL_HERMITE_ONEHOT) {
            memset(phi, 0, factor->width * sizeof *phi);
            phi[code_of(h, records, r, factor->coordinate - h->facts->shape.numeric)] = 1.0;
        } else {
            const sbl_hermite_function *function = &h->functions[factor->function];
            const double s = function->length * function->reach;
            const double x = number_of(h, records, r, factor->coordinate);
            sbl_hermite_values(phi, function->reach * (x - 0.5), sbl_hermite_rho(s * s), function->order);
        }
        multiply_in(to, width, phi, factor->width);
        width *= factor->width;
    }
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_hermite *h = made;
    double *features = workspace, *phi = features + sbl_slice_rows(h->facts) * h->width;
    if (h->kernel) return add_levels(sum, block, h, workspace, records, err);
    for (size_t r = 0; r < records->rows; r++)
        for (size_t p = 0; p < h->part_count; p++)
            part_features(features + r * h->width + h->parts[p].offset, h, &h->parts[p], phi, records, r);
    return sbl_sum_add_f64(sum, block, 0, h->width, features, h->width, err);
}

#define FEATURE(of_name, of_make)                                                      \
    {                                                                                  \
        .name = (of_name), .make = (of_make), .free = free_made, .describe = describe, \
        .workspace_bytes = workspace_bytes, .add = add                                 \
    }

const sbl_feature sbl_feature_hermite = FEATURE(SBL_HERMITE, make_sum);
const sbl_feature sbl_feature_hermite_product = FEATURE(SBL_HERMITE_PRODUCT, make_product);
