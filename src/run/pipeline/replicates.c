/* SPDX-License-Identifier: Apache-2.0 */
/* [6] to [9] for each replicate: a draw from the posterior, records of it, a file or a part of one. */
#include "run/pipeline/replicates.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "after/sinks/output_folder.h"
#include "after/sinks/writer.h"
#include "base/alloc.h"
#include "base/file.h"
#include "run/pipeline/draw.h"
#include "run/pipeline/job.h"

/* ---- names ---- */

static bool ends_in(const char *path, const char *suffix)
{
    const size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

bool sbl_replicates_in_one(const char *path) { return ends_in(path, ".csv") || ends_in(path, ".csv.gz"); }

/* The table, or the folder of linked tables, of number i from 0. */
static sbl_status name_one(sbl_text *name, const sbl_replicate_files *wanted, uint64_t i, bool linked,
                           sbl_error *err)
{
    int digits = 2;
    for (uint64_t most = 100; most <= wanted->count; most *= 10) digits++;
    sbl_text_clear(name);
    sbl_text_printf(name, "%s%s%0*llu%s", wanted->path, ends_in(wanted->path, "/") ? "" : "/", digits,
                    (unsigned long long)i + 1, linked ? "" : ".csv");
    return sbl_text_check(name, "a file name", err);
}

static sbl_status add_path(sbl_strings *paths, const char *path, sbl_error *err)
{
    return sbl_strings_add(paths, path) ? SBL_OK : sbl_no_memory(err, "file names");
}

static sbl_status add_tables(sbl_strings *paths, const char *folder, const sbl_facts *facts, sbl_error *err)
{
    const sbl_package_folder target = {.folder = folder};
    sbl_package_files files = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_package_files_name(&files, &target, facts, err));
    for (size_t f = 0; f < files.count; f++) SBL_TRY(add_path(paths, files.paths[f].data, err));
done:
    sbl_package_files_clear(&files);
    return status;
}

sbl_status sbl_replicates_list(sbl_strings *paths, const sbl_replicate_files *wanted, const sbl_facts *facts,
                               sbl_error *err)
{
    const bool linked = facts->table_facts != NULL;
    const size_t each = linked ? facts->declared->table_count + 1 : 1; /* tables and their package */
    sbl_text name = {0};
    sbl_status status = SBL_OK;
    if (!sbl_strings_reserve(paths, (size_t)wanted->count * each)) SBL_TRY(sbl_no_memory(err, "file names"));
    if (sbl_replicates_in_one(wanted->path)) {
        SBL_TRY(add_path(paths, wanted->path, err));
        goto done;
    }
    for (uint64_t i = 0; i < wanted->count; i++) {
        SBL_TRY(name_one(&name, wanted, i, linked, err));
        SBL_TRY(linked ? add_tables(paths, name.data, facts, err) : add_path(paths, name.data, err));
    }
done:
    sbl_text_clear(&name);
    return status;
}

/* ---- can they be written? ---- */

static sbl_status check_one(const char *path, const sbl_facts *facts, bool overwrite, sbl_error *err)
{
    const sbl_schema *schema = facts->declared;
    struct stat seen;
    if (facts->table_facts != NULL)
        return sbl_fail(err, SBL_EARG, "%s: replicates of linked tables are written to a folder: name one",
                        path);
    for (size_t c = 0; schema != NULL && c < schema->column_count; c++)
        if (strcmp(schema->columns[c].name, SBL_REPLICATE_COLUMN) == 0)
            return sbl_fail(err, SBL_EARG,
                            "%s: the table has a column '" SBL_REPLICATE_COLUMN
                            "' of its own: name a folder for the replicates",
                            path);
    if (stat(path, &seen) == 0 && !S_ISREG(seen.st_mode))
        return sbl_fail(err, SBL_EARG, "%s is not a regular file: name another file, or a folder", path);
    return sbl_file_check_target(path, overwrite, err);
}

