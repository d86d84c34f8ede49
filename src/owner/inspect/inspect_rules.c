/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a table once more, with the schema that was found, and proposes the rules that its rows keep (rule_search.h). */
#include "owner/inspect/inspect_column.h"
#include "owner/inspect/rule_search.h"

#include "base/alloc.h"
#include "base/tag_table.h"
#include "records/rows/unit_id.h"

#define WHAT "constraints"
#define BATCH_ROWS 1024

/* The rows of a batch as the search has them. */
typedef struct reading {
    size_t columns;
    double *values;    /* (BATCH_ROWS, columns) */
    uint64_t *persons; /* (BATCH_ROWS) */
    uint64_t rows;     /* so far */
} reading;

static sbl_rule_block take_batch(reading *r, const sbl_batch *batch)
{
    for (size_t row = 0; row < batch->rows; row++) {
        const bool known = batch->units != NULL && !sbl_tag_is_nobody(batch->units[row]);
        r->persons[row] = known ? batch->units[row].low : sbl_rule_row_person(r->rows);
        r->rows++;
        for (size_t c = 0; c < r->columns; c++)
            r->values[row * r->columns + c] = sbl_rule_value(batch, c, row);
    }
    return (sbl_rule_block){r->values, r->persons, batch->rows};
}

/* Persons are distinguished by a hash whose key is public here: the same table gives the same schema. */
static sbl_status read_rows(sbl_rule_search *search, reading *r, const sbl_table *table,
                            const sbl_schema *schema, sbl_error *err)
{
    static const uint8_t key[SBL_SIPHASH_KEY_SIZE] = {0};
    const sbl_table_options persons = {.unit_key = key};
    sbl_rows *reader = NULL;
    sbl_batch *batch = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_rows_open(&reader, table, schema, schema->rows_per_unit > 0 ? &persons : NULL, err));
    SBL_TRY(sbl_batch_new(&batch, schema, BATCH_ROWS, err));
    SBL_TRY(sbl_batch_keep_faults(batch, err));
    do {
        SBL_TRY(sbl_rows_read(reader, batch, err));
        const sbl_rule_block block = take_batch(r, batch);
        if (block.rows > 0) SBL_TRY(sbl_rule_search_take(search, &block, err));
    } while (batch->rows > 0);
done:
    sbl_batch_free(batch);
    sbl_rows_close(reader);
    return status;
}

static sbl_status find_rules(sbl_found_rules *found, const sbl_table *table, const sbl_schema *schema,
                             const bool *named, sbl_error *err)
{
    reading r = {.columns = schema->column_count};
    sbl_rule_column *columns = NULL;
    sbl_rule_search *search = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(columns, r.columns, WHAT);
    SBL_ALLOC(r.values, r.columns * BATCH_ROWS, WHAT);
    SBL_ALLOC(r.persons, BATCH_ROWS, WHAT);
    for (size_t c = 0; c < r.columns; c++)
        columns[c] = (sbl_rule_column){&schema->columns[c], NULL, !named[c]};
    const sbl_rule_view view = {columns, r.columns};
    SBL_TRY(sbl_rule_search_new(&search, &view, err));
    SBL_TRY(read_rows(search, &r, table, schema, err));
    SBL_TRY(sbl_rule_search_finish(found, search, err));
done:
    sbl_rule_search_free(search);
    sbl_free_wiped(r.values, r.columns * BATCH_ROWS * sizeof *r.values);
    sbl_free_wiped(r.persons, BATCH_ROWS * sizeof *r.persons);
    sbl_free(columns);
    return status;
}

sbl_status sbl_inspect_rules_propose(sbl_schema_writer *writer, const sbl_table *table,
                                     const sbl_schema *schema, const bool *named, sbl_error *err)
{
    sbl_found_rules found = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(find_rules(&found, table, schema, named, err));
    sbl_found_rules_choose(&found);
    for (size_t i = 0; i < found.count; i++) {
        sbl_text words = {0};
        sbl_text_printf(&words, "%s", found.items[i].words);
        SBL_TRY(sbl_inspect_propose(
            writer, "constraint", &words,
            json_pack("{s:{s:O}}", "semblance", "constraints", found.items[i].constraints), err));
    }
done:
    sbl_found_rules_clear(&found);
    return status;
}
