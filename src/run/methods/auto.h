/* SPDX-License-Identifier: Apache-2.0 */
/* What `auto` takes for a data set: from public facts alone, before any record is read. */
#ifndef SBL_METHODS_AUTO_H
#define SBL_METHODS_AUTO_H

#include "run/methods/method.h"

#define SBL_WHY_SIZE 256

/* method: by the noise that its tables would have, forest, which probes for what pairs cannot see; pairs,
 * which itself takes three releases, pairs with the label or one-way tables alone; or another where pairs
 * cannot work. why: one line, the method first. options->expected_rows: as many as are public or declared;
 * 0: the default guess. The same on any machine.   Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_auto_choose(const sbl_method **method, char why[SBL_WHY_SIZE], const sbl_facts *facts,
                           const sbl_synth_options *options, sbl_error *err);

/* What the method pairs would do for a data set (pairs.c). */
typedef struct sbl_pairs_outlook {
    size_t columns;
    double rows;         /* that it plans for */
    size_t bytes, limit; /* that a fit may take, and may take at most */
    const char *words;   /* the course, for people */
    bool forest;         /* method forest would probe for trees, and has the memory */
} sbl_pairs_outlook;

/* Returns: SBL_OK, SBL_EARG for facts or options that pairs refuses, SBL_EMEM */
sbl_status sbl_pairs_look(sbl_pairs_outlook *outlook, const sbl_facts *facts,
                          const sbl_synth_options *options, sbl_error *err);

#endif
