/* SPDX-License-Identifier: Apache-2.0 */
/* A table as a sink: decoded by its schema, and written as CSV, Parquet or a file of statistics, or given away as typed rows. */
#include <math.h>
#include <string.h>

#include "after/sinks/parquet_table.h"
#include "after/sinks/row_memory.h"
#include "after/sinks/sink.h"
#include "after/sinks/statistics_table.h"
#include "after/sinks/writer.h"
#include "after/synthetic_ids/synthetic_ids.h"
#include "base/alloc.h"
#include "base/file.h"
#include "public/rows/codec.h"
#include "public/rules/rules.h"

#define CHUNK_ROWS 4096
#define MOST_CELLS ((size_t)1 << 23) /* of rows that are mended; a schema has fewer columns */

/* ---- whose row a synthetic row is ---- */

/* 2^64 over the golden ratio: the fractions i times this, modulo 1, of any number of persons i lie as
 * evenly as can be, so that the shares are met more closely than by drawing. */
#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

/* Persons 1, 2, 3, ... with numbers of rows as often as the noisy histogram of a release says. Public: no
 * real id is ever seen here. */
typedef struct person_ids {
    uint64_t *ends; /* (count): 2^64 times the share of persons with at most 1, 2, ... rows */
    size_t count;
    uint64_t person; /* the last one that was begun; 0: none */
    uint64_t left;   /* of its rows */
} person_ids;

/* shares (count): of the persons with 1, 2, ... rows; nonnegative, sum 1. NULL: all have one. */
static sbl_status person_ids_init(person_ids *ids, const double *shares, size_t count, sbl_error *err)
{
    double below = 0.0;
    sbl_status status = SBL_OK;
    *ids = (person_ids){.count = shares != NULL ? count : 1};
    SBL_ALLOC(ids->ends, ids->count, "a few rows");
    for (size_t j = 0; j < ids->count; j++) {
        below += shares != NULL ? shares[j] : 1.0;
        ids->ends[j] = below < 1.0 ? (uint64_t)ldexp(below, 64) : UINT64_MAX;
    }
    ids->ends[ids->count - 1] = UINT64_MAX;
done:
    return status;
}

static void person_ids_clear(person_ids *ids)
{
    sbl_free(ids->ends);
    *ids = (person_ids){0};
}

/* Of the next row. The rows of a person follow each other. */
static uint64_t person_ids_next(person_ids *ids)
{
    if (ids->left == 0) {
        const uint64_t at = ++ids->person * GOLDEN;
        size_t j = 0;
        while (j + 1 < ids->count && at >= ids->ends[j]) j++;
        ids->left = j + 1;
    }
    ids->left--;
    return ids->person;
}

/* ---- rows ---- */

typedef struct table_sink {
    sbl_codec codec;
    sbl_table_writer *writer;         /* NULL: rows are given away */
    sbl_parquet_table *parquet;       /* what the writer's file becomes; NULL: it is CSV */
    sbl_statistics_table *statistics; /* NULL: the output is not a file of SPSS or Stata */
    sbl_take_rows take;
    void *context; /* of take */
    sbl_batch *rows;
    person_ids ids;
    double *base;     /* with constraints: (capacity of rows, columns), as they were drawn */
    double *full;     /* the same as they are written */
    bool *left_out;   /* (capacity of rows): of whole persons, rows that mending ends them before */
    uint64_t seen;    /* rows so far, written or not */
    uint64_t written; /* rows before those that are being written */
    bool linked;      /* it is one of linked tables, and these are its keys */
    sbl_sink_links links;
    uint64_t *numbers, *parents; /* (capacity of rows): of the rows that are being written */
    sbl_row_memory memory;       /* where rows are remembered, and */
    double *own;                 /* (capacity of rows, columns): those that are being written */
} table_sink;

static const sbl_row_memory *above_of(const table_sink *table)
{
    return table->links.parent != NULL ? &((const table_sink *)table->links.parent->state)->memory : NULL;
}

/* persons: of the rows, where they were drawn as such, before any is left out; else NULL, and they are
 * dealt out to the rows that are kept, so that persons have the rows they should. */
