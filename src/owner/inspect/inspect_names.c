/* SPDX-License-Identifier: Apache-2.0 */
/* Names of people: columns that are called so and hold capitalised words without digits. They are proposed as made-up
 * names, which fit the sex where a column holds it. */
#include "owner/inspect/inspect_column.h"

#include <string.h>
#include <strings.h>

#define LEAST_VALUES 5 /* different names */
#define MOST_LENGTH 40 /* of a column's name without its signs */
#define CAPITAL 0.9    /* of the values begin with a capital letter */

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* Names of columns, in small letters and without signs, and the fake values for them. */
static const struct {
    const char *column, *fake;
} known[] = {{"name", "name"},
             {"fullname", "name"},
             {"personname", "name"},
             {"patientname", "name"},
             {"patname", "name"},
             {"customername", "name"},
             {"clientname", "name"},
             {"membername", "name"},
             {"studentname", "name"},
             {"employeename", "name"},
             {"kundenname", "name"},
             {"patientenname", "name"},
             {"firstname", "first_name"},
             {"givenname", "first_name"},
             {"forename", "first_name"},
             {"vorname", "first_name"},
             {"prenom", "first_name"},
             {"lastname", "last_name"},
             {"familyname", "last_name"},
             {"surname", "last_name"},
             {"nachname", "last_name"},
             {"familienname", "last_name"},
             {"zuname", "last_name"}};

static const char *fake_of(const char *name)
{
    char plain[MOST_LENGTH + 1] = {0};
    size_t length = 0;
    for (; *name != '\0' && length < MOST_LENGTH; name++) {
        const char small = (char)(*name | 32);
        if (small >= 'a' && small <= 'z') plain[length++] = small;
    }
    for (size_t i = 0; *name == '\0' && i < COUNT(known); i++)
        if (strcmp(plain, known[i].column) == 0) return known[i].fake;
    return NULL;
}

/* Letters beyond ASCII may be capitals. */
static bool holds_names(const sbl_inspect_column *column)
{
    size_t capital = 0;
    if (column->kind != SBL_INSPECT_TEXTS && column->kind != SBL_INSPECT_CATEGORIES) return false;
    if (column->value_count < LEAST_VALUES || column->wordy * 20 < (column->cells - column->missing) * 19)
        return false;
    for (size_t i = 0; i < SBL_INSPECT_SLOTS; i++) {
        const char *text = column->values[i].text;
        capital += text != NULL && ((*text >= 'A' && *text <= 'Z') || (unsigned char)*text >= 0x80);
    }
    return (double)capital >= CAPITAL * (double)column->value_count;
}

/* The column of the sex; NULL: there is none. */
static const char *find_sex(const sbl_inspect_column *columns, size_t count)
{
    static const char *const names[] = {"sex", "gender", "geschlecht", "sexe", "sexo"};
    static const char *const words[] = {"f",        "m",         "w",   "female", "male",
                                        "weiblich", "maennlich", "man", "woman",  "m\xc3\xa4nnlich"};
    for (size_t i = 0; i < count; i++) {
        const sbl_inspect_column *column = &columns[i];
        size_t found = 0;
        if (column->kind != SBL_INSPECT_CATEGORIES || column->unnamed) continue;
        for (size_t v = 0; v < SBL_INSPECT_SLOTS; v++) {
            const char *text = column->values[v].text;
            found += text != NULL && sbl_inspect_is_among(words, COUNT(words), text, strlen(text));
        }
        const bool called = sbl_inspect_is_among(names, COUNT(names), column->name, strlen(column->name));
        if (found == 2 && (called || column->value_count == 2)) return column->name;
    }
    return NULL;
}

sbl_status sbl_inspect_names_propose(sbl_schema_writer *writer, const sbl_inspect_column *columns,
                                     size_t count, bool *named, sbl_error *err)
{
    const char *sex = find_sex(columns, count);
    for (size_t i = 0; i < count; i++) {
        const char *fake = fake_of(columns[i].name);
        sbl_text words = {0};
        if (fake == NULL || named[i] || columns[i].unnamed || !holds_names(&columns[i])) continue;
        const bool fits = sex != NULL && strcmp(fake, "last_name") != 0;
        sbl_text_printf(&words, "%s: names of people: made-up ones instead", columns[i].name);
        if (fits) sbl_text_printf(&words, ", which fit %s", sex);
        SBL_CHECK(sbl_inspect_propose(
            writer, "fake", &words,
            json_pack("{s:[{s:s, s:{s:s, s:s, s:s*}}]}", "fields", "name", columns[i].name, "semblance",
                      "role", "fake", "fake", fake, "sex", fits ? sex : NULL),
            err));
        named[i] = true;
    }
    return SBL_OK;
}
