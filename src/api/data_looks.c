/* Looks at records in memory, for their owner: NOT PRIVATE. What reads files is given the table as CSV text in
 * memory, which only this process can open and which is gone when the call ends. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/data.h"
#include "base/caller_struct.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "evaluate/evaluation_text.h"
#include "report/report.h"
#include "schema/schema.h"
#include "semblance/synth.h"

/* ---- tables as files that nobody else sees ---- */

static sbl_status open_spill(sbl_spill *spill, sbl_error *err)
{
    spill->descriptor = memfd_create("semblance", MFD_CLOEXEC);
    if (spill->descriptor < 0)
        return sbl_fail(err, SBL_EIO, "no room could be made for a table in memory");
    (void)snprintf(spill->path, sizeof spill->path, "/proc/self/fd/%d", spill->descriptor);
    return SBL_OK;
}

void sbl_spill_close(sbl_spill *spill)
{
    if (spill->descriptor >= 0) (void)close(spill->descriptor);
    spill->descriptor = -1;
}

sbl_status sbl_spill_table(sbl_spill *spill, sbl_data *data, const sbl_schema *schema,
                           sbl_error *err)
{
    sbl_arrow_origin origin;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_data_table(&origin, data, err));
    SBL_TRY(open_spill(spill, err));
    SBL_TRY(sbl_arrow_write_csv(spill->descriptor, data->name, &origin, schema, err));
done:
    return status;
}

sbl_status sbl_spill_text(sbl_spill *spill, const char *text, sbl_error *err)
{
    const sbl_status status = open_spill(spill, err);
    return status == SBL_OK ? sbl_write_all(spill->descriptor, text, strlen(text), "memory", err)
                            : status;
}

void sbl_error_rename(sbl_error *err, const char *path, const char *name)
{
    char *at;
    const size_t size = strlen(path);
    if (err == NULL || size == 0) return;
    while ((at = strstr(err->message, path)) != NULL) {
        char rest[SBL_ERROR_MESSAGE_SIZE];
        const size_t before = (size_t)(at - err->message);
        (void)snprintf(rest, sizeof rest, "%s", at + size);
        (void)snprintf(at, sizeof err->message - before, "%s%s", name, rest);
    }
    if (strncmp(err->file, path, size) == 0) err->file[0] = '\0';
}

/* The schema as a file of the usual dialect, which tables in memory are written in. */
static sbl_status spill_schema(sbl_spill *spill, const sbl_schema *schema, sbl_error *err)
{
    sbl_schema usual = *schema;
    usual.dialect = SBL_DIALECT_USUAL;
    char *text = sbl_schema_json(&usual);
    if (text == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a schema");
    const sbl_status status = sbl_spill_text(spill, text, err);
    sbl_free(text);
    return status;
}

/* ---- looks ---- */

sbl_status sbl_data_guess_schema(char **json, char **notes, sbl_data *data, sbl_error *err)
{
    sbl_spill table = SBL_NO_SPILL;
    char *own_notes = NULL;
    sbl_status status = SBL_OK;
    if (json != NULL) *json = NULL;
    if (notes != NULL) *notes = NULL;
    SBL_NEED(json);
    SBL_NEED(data);
    SBL_TRY(sbl_spill_table(&table, data, NULL, err));
    SBL_TRY(sbl_schema_guess(json, &own_notes, table.path, NULL, false, NULL, err));
    if (notes != NULL) {
        *notes = own_notes;
        own_notes = NULL;
    }
done:
    if (status != SBL_OK && data != NULL) sbl_error_rename(err, table.path, data->name);
    sbl_free(own_notes);
    sbl_spill_close(&table);
    return status;
}

sbl_status sbl_data_check_schema(char **text, sbl_data *data, const sbl_schema *schema,
                                 sbl_error *err)
{
    sbl_spill table = SBL_NO_SPILL;
    sbl_spill file = SBL_NO_SPILL;
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    SBL_NEED(data);
    SBL_NEED(schema);
    SBL_TRY(sbl_spill_table(&table, data, schema, err));
    SBL_TRY(spill_schema(&file, schema, err));
    SBL_TRY(sbl_schema_check(text, file.path, table.path, NULL, err));
done:
    if (status != SBL_OK && data != NULL) {
        sbl_error_rename(err, table.path, data->name);
        sbl_error_rename(err, file.path, "the schema");
    }
    sbl_spill_close(&table);
    sbl_spill_close(&file);
    return status;
}

/* ---- evaluation ---- */

/* What an evaluation reads, and the document it makes. */
typedef struct evaluation {
    sbl_spill real, synthetic, train, schema;
    sbl_evaluate_options options;
    const char *report_path;
    json_t *document;
    char *json;
} evaluation;

static sbl_status prepare(evaluation *work, sbl_data *real, sbl_data *synthetic, sbl_data *train,
                          const sbl_schema *schema, sbl_error *err)
{
    sbl_evaluate_options *options = &work->options;
    sbl_status status = SBL_OK;
    if (options->public_only) SBL_FAIL(err, SBL_EARG, "a public report is made without real data");
    work->report_path = options->report_path;
    if (work->report_path != NULL)
        SBL_TRY(sbl_file_check_target(work->report_path, options->overwrite, err));
    SBL_TRY(spill_schema(&work->schema, schema, err));
    SBL_TRY(sbl_spill_table(&work->real, real, schema, err));
    SBL_TRY(sbl_spill_table(&work->synthetic, synthetic, schema, err));
    if (train != NULL) SBL_TRY(sbl_spill_table(&work->train, train, schema, err));
    options->train_path = train != NULL ? work->train.path : NULL;
    options->certificate_path = NULL;
    options->report_path = NULL;
done:
    return status;
}

/* The document calls tables by their names. */
static bool name_input(const json_t *document, const char *role, const sbl_data *data)
{
    json_t *input = json_object_get(json_object_get(document, "inputs"), role);
    return data == NULL || json_object_set_new(input, "path", json_string(data->name)) == 0;
}

static sbl_status name_inputs(evaluation *work, const sbl_data *real, const sbl_data *synthetic,
                              const sbl_data *train, sbl_error *err)
{
    sbl_text line = {0};
    char *canonical = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_parse(&work->document, work->json, strlen(work->json), "the evaluation", err));
    sbl_free(work->json);
    work->json = NULL;
    if (name_input(work->document, "real", real) &&
        name_input(work->document, "synthetic", synthetic) &&
        name_input(work->document, "train", train))
        canonical = sbl_json_canonical(work->document);
    if (canonical != NULL) sbl_text_printf(&line, "%s\n", canonical);
    if (canonical == NULL || line.failed)
        SBL_FAIL(err, SBL_EMEM, "out of memory for an evaluation");
    work->json = line.data;
    line = (sbl_text){0};
done:
    sbl_text_clear(&line);
    sbl_free(canonical);
    return status;
}

