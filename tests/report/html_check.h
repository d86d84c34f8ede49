/* SPDX-License-Identifier: Apache-2.0 */
/* A small, strict reader of the HTML that the report writes: not of HTML in general. It knows the
 * elements and attributes that the report uses and no others, so that markup which came in through
 * data cannot pass. */
#ifndef SBL_TESTS_REPORT_HTML_CHECK_H
#define SBL_TESTS_REPORT_HTML_CHECK_H

#include <stddef.h>

/* NULL when html is well formed and holds nothing that it must not; else what is wrong. *where (may
 * be NULL) is the offset. */
const char *html_check(const char *html, size_t *where);

#endif
