/* SPDX-License-Identifier: Apache-2.0 */
/* A generator network trained towards the features of a release: what merf does, and every method
 * whose model is a network. */
#ifndef SBL_METHODS_NETWORK_METHOD_H
#define SBL_METHODS_NETWORK_METHOD_H

#include "after/losses/loss.h"
#include "public/options/option_values.h"
#include "run/methods/method.h"

/* Options of methods with a generator. */
extern const sbl_option sbl_option_generator;
extern const sbl_option sbl_option_hidden;
extern const sbl_option sbl_option_latent;
extern const sbl_option sbl_option_signs; /* of tables */
extern const sbl_option sbl_option_steps;
extern const sbl_option sbl_option_batch;
extern const sbl_option sbl_option_rate;
extern const sbl_option sbl_option_class_weights;
extern const sbl_option sbl_option_distance;
/* For images (run/methods/network_method_device.h). */
extern const sbl_option sbl_option_device;
extern const sbl_option sbl_option_device_path;
extern const sbl_option sbl_option_device_cache;
extern const sbl_option sbl_option_device_precision;
#define SBL_GENERATOR_OPTIONS                                                                            \
    &sbl_option_generator, &sbl_option_hidden, &sbl_option_latent, &sbl_option_steps, &sbl_option_batch, \
        &sbl_option_rate, &sbl_option_class_weights, &sbl_option_distance, &sbl_option_checkpoint,       \
        &sbl_option_device, &sbl_option_device_path, &sbl_option_device_cache, &sbl_option_device_precision

/* Of random Fourier features (run/methods/merf.c), and how running means are matched (run/methods/mepf.c). */
extern const sbl_option sbl_option_features;
extern const sbl_option sbl_option_objective;

/* How a method has its generator trained, where that differs from the usual. */
typedef struct sbl_generate_rule {
    /* Fewer steps where noise is large, since long training fits it: with s the deviation of the
     * noise on a class's mean embedding of norm 1, the default steps are multiplied by
     * min(1, (noise / s)^steps_power), of all embeddings the clearest, and the default batch by
     * the same with batch_power. Public: it follows from the release. 0: always all; of the first
     * power: 1/3; of the second: 0. */
    double noise, steps_power, batch_power;
    double part, memory; /* of the targets of costly features (after/losses/loss.h) */
    double momentum;     /* of Adam; 0: the usual */
    /* A feature whose loss weighs more where noise is large, with the same s: sqrt(s / noise), from 1
     * to 2. NULL: all weigh the same. */
    const char *heavier;
    /* Losses of the method's own features, beside sbl_loss_list; ends with NULL; may be NULL. */
    const sbl_loss_kind *const *losses;
    size_t candidates; /* that are validated by the second round's features; 0: none */

    size_t exact_steps, exact_batch; /* whatever the options say; 0: as they say */
    const sbl_model *start;          /* whose generator training begins with; NULL: random weights */

    /* Where the options do not say; 0, false: as usual (after/train/train_defaults.h). */
    bool residual;               /* the generator is residual, with this number of channels */
    size_t channels, latent;     /* of the generator */
    size_t steps, batch;         /* where noise is small */
    double rate, average;        /* of training */
    size_t cpu_channels;         /* instead of channels if the CPU trains */
    size_t cpu_steps, cpu_batch; /* and no more than these; 0: no limit */
} sbl_generate_rule;

/* How much training there is. */
typedef struct sbl_generate_length {
    size_t steps, batch; /* images or rows of each step */
} sbl_generate_length;

/* As the options say and, where they do not, as the rule does for noise of deviation s (0: none). cpu: it
 * trains. */
sbl_generate_length sbl_generate_length_of(const sbl_generate_rule *rule, sbl_data_kinds kind,
                                           const sbl_synth_options *options, double s, bool cpu);
/* Will the CPU train, by the options and what this machine has? */
bool sbl_generate_on_cpu(const sbl_synth_options *options);
/* Channels of a residual generator at 4 x 4, by options and rule; 0: it is another one. */
size_t sbl_generate_channels(const sbl_generate_rule *rule, const sbl_synth_options *options, bool cpu);
/* What the rule makes of `steps` for noise of deviation s. */
size_t sbl_generate_steps(const sbl_generate_rule *rule, size_t steps, double s);
/* And of the weight of that feature. */
double sbl_generate_weight(const sbl_generate_rule *rule, double s);

sbl_status sbl_generate_fit_by(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds,
                               size_t count, const sbl_synth_options *options, sbl_store_entry checkpoint,
                               const sbl_generate_rule *rule, sbl_error *err);
sbl_status sbl_generate_check_by(const sbl_facts *facts, const sbl_round *first,
                                 const sbl_synth_options *options, const sbl_generate_rule *rule,
                                 sbl_error *err);

/* cost of a method: some steps are taken towards nothing, on the device that would train. s: noise on a
 * class's mean, as above. */
sbl_status sbl_generate_cost_by(sbl_fit_cost *cost, const sbl_facts *facts, const sbl_round *first, double s,
                                const sbl_synth_options *options, const sbl_generate_rule *rule,
                                sbl_error *err);
sbl_status sbl_generate_cost(sbl_fit_cost *cost, const sbl_facts *facts, const sbl_round *first, uint64_t n,
                             const sbl_synth_options *options, sbl_error *err);

/* Where the last round has cells (records/features/features.h), its features are matched by cell and those of the first
 * round that it lacks by class. */

/* fit and check of a method (run/methods/method.h): every feature of the first round's plan that has a
 * loss is trained against. */
sbl_status sbl_generate_fit(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds, size_t count,
                            const sbl_synth_options *options, sbl_store_entry checkpoint, sbl_error *err);
sbl_status sbl_generate_check(const sbl_facts *facts, const sbl_round *first,
                              const sbl_synth_options *options, sbl_error *err);

/* Training is over and what it made is kept: the checkpoint goes (after/train/checkpoint.h). A file that is
 * none stays. */
void sbl_generate_forget(sbl_store_entry checkpoint);

#endif
