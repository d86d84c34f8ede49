/* SPDX-License-Identifier: Apache-2.0 */
/* What the data of a certificate is called, and a heap sort of indices by a key, since qsort has no context argument in
 * standard C. */
#include "owner/report/sections.h"

#include <math.h>

#include "base/alloc.h"
#include "owner/report/html.h"

const sbl_report_words sbl_report_words_of_tables = {"row", "rows", "table", "record", "says", "that row"};
const sbl_report_words sbl_report_words_of_images = {"image", "images", "image set",
                                                     "image", "shows",  "that image"};

bool sbl_report_is_of_images(const sbl_certificate_content *certificate)
{
    return certificate->data == SBL_DATA_IMAGES;
}

const sbl_report_words *sbl_report_words_of(const sbl_certificate_content *c)
{
    return sbl_report_is_of_images(c) ? &sbl_report_words_of_images : &sbl_report_words_of_tables;
}

void sbl_report_distance(sbl_text *out, const json_t *owner, const char *member, const char *words,
                         const char *name, void (*cell)(sbl_text *out, double value))
{
    const sbl_fact_triple triple = sbl_fact_triple_of(owner, member);
    if (isnan(triple.synthetic)) return;
    sbl_html_print(out, "<tr><th scope=\"row\">%s", words);
    if (name != NULL) sbl_html_print(out, " %.80s", name);
    sbl_html_print(out, "</th>");
    cell(out, triple.synthetic);
    cell(out, triple.floor);
    cell(out, triple.ceiling);
    sbl_html_print(out, "</tr>\n");
}

static bool comes_first(const double *keys, size_t a, size_t b)
{
    if (isnan(keys[a]) || isnan(keys[b])) return !isnan(keys[a]) || (isnan(keys[b]) && a < b);
    return keys[a] > keys[b] || (keys[a] == keys[b] && a < b);
}

/* Heap sort: no recursion, no bad case, no comparison through a global. `last` of the order sits at
 * the root. */
static void sift(size_t *order, size_t root, size_t count, const double *keys)
{
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= count) return;
        if (child + 1 < count && comes_first(keys, order[child], order[child + 1])) child++;
        if (!comes_first(keys, order[root], order[child])) return;
        const size_t swap = order[root];
        order[root] = order[child];
        order[child] = swap;
        root = child;
    }
}

size_t *sbl_fact_order(const double *keys, size_t count)
{
    size_t *order = sbl_alloc_array(count, sizeof *order);
    if (order == NULL) return NULL;
    for (size_t i = 0; i < count; i++) order[i] = i;
    for (size_t i = count / 2; i-- > 0;) sift(order, i, count, keys);
    for (size_t left = count; left > 1; left--) {
        const size_t swap = order[0];
        order[0] = order[left - 1];
        order[left - 1] = swap;
        sift(order, 0, left - 1, keys);
    }
    return order;
}
