/* Everything of a run that comes before its first record: where the facts come from, what its
 * files are named, whether any two of them collide, and what the certificate must list as
 * assumed public. */
#include "pipeline/run.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "options/defaults.h"
#include "options/options.h"
#include "pipeline/dialect.h"
#include "pipeline/ledger_place.h"
#include "pipeline/run_common.h"
#include "semblance/files.h"

void sbl_run_clear(sbl_run *r)
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

bool sbl_run_draws(const sbl_job *job)
{
    return job->data == SBL_DATA_IMAGES ? job->folder.folder != NULL : job->output != NULL;
}

/* Where the records are; NULL: in memory. */
static const char *input_of(const sbl_job *job)
{
    if (job->memory != NULL) return NULL;
    return job->data == SBL_DATA_IMAGES ? job->origin.images : job->input;
}

bool sbl_run_is_stream(const sbl_job *job)
{
    if (job->memory != NULL && job->memory->table != NULL) return !job->memory->table->can_rewind;
    return job->input != NULL && sbl_source_is_stream(job->input);
}

bool sbl_run_has_table(const sbl_job *job)
{
    return job->input != NULL || (job->memory != NULL && job->memory->table != NULL);
}

/* ---- public facts and names, before any record is read ---- */

double sbl_run_discover_share(const sbl_run *r)
{
    return r->options->discover_share != 0.0 ? r->options->discover_share
                                             : SBL_DEFAULT_DISCOVER_SHARE;
}

bool sbl_run_buys(const sbl_job *job)
{
    return job->data == SBL_DATA_TABLE && job->schema_path == NULL;
}

static sbl_status open_memory_images(sbl_run *r, sbl_error *err)
{
    const sbl_image_memory *images = r->job->memory->images;
    const sbl_status status = sbl_facts_of_images(&r->facts, &images->facts, images->balanced, err);
    return status == SBL_OK ? sbl_source_open_memory(&r->source, &images->records,
                                                     r->job->memory->name, &r->facts, err)
                            : status;
}

/* Of the schema alone, which is public. */
static void warn_of_guess(const sbl_run *r, const sbl_schema *schema)
{
    if (r->options->advice != NULL && sbl_origin_is_guess(schema->origin))
        r->options->advice(
            r->options->context, SBL_ADVICE_GUESSED,
            "WARNING: the schema was guessed from the records, and what is released takes its "
            "bounds and categories as public: put in their place what is known anyway, and accept "
            "it");
}

