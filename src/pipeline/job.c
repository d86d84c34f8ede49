#include "pipeline/job.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "methods/generate.h"
#include "options/defaults.h"
#include "options/options.h"
#include "pipeline/buy.h"
#include "pipeline/dialect.h"
#include "pipeline/draw.h"
#include "pipeline/gather.h"
#include "pipeline/health.h"
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
    sbl_facts planned; /* of the releases that a stopped run left: their features borrow it */
    sbl_source *source;
    sbl_rounds rounds;
    sbl_image_files images; /* of the output */
    sbl_text release, certificate;
    sbl_text checkpoint;  /* of training, where the method has one */
    sbl_text schema;      /* where a schema that is bought goes */
    sbl_text remarks;     /* on it, for people */
    sbl_buy *buy;         /* NULL: there is a schema */
    uint64_t public_rows; /* or declared; 0: nobody knows */
    double shares[SBL_MOST_ROUNDS + SBL_BUY_MOST_ROUNDS];
    size_t round_count;
    const char *assumptions[MOST_ASSUMPTIONS];
    size_t assumption_count;
    sbl_text classes, also; /* two of them */
    sbl_publish *publish;
    sbl_model *model;
    sbl_release **known;        /* of a run that was stopped; what is used is NULL */
    const sbl_release **listed; /* (known_count): the same, whoever owns them */
    size_t known_count;
} run;

static void clear_run(run *r)
{
    sbl_model_free(r->model);
    for (size_t i = 0; r->known != NULL && i < r->known_count; i++) sbl_release_free(r->known[i]);
    sbl_free(r->known);
    sbl_free(r->listed);
    sbl_publish_close(r->publish);
    sbl_buy_free(r->buy);
    sbl_rounds_clear(&r->rounds);
    sbl_source_close(r->source);
    sbl_facts_clear(&r->facts);
    sbl_facts_clear(&r->planned);
    sbl_image_files_clear(&r->images);
    sbl_text_clear(&r->release);
    sbl_text_clear(&r->certificate);
    sbl_text_clear(&r->checkpoint);
    sbl_text_clear(&r->schema);
    sbl_text_clear(&r->remarks);
    sbl_text_clear(&r->classes);
    sbl_text_clear(&r->also);
}

static bool draws(const sbl_job *job)
{
    return job->data == SBL_DATA_IMAGES ? job->folder.folder != NULL : job->output != NULL;
}

/* Where the records are; NULL: in memory. */
static const char *input_of(const sbl_job *job)
{
    if (job->memory != NULL) return NULL;
    return job->data == SBL_DATA_IMAGES ? job->origin.images : job->input;
}

/* Can a table be read once only? */
static bool is_stream(const sbl_job *job)
{
    if (job->memory != NULL && job->memory->table != NULL) return !job->memory->table->can_rewind;
    return job->input != NULL && sbl_source_is_stream(job->input);
}

/* Is there a table to be read, or is this a plan? */
static bool has_table(const sbl_job *job)
{
    return job->input != NULL || (job->memory != NULL && job->memory->table != NULL);
}

/* ---- public facts and names, before any record is read ---- */

/* The part of the budget that a schema may cost. */
static double discover_share(const run *r)
{
    return r->options->discover_share != 0.0 ? r->options->discover_share
                                             : SBL_DEFAULT_DISCOVER_SHARE;
}

/* Is there no schema yet? */
static bool buys(const sbl_job *job)
{
    return job->data == SBL_DATA_TABLE && job->schema_path == NULL;
}

static sbl_status open_memory_images(run *r, sbl_error *err)
{
    const sbl_image_memory *images = r->job->memory->images;
    const sbl_status status = sbl_facts_of_images(&r->facts, &images->facts, images->balanced, err);
    return status == SBL_OK ? sbl_source_open_memory(&r->source, &images->records,
                                                     r->job->memory->name, &r->facts, err)
                            : status;
}

