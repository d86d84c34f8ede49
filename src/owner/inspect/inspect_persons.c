/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the table once more and compares each row with the first row of its person and with the first row of
 * another person: a person's column hardly ever differs from the former and often from the latter. */
#include "owner/inspect/inspect_column.h"

#include <inttypes.h>
#include <math.h>

#include "base/alloc.h"
#include "base/text.h"
#include "owner/inspect/person_tally.h"
#include "records/rows/unit_id.h"

#define BATCH_ROWS 1024
#define MOST_CELLS 2000000 /* that are remembered, about */
#define MOST_COLUMNS 50    /* that are proposed as the person's */
#define LEAST_APART 20     /* rows that would differ by chance, and do not */
#define MOST_DIFFER 0.05   /* as often as from another person's, at most */
#define MOST_PERSONS 0.02  /* whose rows disagree */
#define LEAST_STEPS 20     /* from one row of a person to the next, with a change */
#define SURELY_RISES 0.99  /* of the steps, where a number is to be an order */
#define MOSTLY 0.9         /* of the steps, all of which rise or fall where a moment is to be an order */
#define BETTER 0.01        /* of the steps: the first of several columns is taken but for that */

static bool is_of_person(const sbl_person_column *column, const sbl_person_tally *tally)
{
    const double apart =
        column->mixed > 0 ? (double)column->apart / (double)column->mixed : 0.0; /* by chance */
    const double expected = apart * (double)tally->later;
    return expected >= LEAST_APART && (double)column->differ <= MOST_DIFFER * expected &&
           (double)column->persons <= MOST_PERSONS * (double)tally->index.count;
}

static sbl_status propose_person(sbl_schema_writer *writer, const sbl_person_tally *tally, size_t i,
                                 sbl_error *err)
{
    const char *name = tally->schema->columns[tally->followed[i]].name;
    sbl_text words = {0};
    sbl_text_printf(&words, "%s: ", name);
    if (tally->columns[i].persons == 0)
        sbl_text_printf(&words, "all rows of a person hold the same value");
    else
        sbl_text_printf(&words,
                        "differs between the rows of %" PRIu64
                        " of %zu persons: if it is the "
                        "person's, the first row counts",
                        tally->columns[i].persons, tally->index.count);
    return sbl_inspect_propose(
        writer, "per", &words,
        json_pack("{s:[{s:s, s:{s:s}}]}", "fields", "name", name, "semblance", "per", "unit"), err);
}

static double rises_of(const sbl_person_column *column)
{
    return (double)column->rises / (double)(column->rises + column->falls);
}

/* The file may have the latest row of a person first. */
static double one_way_of(const sbl_person_column *column)
{
    return fmax(rises_of(column), 1.0 - rises_of(column));
}

/* Does a column order the rows, if the file has evidence of it? Without: could a moment order them at all? */
static bool may_order(const sbl_person_tally *tally, size_t i, const bool *orders, bool evidence)
{
    const sbl_column *facts = &tally->schema->columns[tally->followed[i]];
    const sbl_person_column *column = &tally->columns[i];
    if (!orders[tally->followed[i]] || facts->missing_allowed || facts->log_transform ||
        column->rises + column->falls < LEAST_STEPS || is_of_person(column, tally))
        return false;
    if (facts->kind == SBL_COLUMN_NUMBER) return evidence && rises_of(column) >= SURELY_RISES;
    return !evidence || one_way_of(column) >= MOSTLY;
}

/* Dates and datetimes before numbers, then what rises or falls most often; column_count: none. */
static size_t find_order(const sbl_person_tally *tally, const bool *orders, bool evidence)
{
    size_t best = tally->column_count;
    double most = -1.0;
    for (size_t i = 0; i < tally->column_count; i++) {
        if (!may_order(tally, i, orders, evidence)) continue;
        const bool moment = tally->schema->columns[tally->followed[i]].kind != SBL_COLUMN_NUMBER;
        const double score = one_way_of(&tally->columns[i]) + (moment ? 1.0 : 0.0);
        if (best < tally->column_count && score <= most + BETTER) continue;
        best = i;
        most = score;
    }
    return best;
}

