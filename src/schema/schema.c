#include "schema/schema.h"

#include <string.h>

#include "base/memory.h"
#include "schema/field.h"

void sbl_schema_free(sbl_schema *schema)
{
    if (schema == NULL) return;
    for (size_t i = 0; i < schema->column_count; i++) sbl_column_clear(&schema->columns[i]);
    sbl_free(schema->columns);
    sbl_free(schema);
}

sbl_status sbl_schema_hash(uint8_t digest[SBL_SHA256_SIZE], const sbl_schema *schema,
                           sbl_error *err)
{
    char *text = sbl_schema_json(schema);
    if (text == NULL) return sbl_fail(err, SBL_EMEM, "out of memory while hashing a schema");
    const sbl_status status = sbl_sha256(digest, text, strlen(text), NULL, 0, err);
    sbl_free(text);
    return status;
}
