/* SPDX-License-Identifier: Apache-2.0 */
/* Which columns a joined row has. Columns are copied as they are and borrow what they point to: the plan's schema
 * outlives it. */
#include "base/alloc.h"
#include "owner/fidelity/linked_frames.h"
#include "owner/fidelity/person_events.h"

static const char what[] = "the columns of linked tables";

/* Columns of a table with the names that they have beside those of others, "table.column". */
static const sbl_column *columns_of(const sbl_linked_plan *plan, size_t t)
{
    return plan->schema->columns + plan->schema->tables[t].first;
}

/* The number of child rows of a row. */
static sbl_column count_column(const sbl_linked_table *child)
{
    return (sbl_column){.name = child->name,
                        .type = SBL_TYPE_STRING,
                        .kind = SBL_COLUMN_CATEGORY,
                        .required = true,
                        .ordered = true,
                        .categories = {.count = SBL_HISTORY_BUCKETS + 1}};
}

static size_t fitted(const sbl_column *columns, size_t count)
{
    size_t found = 0;
    for (size_t c = 0; c < count; c++) found += columns[c].kind != SBL_COLUMN_IGNORED ? 1 : 0;
    return found;
}

/* The parent's columns are those of the person that a child's rows are events of. */
static sbl_status join_columns(sbl_linked_plan *plan, size_t t, sbl_error *err)
{
    sbl_linked_view *view = &plan->views[t];
    const sbl_linked_table *table = view->table;
    const sbl_linked_table *parent =
        table->parent != SBL_NO_TABLE ? &plan->schema->tables[table->parent] : NULL;
    const size_t above = parent != NULL ? parent->count : 0;
    size_t count = 0;
    sbl_status status = SBL_OK;
    SBL_ALLOC(view->columns, above + table->count + view->child_count, what);
    for (size_t c = 0; c < above; c++) {
        view->columns[count] = columns_of(plan, table->parent)[c];
        view->columns[count++].per_unit = true;
    }
    for (size_t c = 0; c < table->count; c++) {
        view->columns[count] = table->schema->columns[c];
        view->columns[count++].per_unit = false;
    }
    /* The columns are elsewhere now, and values are compared by the columns' own bounds. */
    for (size_t c = 0; c < count; c++) view->columns[c].by_domains = NULL;
    for (size_t c = 0; c < view->child_count; c++)
        view->columns[count++] = count_column(&plan->schema->tables[view->children[c]]);
    view->parent_count = parent != NULL ? fitted(view->columns, above) : 0;
    view->own_count = fitted(view->columns + above, table->count);
    const size_t unit = table->parent_key != SBL_NO_COLUMN ? table->parent_key : table->key;
    view->joined = (sbl_schema){
        .columns = view->columns,
        .column_count = count,
        .label = SBL_NO_COLUMN,
        .rows_per_unit = table->rows_per_unit,
        .unit = above + unit - table->first,
        .order = table->order != SBL_NO_COLUMN ? above + table->order - table->first : SBL_NO_COLUMN};
done:
    return status;
}

static sbl_status init_view(sbl_linked_plan *plan, size_t t, sbl_error *err)
{
    sbl_linked_view *view = &plan->views[t];
    view->table = &plan->schema->tables[t];
    for (size_t c = t + 1; c < plan->schema->table_count; c++)
        if (plan->schema->tables[c].parent == t) view->children[view->child_count++] = c;
    view->own = *view->table->schema;
    view->own.label = SBL_NO_COLUMN;
    view->own.task = SBL_TASK_NONE;
    SBL_CHECK(sbl_codec_init_plain(&view->codec, &view->own, err));
    SBL_CHECK(join_columns(plan, t, err));
    SBL_CHECK(sbl_codec_init_plain(&view->joined_codec, &view->joined, err));
    return sbl_view_init(&view->view, &view->joined_codec, err);
}

sbl_status sbl_linked_plan_init(sbl_linked_plan *plan, const sbl_schema *schema, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *plan = (sbl_linked_plan){.schema = schema};
    SBL_ALLOC(plan->views, schema->table_count, what);
    for (size_t t = 0; t < schema->table_count; t++) SBL_TRY(init_view(plan, t, err));
done:
    if (status != SBL_OK) sbl_linked_plan_clear(plan);
    return status;
}

void sbl_linked_plan_clear(sbl_linked_plan *plan)
{
    for (size_t t = 0; plan->views != NULL && t < plan->schema->table_count; t++) {
        sbl_linked_view *view = &plan->views[t];
        sbl_codec_clear(&view->codec);
        sbl_codec_clear(&view->joined_codec);
        sbl_view_clear(&view->view);
        sbl_free(view->columns);
    }
    sbl_free(plan->views);
    *plan = (sbl_linked_plan){0};
}
