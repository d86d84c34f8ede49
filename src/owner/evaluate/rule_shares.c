/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes each frame back to rows, 1024 at a time, and counts those that hold each rule; where a rule looks at the
 * person's row before, the rows of each person in order. NOT PRIVATE. */
#include "owner/evaluate/rule_shares.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "owner/fidelity/person_events.h"
#include "public/rows/codec.h"
#include "public/rules/rules.h"

#define BATCH_ROWS 1024

typedef struct counting {
    const sbl_rules *rules;
    const sbl_codec *codec;
    sbl_batch *batch;
    double *rows;   /* (1 + BATCH_ROWS, columns): the last of the batch before, and those of this one */
    uint64_t *held; /* (rules) */
    sbl_view view;  /* where a rule looks back; else empty */
    sbl_history_columns columns;
} counting;

static size_t row_bytes(const counting *c)
{
    return (1 + BATCH_ROWS) * c->codec->schema->column_count * sizeof *c->rows;
}

static sbl_status begin(counting *c, const sbl_rules *rules, const sbl_codec *codec, sbl_error *err)
{
    *c = (counting){.rules = rules, .codec = codec};
    c->held = sbl_alloc_array(sbl_rules_count(rules), sizeof *c->held);
    c->rows = sbl_alloc_array(row_bytes(c), 1);
    if (c->held == NULL || c->rows == NULL) return sbl_no_memory(err, "an evaluation");
    if (sbl_rules_look_back(rules)) {
        SBL_CHECK(sbl_view_init(&c->view, codec, err));
        SBL_CHECK(sbl_history_columns_init(&c->columns, &c->view, codec->schema, err));
    }
    return sbl_batch_new(&c->batch, codec->schema, BATCH_ROWS, err);
}

static void end(counting *c)
{
    if (c->codec == NULL) return;
    sbl_free_wiped(c->rows, row_bytes(c));
    sbl_history_columns_clear(&c->columns);
    sbl_view_clear(&c->view);
    sbl_free_wiped(c->held, sbl_rules_count(c->rules) * sizeof *c->held);
    sbl_batch_free(c->batch);
}

/* follows: for each row, does the row before it in the batch belong to the same person? NULL: not needed. */
static void count_rows(counting *c, const bool *follows)
{
    const size_t columns = c->codec->schema->column_count;
    double *row = c->rows + columns;
    sbl_rows_of_batch(row, c->batch);
    for (size_t r = 0; r < c->batch->rows; r++, row += columns) {
        const double *before = follows != NULL && follows[r] ? row - columns : NULL;
        for (size_t i = 0; i < sbl_rules_count(c->rules); i++)
            c->held[i] += sbl_rules_holds_after(c->rules, i, row, before);
    }
    memcpy(c->rows, row - columns, columns * sizeof *row);
}

static sbl_status count_frame(counting *c, const sbl_frame *frame, sbl_error *err)
{
    const sbl_heads *heads = &c->codec->heads;
    for (size_t first = 0; first < frame->rows; first += BATCH_ROWS) {
        const size_t left = frame->rows - first;
        SBL_CHECK(sbl_codec_decode(c->codec, c->batch, frame->numeric + first * heads->numeric_count,
                                   frame->codes + first * heads->categorical_count,
                                   left < BATCH_ROWS ? left : BATCH_ROWS, err));
        count_rows(c, NULL);
    }
    return SBL_OK;
}

/* The same, each person's rows together and in order. */
static sbl_status count_persons(counting *c, const sbl_frame *frame, sbl_error *err)
{
    sbl_history_table table = {0};
    sbl_frame some = {0};
    bool follows[BATCH_ROWS];
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_history_table_init(&table, frame, &c->columns, err));
    for (size_t first = 0, person = 0; first < frame->rows; first += BATCH_ROWS) {
        const size_t left = frame->rows - first, count = left < BATCH_ROWS ? left : BATCH_ROWS;
        for (size_t i = 0; i < count; i++) {
            follows[i] = first + i != table.starts[person];
            if (first + i + 1 == table.starts[person + 1]) person++;
        }
        sbl_frame_clear(&some);
        SBL_TRY(sbl_frame_select(&some, frame, table.rows + first, count, err));
        SBL_TRY(sbl_codec_decode(c->codec, c->batch, some.numeric, some.codes, count, err));
        count_rows(c, follows);
    }
done:
    sbl_frame_clear(&some);
    sbl_history_table_clear(&table);
    return status;
}

static sbl_status count_table(counting *c, const sbl_frame *frame, sbl_error *err)
{
    memset(c->held, 0, sbl_rules_count(c->rules) * sizeof *c->held);
    return c->view.count > 0 && frame->persons != NULL ? count_persons(c, frame, err)
                                                       : count_frame(c, frame, err);
}

/* The shares of one table under its name in each entry of the list; NULL: there is none. */
static sbl_status add_table(json_t *list, const char *name, const sbl_frame *frame, counting *c,
                            sbl_error *err)
{
    if (frame != NULL) SBL_CHECK(count_table(c, frame, err));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const bool known = frame != NULL && (frame->persons != NULL || !sbl_rule_looks_back(c->rules, i));
        json_t *share = known ? json_real((double)c->held[i] / (double)frame->rows) : json_null();
        if (json_object_set_new(json_array_get(list, i), name, share) != 0)
            return sbl_no_memory(err, "an evaluation");
    }
    return SBL_OK;
}

static json_t *list_rules(const sbl_rules *rules)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sbl_rules_count(rules); i++)
        list = sbl_json_append(list, json_pack("{s:s}", "rule", sbl_rules_text(rules, i)));
    return list;
}

sbl_status sbl_measure_constraints(json_t **part, const sbl_tables *tables, const sbl_codec *codec,
                                   sbl_error *err)
{
    const sbl_frame *frames = tables->frames;
    sbl_rules *rules = NULL;
    json_t *list = NULL;
    counting c = {0};
    sbl_status status = SBL_OK;
    *part = NULL;
    SBL_TRY(sbl_rules_new(&rules, codec->schema, err));
    list = list_rules(rules);
    if (list == NULL) SBL_TRY(sbl_no_memory(err, "an evaluation"));
    if (rules != NULL) {
        SBL_TRY(begin(&c, rules, codec, err));
        SBL_TRY(add_table(list, "real", &frames[SBL_ROLE_REAL], &c, err));
        SBL_TRY(add_table(list, "synthetic", &frames[SBL_ROLE_SYNTHETIC], &c, err));
        SBL_TRY(add_table(list, "train", tables->has_train ? &frames[SBL_ROLE_CEILING] : NULL, &c, err));
    }
    *part = list;
    list = NULL;
done:
    json_decref(list);
    end(&c);
    sbl_rules_free(rules);
    return status;
}
