/* SPDX-License-Identifier: Apache-2.0 */
/* Which pairs of columns stand out from noise: strengths against simulated tables. */
#include <math.h>
#include <string.h>

#include "after/counts/relations.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/near.h"

#define COLUMNS 6
#define CELLS 4
#define TABLES (COLUMNS * (COLUMNS - 1) / 2)
#define ROWS 2000
#define NOISE 12.0
#define TRIALS 300

/* All pairs of columns of the same four skewed cells. */
static void make_plan(sbl_pairs_plan *plan)
{
    uint32_t of[CELLS] = {0, 1, 2, 3};
    *plan = (sbl_pairs_plan){0};
    for (uint32_t c = 0; c < COLUMNS; c++) {
        const sbl_pairs_map map = {.level = SBL_PAIRS_GROUPS, .column = c, .cells = CELLS, .of = of};
        assert_int_equal(sbl_pairs_plan_add_map(plan, NULL, &map, CELLS, NULL), SBL_OK);
    }
    for (uint32_t a = 0; a < COLUMNS; a++)
        for (uint32_t b = a + 1; b < COLUMNS; b++)
            assert_int_equal(sbl_pairs_plan_add_table(plan, a, b, 1.0 / TABLES, NULL), SBL_OK);
}

static uint32_t draw_cell(sbl_model_rng *rng)
{
    static const double shares[CELLS] = {0.7, 0.15, 0.1, 0.05};
    double u = sbl_model_rng_uniform(rng);
    uint32_t cell = 0;
    while (cell + 1 < CELLS && u >= shares[cell]) u -= shares[cell++];
    return cell;
}

typedef struct simulated {
    double values[TABLES][CELLS * CELLS];
    const double *pointers[TABLES];
    double noise[TABLES];
} simulated;

/* Records of independent columns, but column 1 is a copy of column 0 with this probability; noise on every entry. */
static void simulate(simulated *s, double copied, sbl_model_rng *rng)
{
    memset(s, 0, sizeof *s);
    for (size_t t = 0; t < TABLES; t++) {
        s->pointers[t] = s->values[t];
        s->noise[t] = NOISE;
    }
    for (size_t r = 0; r < ROWS; r++) {
        uint32_t row[COLUMNS];
        for (size_t c = 0; c < COLUMNS; c++) row[c] = draw_cell(rng);
        if (sbl_model_rng_uniform(rng) < copied) row[1] = row[0];
        for (size_t a = 0, t = 0; a < COLUMNS; a++)
            for (size_t b = a + 1; b < COLUMNS; b++) s->values[t++][row[a] * CELLS + row[b]] += 1.0;
    }
    for (size_t t = 0; t < TABLES; t++)
        for (size_t i = 0; i < CELLS * CELLS; i++) s->values[t][i] += NOISE * sbl_model_rng_normal(rng);
}

/* For independent columns strengths are about normal(0, 1), if a little skewed as squares are, with shared margins and with a table's own. */
static void check_calibration(bool one_total)
{
    sbl_pairs_plan plan;
    simulated s;
    sbl_model_rng rng;
    double sum = 0.0, squares = 0.0, seen = 0.0;
    sbl_model_rng_init(&rng, 11, SBL_RNG_OTHER, 0);
    make_plan(&plan);
    for (int trial = 0; trial < TRIALS; trial++) {
        sbl_pair_strengths relations = {0};
        simulate(&s, 0.0, &rng);
        assert_int_equal(sbl_pair_strengths_take(&relations, &plan, s.pointers, s.noise, one_total, NULL),
                         SBL_OK);
        sbl_pair_strengths_settle(&relations);
        assert_int_equal(relations.count, TABLES);
        for (size_t i = 0; i < relations.count; i++) {
            sum += relations.items[i].strength;
            squares += relations.items[i].strength * relations.items[i].strength;
            seen += relations.items[i].strength >= SBL_RELATION_SEEN ? 1.0 : 0.0;
        }
        sbl_pair_strengths_clear(&relations);
    }
    const double count = (double)TRIALS * TABLES;
    assert_near(sum / count, 0.0, 0.2);
    assert_near(sqrt(squares / count), 1.0, 0.2);
    assert_true(seen / count < 0.09);
    sbl_pairs_plan_clear(&plan);
}

