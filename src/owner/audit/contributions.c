/* SPDX-License-Identifier: Apache-2.0 */
/* Records go through the round's own features; vectors made by hand go straight to the sum,
 * because the bounds must hold whatever a feature map gives. Vectors in the plane of two
 * coordinates, at 25 angles, hold the pair that moves a clipped block most. */
#include "owner/audit/contributions.h"

#include <math.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "owner/audit/audit_records.h"
#include "records/accumulate/levels.h"
#include "run/pipeline/gather.h"

#define SEED UINT64_C(0x61756469745f3032)
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static sbl_status make_room(sbl_contributions *made, size_t capacity, sbl_error *err)
{
    *made = (sbl_contributions){0};
    made->sums = sbl_alloc_array(capacity, sizeof(sbl_sum *));
    made->names = sbl_alloc_array(capacity, sizeof *made->names);
    made->labels = sbl_alloc_array(capacity, sizeof *made->labels);
    if (made->sums != NULL && made->names != NULL && made->labels != NULL) return SBL_OK;
    sbl_contributions_clear(made);
    return sbl_no_memory(err, "sums");
}

void sbl_contributions_clear(sbl_contributions *made)
{
    for (size_t i = 0; i < made->count; i++) sbl_sum_free(made->sums[i]);
    sbl_free(made->sums);
    sbl_free(made->names);
    sbl_free(made->labels);
    *made = (sbl_contributions){0};
}

/* A hostile person by itself, through the real gather. rows: there is memory for the longest. */
static sbl_status sum_of_person(sbl_sum **sum, sbl_drawn *rows, const sbl_features *features,
                                const sbl_hostile *hostile, size_t which, sbl_error *err)
{
    const sbl_synth_options options = {.struct_size = sizeof options, .threads = 1};
    const size_t times = sbl_hostile_times(features, which);
    sbl_source *source = NULL;
    sbl_status status = SBL_OK;
    for (size_t turn = 0; turn < times; turn++) {
        const size_t record = sbl_hostile_turn(hostile, features, which, turn);
        const sbl_records one = sbl_hostile_records(hostile, record, 1);
        sbl_drawn_copy(rows, turn, &one, 0, hostile->facts);
        if (rows->units != NULL) rows->units[turn] = (sbl_unit_tag){.low = 1};
    }
    const sbl_records person = sbl_drawn_records(rows, hostile->facts, 0, times);
    SBL_TRY(sbl_audit_source(&source, &person, "a person", hostile->facts, features, err));
    SBL_TRY(sbl_gather(sum, source, features, "nothing", &options, err));
done:
    sbl_source_close(source);
    return status;
}

sbl_status sbl_contributions_of_records(sbl_contributions *made, const sbl_features *features,
                                        const sbl_hostile *hostile, sbl_error *err)
{
    sbl_drawn rows = {0};
    sbl_status status = make_room(made, hostile->rows, err);
    if (status != SBL_OK) return status;
    made->kinds = hostile->kinds;
    SBL_TRY(sbl_drawn_make(&rows, hostile->facts, SBL_HOSTILE_MOST_TIMES, true, err));
    for (size_t row = 0; row < hostile->rows; row++) {
        const sbl_records one = sbl_hostile_records(hostile, row, 1);
        made->names[row] = hostile->names[row];
        made->labels[row] = one.labels != NULL ? one.labels[0] : 0;
        SBL_TRY(sum_of_person(&made->sums[made->count++], &rows, features, hostile, row, err));
    }
done:
    sbl_drawn_clear(&rows, hostile->facts);
    if (status != SBL_OK) sbl_contributions_clear(made);
    return status;
}

/* ---- features by hand ---- */

/* Vectors as long as the bound in the plane of the first two coordinates of each run, at this number of angles
 * between 0 and 180 degrees: x' = -x, orthogonal vectors and all between them, including the pair that moves
 * vector, squares and products together the most (docs/mechanisms/ron-gauss.md).
 * A block that cannot be negative uses half the angles. */
#define ANGLES 25

static const char angle_name[] = "a vector of the largest norm";
static const char past_name[] = "a vector of the largest norm, a label that does not exist";

typedef struct fill_kind {
    const char *name;
    double even, odd; /* of every coordinate, as parts of the largest norm */
} fill_kind;

