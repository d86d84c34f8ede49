/* SPDX-License-Identifier: Apache-2.0 */
/* What can be done again at no cost, from files: a model from releases, records from a model. */
#include <string.h>

#include "base/alloc.h"
#include "door/certificate/certificate_document.h"
#include "run/methods/method_options.h"
#include "run/methods/network_method.h"
#include "run/pipeline/draw.h"
#include "run/pipeline/job.h"
#include "run/pipeline/job_run.h"
#include "run/pipeline/publish.h"
#include "run/pipeline/release_check.h"
#include "run/pipeline/rounds.h"
#include "semblance/files.h"

#define CERTIFICATE_LIMIT ((size_t)64 << 20)

/* ---- releases ---- */

/* Takes the release, also on failure. */
static sbl_status append(sbl_release ***releases, size_t *count, sbl_release *release, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_RESIZE(*releases, *count + 1, "a release");
    (*releases)[(*count)++] = release;
    release = NULL;
done:
    sbl_release_free(release);
    return status;
}

/* Later ones are of the same ledger and follow in it; another file of that name is not taken. */
static bool follows(const sbl_release *release, const sbl_release *before)
{
    return strcmp(release->ledger, before->ledger) == 0 && release->seq > before->seq;
}

sbl_status sbl_releases_load(sbl_release ***releases, size_t *count, sbl_store_entry first, sbl_error *err)
{
    sbl_text name = {0};
    sbl_release *release = NULL;
    sbl_store_entry item;
    sbl_status status = SBL_OK;
    *releases = NULL;
    *count = 0;
    SBL_TRY(sbl_release_load(&release, first, err));
    SBL_TRY(append(releases, count, release, err));
    while (*count < SBL_MOST_ROUNDS) {
        SBL_TRY(sbl_publish_item(&item, &name, first, *count + 1, err));
        if (sbl_release_load(&release, item, NULL) != SBL_OK) break;
        if (!follows(release, (*releases)[*count - 1])) {
            sbl_release_free(release);
            break;
        }
        SBL_TRY(append(releases, count, release, err));
    }
done:
    sbl_text_clear(&name);
    return status;
}

/* ---- train ---- */

/* Is the certificate that of this very release, byte for byte? */
static sbl_status check_listed(const char *text, size_t size, sbl_store_entry release, const char *where,
                               sbl_error *err)
{
    sbl_release *loaded = NULL;
    sbl_described described = {0};
    sbl_release_evidence evidence;
    sbl_status status = sbl_release_check_load(&loaded, &described, &evidence, release, err);
    if (status == SBL_OK) status = sbl_certificate_check_releases(text, size, &evidence, 1, where, err);
    sbl_described_clear(&described);
    sbl_release_free(loaded);
    return status;
}

/* A certificate goes into a model only when it holds and is that of these releases; and without the
 * files that were made of them, for the model is one of those. */
sbl_status sbl_releases_certificate(char **certificate, sbl_store_entry from, sbl_store_entry first,
                                    size_t count, sbl_error *err)
{
    uint8_t *bytes = NULL;
    size_t size;
    sbl_text name = {0};
    sbl_store_entry release;
    sbl_status status = SBL_OK;
    if (from.store == NULL) return SBL_OK;
    SBL_TRY(sbl_store_entry_read(&bytes, &size, from, CERTIFICATE_LIMIT, err));
    const char *text = (const char *)bytes;
    SBL_TRY(sbl_certificate_check(NULL, text, size, NULL, from.name, err));
    for (size_t round = 1; round <= count; round++) {
        SBL_TRY(sbl_publish_item(&release, &name, first, round, err));
        SBL_TRY(check_listed(text, size, release, from.name, err));
    }
    SBL_TRY(sbl_certificate_without_files(certificate, text, size, from.name, err));
done:
    sbl_text_clear(&name);
    sbl_free(bytes);
    return status;
}

sbl_status sbl_train_from(sbl_store_entry release, sbl_store_entry certificate, sbl_store_entry model,
                          const sbl_synth_options *options, sbl_error *err)
{
    sbl_text name = {0};
    sbl_store_entry checkpoint;
    sbl_release **releases = NULL;
    size_t count = 0;
    sbl_rounds rounds = {0};
    sbl_facts facts = {0};
    sbl_model *made = NULL;
    char *text = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_checkpoint_name(&checkpoint, &name, options, release, err));
    const sbl_named_file paths[] = {{"the release", sbl_store_entry_path(release), false},
                                    {"the certificate", sbl_store_entry_path(certificate), false},
                                    {"the model", sbl_store_entry_path(model), true},
                                    {"the checkpoint", sbl_store_entry_path(checkpoint), true}};
    SBL_TRY(sbl_files_check(paths, sizeof paths / sizeof paths[0], err));
    SBL_TRY(sbl_store_entry_check(model, options->overwrite, err));
    SBL_TRY(sbl_releases_load(&releases, &count, release, err));
    SBL_TRY(sbl_releases_certificate(&text, certificate, release, count, err));
    SBL_TRY(sbl_rounds_of_releases(&rounds, &facts, releases, count, options, release.name, err));
    SBL_TRY(sbl_options_check_method(options, rounds.method->name,
                                     facts.kind == SBL_DATA_IMAGES ? SBL_IMAGES : SBL_TABLES, SBL_STEP_TRAIN,
                                     err));
    SBL_TRY(sbl_rounds_are_all(&rounds, release.name, err));
    SBL_TRY(sbl_rounds_fit(&made, &rounds, options, checkpoint, err));
    SBL_TRY(sbl_model_set_certificate(made, text, err));
    SBL_TRY(sbl_model_save(made, model, options->overwrite, err));
    sbl_generate_forget(checkpoint);
