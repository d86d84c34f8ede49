/* SPDX-License-Identifier: Apache-2.0 */
/* The public domain of a column: bounds with their grid, or a list of categories. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "public/schema/moment.h"
#include "public/schema/schema_json.h"

#define LARGEST_WHOLE 9007199254740992.0 /* 2^53: below it every whole number is a double */
#define MOST_STEP_DECIMALS 9             /* of a step */
#define MOST_DECIMALS 22                 /* 10^22 is the largest power of ten that is a double */
#define STEPS_OF_RANGE 1e5               /* an undeclared precision: this many steps or more */

sbl_status sbl_strings_from_json(sbl_strings *strings, const json_t *list, const char *what,
                                 const sbl_field_place *at)
{
    if (!json_is_array(list)) return sbl_fail_column(at, "has %s that is not a list", what);
    const size_t count = json_array_size(list);
    if (!sbl_strings_reserve(strings, count)) return sbl_fail_column_memory(at);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        if (json_is_object(item)) item = json_object_get(item, "value");
        if (!json_is_string(item))
            return sbl_fail_column(at, "has an entry in %s that is not a string", what);
        if (!sbl_strings_add(strings, json_string_value(item))) return sbl_fail_column_memory(at);
    }
    return SBL_OK;
}

static double power_of_ten(int exponent)
{
    double power = 1;
    for (int i = 0; i < exponent; i++) power *= 10;
    return power;
}

/* Is a grid with this step, in units of these decimals, representable, with a value within the bounds? */
static bool set_grid(sbl_column *column, int decimals, double multiple)
{
    sbl_column grid = {.scale = power_of_ten(decimals), .multiple = multiple};
    double first = sbl_column_grid_whole(&grid, column->minimum);
    double last = sbl_column_grid_whole(&grid, column->maximum);
    if (!(fabs(first * multiple) < LARGEST_WHOLE) || !(fabs(last * multiple) < LARGEST_WHOLE)) return false;
    if (sbl_column_grid_value(&grid, first) < column->minimum) first += 1;
    if (sbl_column_grid_value(&grid, last) > column->maximum) last -= 1;
    if (first > last) return false;
    column->decimals = decimals;
    column->scale = grid.scale;
    column->multiple = multiple;
    column->grid_minimum = first;
    column->grid_maximum = last;
    return true;
}

/* Without declared decimals: the coarsest decimal step that still cuts the range into 100,000
 * parts; at least hundredths under a log transform, which stretches what is near the minimum.
 * Bounds too large or too close for a grid leave the doubles as they are (-1). */
static void choose_decimals(sbl_column *column)
{
    const double range = column->maximum - column->minimum;
    int decimals = column->log_transform ? 2 : 0;
    while (decimals <= MOST_DECIMALS && range * power_of_ten(decimals) < STEPS_OF_RANGE) decimals++;
    if (decimals <= MOST_DECIMALS) (void)set_grid(column, decimals, 1);
}

static sbl_status read_bound(double *bound, bool *zoned, const sbl_column *column, const json_t *value,
                             const char *which, const sbl_field_place *at)
{
    static const char *const examples[] = {[SBL_TYPE_DATE] = "date like \"2024-12-31\"",
                                           [SBL_TYPE_DATETIME] = "datetime like \"2024-12-31T23:59:59\"",
                                           [SBL_TYPE_TIME] = "time like \"23:59:59\""};
    const char *text = json_string_value(value);
    switch (column->type) {
    case SBL_TYPE_DATE:
    case SBL_TYPE_DATETIME:
    case SBL_TYPE_TIME:
        if (text == NULL || !sbl_moment_read_any(bound, zoned, column, text, json_string_length(value)))
            return sbl_fail_column(at, "has a %s that is not a %s", which, examples[column->type]);
        return SBL_OK;
    default:
        if (!json_is_number(value)) return sbl_fail_column(at, "has a %s that is not a number", which);
        *bound = json_number_value(value);
        return SBL_OK;
    }
}

static sbl_status fail_no_bounds(const sbl_column *column, const sbl_field_place *at)
{
    if (column->type == SBL_TYPE_STRING)
        return sbl_fail_column(at,
                               "is a string without categories: add constraints.enum (every value "
                               "it may take) or semblance.role 'ignore'");
    if (column->type == SBL_TYPE_INTEGER || column->type == SBL_TYPE_NUMBER)
        return sbl_fail_column(at,
                               "has no bounds: add constraints.minimum and constraints.maximum, "
                               "or constraints.enum, or semblance.role 'ignore'");
    return sbl_fail_column(at,
                           "has no bounds: add constraints.minimum and constraints.maximum, or "
                           "semblance.role 'ignore'");
}

