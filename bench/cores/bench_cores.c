/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of training at the default sizes, and the pass over private images, on numbers of threads one
 * after the other; `bits` is a hash of the weights, or of the exact sums, that are left. Targets are
 * zeros: what a step costs does not depend on them.
 *
 *   bench_cores JOB TIMES THREADS...    a line of JSON for each number of threads
 * JOB: mepf, mepf-residual (32 x 32 x 3, 128 channels), merf-images, merf (a table of six numbers and
 * eight categories), encode (6,000 images for mepf's release), region (starting and joining a team that does
 * nothing), train=RELEASE (a model from the releases of a run, which are read; it stays in memory). seconds: of
 * the quickest of TIMES, but for the first where there are more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../roofline.h"
#include "after/train/target.h"
#include "after/train/train_defaults.h"
#include "after/train/trainer.h"
#include "public/features/activation_shapes.h"
#include "records/accumulate/sum.h"
#include "records/features/features.h"
#include "records/features/orthogonal.h"
#include "records/features/rff.h"
#include "run/pipeline/gather.h"
#include "semblance/synthesizer.h"

#define IMAGE_CLASSES 10
#define IMAGES 6000
#define RESIDUAL_CHANNELS 128
#define MOST_TERMS 2
#define TRAIN "train=" /* of a job, the release behind it */

static void check(sbl_status status, const sbl_error *err)
{
    if (status == SBL_OK) return;
    fprintf(stderr, "bench_cores: %s\n", err->message);
    exit(1);
}

typedef struct setting setting;
typedef struct job job;

struct job {
    const char *name;
    size_t side, channels; /* of images; 0: a table */
    bool moments, residual;
    void (*measure)(const setting *s, const job *of, size_t times, int threads);
};

/* ---- what is trained ---- */

struct setting {
    sbl_image_facts images;
    sbl_facts facts;
    sbl_plan plan;
    sbl_features features; /* of images */
    void *fourier;         /* of a table */
    sbl_target targets[MOST_TERMS];
    sbl_train_term terms[MOST_TERMS];
    size_t term_count;
    double shares[IMAGE_CLASSES];
    sbl_train_options options;
    sbl_network network;
};

static void set_images(setting *s, const job *of)
{
    static const double scales[] = {0.3, 0.6};
    const sbl_orthogonal_rule pixels = {.frequencies = 5000, .scales = scales, .scale_count = 2};
    const sbl_encoded_ask ask = {.rule = SBL_ENCODED_ALL};
    sbl_encoded encoded;
    sbl_error err = {0};
    check(sbl_image_facts_init(&s->images, of->side, of->side, of->channels, IMAGE_CLASSES, NULL, &err),
          &err);
    check(sbl_facts_of_images(&s->facts, &s->images, false, &err), &err);
    check(sbl_plan_init(&s->plan, "bench", &err), &err);
    check(sbl_plan_add(&s->plan, "orthogonal", sbl_orthogonal_parameters(&pixels), 1.0, &err), &err);
    if (of->moments) {
        check(sbl_encoded_choose(&encoded, &s->facts, &ask, &err), &err);
        check(sbl_plan_add(&s->plan, SBL_MOMENTS, sbl_moments_parameters(&encoded, 1), 1.0, &err), &err);
        sbl_encoded_clear(&encoded);
    }
    s->plan.counts = true;
    check(sbl_plan_finish(&s->plan, &s->facts, &err), &err);
    check(sbl_features_make(&s->features, &s->plan, &s->facts, NULL, &err), &err);
    if (!of->residual) return;
    s->network.residual = true;
    s->network.hidden[0] = RESIDUAL_CHANNELS;
}

/* The features of images as terms of the loss. */
static void set_terms(setting *s)
{
    sbl_error err = {0};
    s->term_count = s->features.count;
    for (size_t i = 0; i < s->term_count; i++) {
        const sbl_feature_instance *item = &s->features.items[i];
        size_t width = 0;
        for (size_t b = 0; b < item->block_count; b++)
            width += s->features.layout.blocks[item->block + b].width;
        check(sbl_target_init(&s->targets[i], s->facts.classes, width, &err), &err);
        if (i == 1) { /* moments: of a fifth of the batch, as by default */
            s->targets[i].part = 0.2;
            s->targets[i].memory = 0.9;
        }
        s->terms[i] =
            (sbl_train_term){sbl_loss_find(item->kind->name, NULL), item->made, &s->targets[i], false};
    }
}

