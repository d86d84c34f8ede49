/* SPDX-License-Identifier: Apache-2.0 */
/* The first draw decides the axes if no table is shown; every further draw is counted on them. */
#include "owner/evaluate/drawn_pictures.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "owner/evaluate/drawn_cells.h"
#include "owner/evaluate/pictures.h"
#include "run/estimates/drawn_tables.h"

#define WHAT "pictures with intervals"

/* One table: the only one, or one of linked tables. */
typedef struct one_table {
    const sbl_schema *schema; /* borrowed, of the facts */
    const char *name;         /* NULL: the only one */
    sbl_codec codec;
    sbl_view view;
    sbl_frame first; /* that the axes are of */
    size_t first_capacity;
    sbl_frame batch; /* some rows of a draw */
    size_t batch_capacity;
    json_t *picture;
    sbl_drawn_cells *parts; /* histograms of the columns, then pairs */
    size_t part_count;
    uint64_t person; /* whose rows are under way */
    double person_rows, rows, squares;
} one_table;

typedef struct work {
    const sbl_table *shown;
    size_t draws;
    one_table *tables;
    size_t count;
    void *rows_of[SBL_MOST_TABLES]; /* tables, as contexts */
    json_t *made;
} work;

static void clear(work *w)
{
    for (size_t t = 0; w->tables != NULL && t < w->count; t++) {
        one_table *one = &w->tables[t];
        for (size_t i = 0; one->parts != NULL && i < one->part_count; i++)
            sbl_drawn_cells_clear(&one->parts[i]);
        sbl_free(one->parts);
        json_decref(one->picture);
        sbl_frame_clear(&one->batch);
        sbl_frame_clear(&one->first);
        sbl_view_clear(&one->view);
        sbl_codec_clear(&one->codec);
    }
    sbl_free(w->tables);
    json_decref(w->made);
}

/* ---- axes ---- */

static size_t column_of(const sbl_view *view, const char *name)
{
    for (size_t c = 0; c < view->count; c++)
        if (strcmp(view->columns[c].column->name, name) == 0) return c;
    return 0;
}

/* The cells of one picture: the same axes as those that it was drawn on. */
static sbl_status start_part(sbl_drawn_cells *part, const one_table *one, const json_t *columns, size_t draws,
                             sbl_error *err)
{
    const sbl_frame *const frames[2] = {&one->first, &one->first};
    part->sides = json_array_size(columns);
    for (size_t s = 0; s < part->sides; s++) {
        const size_t c = column_of(&one->view, json_string_value(json_array_get(columns, s)));
        const bool one_side = part->sides == 1;
        if (!sbl_axis_init(&part->axes[s], &one->view.columns[c],
                           one_side ? SBL_HISTOGRAM_CELLS : SBL_PAIR_CELLS,
                           one_side ? SBL_HISTOGRAM_BINS : SBL_PAIR_CELLS, frames, 2))
            return sbl_no_memory(err, WHAT);
    }
    return sbl_drawn_cells_init(part, draws, err);
}

static sbl_status start_parts(one_table *one, size_t draws, sbl_error *err)
{
    const json_t *columns = json_object_get(one->picture, "columns");
    const json_t *pairs = json_object_get(one->picture, "pairs");
    const size_t count = json_array_size(columns) + json_array_size(pairs);
    sbl_status status = SBL_OK;
    SBL_ALLOC(one->parts, count, WHAT);
    one->part_count = count;
    for (size_t i = 0; i < count; i++) {
        const size_t at = i - json_array_size(columns);
        json_t *of = i < json_array_size(columns)
                         ? json_pack("[O]", json_object_get(json_array_get(columns, i), "name"))
                         : json_incref(json_object_get(json_array_get(pairs, at), "columns"));
        status = of != NULL ? start_part(&one->parts[i], one, of, draws, err) : sbl_no_memory(err, WHAT);
        json_decref(of);
        if (status != SBL_OK) goto done;
    }
done:
    return status;
}

static sbl_status start_picture(one_table *one, size_t draws, sbl_error *err)
{
    SBL_CHECK(sbl_frame_pictures(&one->picture, &one->first, &one->view, one->schema, err));
    return one->picture != NULL ? start_parts(one, draws, err) : SBL_OK;
}

/* ---- draws ---- */

static sbl_status begin_table(one_table *one, const sbl_schema *schema, const char *name, sbl_error *err)
{
    one->schema = schema;
    one->name = name;
    SBL_CHECK(sbl_codec_init_plain(&one->codec, schema, err));
    SBL_CHECK(sbl_view_init(&one->view, &one->codec, err));
    one->first.codec = one->batch.codec = &one->codec;
    return SBL_OK;
}

