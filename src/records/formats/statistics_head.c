/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the head of a file of SPSS, Stata or SAS: one pass of the library without a handler of values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/readstat/readstat_library.h"
#include "records/formats/statistics.h"

#define SPSS_EPOCH INT64_C(141428) /* days from 1582-10-14 to 1970-01-01 */
#define STATA_EPOCH INT64_C(3653)  /* days from 1960-01-01, SAS's as well */
#define DAY 86400.0

/* A head on its way. */
typedef struct head_reading {
    sbl_readstat library;
    sbl_statistics_head *head;
    size_t capacity, set_capacity;
    int version;
    bool failed; /* out of memory */
} head_reading;

/* A text that a damaged file lacks is empty. */
static char *copy_of(const char *text, size_t padding)
{
    const size_t length = text != NULL ? strlen(text) : 0;
    char *copy = sbl_alloc_array(length + 1 + padding, 1);
    if (copy != NULL && length > 0) memcpy(copy, text, length);
    return copy;
}

/* ---- dates and times, by the format of a variable ---- */

/* Does a format begin with one of these words, and go on with a digit, a point or nothing? */
static bool is_among(const char *format, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(words[i]);
        if (strncasecmp(format, words[i], length) == 0 && strchr("0123456789.", format[length]) != NULL)
            return true;
    }
    return false;
}

static sbl_statistics_sense sense_of_word(const char *format)
{
    static const char *const days[] = {
        "DATE",     "ADATE",    "EDATE",    "SDATE",   "JDATE",   "QYR",     "MOYR",    "WKYR",
        "DDMMYY",   "DDMMYYB",  "DDMMYYD",  "DDMMYYN", "DDMMYYP", "DDMMYYS", "MMDDYY",  "MMDDYYB",
        "MMDDYYD",  "MMDDYYN",  "MMDDYYP",  "MMDDYYS", "YYMMDD",  "YYMMDDB", "YYMMDDD", "YYMMDDN",
        "YYMMDDP",  "YYMMDDS",  "MONYY",    "E8601DA", "B8601DA", "JULIAN",  "JULDAY",  "WEEKDATE",
        "WEEKDATX", "WORDDATE", "WORDDATX", "YYMON",   "YYQ"};
    static const char *const moments[] = {"DATETIME", "YMDHMS",  "E8601DT", "B8601DT",
                                          "DATEAMPM", "E8601DZ", "MDYAMPM"};
    static const char *const clocks[] = {"TIME", "TOD", "HHMM", "E8601TM", "B8601TM", "TIMEAMPM"};
    if (is_among(format, moments, sizeof moments / sizeof moments[0])) return SBL_SENSE_MOMENT;
    if (is_among(format, days, sizeof days / sizeof days[0])) return SBL_SENSE_DAY;
    return is_among(format, clocks, sizeof clocks / sizeof clocks[0]) ? SBL_SENSE_CLOCK : SBL_SENSE_NUMBER;
}

static void set_sense(sbl_statistics_variable *variable, sbl_statistics_kind kind, const char *format)
{
    int64_t epoch = kind == SBL_STATISTICS_SPSS ? SPSS_EPOCH : STATA_EPOCH;
    variable->unit = 1;
    if (kind == SBL_STATISTICS_STATA) {
        const char *letters = format[0] == '%' ? format + 1 + (format[1] == '-') : "";
        if (letters[0] == 'd' || strncmp(letters, "td", 2) == 0)
            variable->sense = SBL_SENSE_DAY;
        else if (strncasecmp(letters, "tc", 2) == 0) {
            variable->sense = SBL_SENSE_MOMENT;
            variable->unit = 1000;
        }
    } else {
        variable->sense = sense_of_word(format);
        if (kind == SBL_STATISTICS_SPSS && variable->sense == SBL_SENSE_DAY) variable->unit = DAY;
    }
    if (variable->sense == SBL_SENSE_CLOCK) epoch = 0;
    if (variable->sense == SBL_SENSE_MOMENT) epoch *= SBL_DAY;
    variable->epoch = epoch;
}

/* ---- the library's callbacks ---- */

static int abort_for_memory(head_reading *reading)
{
    reading->failed = true;
    return READSTAT_HANDLER_ABORT;
}

static int take_metadata(readstat_metadata_t *metadata, void *context)
{
    head_reading *reading = context;
    const char *encoding = reading->library.get_file_encoding(metadata);
    reading->version = reading->library.get_file_format_version(metadata);
    /* Stata says none: UTF-8 since version 14, whose files have number 118. */
    if (reading->head->kind == SBL_STATISTICS_STATA)
        encoding = reading->version >= 118 ? "UTF-8" : "WINDOWS-1252";
    if (encoding == NULL || *encoding == '\0') encoding = "UTF-8";
    if (strlen(encoding) < sizeof reading->head->encoding) strcpy(reading->head->encoding, encoding);
    return READSTAT_HANDLER_OK;
}

