/* SPDX-License-Identifier: Apache-2.0 */
/* Everything of a run that comes before its first record, but for its files (run_files.c): where the facts
 * come from, and what the certificate must list as assumed public. */
#include "run/pipeline/job_run.h"

#include <string.h>

#include "base/alloc.h"
#include "public/options/option_defaults.h"
#include "public/options/option_values.h"
#include "run/methods/discover.h"

void sbl_run_clear(sbl_run *r)
{
    sbl_model_free(r->model);
    sbl_kept_clear(&r->kept);
    for (size_t i = 0; r->known != NULL && i < r->known_count; i++) sbl_release_free(r->known[i]);
    sbl_free(r->known);
    sbl_free(r->listed);
    sbl_publish_close(r->publish);
    sbl_rounds_clear(&r->discover);
    sbl_rounds_clear(&r->rounds);
    sbl_source_close(r->source);
    sbl_facts_clear(&r->facts);
    sbl_facts_clear(&r->planned);
    sbl_facts_clear(&r->header);
    sbl_image_files_clear(&r->images);
    sbl_package_files_clear(&r->package);
    for (size_t i = 0; i < sizeof r->names / sizeof r->names[0]; i++) sbl_text_clear(&r->names[i]);
    sbl_text_clear(&r->remarks);
    sbl_text_clear(&r->classes);
    sbl_text_clear(&r->also);
}

bool sbl_run_draws(const sbl_job *job)
{
    return job->kind == SBL_DATA_IMAGES ? job->folder.folder != NULL : job->output != NULL;
}

sbl_replicate_files sbl_run_replicates(const sbl_job *job)
{
    return (sbl_replicate_files){.path = job->output, .count = job->replicates, .amount = job->amount};
}

const char *sbl_run_input(const sbl_job *job)
{
    return job->data != NULL ? sbl_data_tell(job->data).path : NULL;
}

sbl_data_places sbl_run_places(const sbl_run *r)
{
    return (sbl_data_places){sbl_run_input(r->job), r->tables, r->table_count};
}

bool sbl_run_is_stream(const sbl_job *job)
{
    return job->data != NULL && job->kind == SBL_DATA_TABLE && !sbl_data_tell(job->data).can_rewind;
}

/* ---- public facts and names, before any record is read ---- */

double sbl_run_discover_share(const sbl_run *r)
{
    if (r->job->discovered.store != NULL) return 1.0;
    return r->options->discover_share != 0.0 ? r->options->discover_share : SBL_DEFAULT_DISCOVER_SHARE;
}

bool sbl_run_discovers(const sbl_job *job) { return job->kind == SBL_DATA_TABLE && job->schema == NULL; }

/* Of the schema alone, which is public. */
static void warn_of_inspected(const sbl_run *r, const sbl_schema *schema)
{
    if (r->options->advice != NULL && sbl_origin_is_inspected(schema->origin))
        r->options->advice(
            r->options->context, SBL_ADVICE_INSPECTED,
            "WARNING: the schema was read from the records, and what is released takes its "
            "bounds and categories as public: put in their place what is known anyway, and accept "
            "it");
}

/* A query decides by what records hold which rows there are: their number is private, and how many of them one person is
 * can be limited by a unit alone, or is the owner's word. */
static sbl_status check_database(const sbl_run *r, sbl_error *err)
{
    const sbl_job *job = r->job;
    if (job->data == NULL) return SBL_OK;
    const sbl_data_about about = sbl_data_tell(job->data);
    /* One beside the release would be forgotten by the next run. */
    if (about.is_server && r->options->ledger_path == NULL)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_LEDGER, NULL,
                             "%s is on a server, where no ledger can be kept: name the ledger of this data",
                             about.name);
    if (!about.is_query) return SBL_OK;
    if (r->options->neighbours != SBL_ADD_REMOVE)
        return sbl_fail_hint(
            err, SBL_EARG, SBL_HINT_ADD_REMOVE, NULL,
            "a query selects rows by their values, so their number is private: use add-remove neighbours");
    if (about.one_row_per_person || (job->schema != NULL && job->schema->rows_per_unit != 0)) return SBL_OK;
    return sbl_fail_hint(err, SBL_EARG, SBL_HINT_ONE_ROW, NULL,
                         "a query may select several rows of one person: declare that it selects at most "
                         "one, or name the column with the person's id");
}

