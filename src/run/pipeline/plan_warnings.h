/* SPDX-License-Identifier: Apache-2.0 */
/* What a person should know of a plan before anything is spent, and the facts of its blocks that this rests on. From
 * public facts alone. */
#ifndef SBL_PIPELINE_PLAN_WARNINGS_H
#define SBL_PIPELINE_PLAN_WARNINGS_H

#include "base/json.h"
#include "base/text.h"
#include "run/pipeline/rounds.h"

/* Noise of standard deviation deviation / n on a mean of norm at most 1, over all its coordinates. n,
 * here `records`: rows or images, or whole persons where the method takes these. */
typedef struct sbl_block_facts {
    const char *name;
    size_t values;
    double deviation; /* of the noise on one value, in feature units of the sum */
    double share;     /* expected norm of the noise on the block's means, over their largest norm */
} sbl_block_facts;

/* Noisy block i (records/accumulate/layout.h). */
sbl_block_facts sbl_block_facts_of(const sbl_layout *layout, size_t i, uint64_t multiplier, double records);

/* What is protected, in a word. */
const char *sbl_unit_word(const sbl_rounds *rounds);
/* What there are many of. */
const char *sbl_records_word(const sbl_rounds *rounds);

/* A line each, which begins with "WARNING: ": what a plan shows and every run reports. multipliers: of the first
 * round's noisy blocks. n: public or declared; 0: neither, and the number that the plan assumes is called assumed. */
void sbl_plan_warnings(sbl_text *text, const sbl_rounds *rounds, const uint64_t *multipliers, uint64_t n,
                       const sbl_synth_options *options);
/* The same without the word, a text each.   Owner: the caller; NULL: out of memory */
json_t *sbl_plan_warnings_json(const sbl_rounds *rounds, const uint64_t *multipliers, uint64_t n,
                               const sbl_synth_options *options);

#endif
