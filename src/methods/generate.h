/* A generator network trained towards the features of a release: what merf does, and every method
 * whose model is a network. */
#ifndef SBL_METHODS_GENERATE_H
#define SBL_METHODS_GENERATE_H

#include "methods/method.h"
#include "options/options.h"

/* Options of methods with a generator. */
extern const sbl_option sbl_option_generator;
extern const sbl_option sbl_option_hidden;
extern const sbl_option sbl_option_latent;
extern const sbl_option sbl_option_signs; /* of tables */
extern const sbl_option sbl_option_steps;
extern const sbl_option sbl_option_batch;
extern const sbl_option sbl_option_rate;
extern const sbl_option
    sbl_option_device; /* of images, and the next two (methods/generate_device.h) */
extern const sbl_option sbl_option_device_path;
extern const sbl_option sbl_option_device_cache;
#define SBL_GENERATOR_OPTIONS                                                            \
    &sbl_option_generator, &sbl_option_hidden, &sbl_option_latent, &sbl_option_steps,    \
        &sbl_option_batch, &sbl_option_rate, &sbl_option_checkpoint, &sbl_option_device, \
        &sbl_option_device_path, &sbl_option_device_cache

/* Of random Fourier features (methods/merf.c), and how running means are matched (methods/mepf.c). */
extern const sbl_option sbl_option_features;
extern const sbl_option sbl_option_objective;

/* How a method has its generator trained, where that differs from the usual. */
typedef struct sbl_generate_rule {
    /* Fewer steps where noise is large, since long training fits it: with s the deviation of the
     * noise on a class's mean embedding of norm 1, the default steps are multiplied by
     * min(1, (noise / s)^(1/3)), of all embeddings the clearest. Public: it follows from the
     * release. 0: always all. */
    double noise;
    double part, memory; /* of the targets of costly features (features/feature.h) */
    double momentum;     /* of Adam; 0: the usual */
    /* A feature whose loss weighs more where noise is large, with the same s: sqrt(s / noise), from 1
     * to 2. NULL: all weigh the same. */
    const char *heavier;
    size_t candidates; /* that are validated by the second round's features; 0: none */
} sbl_generate_rule;

/* What the rule makes of `steps` for noise of deviation s. */
size_t sbl_generate_steps(const sbl_generate_rule *rule, size_t steps, double s);
/* And of the weight of that feature. */
double sbl_generate_weight(const sbl_generate_rule *rule, double s);

sbl_status sbl_generate_fit_by(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds,
                               size_t count, const sbl_synth_options *options, sbl_item checkpoint,
                               const sbl_generate_rule *rule, sbl_error *err);
sbl_status sbl_generate_check_by(const sbl_facts *facts, const sbl_round *first,
                                 const sbl_synth_options *options, const sbl_generate_rule *rule,
                                 sbl_error *err);

/* cost of a method: some steps are taken towards nothing, on the device that would train. steps: of
 * training; 0: as the options say. */
sbl_status sbl_generate_cost_by(sbl_fit_cost *cost, const sbl_facts *facts, const sbl_round *first,
                                size_t steps, const sbl_synth_options *options,
                                const sbl_generate_rule *rule, sbl_error *err);
sbl_status sbl_generate_cost(sbl_fit_cost *cost, const sbl_facts *facts, const sbl_round *first,
                             uint64_t n, const sbl_synth_options *options, sbl_error *err);

/* fit and check of a method (methods/method.h): every feature of the first round's plan that has a
 * loss is trained against. */
sbl_status sbl_generate_fit(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds,
                            size_t count, const sbl_synth_options *options, sbl_item checkpoint,
                            sbl_error *err);
sbl_status sbl_generate_check(const sbl_facts *facts, const sbl_round *first,
                              const sbl_synth_options *options, sbl_error *err);

/* Training is over and what it made is kept: the checkpoint goes (train/checkpoint.h). A file that is
 * none stays. */
void sbl_generate_forget(sbl_item checkpoint);

#endif
