/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow tables: the same table as CSV text and as arrays of every type gives the same encoded records, bit for bit;
 * what a producer does wrong is refused, or is a cell that cannot be read; and everything is given back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/int128.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"
#include "support/arrow_kit.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"

#define ROWS 9000 /* more than a batch of rows */

static uint64_t state_of_numbers;

static uint64_t next_number(void)
{
    state_of_numbers = state_of_numbers * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return state_of_numbers >> 33;
}

/* ---- one column of each type, and its cells as text ---- */

typedef struct column_case {
    const char *format;
    const char *codes; /* of a dictionary */
    const char *field; /* JSON, without the name */
    /* The cell, and its text in a CSV file. */
    void (*make)(kit_cell *cell, char text[64]);
} column_case;

static void small_whole(kit_cell *cell, char text[64])
{
    cell->whole = (int64_t)(next_number() % 120);
    (void)snprintf(text, 64, "%lld", (long long)cell->whole);
}

static void signed_whole(kit_cell *cell, char text[64])
{
    cell->whole = (int64_t)(next_number() % 200) - 100;
    (void)snprintf(text, 64, "%lld", (long long)cell->whole);
}

static void large_whole(kit_cell *cell, char text[64])
{
    cell->whole = (int64_t)(next_number() << 32 | next_number()) >> (next_number() % 60);
    (void)snprintf(text, 64, "%lld", (long long)cell->whole);
}

static void large_unsigned(kit_cell *cell, char text[64])
{
    const uint64_t value = (next_number() << 33) >> (next_number() % 60);
    cell->whole = (int64_t)value;
    (void)snprintf(text, 64, "%llu", (unsigned long long)value);
}

/* Eighths: exact in every width of float. */
static void eighths(kit_cell *cell, char text[64])
{
    cell->number = (double)(int64_t)(next_number() % 1600) / 8 - 100;
    (void)snprintf(text, 64, "%.3f", cell->number);
}

static void any_double(kit_cell *cell, char text[64])
{
    cell->number = (double)(int64_t)(next_number() - (1 << 29)) / 3.0 * 1e-6;
    if (next_number() % 50 == 0) cell->number = NAN;
    if (next_number() % 50 == 0) cell->number = -INFINITY;
    (void)snprintf(text, 64, isnan(cell->number) ? "nan" : "%.17g", cell->number);
}

static void cents(kit_cell *cell, char text[64])
{
    const int64_t value = (int64_t)(next_number() % 30000) - 10000;
    cell->whole = value;
    (void)snprintf(text, 64, "%s%lld.%02lld", value < 0 ? "-" : "", (long long)llabs(value) / 100,
                   (long long)llabs(value) % 100);
}

static void hundreds(kit_cell *cell, char text[64])
{
    cell->whole = (int64_t)(next_number() % 9) - 4;
    (void)snprintf(text, 64, "%lld", (long long)cell->whole * 100);
}

/* A decimal's digits with so many after the point, of any size. */
static void decimal_text(char text[64], sbl_i128 value, int scale)
{
    char digits[64];
    int count = 0;
    sbl_u128 size = value < 0 ? -(sbl_u128)value : (sbl_u128)value;
    for (; size != 0 || count <= scale; size /= 10) {
        digits[count++] = (char)('0' + (int)(size % 10));
        if (count == scale) digits[count++] = '.';
    }
    if (value < 0) *text++ = '-';
    while (count > 0) *text++ = digits[--count];
    *text = '\0';
}

/* Some of them wider than 64 bits. */
static void wide_decimal(kit_cell *cell, char text[64])
{
    cell->whole = (int64_t)(next_number() << 32 | next_number());
    cell->high = next_number() % 2 == 0 ? 0 : (int64_t)(next_number() % 2000) - 1000;
    if (next_number() % 3 == 0) cell->whole = -cell->whole;
    decimal_text(text, (sbl_i128)cell->high * ((sbl_i128)1 << 64) + cell->whole, 19);
}

/* More digits after the point than a power of ten that is a double. */
static void fine_decimal(kit_cell *cell, char text[64])
{
    cell->whole = (int64_t)(next_number() << 20) - (INT64_C(1) << 50);
    decimal_text(text, cell->whole, 25);
}

static void missing_cents(kit_cell *cell, char text[64])
{
    cents(cell, text);
    if (next_number() % 3 != 0) return;
    cell->whole = -99900;
    (void)snprintf(text, 64, "-999.00");
}

static void few_cents(kit_cell *cell, char text[64])
{
    cell->whole = (int64_t)(next_number() % 4) * 25;
    (void)snprintf(text, 64, "0.%02lld", (long long)cell->whole);
}

/* More values than are remembered. */
static void many_wholes(kit_cell *cell, char text[64])
{
    cell->whole = (int64_t)(next_number() % 5000) - 2000;
    (void)snprintf(text, 64, "%lld", (long long)cell->whole);
}

static void truth(kit_cell *cell, char text[64])
{
    cell->whole = (int64_t)(next_number() % 2);
    cell->text = cell->whole ? "true" : "false";
    (void)snprintf(text, 64, "%s", cell->text);
}

static const char *const words[] = {"red",         "green", "blue", "a rather long name of a colour",
                                    "Gr\xc3\xbcn", "mauve", " red", ""};

/* Three are declared, "mauve" is not, blanks and nothing have their own rules. */
static void word(kit_cell *cell, char text[64])
{
    cell->text = words[next_number() % 8];
    (void)snprintf(text, 64, "%s", cell->text);
}

static void word_code(kit_cell *cell, char text[64])
{
    cell->whole = (int64_t)(next_number() % 8);
    (void)snprintf(text, 64, "%s", words[cell->whole]);
}

