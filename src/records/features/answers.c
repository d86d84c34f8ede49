/* SPDX-License-Identifier: Apache-2.0 */
/* [3] The feature `answer`: what one question sums (public/questions/question.h; docs/mechanisms/answers.md).
 *
 *   count     a 1 in the group of the record: non-negative, norm 1
 *   sum, mean three non-negative integers in the group, ((1-u)^2, 2u(1-u), u^2) of the value u in [0, 1] by its
 *             public bounds. They add up to the grid's unit exactly, so their norm is at most that unit. The
 *             sums hold count, sum and sum of squares at the price of a count. A missing value adds nothing
 *   regress   squares and products of the vector (1, terms in [-1, 1], value in [-1, 1]), whose own sum is
 *             withheld. A record that lacks one of its columns is the zero vector */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/questions/question.h"
#include "records/accumulate/sum.h"
#include "records/features/feature.h"

#define PARTS 3 /* of a value */
#define UNIT (INT64_C(1) << SBL_GRID_BITS)
#define VECTOR_BITS 14 /* of a regression's vector, whose products have twice as many */
#define VECTOR_BOUND2 (UINT64_C(1) << (2 * VECTOR_BITS))

typedef struct answer {
    sbl_question question;
    size_t number;
    const sbl_facts *facts; /* borrowed */
    double scale;           /* of a regression's vector, a whole number: 1 is exact */
} answer;

/* ---- public ---- */

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    sbl_status status = SBL_OK;
    answer *a;
    SBL_ALLOC(a, 1, "a plan");
    SBL_TRY(sbl_question_of_parameters(&a->question, &a->number, parameters, facts, err));
    a->facts = facts;
    if (a->question.kind == SBL_QUESTION_REGRESS)
        a->scale = floor(
            sbl_block_scale(a->question.width, VECTOR_BOUND2, sqrt(sbl_question_length2(&a->question))));
    *made = a;
    a = NULL;
done:
    sbl_free(a);
    return status;
}

static size_t count_blocks(const void *made)
{
    return ((const answer *)made)->question.kind == SBL_QUESTION_REGRESS ? 3 : 1;
}

/* A weight is that of a unit of the record: all questions of equal weight cost the same. An entry of a symmetric
 * matrix off its diagonal occurs twice, so it may have sqrt 2 times the precision at no cost. */
static void describe(const void *made, sbl_block *blocks, double *weights)
{
    const answer *a = made;
    const sbl_question *q = &a->question;
    char name[SBL_BLOCK_NAME_SIZE];
    const bool count = q->kind == SBL_QUESTION_COUNT;
    if (q->kind != SBL_QUESTION_REGRESS) {
        const uint64_t unit = count ? 1 : (uint64_t)UNIT;
        blocks[0] = (sbl_block){.width = q->cells * (count ? 1 : PARTS),
                                .nonnegative = true,
                                .bound2 = unit * unit,
                                .bound1 = unit,
                                .scale = (double)unit};
        sbl_question_block(blocks[0].name, a->number, NULL);
        weights[0] = 1.0 / (double)unit;
        return;
    }
    blocks[0] = (sbl_block){.width = q->width, .bound2 = VECTOR_BOUND2, .scale = a->scale, .withheld = true};
    blocks[0].bound1 = (uint64_t)ceil(sqrt((double)q->width) * ldexp(1.0, VECTOR_BITS));
    sbl_question_block(blocks[0].name, a->number, NULL);
    sbl_question_block(name, a->number, "squares");
    blocks[1] = sbl_block_of_moments(name, SBL_BLOCK_SQUARES, &blocks[0], q->width);
    sbl_question_block(name, a->number, "products");
    blocks[2] = sbl_block_of_moments(name, SBL_BLOCK_PRODUCTS, &blocks[0], q->width);
    weights[0] = ldexp(1.0, -2 * VECTOR_BITS);
    weights[1] = sqrt(2.0) * weights[0];
}

/* ---- records ---- */

/* The value of a number in [0, 1] by its own bounds on a linear scale; false: it is missing, or a spike outside
 * the bounds, which is not a size. */
static bool find_value(double *u, const answer *a, size_t column, const double *numeric,
                       const uint32_t *codes)
{
    const sbl_heads *heads = &a->facts->heads;
    const sbl_column *found = &a->facts->schema->columns[column];
    const sbl_column *domain = found;
    double value = 0.0;
    uint32_t code = 0;
    for (size_t h = 0; h < heads->count; h++) {
        const sbl_head *head = &heads->items[h];
        if (found->by_domains != NULL && head->column == found->by && !head->indicator)
            domain = sbl_column_by(found, codes[head->index]);
        if (head->column != column) continue;
        if (head->indicator)
            code = codes[head->index];
        else
            value = numeric[head->index];
    }
    value = sbl_column_from_unit(domain, value);
    const uint32_t first = sbl_spike_code(found, 0);
    const bool spike = code >= first && code - first < found->spike_count;
    if (spike) value = found->spikes[code - first];
    const bool absent =
        (found->missing_allowed && code == 1) || (spike && sbl_spike_is_sentinel(found, code - first));
    value = (value - found->minimum) / (found->maximum - found->minimum);
    *u = value >= 0.0 ? (value <= 1.0 ? value : 1.0) : 0.0; /* NaN becomes 0 */
    return !absent;
}

