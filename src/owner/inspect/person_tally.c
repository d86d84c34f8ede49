/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers of each person the first and the last value of each column, as a fit would see them, and
 * counts as rows come. Memory grows with the number of persons that are followed. */
#include "owner/inspect/person_tally.h"

#include <inttypes.h>
#include <math.h>

#include "base/alloc.h"

#define FIRST_PERSONS 1024

typedef struct sbl_person_cell {
    double first, last; /* a number, or the code of a category; NaN: missing */
    bool differs;
} cell;

sbl_status sbl_person_tally_begin(sbl_person_tally *tally, const sbl_schema *schema, const bool *follow,
                                  uint32_t share, sbl_error *err)
{
    sbl_status status = SBL_OK;
    tally->schema = schema;
    tally->share = share;
    SBL_ALLOC(tally->followed, schema->column_count, "persons");
    SBL_ALLOC(tally->columns, schema->column_count, "persons");
    for (size_t c = 0; c < schema->column_count; c++)
        if (follow[c]) tally->followed[tally->column_count++] = c;
done:
    return status;
}

void sbl_person_tally_clear(sbl_person_tally *tally)
{
    sbl_tag_table_clear(&tally->index);
    sbl_free(tally->followed);
    sbl_free(tally->columns);
    sbl_free_wiped(tally->rows, tally->capacity * sizeof *tally->rows);
    sbl_free_wiped(tally->cells, tally->capacity * tally->column_count * sizeof *tally->cells);
    *tally = (sbl_person_tally){0};
}

/* Space for one more person. */
static bool grow(sbl_person_tally *tally)
{
    const size_t capacity = tally->capacity != 0 ? 2 * tally->capacity : FIRST_PERSONS;
    const size_t width = tally->column_count * sizeof *tally->cells;
    if (tally->index.count <= tally->capacity) return true;
    uint64_t *rows = sbl_resize_array(tally->rows, capacity, sizeof *rows);
    if (rows != NULL) tally->rows = rows;
    cell *cells = width > 0 ? sbl_resize_array(tally->cells, capacity, width) : NULL;
    if (cells != NULL) tally->cells = cells;
    if (rows == NULL || (width > 0 && cells == NULL)) return false;
    for (size_t i = tally->capacity; i < capacity; i++) rows[i] = 0;
    tally->capacity = capacity;
    return true;
}

static double value_of(const sbl_batch_column *column, size_t row)
{
    if (column->codes != NULL) return (double)column->codes[row];
    return column->missing != NULL && column->missing[row] != 0 ? (double)NAN : column->values[row];
}

static bool is_same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void take_later(sbl_person_column *column, cell *own, double value)
{
    const bool differs = !is_same(value, own->first);
    column->differ += differs;
    column->persons += differs && !own->differs;
    column->rises += value > own->last; /* neither of what is missing */
    column->falls += value < own->last;
    own->differs = own->differs || differs;
    own->last = value;
}

/* Some person before this row, by a hash of how many rows there were. */
static size_t pick(const sbl_person_tally *tally)
{
    const uint64_t mixed = (tally->later + 1) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)((mixed >> 32) % tally->index.count);
}

static void take_row(sbl_person_tally *tally, size_t person, const sbl_batch *batch, size_t row)
{
    const bool is_first = tally->rows[person]++ == 0;
    const size_t other = pick(tally);
    const size_t width = tally->column_count;
    tally->later += !is_first;
    for (size_t i = 0; i < width; i++) {
        cell *own = &tally->cells[person * width + i];
        sbl_person_column *column = &tally->columns[i];
        const double value = value_of(&batch->columns[tally->followed[i]], row);
        if (is_first)
            *own = (cell){.first = value, .last = value};
        else
            take_later(column, own, value);
        if (other == person) continue;
        column->mixed++;
        column->apart += !is_same(value, tally->cells[other * width + i].first);
    }
}

void sbl_person_tally_take(sbl_person_tally *tally, const sbl_batch *batch)
{
    for (size_t row = 0; row < batch->rows && !tally->failed; row++) {
        const sbl_unit_tag tag = batch->units[row];
        if (sbl_tag_is_nobody(tag)) {
            tally->nobody++;
            continue;
        }
        if ((uint32_t)(tag.high >> 32) > tally->share) continue;
        uint64_t *number = sbl_tag_table_at(&tally->index, tag);
        tally->failed = number == NULL || !grow(tally);
        if (tally->failed) return;
        if (*number == 0) *number = tally->index.count;
        take_row(tally, (size_t)*number - 1, batch, row);
    }
}

static const char *end_of(uint64_t count) { return count == 1 ? "" : "s"; }

/* "3 persons", "1 key of cases". */
static void put_units(sbl_text *text, uint64_t count, const char *keys_of)
{
    sbl_text_printf(text, "%" PRIu64 " %s%s%s%s", count, keys_of != NULL ? "key" : "person", end_of(count),
                    keys_of != NULL ? " of " : "", keys_of != NULL ? keys_of : "");
}

sbl_status sbl_person_tally_describe(sbl_text *text, const sbl_person_tally *tally, const char *keys_of,
                                     sbl_error *err)
{
    const uint64_t cap = tally->schema->rows_per_unit;
    uint64_t most = 0;
    uint64_t over = 0;
    uint64_t lost = 0;
    if (tally->failed) return sbl_no_memory(err, "persons");
    for (size_t i = 0; i < tally->index.count; i++) {
        const uint64_t rows = tally->rows[i];
        if (rows > most) most = rows;
        over += rows > cap;
        lost += rows > cap ? rows - cap : 0;
    }
    put_units(text, tally->index.count, keys_of);
    sbl_text_printf(text, " with at most %" PRIu64 " row%s\n", most, end_of(most));
    if (over > 0) {
        put_units(text, over, keys_of);
        sbl_text_printf(text, " with more than %" PRIu64 " row%s: of all theirs %" PRIu64 " do not count\n",
                        cap, end_of(cap), lost);
    }
    if (tally->nobody > 0)
        sbl_text_printf(text,
                        keys_of != NULL ? "%" PRIu64 " row%s without a key\n"
                                        : "%" PRIu64 " row%s without an id: each is a person of its own\n",
                        tally->nobody, end_of(tally->nobody));
    for (size_t i = 0; i < tally->column_count; i++)
        if (tally->columns[i].persons > 0)
            sbl_text_printf(
                text, "%s: differs between the rows of %" PRIu64 " person%s, of whom the first row counts\n",
                tally->schema->columns[tally->followed[i]].name, tally->columns[i].persons,
                end_of(tally->columns[i].persons));
    return SBL_OK;
}