static void number_word(kit_cell *cell, char text[64])
{
    static const char *const numbers[] = {"1.5", "2", "-7.25", "1e2", "not a number", "", "1000"};
    cell->text = numbers[next_number() % 7];
    (void)snprintf(text, 64, "%s", cell->text);
}

static void comma_word(kit_cell *cell, char text[64])
{
    static const char *const numbers[] = {"1,5", "2", "-7,25", "1.5"};
    cell->text = numbers[next_number() % 4];
    (void)snprintf(text, 64, "%s", cell->text);
}

static void comma_number(kit_cell *cell, char text[64])
{
    eighths(cell, text);
    *strchr(text, '.') = ',';
}

static void missing_number(kit_cell *cell, char text[64])
{
    cell->whole = next_number() % 3 == 0 ? -999 : (int64_t)(next_number() % 100);
    (void)snprintf(text, 64, "%lld", (long long)cell->whole);
}

static void missing_double(kit_cell *cell, char text[64])
{
    missing_number(cell, text);
    cell->number = (double)cell->whole;
}

/* The civil date of a day since 1970 (Hinnant's algorithm, independent of the library's). */
static void date_text(char *text, int64_t day)
{
    const int64_t z = day + 719468, era = (z >= 0 ? z : z - 146096) / 146097, doe = z - era * 146097;
    const int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    const int64_t m = mp < 10 ? mp + 3 : mp - 9, y = yoe + era * 400 + (m <= 2);
    (void)snprintf(text, 64, "%04d-%02d-%02d", (int)y, (int)m, (int)(doy - (153 * mp + 2) / 5 + 1));
}

static void day(kit_cell *cell, char text[64])
{
    cell->whole = (int64_t)(next_number() % 40000) - 10000;
    date_text(text, cell->whole);
}

static void day_in_ms(kit_cell *cell, char text[64])
{
    day(cell, text);
    cell->whole *= 86400000;
}

static void dotted_day(kit_cell *cell, char text[64])
{
    char iso[64];
    day(cell, iso);
    (void)snprintf(text, 64, "%.2s.%.2s.%.4s", iso + 8, iso + 5, iso);
}

static void moment_of(kit_cell *cell, char text[64], int64_t per_second, const char *zone)
{
    const int64_t second = (int64_t)(next_number() % 2000000000) - 300000000;
    const int64_t days = (second - (second % 86400 + 86400) % 86400) / 86400;
    const int64_t of_day = second - days * 86400;
    const int64_t part = per_second > 1 ? (int64_t)(next_number() % (uint64_t)per_second) : 0;
    cell->whole = second * per_second + part;
    date_text(text, days);
    (void)snprintf(text + 10, 54, "T%02d:%02d:%02d.%03d%s", (int)(of_day / 3600), (int)(of_day / 60 % 60),
                   (int)(of_day % 60), (int)(part * 1000 / per_second), zone);
}

static void moment_s(kit_cell *cell, char text[64]) { moment_of(cell, text, 1, ""); }
static void moment_ms(kit_cell *cell, char text[64]) { moment_of(cell, text, 1000, ""); }
static void moment_us(kit_cell *cell, char text[64]) { moment_of(cell, text, 1000000, "Z"); }
static void moment_ns(kit_cell *cell, char text[64]) { moment_of(cell, text, 1000000000, "Z"); }

/* A time in a column of dates: its day at midnight, else no date. */
static void moment_as_day(kit_cell *cell, char text[64])
{
    day(cell, text);
    cell->whole *= 86400;
    if (next_number() % 4 != 0) return;
    cell->whole += 3600;
    (void)strcat(text, "T01:00:00");
}

/* One of three days, for a column of categories. */
static void few_days(kit_cell *cell, char text[64])
{
    cell->whole = 10000 + (int64_t)(next_number() % 3);
    date_text(text, cell->whole);
}

static void few_moments(kit_cell *cell, char text[64])
{
    few_days(cell, text);
    cell->whole = (cell->whole * 86400 + 3600) * 1000;
    (void)strcat(text, "T01:00:00");
}

static void missing_day(kit_cell *cell, char text[64])
{
    day(cell, text);
    if (next_number() % 3 != 0) return;
    cell->whole = -25567;
    (void)snprintf(text, 64, "1900-01-01");
}

static void clock_of(kit_cell *cell, char text[64], int64_t per_second)
{
    const int64_t second = (int64_t)(next_number() % 86400);
    const int64_t part = per_second > 1 ? (int64_t)(next_number() % (uint64_t)per_second) : 0;
    cell->whole = second * per_second + part;
    (void)snprintf(text, 64, "%02d:%02d:%02d.%09lld", (int)(second / 3600), (int)(second / 60 % 60),
                   (int)(second % 60), (long long)(part * (1000000000 / per_second)));
    if (part == 0) text[8] = '\0';
}

static void clock_s(kit_cell *cell, char text[64]) { clock_of(cell, text, 1); }
static void clock_ms(kit_cell *cell, char text[64]) { clock_of(cell, text, 1000); }
static void clock_us(kit_cell *cell, char text[64]) { clock_of(cell, text, 1000000); }
static void clock_ns(kit_cell *cell, char text[64]) { clock_of(cell, text, 1000000000); }

static void short_clock(kit_cell *cell, char text[64])
{
    clock_s(cell, text);
    cell->whole -= cell->whole % 60;
    text[5] = '\0';
}

/* Midnight may mean missing. */
static void missing_clock(kit_cell *cell, char text[64])
{
    clock_us(cell, text);
    if (next_number() % 3 != 0) return;
    cell->whole = 0;
    (void)snprintf(text, 64, "00:00:00");
}

static void few_clocks(kit_cell *cell, char text[64])
{
    cell->whole = 3600 * (int64_t)(next_number() % 3);
    (void)snprintf(text, 64, "0%d:00:00", (int)(cell->whole / 3600));
}

