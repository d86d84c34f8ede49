/* SPDX-License-Identifier: Apache-2.0 */
/* Makes handles of records (include/semblance/data.h) from files, Arrow streams and pixels. */
#include "semblance/data.h"

#include <string.h>

#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/file.h"
#include "base/size.h"
#include "public/options/data_options.h"
#include "records/formats/database.h"
#include "records/formats/duckdb.h"
#include "records/source/data_handle.h"
#include "records/source/file_list.h"

#define USUAL_CLASSES 10

/* ---- files ---- */

/* A copy of a text that lives as long as the handle; NULL stays NULL. */
static sbl_status keep_text(const char **kept, sbl_data *data, const char *text, sbl_error *err)
{
    *kept = NULL;
    if (text == NULL) return SBL_OK;
    if (!sbl_strings_add(&data->texts, text)) return sbl_no_memory(err, "an option");
    *kept = data->texts.items[data->texts.count - 1];
    return SBL_OK;
}

/* The folder of a pattern, in place: what stands before the first part with a wildcard. Its ledger is beside it, so
 * that every pattern of a folder is charged to one. */
static void cut_to_folder(char *pattern)
{
    char *end = pattern + strcspn(pattern, "*?[");
    while (end > pattern && *end != '/') end--;
    if (*end != '/')
        *end++ = '.'; /* a pattern has one character or more */
    else if (end == pattern)
        end++;
    *end = '\0';
}

static sbl_status take_parquet(sbl_data *data, const sbl_data_options *options, sbl_error *err)
{
    data->table = (sbl_table){.format = &sbl_engine_format, .name = data->name, .can_rewind = true};
    const sbl_status status = sbl_engine_table_new(&data->table.state, data->path, options->duckdb, err);
    if (sbl_path_is_pattern(data->path)) cut_to_folder(data->path);
    return status;
}

/* The JSON format by the file's name; NULL: not JSON. The file's content does not decide, since it may be a
 * record. */
static const sbl_format *json_format(const char *path)
{
    if (sbl_path_ends_in(path, ".json") || sbl_path_ends_in(path, ".json.gz")) return &sbl_json_format;
    static const char *const lines[] = {".ndjson", ".jsonl", ".ndjson.gz", ".jsonl.gz"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (sbl_path_ends_in(path, lines[i])) return &sbl_json_lines_format;
    return NULL;
}

/* The whole file is needed, from its beginning. */
static void take_statistics(sbl_data *data)
{
    data->table = (sbl_table){.format = &sbl_statistics_format,
                              .name = data->name,
                              .path = data->path,
                              .can_rewind = !sbl_path_is_stream(data->path)};
}

/* Names with commas between them, as a list. */
static sbl_status keep_columns(sbl_data *data, const char *columns, sbl_error *err)
{
    sbl_text name = {0};
    size_t count = 1;
    sbl_status status = SBL_OK;
    if (columns == NULL) return SBL_OK;
    for (const char *c = columns; *c != '\0'; c++) count += *c == ',';
    bool good = sbl_strings_reserve(&data->columns, count);
    for (size_t i = 0; good && i < count; i++) {
        const size_t length = strcspn(columns, ",");
        sbl_text_clear(&name);
        sbl_text_append(&name, columns, length);
        SBL_TRY(sbl_text_check(&name, "an option", err));
        if (length == 0) SBL_FAIL(err, SBL_EARG, "%s: a column has no name", data->name);
        good = sbl_strings_add(&data->columns, name.data);
        columns += length + 1;
    }
    if (!good) SBL_TRY(sbl_no_memory(err, "an option"));
    data->table.columns = &data->columns;
done:
    sbl_text_clear(&name);
    return status;
}

static sbl_status take_json(sbl_data *data, const sbl_format *format, const sbl_data_options *options,
                            sbl_error *err)
{
    data->table = (sbl_table){.format = format,
                              .name = data->name,
                              .path = data->path,
                              .can_rewind = !sbl_path_is_stream(data->path)};
    return keep_columns(data, options->columns, err);
}

/* Files that are one table together. Its path says where they are, for the ledger, which they share. */
static sbl_status take_list(sbl_data *data, const sbl_data_options *options, sbl_error *err)
{
    char *places = NULL;
    data->table = (sbl_table){.format = &sbl_list_format, .name = data->name, .can_rewind = true};
    const sbl_status status =
        sbl_file_list_new(&data->table.state, &places, data->path, options, sbl_data_open, err);
    if (status != SBL_OK) return status;
    sbl_free(data->path);
    data->path = places;
    return SBL_OK;
}

/* Which one is asked for, and whether both or neither. */
static sbl_status check_asked(const sbl_data *data, const sbl_data_options *options, sbl_error *err)
{
    if (options->table != NULL && options->query != NULL)
        return sbl_fail(err, SBL_EARG, "%s: give a table or a query, not both", data->name);
    if (options->table == NULL && options->query == NULL)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_TABLE, NULL, "%s is a database: choose a table",
                             data->name);
    if (options->one_row_per_person && options->query == NULL)
        return sbl_fail(err, SBL_EARG, "one row per person applies to a query, but no query is given");
    return SBL_OK;
}

