/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the combinations of three categorical columns. Where nearly every row has a combination of two whose third value is nearly
 * always the same, the two determine the third: city by postcode and country. Reported only if neither does so alone. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "owner/inspect/rule_follows.h"

#define WHAT "constraints"
#define MOST_COLUMNS 10      /* with categories */
#define MOST_CATEGORIES 1000 /* of one of them */
#define MOST_CELLS 40000     /* of three columns */
#define MOST_ALL 1000000     /* of all threes */
#define MOST_PARTS 12        /* constraints of one rule */
#define LONGEST 900          /* bytes of a condition: the language allows 1000 for a constraint */
#define MOST_ITEMS 40        /* categories of a condition: the language allows 256 steps */
#define ALL_ROWS 0.99        /* have a combination that leads somewhere */
#define ALONE 0.95           /* of the rows, at most, follow from one of the two columns */

/* Three columns of the view; rows by their categories. */
typedef struct triple {
    size_t columns[3];
    size_t sizes[3];      /* categories */
    sbl_rule_cell *cells; /* (sizes) */
} triple;

struct sbl_rule_joint {
    const sbl_rule_view *view;
    triple *triples;
    size_t count;
};

/* A way to look at three columns: which two may determine which. */
typedef struct side {
    const triple *of;
    size_t a, b, to; /* 0 to 2; a has at most the categories of b */
    size_t *leads;   /* (categories of a, of b): the code that follows, or NONE */
    uint64_t rows, kept, all;
    double use;
} side;

#define NONE SIZE_MAX

static size_t cell_count(const triple *t) { return t->sizes[0] * t->sizes[1] * t->sizes[2]; }

static const sbl_rule_cell *cell_at(const side *s, size_t i, size_t j, size_t code)
{
    size_t at[3];
    at[s->a] = i;
    at[s->b] = j;
    at[s->to] = code;
    return &s->of->cells[(at[0] * s->of->sizes[1] + at[1]) * s->of->sizes[2] + at[2]];
}

/* ---- counting ---- */

static size_t find_columns(size_t columns[MOST_COLUMNS], const sbl_rule_view *view)
{
    size_t count = 0;
    for (size_t c = 0; c < view->count && count < MOST_COLUMNS; c++) {
        const sbl_rule_column *column = &view->columns[c];
        if (column->used && column->table == NULL && column->facts->kind == SBL_COLUMN_CATEGORY &&
            column->facts->categories.count >= 2 && column->facts->categories.count <= MOST_CATEGORIES)
            columns[count++] = c;
    }
    return count;
}

static sbl_status add_triple(sbl_rule_joint *joint, size_t *all, const size_t columns[3], sbl_error *err)
{
    triple *made = &joint->triples[joint->count];
    for (size_t i = 0; i < 3; i++) {
        made->columns[i] = columns[i];
        made->sizes[i] = joint->view->columns[columns[i]].facts->categories.count;
    }
    const size_t cells = cell_count(made);
    if (cells > MOST_CELLS || *all + cells > MOST_ALL) return SBL_OK;
    made->cells = sbl_alloc_array(cells, sizeof *made->cells);
    if (made->cells == NULL) return sbl_no_memory(err, WHAT);
    *all += cells;
    joint->count++;
    return SBL_OK;
}

sbl_status sbl_rule_joint_new(sbl_rule_joint **made, const sbl_rule_view *view, sbl_error *err)
{
    size_t columns[MOST_COLUMNS], all = 0;
    const size_t count = find_columns(columns, view);
    sbl_rule_joint *joint = NULL;
    sbl_status status = SBL_OK;
    *made = NULL;
    SBL_ALLOC(joint, 1, WHAT);
    joint->view = view;
    SBL_ALLOC(joint->triples, count * count * count / 6 + 1, WHAT);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            for (size_t k = j + 1; k < count; k++)
                SBL_TRY(add_triple(joint, &all, (size_t[]){columns[i], columns[j], columns[k]}, err));
    *made = joint;
    joint = NULL;
done:
    sbl_rule_joint_free(joint);
    return status;
}

void sbl_rule_joint_free(sbl_rule_joint *joint)
{
    if (joint == NULL) return;
    for (size_t i = 0; joint->triples != NULL && i < joint->count; i++)
        sbl_free_wiped(joint->triples[i].cells, cell_count(&joint->triples[i]) * sizeof(sbl_rule_cell));
    sbl_free(joint->triples);
    sbl_free(joint);
}

void sbl_rule_joint_take(sbl_rule_joint *joint, const sbl_rule_block *block)
{
    for (size_t i = 0; i < joint->count; i++) {
        const triple *t = &joint->triples[i];
        for (size_t row = 0; row < block->rows; row++) {
            const double *values = block->values + row * joint->view->count;
            const double a = values[t->columns[0]], b = values[t->columns[1]], c = values[t->columns[2]];
            if (isnan(a) || isnan(b) || isnan(c)) continue;
            sbl_rule_cell *cell = &t->cells[((size_t)a * t->sizes[1] + (size_t)b) * t->sizes[2] + (size_t)c];
            cell->rows++;
            cell->persons |= sbl_rule_person_bit(block->persons[row]);
        }
    }
}

