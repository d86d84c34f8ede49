/* SPDX-License-Identifier: Apache-2.0 */
/* Which relations of those that are left are reported, and how they read. */
#include <math.h>

#include "owner/inspect/rule_relations.h"

#define WHAT "constraints"
#define LEAST_TELLING 0.05 /* of the rows, in which a relation says something: no term is 0 */
#define LEAST_APART 20     /* mixed rows break an order: none of real ones would by chance, e^-20 */
#define FEWER_BROKEN 10    /* times fewer real rows than mixed ones break an order */
#define MOSTLY_APART 0.5   /* of mixed rows break an equation */
#define MOST_OFFSETS 3     /* values that a tolerance spans */
#define SURELY 0.999       /* of the rows: a tolerance is not made wider for the rest */

/* From which difference to which; kept: rows within, apart: mixed rows outside. */
typedef struct tolerance {
    int low, high;
    uint64_t kept, apart;
} tolerance;

static tolerance tolerance_at(const sbl_relation *r, int low, int high)
{
    tolerance t = {.low = low, .high = high, .apart = r->apart};
    for (int place = -SBL_RELATION_NEAR; place <= SBL_RELATION_NEAR; place++) {
        if (place >= low && place <= high)
            t.kept += r->near[place + SBL_RELATION_NEAR];
        else
            t.apart += r->mixed[place + SBL_RELATION_NEAR];
    }
    return t;
}

/* The narrowest that nearly all rows keep, one value wider where that makes a difference. */
static tolerance tolerance_of(const sbl_relation *r)
{
    tolerance best = {0};
    if (!sbl_relation_has_tolerance(r)) return (tolerance){0, 0, r->rows - r->broken, r->apart};
    for (int width = 0; width < MOST_OFFSETS; width++) {
        for (int low = -SBL_RELATION_NEAR; low + width <= SBL_RELATION_NEAR; low++) {
            const tolerance t = tolerance_at(r, low, low + width);
            if (t.kept > best.kept) best = t;
        }
        if ((double)best.kept >= SURELY * (double)r->rows) break;
    }
    return best;
}

static bool is_shown(const sbl_relation *r)
{
    const double rows = (double)r->rows;
    const tolerance t = tolerance_of(r);
    const bool order = r->kind == SBL_RELATION_ORDER;
    const double apart = (double)t.apart;
    return r->rows >= SBL_RULE_ROWS && sbl_rule_nearly(t.kept, r->rows) &&
           sbl_rule_persons_suffice(r->persons) &&
           (sbl_relation_has_tolerance(r) || (double)r->telling >= LEAST_TELLING * rows) &&
           (order ? apart >= LEAST_APART && apart >= FEWER_BROKEN * (double)r->broken
                  : apart >= MOSTLY_APART * rows);
}

static bool has_order(const sbl_rule_relations *s, size_t a, size_t b)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].kind == SBL_RELATION_ORDER && s->items[i].a == a && s->items[i].b == b) return true;
    return false;
}

/* Does an order follow from others, or from a sum of what is not negative? */
static bool is_implied(const sbl_rule_relations *s, const sbl_relation *r)
{
    for (size_t m = 0; m < s->view->count; m++)
        if (m != r->a && m != r->b && has_order(s, r->a, m) && has_order(s, m, r->b)) return true;
    for (size_t i = 0; i < s->count; i++) {
        const sbl_relation *sum = &s->items[i];
        if (sum->kind == SBL_RELATION_SUM && sum->c == r->b &&
            ((sum->a == r->a && sbl_relation_facts(s, sum->b)->minimum >= 0) ||
             (sum->b == r->a && sbl_relation_facts(s, sum->a)->minimum >= 0)))
            return true;
    }
    return false;
}

/* Does another relation say the same number better: by a narrower tolerance, or in more rows? */
static bool is_outdone(const sbl_rule_relations *s, const sbl_relation *r)
{
    const tolerance own = tolerance_of(r);
    for (size_t i = 0; i < s->count; i++) {
        const sbl_relation *other = &s->items[i];
        if (other == r || other->kind < SBL_RELATION_BORN || other->kind > SBL_RELATION_AGE ||
            other->c != r->c)
            continue;
        const tolerance t = tolerance_of(other);
        const int wider = (own.high - own.low) - (t.high - t.low);
        const double more = (double)t.kept / (double)other->rows - (double)own.kept / (double)r->rows;
        if (wider > 0 || (wider == 0 && (more > 0 || (more == 0 && other < r)))) return true;
    }
    return false;
}

static bool is_reported(const sbl_rule_relations *s, const sbl_relation *r)
{
    const sbl_rule_column *columns = s->view->columns;
    const bool third = r->kind != SBL_RELATION_ORDER && r->kind != SBL_RELATION_TOTAL;
    if (columns[r->a].table != NULL && columns[r->b].table != NULL && !(third && columns[r->c].table == NULL))
        return false;
    if (r->kind == SBL_RELATION_ORDER) return !is_implied(s, r);
    return r->kind < SBL_RELATION_BORN || r->kind > SBL_RELATION_AGE || !is_outdone(s, r);
}

