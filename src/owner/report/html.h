/* SPDX-License-Identifier: Apache-2.0 */
/* Writing HTML and SVG so that nothing that comes from data can become markup.
 *
 * There is one way in for data: the %s of sbl_html_print, which always escapes. Markup itself is
 * only ever a literal of this program. */
#ifndef SBL_REPORT_HTML_H
#define SBL_REPORT_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* format is markup of ours. Conversions:
 *     %s      text, escaped; NULL is a dash. %.12s, %.*s: cut to about that many columns, with an
 *             ellipsis
 *     %zu %d  whole numbers
 *     %.2f    a number with this number of decimals, whatever the locale; NaN is a dash
 *     %g      a number with about three digits that count; NaN is a dash
 *     %%      a per cent sign
 * Anything else counts as a failure of out. */
void sbl_html_print(sbl_text *out, const char *format, ...) SBL_PRINTF(2, 3);

/* Escaped text for <pre>: line ends stay. */
void sbl_html_lines(sbl_text *out, const char *text);

/* 48842 as "48 842", with narrow no-break spaces. */
#define SBL_HTML_COUNT_SIZE 48
char *sbl_html_count_text(char text[SBL_HTML_COUNT_SIZE], uint64_t count);

/* All of a page up to <body>, with the style sheet. is_private: the title says NOT PRIVATE, and that it is not to be
 * indexed. */
void sbl_html_page_open(sbl_text *out, const char *title, bool is_private);

/* <section> with a heading; `is_private` puts the words NOT PRIVATE beside it. */
void sbl_html_section_open(sbl_text *out, const char *id, const char *heading, bool is_private);
void sbl_html_section_close(sbl_text *out);

/* Details that a reader opens. */
void sbl_html_fold_open(sbl_text *out, const char *summary);
void sbl_html_fold_close(sbl_text *out);

/* A table that scrolls sideways where it does not fit. heads: of its columns, "a|_b" where b stands over words; NULL: the
 * caller writes <thead> and <tbody>. */
void sbl_html_table_open(sbl_text *out, const char *caption, const char *heads);
void sbl_html_table_close(sbl_text *out);

/* Table cells: a number with about three digits, a whole number; NaN is a dash. */
void sbl_html_cell_number(sbl_text *out, double value);
void sbl_html_cell_count(sbl_text *out, double value);

/* Four digits, rounded up: a privacy loss is never shown smaller than it is. */
const char *sbl_report_round_up(char text[SBL_DOUBLE_TEXT_SIZE], double value);

#endif
