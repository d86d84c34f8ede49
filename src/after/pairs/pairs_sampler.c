/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Passes over the model's state: shuffled, drawn anew by a sweep after the first pass,
 * and spread from codes to public cells by quotas. With columns fixed, the sample is made
 * first. Random streams are numbered by pass and column, so that any cut of the rows gives the
 * same rows. */
#include "after/pairs/pairs_sampler.h"

#include <string.h>

#include "after/pairs/feedback.h"
#include "after/pairs/pairs_leans.h"
#include "base/alloc.h"
#include "base/compute/threads.h"

#define ENOUGH 1000         /* rows that agree with what is fixed: a sample of their own */
#define MOST_DRAWN 100000   /* rows of a sample that is drawn from the parameters */
#define MANY_ROWS 1024      /* that threads copy together */
#define FRESH_SWEEPS 1      /* of a pass after the first */
#define SWEEPS_FROM_ROWS 20 /* from rows that agree */
#define SWEEPS_FROM_NONE 40 /* from rows that were made to agree */
#define PASS_STREAM (UINT64_C(0xfffe) << 40)
#define FRESH_SWEEP 4000
#define FRESH_NUMBERS 61000 /* passes whose sweeps have numbers of their own */
#define NO_PASS UINT64_MAX
#define MOST_ROOMS 16                  /* passes that are made side by side */
#define MOST_BYTES ((size_t)256 << 20) /* of all of them, but for one */

/* What a pass is made in. */
typedef struct room {
    uint64_t pass;   /* that `cells` holds */
    uint16_t *work;  /* (base_rows, 2 count) */
    uint16_t *codes; /* (count, base_rows): in the order of the pass */
    uint16_t *cells; /* (count, base_rows) */
    uint32_t *order; /* (base_rows) */
    sbl_status status;
    sbl_error err;
} room;

struct sbl_pairs_sampler {
    const sbl_pairs_model *model;
    uint64_t total, seed;
    uint32_t *fixed;   /* (count) cells; NULL: all free */
    uint8_t *is_fixed; /* (count) */
    uint16_t *base;    /* (base_rows, 2 count): the sample that passes are made of */
    size_t base_rows;
    sbl_pairs_leans leans;
    sbl_feedback_held *held; /* the sample, for passes after the first; NULL: none was made */
    room rooms[MOST_ROOMS];
    size_t room_count;
    sbl_pool pool; /* of all arrays but the model's */
};

void sbl_pairs_sampler_free(sbl_pairs_sampler *s)
{
    if (s == NULL) return;
    sbl_feedback_held_free(s->held);
    sbl_pool_clear(&s->pool);
    sbl_free(s);
}

/* ---- with columns fixed ---- */

static sbl_status fix_columns(sbl_pairs_sampler *s, const uint32_t *fixed, sbl_error *err)
{
    const size_t count = s->model->potts.count;
    sbl_status status = SBL_OK;
    SBL_POOL(&s->pool, s->fixed, count, 1, "drawing rows");
    SBL_POOL(&s->pool, s->is_fixed, count, 1, "drawing rows");
    for (size_t j = 0; j < count; j++) {
        const size_t cells = s->model->cells_at[j + 1] - s->model->cells_at[j];
        s->fixed[j] = fixed[j];
        s->is_fixed[j] = fixed[j] != SBL_PAIRS_FREE;
        if (s->is_fixed[j] && fixed[j] >= cells)
            SBL_FAIL(err, SBL_EARG, "column %zu has no bin number %zu", j + 1, (size_t)fixed[j]);
    }
done:
    return status;
}

static uint16_t fixed_code(const sbl_pairs_sampler *s, size_t j)
{
    return (uint16_t)s->model->code_of[s->model->cells_at[j] + s->fixed[j]];
}

static bool agrees(const sbl_pairs_sampler *s, const uint16_t *row)
{
    for (size_t j = 0; j < s->model->potts.count; j++)
        if (s->is_fixed[j] && row[j] != fixed_code(s, j)) return false;
    return true;
}

