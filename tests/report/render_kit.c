/* SPDX-License-Identifier: Apache-2.0 */
#include "report/render_kit.h"
#include "support/cmocka_all.h"

#include <string.h>
/* cmocka wants the four above first */

#include "report/html_check.h"

char *kit_render(const char *certificate, const char *evaluation, const sbl_page_options *options)
{
    sbl_error err = {0};
    char *html = NULL;
    size_t where;
    assert_ok_or_say(sbl_report_render(&html, certificate, evaluation, options, &err));
    const char *wrong = html_check(html, &where);
    if (wrong != NULL) fail_msg("%s, at byte %zu: %.80s", wrong, where, html + where);
    return html;
}

size_t kit_count(const char *text, const char *part)
{
    size_t found = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) found++;
    return found;
}
