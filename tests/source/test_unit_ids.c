/* SPDX-License-Identifier: Apache-2.0 */
/* Whose row it is: hostile ids name the same persons as CSV text and as Arrow arrays of every type, and those are the
 * persons that this file says. A person is never made into several by how an id is written or kept. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "records/source/data_handle.h"
#include "records/source/source.h"
#include "support/arrow_kit.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

enum { MOST = 64, TIMES = 3, NOBODY = 0 };
#define MIB ((size_t)1 << 20)

static sbl_facts facts;

static int setup(void **state)
{
    static const char json[] = JSON({"fields": [{"name": "n", "type": "integer", "constraints": {"minimum": 0,
        "maximum": 9}},
        {"name": "id", "type": "string"}], "semblance": {"unit": "id", "max_rows_per_unit": 3}});
    sbl_schema *schema;
    (void)state;
    temp_folder_make(folder);
    if (sbl_schema_parse(&schema, json, strlen(json), "test", NULL) != SBL_OK) return -1;
    return sbl_facts_of_table(&facts, schema, NULL) == SBL_OK ? 0 : -1;
}

AROUND(teardown)
{
    sbl_facts_clear(&facts);
    temp_folder_remove(folder);
}

/* One id: as a cell of an array, as a cell of CSV, and whose it is. The same number is the same person. */
typedef struct id {
    kit_cell cell;
    const char *text;
    size_t length; /* of text; 0: it ends with a NUL */
    int who;
} id;

/* ---- what a source says ---- */

/* For each row the first row of the same person; the number of rows where there is none. */
static void owners(size_t *first, sbl_source *source, size_t rows)
{
    sbl_unit_tag *tags = calloc(rows, sizeof *tags);
    const sbl_records *batch;
    size_t at = 0;
    for (;;) {
        assert_ok(sbl_source_read(source, &batch, NULL));
        if (batch->rows == 0) break;
        assert_true(at + batch->rows <= rows);
        memcpy(tags + at, batch->units, batch->rows * sizeof *tags);
        at += batch->rows;
    }
    assert_int_equal(at, rows);
    for (size_t r = 0; r < rows; r++) {
        const bool nobody = (tags[r].low | tags[r].high) == 0;
        for (first[r] = 0; first[r] < r; first[r]++)
            if (tags[first[r]].low == tags[r].low && tags[first[r]].high == tags[r].high) break;
        if (nobody) first[r] = rows;
    }
    free(tags);
    sbl_source_close(source);
}

static void expect_owners(sbl_source *source, const id *ids, size_t count, const char *what)
{
    size_t first[MOST * TIMES];
    const size_t rows = count * TIMES;
    owners(first, source, rows);
    for (size_t r = 0; r < rows; r++) {
        const int who = ids[r % count].who;
        size_t expected = 0;
        while (expected < r && ids[expected % count].who != who) expected++;
        if (who == NOBODY) expected = rows;
        if (first[r] != expected)
            fail_msg("%s: row %zu (id %zu) is of the person of row %zu, not %zu", what, r, r % count,
                     first[r], expected);
    }
}

/* ---- as CSV ---- */

static size_t length_of(const id *one) { return one->length != 0 ? one->length : strlen(one->text); }

static void put_cell(FILE *file, const char *text, size_t length, bool quoted)
{
    if (quoted) (void)fputc('"', file);
    for (const char *quote; (quote = memchr(text, '"', length)) != NULL;) {
        const size_t part = (size_t)(quote - text) + 1;
        (void)fwrite(text, 1, part, file);
        (void)fputc('"', file);
        text += part;
        length -= part;
    }
    (void)fwrite(text, 1, length, file);
    if (quoted) (void)fputc('"', file);
}

static bool can_stand_plain(const char *text, size_t length)
{
    const bool ends_with_cr = length > 0 && text[length - 1] == '\r';
    return memchr(text, '"', length) == NULL && memchr(text, ',', length) == NULL &&
           memchr(text, '\n', length) == NULL && !ends_with_cr;
}

/* A table of the ids, each several times in turn. more: bytes of a column that nobody asked for, which make the record
 * too long to be read. */
typedef struct csv_form {
    bool quoted, id_last;
    const char *line_end;
    size_t more;
} csv_form;