done:
    sbl_text_clear(&name);
    for (size_t i = 0; releases != NULL && i < count; i++) sbl_release_free(releases[i]);
    sbl_free(releases);
    sbl_free(text);
    sbl_model_free(made);
    sbl_rounds_clear(&rounds);
    sbl_facts_clear(&facts);
    return status;
}

/* ---- sample ---- */

/* Where records go: a table's to output, images to folder. */
typedef struct sample_place {
    const char *output;             /* NULL: images */
    const char *engine;             /* of it, where it is Parquet */
    const sbl_image_folder *folder; /* NULL: a table, or linked ones */
    sbl_image_files images;
    sbl_package_files package;
} sample_place;

/* The output must be none of the files that are read. */
static sbl_status check_output(const sample_place *to, const char *model_path, const sbl_facts *facts,
                               sbl_error *err)
{
    const bool linked = facts->table_facts != NULL;
    const sbl_package_files *package = &to->package;
    sbl_named_file *paths = NULL;
    size_t count = 0;
    sbl_status status = SBL_OK;
    SBL_ALLOC(paths, package->count + 5, "file names");
    paths[count++] = (sbl_named_file){"the model", model_path, false};
    paths[count++] = (sbl_named_file){"the output", linked ? NULL : to->output, true};
    paths[count++] = (sbl_named_file){"the images", to->images.images.data, true};
    paths[count++] = (sbl_named_file){"the labels", to->images.labels.data, true};
    paths[count++] = (sbl_named_file){"the preview", to->folder != NULL ? to->folder->preview : NULL, true};
    for (size_t i = 0; i < package->count; i++)
        paths[count++] = (sbl_named_file){"the output", package->paths[i].data, true};
    SBL_TRY(sbl_files_check(paths, count, err));
    if (to->output != NULL && !linked)
        SBL_TRY(sbl_sink_check_table(to->output, to->engine, facts->declared, err));
done:
    sbl_free(paths);
    return status;
}

/* What the model draws must have a place. */
static sbl_status find_place(sample_place *to, sbl_store_entry from, const sbl_facts *facts, sbl_error *err)
{
    const bool images = facts->kind == SBL_DATA_IMAGES, linked = facts->table_facts != NULL;
    const sbl_package_folder package = {.folder = to->output};
    if (images ? to->folder == NULL : to->output == NULL)
        return sbl_fail(err, SBL_EARG, "%s is a model of %s, which must be named", from.name,
                        images ? "images: they are written to a folder" : "a table: it is written to a file");
    if (linked && strcmp(to->output, "-") == 0)
        return sbl_fail(err, SBL_EARG,
                        "%s is a model of linked tables: they are written to a folder, which must be named",
                        from.name);
    if (images)
        to->output = NULL;
    else
        to->folder = NULL;
    if (images || linked) SBL_CHECK(sbl_sink_check_folder(images ? to->folder->folder : to->output, err));
    if (images) SBL_CHECK(sbl_image_files_name(&to->images, to->folder, facts, err));
    if (linked) SBL_CHECK(sbl_package_files_name(&to->package, &package, facts, err));
    return check_output(to, sbl_store_entry_path(from), facts, err);
}

static sbl_status open_sink(sbl_sink **sink, const sample_place *to, const sbl_model *model,
                            const sbl_amount *amount, bool overwrite, sbl_error *err)
{
    const sbl_facts *facts = sbl_model_output(model);
    const sbl_package_folder package = {.folder = to->output};
    if (facts->table_facts != NULL) return sbl_sink_open_package(sink, &package, facts, overwrite, err);
    return to->output != NULL ? sbl_sink_open_table(sink, to->output, to->engine, facts, overwrite, err)
                              : sbl_sink_open_images(sink, to->folder, sbl_draw_rows(model, amount->rows),
                                                     facts, overwrite, err);
}

sbl_status sbl_sample_from(sbl_store_entry from, const char *output, const char *engine,
                           const sbl_image_folder *folder, const sbl_amount *amount, const char *where,
                           const sbl_synth_options *options, sbl_error *err)
{
    sbl_model *model = NULL;
    sbl_sink *sink = NULL;
    sample_place to = {.output = output, .engine = engine, .folder = folder};
    sbl_conditions conditions = {.wanted = SBL_ANY_CLASS};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_model_load(&model, from, sbl_model_kinds, err));
    const sbl_facts *facts = sbl_model_output(model);
    SBL_TRY(sbl_amount_check(amount, model->kind->whole_units, facts->table_facts != NULL, err));
    SBL_TRY(sbl_conditions_read(&conditions, where, model, err));
    SBL_TRY(find_place(&to, from, facts, err));
    SBL_TRY(open_sink(&sink, &to, model, amount, options->overwrite, err));
    SBL_TRY(sbl_draw(sink, model, amount, &conditions, options, err));
done:
    sbl_sink_close(sink);
    sbl_model_free(model);
    sbl_conditions_clear(&conditions);
    sbl_image_files_clear(&to.images);
    sbl_package_files_clear(&to.package);
    return status;
}