static void set_table(setting *s)
{
    static const size_t cardinalities[] = {8, 16, 7, 14, 6, 5, 2, 41};
    static const double scales[] = {0.05, 0.1, 0.2, 0.4, 0.8}, deviation = 0.6;
    const sbl_rff_rule rff = {
        .scales = scales, .scale_count = 5, .code_deviations = &deviation, .code_deviation_count = 1};
    sbl_error err = {0};
    json_t *parameters = sbl_rff_parameters(&rff, 2000, 0.5);
    s->facts = (sbl_facts){.kind = SBL_DATA_TABLE, .classes = 2, .label_column = SBL_NO_HEAD};
    check(sbl_record_shape_init(&s->facts.shape, 6, cardinalities, 8, 2, &err), &err);
    check(sbl_feature_rff.make(&s->fourier, &s->facts, parameters, &err), &err);
    check(sbl_target_init(&s->targets[0], 2, 2000, &err), &err);
    s->terms[0] = (sbl_train_term){&sbl_loss_rff, s->fourier, &s->targets[0], false};
    s->term_count = 1;
    json_decref(parameters);
}

static void set_up(setting *s, const job *of)
{
    const sbl_data_kind kind = of->side > 0 ? SBL_DATA_IMAGES : SBL_DATA_TABLE;
    s->options = sbl_train_options_of(kind);
    s->network = sbl_train_defaults_of(kind)->network;
    if (of->side > 0) {
        set_images(s, of);
        set_terms(s);
    } else {
        set_table(s);
    }
    for (size_t c = 0; c < s->facts.classes; c++) s->shares[c] = 1 / (double)s->facts.classes;
}

static void clear(setting *s, const job *of)
{
    for (size_t i = 0; i < s->term_count; i++) sbl_target_clear(&s->targets[i]);
    if (of->side > 0) {
        sbl_features_clear(&s->features);
        sbl_plan_clear(&s->plan);
        sbl_image_facts_clear(&s->images);
    } else {
        sbl_feature_rff.free(s->fourier);
    }
    sbl_facts_clear(&s->facts);
}

/* ---- measuring ---- */

