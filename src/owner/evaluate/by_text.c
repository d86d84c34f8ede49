/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers with bounds by category, in the text of an evaluation. */
#include "owner/evaluate/evaluation_text.h"

#define WIDTH 24

static void put_number(sbl_text *text, const json_t *sample, const char *name)
{
    const json_t *value = json_object_get(sample, name);
    if (json_is_number(value))
        sbl_text_printf(text, " %8.4g", json_number_value(value));
    else
        sbl_text_printf(text, " %8s", "-");
}

static void put_category(sbl_text *text, const json_t *category)
{
    static const char *const names[] = {"p1", "median", "p99"};
    const json_t *real = json_object_get(category, "real"),
                 *synthetic = json_object_get(category, "synthetic");
    sbl_text_printf(text, "  ");
    sbl_put_name(text, sbl_string_of(category, "category"), WIDTH - 2);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        put_number(text, synthetic, names[i]);
        put_number(text, real, names[i]);
    }
    put_number(text, category, "ks");
    sbl_text_printf(text, "\n");
}

void sbl_put_by(sbl_text *text, const json_t *list)
{
    size_t i, k;
    const json_t *column, *category;
    json_array_foreach(list, i, column)
    {
        sbl_text_printf(text, "\n");
        sbl_put_line(text, sbl_string_of(column, "name"));
        sbl_text_printf(text, " by ");
        sbl_put_line(text, sbl_string_of(column, "by"));
        sbl_text_printf(text, "\n%-*s %8s %8s %8s %8s %8s %8s %8s\n", WIDTH, "", "1 %", "real", "median",
                        "real", "99 %", "real", "KS");
        json_array_foreach(json_object_get(column, "categories"), k, category) put_category(text, category);
    }
}