/* Some are beyond the end of the day, which is not a time. */
static void long_clock(kit_cell *cell, char text[64])
{
    cell->whole = 86398 + (int64_t)(next_number() % 4);
    (void)snprintf(text, 64, cell->whole < 86400 ? "23:59:%02d" : "second %d of a day",
                   (int)(cell->whole < 86400 ? cell->whole - 86340 : cell->whole));
}

static void nothing(kit_cell *cell, char text[64])
{
    cell->null = true;
    text[0] = '\0';
}

#define BOUNDS(type, low, high) \
    "\"type\": \"" type "\", \"constraints\": {\"minimum\": " #low ", \"maximum\": " #high "}"
#define COLOURS                                                                               \
    "\"type\": \"string\", \"constraints\": {\"enum\": [\"red\", \"green\", \"Gr\xc3\xbcn\"," \
    " \"a rather long name of a colour\"]}"
#define DATES                                                                          \
    "\"type\": \"date\", \"constraints\": {\"minimum\": \"1950-01-01\", \"maximum\": " \
    "\"2040-12-31\"}"
#define MOMENTS                                                                        \
    "\"type\": \"datetime\", \"constraints\": {\"minimum\": \"1970-01-01T00:00:00\", " \
    "\"maximum\": "                                                                    \
    "\"2020-12-31T00:00:00\"}"
#define CLOCKS "\"type\": \"time\", \"constraints\": {\"minimum\": \"06:00\", \"maximum\": \"22:30:00\"}"
#define ZONED                                                                           \
    "\"type\": \"datetime\", \"constraints\": {\"minimum\": \"1970-01-01T00:00:00Z\", " \
    "\"maximum\": "                                                                     \
    "\"2020-12-31T00:00:00Z\"}"

static const column_case cases[] = {
    {"c", NULL, BOUNDS("integer", -50, 90), signed_whole},
    {"C", NULL, BOUNDS("integer", 0, 100), small_whole},
    {"s", NULL, BOUNDS("integer", -50, 90), signed_whole},
    {"S", NULL, BOUNDS("integer", 0, 100), small_whole},
    {"i", NULL, BOUNDS("integer", -50, 90), signed_whole},
    {"I", NULL, BOUNDS("number", 0, 100), small_whole},
    {"l", NULL, BOUNDS("number", -1e15, 1e15), large_whole},
    {"L", NULL, BOUNDS("number", 0, 1e16), large_unsigned},
    {"e", NULL, BOUNDS("number", -90, 90), eighths},
    {"f", NULL, BOUNDS("number", -90, 90), eighths},
    {"g", NULL, BOUNDS("number", -90, 90), eighths},
    {"g", NULL, BOUNDS("number", -500, 500), any_double},
    {"g", NULL, BOUNDS("integer", -90, 90), eighths},
    {"g", NULL, BOUNDS("number", -90, 90) ", \"decimalChar\": \",\"", comma_number},
    {"u", NULL, BOUNDS("number", -90, 90) ", \"decimalChar\": \",\"", comma_word},
    {"d:10,2", NULL, BOUNDS("number", -90, 90), cents},
    {"d:10,2,64", NULL, BOUNDS("number", -90, 90), cents},
    {"d:9,2,32", NULL, BOUNDS("number", -90, 90), cents},
    {"d:9,-2,128", NULL, BOUNDS("number", -300, 300), hundreds},
    {"b", NULL, "\"type\": \"boolean\"", truth},
    {"b", NULL, "\"type\": \"string\", \"constraints\": {\"enum\": [\"true\", \"no\"]}", truth},
    {"u", NULL, "\"type\": \"boolean\"", truth},
    {"i", NULL, "\"type\": \"integer\", \"constraints\": {\"enum\": [1, 5, 70]}", small_whole},
    {"g", NULL, "\"type\": \"number\", \"constraints\": {\"enum\": [1, 5, 0.125]}", eighths},
    {"u", NULL, COLOURS, word},
    {"U", NULL, COLOURS, word},
    {"vu", NULL, COLOURS, word},
    {"vu", NULL, COLOURS ", \"semblance\": {\"other\": \"green\"}", word},
    {"u", "c", COLOURS, word_code},
    {"U", "I", COLOURS, word_code},
    {"vu", "L", COLOURS, word_code},
    {"u", "s", COLOURS, word_code},
    {"vu", NULL, BOUNDS("number", -5, 500), number_word},
    {"i", NULL, BOUNDS("number", 0, 90) ", \"missingValues\": [\"-999\", \"\"]", missing_number},
    {"g", NULL, BOUNDS("number", 0, 90) ", \"missingValues\": [\"-999\", \"\"]", missing_double},
    {"tdD", NULL, DATES, day},
    {"tdm", NULL, DATES, day_in_ms},
    {"tdD", NULL, DATES ", \"format\": \"%d.%m.%Y\"", dotted_day},
    {"tdD", NULL, MOMENTS, day},
    {"tss:", NULL, DATES, moment_as_day},
    {"tss:", NULL, MOMENTS, moment_s},
    {"tsm:", NULL, MOMENTS, moment_ms},
    {"tsu:UTC", NULL, ZONED, moment_us},
    {"tsn:Europe/Berlin", NULL, ZONED, moment_ns},
    {"d:38,19", NULL, BOUNDS("number", -900, 900), wide_decimal},
    {"d:38,25", NULL, BOUNDS("number", -1e-10, 1e-10), fine_decimal},
    {"d:10,2", NULL, BOUNDS("number", -90, 90) ", \"missingValues\": [\"-999.00\", \"\"]", missing_cents},
    {"d:10,2", NULL, "\"type\": \"number\", \"constraints\": {\"enum\": [0, 0.25, 0.5]}", few_cents},
    {"d:38,19", NULL, "\"type\": \"number\", \"constraints\": {\"enum\": [0, 1]}", wide_decimal},
    {"l", NULL, BOUNDS("integer", -50, 900) ", \"missingValues\": [\"-999\", \"\"]", many_wholes},
    {"L", NULL, "\"type\": \"integer\", \"constraints\": {\"enum\": [1, 5, 70]}", small_whole},
    {"e", NULL, "\"type\": \"number\", \"constraints\": {\"enum\": [1, 5, 0.125]}", eighths},
    {"f", NULL, "\"type\": \"number\", \"constraints\": {\"enum\": [1, 5, 0.125]}", eighths},
    {"g", NULL, "\"type\": \"number\", \"constraints\": {\"enum\": [1, 5]}", any_double},
    {"g", NULL, BOUNDS("integer", -90, 90), any_double},
    {"tdD", NULL, "\"type\": \"string\", \"constraints\": {\"enum\": [\"1997-05-19\", \"1997-05-20\"]}",
     few_days},
    {"tsm:", NULL, "\"type\": \"string\", \"constraints\": {\"enum\": [\"1997-05-19T01:00:00\"]}",
     few_moments},
    {"tdD", NULL, DATES ", \"missingValues\": [\"1900-01-01\", \"\"]", missing_day},
    {"tdD", NULL, BOUNDS("number", 0, 90), day},
    {"tsm:", NULL, DATES, few_moments},
    {"l", NULL, DATES, small_whole},
    {"b", NULL, BOUNDS("number", 0, 1), truth},
    {"U", NULL, BOUNDS("number", -5, 500), number_word},
    {"tts", NULL, CLOCKS, clock_s},
    {"ttm", NULL, CLOCKS, clock_ms},
    {"ttu", NULL, CLOCKS, clock_us},
    {"ttn", NULL, CLOCKS, clock_ns},
    {"tts", NULL, CLOCKS ", \"format\": \"%H:%M\"", short_clock},
    {"ttu", NULL, CLOCKS ", \"missingValues\": [\"00:00:00\", \"\"]", missing_clock},
    {"tts", NULL, "\"type\": \"string\", \"constraints\": {\"enum\": [\"00:00:00\", \"01:00:00\"]}",
     few_clocks},
    {"tts", NULL, CLOCKS, long_clock},
    {"tts", NULL, BOUNDS("number", 0, 90), few_clocks},
    {"tss:", NULL, CLOCKS, moment_s},
    {"l", NULL, CLOCKS, small_whole},
    {"n", NULL, BOUNDS("number", 0, 1), nothing},
};
#define CASES (sizeof cases / sizeof cases[0])

