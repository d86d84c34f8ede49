/* Fits of records in memory: the job of every fit, in a folder of its own that is gone when the call ends; what it
 * made is the handle's then. */
#include <string.h>
#include <sys/stat.h>

#include "api/data.h"
#include "api/entry.h"
#include "api/synthesizer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "pipeline/job.h"
#include "pipeline/publish.h"
#include "schema/schema.h"
#include "semblance/certificate.h"

#define MOST_RELEASES 64 /* of one run; there are seven at most */

/* The files of a call. */
typedef struct work {
    sbl_entry entry;
    sbl_scratch scratch;
    sbl_text schema, release, certificate, model, ledger;
    bool own_release; /* release and certificate are in the folder */
    bool own_certificate;
    sbl_spill spill; /* of a table whose schema is discovered */
    sbl_arrow_origin table;
    sbl_job_memory memory;
    sbl_job job;
    sbl_mark *data; /* whose records are read */
} work;

static void finish_work(work *w)
{
    sbl_text_clear(&w->schema);
    sbl_text_clear(&w->release);
    sbl_text_clear(&w->certificate);
    sbl_text_clear(&w->model);
    sbl_text_clear(&w->ledger);
    sbl_spill_close(&w->spill);
    sbl_scratch_close(&w->scratch);
    sbl_entry_end(&w->entry);
    sbl_use_end(w->data);
}

static sbl_status open_folder(work *w, sbl_error *err)
{
    sbl_synth_options *options = &w->entry.options;
    sbl_status status = SBL_OK;
    w->own_release = options->release_path == NULL;
    w->own_certificate = options->certificate_path == NULL;
    SBL_TRY(sbl_scratch_open(&w->scratch, sbl_scratch_place(), err));
    SBL_TRY(sbl_scratch_path(&w->schema, &w->scratch, "schema.json", err));
    SBL_TRY(sbl_scratch_path(&w->model, &w->scratch, "model", err));
    SBL_TRY(sbl_scratch_path(&w->release, &w->scratch, "release", err));
    SBL_TRY(sbl_scratch_path(&w->certificate, &w->scratch, "certificate.json", err));
    SBL_TRY(sbl_scratch_path(&w->ledger, &w->scratch, "release.ledger", err));
    if (w->own_release) options->release_path = w->release.data;
    if (w->own_certificate) options->certificate_path = w->certificate.data;
done:
    return status;
}

/* ---- the job ---- */

