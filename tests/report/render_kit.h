/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of reports ask of a page. */
#ifndef SBL_TESTS_REPORT_RENDER_KIT_H
#define SBL_TESTS_REPORT_RENDER_KIT_H

#include <stddef.h>

#include "owner/report/report_page.h"

/* The page, which must be made and be well-formed; sbl_free. */
char *kit_render(const char *certificate, const char *evaluation, const sbl_page_options *options);
/* How often part stands in text. */
size_t kit_count(const char *text, const char *part);

#endif