static bool add_missing(sbl_statistics_variable *variable, const sbl_readstat *library, readstat_value_t low,
                        readstat_value_t high)
{
    if (variable->is_text) {
        const char *text = library->string_value(low);
        if (text == NULL || variable->missing_text_count >= SBL_USER_MISSING_MOST) return true;
        char *copy = copy_of(text, 0);
        variable->missing_texts[variable->missing_text_count++] = copy;
        return copy != NULL;
    }
    if (variable->missing_count < SBL_USER_MISSING_MOST)
        variable->missing[variable->missing_count++] =
            (sbl_file_range){library->double_value(low), library->double_value(high)};
    return true;
}

static bool fill_variable(sbl_statistics_variable *made, const head_reading *reading,
                          readstat_variable_t *variable, const char *set)
{
    const sbl_readstat *library = &reading->library;
    const char *title = library->variable_get_label(variable);
    const char *format = library->variable_get_format(variable);
    bool good = (made->name = copy_of(library->variable_get_name(variable), 0)) != NULL;
    made->is_text = library->variable_get_type_class(variable) == READSTAT_TYPE_CLASS_STRING;
    if (title != NULL && *title != '\0') good = good && (made->title = copy_of(title, 0)) != NULL;
    if (set != NULL && *set != '\0') good = good && (made->set = copy_of(set, 0)) != NULL;
    if (!made->is_text) set_sense(made, reading->head->kind, format != NULL ? format : "");
    for (int i = 0; good && i < library->variable_get_missing_ranges_count(variable); i++)
        good = add_missing(made, library, library->variable_get_missing_range_lo(variable, i),
                           library->variable_get_missing_range_hi(variable, i));
    return good;
}

static int take_variable(int index, readstat_variable_t *variable, const char *set, void *context)
{
    head_reading *reading = context;
    sbl_statistics_head *head = reading->head;
    (void)index;
    if (head->count == reading->capacity) {
        const size_t capacity = 2 * reading->capacity + 16;
        sbl_statistics_variable *more = sbl_resize_array(head->variables, capacity, sizeof *more);
        if (more == NULL) return abort_for_memory(reading);
        head->variables = more;
        reading->capacity = capacity;
    }
    sbl_statistics_variable *made = &head->variables[head->count++];
    *made = (sbl_statistics_variable){0};
    return fill_variable(made, reading, variable, set) ? READSTAT_HANDLER_OK : abort_for_memory(reading);
}

static sbl_label_set *find_set(const sbl_statistics_head *head, const char *name)
{
    for (size_t i = head->set_count; name != NULL && i-- > 0;)
        if (strcmp(head->sets[i].name, name) == 0) return &head->sets[i];
    return NULL;
}

static sbl_label_set *make_set(head_reading *reading, const char *name)
{
    sbl_statistics_head *head = reading->head;
    if (head->set_count == reading->set_capacity) {
        const size_t capacity = 2 * reading->set_capacity + 16;
        sbl_label_set *more = sbl_resize_array(head->sets, capacity, sizeof *more);
        if (more == NULL) return NULL;
        head->sets = more;
        reading->set_capacity = capacity;
    }
    char *copy = copy_of(name, 0);
    if (copy == NULL) return NULL;
    head->sets[head->set_count] = (sbl_label_set){.name = copy};
    return &head->sets[head->set_count++];
}

static double number_of(const sbl_readstat *library, readstat_value_t value)
{
    return library->value_is_system_missing(value) || library->value_is_tagged_missing(value)
               ? (double)NAN
               : library->double_value(value);
}

static int take_label(const char *name, readstat_value_t value, const char *label, void *context)
{
    head_reading *reading = context;
    const sbl_readstat *library = &reading->library;
    sbl_label_set *set = find_set(reading->head, name);
    sbl_value_label made = {0};
    if (label == NULL || *label == '\0') return READSTAT_HANDLER_OK; /* without words it says nothing */
    if (set == NULL) set = make_set(reading, name);
    if (set == NULL) return abort_for_memory(reading);
    if (set->count % 64 == 0) {
        sbl_value_label *more = sbl_resize_array(set->labels, set->count + 64, sizeof *more);
        if (more == NULL) return abort_for_memory(reading);
        set->labels = more;
    }
    if (library->value_type_class(value) == READSTAT_TYPE_CLASS_STRING) {
        const char *key = library->string_value(value);
        made.key = copy_of(key != NULL ? key : "", 0);
        made.number = (double)NAN;
    } else {
        made.number = number_of(library, value) + 0.0;
        made.tag = library->value_is_tagged_missing(value) ? library->value_tag(value) : '\0';
    }
    made.length = strlen(label);
    made.text = copy_of(label, SBL_CELL_PADDING);
    set->labels[set->count++] = made;
    return made.text != NULL &&
                   (made.key != NULL || library->value_type_class(value) != READSTAT_TYPE_CLASS_STRING)
               ? READSTAT_HANDLER_OK
               : abort_for_memory(reading);
}

