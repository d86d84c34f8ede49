/* Evaluation of image sets, in files (include/semblance/evaluate.h) or anywhere. No ledger is opened here, whatever a
 * certificate names. */
#include "api/entry.h"
#include "base/caller_struct.h"
#include "base/memory.h"
#include "evaluate_api/evaluation.h"
#include "report/report.h"

sbl_image_request sbl_evaluation_request(sbl_image_place real, sbl_image_place synthetic,
                                         sbl_image_place train, const sbl_evaluate_options *options)
{
    return (sbl_image_request){.real = real,
                               .synthetic = synthetic,
                               .train = train,
                               .models = options->models,
                               .encoder_path = options->encoder_path,
                               .seed = options->seed,
                               .threads = options->threads,
                               .progress = options->progress,
                               .context = options->context};
}

sbl_image_place sbl_evaluation_place(const sbl_image_input *input)
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

sbl_status sbl_evaluation_images(const sbl_evaluation_wanted *wanted,
                                 const sbl_image_request *request, const char *certificate,
                                 const sbl_evaluate_options *options, sbl_error *err)
{
    json_t *document = NULL;
    sbl_report_preview preview = {0};
    sbl_status status = SBL_OK;
    if (certificate != NULL) SBL_TRY(make_preview(&preview, request, certificate, err));
    if (options->public_only) {
        status = sbl_evaluation_report(wanted->report, certificate, NULL, &preview, options, err);
        goto done;
    }
    SBL_TRY(sbl_evaluate_image_files(&document, request, err));
    SBL_TRY(sbl_evaluation_hand_over(wanted, document, certificate, &preview, options, err));
done:
    sbl_report_preview_clear(&preview);
    json_decref(document);
    return status;
}

/* ---- files ---- */

/* train may be NULL; real too, for a public report. */
static sbl_status evaluate_files(const sbl_evaluation_wanted *wanted, const sbl_image_input *real,
                                 const sbl_image_input *synthetic, const sbl_image_input *train,
                                 const sbl_evaluate_options *options, sbl_error *err)
{
    const sbl_image_input none = {0}, *fitted = train != NULL ? train : &none;
    if (real == NULL) real = &none;
    const sbl_named_file paths[] = {
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
    const sbl_image_request request =
        sbl_evaluation_request(sbl_evaluation_place(real), sbl_evaluation_place(synthetic),
                               sbl_evaluation_place(fitted), options);
    uint8_t *certificate = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_evaluation_check_report(options, paths, sizeof paths / sizeof *paths, err));
    SBL_TRY(sbl_evaluation_certificate(&certificate, options, err));
    SBL_TRY(sbl_evaluation_images(wanted, &request, (const char *)certificate, options, err));
done:
    sbl_free(certificate);
    return status;
}

/* Of a set that is not to be there. */
static sbl_status refuse_real_images(const sbl_image_input *theirs, sbl_error *err)
{
    sbl_image_input set = {.struct_size = sizeof set};
    if (theirs == NULL) return SBL_OK;
    const sbl_status status = sbl_struct_take(&set, sizeof set, theirs, "images", err);
    const char *const named[] = {set.images, set.labels};
    return status == SBL_OK ? sbl_evaluation_refuse_real(named, 2, err) : status;
}

sbl_status sbl_evaluate_image_sets(char **json, char **text, const sbl_image_input *real,
                                   const sbl_image_input *synthetic, const sbl_image_input *train,
                                   const sbl_evaluate_options *options, sbl_error *err)
{
    sbl_evaluate_options ours;
    sbl_image_input sets[3];
    int threads = 0;
    sbl_status status = SBL_OK;
    const sbl_evaluation_wanted wanted = {.json = json, .text = text};
    sbl_evaluation_start(&wanted);
    SBL_TRY(sbl_evaluation_options(&ours, options, err));
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
    SBL_TRY(evaluate_files(&wanted, real != NULL ? &sets[0] : NULL, &sets[1],
                           train != NULL ? &sets[2] : NULL, &ours, err));
done:
    sbl_threads_restore(threads);
    return status;
}
