/* What can be done again at no cost, from files: a model from releases, records from a model. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "certificate/certificate.h"
#include "methods/generate.h"
#include "options/options.h"
#include "pipeline/draw.h"
#include "pipeline/evidence.h"
#include "pipeline/job.h"
#include "pipeline/publish.h"
#include "pipeline/rounds.h"
#include "pipeline/run_common.h"
#include "semblance/files.h"

#define CERTIFICATE_LIMIT ((size_t)64 << 20)

/* ---- releases ---- */

static sbl_status append(sbl_release ***releases, size_t *count, sbl_release *release,
                         sbl_error *err)
{
    sbl_release **longer = sbl_resize_array(*releases, *count + 1, sizeof *longer);
    if (longer == NULL) {
        sbl_release_free(release);
        return sbl_fail(err, SBL_EMEM, "out of memory for a release");
    }
    longer[(*count)++] = release;
    *releases = longer;
    return SBL_OK;
}

/* Later ones are of the same ledger and follow in it; another file of that name is not taken. */
static bool follows(const sbl_release *release, const sbl_release *before)
{
    return strcmp(release->ledger, before->ledger) == 0 && release->seq > before->seq;
}

sbl_status sbl_releases_load(sbl_release ***releases, size_t *count, const char *release_path,
                             sbl_error *err)
{
    sbl_release *release = NULL;
    *releases = NULL;
    *count = 0;
    sbl_status status = sbl_release_load(&release, release_path, err);
    if (status == SBL_OK) status = append(releases, count, release, err);
    while (status == SBL_OK && *count < SBL_MOST_ROUNDS) {
        sbl_text path = {0};
        sbl_error ignored;
        sbl_publish_release_path(&path, release_path, *count + 1);
        const sbl_status found =
            path.failed ? SBL_EMEM : sbl_release_load(&release, path.data, &ignored);
        sbl_text_clear(&path);
        if (found != SBL_OK) break;
        if (!follows(release, (*releases)[*count - 1])) {
            sbl_release_free(release);
            break;
        }
        status = append(releases, count, release, err);
    }
    return status;
}

/* ---- train ---- */

/* A certificate goes into a model only when it holds and is that of these very releases, byte for
 * byte; and without the files that were made of them, for the model is one of those. */
static sbl_status read_certificate(char **certificate, const char *path, const char *release_path,
                                   size_t count, sbl_error *err)
{
    uint8_t *bytes = NULL;
    size_t size;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_file_read(&bytes, &size, path, CERTIFICATE_LIMIT, err));
    SBL_TRY(sbl_certificate_check(NULL, (const char *)bytes, size, NULL, path, err));
    for (size_t round = 1; status == SBL_OK && round <= count; round++) {
        sbl_text file = {0};
        sbl_release *release = NULL;
        sbl_described described = {0};
        sbl_release_evidence evidence;
        sbl_publish_release_path(&file, release_path, round);
        status = file.failed ? sbl_fail(err, SBL_EMEM, "out of memory for a file name")
                             : sbl_evidence_load(&release, &described, &evidence, file.data, err);
        if (status == SBL_OK)
            status =
                sbl_certificate_check_releases((const char *)bytes, size, &evidence, 1, path, err);
        sbl_described_clear(&described);
        sbl_release_free(release);
        sbl_text_clear(&file);
    }
    if (status == SBL_OK)
        status = sbl_certificate_without_files(certificate, (const char *)bytes, size, path, err);
done:
    sbl_free(bytes);
    return status;
}

