/* SPDX-License-Identifier: Apache-2.0 */
/* What all handles of records share: their names and texts, linking several of them, opening a source,
 * freeing. */
#include "records/source/data_handle.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "public/schema/package.h"

#define TABLE_NAME_MOST 100 /* bytes, as packages have it */

static void drop_data(void *handle)
{
    sbl_data *data = handle;
    if (data->table.format != NULL && data->table.format->drop != NULL)
        data->table.format->drop(data->table.state);
    for (size_t i = 0; i < data->linked_count; i++) sbl_use_end(data->linked_uses[i]);
    sbl_free(data->linked);
    sbl_free(data->linked_uses);
    sbl_strings_clear(&data->linked_names);
    sbl_image_facts_clear(&data->facts);
    sbl_strings_clear(&data->texts);
    sbl_strings_clear(&data->columns);
    sbl_free(data->path);
    sbl_free(data->name);
    sbl_free(data);
}

void sbl_data_free(sbl_data *data)
{
    if (data != NULL) sbl_mark_drop(&data->mark);
}

sbl_status sbl_data_make(sbl_data **data, sbl_data_kind kind, const char *name, const char *path,
                         sbl_error *err)
{
    const char *usual = path != NULL ? path : kind == SBL_DATA_IMAGES ? "the images" : "the table";
    sbl_data *made = NULL;
    sbl_status status = SBL_OK;
    *data = NULL;
    SBL_ALLOC(made, 1, "a handle of records");
    sbl_mark_init(&made->mark, drop_data, made);
    made->kind = kind;
    SBL_TRY(sbl_copy_text(&made->name, name != NULL ? name : usual, "a name", err));
    if (path != NULL) SBL_TRY(sbl_copy_text(&made->path, path, "a name", err));
    *data = made;
    made = NULL;
done:
    sbl_data_free(made);
    return status;
}

sbl_status sbl_data_of_table(sbl_data **data, const sbl_table *table, sbl_error *err)
{
    const sbl_status status = sbl_data_make(data, SBL_DATA_TABLE, table->name, table->path, err);
    if (status != SBL_OK) {
        if (table->format->drop != NULL) table->format->drop(table->state);
        return status;
    }
    (*data)->table = *table;
    (*data)->table.name = (*data)->name;
    (*data)->table.path = (*data)->path;
    return SBL_OK;
}

sbl_status sbl_data_make_arrow(sbl_data **data, const char *name, sbl_error *err)
{
    sbl_table table = {
        .format = &sbl_arrow_format, .name = name != NULL ? name : "the table", .can_rewind = true};
    sbl_arrow_table *state = NULL;
    sbl_status status = SBL_OK;
    *data = NULL;
    SBL_ALLOC(state, 1, table.name);
    table.state = state;
    SBL_TRY(sbl_data_of_table(data, &table, err));
done:
    return status;
}

/* Is it, or one of its tables, a text? */
static bool is_text(const sbl_data *data)
{
    for (size_t i = 0; i < data->linked_count; i++)
        if (is_text(data->linked[i])) return true;
    return data->table.format != NULL && data->table.format->is_text;
}

static bool has_dialect(const sbl_data *data)
{
    const sbl_format *format = data->table.format;
    return format != NULL && format->is_text && !format->names_in_records;
}

sbl_data_about sbl_data_tell(const sbl_data *data)
{
    return (sbl_data_about){.kind = data->kind,
                            .name = data->name,
                            .path = data->path,
                            .can_rewind = data->table.can_rewind,
                            .is_text = is_text(data),
                            .has_dialect = has_dialect(data),
                            .tables = data->linked_count,
                            .outside = data->outside,
                            .is_server = data->is_server,
                            .is_query = data->is_query,
                            .one_row_per_person = data->one_row_per_person,
                            .count = data->table.count,
                            .written = data->written,
                            .labels = data->images.labels,
                            .sized = data->images.height != 0};
}