/* The table of all cases: its cells, its schema, its CSV text. */
typedef struct world {
    kit_cell *cells[CASES];
    char (*texts[CASES])[64];
    char names[CASES][16];
    kit_column columns[CASES];
    kit_table table;
    kit_cell dictionary[8];
    sbl_facts facts;
    char path[300];
} world;

/* How often a cell is null: one in so many; 0: none is. */
#define SOME_NULLS 7

static void make_world_with(world *w, size_t rows, bool may_miss, size_t nulls)
{
    sbl_text json = {0};
    sbl_schema *schema;
    sbl_error err = {0};
    *w = (world){0};
    state_of_numbers = 7;
    for (size_t i = 0; i < 8; i++) w->dictionary[i].text = words[i];
    sbl_text_printf(&json, "{\"fields\": [");
    for (size_t c = 0; c < CASES; c++) {
        w->cells[c] = calloc(rows, sizeof(kit_cell));
        w->texts[c] = calloc(rows, 64);
        for (size_t r = 0; r < rows; r++) {
            cases[c].make(&w->cells[c][r], w->texts[c][r]);
            if (nulls == 0 || next_number() % nulls != 0) continue;
            w->cells[c][r].null = true;
            w->texts[c][r][0] = '\0';
        }
        (void)snprintf(w->names[c], sizeof w->names[c], "c%zu", c);
        w->columns[c] = (kit_column){w->names[c],
                                     .format = cases[c].format,
                                     .cells = w->cells[c],
                                     .codes = cases[c].codes,
                                     .values = w->dictionary,
                                     .value_count = 8};
        /* Required: nothing is missing, what cannot be read is a constant. */
        FREED(free) char *field = strdup(cases[c].field);
        char *constraints = strstr(field, "\"constraints\": {");
        sbl_text_printf(&json, "%s{\"name\": \"%s\", ", c > 0 ? ", " : "", w->names[c]);
        if (may_miss)
            sbl_text_printf(&json, "%s}", field);
        else if (constraints == NULL)
            sbl_text_printf(&json, "%s, \"constraints\": {\"required\": true}}", field);
        else
            sbl_text_printf(&json, "%.*s\"required\": true, %s}", (int)(constraints - field) + 16, field,
                            constraints + 16);
    }
    sbl_text_printf(&json, "]}");
    assert_ok_or_say(sbl_schema_parse(&schema, json.data, json.length, "test", &err));
    assert_ok_or_say(sbl_facts_of_table(&w->facts, schema, &err));
    sbl_text_clear(&json);
    w->table = (kit_table){.columns = w->columns, .column_count = CASES, .rows = rows};
}

static void make_world(world *w, size_t rows, bool may_miss)
{
    make_world_with(w, rows, may_miss, SOME_NULLS);
}

/* A row that the batch itself does not have is missing in every column. */
static void take_out_rows(world *w, size_t every)
{
    w->table.absent = every;
    for (size_t c = 0; c < CASES; c++)
        for (size_t r = 0; r < w->table.rows; r += every) w->texts[c][r][0] = '\0';
}

