/* Evaluation of tables and images (include/semblance/evaluate.h). No ledger is opened here,
 * whatever a certificate names. */
#include "semblance/evaluate.h"

#include <string.h>

#include "api/entry.h"
#include "base/caller_struct.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation_text.h"
#include "evaluate/image_evaluate.h"
#include "options/options.h"
#include "pipeline/dialect.h"
#include "pipeline/targets.h"
#include "report/report.h"
#include "schema/spikes.h"

#define CERTIFICATE_SIZE_LIMIT ((size_t)64 << 20)

void sbl_evaluate_options_init_sized(sbl_evaluate_options *options, size_t size)
{
    const sbl_evaluate_options ours = {.struct_size = sizeof ours};
    sbl_struct_set_up(options, size, &ours, sizeof ours);
}

/* Everything that can be known to fail before minutes are spent. paths: the report, then what the
 * evaluation reads. */
static sbl_status check_report(const sbl_evaluate_options *options, const sbl_named_path *paths,
                               size_t count, sbl_error *err)
{
    if (options->report_path == NULL) {
        if (options->certificate_path == NULL && !options->public_only) return SBL_OK;
        return sbl_fail(err, SBL_EARG, "a certificate and public-only need a report to go into");
    }
    if (options->public_only && options->certificate_path == NULL)
        return sbl_fail(err, SBL_EARG,
                        "a public report says what a certificate says: name the certificate");
    const sbl_status status = sbl_check_targets(paths, count, err);
    if (status != SBL_OK) return status;
    return sbl_file_check_target(options->report_path, options->overwrite, err);
}

/* A caller's options as ours, and in range. */
static sbl_status take_options(sbl_evaluate_options *options, const sbl_evaluate_options *theirs,
                               sbl_error *err)
{
    *options = (sbl_evaluate_options){.struct_size = sizeof *options};
    const sbl_status status = sbl_struct_take(options, sizeof *options, theirs, "options", err);
    if (status != SBL_OK) return status;
    if (options->threads > 1024) return sbl_fail(err, SBL_EARG, "threads must be at most 1024");
    if (options->sets > SBL_EVALUATE_MAX_SETS)
        return sbl_fail(err, SBL_EARG, "sets must be at most %d", SBL_EVALUATE_MAX_SETS);
    return SBL_OK;
}

/* A public report is made without a look at real data: who names some has meant something else. */
static sbl_status refuse_real_data(const char *const *paths, size_t count, sbl_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (paths[i] != NULL)
            return sbl_fail(err, SBL_EARG,
                            "a public report is made without real data: name none, not %s",
                            paths[i]);
    return SBL_OK;
}

static sbl_status write_report(const char *certificate, const char *evaluation,
                               const sbl_report_preview *preview,
                               const sbl_evaluate_options *options, sbl_error *err)
{
    const sbl_report_options report = {.public_only = options->public_only,
                                       .overwrite = options->overwrite,
                                       .title = options->title,
                                       .preview = preview};
    if (options->report_path == NULL) return SBL_OK;
    return sbl_report_write(options->report_path, certificate, evaluation, &report, err);
}

/* Canonical JSON and a line end. */
static char *json_line(const json_t *document)
{
    char *text = sbl_json_canonical(document);
    if (text == NULL) return NULL;
    const size_t length = strlen(text);
    char *longer = sbl_resize_array(text, length + 2, 1);
    if (longer == NULL) {
        sbl_free(text);
        return NULL;
    }
    memcpy(longer + length, "\n", 2);
    return longer;
}

/* The certificate to show; *text stays NULL without one. sbl_free */
static sbl_status read_certificate(uint8_t **text, const sbl_evaluate_options *options,
                                   sbl_error *err)
{
    size_t size;
    if (options->certificate_path == NULL) return SBL_OK;
    return sbl_file_read(text, &size, options->certificate_path, CERTIFICATE_SIZE_LIMIT, err);
}

