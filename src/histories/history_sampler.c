/* [7] Passes over the state: codes to cells by quotas, numbers of events and first times from cells. */
#include "histories/history_sampler.h"

#include <string.h>

#include "histories/history_feedback.h"
#include "pairs/start.h"
#include "random/model_rng.h"

#define WHAT "drawing histories"
#define FRESH_SWEEPS 2
#define SWEEPS_A_PASS 16                /* numbers of sweeps that a pass may use */
#define FRESH_SWEEP ((uint64_t)1 << 16) /* the first number: a fit's are below */
#define CELL_STREAM ((uint64_t)1 << 55) /* streams beyond those of sweeps */

void sbl_history_pass_clear(sbl_history_pass *pass)
{
    sbl_pool_clear(&pass->pool);
    *pass = (sbl_history_pass){0};
}

sbl_walk_gaps sbl_history_model_gaps(const sbl_history_model *model, const sbl_history_shape *shape)
{
    if (shape->gap_base == SBL_HISTORY_NONE) return (sbl_walk_gaps){0};
    const size_t at = model->cells_at[shape->gap_base];
    return (sbl_walk_gaps){model->code_of + at, model->share + at,
                           shape->columns[shape->gap_base].cells};
}

/* ---- codes to cells ---- */

/* Rows by the code they have, and what they are given. */
typedef struct spread {
    uint32_t *sorted;
    size_t *begin;
    uint16_t *drawn;
    float *shares;
    uint32_t *cells;
    sbl_pool pool;
} spread;

static sbl_status spread_init(spread *s, const sbl_history_model *model, size_t rows,
                              sbl_error *err)
{
    size_t most = 1;
    sbl_status status = SBL_OK;
    for (size_t b = 0; b < model->base_count; b++)
        if (model->cells_at[b + 1] - model->cells_at[b] > most)
            most = model->cells_at[b + 1] - model->cells_at[b];
    SBL_POOL(&s->pool, s->sorted, rows, 1, WHAT);
    SBL_POOL(&s->pool, s->begin, most + 1, 1, WHAT);
    SBL_POOL(&s->pool, s->drawn, rows, 1, WHAT);
    SBL_POOL(&s->pool, s->shares, most, 1, WHAT);
    SBL_POOL(&s->pool, s->cells, most, 1, WHAT);
done:
    return status;
}

/* to[r * to_stride]: a cell of the code from[r * from_stride] of a base, by quotas. */
static void spread_base(spread *s, const sbl_history_model *model, size_t base, uint16_t *to,
                        size_t to_stride, const uint16_t *from, size_t from_stride, size_t rows,
                        sbl_model_rng *rng)
{
    const size_t at = model->cells_at[base], cells = model->cells_at[base + 1] - at;
    const uint32_t codes = model->codes[base];
    memset(s->begin, 0, ((size_t)codes + 1) * sizeof *s->begin);
    for (size_t r = 0; r < rows; r++) s->begin[from[r * from_stride] + 1]++;
    for (uint32_t v = 0; v < codes; v++) s->begin[v + 1] += s->begin[v];
    for (size_t r = 0; r < rows; r++) s->sorted[s->begin[from[r * from_stride]]++] = (uint32_t)r;
    for (uint32_t v = codes; v > 0; v--) s->begin[v] = s->begin[v - 1];
    s->begin[0] = 0;
    for (uint32_t v = 0; v < codes; v++) {
        const size_t size = s->begin[v + 1] - s->begin[v];
        uint32_t found = 0;
        if (size == 0) continue;
        for (uint32_t c = 0; c < cells; c++) {
            if (model->code_of[at + c] != v) continue;
            s->shares[found] = model->share[at + c];
            s->cells[found++] = c;
        }
        sbl_start_quotas(s->drawn, size, 1, s->shares, found, rng);
        for (size_t i = 0; i < size; i++)
            to[s->sorted[s->begin[v] + i] * to_stride] = (uint16_t)s->cells[s->drawn[i]];
    }
}

