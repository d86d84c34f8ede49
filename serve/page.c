/* SPDX-License-Identifier: Apache-2.0 */
/* The page: the HTML, CSS and modules of page/, compiled in. Nothing is fetched from elsewhere. */
#include <string.h>

#include "embed.h"
#include "server.h"

/* SBL_PAGE is the folder's path when this is compiled (CMakeLists.txt). */
SBL_EMBED(index_html, SBL_PAGE "/index.html");
SBL_EMBED(style_css, SBL_PAGE "/style.css");
SBL_EMBED(main_js, SBL_PAGE "/main.js");
SBL_EMBED(texts_js, SBL_PAGE "/texts.js");
SBL_EMBED(tools_js, SBL_PAGE "/tools.js");
SBL_EMBED(open_js, SBL_PAGE "/open.js");
SBL_EMBED(columns_js, SBL_PAGE "/columns.js");
SBL_EMBED(draft_js, SBL_PAGE "/draft.js");
SBL_EMBED(field_js, SBL_PAGE "/field.js");
SBL_EMBED(budget_js, SBL_PAGE "/budget.js");
SBL_EMBED(run_js, SBL_PAGE "/run.js");
SBL_EMBED(look_js, SBL_PAGE "/look.js");
SBL_EMBED(images_js, SBL_PAGE "/images.js");
SBL_EMBED(linked_js, SBL_PAGE "/linked.js");
SBL_EMBED(reading_js, SBL_PAGE "/reading.js");
SBL_EMBED(methods_js, SBL_PAGE "/methods.js");
SBL_EMBED(compare_js, SBL_PAGE "/compare.js");
SBL_EMBED(ledgers_js, SBL_PAGE "/ledgers.js");
SBL_EMBED(waiting_js, SBL_PAGE "/waiting.js");
SBL_EMBED(histogram_js, SBL_PAGE "/histogram.js");
SBL_EMBED(persons_js, SBL_PAGE "/persons.js");

#define SCRIPT "text/javascript; charset=utf-8"

static const sbl_serve_page_file files[] = {
    {"", "text/html; charset=utf-8", sbl_serve_index_html_bytes, sbl_serve_index_html_end},
    {"style.css", "text/css; charset=utf-8", sbl_serve_style_css_bytes, sbl_serve_style_css_end},
    {"main.js", SCRIPT, sbl_serve_main_js_bytes, sbl_serve_main_js_end},
    {"texts.js", SCRIPT, sbl_serve_texts_js_bytes, sbl_serve_texts_js_end},
    {"tools.js", SCRIPT, sbl_serve_tools_js_bytes, sbl_serve_tools_js_end},
    {"open.js", SCRIPT, sbl_serve_open_js_bytes, sbl_serve_open_js_end},
    {"columns.js", SCRIPT, sbl_serve_columns_js_bytes, sbl_serve_columns_js_end},
    {"draft.js", SCRIPT, sbl_serve_draft_js_bytes, sbl_serve_draft_js_end},
    {"field.js", SCRIPT, sbl_serve_field_js_bytes, sbl_serve_field_js_end},
    {"budget.js", SCRIPT, sbl_serve_budget_js_bytes, sbl_serve_budget_js_end},
    {"run.js", SCRIPT, sbl_serve_run_js_bytes, sbl_serve_run_js_end},
    {"look.js", SCRIPT, sbl_serve_look_js_bytes, sbl_serve_look_js_end},
    {"images.js", SCRIPT, sbl_serve_images_js_bytes, sbl_serve_images_js_end},
    {"linked.js", SCRIPT, sbl_serve_linked_js_bytes, sbl_serve_linked_js_end},
    {"reading.js", SCRIPT, sbl_serve_reading_js_bytes, sbl_serve_reading_js_end},
    {"methods.js", SCRIPT, sbl_serve_methods_js_bytes, sbl_serve_methods_js_end},
    {"compare.js", SCRIPT, sbl_serve_compare_js_bytes, sbl_serve_compare_js_end},
    {"ledgers.js", SCRIPT, sbl_serve_ledgers_js_bytes, sbl_serve_ledgers_js_end},
    {"waiting.js", SCRIPT, sbl_serve_waiting_js_bytes, sbl_serve_waiting_js_end},
    {"histogram.js", SCRIPT, sbl_serve_histogram_js_bytes, sbl_serve_histogram_js_end},
    {"persons.js", SCRIPT, sbl_serve_persons_js_bytes, sbl_serve_persons_js_end},
};

const sbl_serve_page_file *sbl_serve_page_find(const char *name)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strcmp(files[i].name, name) == 0) return &files[i];
    return NULL;
}