static void number_persons(table_sink *table, const uint64_t *persons)
{
    sbl_unit_tag *units = table->rows->units;
    for (size_t row = 0; units != NULL && row < table->rows->rows; row++)
        units[row].low = persons != NULL ? persons[row] + 1 : person_ids_next(&table->ids);
}

/* Is the cell the person's, the same in all rows of one? The unit's id, what the schema says is,
 * and a fake but a free text; another id is the row's. */
static bool is_of_person(const sbl_schema *schema, size_t column)
{
    const sbl_column *facts = &schema->columns[column];
    return column == schema->unit || facts->per_unit ||
           (facts->made == SBL_SYNTHETIC_FAKE && strcmp(facts->made_as, "text") != 0);
}

/* The drawn sex that a made-up name is to fit; NULL: none is declared, or it is missing. */
static const char *sex_of(const sbl_batch *rows, const sbl_schema *schema, size_t column, size_t row)
{
    const char *name = schema->columns[column].made_sex;
    size_t c = 0;
    if (name == NULL) return NULL;
    while (c < schema->column_count && strcmp(schema->columns[c].name, name) != 0) c++;
    if (c == schema->column_count || rows->columns[c].codes == NULL) return NULL;
    const uint32_t code = rows->columns[c].codes[row];
    return code < schema->columns[c].categories.count ? schema->columns[c].categories.items[code] : NULL;
}

/* For linked tables. A foreign key is exactly the text of the key it names. A person's fakes follow the parent
 * row, so that the tables agree on its name. But each row of a table with its own key has fakes of its own. */
static void linked_cell(const sbl_sink *sink, sbl_text *cell, size_t column, size_t row)
{
    const table_sink *table = sink->state;
    const sbl_sink_links *links = &table->links;
    const sbl_schema *schema = sink->facts->declared;
    const bool of_parent =
        links->parent != NULL && links->key == SBL_NO_COLUMN && is_of_person(schema, column);
    if (column == links->parent_key)
        sbl_synthetic_cell(cell, links->parent->facts->declared, links->named, NULL, links->parent->seed,
                           table->parents[row]);
    else
        sbl_synthetic_cell(cell, schema, column, sex_of(table->rows, schema, column, row),
                           of_parent ? links->parent->seed : sink->seed,
                           of_parent ? table->parents[row] : table->numbers[row]);
}

/* Of the sink's schema and seed, and which row or which synthetic person it is. */
void sbl_sink_synthetic_cell(const sbl_sink *sink, sbl_text *cell, size_t column, uint64_t row)
{
    const table_sink *table = sink->state;
    const sbl_schema *schema = sink->facts->declared;
    if (table->linked) {
        linked_cell(sink, cell, column, (size_t)(row - table->written));
        return;
    }
    const bool of_person = table->rows->units != NULL && is_of_person(schema, column);
    sbl_synthetic_cell(cell, schema, column,
                       sex_of(table->rows, schema, column, (size_t)(row - table->written)), sink->seed,
                       of_person ? table->rows->units[row - table->written].low - 1 : row);
}

static void make_cell(void *context, sbl_text *cell, size_t column, uint64_t row)
{
    sbl_sink_synthetic_cell(context, cell, column, row);
}

/* The base rows with the columns of the rows above them: the last row first, since they grow. */
static void look_above(const table_sink *table, size_t columns)
{
    const sbl_row_memory *above = above_of(table);
    const size_t own = table->rows->schema->column_count;
    for (size_t r = table->rows->rows; r-- > 0;) {
        const double *parent = sbl_row_memory_find(above, table->parents[r]);
        double *row = table->base + r * columns;
        memmove(row, table->base + r * own, own * sizeof *row);
        for (size_t c = own; c < columns; c++) row[c] = parent != NULL ? parent[c - own] : (double)NAN;
    }
}

/* The mended rows without them. */
static void leave_own(const table_sink *table, size_t columns)
{
    const size_t own = table->rows->schema->column_count;
    for (size_t r = 0; r < table->rows->rows; r++)
        memmove(table->full + r * own, table->full + r * columns, own * sizeof *table->full);
}

/* What is computed is computed, and rows that break a constraint are mended. persons: whose each is, where they
 * were drawn as such; else NULL. */
