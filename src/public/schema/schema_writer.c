/* SPDX-License-Identifier: Apache-2.0 */
/* A schema under construction, kept as JSON: columns become fields, and the finished text is
 * parsed by our own reader before it is handed out. Also the rounding of bounds to plain decimal
 * numbers, always to the outer side. */
#include "public/schema/schema_writer.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "public/schema/calendar.h"

#define LARGEST_WHOLE 9007199254740992.0 /* 2^53 */

struct sbl_schema_writer {
    json_t *missing_values;
    json_t *fields;
    json_t *options; /* the table's `semblance` object */
    sbl_dialect dialect;
};

void sbl_schema_writer_free(sbl_schema_writer *writer)
{
    if (writer == NULL) return;
    json_decref(writer->missing_values);
    json_decref(writer->fields);
    json_decref(writer->options);
    sbl_free(writer);
}

/* A JSON list of texts; NULL: a text is not UTF-8, or there is no memory. */
static json_t *list_of(const char *const *texts, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) list = sbl_json_append(list, json_string(texts[i]));
    return list;
}

sbl_status sbl_schema_writer_new(sbl_schema_writer **writer, const char *const *missing_values, size_t count,
                                 sbl_error *err)
{
    static const char *const empty[] = {""};
    sbl_status status = SBL_OK;
    sbl_schema_writer *made;
    *writer = NULL;
    SBL_ALLOC(made, 1, "a schema");
    made->missing_values = list_of(count > 0 ? missing_values : empty, count > 0 ? count : 1);
    made->fields = json_array();
    made->dialect = SBL_DIALECT_USUAL;
    made->options = json_object();
    if (made->missing_values == NULL || made->fields == NULL || made->options == NULL)
        SBL_TRY(sbl_no_memory(err, "a schema"));
    *writer = made;
    made = NULL;
done:
    sbl_schema_writer_free(made);
    return status;
}

/* ---- a column ---- */

json_t *sbl_writer_number(double value)
{
    return value == nearbyint(value) && fabs(value) < LARGEST_WHOLE ? json_integer((json_int_t)value)
                                                                    : json_real(value);
}

static json_t *bound_of(const sbl_writer_column *column, double bound)
{
    char text[SBL_DATETIME_LENGTH];
    if (column->type == SBL_TYPE_DATE) return json_stringn(text, sbl_date_format(text, (int64_t)bound));
    if (column->type == SBL_TYPE_TIME) return json_stringn(text, sbl_time_format(text, (int64_t)bound));
    if (column->type == SBL_TYPE_DATETIME)
        return json_stringn(text, sbl_datetime_format(text, (int64_t)bound, column->utc));
    return sbl_writer_number(bound);
}

static json_t *constraints_of(const sbl_writer_column *column)
{
    json_t *made = json_object();
    if (column->categories != NULL) {
        made = sbl_json_put(made, "enum", list_of(column->categories, column->category_count));
    } else if (column->type != SBL_TYPE_BOOLEAN) {
        made = sbl_json_put(made, "minimum", bound_of(column, column->minimum));
        made = sbl_json_put(made, "maximum", bound_of(column, column->maximum));
    }
    return column->required ? sbl_json_put(made, "required", json_true()) : made;
}

static json_t *spikes_of(const sbl_writer_column *column)
{
    json_t *list = json_array();
    for (size_t i = 0; i < column->spike_count; i++)
        list = sbl_json_append(list, bound_of(column, column->spikes[i]));
    return list;
}

static json_t *options_of(const sbl_writer_column *column)
{
    json_t *made = json_object();
    if (column->type == SBL_TYPE_NONE) made = sbl_json_put(made, "role", json_string("ignore"));
    if (column->has_decimals && column->type == SBL_TYPE_NUMBER && column->categories == NULL)
        made = sbl_json_put(made, "decimals", json_integer(column->decimals));
    if (column->step > 0) made = sbl_json_put(made, "step", bound_of(column, column->step));
    if (column->log_transform) made = sbl_json_put(made, "transform", json_string("log"));
    if (column->spike_count > 0) made = sbl_json_put(made, "spikes", spikes_of(column));
    if (column->other != NULL) made = sbl_json_put(made, "other", json_string(column->other));
    if (column->per_unit) made = sbl_json_put(made, "per", json_string("unit"));
    if (column->prefix != NULL) made = sbl_json_put(made, "prefix", json_string(column->prefix));
    if (column->suffix != NULL) made = sbl_json_put(made, "suffix", json_string(column->suffix));
    if (column->origin_count > 0)
        made = sbl_json_put(made, "origin", list_of(column->origin, column->origin_count));
    return made;
}

