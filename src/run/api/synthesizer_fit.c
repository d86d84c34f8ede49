/* SPDX-License-Identifier: Apache-2.0 */
/* Fits of records in memory: the job of every fit, whose store is the handle's own. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "public/schema/schema_type.h"
#include "records/source/data_handle.h"
#include "run/api/api_call.h"
#include "run/api/synthesizer_handle.h"
#include "run/methods/ask.h"
#include "run/pipeline/job.h"
#include "run/pipeline/publish.h"
#include "run/pipeline/replicates.h"
#include "semblance/certificate.h"

/* A call at work. */
typedef struct work {
    sbl_api_call entry;
    sbl_job job;
    sbl_mark *data; /* whose records are read */
} work;

static void finish_work(work *w)
{
    sbl_api_call_end(&w->entry);
    sbl_use_end(w->data);
}

/* ---- the job ---- */

static sbl_status describe_images(const sbl_data *data, const sbl_schema *schema, sbl_error *err)
{
    if (schema != NULL)
        return sbl_fail(err, SBL_EARG, "images have no schema: fit %s without one", data->name);
    return SBL_OK;
}

/* A schema that is discovered takes several looks at the table. */
static sbl_status describe_table(work *w, sbl_data *data, const sbl_schema *schema, sbl_error *err)
{
    w->job.schema = schema;
    if (schema == NULL) SBL_CHECK(sbl_data_keep(data, err));
    return SBL_OK;
}

/* Into files. */
static sbl_status describe_output(work *w, const sbl_synthesizer *synth, sbl_error *err)
{
    const sbl_output *output = &synth->output;
    if (output->records == NULL && output->model == NULL)
        return sbl_fail(err, SBL_EARG, "a fit into files needs a file for the records or for the model");
    if (w->job.kind == SBL_DATA_IMAGES)
        w->job.folder = (sbl_image_folder){
            .folder = output->records, .png = output->format == SBL_IMAGES_PNG, .preview = output->preview};
    else if (sbl_options_ask_questions(&w->entry.options))
        w->job.answers = output->records;
    else
        w->job.output = output->records;
    w->job.engine = output->duckdb;
    w->job.store = NULL;
    w->job.model = sbl_file_item(output->model);
    if (w->job.kind == SBL_DATA_TABLE &&
        w->entry.options.release_path != NULL) /* the handle keeps what a report needs */
        w->job.fitted = sbl_synthesizer_in(synth, SBL_KEPT_FITTED);
    w->job.amount = (sbl_amount){.rows = output->rows, .persons = output->persons};
    w->job.replicates = output->replicates;
    w->job.schema_path = output->schema;
    if (output->replicates == 0) return SBL_OK;
    SBL_CHECK(sbl_replicates_check(output->replicates, err));
    if (w->job.kind == SBL_DATA_IMAGES)
        return sbl_fail(err, SBL_EARG, "replicates are made for tables only, not for images");
    if (output->records == NULL)
        return sbl_fail(err, SBL_EARG, "replicates are written to a folder, which must be named");
    return SBL_OK;
}

/* Everything but the records of the job. */
static sbl_status begin_work(work *w, const sbl_synthesizer *synth, sbl_data *data, const sbl_schema *schema,
                             const sbl_synth_options *options, bool resume, sbl_error *err)
{
    const bool images = data->kind == SBL_DATA_IMAGES;
    const bool draws = synth->writes && (resume || synth->output.records != NULL);
    SBL_CHECK(sbl_data_use(&w->data, data, err));
    SBL_CHECK(sbl_api_call_begin_fit(&w->entry, options, images ? SBL_IMAGES : SBL_TABLES,
                                     draws ? SBL_STEP_FIT | SBL_STEP_SAMPLE : SBL_STEP_FIT, err));
    w->job.kind = data->kind;
    w->job.data = data;
    w->job.store = synth->store;
    w->job.model = sbl_synthesizer_in(synth, SBL_KEPT_MODEL);
    w->job.options = &w->entry.options;
    if (synth->writes) SBL_CHECK(describe_output(w, synth, err));
    return images ? describe_images(data, schema, err) : describe_table(w, data, schema, err);
}

