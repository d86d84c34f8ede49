/* SPDX-License-Identifier: Apache-2.0 */
/* Lookups in an evaluation document that never fail: a missing member, or one of another type, is NaN, NULL or empty. */
#ifndef SBL_EVALUATE_EVALUATION_FACTS_H
#define SBL_EVALUATE_EVALUATION_FACTS_H

#include <jansson.h>
#include <stddef.h>

/* A measure of the synthetic data beside what independent columns and real data reach. */
typedef struct sbl_fact_triple {
    double synthetic;
    double floor;
    double ceiling;
} sbl_fact_triple;

/* NaN if it is not a number. */
double sbl_fact_number_of(const json_t *object, const char *name);
double sbl_fact_item(const json_t *list, size_t i);

/* NULL if it is not a string. */
const char *sbl_fact_text_of(const json_t *object, const char *name);

sbl_fact_triple sbl_fact_triple_of(const json_t *object, const char *name);

/* value moved into [low, high]; NaN becomes low. For what is drawn. */
double sbl_fact_within(double value, double low, double high);

/* Which value of a measure is better. */
typedef enum sbl_fact_better { SBL_LOWER_IS_BETTER, SBL_HIGHER_IS_BETTER } sbl_fact_better;

/* The share of the way from the floor to the ceiling that the synthetic data covers, in per cent; negative below the
 * floor, NaN if the floor is as good as the ceiling. */
double sbl_fact_way(sbl_fact_triple triple, sbl_fact_better better);

#endif
