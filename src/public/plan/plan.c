/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as canonical JSON with its SHA-256, and the reader. What was read is written again and
 * must give the same text: no member can be present and ignored. */
#include "public/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_fields.h"

#define PLAN_VERSION 4 /* before, each method had a format of its own */

static sbl_status copy_name(char name[SBL_PLAN_NAME_SIZE], const char *from, const char *what, sbl_error *err)
{
    const int length = snprintf(name, SBL_PLAN_NAME_SIZE, "%s", from);
    return length > 0 && length < SBL_PLAN_NAME_SIZE
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "the name of a %s must have 1 to %d characters", what,
                          SBL_PLAN_NAME_SIZE - 1);
}

sbl_status sbl_plan_init(sbl_plan *plan, const char *method, sbl_error *err)
{
    *plan = (sbl_plan){.round = 1, .share = 1.0, .counts_weight = 1.0};
    plan->settings = json_object();
    return plan->settings != NULL ? copy_name(plan->method, method, "method", err)
                                  : sbl_no_memory(err, "a plan");
}

sbl_status sbl_plan_add(sbl_plan *plan, const char *feature, json_t *parameters, double weight,
                        sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (!json_is_object(parameters)) SBL_TRY(sbl_no_memory(err, "a plan"));
    SBL_RESIZE(plan->items, plan->count + 1, "a plan");
    sbl_plan_item *item = &plan->items[plan->count];
    SBL_TRY(copy_name(item->feature, feature, "feature", err));
    item->parameters = json_incref(parameters);
    item->weight = weight;
    plan->count++;
done:
    json_decref(parameters);
    return status;
}

sbl_status sbl_plan_set(sbl_plan *plan, const char *name, json_t *value, sbl_error *err)
{
    return json_object_set_new(plan->settings, name, value) == 0 ? SBL_OK : sbl_no_memory(err, "a plan");
}

void sbl_plan_clear(sbl_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) json_decref(plan->items[i].parameters);
    json_decref(plan->settings);
    sbl_free(plan->items);
    sbl_free(plan->text);
    *plan = (sbl_plan){0};
}

#define AT(member) SBL_JSON_AT(sbl_plan, member)
static const sbl_json_field number_fields[] = {
    {"round", SBL_JSON_WHOLE, AT(round)},
    {"share", SBL_JSON_REAL, AT(share)},
    {"counts", SBL_JSON_BOOL, AT(counts)},
    {"counts_weight", SBL_JSON_REAL, AT(counts_weight)},
    {0},
};
#undef AT

/* ---- writing ---- */

static json_t *items_to_json(const sbl_plan *plan)
{
    json_t *list = json_array();
    for (size_t i = 0; i < plan->count; i++) {
        const sbl_plan_item *item = &plan->items[i];
        list = sbl_json_append(list, json_pack("{s:s, s:O, s:f}", "feature", item->feature, "parameters",
                                               item->parameters, "weight", item->weight));
    }
    return list;
}

/* The settings with the method's name among them. */
static json_t *method_to_json(const sbl_plan *plan)
{
    return sbl_json_put(sbl_json_copy(plan->settings), "name", json_string(plan->method));
}

sbl_status sbl_plan_finish(sbl_plan *plan, const sbl_facts *facts, sbl_error *err)
{
    json_t *root = sbl_json_fields_write(json_object(), plan, number_fields);
    root = sbl_json_put(root, "version", json_integer(PLAN_VERSION));
    root = sbl_json_put(root, "data", sbl_facts_to_json(facts));
    root = sbl_json_put(root, "method", method_to_json(plan));
    root = sbl_json_put(root, "features", items_to_json(plan));
    sbl_free(plan->text);
    plan->text = root != NULL ? sbl_json_canonical(root) : NULL;
    json_decref(root);
    if (plan->text == NULL) return sbl_no_memory(err, "a plan");
    return sbl_sha256(plan->hash, plan->text, strlen(plan->text), NULL, 0, err);
}

/* ---- reading ---- */

static sbl_status read_method(sbl_plan *plan, const json_t *root, const char *where, sbl_error *err)
{
    json_t *method;
    const char *name;
    SBL_CHECK(sbl_json_get_object(&method, root, "method", where, err));
    SBL_CHECK(sbl_json_get_string(&name, method, "name", where, err));
    SBL_CHECK(sbl_plan_init(plan, name, err));
    if (json_object_update(plan->settings, method) != 0 || json_object_del(plan->settings, "name") != 0)
        return sbl_no_memory(err, "a plan");
    return SBL_OK;
}

static sbl_status read_items(sbl_plan *plan, const json_t *root, const char *where, sbl_error *err)
{
    json_t *list;
    sbl_status status = sbl_json_get_array(&list, root, "features", where, err);
    for (size_t i = 0; status == SBL_OK && i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const char *name;
        json_t *parameters;
        double weight;
        SBL_CHECK(sbl_json_get_string(&name, entry, "feature", where, err));
        SBL_CHECK(sbl_json_get_object(&parameters, entry, "parameters", where, err));
        SBL_CHECK(sbl_json_get_double(&weight, entry, "weight", where, err));
        SBL_CHECK(sbl_plan_add(plan, name, json_incref(parameters), weight, err));
    }
    return status;
}

static sbl_status check_numbers(const sbl_plan *plan, const char *where, sbl_error *err)
{
    bool good = plan->share > 0.0 && plan->share <= 1.0 && plan->round >= 1 && plan->count >= 1 &&
                plan->counts_weight > 0.0 && isfinite(plan->counts_weight);
    for (size_t i = 0; i < plan->count; i++)
        good = good && plan->items[i].weight > 0.0 && isfinite(plan->items[i].weight);
    return good ? SBL_OK : sbl_fail(err, SBL_EINPUT, "%s: a number of the plan is out of range", where);
}

static sbl_status read_plan(sbl_plan *plan, sbl_facts *facts, const json_t *root, const char *where,
                            sbl_error *err)
{
    uint64_t version;
    json_t *data;
    SBL_CHECK(sbl_json_get_u64(&version, root, "version", where, err));
    if (version != PLAN_VERSION)
        return sbl_fail(err, SBL_EINPUT,
                        "%s: the plan does not have version %d; use the program that made it", where,
                        PLAN_VERSION);
    SBL_CHECK(read_method(plan, root, where, err));
    SBL_CHECK(sbl_json_fields_read(plan, root, number_fields, where, err));
    SBL_CHECK(read_items(plan, root, where, err));
    SBL_CHECK(check_numbers(plan, where, err));
    SBL_CHECK(sbl_json_get_object(&data, root, "data", where, err));
    SBL_CHECK(sbl_facts_from_json(facts, data, where, err));
    return sbl_plan_finish(plan, facts, err);
}

sbl_status sbl_plan_parse(sbl_plan *plan, sbl_facts *facts, const char *text, const char *where,
                          sbl_error *err)
{
    json_t *root = NULL;
    *plan = (sbl_plan){0};
    *facts = (sbl_facts){0};
    sbl_status status = sbl_json_parse(&root, text, strlen(text), where, err);
    if (status == SBL_OK) status = read_plan(plan, facts, root, where, err);
    if (status == SBL_OK && strcmp(plan->text, text) != 0)
        status = sbl_fail(err, SBL_EINPUT, "%s: the plan holds facts that this version does not know", where);
    json_decref(root);
    if (status == SBL_EARG) status = SBL_EINPUT;
    if (status != SBL_OK) {
        sbl_plan_clear(plan);
        sbl_facts_clear(facts);
    }
    return status;
}
