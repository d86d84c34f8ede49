/* SPDX-License-Identifier: Apache-2.0 */
/* The ledgers and certificates below some folders, read and verified, with what does not agree. NOT PRIVATE. */
#ifndef SBL_REGISTER_BOOKS_H
#define SBL_REGISTER_BOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"
#include "door/ledger/ledger_book.h"

/* A regular file that was seen. */
typedef struct sbl_book_file {
    char *path;
    const char *name; /* without folders, within path */
    uint64_t size;
} sbl_book_file;

typedef struct sbl_book_ledger {
    const char *path;
    char *data; /* INPUT of INPUT.ledger, where it is a file; NULL: it is not */
    uint64_t data_size;
    char data_hash[SBL_SHA256_TEXT_SIZE]; /* "": not needed. Never written or shown */
    sbl_ledger_view view;
    json_t *problems; /* texts */
} sbl_book_ledger;

typedef struct sbl_book_certificate {
    const char *path;
    json_t *json;
    const char *ledger_id;               /* of json */
    const sbl_book_ledger *ledger;       /* NULL: it is not among the books */
    bool holds;                          /* by itself, and against the ledger where that is here */
    char reason[SBL_ERROR_MESSAGE_SIZE]; /* why it does not */
} sbl_book_certificate;

typedef struct sbl_books {
    sbl_book_file *files; /* by path, in the order of the bytes */
    size_t file_count;
    sbl_book_ledger *ledgers;
    size_t ledger_count;
    sbl_book_certificate *certificates;
    size_t certificate_count;
    json_t *unreadable; /* {"file", "reason"} */
} sbl_books;

/* Reads everything; SBL_EINPUT where there is no book. Clear the books whatever is returned. */
sbl_status sbl_books_read(sbl_books *books, const char *const *folders, size_t count, sbl_error *err);
void sbl_books_clear(sbl_books *books);

/* Adds to each ledger what does not agree with the others: copies, two successors, two ledgers of one data set. */
sbl_status sbl_books_check(sbl_books *books, sbl_error *err);

/* The last certificate of the release with this id in a ledger; NULL: there is none. is_last: the release is the last of its
 * run, behind which the certificate's files are listed. */
const sbl_book_certificate *sbl_books_find(const sbl_books *books, const sbl_book_ledger *ledger,
                                           const char *rid, bool *is_last);

/* "matches", "changed" or "missing": the file that a certificate lists, looked for beside it and below, then in all folders. */
const char *sbl_books_state(const sbl_books *books, const sbl_book_certificate *of, const char *name,
                            const char *hash);

/* The register as JSON (docs/FORMATS.md, "Register"); NULL when out of memory. */
json_t *sbl_register_build(const sbl_books *books);

/* Its other forms. */
void sbl_register_write_table(sbl_text *text, const json_t *whole);
void sbl_register_write_csv(sbl_text *text, const json_t *whole);
void sbl_register_write_page(sbl_text *text, const json_t *whole);

/* "" where the member is not there. */
const char *sbl_register_member(const json_t *object, const char *name);
/* A number of the register, rounded as it is meant: "inf" is a text. */
const char *sbl_register_number(char text[SBL_DOUBLE_TEXT_SIZE], const json_t *object, const char *name,
                                bool up);
/* "a.csv (changed), m.model": the outputs of a release. */
void sbl_register_outputs_write(sbl_text *text, const json_t *release);

#endif