sbl_status sbl_run_find_facts(sbl_run *r, sbl_error *err)
{
    const sbl_job *job = r->job;
    sbl_schema *schema = NULL;
    const sbl_status allowed = check_database(r, err);
    if (allowed != SBL_OK) return allowed;
    r->table_count = job->data != NULL ? sbl_data_tell(job->data).tables : 0;
    for (size_t t = 0; t < r->table_count; t++) r->tables[t] = sbl_data_table_path(job->data, t);
    if (sbl_run_discovers(job))
        return job->data == NULL || sbl_data_tell(job->data).tables == 0
                   ? SBL_OK
                   : sbl_fail(err, SBL_EARG, "linked tables need a package that describes their keys");
    if (job->kind == SBL_DATA_TABLE) {
        sbl_status status = sbl_schema_copy(&schema, job->schema, err);
        if (status == SBL_OK && job->data != NULL) status = sbl_data_apply_written(&schema, job->data, err);
        if (status == SBL_OK) warn_of_inspected(r, schema);
        if (status == SBL_OK) return sbl_facts_of_table(&r->facts, schema, err);
        sbl_schema_free(schema);
        return status;
    }
    const sbl_status status = sbl_source_open(&r->source, job->data, &r->facts, NULL, NULL, err);
    if (status != SBL_OK) return status;
    r->facts.encoder_path = sbl_setting_given(r->options, SBL_SETTING_ENCODER);
    r->facts.title = r->options->title;
    r->facts.files_name = r->source->name;
    /* The number of images is public under replace-one; under add-remove none is a number too. */
    return r->options->neighbours == SBL_REPLACE_ONE && r->source->count == 0
               ? sbl_fail(err, SBL_EINPUT, "%s holds no images", r->source->name)
               : SBL_OK;
}

static bool has_constraints(const sbl_schema *schema)
{
    for (size_t t = 0; t < schema->table_count; t++)
        if (has_constraints(schema->tables[t].schema)) return true;
    return schema->constraints.count > 0;
}

static bool makes_columns(const sbl_schema *schema)
{
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].made != SBL_SYNTHETIC_NOT) return true;
    return false;
}

static void assume(sbl_run *r, const char *what)
{
    if (r->assumption_count < SBL_MOST_ASSUMPTIONS) r->assumptions[r->assumption_count] = what;
    r->assumption_count++;
}

static void assume_all(sbl_run *r, const char *const *list)
{
    for (; list != NULL && *list != NULL; list++) assume(r, *list);
}

/* The owner's word, which no program can check. */
static void assume_of_query(sbl_run *r)
{
    if (r->in_parts || !sbl_data_tell(r->job->data).is_query) return;
    assume(r, sbl_data_tell(r->job->data).one_row_per_person
                  ? "the query that selects the rows, and that one person is at most one of them, and in "
                    "no "
                    "other (the owner's word)"
                  : "the query that selects the rows, and that each of them is of the person alone whose "
                    "id it holds (the owner's word)");
}

