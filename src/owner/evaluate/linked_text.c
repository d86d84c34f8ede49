/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation of linked tables in words. */
#include "owner/evaluate/evaluation_text.h"

static void put_whole(sbl_text *text, const json_t *value)
{
    if (json_is_integer(value))
        sbl_text_printf(text, " %10lld", (long long)json_integer_value(value));
    else
        sbl_text_printf(text, " %10s", "-");
}

static void put_keys(sbl_text *text, const json_t *keys)
{
    static const char *const sets[] = {"real", "synthetic", "train"};
    sbl_text_printf(text, "%-10s %10s %10s %10s\n", "", "rows", "key again", "orphans");
    for (size_t i = 0; i < 3; i++) {
        const json_t *of = json_object_get(keys, sets[i]);
        if (!json_is_object(of)) continue;
        sbl_text_printf(text, "%-10s", sets[i]);
        put_whole(text, json_object_get(of, "rows"));
        put_whole(text, json_object_get(of, "repeated"));
        put_whole(text, json_object_get(of, "orphans"));
        sbl_text_printf(text, "\n");
    }
}

static void put_columns(sbl_text *text, const json_t *columns)
{
    size_t i;
    const json_t *column;
    json_array_foreach(columns, i, column)
    {
        const char *name = sbl_string_of(column, "name");
        sbl_put_distance(text, column, "total", "sum, KS, of", name);
        sbl_put_distance(text, column, "mean", "mean, KS, of", name);
        sbl_put_distance(text, column, "distinct", "different values, KS, of", name);
    }
}

static void put_events(sbl_text *text, const json_t *events)
{
    static const struct {
        const char *member, *words;
    } lines[] = {
        {"person_event", "parent's x own columns, TVD"},
        {"previous_this", "previous x this row, TVD"},
        {"previous_same", "  of the same column, TVD"},
        {"gap", "gaps between rows, KS"},
        {"gap_gap", "gap x next gap, TVD"},
        {"span", "first to last row, KS"},
    };
    if (!json_is_object(events)) return;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        sbl_put_distance(text, events, lines[i].member, lines[i].words, NULL);
    put_columns(text, json_object_get(events, "columns"));
}

static void put_table(sbl_text *text, const json_t *table)
{
    static const char *const ways[] = {"columns, TVD", "pairs of columns, TVD", "triples of columns, TVD",
                                       "fours of columns, TVD"};
    size_t i;
    const json_t *item;
    sbl_text_printf(text, "\nTable ");
    sbl_put_line(text, sbl_string_of(table, "name"));
    if (json_is_string(json_object_get(table, "parent"))) {
        sbl_text_printf(text, ", which refers to ");
        sbl_put_line(text, sbl_string_of(table, "parent"));
    }
    sbl_text_printf(text, "\n");
    put_keys(text, json_object_get(table, "keys"));
    sbl_text_printf(text, "%-*s %8s %8s %8s\n", SBL_DISTANCE_WIDTH, "", "synth.", "floor", "ceiling");
    json_array_foreach(json_object_get(table, "marginals"), i, item)
    {
        if (i < sizeof ways / sizeof ways[0]) sbl_put_distance(text, item, "tvd", ways[i], NULL);
    }
    json_array_foreach(json_object_get(table, "children"), i, item)
    {
        sbl_put_distance(text, item, "number", "number, TVD, of", sbl_string_of(item, "table"));
        sbl_put_distance(text, item, "number_columns", "  by own columns, TVD", NULL);
    }
    put_events(text, json_object_get(table, "histories"));
    sbl_put_by(text, json_object_get(table, "by"));
    sbl_put_constraints(text, json_object_get(table, "constraints"));
}

void sbl_put_linked(sbl_text *text, const json_t *document)
{
    const json_t *inputs = json_object_get(document, "inputs");
    const bool trained = json_is_object(json_object_get(inputs, "train"));
    size_t i;
    const json_t *table;
    sbl_put_inputs(text, document, "rows of the first table");
    sbl_text_printf(text,
                    "\nsynth.   the synthetic tables against the real ones; 0 is best\n"
                    "floor    %s columns, each shuffled on its own; keys stay\n"
                    "ceiling  real against real (%s): what sampling alone costs\n",
                    trained ? "the training" : "the real",
                    trained ? "the training tables" : "two random halves of each table's parents");
    json_array_foreach(json_object_get(document, "tables"), i, table) { put_table(text, table); }
    sbl_text_printf(text,
                    "\nModels and disclosure are not tested across tables: each table can be "
                    "compared by itself.\n");
    sbl_put_worst(text, json_object_get(document, "worst"));
}
