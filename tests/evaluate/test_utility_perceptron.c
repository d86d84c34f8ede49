/* The perceptron's gradient against differences of its loss, block by block.
 *
 * Its functions are static, so the file is compiled into the test; the one that is not gets another
 * name. */
#define sbl_learn_perceptron learn_under_test
#include "evaluate/learner_perceptron.c"

#include "support/cmocka_all.h"

enum { ROWS = 30, NUMBERS = 4 };

typedef struct problem {
    float numbers[ROWS * NUMBERS];
    uint32_t labels[ROWS], order[ROWS];
    double targets[ROWS];
    sbl_samples samples;
    sbl_design design;
    perceptron p;
} problem;

static void open_problem(problem *m, size_t classes)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 3, SBL_RNG_OTHER, 9);
    for (size_t i = 0; i < ROWS * NUMBERS; i++) m->numbers[i] = (float)sbl_model_rng_normal(&rng);
    for (size_t i = 0; i < ROWS; i++) {
        m->labels[i] = (uint32_t)sbl_model_rng_below(&rng, 3);
        m->targets[i] = 50 + 20 * sbl_model_rng_normal(&rng);
        m->order[i] = (uint32_t)(ROWS - 1 - i);
    }
    m->samples = (sbl_samples){.rows = ROWS,
                               .number_count = NUMBERS,
                               .class_count = classes,
                               .numbers = m->numbers,
                               .labels = m->labels,
                               .targets = m->targets};
    assert_int_equal(sbl_design_init(&m->design, &m->samples, NULL), SBL_OK);
    assert_int_equal(perceptron_init(&m->p, NUMBERS, classes != 0 ? classes : 1, NULL), SBL_OK);
    randomise(&m->p, 4);
    sbl_design_fill(&m->design, m->p.x, &m->samples, m->order, 0, ROWS);
}

static void close_problem(problem *m)
{
    sbl_free(m->p.arena);
    sbl_design_clear(&m->design);
}

/* Mean loss of the rows plus the decay of both weight matrices, as the file's head states it. */
static double loss(problem *m)
{
    double sum = 0, squares = 0;
    perceptron *p = &m->p;
    forward(p, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        const float *o = p->outputs_of + i * p->outputs;
        const size_t row = m->order[i];
        if (m->samples.class_count != 0) {
            double total = 0;
            for (size_t c = 0; c < p->outputs; c++) total += exp((double)o[c]);
            sum += log(total) - (double)o[m->labels[row]];
        } else {
            const double z = (m->targets[row] - m->design.target_mean) / m->design.target_deviation;
            sum += ((double)o[0] - z) * ((double)o[0] - z) / 2;
        }
    }
    for (size_t i = 0; i < p->b2; i++)
        if (i < p->b1 || i >= p->w2) squares += (double)p->weights[i] * (double)p->weights[i];
    return (sum + (double)DECAY * squares / 2) / ROWS;
}

/* Along the gradient of one block the loss must rise by that block's squared norm. */
static void check_block(problem *m, size_t first, size_t end)
{
    perceptron *p = &m->p;
    float *kept = sbl_alloc_array(p->count, sizeof *kept);
    double square = 0;
    assert_non_null(kept);
    memcpy(kept, p->weights, p->count * sizeof *kept);
    for (size_t i = first; i < end; i++) square += (double)p->gradient[i] * (double)p->gradient[i];
    assert_true(square > 1e-6);
    const double h = 2e-3 / sqrt(square);
    for (size_t i = first; i < end; i++) p->weights[i] = kept[i] + (float)h * p->gradient[i];
    const double above = loss(m);
    for (size_t i = first; i < end; i++) p->weights[i] = kept[i] - (float)h * p->gradient[i];
    const double below = loss(m);
    memcpy(p->weights, kept, p->count * sizeof *kept);
    sbl_free(kept);
    const double slope = (above - below) / (2 * h);
    if (fabs(slope / square - 1) > 5e-3) fail_msg("slope %g, squared norm %g", slope, square);
}

static void check_gradient(size_t classes)
{
    static problem m;
    open_problem(&m, classes);
    (void)loss(&m);
    output_gradient(&m.p, &m.samples, &m.design, m.order, ROWS);
    backward(&m.p, ROWS);
    check_block(&m, 0, m.p.b1);
    check_block(&m, m.p.b1, m.p.w2);
    check_block(&m, m.p.w2, m.p.b2);
    check_block(&m, m.p.b2, m.p.count);
    close_problem(&m);
}

static void gradient_of_cross_entropy_is_its_slope(void **state)
{
    (void)state;
    check_gradient(3);
}

static void gradient_of_squared_error_is_its_slope(void **state)
{
    (void)state;
    check_gradient(0);
}

static void passes_are_about_4000_steps_within_bounds(void **state)
{
    (void)state;
    assert_int_equal(pass_count(1), 200);
    assert_int_equal(pass_count(100), 40);
    assert_int_equal(pass_count(1000), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_of_cross_entropy_is_its_slope),
        cmocka_unit_test(gradient_of_squared_error_is_its_slope),
        cmocka_unit_test(passes_are_about_4000_steps_within_bounds),
    };
    return cmocka_run_group_tests_name("utility_perceptron", tests, NULL, NULL);
}
