/* Finds columns that name rows or people by their names (a list of words) and by how often values
 * repeat, and proposes roles for them: a unit with a number of rows that holds everybody's, or fresh
 * ids. */
#include "owner/inspect/inspect_column.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/kinds.h"
#include "public/schema/role.h"

#define LEAST_VALUES 20 /* distinct ones: with fewer, a column is not an id */
#define REPEATED 0.05   /* of the values come more than once, at least */
#define USUAL_ROWS 50   /* the most rows of a person that count, unless a person has more */

/* ---- names ---- */

static const char *const persons[] = {"patient",     "person",     "customer", "client",    "user",
                                      "member",      "subject",    "student",  "employee",  "pupil",
                                      "participant", "respondent", "insured",  "household", "ssn"};
static const char *const ids[] = {"id", "ids", "key", "uuid", "guid", "pid", "uid"};
static const char *const numbers[] = {"nr", "no", "number", "num", "code"};
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* "patient", and "patientid" and "patientnr" as people run it together. */
static bool is_person(const char *word, size_t length)
{
    const bool with_end = length > 2 && (strncasecmp(word + length - 2, "id", 2) == 0 ||
                                         strncasecmp(word + length - 2, "nr", 2) == 0 ||
                                         strncasecmp(word + length - 2, "no", 2) == 0);
    return sbl_inspect_is_among(persons, COUNT(persons), word, length) ||
           (with_end && sbl_inspect_is_among(persons, COUNT(persons), word, length - 2));
}

static bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

/* 2: the name is that of a person's id, 1: of an id, 0: of neither. Words end at signs and before
 * capitals; the last one decides: "patient_age" is not an id. */
static int name_says(const char *name)
{
    bool person = false;
    int says = 0;
    while (*name != '\0') {
        size_t length = 0;
        while (is_letter(name[length]) &&
               !(length > 0 && name[length] >= 'A' && name[length] <= 'Z' && name[length - 1] >= 'a'))
            length++;
        if (length > 0) {
            person = person || is_person(name, length);
            says = is_person(name, length) || sbl_inspect_is_among(ids, COUNT(ids), name, length) ? 1 : 0;
            if (person && sbl_inspect_is_among(numbers, COUNT(numbers), name, length)) says = 1;
        }
        name += length > 0 ? length : 1;
    }
    return says > 0 && person ? 2 : says;
}

/* ---- values ---- */

typedef struct repeats {
    uint64_t rows, most; /* of the values that were kept; of the most frequent one */
    double share;        /* of the values that come more than once */
} repeats;

static repeats repeats_of(const sbl_inspect_column *column)
{
    repeats found = {0};
    size_t often = 0;
    for (size_t i = 0; i < SBL_INSPECT_SLOTS; i++) {
        const uint64_t count = column->values[i].text != NULL ? column->values[i].count : 0;
        found.rows += count;
        often += count > 1;
        if (count > found.most) found.most = count;
    }
    found.share = column->value_count > 0 ? (double)often / (double)column->value_count : 0;
    return found;
}

/* Could its values name something? Texts and long numbers by themselves, others where the name says so. */
static bool may_name(const sbl_inspect_column *column)
{
    if (column->unnamed || column->value_count < LEAST_VALUES) return false;
    if (column->kind == SBL_INSPECT_TEXTS || column->kind == SBL_INSPECT_CODES) return true;
    if (column->kind == SBL_INSPECT_NUMBERS && !sbl_inspect_column_is_whole(column)) return false;
    return (column->kind == SBL_INSPECT_NUMBERS || column->kind == SBL_INSPECT_CATEGORIES) &&
           name_says(column->name) > 0;
}

/* Could it say whose row it is, of people with several? */
static bool may_repeat(const sbl_inspect_column *column)
{
    const repeats found = repeats_of(column);
    return may_name(column) && found.most > 1 && found.share >= REPEATED;
}

/* How its ids look, as semblance.id says it; NULL: no way that is known. */
static const char *look_of(const sbl_inspect_column *column, bool any)
{
    size_t digits = 0;
    for (const char *p = column->shape; *p != '\0'; p++) digits += *p == '#';
    if (column->uuids > 0 && column->uuids == column->cells - column->missing) return "uuid";
    if (digits > 0 && digits <= SBL_ROLE_MOST_DIGITS && strcmp(column->shape, "#") != 0 &&
        (column->kind != SBL_INSPECT_NUMBERS || column->zero_led > 0))
        return column->shape;
    return any || column->kind == SBL_INSPECT_NUMBERS ? "sequential" : NULL;
}

