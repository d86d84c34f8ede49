/* How strongly columns hang together, pair by pair: real, synthetic, difference. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/facts.h"
#include "report/heatmap.h"
#include "report/html.h"
#include "report/sections.h"

#define WORST_PAIRS 12

typedef struct pairs {
    const json_t *real;
    const json_t *synthetic;
    const json_t *measure;
    const json_t *names;
    size_t count;
} pairs;

typedef struct panel_data {
    size_t shown;
    size_t *order; /* of columns; the first `shown` are drawn */
    const char **names;
    double *values;
    size_t *kept; /* columns drawn, in the table's order */
} panel_data;

static double entry(const json_t *matrix, size_t row, size_t column)
{
    return sbl_fact_item(json_array_get(matrix, row), column);
}

static double difference(const pairs *p, size_t row, size_t column)
{
    return entry(p->synthetic, row, column) - entry(p->real, row, column);
}

/* ---- heat maps ---- */

static void panel_data_clear(panel_data *data)
{
    sbl_free(data->order);
    sbl_free(data->names);
    sbl_free(data->values);
    sbl_free(data->kept);
}

/* Which columns are drawn: all, or those with the largest differences, in the order of the table.
 */
static bool choose_columns(panel_data *data, const pairs *p)
{
    const size_t most = SBL_REPORT_HEAT_COLUMNS;
    size_t next = 0;
    double *keys = sbl_alloc_array(p->count, sizeof *keys);
    data->shown = p->count < most ? p->count : most;
    data->names = sbl_alloc_array(data->shown, sizeof *data->names);
    data->values = sbl_alloc_array(data->shown * data->shown, sizeof *data->values);
    data->kept = sbl_alloc_array(data->shown, sizeof *data->kept);
    for (size_t r = 0; keys != NULL && r < p->count; r++) {
        keys[r] = 0;
        for (size_t c = 0; c < p->count; c++)
            if (c != r) keys[r] = fmax(keys[r], fabs(difference(p, r, c)));
    }
    if (keys != NULL) data->order = sbl_fact_order(keys, p->count);
    if (data->order == NULL || data->names == NULL || data->values == NULL || data->kept == NULL) {
        sbl_free(keys);
        return false;
    }
    /* keys become marks: 1 for the columns that are drawn. */
    memset(keys, 0, p->count * sizeof *keys);
    for (size_t i = 0; i < data->shown; i++) keys[data->order[i]] = 1;
    for (size_t i = 0; i < p->count; i++)
        if (keys[i] > 0) {
            data->names[next] = json_string_value(json_array_get(p->names, i));
            data->kept[next++] = i;
        }
    sbl_free(keys);
    return true;
}

typedef double (*pair_value)(const pairs *p, size_t row, size_t column);

static double real_value(const pairs *p, size_t row, size_t column)
{
    return entry(p->real, row, column);
}

static double synthetic_value(const pairs *p, size_t row, size_t column)
{
    return entry(p->synthetic, row, column);
}

static void write_panel(sbl_text *out, panel_data *data, const pairs *p, const char *title,
                        pair_value value, double limit)
{
    for (size_t r = 0; r < data->shown; r++)
        for (size_t c = 0; c < data->shown; c++)
            data->values[r * data->shown + c] =
                r == c ? (double)NAN : value(p, data->kept[r], data->kept[c]);
    const sbl_heatmap map = {title, data->names, data->values, data->shown, limit};
    sbl_heatmap_write(out, &map);
}

/* The smallest of a few round numbers that is not exceeded: a fixed scale per page, said in words.
 */
static double difference_limit(const pairs *p)
{
    static const double limits[] = {0.1, 0.2, 0.5, 1.0, 2.0};
    double largest = 0;
    size_t i = 0;
    for (size_t r = 0; r < p->count; r++)
        for (size_t c = 0; c < r; c++) largest = fmax(largest, fabs(difference(p, r, c)));
    while (i < 4 && largest > limits[i]) i++;
    return limits[i];
}