/* The document as the caller and the report want it. */
static sbl_status hand_over(char **json, char **text, const json_t *document,
                            const char *certificate, const sbl_report_preview *preview,
                            const sbl_evaluate_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    char *line = json_line(document);
    char *words = sbl_evaluation_text(document);
    if (line == NULL || words == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for an evaluation");
    SBL_TRY(write_report(certificate, line, preview, options, err));
    if (json != NULL) {
        *json = line;
        line = NULL;
    }
    if (text != NULL) {
        *text = words;
        words = NULL;
    }
done:
    sbl_free(line);
    sbl_free(words);
    return status;
}

/* With what was said of how the tables are written in its place. */
static sbl_status read_schema(sbl_schema **schema, const char *path,
                              const sbl_synth_options *reading, sbl_error *err)
{
    sbl_synth_options ours;
    sbl_status status = SBL_OK;
    if (reading == NULL) return sbl_schema_read(schema, path, err);
    SBL_TRY(sbl_synth_options_take(&ours, reading, err));
    SBL_TRY(sbl_options_check_values(&ours, SBL_STEP_READ, err));
    const sbl_dialect_given given = sbl_dialect_of_options(&ours);
    SBL_TRY(sbl_schema_read(schema, path, err));
    SBL_TRY(sbl_schema_apply_dialect(*schema, &given, err));
done:
    return status;
}

static sbl_status evaluate_tables(char **json, char **text, const char *real_path,
                                  const char *synthetic_path, const char *schema_path,
                                  const sbl_evaluate_options *options, sbl_error *err)
{
    const sbl_named_path paths[] = {
        {"the report", options->report_path, true},
        {"the real table", real_path, false},
        {"the synthetic table", synthetic_path, false},
        {"the training table", options->train_path, false},
        {"the schema", schema_path, false},
        {"the certificate", options->certificate_path, false},
    };
    const char *const named[] = {real_path, options->train_path};
    sbl_schema *schema = NULL;
    json_t *document = NULL;
    uint8_t *certificate = NULL;
    sbl_status status = SBL_OK;
    if (options->public_only) SBL_TRY(refuse_real_data(named, sizeof named / sizeof *named, err));
    SBL_TRY(check_report(options, paths, sizeof paths / sizeof *paths, err));
    SBL_TRY(read_certificate(&certificate, options, err));
    if (options->public_only) {
        status = write_report((const char *)certificate, NULL, NULL, options, err);
        goto done;
    }
    SBL_TRY(read_schema(&schema, schema_path, options->reading, err));
    sbl_spikes_forget(schema); /* measures compare numbers, however they were fitted */
    const sbl_table_options table_options = {.extra_column = options->notice,
                                             .context = options->context};
    const sbl_evaluate_request request = {.real_path = real_path,
                                          .synthetic_path = synthetic_path,
                                          .train_path = options->train_path,
                                          .schema = schema,
                                          .schema_path = schema_path,
                                          .models = options->models,
                                          .sets = (size_t)options->sets,
                                          .seed = options->seed,
                                          .threads = options->threads,
                                          .table_options = &table_options,
                                          .progress = options->progress,
                                          .context = options->context};
    SBL_TRY(sbl_evaluate(&document, &request, err));
    SBL_TRY(hand_over(json, text, document, (const char *)certificate, NULL, options, err));
done:
    sbl_free(certificate);
    json_decref(document);
    sbl_schema_free(schema);
    return status;
}

sbl_status sbl_evaluate_tables(char **json, char **text, const char *real_path,
                               const char *synthetic_path, const char *schema_path,
                               const sbl_evaluate_options *options, sbl_error *err)
{
    sbl_evaluate_options ours;
    int threads = 0;
    sbl_status status = SBL_OK;
    if (json != NULL) *json = NULL;
    if (text != NULL) *text = NULL;
    SBL_TRY(take_options(&ours, options, err));
    if (!ours.public_only) {
        SBL_NEED(real_path);
        SBL_NEED(synthetic_path);
        SBL_NEED(schema_path);
    }
    threads = sbl_threads_borrow(ours.threads);
    SBL_TRY(evaluate_tables(json, text, real_path, synthetic_path, schema_path, &ours, err));
done:
    sbl_threads_restore(threads);
    return status;
}

static sbl_image_place place_of(const sbl_image_input *input)
{
    if (input == NULL) return (sbl_image_place){0};
    return (sbl_image_place){.images = input->images,
                             .labels = input->labels,
                             .classes = (size_t)input->classes,
                             .channels = input->grey ? 1 : 0,
                             .height = (size_t)input->height,
                             .width = (size_t)input->width};
}

/* The synthetic images to show beside the certificate. Of the real set, where there is one, nothing
 * is taken but the number of classes and channels, which the certificate assumes to be public. A
 * certificate that does not check, or is of a table, is refused here, before minutes are spent. */
static sbl_status make_preview(sbl_report_preview *preview, const sbl_image_request *request,
                               const char *certificate, sbl_error *err)
{
    const sbl_report_options options = {.public_only = true, .preview = preview};
    sbl_image_place place = request->synthetic;
    sbl_image_reader *real = NULL;
    char *html = NULL;
    sbl_status status = SBL_OK;
    if (request->real.images != NULL) {
        SBL_TRY(sbl_image_place_open(&real, &request->real, err));
        if (place.classes == 0) place.classes = sbl_image_reader_classes(real);
        place.channels = sbl_image_reader_shape(real).channels;
    }
    SBL_TRY(sbl_report_preview_make(preview, &place, NULL, err));
    preview->given = true;
    SBL_TRY(sbl_report_render(&html, certificate, NULL, &options, err));
done:
    sbl_free(html);
    sbl_image_close(real);
    return status;
}

/* train may be NULL; real too, for a public report. */
static sbl_status evaluate_images(char **json, char **text, const sbl_image_input *real,
                                  const sbl_image_input *synthetic, const sbl_image_input *train,
                                  const sbl_evaluate_options *options, sbl_error *err)
{
    const sbl_image_input none = {0}, *fitted = train != NULL ? train : &none;
    if (real == NULL) real = &none;
    const sbl_named_path paths[] = {
        {"the report", options->report_path, true},
        {"the real images", real->images, false},
        {"the real labels", real->labels, false},
        {"the synthetic images", synthetic->images, false},
        {"the synthetic labels", synthetic->labels, false},
        {"the training images", fitted->images, false},
        {"the training labels", fitted->labels, false},
        {"the encoder", options->encoder_path, false},
        {"the certificate", options->certificate_path, false},
    };
    json_t *document = NULL;
    sbl_report_preview preview = {0};
    uint8_t *certificate = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(check_report(options, paths, sizeof paths / sizeof *paths, err));
    SBL_TRY(read_certificate(&certificate, options, err));
    const sbl_image_request request = {.real = place_of(real),
                                       .synthetic = place_of(synthetic),
                                       .train = place_of(train),
                                       .models = options->models,
                                       .encoder_path = options->encoder_path,
                                       .seed = options->seed,
                                       .threads = options->threads};
    if (certificate != NULL)
        SBL_TRY(make_preview(&preview, &request, (const char *)certificate, err));
    if (options->public_only) {
        status = write_report((const char *)certificate, NULL, &preview, options, err);
        goto done;
    }
    SBL_TRY(sbl_evaluate_image_files(&document, &request, err));
    SBL_TRY(hand_over(json, text, document, (const char *)certificate, &preview, options, err));
done:
    sbl_report_preview_clear(&preview);
    sbl_free(certificate);
    json_decref(document);
    return status;
}

/* Of a set that is not to be there. */
static sbl_status refuse_real_images(const sbl_image_input *theirs, sbl_error *err)
{
    sbl_image_input set = {.struct_size = sizeof set};
    if (theirs == NULL) return SBL_OK;
    const sbl_status status = sbl_struct_take(&set, sizeof set, theirs, "images", err);
    const char *const named[] = {set.images, set.labels};
    return status == SBL_OK ? refuse_real_data(named, 2, err) : status;
}

sbl_status sbl_evaluate_image_sets(char **json, char **text, const sbl_image_input *real,
                                   const sbl_image_input *synthetic, const sbl_image_input *train,
                                   const sbl_evaluate_options *options, sbl_error *err)
{
    sbl_evaluate_options ours;
    sbl_image_input sets[3];
    int threads = 0;
    sbl_status status = SBL_OK;
    if (json != NULL) *json = NULL;
    if (text != NULL) *text = NULL;
    SBL_TRY(take_options(&ours, options, err));
    if (ours.public_only) {
        SBL_TRY(refuse_real_images(real, err));
        SBL_TRY(refuse_real_images(train, err));
        real = train = NULL;
    } else {
        SBL_TRY(sbl_image_input_take(&sets[0], real, "real", err));
    }
    SBL_TRY(sbl_image_input_take(&sets[1], synthetic, "synthetic", err));
    if (train != NULL) SBL_TRY(sbl_image_input_take(&sets[2], train, "train", err));
    if (ours.train_path != NULL) {
        status =
            sbl_fail(err, SBL_EARG, "train_path is for tables: training images are an argument");
        goto done;
    }
    threads = sbl_threads_borrow(ours.threads);
    SBL_TRY(evaluate_images(json, text, real != NULL ? &sets[0] : NULL, &sets[1],
                            train != NULL ? &sets[2] : NULL, &ours, err));
done:
    sbl_threads_restore(threads);
    return status;
}
