/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of an evaluation in words.
 *
 * Pairs of columns are judged by the share of the way from the floor (independent columns) to the ceiling (real against
 * real) that they cover. Single columns have no such way, since the floor has them right: they are judged by their mean
 * total variation beyond the ceiling. 0.05 means that no question about one column is answered wrongly by more than
 * 5 % of the rows, on average. Images are judged by a model that learned from them, or else by the Frechet distance. */
#include "owner/evaluate/verdict.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "owner/evaluate/evaluation_facts.h"

#define CLOSE_WAY 80.0 /* per cent */
#define FAIR_WAY 40.0
#define CLOSE_EXCESS 0.05
#define FAIR_EXCESS 0.1

typedef enum grade { CLOSE, FAIR, WEAK, BELOW_FLOOR, UNKNOWN } grade;

/* The measures that a verdict rests on. */
typedef struct findings {
    grade single, pairs;
    double way; /* of pairs of columns, in per cent; NaN: none */
    const json_t
        *worst; /* the column that differs most, or of linked tables the table with the weakest pairs */
    bool has_pairs;
} findings;

static grade grade_of_way(double way)
{
    if (isnan(way)) return UNKNOWN;
    if (way >= CLOSE_WAY) return CLOSE;
    if (way >= FAIR_WAY) return FAIR;
    return way >= 0.0 ? WEAK : BELOW_FLOOR;
}

static grade grade_of_columns(sbl_fact_triple tvd)
{
    const double excess = tvd.synthetic - (isnan(tvd.ceiling) ? 0.0 : tvd.ceiling);
    if (isnan(excess)) return UNKNOWN;
    if (excess <= CLOSE_EXCESS) return CLOSE;
    return excess <= FAIR_EXCESS ? FAIR : WEAK;
}

double sbl_verdict_distance(const json_t *column)
{
    static const char *const measures[] = {"tvd", "ks", "wasserstein"};
    double worst = 0.0;
    for (size_t i = 0; i < 3; i++) {
        const double value = sbl_fact_triple_of(column, measures[i]).synthetic;
        if (value > worst) worst = value;
    }
    return worst;
}

static sbl_fact_triple marginal_of(const json_t *owner, double way)
{
    const json_t *list = json_object_get(owner, "marginals");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (sbl_fact_number_of(json_array_get(list, i), "way") == way)
            return sbl_fact_triple_of(json_array_get(list, i), "tvd");
    return (sbl_fact_triple){(double)NAN, (double)NAN, (double)NAN};
}

static bool is_kind(const json_t *document, const char *kind)
{
    const char *text = sbl_fact_text_of(document, "kind");
    return text != NULL && strcmp(text, kind) == 0;
}

/* ---- what was found ---- */

static findings find_in_table(const json_t *document)
{
    const json_t *columns = json_object_get(document, "columns");
    const sbl_fact_triple pairs = marginal_of(document, 2);
    findings f = {.single = grade_of_columns(marginal_of(document, 1)),
                  .way = sbl_fact_way(pairs, SBL_LOWER_IS_BETTER),
                  .has_pairs = !isnan(pairs.synthetic)};
    f.pairs = grade_of_way(f.way);
    for (size_t i = 0; i < json_array_size(columns); i++)
        if (f.worst == NULL ||
            sbl_verdict_distance(json_array_get(columns, i)) > sbl_verdict_distance(f.worst))
            f.worst = json_array_get(columns, i);
    return f;
}

/* The weaker of the pairs of a table's own columns and those of its parent's column and its own; NaN if it has neither. */
static double way_of_linked(const json_t *table)
{
    const json_t *events = json_object_get(table, "histories");
    const double own = sbl_fact_way(marginal_of(table, 2), SBL_LOWER_IS_BETTER);
    const double across = sbl_fact_way(sbl_fact_triple_of(events, "person_event"), SBL_LOWER_IS_BETTER);
    return fmin(own, across); /* the other one where one is NaN */
}

/* The worst of all tables counts. */
static findings find_in_linked(const json_t *document)
{
    const json_t *tables = json_object_get(document, "tables");
    findings f = {.single = UNKNOWN, .pairs = UNKNOWN, .way = (double)NAN};
    for (size_t i = 0; i < json_array_size(tables); i++) {
        const json_t *table = json_array_get(tables, i);
        const grade single = grade_of_columns(marginal_of(table, 1));
        const double way = way_of_linked(table);
        if (single != UNKNOWN && (f.single == UNKNOWN || single > f.single)) f.single = single;
        if (!isnan(way) && !(way >= f.way)) {
            f.way = way;
            f.worst = table;
            f.has_pairs = true;
        }
    }
    f.pairs = grade_of_way(f.way);
    return f;
}

