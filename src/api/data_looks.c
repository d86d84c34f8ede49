/* Looks at records in memory, for their owner: NOT PRIVATE. What reads files is given the table as CSV text in
 * memory, which only this process can open and which is gone when the call ends. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/data.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
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

void sbl_spill_reading(sbl_synth_options *options)
{
    options->delimiter = ",";
    options->quote = "\"";
    options->comment = "none";
    options->header = "yes";
    options->encoding = "utf-8";
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

sbl_status sbl_spill_schema(sbl_spill *spill, const sbl_schema *schema, sbl_error *err)
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
    sbl_synth_options reading;
    char *own_notes = NULL;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (json != NULL) *json = NULL;
    if (notes != NULL) *notes = NULL;
    SBL_NEED(json);
    SBL_NEED(data);
    SBL_TRY(sbl_use_begin(&used, &data->mark, SBL_USE_READS, data->name, err));
    SBL_TRY(sbl_spill_table(&table, data, NULL, err));
    sbl_synth_options_init(&reading);
    sbl_spill_reading(&reading);
    SBL_TRY(sbl_schema_guess(json, &own_notes, table.path, NULL, false, &reading, err));
    if (notes != NULL) {
        *notes = own_notes;
        own_notes = NULL;
    }
done:
    if (status != SBL_OK && data != NULL) sbl_error_rename(err, table.path, data->name);
    sbl_free(own_notes);
    sbl_spill_close(&table);
    sbl_use_end(used);
    return status;
}

sbl_status sbl_data_check_schema(char **text, sbl_data *data, const sbl_schema *schema,
                                 sbl_error *err)
{
    sbl_spill table = SBL_NO_SPILL;
    sbl_spill file = SBL_NO_SPILL;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    SBL_NEED(data);
    SBL_NEED(schema);
    SBL_TRY(sbl_use_begin(&used, &data->mark, SBL_USE_READS, data->name, err));
    SBL_TRY(sbl_spill_table(&table, data, schema, err));
    SBL_TRY(sbl_spill_schema(&file, schema, err));
    SBL_TRY(sbl_schema_check(text, file.path, table.path, NULL, err));
done:
    if (status != SBL_OK && data != NULL) {
        sbl_error_rename(err, table.path, data->name);
        sbl_error_rename(err, file.path, "the schema");
    }
    sbl_spill_close(&table);
    sbl_spill_close(&file);
    sbl_use_end(used);
    return status;
}