static void write_maps(sbl_text *out, const pairs *p)
{
    panel_data data = {0};
    const double limit = difference_limit(p);
    if (!choose_columns(&data, p)) {
        out->failed = true;
    } else {
        if (data.shown < p->count)
            sbl_html_print(
                out,
                "<p>The %zu columns with the largest differences of %zu, in the order of "
                "the table.</p>\n",
                data.shown, p->count);
        sbl_html_print(out, "<div class=\"maps\">\n");
        write_panel(out, &data, p, "Real", real_value, 1.0);
        write_panel(out, &data, p, "Synthetic", synthetic_value, 1.0);
        write_panel(out, &data, p, "Difference: synthetic less real", difference, limit);
        sbl_html_print(out, "</div>\n<div class=\"legends\">\n");
        sbl_heatmap_legend(out, 1.0,
                           "Real and synthetic. A dash marks values below zero; stripes: the "
                           "diagonal, and what is not defined.");
        sbl_heatmap_legend(out, limit, "Difference, on its own scale.");
        sbl_html_print(out, "</div>\n");
    }
    panel_data_clear(&data);
}

/* ---- the pairs that differ most ---- */

typedef struct worst_pairs {
    size_t row[WORST_PAIRS];
    size_t column[WORST_PAIRS];
    double size[WORST_PAIRS];
    size_t count;
} worst_pairs;

static void keep_if_worse(worst_pairs *worst, size_t row, size_t column, double size)
{
    size_t at = worst->count;
    if (!(size > 0)) return;
    if (at == WORST_PAIRS) {
        if (size <= worst->size[--at]) return;
    } else {
        worst->count++;
    }
    for (; at > 0 && worst->size[at - 1] < size; at--) {
        worst->row[at] = worst->row[at - 1];
        worst->column[at] = worst->column[at - 1];
        worst->size[at] = worst->size[at - 1];
    }
    worst->row[at] = row;
    worst->column[at] = column;
    worst->size[at] = size;
}

static const char *measure_words(const char *measure)
{
    if (measure == NULL) return NULL;
    if (strcmp(measure, "pearson") == 0) return "Pearson correlation";
    if (strcmp(measure, "cramers_v") == 0) return "Cram\xc3\xa9r's V";
    if (strcmp(measure, "correlation_ratio") == 0) return "correlation ratio";
    return measure;
}

static const char *name_of(const pairs *p, size_t i)
{
    return json_string_value(json_array_get(p->names, i));
}

static void write_worst(sbl_text *out, const pairs *p)
{
    worst_pairs worst = {0};
    for (size_t r = 0; r < p->count; r++)
        for (size_t c = 0; c < r; c++) keep_if_worse(&worst, c, r, fabs(difference(p, c, r)));
    if (worst.count == 0) return;
    sbl_html_table_open(out, "The pairs of columns whose association differs most");
    sbl_html_print(
        out,
        "<thead><tr><th scope=\"col\">columns</th><th scope=\"col\" class=\"word\">measure</th><th "
        "scope=\"col\">real</th><th scope=\"col\">synthetic</th><th "
        "scope=\"col\">difference</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < worst.count; i++) {
        const size_t r = worst.row[i];
        const size_t c = worst.column[i];
        const char *measure = json_string_value(json_array_get(json_array_get(p->measure, r), c));
        sbl_html_print(out, "<tr><th scope=\"row\">%.60s, %.60s</th><td class=\"word\">%.30s</td>",
                       name_of(p, r), name_of(p, c), measure_words(measure));
        sbl_html_cell_number(out, entry(p->real, r, c));
        sbl_html_cell_number(out, entry(p->synthetic, r, c));
        sbl_html_cell_number(out, difference(p, r, c));
        sbl_html_print(out, "</tr>\n");
    }
    sbl_html_table_close(out);
}

void sbl_report_association(sbl_text *out, const json_t *evaluation)
{
    const json_t *object = json_object_get(evaluation, "association");
    const pairs p = {json_object_get(object, "real"), json_object_get(object, "synthetic"),
                     json_object_get(object, "measure"), json_object_get(object, "names"),
                     json_array_size(json_object_get(object, "names"))};
    if (p.count < 2) return;
    sbl_html_section_open(out, "association", "Associations between pairs", true);
    sbl_html_print(
        out,
        "<p class=\"how\">Each cell says how strongly two columns hang together: Pearson's "
        "correlation for two numbers (from \xe2\x88\x92"
        "1 to 1), Cram\xc3\xa9r's V for two categories and "
        "the correlation ratio for a category and a number (both from 0 to 1). The first two maps "
        "should look the same and the third should be empty. Noise pulls weak associations towards "
        "zero; an association that is strong in the synthetic map only was made up by the "
        "method.</p>\n");
    write_maps(out, &p);
    write_worst(out, &p);
    sbl_html_section_close(out);
}
