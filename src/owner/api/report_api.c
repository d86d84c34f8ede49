/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of certificates and evaluations (include/semblance/report.h). */
#include "semblance/report.h"

#include <string.h>

#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/file.h"
#include "base/json.h"
#include "door/certificate/certificate_content.h"
#include "door/release/release.h"
#include "owner/evaluate/drawn_pictures.h"
#include "owner/evaluate/pictures.h"
#include "owner/report/report_page.h"
#include "public/plan/plan.h"
#include "records/source/data_handle.h"
#include "run/api/api_call.h"
#include "run/api/synthesizer_handle.h"
#include "run/pipeline/job.h"
#include "run/pipeline/posterior.h"
#include "run/pipeline/publish.h"
#include "semblance/certificate.h"
#include "semblance/files.h"

/* What a page is made of, and the marks of the handles in use. */
typedef struct work {
    sbl_report_options options;
    sbl_mark *data, *synth;
    sbl_facts facts; /* of the synthesizer's release */
    sbl_report_preview preview;
    json_t *pictures;
} work;

static void clear(work *w)
{
    sbl_report_preview_clear(&w->preview);
    json_decref(w->pictures);
    sbl_facts_clear(&w->facts);
    sbl_use_end(w->synth);
    sbl_use_end(w->data);
}

static sbl_status check_files(const sbl_report_options *options, sbl_error *err)
{
    const sbl_data *synthetic = options->synthetic;
    const sbl_named_file files[] = {
        {"the report", options->path, true},
        {"the pictures", options->pictures, true},
        {"the release", options->release, false},
        {"the synthetic data", synthetic != NULL ? synthetic->path : NULL, false},
        {"the synthetic labels", synthetic != NULL ? synthetic->images.labels : NULL, false}};
    if (options->path == NULL && options->pictures == NULL) return SBL_OK;
    SBL_CHECK(sbl_files_check(files, sizeof files / sizeof files[0], err));
    if (options->path != NULL) SBL_CHECK(sbl_file_check_target(options->path, options->overwrite, err));
    return options->pictures != NULL ? sbl_file_check_target(options->pictures, options->overwrite, err)
                                     : SBL_OK;
}

/* One that is sound, and of images where such are shown beside it. */
static sbl_status check_certificate(const sbl_report_options *options, sbl_error *err)
{
    sbl_guarantee facts = {.struct_size = sizeof facts};
    const sbl_data *shown = options->synthetic;
    const sbl_status status =
        sbl_certificate_read(&facts, NULL, options->certificate, strlen(options->certificate), err);
    if (status == SBL_OK && shown != NULL && shown->kind == SBL_DATA_IMAGES && !facts.images)
        return sbl_fail(
            err, SBL_EINPUT,
            "the certificate is for a table, not for an image set: give the certificate of these images");
    return status;
}

/* Everything that can be known to fail beforehand. */
static sbl_status begin(work *w, const sbl_report_options *options, sbl_error *err)
{
    sbl_report_options *ours = &w->options;
    ours->struct_size = sizeof *ours;
    SBL_CHECK(sbl_struct_take(ours, sizeof *ours, options, "options", err));
    if (ours->synthetic != NULL) SBL_CHECK(sbl_data_use(&w->data, ours->synthetic, err));
    if (ours->synth != NULL) SBL_CHECK(sbl_synthesizer_use(&w->synth, ours->synth, SBL_USE_READS, err));
    SBL_CHECK(check_files(ours, err));
    if (ours->certificate == NULL && ours->synth != NULL)
        ours->certificate = sbl_synthesizer_kept(ours->synth, SBL_KEPT_CERTIFICATE);
    if (ours->certificate != NULL) SBL_CHECK(check_certificate(ours, err));
    if (ours->draws > SBL_REPLICATES_MOST)
        return sbl_fail(err, SBL_EARG, "draws must be at most %d, or 1: no intervals", SBL_REPLICATES_MOST);
    return SBL_OK;
}

/* ---- what is shown ---- */

/* For the classes of a synthesizer: its release, or else its model. */
static sbl_status find_facts(const sbl_image_facts **images, work *w, sbl_error *err)
{
    sbl_synthesizer *synth = w->options.synth;
    const sbl_store_entry item = sbl_synthesizer_in(synth, SBL_KEPT_RELEASE);
    sbl_release *release = NULL;
    sbl_plan plan = {0};
    sbl_status status = SBL_OK;
    if (sbl_store_entry_exists(item)) {
        SBL_TRY(sbl_release_load(&release, item, err));
        SBL_TRY(sbl_plan_parse(&plan, &w->facts, release->plan, "the release", err));
        *images = &w->facts.images;
    } else {
        SBL_TRY(sbl_synthesizer_describe(synth, err));
        *images = &synth->facts.images;
    }
done:
    sbl_plan_clear(&plan);
    sbl_release_free(release);
    return status;
}