static void expect_of_csv(const id *ids, size_t count, const csv_form *form, const char *what)
{
    sbl_error err = {0};
    sbl_source *source;
    const char *path = in_folder(folder, "ids.csv");
    char *more = malloc(form->more + 1);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    memset(more, ',', form->more + 1);
    (void)fprintf(file, form->id_last ? "n,more,id%s" : "id,n,more%s", form->line_end);
    for (size_t r = 0; r < count * TIMES; r++) {
        const id *one = &ids[r % count];
        const size_t length = length_of(one);
        const bool quoted = form->quoted || !can_stand_plain(one->text, length);
        if (form->id_last) {
            (void)fprintf(file, "1,");
            put_cell(file, more, form->more, true);
            (void)fputc(',', file);
        }
        put_cell(file, one->text, length, quoted);
        if (!form->id_last) {
            (void)fprintf(file, ",1,");
            put_cell(file, more, form->more, true);
        }
        (void)fputs(form->line_end, file);
    }
    (void)fclose(file);
    if (sbl_source_open_rows(&source, (sbl_table[1]){sbl_csv_table(path)}, &facts, NULL, NULL, &err) !=
        SBL_OK)
        fail_msg("%s: %s", what, err.message);
    expect_owners(source, ids, count, what);
    free(more);
}

static void expect_of_all_csv(const id *ids, size_t count, const char *what)
{
    static const csv_form forms[] = {
        {true, true, "\n", 0}, {true, false, "\r\n", 0}, {false, true, "\r\n", 0}, {false, false, "\n", 0}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) expect_of_csv(ids, count, &forms[i], what);
}

/* ---- as arrays ---- */

/* codes: NULL, or the type of the codes of a dictionary that holds every id twice. */
static void expect_of_arrow(const id *ids, size_t count, const char *format, const char *codes)
{
    kit_cell numbers[MOST * TIMES] = {{0}}, cells[MOST * TIMES] = {{0}}, values[MOST * 2] = {{0}};
    const size_t rows = count * TIMES;
    for (size_t r = 0; r < rows; r++) {
        cells[r] = ids[r % count].cell;
        values[r % (2 * count)] = ids[r % count].cell;
        if (codes != NULL) cells[r] = (kit_cell){.whole = (int64_t)(r % (2 * count))};
    }
    const kit_column columns[] = {
        {.name = "n", .format = "l", .cells = numbers},
        {"id", .format = format, .cells = cells, .codes = codes, .values = values, .value_count = 2 * count}};
    const struct {
        size_t chunk, offset, batch_offset;
    } ways[] = {{0, 0, 0}, {7, 3, 0}, {5, 0, 2}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        kit_table table = {columns,
                           .column_count = 2,
                           .rows = rows,
                           .chunk = ways[i].chunk,
                           .offset = ways[i].offset,
                           .batch_offset = ways[i].batch_offset};
        const sbl_table *origin = KIT_SOURCE(kit_open, &table);
        sbl_source *source;
        sbl_error err = {0};
        char what[80];
        (void)snprintf(what, sizeof what, "%s of %s", format, codes != NULL ? codes : "plain");
        if (sbl_source_open_rows(&source, origin, &facts, NULL, NULL, &err) != SBL_OK)
            fail_msg("%s: %s", what, err.message);
        expect_owners(source, ids, count, what);
    }
    assert_int_equal(kit_alive, 0);
}

static void expect_of_all_arrow(const id *ids, size_t count, const char *format)
{
    static const char *const codes[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
    expect_of_arrow(ids, count, format, NULL);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) expect_of_arrow(ids, count, format, codes[i]);
}

/* ---- texts ---- */

#define BYTES(bytes, person)                                                     \
    {                                                                            \
        .cell = {.text = (bytes), .length = sizeof(bytes) - 1}, .text = (bytes), \
        .length = sizeof(bytes) - 1, .who = (person)                             \
    }
#define SIXTY "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmn"

