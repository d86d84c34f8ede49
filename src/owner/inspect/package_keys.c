/* SPDX-License-Identifier: Apache-2.0 */
/* A key is a column without two equal values. A foreign key is a column whose values are keys of another file. The first reading finds
 * the keys, the second tries all pairs on the first rows, the third counts those that are left. Keys are compared as a fit compares
 * them (records/rows/unit_id.h). */
#include <string.h>

#include "base/alloc.h"
#include "owner/inspect/package_inspect.h"
#include "public/schema/calendar.h"
#include "records/rows/unit_id.h"

#define WHAT "keys"
#define FEW_REPEATS 20    /* rows, before a column is given up */
#define MOST_REPEATS 0.01 /* of the cells of a key: duplicates, which make one person of two rows */
#define LOOKED_AT 50      /* cells whose form is looked at */
#define FIRST_ROWS 2000   /* that decide which pairs are counted */
#define MAYBE 0.5         /* of them must be keys */
#define MOST_LINKS 4096

/* ---- files ---- */

static sbl_status open_file(sbl_inspected_file *file, sbl_data *data, const char *name,
                            sbl_progress_listener *listener, sbl_error *err)
{
    SBL_CHECK(sbl_data_keep(data, err));
    file->name = name;
    file->data = data;
    file->table = data->table;
    file->table.listener = listener;
    file->key = file->parent_key = SBL_NO_COLUMN;
    file->parent = SBL_NO_TABLE;
    file->dialect = SBL_DIALECT_USUAL;
    if (!file->table.can_rewind)
        return sbl_fail(err, SBL_EARG, "%s can be read only once: give a file", data->name);
    if (file->table.format->sniff == NULL) return SBL_OK;
    return file->table.format->sniff(&file->dialect, &file->table, &data->written, err);
}

sbl_status sbl_inspected_files_open(sbl_inspected_files *files, sbl_data *data, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(files->items, data->linked_count, WHAT);
    files->listener.progress = data->progress;
    files->listener.context = data->context;
    for (size_t i = 0; i < data->linked_count; i++) {
        files->count++;
        SBL_TRY(
            open_file(&files->items[i], data->linked[i], data->linked_names.items[i], &files->listener, err));
    }
done:
    return status;
}

void sbl_inspected_files_clear(sbl_inspected_files *files)
{
    for (size_t f = 0; f < files->count; f++) {
        sbl_inspected_file *file = &files->items[f];
        for (size_t c = 0; file->keys != NULL && c < file->columns.count; c++)
            sbl_tag_table_clear(&file->keys[c].tags);
        sbl_free(file->keys);
        sbl_strings_clear(&file->columns);
    }
    for (size_t i = 0; i < files->link_count; i++) sbl_free(files->links[i].children);
    sbl_free(files->items);
    sbl_free(files->links);
    *files = (sbl_inspected_files){0};
}

/* ---- cells ---- */

/* The value of a cell without blanks; false: it has none. */
static bool value_of(const char **text, size_t *length, char own[SBL_CELL_OWN_TEXT], const sbl_cell *cell)
{
    *text = sbl_cell_text(length, own, cell);
    if (*text == NULL) return false;
    *text = sbl_trim(*text, length);
    return *length > 0 && sbl_inspect_mark_of(*text, *length) != SBL_MARK_SURE;
}

static sbl_unit_tag tag_of(const char *text, size_t length)
{
    static const uint8_t key[SBL_SIPHASH_KEY_SIZE] = {0};
    return sbl_unit_id_of(key, text, length);
}

static size_t digits_of(const char *text, size_t length)
{
    size_t digits = 0;
    for (size_t i = 0; i < length; i++) digits += text[i] >= '0' && text[i] <= '9';
    return digits;
}

/* A date, or a number with a fraction: neither names a row. */
static bool is_odd(const char *text, size_t length)
{
    int64_t seconds;
    const size_t digits = digits_of(text, length);
    if (digits + 1 == length && digits > 0 && (memchr(text, '.', length) || memchr(text, ',', length)))
        return true;
    for (int way = 0; digits < length && way < SBL_DATE_WAYS; way++)
        if (sbl_date_way_read(&seconds, way, text, length)) return true;
    return false;
}