static sbl_status write_schema(const work *w, const sbl_schema *schema, sbl_error *err)
{
    const sbl_file_write_options as_own = {.mode = 0600};
    char *text = sbl_schema_json_with_origin(schema);
    if (text == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a schema");
    const sbl_status status = sbl_file_write(w->schema.data, text, strlen(text), as_own, err);
    sbl_free(text);
    return status;
}

static sbl_status describe_images(work *w, const sbl_data *data, const sbl_schema *schema,
                                  sbl_error *err)
{
    if (schema != NULL)
        return sbl_fail(err, SBL_EARG, "images have no schema: %s must be fitted without one",
                        data->name);
    w->job.data = SBL_DATA_IMAGES;
    w->memory.images = &data->images;
    return SBL_OK;
}

/* A schema that is discovered takes several looks at the table as text. */
static sbl_status describe_table(work *w, sbl_data *data, const sbl_schema *schema, sbl_error *err)
{
    sbl_status status = SBL_OK;
    w->job.data = SBL_DATA_TABLE;
    SBL_TRY(sbl_data_table(&w->table, data, err));
    if (schema != NULL) {
        SBL_TRY(write_schema(w, schema, err));
        w->job.schema_path = w->schema.data;
        w->memory.table = &w->table;
    } else {
        SBL_TRY(sbl_spill_table(&w->spill, data, NULL, err));
        w->job.input = w->spill.path;
        sbl_spill_reading(&w->entry.options);
    }
done:
    return status;
}

/* Everything but the records of the job. */
static sbl_status begin_work(work *w, sbl_data *data, const sbl_schema *schema,
                             const sbl_synth_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const bool images = data->form == SBL_FORM_PIXELS;
    SBL_TRY(sbl_use_begin(&w->data, &data->mark, SBL_USE_READS, data->name, err));
    SBL_TRY(sbl_entry_begin_fit(&w->entry, options, images ? SBL_IMAGES : SBL_TABLES, SBL_STEP_FIT,
                                err));
    SBL_TRY(open_folder(w, err));
    w->memory.name = data->name;
    w->job.memory = &w->memory;
    w->job.model_path = w->model.data;
    w->job.options = &w->entry.options;
    SBL_TRY(images ? describe_images(w, data, schema, err) : describe_table(w, data, schema, err));
done:
    return status;
}

/* ---- what the job made ---- */

/* A text in place of the one there was, if there is such a file. */
static sbl_status read_text(char **text, const char *path, sbl_error *err)
{
    struct stat seen;
    uint8_t *bytes;
    size_t size;
    if (stat(path, &seen) != 0) return SBL_OK;
    const sbl_status status = sbl_file_read(&bytes, &size, path, SBL_CERTIFICATE_LIMIT, err);
    if (status != SBL_OK) return status; /* what there was stays: a ledger is not to be forgotten */
    sbl_free(*text);
    *text = (char *)bytes;
    return SBL_OK;
}

static sbl_status read_releases(sbl_synthesizer *synth, const char *release_path, size_t most,
                                sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_text path = {0};
    sbl_held *list = sbl_alloc_array(MOST_RELEASES, sizeof *list);
    size_t count = 0;
    if (list == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for releases");
    for (; count < most; count++) {
        struct stat seen;
        sbl_text_clear(&path);
        sbl_publish_release_path(&path, release_path, count + 1);
        if (path.failed) SBL_FAIL(err, SBL_EMEM, "out of memory for a file name");
        if (stat(path.data, &seen) != 0) break;
        SBL_TRY(
            sbl_file_read(&list[count].bytes, &list[count].size, path.data, SBL_MODEL_LIMIT, err));
    }
    synth->releases = list;
    synth->release_count = count;
    list = NULL;
done:
    for (size_t i = 0; list != NULL && i < count; i++) sbl_free(list[i].bytes);
    sbl_free(list);
    sbl_text_clear(&path);
    return status;
}

/* Beside files that were overwritten later ones of a longer run may still stand: the certificate says how many are
 * of this one. */
static sbl_status count_releases(size_t *count, const char *certificate, sbl_error *err)
{
    sbl_guarantee facts = {.struct_size = sizeof facts};
    const sbl_status status =
        sbl_certificate_read(&facts, NULL, certificate, strlen(certificate), err);
    if (status == SBL_OK && facts.releases < MOST_RELEASES) *count = (size_t)facts.releases;
    return status;
}

/* After a fit, whatever its outcome. What failed midway left releases only where they are ours to read: files
 * that the caller named may be those of another run. */
static sbl_status collect(sbl_synthesizer *synth, const work *w, bool complete, sbl_error *err)
{
    const sbl_synth_options *options = &w->entry.options;
    size_t most = MOST_RELEASES;
    sbl_status status = SBL_OK;
    /* The ledger first: no release is the handle's before its cost is. */
    if (options->ledger_path == NULL && w->own_release)
        SBL_TRY(read_text(&synth->ledger, w->ledger.data, err));
    if (complete || w->own_certificate)
        SBL_TRY(read_text(&synth->certificate, options->certificate_path, err));
    if (!w->own_release && complete) SBL_TRY(count_releases(&most, synth->certificate, err));
    if (complete || w->own_release) SBL_TRY(read_releases(synth, options->release_path, most, err));
    if (complete)
        SBL_TRY(sbl_file_read(&synth->model.bytes, &synth->model.size, w->model.data,
                              SBL_MODEL_LIMIT, err));
done:
    return status;
}

/* Run, and keep what there is; the reason of a failure is the job's. */
static sbl_status run_job(sbl_synthesizer *synth, const work *w,
                          sbl_status (*run)(char **, const sbl_job *, sbl_error *), sbl_error *err)
{
    sbl_error ignored;
    char *statement = NULL;
    sbl_status status = run(&statement, &w->job, err);
    const sbl_status kept = collect(synth, w, status == SBL_OK, status == SBL_OK ? err : &ignored);
    if (status == SBL_OK) status = kept;
    if (status == SBL_OK) {
        synth->statement = statement;
        statement = NULL;
    }
    sbl_free(statement);
    return status;
}

/* Where this run is charged, as the account of the handle asks for it. */
static sbl_charged_place place_of(const work *w)
{
    const sbl_synth_options *options = &w->entry.options;
    return (sbl_charged_place){.chosen = options->ledger_path != NULL,
                               .release_path = w->own_release ? NULL : options->release_path,
                               .ledger_path = w->ledger.data};
}

sbl_status sbl_synthesizer_fit(sbl_synthesizer *synth, sbl_data *data, const sbl_schema *schema,
                               const sbl_synth_options *options, sbl_error *err)
{
    work w = {.spill = SBL_NO_SPILL};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_NEED(data);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_CHANGES, err));
    sbl_synthesizer_clear(synth);
    SBL_TRY(begin_work(&w, data, schema, options, err));
    sbl_charged_place place = place_of(&w);
    SBL_TRY(sbl_account_begin(synth, &place, err));
    status = run_job(synth, &w, sbl_job_run, err);
    const sbl_status kept = sbl_account_end(synth, &place, status == SBL_OK ? err : NULL);
    if (status == SBL_OK) status = kept;
done:
    if (status != SBL_OK) {
        if (data != NULL) sbl_error_rename(err, w.spill.path, data->name);
        sbl_scratch_hide(&w.scratch, err);
    }
    finish_work(&w);
    sbl_use_end(used);
    return status;
}

