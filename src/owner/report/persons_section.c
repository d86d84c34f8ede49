/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic persons as time lines: each event is a point on the axis, and a thin line leads from it to its
 * columns, which stand side by side so that events of one day can be read, too. */
#include "owner/report/html.h"
#include "owner/report/sections.h"

#define MOST_PEOPLE 12
#define MOST_EVENTS 8
#define MOST_COLUMNS 6
#define WIDTH 760.0 /* of a picture, in its own units */
#define LABELS 90.0
#define SLOT ((WIDTH - LABELS) / MOST_EVENTS)
#define AXIS 22.0
#define SLOTS 62.0 /* the first line of text */
#define LINE 14.0

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static const char *item_text(const json_t *list, size_t i)
{
    return json_string_value(json_array_get(list, i));
}

static double place_of(const json_t *event)
{
    return LABELS + 8 + (WIDTH - LABELS - 24) * sbl_fact_within(sbl_fact_number_of(event, "place"), 0.0, 1.0);
}

static double slot_of(size_t i) { return LABELS + SLOT * (double)i + 8; }

static void write_axis(sbl_text *out, const json_t *people)
{
    sbl_html_print(
        out,
        "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/><g class=\"sized\" "
        "font-size=\"9\"><text x=\"%.1f\" y=\"%.1f\">%.20s</text><text class=\"end\" "
        "x=\"%.1f\" y=\"%.1f\">%.20s</text></g>\n",
        LABELS + 8, AXIS, WIDTH - 16, LABELS + 8, AXIS - 10,
        json_is_string(json_object_get(people, "from")) ? sbl_fact_text_of(people, "from") : "first",
        WIDTH - 16, AXIS - 10,
        json_is_string(json_object_get(people, "to")) ? sbl_fact_text_of(people, "to") : "last");
}

/* The names of lines, left of them. */
static void write_names(sbl_text *out, const json_t *people, bool timed)
{
    const json_t *names = json_object_get(people, "event_columns");
    const size_t count = least(json_array_size(names), MOST_COLUMNS);
    double y = SLOTS;
    if (timed) {
        sbl_html_print(out, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">%.14s</text>", LABELS - 6, y,
                       sbl_fact_text_of(people, "order"));
        y += LINE;
    }
    for (size_t c = 0; c < count; c++)
        sbl_html_print(out, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">%.14s</text>", LABELS - 6,
                       y + (double)c * LINE, item_text(names, c));
}

static void write_event(sbl_text *out, const json_t *event, size_t i, bool timed)
{
    const json_t *cells = json_object_get(event, "cells");
    const size_t count = least(json_array_size(cells), MOST_COLUMNS);
    const double x = place_of(event), slot = slot_of(i);
    double y = SLOTS;
    sbl_html_print(out,
                   "<path class=\"floor\" d=\"M%.1f %.1fL%.1f %.1f\"/><circle class=\"dot\" "
                   "cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>",
                   x, AXIS, slot, SLOTS - 11, x, AXIS);
    if (timed) {
        sbl_html_print(out, "<text x=\"%.1f\" y=\"%.1f\">%.13s</text>", slot, y,
                       sbl_fact_text_of(event, "at"));
        y += LINE;
    }
    for (size_t c = 0; c < count; c++)
        sbl_html_print(out, "<text x=\"%.1f\" y=\"%.1f\">%.13s</text>", slot, y + (double)c * LINE,
                       item_text(cells, c));
    sbl_html_print(out, "\n");
}

/* What the person is, and how many events there are. */
static void write_caption(sbl_text *out, const json_t *people, const json_t *person, size_t i)
{
    const json_t *names = json_object_get(people, "person_columns");
    const json_t *cells = json_object_get(person, "cells");
    const size_t count = least(least(json_array_size(names), json_array_size(cells)), MOST_COLUMNS);
    const double events = sbl_fact_number_of(person, "events");
    const size_t drawn = least(json_array_size(json_object_get(person, "shown")), MOST_EVENTS);
    sbl_html_print(out, "<figcaption><strong>Synthetic person %zu</strong>", i + 1);
    for (size_t c = 0; c < count; c++)
        sbl_html_print(out, "%.30s %.30s, ", item_text(names, c), item_text(cells, c));
    sbl_html_print(out, "%.0f event%s", events, events == 1.0 ? "" : "s");
    if (events > (double)drawn) sbl_html_print(out, ", the first %zu shown", drawn);
    sbl_html_print(out, "</figcaption>\n");
}

static void write_person(sbl_text *out, const json_t *people, const json_t *person, size_t i)
{
    const json_t *events = json_object_get(person, "shown");
    const size_t count = least(json_array_size(events), MOST_EVENTS);
    const size_t columns = least(json_array_size(json_object_get(people, "event_columns")), MOST_COLUMNS);
    const bool timed = json_is_string(json_object_get(people, "order"));
    sbl_html_print(out, "<figure>\n");
    write_caption(out, people, person, i);
    sbl_html_print(out,
                   "<div class=\"scroll\"><svg class=\"chart\" role=\"img\" viewBox=\"0 0 %.0f "
                   "%.0f\"><title>Time line of synthetic person %zu</title><desc>%zu events, "
                   "from %.40s to %.40s</desc>\n",
                   WIDTH, SLOTS + LINE * (double)(columns + (timed ? 1 : 0)), i + 1, count,
                   timed ? sbl_fact_text_of(json_array_get(events, 0), "at") : "the first",
                   timed ? sbl_fact_text_of(json_array_get(events, count - 1), "at") : "the last");
    write_axis(out, people);
    sbl_html_print(out, "<g class=\"sized\" font-size=\"10\">\n");
    write_names(out, people, timed);
    for (size_t e = 0; e < count; e++) write_event(out, json_array_get(events, e), e, timed);
    sbl_html_print(out, "</g></svg></div>\n</figure>\n");
}

void sbl_report_people(sbl_text *out, const json_t *people)
{
    const json_t *persons = json_object_get(people, "persons");
    const size_t count = least(json_array_size(persons), MOST_PEOPLE);
    if (count == 0) return;
    sbl_html_print(out,
                   "<h3>Some synthetic persons</h3>\n<p>Not real people: persons of the synthetic "
                   "table, the first that have several events, with what the table says of "
                   "each event.</p>\n<div class=\"lines\">\n");
    for (size_t i = 0; i < count; i++) write_person(out, people, json_array_get(persons, i), i);
    sbl_html_print(out, "</div>\n");
}
