/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a table as the fit did, encodes its rows in chunks and multiplies them by the projection. The label is
 * written as it was read. */
#include "owner/evaluate/projection.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compute/gemm.h"
#include "public/rows/cell_format.h"
#include "records/source/source.h"

#define CHUNK 512 /* rows: 8 MB of points at most */

/* ---- the plan of the model ---- */

static const json_t *ball_of(const sbl_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->items[i].feature, SBL_RON_FEATURE) == 0) return plan->items[i].parameters;
    return NULL;
}

sbl_status sbl_projection_init(sbl_projection *projection, const sbl_model *model, const char *where,
                               sbl_error *err)
{
    const json_t *ball = ball_of(&model->plan);
    *projection = (sbl_projection){.model = model};
    if (ball == NULL)
        return sbl_fail(err, SBL_EARG,
                        "%s is a model of method '%s', which has no projection: fit one with method "
                        "'ron-gauss' and space 'projected'",
                        where, model->plan.method);
    SBL_CHECK(sbl_ron_plan_parse(&projection->plan, ball, err));
    if (projection->plan.options.space != SBL_RON_PROJECTED)
        return sbl_fail(err, SBL_EARG,
                        "%s draws rows in the original columns, so it has no projection: fit a model with "
                        "space 'projected'",
                        where);
    return sbl_ron_rotation_init(&projection->rotation, &projection->plan, err);
}

void sbl_projection_clear(sbl_projection *projection)
{
    sbl_ron_rotation_clear(&projection->rotation);
    sbl_ron_plan_clear(&projection->plan);
    *projection = (sbl_projection){0};
}

/* ---- records ---- */

/* A part of the label: its class, its number, or the code that says whether the number is missing. */
typedef struct label_part {
    bool numeric;
    size_t read;    /* its place in a record of the table */
    size_t written; /* and in one of the projected table */
} label_part;

static const sbl_head *label_head(const sbl_facts *facts, bool indicator)
{
    for (size_t i = 0; i < facts->heads.count; i++) {
        const sbl_head *head = &facts->heads.items[i];
        if (head->column == facts->schema->label && head->indicator == indicator) return head;
    }
    return NULL;
}

/* Returns how many parts there are. */
static size_t find_label(label_part parts[2], const sbl_facts *from, const sbl_facts *to)
{
    size_t count = 0;
    for (int indicator = 0; indicator < 2; indicator++) {
        const sbl_head *read = label_head(from, indicator != 0), *written = label_head(to, indicator != 0);
        if (read != NULL && written != NULL)
            parts[count++] = (label_part){read->kind == SBL_HEAD_NUMERIC, read->index, written->index};
    }
    return count;
}

/* What rows are projected with: buffers for CHUNK of them. */
typedef struct projecting {
    const sbl_projection *by;
    const sbl_facts *from; /* of the table */
    const sbl_facts *to;   /* of the projected one */
    label_part label[2];
    size_t label_parts;
    float *points;    /* (CHUNK, m) */
    float *features;  /* (CHUNK, p + targets) */
    float *targets;   /* (CHUNK) */
    float *workspace; /* of the product */
    sbl_drawn rows;
    sbl_pool pool;
} projecting;

static sbl_status make_buffers(projecting *p, sbl_error *err)
{
    const sbl_ron_plan *plan = &p->by->plan;
    const size_t m = plan->record.dimensions;
    sbl_status status = SBL_OK;
    SBL_POOL(&p->pool, p->points, CHUNK, m, "a projection");
    SBL_POOL(&p->pool, p->features, CHUNK, plan->moments, "a projection");
    SBL_POOL(&p->pool, p->targets, CHUNK, 1, "a projection");
    SBL_POOL(&p->pool, p->workspace, sbl_gemm_workspace(m), 1, "a projection");
    SBL_TRY(sbl_drawn_make(&p->rows, p->to, CHUNK, false, err));
done:
    return status;
}

static void encode(projecting *p, const sbl_records *records)
{
    const sbl_ron_plan *plan = &p->by->plan;
    const sbl_heads *heads = &p->from->heads;
    const size_t m = plan->record.dimensions;
    for (size_t r = 0; r < records->rows; r++) {
        float *point = p->points + r * m;
        p->targets[r] = (float)sbl_unit_record_encode(
            &plan->record, point, records->numeric + r * heads->numeric_count,
            records->codes + r * heads->categorical_count, p->from->code_columns);
        if (plan->options.geometry == SBL_RON_NORMALISE) sbl_ron_normalise(point, m);
    }
}

/* The label of row r, as it was read. */
static void copy_label(projecting *p, const sbl_records *records, size_t r)
{
    const sbl_heads *from = &p->from->heads, *to = &p->to->heads;
    for (size_t i = 0; i < p->label_parts; i++) {
        const label_part part = p->label[i];
        if (part.numeric)
            p->rows.numeric[r * to->numeric_count + part.written] =
                records->numeric[r * from->numeric_count + part.read];
        else
            p->rows.codes[r * to->categorical_count + part.written] =
                records->codes[r * from->categorical_count + part.read];
    }
}

/* Coordinates of the unit ball as numbers in [0,1], of columns from -1 to 1. */
static void place(projecting *p, const sbl_records *records)
{
    const sbl_ron_plan *plan = &p->by->plan;
    for (size_t r = 0; r < records->rows; r++) {
        const float *from = p->features + r * plan->moments + plan->targets;
        double *to = p->rows.numeric + r * p->to->heads.numeric_count;
        for (size_t i = 0; i < plan->options.dimensions; i++) to[i] = (1.0 + (double)from[i]) / 2.0;
        copy_label(p, records, r);
    }
}

