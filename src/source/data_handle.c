/* What handles of records have in common: their names, their texts, the source of their
 * records, their end. */
#include "source/data_handle.h"

#include "base/memory.h"
#include "base/text.h"
#include "source/source.h"

static void drop_data(void *handle)
{
    sbl_data *data = handle;
    if (data->table.format != NULL && data->table.format->drop != NULL)
        data->table.format->drop(data->table.state);
    sbl_image_facts_clear(&data->facts);
    sbl_strings_clear(&data->texts);
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

sbl_data_about sbl_data_tell(const sbl_data *data)
{
    const sbl_format *format = data->table.format;
    return (sbl_data_about){.kind = data->kind,
                            .name = data->name,
                            .path = data->path,
                            .can_rewind = data->table.can_rewind,
                            .is_text = format != NULL && format->is_text,
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
    struct ArrowArrayStream stream = {0};
    sbl_status status = SBL_OK;
    if (data->table.format != &sbl_arrow_format || !arrow->once) return SBL_OK;
    SBL_TRY(sbl_arrow_table_open(arrow, &stream, data->name, err));
    SBL_TRY(sbl_arrow_table_keep(arrow, &stream, data->name, err));
    for (size_t i = 0; i < arrow->batch_count; i++)
        if (arrow->batches[i].length > 0) data->table.count += (uint64_t)arrow->batches[i].length;
    arrow->once = false;
    data->table.can_rewind = true;
done:
    if (stream.release != NULL) stream.release(&stream);
    return status;
}

sbl_status sbl_data_table(const sbl_table **table, const sbl_data *data, sbl_error *err)
{
    *table = &data->table;
    return data->kind == SBL_DATA_TABLE
               ? SBL_OK
               : sbl_fail(err, SBL_EARG, "%s holds images, not a table", data->name);
}

sbl_status sbl_source_open(sbl_source **source, sbl_data *data, sbl_facts *facts,
                           void (*notice)(void *context, const char *name), void *context,
                           sbl_error *err)
{
    return data->kind == SBL_DATA_TABLE
               ? sbl_source_open_rows(source, &data->table, facts, notice, context, err)
               : sbl_source_open_images(source, facts, &data->images, data->balanced, err);
}