/* A table's facts are its schema's, unless that is to be bought; images say theirs in their container, which is opened. */
static sbl_status find_facts(run *r, sbl_image_origin *origin, sbl_error *err)
{
    const sbl_job *job = r->job;
    sbl_schema *schema = NULL;
    if (buys(job)) return SBL_OK;
    if (job->data == SBL_DATA_TABLE) {
        const sbl_dialect_given given = sbl_dialect_of_options(r->options);
        sbl_status status = sbl_schema_read(&schema, job->schema_path, err);
        if (status == SBL_OK) status = sbl_schema_apply_dialect(schema, &given, err);
        if (status == SBL_OK) return sbl_facts_of_table(&r->facts, schema, err);
        sbl_schema_free(schema);
        return status;
    }
    *origin = job->origin;
    const sbl_status status = job->memory != NULL
                                  ? open_memory_images(r, err)
                                  : sbl_source_open_images(&r->source, &r->facts, origin, err);
    if (status != SBL_OK) return status;
    r->facts.encoder_path = r->options->encoder;
    /* The number of images is public under replace-one; under add-remove none is a number too. */
    return r->options->neighbours == SBL_REPLACE_ONE && r->source->count == 0
               ? sbl_fail(err, SBL_EINPUT, "%s holds no images", r->source->name)
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
    if (job->model_path != NULL && strcmp(job->model_path, "-") == 0)
        return sbl_fail(err, SBL_EARG, "a model goes into a file: name it, not -");
    if (strcmp(name, "-") == 0 && !named)
        return sbl_fail_hint(
            err, SBL_EARG, SBL_HINT_FILES, NULL,
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
    sbl_checkpoint_path(&r->checkpoint, options, r->release.data);
    /* Standard output has no name, the release has. */
    if (buys(job) && strcmp(name, "-") == 0)
        sbl_text_printf(&r->schema, "%s.schema.json", r->release.data);
    else if (buys(job))
        sbl_text_printf(&r->schema, "%.*s.schema.json", (int)length, name);
    return r->release.failed || r->certificate.failed || r->schema.failed || r->checkpoint.failed
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
        {"the encoder", r->options->encoder, false},
        {"the ledger", given != NULL ? given : ledger.data, false},
        {"the release", r->release.data, true},
        {"the certificate", r->certificate.data, true},
        {"the bought schema", r->schema.data, true},
        {"the checkpoint", r->checkpoint.data, true},
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
    if (r->schema.data != NULL && r->known_count == 0)
        SBL_TRY(sbl_file_check_target(r->schema.data, r->options->overwrite, err));
    if (output != NULL) SBL_TRY(sbl_sink_check_table(output, err));
    if (output != NULL && strcmp(output, "-") != 0)
        SBL_TRY(sbl_file_check_target(output, r->options->overwrite, err));
    if (!table && draws(job))
        SBL_TRY(sbl_image_files_check(&r->images, &job->folder, &r->facts, job->rows,
                                      r->options->overwrite, err));
done:
    sbl_text_clear(&ledger);
    return status;
}

static bool makes_columns(const sbl_schema *schema)
{
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].made != SBL_MADE_NOT) return true;
    return false;
}

/* What the certificate assumes to be public, beside what it says of every release. */
static void list_assumptions(run *r, const sbl_image_origin *origin)
{
    const char **list = r->assumptions;
    size_t count = 0;
    if (r->facts.kind == SBL_DATA_TABLE) {
        /* RFC 4180: a cell may hold line ends, so what is one record is said by the quotes. */
        if (r->job->memory == NULL) list[count++] = "how the file divides into records";
        if (sbl_facts_rows_per_unit(&r->facts) != 0)
            list[count++] =
                "which column says whose row it is, and how many rows of a person count";
        if (r->buy != NULL) {
            list[count++] = sbl_buy_also_public[0];
            list[count++] = sbl_buy_also_public[2];
        }
        if (r->facts.declared->constraints.count > 0)
            list[count++] = "the constraints between columns that the schema declares";
        if (makes_columns(r->facts.declared))
            list[count++] = "which columns are ids, made up or constant, and how they look";
    } else {
        list[count++] = SBL_IMAGE_FACTS_ARE_PUBLIC;
        if (r->job->memory == NULL) list[count++] = "how the files divide into images";
        if (origin->size_of_first)
            list[count++] = "the first image file: that it is there, and its size, read from it";
        /* The number itself: labels outside it have become the first class. */
        sbl_text_printf(&r->classes, "that there are %zu classes", r->facts.images.classes);
        if (r->facts.images.classes > 0 && !r->classes.failed) list[count++] = r->classes.data;
        if (r->facts.balanced) list[count++] = "that the classes are equally frequent";
    }
    if (r->rounds.by_auto) list[count++] = r->rounds.why;
    for (const char *const *also = r->rounds.method->also_public; also != NULL && *also != NULL;
         also++)
        if (count < MOST_ASSUMPTIONS) list[count++] = *also;
    if (r->rounds.method->assume != NULL)
        r->rounds.method->assume(&r->also, &r->facts, &r->rounds.items[0]);
    if (r->also.data != NULL && !r->also.failed && count < MOST_ASSUMPTIONS)
        list[count++] = r->also.data;
    r->assumption_count = count;
}

