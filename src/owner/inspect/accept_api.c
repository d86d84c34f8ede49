/* SPDX-License-Identifier: Apache-2.0 */
/* An inspected schema becomes the owner's: proposals are taken or struck, and what is left is public. */
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "owner/inspect/prune.h"
#include "public/schema/proposals.h"
#include "public/schema/schema_type.h"
#include "records/source/schema_load.h"
#include "semblance/files.h"
#include "semblance/synthesizer.h"

#define SCHEMA_FILE_LIMIT ((size_t)64 << 20)

static sbl_status read_and_accept(char **text, sbl_text *said, const char *path, const char *take,
                                  sbl_error *err)
{
    json_t *object = NULL;
    sbl_schema *schema = NULL;
    size_t taken;
    size_t struck;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_schema_load(&schema, path, false, err));
    SBL_TRY(sbl_json_read(&object, path, SCHEMA_FILE_LIMIT, err));
    SBL_TRY(sbl_proposals_accept(object, take, &taken, &struck, path, err));
    SBL_TRY(sbl_schema_judge(object, path, err));
    *text = sbl_json_pretty(object);
    if (*text == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for a schema");
    sbl_text_printf(said, "accepted: what it says of the columns is public");
    if (taken + struck > 0)
        sbl_text_printf(said, "; %zu of %zu proposals taken, %zu dropped", taken, taken + struck, struck);
    sbl_text_printf(said, "\n");
done:
    json_decref(object);
    sbl_schema_free(schema);
    return status;
}

sbl_status sbl_schema_accept(char **schema, char **words, const char *schema_path, const char *take,
                             const char *output, bool overwrite, sbl_error *err)
{
    const sbl_file_write_options as_public = {.mode = 0644, .overwrite = overwrite};
    sbl_text said = {0};
    sbl_status status = SBL_OK;
    if (schema != NULL) *schema = NULL;
    if (words != NULL) *words = NULL;
    SBL_NEED(schema);
    SBL_NEED(words);
    SBL_NEED(schema_path);
    const sbl_named_file target = {"the accepted schema", output, true};
    SBL_TRY(sbl_files_check(&target, 1, err));
    if (output != NULL) SBL_TRY(sbl_file_check_target(output, overwrite, err));
    SBL_TRY(read_and_accept(schema, &said, schema_path, take, err));
    if (said.failed) SBL_FAIL(err, SBL_EMEM, "out of memory");
    if (output != NULL) SBL_TRY(sbl_file_write(output, *schema, strlen(*schema), as_public, err));
    *words = said.data;
    said = (sbl_text){0};
done:
    sbl_text_clear(&said);
    if (status != SBL_OK && schema != NULL) {
        sbl_free(*schema);
        *schema = NULL;
    }
    return status;
}
