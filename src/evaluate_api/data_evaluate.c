/* Evaluations of handles (include/semblance/evaluate.h): NOT PRIVATE. */
#include "api/entry.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "evaluate_api/evaluation.h"

/* ---- images ---- */

static bool holds_images(const sbl_data *data)
{
    return data != NULL && data->kind == SBL_DATA_IMAGES;
}

/* NULL: there is none. */
static sbl_status place_images(sbl_image_place *place, const sbl_data *data, sbl_error *err)
{
    *place = (sbl_image_place){0};
    if (data == NULL) return SBL_OK;
    if (!holds_images(data))
        return sbl_fail(err, SBL_EARG, "%s holds a table, not images", data->name);
    *place = data->images;
    return SBL_OK;
}

static sbl_status evaluate_images(const sbl_evaluation_wanted *wanted, const sbl_data *real,
                                  const sbl_data *synthetic, const sbl_data *train,
                                  const char *certificate, const sbl_evaluate_options *options,
                                  sbl_error *err)
{
    const sbl_data *const sets[] = {real, synthetic, train};
    sbl_image_place places[3];
    int threads = 0;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < 3; i++) SBL_TRY(place_images(&places[i], sets[i], err));
    const sbl_image_request request = {.real = places[0],
                                       .synthetic = places[1],
                                       .train = places[2],
                                       .models = options->models,
                                       .encoder_path = options->encoder_path,
                                       .seed = options->seed,
                                       .threads = options->threads,
                                       .progress = options->progress,
                                       .context = options->context};
    threads = sbl_threads_borrow(options->threads);
    SBL_TRY(sbl_evaluation_images(wanted, &request, certificate, options, err));
done:
    sbl_threads_restore(threads);
    return status;
}

/* ---- either ---- */

/* What may be published: the certificate and, of images, some synthetic ones. */
static sbl_status report_public(const sbl_evaluation_wanted *wanted, const sbl_data *real,
                                const sbl_data *synthetic, const sbl_data *train,
                                const char *certificate, const sbl_evaluate_options *options,
                                sbl_error *err)
{
    if (real != NULL || train != NULL)
        return sbl_fail(err, SBL_EARG,
                        "a public report is made without real data: give none, not %s",
                        real != NULL ? real->name : train->name);
    if (certificate == NULL)
        return sbl_fail(err, SBL_EARG,
                        "a public report says what a certificate says: give the certificate");
    if (holds_images(synthetic))
        return evaluate_images(wanted, NULL, synthetic, NULL, certificate, options, err);
    return sbl_evaluation_report(wanted->report, certificate, NULL, NULL, options, err);
}

/* Everything of files that can be known to fail before minutes are spent. */
static sbl_status check_files(const sbl_data *real, const sbl_data *synthetic,
                              const sbl_data *train, const sbl_evaluate_options *options,
                              sbl_error *err)
{
    static const char *const names[][2] = {{"the real data", "the real labels"},
                                           {"the synthetic data", "the synthetic labels"},
                                           {"the training data", "the training labels"}};
    const sbl_data *const sets[] = {real, synthetic, train};
    sbl_named_file paths[9] = {{"the report", options->report_path, true},
                               {"the encoder", options->encoder_path, false},
                               {"the certificate", options->certificate_path, false}};
    sbl_status status = SBL_OK;
    if (options->report_path == NULL) return SBL_OK;
    for (size_t i = 0; i < 3; i++) {
        const bool there = sets[i] != NULL;
        paths[3 + i] = (sbl_named_file){names[i][0], there ? sets[i]->path : NULL, false};
        paths[6 + i] = (sbl_named_file){names[i][1], there ? sets[i]->images.labels : NULL, false};
    }
    SBL_TRY(sbl_files_check(paths, sizeof paths / sizeof *paths, err));
    SBL_TRY(sbl_file_check_target(options->report_path, options->overwrite, err));
done:
    return status;
}

static sbl_status evaluate_data(const sbl_evaluation_wanted *wanted, sbl_data *real,
                                sbl_data *synthetic, sbl_data *train, const sbl_schema *schema,
                                const char *certificate, const sbl_evaluate_options *options,
                                sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (options->public_only)
        return report_public(wanted, real, synthetic, train, certificate, options, err);
    SBL_NEED(real);
    SBL_NEED(synthetic);
    if (holds_images(real)) {
        if (schema != NULL)
            SBL_FAIL(err, SBL_EARG, "images have no schema: %s must be compared without one",
                     real->name);
        SBL_TRY(evaluate_images(wanted, real, synthetic, train, certificate, options, err));
        goto done;
    }
    SBL_NEED(schema);
    SBL_TRY(sbl_data_keep(synthetic, err)); /* is read twice */
    SBL_TRY(
        sbl_evaluation_tables(wanted, real, synthetic, train, schema, certificate, options, err));
done:
    return status;
}

/* One handle may be given twice: a table beside itself. */
static sbl_status use_all(sbl_mark *used[3], sbl_data *const sets[3], sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < 3; i++) {
        const bool again = i > 0 && (sets[i] == sets[0] || (i > 1 && sets[i] == sets[1]));
        if (sets[i] != NULL && !again) SBL_TRY(sbl_data_use(&used[i], sets[i], err));
    }
done:
    return status;
}

sbl_status sbl_evaluate(char **json, char **text, char **report, sbl_data *real,
                        sbl_data *synthetic, sbl_data *train, const sbl_schema *schema,
                        const char *certificate, const sbl_evaluate_options *options,
                        sbl_error *err)
{
    const sbl_evaluation_wanted wanted = {.json = json, .text = text, .report = report};
    sbl_data *const sets[] = {real, synthetic, train};
    sbl_evaluate_options ours;
    uint8_t *file = NULL;
    sbl_mark *used[3] = {NULL};
    sbl_status status = SBL_OK;
    sbl_evaluation_start(&wanted);
    SBL_TRY(sbl_evaluation_options(&ours, options, err));
    SBL_TRY(use_all(used, sets, err));
    if (ours.report_path == NULL && report == NULL &&
        (ours.certificate_path != NULL || ours.public_only))
        SBL_FAIL(err, SBL_EARG, "a certificate and public-only need a report to go into");
    SBL_TRY(check_files(real, synthetic, train, &ours, err));
    if (certificate == NULL) {
        SBL_TRY(sbl_evaluation_certificate(&file, &ours, err));
        certificate = (const char *)file;
    }
    SBL_TRY(evaluate_data(&wanted, real, synthetic, train, schema, certificate, &ours, err));
done:
    if (status != SBL_OK) sbl_evaluation_drop(&wanted);
    for (size_t i = 0; i < 3; i++) sbl_use_end(used[i]);
    sbl_free(file);
    return status;
}
