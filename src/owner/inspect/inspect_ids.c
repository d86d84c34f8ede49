/* SPDX-License-Identifier: Apache-2.0 */
/* Finds columns that name rows or people, by what rows with the same value have in common (inspect_groups.c), by how
 * often values repeat and by their names, and proposes roles for them: a unit with a number of rows that holds
 * everybody's, or fresh ids. */
#include "owner/inspect/inspect_groups.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/kinds.h"
#include "public/schema/role.h"

#define LEAST_VALUES 20 /* distinct ones: with fewer, a column is not an id */
#define REPEATED 0.05   /* of the values come more than once, at least */
#define USUAL_ROWS 50   /* the most rows of a person that count, unless a person has more */
#define MOST_MEAN 100   /* rows per value: with more it is a code, unless its name says otherwise */
#define MOST_SHARE 0.05 /* of all rows on one value, or MOST_TIMES the mean: with more it is a code */
#define MOST_TIMES 3
#define MOST_WITHIN 10   /* stays of a patient, per patient; a doctor has more patients */
#define LONG_NUMBER 1000 /* ids from here on; a week or a day of the year is less */
#define MOST_SMALL 120   /* different ages, and other numbers that are small */
#define MOST_LOOKED 8    /* columns whose rows are put together */

/* ---- names ---- */

static const char *const persons[] = {
    "patient",  "person",    "customer",    "client",     "user",        "member",      "subject", "student",
    "employee", "pupil",     "participant", "respondent", "insured",     "household",   "ssn",     "mrn",
    "pat",      "patienten", "kunde",       "kunden",     "mitarbeiter", "versicherten"};
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

/* A table at work. */
typedef struct finding {
    const sbl_inspect_column *columns;
    size_t count;
    uint64_t rows;
    sbl_inspect_epsilon epsilon_of;
    sbl_inspect_group *groups; /* (count) */
} finding;

typedef struct repeats {
    uint64_t most; /* rows of the most frequent value */
    double share;  /* of the values that come more than once */
} repeats;

/* Of the groups that were looked at, or of the values that were kept. */
static repeats repeats_of(const finding *f, size_t at)
{
    const sbl_inspect_column *column = &f->columns[at];
    const sbl_inspect_group *group = &f->groups[at];
    repeats found = {.most = group->most};
    size_t often = 0;
    for (size_t i = 0; i < SBL_INSPECT_SLOTS; i++) {
        const uint64_t count = column->values[i].text != NULL ? column->values[i].count : 0;
        often += count > 1;
        if (count > found.most) found.most = count;
    }
    if (group->groups > 0)
        found.share = (double)group->repeated / (double)group->groups;
    else if (column->value_count > 0)
        found.share = (double)often / (double)column->value_count;
    return found;
}

/* Do all its texts have digits, as ids do? */
static bool has_digits(const sbl_inspect_column *column)
{
    return column->wordy * 20 <= column->cells - column->missing;
}

static bool is_long(const sbl_inspect_column *column)
{
    return column->kind != SBL_INSPECT_NUMBERS || column->numbers[column->way].low >= LONG_NUMBER;
}

/* An age, a score or a dose, as far as its values go. */
static bool is_small(const sbl_inspect_column *column)
{
    return column->kind == SBL_INSPECT_NUMBERS && column->numbers[column->way].high < LONG_NUMBER &&
           column->value_count <= MOST_SMALL;
}

/* Whole numbers, also as 10023.0: so pandas writes a column of ids with an empty cell. */
static bool is_whole(const sbl_inspect_column *column)
{
    return column->kind == SBL_INSPECT_NUMBERS &&
           column->wholes[column->way] == column->numbers[column->way].count &&
           column->decimals[column->way] <= 1;
}

/* A whole number without any mark, and not a year. */
static bool may_be_id(const sbl_inspect_column *column)
{
    const sbl_inspect_range *range = &column->numbers[column->way];
    if (!is_whole(column) || range->low < 0) return false;
    /* 582 296 070 in every row names something; amounts have fewer digits in some rows. */
    return (!column->grouped[column->way] || column->shape[0] != '\0') && column->styles[column->way].bare &&
           !sbl_bounds_are_years(SBL_TYPE_INTEGER, range->low, range->high);
}

/* 26:30 and "3 days 02:00:00" are durations, and <0.5 is a limit. */
static bool is_measure(const char *shape)
{
    if (strstr(shape, "day") != NULL && strchr(shape, ':') != NULL) return true;
    const size_t length = strspn(shape, "#:<>=., ");
    return length > 0 && shape[length] == '\0' && strpbrk(shape, ":<>") != NULL;
}

