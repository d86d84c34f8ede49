/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_kit.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "semblance/version.h"

const char *const kit_hostile_names[] = {
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</title></style></svg><script>x()</script>",
    "<!-- --><![CDATA[",
    "&lt;b&gt; & &amp; &#60;script&#62;",
    "javascript:alert(1)//",
    "\x01\x02\x1f\x7f tab\there\nline",
    "\xe2\x80\xae"
    "drawkcab\xe2\x81\xa6 isolate",
    "url(http://example.org/x.png)",
    "%s%n%d%.9999f {{7*7}} ${x}",
    "a very long name that goes on and on without any end in sight and would push every table off "
    "the page if nobody cut it, so somebody does, although the whole of it was perfectly legal",
    "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe5\x88\x97\xe5\x90\x8d\xe3\x81\xaf\xe9\x95"
    "\xb7\xe3\x81\x84",
    "",
    NULL};

/* A 2 by 2 PNG. */
static const char png[] =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAADklEQVR42mNgYGD4DwABBAEAH4l8ngAAAABJRU5E"
    "rkJggg==";

typedef struct stream {
    uint64_t state;
} stream;

/* Good enough to make pictures with (splitmix64). */
static double draw(stream *s)
{
    uint64_t z = s->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static const char *name_of(const kit_evaluation *facts, size_t i, char text[64])
{
    static const char *const names[] = {"age",          "income",    "education", "occupation", "admitted",
                                        "hours a week", "smoker",    "region",    "treatment",  "weight",
                                        "blood type",   "follow-up", "insurance", "outcome"};
    if (facts->hostile && i < KIT_HOSTILE_NAMES) return kit_hostile_names[i];
    if (i < sizeof names / sizeof names[0]) return names[i];
    (void)snprintf(text, 64, "column %zu", i);
    return text;
}

static json_t *triple(double synthetic, double floor_value, double ceiling)
{
    return json_pack("{s:f, s:f, s:f}", "synthetic", synthetic, "floor", floor_value, "ceiling", ceiling);
}

static const char *kind_of(size_t i)
{
    static const char *const kinds[] = {"number", "number", "category", "category",
                                        "date",   "number", "category"};
    return kinds[i % 7];
}

static json_t *label_of(const kit_evaluation *facts, size_t i, size_t cell, size_t cells)
{
    static const char *const words[] = {"Bachelors",    "Some college", "High school",   "Masters",
                                        "Prof. school", "Doctorate",    "11th",          "10th",
                                        "Craft",        "Sales",        "Adm. clerical", "Tech. support",
                                        "Farming",      "Priv. house",  "Protective",    "Services"};
    char text[64];
    if (kind_of(i)[0] == 'c') {
        if (facts->hostile) return json_string(kit_hostile_names[(i + cell) % KIT_HOSTILE_NAMES]);
        return json_string(words[(3 * i + cell) % 16]);
    }
    if (i == 1 && cell + 1 == cells) return json_string("(missing)");
    if (kind_of(i)[0] == 'd')
        (void)snprintf(text, sizeof text, "20%02zu-%02zu-01", 10 + cell, 1 + cell % 12);
    else
        (void)snprintf(text, sizeof text, "%zu", 17 + 4 * cell);
    return json_string(text);
}

static json_t *histogram(const kit_evaluation *facts, size_t i, double error, stream *s)
{
    const size_t cells = kind_of(i)[0] == 'c' ? 2 + 5 * (i % 4) : 20 + (i == 1);
    double shares[2][64];
    double sums[2] = {0, 0};
    json_t *labels = json_array();
    json_t *lists[2] = {json_array(), json_array()};
    for (size_t c = 0; c < cells; c++) {
        const double x = ((double)c + 0.5) / (double)cells;
        shares[0][c] = 0.02 + exp(-8 * (x - 0.35) * (x - 0.35)) * (0.8 + 0.4 * draw(s));
        shares[1][c] = fmax(0.0, shares[0][c] * (1 + 8 * error * (draw(s) - 0.5)));
        for (int k = 0; k < 2; k++) sums[k] += shares[k][c];
    }
    for (size_t c = 0; c < cells; c++) {
        json_array_append_new(labels, label_of(facts, i, c, cells));
        for (int k = 0; k < 2; k++) json_array_append_new(lists[k], json_real(shares[k][c] / sums[k]));
    }
    return json_pack("{s:o, s:o, s:o}", "labels", labels, "real", lists[0], "synthetic", lists[1]);
}

static json_t *columns(const kit_evaluation *facts, stream *s)
{
    json_t *list = json_array();
    char text[64];
    for (size_t i = 0; i < facts->columns; i++) {
        const double error = 0.005 + 0.12 * draw(s) * draw(s);
        const bool number = kind_of(i)[0] != 'c';
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "name", name_of(facts, i, text), "kind",
                            kind_of(i), "tvd", triple(error, 0.004, 0.006), "ks",
                            number ? triple(0.7 * error, 0.003, 0.005) : json_null(), "wasserstein",
                            number ? triple(0.3 * error, 0.001, 0.002) : json_null(), "histogram",
                            histogram(facts, i, error, s)));
    }
    return list;
}

