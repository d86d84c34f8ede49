/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Draws histories forwards. Tables lie by the context's code, rows of the drawn column's codes
 * padded, so that the logits given a context are one contiguous run. */
#include "after/histories/history_draw.h"

#include <math.h>
#include <string.h>

#include "after/counts/draw_code.h"
#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"

#define STREAM_BITS 32      /* of a sweep's streams, one a person */
#define PERSONS_A_SHARD 512 /* fewer are not worth a second part */
#define WHAT "drawing histories"

/* ---- what is drawn ---- */

static uint32_t padded(uint32_t codes) { return (codes + LANES - 1) / LANES * LANES; }

/* The edges of one column among the tables, in the order of its contexts. */
static void add_edges(sbl_walk *walk, sbl_walk_column *column, const uint32_t *contexts, size_t context_count,
                      const uint32_t (*tables)[2], size_t table_count)
{
    column->first_edge = walk->edge_count;
    for (size_t c = 0; c < context_count; c++)
        for (size_t t = 0; t < table_count; t++) {
            const uint32_t low = contexts[c] < column->base ? contexts[c] : column->base;
            const uint32_t high = contexts[c] < column->base ? column->base : contexts[c];
            if (tables[t][0] != walk->shape->number[low] || tables[t][1] != walk->shape->number[high])
                continue;
            const uint32_t codes = sbl_side_codes(walk->shape, walk->codes, contexts[c]);
            walk->edges[walk->edge_count++] = (sbl_walk_edge){
                .side = contexts[c],
                .codes = codes,
                .looks_back = sbl_history_sort_of(walk->shape, contexts[c], column->base) == SBL_OF_STEPS,
                .at = walk->table_size};
            walk->table_size += (size_t)codes * column->lanes;
        }
    column->edge_count = walk->edge_count - column->first_edge;
}

sbl_status sbl_walk_init(sbl_walk *walk, const sbl_history_shape *shape, const uint32_t *codes,
                         bool of_events, const uint32_t (*tables)[2], size_t table_count, sbl_error *err)
{
    const size_t from = of_events ? shape->person_count : 0;
    const size_t to = of_events ? shape->base_count : shape->person_count;
    uint32_t *contexts = NULL;
    sbl_status status = SBL_OK;
    *walk = (sbl_walk){
        .shape = shape, .of_events = of_events, .width = of_events ? shape->side_count : shape->person_count};
    SBL_ALLOC(contexts, shape->side_count, "a model of histories");
    SBL_POOL(&walk->pool, walk->codes, shape->base_count, 1, "a model of histories");
    sbl_link_codes(walk->codes, shape, codes);
    SBL_POOL(&walk->pool, walk->columns, to - from, 1, "a model of histories");
    SBL_POOL(&walk->pool, walk->edges, table_count, 1, "a model of histories");
    for (size_t b = from; b < to; b++) {
        sbl_walk_column *column = &walk->columns[walk->column_count++];
        *column = (sbl_walk_column){.base = (uint32_t)b,
                                    .codes = walk->codes[b],
                                    .lanes = padded(walk->codes[b]),
                                    .looks_back = b == shape->gap_base,
                                    .bias_at = walk->bias_size};
        walk->bias_size += column->lanes;
        if (column->lanes > walk->most_lanes) walk->most_lanes = column->lanes;
        const size_t count = sbl_history_contexts_of(shape, b, contexts);
        add_edges(walk, column, contexts, count, tables, table_count);
    }
done:
    sbl_free(contexts);
    if (status != SBL_OK) sbl_walk_clear(walk);
    return status;
}

void sbl_walk_clear(sbl_walk *walk)
{
    sbl_pool_clear(&walk->pool);
    *walk = (sbl_walk){0};
}

/* ---- drawing ---- */

typedef struct sweep {
    const sbl_walk *walk;
    const sbl_walk_field *field;
    const sbl_walk_rows *rows;
    const sbl_walk_gaps *gaps;
    const float *weights; /* (k + 1, sorts) */
    float scale;          /* of feedback: the number of parts */
    sbl_history_past past;
    float *bias, *tables; /* of this part's own */
    float *logits, *sums; /* (most lanes), and one a vector */
    sbl_pool pool;
} sweep;

