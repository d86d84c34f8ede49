/* SPDX-License-Identifier: Apache-2.0 */
/* Words and tables in three forms: for a terminal, in Markdown, in HTML. */
#ifndef SBL_AUDIT_REPORT_ROWS_H
#define SBL_AUDIT_REPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

typedef enum sbl_form { SBL_FORM_PLAIN, SBL_FORM_MARKDOWN, SBL_FORM_HTML } sbl_form;

/* A page that grows; failures are remembered in text. */
typedef struct sbl_page {
    sbl_form form;
    sbl_text text;
} sbl_page;

void sbl_page_open(sbl_page *page, const char *title);
void sbl_page_close(sbl_page *page);
void sbl_page_heading(sbl_page *page, const char *words);
/* One paragraph; its words may come from data. warning: it must not be overlooked. */
void sbl_page_words(sbl_page *page, const char *words);
void sbl_page_warning(sbl_page *page, const char *words);

/* A table that is filled cell by cell, row by row. */
typedef struct sbl_sheet {
    const char *const *heads; /* (columns) */
    size_t columns;
    sbl_text *cells; /* (count) */
    size_t count;
    bool failed; /* a cell was lost */
} sbl_sheet;

void sbl_sheet_cell(sbl_sheet *sheet, const char *format, ...) SBL_PRINTF(2, 3);
/* Writes the table, and empties it. */
void sbl_page_sheet(sbl_page *page, sbl_sheet *sheet, const char *caption);

#endif