static void assume_of_table(sbl_run *r)
{
    const char *const *of_header = sbl_method_discover.also_public;
    /* RFC 4180: a cell may hold line ends, so what is one record is said by the quotes. */
    if (r->in_parts) assume(r, SBL_ROWS_ARE_IN_PARTS);
    if (r->one_site) assume(r, "which sites there are, and that all rows of a person are at one of them");
    if (r->in_parts || sbl_data_tell(r->job->data).is_text) assume(r, "how the file divides into records");
    assume_of_query(r);
    if (!r->in_parts && sbl_data_tell(r->job->data).outside)
        assume(r, "that the package names files outside of its folder, which the owner allowed");
    if (r->facts.table_facts != NULL)
        assume(r,
               "which tables there are and by which keys they are linked, what orders the rows of a "
               "table, and how many of a person enter");
    else if (r->rounds.method->whole_units)
        assume(r,
               "which column says whose row it is, which columns are the person's, what orders a "
               "person's rows, and how many of them enter");
    else if (sbl_facts_rows_per_unit(&r->facts) != 0)
        assume(r, "which column says whose row it is, and how many rows of a person count");
    else if (r->facts.declared != NULL && sbl_schema_likely_person(r->facts.declared) != NULL)
        assume(r, "that each row is another person, although one column looks like the id of a person");
    if (r->discover.method != NULL) {
        assume(r, of_header[0]);
        assume(r, of_header[2]);
    }
    if (has_constraints(r->facts.declared))
        assume(r, "the constraints between columns that the schema declares");
    if (makes_columns(r->facts.declared))
        assume(r, "which columns are ids, made up or constant, and how they look");
}

static void assume_of_images(sbl_run *r)
{
    assume(r, SBL_IMAGE_FACTS_ARE_PUBLIC);
    if (r->in_parts) assume(r, SBL_IMAGES_ARE_IN_PARTS);
    if (r->in_parts || sbl_run_input(r->job) != NULL) assume(r, "how the files divide into images");
    if (r->in_parts || (r->facts.files && !sbl_data_tell(r->job->data).sized))
        assume(r, "the first image file: that it is there, and its size, read from it");
    /* The number itself: labels outside it have become the first class. */
    sbl_text_printf(&r->classes, "that there are %zu classes", r->facts.images.classes);
    if (r->facts.images.classes > 0 && !r->classes.failed) assume(r, r->classes.data);
    if (r->facts.balanced) assume(r, "that the classes are equally frequent");
}

sbl_status sbl_run_list_assumptions(sbl_run *r, sbl_error *err)
{
    const sbl_method *method = r->rounds.method;
    r->assumption_count = 0;
    if (method == NULL) {
        assume_all(r, sbl_method_discover.also_public);
        return SBL_OK;
    }
    if (r->facts.kind == SBL_DATA_TABLE)
        assume_of_table(r);
    else
        assume_of_images(r);
    if (r->rounds.by_auto) assume(r, r->rounds.why);
    assume_all(r, method->also_public);
    if (method->assume != NULL && r->also.data == NULL) {
        method->assume(&r->also, &r->facts, &r->rounds.items[0]);
        for (char *end = r->also.data; end != NULL && (end = strchr(end, '\n')) != NULL; end++) *end = '\0';
    }
    if (r->also.data != NULL && !r->also.failed)
        for (size_t at = 0; at < r->also.length; at += strlen(r->also.data + at) + 1)
            assume(r, r->also.data + at);
    for (size_t i = 0; i < r->rounds.count; i++) { /* also reports what releases led to */
        const char *decided =
            json_string_value(json_object_get(r->rounds.items[i].plan.settings, SBL_PLAN_DECIDED));
        if (decided != NULL) assume(r, decided);
    }
    return r->assumption_count <= SBL_MOST_ASSUMPTIONS
               ? SBL_OK
               : sbl_fail(err, SBL_EINTERNAL, "method '%s' takes more than %d facts as public", method->name,
                          SBL_MOST_ASSUMPTIONS);
}

void sbl_run_list_shares(sbl_run *r)
{
    const size_t before = r->discover.most;
    r->round_count = before + r->rounds.most;
    memcpy(r->shares, r->discover.shares, before * sizeof *r->shares);
    memcpy(r->shares + before, r->rounds.shares, r->rounds.most * sizeof *r->shares);
}