/* Of all rounds of the run that are planned by now: those that buy a schema, then the method's. */
static void list_shares(run *r)
{
    const size_t bought = r->buy != NULL ? sbl_buy_rounds(r->buy) : 0;
    r->round_count = bought + r->rounds.most;
    if (bought > 0) memcpy(r->shares, sbl_buy_shares(r->buy), bought * sizeof *r->shares);
    memcpy(r->shares + bought, r->rounds.shares, r->rounds.most * sizeof *r->shares);
}

static sbl_publish_facts publish_facts(const run *r)
{
    const bool planned = r->rounds.method != NULL;
    return (sbl_publish_facts){
        .data = r->job->data,
        .facts = &r->facts,
        .method = planned ? r->rounds.method->name : SBL_BUY_METHOD,
        .neighbours = r->options->neighbours,
        .epsilon = r->options->epsilon,
        .delta = r->buy != NULL ? sbl_buy_delta(r->buy) : r->planning.delta,
        .keys_delta = r->buy != NULL ? SBL_BUY_KEYS_PART * sbl_buy_delta(r->buy) : 0.0,
        .rounds = r->round_count,
        .shares = r->shares,
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
    const bool stream = job->data == SBL_DATA_TABLE ? is_stream(job) : !r->source->can_rewind;
    return r->rounds.most > 1 && stream
               ? sbl_fail(err, SBL_EARG,
                          "method '%s' reads the data %zu times: give a file, not a stream",
                          r->rounds.method->name, r->rounds.most)
               : SBL_OK;
}

static sbl_status open_source(run *r, sbl_error *err)
{
    const sbl_arrow_origin *arrow = r->job->memory != NULL ? r->job->memory->table : NULL;
    if (r->source == NULL && arrow != NULL)
        return sbl_source_open_arrow(&r->source, arrow, &r->facts, r->options->notice,
                                     r->options->context, err);
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
    SBL_TRY(
        sbl_gather(&sum, r->source, &round->features,
                   r->rounds.before + r->rounds.count > 1 ? "what was released before" : "nothing",
                   r->options, err));
    SBL_TRY(sbl_publish_next(r->publish, &round->release, &sum, &round->plan,
                             round->features.weights, err));
done:
    sbl_sum_free(sum);
    return status;
}

/* What the first release says of the data, before anything is built on it. */
static sbl_status look_at_health(run *r, sbl_error *err)
{
    size_t count;
    const sbl_certified_health *figures = sbl_publish_health(r->publish, &count);
    sbl_status status = SBL_OK;
    sbl_health_tell(figures, count, r->options);
    /* Under add-remove the number is private: what was declared stands for it. */
    const uint64_t n = r->rounds.items[0].release->n;
    SBL_TRY(
        sbl_rounds_advise(&r->rounds, n != 0 ? n : r->planning.expected_rows, &r->planning, err));
    status = sbl_health_judge(figures, count, r->options, err);
done:
    return sbl_run_keeps_release(status, r->release.data, SBL_HINT_HEALTH, err);
}

static sbl_status release_all(run *r, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (bool more = true; more;) {
        SBL_TRY(release_round(r, err));
        if (r->rounds.count == 1) SBL_TRY(look_at_health(r, err));
        SBL_TRY(sbl_rounds_next(&more, &r->rounds, r->options, err));
    }
done:
    return status == SBL_OK || r->rounds.before + r->rounds.count < 2
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
    sbl_synth_options fitting = *r->options;
    sbl_status status = SBL_OK;
    fitting.checkpoint = r->checkpoint.data;
    SBL_TRY(sbl_rounds_fit(&r->model, &r->rounds, &fitting, err));
    SBL_TRY(sbl_model_set_certificate(r->model, sbl_publish_certificate(r->publish), err));
    if (r->job->model_path != NULL)
        SBL_TRY(sbl_model_save(r->model, r->job->model_path, r->options->overwrite, err));
    if (draws(r->job)) {
        SBL_TRY(open_sink(&sink, r, sbl_model_output(r->model), err));
        SBL_TRY(sbl_draw(sink, r->model, r->job->rows, NULL, r->options, err));
    }
    sbl_generate_forget(r->checkpoint.data);
done:
    sbl_sink_close(sink);
    return sbl_run_keeps_release(status, r->release.data, SBL_HINT_TRAIN, err);
}

/* The last certificate names what was made: files, not folders and streams. */
static sbl_status finish(run *r, char **statement, sbl_error *err)
{
    const char *outputs[3];
    size_t count = 0;
    struct stat seen;
    const char *candidates[] = {r->job->data == SBL_DATA_TABLE ? r->job->output : NULL,
                                r->images.images.data, r->images.labels.data, r->schema.data};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        if (candidates[i] != NULL && strcmp(candidates[i], "-") != 0 && count < 3 &&
            stat(candidates[i], &seen) == 0 && S_ISREG(seen.st_mode))
            outputs[count++] = candidates[i];
    return sbl_publish_finish(r->publish, statement, r->job->model_path, outputs, count, err);
}

/* ---- the jobs ---- */

/* How many records there are, in one more reading. */
static sbl_status count_records(run *r, uint64_t *n, sbl_error *err)
{
    const sbl_records *batch;
    sbl_status status = SBL_OK;
    SBL_TRY(open_source(r, err));
    do {
        SBL_TRY(sbl_source_read(r->source, &batch, err));
        *n += batch->rows;
    } while (batch->rows != 0);
    SBL_TRY(sbl_source_rewind(r->source, err));
done:
    return status;
}

/* What is planned by the number of records, where that is public: by a method that wants it, and
 * the delta of who did not say one. n: as stated, or 0; a file is then counted. */
static sbl_status plan_sizes(run *r, uint64_t n, sbl_error *err)
{
    const bool is_public =
        sbl_rows_are_public(r->options->neighbours, sbl_facts_rows_per_unit(&r->facts));
    const sbl_method *method;
    sbl_status status = SBL_OK;
    SBL_TRY(
        sbl_method_find(&method, r->options->method, r->facts.kind, r->options->more_methods, err));
    const bool wants_rows = method->wants_rows && r->planning.expected_rows == 0;
    const bool wants_delta = r->planning.delta == 0.0 && !r->options->pure;
    if (is_public && n == 0 && r->source != NULL) n = r->source->count;
    if (is_public && n == 0 && r->job->memory != NULL && r->job->memory->table != NULL)
        n = r->job->memory->table->count;
    if (is_public && n == 0 && (wants_rows || wants_delta) && has_table(r->job) &&
        !is_stream(r->job))
        SBL_TRY(count_records(r, &n, err));
    if (wants_rows) r->planning.expected_rows = n;
    r->public_rows = is_public && n != 0 ? n : r->planning.expected_rows;
    r->planning.delta = sbl_delta_of_options(r->options, is_public ? n : 0);
done:
    return status;
}

/* n: the number of records to plan for, where it was stated; else 0. */
static sbl_status plan_rounds(run *r, uint64_t n, sbl_error *err)
{
    const size_t before = r->buy != NULL ? sbl_buy_rounds(r->buy) : 0;
    const double scale = r->buy != NULL ? 1.0 - discover_share(r) : 1.0;
    r->planning = *r->options;
    /* A stream is read once: who did not say how many rounds there may be gets one. */
    if (has_table(r->job) && r->planning.rounds == 0 && is_stream(r->job)) r->planning.rounds = 1;
    const sbl_status status = plan_sizes(r, n, err);
    return status == SBL_OK
               ? sbl_rounds_begin_after(&r->rounds, &r->facts, before, scale, &r->planning, err)
               : status;
}

/* [1] to [5] for the schema, where there is none: rounds of their own, at the beginning of the run.
 */
static sbl_status buy_facts(run *r, sbl_error *err)
{
    const sbl_file_write_options as_public = {
        .mode = 0644, .overwrite = r->options->overwrite || r->known_count > 0};
    sbl_schema *schema = NULL;
    char *text = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_buy_run(r->buy, r->publish, err));
    SBL_TRY(sbl_buy_finish(&text, &schema, &r->remarks, r->buy, r->release.data, err));
    SBL_TRY(sbl_file_write(r->schema.data, text, strlen(text), as_public, err));
    SBL_TRY(sbl_facts_of_table(&r->facts, schema, err));
done:
    sbl_free(text);
    return status;
}