/* How its cells are written. */
static json_t *put_marks(json_t *field, const sbl_writer_column *column)
{
    if (column->format_count > 0)
        field = sbl_json_put(field, "format", list_of(column->formats, column->format_count));
    else if (column->format != NULL)
        field = sbl_json_put(field, "format", json_string(column->format));
    if (column->decimal_char == ',') field = sbl_json_put(field, "decimalChar", json_string(","));
    if (column->group_char != 0)
        field = sbl_json_put(field, "groupChar", json_stringn(&column->group_char, 1));
    return column->signs ? sbl_json_put(field, "bareNumber", json_false()) : field;
}

/* The whole field; NULL when out of memory. */
static json_t *field_of(const sbl_writer_column *column)
{
    json_t *field = json_pack("{s:s}", "name", column->name);
    json_t *options = options_of(column);
    if (column->type != SBL_TYPE_NONE) {
        field = sbl_json_put(field, "type", json_string(sbl_field_type_name(column->type)));
        field = sbl_json_put(field, "constraints", constraints_of(column));
        if (column->missing_count > 0)
            field =
                sbl_json_put(field, "missingValues", list_of(column->missing_values, column->missing_count));
        if (column->ordered) field = sbl_json_put(field, "categoriesOrdered", json_true());
        field = put_marks(field, column);
    }
    if (options == NULL || json_object_size(options) > 0) return sbl_json_put(field, "semblance", options);
    json_decref(options);
    return field;
}

static sbl_status check_texts(const sbl_writer_column *column, sbl_error *err)
{
    bool good = sbl_text_is_utf8(column->name) && (column->other == NULL || sbl_text_is_utf8(column->other));
    for (size_t i = 0; column->categories != NULL && i < column->category_count; i++)
        good = good && sbl_text_is_utf8(column->categories[i]);
    return good ? SBL_OK
                : sbl_fail(err, SBL_EARG, "a name or a category is not valid UTF-8, which a schema needs");
}

static bool bounds_are_good(const sbl_writer_column *column)
{
    const bool has_bounds = column->categories == NULL && column->type < SBL_TYPE_NONE &&
                            column->type != SBL_TYPE_STRING && column->type != SBL_TYPE_BOOLEAN;
    if (!has_bounds) return true;
    /* Days and seconds of the years 0000 to 9999 are far below 2^53. */
    return isfinite(column->minimum) && isfinite(column->maximum) &&
           (column->type == SBL_TYPE_NUMBER ||
            (fabs(column->minimum) < LARGEST_WHOLE && fabs(column->maximum) < LARGEST_WHOLE));
}

sbl_status sbl_schema_writer_add(sbl_schema_writer *writer, const sbl_writer_column *column, sbl_error *err)
{
    SBL_CHECK(check_texts(column, err));
    if (!bounds_are_good(column))
        return sbl_fail(err, SBL_EARG, "column '%s' has bounds that a schema cannot hold", column->name);
    if (json_array_append_new(writer->fields, field_of(column)) != 0) return sbl_no_memory(err, "a schema");
    return SBL_OK;
}

sbl_status sbl_schema_writer_set(sbl_schema_writer *writer, const char *key, json_t *value, sbl_error *err)
{
    return json_object_set_new(writer->options, key, value) == 0 ? SBL_OK : sbl_no_memory(err, "a schema");
}

void sbl_schema_writer_dialect(sbl_schema_writer *writer, const sbl_dialect *dialect)
{
    writer->dialect = *dialect;
}

/* Labels, then categories without a label. Codes are dropped if a category has none. */
static json_t *labelled(const json_t *labels, const json_t *categories, bool *more)
{
    json_t *list = json_copy((json_t *)(uintptr_t)labels);
    *more = false;
    for (size_t i = 0; i < json_array_size(categories); i++) {
        json_t *category = json_array_get(categories, i);
        bool known = false;
        for (size_t j = 0; j < json_array_size(labels); j++)
            known = known || json_equal(json_array_get(labels, j), category);
        if (known) continue;
        *more = true;
        list = sbl_json_append(list, json_incref(category));
    }
    return list;
}

static json_t *field_named(const sbl_schema_writer *writer, const char *name)
{
    for (size_t i = 0; name != NULL && i < json_array_size(writer->fields); i++) {
        json_t *field = json_array_get(writer->fields, i);
        const char *own = json_string_value(json_object_get(field, "name"));
        if (own != NULL && strcmp(own, name) == 0) return field;
    }
    return NULL;
}

/* Single values that count as missing, as spikes of a column of numbers. */
static json_t *spikes_of_missing(const json_t *missing)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(missing); i++)
        if (json_is_number(json_array_get(missing, i)))
            list = sbl_json_append(list, json_incref(json_array_get(missing, i)));
    return list;
}