static sbl_status begin(void *context, const sbl_facts *facts, size_t *table, sbl_error *err)
{
    work *w = context;
    const bool linked = facts->table_facts != NULL;
    sbl_status status = SBL_OK;
    w->count = linked ? facts->declared->table_count : 1;
    SBL_ALLOC(w->tables, w->count, WHAT);
    *table = linked ? SBL_EVERY_TABLE : 0;
    for (size_t t = 0; t < w->count; t++) w->rows_of[t] = &w->tables[t];
    for (size_t t = 0; t < w->count; t++)
        SBL_TRY(begin_table(&w->tables[t], linked ? facts->table_facts[t].declared : facts->declared,
                            linked ? facts->declared->tables[t].name : NULL, err));
    if (w->shown == NULL) goto done;
    one_table *one = &w->tables[0];
    SBL_TRY(sbl_frame_read_first(&one->first, w->shown, &one->codec, SBL_PICTURE_ROWS, NULL, err));
    SBL_TRY(start_picture(one, w->draws, err));
done:
    return status;
}

static void end_person(one_table *one)
{
    for (size_t i = 0; i < one->part_count; i++) sbl_drawn_cells_end_person(&one->parts[i], one->person_rows);
    one->rows += one->person_rows;
    one->squares += one->person_rows * one->person_rows;
    one->person_rows = 0;
}

static sbl_status count_rows(one_table *one, const sbl_batch *batch, sbl_error *err)
{
    one->batch.rows = 0;
    SBL_CHECK(sbl_frame_append(&one->batch, &one->batch_capacity, batch, err));
    for (size_t r = 0; r < batch->rows; r++) {
        if (batch->units == NULL || batch->units[r].low != one->person) end_person(one);
        if (batch->units != NULL) one->person = batch->units[r].low;
        one->person_rows += 1;
        for (size_t i = 0; i < one->part_count; i++) sbl_drawn_cells_add(&one->parts[i], &one->batch, r);
    }
    return SBL_OK;
}

/* Rows of one table. */
static sbl_status take_rows(void *context, const sbl_batch *batch, uint64_t first, sbl_error *err)
{
    one_table *one = context;
    (void)first;
    if (one->parts != NULL) return count_rows(one, batch, err);
    if (one->first.rows >= SBL_PICTURE_ROWS) return SBL_OK;
    return sbl_frame_append(&one->first, &one->first_capacity, batch, err);
}

/* ---- all ---- */

static sbl_status finish_table(one_table *one, bool shares, sbl_error *err)
{
    json_t *columns = json_object_get(one->picture, "columns"),
           *pairs = json_object_get(one->picture, "pairs");
    const size_t count = json_array_size(columns);
    for (size_t i = 0; i < one->part_count; i++) {
        json_t *to = i < count ? json_object_get(json_array_get(columns, i), "histogram")
                               : json_array_get(pairs, i - count);
        SBL_CHECK(sbl_drawn_cells_put(to, &one->parts[i], shares, err));
    }
    return SBL_OK;
}

static sbl_status finish(work *w, sbl_error *err)
{
    const bool linked = w->tables[0].name != NULL;
    json_t *made = linked ? json_array() : NULL;
    for (size_t t = 0; t < w->count; t++) {
        one_table *one = &w->tables[t];
        const sbl_status status = finish_table(one, w->shown == NULL, err);
        if (status != SBL_OK) {
            json_decref(made);
            return status;
        }
        if (one->picture == NULL) continue;
        if (!linked)
            made = json_incref(one->picture);
        else
            made = sbl_json_append(made,
                                   sbl_json_put(json_incref(one->picture), "name", json_string(one->name)));
    }
    if (linked) made = json_pack("{s:o}", "tables", made);
    w->made =
        sbl_json_put(made, "intervals",
                     json_pack("{s:I, s:f}", "draws", (json_int_t)w->draws, "level", SBL_PICTURE_LEVEL));
    return w->made != NULL ? SBL_OK : sbl_no_memory(err, WHAT);
}

/* A draw that the axes are of is not counted. The last one ends with the pictures, while the schema is there. */
static sbl_status end(void *context, uint64_t draw, bool whole, sbl_error *err)
{
    work *w = context;
    const size_t before = w->shown == NULL ? 1 : 0;
    (void)whole;
    for (size_t t = 0; t < w->count; t++) {
        one_table *one = &w->tables[t];
        if (draw < before) {
            SBL_CHECK(start_picture(one, w->draws, err));
            continue;
        }
        end_person(one);
        for (size_t i = 0; i < one->part_count; i++)
            sbl_drawn_cells_end_draw(&one->parts[i], (size_t)draw - before, one->rows, one->squares);
        one->rows = one->squares = 0;
        one->person = 0;
    }
    return draw + 1 == w->draws + before ? finish(w, err) : SBL_OK;
}

sbl_status sbl_drawn_pictures(json_t **pictures, const sbl_drawn_from *from, const sbl_table *shown,
                              size_t draws, const sbl_synth_options *options, sbl_error *err)
{
    work w = {.shown = shown, .draws = draws};
    const sbl_table_taker taker = {
        .begin = begin, .rows = take_rows, .end = end, .context = &w, .rows_of = w.rows_of};
    sbl_status status = SBL_OK;
    *pictures = NULL;
    SBL_TRY(sbl_drawn_tables(from, draws + (shown == NULL ? 1 : 0), &taker, options, err));
    *pictures = w.made;
    w.made = NULL;
done:
    clear(&w);
    return status;
}