/* Rows that agree, again and again, until there are enough; made to agree when none does. */
static void fill_base(sbl_pairs_sampler *s, size_t agreeing)
{
    const sbl_potts *potts = &s->model->potts;
    const size_t width = sbl_potts_row(potts);
    size_t from = 0;
    for (size_t r = 0; r < s->base_rows; r++, from++) {
        const uint16_t *row = s->model->rows + from % s->model->row_count * width;
        while (agreeing > 0 && !agrees(s, row)) row = s->model->rows + ++from % s->model->row_count * width;
        memcpy(s->base + r * width, row, width * sizeof *row);
        for (size_t j = 0; agreeing == 0 && j < potts->count; j++)
            if (s->is_fixed[j]) s->base[r * width + j] = fixed_code(s, j);
    }
    sbl_potts_set_groups(potts, s->base, s->base_rows);
}

static sbl_status condition(sbl_pairs_sampler *s, sbl_error *err)
{
    const sbl_potts *potts = &s->model->potts;
    const size_t width = sbl_potts_row(potts);
    sbl_status status = SBL_OK;
    size_t agreeing = 0;
    for (size_t r = 0; r < s->model->row_count; r++) agreeing += agrees(s, s->model->rows + r * width);
    const bool enough = agreeing >= ENOUGH || agreeing >= s->total;
    const uint64_t wanted = s->total < MOST_DRAWN ? s->total : MOST_DRAWN;
    s->base_rows = enough ? agreeing : (size_t)wanted;
    SBL_POOL(&s->pool, s->base, s->base_rows, width, "drawing rows");
    fill_base(s, agreeing);
    if (enough) goto done;
    const sbl_feedback_rule rule = {
        .sweeps = agreeing > 0 ? SWEEPS_FROM_ROWS : SWEEPS_FROM_NONE, .seed = s->seed, .fixed = s->is_fixed};
    status = sbl_feedback_none(potts, s->base, s->base_rows, 0, &rule, err);
done:
    return status;
}

static uint64_t pass_count(const sbl_pairs_sampler *s) { return (s->total - 1) / s->base_rows + 1; }

/* As many as threads and passes have use for and memory allows. With fewer than half as many passes as
 * threads, these share one pass after the other. */
static size_t rooms_for(const sbl_pairs_sampler *s)
{
    const sbl_potts *potts = &s->model->potts;
    const size_t threads = (size_t)sbl_thread_limit();
    const size_t shards = sbl_feedback_last_shards(sbl_feedback_shards(s->base_rows, 0));
    const size_t rows = s->base_rows * (sbl_potts_row(potts) + 2 * potts->count + 2) * sizeof(uint16_t);
    const size_t sweeps = shards * 3 * (potts->theta_count + potts->trees.entry_count + 1) * sizeof(float);
    const size_t trees = s->base_rows * potts->trees.tree_count * sizeof(uint32_t);
    size_t rooms = threads < MOST_ROOMS ? threads : MOST_ROOMS;
    if (pass_count(s) < rooms) rooms = (size_t)pass_count(s);
    if (2 * rooms < threads) return 1;
    while (rooms > 1 && rows + sweeps + trees > MOST_BYTES / rooms) rooms--;
    return rooms;
}

static sbl_status make_rooms(sbl_pairs_sampler *s, sbl_error *err)
{
    const sbl_potts *potts = &s->model->potts;
    sbl_status status = SBL_OK;
    s->room_count = rooms_for(s);
    for (size_t i = 0; i < s->room_count; i++) {
        room *r = &s->rooms[i];
        r->pass = NO_PASS;
        SBL_POOL(&s->pool, r->work, s->base_rows, sbl_potts_row(potts), "drawing rows");
        SBL_POOL(&s->pool, r->codes, s->base_rows, potts->count, "drawing rows");
        SBL_POOL(&s->pool, r->cells, s->base_rows, potts->count, "drawing rows");
        SBL_POOL(&s->pool, r->order, s->base_rows, 1, "drawing rows");
    }
done:
    return status;
}