static void drop(sbl_key_column *column)
{
    column->dropped = true;
    sbl_tag_table_clear(&column->tags);
}

/* False: out of memory. */
static bool take_key(sbl_key_column *column, const char *text, size_t length)
{
    column->cells++;
    const size_t digits = digits_of(text, length);
    column->plain += digits == length;
    column->zero_led += digits == length && length > 1 && *text == '0';
    column->pointed += digits + 1 == length && length > 2 && memcmp(text + length - 2, ".0", 2) == 0;
    if (column->looked < LOOKED_AT) {
        column->looked++;
        column->odd += is_odd(text, length);
    }
    if (column->dropped) return true;
    uint64_t *number = sbl_tag_table_at(&column->tags, tag_of(text, length));
    if (number == NULL) return false;
    column->repeated += *number != 0;
    if (*number == 0) *number = column->tags.count;
    if ((double)column->repeated > FEW_REPEATS + MOST_REPEATS * (double)column->cells) drop(column);
    return true;
}

/* A file, row by row, up to a number of rows. */
typedef struct sbl_key_reading sbl_key_reading;
struct sbl_key_reading {
    sbl_inspected_files *files;
    size_t file;
    uint64_t limit; /* of rows; 0: all */
    /* Takes a value. False: out of memory. */
    bool (*take)(sbl_key_reading *reading, size_t column, const char *text, size_t length);
};

static sbl_status read_file(sbl_key_reading *reading, uint64_t *rows, sbl_error *err)
{
    const sbl_inspected_file *file = &reading->files->items[reading->file];
    char own[SBL_CELL_OWN_TEXT];
    sbl_cell_reader row = {0};
    sbl_status status = SBL_OK;
    *rows = 0;
    SBL_TRY(sbl_cell_reader_open(&row, &file->table, &file->dialect, err));
    if (row.names.count != file->columns.count) SBL_TRY(sbl_source_has_changed(file->table.name, err));
    for (bool more = true; reading->limit == 0 || *rows < reading->limit; (*rows)++) {
        SBL_TRY(sbl_cell_reader_next(&row, &more, err));
        if (!more) break;
        for (size_t c = 0; c < row.names.count; c++) {
            const char *text;
            size_t length;
            if (value_of(&text, &length, own, &row.cells[c]) && !reading->take(reading, c, text, length))
                SBL_TRY(sbl_no_memory(err, WHAT));
        }
    }
done:
    sbl_wipe(own, sizeof own);
    sbl_cell_reader_close(&row);
    return status;
}

/* ---- the first reading: keys ---- */

static bool take_first(sbl_key_reading *reading, size_t column, const char *text, size_t length)
{
    return take_key(&reading->files->items[reading->file].keys[column], text, length);
}

static sbl_status read_names(sbl_inspected_file *file, sbl_error *err)
{
    sbl_cell_reader row = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_cell_reader_open(&row, &file->table, &file->dialect, err));
    if (!sbl_strings_reserve(&file->columns, row.names.count)) SBL_TRY(sbl_no_memory(err, WHAT));
    for (size_t i = 0; i < row.names.count; i++)
        if (!sbl_strings_add(&file->columns, row.names.items[i])) SBL_TRY(sbl_no_memory(err, WHAT));
    SBL_ALLOC(file->keys, file->columns.count, WHAT);
done:
    sbl_cell_reader_close(&row);
    return status;
}

/* May it name rows, and does no value come twice, but for a few? */
static void decide_key(sbl_inspected_file *file, size_t c)
{
    sbl_key_column *column = &file->keys[c];
    column->missing = file->rows - column->cells;
    const double few = MOST_REPEATS * (double)file->rows;
    if (column->cells == 0 || (double)column->repeated > few || (double)column->missing > few ||
        2 * column->odd > column->looked || file->columns.items[c][0] == '\0')
        drop(column);
}

static sbl_status find_keys(sbl_inspected_files *files, sbl_error *err)
{
    for (size_t f = 0; f < files->count; f++) {
        sbl_inspected_file *file = &files->items[f];
        sbl_key_reading reading = {files, f, 0, take_first};
        SBL_CHECK(read_names(file, err));
        SBL_CHECK(read_file(&reading, &file->rows, err));
        if (file->rows == 0) return sbl_fail(err, SBL_EINPUT, "%s has no rows to inspect", file->table.name);
        for (size_t c = 0; c < file->columns.count; c++) decide_key(file, c);
    }
    return SBL_OK;
}