/* ---- proposals ---- */

static json_t *id_field(const sbl_inspect_column *column, const char *look)
{
    return json_pack("[{s:s, s:{s:s, s:s}}]", "name", column->name, "semblance", "role", "id", "id", look);
}

static void note_repeats(sbl_text *text, const repeats *found, sbl_inspect_epsilon epsilon_of)
{
    sbl_text_printf(text,
                    "values repeat, one of them in %" PRIu64
                    " rows: if it says whose row it is, set semblance.unit",
                    found->most);
    if (epsilon_of != NULL)
        sbl_text_printf(text,
                        ": without it a person with %" PRIu64
                        " rows has epsilon %.0f where a row "
                        "has epsilon 1 (delta 1e-6)",
                        found->most, epsilon_of(found->most));
}

/* How many rows of a person are to count: the next power of two if a person has more than usual. */
static uint64_t rows_that_count(uint64_t most)
{
    uint64_t rows = USUAL_ROWS;
    if (most > USUAL_ROWS)
        for (rows = 64; rows < most && rows < SBL_ROWS_PER_UNIT_MAX;) rows *= 2;
    return rows;
}

static sbl_status propose_unit(sbl_schema_writer *writer, const sbl_inspect_column *column,
                               sbl_inspect_epsilon epsilon_of, sbl_error *err)
{
    const repeats found = repeats_of(column);
    sbl_text words = {0};
    sbl_text_printf(&words, "%s: ", column->name);
    note_repeats(&words, &found, epsilon_of);
    return sbl_inspect_propose(
        writer, "unit", &words,
        json_pack("{s:o, s:{s:s, s:I}}", "fields", id_field(column, look_of(column, true)), "semblance",
                  "unit", column->name, "max_rows_per_unit", (json_int_t)rows_that_count(found.most)),
        err);
}

static sbl_status propose_id(sbl_schema_writer *writer, const sbl_inspect_column *column, const char *look,
                             sbl_error *err)
{
    sbl_text words = {0};
    sbl_text_printf(&words, "%s: no two rows share a value: fresh ids in its place", column->name);
    return sbl_inspect_propose(writer, "id", &words, json_pack("{s:o}", "fields", id_field(column, look)),
                               err);
}

/* The column that the caller names as the person's; count: the caller says that there is none. */
static sbl_status take_person(size_t *unit, const sbl_inspect_column *columns, size_t count,
                              const char *person, sbl_error *err)
{
    *unit = count;
    if (person[0] == '\0') return SBL_OK;
    for (size_t i = 0; i < count; i++)
        if (strcmp(columns[i].name, person) == 0 && !columns[i].unnamed) *unit = i;
    if (*unit < count) return SBL_OK;
    return sbl_fail(err, SBL_EARG, "person: there is no column '%.80s'; name a column of the table", person);
}

/* Which column says whose row it is, most likely; count: none does. */
static size_t find_unit(const sbl_inspect_column *columns, size_t count)
{
    size_t unit = count;
    int most = 0;
    for (size_t i = 0; i < count; i++) {
        if (!may_repeat(&columns[i]) || name_says(columns[i].name) <= most) continue;
        most = name_says(columns[i].name);
        unit = i;
    }
    return unit;
}

sbl_status sbl_inspect_ids_propose(sbl_schema_writer *writer, const sbl_inspect_column *columns, size_t count,
                                   sbl_inspect_epsilon epsilon_of, const char *person, bool *named,
                                   size_t *unit, sbl_text *notes, sbl_error *err)
{
    *unit = find_unit(columns, count);
    if (person != NULL) SBL_CHECK(take_person(unit, columns, count, person, err));
    if (*unit < count) {
        SBL_CHECK(propose_unit(writer, &columns[*unit], epsilon_of, err));
        named[*unit] = true;
    }
    for (size_t i = 0; i < count; i++) {
        const sbl_inspect_column *column = &columns[i];
        const repeats found = repeats_of(column);
        const char *look = look_of(column, name_says(column->name) > 0);
        if (person == NULL && may_repeat(column) && i != *unit) {
            sbl_text_printf(notes, "%s: ", column->name);
            note_repeats(notes, &found, epsilon_of);
            sbl_text_printf(notes, "\n");
        }
        if (found.most != 1 || look == NULL) continue;
        if (!may_name(column) && !sbl_inspect_column_may_all_differ(column)) continue;
        SBL_CHECK(propose_id(writer, column, look, err));
        named[i] = true;
    }
    return SBL_OK;
}
