/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow tables whose cells differ in type: in one column, or from one batch to the next. Every cell is read as a cell of
 * a column that has nothing but its type, whatever the others are. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"
#include "support/arrow_kit.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

#define MOST 40

/* One pair: the name of an extension. Sizes are little-endian, as all machines are that this is built for. */
#define METADATA(size, name) "\x01\0\0\0\x14\0\0\0ARROW:extension:name" size "\0\0\0" name
static const char mixed[] = METADATA("\x0f", "semblance.cells");
static const char other[] = METADATA("\x0b", "arrow.uuid4");
static const char two[] =
    "\x02\0\0\0\x01\0\0\0k\x02\0\0\0vv\x14\0\0\0ARROW:extension:name\x0f\0\0\0semblance.cells";

/* ---- what was read ---- */

typedef struct seen {
    double numbers[MOST];
    uint32_t codes[MOST];
    uint8_t misfits[MOST];
    size_t rows;
} seen;

static sbl_facts facts_of(const char *field)
{
    char json[600];
    sbl_schema *schema;
    sbl_facts facts;
    sbl_error err = {0};
    (void)snprintf(json, sizeof json, "{\"fields\": [{\"name\": \"x\", %s}]}", field);
    assert_ok_or_say(sbl_schema_parse(&schema, json, strlen(json), "test", &err));
    assert_ok(sbl_facts_of_table(&facts, schema, &err));
    return facts;
}

static sbl_status read_table(seen *found, const sbl_table *table, const char *field, sbl_error *err)
{
    sbl_facts facts = facts_of(field);
    const size_t codes = facts.heads.categorical_count, numbers = facts.heads.numeric_count;
    sbl_source *source = NULL;
    *found = (seen){0};
    sbl_status status = sbl_source_open_rows(&source, table, &facts, NULL, NULL, err);
    for (const sbl_records *records = NULL; status == SBL_OK;) {
        status = sbl_source_read(source, &records, err);
        if (status != SBL_OK || records->rows == 0) break;
        for (size_t r = 0; r < records->rows; r++, found->rows++) {
            assert_in_range(found->rows, 0, MOST - 1);
            if (numbers > 0) found->numbers[found->rows] = records->numeric[r * numbers];
            if (codes > 0) found->codes[found->rows] = records->codes[r * codes];
            if (records->misfits != NULL) found->misfits[found->rows] = records->misfits[r];
        }
    }
    sbl_source_close(source);
    sbl_facts_clear(&facts);
    return status;
}

static seen read_column_alone(const kit_column *column, size_t rows, const char *field)
{
    kit_table table = {.columns = column, .column_count = 1, .rows = rows};
    seen found;
    sbl_error err = {0};
    assert_ok_or_say(read_table(&found, KIT_SOURCE(kit_open, &table), field, &err));
    assert_int_equal(found.rows, rows);
    return found;
}

static seen read_column(const kit_column *column, size_t rows, const char *field)
{
    const seen found = read_column_alone(column, rows, field);
    assert_int_equal(kit_alive, 0);
    return found;
}

static void assert_same_row(const seen *a, size_t at, const seen *b, size_t other_at)
{
    assert_memory_equal(&a->numbers[at], &b->numbers[other_at], sizeof(double));
    assert_int_equal(a->codes[at], b->codes[other_at]);
    assert_int_equal(a->misfits[at], b->misfits[other_at]);
}

/* ---- mixed columns ---- */

static const char *const fields[] = {
    "\"type\": \"number\", \"constraints\": {\"minimum\": -9, \"maximum\": 50}",
    "\"type\": \"integer\", \"constraints\": {\"enum\": [1, 3, 7]}",
    "\"type\": \"string\", \"constraints\": {\"enum\": [\"1\", \"3\", \"true\", \"2024-01-02\", "
    "\"x\"]}",
    "\"type\": \"number\", \"decimalChar\": \",\", \"constraints\": {\"minimum\": 0, \"maximum\": "
    "9}",
    "\"type\": \"integer\", \"missingValues\": [\"\", \"3\"], \"constraints\": {\"minimum\": 0, "
    "\"maximum\": 9}",
    "\"type\": \"boolean\"",
    "\"type\": \"boolean\", \"trueValues\": [\"yes\"], \"falseValues\": [\"no\"]",
    "\"type\": \"date\", \"constraints\": {\"minimum\": \"2020-01-01\", \"maximum\": "
    "\"2030-01-01\"}",
    "\"type\": \"date\", \"format\": \"%d.%m.%Y\", \"constraints\": {\"minimum\": \"01.01.2020\", "
    "\"maximum\": \"01.01.2030\"}",
    "\"type\": \"datetime\", \"constraints\": {\"minimum\": \"2020-01-01T00:00:00\", \"maximum\": "
    "\"2030-01-01T00:00:00\"}",
};
#define FIELDS (sizeof fields / sizeof fields[0])