/* ---- the second and the third: links ---- */

static bool take_link(sbl_key_reading *reading, size_t column, const char *text, size_t length)
{
    const sbl_unit_tag tag = tag_of(text, length);
    for (size_t i = 0; i < reading->files->link_count; i++) {
        sbl_key_link *link = &reading->files->links[i];
        if (link->from != reading->file || link->column != column) continue;
        const uint64_t *number =
            sbl_tag_table_find(&reading->files->items[link->to].keys[link->key].tags, tag);
        link->cells++;
        if (number == NULL) continue;
        link->found++;
        if (link->children == NULL) continue;
        link->named += link->children[*number] == 0;
        link->children[*number] += link->children[*number] < UINT32_MAX;
    }
    return true;
}

static sbl_status add_links(sbl_inspected_files *files, size_t from, size_t column, sbl_error *err)
{
    const sbl_key_column *own = &files->items[from].keys[column];
    if (own->cells == 0 || 2 * own->odd > own->looked) return SBL_OK;
    for (size_t to = 0; to < files->count; to++)
        for (size_t key = 0; to != from && key < files->items[to].columns.count; key++) {
            if (files->items[to].keys[key].dropped) continue;
            if (files->link_count == MOST_LINKS)
                return sbl_fail(
                    err, SBL_EINPUT,
                    "too many columns may be keys: leave out files or columns that are not linked");
            files->links[files->link_count++] =
                (sbl_key_link){.from = from, .column = column, .to = to, .key = key};
        }
    return SBL_OK;
}

/* Keep links whose first rows are keys, and make room to count the children of each key. */
static sbl_status keep_links(sbl_inspected_files *files, sbl_error *err)
{
    size_t kept = 0;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < files->link_count; i++) {
        sbl_key_link link = files->links[i];
        if (link.found == 0 || (double)link.found < MAYBE * (double)link.cells) continue;
        link.cells = link.found = 0;
        files->links[kept++] = link;
    }
    files->link_count = kept;
    for (size_t i = 0; i < kept; i++) {
        const sbl_key_link *link = &files->links[i];
        SBL_ALLOC(files->links[i].children, files->items[link->to].keys[link->key].tags.count + 1, WHAT);
    }
done:
    return status;
}

sbl_status sbl_package_find_links(sbl_inspected_files *files, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(find_keys(files, err));
    SBL_ALLOC(files->links, MOST_LINKS, WHAT);
    for (size_t f = 0; f < files->count; f++)
        for (size_t c = 0; c < files->items[f].columns.count; c++) SBL_TRY(add_links(files, f, c, err));
    for (int turn = 0; turn < 2; turn++) {
        for (size_t f = 0; f < files->count; f++) {
            sbl_key_reading reading = {files, f, turn == 0 ? FIRST_ROWS : 0, take_link};
            uint64_t rows;
            SBL_TRY(read_file(&reading, &rows, err));
        }
        if (turn == 0) SBL_TRY(keep_links(files, err));
    }
done:
    return status;
}

static sbl_unit_tag key_in(const sbl_cell_reader *row, size_t column)
{
    char own[SBL_CELL_OWN_TEXT];
    const char *text;
    size_t length;
    const bool has = column != SBL_NO_COLUMN && value_of(&text, &length, own, &row->cells[column]);
    const sbl_unit_tag tag = has ? tag_of(text, length) : (sbl_unit_tag){0};
    sbl_wipe(own, sizeof own);
    return tag;
}

sbl_status sbl_package_read_pairs(sbl_key_pairs *pairs, const sbl_inspected_file *file, size_t own,
                                  size_t parent, sbl_error *err)
{
    sbl_cell_reader row = {0};
    bool more = true;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_cell_reader_open(&row, &file->table, &file->dialect, err));
    if (row.names.count != file->columns.count) SBL_TRY(sbl_source_has_changed(file->table.name, err));
    for (;;) {
        SBL_TRY(sbl_cell_reader_next(&row, &more, err));
        if (!more) break;
        pairs->take(pairs, key_in(&row, own), key_in(&row, parent));
    }
done:
    sbl_cell_reader_close(&row);
    return status;
}
