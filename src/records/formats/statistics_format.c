/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of files of SPSS, Stata and SAS.
 *
 * A value with a label is the text of the label, a value that counts as missing is missing, and a number is what the format
 * of its variable says: a number, a day, a second or a time of day. The head of the file and the schema decide which labels
 * count (match); a cell is then read by itself. */
#include <errno.h>
#include <iconv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "records/formats/statistics.h"

/* How the cells of a variable are read. */
typedef struct cell_plan {
    sbl_value_label *labels; /* (count) that are cells; their texts are borrowed */
    size_t count;
    const sbl_column *column; /* of the schema; NULL: none is known */
} cell_plan;

typedef struct statistics_reading {
    sbl_statistics_head head;
    sbl_statistics_rows *rows;
    const char *name; /* of the table; borrowed */
    cell_plan *plans; /* (head.count) */
    char **codes;     /* texts of categories by the codes of a schema, with padding */
    size_t code_count;
    iconv_t decoder;
    bool decodes;
    char *decoded; /* of the row at hand */
    size_t used, room;
} statistics_reading;

static void close_reading(void *state)
{
    statistics_reading *reading = state;
    if (reading == NULL) return;
    sbl_statistics_rows_close(reading->rows);
    for (size_t i = 0; reading->plans != NULL && i < reading->head.count; i++)
        sbl_free(reading->plans[i].labels);
    sbl_free(reading->plans);
    for (size_t i = 0; i < reading->code_count; i++) sbl_free(reading->codes[i]);
    sbl_free(reading->codes);
    if (reading->decodes) (void)iconv_close(reading->decoder);
    sbl_free_wiped(reading->decoded, reading->room);
    sbl_statistics_head_clear(&reading->head);
    sbl_free(reading);
}

/* ---- which labels are cells ---- */

static size_t count_labels(const sbl_statistics_variable *variable)
{
    return variable->labels != NULL ? variable->labels->count : 0;
}

/* Without a schema: labels of values that are not missing, unless a variable of numbers has only one. */
static sbl_status plan_alone(cell_plan *plan, const sbl_statistics_variable *variable, const char *name,
                             sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(plan->labels, count_labels(variable), name);
    for (size_t i = 0; i < count_labels(variable); i++)
        if (!sbl_label_is_missing(variable, &variable->labels->labels[i]))
            plan->labels[plan->count++] = variable->labels->labels[i];
    if (plan->count == 1 && !variable->is_text) plan->count = 0;
done:
    return status;
}

/* Is the text one that the column may hold? */
static bool is_declared(const sbl_column *column, const char *text)
{
    if (column->type == SBL_TYPE_BOOLEAN)
        return sbl_strings_contain(&column->true_values, text) ||
               sbl_strings_contain(&column->false_values, text);
    return sbl_strings_contain(&column->categories, text);
}

static bool is_declared_key(const sbl_column *column, const sbl_value_label *label)
{
    char text[SBL_VALUE_TEXT + 1];
    if (label->key != NULL) return is_declared(column, label->key);
    if (label->tag != '\0' || isnan(label->number)) return false;
    text[sbl_number_text(text, label->number)] = '\0';
    return is_declared(column, text);
}

/* Labels of values that are not missing: how many there are, how many of them are declared, and how many of their
 * values. */
typedef struct label_tally {
    size_t all, texts, keys;
} label_tally;

static label_tally tally_labels(const sbl_statistics_variable *variable, const sbl_column *column)
{
    label_tally tally = {0};
    for (size_t i = 0; i < count_labels(variable); i++) {
        const sbl_value_label *label = &variable->labels->labels[i];
        if (sbl_label_is_missing(variable, label)) continue;
        tally.all++;
        tally.texts += is_declared(column, label->text);
        tally.keys += is_declared_key(column, label);
    }
    return tally;
}

