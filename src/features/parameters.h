/* Parameters of features, as they stand in plans: read strictly, so that nothing in a plan is
 * ignored. */
#ifndef SBL_FEATURES_PARAMETERS_H
#define SBL_FEATURES_PARAMETERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/status.h"

/* No more than these members? feature is for messages. */
sbl_status sbl_parameters_are(const json_t *parameters, size_t count, const char *feature,
                              sbl_error *err);
/* A list of 1 to most numbers, owned by the caller (sbl_free). */
sbl_status sbl_parameters_reals(double **values, size_t *count, const json_t *parameters,
                                const char *name, size_t most, const char *feature, sbl_error *err);
/* A seed is a text: JSON numbers are doubles to most readers. */
sbl_status sbl_parameters_seed(uint64_t *seed, const json_t *parameters, const char *feature,
                               sbl_error *err);

/* And back; NULL when out of memory. */
json_t *sbl_parameters_from_reals(const double *values, size_t count);
json_t *sbl_parameters_from_seed(uint64_t seed);

#endif