sbl_status sbl_pairs_sampler_new(sbl_pairs_sampler **sampler, const sbl_pairs_model *model,
                                 const sbl_pairs_request *request, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *sampler = NULL;
    if (request->rows < 1) return sbl_fail(err, SBL_EARG, "the number of rows must be at least 1");
    sbl_pairs_sampler *s;
    SBL_ALLOC(s, 1, "drawing rows");
    *s = (sbl_pairs_sampler){.model = model,
                             .total = request->rows,
                             .seed = request->seed,
                             .base = model->rows,
                             .base_rows = model->row_count};
    if (request->fixed) {
        SBL_TRY(fix_columns(s, request->fixed, err));
        SBL_TRY(condition(s, err));
    }
    SBL_TRY(sbl_pairs_leans_init(&s->leans, &s->pool, model, request->ordered, err));
    SBL_TRY(make_rooms(s, err));
    *sampler = s;
    s = NULL;
done:
    sbl_pairs_sampler_free(s);
    return status;
}

/* ---- one pass ---- */

static bool is_swept(const sbl_pairs_sampler *s)
{
    return s->model->potts.block_count + s->model->potts.trees.tree_count > 0;
}

/* A sweep that holds the rows to the sample's own tables; theta stays. */
static sbl_status freshen(const sbl_pairs_sampler *s, uint16_t *rows, uint64_t pass, sbl_error *err)
{
    const sbl_feedback_rule rule = {.sweeps = FRESH_SWEEPS,
                                    .seed = s->seed,
                                    .first_sweep = FRESH_SWEEP + FRESH_SWEEPS * (pass % FRESH_NUMBERS),
                                    .fixed = s->is_fixed};
    return sbl_feedback_redraw(s->held, rows, &rule, err);
}

/* A column of the pass: the cells of its codes. leans: room for those of a column. */
static void spread_column(const sbl_pairs_sampler *s, room *into, sbl_spread *spread, sbl_lean *leans,
                          size_t j, size_t rows, uint64_t pass)
{
    const size_t first = s->leans.first[j], count = s->leans.first[j + 1] - first;
    uint16_t *cells = into->cells + j * s->base_rows;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, s->seed, SBL_RNG_PAIRS, PASS_STREAM | (pass << 20 | j));
    for (size_t i = 0; i < count; i++) {
        leans[i] = s->leans.leans[first + i];
        leans[i].other = into->codes + s->leans.others[first + i] * s->base_rows;
    }
    sbl_spread_column(spread, &s->leans.columns[j], leans, count, into->codes + j * s->base_rows, 1, cells, 1,
                      rows, &rng);
    for (size_t r = 0; s->is_fixed && s->is_fixed[j] && r < rows; r++) cells[r] = (uint16_t)s->fixed[j];
}

/* The rows of a pass in random order, column by column: a row is read once, where it is. */
static void order_rows(const sbl_pairs_sampler *s, room *into, size_t rows, uint64_t pass)
{
    const size_t width = sbl_potts_row(&s->model->potts), count = s->model->potts.count;
    sbl_model_rng rng;
    for (size_t r = 0; r < s->base_rows; r++) into->order[r] = (uint32_t)r;
    sbl_model_rng_init(&rng, s->seed, SBL_RNG_PAIRS, PASS_STREAM | (pass << 20 | 0xfffff));
    for (size_t i = s->base_rows; i > 1; i--) { /* uneven by less than i / 2^32 */
        const size_t k = (size_t)((uint64_t)sbl_model_rng_u32(&rng) * i >> 32);
        const uint32_t swap = into->order[i - 1];
        into->order[i - 1] = into->order[k];
        into->order[k] = swap;
    }
    for (size_t r = 0; r < rows; r++) {
        const uint16_t *row = into->work + into->order[r] * width;
        for (size_t j = 0; j < count; j++) into->codes[j * s->base_rows + r] = row[j];
    }
}