sbl_status sbl_train_from(const char *release_path, const char *model_path,
                          const sbl_synth_options *options, sbl_error *err)
{
    sbl_text checkpoint = {0};
    sbl_checkpoint_path(&checkpoint, options, release_path);
    const sbl_named_file paths[] = {{"the release", release_path, false},
                                    {"the certificate", options->certificate_path, false},
                                    {"the model", model_path, true},
                                    {"the checkpoint", checkpoint.data, true}};
    sbl_synth_options fitting = *options;
    sbl_release **releases = NULL;
    size_t count = 0;
    sbl_rounds rounds = {0};
    sbl_facts facts = {0};
    sbl_model *model = NULL;
    char *certificate = NULL;
    sbl_status status = SBL_OK;
    fitting.checkpoint = checkpoint.data;
    if (checkpoint.failed) SBL_FAIL(err, SBL_EMEM, "out of memory for a file name");
    SBL_TRY(sbl_files_check(paths, sizeof paths / sizeof paths[0], err));
    SBL_TRY(sbl_file_check_target(model_path, options->overwrite, err));
    SBL_TRY(sbl_releases_load(&releases, &count, release_path, err));
    if (options->certificate_path != NULL)
        SBL_TRY(
            read_certificate(&certificate, options->certificate_path, release_path, count, err));
    SBL_TRY(sbl_rounds_of_releases(&rounds, &facts, releases, count, options, release_path, err));
    SBL_TRY(sbl_options_check_method(options, rounds.method->name,
                                     facts.kind == SBL_DATA_IMAGES ? SBL_IMAGES : SBL_TABLES,
                                     SBL_STEP_TRAIN, err));
    SBL_TRY(sbl_rounds_are_all(&rounds, release_path, err));
    SBL_TRY(sbl_rounds_fit(&model, &rounds, &fitting, err));
    SBL_TRY(sbl_model_set_certificate(model, certificate, err));
    SBL_TRY(sbl_model_save(model, model_path, options->overwrite, err));
    sbl_generate_forget(checkpoint.data);
done:
    sbl_text_clear(&checkpoint);
    for (size_t i = 0; releases != NULL && i < count; i++) sbl_release_free(releases[i]);
    sbl_free(releases);
    sbl_free(certificate);
    sbl_model_free(model);
    sbl_rounds_clear(&rounds);
    sbl_facts_clear(&facts);
    return status;
}

/* ---- sample ---- */

/* The output must be none of the files that are read. */
static sbl_status check_output(const char *model_path, const char *output,
                               const sbl_image_folder *folder, const sbl_facts *facts,
                               sbl_error *err)
{
    sbl_image_files files = {0};
    sbl_status status = SBL_OK;
    if (folder != NULL) SBL_TRY(sbl_image_files_name(&files, folder, facts, err));
    const sbl_named_file paths[] = {{"the model", model_path, false},
                                    {"the output", output, true},
                                    {"the images", files.images.data, true},
                                    {"the labels", files.labels.data, true},
                                    {"the preview", folder != NULL ? folder->preview : NULL, true}};
    SBL_TRY(sbl_files_check(paths, sizeof paths / sizeof paths[0], err));
done:
    sbl_image_files_clear(&files);
    return status;
}

sbl_status sbl_sample_from(const char *model_path, const char *output,
                           const sbl_image_folder *folder, uint64_t rows, const char *where,
                           const sbl_synth_options *options, sbl_error *err)
{
    sbl_model *model = NULL;
    sbl_sink *sink = NULL;
    sbl_where conditions = {.wanted = SBL_ANY_CLASS};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_model_load(&model, model_path, sbl_model_kinds, err));
    const sbl_facts *facts = sbl_model_output(model);
    const bool images = facts->kind == SBL_DATA_IMAGES;
    if (images ? folder == NULL : output == NULL) {
        status =
            sbl_fail(err, SBL_EARG, "%s is a model of %s, which must be named", model_path,
                     images ? "images: they go into a folder" : "a table: it goes into a file");
        goto done;
    }
    if (images)
        output = NULL;
    else
        folder = NULL;
    SBL_TRY(sbl_where_read(&conditions, where, model, err));
    SBL_TRY(check_output(model_path, output, folder, facts, err));
    if (!images) SBL_TRY(sbl_sink_check_table(output, err));
    SBL_TRY(!images ? sbl_sink_open_table(&sink, output, facts, options->overwrite, err)
                    : sbl_sink_open_images(&sink, folder, sbl_draw_rows(model, rows), facts,
                                           options->overwrite, err));
    SBL_TRY(sbl_draw(sink, model, rows, &conditions, options, err));
done:
    sbl_sink_close(sink);
    sbl_model_free(model);
    sbl_where_clear(&conditions);
    return status;
}
