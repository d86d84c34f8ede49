/* SPDX-License-Identifier: Apache-2.0 */
/* UTC to the second for the ledger and certificates; a monotonic clock and those of the processor,
 * for rehearsals. */
#include "base/clock.h"

#include <time.h>

char *sbl_utc_now(char text[SBL_UTC_TEXT_SIZE])
{
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) == NULL || strftime(text, SBL_UTC_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        text[0] = '\0';
    return text;
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double sbl_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }

double sbl_processor_seconds(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

double sbl_thread_seconds(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
