#include "train/merf.h"

#include <math.h>

#include "nn/adam.h"

#define RUNNING_MOMENTUM 0.02f  /* of the running statistics, once past their first steps */
#define MOST_WEIGHTS (1u << 30) /* of the layers */
#define MOST_WIDE 65536         /* of a layer */

void sbl_train_options_init(sbl_train_options *options)
{
    *options = (sbl_train_options){.latent = 16,
                                   .depth = 3,
                                   .hidden = {256, 256, 256},
                                   .steps = 4000,
                                   .batch = 1000,
                                   .rate = 5e-3,
                                   .class_power = 1,
                                   .balance = 0.5,
                                   .onehot_loss = 1};
}

static sbl_status check_options(const sbl_train_options *options, sbl_error *err)
{
    if (options->steps < 1 || options->steps > 100000000)
        return sbl_fail(err, SBL_EARG, "steps must be from 1 to 100000000");
    if (options->batch < 2 || options->batch > 1000000)
        return sbl_fail(err, SBL_EARG, "batch must be from 2 to 1000000 rows");
    if (!(options->rate > 0 && options->rate <= 1))
        return sbl_fail(err, SBL_EARG, "the learning rate must be above 0 and at most 1");
    if (!(options->class_power >= 0 && options->class_power <= 2))
        return sbl_fail(err, SBL_EARG, "class_power must be from 0 to 2");
    if (!(options->balance >= 0 && options->balance <= 1))
        return sbl_fail(err, SBL_EARG, "balance must be from 0 to 1");
    if (!(options->onehot_loss >= 0 && options->onehot_loss <= 1e6))
        return sbl_fail(err, SBL_EARG, "onehot_loss must be from 0 to 1000000");
    return SBL_OK;
}

/* Start every softmax at the noisy marginal of its column in its class: the class bias of the
 * output layer becomes its logarithm, floored where noise would dominate, and the weights above it
 * are made small. Training then spends its steps on the numbers and on what is left. */
static void start_at_marginals(sbl_generator *generator, const sbl_merf_target *target)
{
    const sbl_record_shape *shape = &generator->shape;
    const sbl_mlp_layer *layer = &generator->mlp.layers[generator->mlp.shape.depth];
    float *weight = generator->mlp.weights + layer->weight;
    float *bias = generator->mlp.weights + layer->class_bias;
    for (size_t i = shape->numeric * layer->in; i < layer->out * layer->in; i++) weight[i] *= 0.1f;
    for (size_t i = 0; i < shape->classes * layer->out; i++) bias[i] = 0;
    for (size_t c = 0; c < shape->classes; c++) {
        if (!(target->shares[c] > 0)) continue;
        double floor = (1e-6 + 0.5 * target->onehot_deviation / sqrt((double)shape->categorical)) /
                       target->shares[c];
        for (size_t j = 0; j < shape->onehot; j++) {
            double p = (double)target->onehot[c * shape->onehot + j] / target->shares[c];
            bias[c * layer->out + shape->numeric + j] = (float)log(p > floor ? p : floor);
        }
    }
}

/* check_options comes first: the sizes below stay far from what 64 bits hold. */
static sbl_status check_network(const sbl_train_options *options, const sbl_record_shape *shape,
                                sbl_error *err)
{
    const size_t outputs = shape->numeric + shape->onehot;
    size_t in = options->latent, weights = 0;
    if (options->latent < 1 || options->latent > MOST_WIDE)
        return sbl_fail(err, SBL_EARG, "latent must be from 1 to %d", MOST_WIDE);
    if (options->depth < 1 || options->depth > SBL_MLP_MAX_DEPTH)
        return sbl_fail(err, SBL_EARG, "hidden takes 1 to %d layers", SBL_MLP_MAX_DEPTH);
    for (size_t l = 0; l < options->depth; l++) {
        if (options->hidden[l] < 1 || options->hidden[l] > MOST_WIDE)
            return sbl_fail(err, SBL_EARG, "hidden sizes must be from 1 to %d", MOST_WIDE);
        weights += in * options->hidden[l];
        in = options->hidden[l];
    }
    if (weights > MOST_WEIGHTS || outputs > (MOST_WEIGHTS - weights) / in)
        return sbl_fail(err, SBL_EARG, "hidden: the network has more than %u weights",
                        MOST_WEIGHTS);
    return SBL_OK;
}

static sbl_status make_generator(sbl_generator *generator, const sbl_merf_plan *plan,
                                 const sbl_train_options *options, sbl_error *err)
{
    sbl_mlp_shape network = {.latent = options->latent, .depth = options->depth};
    sbl_status status = SBL_OK;
    *generator = (sbl_generator){0};
    SBL_TRY(check_options(options, err));
    SBL_TRY(check_network(options, &plan->shape, err));
    for (size_t l = 0; l < SBL_MLP_MAX_DEPTH; l++) network.hidden[l] = options->hidden[l];
    SBL_TRY(sbl_generator_init(generator, &plan->shape, &network, err));
done:
    return status;
}

/* All that training allocates is allocated, for classes of equal shares, and given back. */
sbl_status sbl_train_merf_check(const sbl_merf_plan *plan, const sbl_train_options *options,
                                sbl_error *err)
{
    sbl_generator generator = {0};
    sbl_merf_target target = {0};
    sbl_merf_trainer *trainer = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(make_generator(&generator, plan, options, err));
    SBL_TRY(sbl_merf_target_init(&target, plan, err));
    SBL_TRY(sbl_merf_trainer_new(&trainer, &generator, plan, &target, options, err));
done:
    sbl_merf_trainer_free(trainer);
    sbl_merf_target_clear(&target);
    sbl_generator_clear(&generator);
    return status;
}

static float momentum_at(size_t step)
{
    float early = 1 / (float)(step + 1);
    return early > RUNNING_MOMENTUM ? early : RUNNING_MOMENTUM;
}

sbl_status sbl_train_merf(sbl_generator *generator, const sbl_merf_plan *plan,
                          const sbl_merf_target *target, const sbl_train_options *options,
                          sbl_error *err)
{
    sbl_merf_trainer *trainer = NULL;
    sbl_status status = make_generator(generator, plan, options, err);
    if (status != SBL_OK) return status;
    sbl_mlp_randomise(&generator->mlp, options->seed);
    if (plan->shape.categorical) start_at_marginals(generator, target);
    for (size_t c = 0; c < plan->shape.classes; c++)
        generator->class_shares[c] = (float)target->shares[c];
    SBL_TRY(sbl_merf_trainer_new(&trainer, generator, plan, target, options, err));
    for (size_t step = 0; step < options->steps; step++) {
        sbl_merf_trainer_draw(trainer, step);
        double loss = sbl_merf_trainer_loss(trainer, momentum_at(step));
        if (!isfinite(loss)) {
            status =
                sbl_fail(err, SBL_EINPUT,
                         "training diverged at step %zu: noise drowns the signal, or the learning "
                         "rate is too large",
                         step + 1);
            goto done;
        }
        sbl_merf_trainer_update(trainer, sbl_cosine_rate(options->rate, step, options->steps));
        if (options->progress &&
            options->progress(options->progress_data, step + 1, options->steps, loss) != 0) {
            status = sbl_fail(err, SBL_ESTOPPED, "training was stopped after step %zu", step + 1);
            goto done;
        }
    }
done:
    sbl_merf_trainer_free(trainer);
    if (status != SBL_OK) sbl_generator_clear(generator);
    return status;
}
