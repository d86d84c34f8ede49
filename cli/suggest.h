/* SPDX-License-Identifier: Apache-2.0 */
/* "did you mean": the known name nearest to a mistyped one. */
#ifndef SBL_CLI_SUGGEST_H
#define SBL_CLI_SUGGEST_H

#include <stddef.h>

typedef struct sbl_suggestion {
    const char *typed;
    const char *best; /* NULL while nothing is near enough */
    size_t distance;
} sbl_suggestion;

sbl_suggestion sbl_suggestion_start(const char *typed);
void sbl_suggestion_offer(sbl_suggestion *suggestion, const char *name);

#endif
