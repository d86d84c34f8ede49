/* SPDX-License-Identifier: Apache-2.0 */
/* Records that a model draws, put together as they would be read: rows, persons with all their rows, or rows of
 * linked tables by person and table. */
#include "run/pipeline/synthetic_records.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"

#define MOST_ROWS 100000
#define ENDLESS ((uint64_t)1 << 55) /* whole persons, whose number of rows is not known in advance */

/* Rows in memory; record i is rows firsts[i] .. firsts[i + 1] - 1. */
typedef struct row_list {
    sbl_drawn rows;
    size_t *firsts;             /* (count + 1) */
    uint32_t *starts, *parents; /* of linked tables (sbl_events) */
} row_list;

struct sbl_synthetic_records {
    const sbl_facts *facts;
    bool whole, linked;
    size_t count; /* records */
    double real;
    row_list table, again;
    sbl_pool pool;
};

void sbl_synthetic_records_free(sbl_synthetic_records *records)
{
    if (records == NULL) return;
    sbl_drawn_clear(&records->table.rows, records->facts);
    sbl_drawn_clear(&records->again.rows, records->facts);
    sbl_free(records->again.starts);
    sbl_free(records->again.parents);
    sbl_pool_clear(&records->pool);
    sbl_free(records);
}

double sbl_synthetic_records_count(const sbl_synthetic_records *records) { return (double)records->count; }

double sbl_synthetic_records_real(const sbl_synthetic_records *records) { return records->real; }

/* ---- the table ---- */

static sbl_status hold(row_list *list, const sbl_synthetic_records *records, size_t rows, sbl_error *err)
{
    sbl_drawn_clear(&list->rows, records->facts);
    SBL_CHECK(sbl_drawn_make(&list->rows, records->facts, rows, true, err));
    if (records->whole) SBL_CHECK(sbl_drawn_keep_persons(&list->rows, err));
    if (records->linked) SBL_CHECK(sbl_drawn_keep_links(&list->rows, err));
    return SBL_OK;
}

/* Where each record begins. The last person may lack rows: it is left out unless it is the only one. */
static sbl_status find_records(sbl_synthetic_records *records, size_t rows, sbl_error *err)
{
    const uint64_t *persons = records->table.rows.persons;
    sbl_status status = SBL_OK;
    size_t *firsts;
    SBL_POOL(&records->pool, firsts, rows + 1, 1, "a posterior");
    records->table.firsts = firsts;
    for (size_t r = 0; r < rows; r++)
        if (!records->whole || r == 0 || persons[r] != persons[r - 1]) firsts[records->count++] = r;
    firsts[records->count] = rows;
    if (records->whole && records->count > 1) records->count--;
done:
    return status;
}

static sbl_status draw_table(sbl_synthetic_records *records, sbl_model *model, uint64_t seed, sbl_error *err)
{
    const double wanted = fmax(1, rint(model->rows));
    const size_t rows = records->whole ? MOST_ROWS : (size_t)fmin(wanted, MOST_ROWS);
    SBL_CHECK(hold(&records->table, records, rows, err));
    model->asked = records->whole ? ENDLESS : rows;
    model->fixed = NULL;
    model->fixed_count = 0;
    SBL_CHECK(sbl_model_seed(model, seed, err));
    SBL_CHECK(sbl_model_draw(model, &records->table.rows, 0, rows, SBL_ANY_CLASS, err));
    SBL_CHECK(find_records(records, rows, err));
    const double each = (double)records->table.firsts[records->count] / (double)records->count;
    records->real = records->linked || !records->whole ? wanted : fmax(1, wanted / each);
    return SBL_OK;
}

/* ---- drawn again ---- */

/* Spread as hashes are. */
static sbl_unit_tag tag_of(uint64_t person)
{
    return (sbl_unit_tag){.low = (person + 1) * UINT64_C(0x9E3779B97F4A7C15)};
}

/* Rows first .. end - 1 of the table behind the last `at` of the others, as person number `person`. */
static void copy_rows(sbl_synthetic_records *records, size_t at, size_t first, size_t end, uint64_t person)
{
    const size_t numeric = records->facts->heads.numeric_count;
    const size_t codes = records->facts->heads.categorical_count, rows = end - first;
    const sbl_drawn *from = &records->table.rows;
    sbl_drawn *to = &records->again.rows;
    memcpy(to->numeric + at * numeric, from->numeric + first * numeric, rows * numeric * sizeof *to->numeric);
    memcpy(to->codes + at * codes, from->codes + first * codes, rows * codes * sizeof *to->codes);
    for (size_t r = 0; r < rows; r++) {
        if (to->labels != NULL)
            to->labels[at + r] = from->codes[(first + r) * codes + records->facts->label_column];
        if (to->units != NULL) to->units[at + r] = tag_of(person);
        if (to->persons != NULL) to->persons[at + r] = person;
        if (!records->linked) continue;
        to->tables[at + r] = from->tables[first + r];
        to->numbers[at + r] = from->numbers[first + r];
        to->parents[at + r] = from->parents[first + r];
    }
}

