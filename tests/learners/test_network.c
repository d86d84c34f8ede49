/* Networks that learn: their gradient against differences of their loss, block by block. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "learners/network.h"
#include "random/model_rng.h"
#include "support/cmocka_all.h"

enum { ROWS = 30, NUMBERS = 4 };
#define DECAY 0.03

typedef struct problem {
    float numbers[ROWS * NUMBERS], targets[ROWS];
    uint32_t labels[ROWS], order[ROWS];
    sbl_learner_task task;
    sbl_network_learner learner;
} problem;

static void fill(float *inputs, const void *data, const uint32_t *rows, size_t first, size_t count)
{
    const float *numbers = data;
    for (size_t i = 0; i < count; i++)
        memcpy(inputs + i * NUMBERS, numbers + (rows != NULL ? rows[i] : first + i) * NUMBERS,
               NUMBERS * sizeof *inputs);
}

static void open_problem(problem *m, size_t classes)
{
    const sbl_learner_schedule schedule = {.batch = ROWS, .decay = DECAY};
    const sbl_layer layers[] = {sbl_layer_dense(10), sbl_layer_relu(),
                                sbl_layer_dense(classes != 0 ? classes : 1)};
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 3, SBL_RNG_OTHER, 9);
    for (size_t i = 0; i < ROWS * NUMBERS; i++) m->numbers[i] = (float)sbl_model_rng_normal(&rng);
    for (size_t i = 0; i < ROWS; i++) {
        m->labels[i] = (uint32_t)sbl_model_rng_below(&rng, 3);
        m->targets[i] = (float)sbl_model_rng_normal(&rng);
        m->order[i] = (uint32_t)(ROWS - 1 - i);
    }
    m->task = (sbl_learner_task){.data = m->numbers,
                                 .fill = fill,
                                 .classes = classes,
                                 .labels = m->labels,
                                 .targets = m->targets};
    assert_int_equal(sbl_network_learner_init(&m->learner, sbl_volume_of(1, 1, NUMBERS), layers, 3,
                                              &schedule, 4, NULL),
                     SBL_OK);
}

/* Mean loss of the rows plus the decay of both weight matrices, as the header states it. */
static double loss(problem *m)
{
    const sbl_net *net = &m->learner.net;
    const float *o = sbl_network_learner_predict(&m->learner, &m->task, 0, ROWS);
    double sum = 0, squares = 0;
    for (size_t row = 0; row < ROWS; row++) {
        if (m->task.classes != 0) {
            double total = 0;
            for (size_t c = 0; c < 3; c++) total += exp((double)o[3 * row + c]);
            sum += log(total) - (double)o[3 * row + m->labels[row]];
        } else {
            sum += pow((double)o[row] - (double)m->targets[row], 2) / 2;
        }
    }
    for (size_t l = 0; l < 3; l += 2)
        for (size_t i = 0; i < net->layers[l].weight_count; i++)
            squares += pow((double)net->weights[net->layers[l].weight + i], 2);
    return (sum + DECAY * squares / 2) / ROWS;
}

/* Along the gradient of one block the loss must rise by that block's squared norm. */
static void check_block(problem *m, const float *gradient, size_t first, size_t count)
{
    float *weights = m->learner.net.weights, kept[256];
    double square = 0, sides[2];
    assert_true(m->learner.net.weight_count <= 256);
    memcpy(kept, weights, m->learner.net.weight_count * sizeof *kept);
    for (size_t i = first; i < first + count; i++) square += pow((double)gradient[i], 2);
    assert_true(square > 1e-6);
    const double h = 2e-3 / sqrt(square);
    for (int side = 0; side < 2; side++) {
        for (size_t i = first; i < first + count; i++)
            weights[i] = kept[i] + (float)(side ? h : -h) * gradient[i];
        sides[side] = loss(m);
    }
    memcpy(weights, kept, m->learner.net.weight_count * sizeof *kept);
    const double slope = (sides[1] - sides[0]) / (2 * h);
    if (fabs(slope / square - 1) > 5e-3) fail_msg("slope %g, squared norm %g", slope, square);
}

static void check_gradient(size_t classes)
{
    static problem m;
    float gradient[256];
    open_problem(&m, classes);
    const sbl_net *net = &m.learner.net;
    sbl_network_learner_gradient(&m.learner, &m.task, m.order, ROWS);
    memcpy(gradient, m.learner.room.d_weights, net->weight_count * sizeof *gradient);
    for (size_t l = 0; l < 3; l += 2) {
        check_block(&m, gradient, net->layers[l].weight, net->layers[l].weight_count);
        check_block(&m, gradient, net->layers[l].bias, net->layers[l].bias_count);
    }
    sbl_network_learner_clear(&m.learner);
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

static void passes_are_about_the_steps_within_bounds(void **state)
{
    (void)state;
    const sbl_learner_schedule all = {
        .batch = 200, .steps = 4000, .least_passes = 10, .most_passes = 200};
    sbl_learner_schedule whole = all;
    whole.whole_batches = true;
    assert_int_equal(sbl_network_learner_passes(&all, 200), 200);
    assert_int_equal(sbl_network_learner_passes(&all, 20000), 40);
    assert_int_equal(sbl_network_learner_passes(&all, 200000), 10);
    assert_int_equal(sbl_network_learner_passes(&all, 19999), 40);
    assert_int_equal(sbl_network_learner_passes(&whole, 20199), 40);
    assert_int_equal(sbl_network_learner_passes(&whole, 7), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_of_cross_entropy_is_its_slope),
        cmocka_unit_test(gradient_of_squared_error_is_its_slope),
        cmocka_unit_test(passes_are_about_the_steps_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
