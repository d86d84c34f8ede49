/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables as a sink, of rows made by hand: keys that hold, tables as their schemas say, all files or none, and a
 * package that describes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "after/sinks/sink.h"
#include "base/alloc.h"
#include "base/file.h"
#include "public/plan/facts.h"
#include "public/rows/row_batch.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"

FREES(sbl_free);

#define KEY(field, table, named)                                                           \
    "\"foreignKeys\": [{\"fields\": \"" field "\", \"reference\": {\"resource\": \"" table \
    "\", \"fields\": \"" named "\"}}]"

/* accounts <- clients <- cards, accounts <- notes: without a key of their own. */
static const char package[] =
    "{\"resources\": ["
    "{\"name\": \"accounts\", \"schema\": {\"primaryKey\": \"id\", \"fields\": ["
    "  {\"name\": \"id\", \"semblance\": {\"role\": \"id\", \"id\": \"A####\"}},"
    "  {\"name\": \"holder\", \"semblance\": {\"role\": \"fake\", \"fake\": \"name\"}},"
    "  {\"name\": \"town\", \"type\": \"string\", \"constraints\": {\"enum\": [\"a\", \"b\"],"
    "   \"required\": true}}]}},"
    "{\"name\": \"clients\", \"schema\": {\"primaryKey\": \"id\", " KEY("account", "accounts", "id")
    ", \"fields\": ["
    "  {\"name\": \"id\"}, {\"name\": \"account\"},"
    "  {\"name\": \"name\", \"semblance\": {\"role\": \"fake\", \"fake\": \"name\"}},"
    "  {\"name\": \"born\", \"type\": \"integer\", \"constraints\": {\"minimum\": 1900,"
    "   \"maximum\": 2000, \"required\": true}},"
    "  {\"name\": \"died\", \"type\": \"integer\", \"constraints\": {\"minimum\": 1900,"
    "   \"maximum\": 2000, \"required\": true}}],"
    "  \"semblance\": {\"constraints\": [\"born <= died\"]}}},"
    "{\"name\": \"cards\", \"schema\": {\"primaryKey\": \"number\", " KEY("client", "clients", "id")
    ", \"fields\": ["
    "  {\"name\": \"number\", \"semblance\": {\"role\": \"id\", \"id\": \"uuid\"}},"
    "  {\"name\": \"client\"},"
    "  {\"name\": \"kind\", \"type\": \"string\", \"constraints\": {\"enum\": [\"x\", \"y\","
    "   \"z\"]}}], \"missingValues\": [\"\"]}},"
    "{\"name\": \"notes\", \"schema\": {" KEY("account", "accounts", "id") ", \"fields\": ["
    "  {\"name\": \"holder\", \"semblance\": {\"role\": \"fake\", \"fake\": \"name\"}},"
    "  {\"name\": \"words\", \"type\": \"number\", \"constraints\": {\"minimum\": 0,"
    "   \"maximum\": 9, \"required\": true}, \"semblance\": {\"decimals\": 1}},"
    "  {\"name\": \"account\"}]}}]}";
enum { ACCOUNTS, CLIENTS, CARDS, NOTES, TABLES };
static const char *const names[TABLES] = {"accounts", "clients", "cards", "notes"};

static void read_facts(sbl_facts *facts)
{
    sbl_schema *schema = NULL;
    sbl_error err = {0};
    if (sbl_schema_parse(&schema, package, strlen(package), "package", &err) != SBL_OK ||
        sbl_facts_of_table(facts, schema, &err) != SBL_OK)
        fail_msg("%s", err.message);
}

/* ---- rows ---- */

#define PERSONS 3000
#define MOST_ROWS (PERSONS * 10)

static uint32_t next(uint32_t *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }

typedef struct drawing {
    sbl_drawn drawn;
    size_t rows;
    uint64_t numbers[TABLES];
} drawing;

/* A row whose cells of the other tables are what they should not be. */
static void put_row(drawing *d, const sbl_facts *facts, uint64_t person, size_t table, uint64_t parent,
                    uint32_t *state)
{
    const size_t row = d->rows++;
    assert_true(row < d->drawn.rows);
    for (size_t i = 0; i < facts->heads.numeric_count; i++)
        d->drawn.numeric[row * facts->heads.numeric_count + i] = next(state) % 1001 / 1000.0;
    for (size_t i = 0; i < facts->heads.categorical_count; i++)
        d->drawn.codes[row * facts->heads.categorical_count + i] = next(state) % 2;
    d->drawn.persons[row] = person;
    d->drawn.tables[row] = (uint8_t)table;
    d->drawn.parents[row] = table == ACCOUNTS ? d->numbers[ACCOUNTS] : parent;
    d->drawn.numbers[row] = d->numbers[table]++;
}