static sbl_status keep_rules(const sbl_sink *sink, const uint64_t *persons, sbl_error *err)
{
    table_sink *table = sink->state;
    const sbl_facts *facts = sink->facts;
    const bool fixed = sink->wanted != SBL_NO_COLUMN;
    const sbl_repair how = {.seed = sink->seed,
                            .first = table->seen,
                            .column = fixed ? facts->declared->label : SBL_NO_COLUMN,
                            .code = fixed ? (uint32_t)sink->wanted : 0,
                            .all_stay = table->linked};
    if (facts->rules == NULL) return SBL_OK;
    sbl_rows_of_batch(table->base, table->rows);
    const size_t rows = table->rows->rows;
    if (sbl_rules_look_above(facts->rules)) look_above(table, sbl_rules_columns(facts->rules));
    const sbl_status status = persons != NULL
                                  ? sbl_rules_repair_persons(facts->rules, table->base, table->full, rows,
                                                             persons, &how, table->left_out, err)
                                  : sbl_rules_repair(facts->rules, table->base, table->full, rows, &how, err);
    if (sbl_rules_look_above(facts->rules)) leave_own(table, sbl_rules_columns(facts->rules));
    if (status == SBL_OK) sbl_batch_of_rows(table->rows, table->full);
    return status;
}

/* Rows that cannot hold beside those above them are not written, nor are those below them. The others are
 * remembered for the rows below. */
static sbl_status remember(table_sink *table, sbl_error *err)
{
    const sbl_row_memory *above = above_of(table);
    const size_t rows = table->rows->rows, columns = table->rows->schema->column_count;
    size_t kept = 0;
    if (table->own == NULL) return SBL_OK;
    sbl_rows_of_batch(table->own, table->rows);
    for (size_t r = 0; r < rows; r++) {
        const double *parent = above != NULL ? sbl_row_memory_find(above, table->parents[r]) : NULL;
        table->left_out[r] =
            table->left_out[r] || (above != NULL && sbl_row_memory_left_out(above, table->parents[r]));
        SBL_CHECK(sbl_row_memory_add(&table->memory, table->own + r * columns, columns, parent,
                                     table->left_out[r], err));
        table->numbers[kept] = table->numbers[r];
        table->parents[kept] = table->parents[r];
        kept += table->left_out[r] ? 0 : 1;
    }
    sbl_rows_leave_out(table->rows, table->left_out);
    memset(table->left_out, 0, rows * sizeof *table->left_out);
    return SBL_OK;
}

/* As many rows as are taken at once, a person's together. */
static size_t chunk_of(const table_sink *table, const sbl_drawn *records, size_t first, size_t left)
{
    const size_t most = table->rows->capacity;
    if (records->persons != NULL) return sbl_whole_persons(records->persons + first, left, most);
    return left < most ? left : most;
}

/* Leave out what is not wanted. */
static void keep_wanted(sbl_sink *sink, bool persons)
{
    sbl_batch *rows = ((table_sink *)sink->state)->rows;
    if (!persons && sink->condition_count == 0) return;
    if (persons)
        sink->persons +=
            sbl_conditions_keep_persons(rows, sink->conditions, sink->condition_count,
                                        sink->most - sink->written, sink->most_persons - sink->persons);
    else
        sbl_conditions_keep(rows, sink->conditions, sink->condition_count, sink->most - sink->written);
    sink->written += rows->rows;
}

static sbl_status give_rows(const sbl_sink *sink, sbl_error *err)
{
    table_sink *table = sink->state;
    if (table->take != NULL) return table->take(table->context, table->rows, table->written, err);
    if (table->parquet != NULL)
        return sbl_parquet_table_write(table->parquet, table->rows, table->written, sink, err);
    return table->statistics != NULL ? sbl_statistics_table_write(table->statistics, table->rows, err)
                                     : sbl_table_write(table->writer, table->rows, err);
}

