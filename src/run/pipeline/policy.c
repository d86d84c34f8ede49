/* SPDX-License-Identifier: Apache-2.0 */
/* Every member is known and has its type, or the file is refused: a rule that is misspelt must not be a rule that
 * does not exist. */
#include "run/pipeline/policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/json_fields.h"
#include "base/text.h"
#include "public/account/budget.h"

#define LARGEST_FILE ((size_t)1 << 20)
#define FORMAT "semblance-policy"
#define VERSION 1

static const char *const members[] = {"format", "version", "epsilon_per_period", "epsilon_all_periods",
                                      "delta",  "who",     "title_required"};

static bool is_member(const char *name)
{
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (strcmp(members[i], name) == 0) return true;
    return false;
}

static sbl_status check_members(const json_t *policy, const char *path, sbl_error *err)
{
    const char *name, *format;
    json_t *value;
    uint64_t version;
    SBL_CHECK(sbl_json_get_string(&format, policy, "format", path, err));
    if (strcmp(format, FORMAT) != 0) return sbl_json_fail(path, "format", "is not " FORMAT, err);
    SBL_CHECK(sbl_json_get_u64(&version, policy, "version", path, err));
    if (version != VERSION) return sbl_json_fail(path, "version", "is not 1, which this program reads", err);
    json_object_foreach((json_t *)(uintptr_t)policy, name, value)
    {
        char shown[64];
        (void)snprintf(shown, sizeof shown, "%.63s", name);
        if (!is_member(name))
            return sbl_json_fail(path, sbl_plain_lines(shown), "is not a rule of a policy", err);
    }
    return SBL_OK;
}

/* A limit on epsilon; none where the member is missing. */
static sbl_status read_limit(sbl_budget *limit, const json_t *policy, const char *name, double delta,
                             const char *path, sbl_error *err)
{
    char text[SBL_DOUBLE_TEXT_SIZE];
    double epsilon;
    *limit = (sbl_budget){0};
    if (json_object_get(policy, name) == NULL) return SBL_OK;
    SBL_CHECK(sbl_json_get_double(&epsilon, policy, name, path, err));
    if (!(epsilon > 0.0) || !isfinite(epsilon))
        return sbl_json_fail(path, name, "must be a finite number above 0", err);
    (void)snprintf(limit->epsilon, sizeof limit->epsilon, "%s", sbl_double_to_text(text, epsilon));
    (void)snprintf(limit->delta, sizeof limit->delta, "%s", sbl_double_to_text(text, delta));
    return SBL_OK;
}

static sbl_status read_limits(sbl_ledger_policy *limits, const json_t *policy, const char *path,
                              sbl_error *err)
{
    double delta = SBL_DELTA_USUAL;
    if (json_object_get(policy, "delta") != NULL)
        SBL_CHECK(sbl_json_get_double(&delta, policy, "delta", path, err));
    if (!(delta > 0.0 && delta <= SBL_DELTA_MAX))
        return sbl_json_fail(path, "delta", "must be above 0 and at most 0.001", err);
    SBL_CHECK(read_limit(&limits->period, policy, "epsilon_per_period", delta, path, err));
    return read_limit(&limits->all, policy, "epsilon_all_periods", delta, path, err);
}

static sbl_status check_title(const json_t *policy, const char *title, const char *path, sbl_error *err)
{
    bool required = false;
    if (json_object_get(policy, "title_required") == NULL) return SBL_OK;
    SBL_CHECK(sbl_json_get_bool(&required, policy, "title_required", path, err));
    if (!required || title != NULL) return SBL_OK;
    return sbl_fail(err, SBL_EARG,
                    "policy %s requires a title for the data set: name it with the option title", path);
}

static sbl_status check_who(const json_t *policy, const char *who, const char *path, sbl_error *err)
{
    json_t *list;
    bool found = false;
    if (json_object_get(policy, "who") == NULL) return SBL_OK;
    SBL_CHECK(sbl_json_get_array(&list, policy, "who", path, err));
    if (json_array_size(list) == 0) return sbl_json_fail(path, "who", "must name at least one person", err);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (name == NULL || name[0] == '\0')
            return sbl_json_fail(path, "who", "must be a list of names", err);
        found = found || (who != NULL && strcmp(name, who) == 0);
    }
    return found ? SBL_OK
                 : sbl_fail(err, SBL_EARG,
                            "policy %s does not allow releases by %s: ask a person whom it names", path,
                            who != NULL ? who : "a run that names no person");
}

sbl_status sbl_policy_enforce(sbl_ledger_policy *limits, const char *path, const char *title, const char *who,
                              sbl_error *err)
{
    json_t *policy = NULL;
    sbl_status status = SBL_OK;
    *limits = (sbl_ledger_policy){0};
    SBL_TRY(sbl_json_read(&policy, path, LARGEST_FILE, err));
    SBL_TRY(check_members(policy, path, err));
    SBL_TRY(read_limits(limits, policy, path, err));
    SBL_TRY(check_title(policy, title, path, err));
    SBL_TRY(check_who(policy, who, path, err));
done:
    json_decref(policy);
    return status;
}
