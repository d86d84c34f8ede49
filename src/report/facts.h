/* Reading an evaluation: what is missing or of another type is NaN, NULL or empty, and is shown as
 * a dash. Nothing here fails. */
#ifndef SBL_REPORT_FACTS_H
#define SBL_REPORT_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A measure of the synthetic table beside what independent columns and real data reach. */
typedef struct sbl_fact_triple {
    double synthetic;
    double floor;
    double ceiling;
} sbl_fact_triple;

/* NaN when it is no number. */
double sbl_fact_number(const json_t *value);
double sbl_fact_number_of(const json_t *object, const char *name);
double sbl_fact_item(const json_t *list, size_t i);

/* NULL when it is no string. */
const char *sbl_fact_text_of(const json_t *object, const char *name);

sbl_fact_triple sbl_fact_triple_of(const json_t *object, const char *name);

/* value moved into [low, high]; NaN becomes low. For what is drawn. */
double sbl_fact_within(double value, double low, double high);

/* The indices 0..count-1 by falling key, NaN last, equal keys in order; sbl_free(). NULL when out
 * of memory. */
size_t *sbl_fact_order(const double *keys, size_t count);

#endif
