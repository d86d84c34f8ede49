/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the search for relations of numbers and dates (rule_search.h). */
#ifndef SBL_INSPECT_RULE_RELATIONS_H
#define SBL_INSPECT_RULE_RELATIONS_H

#include "owner/inspect/rule_search.h"

typedef enum sbl_relation_kind {
    SBL_RELATION_ORDER,   /* a <= b */
    SBL_RELATION_SUM,     /* c = a + b */
    SBL_RELATION_PRODUCT, /* c = a * b */
    SBL_RELATION_DAYS,    /* c = b - a, of dates */
    SBL_RELATION_YEAR,    /* c = year(a) */
    SBL_RELATION_BORN,    /* c = year(a) - b, within a tolerance */
    SBL_RELATION_AGE,     /* c = year(a) - year(b), within a tolerance */
    SBL_RELATION_TOTAL    /* a + b is a constant, within a tolerance */
} sbl_relation_kind;

/* Differences from what is expected that are counted: -3 to 3. */
#define SBL_RELATION_NEAR 3
#define SBL_RELATION_PLACES (2 * SBL_RELATION_NEAR + 1)

typedef struct sbl_relation {
    sbl_relation_kind kind;
    size_t a, b, c;
    double center; /* of a total: the first that was seen; NaN: none */
    uint64_t rows, broken, telling, apart;
    uint64_t persons; /* of the rows that keep it and tell */
    /* Within a tolerance: rows by the difference, and mixed rows. */
    uint64_t near[SBL_RELATION_PLACES], mixed[SBL_RELATION_PLACES];
} sbl_relation;

struct sbl_rule_relations {
    const sbl_rule_view *view;
    sbl_relation *items;
    size_t count, capacity;
    double *years; /* (room, columns): of dates and datetimes */
    size_t room;
    bool failed;
};

static inline const sbl_column *sbl_relation_facts(const sbl_rule_relations *s, size_t c)
{
    return s->view->columns[c].facts;
}

static inline bool sbl_relation_has_tolerance(const sbl_relation *r) { return r->kind >= SBL_RELATION_BORN; }

/* ---- rows (relation_rows.c) ---- */

void sbl_relations_find_years(sbl_rule_relations *s, const sbl_rule_block *block);
void sbl_relation_test(const sbl_rule_relations *s, sbl_relation *r, const sbl_rule_block *block);

#endif