static json_t *marginals(const kit_evaluation *facts)
{
    static const double values[4][3] = {
        {0.021, 0.005, 0.006}, {0.052, 0.118, 0.014}, {0.097, 0.221, 0.038}, {0.158, 0.331, 0.079}};
    char text[64];
    json_t *list = json_array();
    double of = 1;
    for (size_t way = 1; way <= 4; way++) {
        of = of * ((double)facts->columns - (double)way + 1) / (double)way;
        json_array_append_new(
            list, json_pack("{s:i, s:f, s:f, s:b, s:o, s:{s:[s], s:f}}", "way", (int)way, "sets",
                            fmin(of, 500), "of", of, "sampled", of > 500, "tvd",
                            triple(facts->below_floor ? 0.6 : values[way - 1][0], values[way - 1][1],
                                   values[way - 1][2]),
                            "worst", "columns", name_of(facts, way, text), "tvd", 2 * values[way - 1][0]));
    }
    return list;
}

static json_t *association(const kit_evaluation *facts, stream *s)
{
    const size_t n = facts->columns;
    char text[64];
    double *values = calloc(n * n, sizeof *values);
    json_t *names = json_array();
    json_t *matrices[3] = {json_array(), json_array(), json_array()};
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++) {
            const double signs = kind_of(r)[0] != 'c' && kind_of(c)[0] != 'c' ? 2 * draw(s) - 1 : 1;
            values[r * n + c] = values[c * n + r] = r == c ? 1 : signs * draw(s) * draw(s);
        }
    for (size_t r = 0; r < n; r++) {
        json_t *rows[3] = {json_array(), json_array(), json_array()};
        json_array_append_new(names, json_string(name_of(facts, r, text)));
        for (size_t c = 0; c < n; c++) {
            const double value = values[r * n + c];
            const bool none = r != c && (r == 3 || c == 3) && facts->hostile;
            const double off = r == c ? 0 : 0.15 * (0.5 - ((double)((r * c + r + c) % 17)) / 17);
            json_array_append_new(rows[0], none ? json_null() : json_real(value));
            json_array_append_new(rows[1], none ? json_null() : json_real(0.85 * value + off));
            json_array_append_new(rows[2],
                                  json_string(kind_of(r)[0] == 'c' && kind_of(c)[0] == 'c' ? "cramers_v"
                                              : kind_of(r)[0] == kind_of(c)[0]             ? "pearson"
                                                                               : "correlation_ratio"));
        }
        for (int k = 0; k < 3; k++) json_array_append_new(matrices[k], rows[k]);
    }
    free(values);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "names", names, "real", matrices[0], "synthetic",
                     matrices[1], "measure", matrices[2], "mean_difference", triple(0.041, 0.172, 0.011),
                     "largest_difference", triple(0.19, 0.83, 0.04));
}

/* Two cells by three; of the first the real rows are in the corners, the synthetic ones all over. */
static json_t *pairs(const kit_evaluation *facts)
{
    static const char *const plain[] = {"low", "high", "red", "green", "blue"};
    json_t *list = json_array();
    char text[64], other[64];
    for (size_t i = 0; i < 3 && i + 1 < facts->columns; i++) {
        const char *const *words = facts->hostile ? kit_hostile_names + i : plain;
        json_array_append_new(
            list,
            json_pack("{s:[s, s], s:[b, b], s:[[s, s], [s, s, s]], s:[[f, f, f], [f, f, f]], "
                      "s:[[f, f, f], [f, f, f]]}",
                      "columns", name_of(facts, i, text), name_of(facts, i + 1, other), "numbers", i == 0, 0,
                      "labels", words[0], words[1], words[2], words[3], words[4], "real", 0.5, 0.0, 0.0, 0.0,
                      0.0, 0.5, "synthetic", 0.25, 0.125, 0.125, 0.125, 0.125, 0.25));
    }
    return list;
}

