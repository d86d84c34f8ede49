/* The public report of what was fitted, of images with some that the model draws (include/semblance/report.h). */
#include "api/synthesizer.h"
#include "base/caller_struct.h"
#include "base/memory.h"
#include "base/status.h"
#include "pipeline/job.h"
#include "report/report.h"
#include "semblance/report.h"

sbl_status sbl_synthesizer_report(const sbl_synthesizer *synth, char **html, const char *title,
                                  sbl_error *err)
{
    const sbl_report_options options = {.public_only = true, .title = title};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (html != NULL) *html = NULL;
    SBL_NEED(synth);
    SBL_NEED(html);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    const char *certificate = sbl_synthesizer_kept(synth, SBL_KEPT_CERTIFICATE);
    if (certificate == NULL) SBL_FAIL(err, SBL_EARG, "there is no certificate to report");
    SBL_TRY(sbl_report_render(html, certificate, NULL, &options, err));
done:
    sbl_use_end(used);
    return status;
}

/* The set that the options describe, drawn whole: a class may be rare. */
typedef struct drawn_set {
    uint8_t *pixels;
    uint32_t *labels;
    sbl_image_buffers buffers; /* borrow both */
} drawn_set;

static sbl_status draw_set(drawn_set *set, const sbl_synthesizer *synth,
                           sbl_sample_options *options, sbl_error *err)
{
    const sbl_image_facts *facts = &synth->facts.images;
    sbl_status status = SBL_OK;
    if (options->rows == 0) options->rows = synth->rows;
    const size_t count = (size_t)options->rows;
    set->pixels = sbl_alloc_array(count, sbl_image_facts_size(facts));
    set->labels = sbl_alloc_array(count, sizeof *set->labels);
    if (set->pixels == NULL || set->labels == NULL) SBL_TRY(sbl_no_memory(err, "images"));
    options->pixels = set->pixels;
    options->labels = set->labels;
    SBL_TRY(sbl_synthesizer_draw_images(synth, options, err));
    set->buffers = (sbl_image_buffers){.shape = {facts->height, facts->width, facts->channels},
                                       .count = count,
                                       .classes = facts->classes,
                                       .class_names = facts->names,
                                       .pixels = set->pixels,
                                       .labels = facts->classes != 0 ? set->labels : NULL};
done:
    return status;
}

sbl_status sbl_synthesizer_report_images(sbl_synthesizer *synth, char **html,
                                         const sbl_sample_options *options, const char *title,
                                         sbl_error *err)
{
    sbl_sample_options ours = {.struct_size = sizeof ours};
    drawn_set set = {0};
    sbl_report_preview preview = {0};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (html != NULL) *html = NULL;
    SBL_NEED(synth);
    SBL_NEED(html);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    if (options != NULL) SBL_TRY(sbl_struct_take(&ours, sizeof ours, options, "options", err));
    const char *certificate = sbl_synthesizer_kept(synth, SBL_KEPT_CERTIFICATE);
    if (certificate == NULL) SBL_FAIL(err, SBL_EARG, "there is no certificate to report");
    SBL_TRY(sbl_synthesizer_describe(synth, err));
    if (synth->facts.kind != SBL_DATA_IMAGES)
        SBL_FAIL(err, SBL_EARG, "the model is of a table: it draws no images to show");
    SBL_TRY(draw_set(&set, synth, &ours, err));
    const sbl_image_place place = {.images = "the images", .memory = &set.buffers};
    SBL_TRY(sbl_report_preview_make(&preview, &place, NULL, err));
    const sbl_report_options page = {.public_only = true, .title = title, .preview = &preview};
    SBL_TRY(sbl_report_render(html, certificate, NULL, &page, err));
done:
    sbl_report_preview_clear(&preview);
    sbl_free(set.pixels);
    sbl_free(set.labels);
    sbl_use_end(used);
    return status;
}
