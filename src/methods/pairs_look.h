/* What the method pairs would do for a data set, from public facts alone. */
#ifndef SBL_METHODS_PAIRS_LOOK_H
#define SBL_METHODS_PAIRS_LOOK_H

#include "methods/method.h"

typedef struct sbl_pairs_outlook {
    size_t columns;
    double rows;         /* that it plans for */
    size_t bytes, limit; /* that a fit may take, and may take at most */
    const char *words;   /* the course, for people */
} sbl_pairs_outlook;

/* Returns: SBL_OK, SBL_EARG for facts or options that pairs refuses, SBL_EMEM */
sbl_status sbl_pairs_look(sbl_pairs_outlook *outlook, const sbl_facts *facts,
                          const sbl_synth_options *options, sbl_error *err);

#endif