/* Classes and channels as an evaluation of the set found them; nothing where it says none. */
static sbl_status take_shape(sbl_image_place *place, const char *evaluation, sbl_error *err)
{
    json_t *document = NULL;
    const sbl_status status =
        sbl_json_parse(&document, evaluation, strlen(evaluation), "the evaluation", err);
    const json_t *images = json_object_get(document, "images");
    const json_int_t classes = json_integer_value(json_object_get(images, "classes"));
    const json_int_t channels = json_integer_value(json_array_get(json_object_get(images, "shape"), 2));
    if (place->classes == 0 && classes > 0) place->classes = (size_t)classes;
    if (channels > 0) place->channels = (size_t)channels;
    json_decref(document);
    return status;
}

static sbl_status show_images(work *w, sbl_error *err)
{
    sbl_image_place place = w->options.synthetic->images;
    const sbl_image_facts *facts = NULL;
    if (w->options.synth != NULL) {
        SBL_CHECK(find_facts(&facts, w, err));
        place.classes = facts->classes;
        place.channels = facts->channels;
    } else if (w->options.evaluation != NULL) {
        SBL_CHECK(take_shape(&place, w->options.evaluation, err));
    }
    SBL_CHECK(sbl_report_preview_make(&w->preview, &place,
                                      facts != NULL ? (const char *const *)facts->names : NULL, err));
    w->preview.given = w->options.synth == NULL;
    return SBL_OK;
}

static sbl_status show_linked(work *w, sbl_error *err)
{
    const sbl_schema *schema = w->options.schema;
    const sbl_table *tables[SBL_MOST_TABLES];
    for (size_t t = 0; t < schema->table_count; t++) {
        const sbl_data *one;
        SBL_CHECK(sbl_data_linked(&one, w->options.synthetic, schema->tables[t].name, err));
        SBL_CHECK(sbl_data_table(&tables[t], one, err));
    }
    return sbl_linked_pictures(&w->pictures, tables, schema, err);
}

/* The synthetic table, or linked tables, as they are. */
static sbl_status show_plainly(work *w, const sbl_table *table, sbl_error *err)
{
    if (table != NULL) return sbl_table_pictures(&w->pictures, table, w->options.schema, err);
    if (w->options.synthetic != NULL) return show_linked(w, err);
    w->pictures = json_object();
    return w->pictures != NULL ? SBL_OK : sbl_no_memory(err, "pictures");
}

/* Joins what was drawn to what is shown. */
static sbl_status add_members(work *w, json_t *drawn, sbl_error *err)
{
    const int failed = json_object_update(w->pictures, drawn);
    json_decref(drawn);
    return failed == 0 ? SBL_OK : sbl_no_memory(err, "pictures");
}

/* Intervals where the method has draws; else the reason why there are none. */
static sbl_status show_drawn(work *w, const sbl_table *table, const sbl_drawn_from *from, sbl_error *err)
{
    const uint64_t draws = w->options.draws != 0 ? w->options.draws : SBL_PICTURE_DRAWS;
    sbl_synth_options job;
    sbl_error why = {.status = SBL_OK};
    json_t *drawn = NULL;
    sbl_synth_options_init(&job);
    job.progress = w->options.progress;
    job.context = w->options.context;
    job.threads = 1; /* callers cannot set a number here, and a forked process must not use more */
    const int threads = sbl_threads_borrow(1);
    sbl_status status = draws == 1 ? SBL_EARG : sbl_drawn_pictures(&drawn, from, table, draws, &job, &why);
    sbl_threads_restore(threads);
    if (status != SBL_OK && status != SBL_EARG) return sbl_fail(err, status, "%s", why.message);
    if (status == SBL_OK && table != NULL) {
        w->pictures = drawn;
        return SBL_OK;
    }
    if (status != SBL_OK && draws != 1) drawn = json_pack("{s:s}", "no_intervals", why.message);
    status = show_plainly(w, table, err);
    if (status == SBL_OK && drawn != NULL) return add_members(w, drawn, err);
    json_decref(drawn);
    return status;
}