/* The score of the model that learns most from real images. */
static const json_t *best_score(const json_t *document)
{
    const json_t *scores = json_object_get(json_object_get(document, "images"), "scores");
    const json_t *best = NULL;
    for (size_t i = 0; i < json_array_size(scores); i++) {
        const json_t *score = json_array_get(scores, i);
        const sbl_fact_triple value = sbl_fact_triple_of(score, "value");
        if (isnan(sbl_fact_way(value, SBL_HIGHER_IS_BETTER))) continue;
        if (best == NULL || value.ceiling > sbl_fact_triple_of(best, "value").ceiling) best = score;
    }
    return best;
}

static double frechet_way(const json_t *document)
{
    const json_t *frechet = json_object_get(json_object_get(document, "images"), "frechet");
    return sbl_fact_way(sbl_fact_triple_of(frechet, "distance"), SBL_LOWER_IS_BETTER);
}

/* ---- the first sentence ---- */

static void put_images_headline(sbl_text *out, const json_t *document)
{
    static const char *const of_models[] = {
        [CLOSE] =
            "Models that learn from the synthetic images do almost as well as models that learn from real "
            "ones.",
        [FAIR] = "Models that learn from the synthetic images do fairly well on real ones.",
        [WEAK] = "Models that learn from the synthetic images do poorly on real ones.",
        [BELOW_FLOOR] = "Models learn less from the synthetic images than from independent pixels.",
    };
    static const char *const of_distance[] = {
        [CLOSE] = "The synthetic images are close to the real ones.",
        [FAIR] = "The synthetic images are roughly like the real ones.",
        [WEAK] = "The synthetic images are far from the real ones.",
        [BELOW_FLOOR] = "The synthetic images are further from the real ones than independent pixels are.",
    };
    const json_t *score = best_score(document);
    const grade by_models =
        grade_of_way(sbl_fact_way(sbl_fact_triple_of(score, "value"), SBL_HIGHER_IS_BETTER));
    const grade by_distance = grade_of_way(frechet_way(document));
    if (by_models != UNKNOWN)
        sbl_text_printf(out, "%s", of_models[by_models]);
    else if (by_distance != UNKNOWN)
        sbl_text_printf(out, "%s", of_distance[by_distance]);
}

static void put_columns_headline(sbl_text *out, const findings *f)
{
    static const char *const singles[] = {[CLOSE] = "are close to the real data",
                                          [FAIR] = "are roughly right",
                                          [WEAK] = "are far from the real data",
                                          [UNKNOWN] = "were not compared"};
    static const char *const pairs[] = {[CLOSE] = "are close to the real data",
                                        [FAIR] = "are roughly right",
                                        [WEAK] = "keep only a small part of their relation",
                                        [BELOW_FLOOR] = "are not better than independent columns"};
    if (f->single == UNKNOWN && f->pairs == UNKNOWN) return;
    if (f->pairs == UNKNOWN)
        sbl_text_printf(out, "Single columns %s.", singles[f->single]);
    else if (f->single == f->pairs && f->single <= FAIR)
        sbl_text_printf(out, "Single columns and pairs of columns %s.", singles[f->single]);
    else
        sbl_text_printf(out, "Single columns %s; pairs of columns %s.", singles[f->single], pairs[f->pairs]);
}

void sbl_verdict_headline(sbl_text *out, const json_t *document)
{
    if (is_kind(document, "images")) {
        put_images_headline(out, document);
        return;
    }
    const findings f = is_kind(document, "linked") ? find_in_linked(document) : find_in_table(document);
    put_columns_headline(out, &f);
}

/* ---- the sentences after it ---- */

static void put_way(sbl_text *out, const char *what, double way, const char *from, const char *to)
{
    if (way < 0.0)
        sbl_text_printf(out, "%s are further from %s than %s are. ", what, to, from);
    else if (!isnan(way))
        sbl_text_printf(out, "%s are %.0f%% of the way from %s to %s. ", what, way, from, to);
}

/* Returns: whether there are any. */
static bool put_faults(sbl_text *out, const json_t *document)
{
    const double wrong = sbl_fact_number_of(json_object_get(document, "out_of_domain"), "cells");
    if (!(wrong > 0.0)) return false;
    sbl_text_printf(
        out,
        "%.0f cells are outside the bounds or categories of the schema: was the table edited, or made with "
        "another schema? ",
        wrong);
    return true;
}

static void put_persons(sbl_text *out, const json_t *histories)
{
    const json_t *persons = json_object_get(histories, "persons");
    const json_t *events = json_object_get(histories, "events_per_person");
    const sbl_fact_triple constant = sbl_fact_triple_of(histories, "constant");
    if (isnan(sbl_fact_number_of(persons, "synthetic"))) return;
    sbl_text_printf(out, "There are %.0f synthetic persons with %.2f events each (real: %.0f with %.2f). ",
                    sbl_fact_number_of(persons, "synthetic"), sbl_fact_number_of(events, "synthetic"),
                    sbl_fact_number_of(persons, "real"), sbl_fact_number_of(events, "real"));
    if (constant.synthetic >= 1.0)
        sbl_text_printf(out, "All of them keep their own columns the same in all rows. ");
    else if (!isnan(constant.synthetic))
        sbl_text_printf(out, "Only %.1f%% of them keep their own columns the same in all rows. ",
                        sbl_fact_within(floor(1000.0 * constant.synthetic) / 10.0, 0.0, 100.0));
    put_way(out, "Events after each other",
            sbl_fact_way(sbl_fact_triple_of(histories, "previous_this"), SBL_LOWER_IS_BETTER),
            "rows put together by chance", "those of real persons");
}