static sbl_status write_rows(sbl_sink *sink, const sbl_drawn *records, size_t rows, sbl_error *err)
{
    table_sink *table = sink->state;
    const sbl_heads *heads = &table->codec.heads;
    for (size_t first = 0, count; first < rows; first += count) {
        const uint64_t *persons = records->persons != NULL ? records->persons + first : NULL;
        count = chunk_of(table, records, first, rows - first);
        SBL_CHECK(sbl_codec_decode(&table->codec, table->rows,
                                   records->numeric + first * heads->numeric_count,
                                   records->codes + first * heads->categorical_count, count, err));
        if (table->linked) {
            memcpy(table->numbers, records->numbers + first, count * sizeof *table->numbers);
            memcpy(table->parents, records->parents + first, count * sizeof *table->parents);
        }
        SBL_CHECK(keep_rules(sink, persons, err));
        if (persons != NULL) number_persons(table, persons);
        if (persons != NULL && sink->facts->rules != NULL && !table->linked)
            sbl_rows_leave_out(table->rows, table->left_out);
        SBL_CHECK(remember(table, err));
        keep_wanted(sink, persons != NULL);
        if (persons == NULL) number_persons(table, NULL);
        SBL_CHECK(give_rows(sink, err));
        table->seen += count;
        table->written += table->rows->rows;
    }
    return SBL_OK;
}

static sbl_status finish_table(sbl_sink *sink, sbl_error *err)
{
    table_sink *table = sink->state;
    sbl_table_writer *writer = table->writer;
    table->writer = NULL;
    if (table->statistics != NULL) return sbl_statistics_table_finish(table->statistics, err);
    if (table->parquet != NULL) return sbl_parquet_table_finish(table->parquet, err);
    return writer != NULL ? sbl_table_finish(writer, err) : SBL_OK;
}

sbl_status sbl_sink_set_links(sbl_sink *sink, const sbl_sink_links *links, sbl_error *err)
{
    table_sink *table = sink->state;
    const size_t columns = sink->facts->declared->column_count, rows = table->rows->capacity;
    sbl_status status = SBL_OK;
    table->linked = true;
    table->links = *links;
    SBL_ALLOC(table->numbers, rows, "a few rows");
    SBL_ALLOC(table->parents, rows, "a few rows");
    if (!links->remembers) goto done;
    SBL_ALLOC(table->own, rows * columns, "a few rows");
    if (table->left_out == NULL) SBL_ALLOC(table->left_out, rows, "a few rows");
    table->memory.width = columns + (links->parent != NULL ? above_of(table)->width : 0);
done:
    return status;
}

void sbl_sink_forget(sbl_sink *sink) { sbl_row_memory_forget(&((table_sink *)sink->state)->memory); }

sbl_status sbl_sink_hand_over(sbl_sink *sink, sbl_pending_file *file, sbl_error *err)
{
    table_sink *table = sink->state;
    sbl_table_writer *writer = table->writer;
    table->writer = NULL;
    return sbl_table_hand_over(writer, file, err);
}

static void close_table(sbl_sink *sink)
{
    table_sink *table = sink->state;
    if (table == NULL) return;
    sbl_table_abandon(table->writer);
    sbl_parquet_table_free(table->parquet);
    sbl_statistics_table_free(table->statistics);
    sbl_batch_free(table->rows);
    person_ids_clear(&table->ids);
    sbl_free(table->base);
    sbl_free(table->full);
    sbl_free(table->left_out);
    sbl_free(table->numbers);
    sbl_free(table->parents);
    sbl_free(table->own);
    sbl_row_memory_clear(&table->memory);
    sbl_codec_clear(&table->codec);
    sbl_free(table);
}

/* Rows that are mended take from each other: many at a time, unless they are very wide. */
static sbl_status make_buffers(table_sink *table, const sbl_facts *facts, sbl_error *err)
{
    const size_t columns =
        facts->rules != NULL ? sbl_rules_columns(facts->rules) : facts->declared->column_count;
    const size_t person = (size_t)sbl_facts_rows_per_unit(facts); /* who is whole in a chunk */
    const size_t most = MOST_CELLS / columns > person ? MOST_CELLS / columns : person;
    const size_t chunk = facts->rules == NULL || most > CHUNK_ROWS ? CHUNK_ROWS : most;
    sbl_status status = SBL_OK;
    if (facts->rules != NULL) {
        SBL_ALLOC(table->base, chunk * columns, "a few rows");
        SBL_ALLOC(table->full, chunk * columns, "a few rows");
        SBL_ALLOC(table->left_out, chunk, "a few rows");
    }
    SBL_TRY(sbl_batch_new(&table->rows, facts->declared, chunk, err));
done:
    return status;
}

static const sbl_sink_kind table_kind = {write_rows, finish_table, close_table};

