/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a run: what they are named, whether any two of them collide, and whether they could be written; all
 * of it before a record is read. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "public/options/option_defaults.h"
#include "public/options/option_values.h"
#include "run/pipeline/job_run.h"
#include "run/pipeline/ledger_place.h"
#include "semblance/files.h"

/* What a run keeps is named after what it makes; in a store of its own by what it is. */
typedef struct naming {
    const sbl_store *store;
    const char *stem;
    int length;
} naming;

/* As the options name it, a file; else STEM and ending. */
static sbl_status name_item(sbl_store_entry *item, sbl_text *name, const char *given, const naming *by,
                            const char *ending, sbl_error *err)
{
    if (given != NULL)
        sbl_text_printf(name, "%s", given);
    else
        sbl_text_printf(name, "%.*s%s", by->length, by->stem, by->length == 0 ? ending + 1 : ending);
    *item = (sbl_store_entry){given != NULL ? sbl_file_item(given).store : by->store, name->data};
    return sbl_text_check(name, "a file name", err);
}

static sbl_status find_naming(naming *by, const sbl_run *r, sbl_error *err)
{
    const sbl_job *job = r->job;
    const char *name = job->kind == SBL_DATA_IMAGES ? job->folder.folder : job->output;
    *by = (naming){job->store, "", 0};
    if (job->store != NULL) return SBL_OK;
    if (name == NULL) name = job->answers;
    if (name == NULL) name = job->model.name;
    if (name == NULL) name = job->discovered.name;
    if (job->model.store != NULL && strcmp(job->model.name, "-") == 0)
        return sbl_fail(err, SBL_EARG, "a model must be written to a file, not to -");
    if (strcmp(name, "-") == 0 && (r->options->release_path == NULL || r->options->certificate_path == NULL))
        return sbl_fail_hint(
            err, SBL_EARG, SBL_HINT_FILES, NULL,
            "if the table goes to standard output, name the files for the release and the certificate");
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/') length--;
    *by = (naming){sbl_file_item(name).store, name, (int)length};
    return SBL_OK;
}

sbl_status sbl_run_name_files(sbl_run *r, sbl_error *err)
{
    const sbl_job *job = r->job;
    const sbl_synth_options *options = r->options;
    naming by;
    if (job->kind == SBL_DATA_IMAGES && sbl_run_draws(job))
        SBL_CHECK(sbl_image_files_name(&r->images, &job->folder, &r->facts, err));
    if (r->facts.table_facts != NULL && sbl_run_draws(job) && job->replicates == 0) {
        const sbl_package_folder target = {
            .folder = job->output, .package = job->schema_path, .outside = sbl_data_tell(job->data).outside};
        SBL_CHECK(sbl_package_files_name(&r->package, &target, &r->facts, err));
    }
    SBL_CHECK(find_naming(&by, r, err));
    SBL_CHECK(name_item(&r->release, &r->names[0], options->release_path, &by, SBL_ENDING_RELEASE, err));
    SBL_CHECK(name_item(&r->certificate, &r->names[1], options->certificate_path, &by, SBL_ENDING_CERTIFICATE,
                        err));
    r->schema = job->discovered;
    if (r->schema.store != NULL) return SBL_OK;
    SBL_CHECK(sbl_checkpoint_name(&r->checkpoint, &r->names[2], options, r->release, err));
    /* Standard output has no name, the release has. */
    if (strcmp(by.stem, "-") == 0) by = (naming){by.store, r->release.name, (int)strlen(r->release.name)};
    if (sbl_run_discovers(job))
        SBL_CHECK(name_item(&r->schema, &r->names[3], NULL, &by, SBL_ENDING_SCHEMA, err));
    return SBL_OK;
}

/* The files of linked tables; the list has room for them. */
static size_t list_tables(sbl_named_file *files, const sbl_run *r)
{
    const sbl_package_files *package = &r->package;
    size_t count = 0;
    if (r->facts.table_facts == NULL) return 0;
    for (size_t t = 0; t < r->facts.declared->table_count; t++)
        files[count++] = (sbl_named_file){"a table", sbl_data_table_path(r->job->data, t), false};
    for (size_t i = 0; package->tables + i + 1 < package->count; i++)
        files[count++] = (sbl_named_file){"a public table", package->originals[i].data, false};
    for (size_t i = 0; i < package->count; i++)
        files[count++] = (sbl_named_file){"the output", package->paths[i].data, true};
    return count;
}

