/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of forests: the course of a plan, and what a probe decided and why. */
#ifndef SBL_METHODS_FOREST_DESCRIBE_H
#define SBL_METHODS_FOREST_DESCRIBE_H

#include "after/forest/forest.h"
#include "base/text.h"
#include "run/methods/pairs_setup.h"

/* The course of a setting, with what trees add to it. */
const char *sbl_forest_course(const sbl_pairs_setting *setting);

#define SBL_FOREST_ANSWER_SIZE 200 /* of the line, which a certificate lists */

/* One line in printable ASCII: numbers of the probe's release and public names of columns, which are cut,
 * nothing else. */
void sbl_forest_answer_line(sbl_text *line, const sbl_forest_plan *wanted, const sbl_pairs_setup *g,
                            const sbl_facts *facts);

#endif
