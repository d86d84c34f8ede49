/* SPDX-License-Identifier: Apache-2.0 */
/* The relations that are furthest off, at the end of the text. */
#include "owner/evaluate/evaluation_text.h"

#define WIDTH 60

static void put_group(sbl_text *text, const json_t *list, const char *title, const char *one)
{
    size_t i;
    const json_t *relation;
    if (!json_is_array(list)) return;
    if (json_array_size(list) == 0) {
        sbl_text_printf(text, "no %s is further off than a second real sample would be\n", one);
        return;
    }
    sbl_text_printf(text, "%-*s   synth.  second\n", WIDTH, title);
    json_array_foreach(list, i, relation)
    {
        sbl_text_printf(text, "  ");
        sbl_put_name(text, sbl_string_of(relation, "what"), WIDTH - 2);
        sbl_text_printf(text, " %6.1f %% %5.1f %%\n",
                        100.0 * json_number_value(json_object_get(relation, "distance")),
                        100.0 * json_number_value(json_object_get(relation, "second_sample")));
    }
}

void sbl_put_worst(sbl_text *text, const json_t *worst)
{
    const bool linked = json_is_array(json_object_get(worst, "parents"));
    if (!json_is_object(worst)) return;
    sbl_text_printf(text,
                    "\nFurthest off: the share of rows that would have to move for the tables to agree,\n"
                    "and what it would be for a second real sample\n");
    put_group(text, json_object_get(worst, "pairs"), "pairs of columns", "pair");
    put_group(text, json_object_get(worst, "histories"), linked ? "rows under one parent" : "within a person",
              linked ? "relation of rows under one parent" : "relation within a person");
    put_group(text, json_object_get(worst, "parents"), "parents and children",
              "relation of parents and children");
}
