/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables as a sink: rows are taken apart by their table, and each table is a sink of its own, with its own
 * facts. Persons come whole and are written whole, so that every row's parent is written, too: a foreign key is made
 * from the number of the row that it names, and names nothing else. */
#include <string.h>
#include <unistd.h>

#include "after/sinks/output_folder.h"
#include "after/sinks/sink.h"
#include "base/alloc.h"
#include "base/file.h"
#include "public/rules/rules.h"

#define CHUNK_ROWS 4096
#define COPY_BYTES ((size_t)64 << 10)
/* Each table has its own random stream, so that their fakes and repairs are not copies of each other. */
#define SEED_STEP UINT64_C(0xD1B54A32D192ED03)

typedef struct linked_part {
    sbl_sink *sink;
    const sbl_facts *facts;          /* of the table, borrowed */
    size_t first_number, first_code; /* where its own columns begin in a wide row */
    sbl_drawn rows;                  /* that wait */
    size_t waiting;
} linked_part;

typedef struct package_sink {
    linked_part *parts;
    size_t count;
    bool remembers; /* constraints name columns of other tables: all parts are written together */
    bool begun;
    bool to_files;
    sbl_package_files files;
    bool overwrite;
    bool made; /* the folder was made for them */
} package_sink;

/* ---- rows ---- */

/* The seed is known by the first write. */
static void begin(const sbl_sink *sink)
{
    package_sink *package = sink->state;
    for (size_t t = 0; !package->begun && t < package->count; t++) {
        sbl_sink *part = package->parts[t].sink;
        part->seed = sink->seed + SEED_STEP * t;
        part->most = part->most_persons = UINT64_MAX;
    }
    package->begun = true;
}

static sbl_status flush(linked_part *part, sbl_error *err)
{
    const size_t rows = part->waiting;
    part->waiting = 0;
    return rows > 0 ? sbl_sink_write(part->sink, &part->rows, rows, err) : SBL_OK;
}

/* Parents before children; then no row is waiting. */
static sbl_status flush_all(const package_sink *package, sbl_error *err)
{
    for (size_t t = 0; t < package->count; t++) SBL_CHECK(flush(&package->parts[t], err));
    return SBL_OK;
}

/* A person ends: where rows are remembered and some table has little room left, all are written, and none of them
 * is looked at again. */
static sbl_status end_person(const package_sink *package, const sbl_schema *schema, sbl_error *err)
{
    bool room = true;
    for (size_t t = 0; t < package->count; t++) {
        const linked_part *part = &package->parts[t];
        const size_t most = t == 0 ? 1 : (size_t)schema->tables[t].rows_per_unit;
        room = room && part->rows.rows - part->waiting >= most;
    }
    if (room || !package->remembers) return SBL_OK;
    SBL_CHECK(flush_all(package, err));
    for (size_t t = 0; t < package->count; t++) sbl_sink_forget(package->parts[t].sink);
    return SBL_OK;
}

static sbl_status put_row(const sbl_sink *sink, const sbl_drawn *records, size_t row, sbl_error *err)
{
    const package_sink *package = sink->state;
    const sbl_heads *wide = &sink->facts->heads;
    if (records->tables[row] >= package->count)
        return sbl_fail(err, SBL_EINTERNAL, "a row was drawn for a table that does not exist");
    linked_part *part = &package->parts[records->tables[row]];
    const sbl_heads *own = &part->facts->heads;
    const size_t to = part->waiting++;
    memcpy(part->rows.numeric + to * own->numeric_count,
           records->numeric + row * wide->numeric_count + part->first_number,
           own->numeric_count * sizeof *records->numeric);
    memcpy(part->rows.codes + to * own->categorical_count,
           records->codes + row * wide->categorical_count + part->first_code,
           own->categorical_count * sizeof *records->codes);
    part->rows.numbers[to] = records->numbers[row];
    part->rows.parents[to] = part->rows.persons[to] = records->parents[row];
    if (part->waiting < part->rows.rows) return SBL_OK;
    return package->remembers ? flush_all(package, err) : flush(part, err);
}

