/* SPDX-License-Identifier: Apache-2.0 */
/* Ledgers with one or two releases of known blocks, and the certificate of them. */
#ifndef SBL_TESTS_CERTIFICATE_CERTIFICATE_KIT_H
#define SBL_TESTS_CERTIFICATE_CERTIFICATE_KIT_H

#include <jansson.h>

#include "door/certificate/certificate_document.h"

#define KIT_BLOCKS 3 /* without moments */
#define KIT_MOST_BLOCKS 4
#define KIT_FIRST_BLOCKS 2 /* of the first of two releases */

typedef struct certified {
    char folder[256];
    char path[512];
    sbl_ledger_view ledger;
    sbl_block blocks[KIT_MOST_BLOCKS];
    size_t block_count;
    sbl_block first_blocks[KIT_FIRST_BLOCKS];
    sbl_certificate_release releases[2];
    sbl_certificate_facts facts; /* borrows from all of the above */
    char *text;                  /* the certificate */
} certified;

typedef struct kit_case {
    const char *name;
    sbl_mechanism mechanism;
    sbl_neighbours neighbours;
    const char *epsilon;
    const char *delta;
    bool test_key;
    bool run_only;          /* else the release of another run stands in the ledger too */
    bool twice;             /* a run of two releases: a mean and counts come first */
    bool other_is_pure;     /* of the other mechanism */
    bool also_public;       /* two further assumptions, and all that people may add: a title, who made
                             * it, a schema, of which columns the blocks are; and the device that trained */
    sbl_u128 mu2_limit;     /* of the budget */
    bool moments;           /* a mean, its squares, its products and counts are released */
    bool withheld;          /* all but the mean */
    uint64_t rows_per_unit; /* not 0: of persons, who are counted too */
    uint64_t rows_together; /* not 0: of whole persons, who are not, in a ledger of the above */
    bool succeeds;          /* the ledger is that of a third period */
    bool keys; /* the release discovers a schema: the keys of three columns, four of them named */
} kit_case;

extern const kit_case kit_cases[];
extern const size_t kit_case_count;
/* Where the cases of moments, of two releases, of persons and of keys begin. */
#define KIT_MOMENTS 7
#define KIT_TWO_RELEASES 10
#define KIT_PERSONS 12
#define KIT_KEYS 13
#define KIT_WHOLE_PERSONS 14
#define KIT_THIRD_PERIOD 15

/* The files that every certificate of the kit lists. */
extern const sbl_certified_file kit_files[2];

/* The health of two columns that every certificate of the kit states. */
extern const sbl_certified_health kit_health[2];

/* What the file of a release of this run would say of itself. */
sbl_release_evidence kit_evidence(const certified *c, size_t release);

/* Committed releases and their facts; text is still NULL. */
void kit_prepare(certified *c, const kit_case *k);
/* kit_prepare, and the certificate; asserts success. */
void kit_certify(certified *c, const kit_case *k);
void kit_clear(certified *c);

/* Set the digest to that of the rest. */
void kit_seal(json_t *certificate);

/* A certificate without its statement's agreement restored: change of one member by path such as
 * "mechanisms.0.seq" to value (stolen; NULL deletes), sealed. Text; free(). */
char *kit_change(const char *text, const char *path, json_t *value);

/* The text checks, or is refused in one line that holds part. ledger may be NULL. */
void kit_expect_good(const char *text, const sbl_ledger_view *ledger);
void kit_expect_bad(const char *text, const sbl_ledger_view *ledger, const char *part);
void kit_expect_bad_change(const certified *c, const char *path, json_t *value, const char *part);
/* No certificate of these facts is written, for a reason that holds part. */
void kit_expect_not_written(const certified *c, const char *part);

#endif
