#include "api/prune.h"

#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "rules/rules.h"
#include "schema/schema.h"

/* Can this list of constraints be kept? Only what has nothing to do with the list is a failure. */
static sbl_status try_constraints(bool *good, json_t *schema, json_t *list, const char *where,
                                  sbl_error *err)
{
    json_t *options = json_object_get(schema, "semblance");
    sbl_schema *parsed = NULL;
    sbl_rules *rules = NULL;
    sbl_status status = SBL_OK;
    *good = false;
    if (json_object_set(options, "constraints", list) != 0)
        return sbl_fail(err, SBL_EMEM, "out of memory for constraints");
    char *text = sbl_json_canonical(schema);
    if (text == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for constraints");
    SBL_TRY(sbl_schema_parse(&parsed, text, strlen(text), where, err));
    SBL_TRY(sbl_rules_new(&rules, parsed, err));
    *good = true;
done:
    (void)json_object_del(options, "constraints");
    sbl_rules_free(rules);
    sbl_schema_free(parsed);
    sbl_free(text);
    return status == SBL_EINPUT ? SBL_OK : status;
}

static sbl_status prune(json_t *schema, json_t *proposals, json_t *kept, const char *where,
                        sbl_error *err)
{
    for (size_t i = 0; i < json_array_size(proposals);) {
        const json_t *item = json_array_get(proposals, i);
        json_t *own = json_object_get(json_object_get(item, "semblance"), "constraints");
        const size_t before = json_array_size(kept);
        bool good = true;
        if (own != NULL) {
            sbl_status status = json_array_extend(kept, own) == 0
                                    ? try_constraints(&good, schema, kept, where, err)
                                    : sbl_fail(err, SBL_EMEM, "out of memory for constraints");
            if (status != SBL_OK) return status;
        }
        if (good) {
            i++;
            continue;
        }
        while (json_array_size(kept) > before) (void)json_array_remove(kept, before);
        (void)json_array_remove(proposals, i);
    }
    return SBL_OK;
}

sbl_status sbl_schema_prune(char **json, const char *where, sbl_error *err)
{
    json_t *schema = NULL;
    json_t *kept = json_array();
    sbl_status status = SBL_OK;
    if (kept == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for constraints");
    SBL_TRY(sbl_json_parse(&schema, *json, strlen(*json), where, err));
    json_t *options = json_object_get(schema, "semblance");
    json_t *proposals = json_object_get(options, "proposals");
    const size_t count = json_array_size(proposals);
    SBL_TRY(prune(schema, proposals, kept, where, err));
    if (json_array_size(proposals) < count) {
        if (json_array_size(proposals) == 0) (void)json_object_del(options, "proposals");
        char *text = sbl_json_pretty(schema);
        if (text == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for a schema");
        sbl_free(*json);
        *json = text;
    }
done:
    json_decref(kept);
    json_decref(schema);
    return status;
}