static const fill_kind fill_kinds[] = {
    {"zeros", 0.0, 0.0},
    {"NaN", NAN, NAN},
    {"NaN beside 1e308", NAN, 1e308},
    {"plus infinity", INFINITY, INFINITY},
    {"minus infinity", -INFINITY, -INFINITY},
    {"infinities of both signs", INFINITY, -INFINITY},
    {"1e308", 1e308, 1e308},
    {"1e308 of both signs", -1e308, 1e308},
    {"subnormal numbers", 4.9406564584124654e-324, -4.9406564584124654e-324},
    {"every coordinate at the bound", 1.0, 1.0},
    {"every coordinate at the bound, signs in turn", 1.0, -1.0},
    {"every coordinate at minus the bound", -1.0, -1.0},
    {"ten times the bound", 10.0, 0.0},
    {"minus ten times the bound", -10.0, 0.0},
    {"a hundredth of the bound", 0.01, 0.01},
};

/* Every coordinate of the first half, or of the second: orthogonal, and spread as in L1. */
static const char *const half_names[] = {"the first half of the coordinates",
                                         "the second half of the coordinates"};

/* One feature vector: number `which` of all, for a block. Counts of cells are ones, as many as the
 * bound allows: a single coordinate cannot be as long, for its length would be no whole number. */
typedef struct shape {
    size_t runs, run;
    double length; /* that of the largest norm of a run, in feature units */
    bool ones;     /* the block holds ones in a few places */
} shape;

static shape shape_of(const sbl_block *block)
{
    const sbl_run_bounds bounds = sbl_block_run_bounds(block);
    return (shape){.runs = block->width / bounds.run,
                   .run = bounds.run,
                   .length = sqrt((double)bounds.bound2) / block->scale,
                   .ones = block->scale == 1.0 && block->nonnegative && bounds.bound2 <= bounds.run / 2};
}

static void fill_angle(double *values, const sbl_block *block, size_t angle)
{
    const shape s = shape_of(block);
    const double turn = acos(-1.0) * (double)angle / (double)(ANGLES - 1);
    const double t = block->nonnegative ? turn / 2.0 : turn;
    const size_t ones = s.ones ? (size_t)block->bound2 : 0;
    for (size_t i = 0; i < block->width; i++) {
        const size_t at = i % s.run;
        values[i] = at == 0 ? s.length * cos(t) : at == 1 ? s.length * sin(t) : 0.0;
        if (s.ones) values[i] = (2 * angle < ANGLES ? at < ones : at >= s.run - ones) ? 1.0 : 0.0;
    }
}

static void fill_half(double *values, const sbl_block *block, size_t half)
{
    const shape s = shape_of(block);
    const size_t part = s.run / 2 > 0 ? s.run / 2 : 1;
    const double each = s.length / sqrt((double)part);
    for (size_t i = 0; i < block->width; i++) values[i] = (i % s.run < s.run / 2) == (half == 0) ? each : 0.0;
}

static void fill_kind_of(double *values, const sbl_block *block, const fill_kind *kind)
{
    const double length = shape_of(block).length;
    for (size_t i = 0; i < block->width; i++) values[i] = (i % 2 == 0 ? kind->even : kind->odd) * length;
}

static void fill_random(double *values, const sbl_block *block, sbl_model_rng *rng)
{
    const shape s = shape_of(block);
    for (size_t i = 0; i < block->width; i++)
        values[i] = s.length * sbl_model_rng_normal(rng) / sqrt((double)s.run);
}

/* Which vector, and of which class. */
typedef struct choice {
    const char *name;
    enum { ANGLE, HALF, KIND, RANDOM } sort;
    size_t number;
    uint32_t label;
} choice;

/* A block whose records are levels takes nothing else: all coordinates low, high, somewhere between,
 * in turn, at random, or at a level that does not exist. */