static void write_csv(world *w)
{
    (void)snprintf(w->path, sizeof w->path, "%s", in_folder(folder, "table.csv"));
    FILE *file = fopen(w->path, "w");
    assert_non_null(file);
    for (size_t c = 0; c < CASES; c++) (void)fprintf(file, "%s%s", c > 0 ? "," : "", w->names[c]);
    for (size_t r = 0; r < w->table.rows; r++)
        for (size_t c = 0; c < CASES; c++)
            (void)fprintf(file, "%s\"%s\"", c > 0 ? "," : "\n", w->texts[c][r]);
    (void)fprintf(file, "\n");
    assert_int_equal(fclose(file), 0);
}

static void clear_world(world *w)
{
    for (size_t c = 0; c < CASES; c++) {
        free(w->cells[c]);
        free(w->texts[c]);
    }
    sbl_facts_clear(&w->facts);
    assert_int_equal(kit_alive, 0);
}

/* All encoded records of a source. */
typedef struct all_records {
    double *numeric;
    uint32_t *codes;
    uint8_t *misfits;
    size_t rows;
} all_records;

static void read_all(all_records *all, sbl_source *source, const sbl_facts *facts)
{
    const sbl_records *batch;
    const size_t n = facts->heads.numeric_count, k = facts->heads.categorical_count;
    sbl_error err = {0};
    *all = (all_records){0};
    for (;;) {
        assert_ok_or_say(sbl_source_read(source, &batch, &err));
        if (batch->rows == 0) return;
        const size_t rows = all->rows + batch->rows;
        all->numeric = realloc(all->numeric, rows * n * sizeof *all->numeric);
        all->codes = realloc(all->codes, rows * k * sizeof *all->codes);
        all->misfits = realloc(all->misfits, rows * facts->columns);
        memcpy(all->numeric + all->rows * n, batch->numeric, batch->rows * n * sizeof(double));
        memcpy(all->codes + all->rows * k, batch->codes, batch->rows * k * sizeof(uint32_t));
        memcpy(all->misfits + all->rows * facts->columns, batch->misfits, batch->rows * facts->columns);
        all->rows = rows;
    }
}

static void free_all(all_records *all)
{
    free(all->numeric);
    free(all->codes);
    free(all->misfits);
}

static void assert_same(const all_records *a, const all_records *b, const sbl_facts *facts)
{
    const size_t n = facts->heads.numeric_count, k = facts->heads.categorical_count;
    assert_int_equal(a->rows, b->rows);
    for (size_t r = 0; r < a->rows; r++) {
        for (size_t i = 0; i < facts->columns; i++)
            if (a->misfits[r * facts->columns + i] != b->misfits[r * facts->columns + i])
                fail_msg("row %zu, case %zu (%s): misfit %d, %d", r, i, cases[i].format,
                         a->misfits[r * facts->columns + i], b->misfits[r * facts->columns + i]);
        for (size_t i = 0; i < n; i++)
            if (memcmp(&a->numeric[r * n + i], &b->numeric[r * n + i], sizeof(double)) != 0)
                fail_msg("row %zu, number %zu: %.17g, %.17g", r, i, a->numeric[r * n + i],
                         b->numeric[r * n + i]);
        for (size_t i = 0; i < k; i++)
            if (a->codes[r * k + i] != b->codes[r * k + i])
                fail_msg("row %zu, code %zu: %u, %u", r, i, a->codes[r * k + i], b->codes[r * k + i]);
    }
}

static void compare_with_csv(world *w)
{
    all_records csv, arrow;
    sbl_source *source;
    sbl_error err = {0};
    const sbl_table *origin = KIT_SOURCE(kit_open, &w->table);
    write_csv(w);
    if (sbl_source_open_rows(&source, (sbl_table[1]){sbl_csv_table(w->path)}, &w->facts, NULL, NULL, &err) !=
        SBL_OK)
        fail_msg("%s", err.message);
    read_all(&csv, source, &w->facts);
    sbl_source_close(source);
    assert_ok_or_say(sbl_source_open_rows(&source, origin, &w->facts, NULL, NULL, &err));
    for (int pass = 0; pass < 2; pass++) {
        read_all(&arrow, source, &w->facts);
        assert_same(&csv, &arrow, &w->facts);
        free_all(&arrow);
        assert_ok(sbl_source_rewind(source, &err));
    }
    sbl_source_close(source);
    free_all(&csv);
}

TEST(every_type_is_read_as_its_cell_is)
{
    static const struct {
        size_t rows, chunk, offset, batch_offset, nulls, absent;
    } ways[] = {{ROWS, 0, 0, 0, SOME_NULLS, 0}, {500, 7, 0, 0, SOME_NULLS, 0},
                {500, 0, 13, 0, SOME_NULLS, 0}, {500, 100, 3, 5, SOME_NULLS, 0},
                {1, 0, 9, 1, SOME_NULLS, 0},    {700, 0, 0, 0, 0, 0},
                {700, 300, 0, 0, 200, 0},       {700, 0, 5, 3, 200, 0},
                {700, 0, 0, 0, 0, 11},          {700, 90, 1, 7, SOME_NULLS, 150}};
    for (int may_miss = 0; may_miss < 2; may_miss++)
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            CLEARED(clear_world) world w;
            make_world_with(&w, ways[i].rows, may_miss != 0, ways[i].nulls);
            if (ways[i].absent != 0) take_out_rows(&w, ways[i].absent);
            w.table.chunk = ways[i].chunk;
            w.table.offset = ways[i].offset;
            w.table.batch_offset = ways[i].batch_offset;
            compare_with_csv(&w);
        }
}