/* ---- what the job made ---- */

static sbl_status copy_item(sbl_store_entry to, sbl_store_entry from, sbl_error *err)
{
    const sbl_file_write_options as_own = {.mode = 0600, .overwrite = true};
    uint8_t *bytes = NULL;
    size_t size;
    sbl_status status = sbl_store_entry_read(&bytes, &size, from, SBL_MODEL_LIMIT, err);
    if (status == SBL_OK) status = sbl_store_entry_write(to, bytes, size, as_own, err);
    sbl_free(bytes);
    return status;
}

/* Beside files that were overwritten later ones of a longer run may still stand: the certificate says how many are
 * of this one. */
static sbl_status copy_releases(const sbl_synthesizer *synth, const char *release_path, sbl_error *err)
{
    sbl_guarantee facts = {.struct_size = sizeof facts};
    sbl_text from_name = {0}, to_name = {0};
    sbl_store_entry from, to;
    sbl_status status = SBL_OK;
    const char *certificate = sbl_synthesizer_kept(synth, SBL_KEPT_CERTIFICATE);
    SBL_TRY(sbl_certificate_read(&facts, NULL, certificate, strlen(certificate), err));
    for (size_t round = 1; round <= facts.releases; round++) {
        SBL_TRY(sbl_publish_item(&from, &from_name, sbl_file_item(release_path), round, err));
        SBL_TRY(sbl_publish_item(&to, &to_name, sbl_synthesizer_in(synth, SBL_KEPT_RELEASE), round, err));
        SBL_TRY(copy_item(to, from, err));
    }
done:
    sbl_text_clear(&from_name);
    sbl_text_clear(&to_name);
    return status;
}

/* After a fit that succeeded: what it wrote into files that the caller named is the handle's, too. */
static sbl_status collect(const sbl_synthesizer *synth, const sbl_synth_options *options, sbl_error *err)
{
    if (options->certificate_path != NULL)
        SBL_CHECK(copy_item(sbl_synthesizer_in(synth, SBL_KEPT_CERTIFICATE),
                            sbl_file_item(options->certificate_path), err));
    if (options->release_path != NULL && sbl_synthesizer_kept(synth, SBL_KEPT_CERTIFICATE) != NULL)
        SBL_CHECK(copy_releases(synth, options->release_path, err));
    if (synth->writes && synth->output.model != NULL)
        SBL_CHECK(
            copy_item(sbl_synthesizer_in(synth, SBL_KEPT_MODEL), sbl_file_item(synth->output.model), err));
    return SBL_OK;
}

/* Where this run is charged, as the account of the handle asks for it. Records in a file have a ledger of their
 * own, and files that are written one beside them. */
static sbl_charged_place place_of(const sbl_synthesizer *synth, const work *w)
{
    const sbl_synth_options *options = &w->entry.options;
    sbl_charged_place place = {
        .chosen = options->ledger_path != NULL || synth->writes || w->job.data->path != NULL,
        .release_path = options->release_path};
    place.before = sbl_account_length(&place);
    return place;
}

/* Run, and keep what there is; the reason of a failure is the job's. */
static sbl_status run_job(sbl_synthesizer *synth, const work *w, const sbl_charged_place *place,
                          sbl_status (*run)(sbl_statement *, const sbl_job *, sbl_error *), sbl_error *err)
{
    sbl_status status = run(&synth->statement, &w->job, err);
    const sbl_status kept = sbl_account_end(synth, place, status == SBL_OK ? err : NULL);
    if (status == SBL_OK) status = kept;
    if (status == SBL_OK) status = collect(synth, &w->entry.options, err);
    return status;
}

sbl_status sbl_synthesizer_fit(sbl_synthesizer *synth, sbl_data *data, const sbl_schema *schema,
                               const sbl_synth_options *options, sbl_error *err)
{
    work w = {0};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_NEED(data);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_CHANGES, err));
    sbl_synthesizer_clear(synth);
    SBL_TRY(begin_work(&w, synth, data, schema, options, false, err));
    const sbl_charged_place place = place_of(synth, &w);
    SBL_TRY(sbl_handle_ledger_begin(synth, &place, err));
    SBL_TRY(run_job(synth, &w, &place, sbl_job_run, err));