/* Returns: whether some are wrong. */
static bool put_keys(sbl_text *out, const json_t *tables)
{
    double orphans = 0.0, repeated = 0.0;
    for (size_t i = 0; i < json_array_size(tables); i++) {
        const json_t *keys = json_object_get(json_object_get(json_array_get(tables, i), "keys"), "synthetic");
        orphans += sbl_fact_within(sbl_fact_number_of(keys, "orphans"), 0.0, 9e15);
        repeated += sbl_fact_within(sbl_fact_number_of(keys, "repeated"), 0.0, 9e15);
    }
    if (orphans == 0.0 && repeated == 0.0) {
        sbl_text_printf(out, "All keys are valid. ");
        return false;
    }
    sbl_text_printf(
        out,
        "%.0f keys are missing or repeated and %.0f rows refer to a row that does not exist: were the "
        "tables edited? ",
        repeated, orphans);
    return true;
}

static void put_table_details(sbl_text *out, const json_t *document, const findings *f)
{
    put_way(out, "Pairs of columns", f->way, "independent columns", "real data");
    if (f->has_pairs && isnan(f->way))
        sbl_text_printf(
            out,
            "Pairs of columns cannot be judged: in this data, independent columns are as close as "
            "real data. ");
    if (f->worst != NULL && sbl_fact_text_of(f->worst, "name") != NULL)
        sbl_text_printf(out, "The column that differs most is %s, by %.2g. ",
                        sbl_fact_text_of(f->worst, "name"), sbl_verdict_distance(f->worst));
    put_persons(out, json_object_get(document, "histories"));
}

static void put_linked_details(sbl_text *out, const findings *f)
{
    if (f->worst == NULL || sbl_fact_text_of(f->worst, "name") == NULL) return;
    sbl_text_printf(out, "The weakest table is %s. ", sbl_fact_text_of(f->worst, "name"));
    put_way(out, "Its pairs of columns, its own or with its parent's,", f->way, "independent columns",
            "real data");
}

/* What to do next. */
static void put_advice(sbl_text *out, const findings *f, bool linked)
{
    if (f->single == WEAK && !linked)
        sbl_text_printf(out, "Next: check the bounds and categories of that column in the schema.");
    else if ((f->single == CLOSE || f->single == UNKNOWN) && (f->pairs == CLOSE || f->pairs == UNKNOWN))
        sbl_text_printf(out, "Next: use it, and check important findings against the real data.");
    else
        sbl_text_printf(out, "Next: for better data use a larger epsilon, more rows or fewer columns.");
}

static void put_images_details(sbl_text *out, const json_t *document)
{
    const json_t *score = best_score(document);
    const sbl_fact_triple value = sbl_fact_triple_of(score, "value");
    const double way = frechet_way(document);
    if (score != NULL && sbl_fact_text_of(score, "name") != NULL)
        sbl_text_printf(
            out,
            "The best model (%s) reaches %.2f after learning from synthetic images, %.2f from real ones and "
            "%.2f from independent pixels. ",
            sbl_fact_text_of(score, "name"), value.synthetic, value.ceiling, value.floor);
    put_way(out, "By the Frechet distance they", way, "independent pixels", "real images");
    if (isnan(way) && score == NULL) return;
    sbl_text_printf(
        out, fmin(isnan(way) ? 100.0 : way,
                  score != NULL ? sbl_fact_way(value, SBL_HIGHER_IS_BETTER) : 100.0) >= CLOSE_WAY
                 ? "Next: look at the images, and check important findings against the real data."
                 : "Next: use a larger epsilon, more images, or an encoder pretrained on similar public "
                   "images.");
}

void sbl_verdict_details(sbl_text *out, const json_t *document)
{
    if (is_kind(document, "images")) {
        put_images_details(out, document);
        return;
    }
    const bool linked = is_kind(document, "linked");
    const findings f = linked ? find_in_linked(document) : find_in_table(document);
    if (f.single == UNKNOWN && f.pairs == UNKNOWN && f.worst == NULL) return;
    if (linked)
        put_linked_details(out, &f);
    else
        put_table_details(out, document, &f);
    /* A fault asks its own question: no other advice after it. */
    if (linked ? put_keys(out, json_object_get(document, "tables")) : put_faults(out, document))
        out->data[--out->length] = '\0'; /* the space */
    else
        put_advice(out, &f, linked);
}