sbl_status sbl_data_use(sbl_mark **used, sbl_data *data, sbl_error *err)
{
    return sbl_use_begin(used, &data->mark, SBL_USE_READS, data->name, err);
}

sbl_status sbl_data_keep(sbl_data *data, sbl_error *err)
{
    sbl_arrow_table *arrow = data->table.state;
    sbl_arrow_rows rows = {0};
    sbl_status status = SBL_OK;
    if (data->table.format != &sbl_arrow_format || !arrow->once) return SBL_OK;
    SBL_TRY(sbl_arrow_table_open(arrow, &rows, data->name, err));
    SBL_TRY(sbl_arrow_table_keep(arrow, &rows, data->name, err));
    for (size_t i = 0; i < arrow->batch_count; i++)
        if (arrow->batches[i].length > 0) data->table.count += (uint64_t)arrow->batches[i].length;
    arrow->once = false;
    data->table.can_rewind = true;
done:
    if (rows.stream.release != NULL) rows.stream.release(&rows.stream);
    return status;
}

sbl_status sbl_data_table(const sbl_table **table, const sbl_data *data, sbl_error *err)
{
    *table = &data->table;
    if (data->linked != NULL)
        return sbl_fail(err, SBL_EARG, "%s holds linked tables, but a single table is needed", data->name);
    return data->kind == SBL_DATA_TABLE ? SBL_OK
                                        : sbl_fail(err, SBL_EARG, "%s holds images, not a table", data->name);
}

/* ---- linked tables ---- */

sbl_status sbl_data_linked(const sbl_data **table, const sbl_data *data, const char *name, sbl_error *err)
{
    *table = NULL;
    for (size_t i = 0; i < data->linked_count; i++)
        if (strcmp(data->linked_names.items[i], name) == 0) *table = data->linked[i];
    return *table != NULL ? SBL_OK
                          : sbl_fail(err, SBL_EARG, "there is no table '%.100s' in %s", name, data->name);
}

const char *sbl_data_table_path(const sbl_data *data, size_t number)
{
    return number < data->linked_count ? data->linked[number]->path : NULL;
}

static sbl_status check_count(size_t count, sbl_error *err)
{
    if (count >= 2 && count <= SBL_MOST_TABLES) return SBL_OK;
    return sbl_fail(err, SBL_EARG, "linked tables must be 2 to %d", SBL_MOST_TABLES);
}

static sbl_status check_links(sbl_data *const *tables, const char *const *names, size_t count, sbl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (tables[i] == NULL || names[i] == NULL)
            return sbl_fail(err, SBL_EARG, "linked table %zu has no handle or no name", i + 1);
        if (tables[i]->kind != SBL_DATA_TABLE || tables[i]->linked != NULL)
            return sbl_fail(err, SBL_EARG, "%s is not a single table", tables[i]->name);
        for (size_t k = 0; k < i; k++)
            if (strcmp(names[i], names[k]) == 0)
                return sbl_fail(err, SBL_EARG, "two linked tables have the name '%.100s'", names[i]);
    }
    return SBL_OK;
}

/* The name of a table by that of its file: up to the first dot, with an underscore for what a name may not have. */
static sbl_status name_by_file(char name[TABLE_NAME_MOST + 1], const sbl_data *table, sbl_error *err)
{
    const char *path = table->path != NULL ? table->path : "";
    const char *slash = strrchr(path, '/');
    const char *start = slash != NULL ? slash + 1 : path;
    const size_t length = strcspn(start, ".");
    if (length == 0 || length > TABLE_NAME_MOST)
        return sbl_fail(err, SBL_EARG, "%s has no file name that can name a table: give it a name",
                        table->name);
    for (size_t i = 0; i < length; i++) name[i] = strchr(" \t:\"'`,\\", start[i]) != NULL ? '_' : start[i];
    name[length] = '\0';
    return SBL_OK;
}