/* Which earlier row belongs to the same person: tags are of a key that each reading makes anew. */
static void owners(size_t *first, sbl_source *source, size_t rows)
{
    sbl_unit_tag *tags = calloc(rows, sizeof *tags);
    const sbl_records *batch;
    size_t at = 0;
    for (;;) {
        assert_ok(sbl_source_read(source, &batch, NULL));
        if (batch->rows == 0) break;
        assert_non_null(batch->units);
        memcpy(tags + at, batch->units, batch->rows * sizeof *tags);
        at += batch->rows;
    }
    assert_int_equal(at, rows);
    for (size_t r = 0; r < rows; r++) {
        const bool nobody = (tags[r].low | tags[r].high) == 0;
        for (first[r] = nobody ? r : 0; first[r] < r; first[r]++)
            if (tags[first[r]].low == tags[r].low && tags[first[r]].high == tags[r].high) break;
        if (nobody) first[r] = rows; /* a person of its own */
    }
    free(tags);
}

/* Whose row it is, is what the same cell of a CSV file says, of whatever type the ids are. */
TEST(ids_of_any_type_name_the_same_persons)
{
    enum { PERSON_ROWS = 400 };
    size_t csv[PERSON_ROWS], arrow[PERSON_ROWS];
    for (size_t c = 0; c < CASES; c++) {
        char json[512];
        CLEARED(clear_world) world w;
        sbl_schema *schema;
        sbl_source *source;
        sbl_error err = {0};
        make_world(&w, PERSON_ROWS, true);
        w.table.chunk = 70;
        sbl_facts_clear(&w.facts);
        /* One column is fitted, so that there is something to fit: the first, or the second. */
        const size_t fitted = c == 0 ? 1 : 0;
        (void)snprintf(json, sizeof json,
                       "{\"fields\": [{\"name\": \"c%zu\", %s}, {\"name\": \"c%zu\", \"type\": "
                       "\"string\", \"semblance\": {\"role\": \"ignore\"}}], \"semblance\": {\"unit\": "
                       "\"c%zu\", \"max_rows_per_unit\": 3}}",
                       fitted, cases[fitted].field, c, c);
        if (sbl_schema_parse(&schema, json, strlen(json), "test", &err) != SBL_OK ||
            sbl_facts_of_table(&w.facts, schema, &err) != SBL_OK)
            fail_msg("%s", err.message);
        write_csv(&w);
        const sbl_table *origin = KIT_SOURCE(kit_open, &w.table);
        assert_ok(
            sbl_source_open_rows(&source, (sbl_table[1]){sbl_csv_table(w.path)}, &w.facts, NULL, NULL, &err));
        owners(csv, source, PERSON_ROWS);
        sbl_source_close(source);
        assert_ok(sbl_source_open_rows(&source, origin, &w.facts, NULL, NULL, &err));
        owners(arrow, source, PERSON_ROWS);
        sbl_source_close(source);
        for (size_t r = 0; r < PERSON_ROWS; r++)
            if (csv[r] != arrow[r])
                fail_msg("case %zu (%s), row %zu: %zu, %zu; the cell is '%s'", c, cases[c].format, r, csv[r],
                         arrow[r], w.texts[c][r]);
    }
}

/* Rows that are made of cells are those of the format's own quick way. */
TEST(cells_are_read_as_rows_are)
{
    for (int chunk = 0; chunk < 128; chunk += 64) {
        CLEARED(clear_world) world w;
        all_records quick, cells;
        sbl_source *source;
        sbl_error err = {0};
        sbl_format by_cells = sbl_arrow_format;
        by_cells.open_rows = NULL;
        by_cells.read_rows = NULL;
        by_cells.close_rows = NULL;
        make_world(&w, 700, true);
        w.table.chunk = (size_t)chunk;
        sbl_table *table = KIT_SOURCE(kit_open, &w.table);
        assert_ok(sbl_source_open_rows(&source, table, &w.facts, NULL, NULL, &err));
        read_all(&quick, source, &w.facts);
        sbl_source_close(source);
        table->format = &by_cells;
        assert_ok(sbl_source_open_rows(&source, table, &w.facts, NULL, NULL, &err));
        read_all(&cells, source, &w.facts);
        sbl_source_close(source);
        assert_same(&quick, &cells, &w.facts);
        free_all(&quick);
        free_all(&cells);
    }
}

/* ---- producers that do wrong ---- */

static sbl_facts one_column(const char *field)
{
    char json[400];
    sbl_schema *schema;
    sbl_facts facts;
    sbl_error err = {0};
    (void)snprintf(json, sizeof json, "{\"fields\": [{\"name\": \"x\", %s}]}", field);
    assert_ok_or_say(sbl_schema_parse(&schema, json, strlen(json), "test", &err));
    assert_ok(sbl_facts_of_table(&facts, schema, &err));
    return facts;
}

/* A stream of one batch, spoiled on its way. */
typedef struct spoiled {
    kit_table table;
    void (*schema)(struct ArrowSchema *);
    void (*batch)(struct ArrowArray *);
    int (*next)(struct ArrowArrayStream *, struct ArrowArray *);
    int (*types)(struct ArrowArrayStream *, struct ArrowSchema *);
    void (*release)(struct ArrowArrayStream *);
    void *kit;
} spoiled;

static int spoiled_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    spoiled *s = stream->private_data;
    stream->private_data = s->kit;
    const int result = s->types(stream, out);
    stream->private_data = s;
    if (s->schema != NULL) s->schema(out);
    return result;
}

static int spoiled_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    spoiled *s = stream->private_data;
    stream->private_data = s->kit;
    const int result = s->next(stream, out);
    stream->private_data = s;
    if (s->batch != NULL && out->release != NULL) s->batch(out);
    return result;
}

static void spoiled_release(struct ArrowArrayStream *stream)
{
    spoiled *s = stream->private_data;
    stream->private_data = s->kit;
    s->release(stream);
}

static int open_spoiled(void *context, struct ArrowArrayStream *stream)
{
    spoiled *s = context;
    (void)kit_open(&s->table, stream);
    s->types = stream->get_schema;
    s->next = stream->get_next;
    s->release = stream->release;
    s->kit = stream->private_data;
    stream->get_schema = spoiled_schema;
    stream->get_next = spoiled_next;
    stream->release = spoiled_release;
    stream->private_data = s;
    return 0;
}

