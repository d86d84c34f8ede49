/* SPDX-License-Identifier: Apache-2.0 */
/* The register as one JSON value, from which its other forms are written. Everything shown about cost is what the ledger says. */
#include <math.h>
#include <string.h>

#include "owner/register/books.h"
#include "public/account/budget.h"

static json_t *real(double value) { return isinf(value) ? json_string("inf") : json_real(value); }

/* A text, or null for an empty one. */
static json_t *text_or_null(const char *text)
{
    return text != NULL && text[0] != '\0' ? json_string(text) : json_null();
}

static const char *about(const sbl_book_certificate *certificate, const char *name)
{
    const json_t *about = json_object_get(certificate->json, "about");
    return json_string_value(json_object_get(about, name));
}

static json_t *outputs_of(const sbl_books *books, const sbl_book_certificate *certificate)
{
    const json_t *files = json_object_get(certificate->json, "files");
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        const char *name = json_string_value(json_object_get(file, "name"));
        const char *hash = json_string_value(json_object_get(file, "sha256"));
        const char *kind = json_string_value(json_object_get(file, "kind"));
        if (name == NULL || hash == NULL || kind == NULL) continue; /* older ones have no names */
        list = sbl_json_append(list, json_pack("{s:s, s:s, s:s}", "name", name, "kind", kind, "state",
                                               sbl_books_state(books, certificate, name, hash)));
    }
    return list;
}

static double delta_of(const sbl_ledger_view *view)
{
    double delta = 0.0;
    (void)sbl_text_to_double(&delta, view->budget.delta);
    return delta;
}

static double epsilon_of(const sbl_totals *totals, double delta)
{
    double epsilon = INFINITY;
    return sbl_totals_epsilon(&epsilon, totals, delta, NULL) == SBL_OK ? epsilon : INFINITY;
}

static const char *state_of(const sbl_ledger_line *line)
{
    if (line->op == SBL_LEDGER_REPAIR) return "repaired";
    return line->committed ? "committed" : line->voided ? "void" : "open";
}

static json_t *release_of(const sbl_books *books, const sbl_book_ledger *ledger, const sbl_ledger_line *line)
{
    const sbl_charge *charge = &line->entry.charge;
    const sbl_totals alone = {.charge = *charge, .releases = 1, .gaussian_releases = charge->mu2 != 0};
    const double delta = delta_of(&ledger->view);
    bool is_last = false;
    const sbl_book_certificate *certificate = sbl_books_find(books, ledger, line->rid, &is_last);
    const char *title = line->entry.title, *who = line->entry.who;
    if (title[0] == '\0' && certificate != NULL) title = about(certificate, "title");
    if (who[0] == '\0' && certificate != NULL) who = about(certificate, "by");
    json_t *object =
        json_pack("{s:I, s:s, s:s, s:s}", "seq", (json_int_t)line->seq, "date", line->time, "name",
                  line->op == SBL_LEDGER_REPAIR ? "(torn line)" : line->entry.name, "state", state_of(line));
    object = sbl_json_put(object, "who", text_or_null(who));
    object = sbl_json_put(object, "title", text_or_null(title));
    object = sbl_json_put(
        object, "method",
        text_or_null(certificate != NULL ? json_string_value(json_object_get(certificate->json, "method"))
                                         : NULL));
    object = sbl_json_put(object, "epsilon", real(epsilon_of(&alone, delta)));
    object = sbl_json_put(object, "epsilon_so_far", real(epsilon_of(&line->totals, delta)));
    object =
        sbl_json_put(object, "certificate", text_or_null(certificate != NULL ? certificate->path : NULL));
    return sbl_json_put(object, "outputs",
                        certificate != NULL && is_last ? outputs_of(books, certificate) : json_array());
}

static json_t *releases_of(const sbl_books *books, const sbl_book_ledger *ledger)
{
    json_t *list = json_array();
    for (size_t i = 0; i < ledger->view.line_count; i++) {
        const sbl_ledger_line *line = &ledger->view.lines[i];
        if (line->op == SBL_LEDGER_RESERVE || line->op == SBL_LEDGER_REPAIR)
            list = sbl_json_append(list, release_of(books, ledger, line));
    }
    return list;
}

/* The last title that a release has. */
static const char *title_of(const json_t *releases)
{
    const char *title = NULL;
    for (size_t i = json_array_size(releases); title == NULL && i-- > 0;)
        title = json_string_value(json_object_get(json_array_get(releases, i), "title"));
    return title;
}