/* A server has no file: the address, which may hold a password, stays with the state of the table. */
static void hide_address(sbl_data *data)
{
    sbl_free_wiped(data->path, strlen(data->path));
    data->path = NULL;
    data->table.path = NULL;
    data->is_server = true;
}

static sbl_status take_database(sbl_data *data, const sbl_data_options *options, sbl_error *err)
{
    sbl_database_kind kind;
    sbl_database *state = NULL;
    SBL_CHECK(check_asked(data, options, err));
    SBL_CHECK(sbl_database_look(&kind, data->path, err));
    if (kind == SBL_DATABASE_NONE)
        return sbl_fail(err, SBL_EINPUT, "%s is not an SQLite or DuckDB database, so %s does not apply to it",
                        data->name, options->table != NULL ? "table" : "query");
    data->is_query = options->query != NULL;
    data->one_row_per_person = options->one_row_per_person;
    data->table = (sbl_table){.name = data->name, .path = data->path, .can_rewind = true};
    if (kind == SBL_DATABASE_DUCKDB) {
        data->table.format = &sbl_engine_format;
        SBL_CHECK(sbl_engine_table_new(&data->table.state, data->path, options->duckdb, err));
        SBL_CHECK(sbl_engine_table_ask(data->table.state, options->table, options->query, err));
        return SBL_OK;
    }
    SBL_CHECK(sbl_database_new(&state, data->path, options, err));
    data->table.format = kind == SBL_DATABASE_SERVER ? &sbl_driver_format : &sbl_sqlite_format;
    data->table.state = state;
    if (kind == SBL_DATABASE_SERVER) hide_address(data);
    return SBL_OK;
}

