/* One training step: draw, forward, loss and gradient, update. Nothing is allocated in a step.
 * Where frequencies see codes, a category is drawn per row and column, and the gradient of the
 * drawn one-hot vector is taken for that of the probabilities (straight through; Bengio, Leonard
 * and Courville 2013). Legend: R rows of a batch, d numbers, T one-hot entries, K categorical
 * columns, C classes, F frequencies in panels. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "compute/threads.h"
#include "nn/adam.h"
#include "nn/class_rows.h"
#include "nn/output_heads.h"
#include "random/model_rng.h"
#include "train/batch_shares.h"
#include "train/merf.h"

#define LATENT_CHUNK 64 /* rows that share a stream of latents */

struct sbl_merf_trainer {
    sbl_generator *generator; /* borrowed */
    sbl_mlp_work work;
    sbl_adam adam;
    sbl_rff rff;
    uint64_t seed;
    size_t rows, padded_rows;
    int threads;
    float onehot_scale;    /* v / K */
    size_t *starts;        /* (C + 1) */
    float *row_weight;     /* (C): share / rows of the class */
    float *class_weight;   /* (C): w_c */
    float *fourier_weight; /* (C): w_c / F */
    float *rff_target;     /* (panels, C, 2 PANEL) */
    float *onehot_target;  /* (C, T) */
    float *joint_panels;   /* (joint panels, d + T, PANEL): numbers and codes side by side */
    float *inputs;         /* (d + T, padded): numbers, then drawn one-hot codes */
    float *d_inputs;       /* (threads, d + T, padded) */
    float *scratch;        /* (threads, SBL_FOURIER_SCRATCH) */
    double *thread_loss;   /* (threads) */
    float *probabilities;  /* (R, T) */
    float *means;          /* (C, T); becomes the gradient of the probabilities */
    float *moments;        /* (2, weights) of Adam */
    size_t step;           /* whose latents are in work */
};

static float *floats(size_t a, size_t b, bool *failed)
{
    size_t count;
    float *array = sbl_size_mul(&count, a, b) ? sbl_alloc_array(count, sizeof *array) : NULL;
    *failed |= array == NULL;
    return array;
}

static sbl_status allocate(sbl_merf_trainer *t, sbl_error *err)
{
    const sbl_record_shape *shape = &t->generator->shape;
    size_t threads = (size_t)t->threads, padded = t->padded_rows, classes = shape->classes;
    size_t panels = sbl_fourier_panel_count(t->rff.frequencies);
    size_t inputs = shape->numeric + (t->rff.joint ? shape->onehot : 0);
    bool failed = false;
    t->row_weight = floats(classes, 1, &failed);
    t->class_weight = floats(classes, 1, &failed);
    t->fourier_weight = floats(classes, 1, &failed);
    t->rff_target = floats(panels * 2 * SBL_FOURIER_PANEL, classes, &failed);
    t->onehot_target = floats(classes, shape->onehot, &failed);
    t->joint_panels = floats(sbl_fourier_panel_count(t->rff.joint) * SBL_FOURIER_PANEL,
                             shape->numeric + shape->onehot, &failed);
    t->inputs = floats(inputs, padded, &failed);
    t->d_inputs = floats(inputs * threads, padded, &failed);
    t->scratch = floats(threads, SBL_FOURIER_SCRATCH(padded), &failed);
    t->probabilities = floats(t->rows, shape->onehot, &failed);
    t->means = floats(classes, shape->onehot, &failed);
    t->moments = floats(2, t->generator->mlp.weight_count, &failed);
    t->thread_loss = sbl_alloc_array(threads, sizeof *t->thread_loss);
    if (failed || !t->thread_loss) return sbl_fail(err, SBL_EMEM, "out of memory for training");
    t->adam = sbl_adam_of(t->moments, t->moments + t->generator->mlp.weight_count,
                          t->generator->mlp.weight_count);
    return SBL_OK;
}

static void set_weights(sbl_merf_trainer *t, const sbl_merf_target *target,
                        const sbl_train_options *options)
{
    for (size_t c = 0; c < t->generator->shape.classes; c++) {
        size_t rows = t->starts[c + 1] - t->starts[c];
        if (rows == 0) continue;
        double weight = pow(target->shares[c], -options->class_power);
        t->row_weight[c] = (float)(target->shares[c] / (double)rows);
        t->class_weight[c] = (float)weight;
        t->fourier_weight[c] = (float)(weight / (double)t->rff.frequencies);
    }
}

