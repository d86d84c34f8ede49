/* SPDX-License-Identifier: Apache-2.0 */
/* How many rows of each table belong to one person, by following keys up to the table of persons, and the notes that say why a package
 * is as it is. */
#include <inttypes.h>

#include "base/alloc.h"
#include "owner/inspect/package_inspect.h"

#define WHAT "keys"

/* Which person each key of a table belongs to: the number of the root's key, 0: none. */
typedef struct owners {
    uint32_t *items; /* (keys + 1) */
} owners;

typedef struct counting {
    sbl_key_pairs pairs;
    const sbl_tag_table *own; /* NULL: no table refers to it */
    const sbl_tag_table *parent;
    const uint32_t *parents; /* owners of the parent's keys */
    uint32_t *owners;        /* of its own */
    uint32_t *rows;          /* by person */
} counting;

static void take_row(sbl_key_pairs *pairs, sbl_unit_tag own, sbl_unit_tag parent)
{
    counting *c = (counting *)(void *)pairs;
    const uint64_t *above = sbl_tag_is_nobody(parent) ? NULL : sbl_tag_table_find(c->parent, parent);
    const uint32_t person = above != NULL ? c->parents[*above] : 0;
    if (person == 0) return;
    c->rows[person] += c->rows[person] < UINT32_MAX;
    if (c->own == NULL || sbl_tag_is_nobody(own)) return;
    const uint64_t *number = sbl_tag_table_find(c->own, own);
    if (number != NULL) c->owners[*number] = person;
}

static const sbl_tag_table *tags_of(const sbl_inspected_file *file)
{
    return file->key != SBL_NO_COLUMN ? &file->keys[file->key].tags : NULL;
}

static sbl_status count_file(sbl_inspected_files *files, size_t f, owners *all, size_t persons,
                             sbl_error *err)
{
    sbl_inspected_file *file = &files->items[f];
    counting c = {.pairs = {take_row}, .own = tags_of(file), .parent = tags_of(&files->items[file->parent])};
    sbl_status status = SBL_OK;
    c.parents = all[file->parent].items;
    SBL_ALLOC(c.rows, persons + 1, WHAT);
    SBL_ALLOC(all[f].items, (c.own != NULL ? c.own->count : 0) + 1, WHAT);
    c.owners = all[f].items;
    SBL_TRY(sbl_package_read_pairs(&c.pairs, file, file->key, file->parent_key, err));
    for (size_t p = 1; p <= persons; p++)
        if (c.rows[p] > file->most) file->most = c.rows[p];
done:
    sbl_free_wiped(c.rows, (persons + 1) * sizeof *c.rows);
    return status;
}

sbl_status sbl_package_count_rows(sbl_inspected_files *files, sbl_error *err)
{
    size_t order[SBL_MOST_TABLES];
    const size_t count = sbl_package_order(order, files);
    const size_t persons = tags_of(&files->items[order[0]])->count;
    owners *all = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(all, files->count, WHAT);
    SBL_ALLOC(all[order[0]].items, persons + 1, WHAT);
    for (size_t p = 1; p <= persons; p++) all[order[0]].items[p] = (uint32_t)p;
    files->items[order[0]].most = 1;
    for (size_t i = 1; i < count; i++) SBL_TRY(count_file(files, order[i], all, persons, err));
done:
    for (size_t f = 0; all != NULL && f < files->count; f++) sbl_free(all[f].items);
    sbl_free(all);
    return status;
}

uint64_t sbl_package_plain_rows(uint64_t most)
{
    static const uint64_t steps[] = {1, 2, 5};
    for (uint64_t ten = 1; ten < SBL_ROWS_PER_UNIT_MAX; ten *= 10)
        for (size_t i = 0; i < 3; i++)
            if (steps[i] * ten >= most) return steps[i] * ten;
    return SBL_ROWS_PER_UNIT_MAX;
}

/* ---- why ---- */

static void describe_root(sbl_text *notes, const sbl_inspected_file *file)
{
    const sbl_key_column *key = &file->keys[file->key];
    sbl_text_printf(
        notes,
        "%s: the table of persons, one row each: it holds no keys of other files, and others hold its '%s'\n",
        file->name, file->columns.items[file->key]);
    if (key->repeated > 0)
        sbl_text_printf(
            notes, "%s.%s: %.2g %% of the rows repeat a key: rows with the same key are one person\n",
            file->name, file->columns.items[file->key], 100.0 * (double)key->repeated / (double)key->cells);
}

static void describe_link(sbl_text *notes, const sbl_inspected_files *files, const sbl_inspected_file *file)
{
    const sbl_inspected_file *parent = &files->items[file->parent];
    const sbl_key_link *link = &files->links[file->link];
    sbl_text_printf(notes, "%s.%s refers to %s.%s: ", file->name, file->columns.items[file->parent_key],
                    parent->name, parent->columns.items[parent->key]);
    if (link->found == file->rows)
        sbl_text_printf(notes, "every row holds one of its keys");
    else
        sbl_text_printf(notes, "%.2f %% of the rows hold one of its keys, and the others belong to no person",
                        100.0 * (double)link->found / (double)file->rows);
    sbl_text_printf(notes, "; a person has up to %" PRIu64 " rows\n", file->most);
}

/* Keys of a table further up follow from the parent's row. */
static void describe_others(sbl_text *notes, const sbl_inspected_files *files, size_t f)
{
    const sbl_inspected_file *file = &files->items[f];
    for (size_t i = 0; i < files->link_count; i++) {
        const sbl_key_link *link = &files->links[i];
        if (!link->good || link->from != f || i == file->link || files->items[link->to].lookup) continue;
        sbl_text_printf(notes, "%s.%s: a key of %s, which follows from %s: left out\n", file->name,
                        file->columns.items[link->column], files->items[link->to].name,
                        file->columns.items[file->parent_key]);
    }
}

void sbl_package_describe(sbl_text *notes, const sbl_inspected_files *files)
{
    size_t order[SBL_MOST_TABLES];
    const size_t count = sbl_package_order(order, files);
    describe_root(notes, &files->items[order[0]]);
    for (size_t i = 1; i < count; i++) {
        describe_link(notes, files, &files->items[order[i]]);
        describe_others(notes, files, order[i]);
    }
}