/* After a schema was bought: the rest of the run is planned for it. */
static sbl_status plan_rest(run *r, sbl_error *err)
{
    list_shares(r);
    const sbl_publish_rest rest = {.method = r->rounds.method->name,
                                   .rounds = r->round_count,
                                   .shares = r->shares,
                                   .also_public = r->assumptions,
                                   .also_public_count = r->assumption_count};
    return sbl_publish_replan(r->publish, &rest, err);
}

static sbl_status check_method(const run *r, sbl_error *err)
{
    const sbl_method *method = r->rounds.method;
    return method->check != NULL ? method->check(&r->facts, &r->rounds.items[0], r->options, err)
                                 : SBL_OK;
}

/* Everything before the first release of the method: what can be refused is refused here. */
static sbl_status begin_with_schema(run *r, const sbl_image_origin *origin, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(plan_rounds(r, 0, err));
    SBL_TRY(check_rereading(r, err));
    SBL_TRY(check_method(r, err));
    list_assumptions(r, origin);
    list_shares(r);
    const sbl_round *first = &r->rounds.items[0];
    const sbl_publish_facts facts = publish_facts(r);
    SBL_TRY(sbl_publish_open(&r->publish, &facts, &first->features.layout, first->features.weights,
                             first->plan.share, r->source != NULL ? r->source->count : 0, err));
    SBL_TRY(open_source(r, err));
    SBL_TRY(sbl_rounds_foretell(&r->rounds, r->public_rows, r->options, err));
done:
    return status;
}