/* A step with these decimals, as a whole number of units; 0: not possible. */
static double step_multiple(double step, int decimals)
{
    const double scale = power_of_ten(decimals);
    const double multiple = nearbyint(step * scale);
    return multiple < LARGEST_WHOLE && multiple / scale == step ? multiple : 0;
}

/* The grid of a declared step: with the declared decimals (-1: none are), or as few as it has. */
static sbl_status set_step_grid(sbl_column *column, const json_t *declared, int decimals,
                                const sbl_field_place *at)
{
    const double step = json_number_value(declared); /* 0 if it is not a number */
    double multiple = 0;
    if (!(step > 0) || isinf(step))
        return sbl_fail_column(at, "has a semblance.step that is not a number above 0");
    if (decimals >= 0) {
        multiple = step_multiple(step, decimals);
        if (multiple == 0)
            return sbl_fail_column(at, column->type == SBL_TYPE_INTEGER
                                           ? "is an integer with a semblance.step that is not whole"
                                           : "has a semblance.step with more digits after the "
                                             "point than its semblance.decimals");
    }
    while (multiple == 0 && ++decimals <= MOST_STEP_DECIMALS) multiple = step_multiple(step, decimals);
    if (multiple == 0)
        return sbl_fail_column(at, "has a semblance.step with more than %d digits after the point",
                               MOST_STEP_DECIMALS);
    if (!set_grid(column, decimals, multiple))
        return sbl_fail_column(at,
                               "has no multiple of its semblance.step within its bounds, or bounds "
                               "too large to be counted in its steps");
    column->step_declared = column->type == SBL_TYPE_NUMBER || multiple > 1;
    return SBL_OK;
}

static sbl_status set_number_grid(sbl_column *column, const json_t *declared, const json_t *step,
                                  const sbl_field_place *at)
{
    int decimals = -1;
    if (column->type != SBL_TYPE_NUMBER) {
        if (column->minimum != nearbyint(column->minimum) || column->maximum != nearbyint(column->maximum))
            return sbl_fail_column(at, "is an integer with bounds that are not whole numbers");
        if (!set_grid(column, 0, 1))
            return sbl_fail_column(at,
                                   "has bounds beyond 2^53: is it an identifier? then add "
                                   "semblance.role 'ignore'");
        return step != NULL ? set_step_grid(column, step, 0, at) : SBL_OK;
    }
    if (declared == NULL && step == NULL) {
        choose_decimals(column);
        return SBL_OK;
    }
    if (declared != NULL) {
        column->decimals_declared = true;
        if (!json_is_integer(declared) || json_integer_value(declared) < 0 ||
            json_integer_value(declared) > MOST_DECIMALS)
            return sbl_fail_column(at, "has semblance.decimals that is not a number from 0 to %d",
                                   MOST_DECIMALS);
        decimals = (int)json_integer_value(declared);
    }
    if (step != NULL) return set_step_grid(column, step, decimals, at);
    if (!set_grid(column, decimals, 1))
        return sbl_fail_column(at, "has no value with this number of semblance.decimals within its bounds");
    return SBL_OK;
}

sbl_status sbl_field_bounds(sbl_column *column, const json_t *constraints, const json_t *declared_decimals,
                            const json_t *declared_step, const sbl_field_place *at)
{
    bool zoned = false;
    const json_t *minimum = json_object_get(constraints, "minimum");
    const json_t *maximum = json_object_get(constraints, "maximum");
    if (column->type == SBL_TYPE_STRING || (minimum == NULL && maximum == NULL))
        return fail_no_bounds(column, at);
    if (minimum == NULL || maximum == NULL)
        return sbl_fail_column(at, "has no %s: add constraints.%s", minimum == NULL ? "minimum" : "maximum",
                               minimum == NULL ? "minimum" : "maximum");
    column->kind = column->type == SBL_TYPE_DATE       ? SBL_COLUMN_DATE
                   : column->type == SBL_TYPE_DATETIME ? SBL_COLUMN_DATETIME
                                                       : SBL_COLUMN_NUMBER;
    SBL_CHECK(read_bound(&column->minimum, &column->utc, column, minimum, "minimum", at));
    SBL_CHECK(read_bound(&column->maximum, &zoned, column, maximum, "maximum", at));
    if (column->minimum > column->maximum) {
        return sbl_fail_column(at, "has a minimum above its maximum");
    }
    if (!isfinite(column->maximum - column->minimum)) {
        return sbl_fail_column(at, "has bounds that are too far apart");
    }
    SBL_CHECK(set_number_grid(column, declared_decimals, declared_step, at));
    column->fallback = sbl_column_snap(column, column->minimum + (column->maximum - column->minimum) / 2);
    return SBL_OK;
}

