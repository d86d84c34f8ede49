#include "base/clock.h"

#include <time.h>

char *sbl_utc_now(char text[SBL_UTC_TEXT_SIZE])
{
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) == NULL ||
        strftime(text, SBL_UTC_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        text[0] = '\0';
    return text;
}

double sbl_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