/* Two persons, one of one event, which has more columns than it has cells. */
static json_t *people(const kit_evaluation *facts)
{
    const char *name = facts->hostile ? kit_hostile_names[0] : "ward";
    const char *cell = facts->hostile ? kit_hostile_names[2] : "eyes";
    return json_pack(
        "{s:s, s:s, s:s, s:[s], s:[s, s], s:[{s:i, s:[s], s:[{s:f, s:s, s:[s, s]}, "
        "{s:f, s:s, s:[s, s]}]}, {s:i, s:[s], s:[{s:f, s:s, s:[s]}]}]}",
        "order", facts->hostile ? kit_hostile_names[1] : "admitted", "from", "2023-01-01", "to", "2023-12-31",
        "person_columns", name, "event_columns", name, "cost", "persons", "events", 14, "cells", cell,
        "shown", "place", 0.25, "at", "2023-04-01", "cells", cell, "120.50", "place", 0.75, "at",
        "2023-10-01", "cells", cell, "99", "events", 1, "cells", cell, "shown", "place", 1.0, "at",
        "2023-12-31", "cells", cell);
}

static json_t *histories(const kit_evaluation *facts)
{
    return json_pack(
        "{s:s, s:s, s:{s:i, s:i, s:n}, s:{s:f, s:f, s:n}, s:o, s:o, s:o, s:o, s:[{s:s, s:o, s:o, "
        "s:o}], s:o}",
        "unit", facts->hostile ? kit_hostile_names[0] : "patient", "order", "admitted", "persons", "real",
        900, "synthetic", 880, "train", "events_per_person", "real", 2.5, "synthetic", 2.25, "train",
        "events", triple(0.018, 0.021, 0.01), "previous_this",
        triple(facts->below_floor ? 0.201 : 0.074, 0.2, 0.025), "constant", triple(0.99999, 0.31, 1.0), "gap",
        json_pack("{s:n}", "synthetic"), "columns", "name", facts->hostile ? kit_hostile_names[1] : "cost",
        "total", triple(0.023, 0.07, 0.014), "mean", triple(0.03, 0.06, 0.02), "distinct", json_null(),
        "people", people(facts));
}

static json_t *scores(const kit_evaluation *facts, double quality)
{
    if (facts->regression) return json_pack("{s:f, s:f}", "rmse", 12.5 / quality, "r2", quality);
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "auc", quality, "average_precision", quality - 0.12,
                     "balanced_accuracy", quality - 0.1, "macro_f1", quality - 0.11, "accuracy",
                     quality - 0.04);
}

static json_t *curve(double power)
{
    json_t *points = json_array();
    for (int i = 0; i <= 100; i++)
        json_array_append_new(points, json_pack("[f, f]", i / 100.0, pow(i / 100.0, power)));
    return points;
}

static json_t *utility(const kit_evaluation *facts)
{
    static const char *const names[] = {"logistic regression", "linear SVM", "naive Bayes",
                                        "gradient-boosted trees", "multi-layer perceptron"};
    json_t *models = json_array();
    char text[64];
    for (size_t i = 0; i < 5; i++) {
        const double real = 0.86 + 0.015 * (double)i;
        json_array_append_new(
            models, json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", names[i], "synthetic",
                              scores(facts, real - 0.03 - 0.01 * (double)i), "real", scores(facts, real),
                              "floor", facts->without_real ? json_null() : scores(facts, 0.503), "roc",
                              facts->regression
                                  ? json_null()
                                  : json_pack("{s:o, s:o}", "real", curve(0.16), "synthetic", curve(0.22))));
    }
    return json_pack("{s:s, s:s, s:[s, s], s:[s], s:o, s:{s:{s:i, s:i}}}", "target",
                     name_of(facts, facts->columns - 1, text), "task",
                     facts->regression ? "regression" : "classification", "classes", "no", "yes", "missing",
                     "random forest: not built in", "models", models, "rows", "synthetic", "used", 20000,
                     "of", 48842);
}

static json_t *disclosure(void)
{
    return json_pack(
        "{s:s, s:{s:i, s:i, s:i, s:i}, s:{s:s, s:{s:f, s:f, s:i}, s:{s:f, s:f, s:i}}, s:{s:s, s:f, "
        "s:f, s:f, s:s, s:i}}",
        "note", "smoke tests, never a proof", "exact_copies", "synthetic", 12, "of_synthetic", 32561,
        "holdout", 19, "of_holdout", 16281, "distance_to_closest_record", "distance",
        "Gower, mean over columns", "synthetic", "median", 0.061, "p5", 0.014, "records", 2000, "holdout",
        "median", 0.043, "p5", 0.008, "records", 2000, "membership", "attack",
        "no shadow models: a record is called a member when a synthetic one is close to it", "advantage",
        0.008, "low", -0.027, "high", 0.043, "interval", "95 %, Hanley and McNeil", "records", 4000);
}