/* Persons with 0 to 2 clients of 0 to 2 cards each, and 0 to 3 notes. */
static void draw(drawing *d, const sbl_facts *facts)
{
    uint32_t state = 1;
    *d = (drawing){.rows = 0};
    assert_ok(sbl_drawn_make(&d->drawn, facts, MOST_ROWS, false, NULL));
    assert_ok(sbl_drawn_keep_persons(&d->drawn, NULL));
    assert_ok(sbl_drawn_keep_links(&d->drawn, NULL));
    for (uint64_t p = 0; p < PERSONS; p++) {
        const uint64_t first = d->numbers[CLIENTS];
        put_row(d, facts, p, ACCOUNTS, 0, &state);
        for (uint32_t n = next(&state) % 3; n > 0; n--)
            put_row(d, facts, p, CLIENTS, d->numbers[ACCOUNTS] - 1, &state);
        for (uint64_t c = first; c < d->numbers[CLIENTS]; c++)
            for (uint32_t n = next(&state) % 3; n > 0; n--) put_row(d, facts, p, CARDS, c, &state);
        for (uint32_t n = next(&state) % 4; n > 0; n--)
            put_row(d, facts, p, NOTES, d->numbers[ACCOUNTS] - 1, &state);
    }
}

/* Rows first .. of what was drawn; borrowed. */
static sbl_drawn part_of(const drawing *d, const sbl_facts *facts, size_t first)
{
    return (sbl_drawn){d->drawn.numeric + first * facts->heads.numeric_count,
                       .codes = d->drawn.codes + first * facts->heads.categorical_count,
                       .persons = d->drawn.persons + first,
                       .tables = d->drawn.tables + first,
                       .numbers = d->drawn.numbers + first,
                       .parents = d->drawn.parents + first};
}