/* Are these releases those of the certificate, byte for byte? */
static sbl_status check_releases(const work *w, sbl_store_entry first, sbl_error *err)
{
    const char *text = w->options.certificate;
    json_t *json = NULL;
    sbl_certificate_content content = {0};
    sbl_text name = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_parse(&json, text, strlen(text), "the certificate", err));
    SBL_TRY(sbl_certificate_extract(&content, json, "the certificate", err));
    for (size_t r = 0; r < content.release_count; r++) {
        char hash[SBL_SHA256_TEXT_SIZE];
        sbl_store_entry item = first;
        if (r > 0) SBL_TRY(sbl_publish_item(&item, &name, first, r + 1, err));
        SBL_TRY(sbl_store_entry_sha256(hash, item, err));
        if (strcmp(hash, content.releases[r].out) != 0)
            SBL_FAIL(err, SBL_EINPUT,
                     "%s: the certificate does not list this file: give the release and the certificate of "
                     "one run",
                     item.name);
    }
done:
    sbl_text_clear(&name);
    sbl_certificate_content_clear(&content);
    json_decref(json);
    return status;
}

/* The releases for intervals, and the model that was fitted to them if it was kept: false if none are at hand. */
static bool find_release(sbl_drawn_from *from, const work *w)
{
    const char *const kept[] = {SBL_KEPT_FITTED, SBL_KEPT_MODEL};
    *from = (sbl_drawn_from){.brief = true};
    if (w->options.release != NULL) {
        from->release = sbl_file_item(w->options.release);
        return true;
    }
    if (w->options.synth == NULL) return false;
    from->release = sbl_synthesizer_in(w->options.synth, SBL_KEPT_RELEASE);
    for (size_t i = 0; i < 2 && from->model.store == NULL; i++) {
        const sbl_store_entry model = sbl_synthesizer_in(w->options.synth, kept[i]);
        if (sbl_store_entry_exists(model)) from->model = model;
    }
    return sbl_store_entry_exists(from->release);
}

static sbl_status show_table(work *w, sbl_error *err)
{
    const sbl_schema *schema = w->options.schema;
    const sbl_table *table = NULL;
    sbl_drawn_from from;
    if (w->options.synthetic != NULL) {
        SBL_CHECK(sbl_need(schema, "schema", err));
        if (schema->table_count == 0) SBL_CHECK(sbl_data_table(&table, w->options.synthetic, err));
    }
    if (!find_release(&from, w)) return w->options.synthetic != NULL ? show_plainly(w, table, err) : SBL_OK;
    if (w->options.release != NULL) SBL_CHECK(check_releases(w, from.release, err));
    return show_drawn(w, table, &from, err);
}

/* Without a certificate nothing says that they may be shown; an evaluation has its own pictures of a table. */
static sbl_status show(work *w, sbl_error *err)
{
    sbl_guarantee facts = {.struct_size = sizeof facts};
    const char *certificate = w->options.certificate;
    if (certificate == NULL) return SBL_OK;
    SBL_CHECK(sbl_certificate_read(&facts, NULL, certificate, strlen(certificate), err));
    if (w->options.synthetic != NULL && w->options.synthetic->kind == SBL_DATA_IMAGES)
        return show_images(w, err);
    return facts.images || w->options.evaluation != NULL ? SBL_OK : show_table(w, err);
}

static sbl_status write_pictures(const work *w, sbl_error *err)
{
    const sbl_file_write_options as_public = {.mode = 0644, .overwrite = w->options.overwrite};
    char *text = NULL;
    sbl_status status = SBL_OK;
    if (w->options.pictures == NULL || w->pictures == NULL) return SBL_OK;
    text = sbl_json_canonical(w->pictures);
    if (text == NULL) SBL_TRY(sbl_no_memory(err, "pictures"));
    SBL_TRY(sbl_file_write(w->options.pictures, text, strlen(text), as_public, err));
done:
    sbl_free(text);
    return status;
}

/* ---- the page ---- */

sbl_status sbl_report(char **html, const sbl_report_options *options, sbl_error *err)
{
    work w = {0};
    char *page = NULL;
    sbl_status status = SBL_OK;
    if (html != NULL) *html = NULL;
    SBL_TRY(begin(&w, options, err));
    if (w.options.check_only) goto done;
    if (html == NULL && w.options.path == NULL)
        SBL_FAIL(err, SBL_EARG, "give a path or an argument for the report");
    SBL_TRY(show(&w, err));
    const sbl_page_options how = {.title = w.options.title, .preview = &w.preview, .pictures = w.pictures};
    SBL_TRY(sbl_report_render(&page, w.options.certificate, w.options.evaluation, &how, err));
    if (w.options.path != NULL) {
        const sbl_file_write_options as = {.mode = w.options.evaluation == NULL ? 0644 : 0600,
                                           .overwrite = w.options.overwrite};
        SBL_TRY(sbl_file_write(w.options.path, page, strlen(page), as, err));
    }
    SBL_TRY(write_pictures(&w, err));
    if (html != NULL) {
        *html = page;
        page = NULL;
    }
done:
    sbl_free(page);
    clear(&w);
    return status;
}
