/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the measures of an evaluation with the synthetic rows as both sides, and removes the comparisons from
 * the result. Opens no real record. */
#include "owner/evaluate/pictures.h"

#include "base/json.h"
#include "owner/fidelity/linked_frames.h"
#include "owner/fidelity/measures.h"
#include "owner/fidelity/person_events.h"
#include "public/rows/codec.h"

/* Some persons with their events; nothing if the schema names no person. */
static sbl_status add_people(json_t **pictures, const sbl_frame *frame, const sbl_view *view,
                             const sbl_schema *schema, sbl_error *err)
{
    sbl_history_columns columns = {0};
    sbl_history_table table = {0};
    sbl_status status = SBL_OK;
    if (frame->persons == NULL) return SBL_OK;
    SBL_TRY(sbl_history_columns_init(&columns, view, schema, err));
    SBL_TRY(sbl_history_table_init(&table, frame, &columns, err));
    *pictures = sbl_json_put(*pictures, "people", sbl_history_people(&table, &columns));
    if (*pictures == NULL) status = sbl_no_memory(err, "pictures");
done:
    sbl_history_table_clear(&table);
    sbl_history_columns_clear(&columns);
    return status;
}

/* For a table that was compared with itself: removes the comparisons. */
static void strip(json_t *columns, json_t *pairs)
{
    static const char *const measures[] = {"tvd", "ks", "wasserstein"};
    json_t *item;
    size_t i;
    json_array_foreach(columns, i, item)
    {
        for (size_t m = 0; m < 3; m++) (void)json_object_del(item, measures[m]);
        (void)json_object_del(json_object_get(item, "histogram"), "real");
    }
    json_array_foreach(pairs, i, item)(void) json_object_del(item, "real");
}

static sbl_status measure(json_t **pictures, const sbl_tables *tables, const sbl_view *view, sbl_error *err)
{
    json_t *columns = NULL, *association = NULL, *pairs = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_measure_columns(&columns, tables, view, err));
    SBL_TRY(sbl_measure_association(&association, tables, view, err));
    SBL_TRY(sbl_measure_pairs(&pairs, tables, view, association, err));
    strip(columns, pairs);
    *pictures = json_pack("{s:I, s:O, s:O}", "rows", (json_int_t)tables->frames[SBL_ROLE_SYNTHETIC].rows,
                          "columns", columns, "pairs", pairs);
    if (*pictures == NULL) status = sbl_no_memory(err, "pictures");
done:
    json_decref(columns);
    json_decref(association);
    json_decref(pairs);
    return status;
}

sbl_status sbl_frame_pictures(json_t **pictures, const sbl_frame *frame, const sbl_view *view,
                              const sbl_schema *schema, sbl_error *err)
{
    /* The same rows: every measure of two tables is of one. */
    const sbl_tables tables = {.threads = 1,
                               .frames = {[SBL_ROLE_REAL] = *frame, [SBL_ROLE_SYNTHETIC] = *frame}};
    json_t *made = NULL;
    sbl_status status = SBL_OK;
    *pictures = NULL;
    if (frame->rows == 0) goto done;
    SBL_TRY(measure(&made, &tables, view, err));
    SBL_TRY(add_people(&made, frame, view, schema, err));
    *pictures = made;
    made = NULL;
done:
    json_decref(made);
    return status;
}

sbl_status sbl_table_pictures(json_t **pictures, const sbl_table *table, const sbl_schema *schema,
                              sbl_error *err)
{
    sbl_codec codec = {0};
    sbl_view view = {0};
    sbl_frame frame = {0};
    sbl_status status = SBL_OK;
    *pictures = NULL;
    SBL_TRY(sbl_codec_init_plain(&codec, schema, err));
    SBL_TRY(sbl_view_init(&view, &codec, err));
    SBL_TRY(sbl_frame_read_first(&frame, table, &codec, SBL_PICTURE_ROWS, NULL, err));
    SBL_TRY(sbl_frame_pictures(pictures, &frame, &view, schema, err));
done:
    sbl_frame_clear(&frame);
    sbl_view_clear(&view);
    sbl_codec_clear(&codec);
    return status;
}

sbl_status sbl_table_histograms(json_t **histograms, const sbl_table *table, const sbl_schema *schema,
                                sbl_error *err)
{
    sbl_codec codec = {0};
    sbl_view view = {0};
    sbl_frame frame = {0};
    json_t *columns = NULL;
    sbl_status status = SBL_OK;
    *histograms = NULL;
    SBL_TRY(sbl_codec_init(&codec, schema, err));
    SBL_TRY(sbl_view_init(&view, &codec, err));
    SBL_TRY(sbl_frame_read_first(&frame, table, &codec, SBL_PICTURE_ROWS, NULL, err));
    if (frame.rows == 0) SBL_FAIL(err, SBL_EINPUT, "%s has no rows to show", table->name);
    SBL_TRY(sbl_measure_histograms(&columns, &frame, &view, err));
    *histograms = json_pack("{s:I, s:O}", "rows", (json_int_t)frame.rows, "columns", columns);
    if (*histograms == NULL) status = sbl_no_memory(err, "histograms");
done:
    json_decref(columns);
    sbl_frame_clear(&frame);
    sbl_view_clear(&view);
    sbl_codec_clear(&codec);
    return status;
}

sbl_status sbl_linked_pictures(json_t **pictures, const sbl_table *const *tables, const sbl_schema *schema,
                               sbl_error *err)
{
    sbl_linked_plan plan = {0};
    sbl_linked_set set = {0};
    sbl_status status = SBL_OK;
    *pictures = NULL;
    SBL_TRY(sbl_linked_plan_init(&plan, schema, err));
    SBL_TRY(sbl_linked_set_read(&set, &plan, tables, NULL, err));
    *pictures = json_pack("{s:I, s:o}", "rows", (json_int_t)set.tables[0].frame.rows, "units",
                          sbl_linked_units(&plan, &set));
    if (*pictures == NULL) status = sbl_no_memory(err, "pictures");
done:
    sbl_linked_set_clear(&set);
    sbl_linked_plan_clear(&plan);
    return status;
}
