/* Where the facts of a schema came from: no part of what it means, and not to be lost on its way. */
#include <string.h>

#include "base/memory.h"
#include "schema/schema.h"

bool sbl_origin_is_guess(const char *origin)
{
    static const char guessed[] = "guessed";
    return origin != NULL && strncmp(origin, guessed, sizeof guessed - 1) == 0;
}

char *sbl_schema_json_with_origin(const sbl_schema *schema)
{
    json_t *object = sbl_schema_to_json(schema);
    json_t *options = json_object_get(object, "semblance");
    char *text = NULL;
    bool good = object != NULL;
    if (good && schema->origin != NULL) {
        if (options == NULL) {
            options = json_object();
            good = json_object_set_new(object, "semblance", options) == 0;
        }
        good = good && json_object_set_new(options, "origin",
                                           json_pack("{s:s}", "how", schema->origin)) == 0;
    }
    if (good) text = sbl_json_canonical(object);
    json_decref(object);
    return text;
}

sbl_status sbl_schema_copy(sbl_schema **copy, const sbl_schema *schema, sbl_error *err)
{
    char *text = sbl_schema_json_with_origin(schema);
    *copy = NULL;
    if (text == NULL) return sbl_no_memory(err, "a schema");
    const sbl_status status = sbl_schema_parse(copy, text, strlen(text), "the schema", err);
    sbl_free(text);
    return status;
}
