/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the table once more and puts rows with the same value of a column together, for each column that may be an id. What
 * the rows of a group have in common says whether the column names persons, whatever it is called: sex and date of birth
 * are constant within the rows of a person. NOT PRIVATE.
 *
 * Two kinds of constant columns say nothing. One that rises with the value is computed from it (an age group from an age, a
 * state from a postcode). One that has another value in each group names the same thing twice (a code and its text). */
#include "owner/inspect/inspect_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define MOST_CANDIDATES 8
#define MOST_CELLS 4000000 /* that are remembered, about */
#define LEAST_GROUPS 20
#define LEAST_APART 20     /* rows that would differ by chance, and do not */
#define MOST_DIFFER 0.05   /* as often as by chance, at most */
#define MOST_DISAGREE 0.02 /* of the groups */
#define ONE_TO_ONE 0.9     /* different values, per group */
#define IN_ORDER 0.5       /* changes from group to group, of those that come by chance */
#define TOGETHER 0.5       /* of the rows that are not the first of their group */
#define SAMPLE_BITS 32

typedef struct cell_hash {
    uint32_t value;
    bool differs;
} cell_hash;

/* The rows that share a value. */
typedef struct group {
    uint64_t hash;
    uint64_t rows;
    uint64_t place; /* where the value lies among the others: by number, or by its first bytes */
} group;

typedef struct candidate {
    size_t column;
    bool number;
    group *groups; /* (most) */
    cell_hash
        *cells;    /* (most * columns): of a group's first row, and whether another row has another value */
    size_t *slots; /* (slot_count): which group, from 1; 0: none */
    size_t slot_count;
    size_t count, most;
    size_t last;       /* the group that was made last */
    uint64_t previous; /* the hash of the row before */
    uint64_t follows;  /* rows that come directly after another one of their group */
    uint64_t later;    /* rows that are not the first of their group */
    uint64_t *differ;  /* (columns): of these, which differ from the first of their group */
    uint64_t *apart;   /* (columns): and from the first of another */
} candidate;

typedef struct reading {
    const sbl_inspect_column *columns;
    size_t count;
    uint64_t limit; /* groups with a hash below it are looked at */
    candidate *candidates;
    size_t candidate_count;
    uint32_t *row; /* (count): hashes of a row's cells */
} reading;

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a, then mixed: short texts, no enemy */
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    hash ^= hash >> 32;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

/* Eight bytes that sort as the values do: the number, or the end of the text, which is where ids of a length differ. */
static uint64_t place_of(const char *text, size_t length, bool number)
{
    uint64_t place = 0;
    const size_t from = !number && length > sizeof place ? length - sizeof place : 0;
    for (size_t i = from; i < length && number; i++)
        if (text[i] >= '0' && text[i] <= '9') place = place * 10 + (uint64_t)(text[i] - '0');
    for (size_t i = 0; i < sizeof place && !number; i++)
        place = place << 8 | (from + i < length ? (unsigned char)text[from + i] : 0u);
    return place;
}

/* ---- taking rows ---- */

/* The group of a value; NULL: none, and there is room for none. */
static group *group_of(candidate *c, uint64_t hash, bool *made)
{
    size_t slot = (size_t)(hash % c->slot_count);
    *made = false;
    for (; c->slots[slot] != 0; slot = (slot + 1) % c->slot_count)
        if (c->groups[c->slots[slot] - 1].hash == hash) return &c->groups[c->slots[slot] - 1];
    if (c->count == c->most) return NULL;
    c->groups[c->count] = (group){.hash = hash};
    c->slots[slot] = ++c->count;
    *made = true;
    return &c->groups[c->count - 1];
}

static void compare_row(candidate *c, size_t own, const uint32_t *row, size_t columns)
{
    cell_hash *first = c->cells + own * columns;
    const size_t other = own != c->last ? c->last : own > 0 ? own - 1 : own + 1;
    const cell_hash *others = other < c->count ? c->cells + other * columns : first;
    c->later++;
    for (size_t i = 0; i < columns; i++) {
        c->differ[i] += row[i] != first[i].value;
        c->apart[i] += row[i] != others[i].value;
        first[i].differs = first[i].differs || row[i] != first[i].value;
    }
}

