/* A histogram and some means in one joint release (include/semblance/summary.h).
 *
 * The records are a table in memory: a category, the bin, and bounded numbers; the features are
 * `onehot` and `means`. */
#include "semblance/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "accumulate/sum.h"
#include "base/caller_struct.h"
#include "base/json.h"
#include "base/memory.h"
#include "features/features.h"
#include "options/defaults.h"
#include "pipeline/publish.h"

#define BIN "(bin)" /* the column of the histogram */
#define HISTOGRAM 0
#define MEANS 1

struct sbl_summary {
    sbl_release *release;
    sbl_summary_column *columns; /* names are not kept */
    size_t column_count;
    size_t bin_count;
    double rows; /* public n, or the noisy one */
    char *statement;
};

static sbl_summary_options usual(void)
{
    return (sbl_summary_options){.struct_size = sizeof(sbl_summary_options),
                                 .delta = SBL_DEFAULT_DELTA,
                                 .neighbours = SBL_REPLACE_ONE};
}

void sbl_summary_options_init_sized(sbl_summary_options *options, size_t size)
{
    const sbl_summary_options ours = usual();
    sbl_struct_set_up(options, size, &ours, sizeof ours);
}

static sbl_status check_arguments(size_t bin_count, const sbl_summary_column *columns,
                                  size_t column_count, const sbl_summary_options *options,
                                  sbl_error *err)
{
    if (options->neighbours != SBL_REPLACE_ONE && options->neighbours != SBL_ADD_REMOVE)
        return sbl_fail(err, SBL_EARG, "neighbours must be replace-one or add-remove");
    if (bin_count < 1 || column_count < 1)
        return sbl_fail(err, SBL_EARG, "a summary needs at least one bin and one column");
    if (options->release_path == NULL || options->certificate_path == NULL)
        return sbl_fail(err, SBL_EARG, "the release and its certificate need a path each");
    for (size_t j = 0; j < column_count; j++) {
        if (columns[j].name == NULL)
            return sbl_fail(err, SBL_EARG, "column %zu needs a name", j + 1);
        if (!isfinite(columns[j].minimum) || !isfinite(columns[j].maximum) ||
            !(columns[j].minimum < columns[j].maximum))
            return sbl_fail(err, SBL_EARG, "column '%s' needs finite bounds, minimum < maximum",
                            columns[j].name);
    }
    return SBL_OK;
}

/* The columns as a table's: a category, the bin, and bounded numbers. Owned by the caller. */
static sbl_status make_facts(sbl_facts *facts, size_t bin_count, const sbl_summary_column *columns,
                             size_t column_count, sbl_error *err)
{
    json_t *fields = json_array();
    json_t *bins = json_array();
    sbl_schema *schema = NULL;
    bool complete = fields != NULL && bins != NULL;
    for (size_t b = 0; complete && b < bin_count; b++)
        complete = json_array_append_new(bins, json_sprintf("%zu", b)) == 0;
    complete =
        complete && json_array_append_new(
                        fields, json_pack("{s:s, s:s, s:{s:O, s:b}}", "name", BIN, "type", "string",
                                          "constraints", "enum", bins, "required", 1)) == 0;
    for (size_t j = 0; complete && j < column_count; j++)
        complete =
            json_array_append_new(
                fields, json_pack("{s:s, s:s, s:{s:f, s:f, s:b}}", "name", columns[j].name, "type",
                                  "number", "constraints", "minimum", columns[j].minimum, "maximum",
                                  columns[j].maximum, "required", 1)) == 0;
    json_t *root = complete ? json_pack("{s:O}", "fields", fields) : NULL;
    char *text = root != NULL ? sbl_json_canonical(root) : NULL;
    json_decref(root);
    json_decref(bins);
    json_decref(fields);
    if (text == NULL) return sbl_fail(err, SBL_EARG, "a column's name is not valid UTF-8");
    sbl_status status = sbl_schema_parse(&schema, text, strlen(text), "the summary", err);
    sbl_free(text);
    if (status == SBL_OK) status = sbl_facts_of_table(facts, schema, err);
    return status == SBL_EINPUT ? SBL_EARG : status;
}

