/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger: an append-only, hash-chained, locked text file that is charged before any noise key exists
 * (docs/mechanisms/ledger.md, docs/FORMATS.md).
 *
 * Each record is one ASCII line of at most 4096 bytes that ends with LF: key=value fields in fixed order.
 * The last field, h=, is SHA-256(previous h as hex || line before " h="). Nothing is ever refunded. All
 * files ledger*.c are compiled without floating point; budget.c decides whether a charge fits. */
#ifndef SBL_LEDGER_LEDGER_BOOK_H
#define SBL_LEDGER_LEDGER_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"
#include "base/store/store.h"
#include "public/account/budget.h"
#include "public/account/charge.h"

#define SBL_LEDGER_ID_SIZE 16
#define SBL_LEDGER_ID_TEXT_SIZE (2 * SBL_LEDGER_ID_SIZE + 1)
#define SBL_LEDGER_NAME_SIZE 64
#define SBL_LEDGER_TEXT_SIZE 201                 /* of a title, a name or a reason, with its NUL */
#define SBL_LEDGER_SIZE_LIMIT ((size_t)64 << 20) /* bytes of a whole ledger */

/* The version that is written; version 2, which has no predecessor, title or name, is read and extended. */
#define SBL_LEDGER_VERSION 3
#define SBL_LEDGER_OLDEST 2

/* What the ledgers of earlier periods cost together, where this one succeeds them; all zero for the first. */
typedef struct sbl_ledger_past {
    uint64_t periods;                 /* the number of earlier ledgers */
    char id[SBL_LEDGER_ID_TEXT_SIZE]; /* of the last of them; zeros: none */
    uint8_t head[SBL_SHA256_SIZE];    /* the hash of its SUCCEED line */
    sbl_totals totals;                /* of all of them */
} sbl_ledger_past;

/* What the first line says. */
typedef struct sbl_ledger_facts {
    sbl_neighbours neighbours; /* every release in a ledger has the same relation */
    sbl_budget budget;         /* as it was made; LIMIT lines may have lowered it since */
    bool by_person;            /* what is protected is a person, who may own several rows; else a row */
    uint64_t rows_per_unit;    /* rows of one person that count, 1 to SBL_ROWS_PER_UNIT_MAX; every
                             * release of a ledger counts as many. 1 for a ledger of rows */
    bool test_key;             /* made by a build with a fixed key: guarantees nothing */
    sbl_ledger_past past;
} sbl_ledger_facts;

/* Limits of a policy beside the ledger's budget; an epsilon "" is none. Not written. */
typedef struct sbl_ledger_policy {
    sbl_budget period; /* on the totals of the ledger */
    sbl_budget all;    /* on those of all periods together */
} sbl_ledger_policy;

/* Do the totals of a ledger, and those of all periods, keep to the policy? SBL_EBUDGET: no. */
sbl_status sbl_ledger_policy_check(const sbl_ledger_policy *policy, const sbl_ledger_past *past,
                                   const sbl_totals *totals, sbl_error *err);

/* past + totals: what all periods cost a person who is in the data of each. SBL_EARG when the sum does not fit */
sbl_status sbl_ledger_all_periods(sbl_totals *all, const sbl_ledger_past *past, const sbl_totals *totals,
                                  sbl_error *err);

/* What is asked for in a RESERVE line. */
typedef struct sbl_ledger_entry {
    char name[SBL_LEDGER_NAME_SIZE]; /* [A-Za-z0-9_.+-], e.g. "merf.embed+counts" */
    sbl_mechanism mechanism;
    sbl_neighbours neighbours;
    bool n_public;
    uint64_t n;             /* the public number of rows; 0 when it is private */
    uint64_t rows_per_unit; /* of one person that count; 0: a row is a person. Not written: the
                             * ledger's first line says it for all */
    uint8_t plan_hash[SBL_SHA256_SIZE];
    sbl_u128 joint; /* joint sensitivity (public/account/charge.h) */
    sbl_charge charge;
    bool test_key;
    char who[SBL_LEDGER_TEXT_SIZE];   /* who releases, and the data set's title: UTF-8 without control */
    char title[SBL_LEDGER_TEXT_SIZE]; /* characters; "": not said. Not written in version 2 */
    const sbl_ledger_policy *policy;  /* NULL: none. Not written */
} sbl_ledger_entry;