static void take_row(reading *r, candidate *c, const char *text, size_t length)
{
    bool made;
    const uint64_t hash = hash_of(text, length);
    const bool follows = hash == c->previous;
    c->previous = hash;
    if (length == 0 || (hash >> (64 - SAMPLE_BITS)) >= r->limit) return;
    group *g = group_of(c, hash, &made);
    if (g == NULL) return;
    const size_t own = (size_t)(g - c->groups);
    g->rows++;
    if (!made) {
        c->follows += follows;
        compare_row(c, own, r->row, r->count);
        return;
    }
    g->place = place_of(text, length, c->number);
    for (size_t i = 0; i < r->count; i++) c->cells[own * r->count + i] = (cell_hash){r->row[i], false};
    c->last = own;
}

static sbl_status read_rows(reading *r, const sbl_table *table, const sbl_dialect *dialect, sbl_error *err)
{
    char own[SBL_CELL_OWN_TEXT];
    sbl_cell_reader cells = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_cell_reader_open(&cells, table, dialect, err));
    for (bool more = cells.names.count == r->count; more;) {
        size_t length;
        SBL_TRY(sbl_cell_reader_next(&cells, &more, err));
        for (size_t i = 0; more && i < r->count; i++) {
            const char *text = sbl_cell_text(&length, own, &cells.cells[i]);
            text = text != NULL ? sbl_trim(text, &length) : "";
            r->row[i] = (uint32_t)(hash_of(text, length) >> 16);
        }
        for (size_t c = 0; more && c < r->candidate_count; c++) {
            const char *text = sbl_cell_text(&length, own, &cells.cells[r->candidates[c].column]);
            if (text == NULL) continue;
            text = sbl_trim(text, &length);
            if (sbl_inspect_mark_of(text, length) == SBL_MARK_NOT)
                take_row(r, &r->candidates[c], text, length);
        }
    }
done:
    sbl_wipe(own, sizeof own);
    sbl_cell_reader_close(&cells);
    return status;
}

/* ---- what groups have in common ---- */

static bool is_constant(const candidate *c, size_t column, size_t columns)
{
    uint64_t disagree = 0;
    for (size_t g = 0; g < c->count; g++) disagree += c->cells[g * columns + column].differs;
    return c->apart[column] >= LEAST_APART &&
           (double)c->differ[column] <= MOST_DIFFER * (double)c->apart[column] &&
           (double)disagree <= MOST_DISAGREE * (double)c->count;
}

/* A group's value of a column, and its place. */
typedef struct placed {
    uint64_t place;
    uint32_t value;
} placed;