/* Relative multipliers that minimise the expected squared error of counts and means together. */
static sbl_status choose_weights(double weights[2], const size_t widths[2], bool pure,
                                 sbl_error *err)
{
    const double ones[2] = {1.0, 1.0};
    const double real_sensitivity[2] = {sqrt(2.0), 2.0};
    const double coordinates[2] = {(double)widths[0], (double)widths[1]};
    double shares[2];
    const sbl_status status =
        sbl_optimal_split(shares, real_sensitivity, ones, coordinates, 2, err);
    if (status != SBL_OK) return status;
    for (int b = 0; b < 2; b++) {
        /* In L1 a record of d numbers is up to ceil(sqrt(d)) long. */
        const double length = pure && b == MEANS ? ceil(sqrt((double)widths[b])) : 1.0;
        weights[b] =
            (pure ? shares[b] : sqrt(shares[b])) / (length * (pure ? 2.0 : real_sensitivity[b]));
    }
    return SBL_OK;
}

/* By the bounds to [0, 1]; NaN goes to the middle. */
static double encode_value(double value, const sbl_summary_column *column)
{
    const double low = column->minimum;
    const double high = column->maximum;
    const double known = isnan(value) ? low + (high - low) / 2 : value;
    const double inside = known >= low ? (known <= high ? known : high) : low;
    return (inside - low) / (high - low);
}