static int compare_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Each category once, and none that reads as a missing value. */
static sbl_status check_categories(const sbl_column *column, const sbl_field_place *at)
{
    sbl_strings sorted = {0};
    bool twice = false;
    if (!sbl_strings_reserve(&sorted, column->categories.count)) return sbl_fail_column_memory(at);
    if (column->categories.count > 0)
        memcpy(sorted.items, column->categories.items, column->categories.count * sizeof *sorted.items);
    qsort(sorted.items, column->categories.count, sizeof *sorted.items, compare_text);
    for (size_t i = 1; i < column->categories.count; i++)
        twice = twice || strcmp(sorted.items[i - 1], sorted.items[i]) == 0;
    sbl_strings_clear(&sorted); /* its count is 0: the strings stay with the column */
    if (twice) return sbl_fail_column(at, "lists a category twice: remove one");
    for (size_t i = 0; i < column->categories.count; i++)
        if (sbl_strings_contain(&column->missing_values, column->categories.items[i]))
            return sbl_fail_column(
                at, "has category number %zu among its missingValues: remove it from one list", i + 1);
    return SBL_OK;
}

/* The text of one enum entry, as it is written to a table; NULL when it has the wrong type. */
static const char *category_text(char number[SBL_DOUBLE_TEXT_SIZE], const json_t *value, sbl_field_type type)
{
    double parsed;
    if (json_is_object(value)) value = json_object_get(value, "value");
    if (type != SBL_TYPE_INTEGER && type != SBL_TYPE_NUMBER) return json_string_value(value);
    if (json_is_number(value))
        parsed = json_number_value(value);
    else if (!json_is_string(value) || !sbl_text_to_double(&parsed, json_string_value(value)) ||
             !isfinite(parsed))
        return NULL;
    if (type == SBL_TYPE_INTEGER && (parsed != nearbyint(parsed) || !(fabs(parsed) < LARGEST_WHOLE)))
        return NULL;
    return sbl_double_to_text(number, parsed + 0.0); /* -0 is 0 */
}

sbl_status sbl_field_categories(sbl_column *column, const json_t *values, const sbl_field_place *at)
{
    char number[SBL_DOUBLE_TEXT_SIZE];
    if (!json_is_array(values) || json_array_size(values) == 0)
        return sbl_fail_column(at,
                               "has an empty list of categories: name every value in "
                               "constraints.enum");
    const size_t count = json_array_size(values);
    if (count >= UINT32_MAX - 1) return sbl_fail_column(at, "has too many categories: merge some");
    column->kind = SBL_COLUMN_CATEGORY;
    if (!sbl_strings_reserve(&column->categories, count)) return sbl_fail_column_memory(at);
    for (size_t i = 0; i < count; i++) {
        const char *text = category_text(number, json_array_get(values, i), column->type);
        if (text == NULL)
            return sbl_fail_column(at, "has category number %zu that is not of type %s", i + 1,
                                   sbl_field_type_name(column->type));
        if (!sbl_strings_add(&column->categories, text)) return sbl_fail_column_memory(at);
    }
    return check_categories(column, at);
}

static sbl_status truth_values(sbl_strings *strings, const json_t *field, const char *name,
                               const char *const *defaults, const sbl_field_place *at)
{
    const json_t *list = json_object_get(field, name);
    if (list != NULL) {
        const sbl_status status = sbl_strings_from_json(strings, list, name, at);
        if (status == SBL_OK && strings->count == 0)
            return sbl_fail_column(at, "has an empty list of %s", name);
        return status;
    }
    if (!sbl_strings_reserve(strings, 4)) return sbl_fail_column_memory(at);
    for (size_t i = 0; i < 4; i++)
        if (!sbl_strings_add(strings, defaults[i])) return sbl_fail_column_memory(at);
    return SBL_OK;
}

sbl_status sbl_field_boolean(sbl_column *column, const json_t *field, const sbl_field_place *at)
{
    static const char *const yes[] = {"true", "True", "TRUE", "1"};
    static const char *const no[] = {"false", "False", "FALSE", "0"};
    column->kind = SBL_COLUMN_CATEGORY;
    SBL_CHECK(truth_values(&column->true_values, field, "trueValues", yes, at));
    SBL_CHECK(truth_values(&column->false_values, field, "falseValues", no, at));
    for (size_t i = 0; i < column->true_values.count; i++)
        if (sbl_strings_contain(&column->false_values, column->true_values.items[i]))
            return sbl_fail_column(at, "has a value in both trueValues and falseValues");
    if (!sbl_strings_reserve(&column->categories, 2) ||
        !sbl_strings_add(&column->categories, column->false_values.items[0]) ||
        !sbl_strings_add(&column->categories, column->true_values.items[0]))
        return sbl_fail_column_memory(at);
    return check_categories(column, at);
}