static size_t find_cell(const answer *a, const uint32_t *codes)
{
    size_t cell = 0;
    for (size_t i = 0; i < a->question.column_count; i++) {
        const sbl_head *head = &a->facts->heads.items[a->question.heads[i]];
        const uint32_t code = codes[head->index];
        cell = cell * head->cardinality + (code < head->cardinality ? code : 0);
    }
    return cell;
}

/* Three integers that are not negative and add up to the unit: no sum of squares exceeds its square. */
static void split(uint32_t parts[PARTS], double u)
{
    const int64_t high = llrint(u * u * (double)UNIT);
    int64_t low = llrint((1.0 - u) * (1.0 - u) * (double)UNIT);
    if (low > UNIT - high) low = UNIT - high;
    parts[0] = (uint32_t)low;
    parts[1] = (uint32_t)(UNIT - low - high);
    parts[2] = (uint32_t)high;
}

/* A row without a value has entries that do not exist, so all rows take the same steps. */
static sbl_status add_values(sbl_sum *sum, size_t block, const answer *a, void *workspace,
                             const sbl_records *records, sbl_error *err)
{
    const sbl_heads *heads = &a->facts->heads;
    size_t *starts = workspace;
    uint32_t *entries = (uint32_t *)(starts + SBL_SLICE_ROWS + 1);
    uint32_t *amounts = entries + PARTS * SBL_SLICE_ROWS;
    for (size_t r = 0; r < records->rows; r++) {
        const uint32_t *codes = records->codes + r * heads->categorical_count;
        double u;
        const bool there =
            find_value(&u, a, a->question.value, records->numeric + r * heads->numeric_count, codes);
        const size_t first = PARTS * find_cell(a, codes);
        starts[r] = PARTS * r;
        split(amounts + PARTS * r, u);
        for (size_t i = 0; i < PARTS; i++)
            entries[PARTS * r + i] = there ? (uint32_t)(first + i) : SBL_NO_ENTRY;
    }
    starts[records->rows] = PARTS * records->rows;
    return sbl_sum_add_sparse(sum, block, starts, entries, amounts, err);
}

/* The vector of one record; zeros where one of its columns is missing. */
static void fill_vector(double *vector, const answer *a, const double *numeric, const uint32_t *codes)
{
    const sbl_question *q = &a->question;
    bool there = true;
    for (size_t k = 0; k < q->column_count; k++) {
        const sbl_head *head = &a->facts->heads.items[q->heads[k]];
        const sbl_column *column = &a->facts->schema->columns[q->columns[k]];
        if (column->kind == SBL_COLUMN_CATEGORY && codes[head->index] >= column->categories.count)
            there = false;
    }
    for (size_t i = 0; i < q->width; i++) {
        const sbl_coordinate c = sbl_question_coordinate(q, a->facts, i);
        double u = 1.0;
        if (c.category) {
            for (size_t k = 0; k < q->column_count; k++)
                if (q->columns[k] == c.column)
                    u = codes[a->facts->heads.items[q->heads[k]].index] == c.code ? 1.0 : 0.0;
            vector[i] = u;
        } else if (c.column == SBL_NO_COLUMN) {
            vector[i] = 1.0;
        } else {
            if (!find_value(&u, a, c.column, numeric, codes)) there = false;
            vector[i] = 2.0 * u - 1.0;
        }
    }
    for (size_t i = 0; !there && i < q->width; i++) vector[i] = 0.0;
}

static sbl_status add_vectors(sbl_sum *sum, size_t block, const answer *a, void *workspace,
                              const sbl_records *records, sbl_error *err)
{
    const sbl_heads *heads = &a->facts->heads;
    const size_t width = a->question.width;
    double *vectors = workspace;
    for (size_t r = 0; r < records->rows; r++)
        fill_vector(vectors + r * width, a, records->numeric + r * heads->numeric_count,
                    records->codes + r * heads->categorical_count);
    return sbl_sum_add_f64(sum, block, 0, width, vectors, width, err);
}

static size_t workspace_bytes(const void *made)
{
    const sbl_question *q = &((const answer *)made)->question;
    if (q->kind == SBL_QUESTION_COUNT) return SBL_SLICE_ROWS * sizeof(uint32_t);
    if (q->kind == SBL_QUESTION_REGRESS) return SBL_SLICE_ROWS * q->width * sizeof(double);
    return (SBL_SLICE_ROWS + 1) * sizeof(size_t) + 2 * PARTS * SBL_SLICE_ROWS * sizeof(uint32_t);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const answer *a = made;
    uint32_t *entries = workspace;
    if (a->question.kind == SBL_QUESTION_REGRESS) return add_vectors(sum, block, a, workspace, records, err);
    if (a->question.kind != SBL_QUESTION_COUNT) return add_values(sum, block, a, workspace, records, err);
    for (size_t r = 0; r < records->rows; r++)
        entries[r] = (uint32_t)find_cell(a, records->codes + r * a->facts->heads.categorical_count);
    return sbl_sum_add_ones(sum, block, entries, 1, err);
}

const sbl_feature sbl_feature_answer = {
    .name = SBL_ANSWER_FEATURE,
    .make = make,
    .free = sbl_free,
    .count = count_blocks,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
};