/* Could its values name something? 2: by their look, 1: perhaps, 0: not. */
static int may_name(const sbl_inspect_column *column)
{
    const bool says = name_says(column->name) > 0;
    if (column->unnamed || column->value_count < LEAST_VALUES) return 0;
    if (is_measure(column->shape)) return 0;
    switch (column->kind) {
    case SBL_INSPECT_TEXTS:
    case SBL_INSPECT_CODES:
        return has_digits(column) || says ? 2 : 1;
    case SBL_INSPECT_NUMBERS:
        return is_whole(column) && says ? 2 : may_be_id(column) ? 1 : 0;
    case SBL_INSPECT_CATEGORIES:
        return says ? 2 : has_digits(column) ? 1 : 0;
    default:
        return 0;
    }
}

/* Do the rows of a value belong together, so that it may be a person, whatever its column is called? */
static bool is_person_by_rows(const finding *f, size_t at)
{
    const sbl_inspect_column *column = &f->columns[at];
    const sbl_inspect_group *group = &f->groups[at];
    if (group->groups < LEAST_VALUES || may_name(column) == 0) return false;
    if ((double)group->repeated < REPEATED * (double)group->groups) return false;
    if (column->kind != SBL_INSPECT_NUMBERS && !has_digits(column)) return false;
    const double mean = (double)group->rows / (double)group->groups;
    const double code = MOST_SHARE * (double)f->rows;
    if (mean > MOST_MEAN || (double)group->most > (code > MOST_TIMES * mean ? code : MOST_TIMES * mean))
        return false;
    if (is_small(column)) return false;
    return group->own > 0 || (group->together && is_long(column));
}

/* How likely a value is a person: 3 by the column's name, 2 by its rows, 1 if it is some id; 0: it is not. */
static int likelihood_of(const finding *f, size_t at)
{
    const sbl_inspect_column *column = &f->columns[at];
    const repeats found = repeats_of(f, at);
    const int says = name_says(column->name);
    if (may_name(column) == 0 || found.most < 2 || found.share < REPEATED) return 0;
    if (says == 2) return 3;
    return is_person_by_rows(f, at) ? 2 : says;
}

/* How its ids look, as semblance.id says it; NULL: no way that is known. */
static const char *look_of(const sbl_inspect_column *column, bool any)
{
    size_t digits = 0;
    for (const char *p = column->shape; *p != '\0'; p++) digits += *p == '#';
    if (column->uuids > 0 && column->uuids == column->cells - column->missing) return "uuid";
    if (digits > 0 && digits <= SBL_ROLE_MOST_DIGITS && strcmp(column->shape, "#") != 0 &&
        (column->kind != SBL_INSPECT_NUMBERS || column->zero_led > 0 || column->grouped[column->way]))
        return column->shape;
    return any || column->kind == SBL_INSPECT_NUMBERS ? "sequential" : NULL;
}

/* ---- proposals ---- */

static json_t *id_field(const sbl_inspect_column *column, const char *look)
{
    return json_pack("[{s:s, s:{s:s, s:s}}]", "name", column->name, "semblance", "role", "id", "id", look);
}

static void note_repeats(sbl_text *text, const finding *f, size_t at)
{
    const repeats found = repeats_of(f, at);
    sbl_text_printf(text,
                    "values repeat, one of them in %" PRIu64
                    " rows: if it says whose row it is, set semblance.unit",
                    found.most);
    if (f->epsilon_of != NULL)
        sbl_text_printf(text,
                        ": without it a person with %" PRIu64
                        " rows has epsilon %.0f where a row "
                        "has epsilon 1 (delta 1e-6)",
                        found.most, f->epsilon_of(found.most));
}

/* How many rows of a person are to count: the next power of two if a person has more than usual. */
static uint64_t rows_that_count(uint64_t most)
{
    uint64_t rows = USUAL_ROWS;
    if (most > USUAL_ROWS)
        for (rows = 64; rows < most && rows < SBL_ROWS_PER_UNIT_MAX;) rows *= 2;
    return rows;
}

static sbl_status propose_unit(sbl_schema_writer *writer, const finding *f, size_t at, sbl_error *err)
{
    const sbl_inspect_column *column = &f->columns[at];
    const repeats found = repeats_of(f, at);
    sbl_text words = {0};
    sbl_text_printf(&words, "%s: ", column->name);
    note_repeats(&words, f, at);
    return sbl_inspect_propose(
        writer, "unit", &words,
        json_pack("{s:o, s:{s:s, s:I}}", "fields", id_field(column, look_of(column, true)), "semblance",
                  "unit", column->name, "max_rows_per_unit", (json_int_t)rows_that_count(found.most)),
        err);
}

