/* SPDX-License-Identifier: Apache-2.0 */
/* The part of histories in words: persons, their events and what holds them together. */
#include "owner/evaluate/evaluation_text.h"

#define WIDTH SBL_DISTANCE_WIDTH

/* Rounded down, so that 1 is all persons. */
static void put_share(sbl_text *text, const json_t *triple, const char *words)
{
    static const char *const names[] = {"synthetic", "floor", "ceiling"};
    if (!json_is_number(json_object_get(triple, "synthetic"))) return;
    sbl_put_name(text, words, WIDTH);
    for (size_t i = 0; i < 3; i++) sbl_put_share(text, json_object_get(triple, names[i]));
    sbl_text_printf(text, "\n");
}

static void put_shares(sbl_text *text, const json_t *histories)
{
    sbl_text_printf(text, "\n%-*s %8s %8s %8s\n", WIDTH, "Histories, share of persons", "synth.", "floor",
                    "real");
    put_share(text, json_object_get(histories, "constant"), "their columns are the same in all rows");
    put_share(text, json_object_get(histories, "in_order"), "their events are in order");
}

static void put_persons(sbl_text *text, const json_t *histories, const char *role)
{
    const json_t *persons = json_object_get(json_object_get(histories, "persons"), role);
    if (!json_is_integer(persons)) return;
    sbl_text_printf(
        text, "  %-10s %8lld persons, %.2f events each\n", role, (long long)json_integer_value(persons),
        json_number_value(json_object_get(json_object_get(histories, "events_per_person"), role)));
}

static void put_head(sbl_text *text, const json_t *histories)
{
    sbl_text_printf(text, "\nPersons by ");
    sbl_put_line(text, sbl_string_of(histories, "unit"));
    if (json_object_get(histories, "why") != NULL) {
        sbl_text_printf(text, ": not compared, since ");
        sbl_put_line(text, sbl_string_of(histories, "why"));
        sbl_text_printf(text, "\n");
        return;
    }
    sbl_text_printf(text, "; events in the order of ");
    sbl_put_line(text, json_is_string(json_object_get(histories, "order")) ? sbl_string_of(histories, "order")
                                                                           : "rows");
    sbl_text_printf(text, "\n");
    put_persons(text, histories, "real");
    put_persons(text, histories, "synthetic");
    put_persons(text, histories, "train");
}

void sbl_put_histories(sbl_text *text, const json_t *histories)
{
    static const struct {
        const char *member, *words;
    } lines[] = {
        {"events", "number of events, TVD"},
        {"events_person", "  by person's columns, TVD"},
        {"person_event", "person's x event's columns, TVD"},
        {"previous_this", "previous x this event, TVD"},
        {"previous_same", "  of the same column, TVD"},
        {"gap", "gaps between events, KS"},
        {"gap_gap", "gap x next gap, TVD"},
        {"span", "first to last event, KS"},
    };
    size_t i;
    const json_t *column;
    if (!json_is_object(histories)) return;
    put_head(text, histories);
    if (json_object_get(histories, "why") != NULL) return;
    sbl_put_heading(text, WIDTH, "Histories");
    for (i = 0; i < sizeof lines / sizeof lines[0]; i++)
        sbl_put_distance(text, histories, lines[i].member, lines[i].words, NULL);
    sbl_put_heading(text, WIDTH, "Of each person, KS");
    json_array_foreach(json_object_get(histories, "columns"), i, column)
    {
        const char *name = sbl_string_of(column, "name");
        sbl_put_distance(text, column, "total", "sum of", name);
        sbl_put_distance(text, column, "mean", "mean of", name);
        sbl_put_distance(text, column, "distinct", "different values of", name);
    }
    put_shares(text, histories);
}
