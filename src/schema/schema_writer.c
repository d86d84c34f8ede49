/* A schema under construction, kept as JSON: columns become fields, and the finished text is
 * parsed by our own reader before it is handed out. Also the rounding of bounds to plain decimal
 * numbers, always to the outer side. */
#include "schema/schema_writer.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "schema/calendar.h"

#define LARGEST_WHOLE 9007199254740992.0 /* 2^53 */

struct sbl_schema_writer {
    json_t *missing_values;
    json_t *fields;
    json_t *options; /* the table's `semblance` object */
    sbl_dialect dialect;
};

static sbl_status no_memory(sbl_error *err)
{
    return sbl_fail(err, SBL_EMEM, "out of memory while writing a schema");
}

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
    for (size_t i = 0; list != NULL && i < count; i++)
        if (json_array_append_new(list, json_string(texts[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

sbl_status sbl_schema_writer_new(sbl_schema_writer **writer, const char *const *missing_values,
                                 size_t count, sbl_error *err)
{
    static const char *const empty[] = {""};
    sbl_schema_writer *made = sbl_alloc_array(1, sizeof *made);
    *writer = NULL;
    if (made == NULL) return no_memory(err);
    made->missing_values = list_of(count > 0 ? missing_values : empty, count > 0 ? count : 1);
    made->fields = json_array();
    made->dialect = SBL_DIALECT_USUAL;
    made->options = json_object();
    if (made->missing_values == NULL || made->fields == NULL || made->options == NULL) {
        sbl_schema_writer_free(made);
        return no_memory(err);
    }
    *writer = made;
    return SBL_OK;
}

/* ---- a column ---- */

/* Set a member; a NULL value is remembered as a failure. */
static void put(json_t *object, const char *name, json_t *value, bool *failed)
{
    if (json_object_set_new(object, name, value) != 0) *failed = true;
}

json_t *sbl_writer_number(double value)
{
    return value == nearbyint(value) && fabs(value) < LARGEST_WHOLE
               ? json_integer((json_int_t)value)
               : json_real(value);
}

static json_t *bound_of(const sbl_writer_column *column, double bound)
{
    char text[SBL_DATETIME_LENGTH];
    if (column->type == SBL_TYPE_DATE)
        return json_stringn(text, sbl_date_format(text, (int64_t)bound));
    if (column->type == SBL_TYPE_DATETIME)
        return json_stringn(text, sbl_datetime_format(text, (int64_t)bound, column->utc));
    return sbl_writer_number(bound);
}

static void put_constraints(json_t *field, const sbl_writer_column *column, bool *failed)
{
    json_t *constraints = json_object();
    if (column->categories != NULL) {
        put(constraints, "enum", list_of(column->categories, column->category_count), failed);
    } else if (column->type != SBL_TYPE_BOOLEAN) {
        put(constraints, "minimum", bound_of(column, column->minimum), failed);
        put(constraints, "maximum", bound_of(column, column->maximum), failed);
    }
    if (column->required) put(constraints, "required", json_true(), failed);
    put(field, "constraints", constraints, failed);
}

/* NULL when out of memory. */
static json_t *spikes_of(const sbl_writer_column *column)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < column->spike_count; i++)
        if (json_array_append_new(list, bound_of(column, column->spikes[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static void put_options(json_t *field, const sbl_writer_column *column, bool *failed)
{
    json_t *options = json_object();
    if (column->type == SBL_TYPE_NONE) put(options, "role", json_string("ignore"), failed);
    if (column->has_decimals && column->type == SBL_TYPE_NUMBER && column->categories == NULL)
        put(options, "decimals", json_integer(column->decimals), failed);
    if (column->step > 0) put(options, "step", bound_of(column, column->step), failed);
    if (column->log_transform) put(options, "transform", json_string("log"), failed);
    if (column->spike_count > 0) put(options, "spikes", spikes_of(column), failed);
    if (column->other != NULL) put(options, "other", json_string(column->other), failed);
    if (column->origin_count > 0)
        put(options, "origin", list_of(column->origin, column->origin_count), failed);
    if (json_object_size(options) > 0)
        put(field, "semblance", options, failed);
    else
        json_decref(options);
}

static void put_marks(json_t *field, const sbl_writer_column *column, bool *failed)
{
    if (column->format != NULL) put(field, "format", json_string(column->format), failed);
    if (column->decimal_char == ',') put(field, "decimalChar", json_string(","), failed);
    if (column->group_char != 0)
        put(field, "groupChar", json_stringn(&column->group_char, 1), failed);
    if (column->signs) put(field, "bareNumber", json_false(), failed);
}

static sbl_status check_texts(const sbl_writer_column *column, sbl_error *err)
{
    bool good = sbl_text_is_utf8(column->name) &&
                (column->other == NULL || sbl_text_is_utf8(column->other));
    for (size_t i = 0; column->categories != NULL && i < column->category_count; i++)
        good = good && sbl_text_is_utf8(column->categories[i]);
    return good ? SBL_OK
                : sbl_fail(err, SBL_EARG, "a schema holds UTF-8 only: in a name or a category");
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

sbl_status sbl_schema_writer_add(sbl_schema_writer *writer, const sbl_writer_column *column,
                                 sbl_error *err)
{
    bool failed = false;
    sbl_status status = check_texts(column, err);
    if (status != SBL_OK) return status;
    if (!bounds_are_good(column))
        return sbl_fail(err, SBL_EARG, "column '%s' has bounds that no schema can hold",
                        column->name);
    json_t *field = json_object();
    put(field, "name", json_string(column->name), &failed);
    if (column->type != SBL_TYPE_NONE) {
        put(field, "type", json_string(sbl_field_type_name(column->type)), &failed);
        put_constraints(field, column, &failed);
        if (column->missing_count > 0)
            put(field, "missingValues", list_of(column->missing_values, column->missing_count),
                &failed);
        if (column->ordered) put(field, "categoriesOrdered", json_true(), &failed);
        put_marks(field, column, &failed);
    }
    put_options(field, column, &failed);
    if (failed) {
        json_decref(field);
        return no_memory(err);
    }
    return json_array_append_new(writer->fields, field) == 0 ? SBL_OK : no_memory(err);
}

sbl_status sbl_schema_writer_label(sbl_schema_writer *writer, const char *name, sbl_error *err)
{
    return json_object_set_new(writer->options, "label", json_string(name)) == 0 ? SBL_OK
                                                                                 : no_memory(err);
}

void sbl_schema_writer_dialect(sbl_schema_writer *writer, const sbl_dialect *dialect)
{
    writer->dialect = *dialect;
}

sbl_status sbl_schema_writer_origin(sbl_schema_writer *writer, json_t *origin, sbl_error *err)
{
    return json_object_set_new(writer->options, "origin", origin) == 0 ? SBL_OK : no_memory(err);
}

sbl_status sbl_schema_writer_propose(sbl_schema_writer *writer, json_t *proposal, sbl_error *err)
{
    json_t *list = json_object_get(writer->options, "proposals");
    if (list == NULL) {
        list = json_array();
        if (json_object_set_new(writer->options, "proposals", list) != 0) {
            json_decref(proposal);
            return no_memory(err);
        }
    }
    return json_array_append_new(list, proposal) == 0 ? SBL_OK : no_memory(err);
}

sbl_status sbl_schema_writer_finish(char **text, sbl_schema **schema,
                                    const sbl_schema_writer *writer, const char *where,
                                    sbl_error *err)
{
    json_t *object = NULL;
    char *made = NULL;
    sbl_schema *parsed = NULL;
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    if (schema != NULL) *schema = NULL;
    object =
        json_pack("{s:O,s:O}", "missingValues", writer->missing_values, "fields", writer->fields);
    if (object != NULL && json_object_size(writer->options) > 0 &&
        json_object_set(object, "semblance", writer->options) != 0) {
        json_decref(object);
        object = NULL;
    }
    if (object != NULL) sbl_dialect_write(&object, &writer->dialect);
    made = object != NULL ? sbl_json_pretty(object) : NULL;
    if (made == NULL) {
        status = no_memory(err);
        goto done;
    }
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
    while (up ? scaled(mantissa, unit) < value : scaled(mantissa, unit) > value)
        mantissa += up ? 1.0 : -1.0;
    while (up ? scaled(mantissa - 1.0, unit) >= value : scaled(mantissa + 1.0, unit) <= value)
        mantissa -= up ? 1.0 : -1.0;
    return scaled(mantissa, unit);
}

double sbl_plain_number_down(double value, int digits) { return plain(value, digits, false); }

double sbl_plain_number_up(double value, int digits) { return plain(value, digits, true); }
