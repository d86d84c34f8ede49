/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate: what is guaranteed, by which mechanisms, under which assumptions. It holds enough to
 * recompute the guarantee. A run writes it after every COMMIT, over all releases so far, and once more with
 * the files that were made from them. `semblance verify` checks it. docs/FORMATS.md has every field. */
#ifndef SBL_CERTIFICATE_CERTIFICATE_DOCUMENT_H
#define SBL_CERTIFICATE_CERTIFICATE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/kinds.h"
#include "door/ledger/ledger_book.h"
#include "public/account/charge.h"
#include "public/plan/block.h"

/* A file that was made from the releases: what it is, its SHA-256, and its name without folders. */
#define SBL_CERTIFIED_NAME_SIZE 256
typedef struct sbl_certified_file {
    bool is_model; /* else it is an output: a synthetic table or image file */
    char hash[SBL_SHA256_TEXT_SIZE];
    char name[SBL_CERTIFIED_NAME_SIZE]; /* "": it has none that can be printed, or was not named */
} sbl_certified_file;

/* What the first release says of a column of the table: cells that did not fit the schema, and the
 * deviation of the noise on that, both in parts of 10,000. Differentially private. */
typedef struct sbl_certified_health {
    const char *column; /* borrowed */
    int64_t misfits;    /* noise may take it below 0 and above 10,000 */
    int64_t deviation;
} sbl_certified_health;

/* Which relations between columns the releases show (after/counts/relations.h): pairs that were measured, those
 * that stand out from the noise, and the strongest of the others. Differentially private. */
#define SBL_CERTIFIED_SUSPECTS 5
typedef struct sbl_certified_relation {
    const char *first, *second; /* borrowed */
} sbl_certified_relation;
typedef struct sbl_certified_relations {
    uint64_t measured, seen;
    sbl_certified_relation *suspects;
    size_t suspect_count;
} sbl_certified_relations;
/* "7 of 10 relations between columns stand out ...", without a full stop: the words of a run, a certificate and a
 * report. There is at least one relation. */
void sbl_certified_relations_write(sbl_text *text, const sbl_certified_relations *told);

/* What a release file says of itself, for a certificate to be held against. */
typedef struct sbl_release_evidence {
    const char *where;               /* for messages */
    char hash[SBL_SHA256_TEXT_SIZE]; /* of the whole file */
    const char *rid;
    const char *ledger;
    uint64_t seq;
    const char *name;
    char plan[SBL_SHA256_TEXT_SIZE];
    sbl_mechanism mechanism;
    sbl_neighbours neighbours;
    uint64_t rows_per_unit; /* 0: a row is a person */
    uint64_t rows_together; /* as below */
    uint64_t n;
    size_t classes;
    const sbl_block *blocks;
    size_t block_count;
    const char *const *of;             /* (block_count): of which columns each block is; NULL: not said */
    char schema[SBL_SHA256_TEXT_SIZE]; /* of its plan; "": none */
} sbl_release_evidence;

/* A release that the certificate lists with all that its cost follows from. */
typedef struct sbl_certificate_release {
    uint64_t seq; /* of its RESERVE */
    size_t classes;
    const sbl_block *blocks; /* as the release lists them */
    size_t block_count;
    const char *const *of; /* (block_count): of which columns each is, "age x sex"; NULL: not said */
} sbl_certificate_release;

/* Most bytes of a text that people wrote into a certificate: a title, a name, an origin. It is UTF-8
 * without control characters. */
#define SBL_CERTIFICATE_TEXT 200

/* guarantee.scope of a ledger that was made for one run: the data has no place for one. */
#define SBL_SCOPE_OF_RUN "this run only"