/* What is written must be none of what is read. book: the ledger. */
static sbl_status check_names(const sbl_run *r, const sbl_ledger_choice *book, sbl_error *err)
{
    const sbl_job *job = r->job;
    const bool table = job->kind == SBL_DATA_TABLE;
    const bool linked = r->facts.table_facts != NULL;
    const bool in_folder = job->replicates != 0 && !sbl_replicates_in_one(job->output);
    const sbl_named_file paths[] = {
        {table ? "the input" : "the images", sbl_run_input(job), false},
        {"the labels", sbl_data_tell(job->data).labels, false},
        {"the schema", job->schema_path, false},
        {"the encoder", sbl_setting_given(r->options, SBL_SETTING_ENCODER), false},
        {"the ledger", sbl_store_entry_path(sbl_ledger_chosen(book)), false},
        {"the release", sbl_store_entry_path(r->release), true},
        {"the certificate", sbl_store_entry_path(r->certificate), true},
        {"the discovered schema", sbl_store_entry_path(r->schema), true},
        {"the checkpoint", sbl_store_entry_path(r->checkpoint), true},
        {"the model", sbl_store_entry_path(job->model), true},
        {"the output", table && !linked && !in_folder ? job->output : NULL, true},
        {"the synthetic images", r->images.images.data, true},
        {"the synthetic labels", r->images.labels.data, true},
        {"the answers", job->answers, true},
        {"the preview", table ? NULL : job->folder.preview, true},
    };
    const size_t count = sizeof paths / sizeof paths[0];
    const size_t most = linked ? r->facts.declared->table_count + 2 * r->package.count : 0;
    sbl_named_file *all = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(all, count + most, "file names");
    memcpy(all, paths, sizeof paths);
    status = sbl_files_check(all, count + list_tables(all + count, r), err);
done:
    sbl_free(all);
    return status;
}

/* Can the records be written where they are to go? */
static sbl_status check_output(const sbl_run *r, sbl_error *err)
{
    const sbl_job *job = r->job;
    const bool overwrite = r->options->overwrite;
    if (job->replicates != 0) {
        const sbl_replicate_files wanted = sbl_run_replicates(job);
        return sbl_replicates_check_files(&wanted, &r->facts, overwrite, err);
    }
    if (!sbl_run_draws(job)) return SBL_OK;
    if (job->kind == SBL_DATA_IMAGES || r->facts.table_facts != NULL)
        SBL_CHECK(
            sbl_sink_check_folder(job->kind == SBL_DATA_IMAGES ? job->folder.folder : job->output, err));
    if (job->kind == SBL_DATA_IMAGES)
        return sbl_image_files_check(&r->images, &job->folder, &r->facts, job->amount.rows, overwrite, err);
    if (r->facts.table_facts != NULL) return sbl_package_files_check(&r->package, overwrite, err);
    SBL_CHECK(sbl_sink_check_table(job->output, job->engine, r->facts.declared, err));
    if (strcmp(job->output, "-") != 0) SBL_CHECK(sbl_file_check_target(job->output, overwrite, err));
    return SBL_OK;
}

sbl_status sbl_run_check_files(const sbl_run *r, sbl_error *err)
{
    const sbl_job *job = r->job;
    const sbl_data_places places = sbl_run_places(r);
    sbl_ledger_choice book;
    sbl_status status =
        sbl_ledger_choose(&book, sbl_file_item(r->options->ledger_path), &places, r->release, err);
    if (status != SBL_OK) goto done;
    SBL_TRY(check_names(r, &book, err));
    if (job->model.store != NULL) SBL_TRY(sbl_store_entry_check(job->model, r->options->overwrite, err));
    if (r->schema.store != NULL && (r->known_count == 0 || job->discovered.store != NULL))
        SBL_TRY(sbl_store_entry_check(r->schema, r->options->overwrite, err));
    if (job->answers != NULL && strcmp(job->answers, "-") != 0)
        SBL_TRY(sbl_file_check_target(job->answers, r->options->overwrite, err));
    SBL_TRY(check_output(r, err));
done:
    sbl_text_clear(&book.path);
    return status;
}

sbl_status sbl_checkpoint_name(sbl_store_entry *checkpoint, sbl_text *name, const sbl_synth_options *options,
                               sbl_store_entry release, sbl_error *err)
{
    const sbl_store_entry given = sbl_file_item(options->checkpoint);
    if (given.store != NULL)
        sbl_text_printf(name, "%s", given.name);
    else
        sbl_text_printf(name, "%s" SBL_ENDING_CHECKPOINT, release.name);
    *checkpoint = (sbl_store_entry){given.store != NULL ? given.store : release.store, name->data};
    return sbl_text_check(name, "a file name", err);
}
