/* Decodes each frame back to rows, 1024 at a time, and counts those that hold each rule. NOT
 * PRIVATE. */
#include "evaluate/rule_shares.h"

#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "rules/rules.h"

#define BATCH_ROWS 1024

typedef struct counting {
    const sbl_rules *rules;
    const sbl_codec *codec;
    sbl_batch *batch;
    double *rows;   /* (BATCH_ROWS, columns) */
    uint64_t *held; /* (rules) */
} counting;

static sbl_status begin(counting *c, const sbl_rules *rules, const sbl_codec *codec, sbl_error *err)
{
    *c = (counting){.rules = rules, .codec = codec};
    c->held = sbl_alloc_array(sbl_rules_count(rules), sizeof *c->held);
    c->rows = sbl_alloc_array(codec->schema->column_count, BATCH_ROWS * sizeof *c->rows);
    if (c->held == NULL || c->rows == NULL) return sbl_no_memory(err, "an evaluation");
    return sbl_batch_new(&c->batch, codec->schema, BATCH_ROWS, err);
}

static void end(counting *c)
{
    if (c->codec == NULL) return;
    sbl_free_wiped(c->rows, c->codec->schema->column_count * BATCH_ROWS * sizeof *c->rows);
    sbl_free_wiped(c->held, sbl_rules_count(c->rules) * sizeof *c->held);
    sbl_batch_free(c->batch);
}

static sbl_status count_frame(counting *c, const sbl_frame *frame, sbl_error *err)
{
    const sbl_heads *heads = &c->codec->heads;
    const size_t columns = c->codec->schema->column_count;
    sbl_status status = SBL_OK;
    memset(c->held, 0, sbl_rules_count(c->rules) * sizeof *c->held);
    for (size_t first = 0; first < frame->rows; first += BATCH_ROWS) {
        const size_t left = frame->rows - first;
        SBL_TRY(sbl_codec_decode(c->codec, c->batch, frame->numeric + first * heads->numeric_count,
                                 frame->codes + first * heads->categorical_count,
                                 left < BATCH_ROWS ? left : BATCH_ROWS, err));
        sbl_rows_of_batch(c->rows, c->batch);
        for (size_t row = 0; row < c->batch->rows; row++)
            for (size_t i = 0; i < sbl_rules_count(c->rules); i++)
                c->held[i] += sbl_rules_holds(c->rules, i, c->rows + row * columns);
    }
done:
    return status;
}

/* The shares of one table under its name in each entry of the list; NULL: there is none. */
static sbl_status add_table(json_t *list, const char *name, const sbl_frame *frame, counting *c,
                            sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (frame != NULL) SBL_TRY(count_frame(c, frame, err));
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *share =
            frame != NULL ? json_real((double)c->held[i] / (double)frame->rows) : json_null();
        if (json_object_set_new(json_array_get(list, i), name, share) != 0)
            SBL_TRY(sbl_no_memory(err, "an evaluation"));
    }
done:
    return status;
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
        SBL_TRY(add_table(list, "train", tables->has_train ? &frames[SBL_ROLE_CEILING] : NULL, &c,
                          err));
    }
    *part = list;
    list = NULL;
done:
    json_decref(list);
    end(&c);
    sbl_rules_free(rules);
    return status;
}
