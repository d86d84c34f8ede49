/* SPDX-License-Identifier: Apache-2.0 */
/* Takes all proposals of other kinds first, then the constraints one after the other: each that the parser
 * or the rules would refuse, with those before it, is struck. */
#include "owner/inspect/prune.h"

#include "base/alloc.h"
#include "base/text.h"
#include "public/plan/facts.h"
#include "public/schema/package.h"
#include "public/schema/proposals.h"
#include "records/source/schema_load.h"

sbl_status sbl_schema_judge(const json_t *object, const char *where, sbl_error *err)
{
    json_t *copy = json_deep_copy(object);
    sbl_schema *schema = NULL;
    sbl_facts facts = {0};
    sbl_status status = SBL_OK;
    if (copy == NULL) SBL_TRY(sbl_no_memory(err, where));
    SBL_TRY(sbl_schema_load_object(&schema, copy, where, false, err));
    SBL_TRY(sbl_facts_of_table(&facts, schema, err)); /* takes the schema */
    sbl_facts_clear(&facts);
done:
    json_decref(copy);
    return status;
}

/* NULL: it is a proposal of another kind. */
static json_t *constraints_of(const json_t *proposal)
{
    return json_object_get(json_object_get(proposal, "semblance"), "constraints");
}

/* The options of the table that a proposal is for. */
static json_t *options_of(const json_t *schema, const json_t *proposal)
{
    const char *resource = json_string_value(json_object_get(proposal, "resource"));
    const json_t *own =
        resource != NULL
            ? json_object_get(sbl_json_named(json_object_get(schema, "resources"), resource), "schema")
            : schema;
    return json_object_get(own, "semblance");
}

/* Add the constraints of a proposal, unless the schema would be refused for them. */
static sbl_status try_proposal(bool *good, json_t *schema, const json_t *proposal, const char *where,
                               sbl_error *err)
{
    json_t *options = options_of(schema, proposal);
    json_t *before = json_object_get(options, "constraints");
    json_t *list = before != NULL ? json_copy(before) : json_array();
    sbl_status status = SBL_OK;
    *good = false;
    json_incref(before);
    if (json_array_extend(list, constraints_of(proposal)) != 0 ||
        json_object_set(options, "constraints", list) != 0)
        SBL_TRY(sbl_no_memory(err, "constraints"));
    status = sbl_schema_judge(schema, where, err);
    *good = status == SBL_OK;
    if (status == SBL_EINPUT) status = SBL_OK;
    if (!*good && before != NULL && json_object_set(options, "constraints", before) != 0)
        SBL_TRY(sbl_no_memory(err, "constraints"));
    if (!*good && before == NULL) (void)json_object_del(options, "constraints");
done:
    json_decref(before);
    json_decref(list);
    return status;
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
    if (*taken == NULL || choice.failed) SBL_TRY(sbl_no_memory(err, where));
    SBL_TRY(sbl_proposals_accept(*taken, choice.data, &count, &struck, where, err));
done:
    sbl_text_clear(&choice);
    return status;
}

sbl_status sbl_schema_prune(json_t *schema, json_t *struck, const char *where, sbl_error *err)
{
    json_t *options = json_object_get(schema, "semblance");
    json_t *proposals = json_object_get(options, "proposals");
    json_t *taken = NULL;
    sbl_status status = SBL_OK;
    if (json_array_size(proposals) == 0) return SBL_OK;
    SBL_TRY(take_others(&taken, schema, where, err));
    for (size_t i = 0; i < json_array_size(proposals);) {
        json_t *item = json_array_get(proposals, i);
        bool good = true;
        if (constraints_of(item) != NULL) SBL_TRY(try_proposal(&good, taken, item, where, err));
        if (!good && struck != NULL && json_array_append(struck, item) != 0)
            SBL_TRY(sbl_no_memory(err, where));
        if (good)
            i++;
        else
            (void)json_array_remove(proposals, i);
    }
    if (json_array_size(proposals) == 0) (void)json_object_del(options, "proposals");
done:
    json_decref(taken);
    return status;
}