/* Does the schema give the category of a label the code that the file gives it? */
static bool has_same_code(const sbl_column *column, const sbl_value_label *label)
{
    if (column->file == NULL || column->file->codes == NULL || label->key != NULL) return true;
    for (size_t i = 0; i < column->categories.count; i++) {
        const sbl_file_code *code = &column->file->codes[i];
        if (strcmp(column->categories.items[i], label->text) != 0) continue;
        return code->tag == label->tag && (code->tag != '\0' || code->number == label->number);
    }
    return true;
}

/* A category column of a schema. A category is a label; or the values themselves are declared. */
static sbl_status plan_labels(cell_plan *plan, const sbl_statistics_variable *variable, const char *name,
                              sbl_error *err)
{
    const sbl_column *column = plan->column;
    const label_tally tally = tally_labels(variable, column);
    const bool by_label = tally.texts == tally.all || column->other_declared;
    sbl_status status = SBL_OK;
    if (!by_label && tally.keys == tally.all) return SBL_OK;
    if (!by_label && column->type == SBL_TYPE_BOOLEAN && tally.texts == 0) return SBL_OK; /* 0 and 1 */
    if (!by_label)
        return sbl_fail(
            err, SBL_EINPUT,
            "%s: column '%.100s' has %zu value label%s not among the categories of the schema: list them "
            "in constraints.enum (schema inspect shows them), or declare semblance.other",
            name, column->name, tally.all - tally.texts, tally.all - tally.texts == 1 ? "" : "s");
    SBL_ALLOC(plan->labels, count_labels(variable), name);
    for (size_t i = 0; i < count_labels(variable); i++) {
        const sbl_value_label *label = &variable->labels->labels[i];
        if (sbl_label_is_missing(variable, label) && !is_declared(column, label->text)) continue;
        if (!has_same_code(column, label))
            SBL_FAIL(err, SBL_EINPUT,
                     "%s: column '%.100s' gives a category another value than semblance.codes of the schema: "
                     "correct "
                     "the codes, or leave them out",
                     name, column->name);
        plan->labels[plan->count++] = *label;
    }
done:
    return status;
}

/* A file without labels, of a schema that knows the codes. */
static sbl_status plan_codes(statistics_reading *reading, cell_plan *plan, sbl_error *err)
{
    const sbl_column *column = plan->column;
    const size_t count = column->categories.count;
    sbl_status status = SBL_OK;
    SBL_ALLOC(plan->labels, count, reading->name);
    SBL_RESIZE(reading->codes, reading->code_count + count, reading->name);
    for (size_t i = 0; i < count; i++) {
        const char *text = column->categories.items[i];
        const size_t length = strlen(text);
        char *copy;
        SBL_ALLOC(copy, length + 1 + SBL_CELL_PADDING, reading->name);
        memcpy(copy, text, length);
        reading->codes[reading->code_count++] = copy;
        plan->labels[plan->count++] = (sbl_value_label){.number = column->file->codes[i].number,
                                                        .tag = column->file->codes[i].tag,
                                                        .text = copy,
                                                        .length = length};
    }
    qsort(plan->labels, plan->count, sizeof *plan->labels, sbl_value_label_compare);
done:
    return status;
}

static sbl_status match(void *state, const sbl_schema *schema, sbl_error *err)
{
    statistics_reading *reading = state;
    for (size_t i = 0; i < reading->head.count; i++) {
        const sbl_statistics_variable *variable = &reading->head.variables[i];
        cell_plan *plan = &reading->plans[i];
        for (size_t c = 0; c < schema->column_count && plan->column == NULL; c++)
            if (strcmp(schema->columns[c].name, variable->name) == 0) plan->column = &schema->columns[c];
        plan->count = 0;
        sbl_free(plan->labels);
        plan->labels = NULL;
        if (plan->column == NULL || plan->column->kind != SBL_COLUMN_CATEGORY) continue;
        if (variable->labels != NULL)
            SBL_CHECK(plan_labels(plan, variable, reading->name, err));
        else if (!variable->is_text && plan->column->file != NULL && plan->column->file->codes != NULL)
            SBL_CHECK(plan_codes(reading, plan, err));
    }
    return SBL_OK;
}

