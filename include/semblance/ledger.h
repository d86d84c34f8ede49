/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger of a data set: an append-only, hash-chained file with the cost of every release. It
 * refuses releases that would exceed the budget (docs/mechanisms/ledger.md). A ledger that is named in the options
 * of a fit (options.h) is charged before any noise exists:
 *
 *     sbl_ledger_options options;
 *     sbl_ledger_options_init(&options);
 *     options.epsilon = "3";
 *     sbl_ledger_init("patients.csv.ledger", &options, &err);
 *
 * Stability: stable (docs/C.md). */
#ifndef SEMBLANCE_LEDGER_H
#define SEMBLANCE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/account.h"
#include "semblance/export.h"
#include "semblance/memory.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sbl_ledger_options {
    /* Set by sbl_ledger_options_init(). */
    size_t struct_size;
    /* Holds for every release. Default SBL_REPLACE_ONE. */
    sbl_neighbours neighbours;
    /* A text: a number above 0; NULL or "none": no limit, costs are only added up; "inf": nothing is
     * refused and nothing is guaranteed. Default NULL. */
    const char *epsilon;
    /* A text: above 0, at most 1e-3. Not for pure. Default "1e-05". */
    const char *delta;
    /* A further limit, on the composed mu. Default 0: none. */
    double mu;
    /* true: delta is 0, and only pure releases fit. Default false. */
    bool pure;
    /* If persons with several rows are protected: how many rows of a person count, 1 to 1024, as in the
     * schema. Default 0: a row is protected. */
    uint64_t rows_per_unit;
} sbl_ledger_options;

static inline void sbl_ledger_options_init(sbl_ledger_options *options)
{
    SBL_STRUCT_INIT(options);
    options->delta = "1e-05";
}

/* Make a new ledger, mode 0600; an existing file is refused and left as it is. For PACKAGE.json.ledger, the tables of the
 * package get links that lead to it.
 * Returns: SBL_OK; SBL_EARG for a bad budget; SBL_EIO */
SBL_API SBL_MUST_USE sbl_status sbl_ledger_init(const char *path, const sbl_ledger_options *options,
                                                sbl_error *err);

/* Lower the budget of a ledger from now on. This adds a line, which cannot be undone. `neighbours` is ignored.
 * Returns: SBL_OK; SBL_EARG for a budget that allows more than the one in force; SBL_EBUDGET for a ledger that
 * must be repaired first; SBL_EINPUT, SBL_EIO */
SBL_API SBL_MUST_USE sbl_status sbl_ledger_limit(const char *path, const sbl_ledger_options *options,
                                                 sbl_error *err);

/* Close the ledger at `old` and make the one at `next` for the data of the next period. Nothing can be charged to old
 * any more; next begins with an empty account of its own, and carries the cost of all earlier periods, so that its
 * certificates state the sum for a person who is in the data of each (docs/mechanisms/ledger.md, "Periods"). A call
 * that was stopped is completed by the same call.
 * In:      options  budget of next, and rows_per_unit; NULL: the budget that is in force in old. The relation and
 *                   what is protected are those of old
 *          reason   why: UTF-8 without control characters, 1 to 200 bytes
 * Returns: SBL_OK; SBL_EINPUT when old has another successor or its cost is not known; SBL_EBUDGET when it must be
 *          repaired first; SBL_EARG; SBL_EIO */
SBL_API SBL_MUST_USE sbl_status sbl_ledger_next_period(const char *old, const char *next,
                                                       const sbl_ledger_options *options, const char *reason,
                                                       sbl_error *err);

/* Record a cost for a torn last line, and cut the line. The cost is
 *   1. mu or pure_epsilon, if one is above 0: the most that the release can have cost, stated by a caller who
 *      knows it, and at least what can be read of the line;
 *   2. otherwise the cost in the line itself, if all of it can be read;
 *   3. otherwise all that the budget still allows, which ends the ledger.
 * Returns: SBL_OK; SBL_EARG without a torn line, and for a stated cost below that in the line; SBL_EBUDGET if the cost
 * must be stated, because it cannot be read and the ledger has no limit; SBL_EINPUT, SBL_EIO */
SBL_API SBL_MUST_USE sbl_status sbl_ledger_repair(const char *path, double mu, double pure_epsilon,
                                                  sbl_error *err);

/* A verified ledger in memory; the file is not kept open. */
typedef struct sbl_ledger sbl_ledger;

/* Read and verify every line under a shared lock; changes nothing. A torn last line is not an error here: the
 * summary reports it.
 * Returns: SBL_OK; SBL_EINPUT naming the line and field that is wrong; SBL_EIO, SBL_EMEM
 * Owner:   the caller; sbl_ledger_close() */
SBL_API SBL_MUST_USE sbl_status sbl_ledger_open(sbl_ledger **ledger, const char *path, sbl_error *err);
SBL_API void sbl_ledger_close(sbl_ledger *ledger); /* NULL is fine */

/* The facts of the first line, and what has been spent. Texts are borrowed from the ledger. The caller
 * sets struct_size before the call; the library fills no more than that. */