/* Into the options of a field. Returns false when out of memory. */
static bool put_facts(json_t *field, json_t *options, const json_t *facts)
{
    json_t *constraints = json_object_get(field, "constraints");
    const json_t *labels = json_object_get(facts, "labels");
    json_t *title = json_object_get(facts, "title");
    json_t *missing = json_object_get(facts, "user_missing");
    json_t *codes = json_object_get(facts, "codes");
    const char *type = json_string_value(json_object_get(field, "type"));
    bool more = false, good = true;
    if (type == NULL) return true;
    if (title != NULL) good = json_object_set(options, "title", title) == 0;
    if (missing != NULL) good = good && json_object_set(options, "user_missing", missing) == 0;
    if (labels != NULL && json_object_get(constraints, "enum") != NULL) {
        json_t *categories = labelled(labels, json_object_get(constraints, "enum"), &more);
        good = good && json_object_set_new(constraints, "enum", categories) == 0 &&
               json_object_set_new(field, "type", json_string("string")) == 0;
        if (!more && codes != NULL) good = good && json_object_set(options, "codes", codes) == 0;
    } else if (missing != NULL && (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0) &&
               json_object_get(constraints, "enum") == NULL) {
        json_t *spikes = spikes_of_missing(missing);
        if (spikes != NULL && json_array_size(spikes) > 0)
            good = good && json_object_set(options, "spikes", spikes) == 0;
        json_decref(spikes);
    }
    return good;
}

sbl_status sbl_schema_writer_describe(sbl_schema_writer *writer, const json_t *facts, sbl_error *err)
{
    json_t *field = field_named(writer, json_string_value(json_object_get(facts, "name")));
    if (field == NULL || json_object_size(facts) == 1) return SBL_OK;
    json_t *options = json_object_get(field, "semblance");
    if (options == NULL) {
        options = json_object();
        if (json_object_set_new(field, "semblance", options) != 0) return sbl_no_memory(err, "a schema");
    }
    return put_facts(field, options, facts) ? SBL_OK : sbl_no_memory(err, "a schema");
}

sbl_status sbl_schema_writer_propose(sbl_schema_writer *writer, json_t *proposal, sbl_error *err)
{
    json_t *list = json_object_get(writer->options, "proposals");
    bool good = true;
    if (list == NULL) {
        list = json_array();
        good = json_object_set_new(writer->options, "proposals", list) == 0;
    }
    return json_array_append_new(good ? list : NULL, proposal) == 0 ? SBL_OK : sbl_no_memory(err, "a schema");
}

sbl_status sbl_schema_writer_finish(char **text, sbl_schema **schema, const sbl_schema_writer *writer,
                                    const char *where, sbl_error *err)
{
    json_t *object = NULL;
    char *made = NULL;
    sbl_schema *parsed = NULL;
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    if (schema != NULL) *schema = NULL;
    object = json_pack("{s:O,s:O}", "missingValues", writer->missing_values, "fields", writer->fields);
    if (json_object_size(writer->options) > 0)
        object = sbl_json_put(object, "semblance", json_incref(writer->options));
    if (object != NULL) sbl_dialect_write(&object, &writer->dialect);
    made = object != NULL ? sbl_json_pretty(object) : NULL;
    if (made == NULL) SBL_TRY(sbl_no_memory(err, "a schema"));
    SBL_TRY(sbl_schema_parse(&parsed, made, strlen(made), where, err));
    if (text != NULL) {
        *text = made;
        made = NULL;
    }
    if (schema != NULL) {
        *schema = parsed;
        parsed = NULL;
    }
done:
    json_decref(object);
    sbl_free(made);
    sbl_schema_free(parsed);
    return status;
}

/* ---- plain numbers ---- */

static double power_of_ten(int exponent)
{
    double power = 1.0;
    for (int i = 0; i < exponent; i++) power *= 10.0;
    return power;
}

/* mantissa * 10^exponent, one rounding where both are exact. */
static double scaled(double mantissa, int exponent)
{
    return exponent >= 0 ? mantissa * power_of_ten(exponent) : mantissa / power_of_ten(-exponent);
}

/* No power of ten beyond 10^22 is exact: such magnitudes stay as they are. */
static double plain(double value, int digits, bool up)
{
    int exponent = 0; /* of the first digit */
    const double size = fabs(value);
    if (value == 0.0 || !(size < 1e21) || !(size > 1e-6)) return value;
    while (size >= power_of_ten(exponent + 1)) exponent++;
    while (size < scaled(1.0, exponent)) exponent--;
    const int unit = exponent - (digits - 1);
    if (unit < -22) return value;
    double mantissa = scaled(value, -unit);
    mantissa = up ? ceil(mantissa) : floor(mantissa);
    /* The product may have been rounded to the wrong side of a whole number. */
    while (up ? scaled(mantissa, unit) < value : scaled(mantissa, unit) > value) mantissa += up ? 1.0 : -1.0;
    while (up ? scaled(mantissa - 1.0, unit) >= value : scaled(mantissa + 1.0, unit) <= value)
        mantissa -= up ? 1.0 : -1.0;
    return scaled(mantissa, unit);
}

double sbl_plain_number_down(double value, int digits) { return plain(value, digits, false); }

double sbl_plain_number_up(double value, int digits) { return plain(value, digits, true); }