/* ---- opening ---- */

static sbl_status open_decoder(statistics_reading *reading, sbl_error *err)
{
    const char *encoding = reading->head.encoding;
    if (strcmp(encoding, "UTF-8") == 0 || strcmp(encoding, "US-ASCII") == 0) return SBL_OK;
    reading->decoder = iconv_open("UTF-8", encoding);
    reading->decodes = reading->decoder != (iconv_t)-1; /* NOLINT: that is how iconv says it */
    return reading->decodes
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "%s: this system cannot read the encoding %s: save it as UTF-8",
                          reading->name, encoding);
}

static sbl_status open_cells(void **state, const sbl_table *table, const sbl_dialect *dialect,
                             sbl_strings *names, sbl_error *err)
{
    statistics_reading *reading = NULL;
    sbl_status status = SBL_OK;
    (void)dialect;
    *state = NULL;
    if (!table->can_rewind)
        SBL_FAIL(err, SBL_EARG, "%s must be a regular file: files of SPSS, Stata and SAS are read twice",
                 table->name);
    SBL_ALLOC(reading, 1, table->name);
    reading->name = table->name;
    SBL_TRY(sbl_statistics_head_read(&reading->head, table->path, table->name, err));
    SBL_TRY(open_decoder(reading, err));
    SBL_ALLOC(reading->plans, reading->head.count, table->name);
    bool good = sbl_strings_reserve(names, reading->head.count);
    for (size_t i = 0; good && i < reading->head.count; i++) {
        good = sbl_strings_add(names, reading->head.variables[i].name);
        SBL_TRY(plan_alone(&reading->plans[i], &reading->head.variables[i], table->name, err));
    }
    if (!good) SBL_TRY(sbl_no_memory(err, table->name));
    SBL_TRY(sbl_statistics_rows_open(&reading->rows, reading->head.kind, table->path, table->name,
                                     reading->head.count, err));
    *state = reading;
    reading = NULL;
done:
    close_reading(reading);
    return status;
}

/* ---- cells ---- */

static const sbl_value_label *find_label(const cell_plan *plan, const sbl_value_label *key)
{
    return plan->count > 0
               ? bsearch(key, plan->labels, plan->count, sizeof *plan->labels, sbl_value_label_compare)
               : NULL;
}

/* Of a value that counts as missing: does the schema declare it as a value of its own? */
static bool is_kept(const sbl_column *column, double value)
{
    if (column == NULL) return false;
    if (column->kind == SBL_COLUMN_CATEGORY)
        return is_declared_key(column, &(sbl_value_label){.number = value});
    for (size_t i = 0; i < column->spike_count; i++)
        if (column->spikes[i] == value) return true;
    return false;
}

static void set_number(sbl_cell *cell, const sbl_statistics_variable *variable, double value)
{
    if (variable->sense == SBL_SENSE_NUMBER) {
        *cell = (sbl_cell){.sort = SBL_CELL_IS_NUMBER, .number = value};
        return;
    }
    const double units = floor(value / variable->unit);
    *cell = (sbl_cell){.sort = SBL_CELL_IS_UNREADABLE};
    if (!(fabs(units) < 1e15)) return;
    const int64_t whole = (int64_t)units - variable->epoch;
    const int64_t day = variable->sense == SBL_SENSE_DAY ? whole : whole / SBL_DAY;
    if (day < SBL_FIRST_DAY || day > SBL_LAST_DAY) return;
    if (variable->sense == SBL_SENSE_CLOCK && (whole < 0 || whole >= SBL_DAY)) return;
    cell->sort = variable->sense == SBL_SENSE_DAY      ? SBL_CELL_IS_DAY
                 : variable->sense == SBL_SENSE_MOMENT ? SBL_CELL_IS_MOMENT
                                                       : SBL_CELL_IS_CLOCK;
    cell->whole = whole;
    if (variable->sense != SBL_SENSE_DAY)
        cell->nanoseconds = (int64_t)((value / variable->unit - units) * 1e9);
}