static sbl_status project_batch(projecting *p, sbl_sink *sink, const sbl_records *batch, sbl_error *err)
{
    const sbl_ron_plan *plan = &p->by->plan;
    for (size_t first = 0; first < batch->rows; first += CHUNK) {
        const size_t left = batch->rows - first;
        const sbl_records some = sbl_records_slice(batch, p->from, first, left < CHUNK ? left : CHUNK);
        encode(p, &some);
        sbl_ron_rotate(p->features, plan->moments, plan, &p->by->rotation, p->points,
                       plan->options.dimensions, p->targets, some.rows, p->workspace);
        place(p, &some);
        SBL_CHECK(sbl_sink_write(sink, &p->rows, some.rows, err));
    }
    return SBL_OK;
}

static sbl_status project_all(projecting *p, sbl_sink *sink, sbl_source *source,
                              const sbl_progress_span *progress, sbl_error *err)
{
    const sbl_records *batch;
    uint64_t done = 0;
    do {
        if (!sbl_progress_goes_on(progress, done, source->count > done ? source->count : done + 1))
            return sbl_progress_fail(err);
        SBL_CHECK(sbl_source_read(source, &batch, err));
        SBL_CHECK(project_batch(p, sink, batch, err));
        done += batch->rows;
    } while (batch->rows > 0 || source->working);
    return sbl_sink_finish(sink, err);
}

/* The facts that the model was fitted with, and the table written as its handle says. */
static sbl_status read_facts(sbl_facts *facts, const sbl_model *model, const sbl_data *data, sbl_error *err)
{
    sbl_schema *schema = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_schema_copy(&schema, model->facts.declared, err));
    SBL_TRY(sbl_data_apply_written(&schema, data, err));
    status = sbl_facts_of_table(facts, schema, err); /* takes it */
    schema = NULL;
done:
    sbl_schema_free(schema);
    return status;
}

sbl_status sbl_projection_write(const sbl_projection *projection, sbl_sink *sink, sbl_data *data,
                                void (*notice)(void *context, const char *name), void *context,
                                const sbl_progress_span *progress, sbl_error *err)
{
    sbl_facts facts = {0};
    projecting p = {.by = projection, .from = &facts, .to = sbl_model_output(projection->model)};
    sbl_source *source = NULL;
    const sbl_data_about about = sbl_data_tell(data);
    sbl_status status = SBL_OK;
    if (about.kind != SBL_DATA_TABLE || about.tables != 0)
        return sbl_fail(err, SBL_EARG, "%s is not a single table: the model was fitted to one", about.name);
    SBL_TRY(read_facts(&facts, projection->model, data, err));
    SBL_TRY(sbl_source_open(&source, data, &facts, notice, context, err));
    SBL_TRY(make_buffers(&p, err));
    p.label_parts = find_label(p.label, p.from, p.to);
    SBL_TRY(project_all(&p, sink, source, progress, err));
done:
    sbl_drawn_clear(&p.rows, p.to);
    sbl_pool_clear(&p.pool);
    sbl_source_close(source);
    sbl_facts_clear(&facts);
    return status;
}

/* ---- the matrix ---- */

static void append_name(sbl_text *csv, const sbl_facts *facts, sbl_head_kind kind, size_t index,
                        size_t coordinate)
{
    sbl_text name = {0};
    for (size_t i = 0; i < facts->heads.count; i++) {
        const sbl_head *head = &facts->heads.items[i];
        if (head->kind == kind && head->index == index)
            sbl_text_printf(&name, "%s", facts->schema->columns[head->column].name);
    }
    if (coordinate != 0) sbl_text_printf(&name, ".%zu", coordinate);
    csv->failed = csv->failed || name.failed;
    sbl_text_append(csv, ",", 1);
    if (!name.failed) sbl_cell_quote(csv, name.data, name.length, false, &SBL_DIALECT_USUAL);
    sbl_text_clear(&name);
}

/* In the order of sbl_unit_record_encode(). */
static void append_header(sbl_text *csv, const sbl_projection *projection)
{
    const sbl_unit_record *record = &projection->plan.record;
    const sbl_facts *facts = &projection->model->facts;
    sbl_text_printf(csv, "coordinate");
    for (size_t i = 0; i < record->shape.numeric; i++)
        if (i != record->target) append_name(csv, facts, SBL_HEAD_NUMERIC, i, 0);
    for (size_t k = 0; k < record->shape.categorical; k++)
        for (size_t j = 1; j < record->shape.cardinalities[k]; j++)
            append_name(csv, facts, SBL_HEAD_CATEGORICAL, facts->code_columns[k], j);
    sbl_text_printf(csv, "\n");
}

sbl_status sbl_projection_matrix(sbl_text *csv, const sbl_projection *projection, sbl_error *err)
{
    const size_t m = projection->plan.record.dimensions;
    const double *rows = projection->rotation.rows; /* NULL: the identity */
    char number[SBL_DOUBLE_TEXT_SIZE];
    append_header(csv, projection);
    for (size_t k = 0; k < projection->plan.options.dimensions; k++) {
        sbl_text_printf(csv, "p%zu", k + 1);
        for (size_t i = 0; i < m; i++)
            sbl_text_printf(csv, ",%s",
                            sbl_double_to_text(number, rows != NULL ? rows[k * m + i] : (double)(k == i)));
        sbl_text_printf(csv, "\n");
    }
    return sbl_text_check(csv, "a projection", err);
}
