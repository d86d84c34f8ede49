/* Evaluations of records in memory (include/semblance/data.h): NOT PRIVATE. Tables are read as the CSV text that
 * api/data.h makes of them, images as they are. */
#include <string.h>

#include "api/data.h"
#include "api/entry.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/status.h"
#include "evaluate_api/evaluation.h"

/* ---- tables ---- */

/* What an evaluation reads, and the document it makes. */
typedef struct evaluation {
    sbl_spill real, synthetic, train, schema;
    sbl_evaluate_options options; /* of the evaluation of files, which writes no report */
    char *json;
    json_t *document;
} evaluation;

static sbl_status prepare(evaluation *work, sbl_data *real, sbl_data *synthetic, sbl_data *train,
                          const sbl_schema *schema, sbl_error *err)
{
    sbl_evaluate_options *options = &work->options;
    sbl_status status = SBL_OK;
    if (options->report_path != NULL)
        SBL_TRY(sbl_file_check_target(options->report_path, options->overwrite, err));
    SBL_TRY(sbl_spill_schema(&work->schema, schema, err));
    SBL_TRY(sbl_spill_table(&work->real, real, schema, err));
    SBL_TRY(sbl_spill_table(&work->synthetic, synthetic, schema, err));
    if (train != NULL) SBL_TRY(sbl_spill_table(&work->train, train, schema, err));
    options->train_path = train != NULL ? work->train.path : NULL;
    options->report_path = NULL;
done:
    return status;
}

/* The document calls tables by their names. */
static bool name_input(const json_t *document, const char *role, const sbl_data *data)
{
    json_t *input = json_object_get(json_object_get(document, "inputs"), role);
    return data == NULL || json_object_set_new(input, "path", json_string(data->name)) == 0;
}

/* From the paths of the copies to the names that the caller gave. */
static sbl_status name_inputs(evaluation *work, const sbl_data *real, const sbl_data *synthetic,
                              const sbl_data *train, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_parse(&work->document, work->json, strlen(work->json), "the evaluation", err));
    if (!name_input(work->document, "real", real) ||
        !name_input(work->document, "synthetic", synthetic) ||
        !name_input(work->document, "train", train))
        SBL_TRY(sbl_no_memory(err, "an evaluation"));
done:
    return status;
}

static void rename_all(sbl_error *err, const evaluation *work, const sbl_data *real,
                       const sbl_data *synthetic, const sbl_data *train)
{
    sbl_error_rename(err, work->real.path, real->name);
    sbl_error_rename(err, work->synthetic.path, synthetic->name);
    if (train != NULL) sbl_error_rename(err, work->train.path, train->name);
    sbl_error_rename(err, work->schema.path, "the schema");
}

static void finish(evaluation *work)
{
    sbl_spill_close(&work->real);
    sbl_spill_close(&work->synthetic);
    sbl_spill_close(&work->train);
    sbl_spill_close(&work->schema);
    json_decref(work->document);
    sbl_free(work->json);
}

static sbl_status evaluate_tables(const sbl_evaluation_wanted *wanted, sbl_data *real,
                                  sbl_data *synthetic, sbl_data *train, const sbl_schema *schema,
                                  const char *certificate, const sbl_evaluate_options *options,
                                  sbl_error *err)
{
    evaluation work = {.real = SBL_NO_SPILL,
                       .synthetic = SBL_NO_SPILL,
                       .train = SBL_NO_SPILL,
                       .schema = SBL_NO_SPILL,
                       .options = *options};
    sbl_status status = SBL_OK;
    SBL_TRY(prepare(&work, real, synthetic, train, schema, err));
    status = sbl_evaluate_tables(&work.json, NULL, work.real.path, work.synthetic.path,
                                 work.schema.path, &work.options, err);
    if (status != SBL_OK) {
        rename_all(err, &work, real, synthetic, train);
        goto done;
    }
    SBL_TRY(name_inputs(&work, real, synthetic, train, err));
    SBL_TRY(sbl_evaluation_hand_over(wanted, work.document, certificate, NULL, options, err));
done:
    finish(&work);
    return status;
}

/* ---- images ---- */

static bool holds_images(const sbl_data *data)
{
    return data != NULL && (data->form == SBL_FORM_PIXELS || data->form == SBL_FORM_IMAGE_FILES);
}

/* NULL: there is none. buffers are filled in for place to borrow. */
static sbl_status place_images(sbl_image_place *place, sbl_image_buffers *buffers,
                               const sbl_data *data, sbl_error *err)
{
    *place = (sbl_image_place){0};
    if (data == NULL) return SBL_OK;
    if (!holds_images(data))
        return sbl_fail(err, SBL_EARG, "%s holds a table, not images", data->name);
    if (data->form == SBL_FORM_IMAGE_FILES) {
        sbl_image_input files = data->files;
        files.images = data->name;
        files.labels = data->label_file;
        *place = sbl_evaluation_place(&files);
        return SBL_OK;
    }
    const sbl_image_facts *facts = &data->images.facts;
    *buffers = (sbl_image_buffers){.shape = {facts->height, facts->width, facts->channels},
                                   .count = data->images.records.rows,
                                   .classes = facts->classes,
                                   .class_names = facts->names,
                                   .pixels = data->images.records.pixels,
                                   .labels = data->labels};
    *place = (sbl_image_place){.images = data->name, .memory = buffers};
    return SBL_OK;
}

static sbl_status evaluate_images(const sbl_evaluation_wanted *wanted, const sbl_data *real,
                                  const sbl_data *synthetic, const sbl_data *train,
                                  const char *certificate, const sbl_evaluate_options *options,
                                  sbl_error *err)
{
    const sbl_data *const sets[] = {real, synthetic, train};
    sbl_image_place places[3];
    sbl_image_buffers buffers[3];
    int threads = 0;
    sbl_status status = SBL_OK;
    sbl_named_file paths[7] = {{"the report", options->report_path, true}};
    for (size_t i = 0; i < 3; i++) {
        SBL_TRY(place_images(&places[i], &buffers[i], sets[i], err));
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
        if (sets[i] != NULL && !again)
            SBL_TRY(sbl_use_begin(&used[i], &sets[i]->mark, SBL_USE_READS, sets[i]->name, err));
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