static void take_number(sbl_cell *cell, const statistics_reading *reading, size_t i,
                        const sbl_statistics_value *value)
{
    const sbl_statistics_variable *variable = &reading->head.variables[i];
    const cell_plan *plan = &reading->plans[i];
    const bool tagged = value->sort == SBL_STATISTICS_MISSING;
    const sbl_value_label key = {.number = tagged ? (double)NAN : value->number + 0.0, .tag = value->tag};
    *cell = (sbl_cell){.sort = SBL_CELL_IS_MISSING};
    if (isnan(key.number) && key.tag == '\0') return;
    const sbl_value_label *label = find_label(plan, &key);
    if (label != NULL)
        *cell = (sbl_cell){.sort = SBL_CELL_IS_TEXT, .text = label->text, .length = label->length};
    else if (!tagged && (!sbl_file_ranges_hold(variable->missing, variable->missing_count, value->number) ||
                         is_kept(plan->column, value->number)))
        set_number(cell, variable, value->number);
}

static bool is_ascii(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] >= 0x80) return false;
    return true;
}

/* One text; bytes that the encoding does not have become U+FFFD. `place` in `decoded`, where there is room. */
static size_t decode(statistics_reading *reading, char *from, size_t left)
{
    char *to = reading->decoded + reading->used;
    size_t room = reading->room - reading->used - SBL_CELL_PADDING;
    const char *begin = to;
    (void)iconv(reading->decoder, NULL, NULL, NULL, NULL);
    while (left > 0 && iconv(reading->decoder, &from, &left, &to, &room) == (size_t)-1) {
        if (errno == E2BIG || room < 3) break;
        memcpy(to, "\xef\xbf\xbd", 3);
        to += 3;
        room -= 3;
        from++;
        left--;
    }
    return (size_t)(to - begin);
}

static sbl_status take_text(sbl_cell *cell, statistics_reading *reading, size_t i, const char *text,
                            size_t length)
{
    const sbl_statistics_variable *variable = &reading->head.variables[i];
    if (reading->decodes && !is_ascii(text, length)) {
        const size_t made = decode(reading, (char *)(uintptr_t)text, length);
        text = reading->decoded + reading->used;
        reading->used += made + SBL_CELL_PADDING;
        length = made;
    }
    *cell = (sbl_cell){.sort = length > SBL_CELL_MOST_TEXT ? SBL_CELL_IS_LONG : SBL_CELL_IS_TEXT,
                       .text = text,
                       .length = length};
    if (count_labels(variable) == 0 && variable->missing_text_count == 0) return SBL_OK;
    char *key = sbl_alloc_array(length + 1, 1);
    if (key == NULL) return SBL_EMEM;
    memcpy(key, text, length);
    const sbl_value_label *label =
        find_label(&reading->plans[i], &(sbl_value_label){.number = (double)NAN, .key = key});
    bool missing = false;
    for (size_t m = 0; m < variable->missing_text_count; m++)
        missing = missing || strcmp(variable->missing_texts[m], key) == 0;
    sbl_free_wiped(key, length + 1);
    if (label != NULL)
        *cell = (sbl_cell){.sort = SBL_CELL_IS_TEXT, .text = label->text, .length = label->length};
    else if (missing)
        *cell = (sbl_cell){.sort = SBL_CELL_IS_MISSING};
    return SBL_OK;
}

/* Room for all texts of a row, decoded: a byte of any encoding becomes four at most. */
static bool make_room(statistics_reading *reading, const sbl_statistics_value *values)
{
    size_t needed = 0;
    for (size_t i = 0; i < reading->head.count; i++)
        if (values[i].sort == SBL_STATISTICS_TEXT) needed += 4 * values[i].length + SBL_CELL_PADDING;
    reading->used = 0;
    if (needed <= reading->room) return true;
    char *more = sbl_alloc_array(2 * needed, 1);
    if (more == NULL) return false;
    sbl_free_wiped(reading->decoded, reading->room);
    reading->decoded = more;
    reading->room = 2 * needed;
    return true;
}