static const id texts[] = {
    BYTES("\0", 1),
    BYTES("\0\0", 2),
    BYTES("\0a", 3),
    BYTES("a\0", 4),
    BYTES("a", 5),
    BYTES("a\0b", 6),
    BYTES("a\0c", 7),
    BYTES("\xff", 8),
    BYTES("\xff\xfe", 9),
    BYTES("\xc3", 10),
    BYTES("\xc3\xa4", 11),
    BYTES("", NOBODY),
    BYTES(" ", NOBODY),
    BYTES("\t  ", NOBODY),
    BYTES(" a", 5),
    BYTES("a\t ", 5),
    BYTES("7", 12),
    BYTES("7.0", 12),
    BYTES("7.", 12),
    BYTES(" 7.000 ", 12),
    BYTES("07", 13),
    BYTES("7.01", 14),
    BYTES("-7.0", 15),
    BYTES("-7", 15),
    BYTES("0", 16),
    BYTES("0.0", 16),
    BYTES("-0.0", 16),
    BYTES("-0", 16),
    BYTES("-0.5", 17),
    BYTES("0.5", 18),
    BYTES("1.1", 19),
    BYTES("1.10", 20),
    BYTES("7.0\0", 21),
    BYTES("-", 22),
    BYTES(".0", 23),
    BYTES("-.0", 24),
    BYTES("NA", 25),
    BYTES("nan", 26),
    BYTES("null", 27),
    BYTES("a\"b", 28),
    BYTES("a,b", 29),
    BYTES("a\nb", 30),
    BYTES("a\rb", 31),
    BYTES("a\r", 32),
    BYTES("a b", 33),
    BYTES(SIXTY "0.00", 34),
    BYTES(SIXTY "0.000", 35),
    BYTES(SIXTY "abcd  \t ", 36),
    BYTES(SIXTY "abcd", 36),
    BYTES(SIXTY "abcde \t", 37),
    BYTES(SIXTY "abcde", 37),
    BYTES(SIXTY "abc  e", 38),
    BYTES("  " SIXTY "abc  e  ", 38),
    BYTES(SIXTY "abc      \t  e", 39),
};
#define TEXTS (sizeof texts / sizeof texts[0])

TEST(texts_of_any_bytes_name_the_same_persons_everywhere)
{
    expect_of_all_csv(texts, TEXTS, "csv");
    expect_of_all_arrow(texts, TEXTS, "u");
    expect_of_all_arrow(texts, TEXTS, "U");
    expect_of_all_arrow(texts, TEXTS, "vu");
}

/* The cell that says whose row it is counts, however long the rest of the record is. */
TEST(records_that_are_too_long_have_their_owners)
{
    static const id few[] = {BYTES("\0a", 1),        BYTES("\0b", 2),   BYTES(" 7.0\t", 3),
                             BYTES("7", 3),          BYTES("a\"\"", 4), BYTES("a,\nb", 5),
                             BYTES("a\r", 6),        BYTES("", 0),      BYTES(SIXTY "abcde ", 7),
                             BYTES(SIXTY "abcde", 7)};
    static const csv_form forms[] = {
        {true, true, "\n", MIB + 5}, {false, false, "\r\n", MIB + 5}, {false, true, "\r\n", MIB + 5}};
    for (size_t i = 0; i < 3; i++) expect_of_csv(few, 10, &forms[i], "long records");
}

TEST(ids_of_a_mebibyte_and_more_are_ids)
{
    char *bytes = malloc(3 * MIB);
    id ids[8];
    static const struct {
        size_t from, length;
        int who;
    } places[] = {{0, MIB, 1},           /* as long as a text can be read */
                  {0, MIB + 1, 2},       /* longer, and the same but for its end */
                  {0, MIB + 2, 3},       /* */
                  {1, MIB, 4},           /* another beginning */
                  {0, MIB - 1, 5},       /* */
                  {0, 2 * MIB, 6},       /* followed by blanks: */
                  {0, 2 * MIB + 7, 6},   /* the same */
                  {2 * MIB, 7, NOBODY}}; /* blanks */
    for (size_t i = 0; i < 3 * MIB; i++)
        bytes[i] = i >= 2 * MIB ? (i % 2 == 0 ? ' ' : '\t') : i == 0 ? 'a' : i % 5 == 4 ? '\0' : 'x';
    bytes[2 * MIB - 1] = 'y';
    for (size_t i = 0; i < 8; i++)
        ids[i] = (id){{.text = bytes + places[i].from, .length = places[i].length},
                      .text = bytes + places[i].from,
                      .length = places[i].length,
                      .who = places[i].who};
    static const csv_form forms[] = {{true, true, "\n", 0}, {false, false, "\r\n", 0}};
    for (size_t i = 0; i < 2; i++) expect_of_csv(ids, 8, &forms[i], "csv");
    expect_of_arrow(ids, 8, "u", NULL);
    expect_of_arrow(ids, 8, "vu", NULL);
    free(bytes);
}

/* ---- values ---- */

/* So many values, each a person of its own unless it equals an earlier one (as memcmp of cells sees it). */
static void expect_values(const kit_cell *cells, const char *const *csv, size_t count, const int *who,
                          const char *format)
{
    id ids[MOST];
    assert_true(count <= MOST);
    for (size_t i = 0; i < count; i++)
        ids[i] = (id){cells[i], .text = csv[i],
                      .who = cells[i].null ? NOBODY
                             : who != NULL ? who[i]
                                           : (int)i + 1};
    if (format[0] != 't') expect_of_all_csv(ids, count, format);
    expect_of_all_arrow(ids, count, format);
}