static json_t *images(const kit_evaluation *facts)
{
    json_t *made =
        json_pack("{s:[{s:s, s:s}, {s:s, s:s}], s:[{s:s, s:o}, {s:s, s:o, s:s}], s:{s:s, s:i, s:o}}", "grids",
                  "caption", facts->hostile ? kit_hostile_names[1] : "synthetic, one row for each class",
                  "png_base64", png, "caption", "real, one row for each class", "png_base64", png, "scores",
                  "name", "logistic regression, accuracy", "value", triple(0.71, 0.1, 0.92), "name",
                  "small CNN, accuracy", "value", triple(0.78, 0.1, 0.98), "why",
                  facts->hostile ? kit_hostile_names[0] : "the training images have one class only",
                  "frechet", "encoder", "a small CNN trained on public digits", "images", 5000, "distance",
                  triple(14.2, 180, 0.4));
    json_object_update_new(
        made,
        json_pack("{s:f, s:{s:i, s:{s:i, s:i}, s:{s:i, s:i}}, s:{s:o, s:i, s:{s:i, s:i, s:i, "
                  "s:i}}}",
                  "chance", 0.11, "rows", "test", 10000, "synthetic", "used", 20000, "of", 60000, "real",
                  "used", 20000, "of", 60000, "closest", "distance", triple(0.18, 0.27, 0.17), "reference",
                  60000, "copies", "synthetic", 3, "of_synthetic", 100, "holdout", 0, "of_holdout", 100));
    return made;
}

static json_t *worst(const kit_evaluation *facts)
{
    return json_pack("{s:[{s:s, s:s, s:[s, s], s:f, s:f}], s:[], s:n}", "pairs", "what",
                     facts->hostile ? kit_hostile_names[0] : "age with ward", "relation", "pair", "columns",
                     "age", "ward", "distance", 0.234, "second_sample", 0.012, "histories", "parents");
}

char *kit_evaluation_text(const kit_evaluation *facts)
{
    stream s = {facts->columns};
    char name[64];
    json_t *out_of_domain = facts->hostile ? json_pack("{s:i, s:i, s:[{s:s, s:i}]}", "cells", 3, "rows", 2,
                                                       "columns", "name", kit_hostile_names[0], "cells", 3)
                                           : json_pack("{s:i, s:i, s:[]}", "cells", 0, "rows", 0, "columns");
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:s, s:s, s:{s:{s:s, s:i}, s:{s:s, s:i}, s:{s:s, s:i}}, s:{s:i, s:s, "
        "s:s}}",
        "format", "semblance-evaluation", "version", 1, "program", sbl_version(), "warning",
        "NOT PRIVATE: every number here was computed from real records", "kind",
        facts->images ? "images" : "table", "inputs", "real", "path", "clinic-test.csv", "rows", 16281,
        "synthetic", "path", "synthetic.csv", "rows", 32561, "train", "path", "clinic-train.csv", "rows",
        32561, "schema", "columns", (int)facts->columns, "label", name_of(facts, facts->columns - 1, name),
        "task", facts->regression ? "regression" : "classification");
    json_object_set_new(root, "columns", columns(facts, &s));
    json_object_set_new(root, "pairs", pairs(facts));
    json_object_set_new(root, "marginals", marginals(facts));
    json_object_set_new(root, "association", association(facts, &s));
    json_object_set_new(root, "mmd",
                        json_pack("{s:s, s:o}", "kernel", "Gaussian of length 1.9, fixed and public",
                                  "squared", triple(0.0021, 0.0104, 0.00004)));
    json_object_set_new(root, "out_of_domain", out_of_domain);
    json_object_set_new(root, "histories", histories(facts));
    json_object_set_new(root, "worst", worst(facts));
    json_object_set_new(root, "utility", utility(facts));
    json_object_set_new(root, "disclosure", facts->without_real ? json_null() : disclosure());
    if (facts->images) json_object_set_new(root, "images", images(facts));
    char *text = json_dumps(root, JSON_REAL_PRECISION(10) | JSON_COMPACT);
    json_decref(root);
    return text;
}