static bool is_database_name(const char *path)
{
    static const char *const endings[] = {".sqlite", ".sqlite3", ".duckdb", ".ddb"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (sbl_path_ends_in(path, endings[i])) return true;
    return sbl_path_is_server(path);
}

/* How the text of a table is written, as far as options say it: copies that live as long as the handle. */
static sbl_status keep_written(sbl_data *data, const sbl_data_options *options, sbl_error *err)
{
    for (const sbl_option *const *option = sbl_data_option_rows; *option != NULL; option++) {
        const char *text;
        if ((*option)->forms != SBL_FORM_CSV) continue;
        memcpy(&text, (const char *)options + (*option)->offset, sizeof text);
        SBL_CHECK(keep_text(&text, data, text, err));
        memcpy((char *)&data->written + (*option)->offset, &text, sizeof text);
    }
    if (data->texts.count > 0) data->table.written = &data->written;
    return SBL_OK;
}

/* What options and the name of the file say that it is. 0: a list, whose files are opened and checked one by one. */
static unsigned form_of(const char *path, const sbl_data_options *options)
{
    if (options->package) return SBL_FORM_PACKAGE;
    if (options->images) return SBL_FORM_IMAGES;
    if (options->table != NULL || options->query != NULL || is_database_name(path)) return SBL_FORM_DATABASE;
    if (sbl_path_is_list(path)) return 0;
    if (json_format(path) != NULL) return SBL_FORM_JSON;
    if (sbl_path_statistics(path) != SBL_STATISTICS_NONE) return SBL_FORM_STATISTICS;
    return sbl_path_is_parquet(path) ? SBL_FORM_PARQUET : SBL_FORM_CSV;
}

static sbl_status take_table(sbl_data *data, const sbl_data_options *options, sbl_error *err)
{
    switch (form_of(data->path, options)) {
    case SBL_FORM_DATABASE:
        return take_database(data, options, err);
    case SBL_FORM_JSON:
        return take_json(data, json_format(data->path), options, err);
    case SBL_FORM_STATISTICS:
        take_statistics(data);
        return SBL_OK;
    case SBL_FORM_PARQUET:
        return take_parquet(data, options, err);
    case SBL_FORM_CSV:
        data->table = sbl_csv_table(data->path);
        data->table.name = data->name;
        break;
    default:
        SBL_CHECK(take_list(data, options, err));
    }
    return keep_written(data, options, err);
}

static sbl_status take_images(sbl_data *data, const sbl_data_options *options, sbl_error *err)
{
    data->balanced = options->balanced;
    data->images = (sbl_image_place){.images = data->path,
                                     .classes = (size_t)options->classes,
                                     .channels = options->grey ? 1 : 0,
                                     .height = (size_t)options->height,
                                     .width = (size_t)options->width,
                                     .resize = options->resize};
    return keep_text(&data->images.labels, data, options->labels, err);
}

sbl_status sbl_data_open(sbl_data **data, const char *path, const sbl_data_options *options, sbl_error *err)
{
    sbl_data_options ours = {.struct_size = sizeof ours};
    sbl_data *made = NULL;
    char *server = NULL;
    sbl_status status = SBL_OK;
    if (data != NULL) *data = NULL;
    SBL_NEED(data);
    SBL_NEED(path);
    if (options != NULL) SBL_TRY(sbl_struct_take(&ours, sizeof ours, options, "options", err));
    if (ours.package && ours.images) SBL_FAIL(err, SBL_EARG, "%s: give images or a package, not both", path);
    const unsigned form = form_of(path, &ours);
    if (form != 0) SBL_TRY(sbl_data_options_check(&ours, form, err));
    if (ours.package) {
        status = sbl_data_open_package(data, path, ours.allow_outside, sbl_data_open, err);
        goto done;
    }
    if (ours.name == NULL && !ours.images && sbl_path_is_server(path)) {
        SBL_TRY(sbl_server_name(&server, path, err));
        ours.name = server;
    }
    SBL_TRY(sbl_data_make(&made, ours.images ? SBL_DATA_IMAGES : SBL_DATA_TABLE, ours.name, path, err));
    if (!sbl_strings_reserve(&made->texts, 8)) SBL_TRY(sbl_no_memory(err, "an option"));
    SBL_TRY(ours.images ? take_images(made, &ours, err) : take_table(made, &ours, err));
    SBL_TRY(keep_text(&made->written.person, made, ours.person, err));
    *data = made;
    made = NULL;
done:
    if (status == SBL_OK) {
        (*data)->progress = ours.progress;
        (*data)->context = ours.context;
    }
    sbl_free(server);
    sbl_data_free(made);
    return status;
}

/* ---- streams ---- */

/* One that is read once, in own: moved to the table. */
static sbl_status take_stream(sbl_data *data, struct ArrowArrayStream *own, bool keep, sbl_error *err)
{
    sbl_arrow_table *table = data->table.state;
    if (!sbl_arrow_stream_is_whole(own))
        return sbl_fail(err, SBL_EARG, "the stream was released or is empty");
    table->stream = *own;
    *own = (struct ArrowArrayStream){0};
    table->once = true;
    data->table.can_rewind = false;
    return keep ? sbl_data_keep(data, err) : SBL_OK;
}

sbl_status sbl_data_from_arrow(sbl_data **data, const sbl_arrow_source *source, const char *name,
                               sbl_error *err)
{
    sbl_arrow_source ours = {.struct_size = sizeof ours};
    struct ArrowArrayStream own = {0};
    sbl_data *made = NULL;
    sbl_status status = SBL_OK;
    if (data != NULL) *data = NULL;
    SBL_TRY(sbl_struct_take(&ours, sizeof ours, source, "source", err));
    if (ours.stream != NULL) {
        own = *ours.stream;
        ours.stream->release = NULL;
    }
    SBL_NEED(data);
    if ((ours.open == NULL) == (ours.stream == NULL))
        SBL_FAIL(err, SBL_EARG, "give either a stream or a function that opens one");
    SBL_TRY(sbl_data_make_arrow(&made, name != NULL ? name : ours.path, err));
    sbl_arrow_table *table = made->table.state;
    if (ours.path != NULL) SBL_TRY(sbl_copy_text(&made->path, ours.path, "a file name", err));
    if (ours.path != NULL && sbl_path_is_pattern(ours.path)) cut_to_folder(made->path);
    table->open = ours.open;
    table->resume = ours.resume;
    table->context = ours.context;
    if (ours.stream != NULL) SBL_TRY(take_stream(made, &own, ours.keep, err));
    *data = made;
    made = NULL;
done:
    if (own.release != NULL) own.release(&own);
    sbl_data_free(made);
    return status;
}

/* ---- images ---- */

static sbl_status check_pixels(const sbl_pixels *pixels, sbl_error *err)
{
    size_t size;
    if (pixels->height < 1 || pixels->height > SBL_IMAGE_FACTS_MOST_SIDE || pixels->width < 1 ||
        pixels->width > SBL_IMAGE_FACTS_MOST_SIDE)
        return sbl_fail(err, SBL_EARG, "height and width of images must be 1 to %d",
                        SBL_IMAGE_FACTS_MOST_SIDE);
    if (pixels->channels != 0 && pixels->channels != 1 && pixels->channels != 3)
        return sbl_fail(err, SBL_EARG, "images must have 1 or 3 channels");
    if (pixels->classes > SBL_IMAGE_FACTS_MOST_CLASSES)
        return sbl_fail(err, SBL_EARG, "there can be at most %d classes", SBL_IMAGE_FACTS_MOST_CLASSES);
    if (pixels->labels == NULL && (pixels->classes != 0 || pixels->balanced || pixels->class_names != NULL))
        return sbl_fail(err, SBL_EARG, "classes need labels, but the images have none");
    if (pixels->count > 0 && pixels->pixels == NULL)
        return sbl_fail(err, SBL_EARG, "the pixels must not be NULL");
    const uint64_t named = pixels->class_names == NULL ? 0
                           : pixels->classes != 0      ? pixels->classes
                                                       : USUAL_CLASSES;
    for (size_t c = 0; c < named; c++)
        if (pixels->class_names[c] == NULL) return sbl_fail(err, SBL_EARG, "class %zu has no name", c);
    if (!sbl_size_mul(&size, (size_t)pixels->count, 3 * 128 * 128))
        return sbl_fail(err, SBL_EARG, "the number of images is too large");
    return SBL_OK;
}

sbl_status sbl_data_from_pixels(sbl_data **data, const sbl_pixels *images, const char *name, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_pixels ours = {.struct_size = sizeof ours};
    sbl_data *made = NULL;
    if (data != NULL) *data = NULL;
    SBL_NEED(data);
    SBL_TRY(sbl_struct_take(&ours, sizeof ours, images, "images", err));
    SBL_TRY(check_pixels(&ours, err));
    const size_t classes = ours.labels == NULL ? 0 : ours.classes != 0 ? (size_t)ours.classes : USUAL_CLASSES;
    SBL_TRY(sbl_data_make(&made, SBL_DATA_IMAGES, name, NULL, err));
    sbl_image_facts *facts = &made->facts;
    SBL_TRY(sbl_image_facts_init(facts, (size_t)ours.height, (size_t)ours.width,
                                 ours.channels != 0 ? (size_t)ours.channels : 1, classes, ours.class_names,
                                 err));
    made->balanced = ours.balanced;
    made->buffers = (sbl_image_buffers){.shape = {facts->height, facts->width, facts->channels},
                                        .count = (size_t)ours.count,
                                        .classes = classes,
                                        .class_names = facts->names,
                                        .pixels = ours.pixels,
                                        .labels = ours.labels};
    made->images = (sbl_image_place){.images = made->name, .memory = &made->buffers};
    *data = made;
    made = NULL;
done:
    sbl_data_free(made);
    return status;
}
