/* The main job for images, top to bottom: images -> features -> sum -> door -> release -> model ->
 * images. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/image_draw.h"
#include "pipeline/image_gather.h"
#include "pipeline/image_recipe.h"
#include "pipeline/image_store.h"
#include "pipeline/publish.h"
#include "pipeline/run_common.h"
#include "pipeline/targets.h"
#include "semblance/images.h"

#define CERTIFICATE_LIMIT ((size_t)1 << 20)
#define MOST_ASSUMPTIONS 5

/* A fit and what it works with. */
typedef struct image_job {
    const sbl_image_input *input;
    const sbl_image_output *output; /* NULL: the model is all that is wanted */
    const char *model_path;
    uint64_t count; /* of images to draw; 0: as many as were read */
    const sbl_synth_options *options;
    sbl_image_reader *reader;
    sbl_image_facts facts;
    sbl_image_recipe recipe;
    sbl_image_files files;
    sbl_text release, certificate;
} image_job;

static void clear_job(image_job *job)
{
    sbl_image_close(job->reader);
    sbl_image_facts_clear(&job->facts);
    sbl_image_recipe_clear(&job->recipe);
    sbl_image_files_clear(&job->files);
    sbl_text_clear(&job->release);
    sbl_text_clear(&job->certificate);
}

/* The name that a run's other files are named after: the folder without its last slash, or the
 * model. */
static sbl_status name_files(image_job *job, sbl_error *err)
{
    const sbl_synth_options *options = job->options;
    const char *name = job->output != NULL ? job->output->folder : job->model_path;
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/') length--;
    if (options->release_path != NULL)
        sbl_text_printf(&job->release, "%s", options->release_path);
    else
        sbl_text_printf(&job->release, "%.*s.release", (int)length, name);
    if (options->certificate_path != NULL)
        sbl_text_printf(&job->certificate, "%s", options->certificate_path);
    else
        sbl_text_printf(&job->certificate, "%.*s.certificate.json", (int)length, name);
    if (job->release.failed || job->certificate.failed)
        return sbl_fail(err, SBL_EMEM, "out of memory for a file name");
    return job->output != NULL ? sbl_image_files_name(&job->files, job->output, &job->facts, err)
                               : SBL_OK;
}

/* Every file of a run at once: what is written must be none of the others, and must be writable
 * before anything is charged for it. */
static sbl_status check_files(const image_job *job, sbl_error *err)
{
    const sbl_named_path paths[] = {
        {"the images", job->input->images, false},
        {"the labels", job->input->labels, false},
        {"the ledger", job->options->ledger_path, false},
        {"the release", job->release.data, true},
        {"the certificate", job->certificate.data, true},
        {"the model", job->model_path, true},
        {"the synthetic images", job->files.images.data, true},
        {"the synthetic labels", job->files.labels.data, true},
        {"the preview", job->output != NULL ? job->output->preview : NULL, true},
    };
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_check_targets(paths, sizeof paths / sizeof paths[0], err));
    SBL_TRY(sbl_file_check_target(job->model_path, job->options->overwrite, err));
    if (job->output != NULL)
        SBL_TRY(sbl_image_files_check(&job->files, job->output, &job->facts, job->count,
                                      job->options->overwrite, err));
done:
    return status;
}

/* What the certificate assumes to be public; classes holds one of the texts. */
static size_t list_assumptions(const char *list[MOST_ASSUMPTIONS], char classes[64],
                               const image_job *job)
{
    /* A folder's size of images is that of its first: an empty one is refused. */
    const bool one = sbl_image_reader_format(job->reader) == SBL_IMAGE_PNG;
    size_t count = 0;
    list[count++] = SBL_IMAGE_FACTS_ARE_PUBLIC;
    list[count++] = one ? "how the files divide into images, and that there is one"
                        : "how the files divide into images";
    list[count++] = "kernel length scales (from the size of the images)";
    /* The number itself: labels outside it have become the first class. */
    (void)snprintf(classes, 64, "that there are %zu classes", job->facts.classes);
    if (job->facts.classes > 0) list[count++] = classes;
    if (job->recipe.plan.options.balanced) list[count++] = "that the classes are equally frequent";
    return count;
}

