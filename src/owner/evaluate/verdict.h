/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of an evaluation in words: what is close to the real data, what is not, and what to do next. The text, the JSON
 * document and the report of an evaluation all take it from here. NOT PRIVATE, as every number of an evaluation.
 *
 * Plain text without line ends. Names of columns and tables are in it as they are: the caller escapes them. */
#ifndef SBL_EVALUATE_VERDICT_H
#define SBL_EVALUATE_VERDICT_H

#include <jansson.h>

#include "base/text.h"

/* One sentence; nothing if the document has no measure to judge by. */
void sbl_verdict_headline(sbl_text *out, const json_t *document);

/* The sentences after it: the numbers that it rests on, faults, advice. */
void sbl_verdict_details(sbl_text *out, const json_t *document);

/* The distance by which a column is judged: the largest of its total variation, Kolmogorov-Smirnov and Wasserstein distances.
 * Total variation alone counts numbers in coarse ranges, and a column may be far off within them. */
double sbl_verdict_distance(const json_t *column);

#endif