static sbl_status next_cells(void *state, sbl_cell *cells, bool *more, sbl_error *err)
{
    statistics_reading *reading = state;
    const sbl_statistics_value *values;
    const char *texts = NULL;
    SBL_CHECK(sbl_statistics_rows_next(reading->rows, &values, &texts, err));
    *more = values != NULL;
    if (!*more) return SBL_OK;
    if (reading->decodes && !make_room(reading, values)) return sbl_no_memory(err, reading->name);
    for (size_t i = 0; i < reading->head.count; i++) {
        const sbl_statistics_value *value = &values[i];
        if (value->sort != SBL_STATISTICS_TEXT)
            take_number(&cells[i], reading, i, value);
        else if (take_text(&cells[i], reading, i, texts + value->place, value->length) != SBL_OK)
            return sbl_no_memory(err, reading->name);
    }
    return SBL_OK;
}

/* ---- what the head says, for a draft ---- */

static json_t *put_labels(json_t *made, const sbl_statistics_variable *variable)
{
    json_t *labels = json_array(), *codes = json_array();
    for (size_t i = 0; i < count_labels(variable); i++) {
        const sbl_value_label *label = &variable->labels->labels[i];
        bool again = false;
        for (size_t j = 0; j < json_array_size(labels); j++)
            again = again || strcmp(json_string_value(json_array_get(labels, j)), label->text) == 0;
        if (again || (label->tag == '\0' && label->key == NULL && isnan(label->number))) continue;
        labels = sbl_json_append(labels, json_string(label->text));
        if (label->key == NULL)
            codes = sbl_json_append(codes, sbl_file_code_to_json(label->number, label->tag));
    }
    const bool good = labels != NULL && codes != NULL;
    const bool coded =
        good && json_array_size(labels) > 0 && json_array_size(codes) == json_array_size(labels);
    if (!good || json_array_size(labels) == 0) {
        json_decref(codes);
        json_decref(labels);
        return good ? made : sbl_json_put(made, "labels", NULL);
    }
    made = sbl_json_put(made, "labels", labels);
    if (coded) return sbl_json_put(made, "codes", codes);
    json_decref(codes);
    return made;
}

static json_t *describe_variable(const sbl_statistics_variable *variable)
{
    json_t *made = json_pack("{s:s}", "name", variable->name);
    if (variable->title != NULL && sbl_text_is_utf8(variable->title) &&
        !sbl_text_has_control(variable->title))
        made = sbl_json_put(made, "title", json_string(variable->title));
    made = put_labels(made, variable);
    json_t *list = json_array();
    for (size_t i = 0; i < variable->missing_count; i++) {
        const sbl_file_range *range = &variable->missing[i];
        if (!isfinite(range->low) || !isfinite(range->high)) continue;
        json_t *entry = sbl_file_code_to_json(range->low, '\0');
        if (range->high > range->low)
            entry = json_pack("[o,o]", entry, sbl_file_code_to_json(range->high, '\0'));
        list = sbl_json_append(list, entry);
    }
    if (list != NULL && json_array_size(list) > 0) return sbl_json_put(made, "user_missing", list);
    json_decref(list);
    return made;
}

static sbl_status describe(json_t **columns, const sbl_table *table, sbl_error *err)
{
    sbl_statistics_head head;
    *columns = NULL;
    SBL_CHECK(sbl_statistics_head_read(&head, table->path, table->name, err));
    json_t *list = json_array();
    for (size_t i = 0; i < head.count; i++)
        list = sbl_json_append(list, describe_variable(&head.variables[i]));
    sbl_statistics_head_clear(&head);
    *columns = list;
    return list != NULL ? SBL_OK : sbl_no_memory(err, "a schema");
}

const sbl_format sbl_statistics_format = {
    .open = open_cells, .next = next_cells, .close = close_reading, .match = match, .describe = describe};
