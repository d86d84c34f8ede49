/* Takes all proposals of other kinds first, then the constraints one after the other: each that the parser
 * or the rules would refuse, with those before it, is struck. */
#include "owner/inspect/prune.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/text.h"
#include "public/rules/rules.h"
#include "public/schema/proposals.h"
#include "public/schema/schema_type.h"

/* NULL: it is a proposal of another kind. */
static json_t *constraints_of(const json_t *proposal)
{
    return json_object_get(json_object_get(proposal, "semblance"), "constraints");
}

/* Can this list of constraints be kept? Only what has nothing to do with the list is a failure. */
static sbl_status try_constraints(bool *good, json_t *schema, json_t *list, const char *where, sbl_error *err)
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

static sbl_status prune(json_t *schema, json_t *proposals, json_t *kept, const char *where, sbl_error *err)
{
    for (size_t i = 0; i < json_array_size(proposals);) {
        json_t *own = constraints_of(json_array_get(proposals, i));
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

/* The schema as it is once every proposal but constraints is taken; NULL with a status on failure. */
static sbl_status take_others(json_t **taken, const json_t *schema, const char *where, sbl_error *err)
{
    const json_t *list = json_object_get(json_object_get(schema, "semblance"), "proposals");
    sbl_text choice = {0};
    size_t count;
    size_t struck;
    sbl_status status = SBL_OK;
    *taken = json_deep_copy(schema);
    sbl_text_printf(&choice, "none");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (constraints_of(json_array_get(list, i)) == NULL) sbl_text_printf(&choice, ",%zu", i + 1);
    if (*taken == NULL || choice.failed) SBL_FAIL(err, SBL_EMEM, "out of memory for a schema");
    SBL_TRY(sbl_proposals_accept(*taken, choice.data, &count, &struck, where, err));
done:
    sbl_text_clear(&choice);
    return status;
}

sbl_status sbl_schema_prune(char **json, const char *where, sbl_error *err)
{
    json_t *schema = NULL;
    json_t *taken = NULL;
    json_t *kept = json_array();
    sbl_status status = SBL_OK;
    if (kept == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for constraints");
    SBL_TRY(sbl_json_parse(&schema, *json, strlen(*json), where, err));
    json_t *options = json_object_get(schema, "semblance");
    json_t *proposals = json_object_get(options, "proposals");
    const size_t count = json_array_size(proposals);
    if (count == 0) goto done;
    SBL_TRY(take_others(&taken, schema, where, err));
    SBL_TRY(prune(taken, proposals, kept, where, err));
    if (json_array_size(proposals) < count) {
        if (json_array_size(proposals) == 0) (void)json_object_del(options, "proposals");
        char *text = sbl_json_pretty(schema);
        if (text == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for a schema");
        sbl_free(*json);
        *json = text;
    }
done:
    json_decref(kept);
    json_decref(taken);
    json_decref(schema);
    return status;
}
