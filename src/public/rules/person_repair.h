/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the rules: drawn rows of whole persons while they are mended, what is wrong with each, and the walk
 * through public domains that mends one beside the row before it. */
#ifndef SBL_RULES_PERSON_REPAIR_H
#define SBL_RULES_PERSON_REPAIR_H

#include "public/rules/rules_internal.h"

#define SBL_STREAM_OF_PERSONS ((uint64_t)1 << 60) /* of SBL_RNG_RULES; those of rows are below */

typedef struct sbl_person_repair {
    const sbl_rules *rules;
    double *base, *full;     /* (rows, columns) */
    const uint64_t *persons; /* (rows) */
    size_t rows;
    bool *left_out;    /* (rows) */
    bool of_persons;   /* the first turn: only rules on the persons' own columns, which alone change */
    bool *person_rule; /* (faults): depends on the persons' own columns alone */
    bool *here;        /* (columns): to be changed in a row */
    bool *before;      /* (columns): in the one before it */
    double *kept;      /* (2, columns): the row before and the row, as they were */
    sbl_pool pool;     /* of these */
} sbl_person_repair;

/* ---- rows ---- */

static inline double *sbl_person_repair_base(const sbl_person_repair *m, size_t row)
{
    return m->base + row * m->rules->columns;
}

static inline double *sbl_person_repair_full(const sbl_person_repair *m, size_t row)
{
    return m->full + row * m->rules->columns;
}

static inline void sbl_person_repair_expand(const sbl_person_repair *m, size_t row)
{
    sbl_rules_expand(m->rules, sbl_person_repair_full(m, row), sbl_person_repair_base(m, row));
}

/* Of its person. */
bool sbl_person_repair_is_first(const sbl_person_repair *m, size_t row);

static inline bool sbl_person_repair_is_own(const sbl_person_repair *m, size_t column)
{
    return m->rules->schema->columns[column].per_unit;
}

/* In this turn. */
bool sbl_person_repair_may_change(const sbl_person_repair *m, size_t column);

static inline bool sbl_marks_any(const bool *marks, size_t count)
{
    for (size_t c = 0; c < count; c++)
        if (marks[c]) return true;
    return false;
}

/* Everything but the rows.   Returns: SBL_OK, SBL_EMEM; the pool is the caller's to clear in any case */
sbl_status sbl_person_repair_init(sbl_person_repair *m, const sbl_rules *rules, sbl_error *err);

/* ---- what is wrong ---- */

/* Faults of a row as sbl_rules_faults counts them, and the last one: its order falls. In the first turn those of the
 * persons' own columns alone. */
size_t sbl_person_repair_faults(const sbl_person_repair *m);
bool sbl_person_repair_at_fault(const sbl_person_repair *m, size_t fault, size_t row);
size_t sbl_person_repair_count(const sbl_person_repair *m, size_t row); /* of those that it has */
bool sbl_person_repair_holds(const sbl_person_repair *m, size_t row);

/* ---- from public domains ---- */

/* What makes "column >= f(...)" true at its bound, as the base row has it; NaN: cannot be told. */
double sbl_person_repair_solve(const sbl_person_repair *m, size_t row, const sbl_rule *rule,
                               const sbl_alone *alone);
/* A random walk as for a single row (repair.c), with the row before. fault: one of those that remain.
 * False: not within the given number of steps. */
bool sbl_person_repair_settle(const sbl_person_repair *m, size_t row, size_t steps, size_t *fault,
                              sbl_model_rng *rng);

#endif
