/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the rows of a linked table and of the tables above it, and counts those that hold each rule. NOT PRIVATE. */
#include <string.h>

#include "base/alloc.h"
#include "owner/evaluate/rule_shares.h"
#include "public/rows/codec.h"
#include "public/rules/rules.h"

#define BATCH_ROWS 1024
#define WHAT "an evaluation"

/* The rows of one table as numbers. */
typedef struct decoded {
    double *rows; /* (count, columns) */
    size_t count, columns;
} decoded;

static void clear(decoded *table)
{
    sbl_free_wiped(table->rows, table->count * table->columns * sizeof *table->rows);
    *table = (decoded){0};
}

static sbl_status decode(decoded *table, const sbl_linked_view *view, const sbl_frame *frame, sbl_error *err)
{
    const sbl_heads *heads = &view->codec.heads;
    sbl_batch *batch = NULL;
    sbl_status status = SBL_OK;
    *table = (decoded){.count = frame->rows, .columns = view->own.column_count};
    SBL_ALLOC(table->rows, frame->rows * table->columns + 1, WHAT);
    SBL_TRY(sbl_batch_new(&batch, &view->own, BATCH_ROWS, err));
    for (size_t first = 0; first < frame->rows; first += BATCH_ROWS) {
        const size_t left = frame->rows - first;
        SBL_TRY(sbl_codec_decode(&view->codec, batch, frame->numeric + first * heads->numeric_count,
                                 frame->codes + first * heads->categorical_count,
                                 left < BATCH_ROWS ? left : BATCH_ROWS, err));
        sbl_rows_of_batch(table->rows + first * table->columns, batch);
    }
done:
    sbl_batch_free(batch);
    return status;
}

/* The counted rows of a table: those with a row above them, up to the root. */
typedef struct counting {
    const sbl_rules *rules;
    uint64_t *held; /* (rules) */
    uint64_t rows;
    double *row; /* (columns of the rules) */
} counting;

/* Row r of table t with those above it; false: an orphan. */
static bool join(double *row, const decoded *tables, const sbl_linked_plan *plan, const sbl_linked_set *set,
                 size_t t, size_t r, size_t columns)
{
    for (size_t at = 0; at < columns; t = plan->schema->tables[t].parent) {
        memcpy(row + at, tables[t].rows + r * tables[t].columns, tables[t].columns * sizeof *row);
        at += tables[t].columns;
        if (at == columns) break;
        if (set->tables[t].parents[r] == SBL_NO_PARENT) return false;
        r = set->tables[t].parents[r];
    }
    return true;
}

static sbl_status count_set(counting *c, const sbl_linked_plan *plan, const sbl_linked_set *set, size_t table,
                            sbl_error *err)
{
    const size_t columns = sbl_rules_columns(c->rules);
    decoded tables[SBL_MOST_TABLES] = {0};
    sbl_status status = SBL_OK;
    memset(c->held, 0, sbl_rules_count(c->rules) * sizeof *c->held);
    c->rows = 0;
    for (size_t t = table, at = 0; at < columns; at += tables[t].columns, t = plan->schema->tables[t].parent)
        SBL_TRY(decode(&tables[t], &plan->views[t], &set->tables[t].frame, err));
    for (size_t r = 0; r < tables[table].count; r++) {
        if (!join(c->row, tables, plan, set, table, r, columns)) continue;
        c->rows++;
        for (size_t i = 0; i < sbl_rules_count(c->rules); i++)
            c->held[i] += sbl_rules_holds(c->rules, i, c->row);
    }
done:
    for (size_t t = 0; t < SBL_MOST_TABLES; t++) clear(&tables[t]);
    return status;
}

static json_t *add_shares(json_t *list, const char *name, const counting *c, bool there)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const bool known = there && c->rows > 0;
        json_t *share = known ? json_real((double)c->held[i] / (double)c->rows) : json_null();
        if (json_object_set_new(json_array_get(list, i), name, share) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

sbl_status sbl_measure_linked_constraints(json_t **part, const sbl_linked_plan *plan,
                                          const sbl_linked_set *const *sets, const char *const *names,
                                          size_t count, size_t table, sbl_error *err)
{
    sbl_rules *rules = NULL;
    counting c = {0};
    json_t *list = json_array();
    sbl_status status = SBL_OK;
    *part = NULL;
    SBL_TRY(sbl_rules_new_linked(&rules, plan->schema->tables[table].schema, plan->schema, table, err));
    if (rules != NULL) {
        c.rules = rules;
        SBL_ALLOC(c.held, sbl_rules_count(rules), WHAT);
        SBL_ALLOC(c.row, sbl_rules_columns(rules), WHAT);
    }
    for (size_t i = 0; i < sbl_rules_count(rules); i++)
        list = sbl_json_append(list, json_pack("{s:s}", "rule", sbl_rules_text(rules, i)));
    for (size_t i = 0; rules != NULL && i < count; i++) {
        if (sets[i] != NULL) SBL_TRY(count_set(&c, plan, sets[i], table, err));
        list = list != NULL ? add_shares(list, names[i], &c, sets[i] != NULL) : NULL;
    }
    if (list == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
    *part = list;
    list = NULL;
done:
    json_decref(list);
    sbl_free_wiped(c.held, sbl_rules_count(rules) * sizeof *c.held);
    if (rules != NULL) sbl_free_wiped(c.row, sbl_rules_columns(rules) * sizeof *c.row);
    sbl_rules_free(rules);
    return status;
}
