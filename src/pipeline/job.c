#include "pipeline/job.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/draw.h"
#include "pipeline/gather.h"
#include "pipeline/ledger_place.h"
#include "pipeline/publish.h"
#include "pipeline/rounds.h"
#include "pipeline/run_common.h"
#include "pipeline/targets.h"

#define MOST_ASSUMPTIONS 16

/* A job at work. */
typedef struct run {
    const sbl_job *job;
    const sbl_synth_options *options;
    sbl_synth_options planning; /* the same, with the number of records where it is known */
    sbl_facts facts;
    sbl_source *source;
    sbl_rounds rounds;
    sbl_image_files images; /* of the output */
    sbl_text release, certificate;
    const char *assumptions[MOST_ASSUMPTIONS];
    size_t assumption_count;
    sbl_text classes; /* one of them */
    sbl_publish *publish;
    sbl_model *model;
} run;

static void clear_run(run *r)
{
    sbl_model_free(r->model);
    sbl_publish_close(r->publish);
    sbl_rounds_clear(&r->rounds);
    sbl_source_close(r->source);
    sbl_facts_clear(&r->facts);
    sbl_image_files_clear(&r->images);
    sbl_text_clear(&r->release);
    sbl_text_clear(&r->certificate);
    sbl_text_clear(&r->classes);
}

static bool draws(const sbl_job *job)
{
    return job->data == SBL_DATA_IMAGES ? job->folder.folder != NULL : job->output != NULL;
}

static const char *input_of(const sbl_job *job)
{
    return job->data == SBL_DATA_IMAGES ? job->origin.images : job->input;
}

/* ---- public facts and names, before any record is read ---- */

/* A table's facts are its schema's; images say theirs in their container, which is opened. */
static sbl_status find_facts(run *r, sbl_image_origin *origin, sbl_error *err)
{
    const sbl_job *job = r->job;
    sbl_schema *schema = NULL;
    if (job->data == SBL_DATA_TABLE) {
        const sbl_status status = sbl_schema_read(&schema, job->schema_path, err);
        return status == SBL_OK ? sbl_facts_of_table(&r->facts, schema, err) : status;
    }
    *origin = job->origin;
    const sbl_status status = sbl_source_open_images(&r->source, &r->facts, origin, err);
    if (status != SBL_OK) return status;
    /* The number of images is public under replace-one; under add-remove none is a number too. */
    return r->options->neighbours == SBL_REPLACE_ONE && r->source->count == 0
               ? sbl_fail(err, SBL_EINPUT, "%s holds no images", origin->images)
               : SBL_OK;
}

/* The other files of a run are named after its output, or after its model. */
static sbl_status name_files(run *r, sbl_error *err)
{
    const sbl_job *job = r->job;
    const sbl_synth_options *options = r->options;
    const bool images = job->data == SBL_DATA_IMAGES;
    const bool named = options->release_path != NULL && options->certificate_path != NULL;
    const char *name = images ? job->folder.folder : job->output;
    if (name == NULL) name = job->model_path;
    if (images && draws(job)) {
        const sbl_status status = sbl_image_files_name(&r->images, &job->folder, &r->facts, err);
        if (status != SBL_OK) return status;
    }
    if (strcmp(name, "-") == 0 && !named)
        return sbl_fail(err, SBL_EARG,
                        "with standard output as the table, name the release and the certificate");
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/') length--;
    if (options->release_path != NULL)
        sbl_text_printf(&r->release, "%s", options->release_path);
    else
        sbl_text_printf(&r->release, "%.*s.release", (int)length, name);
    if (options->certificate_path != NULL)
        sbl_text_printf(&r->certificate, "%s", options->certificate_path);
    else
        sbl_text_printf(&r->certificate, "%.*s.certificate.json", (int)length, name);
    return r->release.failed || r->certificate.failed
               ? sbl_fail(err, SBL_EMEM, "out of memory for a file name")
               : SBL_OK;
}

/* Every file of a run at once: what is written must be none of the others, and must be writable
 * before anything is charged for it. */
