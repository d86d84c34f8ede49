/* SPDX-License-Identifier: Apache-2.0 */
/* Searches rows for rules that a constraint could state and that hold in every row, or in nearly every one. The rows may be those of
 * a table, or those of a linked table with the columns of its parents beside its own. NOT PRIVATE: rules and shares come from the
 * records.
 *
 * Four searches look at the same rows: relations of numbers and dates (rule_relations.c), categories that follow from a category
 * (rule_follows.c) or from two (rule_joint.c), and bounds of a number in a category (rule_bounds.c). None reports what holds because of how single columns lie,
 * or what fewer than SBL_RULE_PERSONS persons could make up. */
#ifndef SBL_INSPECT_RULE_SEARCH_H
#define SBL_INSPECT_RULE_SEARCH_H

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "public/rows/row_batch.h"

#define SBL_RULE_ROWS 30       /* that a rule speaks of, at least */
#define SBL_RULE_PERSONS 20    /* who have such rows, at least */
#define SBL_RULE_NEARLY 0.99   /* of the rows that a rule speaks of keep it, at least */
#define SBL_RULE_SURPRISE 20.0 /* nats: by chance once in 500 million */
#define SBL_MOST_RULES 20      /* that are proposed */

/* A column of the rows. */
typedef struct sbl_rule_column {
    const sbl_column *facts; /* borrowed */
    const char *table;       /* which table before this one it is of; NULL: this one's own. Borrowed */
    bool used;               /* false: no rule names it */
} sbl_rule_column;

typedef struct sbl_rule_view {
    const sbl_rule_column *columns;
    size_t count;
} sbl_rule_view;

/* Some rows. A value is NaN where it is missing or does not fit; a category is its code. */
typedef struct sbl_rule_block {
    const double *values;    /* (rows, columns) */
    const uint64_t *persons; /* (rows): a hash of whose row it is */
    size_t rows;
} sbl_rule_block;

/* ---- what is found ---- */

typedef struct sbl_found_rule {
    json_t *constraints; /* a list of texts that belong together */
    char *words;
    double use;     /* the share of rows that would break it, were its columns independent */
    size_t context; /* the caller's number of the table */
} sbl_found_rule;

/* Zero-initialise. */
typedef struct sbl_found_rules {
    sbl_found_rule *items;
    size_t count, capacity;
    size_t context; /* for rules to come */
} sbl_found_rules;

void sbl_found_rules_clear(sbl_found_rules *found);
/* Takes the list, of which NULL is out of memory. what: the rule in words; kept, rows: of how many rows it holds in how many. */
sbl_status sbl_found_rules_add(sbl_found_rules *found, json_t *constraints, const char *what, uint64_t kept,
                               uint64_t rows, double use, sbl_error *err);
/* The most useful first, at most SBL_MOST_RULES of them. */
void sbl_found_rules_choose(sbl_found_rules *found);

/* ---- all searches (rule_search.c) ---- */

typedef struct sbl_rule_search sbl_rule_search;

/* view: borrowed until it is freed. */
sbl_status sbl_rule_search_new(sbl_rule_search **search, const sbl_rule_view *view, sbl_error *err);
void sbl_rule_search_free(sbl_rule_search *search); /* wipes; NULL is fine */
sbl_status sbl_rule_search_take(sbl_rule_search *search, const sbl_rule_block *block, sbl_error *err);
/* Adds what holds. */
sbl_status sbl_rule_search_finish(sbl_found_rules *found, sbl_rule_search *search, sbl_error *err);

/* A cell as constraints see it. */
double sbl_rule_value(const sbl_batch *batch, size_t column, size_t row);

/* ---- how many persons: a set of 64 bits, whose size is a lower bound ---- */

static inline uint64_t sbl_rule_person_bit(uint64_t person) { return UINT64_C(1) << (person & 63); }
static inline bool sbl_rule_persons_suffice(uint64_t set)
{
    return __builtin_popcountll(set) >= SBL_RULE_PERSONS;
}
/* For a row that belongs to no person but itself. */
static inline uint64_t sbl_rule_row_person(uint64_t row)
{
    return (row * UINT64_C(0x9E3779B97F4A7C15)) >> 58;
}

/* Nearly all of these rows? */
static inline bool sbl_rule_nearly(uint64_t kept, uint64_t rows)
{
    return (double)kept >= SBL_RULE_NEARLY * (double)rows;
}

/* ---- the language (rule_text.c) ---- */

/* The name of a column as a constraint has it, and a category; false: it cannot be written. */
bool sbl_rule_name(sbl_text *text, const sbl_rule_column *column);
bool sbl_rule_category(sbl_text *text, const char *category);

/* ---- each of them (relations, follows, joint, bounds) ---- */

typedef struct sbl_rule_relations sbl_rule_relations;
sbl_status sbl_rule_relations_new(sbl_rule_relations **made, const sbl_rule_view *view, sbl_error *err);
void sbl_rule_relations_free(sbl_rule_relations *relations);
sbl_status sbl_rule_relations_take(sbl_rule_relations *relations, const sbl_rule_block *block,
                                   sbl_error *err);
sbl_status sbl_rule_relations_finish(sbl_found_rules *found, sbl_rule_relations *relations, sbl_error *err);

typedef struct sbl_rule_follows sbl_rule_follows;
sbl_status sbl_rule_follows_new(sbl_rule_follows **made, const sbl_rule_view *view, sbl_error *err);
void sbl_rule_follows_free(sbl_rule_follows *follows);
void sbl_rule_follows_take(sbl_rule_follows *follows, const sbl_rule_block *block);
sbl_status sbl_rule_follows_finish(sbl_found_rules *found, sbl_rule_follows *follows, sbl_error *err);

typedef struct sbl_rule_joint sbl_rule_joint;
sbl_status sbl_rule_joint_new(sbl_rule_joint **made, const sbl_rule_view *view, sbl_error *err);
void sbl_rule_joint_free(sbl_rule_joint *joint);
void sbl_rule_joint_take(sbl_rule_joint *joint, const sbl_rule_block *block);
sbl_status sbl_rule_joint_finish(sbl_found_rules *found, sbl_rule_joint *joint, sbl_error *err);

typedef struct sbl_rule_bounds sbl_rule_bounds;
sbl_status sbl_rule_bounds_new(sbl_rule_bounds **made, const sbl_rule_view *view, sbl_error *err);
void sbl_rule_bounds_free(sbl_rule_bounds *bounds);
void sbl_rule_bounds_take(sbl_rule_bounds *bounds, const sbl_rule_block *block);
sbl_status sbl_rule_bounds_finish(sbl_found_rules *found, sbl_rule_bounds *bounds, sbl_error *err);

#endif
