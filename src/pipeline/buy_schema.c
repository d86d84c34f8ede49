/* A run that buys a schema and nothing else. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/plain.h"
#include "pipeline/buy.h"
#include "pipeline/job.h"
#include "pipeline/ledger_place.h"
#include "pipeline/run_common.h"
#include "semblance/files.h"

typedef struct run {
    const char *input;
    const char *output;
    const sbl_synth_options *options;
    sbl_text release, certificate;
    sbl_buy *buy;
    sbl_publish *publish;
    sbl_release **known; /* of a stopped run */
    size_t known_count;
} run;

static void clear_run(run *r)
{
    sbl_publish_close(r->publish);
    sbl_buy_free(r->buy);
    for (size_t i = 0; r->known != NULL && i < r->known_count; i++) sbl_release_free(r->known[i]);
    sbl_free(r->known);
    sbl_text_clear(&r->release);
    sbl_text_clear(&r->certificate);
}

static sbl_status name_files(run *r, sbl_error *err)
{
    const sbl_synth_options *options = r->options;
    if (options->release_path != NULL)
        sbl_text_printf(&r->release, "%s", options->release_path);
    else
        sbl_text_printf(&r->release, "%s.release", r->output);
    if (options->certificate_path != NULL)
        sbl_text_printf(&r->certificate, "%s", options->certificate_path);
    else
        sbl_text_printf(&r->certificate, "%s.certificate.json", r->output);
    return r->release.failed || r->certificate.failed
               ? sbl_fail(err, SBL_EMEM, "out of memory for a file name")
               : SBL_OK;
}

static sbl_status check_files(const run *r, sbl_error *err)
{
    sbl_ledger_choice book;
    sbl_status status =
        sbl_ledger_choose(&book, r->options->ledger_path, r->input, r->release.data, err);
    const sbl_named_file paths[] = {
        {"the input", r->input, false},         {"the ledger", book.path.data, false},
        {"the release", r->release.data, true}, {"the certificate", r->certificate.data, true},
        {"the schema", r->output, true},
    };
    if (status == SBL_OK) status = sbl_files_check(paths, sizeof paths / sizeof paths[0], err);
    if (status == SBL_OK) status = sbl_file_check_target(r->output, r->options->overwrite, err);
    sbl_text_clear(&book.path);
    return status;
}

static sbl_publish_facts facts_of(const run *r)
{
    return (sbl_publish_facts){
        .data = SBL_DATA_TABLE,
        .method = SBL_BUY_METHOD,
        .title = r->options->title,
        .by = r->options->by,
        .neighbours = r->options->neighbours,
        .epsilon = r->options->epsilon,
        .delta = sbl_buy_delta(r->buy),
        .keys_delta = SBL_BUY_KEYS_PART * sbl_buy_delta(r->buy),
        .rounds = sbl_buy_rounds(r->buy),
        .shares = sbl_buy_shares(r->buy),
        .input = r->input,
        .ledger_path = r->options->ledger_path,
        .release_path = r->release.data,
        .certificate_path = r->certificate.data,
        .overwrite = r->options->overwrite,
        .also_public = sbl_buy_also_public,
        .also_public_count = 3,
    };
}

static sbl_status open_run(run *r, bool resume, sbl_error *err)
{
    size_t count = 0;
    sbl_publish_facts facts;
    sbl_status status = SBL_OK;
    if (!resume) {
        facts = facts_of(r);
        SBL_TRY(sbl_buy_open(&r->publish, r->buy, &facts, err));
        sbl_run_tell_ledger(r->publish, r->input, r->options);
        goto done;
    }
    SBL_TRY(sbl_releases_load(&r->known, &r->known_count, r->release.data, err));
    SBL_TRY(sbl_buy_count(&count, r->known, r->known_count, r->release.data, err));
    if (count != r->known_count)
        SBL_FAIL(err, SBL_EINPUT, "%s is the release of another run", r->release.data);
    SBL_TRY(
        sbl_buy_replay(r->buy, (const sbl_release *const *)r->known, count, r->release.data, err));
    facts = facts_of(r);
    SBL_TRY(
        sbl_publish_resume(&r->publish, &facts, (const sbl_release *const *)r->known, count, err));
done:
    return status;
}

/* The schema on disk, and the guarantee with what is to be said of the columns. */
static sbl_status finish(const run *r, char **statement, sbl_error *err)
{
    const sbl_file_write_options as_public = {.mode = 0644, .overwrite = r->options->overwrite};
    const char *outputs[] = {r->output};
    sbl_text words = {0};
    sbl_schema *schema = NULL;
    char *text = NULL;
    char *guarantee = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_buy_finish(&text, &schema, &words, r->buy, r->release.data, err));
    SBL_TRY(sbl_file_write(r->output, text, strlen(text), as_public, err));
    SBL_TRY(sbl_publish_finish(r->publish, &guarantee, NULL, outputs, 1, err));
    sbl_text_printf(&words, "%s", guarantee);
    if (words.failed) SBL_FAIL(err, SBL_EMEM, "out of memory");
    if (statement != NULL) {
        *statement = sbl_plain_lines(words.data);
        words = (sbl_text){0};
    }
done:
    sbl_text_clear(&words);
    sbl_schema_free(schema);
    sbl_free(text);
    sbl_free(guarantee);
    return status;
}

sbl_status sbl_buy_schema(char **statement, const char *input, const char *output, bool resume,
                          const sbl_synth_options *options, sbl_error *err)
{
    run r = {.input = input, .output = output, .options = options};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_TRY(name_files(&r, err));
    SBL_TRY(check_files(&r, err));
    SBL_TRY(sbl_buy_begin(&r.buy, input, false, 1.0, options, err));
    SBL_TRY(open_run(&r, resume, err));
    status = sbl_buy_run(r.buy, r.publish, err);
    if (status == SBL_OK) status = finish(&r, statement, err);
    if (status != SBL_OK && sbl_publish_certificate(r.publish) != NULL)
        status = sbl_run_keeps_release(status, r.release.data, SBL_HINT_RESUME, err);
done:
    clear_run(&r);
    return status;
}
