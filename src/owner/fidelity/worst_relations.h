/* SPDX-License-Identifier: Apache-2.0 */
/* The relations that the synthetic table gets most wrong. Measures add every distance of two columns that they
 * compute; at the end those that are further off than a second real sample would be are named, worst first.
 * NOT PRIVATE, as everything of fidelity/. */
#ifndef SBL_FIDELITY_WORST_RELATIONS_H
#define SBL_FIDELITY_WORST_RELATIONS_H

#include <jansson.h>

#include "owner/fidelity/compared_tables.h"

typedef enum sbl_relation_kind {
    SBL_RELATION_PAIR,     /* two columns of a row */
    SBL_RELATION_PREVIOUS, /* a column of the event before, and one of the event */
    SBL_RELATION_PERSON,   /* a column of the person or parent, and one of the event */
    SBL_RELATION_ROWS,     /* a person's number of rows, alone or with one of its columns */
    SBL_RELATION_FIRST,    /* the order column at a person's first event */
    SBL_RELATION_CATEGORY, /* a number in one category of another column */
    SBL_RELATION_CHILDREN  /* the number of child rows in one table, alone or with a column */
} sbl_relation_kind;

typedef struct sbl_relation {
    sbl_relation_kind kind;
    const sbl_column
        *columns[2];      /* borrowed; NULL: none. Of SBL_RELATION_CHILDREN the first is named as the child */
    const char *category; /* of SBL_RELATION_CATEGORY, borrowed */
    const char *table, *parent; /* of linked tables, filled in by sbl_relations_add() */
    double distance;            /* total variation, synthetic against real */
    double expected;            /* of a second sample, if its rows were independent */
    double sizes;               /* 1 / rows of one table + 1 / rows of the other */
    double effect;              /* of persons with several rows: at least 1 (sampling_noise.h) */
} sbl_relation;

/* All that were measured. Zero-initialise. */
struct sbl_relations {
    sbl_relation *items;
    size_t count, room;
    const char *table, *parent; /* of linked tables: the one that is being compared; borrowed */
};

/* Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_relations_add(sbl_relations *relations, const sbl_relation *relation, sbl_error *err);
void sbl_relations_clear(sbl_relations *relations);

/* "worst" (docs/FORMATS.md).   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_measure_worst(json_t **result, const sbl_relations *relations, sbl_error *err);

#endif