/* Proof that a charge is on disk. Made by sbl_ledger_reserve only, good for one noise key. */
typedef struct sbl_reserve_token sbl_reserve_token;

/* Make a new ledger; refuses an existing one. Mode 0600, synced. */
sbl_status sbl_ledger_create(sbl_store_entry ledger, const sbl_ledger_facts *facts, sbl_error *err);

/* Lock, verify the whole chain, ask the budget, append RESERVE, sync, read back, unlock.
 * Returns: SBL_OK; SBL_EBUDGET (nothing changed), also for a ledger whose last line is torn,
 * whose rest was given up by a repair, or that has a successor; SBL_EINPUT for a broken chain, another relation or unit, a
 * test-key ledger and a real entry or the reverse; SBL_EIO Owner:   the caller; sbl_reserve_token_free() */
sbl_status sbl_ledger_reserve(sbl_reserve_token **token, sbl_store_entry ledger,
                              const sbl_ledger_entry *entry, sbl_error *err);

/* Called by noise/ when it makes its key: true once per token, false ever after. */
bool sbl_reserve_token_spend(sbl_reserve_token *token);

/* The release id of the reservation and the id of its ledger, as hex text; the reservation's
 * sequence number. */
const char *sbl_reserve_token_rid(const sbl_reserve_token *token);
const char *sbl_reserve_token_ledger_id(const sbl_reserve_token *token);
uint64_t sbl_reserve_token_seq(const sbl_reserve_token *token);
bool sbl_reserve_token_is_test(const sbl_reserve_token *token);

/* Append COMMIT with the hash of the release file. */
sbl_status sbl_ledger_commit(const sbl_reserve_token *token, const uint8_t release_hash[SBL_SHA256_SIZE],
                             sbl_error *err);

/* Append VOID: the release was not written. Refunds nothing. reason: "crash" or "error". */
sbl_status sbl_ledger_void(const sbl_reserve_token *token, const char *reason, sbl_error *err);

void sbl_reserve_token_free(sbl_reserve_token *token);

/* Append LIMIT: from here on this budget holds. SBL_EARG when it allows more than the one in force
 * (public/account/budget.h); it may be less than what is spent already, which ends all spending. */
sbl_status sbl_ledger_append_limit(sbl_store_entry ledger, const sbl_budget *budget, sbl_error *err);

/* Replace a torn last line by REPAIR, which records the assumed cost of the line:
 *   line    the cost in the line itself, if all of it can be read
 *   stated  the cost that the caller states, or NULL. It may not be less than what can be read of the line
 *   rest    all that the budget still allows: nothing can be charged any more
 * A stated cost comes first, then a line that can be read, then the rest.
 * Returns: SBL_OK; SBL_EARG when there is no torn line, and for a statement below what it says;
 *          SBL_EBUDGET if the cost cannot be read, was not stated, and the ledger has no limit
 *          whose rest could be given up */
sbl_status sbl_ledger_append_repair(sbl_store_entry ledger, const sbl_charge *stated, sbl_error *err);

/* Close the ledger `old` and make `next`, the ledger of the next period: SUCCEED is appended to old, after
 * which nothing can be charged to it, and the first line of next carries what all periods so far cost. A
 * stopped call leaves next.pending, and the same call completes it.
 * In:      facts   of next: budget, and rows_per_unit where a person is protected; the rest is that of old
 *          reason  why, UTF-8 without control characters, 1 to 200 bytes
 * Returns: SBL_OK; SBL_EINPUT when old has another successor, gave up its rest, guarantees nothing or
 *          belongs to another kind of build; SBL_EBUDGET when its last line is torn; SBL_EARG; SBL_EIO */