/* ---- going on ---- */

/* The releases of the handle as files, and its ledger: as the call that made them left them. */
static sbl_status write_held(const sbl_synthesizer *synth, const work *w, sbl_error *err)
{
    const sbl_file_write_options as_own = {.mode = 0600};
    sbl_status status = SBL_OK;
    sbl_text path = {0};
    for (size_t i = 0; i < synth->release_count; i++) {
        sbl_text_clear(&path);
        sbl_publish_release_path(&path, w->release.data, i + 1);
        if (path.failed) SBL_FAIL(err, SBL_EMEM, "out of memory for a file name");
        SBL_TRY(sbl_file_write(path.data, synth->releases[i].bytes, synth->releases[i].size, as_own,
                               err));
    }
    SBL_TRY(sbl_account_write(synth, w->ledger.data, err));
    if (synth->certificate != NULL)
        SBL_TRY(sbl_file_write(w->certificate.data, synth->certificate, strlen(synth->certificate),
                               as_own, err));
done:
    sbl_text_clear(&path);
    return status;
}

static sbl_status need_release(const sbl_synthesizer *synth, sbl_error *err)
{
    return synth->release_count > 0
               ? SBL_OK
               : sbl_fail(err, SBL_EARG, "the handle holds no release to go on from");
}

/* What a fit made takes the place of what there was. */
static void take_held(sbl_synthesizer *synth, sbl_synthesizer *made)
{
    sbl_synthesizer_clear(synth);
    synth->model = made->model;
    synth->releases = made->releases;
    synth->release_count = made->release_count;
    synth->certificate = made->certificate;
    synth->statement = made->statement;
    *made = (sbl_synthesizer){0};
}