/* FNV-1a */
static uint64_t digest(const void *numbers, size_t size)
{
    const unsigned char *bytes = numbers;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static void say(const char *name, int threads, double seconds, uint64_t bits)
{
    printf("{\"job\":\"%s\",\"threads\":%d,\"variant\":\"%s\",\"seconds\":%.6f,\"bits\":\"%016llx\"}", name,
           threads, sbl_kernels_best()->name, seconds, (unsigned long long)bits);
    putchar('\n');
    fflush(stdout);
}

/* The private pass, from pixels to exact sums. */
static void measure_pass(const setting *s, const job *of, size_t times, int threads)
{
    const size_t size = of->side * of->side * of->channels;
    const sbl_synth_options options = {.struct_size = sizeof options, .threads = (unsigned)threads};
    uint8_t *pixels = calloc(IMAGES, size);
    uint32_t *labels = calloc(IMAGES, sizeof *labels);
    sbl_error err = {0};
    uint64_t bits = 0;
    double best = 1e9;
    if (pixels == NULL || labels == NULL) exit(1);
    for (size_t i = 0; i < IMAGES * size; i++) pixels[i] = (uint8_t)(i * 2654435761u >> 8);
    for (size_t i = 0; i < IMAGES; i++) labels[i] = (uint32_t)(i % IMAGE_CLASSES);
    const sbl_records records = {.pixels = pixels, .labels = labels, .rows = IMAGES};
    sbl_thread_set(threads);
    for (size_t time = 0; time < times; time++) {
        sbl_source *source;
        sbl_sum *sum;
        check(sbl_source_open_memory(&source, &records, "images", &s->facts, &err), &err);
        const double start = now();
        check(sbl_gather(&sum, source, &s->features, "nothing", &options, &err), &err);
        const double took = now() - start;
        if ((time > 0 || times == 1) && took < best) best = took;
        bits = digest(sbl_sum_values(sum, 1),
                      s->features.layout.blocks[1].width * IMAGE_CLASSES * sizeof(int64_t));
        sbl_sum_free(sum);
        sbl_source_close(source);
    }
    say(of->name, threads, best, bits);
    free(labels);
    free(pixels);
}

static void measure_steps(const setting *s, const job *of, size_t times, int threads)
{
    sbl_generator generator;
    sbl_trainer *trainer;
    sbl_error err = {0};
    double best = 1e9;
    sbl_thread_set(threads);
    check(sbl_generator_init(&generator, &s->facts, &s->network, &err), &err);
    check(sbl_trainer_new(&trainer, &generator, s->terms, s->term_count, s->shares, &s->options, &err), &err);
    sbl_trainer_start(trainer);
    for (size_t step = 0; step < times; step++) {
        const double start = now();
        sbl_trainer_draw(trainer, step);
        (void)sbl_trainer_loss(trainer);
        sbl_trainer_update(trainer, 1e-3);
        const double took = now() - start;
        if ((step > 0 || times == 1) && took < best) best = took;
    }
    say(of->name, threads, best, digest(generator.net.weights, generator.net.weight_count * sizeof(float)));
    sbl_trainer_free(trainer);
    sbl_generator_clear(&generator);
}

static void measure_region(const setting *s, const job *of, size_t times, int threads)
{
    static int seen[1024];
    double best = 1e9;
    (void)s;
    sbl_thread_set(threads);
    for (size_t time = 0; time < times; time++) {
        const double start = now();
        SBL_OMP(omp parallel)
        seen[sbl_thread_index() % 1024] = 1;
        const double took = now() - start;
        if (took < best) best = took;
    }
    say(of->name, threads, best, (uint64_t)seen[0]);
}

/* The library's call: releases from their files, the fit, the model in memory. */
static void measure_train(const char *release, size_t times, int threads)
{
    sbl_synth_options options;
    sbl_error err = {0};
    uint64_t bits = 0;
    double best = 1e9;
    sbl_synth_options_init(&options);
    options.release_path = release;
    options.threads = (unsigned)threads;
    for (size_t time = 0; time < times; time++) {
        sbl_synthesizer *synth;
        uint8_t *bytes;
        size_t size;
        check(sbl_synthesizer_new(&synth, &err), &err);
        const double start = now();
        check(sbl_synthesizer_train(synth, &options, &err), &err);
        const double took = now() - start;
        if ((time > 0 || times == 1) && took < best) best = took;
        check(sbl_synthesizer_save(synth, &bytes, &size, NULL, false, &err), &err);
        bits = digest(bytes, size);
        sbl_free(bytes);
        sbl_synthesizer_free(synth);
    }
    say("train", threads, best, bits);
}

static const job jobs[] = {
    {"mepf", 28, 1, true, false, measure_steps},         {"mepf-residual", 32, 3, true, true, measure_steps},
    {"merf-images", 28, 1, false, false, measure_steps}, {"merf", 0, 0, false, false, measure_steps},
    {"encode", 28, 1, true, false, measure_pass},        {"region", 0, 0, false, false, measure_region}};

static const job *find_job(const char *name)
{
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        if (strcmp(name, jobs[i].name) == 0) return &jobs[i];
    fprintf(stderr, "bench_cores: no job '%s'\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    setting s = {0};
    if (argc < 4) {
        fputs("usage: bench_cores JOB TIMES THREADS...\n", stderr);
        return 2;
    }
    const size_t times = strtoul(argv[2], NULL, 10);
    if (strncmp(argv[1], TRAIN, strlen(TRAIN)) == 0) {
        for (int i = 3; i < argc; i++) measure_train(argv[1] + strlen(TRAIN), times, atoi(argv[i]));
        return 0;
    }
    const job *of = find_job(argv[1]);
    set_up(&s, of);
    for (int i = 3; i < argc; i++) of->measure(&s, of, times, atoi(argv[i]));
    clear(&s, of);
    return 0;
}