static void stream_of(sbl_model_rng *rng, uint64_t seed, uint64_t number, size_t base)
{
    sbl_model_rng_init(rng, seed, SBL_RNG_HISTORIES, CELL_STREAM | number << 20 | base);
}

/* ---- persons ---- */

/* A number of events within a cell, evenly: person p of many takes the p-th place. */
static void count_events(sbl_history_pass *pass, const sbl_history_shape *shape, uint64_t seed,
                         uint64_t number)
{
    sbl_model_rng rng;
    stream_of(&rng, seed, number, shape->base_count + 1);
    for (size_t p = 0; p < pass->persons; p++) {
        const uint32_t cell = pass->person_cells[p * shape->person_count + shape->count_base];
        size_t low, high;
        sbl_history_count_range(shape, cell, &low, &high);
        pass->starts[p + 1] =
            pass->starts[p] + low + (size_t)sbl_model_rng_below(&rng, high - low + 1);
    }
}

sbl_status sbl_history_pass_persons(sbl_history_pass *pass, const sbl_history_model *model,
                                    const sbl_history_shape *shape, const uint16_t *person_rows,
                                    uint64_t seed, uint64_t number, sbl_error *err)
{
    const size_t width = shape->person_count;
    spread s = {0};
    sbl_status status = SBL_OK;
    pass->persons = model->persons;
    SBL_POOL(&pass->pool, pass->person_rows, pass->persons, width, WHAT);
    SBL_POOL(&pass->pool, pass->person_cells, pass->persons, width, WHAT);
    SBL_POOL(&pass->pool, pass->starts, pass->persons + 1, 1, WHAT);
    SBL_TRY(spread_init(&s, model, pass->persons, err));
    memcpy(pass->person_rows, person_rows, pass->persons * width * sizeof *person_rows);
    for (size_t b = 0; b < width; b++) {
        sbl_model_rng rng;
        stream_of(&rng, seed, number, b);
        spread_base(&s, model, b, pass->person_cells + b, width, pass->person_rows + b, width,
                    pass->persons, &rng);
    }
    count_events(pass, shape, seed, number);
done:
    sbl_pool_clear(&s.pool);
    return status;
}

/* ---- events ---- */

static void first_times(sbl_history_pass *pass, const sbl_history_shape *shape)
{
    for (size_t p = 0; p < pass->persons; p++) {
        const uint32_t cell = pass->person_cells[p * shape->person_count + shape->first_base];
        /* Evenly within the cell: a golden ratio's multiples are spread so. */
        const double place = (double)(uint32_t)(p * 2654435769u) / 4294967296.0;
        pass->rows.steps[pass->starts[p]] = sbl_history_first_step(shape, cell, place);
    }
}

sbl_status sbl_history_pass_events(sbl_history_pass *pass, const sbl_history_shape *shape,
                                   sbl_error *err)
{
    const size_t events = pass->starts[pass->persons];
    sbl_status status = SBL_OK;
    pass->rows = (sbl_walk_rows){.persons = pass->persons, .starts = pass->starts};
    SBL_POOL(&pass->pool, pass->rows.rows, events, shape->side_count, WHAT);
    if (shape->span != 0) SBL_POOL(&pass->pool, pass->rows.steps, events, 1, WHAT);
    for (size_t p = 0; p < pass->persons; p++) {
        const size_t m = pass->starts[p + 1] - pass->starts[p];
        for (size_t r = 0; r < m; r++) {
            uint16_t *row = pass->rows.rows + (pass->starts[p] + r) * shape->side_count;
            memcpy(row, pass->person_rows + p * shape->person_count,
                   shape->person_count * sizeof *row);
            row[shape->position] = sbl_history_position(r);
        }
    }
    if (shape->span != 0) first_times(pass, shape);
done:
    return status;
}