sbl_publish_facts sbl_run_publish_facts(const sbl_run *r)
{
    const bool discovers = r->discover.method != NULL;
    const sbl_method *method = r->rounds.method != NULL ? r->rounds.method : r->discover.method;
    const uint64_t most = sbl_facts_rows_per_unit(&r->facts);
    return (sbl_publish_facts){
        .data = r->job->kind,
        .facts = &r->facts,
        .method = method->name,
        .rows_together = method->whole_units && most > 1 ? most : 0,
        .title = r->options->title,
        .by = r->options->by,
        .who = r->options->who,
        .policy = r->options->policy_path,
        .neighbours = r->options->neighbours,
        .epsilon = r->options->epsilon,
        .delta = r->planning.delta,
        .keys_delta = discovers ? SBL_DISCOVER_KEYS_PART * r->planning.delta : 0.0,
        .rounds = r->round_count,
        .shares = r->shares,
        .input = sbl_run_input(r->job),
        .tables = r->tables,
        .table_count = r->table_count,
        .ledger = sbl_file_item(r->options->ledger_path),
        .release = r->release,
        .certificate = r->certificate,
        .overwrite = r->options->overwrite,
        .also_public = r->assumptions,
        .also_public_count = r->assumption_count,
    };
}

sbl_status sbl_run_check_rereading(const sbl_run *r, sbl_error *err)
{
    const sbl_job *job = r->job;
    const bool stream = job->kind == SBL_DATA_TABLE ? sbl_run_is_stream(job) : !r->source->can_rewind;
    /* Rows of persons are put together in memory where they cannot be read again. */
    return r->rounds.most > 1 && stream && !r->rounds.method->whole_units
               ? sbl_fail(err, SBL_EARG, "method '%s' reads the data %zu times: give a file, not a stream",
                          r->rounds.method->name, r->rounds.most)
               : SBL_OK;
}

sbl_status sbl_run_open_source(sbl_run *r, sbl_error *err)
{
    const sbl_method *method = r->rounds.method;
    sbl_source *rows = NULL;
    if (r->source != NULL) return SBL_OK;
    SBL_CHECK(sbl_source_open(&rows, r->job->data, &r->facts, r->options->notice, r->options->context, err));
    /* Linked tables are whole persons already. */
    if (method != NULL && method->whole_units && r->facts.table_facts == NULL)
        SBL_CHECK(sbl_source_open_persons(&r->source, rows, err));
    else
        r->source = rows;
    return SBL_OK;
}

/* ---- what a run reports ---- */

/* A long reason is cut, so that the end of the message, which says how to continue, is always shown. Training from the
 * last release costs nothing; before it the rounds that are left have their price. */
sbl_status sbl_run_keeps_release(sbl_status status, const char *release_path, sbl_hint hint, sbl_error *err)
{
    if (status == SBL_OK || err == NULL) return status;
    if (err->hint == SBL_HINT_RESUME || err->hint == SBL_HINT_TRAIN) return status; /* it says so already */
    const sbl_error reason = *err;
    return sbl_fail_hint(
        err, status, hint, release_path, "%.200s; what was released is kept (%s), and %s", reason.message,
        release_path, hint == SBL_HINT_TRAIN ? "going on from there costs nothing" : "is not paid for again");
}

void sbl_run_report_ledger(const sbl_publish *publish, const char *input, const sbl_synth_options *options)
{
    sbl_text line = {0};
    if (options->advice == NULL || input == NULL || !sbl_publish_fell_back(publish)) return;
    sbl_text_printf(&line,
                    "%s has no place for a ledger beside it: what other runs on the same data cost "
                    "is not in %s",
                    strcmp(input, "-") == 0 ? "standard input" : input, sbl_publish_ledger(publish));
    if (!line.failed) options->advice(options->context, SBL_ADVICE_LEDGER, line.data);
    sbl_text_clear(&line);
}