static sbl_status check_files(const run *r, sbl_error *err)
{
    const sbl_job *job = r->job;
    const bool table = job->data == SBL_DATA_TABLE;
    const char *output = table ? job->output : NULL;
    const char *given = r->options->ledger_path;
    sbl_text ledger = {0}; /* the data's own */
    bool beside_input;
    sbl_status status =
        sbl_ledger_path_of_data(&ledger, &beside_input, input_of(job), r->release.data, err);
    const sbl_named_path paths[] = {
        {table ? "the input" : "the images", input_of(job), false},
        {"the labels", table ? NULL : job->origin.labels, false},
        {"the schema", table ? job->schema_path : NULL, false},
        {"the ledger", given != NULL ? given : ledger.data, false},
        {"the release", r->release.data, true},
        {"the certificate", r->certificate.data, true},
        {"the model", job->model_path, true},
        {"the output", output, true},
        {"the synthetic images", r->images.images.data, true},
        {"the synthetic labels", r->images.labels.data, true},
        {"the preview", table ? NULL : job->folder.preview, true},
    };
    if (status != SBL_OK) goto done;
    SBL_TRY(sbl_check_targets(paths, sizeof paths / sizeof paths[0], err));
    if (job->model_path != NULL)
        SBL_TRY(sbl_file_check_target(job->model_path, r->options->overwrite, err));
    if (output != NULL && strcmp(output, "-") != 0)
        SBL_TRY(sbl_file_check_target(output, r->options->overwrite, err));
    if (!table && draws(job))
        SBL_TRY(sbl_image_files_check(&r->images, &job->folder, &r->facts, job->rows,
                                      r->options->overwrite, err));
done:
    sbl_text_clear(&ledger);
    return status;
}

/* What the certificate assumes to be public, beside what it says of every release. */
static void list_assumptions(run *r, const sbl_image_origin *origin)
{
    const char **list = r->assumptions;
    size_t count = 0;
    if (r->facts.kind == SBL_DATA_TABLE) {
        /* RFC 4180: a cell may hold line ends, so what is one record is said by the quotes. */
        list[count++] = "how the file divides into records";
    } else {
        list[count++] = SBL_IMAGE_FACTS_ARE_PUBLIC;
        list[count++] = "how the files divide into images";
        if (origin->size_of_first)
            list[count++] = "the first image file: that it is there, and its size, read from it";
        /* The number itself: labels outside it have become the first class. */
        sbl_text_printf(&r->classes, "that there are %zu classes", r->facts.images.classes);
        if (r->facts.images.classes > 0 && !r->classes.failed) list[count++] = r->classes.data;
        if (r->facts.balanced) list[count++] = "that the classes are equally frequent";
    }
    if (r->rounds.by_auto)
        list[count++] = "that the method was chosen by auto, from the schema and public sizes";
    for (const char *const *also = r->rounds.method->also_public; also != NULL && *also != NULL;
         also++)
        if (count < MOST_ASSUMPTIONS) list[count++] = *also;
    r->assumption_count = count;
}

static sbl_publish_facts publish_facts(const run *r)
{
    return (sbl_publish_facts){
        .data = r->facts.kind,
        .method = r->rounds.method->name,
        .neighbours = r->options->neighbours,
        .epsilon = r->options->epsilon,
        .delta = r->options->pure ? 0.0 : r->options->delta,
        .rounds = r->rounds.most,
        .shares = r->rounds.shares,
        .input = input_of(r->job),
        .ledger_path = r->options->ledger_path,
        .release_path = r->release.data,
        .certificate_path = r->certificate.data,
        .overwrite = r->options->overwrite,
        .also_public = r->assumptions,
        .also_public_count = r->assumption_count,
    };
}

/* What is read more than once must be a file: seen before it is opened. */
static sbl_status check_rereading(const run *r, sbl_error *err)
{
    const sbl_job *job = r->job;
    const bool stream =
        job->data == SBL_DATA_TABLE ? sbl_source_is_stream(job->input) : !r->source->can_rewind;
    return r->rounds.most > 1 && stream
               ? sbl_fail(err, SBL_EARG,
                          "method '%s' reads the data %zu times: give a file, not a stream",
                          r->rounds.method->name, r->rounds.most)
               : SBL_OK;
}

static sbl_status open_source(run *r, sbl_error *err)
{
    return r->source != NULL ? SBL_OK
                             : sbl_source_open_table(&r->source, r->job->input, &r->facts,
                                                     r->options->notice, r->options->context, err);
}

/* ---- [1] to [5]: rounds; everything after them is post-processing ---- */