/* What one row weighs in tables of events, and in those of steps. */
typedef struct row_weights {
    float event, step;
} row_weights;

static row_weights weights_of(const sweep *s, size_t p, size_t m, size_t r)
{
    const sbl_walk_unit *unit = s->rows->units != NULL ? &s->rows->units[p] : NULL;
    const size_t events = unit != NULL ? unit->events : m, steps = unit != NULL ? unit->steps : m - 1;
    if (!s->walk->of_events) return (row_weights){1.0f, 1.0f};
    return (row_weights){s->weights[events * SBL_HISTORY_SORTS + SBL_OF_EVENTS],
                         r == 0 ? 0.0f : s->weights[(steps + 1) * SBL_HISTORY_SORTS + SBL_OF_STEPS]};
}

/* The entries of one column of a row move by sign times weight times gain. */
INLINE void feed_back(const sweep *s, const sbl_walk_column *column, const uint16_t *row, row_weights w,
                      float sign)
{
    const sbl_walk_field *field = s->field;
    const sbl_walk_edge *edges = s->walk->edges + column->first_edge;
    const uint16_t code = row[column->base];
    if (field->gains == NULL) return;
    sign *= s->scale;
    s->bias[column->bias_at + code] +=
        sign * (column->looks_back ? w.step : w.event) * field->bias_gain[column->bias_at + code];
    for (size_t e = 0; e < column->edge_count; e++) {
        const float weight = edges[e].looks_back ? w.step : w.event;
        if (edges[e].looks_back && weight == 0.0f) continue; /* a first event has no such context */
        const size_t at = edges[e].at + (size_t)row[edges[e].side] * column->lanes + code;
        s->tables[at] += sign * weight * field->gains[at];
    }
}

INLINE uint32_t draw_column(const sweep *s, const sbl_walk_column *column, const uint16_t *row, bool first,
                            float uniform)
{
    const sbl_walk_edge *edges = s->walk->edges + column->first_edge;
    memcpy(s->logits, s->bias + column->bias_at, column->lanes * sizeof *s->logits);
    for (size_t e = 0; e < column->edge_count; e++) {
        if (first && edges[e].looks_back) continue;
        const float *table = s->tables + edges[e].at + (size_t)row[edges[e].side] * column->lanes;
        for (uint32_t b = 0; b < column->lanes; b += LANES)
            store(s->logits + b, load(s->logits + b) + load(table + b));
    }
    return draw_code(s->logits, s->sums, column->codes, column->lanes, uniform);
}

/* A cell of pace within a code; the first where nothing is left but this step. */
static uint32_t draw_pace(const sbl_walk_gaps *gaps, uint32_t code, double uniform)
{
    double total = 0.0;
    uint32_t last = 0;
    for (uint32_t c = 0; c < gaps->cells; c++)
        if (gaps->code_of[c] == code) total += (double)gaps->share[c];
    double wanted = uniform * total;
    for (uint32_t c = 0; c < gaps->cells; c++) {
        if (gaps->code_of[c] != code) continue;
        last = c;
        wanted -= (double)gaps->share[c];
        if (wanted < 0.0) break;
    }
    return last;
}

/* The gap of event r, and its time; a first event has its time. Where no time is left it is the code
 * of gap 0, whatever the logits say. */
static void draw_gap(const sweep *s, const sbl_walk_column *column, uint16_t *row, uint64_t *step,
                     size_t to_come, sbl_model_rng *rng)
{
    const uint64_t left = s->walk->shape->span - 1 - step[-1];
    const float uniform = (float)sbl_model_rng_uniform(rng);
    const double within = sbl_model_rng_uniform(rng), place = sbl_model_rng_uniform(rng);
    uint32_t cell = 0;
    if (left == 0) {
        row[column->base] = (uint16_t)s->gaps->code_of[0];
    } else {
        row[column->base] = (uint16_t)draw_column(s, column, row, false, uniform);
        cell = draw_pace(s->gaps, row[column->base], within);
    }
    *step = step[-1] + sbl_history_gap(cell, place, left, to_come);
}