/* ---- the head ---- */

int sbl_value_label_compare(const void *a, const void *b)
{
    const sbl_value_label *first = a, *second = b;
    if (first->key != NULL && second->key != NULL) return strcmp(first->key, second->key);
    if (isnan(first->number) != isnan(second->number)) return isnan(first->number) ? 1 : -1;
    if (first->number < second->number) return -1;
    if (first->number > second->number) return 1;
    return first->tag - second->tag;
}

bool sbl_label_is_missing(const sbl_statistics_variable *variable, const sbl_value_label *label)
{
    if (label->tag != '\0') return true;
    for (size_t i = 0; label->key != NULL && i < variable->missing_text_count; i++)
        if (strcmp(variable->missing_texts[i], label->key) == 0) return true;
    return label->key == NULL &&
           (isnan(label->number) ||
            sbl_file_ranges_hold(variable->missing, variable->missing_count, label->number));
}

static readstat_error_t parse(const head_reading *reading, readstat_parser_t *parser, const char *path,
                              void *context)
{
    switch (reading->head->kind) {
    case SBL_STATISTICS_STATA:
        return reading->library.parse_dta(parser, path, context);
    case SBL_STATISTICS_SAS:
        return reading->library.parse_sas7bdat(parser, path, context);
    case SBL_STATISTICS_XPORT:
        return reading->library.parse_xport(parser, path, context);
    default:
        return reading->library.parse_sav(parser, path, context);
    }
}

static sbl_status fail_read(const head_reading *reading, readstat_error_t error, const char *name,
                            sbl_error *err)
{
    static const char *const programs[] = {"", "SPSS", "Stata", "SAS", "SAS (transport format)"};
    if (reading->failed || error == READSTAT_ERROR_MALLOC) return sbl_no_memory(err, name);
    if (error == READSTAT_ERROR_OPEN) return sbl_fail(err, SBL_EIO, "cannot open %s", name);
    return sbl_fail(err, SBL_EINPUT, "%s is not a file of %s, or it is damaged", name,
                    programs[reading->head->kind]);
}

static sbl_status read_head(head_reading *reading, const char *path, const char *name, sbl_error *err)
{
    sbl_readstat *library = &reading->library;
    readstat_parser_t *parser = library->parser_init();
    if (parser == NULL) return sbl_no_memory(err, name);
    (void)library->set_metadata_handler(parser, take_metadata);
    (void)library->set_variable_handler(parser, take_variable);
    (void)library->set_value_label_handler(parser, take_label);
    const readstat_error_t error = parse(reading, parser, path, reading);
    library->parser_free(parser);
    if (error != READSTAT_OK) return fail_read(reading, error, name, err);
    return reading->head->count > 0 ? SBL_OK : sbl_fail(err, SBL_EINPUT, "%s has no variables", name);
}

sbl_status sbl_statistics_head_read(sbl_statistics_head *head, const char *path, const char *name,
                                    sbl_error *err)
{
    head_reading reading = {.head = head};
    sbl_status status = SBL_OK;
    *head = (sbl_statistics_head){.kind = sbl_path_statistics(path), .encoding = "UTF-8"};
    SBL_TRY(sbl_readstat_open(&reading.library, name, err));
    SBL_TRY(read_head(&reading, path, name, err));
    for (size_t i = 0; i < head->set_count; i++)
        qsort(head->sets[i].labels, head->sets[i].count, sizeof *head->sets[i].labels,
              sbl_value_label_compare);
    for (size_t i = 0; i < head->count; i++)
        head->variables[i].labels = find_set(head, head->variables[i].set);
done:
    if (status != SBL_OK) sbl_statistics_head_clear(head);
    return status;
}

static void clear_set(sbl_label_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        sbl_free(set->labels[i].key);
        sbl_free(set->labels[i].text);
    }
    sbl_free(set->labels);
    sbl_free(set->name);
}

void sbl_statistics_head_clear(sbl_statistics_head *head)
{
    for (size_t i = 0; i < head->count; i++) {
        sbl_statistics_variable *variable = &head->variables[i];
        sbl_free(variable->name);
        sbl_free(variable->title);
        sbl_free(variable->set);
        for (size_t m = 0; m < variable->missing_text_count; m++) sbl_free(variable->missing_texts[m]);
    }
    for (size_t i = 0; i < head->set_count; i++) clear_set(&head->sets[i]);
    sbl_free(head->variables);
    sbl_free(head->sets);
    *head = (sbl_statistics_head){0};
}