/* Opening it, or reading it, says this; everything is released. The fields that were changed are put back by the
 * release of the kit, which looks at none of them. */
static void refused(const kit_column *column, void (*schema)(struct ArrowSchema *),
                    void (*batch)(struct ArrowArray *), const char *says)
{
    spoiled s = {
        .table = {.columns = column, .column_count = 1, .rows = 3}, .schema = schema, .batch = batch};
    const sbl_table *origin = KIT_SOURCE(open_spoiled, &s);
    sbl_facts facts = one_column(BOUNDS("number", 0, 10));
    const sbl_records *records;
    sbl_source *source = NULL;
    sbl_error err = {0};
    sbl_status status = sbl_source_open_rows(&source, origin, &facts, NULL, NULL, &err);
    if (status == SBL_OK) status = sbl_source_read(source, &records, &err);
    sbl_source_close(source);
    assert_int_equal(status, SBL_EINPUT);
    if (strstr(err.message, says) == NULL) fail_msg("'%s' is not in '%s'", says, err.message);
    sbl_facts_clear(&facts);
    assert_int_equal(kit_alive, 0);
}

static void no_struct(struct ArrowSchema *schema) { schema->format = "l"; }
static void no_format(struct ArrowSchema *schema) { schema->children[0]->format = NULL; }
static void no_name(struct ArrowSchema *schema) { schema->children[0]->name = NULL; }
static void bad_name(struct ArrowSchema *schema) { schema->children[0]->name = "\xff"; }
static void other_name(struct ArrowSchema *schema) { schema->children[0]->name = "y"; }
static void of_lists(struct ArrowSchema *schema) { schema->children[0]->format = "+l"; }
static void of_binary(struct ArrowSchema *schema) { schema->children[0]->format = "z"; }
static void of_odd_times(struct ArrowSchema *schema) { schema->children[0]->format = "ttx"; }
static void of_durations(struct ArrowSchema *schema) { schema->children[0]->format = "tDs"; }
static void of_wide_decimals(struct ArrowSchema *schema) { schema->children[0]->format = "d:10,2,256"; }
static void of_odd_decimals(struct ArrowSchema *schema) { schema->children[0]->format = "d:10"; }
static void of_odd_moments(struct ArrowSchema *schema) { schema->children[0]->format = "tsx:"; }
static void of_texts(struct ArrowSchema *schema) { schema->children[0]->format = "u"; }
static void negative_length(struct ArrowArray *batch) { batch->length = -1; }
static void huge_length(struct ArrowArray *batch) { batch->length = INT64_MAX; }
static void negative_offset(struct ArrowArray *batch) { batch->offset = -1; }
static void longer_than_children(struct ArrowArray *batch) { batch->length = 4; }
static void moved_past_children(struct ArrowArray *batch) { batch->offset = 1; }
static void negative_child(struct ArrowArray *batch) { batch->children[0]->length = -3; }
static void child_offset(struct ArrowArray *batch) { batch->children[0]->offset = -1; }
static void null_count(struct ArrowArray *batch) { batch->children[0]->null_count = 2; }

static void hide_buffers(struct ArrowArray *batch)
{
    free((void *)batch->children[0]->buffers[1]);
    batch->children[0]->buffers[1] = NULL;
}

static void fewer_buffers(struct ArrowArray *batch)
{
    free((void *)batch->children[0]->buffers[1]);
    batch->children[0]->n_buffers = 1;
}

static void no_children(struct ArrowArray *batch)
{
    batch->children[0]->release(batch->children[0]);
    free(batch->children[0]);
    batch->n_children = 0;
}

TEST(wrong_producers_are_refused)
{
    static const kit_cell cells[] = {{.whole = 1}, {.whole = 2}, {.whole = 3}};
    static const kit_column column = {.name = "x", .format = "l", .cells = cells};
    refused(&column, no_struct, NULL, "is not an Arrow table");
    refused(&column, no_format, NULL, "no name or no type");
    refused(&column, no_name, NULL, "no name or no type");
    refused(&column, bad_name, NULL, "no name or no type");
    refused(&column, other_name, NULL, "no column");
    refused(&column, of_lists, NULL, "column 'x' has the Arrow type list,");
    refused(&column, of_binary, NULL, "column 'x' has the Arrow type binary,");
    refused(&column, of_odd_times, NULL, "ttx");
    refused(&column, of_durations, NULL, "the Arrow type duration[s],");
    refused(&column, of_wide_decimals, NULL, "the Arrow type decimal256,");
    refused(&column, of_odd_decimals, NULL, "d:10");
    refused(&column, of_odd_moments, NULL, "tsx:");
    refused(&column, of_texts, NULL, "does not have the buffers");
    refused(&column, NULL, negative_length, "an invalid length");
    refused(&column, NULL, huge_length, "an invalid length");
    refused(&column, NULL, negative_offset, "an invalid length");
    refused(&column, NULL, longer_than_children, "an invalid length");
    refused(&column, NULL, moved_past_children, "an invalid length");
    refused(&column, NULL, negative_child, "an invalid length");
    refused(&column, NULL, child_offset, "an invalid length");
    refused(&column, NULL, no_children, "other columns");
    refused(&column, NULL, null_count, "does not have the buffers");
    refused(&column, NULL, hide_buffers, "does not have the buffers");
    refused(&column, NULL, fewer_buffers, "does not have the buffers");
}

/* A dictionary must be there where it is promised. */
static void lose_dictionary(struct ArrowArray *batch)
{
    struct ArrowArray *child = batch->children[0];
    child->dictionary->release(child->dictionary);
    free(child->dictionary);
    child->dictionary = NULL;
}