static void draw_row(sweep *s, size_t p, uint16_t *row, uint64_t *step, size_t r, size_t m,
                     sbl_model_rng *rng)
{
    const sbl_walk *walk = s->walk;
    const row_weights w = weights_of(s, p, m, r);
    if (walk->of_events) sbl_history_look_back(&s->past, row, step - (r > 0 ? 1 : 0), r, m);
    for (size_t c = 0; c < walk->column_count; c++) {
        const sbl_walk_column *column = &walk->columns[c];
        if (column->looks_back && r == 0) {
            row[column->base] = 0;
            continue;
        }
        if (column->looks_back)
            draw_gap(s, column, row, step, m - r, rng);
        else
            row[column->base] = (uint16_t)draw_column(s, column, row, walk->of_events && r == 0,
                                                      (float)sbl_model_rng_uniform(rng));
        feed_back(s, column, row, w, -1.0f);
    }
}

static void draw_person(sweep *s, size_t p, uint64_t seed, uint64_t sweep_number)
{
    const sbl_walk *walk = s->walk;
    const size_t first = sbl_walk_first(s->rows, p);
    const size_t m = sbl_walk_first(s->rows, p + 1) - first;
    uint16_t *rows = s->rows->rows + first * walk->width;
    uint64_t *steps = s->rows->steps != NULL ? s->rows->steps + first : NULL;
    uint64_t none = 0;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_HISTORIES, sweep_number << STREAM_BITS | p);
    for (size_t r = 0; s->field->again && r < m; r++)
        for (size_t c = 0; c < walk->column_count; c++)
            if (!(walk->columns[c].looks_back && r == 0))
                feed_back(s, &walk->columns[c], rows + r * walk->width, weights_of(s, p, m, r), 1.0f);
    for (size_t r = 0; r < m; r++)
        draw_row(s, p, rows + r * walk->width, steps != NULL ? steps + r : &none + 1, r, m, &rng);
    if (walk->of_events) sbl_history_forget(&s->past, rows, m);
}

static sbl_status sweep_init(sweep *s, sbl_error *err)
{
    const sbl_walk *walk = s->walk;
    sbl_status status = SBL_OK;
    SBL_POOL(&s->pool, s->bias, walk->bias_size, 1, WHAT);
    SBL_POOL(&s->pool, s->tables, walk->table_size, 1, WHAT);
    SBL_POOL(&s->pool, s->logits, walk->most_lanes + LANES, 1, WHAT);
    SBL_POOL(&s->pool, s->sums, walk->most_lanes / LANES + 1, 1, WHAT);
    SBL_TRY(sbl_history_past_init(&s->past, &s->pool, walk->shape, walk->codes, err));
    memcpy(s->bias, s->field->bias, walk->bias_size * sizeof *s->bias);
    memcpy(s->tables, s->field->tables, walk->table_size * sizeof *s->tables);
done:
    return status;
}

/* The persons in a random order, and the weights of their events. */
static sbl_status prepare(uint32_t **order, float **weights, const sbl_walk *walk, size_t persons,
                          uint64_t seed, uint64_t sweep_number, sbl_pool *pool, sbl_error *err)
{
    const size_t most = walk->shape->most;
    const sbl_walk_rows each = {0};
    sbl_model_rng rng;
    sbl_status status = SBL_OK;
    SBL_POOL(pool, *order, persons, 1, WHAT);
    SBL_POOL(pool, *weights, most + 1, SBL_HISTORY_SORTS, WHAT);
    for (size_t m = 1; m <= most; m++)
        for (size_t sort = 0; sort < SBL_HISTORY_SORTS; sort++)
            (*weights)[m * SBL_HISTORY_SORTS + sort] =
                (float)sbl_walk_weight(&each, 0, m, 1, (sbl_history_sort)sort);
    for (size_t p = 0; p < persons; p++) (*order)[p] = (uint32_t)p;
    sbl_model_rng_init(&rng, seed, SBL_RNG_HISTORIES,
                       sweep_number << STREAM_BITS | (((uint64_t)1 << STREAM_BITS) - 1));
    sbl_model_rng_shuffle(&rng, *order, persons);
done:
    return status;
}