/* The schema is bought and paid for; what fails after that goes on with `resume`. */
static sbl_status go_on_with_bought(run *r, sbl_error *err)
{
    const sbl_image_origin none = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(buy_facts(r, err));
    SBL_TRY(plan_rounds(r, 0, err));
    SBL_TRY(check_method(r, err));
    list_assumptions(r, &none);
    SBL_TRY(plan_rest(r, err));
done:
    return status == SBL_OK || sbl_publish_certificate(r->publish) == NULL
               ? status
               : sbl_run_keeps_release(status, r->release.data, SBL_HINT_RESUME, err);
}

static sbl_status begin_without_schema(run *r, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_buy_begin(&r->buy, r->job->input, discover_share(r), r->options, err));
    list_shares(r);
    const sbl_publish_facts facts = publish_facts(r);
    SBL_TRY(sbl_buy_open(&r->publish, r->buy, &facts, err));
    SBL_TRY(go_on_with_bought(r, err));
done:
    return status;
}

/* The rounds that are left, the model and the records; the statement begins with what is to be said
 * of a schema that was bought. */
static sbl_status complete(run *r, char **statement, bool more, sbl_error *err)
{
    char *guarantee = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(open_source(r, err));
    if (more) SBL_TRY(release_all(r, err));
    SBL_TRY(fit_and_draw(r, err));
    SBL_TRY(finish(r, &guarantee, err));
    sbl_text_printf(&r->remarks, "%s", guarantee);
    if (r->remarks.failed) SBL_FAIL(err, SBL_EMEM, "out of memory");
    if (statement != NULL) {
        *statement = r->remarks.data;
        r->remarks = (sbl_text){0};
    }
done:
    sbl_free(guarantee);
    return status;
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
    SBL_TRY(buys(job) ? begin_without_schema(&r, err) : begin_with_schema(&r, &origin, err));
    SBL_TRY(complete(&r, statement, true, err));
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
    SBL_TRY(sbl_rounds_show(text, &r.rounds, n != 0 ? n : r.source->count, json, &r.planning, err));
done:
    clear_run(&r);
    return status;
}