sbl_status sbl_ledger_succeed(sbl_store_entry old, sbl_store_entry next, const sbl_ledger_facts *facts,
                              const char *reason, sbl_error *err);

/* One verified line after the first. */
typedef enum sbl_ledger_op {
    SBL_LEDGER_RESERVE,
    SBL_LEDGER_COMMIT,
    SBL_LEDGER_VOID,
    SBL_LEDGER_LIMIT,  /* the budget was lowered */
    SBL_LEDGER_REPAIR, /* a torn line was found here and cut */
    SBL_LEDGER_SUCCEED /* the next period has a ledger of its own: nothing is charged here any more */
} sbl_ledger_op;

typedef enum sbl_repair_basis { SBL_REPAIR_LINE, SBL_REPAIR_STATED, SBL_REPAIR_REST } sbl_repair_basis;

typedef struct sbl_ledger_line {
    sbl_ledger_op op;
    uint64_t seq;
    char rid[SBL_LEDGER_ID_TEXT_SIZE];     /* RESERVE, COMMIT, VOID */
    sbl_ledger_entry entry;                /* RESERVE; of a REPAIR only the charge */
    sbl_totals totals;                     /* after this line */
    sbl_budget budget;                     /* in force after this line; LIMIT sets it */
    sbl_repair_basis basis;                /* REPAIR only */
    uint8_t release_hash[SBL_SHA256_SIZE]; /* COMMIT only */
    char reason[8];                        /* VOID only */
    char next[SBL_LEDGER_ID_TEXT_SIZE];    /* SUCCEED only: the id of the successor */
    char why[SBL_LEDGER_TEXT_SIZE];        /* SUCCEED only */
    bool committed;                        /* RESERVE: a later COMMIT names it */
    bool voided;                           /* RESERVE: a later VOID names it */
    char time[24];
    uint8_t hash[SBL_SHA256_SIZE];
} sbl_ledger_line;

/* A verified ledger in memory. */
typedef struct sbl_ledger_view {
    unsigned version; /* SBL_LEDGER_OLDEST to SBL_LEDGER_VERSION */
    char id[SBL_LEDGER_ID_TEXT_SIZE];
    sbl_ledger_facts facts;
    char created[24];
    uint8_t first_hash[SBL_SHA256_SIZE];
    sbl_ledger_line *lines;
    size_t line_count;
    size_t line_room;       /* lines that fit before the array must grow */
    bool torn;              /* the file ends in a torn line: nothing can be charged before a repair */
    bool torn_is_known;     /* all that the torn line charges can be read */
    sbl_charge torn_charge; /* what can be read: all, or the least that it was */
    bool exhausted;         /* a repair gave up the rest of the budget */
    char next[SBL_LEDGER_ID_TEXT_SIZE]; /* the id of the successor; "": none */
    size_t whole_size;                  /* bytes before the torn line, or all */
    size_t torn_size;                   /* bytes of the torn line */
    sbl_totals totals;                  /* of the whole lines */
    sbl_budget budget;                  /* in force now */
    uint8_t head[SBL_SHA256_SIZE];      /* hash of the last whole line */
} sbl_ledger_view;

/* Read and verify under a shared lock; changes nothing. */
sbl_status sbl_ledger_read(sbl_ledger_view *view, sbl_store_entry ledger, sbl_error *err);
/* The same of one that is to be charged: SBL_EIO where it cannot be written to. */
sbl_status sbl_ledger_read_to_charge(sbl_ledger_view *view, sbl_store_entry ledger, sbl_error *err);
void sbl_ledger_view_clear(sbl_ledger_view *view);

/* Parse and verify bytes, the part of sbl_ledger_read without the file (fuzzed).
 * where is used in messages. */
sbl_status sbl_ledger_parse(sbl_ledger_view *view, const char *bytes, size_t size, const char *where,
                            sbl_error *err);

#endif
