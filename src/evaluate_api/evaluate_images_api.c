/* Evaluation of image sets, in files (include/semblance/evaluate.h) or anywhere. No ledger is opened here, whatever a
 * certificate names. */
#include "api/entry.h"
#include "base/caller_struct.h"
#include "base/memory.h"
#include "evaluate_api/evaluation.h"
#include "report/report.h"

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