static sbl_status write_persons(sbl_sink *sink, const sbl_drawn *records, size_t rows, sbl_error *err)
{
    const package_sink *package = sink->state;
    begin(sink);
    for (size_t row = 0; row < rows; row++) {
        if (row == 0 || records->persons[row] != records->persons[row - 1]) {
            if (sink->persons >= sink->most_persons || sink->written >= sink->most) break;
            sink->persons++;
            SBL_CHECK(end_person(package, sink->facts->declared, err));
        }
        SBL_CHECK(put_row(sink, records, row, err));
        sink->written++;
    }
    return SBL_OK;
}

/* ---- files ---- */

static sbl_status write_text(sbl_pending_file *file, const char *path, const char *text, bool overwrite,
                             sbl_error *err)
{
    const sbl_file_write_options options = {.mode = 0644, .overwrite = overwrite};
    const sbl_status status = sbl_file_begin(file, path, options, err);
    return status == SBL_OK ? sbl_write_all(file->descriptor, text, strlen(text), path, err) : status;
}

static sbl_status copy_file(sbl_pending_file *file, const char *path, const char *original, bool overwrite,
                            sbl_error *err)
{
    const sbl_file_write_options options = {.mode = 0644, .overwrite = overwrite};
    uint8_t *bytes = NULL;
    size_t size;
    sbl_status status = sbl_file_begin(file, path, options, err);
    if (status == SBL_OK) status = sbl_file_read(&bytes, &size, original, SIZE_MAX - 1, err);
    if (status == SBL_OK) status = sbl_write_all(file->descriptor, bytes, size, path, err);
    sbl_free(bytes);
    return status;
}

/* The files, not yet in their places; *begun of them are, also on failure. */
static sbl_status end_files(sbl_pending_file *files, size_t *begun, const sbl_sink *sink, sbl_error *err)
{
    const package_sink *package = sink->state;
    const sbl_package_files *names = &package->files;
    char *text = NULL;
    sbl_status status = SBL_OK;
    for (size_t t = 0; t < names->tables; t++, ++*begun)
        SBL_TRY(sbl_sink_hand_over(package->parts[t].sink, &files[t], err));
    for (; *begun + 1 < names->count; ++*begun)
        SBL_TRY(copy_file(&files[*begun], names->paths[*begun].data,
                          names->originals[*begun - names->tables].data, package->overwrite, err));
    SBL_TRY(sbl_package_files_text(&text, names, sink->facts, err));
    SBL_TRY(write_text(&files[*begun], names->paths[*begun].data, text, package->overwrite, err));
    ++*begun;
done:
    sbl_free(text);
    return status;
}

/* The package itself comes last: where it is, all of its tables are. */
static sbl_status commit(const sbl_sink *sink, sbl_error *err)
{
    const package_sink *package = sink->state;
    const size_t count = package->files.count;
    size_t begun = 0;
    sbl_pending_file *files = NULL, **list = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(files, count, "files");
    SBL_ALLOC(list, count, "files");
    for (size_t i = 0; i < count; i++) list[i] = &files[i];
    SBL_TRY(end_files(files, &begun, sink, err));
    status = sbl_file_commit_all(list, count, err);
    begun = 0;
done:
    for (size_t i = 0; i < begun; i++) sbl_file_discard(&files[i]);
    sbl_free(files);
    sbl_free(list);
    return status;
}

static sbl_status finish_package(sbl_sink *sink, sbl_error *err)
{
    package_sink *package = sink->state;
    begin(sink);
    SBL_CHECK(flush_all(package, err));
    if (package->to_files) SBL_CHECK(commit(sink, err));
    return SBL_OK;
}

static void close_package(sbl_sink *sink)
{
    package_sink *package = sink->state;
    if (package == NULL) return;
    for (size_t t = 0; package->parts != NULL && t < package->count; t++) {
        sbl_sink_close(package->parts[t].sink);
        sbl_drawn_clear(&package->parts[t].rows, package->parts[t].facts);
    }
    sbl_free(package->parts);
    if (package->made) (void)rmdir(package->files.folder.data); /* stays where something is in it */
    sbl_package_files_clear(&package->files);
    sbl_free(package);
}

/* ---- opening ---- */

static const sbl_sink_kind package_kind = {write_persons, finish_package, close_package};

