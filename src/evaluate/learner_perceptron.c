/* A perceptron with one hidden layer of 100:
 *     h = relu(x W1' + b1),  o = h W2' + b2
 * trained by Adam on batches of 200 with softmax cross-entropy, or half the squared error of a
 * standardised number, plus 1e-4 |W|^2 / 2 per batch: what scikit-learn's MLPClassifier minimises.
 * About 4000 steps (10 to 200 passes) under cosine decay in place of a stopping rule, so that cost
 * and result are known beforehand. Single precision; the same for any number of threads.
 *
 * Legend: R rows of a batch, d inputs, H hidden units, O outputs. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "compute/gemm.h"
#include "evaluate/learner_design.h"
#include "nn/adam.h"
#include "random/model_rng.h"

#define HIDDEN 100
#define BATCH 200
#define STEPS 4000
#define MIN_PASSES 10
#define MAX_PASSES 200
#define RATE 1e-3
#define DECAY 1e-4f

typedef struct perceptron {
    size_t inputs, outputs;    /* d, O */
    size_t count;              /* of all weights */
    size_t b1, w2, b2;         /* where they start; W1 (H, d) is at 0, W2 is (O, H) */
    float *weights, *gradient; /* (count) each */
    sbl_adam adam;
    float *x;                     /* (R, d) */
    float *hidden, *d_hidden;     /* (R, H) */
    float *outputs_of, *d_output; /* (R, O) */
    float *workspace;
    float *arena;
    size_t arena_size;
} perceptron;

static float *carve(float **arena, size_t count)
{
    float *part = *arena;
    *arena += count;
    return part;
}

static sbl_status perceptron_init(perceptron *p, size_t inputs, size_t outputs, sbl_error *err)
{
    *p = (perceptron){.inputs = inputs, .outputs = outputs};
    p->b1 = HIDDEN * inputs;
    p->w2 = p->b1 + HIDDEN;
    p->b2 = p->w2 + outputs * HIDDEN;
    p->count = p->b2 + outputs;
    size_t widest = inputs > HIDDEN ? inputs : HIDDEN;
    widest = outputs > widest ? outputs : widest;
    p->arena_size =
        4 * p->count + BATCH * (inputs + 2 * HIDDEN + 2 * outputs) + sbl_gemm_workspace(widest);
    p->arena = sbl_alloc_array(p->arena_size, sizeof *p->arena);
    if (p->arena == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a perceptron");
    float *next = p->arena;
    p->weights = carve(&next, p->count);
    p->gradient = carve(&next, p->count);
    float *moments = carve(&next, 2 * p->count);
    p->adam = sbl_adam_of(moments, moments + p->count, p->count);
    p->x = carve(&next, BATCH * inputs);
    p->hidden = carve(&next, BATCH * HIDDEN);
    p->d_hidden = carve(&next, BATCH * HIDDEN);
    p->outputs_of = carve(&next, BATCH * outputs);
    p->d_output = carve(&next, BATCH * outputs);
    p->workspace = next;
    return SBL_OK;
}

/* Uniform in +- sqrt(6 / (in + out)) (Glorot and Bengio 2010), biases too. */
static void randomise(perceptron *p, uint64_t seed)
{
    sbl_model_rng rng;
    const double first = sqrt(6.0 / (double)(p->inputs + HIDDEN));
    const double second = sqrt(6.0 / (double)(HIDDEN + p->outputs));
    sbl_model_rng_init(&rng, seed, SBL_RNG_WEIGHTS, 0);
    for (size_t i = 0; i < p->count; i++)
        p->weights[i] =
            (float)((2 * sbl_model_rng_uniform(&rng) - 1) * (i < p->w2 ? first : second));
}

/* y (R, out) = x (R, in) W' + b */
static void dense(float *y, const float *x, const float *weight, const float *bias, size_t rows,
                  size_t in, size_t out, float *workspace)
{
    for (size_t i = 0; i < rows; i++) memcpy(y + i * out, bias, out * sizeof *y);
    sbl_gemm(y, x, weight,
             &(sbl_gemm_shape){.m = rows,
                               .n = out,
                               .k = in,
                               .a_stride = in,
                               .b_stride = in,
                               .c_stride = out,
                               .b_transposed = true,
                               .add = true},
             workspace);
}

static void forward(perceptron *p, size_t rows)
{
    dense(p->hidden, p->x, p->weights, p->weights + p->b1, rows, p->inputs, HIDDEN, p->workspace);
    for (size_t i = 0; i < rows * HIDDEN; i++) p->hidden[i] = p->hidden[i] > 0 ? p->hidden[i] : 0;
    dense(p->outputs_of, p->hidden, p->weights + p->w2, p->weights + p->b2, rows, HIDDEN,
          p->outputs, p->workspace);
}

/* dW (out, in) = (dy' x + decay W) / R, db = column sums of dy / R; dy (R, out) */
static void dense_gradient(float *d_weight, float *d_bias, const float *weight, const float *dy,
                           const float *x, size_t rows, size_t in, size_t out, float *workspace)
{
    const float share = 1 / (float)rows;
    sbl_gemm(d_weight, dy, x,
             &(sbl_gemm_shape){.m = out,
                               .n = in,
                               .k = rows,
                               .a_stride = out,
                               .b_stride = in,
                               .c_stride = in,
                               .a_transposed = true},
             workspace);
    for (size_t i = 0; i < out * in; i++) d_weight[i] = share * (d_weight[i] + DECAY * weight[i]);
    memset(d_bias, 0, out * sizeof *d_bias);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < out; j++) d_bias[j] += share * dy[i * out + j];
}