static sbl_status link_tables(sbl_data **data, sbl_data *const *tables, const char *const *names,
                              size_t count, const char *path, sbl_error *err)
{
    sbl_data *made = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(check_links(tables, names, count, err));
    SBL_TRY(sbl_data_make(&made, SBL_DATA_TABLE, path != NULL ? path : "the tables", path, err));
    SBL_ALLOC(made->linked, count, "a handle of records");
    SBL_ALLOC(made->linked_uses, count, "a handle of records");
    if (!sbl_strings_reserve(&made->linked_names, count)) SBL_TRY(sbl_no_memory(err, "a handle of records"));
    made->table.can_rewind = true;
    for (size_t i = 0; i < count; i++) {
        if (!sbl_strings_add(&made->linked_names, names[i]))
            SBL_TRY(sbl_no_memory(err, "a handle of records"));
        SBL_TRY(sbl_data_use(&made->linked_uses[i], tables[i], err));
        made->linked[made->linked_count++] = tables[i];
    }
    *data = made;
    made = NULL;
done:
    sbl_data_free(made);
    return status;
}

sbl_status sbl_data_link(sbl_data **data, sbl_data *const *tables, const char *const *names, size_t count,
                         const char *path, sbl_error *err)
{
    char(*made)[TABLE_NAME_MOST + 1] = NULL;
    const char *own[SBL_MOST_TABLES];
    sbl_status status = SBL_OK;
    if (data != NULL) *data = NULL;
    SBL_NEED(data);
    SBL_NEED(tables);
    SBL_TRY(check_count(count, err));
    if (names == NULL) {
        SBL_ALLOC(made, count, "the names of tables");
        for (size_t i = 0; i < count; i++) {
            if (tables[i] == NULL)
                SBL_FAIL(err, SBL_EARG, "linked table %zu has no handle or no name", i + 1);
            SBL_TRY(name_by_file(made[i], tables[i], err));
            own[i] = made[i];
        }
    }
    SBL_TRY(link_tables(data, tables, names != NULL ? names : own, count, path, err));
done:
    sbl_free(made);
    return status;
}

sbl_status sbl_data_check_tables(const sbl_data *data, const sbl_schema *schema, sbl_error *err)
{
    const bool several = schema->table_count > 0;
    if ((data->linked != NULL) == several) return SBL_OK;
    return sbl_fail(err, SBL_EARG,
                    several ? "%s is a single table, but the schema describes linked tables"
                            : "%s holds linked tables, but the schema describes a single table",
                    data->name);
}

/* Tables like those of the schema, each as its own handle is written. */
static sbl_status write_tables(sbl_linked_table *tables, const sbl_schema *schema, const sbl_data *data,
                               sbl_error *err)
{
    for (size_t t = 0; t < schema->table_count; t++) {
        const sbl_data *own;
        SBL_CHECK(sbl_data_linked(&own, data, tables[t].name, err));
        SBL_CHECK(sbl_schema_apply_dialect(tables[t].schema, &own->written, err));
    }
    return SBL_OK;
}

sbl_status sbl_data_apply_written(sbl_schema **schema, const sbl_data *data, sbl_error *err)
{
    const sbl_schema *given[SBL_MOST_TABLES];
    sbl_linked_table *tables = NULL;
    sbl_schema *made = NULL;
    const size_t count = (*schema)->table_count;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_data_check_tables(data, *schema, err));
    if (data->linked == NULL) return sbl_schema_apply_dialect(*schema, &data->written, err);
    for (size_t t = 0; t < count; t++) given[t] = (*schema)->tables[t].schema;
    SBL_TRY(sbl_linked_tables_copy(&tables, *schema, given, err));
    SBL_TRY(write_tables(tables, *schema, data, err));
    status = sbl_schema_widen(&made, tables, count, err);
    tables = NULL;
    if (status != SBL_OK) goto done;
    sbl_schema_free(*schema);
    *schema = made;
done:
    sbl_linked_tables_free(tables, count);
    return status;
}
