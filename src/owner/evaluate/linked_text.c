/* The evaluation of linked tables in words. */
#include "owner/evaluate/evaluation_text.h"

#define WIDTH 38

static void put_title(sbl_text *text, const char *title)
{
    sbl_text_printf(text, "%-*s %8s %8s %8s\n", WIDTH, title, "synth.", "floor", "ceiling");
}

/* A line for a triple that exists; with the name of a table or column behind the words. */
static void put_distance(sbl_text *text, const json_t *triple, const char *words, const char *name)
{
    sbl_text line = {0};
    if (!json_is_number(json_object_get(triple, "synthetic"))) return;
    sbl_text_printf(&line, "%s%s%s", words, name != NULL ? " " : "", name != NULL ? name : "");
    if (line.failed) text->failed = true;
    sbl_put_name(text, line.failed ? "" : line.data, WIDTH);
    sbl_put_triple(text, triple, "%.4f");
    sbl_text_printf(text, "\n");
    sbl_text_clear(&line);
}

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
        put_distance(text, json_object_get(column, "total"), "sum, KS, of", name);
        put_distance(text, json_object_get(column, "mean"), "mean, KS, of", name);
        put_distance(text, json_object_get(column, "distinct"), "different values, KS, of", name);
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
        put_distance(text, json_object_get(events, lines[i].member), lines[i].words, NULL);
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
        sbl_text_printf(text, ", which hangs on ");
        sbl_put_line(text, sbl_string_of(table, "parent"));
    }
    sbl_text_printf(text, "\n");
    put_keys(text, json_object_get(table, "keys"));
    put_title(text, "");
    json_array_foreach(json_object_get(table, "marginals"), i, item)
    {
        if (i < sizeof ways / sizeof ways[0]) put_distance(text, json_object_get(item, "tvd"), ways[i], NULL);
    }
    json_array_foreach(json_object_get(table, "children"), i, item)
    {
        put_distance(text, json_object_get(item, "number"), "number, TVD, of", sbl_string_of(item, "table"));
        put_distance(text, json_object_get(item, "number_columns"), "  by own columns, TVD", NULL);
    }
    put_events(text, json_object_get(table, "histories"));
}

static void put_input(sbl_text *text, const char *role, const json_t *input)
{
    if (!json_is_object(input)) return;
    sbl_text_printf(text, "%-10s ", role);
    sbl_put_line(text, sbl_string_of(input, "path"));
    sbl_text_printf(text, ": %lld rows of the first table\n", sbl_whole_of(input, "rows"));
}

void sbl_put_linked(sbl_text *text, const json_t *document)
{
    const json_t *inputs = json_object_get(document, "inputs");
    const bool trained = json_is_object(json_object_get(inputs, "train"));
    size_t i;
    const json_t *table;
    sbl_put_line(text, sbl_string_of(document, "warning"));
    sbl_text_printf(text, "\n\n");
    put_input(text, "real", json_object_get(inputs, "real"));
    put_input(text, "synthetic", json_object_get(inputs, "synthetic"));
    put_input(text, "train", json_object_get(inputs, "train"));
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
}