/* ---- how it reads ---- */

/* A column, in a function where there is one. */
static bool put(sbl_text *text, const sbl_rule_relations *s, const char *function, size_t c)
{
    sbl_text_printf(text, "%s%s", function, *function != '\0' ? "(" : "");
    const bool good = sbl_rule_name(text, &s->view->columns[c]);
    sbl_text_printf(text, "%s", *function != '\0' ? ")" : "");
    return good;
}

/* The table's own column first. */
static bool put_order(sbl_text *text, const sbl_rule_relations *s, const sbl_relation *r)
{
    const bool turned = s->view->columns[r->a].table != NULL;
    const size_t first = turned ? r->b : r->a, second = turned ? r->a : r->b;
    const bool by_days = sbl_relation_facts(s, first)->kind != sbl_relation_facts(s, second)->kind;
    const char *functions[2] = {"", ""};
    if (by_days) functions[sbl_relation_facts(s, first)->kind == SBL_COLUMN_DATETIME ? 0 : 1] = "date";
    bool good = put(text, s, functions[0], first);
    sbl_text_printf(text, turned ? " >= " : " <= ");
    return put(text, s, functions[1], second) && good;
}

static bool put_right(sbl_text *text, const sbl_rule_relations *s, const sbl_relation *r)
{
    static const char *const between[] = {[SBL_RELATION_SUM] = " + ",
                                          [SBL_RELATION_PRODUCT] = " * ",
                                          [SBL_RELATION_DAYS] = " - ",
                                          [SBL_RELATION_BORN] = " - ",
                                          [SBL_RELATION_AGE] = " - "};
    const bool days = r->kind == SBL_RELATION_DAYS;
    const bool good = put(text, s, r->kind >= SBL_RELATION_YEAR ? "year" : "", days ? r->b : r->a);
    if (r->kind == SBL_RELATION_YEAR) return good;
    sbl_text_printf(text, "%s", between[r->kind]);
    return put(text, s, r->kind == SBL_RELATION_AGE ? "year" : "", days ? r->a : r->b) && good;
}

/* "c = a + b", "c >= year(a) - year(b) - 1", "a + b <= 2024". */
static bool put_equation(sbl_text *text, const sbl_rule_relations *s, const sbl_relation *r, const char *sign,
                         int offset)
{
    bool good;
    if (r->kind == SBL_RELATION_TOTAL) {
        good = put(text, s, "", r->a);
        sbl_text_printf(text, " + ");
        good = put(text, s, "", r->b) && good;
        sbl_text_printf(text, " %s %.0f", sign, r->center + offset);
        return good;
    }
    good = put(text, s, "", r->c);
    sbl_text_printf(text, " %s ", sign);
    good = put_right(text, s, r) && good;
    if (offset != 0) sbl_text_printf(text, " %c %d", offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
    return good;
}

static bool put_text(sbl_text texts[2], const sbl_rule_relations *s, const sbl_relation *r,
                     const tolerance *t)
{
    if (r->kind == SBL_RELATION_ORDER) return put_order(&texts[0], s, r);
    if (t->low == t->high) return put_equation(&texts[0], s, r, "=", t->low);
    const bool good = put_equation(&texts[0], s, r, ">=", t->low);
    return put_equation(&texts[1], s, r, "<=", t->high) && good;
}

static sbl_status report(sbl_found_rules *found, const sbl_rule_relations *s, const sbl_relation *r,
                         sbl_error *err)
{
    const tolerance t = tolerance_of(r);
    const double rows = (double)r->rows;
    sbl_text texts[2] = {0};
    sbl_text words = {0};
    sbl_status status = SBL_OK;
    const bool good = put_text(texts, s, r, &t) && !texts[0].failed && !texts[1].failed;
    if (!good) goto done; /* a name that no constraint can hold */
    sbl_text_printf(&words, "%s%s%s", texts[0].data, texts[1].length > 0 ? " and " : "",
                    texts[1].length > 0 ? texts[1].data : "");
    SBL_TRY(sbl_text_check(&words, WHAT, err));
    SBL_TRY(sbl_found_rules_add(found,
                                texts[1].length > 0 ? json_pack("[s, s]", texts[0].data, texts[1].data)
                                                    : json_pack("[s]", texts[0].data),
                                words.data, t.kept, r->rows,
                                (double)t.apart / rows - (rows - (double)t.kept) / rows, err));
done:
    sbl_text_clear(&texts[0]);
    sbl_text_clear(&texts[1]);
    sbl_text_clear(&words);
    return status;
}

sbl_status sbl_rule_relations_finish(sbl_found_rules *found, sbl_rule_relations *s, sbl_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (is_shown(&s->items[i])) s->items[kept++] = s->items[i];
    s->count = kept;
    for (size_t i = 0; i < s->count; i++)
        if (is_reported(s, &s->items[i])) SBL_CHECK(report(found, s, &s->items[i], err));
    return SBL_OK;
}