/* A text of a mixed column, and the same cell in a column of its type. */
static const struct {
    const char *text;
    const char *format;
    kit_cell cell;
} cells[] = {
    {"\x01"
     "b1",
     "b",
     {.whole = 1}},
    {"\x01"
     "b0",
     "b",
     {.whole = 0}},
    {"\x01i3", "l", {.whole = 3}},
    {"\x01i-9223372036854775808", "l", {.whole = INT64_MIN}},
    {"\x01i9223372036854775807", "l", {.whole = INT64_MAX}},
    {"\x01g3.0", "g", {.number = 3}},
    {"\x01g0.1", "g", {.number = 0.1}},
    {"\x01g1e+17", "g", {.number = 1e17}},
    {"\x01"
     "d3.00",
     "d:9,2",
     {.whole = 300}},
    {"\x01"
     "d7.5",
     "d:9,1",
     {.whole = 75}},
    {"\x01"
     "D19724",
     "tdD",
     {.whole = 19724}},
    {"\x01m1704153600.000000000", "tss:", {.whole = 1704153600}},
    {"\x01m1704153600.000000007", "tsn:", {.whole = INT64_C(1704153600000000007)}},
    {"\x01z1704153601.000000000", "tss:UTC", {.whole = 1704153601}},
    {"\x01m-1.500000000", "tsm:", {.whole = -500}},
    {"\x01"
     "c45000.000000000",
     "tts",
     {.whole = 45000}},
    {"\x01"
     "c45000.000000007",
     "ttn",
     {.whole = INT64_C(45000000000007)}},
    {"\x01tyes", "u", {.text = "yes"}},
    {"\x01t\x01i3", "u", {.text = "\x01i3"}},
    {"x", "u", {.text = "x"}},
    {"3", "u", {.text = "3"}},
    {"", "u", {.text = ""}},
};
#define CELLS (sizeof cells / sizeof cells[0])

TEST(a_cell_of_a_mixed_column_is_one_of_a_column_of_its_type)
{
    kit_cell texts[CELLS], codes[CELLS];
    for (size_t i = 0; i < CELLS; i++) {
        texts[i] = (kit_cell){.text = cells[i].text};
        codes[i] = (kit_cell){.whole = (int64_t)i};
    }
    const kit_column forms[] = {
        {.name = "x", .format = "u", .cells = texts, .metadata = mixed},
        {.name = "x", .format = "U", .cells = texts, .metadata = two},
        {.name = "x", .format = "vu", .cells = texts, .metadata = mixed},
        {"x", .format = "u", .cells = codes, .codes = "c", .values = texts, .value_count = CELLS,
         .metadata = mixed},
    };
    for (size_t f = 0; f < FIELDS; f++)
        for (size_t form = 0; form < sizeof forms / sizeof forms[0]; form++) {
            const seen all = read_column(&forms[form], CELLS, fields[f]);
            for (size_t i = 0; i < CELLS; i++) {
                const kit_column own = {.name = "x", .format = cells[i].format, .cells = &cells[i].cell};
                const seen wanted = read_column(&own, 1, fields[f]);
                assert_same_row(&all, i, &wanted, 0);
            }
        }
}