/* One pass over the records, encoded a batch at a time. */
static sbl_status sum_records(sbl_sum *sum, const sbl_features *features,
                              const sbl_summary_column *columns, size_t column_count,
                              const sbl_summary_records *records, sbl_error *err)
{
    double *encoded = sbl_alloc_array(column_count, SBL_SLICE_ROWS * sizeof *encoded);
    sbl_feature_workspaces *workspaces = NULL;
    sbl_status status = SBL_OK;
    if (encoded == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    SBL_TRY(sbl_feature_workspaces_new(&workspaces, features, err));
    for (size_t first = 0; first < records->rows; first += SBL_SLICE_ROWS) {
        const size_t left = records->rows - first;
        const size_t rows = left < SBL_SLICE_ROWS ? left : SBL_SLICE_ROWS;
        for (size_t i = 0; i < rows * column_count; i++)
            encoded[i] =
                encode_value(records->values[first * column_count + i], &columns[i % column_count]);
        const sbl_records batch = {
            .numeric = encoded, .codes = records->bins + first, .rows = rows};
        SBL_TRY(sbl_features_add(sum, workspaces, &batch, err));
    }
done:
    sbl_feature_workspaces_free(workspaces);
    sbl_free_wiped(encoded, column_count * SBL_SLICE_ROWS * sizeof *encoded);
    return status;
}

static sbl_status make_plan(sbl_plan *plan, const sbl_facts *facts, bool pure, sbl_error *err)
{
    const size_t widths[2] = {facts->shape.onehot, facts->shape.numeric};
    double weights[2];
    sbl_status status = SBL_OK;
    SBL_TRY(choose_weights(weights, widths, pure, err));
    SBL_TRY(sbl_plan_init(plan, "summary", err));
    SBL_TRY(sbl_plan_add(plan, "onehot", json_object(), weights[HISTOGRAM], err));
    SBL_TRY(sbl_plan_add(plan, "means", json_object(), weights[MEANS], err));
    SBL_TRY(sbl_plan_finish(plan, facts, err));
done:
    return status;
}

/* Post-processing from here on: only the release is looked at. */
static sbl_status new_summary(sbl_summary **summary, size_t bin_count,
                              const sbl_summary_column *columns, size_t column_count,
                              sbl_error *err)
{
    sbl_summary *result = sbl_alloc_array(1, sizeof *result);
    *summary = result;
    if (result == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    result->columns = sbl_alloc_array(column_count, sizeof *result->columns);
    if (result->columns == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    for (size_t j = 0; j < column_count; j++) {
        result->columns[j].minimum = columns[j].minimum;
        result->columns[j].maximum = columns[j].maximum;
    }
    result->column_count = column_count;
    result->bin_count = bin_count;
    return SBL_OK;
}

static double rows_of_release(const sbl_release *release)
{
    double rows = 0;
    if (release->neighbours == SBL_REPLACE_ONE) return (double)release->n;
    for (size_t bin = 0; bin < release->blocks[HISTOGRAM].width; bin++)
        rows += sbl_release_estimate(release, &release->blocks[HISTOGRAM], 0, bin);
    return rows < 1.0 ? 1.0 : rows;
}

sbl_status sbl_summary_release(sbl_summary **summary, size_t bin_count,
                               const sbl_summary_column *columns, size_t column_count,
                               const sbl_summary_records *records,
                               const sbl_summary_options *theirs, sbl_error *err)
{
    sbl_summary_options ours = usual();
    const sbl_summary_options *options = &ours;
    sbl_facts facts = {0};
    sbl_plan plan = {0};
    sbl_features features = {0};
    sbl_publish *publish = NULL;
    sbl_summary *result = NULL;
    sbl_gathered gathered = {0};
    sbl_status status = SBL_OK;
    SBL_NEED(summary);
    *summary = NULL;
    SBL_NEED(columns);
    SBL_NEED(records);
    if (records->rows > 0) {
        SBL_NEED(records->bins);
        SBL_NEED(records->values);
    }
    SBL_TRY(sbl_struct_take(&ours, sizeof ours, theirs, "options", err));
    SBL_TRY(check_arguments(bin_count, columns, column_count, options, err));
    SBL_TRY(make_facts(&facts, bin_count, columns, column_count, err));
    SBL_TRY(make_plan(&plan, &facts, options->pure, err));
    SBL_TRY(sbl_features_make(&features, &plan, &facts, NULL, err));
    SBL_TRY(new_summary(&result, bin_count, columns, column_count, err));
    const sbl_publish_facts run = {
        .data = SBL_DATA_TABLE,
        .method = "summary",
        .neighbours = options->neighbours,
        .epsilon = options->epsilon,
        .delta = options->pure ? 0.0 : options->delta,
        .rounds = 1,
        .ledger = sbl_file_item(options->ledger_path),
        .release = sbl_file_item(options->release_path),
        .certificate = sbl_file_item(options->certificate_path),
        .overwrite = options->overwrite,
    };
    SBL_TRY(sbl_publish_open(&publish, &run, &features.layout, features.weights, 1.0, records->rows,
                             err));
    SBL_TRY(sbl_sum_new(&gathered.sum, &features.layout, err));
    SBL_TRY(sum_records(gathered.sum, &features, columns, column_count, records, err));
    SBL_TRY(sbl_publish_next(publish, &result->release, &gathered, &plan, features.weights, err));
    SBL_TRY(sbl_publish_finish(publish, &result->statement, (sbl_item){0}, NULL, 0, err));
    result->rows = rows_of_release(result->release);
    *summary = result;
    result = NULL;
done:
    sbl_publish_close(publish);
    sbl_summary_free(result);
    sbl_gathered_clear(&gathered);
    sbl_features_clear(&features);
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
    return status;
}

void sbl_summary_free(sbl_summary *summary)
{
    if (summary == NULL) return;
    sbl_release_free(summary->release);
    sbl_free(summary->columns);
    sbl_free(summary->statement);
    sbl_free(summary);
}

double sbl_summary_count(const sbl_summary *summary, size_t bin)
{
    if (summary == NULL || bin >= summary->bin_count) return NAN;
    return sbl_release_estimate(summary->release, &summary->release->blocks[HISTOGRAM], 0, bin);
}

double sbl_summary_count_deviation(const sbl_summary *summary)
{
    if (summary == NULL) return NAN;
    return sbl_release_noise_deviation(summary->release, &summary->release->blocks[HISTOGRAM]);
}

/* Half the width of a column's bounds times this is a value in its own units. */
static double unit_of(const sbl_summary *summary, size_t column)
{
    const sbl_summary_column *bounds = &summary->columns[column];
    return (bounds->maximum - bounds->minimum) / 2 * sqrt((double)summary->column_count) /
           summary->rows;
}

double sbl_summary_mean(const sbl_summary *summary, size_t column)
{
    if (summary == NULL || column >= summary->column_count) return NAN;
    const sbl_summary_column *bounds = &summary->columns[column];
    const double middle = bounds->minimum + (bounds->maximum - bounds->minimum) / 2;
    const double mean =
        middle + unit_of(summary, column) * sbl_release_estimate(summary->release,
                                                                 &summary->release->blocks[MEANS],
                                                                 0, column);
    return mean < bounds->minimum ? bounds->minimum
                                  : (mean > bounds->maximum ? bounds->maximum : mean);
}

double sbl_summary_mean_deviation(const sbl_summary *summary, size_t column)
{
    if (summary == NULL || column >= summary->column_count) return NAN;
    return unit_of(summary, column) *
           sbl_release_noise_deviation(summary->release, &summary->release->blocks[MEANS]);
}

const char *sbl_summary_statement(const sbl_summary *summary)
{
    return summary != NULL ? summary->statement : NULL;
}