static void nested_dictionary(struct ArrowSchema *schema)
{
    schema->children[0]->dictionary->dictionary = schema->children[0]->dictionary;
}

TEST(wrong_dictionaries_are_refused)
{
    static const kit_cell values[] = {{.whole = 1}, {.whole = 2}};
    static const kit_cell cells[] = {{.whole = 1}, {.whole = 0}, {.whole = 1}};
    static const kit_column column = {"x", "l", cells, "c", values, 2, NULL};
    static const kit_column real_codes = {"x", "l", cells, "g", values, 2, NULL};
    refused(&column, NULL, lose_dictionary, "does not have the buffers");
    refused(&real_codes, NULL, NULL, "has the Arrow type");
    (void)nested_dictionary;
}

/* What only a cell shows is a cell that cannot be read: the same answer as for any other bad cell. */
static void spoil_texts(struct ArrowArray *batch)
{
    int32_t *offsets = (int32_t *)(uintptr_t)batch->children[0]->buffers[1];
    offsets[1] = -5;
}

static void spoil_views(struct ArrowArray *batch)
{
    int32_t *views = (int32_t *)(uintptr_t)batch->children[0]->buffers[1];
    views[0] = -1;
    views[4] = 500;
    views[6] = 77;
    views[8] = 5000;
    views[10] = 0;
    views[11] = 3;
}

static void expect_unreadable(const kit_column *column, void (*batch)(struct ArrowArray *), const char *field,
                              const uint8_t expected[3])
{
    spoiled s = {.table = {.columns = column, .column_count = 1, .rows = 3}, .batch = batch};
    const sbl_table *origin = KIT_SOURCE(open_spoiled, &s);
    sbl_facts facts = one_column(field);
    const sbl_records *records;
    sbl_source *source = NULL;
    sbl_error err = {0};
    assert_ok_or_say(sbl_source_open_rows(&source, origin, &facts, NULL, NULL, &err));
    assert_ok(sbl_source_read(source, &records, &err));
    assert_int_equal(records->rows, 3);
    assert_memory_equal(records->misfits, expected, 3);
    sbl_source_close(source);
    sbl_facts_clear(&facts);
    assert_int_equal(kit_alive, 0);
}

TEST(bad_cells_are_cells_that_cannot_be_read)
{
    static const kit_cell texts[] = {{.text = "red"}, {.text = "green"}, {.text = "red"}};
    static const kit_cell values[] = {{.text = "red"}, {.text = "green"}};
    static const kit_cell codes[] = {{.whole = 1}, {.whole = 2}, {.whole = -1}};
    static const kit_column plain = {.name = "x", .format = "u", .cells = texts};
    static const kit_column view = {.name = "x", .format = "vu", .cells = texts};
    static const kit_column coded = {"x", "u", codes, "c", values, 2, NULL};
    static const kit_column wide = {"x", "u", codes, "L", values, 2, NULL};
    expect_unreadable(&plain, spoil_texts, COLOURS, (const uint8_t[]){1, 1, 0});
    expect_unreadable(&view, spoil_views, COLOURS, (const uint8_t[]){1, 1, 1});
    expect_unreadable(&coded, NULL, COLOURS, (const uint8_t[]){0, 1, 1});
    expect_unreadable(&wide, NULL, COLOURS, (const uint8_t[]){0, 1, 1});
}

/* A stream that fails, and one that is another table the second time. */
static int fail_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    (void)stream;
    (void)out;
    return 5;
}

static int open_failing(void *context, struct ArrowArrayStream *stream)
{
    (void)kit_open(context, stream);
    stream->get_next = fail_next;
    return 0;
}

TEST(failures_do_not_quote_the_producer)
{
    static const kit_cell cells[] = {{.whole = 1}, {.whole = 2}, {.whole = 3}};
    static const kit_column column = {.name = "x", .format = "l", .cells = cells};
    kit_table table = {.columns = &column, .column_count = 1, .rows = 3};
    const sbl_table *failing = KIT_SOURCE(open_failing, &table);
    const sbl_table *origin = KIT_SOURCE(kit_open, &table);
    sbl_facts facts = one_column(BOUNDS("number", 0, 10));
    const sbl_records *records;
    sbl_source *source = NULL;
    sbl_error err = {0};
    assert_int_equal(sbl_source_open_rows(&source, failing, &facts, NULL, NULL, &err), SBL_EIO);
    assert_null(strstr(err.message, "secret"));
    assert_null(source);
    assert_ok(sbl_source_open_rows(&source, origin, &facts, NULL, NULL, &err));
    assert_ok(sbl_source_read(source, &records, &err));
    assert_int_equal(records->rows, 3);
    assert_ok(sbl_source_read(source, &records, &err));
    assert_int_equal(records->rows, 0);
    table.rows = 2;
    assert_ok(sbl_source_rewind(source, &err));
    assert_ok(sbl_source_read(source, &records, &err));
    assert_int_equal(sbl_source_read(source, &records, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "changed"));
    sbl_source_close(source);
    sbl_facts_clear(&facts);
    assert_int_equal(kit_alive, 0);
}

TEST(every_failed_allocation_gives_all_back)
{
    CLEARED(clear_world) world w;
    make_world(&w, 20, true);
    const sbl_table *origin = KIT_SOURCE(kit_open, &w.table);
    for (long n = 0; sbl_test_fail_next(&n);) {
        const sbl_records *records;
        sbl_source *source = NULL;
        sbl_error err = {0};
        sbl_status status = sbl_source_open_rows(&source, origin, &w.facts, NULL, NULL, &err);
        if (status == SBL_OK) status = sbl_source_read(source, &records, &err);
        sbl_source_close(source);
        sbl_test_no_memory(status);
        assert_int_equal(kit_alive, 0);
    }
}

ALL_TESTS(make_folder, remove_folder)