sbl_status sbl_walk_draw(const sbl_walk *walk, const sbl_walk_field *field, const sbl_walk_rows *rows,
                         const sbl_walk_gaps *gaps, uint64_t seed, uint64_t sweep_number, bool alone,
                         sbl_error *err)
{
    const size_t shards = alone || rows->persons < SBL_WALK_SHARDS * PERSONS_A_SHARD ? 1 : SBL_WALK_SHARDS;
    sweep parts[SBL_WALK_SHARDS] = {0};
    uint32_t *order = NULL;
    float *weights = NULL;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(prepare(&order, &weights, walk, rows->persons, seed, sweep_number, &pool, err));
    for (size_t s = 0; s < shards; s++) {
        parts[s] = (sweep){.walk = walk,
                           .field = field,
                           .rows = rows,
                           .gaps = gaps,
                           .weights = weights,
                           .scale = (float)shards};
        SBL_TRY(sweep_init(&parts[s], err));
    }
    SBL_OMP(omp parallel for schedule(static, 1))
    for (size_t s = 0; s < shards; s++)
        for (size_t i = rows->persons * s / shards; i < rows->persons * (s + 1) / shards; i++)
            draw_person(&parts[s], order[i], seed, sweep_number);
done:
    for (size_t s = 0; s < shards; s++) sbl_pool_clear(&parts[s].pool);
    sbl_pool_clear(&pool);
    return status;
}

/* ---- counting ---- */

static void count_row(const sbl_walk *walk, const uint16_t *row, const double weights[], double *ones,
                      double *tables)
{
    for (size_t c = 0; c < walk->column_count; c++) {
        const sbl_walk_column *column = &walk->columns[c];
        const sbl_walk_edge *edges = walk->edges + column->first_edge;
        const double *own = column->looks_back ? &weights[SBL_OF_STEPS] : &weights[SBL_OF_EVENTS];
        ones[column->bias_at + row[column->base]] += *own;
        for (size_t e = 0; e < column->edge_count; e++) {
            if (edges[e].looks_back && weights[SBL_OF_STEPS] == 0.0) continue;
            tables[edges[e].at + (size_t)row[edges[e].side] * column->lanes + row[column->base]] +=
                edges[e].looks_back ? weights[SBL_OF_STEPS] : weights[SBL_OF_EVENTS];
        }
    }
}

static void divide(double *values, size_t count, double by)
{
    for (size_t i = 0; i < count; i++) values[i] /= by > 0.0 ? by : 1.0;
}

static void to_shares(const sbl_walk *walk, double *ones, double *tables, const double total[])
{
    for (size_t c = 0; c < walk->column_count; c++) {
        const sbl_walk_column *column = &walk->columns[c];
        const sbl_history_sort own = column->looks_back ? SBL_OF_STEPS : SBL_OF_EVENTS;
        divide(ones + column->bias_at, column->lanes, total[own]);
        for (size_t e = 0; e < column->edge_count; e++) {
            const sbl_walk_edge *edge = &walk->edges[column->first_edge + e];
            divide(tables + edge->at, (size_t)edge->codes * column->lanes,
                   total[edge->looks_back ? SBL_OF_STEPS : SBL_OF_EVENTS]);
        }
    }
}

void sbl_walk_count(const sbl_walk *walk, const sbl_walk_rows *rows, double *ones, double *tables,
                    double total[SBL_HISTORY_SORTS])
{
    memset(ones, 0, walk->bias_size * sizeof *ones);
    memset(tables, 0, walk->table_size * sizeof *tables);
    memset(total, 0, SBL_HISTORY_SORTS * sizeof *total);
    for (size_t p = 0; p < rows->persons; p++) {
        const size_t first = sbl_walk_first(rows, p);
        const size_t m = sbl_walk_first(rows, p + 1) - first;
        for (size_t r = 0; r < m; r++) {
            double weights[SBL_HISTORY_SORTS] = {1.0, 1.0, 1.0};
            for (size_t sort = 0; walk->of_events && sort < SBL_HISTORY_SORTS; sort++)
                weights[sort] = sbl_walk_weight(rows, p, m, r, (sbl_history_sort)sort);
            count_row(walk, rows->rows + (first + r) * walk->width, weights, ones, tables);
            for (size_t sort = 0; sort < SBL_HISTORY_SORTS; sort++) total[sort] += weights[sort];
        }
    }
    to_shares(walk, ones, tables, total);
}