typedef struct sbl_ledger_summary {
    size_t struct_size;
    /* 32 hex digits. */
    const char *id;
    /* "2026-01-31T23:59:59Z" */
    const char *created;
    /* The hash of the last line, 64 hex digits. */
    const char *head;
    /* Of the budget in force, as given. "none": no limit. */
    const char *epsilon;
    /* Of the budget, as given. "0" for a pure one. */
    const char *delta;
    /* Of the budget. 0: none. */
    double mu_limit;
    /* Of every release. */
    sbl_neighbours neighbours;
    /* Made by a build with a fixed key: guarantees nothing. */
    bool test_key;
    /* The file ends in a torn line: nothing can be spent until a repair. */
    bool torn;
    /* A repair gave up the rest of the budget: nothing can be spent. */
    bool exhausted;
    /* The number of lines after the first. */
    size_t line_count;
    /* The number of charged releases. */
    uint64_t releases;
    /* Composed over all releases, rounded up. */
    double mu_spent;
    /* The sum of pure epsilon, rounded up. */
    double pure_spent;
    /* Extra delta, rounded up. */
    double delta_spent;
    /* The smallest epsilon at the budget's delta, rounded up; may be inf. */
    double epsilon_spent;
    /* The largest mu that one more release may have. 0: none; inf: no limit. */
    double mu_left;
    /* The largest pure epsilon that one more release may have. 0: none; inf: no limit. */
    double pure_left;
    /* The largest epsilon that one more release may have at the delta of the budget, rounded down. 0: none; inf:
     * no limit. */
    double epsilon_left;
    /* A person is protected, who may have several rows. */
    bool by_person;
    /* How many rows of a person count. 1 for a ledger of rows. */
    uint64_t rows_per_unit;
    /* The number of ledgers of earlier periods whose cost this one carries. 0: it has no predecessor. */
    uint64_t earlier_periods;
    /* The id of the predecessor. "": none. */
    const char *predecessor;
    /* The id of the successor, which closed this ledger. "": none. */
    const char *successor;
    /* Of all periods together, for a person who is in the data of each: at the budget's delta, rounded up. */
    double epsilon_all;
    double mu_all;
    double pure_all;
    uint64_t releases_all;
} sbl_ledger_summary;

/* Returns: SBL_OK; SBL_EARG */
SBL_API SBL_MUST_USE sbl_status sbl_ledger_get_summary(const sbl_ledger *ledger, sbl_ledger_summary *summary,
                                                       sbl_error *err);

/* One line after the first; the caller sets struct_size. Texts are borrowed from the ledger. */
typedef struct sbl_ledger_record {
    size_t struct_size;
    /* 1, 2, ... */
    uint64_t seq;
    /* "RESERVE", "COMMIT", "VOID", "LIMIT", "REPAIR", "SUCCEED" */
    const char *op;
    /* The release's id, 32 hex digits. "" for LIMIT and REPAIR. */
    const char *rid;
    /* The release's name. "(torn line)" for REPAIR; "" for all others. */
    const char *name;
    /* "discrete-gaussian" or "discrete-laplace" for RESERVE; "" for all others. */
    const char *mechanism;
    /* RESERVE: "open", "committed", "void". REPAIR: "repaired". "" for all others. */
    const char *state;
    /* UTC. */
    const char *time;
    /* The public number of rows. 0 if it is private or the line has none. */
    uint64_t n;
    /* The number of noise integers. */
    uint64_t draws;
    /* Charged by this line, rounded up. */
    double mu;
    /* Charged by this line, rounded up. */
    double pure_epsilon;
    /* Over all lines up to this one, rounded up. */
    double mu_total;
    /* Over all lines up to this one, rounded up. */
    double pure_total;
    /* The smallest epsilon at the budget's delta so far, rounded up. */
    double epsilon_total;
    /* RESERVE: who released, and the title of the data set. SUCCEED: title is the reason. "": not said. */
    const char *who;
    const char *title;
    /* SUCCEED: the id of the successor. "" for all others. */
    const char *successor;
} sbl_ledger_record;

/* Line number index (from 0). Returns: SBL_OK; SBL_EARG past the last line */
SBL_API SBL_MUST_USE sbl_status sbl_ledger_get_record(const sbl_ledger *ledger, sbl_ledger_record *record,
                                                      size_t index, sbl_error *err);

/* What several ledgers cost the same people together; the caller sets struct_size. */
typedef struct sbl_ledger_sum {
    size_t struct_size;
    /* At delta, rounded up; may be inf. */
    double epsilon;
    /* The delta of the statement. 0 if all releases are pure. */
    double delta;
    /* Composed over all releases, rounded up. */
    double mu;
    /* The sum, rounded up. */
    double pure_epsilon;
    /* The number of charged releases in all ledgers. */
    uint64_t releases;
    /* The most rows of a person. 0: the sum is about one row. */
    uint64_t rows;
    /* Of the ledgers; replace-one if they differ. */
    sbl_neighbours neighbours;
} sbl_ledger_sum;

/* Add up ledgers of different data about the same people, or of one table by rows and by persons
 * (docs/mechanisms/accounting.md, "Ledgers of the same people"). Where a ledger has a predecessor that is not
 * given, the cost of all its earlier periods is added.
 * In:      rows_per_person  the most rows of a person in any data of a ledger of rows; 0: the sum is
 *                           about one row, which ledgers of persons do not allow
 *          delta            above 0 and below 1; 0: the smallest of the ledgers' budgets
 * Returns: SBL_OK; SBL_EARG; SBL_EINPUT for a ledger that is damaged, torn, given twice, without a
 *          known cost or without a guarantee; SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_ledger_add_up(sbl_ledger_sum *sum, const char *const *paths, size_t count,
                                                  uint64_t rows_per_person, double delta, sbl_error *err);

/* The same facts as JSON text with a final newline (docs/FORMATS.md), for machines.
 * Owner:   the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_ledger_describe(char **json, const char *path, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