static json_t *ledger_of(const sbl_books *books, const sbl_book_ledger *ledger)
{
    const sbl_ledger_view *view = &ledger->view;
    const bool ended = view->torn || view->exhausted || view->next[0] != '\0';
    const double delta = delta_of(view);
    sbl_totals all = view->totals;
    json_t *releases = releases_of(books, ledger);
    const char *title = title_of(releases);
    if (sbl_ledger_all_periods(&all, &view->facts.past, &view->totals, NULL) != SBL_OK) all = view->totals;
    json_t *object =
        json_pack("{s:s, s:s, s:o, s:o, s:s, s:s, s:{s:s, s:s}, s:o, s:o, s:s}", "ledger", ledger->path, "id",
                  view->id, "data", text_or_null(ledger->data), "title", text_or_null(title), "unit",
                  view->facts.by_person ? "person" : "row", "neighbours",
                  sbl_neighbours_name(view->facts.neighbours), "budget", "epsilon", view->budget.epsilon,
                  "delta", view->budget.delta, "spent", real(epsilon_of(&view->totals, delta)), "left",
                  real(ended ? 0.0 : sbl_budget_epsilon_left(&view->budget, &view->totals)), "state",
                  view->next[0] != '\0' ? "closed"
                  : view->torn          ? "torn"
                  : view->exhausted     ? "ended"
                                        : "open");
    object = sbl_json_put(object, "period", json_integer((json_int_t)view->facts.past.periods + 1));
    object = sbl_json_put(object, "spent_all_periods", real(epsilon_of(&all, delta)));
    object = sbl_json_put(object, "predecessor",
                          text_or_null(view->facts.past.periods != 0 ? view->facts.past.id : NULL));
    object = sbl_json_put(object, "successor", text_or_null(view->next));
    object = sbl_json_put(object, "releases", releases);
    return sbl_json_put(object, "problems", json_incref(ledger->problems));
}

/* Of certificates: those that do not hold, and those of ledgers that are elsewhere. */
static json_t *certificate_of(const sbl_book_certificate *certificate)
{
    const json_t *guarantee = json_object_get(certificate->json, "guarantee");
    json_t *object = json_pack("{s:s, s:s, s:b}", "certificate", certificate->path, "ledger",
                               certificate->ledger_id, "holds", certificate->holds);
    object = sbl_json_put(object, "title", text_or_null(about(certificate, "title")));
    object = sbl_json_put(object, "date", text_or_null(about(certificate, "date")));
    object = sbl_json_put(object, "by", text_or_null(about(certificate, "by")));
    object = sbl_json_put(object, "method",
                          text_or_null(json_string_value(json_object_get(certificate->json, "method"))));
    json_t *epsilon = json_object_get(guarantee, "epsilon");
    object = sbl_json_put(object, "epsilon", epsilon != NULL ? json_incref(epsilon) : json_null());
    return sbl_json_put(object, "reason", text_or_null(certificate->reason));
}

static size_t count_changed(const json_t *ledgers)
{
    size_t changed = 0;
    for (size_t i = 0; i < json_array_size(ledgers); i++) {
        const json_t *releases = json_object_get(json_array_get(ledgers, i), "releases");
        for (size_t r = 0; r < json_array_size(releases); r++) {
            const json_t *outputs = json_object_get(json_array_get(releases, r), "outputs");
            for (size_t o = 0; o < json_array_size(outputs); o++)
                changed += strcmp(sbl_register_member(json_array_get(outputs, o), "state"), "changed") == 0;
        }
    }
    return changed;
}

json_t *sbl_register_build(const sbl_books *books)
{
    json_t *ledgers = json_array(), *others = json_array(), *whole = json_object();
    size_t problems = json_array_size(books->unreadable);
    for (size_t i = 0; i < books->ledger_count; i++) {
        problems += json_array_size(books->ledgers[i].problems);
        ledgers = sbl_json_append(ledgers, ledger_of(books, &books->ledgers[i]));
    }
    for (size_t i = 0; i < books->certificate_count; i++) {
        const sbl_book_certificate *one = &books->certificates[i];
        problems += !one->holds;
        if (!one->holds || one->ledger == NULL) others = sbl_json_append(others, certificate_of(one));
    }
    problems += count_changed(ledgers);
    whole = sbl_json_put(whole, "format", json_string("semblance-register"));
    whole = sbl_json_put(whole, "version", json_integer(1));
    whole = sbl_json_put(whole, "guarantee", json_string("NOT PRIVATE: for the owner of the data"));
    whole = sbl_json_put(whole, "problems", json_integer((json_int_t)problems));
    whole = sbl_json_put(whole, "ledgers", ledgers);
    whole = sbl_json_put(whole, "certificates", others);
    return sbl_json_put(whole, "unreadable", json_incref(books->unreadable));
}