static sbl_status check_folder(const sbl_replicate_files *wanted, const sbl_facts *facts, bool overwrite,
                               sbl_error *err)
{
    struct stat seen;
    sbl_strings paths = {0};
    bool made = false;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_folder_make(&made, wanted->path, err));
    if (stat(wanted->path, &seen) != 0 || !S_ISDIR(seen.st_mode))
        SBL_FAIL(err, SBL_EARG, "%s is not a folder: name a folder, or a file that ends in .csv",
                 wanted->path);
    if (access(wanted->path, W_OK | X_OK) != 0) SBL_TRY(sbl_fail_errno(err, "write to", wanted->path, errno));
    SBL_TRY(sbl_replicates_list(&paths, wanted, facts, err));
    for (size_t i = 0; i < paths.count && !overwrite; i++)
        if (stat(paths.items[i], &seen) == 0)
            SBL_TRY(sbl_fail_hint(err, SBL_EIO, SBL_HINT_OVERWRITE, paths.items[i], "%s exists already",
                                  paths.items[i]));
done:
    if (made) (void)rmdir(wanted->path);
    sbl_strings_clear(&paths);
    return status;
}

sbl_status sbl_replicates_check_files(const sbl_replicate_files *wanted, const sbl_facts *facts,
                                      bool overwrite, sbl_error *err)
{
    const char *path = wanted->path;
    SBL_CHECK(sbl_replicates_check(wanted->count, err));
    if (path == NULL || strcmp(path, "-") == 0 || path[0] == '\0')
        return sbl_fail(err, SBL_EARG,
                        "replicates are written to a folder or a .csv file, which must be named");
    if (sbl_path_is_parquet_file(path))
        return sbl_fail(err, SBL_EARG,
                        "%s: replicates are written as CSV: name a folder, or a file that ends in .csv",
                        path);
    SBL_CHECK(sbl_table_check_name(path, err));
    return sbl_replicates_in_one(path) ? check_one(path, facts, overwrite, err)
                                       : check_folder(wanted, facts, overwrite, err);
}

/* ---- drawing ---- */

/* All replicates in one table. */
typedef struct stacked {
    sbl_table_writer *writer;
    const sbl_sink *sink; /* of the replicate that is being written */
    uint64_t number;      /* its number, from 1 */
    uint64_t before;      /* rows of those before it */
    uint64_t rows;        /* so far */
} stacked;

static sbl_status stack_rows(void *context, const sbl_batch *rows, uint64_t first, sbl_error *err)
{
    stacked *all = context;
    (void)first;
    all->rows += rows->rows;
    return sbl_table_write(all->writer, rows, err);
}

static void stack_cell(void *context, sbl_text *cell, size_t column, uint64_t row)
{
    const stacked *all = context;
    sbl_sink_synthetic_cell(all->sink, cell, column, row - all->before);
}

static sbl_status open_stacked(stacked *all, const char *path, const sbl_facts *facts, bool overwrite,
                               sbl_error *err)
{
    const sbl_table_write_options how = {.overwrite = overwrite,
                                         .make = stack_cell,
                                         .context = all,
                                         .lead = SBL_REPLICATE_COLUMN,
                                         .lead_value = &all->number};
    return sbl_table_create(&all->writer, path, facts->declared, how, err);
}

static sbl_status open_own(sbl_sink **sink, const sbl_replicate_files *wanted, uint64_t i,
                           const sbl_facts *facts, bool overwrite, sbl_error *err)
{
    const bool linked = facts->table_facts != NULL;
    sbl_text name = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(name_one(&name, wanted, i, linked, err));
    const sbl_package_folder package = {.folder = name.data};
    SBL_TRY(linked ? sbl_sink_open_package(sink, &package, facts, overwrite, err)
                   : sbl_sink_open_table(sink, name.data, NULL, facts, overwrite, err));
done:
    sbl_text_clear(&name);
    return status;
}

/* all: NULL if each has its own file. */
static sbl_status draw_one(sbl_posterior *posterior, stacked *all, const sbl_replicate_files *wanted,
                           uint64_t i, const sbl_synth_options *options, sbl_error *err)
{
    const sbl_synth_options quiet = {
        .struct_size = sizeof quiet, .seed = options->seed + i + 1, .threads = options->threads};
    sbl_model *model = NULL;
    sbl_sink *sink = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_posterior_draw(posterior, &model, i, err));
    const sbl_facts *facts = sbl_model_output(model);
    if (all != NULL) {
        SBL_TRY(sbl_sink_open_rows(&sink, facts, stack_rows, all, err));
        all->sink = sink;
        all->number = i + 1;
        all->before = all->rows;
    } else {
        SBL_TRY(open_own(&sink, wanted, i, facts, options->overwrite, err));
    }
    SBL_TRY(sbl_draw(sink, model, &wanted->amount, NULL, &quiet, err));