static sbl_status propose_order(sbl_schema_writer *writer, const sbl_person_tally *tally, size_t i,
                                sbl_error *err)
{
    const char *name = tally->schema->columns[tally->followed[i]].name;
    const double rises = rises_of(&tally->columns[i]);
    sbl_text words = {0};
    sbl_text_printf(&words,
                    "%s: may order the rows of a person; it %s in %.0f %% of the steps from one "
                    "to the next",
                    name, rises >= 0.5 ? "rises" : "falls", 100.0 * one_way_of(&tally->columns[i]));
    return sbl_inspect_propose(writer, "order", &words, json_pack("{s:{s:s}}", "semblance", "order", name),
                               err);
}

static void note_no_order(sbl_text *notes, const sbl_person_tally *tally, size_t i)
{
    sbl_text_printf(notes,
                    "%s: rises in %.0f %% of the steps from one row of a person to the next, so the rows "
                    "of the file are not in its order; set semblance.order if it orders them\n",
                    tally->schema->columns[tally->followed[i]].name, 100.0 * rises_of(&tally->columns[i]));
}

static sbl_status propose_all(sbl_schema_writer *writer, sbl_text *notes, const sbl_person_tally *tally,
                              const bool *orders, sbl_error *err)
{
    const size_t order = find_order(tally, orders, true);
    const size_t unordered = find_order(tally, orders, false);
    size_t count = 0;
    for (size_t i = 0; i < tally->column_count && count < MOST_COLUMNS; i++) {
        if (!is_of_person(&tally->columns[i], tally)) continue;
        SBL_CHECK(propose_person(writer, tally, i, err));
        count++;
    }
    if (order < tally->column_count) return propose_order(writer, tally, order, err);
    if (unordered < tally->column_count) note_no_order(notes, tally, unordered);
    return SBL_OK;
}

/* Persons are told apart by a hash whose key is public here: the same table gives the same schema. */
static sbl_status read_rows(sbl_person_tally *tally, const sbl_table *table, const sbl_schema *schema,
                            sbl_error *err)
{
    static const uint8_t key[SBL_SIPHASH_KEY_SIZE] = {0};
    const sbl_table_options reading = {.unit_key = key};
    sbl_rows *reader = NULL;
    sbl_batch *batch = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_rows_open(&reader, table, schema, &reading, err));
    SBL_TRY(sbl_batch_new(&batch, schema, BATCH_ROWS, err));
    do {
        SBL_TRY(sbl_rows_read(reader, batch, err));
        sbl_person_tally_take(tally, batch);
    } while (batch->rows > 0);
    if (tally->failed) status = sbl_no_memory(err, "persons");
done:
    sbl_batch_free(batch);
    sbl_rows_close(reader);
    return status;
}

/* The number of persons whose state stays within the limit if each had one row. */
static uint32_t share_of(uint64_t rows, size_t columns)
{
    const double share = (double)MOST_CELLS / ((double)rows * (double)columns);
    return share < 1.0 ? (uint32_t)(share * (double)UINT32_MAX) : UINT32_MAX;
}

sbl_status sbl_inspect_persons_propose(sbl_schema_writer *writer, sbl_text *notes, const sbl_table *table,
                                       const sbl_schema *schema, const bool *named, const bool *orders,
                                       uint64_t rows, sbl_error *err)
{
    sbl_person_tally tally = {0};
    bool *follow = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(follow, schema->column_count, "persons");
    for (size_t c = 0; c < schema->column_count; c++)
        follow[c] = !named[c] && schema->columns[c].kind != SBL_COLUMN_IGNORED;
    SBL_TRY(sbl_person_tally_begin(&tally, schema, follow, share_of(rows, schema->column_count), err));
    SBL_TRY(read_rows(&tally, table, schema, err));
    SBL_TRY(propose_all(writer, notes, &tally, orders, err));
done:
    sbl_person_tally_clear(&tally);
    sbl_free(follow);
    return status;
}