static void join_panels(sbl_merf_trainer *t)
{
    size_t numbers = t->rff.columns * SBL_FOURIER_PANEL, codes = t->rff.onehot * SBL_FOURIER_PANEL;
    for (size_t p = 0; p < sbl_fourier_panel_count(t->rff.joint); p++) {
        float *panel = t->joint_panels + p * (numbers + codes);
        memcpy(panel, t->rff.panels + p * numbers, numbers * sizeof *panel);
        memcpy(panel + numbers, t->rff.code_panels + p * codes, codes * sizeof *panel);
    }
}

static void set_targets(sbl_merf_trainer *t, const sbl_merf_target *target)
{
    const sbl_record_shape *shape = &t->generator->shape;
    size_t classes = shape->classes, frequencies = t->rff.frequencies;
    for (size_t f = 0; f < frequencies; f++) {
        size_t panel = f / SBL_FOURIER_PANEL, lane = f % SBL_FOURIER_PANEL;
        for (size_t c = 0; c < classes; c++)
            memcpy(t->rff_target + ((panel * classes + c) * SBL_FOURIER_PANEL + lane) * 2,
                   target->rff + (c * frequencies + f) * 2, 2 * sizeof(float));
    }
    if (shape->categorical)
        memcpy(t->onehot_target, target->onehot, classes * shape->onehot * sizeof(float));
}

sbl_status sbl_merf_trainer_new(sbl_merf_trainer **trainer, sbl_generator *generator,
                                const sbl_merf_plan *plan, const sbl_merf_target *target,
                                const sbl_train_options *options, sbl_error *err)
{
    const sbl_record_shape *shape = &generator->shape;
    sbl_status status;
    *trainer = NULL;
    sbl_merf_trainer *t = sbl_alloc_array(1, sizeof *t);
    if (!t) return sbl_fail(err, SBL_EMEM, "out of memory for training");
    t->generator = generator;
    t->seed = options->seed;
    t->threads = sbl_thread_limit();
    t->onehot_scale =
        shape->categorical ? (float)(options->onehot_loss / (double)shape->categorical) : 0;
    t->starts = sbl_alloc_array(shape->classes + 1, sizeof *t->starts);
    if (!t->starts) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for training");
        goto done;
    }
    t->rows = sbl_batch_starts(t->starts, target->shares, shape->classes, options->batch,
                               options->balance);
    t->padded_rows = sbl_fourier_padded_rows(t->rows);
    SBL_TRY(sbl_merf_plan_rff(&t->rff, plan, err));
    SBL_TRY(sbl_mlp_work_init(&t->work, &generator->mlp, t->rows, err));
    SBL_TRY(allocate(t, err));
    set_weights(t, target, options);
    set_targets(t, target);
    join_panels(t);
    *trainer = t;
done:
    if (status != SBL_OK) sbl_merf_trainer_free(t);
    return status;
}

void sbl_merf_trainer_free(sbl_merf_trainer *t)
{
    if (!t) return;
    float *arrays[] = {t->row_weight,    t->class_weight, t->fourier_weight, t->rff_target,
                       t->onehot_target, t->inputs,       t->d_inputs,       t->scratch,
                       t->probabilities, t->means,        t->moments,        t->joint_panels};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sbl_free(arrays[i]);
    sbl_free(t->thread_loss);
    sbl_free(t->starts);
    sbl_rff_clear(&t->rff);
    sbl_mlp_work_clear(&t->work);
    sbl_free(t);
}

void sbl_merf_trainer_draw(sbl_merf_trainer *t, size_t step)
{
    size_t width = t->generator->mlp.shape.latent;
    t->step = step;
    size_t chunks = (t->rows + LATENT_CHUNK - 1) / LATENT_CHUNK;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        sbl_model_rng rng;
        size_t first = chunk * LATENT_CHUNK, left = t->rows - first;
        sbl_model_rng_init(&rng, t->seed, SBL_RNG_TRAIN_LATENT, (uint64_t)step << 24 | chunk);
        sbl_model_rng_normals(&rng, t->work.latent + first * width,
                              (left < LATENT_CHUNK ? left : LATENT_CHUNK) * width);
    }
}

/* Joint panels see all inputs, the others the numbers, which come first. */
static double panel_loss(sbl_merf_trainer *t, size_t p, size_t worker, size_t inputs)
{
    const sbl_record_shape *shape = &t->generator->shape;
    size_t padded = t->padded_rows, first = p * SBL_FOURIER_PANEL;
    bool joint = first < t->rff.joint;
    size_t columns = shape->numeric + (joint ? shape->onehot : 0);
    size_t left = t->rff.frequencies - first;
    sbl_fourier_problem problem = {padded,    columns,       shape->classes,
                                   t->starts, t->row_weight, t->fourier_weight};
    const float *panel = joint ? t->joint_panels + p * columns * SBL_FOURIER_PANEL
                               : t->rff.panels + p * columns * SBL_FOURIER_PANEL;
    return sbl_fourier_loss(t->d_inputs + worker * inputs * padded,
                            t->scratch + worker * SBL_FOURIER_SCRATCH(padded), &problem, t->inputs,
                            panel, left < SBL_FOURIER_PANEL ? left : SBL_FOURIER_PANEL,
                            t->rff_target + p * shape->classes * 2 * SBL_FOURIER_PANEL);
}