done:
    sbl_sink_close(sink);
    sbl_model_free(model);
    return status;
}

static sbl_status draw_all(sbl_posterior *posterior, const sbl_replicate_files *wanted,
                           const sbl_facts *facts, const sbl_synth_options *options, sbl_error *err)
{
    const bool one = sbl_replicates_in_one(wanted->path);
    stacked all = {0};
    bool made;
    sbl_status status = SBL_OK;
    SBL_TRY(one ? open_stacked(&all, wanted->path, facts, options->overwrite, err)
                : sbl_folder_make(&made, wanted->path, err));
    for (uint64_t i = 0; i < wanted->count; i++) {
        SBL_TRY(draw_one(posterior, one ? &all : NULL, wanted, i, options, err));
        if (options->progress != NULL &&
            options->progress(options->context, "replicates", i + 1, wanted->count, 0.0) != 0)
            SBL_FAIL(err, SBL_ESTOPPED, "stopped after %llu of %llu replicates", (unsigned long long)i + 1,
                     (unsigned long long)wanted->count);
    }
    if (one) {
        status = sbl_table_finish(all.writer, err);
        all.writer = NULL;
    }
done:
    sbl_table_abandon(all.writer);
    return status;
}

sbl_status sbl_replicates_draw(const sbl_replicate_files *wanted, const sbl_rounds *rounds, sbl_model *fitted,
                               const sbl_synth_options *options, sbl_error *err)
{
    sbl_posterior *posterior = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_posterior_new(&posterior, rounds, fitted, false, options, err));
    SBL_TRY(draw_all(posterior, wanted, sbl_model_output(fitted), options, err));
done:
    sbl_posterior_free(posterior);
    return status;
}

/* ---- from releases ---- */

sbl_status sbl_refit_load(sbl_refit *refit, sbl_store_entry release, const sbl_synth_options *options,
                          sbl_error *err)
{
    SBL_CHECK(sbl_releases_load(&refit->releases, &refit->count, release, err));
    SBL_CHECK(sbl_rounds_of_releases(&refit->rounds, &refit->facts, refit->releases, refit->count, options,
                                     release.name, err));
    SBL_CHECK(sbl_posterior_check(refit->rounds.method, err));
    return sbl_rounds_are_all(&refit->rounds, release.name, err);
}

sbl_status sbl_refit_fit(sbl_refit *refit, const sbl_synth_options *options, sbl_error *err)
{
    SBL_CHECK(sbl_rounds_fit(&refit->fitted, &refit->rounds, options, (sbl_store_entry){0}, err));
    return sbl_posterior_new(&refit->posterior, &refit->rounds, refit->fitted, false, options, err);
}

void sbl_refit_clear(sbl_refit *refit)
{
    sbl_posterior_free(refit->posterior);
    for (size_t i = 0; refit->releases != NULL && i < refit->count; i++) sbl_release_free(refit->releases[i]);
    sbl_free(refit->releases);
    sbl_model_free(refit->fitted);
    sbl_rounds_clear(&refit->rounds);
    sbl_facts_clear(&refit->facts);
    *refit = (sbl_refit){0};
}

sbl_status sbl_replicates_from(sbl_store_entry release, const sbl_replicate_files *wanted,
                               const sbl_synth_options *options, sbl_error *err)
{
    sbl_refit refit = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_refit_load(&refit, release, options, err));
    SBL_TRY(sbl_replicates_check_files(wanted, &refit.facts, options->overwrite, err));
    SBL_TRY(sbl_amount_check(&wanted->amount, refit.rounds.method->whole_units,
                             refit.facts.table_facts != NULL, err));
    SBL_TRY(sbl_refit_fit(&refit, options, err));
    SBL_TRY(draw_all(refit.posterior, wanted, sbl_model_output(refit.fitted), options, err));
done:
    sbl_refit_clear(&refit);
    return status;
}
