/* SPDX-License-Identifier: Apache-2.0 */
/* A locale whose numbers have a decimal comma, as a host program may have chosen it. */
#ifndef SBL_TESTS_SUPPORT_COMMA_LOCALE_H
#define SBL_TESTS_SUPPORT_COMMA_LOCALE_H

#include <stdbool.h>

/* Make it from the system's sources of locales, which need not be installed as one, and enter it;
 * false: there are none. Left by setlocale(LC_ALL, "C"). */
bool enter_comma_locale(void);

#endif
