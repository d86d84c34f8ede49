/* Ledgers with a release of known blocks, and the certificate of it. */
#ifndef SBL_TESTS_CERTIFICATE_CERTIFICATE_KIT_H
#define SBL_TESTS_CERTIFICATE_CERTIFICATE_KIT_H

#include <jansson.h>

#include "account/certificate.h"

#define KIT_BLOCKS 3 /* without moments */
#define KIT_MOST_BLOCKS 4

typedef struct certified {
    char folder[256];
    char path[512];
    sbl_ledger_view ledger;
    sbl_certificate_block blocks[KIT_MOST_BLOCKS];
    size_t block_count;
    sbl_certificate_facts facts;
    char *text; /* the certificate */
} certified;

typedef struct kit_case {
    const char *name;
    sbl_mechanism mechanism;
    sbl_neighbours neighbours;
    const char *epsilon;
    const char *delta;
    bool test_key;
    bool run_only;      /* else another release stands in the ledger too */
    bool other_is_pure; /* of the other mechanism */
    bool also_public;   /* two further assumptions */
    sbl_u128 mu2_limit; /* of the budget */
    bool moments;       /* a mean, its squares, its products and counts are released */
    bool withheld;      /* all but the mean */
} kit_case;

extern const kit_case kit_cases[];
extern const size_t kit_case_count;

/* A committed release and its facts; text is still NULL. */
void kit_prepare(certified *c, const kit_case *k);
/* kit_prepare, and the certificate; asserts success. */
void kit_certify(certified *c, const kit_case *k);
void kit_clear(certified *c);

/* Set the digest to that of the rest. */
void kit_seal(json_t *certificate);

/* A certificate without its statement's agreement restored: change of one member by path such as
 * "mechanisms.0.seq" to value (stolen; NULL deletes), sealed. Text; free(). */
char *kit_change(const char *text, const char *path, json_t *value);

#endif
