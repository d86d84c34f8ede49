/* SPDX-License-Identifier: Apache-2.0 */
/* Packages and linked rows: a package, and behind each byte 0x1e the text of a table. Any bytes are refused with
 * one line, or give whole persons: one row of the root, of each other table no more rows than count, parents that
 * are there. A second reading gives the same persons, and without the last row of the root all others are what
 * they were. */
#include <string.h>

#include "base/alloc.h"
#include "fuzz/memory_file.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"

#define MOST_TABLES 8
#define MOST_PERSONS 256
#define SEPARATOR 0x1e

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct piece {
    const uint8_t *data;
    size_t size;
} piece;

static void check_refusal(sbl_status status, const sbl_error *err)
{
    CHECK(status == SBL_EINPUT && err->message[0] != '\0' && strpbrk(err->message, "\r\n") == NULL);
}

/* Cuts the input; returns the number of pieces. */
static size_t cut(piece *pieces, size_t most, const uint8_t *data, size_t size)
{
    size_t count = 0;
    const uint8_t *end = data + size;
    while (count < most) {
        const uint8_t *stop = memchr(data, SEPARATOR, (size_t)(end - data));
        pieces[count++] = (piece){data, (size_t)((stop != NULL ? stop : end) - data)};
        if (stop == NULL) break;
        data = stop + 1;
    }
    return count;
}

/* The canonical package is a fixed point. */
static void check_canonical(const sbl_schema *schema)
{
    sbl_schema *again;
    char *canonical = sbl_schema_json(schema);
    CHECK(canonical != NULL);
    CHECK(sbl_schema_parse(&again, canonical, strlen(canonical), "canonical", NULL) == SBL_OK);
    char *same = sbl_schema_json(again);
    CHECK(same != NULL && strcmp(canonical, same) == 0);
    sbl_free(canonical);
    sbl_free(same);
    sbl_schema_free(again);
}

