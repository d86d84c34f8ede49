/* SPDX-License-Identifier: Apache-2.0 */
/* One small release through the public API, and what must be true of a folder afterwards. */
#ifndef SBL_TEST_ONE_RELEASE_H
#define SBL_TEST_ONE_RELEASE_H

#include <stdbool.h>
#include <stddef.h>

#include "semblance/status.h"

/* Make folder/data.ledger with a budget that covers exactly two of these releases. */
void make_ledger_for_two(const char *folder);

/* Release folder/NAME and folder/NAME.json, charging folder/data.ledger. */
sbl_status release_once(const char *folder, const char *name, sbl_error *err);

/* How many charges folder/data.ledger holds; fails the test when the ledger does not verify. */
size_t charges_in(const char *folder);

/* Every release in the folder, whole or half written, has its charge in the ledger. */
void assert_no_release_without_charge(const char *folder);

/* Is there a file of that name? */
bool exists_in(const char *folder, const char *name);

/* Are there temporary files left? */
bool leftovers_in(const char *folder);

#endif