TEST(what_does_not_follow_the_grammar_cannot_be_read)
{
    static const char *const bad[] = {"\x01",
                                      "\x01?3",
                                      "\x01i",
                                      "\x01i-",
                                      "\x01i3x",
                                      "\x01i99999999999999999999",
                                      "\x01g",
                                      "\x01gx",
                                      "\x01"
                                      "b",
                                      "\x01m3",
                                      "\x01m.5",
                                      "\x01m3.-00000001",
                                      "\x01zx.000000000",
                                      "\x01"
                                      "Dx"};
    kit_cell texts[MOST];
    const size_t count = sizeof bad / sizeof bad[0];
    for (size_t i = 0; i < count; i++) texts[i] = (kit_cell){.text = bad[i]};
    const kit_column column = {.name = "x", .format = "u", .cells = texts, .metadata = mixed};
    for (size_t f = 0; f < FIELDS; f++) {
        const seen found = read_column(&column, count, fields[f]);
        for (size_t i = 0; i < count; i++) assert_int_equal(found.misfits[i], 1);
    }
}

TEST(texts_of_other_columns_are_texts_whatever_they_begin_with)
{
    static const kit_cell text = {.text = "\x01i3"};
    const char *field = "\"type\": \"string\", \"constraints\": {\"enum\": [\"3\", \"\\u0001i3\"]}";
    const char *const without[] = {NULL, other};
    for (size_t i = 0; i < 2; i++) {
        const kit_column column = {.name = "x", .format = "u", .cells = &text, .metadata = without[i]};
        assert_int_equal(read_column(&column, 1, field).codes[0], 1);
    }
    const kit_column column = {.name = "x", .format = "u", .cells = &text, .metadata = mixed};
    assert_int_equal(read_column(&column, 1, field).codes[0], 0);
}

/* ---- zeros after the point ---- */

TEST(zeros_after_the_point_do_not_count)
{
    static const struct {
        const char *format;
        kit_cell cell;
    } forms[] = {
        {"l", {.whole = 2}},      {"g", {.number = 2}},       {"d:9,0", {.whole = 2}},
        {"d:9,1", {.whole = 20}}, {"d:9,3", {.whole = 2000}},
    };
    static const char *const schemas[] = {
        "\"type\": \"string\", \"constraints\": {\"enum\": [\"1\", \"2\", \"2.0\"]}",
        "\"type\": \"string\", \"constraints\": {\"enum\": [\"1.00\", \"2.00\"]}",
        "\"type\": \"string\", \"constraints\": {\"enum\": [\"1\", \"2x\"]}",
        "\"type\": \"number\", \"missingValues\": [\"\", \"2.0\"], \"constraints\": {\"minimum\": "
        "0, \"maximum\": 9}",
    };
    for (size_t s = 0; s < 4; s++) {
        seen first = {0};
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
            const kit_column column = {.name = "x", .format = forms[i].format, .cells = &forms[i].cell};
            const seen found = read_column(&column, 1, schemas[s]);
            if (i == 0) first = found;
            assert_same_row(&found, 0, &first, 0);
        }
        assert_int_equal(first.misfits[0], s == 2);
        if (s < 2) assert_int_equal(first.codes[0], 1);
    }
}

/* ---- batches of other types ---- */

/* Tables one after another, as one stream that is resumed. */
typedef struct turning {
    kit_table tables[3];
    size_t count;
    size_t at;
    bool fails;
} turning;

static void open_next(turning *from, struct ArrowArrayStream *stream)
{
    struct ArrowArrayStream next;
    assert_int_equal(kit_open(&from->tables[from->at], &next), 0);
    stream->private_data = next.private_data;
    stream->get_next = next.get_next;
    stream->get_schema = next.get_schema;
    stream->get_last_error = next.get_last_error;
    stream->release = next.release;
}

static int open_turning(void *context, struct ArrowArrayStream *stream)
{
    turning *from = context;
    from->at = 0;
    open_next(from, stream);
    return 0;
}

static int resume_turning(void *context, struct ArrowArrayStream *stream)
{
    turning *from = context;
    if (from->fails) return -1;
    if (from->at + 1 == from->count) return 0;
    stream->release(stream);
    from->at++;
    open_next(from, stream);
    return 1;
}

static const kit_cell wholes[] = {{.whole = 1}, {.whole = 7}, {.null = true}};
static const kit_cell numbers[] = {{.number = 3}, {.number = 0.5}};
static const kit_cell words[] = {{.text = "3"}, {.text = "x"}, {.text = "true"}};
static const kit_column columns[] = {
    {.name = "x", .format = "l", .cells = wholes},
    {.name = "x", .format = "g", .cells = numbers},
    {.name = "x", .format = "u", .cells = words},
};
static const size_t sizes[] = {3, 2, 3};