static sbl_status spread_events(sbl_history_pass *pass, const sbl_history_model *model,
                                const sbl_history_shape *shape, uint64_t seed, uint64_t number,
                                sbl_error *err)
{
    const size_t events = pass->starts[pass->persons];
    const size_t width = shape->base_count - shape->person_count;
    spread s = {0};
    sbl_status status = SBL_OK;
    SBL_POOL(&pass->pool, pass->event_cells, events, width, WHAT);
    SBL_TRY(spread_init(&s, model, events, err));
    for (size_t b = shape->person_count; b < shape->base_count; b++) {
        sbl_model_rng rng;
        stream_of(&rng, seed, number, b);
        spread_base(&s, model, b, pass->event_cells + b - shape->person_count, width,
                    pass->rows.rows + b, shape->side_count, events, &rng);
    }
done:
    sbl_pool_clear(&s.pool);
    return status;
}

/* ---- the state ---- */

sbl_status sbl_history_model_keep(sbl_history_model *model, const sbl_history_pass *pass,
                                  const sbl_history_shape *shape, sbl_error *err)
{
    const size_t width = shape->base_count - shape->person_count;
    sbl_status status = SBL_OK;
    model->events = pass->starts[pass->persons];
    SBL_POOL(&model->pool, model->counts, model->persons, 1, WHAT);
    SBL_POOL(&model->pool, model->event_rows, model->events, width, WHAT);
    SBL_POOL(&model->pool, model->steps, model->events, 1, WHAT);
    for (size_t p = 0; p < model->persons; p++)
        model->counts[p] = (uint32_t)(pass->starts[p + 1] - pass->starts[p]);
    for (size_t r = 0; r < model->events; r++) {
        memcpy(model->event_rows + r * width,
               pass->rows.rows + r * shape->side_count + shape->person_count,
               width * sizeof *model->event_rows);
        if (shape->span != 0) model->steps[r] = (uint32_t)pass->rows.steps[r];
    }
done:
    return status;
}

/* The state as a pass: its own events, with their contexts. */
static sbl_status recall(sbl_history_pass *pass, const sbl_history_model *model,
                         const sbl_history_shape *shape, uint64_t seed, sbl_error *err)
{
    const size_t width = shape->base_count - shape->person_count;
    sbl_history_past past;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_history_pass_persons(pass, model, shape, model->person_rows, seed, 0, err));
    for (size_t p = 0; p < pass->persons; p++)
        pass->starts[p + 1] = pass->starts[p] + model->counts[p];
    SBL_TRY(sbl_history_pass_events(pass, shape, err));
    SBL_TRY(sbl_history_past_init(&past, &pool, shape, model->codes, err));
    for (size_t p = 0; p < pass->persons; p++) {
        const size_t first = pass->starts[p], m = model->counts[p];
        uint16_t *rows = pass->rows.rows + first * shape->side_count;
        for (size_t r = 0; r < m; r++) {
            uint16_t *row = rows + r * shape->side_count;
            uint64_t before = 0;
            memcpy(row + shape->person_count, model->event_rows + (first + r) * width,
                   width * sizeof *row);
            if (shape->span != 0) {
                pass->rows.steps[first + r] = model->steps[first + r];
                before = model->steps[first + r - (r > 0 ? 1 : 0)];
            }
            sbl_history_look_back(&past, row, &before, r, m);
        }
        sbl_history_forget(&past, rows, m);
    }
done:
    sbl_pool_clear(&pool);
    return status;
}

/* ---- passes after the first ---- */

