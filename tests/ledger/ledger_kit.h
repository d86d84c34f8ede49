/* SPDX-License-Identifier: Apache-2.0 */
/* Ledgers for tests: entries of known cost, a sample with every kind of line, edits that keep the
 * hash chain whole. */
#ifndef SBL_TESTS_LEDGER_LEDGER_KIT_H
#define SBL_TESTS_LEDGER_LEDGER_KIT_H

#include <stddef.h>

#include "door/ledger/ledger_book.h"

/* (epsilon, delta) replace-one facts, not of a test key. */
sbl_ledger_facts kit_facts(const char *epsilon, const char *delta);

/* A Gaussian entry of mu = mu_64 / 64, or a Laplace one of epsilon = eps_64 / 64, n = 1000. */
sbl_ledger_entry kit_gaussian(unsigned mu_64);
sbl_ledger_entry kit_laplace(unsigned eps_64);

/* Reserve and commit; asserts success. */
void kit_release(const char *path, const sbl_ledger_entry *entry);

/* Lines: 1 first, 2 RESERVE, 3 COMMIT, 4 RESERVE (Laplace), 5 VOID, 6 REPAIR of a
 * Gaussian RESERVE, 7 RESERVE (still open), 8 LIMIT to epsilon 7, delta 1e-6, 9 RESERVE, 10 COMMIT.
 */
void kit_make_sample(const char *path);

/* text with one field of one line (from 1) replaced and every hash computed anew. A NULL value
 * takes the field out. free(). */
char *kit_edit(const char *text, size_t line, const char *key, const char *value);

/* Compute every hash anew, in place of what stands there. free(). */
char *kit_rehash(const char *text);

/* Write a file as it stands. */
void kit_write(const char *path, const char *bytes, size_t size);

/* Cut a file to so many bytes less than it has. */
void kit_cut(const char *path, size_t bytes);

#endif