/* ---- what holds ---- */

/* The share of the rows whose value is the most frequent one for their category in one of the two columns. */
static double alone(const side *s, bool by_a)
{
    const size_t *sizes = s->of->sizes;
    const size_t outer = by_a ? sizes[s->a] : sizes[s->b], inner = by_a ? sizes[s->b] : sizes[s->a];
    uint64_t good = 0;
    for (size_t i = 0; i < outer; i++) {
        uint64_t most = 0;
        for (size_t code = 0; code < sizes[s->to]; code++) {
            uint64_t rows = 0;
            for (size_t j = 0; j < inner; j++) rows += cell_at(s, by_a ? i : j, by_a ? j : i, code)->rows;
            most = rows > most ? rows : most;
        }
        good += most;
    }
    return (double)good / (double)s->all;
}

/* Out: shares  of all rows, by code */
static void count_codes(side *s, double shares[SBL_FOLLOWS_FEW])
{
    uint64_t rows[SBL_FOLLOWS_FEW] = {0};
    for (size_t code = 0; code < s->of->sizes[s->to]; code++)
        for (size_t i = 0; i < s->of->sizes[s->a]; i++)
            for (size_t j = 0; j < s->of->sizes[s->b]; j++) rows[code] += cell_at(s, i, j, code)->rows;
    for (size_t code = 0; code < s->of->sizes[s->to]; code++) s->all += rows[code];
    for (size_t code = 0; code < s->of->sizes[s->to]; code++)
        shares[code] = s->all > 0 ? (double)rows[code] / (double)s->all : 1;
}

/* The code that a combination leads to: enough rows of enough persons, nearly all of them, and not by chance. */
static void find_lead(side *s, size_t i, size_t j, const double *shares)
{
    uint64_t rows = 0;
    size_t best = 0;
    for (size_t code = 0; code < s->of->sizes[s->to]; code++) {
        rows += cell_at(s, i, j, code)->rows;
        if (cell_at(s, i, j, code)->rows > cell_at(s, i, j, best)->rows) best = code;
    }
    const sbl_rule_cell *most = cell_at(s, i, j, best);
    const bool leads = rows >= SBL_RULE_ROWS && sbl_rule_nearly(most->rows, rows) &&
                       sbl_rule_persons_suffice(most->persons) &&
                       (double)most->rows * -log(shares[best]) >= SBL_RULE_SURPRISE;
    s->leads[i * s->of->sizes[s->b] + j] = leads ? best : NONE;
    if (!leads) return;
    s->rows += rows;
    s->kept += most->rows;
    s->use += (double)rows / (double)s->all * (1 - shares[best]);
}

/* Does it hold that two of the columns determine the third, and not one of them? */
static bool holds(side *s)
{
    double shares[SBL_FOLLOWS_FEW];
    if (s->of->sizes[s->to] > SBL_FOLLOWS_FEW) return false;
    count_codes(s, shares);
    if (s->all == 0 || alone(s, true) > ALONE || alone(s, false) > ALONE) return false;
    for (size_t i = 0; i < s->of->sizes[s->a]; i++)
        for (size_t j = 0; j < s->of->sizes[s->b]; j++) find_lead(s, i, j, shares);
    return (double)s->rows >= ALL_ROWS * (double)s->all;
}

/* ---- how it reads ---- */

static const sbl_rule_column *column_of(const sbl_rule_joint *joint, const side *s, size_t which)
{
    return &joint->view->columns[s->of->columns[which]];
}

/* A condition that grows until it is as long as a constraint can be. */
typedef struct condition {
    sbl_text text;
    size_t items;
    bool bad; /* a name that no constraint can hold */
} condition;

static sbl_status end_part(json_t *parts, condition *c, const sbl_rule_joint *joint, const side *s,
                           size_t code, sbl_error *err)
{
    const sbl_rule_column *to = column_of(joint, s, s->to);
    sbl_text text = {0};
    sbl_status status = SBL_OK;
    if (c->items == 0) goto done;
    sbl_text_printf(&text, "if %s then ", c->text.data);
    c->bad = !sbl_rule_name(&text, to) || c->bad;
    sbl_text_printf(&text, " = ");
    c->bad = !sbl_rule_category(&text, to->facts->categories.items[code]) || c->bad;
    SBL_TRY(sbl_text_check(&text, WHAT, err));
    if (json_array_append_new(parts, json_string(text.data)) != 0) SBL_TRY(sbl_no_memory(err, WHAT));
done:
    sbl_text_clear(&text);
    sbl_text_clear(&c->text);
    c->items = 0;
    return status;
}

