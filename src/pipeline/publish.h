/* From a finished sum to a release on disk with its certificate: the steps every method shares.
 * Choose the multipliers for (epsilon, delta), open or make the ledger, pass the door, certify. */
#ifndef SBL_PIPELINE_PUBLISH_H
#define SBL_PIPELINE_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>

#include "accumulate/sum.h"
#include "base/status.h"
#include "release/release.h"

typedef struct sbl_publish_request {
    const char *method; /* "summary", "merf", ... */
    const char *name;   /* of the release in the ledger */
    const char *plan;   /* JSON; its SHA-256 is the layout's plan_hash */
    sbl_neighbours neighbours;
    double epsilon;
    double delta;          /* 0: a pure release */
    const double *weights; /* one per block, and a last one for counts: relative precision */
    const char *release_path;
    const char *certificate_path;
    const char *ledger_path; /* NULL: a one-run ledger "RELEASE.ledger" */
    bool overwrite;
    /* A run of two releases; zeros for one. */
    double share;             /* of mu^2 (pure: of epsilon) that this release may spend; 0: all */
    uint64_t other_values;    /* integers of noise in the other release */
    const char *ledger_stem;  /* the one-run ledger is "STEM.ledger"; NULL: release_path */
    bool can_be_trained_on;   /* 'semblance train' goes on from this release */
    bool ledger_is_of_run;    /* ledger_path is the one-run ledger that the first release made */
    const sbl_release *first; /* the second's certificate lists the first, too: what it said, */
    const sbl_layout *first_layout; /* and the layout it was made with */
    const char *const *also_public; /* further public assumptions for the certificate */
    size_t also_public_count;
} sbl_publish_request;

/* The multipliers that spend (epsilon, delta) on one release of this layout. */
sbl_status sbl_publish_multipliers(uint64_t *multipliers, const sbl_layout *layout,
                                   const sbl_publish_request *request, sbl_error *err);

/* Would sbl_publish be refused for a reason that is known without the data: a bad epsilon, a file
 * that is there already, a ledger of another relation? Asked before a long pass over the data. */
sbl_status sbl_publish_check(const sbl_layout *layout, const sbl_publish_request *request,
                             sbl_error *err);

/* Takes the sum (freed whatever happens). statement: the guarantee in words, sbl_free(). */
sbl_status sbl_publish(sbl_release **release, char **statement, sbl_sum **sum,
                       const sbl_publish_request *request, sbl_error *err);

#endif