static turning make_turning(void)
{
    turning made = {.count = 3};
    for (size_t i = 0; i < 3; i++)
        made.tables[i] = (kit_table){.columns = &columns[i], .column_count = 1, .rows = sizes[i], .chunk = 2};
    return made;
}

/* way: 0 opened anew, 1 one stream, 2 one that is kept. */
static sbl_status open_data(sbl_data **data, turning *from, int way, sbl_error *err)
{
    struct ArrowArrayStream stream = {0};
    sbl_arrow_source source;
    sbl_arrow_source_init(&source);
    source.context = from;
    source.resume = resume_turning;
    source.keep = way == 2;
    if (way == 0) source.open = open_turning;
    if (way != 0) {
        (void)open_turning(from, &stream);
        source.stream = &stream;
    }
    return sbl_data_from_arrow(data, &source, NULL, err);
}

TEST(batches_of_other_types_are_read_by_their_own)
{
    for (int way = 0; way < 3; way++)
        for (size_t f = 0; f < FIELDS; f++) {
            turning from = make_turning();
            sbl_data *data = NULL;
            seen found;
            sbl_error err = {0};
            assert_ok(open_data(&data, &from, way, &err));
            for (int again = 0; again < (way == 1 ? 1 : 2); again++) {
                size_t row = 0;
                assert_ok_or_say(read_table(&found, &data->table, fields[f], &err));
                assert_int_equal(found.rows, 8);
                for (size_t i = 0; i < 3; i++) {
                    const seen own = read_column_alone(&columns[i], sizes[i], fields[f]);
                    for (size_t r = 0; r < sizes[i]; r++) assert_same_row(&found, row++, &own, r);
                }
            }
            sbl_data_free(data);
            assert_int_equal(kit_alive, 0);
        }
}

TEST(batches_of_other_columns_and_failures_are_refused)
{
    static const kit_column renamed = {.name = "y", .format = "l", .cells = wholes};
    static const kit_column lists = {.name = "x", .format = "z", .cells = words};
    for (int way = 0; way < 3; way++)
        for (int wrong = 0; wrong < 3; wrong++) {
            turning from = make_turning();
            sbl_data *data = NULL;
            seen found;
            sbl_error err = {0};
            if (wrong == 0) from.tables[1].columns = &renamed;
            if (wrong == 1) from.tables[1].columns = &lists;
            if (wrong == 1) from.tables[1].rows = 0;
            from.fails = wrong == 2;
            sbl_status status = open_data(&data, &from, way, &err);
            if (status == SBL_OK) status = read_table(&found, &data->table, fields[0], &err);
            assert_int_equal(status, wrong == 2 ? SBL_EIO : SBL_EINPUT);
            assert_null(strstr(err.message, "secret"));
            if (wrong == 0) assert_non_null(strstr(err.message, "differ in their columns"));
            if (wrong == 1) assert_non_null(strstr(err.message, "'x'"));
            sbl_data_free(data);
            assert_int_equal(kit_alive, 0);
        }
}

TEST(every_failed_allocation_gives_all_back)
{
    for (int way = 0; way < 3; way += 2)
        for (long n = 1;; n++) {
            turning from = make_turning();
            sbl_data *data = NULL;
            sbl_facts facts = facts_of(fields[2]);
            const sbl_records *records;
            sbl_source *source = NULL;
            sbl_error err = {0};
            sbl_test_fail_alloc(n);
            sbl_status status = open_data(&data, &from, way, &err);
            if (status == SBL_OK)
                status = sbl_source_open_rows(&source, &data->table, &facts, NULL, NULL, &err);
            if (status == SBL_OK) status = sbl_source_read(source, &records, &err);
            sbl_source_close(source);
            sbl_data_free(data);
            const bool failed = sbl_test_fail_end();
            sbl_facts_clear(&facts);
            assert_int_equal(kit_alive, 0);
            if (!failed) break;
            assert_int_equal(status, SBL_EMEM);
        }
}

ALL_TESTS(NULL, NULL)