static void backward(perceptron *p, size_t rows)
{
    dense_gradient(p->gradient + p->w2, p->gradient + p->b2, p->weights + p->w2, p->d_output,
                   p->hidden, rows, HIDDEN, p->outputs, p->workspace);
    sbl_gemm(p->d_hidden, p->d_output, p->weights + p->w2,
             &(sbl_gemm_shape){.m = rows,
                               .n = HIDDEN,
                               .k = p->outputs,
                               .a_stride = p->outputs,
                               .b_stride = HIDDEN,
                               .c_stride = HIDDEN},
             p->workspace);
    for (size_t i = 0; i < rows * HIDDEN; i++)
        if (p->hidden[i] <= 0) p->d_hidden[i] = 0;
    dense_gradient(p->gradient, p->gradient + p->b1, p->weights, p->d_hidden, p->x, rows, p->inputs,
                   HIDDEN, p->workspace);
}

static void softmax(float *out, const float *in, size_t count)
{
    float largest = in[0], sum = 0;
    for (size_t c = 1; c < count; c++) largest = in[c] > largest ? in[c] : largest;
    for (size_t c = 0; c < count; c++) sum += out[c] = expf(in[c] - largest);
    for (size_t c = 0; c < count; c++) out[c] /= sum;
}

/* Gradient of the loss by the outputs: probabilities less the truth, or the error. */
static void output_gradient(perceptron *p, const sbl_samples *train, const sbl_design *design,
                            const uint32_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float *d = p->d_output + i * p->outputs;
        if (train->class_count != 0) {
            softmax(d, p->outputs_of + i * p->outputs, p->outputs);
            d[train->labels[rows[i]]] -= 1;
        } else {
            const double target =
                (train->targets[rows[i]] - design->target_mean) / design->target_deviation;
            d[0] = p->outputs_of[i] - (float)target;
        }
    }
}

static size_t pass_count(size_t batches)
{
    const size_t passes = STEPS / batches;
    return passes < MIN_PASSES ? MIN_PASSES : passes > MAX_PASSES ? MAX_PASSES : passes;
}

static void fit(perceptron *p, const sbl_samples *train, const sbl_design *design, uint32_t *order,
                uint64_t seed)
{
    const size_t batches = (train->rows + BATCH - 1) / BATCH, passes = pass_count(batches);
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, 0);
    randomise(p, seed);
    for (size_t i = 0; i < train->rows; i++) order[i] = (uint32_t)i;
    for (size_t step = 0; step < passes * batches; step++) {
        const size_t first = step % batches * BATCH, left = train->rows - first;
        const size_t count = left < BATCH ? left : BATCH;
        if (first == 0) sbl_model_rng_shuffle(&rng, order, train->rows);
        sbl_design_fill(design, p->x, train, order + first, 0, count);
        forward(p, count);
        output_gradient(p, train, design, order + first, count);
        backward(p, count);
        sbl_adam_step(&p->adam, p->weights, p->gradient,
                      sbl_cosine_rate(RATE, step, passes * batches));
    }
}

/* Two classes are ranked by their log odds, more by the logarithm of the probability: neither
 * rounds to 0 or 1. */
static void score_row(double *scores, const float *outputs, size_t count)
{
    double largest = (double)outputs[0], sum = 0;
    for (size_t c = 1; c < count; c++) largest = fmax(largest, (double)outputs[c]);
    for (size_t c = 0; c < count; c++) sum += exp((double)outputs[c] - largest);
    for (size_t c = 0; c < count; c++) scores[c] = (double)outputs[c] - largest - log(sum);
    if (count != 2) return;
    scores[1] -= scores[0];
    scores[0] = -scores[1];
}

static void predict(double *scores, perceptron *p, const sbl_samples *test,
                    const sbl_design *design)
{
    for (size_t first = 0; first < test->rows; first += BATCH) {
        const size_t left = test->rows - first, count = left < BATCH ? left : BATCH;
        sbl_design_fill(design, p->x, test, NULL, first, count);
        forward(p, count);
        for (size_t i = 0; i < count; i++) {
            if (test->class_count != 0)
                score_row(scores + (first + i) * p->outputs, p->outputs_of + i * p->outputs,
                          p->outputs);
            else
                scores[first + i] =
                    design->target_mean + design->target_deviation * (double)p->outputs_of[i];
        }
    }
}

sbl_status sbl_learn_perceptron(double *scores, const sbl_samples *train, const sbl_samples *test,
                                const sbl_learner_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_design design = {0};
    perceptron p = {0};
    uint32_t *order = sbl_alloc_array(train->rows, sizeof *order);
    if (order == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for the order of %zu rows", train->rows);
    SBL_TRY(sbl_design_init(&design, train, err));
    SBL_TRY(
        perceptron_init(&p, design.width, train->class_count != 0 ? train->class_count : 1, err));
    fit(&p, train, &design, order, options->seed);
    predict(scores, &p, test, &design);
done:
    sbl_free_wiped(p.arena, p.arena_size * sizeof *p.arena);
    sbl_design_clear(&design);
    sbl_free(order);
    return status;
}