static sbl_status copy_records(sbl_synthetic_records *records, const size_t *picked, sbl_error *err)
{
    const size_t *firsts = records->table.firsts;
    size_t rows = 0, at = 0;
    for (size_t i = 0; i < records->count; i++) rows += firsts[picked[i] + 1] - firsts[picked[i]];
    if (rows > records->again.rows.rows) SBL_CHECK(hold(&records->again, records, rows, err));
    for (size_t i = 0; i < records->count; i++) {
        const size_t first = firsts[picked[i]], end = firsts[picked[i] + 1];
        copy_rows(records, at, first, end, i);
        records->again.firsts[i] = at;
        at += end - first;
    }
    records->again.firsts[records->count] = at;
    return SBL_OK;
}

/* Of linked tables: where each person's rows of each table begin, and the parents of its rows, counted within the
 * person. Rows of a person are in the order of their tables. */
static sbl_status link_rows(sbl_synthetic_records *records, sbl_error *err)
{
    const size_t tables = sbl_events_tables(records->facts), count = records->count;
    const sbl_schema *schema = records->facts->declared;
    row_list *list = &records->again;
    const sbl_drawn *rows = &list->rows;
    const size_t all = list->firsts[count];
    sbl_status status = SBL_OK;
    SBL_RESIZE(list->starts, count * tables + 1, "a posterior");
    SBL_RESIZE(list->parents, all, "a posterior");
    for (size_t p = 0; p < count; p++) {
        size_t r = list->firsts[p];
        for (size_t t = 0; t < tables; t++) {
            list->starts[p * tables + t] = (uint32_t)r;
            for (; r < list->firsts[p + 1] && rows->tables[r] == t; r++) {
                const size_t from = list->starts[p * tables + (t > 0 ? schema->tables[t].parent : 0)];
                list->parents[r] = t > 0 ? (uint32_t)(rows->parents[r] - rows->numbers[from]) : 0;
            }
        }
    }
    list->starts[count * tables] = (uint32_t)all;
    for (size_t p = 0; list->rows.units != NULL && p < count; p++) list->rows.units[p] = tag_of(p);
done:
    return status;
}

static sbl_status take_records(sbl_synthetic_records *records, const size_t *picked, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (records->again.firsts == NULL)
        SBL_POOL(&records->pool, records->again.firsts, records->count + 1, 1, "a posterior");
    SBL_TRY(copy_records(records, picked, err));
    if (records->linked) SBL_TRY(link_rows(records, err));
done:
    return status;
}

static sbl_status pick(sbl_synthetic_records *records, sbl_model_rng *rng, sbl_error *err)
{
    size_t *picked = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(picked, records->count, "a posterior");
    for (size_t i = 0; i < records->count; i++)
        picked[i] = rng != NULL ? (size_t)sbl_model_rng_below(rng, records->count) : i;
    SBL_TRY(take_records(records, picked, err));
done:
    sbl_free(picked);
    return status;
}

sbl_status sbl_synthetic_records_new(sbl_synthetic_records **records, const sbl_rounds *rounds,
                                     sbl_model *model, uint64_t seed, sbl_error *err)
{
    sbl_synthetic_records *made = NULL;
    sbl_status status = SBL_OK;
    *records = NULL;
    SBL_ALLOC(made, 1, "a posterior");
    made->facts = rounds->facts;
    made->whole = rounds->method->whole_units;
    made->linked = rounds->facts->table_facts != NULL;
    SBL_TRY(draw_table(made, model, seed, err));
    SBL_TRY(pick(made, NULL, err));
    *records = made;
    made = NULL;
done:
    sbl_synthetic_records_free(made);
    return status;
}

sbl_status sbl_synthetic_records_again(sbl_synthetic_records *records, uint64_t seed, uint64_t stream,
                                       sbl_error *err)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_REPLICATES, stream);
    return pick(records, &rng, err);
}

/* ---- as they would be read ---- */

#define NAME "synthetic records"

static sbl_status open_linked(sbl_source **source, const sbl_synthetic_records *records, sbl_error *err)
{
    const row_list *list = &records->again;
    const sbl_records persons = {.units = list->rows.units,
                                 .misfits = list->rows.misfits,
                                 .events = {.numeric = list->rows.numeric,
                                            .codes = list->rows.codes,
                                            .starts = list->starts,
                                            .parents = list->parents},
                                 .rows = records->count};
    return sbl_source_open_memory(source, &persons, NAME, records->facts, err);
}

sbl_status sbl_synthetic_records_open(sbl_source **source, const sbl_synthetic_records *records,
                                      sbl_error *err)
{
    const row_list *list = &records->again;
    sbl_source *rows = NULL;
    *source = NULL;
    if (records->linked) return open_linked(source, records, err);
    const sbl_records all = sbl_drawn_records(&list->rows, records->facts, 0, list->firsts[records->count]);
    SBL_CHECK(sbl_source_open_memory(&rows, &all, NAME, records->facts, err));
    if (records->whole) return sbl_source_open_persons(source, rows, err);
    *source = rows;
    return SBL_OK;
}