/* As a drawing does it: whole persons, some at a time. */
static sbl_status write_all(sbl_sink *sink, const drawing *d, const sbl_facts *facts, sbl_error *err)
{
    sink->seed = 5;
    for (size_t first = 0, count; first < d->rows; first += count) {
        const sbl_drawn some = part_of(d, facts, first);
        count = sbl_whole_persons(some.persons, d->rows - first, 997);
        const sbl_status status = sbl_sink_write(sink, &some, count, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

static void set_most(sbl_sink *sink, uint64_t rows, uint64_t persons)
{
    sink->most = rows;
    sink->most_persons = persons;
}

/* ---- what is read back ---- */

typedef struct lines {
    char *text;
    char **items;
    size_t count;
} lines;

static lines read_lines(const char *place, const char *name)
{
    char path[400];
    lines read = {0};
    (void)snprintf(path, sizeof path, "%s/%s.csv", place, name);
    read.text = slurp(path, NULL);
    if (read.text == NULL) fail_msg("%s is not there", path);
    read.items = calloc(MOST_ROWS + 2, sizeof *read.items);
    assert_non_null(read.items);
    for (char *line = strtok(read.text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        read.items[read.count++] = line;
    return read;
}

static void free_lines(lines *read)
{
    free(read->text);
    free(read->items);
}

/* Cell number i of a line without quotes. */
static const char *cell(char out[64], const char *line, size_t i)
{
    for (; i > 0; i--) line = strchr(line, ',') + 1;
    (void)snprintf(out, 64, "%.*s", (int)strcspn(line, ","), line);
    return out;
}

static void check_keys(const lines read[TABLES], const drawing *d)
{
    size_t at[TABLES] = {0};
    char own[64], named[64];
    for (size_t row = 0; row < d->rows; row++) {
        static const size_t parents[TABLES] = {ACCOUNTS, ACCOUNTS, CLIENTS, ACCOUNTS};
        static const size_t columns[TABLES] = {0, 1, 1, 2};
        const size_t table = d->drawn.tables[row];
        if (at[table] + 1 >= read[table].count) continue;
        const char *line = read[table].items[++at[table]];
        const char *parent = read[parents[table]].items[d->drawn.parents[row] + 1];
        assert_string_equal(cell(own, line, columns[table]), cell(named, parent, 0));
        /* Who a note is about is the account's holder; a client is somebody else. */
        if (table == NOTES) assert_string_equal(cell(own, line, 0), cell(named, parent, 1));
    }
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void check_unique(const lines *read)
{
    char own[64], other[64];
    qsort(read->items + 1, read->count - 1, sizeof *read->items, by_text);
    for (size_t i = 2; i < read->count; i++)
        assert_string_not_equal(cell(own, read->items[i], 0), cell(other, read->items[i - 1], 0));
}

static bool is_there(const char *place, const char *name)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", place, name);
    return access(path, F_OK) == 0;
}

TEST(tables_have_keys_that_hold)
{
    const char *place = in_folder(folder, "out/");
    const sbl_package_folder target = {.folder = place};
    sbl_facts facts;
    sbl_sink *sink;
    drawing d;
    lines read[TABLES];
    char text[64], other[64];
    sbl_error err = {0};
    read_facts(&facts);
    draw(&d, &facts);
    assert_ok_or_say(sbl_sink_open_package(&sink, &target, &facts, false, &err));
    set_most(sink, UINT64_MAX, UINT64_MAX);
    assert_ok(write_all(sink, &d, &facts, &err));
    assert_int_equal(sink->persons, PERSONS);
    assert_int_equal(sink->written, d.rows);
    assert_false(is_there(place, "accounts.csv"));
    assert_ok_or_say(sbl_sink_finish(sink, &err));
    sbl_sink_close(sink);
    for (size_t t = 0; t < TABLES; t++) {
        read[t] = read_lines(place, names[t]);
        assert_int_equal(read[t].count, d.numbers[t] + 1);
    }
    assert_string_equal(read[ACCOUNTS].items[0], "id,holder,town");
    assert_string_equal(read[CLIENTS].items[0], "id,account,name,born,died");
    assert_string_equal(read[NOTES].items[0], "holder,words,account");
    check_keys(read, &d);
    /* Rules are of the table: a difference was drawn, and what is written holds. */
    for (size_t i = 1; i < read[CLIENTS].count; i++)
        assert_true(atoi(cell(text, read[CLIENTS].items[i], 3)) <=
                    atoi(cell(other, read[CLIENTS].items[i], 4)));
    for (size_t t = 0; t < NOTES; t++) check_unique(&read[t]);
    for (size_t t = 0; t < TABLES; t++) free_lines(&read[t]);
    sbl_drawn_clear(&d.drawn, &facts);
    sbl_facts_clear(&facts);
}

TEST(persons_are_written_whole_up_to_a_number_of_them_or_of_rows)
{
    static const struct {
        uint64_t rows, persons;
    } wanted[] = {{UINT64_MAX, 100}, {1000, UINT64_MAX}, {1, UINT64_MAX}};
    sbl_facts facts;
    drawing d;
    read_facts(&facts);
    draw(&d, &facts);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const char *place = in_folder(folder, "some");
        const sbl_package_folder target = {.folder = place};
        lines read[TABLES];
        sbl_sink *sink;
        size_t rows = 0;
        assert_ok(sbl_sink_open_package(&sink, &target, &facts, true, NULL));
        set_most(sink, wanted[i].rows, wanted[i].persons);
        assert_ok(write_all(sink, &d, &facts, NULL));
        assert_ok(sbl_sink_finish(sink, NULL));
        for (size_t t = 0; t < TABLES; t++) {
            read[t] = read_lines(place, names[t]);
            rows += read[t].count - 1;
        }
        assert_int_equal(rows, sink->written);
        assert_int_equal(read[ACCOUNTS].count - 1, sink->persons);
        /* The next person begins just there. */
        assert_int_equal(d.drawn.persons[rows - 1], sink->persons - 1);
        assert_int_equal(d.drawn.persons[rows], sink->persons);
        if (wanted[i].persons != UINT64_MAX)
            assert_int_equal(sink->persons, wanted[i].persons);
        else
            assert_true(rows >= wanted[i].rows && rows < wanted[i].rows + 10);
        check_keys(read, &d);
        sbl_sink_close(sink);
        for (size_t t = 0; t < TABLES; t++) free_lines(&read[t]);
    }
    sbl_drawn_clear(&d.drawn, &facts);
    sbl_facts_clear(&facts);
}

/* ---- the same in memory ---- */

typedef struct taken {
    uint64_t rows;
    const sbl_schema *schema;
} taken;

static sbl_status take(void *context, const sbl_batch *rows, uint64_t first, sbl_error *err)
{
    taken *to = context;
    (void)err;
    assert_int_equal(first, to->rows);
    to->rows += rows->rows;
    to->schema = rows->schema;
    return SBL_OK;
}

TEST(rows_are_given_away_table_by_table)
{
    sbl_facts facts;
    drawing d;
    sbl_sink *sink;
    sbl_text text = {0};
    taken to[TABLES] = {0};
    void *const contexts[TABLES] = {&to[0], &to[1], &to[2], &to[3]};
    read_facts(&facts);
    draw(&d, &facts);
    assert_ok(sbl_sink_open_package_rows(&sink, &facts, take, contexts, NULL));
    set_most(sink, UINT64_MAX, UINT64_MAX);
    assert_ok(write_all(sink, &d, &facts, NULL));
    assert_ok(sbl_sink_finish(sink, NULL));
    for (size_t t = 0; t < TABLES; t++) {
        assert_int_equal(to[t].rows, d.numbers[t]);
        assert_ptr_equal(to[t].schema, facts.table_facts[t].declared);
        assert_ptr_equal(sbl_sink_of_table(sink, t)->facts, &facts.table_facts[t]);
    }
    sbl_text_clear(&text);
    sbl_sink_close(sink);
    sbl_drawn_clear(&d.drawn, &facts);
    sbl_facts_clear(&facts);
}

/* ---- files ---- */

TEST(package_says_what_the_tables_are_and_reads_back_as_the_same_schema)
{
    const char *place = in_folder(folder, "described");
    const sbl_package_folder target = {.folder = place};
    CLEARED(sbl_facts_clear) sbl_facts facts;
    sbl_sink *sink;
    sbl_schema *schema = NULL;
    char path[400];
    sbl_error err = {0};
    read_facts(&facts);
    assert_ok(sbl_sink_open_package(&sink, &target, &facts, false, NULL));
    assert_ok(sbl_sink_finish(sink, NULL)); /* of nobody: headers */
    sbl_sink_close(sink);
    (void)snprintf(path, sizeof path, "%s/datapackage.json", place);
    assert_ok_or_say(sbl_schema_read(&schema, path, &err));
    assert_int_equal(schema->table_count, TABLES);
    for (size_t t = 0; t < TABLES; t++) {
        (void)snprintf(path, sizeof path, "%s.csv", names[t]);
        assert_string_equal(schema->tables[t].path, path);
        assert_true(is_there(place, path));
        FREED(sbl_free) char *ours = sbl_schema_json(facts.declared->tables[t].schema);
        FREED(sbl_free) char *theirs = sbl_schema_json(schema->tables[t].schema);
        assert_string_equal(ours, theirs);
    }
    sbl_schema_free(schema);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The file says which tables are public; what they hold is copied, and the keys into them stay. */
TEST(public_look_up_tables_are_copied_with_the_keys_into_them)
{
    static const char with_look_up[] =
        "{\"resources\": [{\"name\": \"towns\", \"path\": \"public/towns.txt\","
        " \"semblance\": {\"public\": true}, \"schema\": {\"primaryKey\": \"town\", \"fields\":"
        " [{\"name\": \"town\", \"type\": \"string\"}]}},"
        "{\"name\": \"accounts\", \"schema\": {" KEY("town", "towns", "town") "}}]}";
    const char *place = in_folder(folder, "copied"), *origin = in_folder(folder, "given.json");
    const sbl_package_folder target = {.folder = place, .package = origin};
    sbl_package_files files;
    CLEARED(sbl_facts_clear) sbl_facts facts;
    sbl_sink *sink = NULL;
    sbl_error err = {0};
    read_facts(&facts);
    write_text(origin, with_look_up);
    assert_ok(sbl_package_files_name(&files, &target, &facts, &err));
    assert_int_equal(files.count, TABLES + 2);
    /* It cannot be copied while it is not there, and that is seen beforehand. */
    assert_int_equal(sbl_package_files_check(&files, false, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "public/towns.txt, a public table"));
    assert_false(is_there(place, ""));
    sbl_package_files_clear(&files);
    (void)mkdir(in_folder(folder, "public"), 0777);
    write_text(in_folder(folder, "public/towns.txt"), "town\na\nb\n");
    if (sbl_sink_open_package(&sink, &target, &facts, false, &err) != SBL_OK ||
        sbl_sink_finish(sink, &err) != SBL_OK)
        fail_msg("%s", err.message);
    sbl_sink_close(sink);
    FREED(free) char *copy = slurp(in_folder(folder, "copied/towns.csv"), NULL);
    assert_string_equal(copy, "town\na\nb\n");
    FREED(free) char *made = slurp(in_folder(folder, "copied/datapackage.json"), NULL);
    assert_non_null(strstr(made, "\"path\": \"towns.csv\""));
    assert_non_null(strstr(made, "\"resource\": \"towns\""));
    assert_non_null(strstr(made, "\"resource\": \"accounts\""));
}

TEST(files_appear_together_or_not_at_all)
{
    const char *place = in_folder(folder, "whole");
    const sbl_package_folder target = {.folder = place};
    sbl_facts facts;
    drawing d;
    sbl_sink *sink;
    sbl_error err = {0};
    read_facts(&facts);
    draw(&d, &facts);
    /* One that is not finished never was, nor was its folder. */
    assert_ok(sbl_sink_open_package(&sink, &target, &facts, false, NULL));
    set_most(sink, UINT64_MAX, UINT64_MAX);
    assert_ok(write_all(sink, &d, &facts, NULL));
    sbl_sink_close(sink);
    assert_false(is_there(place, ""));
    /* What came to be in the way of one while it was drawn keeps all others away. */
    assert_ok(sbl_sink_open_package(&sink, &target, &facts, false, NULL));
    set_most(sink, UINT64_MAX, UINT64_MAX);
    assert_ok(write_all(sink, &d, &facts, NULL));
    write_text(in_folder(folder, "whole/cards.csv"), "mine\n");
    assert_int_not_equal(sbl_sink_finish(sink, &err), SBL_OK);
    sbl_sink_close(sink);
    assert_false(is_there(place, "accounts.csv") || is_there(place, "datapackage.json"));
    char *kept = slurp(in_folder(folder, "whole/cards.csv"), NULL);
    assert_string_equal(kept, "mine\n");
    free(kept);
    /* And it is seen beforehand, unless it may be replaced. */
    sink = (sbl_sink *)1;
    assert_int_equal(sbl_sink_open_package(&sink, &target, &facts, false, &err), SBL_EIO);
    assert_null(sink);
    assert_ok(sbl_sink_open_package(&sink, &target, &facts, true, &err));
    assert_ok(sbl_sink_finish(sink, &err));
    sbl_sink_close(sink);
    assert_true(is_there(place, "notes.csv") && is_there(place, "datapackage.json"));
    sbl_drawn_clear(&d.drawn, &facts);
    sbl_facts_clear(&facts);
}

TEST(folders_without_a_name_are_refused)
{
    static const char *const bad[] = {"-", ".", "..", "/", "a/..", "a/."};
    CLEARED(sbl_facts_clear) sbl_facts facts;
    read_facts(&facts);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const sbl_package_folder target = {.folder = bad[i]};
        sbl_package_files files;
        sbl_error err = {0};
        if (sbl_package_files_name(&files, &target, &facts, &err) != SBL_EARG)
            fail_msg("'%s' was taken", bad[i]);
    }
    const char *there = in_folder(folder, "there.txt");
    const sbl_package_folder target = {.folder = there};
    sbl_sink *sink;
    sbl_error err = {0};
    write_text(there, "");
    assert_int_equal(sbl_sink_open_package(&sink, &target, &facts, true, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "not a folder"));
}

TEST(lack_of_memory_leaves_nothing)
{
    const char *place = in_folder(folder, "memory");
    const sbl_package_folder target = {.folder = place};
    sbl_facts facts;
    read_facts(&facts);
    for (long n = 1;; n++) {
        sbl_sink *sink = NULL;
        sbl_error err = {0};
        sbl_test_fail_alloc(n);
        sbl_status status = sbl_sink_open_package(&sink, &target, &facts, false, &err);
        if (status == SBL_OK) status = sbl_sink_finish(sink, &err);
        sbl_sink_close(sink);
        if (!sbl_test_alloc_failed()) {
            assert_ok(status);
            break;
        }
        sbl_test_fail_alloc(0);
        assert_int_equal(status, SBL_EMEM);
        assert_false(is_there(place, ""));
    }
    sbl_test_fail_alloc(0);
    sbl_facts_clear(&facts);
}

EACH_TEST(make_folder, remove_folder)