/* The releases of the stopped run, which publish and rounds share. */
static sbl_status load_known(run *r, sbl_error *err)
{
    const sbl_status status = sbl_releases_load(&r->known, &r->known_count, r->release.data, err);
    if (status != SBL_OK) return status;
    r->listed = sbl_alloc_array(r->known_count, sizeof *r->listed);
    if (r->listed == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    for (size_t i = 0; i < r->known_count; i++) r->listed[i] = r->known[i];
    return SBL_OK;
}

/* A run that bought its schema: as far as the releases go. bought: of them, those of the schema. */
static sbl_status resume_buying(run *r, size_t bought, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_buy_begin(&r->buy, r->job->input, discover_share(r), r->options, err));
    SBL_TRY(sbl_buy_replay(r->buy, r->listed, bought, r->release.data, err));
    if (r->known_count > bought) {
        if (!sbl_buy_is_done(r->buy))
            SBL_FAIL(err, SBL_EINPUT, "%s: releases of the schema are missing", r->release.data);
        SBL_TRY(buy_facts(r, err));
        goto done;
    }
    list_shares(r);
    const sbl_publish_facts facts = publish_facts(r);
    SBL_TRY(sbl_publish_resume(&r->publish, &facts, r->listed, bought, err));
    SBL_TRY(go_on_with_bought(r, err));
done:
    return status;
}

/* The rounds of the method that are there, and whether there is one more. */
static sbl_status resume_rounds(run *r, bool *more, const sbl_image_origin *origin, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_rounds_of_releases(&r->rounds, &r->planned, r->known, r->known_count, r->options,
                                   r->release.data, err));
    r->rounds.facts = &r->facts;
    r->planning = *r->options;
    r->planning.delta = sbl_delta_of_options(r->options, r->rounds.items[0].release->n);
    SBL_TRY(check_rereading(r, err));
    SBL_TRY(sbl_rounds_same_facts(&r->rounds, &r->planned, r->release.data, err));
    list_assumptions(r, origin);
    list_shares(r);
    const sbl_publish_facts facts = publish_facts(r);
    SBL_TRY(sbl_publish_resume(&r->publish, &facts, r->listed, r->known_count, err));
    SBL_TRY(open_source(r, err));
    SBL_TRY(sbl_rounds_next(more, &r->rounds, r->options, err));
done:
    return status;
}

/* Was the run begun as it is resumed, with a schema or without one? */
static sbl_status check_resumed(const run *r, size_t bought, sbl_error *err)
{
    if (buys(r->job) == (bought > 0)) return SBL_OK;
    return bought > 0
               ? sbl_fail(err, SBL_EARG, "%s bought its schema: resume it without naming one",
                          r->release.data)
               : sbl_fail(err, SBL_EARG, "%s was begun with a schema: name it", r->release.data);
}

sbl_status sbl_job_resume(char **statement, const sbl_job *job, sbl_error *err)
{
    run r = {.job = job, .options = job->options};
    sbl_image_origin origin = {0};
    size_t bought = 0;
    bool more = true;
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_TRY(find_facts(&r, &origin, err));
    SBL_TRY(name_files(&r, err));
    SBL_TRY(load_known(&r, err));
    SBL_TRY(check_files(&r, err));
    SBL_TRY(sbl_buy_count(&bought, r.known, r.known_count, r.release.data, err));
    SBL_TRY(check_resumed(&r, bought, err));
    if (bought > 0) SBL_TRY(resume_buying(&r, bought, err));
    if (r.known_count > bought) SBL_TRY(resume_rounds(&r, &more, &origin, err));
    SBL_TRY(complete(&r, statement, more, err));
done:
    clear_run(&r);
    return status;
}