/* [1] to [5]: one pass over the images, one release. Everything after this is post-processing. */
static sbl_status release_images(sbl_release **release, char **statement, image_job *job,
                                 sbl_error *err)
{
    char classes[64];
    const char *also_public[MOST_ASSUMPTIONS];
    const size_t public_count = list_assumptions(also_public, classes, job);
    const sbl_synth_options *options = job->options;
    sbl_sum *sum = NULL;
    const sbl_publish_request request = {
        .method = "merf",
        .name = "merf.embedding",
        .plan = job->recipe.plan.json,
        .neighbours = options->neighbours,
        .epsilon = options->epsilon,
        .delta = options->pure ? 0.0 : options->delta,
        .weights = job->recipe.weights,
        .release_path = job->release.data,
        .certificate_path = job->certificate.data,
        .ledger_path = options->ledger_path,
        .overwrite = options->overwrite,
        .can_be_trained_on = true,
        .also_public = also_public,
        .also_public_count = public_count,
    };
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_publish_check(&job->recipe.layout, &request, err));
    SBL_TRY(sbl_gather_images(&sum, job->reader, job->input->images, &job->recipe, options, err));
    SBL_TRY(sbl_publish(release, statement, &sum, &request, err));
done:
    sbl_sum_free(sum);
    return status;
}

static sbl_status train_and_save(const image_job *job, const sbl_release *release, sbl_error *err)
{
    uint8_t *certificate = NULL;
    size_t size;
    sbl_status status =
        sbl_file_read(&certificate, &size, job->certificate.data, CERTIFICATE_LIMIT, err);
    if (status == SBL_OK)
        status = sbl_image_model_make(job->model_path, release, job->release.data,
                                      (const char *)certificate, job->options, err);
    sbl_free(certificate);
    return sbl_run_keeps_release(status, job->release.data, err);
}

static sbl_status fit_images(char **statement, image_job *job, sbl_error *err)
{
    sbl_release *release = NULL;
    char *words = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(
        sbl_image_input_open(&job->reader, &job->facts, job->input, job->options->neighbours, err));
    SBL_TRY(
        sbl_image_recipe_build(&job->recipe, &job->facts, job->input->balanced, job->options, err));
    SBL_TRY(name_files(job, err));
    SBL_TRY(check_files(job, err));
    SBL_TRY(sbl_image_model_check(&job->recipe.plan, job->options, err));
    SBL_TRY(release_images(&release, &words, job, err));
    SBL_TRY(train_and_save(job, release, err));
    if (statement != NULL) {
        *statement = words;
        words = NULL;
    }
done:
    sbl_free(words);
    sbl_release_free(release);
    return status;
}

sbl_status sbl_images_fit(char **statement, const sbl_image_input *input, const char *model_path,
                          const sbl_synth_options *options, sbl_error *err)
{
    image_job job = {.input = input, .model_path = model_path, .options = options};
    if (statement != NULL) *statement = NULL;
    sbl_status status = sbl_run_check_options(options, err);
    if (status == SBL_OK) status = fit_images(statement, &job, err);
    clear_job(&job);
    return status;
}

sbl_status sbl_images_run(char **statement, const sbl_image_input *input,
                          const sbl_image_output *output, uint64_t count, const char *model_path,
                          const sbl_synth_options *options, sbl_error *err)
{
    image_job job = {.input = input, .output = output, .count = count, .options = options};
    sbl_text passing = {0};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_TRY(sbl_run_check_options(options, err));
    size_t length = strlen(output->folder);
    while (length > 1 && output->folder[length - 1] == '/') length--;
    sbl_text_printf(&passing, "%.*s.model.tmp", (int)length, output->folder);
    if (passing.failed) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a file name");
        goto done;
    }
    if (model_path == NULL)
        SBL_TRY(sbl_run_check_passing_model(passing.data, options->overwrite, err));
    job.model_path = model_path != NULL ? model_path : passing.data;
    SBL_TRY(fit_images(statement, &job, err));
    status = sbl_run_keeps_model(
        sbl_images_sample(job.model_path, output, count, NULL, options, err), job.model_path, err);
    if (status == SBL_OK && model_path == NULL) (void)unlink(job.model_path);
done:
    if (status != SBL_OK && statement != NULL) {
        sbl_free(*statement);
        *statement = NULL;
    }
    sbl_text_clear(&passing);
    clear_job(&job);
    return status;
}
