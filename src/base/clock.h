/* SPDX-License-Identifier: Apache-2.0 */
/* Time: of day as text, for lines that record when something happened, and as it passes. */
#ifndef SBL_BASE_CLOCK_H
#define SBL_BASE_CLOCK_H

#define SBL_UTC_TEXT_SIZE 24

/* "2026-01-31T23:59:59Z"; returns text. */
char *sbl_utc_now(char text[SBL_UTC_TEXT_SIZE]);

/* Seconds since some moment, rising. For rehearsals on made-up records only: how long work on real ones
 * takes may tell of them. */
double sbl_seconds(void);
/* The same of the processor, all threads of the process together. */
double sbl_processor_seconds(void);
/* The same of the calling thread alone. */
double sbl_thread_seconds(void);

#endif