typedef struct sbl_certificate_facts {
    const sbl_ledger_view *ledger; /* read after the last COMMIT of this run */
    bool ledger_covers_run_only;   /* made for this run, beside the release: lists all of it */
    /* This run's, in the order in which they were made; the last is the one that is certified.
     * Other releases of the ledger count as "others". */
    const sbl_certificate_release *releases;
    size_t release_count;
    double delta;           /* at which epsilon is stated; 0: for pure totals */
    const char *method;     /* "summary", "merf", ... */
    uint64_t rows_together; /* where whole persons are summed, each as one record: how many of its
                             * rows enter at most; 0: rows are */
    sbl_data_kind data;
    const char *title; /* of the data set, and who made the certificate; NULL: not said */
    const char *by;
    const char *schema;              /* SHA-256 of the schema in the plan of the last release; NULL: none */
    const char *origin;              /* of that schema's bounds and categories; NULL where there is none */
    const sbl_certified_file *files; /* made from the releases, so far */
    size_t file_count;
    const sbl_certified_health *health; /* by column, in the order of the schema; may be NULL */
    size_t health_count;
    const sbl_certified_relations *relations; /* NULL: none was measured, or nothing is fitted yet */
    /* The device that trained a network towards the releases, "cpu" or its name. NULL: nothing was trained, or
     * not yet. */
    const char *trained_on;
    const char *const *also_public; /* further assumptions, e.g. "kernel width"; may be NULL */
    size_t also_public_count;
} sbl_certificate_facts;

/* The assumptions of a run in parts, among also_public: with one of them, partial sums are files that were
 * not erased. */
#define SBL_ROWS_ARE_IN_PARTS                                                                    \
    "how the records are divided into parts: no record is in two, and the files of their exact " \
    "sums stay secret, with the key of the plan"
#define SBL_IMAGES_ARE_IN_PARTS                                                                \
    "how the images are divided into parts: no image is in two, and the files of their exact " \
    "sums stay secret, with the key of the plan"

/* The certificate as JSON text for people (final newline), owned by the caller (sbl_free).
 * The epsilon stated is at facts->delta over ALL releases of the ledger, rounded up. The
 * certificate also states the epsilon of this run alone. */
sbl_status sbl_certificate_write(char **text, const sbl_certificate_facts *facts, sbl_error *err);

/* Recompute everything that can be recomputed, compare every field, and against ledger (may be
 * NULL): the head at the certificate's sequence number must be there. where is used in messages.
 * statement (may be NULL) receives the guarantee in words, owned by the caller (sbl_free).
 * Returns: SBL_OK; SBL_EINPUT naming the first field that is wrong */
sbl_status sbl_certificate_check(char **statement, const char *text, size_t length,
                                 const sbl_ledger_view *ledger, const char *where, sbl_error *err);

/* The guarantee in short: what is promised, in symbols and in words, and what it cost. The certificate must have been
 * checked. sbl_free(). */
sbl_status sbl_certificate_shorten(char **brief, const char *text, size_t length, const char *where,
                                   sbl_error *err);

/* Is each of these releases, as it is on disk, one that the certificate lists? Its bytes must have
 * the hash that was committed, and plan, layout, bounds, joint sensitivity and cost, derived again
 * from the release itself, must be those of the certificate. The certificate must have been
 * checked. Returns: SBL_OK; SBL_EINPUT says what is wrong */
sbl_status sbl_certificate_check_releases(const char *text, size_t length,
                                          const sbl_release_evidence *releases, size_t count,
                                          const char *where, sbl_error *err);

/* The same certificate without the outputs, files and training that came from its releases: the part that a
 * model, itself such an output, can hold. The certificate must have been checked. sbl_free(). */
sbl_status sbl_certificate_without_files(char **stripped, const char *text, size_t length, const char *where,
                                         sbl_error *err);

/* Is this the hash of the schema that the certificate names? SBL_EINPUT: no, or it names none. */
sbl_status sbl_certificate_check_schema(const char *text, size_t length,
                                        const char hash[SBL_SHA256_TEXT_SIZE], const char *schema_name,
                                        const char *where, sbl_error *err);

/* Does the certificate list this hash, of a model or of an output? SBL_EINPUT: no. */
sbl_status sbl_certificate_check_file(const char *text, size_t length, const sbl_certified_file *file,
                                      const char *file_name, const char *where, sbl_error *err);

#endif