sbl_status sbl_sink_check_table(const char *path, const char *engine, const sbl_schema *schema,
                                sbl_error *err)
{
    if (sbl_path_is_parquet_file(path)) return sbl_parquet_table_check(path, engine, schema, err);
    return sbl_path_statistics(path) != SBL_STATISTICS_NONE ? sbl_statistics_table_check(path, schema, err)
                                                            : sbl_table_check_name(path, err);
}

sbl_status sbl_sink_check_folder(const char *path, sbl_error *err)
{
    if (path == NULL || (!sbl_path_is_parquet_file(path) && sbl_path_statistics(path) == SBL_STATISTICS_NONE))
        return SBL_OK;
    return sbl_fail(
        err, SBL_EARG,
        "%s: only a single table can be written as such a file; name a folder for images and linked tables",
        path);
}

static sbl_status open_writer(table_sink *table, const char *path, const char *engine,
                              const sbl_schema *schema, sbl_table_write_options options, sbl_error *err)
{
    if (sbl_path_statistics(path) != SBL_STATISTICS_NONE)
        return sbl_statistics_table_new(&table->statistics, path, schema, options, err);
    if (sbl_path_is_parquet_file(path))
        return sbl_parquet_table_new(&table->parquet, path, engine, schema, options.overwrite, err);
    return sbl_table_create(&table->writer, path, schema, options, err);
}

/* path NULL: rows are given away. */
static sbl_status open_table(sbl_sink **sink, const char *path, const char *engine, sbl_take_rows take,
                             void *context, const sbl_facts *facts, bool overwrite, sbl_error *err)
{
    table_sink *table = NULL;
    sbl_sink *made = NULL;
    sbl_status status = SBL_OK;
    *sink = NULL;
    SBL_TRY(sbl_sink_new(&made, &table_kind, sizeof *table, facts, err));
    table = made->state;
    table->take = take;
    table->context = context;
    const sbl_table_write_options options = {.overwrite = overwrite, .make = make_cell, .context = made};
    SBL_TRY(person_ids_init(&table->ids, NULL, 0, err));
    SBL_TRY(sbl_codec_init(&table->codec, facts->schema, err));
    SBL_TRY(make_buffers(table, facts, err));
    if (path != NULL) SBL_TRY(open_writer(table, path, engine, facts->declared, options, err));
    *sink = made;
    made = NULL;
done:
    sbl_sink_close(made);
    return status;
}

sbl_status sbl_sink_open_table(sbl_sink **sink, const char *path, const char *engine, const sbl_facts *facts,
                               bool overwrite, sbl_error *err)
{
    return open_table(sink, path, engine, NULL, NULL, facts, overwrite, err);
}

sbl_status sbl_sink_open_rows(sbl_sink **sink, const sbl_facts *facts, sbl_take_rows take, void *context,
                              sbl_error *err)
{
    return open_table(sink, NULL, NULL, take, context, facts, false, err);
}

sbl_status sbl_sink_set_persons(sbl_sink *sink, const double *shares, sbl_error *err)
{
    const uint64_t rows = sbl_facts_rows_per_unit(sink->facts);
    if (shares == NULL || rows == 0) return SBL_OK;
    table_sink *table = sink->state;
    person_ids_clear(&table->ids);
    return person_ids_init(&table->ids, shares, rows, err);
}

/* ---- any sink ---- */

sbl_status sbl_sink_new(sbl_sink **sink, const sbl_sink_kind *kind, size_t size, const sbl_facts *facts,
                        sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(*sink, 1, "a few records");
    **sink = (sbl_sink){.kind = kind, .facts = facts, .wanted = SBL_NO_COLUMN};
    (*sink)->state = sbl_alloc_array(size, 1);
    if ((*sink)->state == NULL) status = sbl_no_memory(err, "a few records");
done:
    return status;
}

sbl_status sbl_sink_write(sbl_sink *sink, const sbl_drawn *records, size_t rows, sbl_error *err)
{
    return sink->kind->write(sink, records, rows, err);
}

sbl_status sbl_sink_finish(sbl_sink *sink, sbl_error *err) { return sink->kind->finish(sink, err); }

void sbl_sink_close(sbl_sink *sink)
{
    if (sink == NULL) return;
    sink->kind->close(sink);
    sbl_free(sink);
}
