/* Evaluations of handles (include/semblance/evaluate.h): NOT PRIVATE. */
#include "api/entry.h"
#include "base/file.h"
#include "base/status.h"
#include "evaluate_api/evaluation.h"

/* ---- tables ---- */

static sbl_status evaluate_tables(const sbl_evaluation_wanted *wanted, sbl_data *real,
                                  sbl_data *synthetic, sbl_data *train, const sbl_schema *schema,
                                  const char *certificate, const sbl_evaluate_options *options,
                                  sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (options->report_path != NULL)
        SBL_TRY(sbl_file_check_target(options->report_path, options->overwrite, err));
    SBL_TRY(sbl_data_keep(synthetic, err)); /* is read twice */
    SBL_TRY(sbl_evaluation_tables(wanted, real, synthetic, train, schema, "the schema", certificate,
                                  options, err));
done:
    return status;
}

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
    sbl_named_file paths[7] = {{"the report", options->report_path, true}};
    for (size_t i = 0; i < 3; i++) {
        SBL_TRY(place_images(&places[i], sets[i], err));
        const bool files = places[i].memory == NULL;
        paths[1 + i] = (sbl_named_file){"the images", files ? places[i].images : NULL, false};
        paths[4 + i] = (sbl_named_file){"the labels", files ? places[i].labels : NULL, false};
    }
    SBL_TRY(sbl_files_check(paths, sizeof paths / sizeof *paths, err));
    if (options->report_path != NULL)
        SBL_TRY(sbl_file_check_target(options->report_path, options->overwrite, err));
    const sbl_image_request request =
        sbl_evaluation_request(places[0], places[1], places[2], options);
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

static sbl_status evaluate_data(const sbl_evaluation_wanted *wanted, sbl_data *real,
                                sbl_data *synthetic, sbl_data *train, const sbl_schema *schema,
                                const char *certificate, const sbl_evaluate_options *theirs,
                                sbl_error *err)
{
    sbl_evaluate_options options;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_evaluation_options(&options, theirs, err));
    options.train_path = options.certificate_path = NULL;
    if (options.public_only) {
        SBL_TRY(report_public(wanted, real, synthetic, train, certificate, &options, err));
        goto done;
    }
    SBL_NEED(real);
    SBL_NEED(synthetic);
    if (holds_images(real)) {
        if (schema != NULL)
            SBL_FAIL(err, SBL_EARG, "images have no schema: %s must be compared without one",
                     real->name);
        SBL_TRY(evaluate_images(wanted, real, synthetic, train, certificate, &options, err));
        goto done;
    }
    SBL_NEED(schema);
    SBL_TRY(evaluate_tables(wanted, real, synthetic, train, schema, certificate, &options, err));
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

sbl_status sbl_data_evaluate(char **json, char **text, char **report, sbl_data *real,
                             sbl_data *synthetic, sbl_data *train, const sbl_schema *schema,
                             const char *certificate, const sbl_evaluate_options *options,
                             sbl_error *err)
{
    const sbl_evaluation_wanted wanted = {.json = json, .text = text, .report = report};
    sbl_data *const sets[] = {real, synthetic, train};
    sbl_mark *used[3] = {NULL};
    sbl_status status = SBL_OK;
    sbl_evaluation_start(&wanted);
    SBL_TRY(use_all(used, sets, err));
    SBL_TRY(evaluate_data(&wanted, real, synthetic, train, schema, certificate, options, err));
done:
    if (status != SBL_OK) sbl_evaluation_drop(&wanted);
    for (size_t i = 0; i < 3; i++) sbl_use_end(used[i]);
    return status;
}