sbl_status sbl_synthesizer_resume(sbl_synthesizer *synth, sbl_data *data, const sbl_schema *schema,
                                  const sbl_synth_options *options, sbl_error *err)
{
    work w = {.spill = SBL_NO_SPILL};
    sbl_synthesizer next = {0};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_NEED(data);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_CHANGES, err));
    SBL_TRY(begin_work(&w, data, schema, options, err));
    if (w.own_release) {
        SBL_TRY(need_release(synth, err));
        SBL_TRY(write_held(synth, &w, err));
    }
    sbl_charged_place place = place_of(&w);
    place.before = sbl_account_length(&place);
    status = run_job(&next, &w, sbl_job_resume, err);
    const sbl_status kept = sbl_account_end(synth, &place, status == SBL_OK ? err : NULL);
    if (status == SBL_OK) status = kept;
    if (next.ledger != NULL) { /* charged or not, it is the later one */
        sbl_free(synth->ledger);
        synth->ledger = next.ledger;
    }
    if (next.release_count >= synth->release_count) take_held(synth, &next);
done:
    sbl_synthesizer_clear(&next);
    if (status != SBL_OK) {
        if (data != NULL) sbl_error_rename(err, w.spill.path, data->name);
        sbl_scratch_hide(&w.scratch, err);
    }
    finish_work(&w);
    sbl_use_end(used);
    return status;
}

sbl_status sbl_synthesizer_train(sbl_synthesizer *synth, const sbl_synth_options *options,
                                 sbl_error *err)
{
    work w = {.spill = SBL_NO_SPILL};
    sbl_held model = {0};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_CHANGES, err));
    SBL_TRY(sbl_entry_begin(&w.entry, options, SBL_STEP_TRAIN, err));
    SBL_TRY(need_release(synth, err));
    w.entry.options.release_path = NULL;
    w.entry.options.certificate_path = NULL;
    SBL_TRY(open_folder(&w, err));
    SBL_TRY(write_held(synth, &w, err));
    if (synth->certificate == NULL) w.entry.options.certificate_path = NULL;
    SBL_TRY(sbl_train_from(w.release.data, w.model.data, &w.entry.options, err));
    SBL_TRY(sbl_file_read(&model.bytes, &model.size, w.model.data, SBL_MODEL_LIMIT, err));
    sbl_synthesizer_clear_model(synth);
    synth->model = model;
done:
    if (status != SBL_OK) sbl_scratch_hide(&w.scratch, err);
    finish_work(&w);
    sbl_use_end(used);
    return status;
}

/* ---- plans ---- */

sbl_status sbl_synthesizer_plan(char **text, const sbl_schema *schema, sbl_data *images, uint64_t n,
                                bool json, const sbl_synth_options *options, sbl_error *err)
{
    work w = {.spill = SBL_NO_SPILL};
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    if ((schema == NULL) == (images == NULL))
        SBL_FAIL(err, SBL_EARG, "a plan needs a schema or images, one of them");
    if (images != NULL)
        SBL_TRY(sbl_use_begin(&w.data, &images->mark, SBL_USE_READS, images->name, err));
    if (images != NULL && images->form != SBL_FORM_PIXELS)
        SBL_FAIL(err, SBL_EARG, "%s holds no images: a table is planned by its schema",
                 images->name);
    SBL_TRY(sbl_entry_begin_fit(&w.entry, options, images != NULL ? SBL_IMAGES : SBL_TABLES,
                                SBL_STEP_PLAN, err));
    SBL_TRY(open_folder(&w, err));
    w.job.options = &w.entry.options;
    w.job.memory = &w.memory;
    w.memory.name = images != NULL ? images->name : "the table";
    if (images != NULL) {
        SBL_TRY(describe_images(&w, images, NULL, err));
    } else {
        w.job.data = SBL_DATA_TABLE;
        SBL_TRY(write_schema(&w, schema, err));
        w.job.schema_path = w.schema.data;
    }
    SBL_TRY(sbl_job_plan(text, &w.job, n, json, err));
done:
    if (status != SBL_OK) sbl_scratch_hide(&w.scratch, err);
    finish_work(&w);
    return status;
}