TEST(independent_columns_are_as_strong_as_noise)
{
    check_calibration(true);
    check_calibration(false);
}

/* A strong relation is the first of the list; the same pair twice is listed once, by its stronger table. */
TEST(strong_relations_stand_out)
{
    sbl_pairs_plan plan;
    simulated s;
    sbl_pair_strengths relations = {0};
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 12, SBL_RNG_OTHER, 0);
    make_plan(&plan);
    simulate(&s, 0.5, &rng);
    for (int release = 0; release < 2; release++) {
        assert_int_equal(sbl_pair_strengths_take(&relations, &plan, s.pointers, s.noise, true, NULL), SBL_OK);
        for (size_t t = 0; t < TABLES; t++) s.noise[t] = 10 * NOISE; /* as if the second were noisier */
    }
    sbl_pair_strengths_settle(&relations);
    assert_int_equal(relations.count, TABLES);
    assert_int_equal(relations.items[0].first, 0);
    assert_int_equal(relations.items[0].second, 1);
    assert_true(relations.items[0].strength > 10.0);
    for (size_t i = 1; i < relations.count; i++)
        assert_true(relations.items[i - 1].strength >= relations.items[i].strength);
    sbl_pair_strengths_clear(&relations);
    sbl_pairs_plan_clear(&plan);
}

/* The forecast: every second entry of a table of even columns is larger by the same amount, the others smaller. At the
 * forecast distance the mean strength is that of a relation that is just seen. */
TEST(forecast_distance_is_just_seen)
{
    const double distance = sbl_relation_hidden(CELLS, CELLS, NOISE, ROWS);
    double sum = 0.0;
    sbl_pairs_plan plan;
    simulated s;
    sbl_model_rng rng;
    assert_true(distance > 0.01 && distance < 0.5);
    assert_true(sbl_relation_hidden(CELLS, CELLS, 2 * NOISE, ROWS) > distance);
    assert_true(sbl_relation_hidden(CELLS, CELLS, NOISE, 2 * ROWS) < distance);
    sbl_model_rng_init(&rng, 14, SBL_RNG_OTHER, 0);
    make_plan(&plan);
    for (int trial = 0; trial < TRIALS; trial++) {
        sbl_pair_strengths relations = {0};
        simulate(&s, 0.0, &rng);
        for (size_t i = 0; i < CELLS * CELLS; i++) {
            const double sign = (i / CELLS + i) % 2 == 0 ? 1.0 : -1.0;
            const double mean = ROWS * (1.0 + sign * 2.0 * distance) / (CELLS * CELLS);
            const double spread = sqrt(NOISE * NOISE + mean); /* about as rows are sampled */
            s.values[0][i] = mean + spread * sbl_model_rng_normal(&rng);
        }
        assert_int_equal(sbl_pair_strengths_take(&relations, &plan, s.pointers, s.noise, false, NULL),
                         SBL_OK);
        for (size_t i = 0; i < relations.count; i++)
            if (relations.items[i].first == 0 && relations.items[i].second == 1)
                sum += relations.items[i].strength;
        sbl_pair_strengths_clear(&relations);
    }
    assert_near(sum / TRIALS, SBL_RELATION_SEEN, 0.4);
    sbl_pairs_plan_clear(&plan);
}

/* Tables of which nothing is left, or that have one row of cells, say nothing. */
TEST(empty_tables_say_nothing)
{
    sbl_pairs_plan plan;
    simulated s;
    sbl_pair_strengths relations = {0};
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 13, SBL_RNG_OTHER, 0);
    make_plan(&plan);
    simulate(&s, 0.0, &rng);
    for (size_t t = 0; t < TABLES; t++)
        for (size_t i = 0; i < CELLS * CELLS; i++) s.values[t][i] = -1.0;
    assert_int_equal(sbl_pair_strengths_take(&relations, &plan, s.pointers, s.noise, false, NULL), SBL_OK);
    sbl_pair_strengths_settle(&relations);
    assert_int_equal(relations.count, 0);
    sbl_pair_strengths_clear(&relations);
    sbl_pairs_plan_clear(&plan);
}
