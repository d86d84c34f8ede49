/* SPDX-License-Identifier: Apache-2.0 */
/* Text is folded at 96 columns, HTML goes through sbl_html_print(), which escapes whatever
 * comes from data, and tables are kept cell by cell until the widths of their columns are
 * known. */
#include "owner/audit/report_rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "owner/report/html.h"

#define CELL_SIZE 256
#define LINE_WIDTH 96

static void put(sbl_page *page, const char *text) { sbl_text_append(&page->text, text, strlen(text)); }

/* ---- the page ---- */

static void open_html(sbl_page *page, const char *title)
{
    sbl_html_page_open(&page->text, title, false);
    sbl_html_print(&page->text, "<div class=\"page\">\n<header><h1>%s</h1></header>\n<main>\n", title);
}

void sbl_page_open(sbl_page *page, const char *title)
{
    if (page->form == SBL_FORM_HTML)
        open_html(page, title);
    else if (page->form == SBL_FORM_MARKDOWN)
        sbl_text_printf(&page->text, "# %s\n\n", title);
}

void sbl_page_close(sbl_page *page)
{
    if (page->form == SBL_FORM_HTML) put(page, "</main>\n</div>\n</body>\n</html>\n");
}

void sbl_page_heading(sbl_page *page, const char *words)
{
    if (page->form == SBL_FORM_HTML)
        sbl_html_print(&page->text, "<h2>%s</h2>\n", words);
    else
        sbl_text_printf(&page->text, "%s%s\n\n", page->form == SBL_FORM_MARKDOWN ? "## " : "", words);
}

/* Broken at spaces, as wide as a terminal or a Markdown file of ours may be. */
static void put_folded(sbl_page *page, const char *words)
{
    size_t column = 0;
    while (*words != '\0') {
        const size_t length = strcspn(words, " \n");
        if (column > 0 && column + 1 + length > LINE_WIDTH) {
            put(page, "\n");
            column = 0;
        } else if (column > 0) {
            put(page, " ");
            column++;
        }
        sbl_text_append(&page->text, words, length);
        column += length;
        words += length;
        while (*words == ' ' || *words == '\n') words++;
    }
    put(page, "\n\n");
}

void sbl_page_words(sbl_page *page, const char *words)
{
    if (page->form == SBL_FORM_HTML)
        sbl_html_print(&page->text, "<p>%s</p>\n", words);
    else
        put_folded(page, words);
}

void sbl_page_warning(sbl_page *page, const char *words)
{
    if (page->form == SBL_FORM_HTML)
        sbl_html_print(&page->text, "<p class=\"banner danger\" role=\"note\">%s</p>\n", words);
    else
        put_folded(page, words);
}

/* ---- a table ---- */

void sbl_sheet_cell(sbl_sheet *sheet, const char *format, ...)
{
    char words[CELL_SIZE];
    va_list arguments;
    sbl_text *cells = sbl_resize_array(sheet->cells, sheet->count + 1, sizeof *cells);
    if (cells == NULL) {
        sheet->failed = true;
        return;
    }
    sheet->cells = cells;
    cells[sheet->count] = (sbl_text){0};
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    sbl_text_printf(&cells[sheet->count], "%s", words);
    sheet->failed = sheet->failed || cells[sheet->count].failed;
    sheet->count++;
}

static const char *cell_of(const sbl_sheet *sheet, size_t row, size_t column)
{
    if (row == 0) return sheet->heads[column];
    const sbl_text *cell = &sheet->cells[(row - 1) * sheet->columns + column];
    return cell->data != NULL ? cell->data : "";
}

static size_t width_of(const sbl_sheet *sheet, size_t column)
{
    size_t width = 0;
    for (size_t row = 0; row <= sheet->count / sheet->columns; row++) {
        const size_t length = strlen(cell_of(sheet, row, column));
        if (length > width) width = length;
    }
    return width;
}

static void put_plain_row(sbl_page *page, const sbl_sheet *sheet, size_t row)
{
    for (size_t c = 0; c < sheet->columns; c++) {
        const char *words = cell_of(sheet, row, c);
        if (c + 1 == sheet->columns)
            sbl_text_printf(&page->text, "%s\n", words);
        else
            sbl_text_printf(&page->text, "%-*s  ", (int)width_of(sheet, c), words);
    }
}

static void put_markdown_row(sbl_page *page, const sbl_sheet *sheet, size_t row)
{
    put(page, "|");
    for (size_t c = 0; c < sheet->columns; c++) sbl_text_printf(&page->text, " %s |", cell_of(sheet, row, c));
    put(page, "\n");
    if (row > 0) return;
    put(page, "|");
    for (size_t c = 0; c < sheet->columns; c++) put(page, "---|");
    put(page, "\n");
}

static void put_html_row(sbl_page *page, const sbl_sheet *sheet, size_t row)
{
    put(page, row == 0 ? "<thead><tr>" : "<tr>");
    for (size_t c = 0; c < sheet->columns; c++)
        sbl_html_print(
            &page->text,
            row == 0 ? "<th scope=\"col\">%s</th>" : (c == 0 ? "<th scope=\"row\">%s</th>" : "<td>%s</td>"),
            cell_of(sheet, row, c));
    put(page, row == 0 ? "</tr></thead>\n<tbody>\n" : "</tr>\n");
}

void sbl_page_sheet(sbl_page *page, sbl_sheet *sheet, const char *caption)
{
    if (page->form == SBL_FORM_HTML) sbl_html_table_open(&page->text, caption, NULL);
    for (size_t row = 0; row <= sheet->count / sheet->columns; row++) {
        if (page->form == SBL_FORM_HTML)
            put_html_row(page, sheet, row);
        else if (page->form == SBL_FORM_MARKDOWN)
            put_markdown_row(page, sheet, row);
        else
            put_plain_row(page, sheet, row);
    }
    if (page->form == SBL_FORM_HTML)
        sbl_html_table_close(&page->text);
    else
        put(page, "\n");
    page->text.failed = page->text.failed || sheet->failed;
    for (size_t i = 0; i < sheet->count; i++) sbl_text_clear(&sheet->cells[i]);
    sbl_free(sheet->cells);
    *sheet = (sbl_sheet){.heads = sheet->heads, .columns = sheet->columns};
}