static sbl_status release_round(run *r, sbl_error *err)
{
    sbl_round *round = &r->rounds.items[r->rounds.count - 1];
    sbl_sum *sum = NULL;
    sbl_status status = SBL_OK;
    if (r->rounds.count > 1) SBL_TRY(sbl_source_rewind(r->source, err));
    SBL_TRY(sbl_gather(&sum, r->source, &round->features,
                       r->rounds.count > 1 ? "what was released before" : "nothing", r->options,
                       err));
    SBL_TRY(sbl_publish_next(r->publish, &round->release, &sum, &round->plan,
                             round->features.weights, err));
done:
    sbl_sum_free(sum);
    return status;
}

static sbl_status release_all(run *r, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (bool more = true; more;) {
        SBL_TRY(release_round(r, err));
        SBL_TRY(sbl_rounds_next(&more, &r->rounds, r->options, err));
    }
done:
    return status == SBL_OK || r->rounds.count < 2
               ? status
               : sbl_run_keeps_release(status, r->release.data, SBL_HINT_RESUME, err);
}

/* ---- [6] to [9] ---- */

static sbl_status open_sink(sbl_sink **sink, const run *r, const sbl_facts *facts, sbl_error *err)
{
    const sbl_job *job = r->job;
    return job->data == SBL_DATA_TABLE
               ? sbl_sink_open_table(sink, job->output, facts, r->options->overwrite, err)
               : sbl_sink_open_images(sink, &job->folder, sbl_draw_rows(r->model, job->rows), facts,
                                      r->options->overwrite, err);
}

static sbl_status fit_and_draw(run *r, sbl_error *err)
{
    sbl_sink *sink = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_rounds_fit(&r->model, &r->rounds, r->options, err));
    SBL_TRY(sbl_model_set_certificate(r->model, sbl_publish_certificate(r->publish), err));
    if (r->job->model_path != NULL)
        SBL_TRY(sbl_model_save(r->model, r->job->model_path, r->options->overwrite, err));
    if (draws(r->job)) {
        SBL_TRY(open_sink(&sink, r, sbl_model_output(r->model), err));
        SBL_TRY(sbl_draw(sink, r->model, r->job->rows, SBL_ANY_CLASS, r->options, err));
    }
done:
    sbl_sink_close(sink);
    return sbl_run_keeps_release(status, r->release.data, SBL_HINT_TRAIN, err);
}

/* The last certificate names what was made: files, not folders and streams. */
static sbl_status finish(run *r, char **statement, sbl_error *err)
{
    const char *outputs[2];
    size_t count = 0;
    struct stat seen;
    const char *candidates[] = {r->job->data == SBL_DATA_TABLE ? r->job->output : NULL,
                                r->images.images.data, r->images.labels.data};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        if (candidates[i] != NULL && strcmp(candidates[i], "-") != 0 && count < 2 &&
            stat(candidates[i], &seen) == 0 && S_ISREG(seen.st_mode))
            outputs[count++] = candidates[i];
    return sbl_publish_finish(r->publish, statement, r->job->model_path, outputs, count, err);
}

/* ---- the jobs ---- */

/* How many records there are, where that is public and the data can be read again: for a method
 * that plans by it. One more reading. */
static sbl_status count_records(run *r, uint64_t n, sbl_error *err)
{
    const sbl_records *batch;
    const sbl_method *method;
    sbl_status status = SBL_OK;
    SBL_TRY(
        sbl_method_find(&method, r->options->method, r->facts.kind, r->options->more_methods, err));
    if (method->wants_rows && r->planning.expected_rows == 0) r->planning.expected_rows = n;
    if (!method->wants_rows || r->planning.expected_rows != 0 ||
        r->options->neighbours != SBL_REPLACE_ONE || r->job->input == NULL ||
        sbl_source_is_stream(r->job->input))
        goto done;
    SBL_TRY(open_source(r, err));
    do {
        SBL_TRY(sbl_source_read(r->source, &batch, err));
        r->planning.expected_rows += batch->rows;
    } while (batch->rows != 0);
    SBL_TRY(sbl_source_rewind(r->source, err));
done:
    return status;
}

