/* The time of day as text, for lines that record when something happened. */
#ifndef SBL_BASE_CLOCK_H
#define SBL_BASE_CLOCK_H

#define SBL_UTC_TEXT_SIZE 24

/* "2026-01-31T23:59:59Z"; returns text. */
char *sbl_utc_now(char text[SBL_UTC_TEXT_SIZE]);

#endif