static sbl_status make_rows(linked_part *part, sbl_error *err)
{
    SBL_CHECK(sbl_drawn_make(&part->rows, part->facts, CHUNK_ROWS, false, err));
    SBL_CHECK(sbl_drawn_keep_persons(&part->rows, err));
    return sbl_drawn_keep_links(&part->rows, err);
}

static size_t local(const sbl_linked_table *table, size_t column)
{
    return column == SBL_NO_COLUMN ? column : column - table->first;
}

static sbl_status link_part(package_sink *package, const sbl_schema *schema, size_t t, sbl_error *err)
{
    const sbl_linked_table *table = &schema->tables[t];
    sbl_sink_links links = {.remembers = package->remembers,
                            .key = local(table, table->key),
                            .parent_key = local(table, table->parent_key),
                            .named = SBL_NO_COLUMN};
    if (table->parent != SBL_NO_TABLE) {
        const sbl_linked_table *parent = &schema->tables[table->parent];
        links.parent = package->parts[table->parent].sink;
        links.named = local(parent, parent->key);
        if (links.named == SBL_NO_COLUMN)
            return sbl_fail(err, SBL_EINTERNAL, "the parent of table '%s' has no key", table->name);
    }
    return sbl_sink_set_links(package->parts[t].sink, &links, err);
}

/* take NULL: into the files. */
static sbl_status open_parts(sbl_sink *sink, sbl_take_rows take, void *const *contexts, sbl_error *err)
{
    package_sink *package = sink->state;
    const sbl_facts *facts = sink->facts;
    const sbl_schema *schema = facts->declared;
    size_t numbers = 0, codes = 0;
    sbl_status status = SBL_OK;
    SBL_ALLOC(package->parts, schema->table_count, "a package");
    package->count = schema->table_count;
    for (size_t t = 0; t < package->count; t++)
        package->remembers = package->remembers || sbl_rules_look_above(facts->table_facts[t].rules);
    for (size_t t = 0; t < package->count; t++) {
        linked_part *part = &package->parts[t];
        part->facts = &facts->table_facts[t];
        part->first_number = numbers;
        part->first_code = codes;
        numbers += part->facts->heads.numeric_count;
        codes += part->facts->heads.categorical_count;
        SBL_TRY(make_rows(part, err));
        SBL_TRY(take != NULL ? sbl_sink_open_rows(&part->sink, part->facts, take, contexts[t], err)
                             : sbl_sink_open_table(&part->sink, package->files.paths[t].data, NULL,
                                                   part->facts, package->overwrite, err));
        SBL_TRY(link_part(package, schema, t, err));
    }
done:
    return status;
}

sbl_status sbl_sink_open_package(sbl_sink **sink, const sbl_package_folder *target, const sbl_facts *facts,
                                 bool overwrite, sbl_error *err)
{
    package_sink *package = NULL;
    sbl_sink *made = NULL;
    sbl_status status = SBL_OK;
    *sink = NULL;
    SBL_TRY(sbl_sink_new(&made, &package_kind, sizeof *package, facts, err));
    package = made->state;
    package->to_files = true;
    package->overwrite = overwrite;
    SBL_TRY(sbl_package_files_name(&package->files, target, facts, err));
    SBL_TRY(sbl_package_files_check(&package->files, overwrite, err));
    SBL_TRY(sbl_folder_make(&package->made, package->files.folder.data, err));
    SBL_TRY(open_parts(made, NULL, NULL, err));
    *sink = made;
    made = NULL;
done:
    sbl_sink_close(made);
    return status;
}

sbl_status sbl_sink_open_package_rows(sbl_sink **sink, const sbl_facts *facts, sbl_take_rows take,
                                      void *const *contexts, sbl_error *err)
{
    sbl_sink *made = NULL;
    sbl_status status = SBL_OK;
    *sink = NULL;
    SBL_TRY(sbl_sink_new(&made, &package_kind, sizeof(package_sink), facts, err));
    SBL_TRY(open_parts(made, take, contexts, err));
    *sink = made;
    made = NULL;
done:
    sbl_sink_close(made);
    return status;
}

const sbl_sink *sbl_sink_of_table(const sbl_sink *sink, size_t table)
{
    return ((const package_sink *)sink->state)->parts[table].sink;
}