static sbl_status add_levels(sbl_sum *sum, size_t b, const sbl_levels *levels, const choice *c,
                             sbl_model_rng *rng, sbl_error *err)
{
    const size_t count = sbl_levels_coordinates(levels);
    uint32_t *row = sbl_alloc_array(count, sizeof *row);
    if (row == NULL) return sbl_no_memory(err, "features");
    for (size_t i = 0; i < count; i++) {
        const uint32_t top = (uint32_t)sbl_levels_of(levels, i) - 1;
        row[i] = UINT32_MAX;
        if (c->sort == ANGLE) row[i] = (uint32_t)((double)top * (double)c->number / (ANGLES - 1));
        if (c->sort == HALF) row[i] = (i % 2 == 0) == (c->number == 0) ? top : 0;
        if (c->sort == RANDOM) row[i] = (uint32_t)sbl_model_rng_below(rng, (uint64_t)top + 1);
    }
    const sbl_status status = sbl_sum_add_levels(sum, b, row, err);
    sbl_free(row);
    return status;
}

static sbl_status add_row(sbl_sum *sum, double *values, const choice *c, const uint32_t *turn,
                          sbl_model_rng *rng, sbl_error *err)
{
    const sbl_layout *layout = sbl_sum_layout(sum);
    SBL_CHECK(sbl_sum_begin_unit_rows(sum, &c->label, turn, 1, err));
    for (size_t b = 0; b < layout->block_count; b++) {
        const sbl_block *block = &layout->blocks[b];
        if (block->kind != SBL_BLOCK_VECTOR) continue;
        if (block->levels != NULL) {
            SBL_CHECK(add_levels(sum, b, block->levels, c, rng, err));
            continue;
        }
        if (c->sort == ANGLE)
            fill_angle(values, block, c->number);
        else if (c->sort == HALF)
            fill_half(values, block, c->number);
        else if (c->sort == KIND)
            fill_kind_of(values, block, &fill_kinds[c->number]);
        else
            fill_random(values, block, rng);
        SBL_CHECK(sbl_sum_add_f64(sum, b, 0, block->width, values, block->width, err));
    }
    return sbl_sum_end_rows(sum, err);
}

static sbl_status add_choice(sbl_contributions *made, const sbl_layout *layout, double *values,
                             const choice *c, sbl_model_rng *rng, sbl_error *err)
{
    sbl_sum *sum = NULL;
    sbl_status status = sbl_sum_new(&sum, layout, err);
    if (status != SBL_OK) return status;
    made->names[made->count] = c->name;
    made->labels[made->count] = c->label;
    made->sums[made->count++] = sum;
    /* Once more than can count. */
    for (uint32_t turn = 0; status == SBL_OK && turn <= layout->rows_per_unit; turn++)
        status = add_row(sum, values, c, layout->rows_per_unit != 0 ? &turn : NULL, rng, err);
    return status;
}

#define RANDOM_VECTORS 3
#define VECTORS (ANGLES + COUNT(half_names) + COUNT(fill_kinds) + RANDOM_VECTORS)

static choice choice_of(size_t which, uint32_t label)
{
    if (which < ANGLES) return (choice){angle_name, ANGLE, which, label};
    which -= ANGLES;
    if (which < COUNT(half_names)) return (choice){half_names[which], HALF, which, label};
    which -= COUNT(half_names);
    if (which < COUNT(fill_kinds)) return (choice){fill_kinds[which].name, KIND, which, label};
    return (choice){"random", RANDOM, 0, label};
}

static size_t widest(const sbl_layout *layout)
{
    size_t width = 1;
    for (size_t b = 0; b < layout->block_count; b++)
        if (layout->blocks[b].width > width) width = layout->blocks[b].width;
    return width;
}

sbl_status sbl_contributions_of_features(sbl_contributions *made, const sbl_layout *layout, sbl_error *err)
{
    const uint32_t labels = layout->classes > 1 ? 2 : 1;
    double *values = NULL;
    sbl_model_rng rng;
    sbl_status status = make_room(made, 2 * VECTORS + 1, err);
    if (status != SBL_OK) return status;
    made->kinds = VECTORS;
    sbl_model_rng_init(&rng, SEED, SBL_RNG_OTHER, 0);
    SBL_ALLOC(values, widest(layout), "features");
    for (uint32_t label = 0; label < labels; label++)
        for (size_t which = 0; which < VECTORS; which++) {
            const choice c = choice_of(which, label);
            SBL_TRY(add_choice(made, layout, values, &c, &rng, err));
        }
    const choice past = {past_name, ANGLE, 0, UINT32_MAX};
    SBL_TRY(add_choice(made, layout, values, &past, &rng, err));
done:
    sbl_free(values);
    if (status != SBL_OK) sbl_contributions_clear(made);
    return status;
}