sbl_status sbl_run_find_facts(sbl_run *r, sbl_image_origin *origin, sbl_error *err)
{
    const sbl_job *job = r->job;
    sbl_schema *schema = NULL;
    if (sbl_run_buys(job)) return SBL_OK;
    if (job->data == SBL_DATA_TABLE) {
        const sbl_dialect_given given = sbl_dialect_of_options(r->options);
        sbl_status status = sbl_schema_read(&schema, job->schema_path, err);
        if (status == SBL_OK) status = sbl_schema_apply_dialect(schema, &given, err);
        if (status == SBL_OK) warn_of_guess(r, schema);
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

sbl_status sbl_run_name_files(sbl_run *r, sbl_error *err)
{
    const sbl_job *job = r->job;
    const sbl_synth_options *options = r->options;
    const bool images = job->data == SBL_DATA_IMAGES;
    const bool named = options->release_path != NULL && options->certificate_path != NULL;
    const char *name = images ? job->folder.folder : job->output;
    if (name == NULL) name = job->model_path;
    if (images && sbl_run_draws(job)) {
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
    if (sbl_run_buys(job) && strcmp(name, "-") == 0)
        sbl_text_printf(&r->schema, "%s.schema.json", r->release.data);
    else if (sbl_run_buys(job))
        sbl_text_printf(&r->schema, "%.*s.schema.json", (int)length, name);
    return r->release.failed || r->certificate.failed || r->schema.failed || r->checkpoint.failed
               ? sbl_fail(err, SBL_EMEM, "out of memory for a file name")
               : SBL_OK;
}

sbl_status sbl_run_check_files(const sbl_run *r, sbl_error *err)
{
    const sbl_job *job = r->job;
    const bool table = job->data == SBL_DATA_TABLE;
    const char *output = table ? job->output : NULL;
    sbl_ledger_choice book;
    sbl_status status =
        sbl_ledger_choose(&book, r->options->ledger_path, input_of(job), r->release.data, err);
    const sbl_named_file paths[] = {
        {table ? "the input" : "the images", input_of(job), false},
        {"the labels", table ? NULL : job->origin.labels, false},
        {"the schema", table ? job->schema_path : NULL, false},
        {"the encoder", r->options->encoder, false},
        {"the ledger", book.path.data, false},
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
    SBL_TRY(sbl_files_check(paths, sizeof paths / sizeof paths[0], err));
    if (job->model_path != NULL)
        SBL_TRY(sbl_file_check_target(job->model_path, r->options->overwrite, err));
    if (r->schema.data != NULL && r->known_count == 0)
        SBL_TRY(sbl_file_check_target(r->schema.data, r->options->overwrite, err));
    if (output != NULL) SBL_TRY(sbl_sink_check_table(output, err));
    if (output != NULL && strcmp(output, "-") != 0)
        SBL_TRY(sbl_file_check_target(output, r->options->overwrite, err));
    if (!table && sbl_run_draws(job))
        SBL_TRY(sbl_image_files_check(&r->images, &job->folder, &r->facts, job->rows,
                                      r->options->overwrite, err));
done:
    sbl_text_clear(&book.path);
    return status;
}

static bool makes_columns(const sbl_schema *schema)
{
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].made != SBL_SYNTHETIC_NOT) return true;
    return false;
}

void sbl_run_list_assumptions(sbl_run *r, const sbl_image_origin *origin)
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
        if (count < SBL_MOST_ASSUMPTIONS) list[count++] = *also;
    if (r->rounds.method->assume != NULL)
        r->rounds.method->assume(&r->also, &r->facts, &r->rounds.items[0]);
    if (r->also.data != NULL && !r->also.failed && count < SBL_MOST_ASSUMPTIONS)
        list[count++] = r->also.data;
    r->assumption_count = count;
}

void sbl_run_list_shares(sbl_run *r)
{
    const size_t bought = r->buy != NULL ? sbl_buy_rounds(r->buy) : 0;
    r->round_count = bought + r->rounds.most;
    if (bought > 0) memcpy(r->shares, sbl_buy_shares(r->buy), bought * sizeof *r->shares);
    memcpy(r->shares + bought, r->rounds.shares, r->rounds.most * sizeof *r->shares);
}

sbl_publish_facts sbl_run_publish_facts(const sbl_run *r)
{
    const bool planned = r->rounds.method != NULL;
    return (sbl_publish_facts){
        .data = r->job->data,
        .facts = &r->facts,
        .method = planned ? r->rounds.method->name : SBL_BUY_METHOD,
        .title = r->options->title,
        .by = r->options->by,
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

sbl_status sbl_run_check_rereading(const sbl_run *r, sbl_error *err)
{
    const sbl_job *job = r->job;
    const bool stream =
        job->data == SBL_DATA_TABLE ? sbl_run_is_stream(job) : !r->source->can_rewind;
    return r->rounds.most > 1 && stream
               ? sbl_fail(err, SBL_EARG,
                          "method '%s' reads the data %zu times: give a file, not a stream",
                          r->rounds.method->name, r->rounds.most)
               : SBL_OK;
}

sbl_status sbl_run_open_source(sbl_run *r, sbl_error *err)
{
    const sbl_arrow_origin *arrow = r->job->memory != NULL ? r->job->memory->table : NULL;
    if (r->source == NULL && arrow != NULL)
        return sbl_source_open_arrow(&r->source, arrow, &r->facts, r->options->notice,
                                     r->options->context, err);
    return r->source != NULL ? SBL_OK
                             : sbl_source_open_table(&r->source, r->job->input, &r->facts,
                                                     r->options->notice, r->options->context, err);
}