/* (a = 'x' and b in ('y', 'z')): all of b that lead to a code where a is i. Out: items  how many; 0: none */
static bool put_term(sbl_text *term, size_t *items, const sbl_rule_joint *joint, const side *s, size_t i,
                     size_t code)
{
    const sbl_rule_column *a = column_of(joint, s, s->a), *b = column_of(joint, s, s->b);
    const size_t count = s->of->sizes[s->b];
    bool good = true;
    *items = 0;
    sbl_text_printf(term, "(");
    good = sbl_rule_name(term, a) && good;
    sbl_text_printf(term, " = ");
    good = sbl_rule_category(term, a->facts->categories.items[i]) && good;
    sbl_text_printf(term, " and ");
    good = sbl_rule_name(term, b) && good;
    sbl_text_printf(term, " in (");
    for (size_t j = 0; j < count; j++) {
        if (s->leads[i * count + j] != code) continue;
        sbl_text_printf(term, "%s", (*items)++ > 0 ? ", " : "");
        good = sbl_rule_category(term, b->facts->categories.items[j]) && good;
    }
    sbl_text_printf(term, "))");
    return good;
}

/* The constraints of a code. A term that is too long alone leaves the rule without it, and so unreported. */
static sbl_status add_parts(json_t *parts, bool *bad, const sbl_rule_joint *joint, const side *s, size_t code,
                            sbl_error *err)
{
    condition c = {0};
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < s->of->sizes[s->a] && status == SBL_OK; i++) {
        sbl_text term = {0};
        size_t items;
        c.bad = !put_term(&term, &items, joint, s, i, code) || c.bad;
        if (items > 0 && (term.failed || term.length > LONGEST || items > MOST_ITEMS)) c.bad = true;
        if (items > 0 && !c.bad) {
            if (c.items > 0 && (c.text.length + term.length > LONGEST || c.items + items > MOST_ITEMS))
                status = end_part(parts, &c, joint, s, code, err);
            sbl_text_printf(&c.text, "%s%s", c.items > 0 ? " or " : "", term.data);
            c.items += items;
        }
        sbl_text_clear(&term);
    }
    if (status == SBL_OK) status = end_part(parts, &c, joint, s, code, err);
    sbl_text_clear(&c.text);
    *bad = *bad || c.bad;
    return status;
}

static sbl_status report(sbl_found_rules *found, const sbl_rule_joint *joint, const side *s, sbl_error *err)
{
    json_t *parts = json_array();
    sbl_text words = {0};
    bool bad = false;
    sbl_status status = SBL_OK;
    if (parts == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
    for (size_t code = 0; code < s->of->sizes[s->to]; code++)
        SBL_TRY(add_parts(parts, &bad, joint, s, code, err));
    if (bad || json_array_size(parts) == 0 || json_array_size(parts) > MOST_PARTS) goto done;
    (void)sbl_rule_name(&words, column_of(joint, s, s->a));
    sbl_text_printf(&words, " and ");
    (void)sbl_rule_name(&words, column_of(joint, s, s->b));
    sbl_text_printf(&words, " together determine ");
    (void)sbl_rule_name(&words, column_of(joint, s, s->to));
    SBL_TRY(sbl_text_check(&words, WHAT, err));
    SBL_TRY(sbl_found_rules_add(found, json_incref(parts), words.data, s->kept, s->rows, s->use, err));
done:
    json_decref(parts);
    sbl_text_clear(&words);
    return status;
}

/* Does a column follow from a single one of the others? Then that is said, and nothing of two. */
static bool follows_from_one(const sbl_rule_joint *joint, size_t column)
{
    for (size_t i = 0; i < joint->count; i++)
        for (size_t to = 0; to < 3; to++) {
            side s = {.of = &joint->triples[i], .a = (to + 1) % 3, .b = (to + 2) % 3, .to = to};
            double shares[SBL_FOLLOWS_FEW];
            if (s.of->columns[to] != column) continue;
            count_codes(&s, shares);
            if (s.all > 0 && (alone(&s, true) >= ALL_ROWS || alone(&s, false) >= ALL_ROWS)) return true;
        }
    return false;
}

/* Where several of the three follow from the others, the most useful rule says it. */
static sbl_status finish_triple(sbl_found_rules *found, const sbl_rule_joint *joint, const triple *t,
                                sbl_error *err)
{
    side sides[3] = {{0}};
    const side *best = NULL;
    sbl_status status = SBL_OK;
    for (size_t to = 0; to < 3; to++) {
        const size_t x = (to + 1) % 3, y = (to + 2) % 3;
        const bool smaller = t->sizes[x] <= t->sizes[y];
        sides[to] = (side){.of = t, .a = smaller ? x : y, .b = smaller ? y : x, .to = to};
        SBL_ALLOC(sides[to].leads, t->sizes[x] * t->sizes[y], WHAT);
        if (holds(&sides[to]) && !follows_from_one(joint, t->columns[to]) &&
            (best == NULL || sides[to].use > best->use))
            best = &sides[to];
    }
    if (best != NULL) SBL_TRY(report(found, joint, best, err));
done:
    for (size_t to = 0; to < 3; to++) sbl_free(sides[to].leads);
    return status;
}

sbl_status sbl_rule_joint_finish(sbl_found_rules *found, sbl_rule_joint *joint, sbl_error *err)
{
    for (size_t i = 0; i < joint->count; i++) SBL_CHECK(finish_triple(found, joint, &joint->triples[i], err));
    return SBL_OK;
}
