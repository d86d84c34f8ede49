/* SPDX-License-Identifier: Apache-2.0 */
/* The roles id, fake and constant of a column that is not fitted: parsed, checked, written back
 * and put in words. The cells themselves are made in synthetic_ids/. */
#include "public/schema/role.h"

#include <string.h>

#include "base/text.h"

static const char *const role_names[] = {"ignore", "id", "fake", "constant"};
static const char *const fakes[] = {"name", "email", "phone",      "street",
                                    "city", "text",  "first_name", "last_name"};

bool sbl_role_known(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof role_names / sizeof role_names[0]; i++)
        if (strcmp(name, role_names[i]) == 0) return true;
    return false;
}

static sbl_status check_text(const char *text, const char *role, const sbl_field_place *at)
{
    if (strlen(text) > SBL_ROLE_MOST_TEXT)
        return sbl_fail_column(at, "has a semblance.%s of more than %d bytes", role, SBL_ROLE_MOST_TEXT);
    if (sbl_text_has_control(text))
        return sbl_fail_column(at, "has a control character in semblance.%s", role);
    return SBL_OK;
}

static sbl_status check_id(const char *text, const sbl_field_place *at)
{
    size_t digits = 0;
    if (strcmp(text, "sequential") == 0 || strcmp(text, "uuid") == 0) return SBL_OK;
    for (const char *p = text; *p != '\0'; p++) digits += *p == '#';
    if (digits < 1 || digits > SBL_ROLE_MOST_DIGITS)
        return sbl_fail_column(at,
                               "has a semblance.id that is neither 'sequential' nor 'uuid' nor a "
                               "pattern with 1 to %d # for digits",
                               SBL_ROLE_MOST_DIGITS);
    return SBL_OK;
}

static sbl_status check_fake(const char *text, const sbl_field_place *at)
{
    for (size_t i = 0; i < sizeof fakes / sizeof fakes[0]; i++)
        if (strcmp(text, fakes[i]) == 0) return SBL_OK;
    return sbl_fail_column(
        at,
        "has a semblance.fake that is not one of name, first_name, last_name, email, phone, "
        "street, city and text");
}

/* A first name fits the sex that a row has. */
static sbl_status read_sex(sbl_column *column, const json_t *options, const sbl_field_place *at)
{
    const json_t *given = json_object_get(options, "sex");
    const char *text = json_string_value(given);
    const bool named = column->made == SBL_SYNTHETIC_FAKE &&
                       (strcmp(column->made_as, "name") == 0 || strcmp(column->made_as, "first_name") == 0 ||
                        strcmp(column->made_as, "email") == 0);
    if (given == NULL) return SBL_OK;
    if (text == NULL || !named)
        return sbl_fail_column(at,
                               "has a semblance.sex, which names the column of the sex for a fake name, "
                               "first_name or email");
    return sbl_copy_text(&column->made_sex, text, at->where, at->err);
}

sbl_status sbl_roles_check(const sbl_schema *schema, const char *where, sbl_error *err)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        const char *sex = schema->columns[i].made_sex;
        size_t c = 0;
        while (sex != NULL && c < schema->column_count && strcmp(schema->columns[c].name, sex) != 0) c++;
        if (sex != NULL && (c == schema->column_count || schema->columns[c].kind != SBL_COLUMN_CATEGORY))
            return sbl_fail_schema(err, where,
                                   "column '%s' has a semblance.sex that is not the name of a column with "
                                   "categories",
                                   schema->columns[i].name);
    }
    return SBL_OK;
}

/* The role's parameter: the option of its own name. An id counts up by default. */
static sbl_status read_detail(const char **detail, const sbl_column *column, const json_t *options,
                              const sbl_field_place *at)
{
    const char *role = role_names[column->made];
    const json_t *given = json_object_get(options, role);
    *detail = given == NULL && column->made == SBL_SYNTHETIC_ID ? "sequential" : json_string_value(given);
    if (*detail == NULL)
        return sbl_fail_column(at, "has the role '%s', which needs a string in semblance.%s", role, role);
    const sbl_status status = check_text(*detail, role, at);
    if (status != SBL_OK) return status;
    if (column->made == SBL_SYNTHETIC_ID) return check_id(*detail, at);
    return column->made == SBL_SYNTHETIC_FAKE ? check_fake(*detail, at) : SBL_OK;
}

sbl_status sbl_role_parse(sbl_column *column, const json_t *options, const sbl_field_place *at)
{
    const char *role = json_string_value(json_object_get(options, "role"));
    const char *detail;
    for (size_t i = 0; i < sizeof role_names / sizeof role_names[0]; i++) {
        const bool own = role != NULL && strcmp(role, role_names[i]) == 0;
        if (own) column->made = (sbl_synthetic_kind)i;
        if (!own && json_object_get(options, role_names[i]) != NULL)
            return sbl_fail_column(at, "has semblance.%s, but not the role '%s'", role_names[i],
                                   role_names[i]);
    }
    if (column->made != SBL_SYNTHETIC_NOT) {
        SBL_CHECK(read_detail(&detail, column, options, at));
        SBL_CHECK(sbl_copy_text(&column->made_as, detail, at->where, at->err));
    }
    return read_sex(column, options, at);
}

json_t *sbl_role_to_json(const sbl_column *column)
{
    const char *role = role_names[column->made];
    if (column->made == SBL_SYNTHETIC_NOT) return json_pack("{s:s}", "role", role);
    json_t *options = json_pack("{s:s, s:s}", "role", role, role, column->made_as);
    return column->made_sex != NULL ? sbl_json_put(options, "sex", json_string(column->made_sex)) : options;
}

void sbl_role_describe(sbl_text *text, const sbl_column *column)
{
    switch (column->made) {
    case SBL_SYNTHETIC_NOT:
        sbl_text_printf(text, "ignored, not reproduced");
        return;
    case SBL_SYNTHETIC_ID:
        sbl_text_printf(text, "not read -> fresh ids, %s", column->made_as);
        return;
    case SBL_SYNTHETIC_FAKE:
        sbl_text_printf(text, "not read -> made up, %s", column->made_as);
        if (column->made_sex != NULL) sbl_text_printf(text, " by %s", column->made_sex);
        return;
    case SBL_SYNTHETIC_CONSTANT:
        sbl_text_printf(text, "not read -> always '%s'", column->made_as);
        return;
    }
}