/* Rows drawn by the model's parameters and held to the tables of other rows. */
static sbl_status hold_to(const sbl_history_model *model, const sbl_walk *walk,
                          const sbl_walk_rows *rows, const sbl_walk_rows *like, uint64_t seed,
                          uint64_t first_sweep, sbl_error *err)
{
    const size_t which = walk->of_events ? 1 : 0;
    const sbl_walk_gaps gaps = sbl_history_model_gaps(model, walk->shape);
    double *ones, *tables, total[SBL_HISTORY_SORTS];
    float *shares, *targets, *bias, *theta;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, ones, walk->bias_size, 1, WHAT);
    SBL_POOL(&pool, shares, walk->bias_size, 1, WHAT);
    SBL_POOL(&pool, bias, walk->bias_size, 1, WHAT);
    SBL_POOL(&pool, tables, walk->table_size, 1, WHAT);
    SBL_POOL(&pool, targets, walk->table_size, 1, WHAT);
    SBL_POOL(&pool, theta, walk->table_size, 1, WHAT);
    sbl_walk_count(walk, like, ones, tables, total);
    for (size_t i = 0; i < walk->bias_size; i++) shares[i] = (float)ones[i];
    for (size_t i = 0; i < walk->table_size; i++) targets[i] = (float)tables[i];
    memcpy(bias, model->bias[which], walk->bias_size * sizeof *bias);
    memcpy(theta, model->theta[which], walk->table_size * sizeof *theta);
    const sbl_history_goal goal = {shares, targets, targets, NULL};
    const sbl_history_rule rule = {
        .sweeps = FRESH_SWEEPS, .seed = seed, .first_sweep = first_sweep};
    SBL_TRY(sbl_history_feedback(walk, rows, &gaps, bias, theta, &goal, &rule, err));
done:
    sbl_pool_clear(&pool);
    return status;
}

static sbl_status draw_persons(uint16_t *fresh, const sbl_history_model *model,
                               const sbl_history_shape *shape, uint64_t seed, uint64_t sweep,
                               sbl_error *err)
{
    sbl_walk walk = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_walk_init(&walk, shape, model->codes, false, (const uint32_t(*)[2])model->tables,
                          model->table_count, err));
    const sbl_walk_rows like = {.persons = model->persons, .rows = model->person_rows};
    const sbl_walk_rows rows = {.persons = model->persons, .rows = fresh};
    SBL_TRY(hold_to(model, &walk, &rows, &like, seed, sweep, err));
done:
    sbl_walk_clear(&walk);
    return status;
}

static sbl_status draw_again(sbl_history_pass *pass, const sbl_history_model *model,
                             const sbl_history_shape *shape, uint64_t seed, uint64_t number,
                             sbl_error *err)
{
    const uint64_t sweep = FRESH_SWEEP + 2 * SWEEPS_A_PASS * (number % (1 << 10));
    sbl_history_pass state = {0};
    sbl_walk walk = {0};
    uint16_t *fresh = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(fresh, model->persons * shape->person_count, WHAT);
    SBL_TRY(recall(&state, model, shape, seed, err));
    SBL_TRY(draw_persons(fresh, model, shape, seed, sweep, err));
    SBL_TRY(sbl_history_pass_persons(pass, model, shape, fresh, seed, number, err));
    SBL_TRY(sbl_history_pass_events(pass, shape, err));
    SBL_TRY(sbl_walk_init(&walk, shape, model->codes, true, (const uint32_t(*)[2])model->tables,
                          model->table_count, err));
    SBL_TRY(hold_to(model, &walk, &pass->rows, &state.rows, seed, sweep + SWEEPS_A_PASS, err));
done:
    sbl_free(fresh);
    sbl_walk_clear(&walk);
    sbl_history_pass_clear(&state);
    return status;
}

sbl_status sbl_history_pass_draw(sbl_history_pass *pass, const sbl_history_model *model,
                                 const sbl_history_shape *shape, uint64_t seed, uint64_t number,
                                 sbl_error *err)
{
    sbl_status status = SBL_OK;
    *pass = (sbl_history_pass){0};
    SBL_TRY(number == 0 ? recall(pass, model, shape, seed, err)
                        : draw_again(pass, model, shape, seed, number, err));
    SBL_TRY(spread_events(pass, model, shape, seed, number, err));
done:
    if (status != SBL_OK) sbl_history_pass_clear(pass);
    return status;
}