static sbl_status propose_id(sbl_schema_writer *writer, const sbl_inspect_column *column, const char *look,
                             const char *why, sbl_error *err)
{
    sbl_text words = {0};
    sbl_text_printf(&words, "%s: %s rows share a value: fresh ids in its place", column->name, why);
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

/* Is a column more likely the person than another? A patient is, rather than a stay, within which the patient is
 * constant. */
static bool is_better(const finding *f, size_t at, size_t than)
{
    const sbl_inspect_group *own = &f->groups[at];
    const sbl_inspect_group *other = &f->groups[than];
    if (likelihood_of(f, at) != likelihood_of(f, than)) return likelihood_of(f, at) > likelihood_of(f, than);
    if (likelihood_of(f, at) != 2) return false; /* the first one */
    if (other->constant[at] && other->groups <= MOST_WITHIN * own->groups) return !own->constant[than];
    if (own->constant[than] && own->groups <= MOST_WITHIN * other->groups) return false;
    if (is_long(&f->columns[at]) != is_long(&f->columns[than])) return is_long(&f->columns[at]);
    return own->groups > other->groups;
}

/* Which column says whose row it is, most likely; count: none does. */
static size_t find_unit(const finding *f)
{
    size_t unit = f->count;
    for (size_t i = 0; i < f->count; i++)
        if (likelihood_of(f, i) > 0 && (unit == f->count || is_better(f, i, unit))) unit = i;
    return unit;
}

/* Rows are put together by columns whose names or looks are those of ids, then by others. */
static sbl_status look_at_groups(finding *f, const sbl_table *table, const sbl_dialect *dialect,
                                 sbl_error *err)
{
    bool *may = NULL;
    size_t chosen = 0;
    sbl_status status = SBL_OK;
    SBL_ALLOC(may, f->count, "a schema");
    for (int how = 2; how > 0; how--)
        for (size_t i = 0; i < f->count && chosen < MOST_LOOKED; i++)
            if (may_name(&f->columns[i]) == how) {
                may[i] = true;
                chosen++;
            }
    SBL_TRY(sbl_inspect_groups_new(&f->groups, f->count, err));
    SBL_TRY(sbl_inspect_groups_read(f->groups, f->columns, f->count, may, f->rows, table, dialect, err));
done:
    sbl_free(may);
    return status;
}

/* An id with a few duplicates: the rows of one value may be one person's. */
static bool is_nearly_unique(const finding *f, size_t at)
{
    const sbl_inspect_column *column = &f->columns[at];
    const sbl_inspect_group *group = &f->groups[at];
    const bool shaped = column->shape[0] != '\0' && column->kind != SBL_INSPECT_NUMBERS && has_digits(column);
    return group->repeated > 0 && (double)group->repeated < REPEATED * (double)group->groups &&
           (name_says(column->name) > 0 || group->constants > 0 || shaped);
}

/* What is said of a column that is not the unit, and its role. */
/* notes: NULL where the caller named the person. */
static sbl_status propose_of(sbl_schema_writer *writer, const finding *f, size_t at, bool *named,
                             sbl_text *notes, sbl_error *err)
{
    const sbl_inspect_column *column = &f->columns[at];
    const repeats found = repeats_of(f, at);
    const char *look = column->unnamed ? NULL : look_of(column, name_says(column->name) > 0);
    const bool nearly = may_name(column) > 0 && is_nearly_unique(f, at);
    if (notes != NULL && (nearly || likelihood_of(f, at) > 0)) {
        sbl_text_printf(notes, "%s: ", column->name);
        if (nearly)
            sbl_text_printf(
                notes, "nearly unique, %.2g %% of its values are in several rows: ", 100.0 * found.share);
        note_repeats(notes, f, at);
        sbl_text_printf(notes, "\n");
    }
    if (look == NULL || (found.most != 1 && !nearly)) return SBL_OK;
    if (may_name(column) < 2 && !nearly && !sbl_inspect_column_may_all_differ(column)) return SBL_OK;
    named[at] = true;
    return propose_id(writer, column, look, nearly ? "hardly any two" : "no two", err);
}

sbl_status sbl_inspect_ids_propose(sbl_schema_writer *writer, const sbl_inspect_column *columns, size_t count,
                                   const sbl_inspect_place *place, bool *named, size_t *unit, sbl_text *notes,
                                   sbl_error *err)
{
    finding f = {.columns = columns, .count = count, .rows = place->rows, .epsilon_of = place->epsilon_of};
    sbl_status status = SBL_OK;
    *unit = count;
    SBL_TRY(look_at_groups(&f, place->table, place->dialect, err));
    *unit = find_unit(&f);
    if (place->person != NULL) SBL_TRY(take_person(unit, columns, count, place->person, err));
    if (*unit < count) {
        SBL_TRY(propose_unit(writer, &f, *unit, err));
        named[*unit] = true;
    }
    for (size_t i = 0; i < count; i++)
        if (i != *unit) SBL_TRY(propose_of(writer, &f, i, named, place->person == NULL ? notes : NULL, err));
done:
    sbl_inspect_groups_free(f.groups, count);
    return status;
}