TEST(whole_numbers_of_every_width_are_persons_of_their_own)
{
    static const struct {
        const char *format;
        int64_t least, most;
    } widths[] = {
        {"c", INT8_MIN, INT8_MAX},   {"C", 0, UINT8_MAX},  {"s", INT16_MIN, INT16_MAX}, {"S", 0, UINT16_MAX},
        {"i", INT32_MIN, INT32_MAX}, {"I", 0, UINT32_MAX}, {"l", INT64_MIN, INT64_MAX}, {"L", 0, -1}};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const int64_t least = widths[i].least, most = widths[i].most;
        const kit_cell cells[] = {{.whole = least},     {.whole = 7},  {.whole = most},
                                  {.whole = most - 1},  {.whole = 1},  {.whole = least / 2 + 2},
                                  {.whole = least + 3}, {.null = true}};
        char texts_of[8][32];
        const char *csv[8];
        for (size_t j = 0; j < 8; j++) {
            csv[j] = texts_of[j];
            if (widths[i].format[0] == 'L')
                (void)snprintf(texts_of[j], 32, "%llu", (unsigned long long)cells[j].whole);
            else
                (void)snprintf(texts_of[j], 32, "%lld", (long long)cells[j].whole);
            if (cells[j].null) texts_of[j][0] = '\0';
        }
        expect_values(cells, csv, 8, NULL, widths[i].format);
    }
}

TEST(floats_are_told_apart_and_zero_has_no_sign)
{
    static const kit_cell cells[] = {{.number = 0.0},  {.number = -0.0}, {.number = 7.0},
                                     {.number = 7.5},  {.number = -7.5}, {.number = 0.0009765625},
                                     {.number = 1024}, {.number = 1025}, {.null = true}};
    static const char *const csv[] = {"0.0",          "-0.0", "7.0",    "7.5", "-7.5",
                                      "0.0009765625", "1024", "1025.0", ""};
    static const int who[] = {1, 1, 2, 3, 4, 5, 6, 7, NOBODY};
    static const kit_cell wide[] = {{.number = NAN},       {.number = -NAN}, {.number = INFINITY},
                                    {.number = -INFINITY}, {.number = 1e16}, {.number = 3e-39}};
    static const char *const wide_csv[] = {"nan", "nan", "inf", "-inf", "1e+16", "3e-39"};
    static const int wide_who[] = {1, 1, 2, 3, 4, 5};
    static const kit_cell fine[] = {{.number = 0.1},
                                    {.number = 0.1 + 0x1p-56},
                                    {.number = 5e-324},
                                    {.number = 1e-323},
                                    {.number = 1e300},
                                    {.number = 9007199254740992.0},
                                    {.number = 9007199254740994.0}};
    static const char *const fine_csv[] = {"0.1",
                                           "0.10000000000000002",
                                           "5e-324",
                                           "1e-323",
                                           "1e+300",
                                           "9007199254740992.0",
                                           "9007199254740994.0"};
    expect_values(cells, csv, 9, who, "g");
    expect_values(cells, csv, 9, who, "f");
    expect_values(cells, csv, 9, who, "e");
    expect_values(wide, wide_csv, 6, wide_who, "g");
    expect_values(wide, wide_csv, 6, wide_who, "f");
    expect_values(fine, fine_csv, 7, NULL, "g");
}

TEST(decimals_keep_all_their_digits)
{
    static const kit_cell cells[] = {{.whole = 700}, {.whole = 701},   {.whole = -700},
                                     {.whole = 0},   {.whole = 99999}, {.null = true}};
    static const char *const csv[] = {"7.00", "7.01", "-7.00", "0.00", "999.99", ""};
    expect_values(cells, csv, 6, NULL, "d:9,2,32");
    expect_values(cells, csv, 6, NULL, "d:18,2,64");
    expect_values(cells, csv, 6, NULL, "d:38,2");
    /* 2^64, ten times that, 2^126 and ten times something near: apart by a digit that stands far behind. */
    static const kit_cell large[] = {{.high = 1},
                                     {.high = 10},
                                     {.high = INT64_C(1) << 60},
                                     {.whole = 1, .high = INT64_C(1) << 60},
                                     {.high = 1000000000},
                                     {.high = 100000000000}};
    static const char *const names[] = {"p", "q", "r", "s", "t", "u"};
    expect_values(large, names, 6, NULL, "d:38,0");
    expect_values(large, names, 6, NULL, "d:38,38");
    expect_values(large, names, 6, NULL, "d:38,-38");
}