/* Each worker takes the panels of its number and adds to its own gradient; the first then takes in
 * the others in order, so that the result depends on the number of threads alone. */
static double fourier_loss(sbl_merf_trainer *t)
{
    const sbl_record_shape *shape = &t->generator->shape;
    size_t inputs = shape->numeric + (t->rff.joint ? shape->onehot : 0);
    size_t size = inputs * t->padded_rows, threads = (size_t)t->threads;
    size_t panels = sbl_fourier_panel_count(t->rff.frequencies);
    SBL_OMP(omp parallel for schedule(static, 1) num_threads(t->threads))
    for (size_t worker = 0; worker < threads; worker++) {
        memset(t->d_inputs + worker * size, 0, size * sizeof *t->d_inputs);
        t->thread_loss[worker] = 0;
        for (size_t p = worker; p < panels; p += threads)
            t->thread_loss[worker] += panel_loss(t, p, worker, inputs);
    }
    double loss = t->thread_loss[0];
    for (size_t worker = 1; worker < threads; worker++) loss += t->thread_loss[worker];
    SBL_OMP(omp parallel for schedule(static))
    for (size_t i = 0; i < size; i++)
        for (size_t worker = 1; worker < threads; worker++)
            t->d_inputs[i] += t->d_inputs[worker * size + i];
    return loss;
}

/* Mean probabilities of each class against the target; means become d loss / d probabilities. */
static double onehot_loss(sbl_merf_trainer *t)
{
    const sbl_record_shape *shape = &t->generator->shape;
    double loss = 0;
    sbl_class_rows_sum(t->means, t->probabilities, shape->onehot, t->starts, shape->classes);
    for (size_t c = 0; c < shape->classes; c++) {
        float weight = t->class_weight[c] * t->onehot_scale, row = t->row_weight[c];
        float *mean = t->means + c * shape->onehot;
        const float *target = t->onehot_target + c * shape->onehot;
        for (size_t j = 0; j < shape->onehot; j++) {
            float residual = row * mean[j] - target[j];
            loss += (double)weight * (double)residual * (double)residual;
            mean[j] = 2 * weight * row * residual;
        }
    }
    return loss;
}

double sbl_merf_trainer_loss(sbl_merf_trainer *t, float momentum)
{
    const sbl_record_shape *shape = &t->generator->shape;
    float *drawn = t->rff.joint ? t->inputs + shape->numeric * t->padded_rows : NULL;
    sbl_mlp_forward(&t->generator->mlp, &t->work, t->starts, momentum);
    sbl_output_heads_forward(t->inputs, t->padded_rows, t->probabilities, t->work.outputs, shape,
                             t->rows);
    if (drawn)
        sbl_output_heads_draw(drawn, t->padded_rows, t->probabilities, shape, t->rows, t->seed,
                              t->step);
    double loss = fourier_loss(t);
    if (shape->categorical) loss += onehot_loss(t);
    sbl_heads_gradient gradient = {
        .d_numbers = t->d_inputs,
        .d_entries = drawn ? t->d_inputs + shape->numeric * t->padded_rows : NULL,
        .d_class = t->means,
        .padded_rows = t->padded_rows};
    sbl_output_heads_backward(t->work.d_outputs, &gradient, t->inputs, t->probabilities, shape,
                              t->starts);
    sbl_mlp_backward(&t->generator->mlp, &t->work, t->starts);
    return loss;
}

void sbl_merf_trainer_update(sbl_merf_trainer *t, double rate)
{
    sbl_adam_step(&t->adam, t->generator->mlp.weights, t->work.d_weights, rate);
}

const float *sbl_merf_trainer_gradient(const sbl_merf_trainer *t) { return t->work.d_weights; }
const size_t *sbl_merf_trainer_starts(const sbl_merf_trainer *t) { return t->starts; }
const float *sbl_merf_trainer_latents(const sbl_merf_trainer *t) { return t->work.latent; }

const float *sbl_merf_trainer_drawn(const sbl_merf_trainer *t)
{
    return t->rff.joint ? t->inputs + t->generator->shape.numeric * t->padded_rows : NULL;
}
