#include "train/merf_images.h"

#include <math.h>

#include "nn/adam.h"

void sbl_image_train_options_init(sbl_image_train_options *options)
{
    *options =
        (sbl_image_train_options){.network = {.latent = 32, .hidden = 256, .channels = {32, 16}},
                                  .steps = 5000,
                                  .batch = 500,
                                  .rate = 5e-3,
                                  .average = 0.998};
}

static sbl_status check_options(const sbl_image_train_options *options, sbl_error *err)
{
    if (options->steps < 1 || options->steps > 100000000)
        return sbl_fail(err, SBL_EARG, "steps must be from 1 to 100000000");
    if (options->batch < 2 || options->batch > 100000)
        return sbl_fail(err, SBL_EARG, "batch must be from 2 to 100000 images");
    if (!(options->rate > 0 && options->rate <= 1))
        return sbl_fail(err, SBL_EARG, "the learning rate must be above 0 and at most 1");
    if (!(options->average >= 0 && options->average < 1))
        return sbl_fail(err, SBL_EARG, "average must be from 0 to below 1");
    return SBL_OK;
}

/* All that training allocates is allocated, for classes of equal shares, and given back. */
sbl_status sbl_train_merf_images_check(const sbl_image_plan *plan,
                                       const sbl_image_train_options *options, sbl_error *err)
{
    sbl_image_generator generator = {0};
    sbl_image_target target = {0};
    sbl_image_trainer *trainer = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(check_options(options, err));
    SBL_TRY(sbl_image_generator_init(&generator, &plan->facts, &options->network, err));
    SBL_TRY(sbl_image_target_init(&target, plan, err));
    SBL_TRY(sbl_image_trainer_new(&trainer, &generator, plan, &target, options, err));
done:
    sbl_image_trainer_free(trainer);
    sbl_image_target_clear(&target);
    sbl_image_generator_clear(&generator);
    return status;
}

static sbl_status run_steps(sbl_image_trainer *trainer, const sbl_image_train_options *options,
                            sbl_error *err)
{
    for (size_t step = 0; step < options->steps; step++) {
        sbl_image_trainer_draw(trainer, step);
        const double loss = sbl_image_trainer_loss(trainer);
        if (!isfinite(loss))
            return sbl_fail(err, SBL_EINPUT,
                            "training diverged at step %zu: noise drowns the signal, or the "
                            "learning rate is too large",
                            step + 1);
        sbl_image_trainer_update(trainer, sbl_cosine_rate(options->rate, step, options->steps));
        if (options->progress &&
            options->progress(options->progress_data, step + 1, options->steps, loss) != 0)
            return sbl_fail(err, SBL_ESTOPPED, "training was stopped after step %zu", step + 1);
    }
    return SBL_OK;
}

sbl_status sbl_train_merf_images(sbl_image_generator *generator, const sbl_image_plan *plan,
                                 const sbl_image_target *target,
                                 const sbl_image_train_options *options, sbl_error *err)
{
    sbl_image_trainer *trainer = NULL;
    *generator = (sbl_image_generator){0};
    sbl_status status = check_options(options, err);
    if (status != SBL_OK) return status;
    SBL_TRY(sbl_image_generator_init(generator, &plan->facts, &options->network, err));
    sbl_net_randomise(&generator->net, options->seed);
    for (size_t c = 0; c < sbl_image_facts_groups(&plan->facts); c++)
        generator->class_shares[c] = (float)target->shares[c];
    SBL_TRY(sbl_image_trainer_new(&trainer, generator, plan, target, options, err));
    SBL_TRY(run_steps(trainer, options, err));
    sbl_image_trainer_finish(trainer);
done:
    sbl_image_trainer_free(trainer);
    if (status != SBL_OK) sbl_image_generator_clear(generator);
    return status;
}
