/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the certificate: its facts, and what follows from them. Writing builds the JSON from the
 * facts. Checking reads the facts back from JSON, builds the document again and compares both. */
#ifndef SBL_CERTIFICATE_CERTIFICATE_CONTENT_H
#define SBL_CERTIFICATE_CERTIFICATE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "door/certificate/certificate_document.h"
#include "public/account/gaussian.h"

/* The version that is written, and the oldest that is still read. Version 4 does not name the device that
 * trained. Before version 6, rows of linked tables that refer to no person were persons. */
#define SBL_CERTIFICATE_VERSION 8
#define SBL_CERTIFICATE_WITH_PERIODS 8 /* the first version that says what earlier periods cost */
#define SBL_CERTIFICATE_PLAIN 8        /* the first version with the present words; older ones keep theirs */
#define SBL_CERTIFICATE_WITH_RELATIONS 7 /* the first version that has them */
#define SBL_CERTIFICATE_WITHOUT_ORPHANS 6
#define SBL_CERTIFICATE_OLDEST 4

/* One of the releases behind what was published: a mechanism of the certificate. */
typedef struct sbl_certified_release {
    /* Facts. Texts are borrowed as below. */
    uint64_t seq; /* of the RESERVE */
    const char *rid;
    const char *name;
    char plan[SBL_SHA256_TEXT_SIZE];
    char out[SBL_SHA256_TEXT_SIZE]; /* hash of the release file, from the COMMIT */
    sbl_mechanism mechanism;
    size_t classes;
    sbl_block *blocks; /* owned; sensitivities are filled in */
    const char **of;   /* (block_count), owned, of texts; NULL: not said */
    size_t block_count;

    /* What follows from them: sbl_certificate_derive. */
    uint64_t values; /* integers released */
    uint64_t draws;  /* integers of noise: more, where there are keys that were not named */
    sbl_u128 delta;  /* of these keys */
    sbl_u128 joint;
    sbl_charge charge;
} sbl_certified_release;

typedef struct sbl_certificate_content {
    /* Its version, from SBL_CERTIFICATE_OLDEST to SBL_CERTIFICATE_VERSION. A document that is built again for a
     * comparison has the version of the one that was found. */
    unsigned format;
    /* Facts. Texts are borrowed from a ledger view, from JSON or from the caller. */
    const char *ledger_id;
    sbl_ledger_facts ledger_facts;
    uint64_t ledger_seq;             /* last line that the certificate covers */
    char head[SBL_SHA256_TEXT_SIZE]; /* its hash */
    char date[24];                   /* and its time */
    bool run_only;                   /* the ledger was made for this run */
    uint64_t rows_together;          /* rows of a person that enter as one record; 0: they do not.
                                      * Then rows_per_unit of the facts is 1, whatever the ledger's */
    uint64_t n;                      /* public under replace-one of rows, else 0 */
    sbl_certified_release *releases; /* owned; in order of seq */
    size_t release_count;
    sbl_totals totals;         /* of the ledger up to ledger_seq */
    sbl_certified_file *files; /* owned */
    size_t file_count;
    sbl_certified_health *health; /* owned; names as texts */
    size_t health_count;
    sbl_certified_relations relations; /* its list is owned; of format 6 and before: not said */
    const char *method;
    sbl_data_kind data;
    const char *title; /* NULL: not said */
    const char *by;
    char schema[SBL_SHA256_TEXT_SIZE]; /* "": none */
    const char *origin;                /* NULL where there is no schema */
    const char *trained_on;            /* NULL: nothing was trained, or not yet; of format 4: not said */
    const char *version;
    const char *const *also_public;
    size_t also_public_count;

    /* What follows from them: sbl_certificate_derive. */
    sbl_totals own;    /* of the releases above */
    sbl_totals others; /* totals less those */

    /* What is guaranteed: sbl_certificate_guarantee. Infinite epsilon and mu: nothing is. */
    double delta; /* a fact: at which the epsilons are stated */
    double epsilon;
    double own_epsilon; /* of this run's releases alone */
    double mu;
    double all_epsilon; /* of all periods together, at the same delta; 0 where there is one period */
    double all_mu;
    sbl_allowance allowance;

    const char **own_texts; /* owned, as the releases are: sbl_certificate_content_clear */
    json_t *json;           /* owned: what texts were borrowed from, where the content keeps it */
} sbl_certificate_content;

void sbl_certificate_content_clear(sbl_certificate_content *content);

/* What a ledger says: of each release, whose seq is set, joint sensitivity and charge; totals up to
 * line last, which exists.
 * Returns: SBL_OK; SBL_EINPUT when one of these lines is not a reservation that was committed by then */
sbl_status sbl_certificate_from_ledger(sbl_certificate_content *content, const sbl_ledger_view *ledger,
                                       uint64_t last, const char *where, sbl_error *err);

/* Of each release sensitivities from bounds, joint sensitivity, charge; what the others cost. */
sbl_status sbl_certificate_derive(sbl_certificate_content *content, const char *where, sbl_error *err);

/* Both epsilons, mu and the allowance from the totals, at the delta that is set. */
sbl_status sbl_certificate_guarantee(sbl_certificate_content *content, sbl_error *err);

/* Is n public? It is under replace-one for rows; for persons the number of rows is not fixed. */
bool sbl_certificate_rows_are_public(const sbl_certificate_content *content);

/* Does it say what earlier periods cost? */
bool sbl_certificate_has_past(const sbl_certificate_content *content);

/* Is anything guaranteed? NULL, or the reason why not. */
const char *sbl_certificate_no_guarantee(const sbl_certificate_content *content);

/* The guarantee in words, owned by the caller (sbl_free); NULL when out of memory.
 * In: brief  only what is promised, and what it cost */
char *sbl_certificate_statement(const sbl_certificate_content *content, bool brief);

/* Entry i of the list of public assumptions; NULL after the last. */
const char *sbl_certificate_assumes_public(const sbl_certificate_content *content, size_t i);

/* Texts of the other two lists, NULL-terminated. */
const char *const *sbl_certificate_assumes_secret(const sbl_certificate_content *content);
const char *const *sbl_certificate_not_covered(const sbl_certificate_content *content);

/* The whole certificate but for its digest; NULL when out of memory. */
json_t *sbl_certificate_build(const sbl_certificate_content *content);

/* The facts, and what the certificate says is guaranteed, from JSON. The content borrows from it.
 * Clear the content whatever is returned. */
sbl_status sbl_certificate_extract(sbl_certificate_content *content, const json_t *certificate,
                                   const char *where, sbl_error *err);

/* SBL_EINPUT naming the first field in which found differs from expected. why: the end of the
 * message. */
sbl_status sbl_certificate_compare(const json_t *found, json_t *expected, const char *why, const char *where,
                                   sbl_error *err);

/* SHA-256 of the canonical text, as hex. */
sbl_status sbl_certificate_digest(char digest[SBL_SHA256_TEXT_SIZE], const json_t *certificate,
                                  sbl_error *err);

#endif