static void fold(uint64_t *digest, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *digest = (*digest ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
}

/* Checks one person of a batch, and folds all of it but its tag, which is hashed with a key of the reading. */
static uint64_t digest_of(const sbl_records *batch, const sbl_facts *facts, size_t p)
{
    const sbl_events *e = &batch->events;
    const sbl_schema *schema = facts->schema;
    const size_t wide = facts->heads.numeric_count, codes = facts->heads.categorical_count;
    const uint32_t *starts = e->starts + p * schema->table_count;
    uint64_t digest = 0;
    for (size_t t = 0; t < schema->table_count; t++) {
        const sbl_linked_table *table = &schema->tables[t];
        CHECK(starts[t] <= starts[t + 1] && starts[t + 1] - starts[t] <= table->rows_per_unit);
        CHECK(t > 0 || starts[1] - starts[0] == 1);
        for (uint32_t r = starts[t]; r < starts[t + 1]; r++) {
            const size_t parents = t == 0 ? 1 : starts[table->parent + 1] - starts[table->parent];
            CHECK(e->parents[r] < parents && (r == starts[t] || e->parents[r] >= e->parents[r - 1]));
            for (size_t i = 0; i < wide; i++)
                CHECK(e->numeric[r * wide + i] >= 0 && e->numeric[r * wide + i] <= 1);
            fold(&digest, e->numeric + r * wide, wide * sizeof *e->numeric);
            fold(&digest, e->codes + r * codes, codes * sizeof *e->codes);
            fold(&digest, &e->parents[r], sizeof e->parents[r]);
        }
        fold(&digest, &t, sizeof t);
    }
    fold(&digest, batch->misfits + p * facts->columns, facts->columns);
    return digest;
}

/* SBL_NO_COLUMN: refused. */
static size_t read_persons(uint64_t *digests, sbl_source *source, const sbl_facts *facts)
{
    const sbl_records *batch;
    sbl_error err = {0};
    size_t count = 0;
    do {
        const sbl_status status = sbl_source_read(source, &batch, &err);
        if (status != SBL_OK) check_refusal(status, &err);
        if (status != SBL_OK) return SBL_NO_COLUMN;
        for (size_t p = 0; p < batch->rows; p++, count++)
            if (count < MOST_PERSONS) digests[count] = digest_of(batch, facts, p);
    } while (batch->rows > 0 || source->working);
    return count;
}

/* The persons of these tables, read twice. SBL_NO_COLUMN: refused. */
static size_t persons_of(uint64_t *digests, sbl_facts *facts, const piece *texts)
{
    const size_t count = facts->schema->table_count;
    uint64_t again[MOST_PERSONS];
    sbl_data *tables[MOST_TABLES] = {0}, *data = NULL;
    const char *names[MOST_TABLES];
    int files[MOST_TABLES];
    sbl_source *source = NULL;
    size_t persons = SBL_NO_COLUMN;
    sbl_error err = {0};
    sbl_status status = SBL_OK;
    for (size_t t = 0; t < count; t++) {
        char path[64];
        names[t] = facts->schema->tables[t].name;
        files[t] = open_memory_file(path, texts[t].data, texts[t].size);
        if (status == SBL_OK) status = sbl_data_open(&tables[t], path, NULL, &err);
    }
    if (status == SBL_OK) status = sbl_data_link(&data, tables, names, count, NULL, &err);
    if (status == SBL_OK) status = sbl_source_open(&source, data, facts, NULL, NULL, &err);
    if (status != SBL_OK) check_refusal(status, &err);
    if (status == SBL_OK) persons = read_persons(digests, source, facts);
    if (persons != SBL_NO_COLUMN) {
        CHECK(sbl_source_rewind(source, &err) == SBL_OK);
        CHECK(read_persons(again, source, facts) == persons);
        CHECK(memcmp(digests, again, (persons < MOST_PERSONS ? persons : MOST_PERSONS) * sizeof *again) == 0);
    }
    sbl_source_close(source);
    sbl_data_free(data);
    for (size_t t = 0; t < count; t++) {
        sbl_data_free(tables[t]);
        (void)close(files[t]);
    }
    return persons;
}

/* Without its last line, where lines are rows; false: they may be something else. */
static bool drop_last_row(piece *text)
{
    size_t size = text->size;
    if (size < 2 || memchr(text->data, '"', size) != NULL || memchr(text->data, '\r', size) != NULL ||
        memchr(text->data, '\0', size) != NULL || text->data[0] == 0x1f || text->data[size - 1] != '\n')
        return false;
    const uint8_t *last = memrchr(text->data, '\n', size - 1);
    if (last == NULL) return false;
    text->size = (size_t)(last + 1 - text->data);
    return true;
}

static void check_tables(sbl_facts *facts, piece *texts)
{
    uint64_t digests[MOST_PERSONS] = {0}, fewer[MOST_PERSONS] = {0};
    const size_t persons = persons_of(digests, facts, texts);
    if (persons == SBL_NO_COLUMN || persons > MOST_PERSONS || !drop_last_row(&texts[0])) return;
    const size_t left = persons_of(fewer, facts, texts);
    if (left == SBL_NO_COLUMN) return; /* no rows, or another way of writing is found */
    if (left + 1 != persons && left != persons) return;
    CHECK(memcmp(digests, fewer, left * sizeof *fewer) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    piece pieces[1 + MOST_TABLES] = {{0}};
    sbl_schema *schema;
    sbl_facts facts = {0};
    sbl_error err = {0};
    const size_t count = cut(pieces, 1 + MOST_TABLES, data, size);
    sbl_status status = sbl_schema_parse(&schema, (const char *)pieces[0].data, pieces[0].size, "dp", &err);
    if (status != SBL_OK) check_refusal(status, &err);
    if (status != SBL_OK) return 0;
    check_canonical(schema);
    const size_t tables = schema->table_count;
    if (tables == 0 || tables >= count) {
        sbl_schema_free(schema);
        return 0;
    }
    status = sbl_facts_of_table(&facts, schema, &err); /* takes the schema */
    if (status != SBL_OK) check_refusal(status, &err);
    if (status == SBL_OK) check_tables(&facts, pieces + 1);
    sbl_facts_clear(&facts);
    return 0;
}
