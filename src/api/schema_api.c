/* What a schema's columns become, and what a table holds that it does not foresee. */
#include "base/text.h"
#include "schema/schema.h"
#include "semblance/synth.h"
#include "table/diagnose.h"

sbl_status sbl_schema_check(char **text, const char *schema_path, const char *input, sbl_error *err)
{
    sbl_schema *schema = NULL;
    sbl_diagnosis diagnosis = {0};
    sbl_text words = {0};
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    SBL_NEED(schema_path);
    SBL_TRY(sbl_schema_read(&schema, schema_path, err));
    sbl_schema_describe(&words, schema);
    if (input != NULL) {
        SBL_TRY(sbl_table_diagnose(&diagnosis, input, schema, NULL, err));
        sbl_text_printf(&words, "\n");
        sbl_diagnosis_describe(&words, &diagnosis, schema);
    }
    if (words.failed) SBL_FAIL(err, SBL_EMEM, "out of memory");
    *text = words.data;
    words = (sbl_text){0};
done:
    sbl_text_clear(&words);
    sbl_diagnosis_clear(&diagnosis);
    sbl_schema_free(schema);
    return status;
}
