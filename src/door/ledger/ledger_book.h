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
#define SBL_LEDGER_SIZE_LIMIT ((size_t)64 << 20) /* bytes of a whole ledger */

/* What the first line says. */
typedef struct sbl_ledger_facts {
    sbl_neighbours neighbours; /* every release in a ledger has the same relation */
    sbl_budget budget;         /* as it was made; LIMIT lines may have lowered it since */
    bool by_person;            /* what is protected is a person, who may own several rows; else a row */
    uint64_t rows_per_unit;    /* rows of one person that count, 1 to SBL_ROWS_PER_UNIT_MAX; every
                             * release of a ledger counts as many. 1 for a ledger of rows */
    bool test_key;             /* made by a build with a fixed key: guarantees nothing */
} sbl_ledger_facts;

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
} sbl_ledger_entry;

/* Proof that a charge is on disk. Made by sbl_ledger_reserve only, good for one noise key. */
typedef struct sbl_reserve_token sbl_reserve_token;

/* Make a new ledger; refuses an existing one. Mode 0600, synced. */
sbl_status sbl_ledger_create(sbl_store_entry ledger, const sbl_ledger_facts *facts, sbl_error *err);

/* Lock, verify the whole chain, ask the budget, append RESERVE, sync, read back, unlock.
 * Returns: SBL_OK; SBL_EBUDGET (nothing changed), also for a ledger whose last line is torn or
 * whose rest was given up by a repair; SBL_EINPUT for a broken chain, another relation or unit, a
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

/* One verified line after the first. */
typedef enum sbl_ledger_op {
    SBL_LEDGER_RESERVE,
    SBL_LEDGER_COMMIT,
    SBL_LEDGER_VOID,
    SBL_LEDGER_LIMIT, /* the budget was lowered */
    SBL_LEDGER_REPAIR /* a torn line was found here and cut */
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
    bool committed;                        /* RESERVE: a later COMMIT names it */
    bool voided;                           /* RESERVE: a later VOID names it */
    char time[24];
    uint8_t hash[SBL_SHA256_SIZE];
} sbl_ledger_line;

/* A verified ledger in memory. */
typedef struct sbl_ledger_view {
    char id[SBL_LEDGER_ID_TEXT_SIZE];
    sbl_ledger_facts facts;
    char created[24];
    uint8_t first_hash[SBL_SHA256_SIZE];
    sbl_ledger_line *lines;
    size_t line_count;
    size_t line_room;              /* lines that fit before the array must grow */
    bool torn;                     /* the file ends in a torn line: nothing can be charged before a repair */
    bool torn_is_known;            /* all that the torn line charges can be read */
    sbl_charge torn_charge;        /* what can be read: all, or the least that it was */
    bool exhausted;                /* a repair gave up the rest of the budget */
    size_t whole_size;             /* bytes before the torn line, or all */
    size_t torn_size;              /* bytes of the torn line */
    sbl_totals totals;             /* of the whole lines */
    sbl_budget budget;             /* in force now */
    uint8_t head[SBL_SHA256_SIZE]; /* hash of the last whole line */
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