static size_t most_cells(const sbl_pairs_model *model)
{
    size_t most = 0;
    for (size_t j = 0; j < model->potts.count; j++) {
        const size_t cells = model->cells_at[j + 1] - model->cells_at[j];
        if (cells > most) most = cells;
    }
    return most;
}

static sbl_status make_pass(const sbl_pairs_sampler *s, room *into, uint64_t pass, sbl_error *err)
{
    const size_t width = sbl_potts_row(&s->model->potts);
    const uint64_t left = s->total - pass * s->base_rows;
    const size_t rows = left < s->base_rows ? (size_t)left : s->base_rows;
    sbl_spread spread;
    sbl_lean *leans;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    into->pass = NO_PASS;
    memcpy(into->work, s->base, s->base_rows * width * sizeof *into->work);
    if (pass > 0 && is_swept(s)) SBL_TRY(freshen(s, into->work, pass, err));
    order_rows(s, into, rows, pass);
    SBL_TRY(sbl_spread_init(&spread, &pool, rows, most_cells(s->model), err));
    SBL_POOL(&pool, leans, s->model->potts.block_count + 1, 1, "drawing rows");
    for (size_t j = 0; j < s->model->potts.count; j++) spread_column(s, into, &spread, leans, j, rows, pass);
    into->pass = pass;
done:
    sbl_pool_clear(&pool);
    return status;
}

/* This pass and those after it, one in each room. A pass depends on its number alone. */
static sbl_status make_passes(sbl_pairs_sampler *s, uint64_t pass, sbl_error *err)
{
    const uint64_t left = pass_count(s) - pass;
    const size_t count = left < s->room_count ? (size_t)left : s->room_count;
    if (pass + count > 1 && s->held == NULL && is_swept(s))
        SBL_CHECK(sbl_feedback_hold(&s->held, &s->model->potts, s->base, s->base_rows, err));
    SBL_OMP(omp parallel for schedule(dynamic) if (count > 1))
    for (size_t i = 0; i < count; i++) {
        room *into = &s->rooms[i];
        into->status = make_pass(s, into, pass + i, &into->err);
    }
    for (size_t i = 0; i < count; i++)
        if (s->rooms[i].status != SBL_OK)
            return sbl_fail(err, s->rooms[i].status, "%s", s->rooms[i].err.message);
    return SBL_OK;
}

static const room *room_of(const sbl_pairs_sampler *s, uint64_t pass)
{
    for (size_t i = 0; i < s->room_count; i++)
        if (s->rooms[i].pass == pass) return &s->rooms[i];
    return NULL;
}

/* Rows of a pass, row by row. */
static void copy_rows(const sbl_pairs_sampler *s, uint32_t *cells, const uint16_t *from, size_t rows)
{
    const size_t count = s->model->potts.count;
    SBL_OMP(omp parallel for schedule(static) if (rows >= MANY_ROWS))
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < count; j++) cells[r * count + j] = from[j * s->base_rows + r];
}

sbl_status sbl_pairs_sampler_draw(sbl_pairs_sampler *s, uint32_t *cells, uint64_t first, size_t rows,
                                  sbl_error *err)
{
    const room *at = NULL;
    size_t some;
    if (first > s->total || rows > s->total - first)
        return sbl_fail(err, SBL_EARG, "no rows are left: all requested rows were drawn");
    for (size_t r = 0; r < rows; r += some) {
        const uint64_t pass = (first + r) / s->base_rows;
        const size_t place = (size_t)((first + r) % s->base_rows);
        some = s->base_rows - place < rows - r ? s->base_rows - place : rows - r;
        at = room_of(s, pass);
        if (at == NULL) {
            SBL_CHECK(make_passes(s, pass, err));
            at = &s->rooms[0];
        }
        copy_rows(s, cells + r * s->model->potts.count, at->cells + place, some);
    }
    return SBL_OK;
}