/* n: the number of records to plan for, where it was stated; else 0. */
static sbl_status plan_rounds(run *r, uint64_t n, sbl_error *err)
{
    r->planning = *r->options;
    /* A stream is read once: who did not say how many rounds there may be gets one. */
    if (r->job->input != NULL && r->planning.rounds == 0 && sbl_source_is_stream(r->job->input))
        r->planning.rounds = 1;
    const sbl_status status = count_records(r, n, err);
    return status == SBL_OK ? sbl_rounds_begin(&r->rounds, &r->facts, &r->planning, err) : status;
}

sbl_status sbl_job_run(char **statement, const sbl_job *job, sbl_error *err)
{
    run r = {.job = job, .options = job->options};
    sbl_image_origin origin = {0};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_TRY(find_facts(&r, &origin, err));
    SBL_TRY(name_files(&r, err));
    SBL_TRY(check_files(&r, err));
    SBL_TRY(plan_rounds(&r, 0, err));
    SBL_TRY(check_rereading(&r, err));
    const sbl_round *first = &r.rounds.items[0];
    if (r.rounds.method->check != NULL)
        SBL_TRY(r.rounds.method->check(&r.facts, first, r.options, err));
    list_assumptions(&r, &origin);
    const sbl_publish_facts facts = publish_facts(&r);
    SBL_TRY(sbl_publish_open(&r.publish, &facts, &first->features.layout, first->features.weights,
                             first->plan.share, r.source != NULL ? r.source->count : 0, err));
    SBL_TRY(open_source(&r, err));
    SBL_TRY(release_all(&r, err));
    SBL_TRY(fit_and_draw(&r, err));
    SBL_TRY(finish(&r, statement, err));
done:
    clear_run(&r);
    return status;
}

sbl_status sbl_job_plan(char **text, const sbl_job *job, uint64_t n, bool json, sbl_error *err)
{
    run r = {.job = job, .options = job->options};
    sbl_image_origin origin = {0};
    sbl_status status = SBL_OK;
    *text = NULL;
    /* How many images there are is public under replace-one only. */
    if (n == 0 && (job->data == SBL_DATA_TABLE || job->options->neighbours == SBL_ADD_REMOVE))
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_ROWS, NULL,
                             "the number of records must be stated, and be at least 1");
    SBL_TRY(find_facts(&r, &origin, err));
    SBL_TRY(plan_rounds(&r, n, err));
    SBL_TRY(sbl_rounds_show(text, &r.rounds, n != 0 ? n : r.source->count, json, r.options, err));
done:
    clear_run(&r);
    return status;
}

sbl_status sbl_job_resume(char **statement, const sbl_job *job, sbl_error *err)
{
    run r = {.job = job, .options = job->options};
    sbl_image_origin origin = {0};
    sbl_facts planned = {0};
    sbl_release **releases = NULL;
    const sbl_release **known = NULL;
    size_t count = 0;
    bool more = false;
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_TRY(find_facts(&r, &origin, err));
    SBL_TRY(name_files(&r, err));
    SBL_TRY(sbl_releases_load(&releases, &count, r.release.data, err));
    SBL_TRY(sbl_rounds_of_releases(&r.rounds, &planned, releases, count, r.options, r.release.data,
                                   err));
    r.rounds.facts = &r.facts;
    SBL_TRY(check_files(&r, err));
    SBL_TRY(check_rereading(&r, err));
    SBL_TRY(sbl_rounds_same_facts(&r.rounds, &planned, r.release.data, err));
    known = sbl_alloc_array(count, sizeof *known);
    if (known == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory");
    for (size_t i = 0; i < count; i++) known[i] = r.rounds.items[i].release;
    list_assumptions(&r, &origin);
    const sbl_publish_facts facts = publish_facts(&r);
    SBL_TRY(sbl_publish_resume(&r.publish, &facts, known, count, err));
    SBL_TRY(open_source(&r, err));
    SBL_TRY(sbl_rounds_next(&more, &r.rounds, r.options, err));
    if (more) SBL_TRY(release_all(&r, err));
    SBL_TRY(fit_and_draw(&r, err));
    SBL_TRY(finish(&r, statement, err));
done:
    for (size_t i = 0; releases != NULL && i < count; i++) sbl_release_free(releases[i]);
    sbl_free(releases);
    sbl_free(known);
    clear_run(&r);
    sbl_facts_clear(&planned);
    return status;
}