TEST(truths_are_two_persons)
{
    static const kit_cell cells[] = {{.whole = 0}, {.whole = 1}, {.null = true}};
    static const char *const csv[] = {"false", "true", ""};
    expect_values(cells, csv, 3, NULL, "b");
    static const kit_cell nothing[] = {{.null = true}};
    static const char *const empty[] = {""};
    expect_values(nothing, empty, 1, NULL, "n");
}

/* No two values are one person, to the last nanosecond, before 1970 and beyond all calendars. */
TEST(times_of_every_unit_are_persons_of_their_own)
{
    static const char *const formats[] = {
        "tdD", "tdm", "tss:", "tsm:", "tsu:", "tsn:", "tss:UTC", "tsm:UTC", "tsu:UTC", "tsn:Asia/Kolkata"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const bool narrow = strcmp(formats[i], "tdD") == 0;
        const int64_t least = narrow ? INT32_MIN : INT64_MIN, most = narrow ? INT32_MAX : INT64_MAX;
        const kit_cell cells[] = {{.whole = 0},        {.whole = 1},         {.whole = -1},
                                  {.whole = 999},      {.whole = 1000},      {.whole = 1001},
                                  {.whole = -1000},    {.whole = -1001},     {.whole = 86400000},
                                  {.whole = 86400001}, {.whole = 90000000},  {.whole = 100000000},
                                  {.whole = least},    {.whole = least + 1}, {.whole = most},
                                  {.whole = most - 1}, {.null = true}};
        const char *csv[17] = {NULL};
        for (size_t j = 0; j < 17; j++) csv[j] = "";
        expect_values(cells, csv, 17, NULL, formats[i]);
    }
}

/* ---- what is no id ---- */

/* Codes without an entry: one person, as "(not readable)" is one in CSV, and not one each. */
TEST(ids_that_cannot_be_read_are_one_person)
{
    static const kit_cell values[] = {{.text = "a"}, {.null = true}};
    static const kit_cell cells[] = {{.whole = 0}, {.whole = 99}, {.whole = 1},   {.whole = 77},
                                     {.whole = 0}, {.whole = 99}, {.null = true}, {.whole = -1}};
    static const kit_cell numbers[8] = {{0}};
    static const size_t expected[] = {0, 1, 8, 1, 0, 1, 8, 1};
    const kit_column columns[] = {
        {.name = "n", .format = "l", .cells = numbers},
        {"id", .format = "u", .cells = cells, .codes = "c", .values = values, .value_count = 2}};
    kit_table table = {.columns = columns, .column_count = 2, .rows = 8};
    const sbl_table *origin = KIT_SOURCE(kit_open, &table);
    size_t first[8];
    sbl_source *source;
    assert_ok(sbl_source_open_rows(&source, origin, &facts, NULL, NULL, NULL));
    owners(first, source, 8);
    for (size_t r = 0; r < 8; r++) assert_int_equal(first[r], expected[r]);
}

TEST(types_that_are_no_ids_are_refused_by_name)
{
    static const struct {
        const char *format, *name;
    } types[] = {{"ttx", "'ttx'"},        {"tDs", "duration[s]"},  {"tDm", "duration[ms]"},
                 {"tDu", "duration[us]"}, {"tDn", "duration[ns]"}, {"tiM", "interval"},
                 {"tiD", "interval"},     {"tin", "interval"},     {"z", "binary"},
                 {"Z", "large_binary"},   {"vz", "binary_view"},   {"w:16", "fixed_size_binary"},
                 {"+l", "list"},          {"+s", "struct"},        {"d:76,2,256", "decimal256"},
                 {"?x", "'?x'"}};
    static const kit_cell cells[1] = {{0}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const kit_column columns[] = {{.name = "n", .format = "l", .cells = cells},
                                      {"id", .format = types[i].format, .cells = cells}};
        kit_table table = {.columns = columns, .column_count = 2};
        const sbl_table *origin = KIT_SOURCE(kit_open, &table);
        sbl_source *source;
        sbl_error err = {0};
        assert_int_equal(sbl_source_open_rows(&source, origin, &facts, NULL, NULL, &err), SBL_EINPUT);
        char says[100];
        (void)snprintf(says, sizeof says, "column 'id' has the Arrow type %s, which", types[i].name);
        if (strstr(err.message, says) == NULL) fail_msg("'%s' is not in '%s'", says, err.message);
    }
}

ALL_TESTS(setup, teardown)
