/* SPDX-License-Identifier: Apache-2.0 */
/* Reading utility_vectors.json (made by utility_vectors.py) into arrays. */
#ifndef SBL_TESTS_LEARNERS_LEARNER_KIT_H
#define SBL_TESTS_LEARNERS_LEARNER_KIT_H

#include <jansson.h>

#include "owner/learners/learner.h"

/* The whole file; fails the test when it cannot be read. json_decref. */
json_t *kit_vectors(void);

/* A member, at any depth of arrays, as one flat list; *count says how many. free(3). */
double *kit_doubles(const json_t *object, const char *name, size_t *count);

/* {"numbers": [[..]], "codes": [[..]], label: [..]} as samples; label "target" is a number. */
sbl_samples kit_samples(const json_t *learners, const char *part, const char *label);
void kit_samples_free(sbl_samples *samples);

/* The learner with this key; fails the test when there is none. */
const sbl_learner *kit_learner(const char *key);

#endif