static int by_place(const void *a, const void *b)
{
    const placed *x = a;
    const placed *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

static int by_value(const void *a, const void *b)
{
    const placed *x = a;
    const placed *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

static size_t changes_in(const placed *list, size_t count)
{
    size_t changes = 0;
    for (size_t i = 1; i < count; i++) changes += list[i].value != list[i - 1].value;
    return changes;
}

/* Does a constant column say that groups are persons? list: room for all groups. */
static bool is_own(placed *list, const candidate *c, size_t column, size_t columns)
{
    for (size_t g = 0; g < c->count; g++)
        list[g] = (placed){c->groups[g].place, c->cells[g * columns + column].value};
    qsort(list, c->count, sizeof *list, by_place);
    const size_t changes = changes_in(list, c->count);
    qsort(list, c->count, sizeof *list, by_value);
    const size_t values = changes_in(list, c->count) + 1;
    const double by_chance = (double)c->apart[column] / (double)c->later * (double)(c->count - 1);
    return (double)values < ONE_TO_ONE * (double)c->count && (double)changes >= IN_ORDER * by_chance;
}

static sbl_status judge(sbl_inspect_group *found, const reading *r, const candidate *c, sbl_error *err)
{
    placed *list = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(list, c->count + 1, "a schema");
    for (size_t g = 0; g < c->count; g++) {
        found->rows += c->groups[g].rows;
        found->repeated += c->groups[g].rows > 1;
        if (c->groups[g].rows > found->most) found->most = c->groups[g].rows;
    }
    found->groups = c->count;
    found->together = (double)c->follows >= TOGETHER * (double)c->later;
    for (size_t i = 0; c->count >= LEAST_GROUPS && i < r->count; i++) {
        if (i == c->column || !is_constant(c, i, r->count)) continue;
        found->constants++;
        found->constant[i] = true;
        found->own += is_own(list, c, i, r->count);
    }
done:
    sbl_free(list);
    return status;
}

/* ---- all candidates ---- */

static void close_candidate(candidate *c, size_t columns)
{
    if (c->groups != NULL) sbl_free_wiped(c->groups, c->most * sizeof *c->groups);
    if (c->cells != NULL) sbl_free_wiped(c->cells, c->most * columns * sizeof *c->cells);
    sbl_free(c->slots);
    sbl_free(c->differ);
    sbl_free(c->apart);
}

static sbl_status open_candidate(candidate *c, const reading *r, size_t most, sbl_error *err)
{
    sbl_status status = SBL_OK;
    c->most = most;
    c->slot_count = 2 * most + 1;
    c->number = r->columns[c->column].kind == SBL_INSPECT_NUMBERS;
    SBL_ALLOC(c->groups, most, "a schema");
    SBL_ALLOC(c->cells, most * r->count, "a schema");
    SBL_ALLOC(c->slots, c->slot_count, "a schema");
    SBL_ALLOC(c->differ, r->count, "a schema");
    SBL_ALLOC(c->apart, r->count, "a schema");
done:
    return status;
}

/* Room for as many groups as memory allows; in larger tables, some groups are looked at. */
static sbl_status open_all(reading *r, const bool *may, uint64_t rows, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(r->candidates, MOST_CANDIDATES, "a schema");
    SBL_ALLOC(r->row, r->count, "a schema");
    for (size_t i = 0; i < r->count && r->candidate_count < MOST_CANDIDATES; i++)
        if (may[i]) r->candidates[r->candidate_count++].column = i;
    if (r->candidate_count == 0) goto done;
    const uint64_t room = MOST_CELLS / (r->count * r->candidate_count) + 1;
    const uint64_t all = UINT64_C(1) << SAMPLE_BITS;
    r->limit = room >= rows ? all : (uint64_t)((double)all * (double)room / (double)rows);
    for (size_t c = 0; c < r->candidate_count; c++)
        SBL_TRY(open_candidate(&r->candidates[c], r, (size_t)(room < rows ? room + room / 8 : rows), err));
done:
    return status;
}

sbl_status sbl_inspect_groups_read(sbl_inspect_group *found, const sbl_inspect_column *columns, size_t count,
                                   const bool *may, uint64_t rows, const sbl_table *table,
                                   const sbl_dialect *dialect, sbl_error *err)
{
    reading r = {.columns = columns, .count = count};
    sbl_status status = SBL_OK;
    SBL_TRY(open_all(&r, may, rows, err));
    if (r.candidate_count == 0) goto done;
    SBL_TRY(read_rows(&r, table, dialect, err));
    for (size_t c = 0; c < r.candidate_count; c++)
        SBL_TRY(judge(&found[r.candidates[c].column], &r, &r.candidates[c], err));
done:
    for (size_t c = 0; r.candidates != NULL && c < r.candidate_count; c++)
        close_candidate(&r.candidates[c], count);
    sbl_free(r.candidates);
    sbl_free(r.row);
    return status;
}

sbl_status sbl_inspect_groups_new(sbl_inspect_group **groups, size_t count, sbl_error *err)
{
    sbl_inspect_group *made = sbl_alloc_array(count, sizeof *made);
    bool failed = made == NULL;
    for (size_t i = 0; !failed && i < count; i++) {
        made[i].constant = sbl_alloc_array(count, sizeof *made[i].constant);
        failed = made[i].constant == NULL;
    }
    *groups = made;
    return failed ? sbl_no_memory(err, "a schema") : SBL_OK;
}

void sbl_inspect_groups_free(sbl_inspect_group *groups, size_t count)
{
    for (size_t i = 0; groups != NULL && i < count; i++) sbl_free(groups[i].constant);
    sbl_free(groups);
}