static sbl_status make_reports(const evaluation *work, char **text, char **report,
                               const char *certificate, sbl_error *err)
{
    const sbl_report_options page = {.title = work->options.title,
                                     .overwrite = work->options.overwrite};
    sbl_status status = SBL_OK;
    if (work->report_path != NULL)
        SBL_TRY(sbl_report_write(work->report_path, certificate, work->json, &page, err));
    if (report != NULL) SBL_TRY(sbl_report_render(report, certificate, work->json, &page, err));
    if (text == NULL) goto done;
    *text = sbl_evaluation_text(work->document);
    if (*text == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for an evaluation");
done:
    return status;
}

static void rename_all(sbl_error *err, const evaluation *work, const sbl_data *real,
                       const sbl_data *synthetic, const sbl_data *train)
{
    sbl_error_rename(err, work->real.path, real->name);
    sbl_error_rename(err, work->synthetic.path, synthetic->name);
    if (train != NULL) sbl_error_rename(err, work->train.path, train->name);
    sbl_error_rename(err, work->schema.path, "the schema");
}

static void finish(evaluation *work)
{
    sbl_spill_close(&work->real);
    sbl_spill_close(&work->synthetic);
    sbl_spill_close(&work->train);
    sbl_spill_close(&work->schema);
    json_decref(work->document);
    sbl_free(work->json);
}

sbl_status sbl_data_evaluate(char **json, char **text, char **report, sbl_data *real,
                             sbl_data *synthetic, sbl_data *train, const sbl_schema *schema,
                             const char *certificate, const sbl_evaluate_options *options,
                             sbl_error *err)
{
    evaluation work = {.real = SBL_NO_SPILL,
                       .synthetic = SBL_NO_SPILL,
                       .train = SBL_NO_SPILL,
                       .schema = SBL_NO_SPILL,
                       .options = {.struct_size = sizeof work.options}};
    sbl_status status = SBL_OK;
    if (json != NULL) *json = NULL;
    if (text != NULL) *text = NULL;
    if (report != NULL) *report = NULL;
    SBL_NEED(real);
    SBL_NEED(synthetic);
    SBL_NEED(schema);
    SBL_TRY(sbl_struct_take(&work.options, sizeof work.options, options, "options", err));
    SBL_TRY(prepare(&work, real, synthetic, train, schema, err));
    status = sbl_evaluate_tables(&work.json, NULL, work.real.path, work.synthetic.path,
                                 work.schema.path, &work.options, err);
    if (status != SBL_OK) {
        rename_all(err, &work, real, synthetic, train);
        goto done;
    }
    SBL_TRY(name_inputs(&work, real, synthetic, train, err));
    SBL_TRY(make_reports(&work, text, report, certificate, err));
    if (json != NULL) {
        *json = work.json;
        work.json = NULL;
    }
done:
    if (status != SBL_OK && report != NULL) {
        sbl_free(*report);
        *report = NULL;
    }
    finish(&work);
    return status;
}