done:
    finish_work(&w);
    sbl_use_end(used);
    return status;
}

/* ---- going on ---- */

static sbl_status need_release(const sbl_synthesizer *synth, sbl_error *err)
{
    return sbl_store_entry_exists(sbl_synthesizer_in(synth, SBL_KEPT_RELEASE))
               ? SBL_OK
               : sbl_fail(err, SBL_EARG, "the handle has no release to continue from: fit first");
}

sbl_status sbl_synthesizer_resume(sbl_synthesizer *synth, sbl_data *data, const sbl_schema *schema,
                                  const sbl_synth_options *options, sbl_error *err)
{
    work w = {0};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_NEED(data);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_CHANGES, err));
    SBL_TRY(begin_work(&w, synth, data, schema, options, true, err));
    if (!synth->writes && w.entry.options.release_path == NULL) SBL_TRY(need_release(synth, err));
    sbl_synthesizer_clear_model(synth);
    const sbl_charged_place place = place_of(synth, &w);
    SBL_TRY(run_job(synth, &w, &place, sbl_job_resume, err));
done:
    finish_work(&w);
    sbl_use_end(used);
    return status;
}

sbl_status sbl_synthesizer_train(sbl_synthesizer *synth, const sbl_synth_options *options, sbl_error *err)
{
    sbl_api_call entry = {0};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_CHANGES, err));
    SBL_TRY(sbl_api_call_begin(&entry, options, SBL_STEP_TRAIN, err));
    sbl_synth_options *by = &entry.options;
    const sbl_store_entry release = sbl_synthesizer_in(synth, SBL_KEPT_RELEASE);
    const bool files = by->release_path != NULL && !sbl_store_entry_exists(release);
    const sbl_store_entry own = sbl_synthesizer_in(synth, SBL_KEPT_MODEL);
    const sbl_store_entry kept = sbl_synthesizer_in(synth, SBL_KEPT_CERTIFICATE);
    const sbl_store_entry model = synth->writes ? sbl_file_item(synth->output.model) : own;
    if (!files) SBL_TRY(need_release(synth, err));
    if (synth->writes && synth->output.model == NULL)
        SBL_FAIL(err, SBL_EARG, "training into files needs a file for the model");
    if (!synth->writes) by->overwrite = true; /* of the model that there is */
    SBL_TRY(sbl_train_from(files ? sbl_file_item(by->release_path) : release,
                           files                          ? sbl_file_item(by->certificate_path)
                           : sbl_store_entry_exists(kept) ? kept
                                                          : (sbl_store_entry){0},
                           model, by, err));
    if (synth->writes) SBL_TRY(copy_item(own, model, err));
    sbl_synthesizer_forget(synth);
done:
    sbl_api_call_end(&entry);
    sbl_use_end(used);
    return status;
}

/* ---- plans ---- */

sbl_status sbl_synthesizer_plan(char **text, const sbl_schema *schema, sbl_data *data, uint64_t n, bool json,
                                const sbl_synth_options *options, sbl_error *err)
{
    work w = {0};
    const bool images = data != NULL && data->kind == SBL_DATA_IMAGES;
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    if (data != NULL) SBL_TRY(sbl_data_use(&w.data, data, err));
    if (schema == NULL && data != NULL && !images)
        SBL_FAIL(err, SBL_EARG, "%s holds a table, which is planned from its schema: give the schema instead",
                 data->name);
    if ((schema == NULL) != images) SBL_FAIL(err, SBL_EARG, "a plan needs either a schema or images");
    SBL_TRY(sbl_api_call_begin_fit(&w.entry, options, images ? SBL_IMAGES : SBL_TABLES, SBL_STEP_PLAN, err));
    w.job.options = &w.entry.options;
    w.job.kind = images ? SBL_DATA_IMAGES : SBL_DATA_TABLE;
    w.job.data = data;
    w.job.schema = schema;
    SBL_TRY(sbl_job_plan(text, &w.job, n, json, err));
done:
    finish_work(&w);
    return status;
}
