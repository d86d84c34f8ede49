/* A histogram and some means in one joint release (include/semblance/summary.h).
 *
 * Blocks: "histogram", one-hot, so non-negative with norm 1; "means", each column taken to [-1, 1]
 * by its public bounds and divided by sqrt(column_count), so signed with norm at most 1. */
#include "semblance/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "accumulate/sum.h"
#include "base/json.h"
#include "base/memory.h"
#include "pipeline/publish.h"

#define BATCH_ROWS 256
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

void sbl_summary_options_init(sbl_summary_options *options)
{
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    options->delta = 1e-5;
    options->neighbours = SBL_REPLACE_ONE;
}

static sbl_status check_arguments(size_t bin_count, const sbl_summary_column *columns,
                                  size_t column_count, const sbl_summary_options *options,
                                  sbl_error *err)
{
    if (options->struct_size != sizeof *options)
        return sbl_fail(err, SBL_EARG, "options were not set up by sbl_summary_options_init");
    if (bin_count < 1 || column_count < 1)
        return sbl_fail(err, SBL_EARG, "a summary needs at least one bin and one column");
    if (options->release_path == NULL || options->certificate_path == NULL)
        return sbl_fail(err, SBL_EARG, "the release and its certificate need a path each");
    for (size_t j = 0; j < column_count; j++) {
        if (!isfinite(columns[j].minimum) || !isfinite(columns[j].maximum) ||
            !(columns[j].minimum < columns[j].maximum))
            return sbl_fail(err, SBL_EARG, "column '%s' needs finite bounds, minimum < maximum",
                            columns[j].name);
    }
    return SBL_OK;
}

/* The public description of what is summed; canonical, because its hash goes into the ledger. NULL
 * when a name is not UTF-8. */
static char *write_plan(size_t bin_count, const sbl_summary_column *columns, size_t column_count)
{
    char *text = NULL;
    bool complete = true;
    json_t *list = json_array();
    for (size_t j = 0; j < column_count; j++)
        complete = complete &&
                   json_array_append_new(
                       list, json_pack("{s:s, s:f, s:f}", "name", columns[j].name, "minimum",
                                       columns[j].minimum, "maximum", columns[j].maximum)) == 0;
    json_t *plan = json_pack("{s:s, s:i, s:I, s:o}", "method", "summary", "version", 1, "bins",
                             (json_int_t)bin_count, "columns", list);
    if (complete && plan != NULL) text = sbl_json_canonical(plan);
    json_decref(plan);
    return text;
}

static void describe_blocks(sbl_block blocks[2], size_t bin_count, size_t column_count)
{
    const uint64_t radius = UINT64_C(1) << SBL_GRID_BITS;
    const sbl_block histogram = {.name = "histogram",
                                 .width = bin_count,
                                 .nonnegative = true,
                                 .bound2 = 1,
                                 .bound1 = 1,
                                 .scale = 1.0};
    const sbl_block means = {
        .name = "means",
        .width = column_count,
        .bound2 = radius * radius,
        .bound1 = radius * (uint64_t)ceil(sqrt((double)column_count)),
        .scale = sbl_layout_scale(column_count, radius * radius, 1.0),
    };
    blocks[HISTOGRAM] = histogram;
    blocks[MEANS] = means;
}

/* Relative multipliers that minimise the expected squared error of counts and means together. */
static sbl_status choose_weights(double weights[2], const sbl_block blocks[2], bool pure,
                                 sbl_error *err)
{
    const double ones[2] = {1.0, 1.0};
    const double real_sensitivity[2] = {sqrt(2.0), 2.0};
    const double coordinates[2] = {(double)blocks[0].width, (double)blocks[1].width};
    double shares[2];
    const sbl_status status =
        sbl_optimal_split(shares, real_sensitivity, ones, coordinates, 2, err);
    if (status != SBL_OK) return status;
    for (int b = 0; b < 2; b++) {
        const double norm = pure ? (double)blocks[b].bound1 : sqrt((double)blocks[b].bound2);
        const double grid_sensitivity = norm * (pure ? 2.0 : real_sensitivity[b]);
        weights[b] = (pure ? shares[b] : sqrt(shares[b])) / grid_sensitivity;
    }
    return SBL_OK;
}

/* To [-1, 1] / sqrt(d); NaN goes to the middle of the bounds. */
static double encode_value(double value, const sbl_summary_column *column, double root)
{
    const double low = column->minimum;
    const double high = column->maximum;
    const double known = isnan(value) ? low + (high - low) / 2 : value;
    const double inside = known >= low ? (known <= high ? known : high) : low;
    return (2 * ((inside - low) / (high - low)) - 1) / root;
}

static sbl_status add_batch(sbl_sum *sum, double *one_hot, double *encoded, size_t bin_count,
                            const sbl_summary_column *columns, size_t column_count,
                            const sbl_summary_records *records, size_t first, size_t rows,
                            sbl_error *err)
{
    const double root = sqrt((double)column_count);
    sbl_status status = SBL_OK;
    memset(one_hot, 0, rows * bin_count * sizeof *one_hot);
    for (size_t r = 0; r < rows; r++) {
        const uint32_t bin = records->bins[first + r];
        const double *values = records->values + (first + r) * column_count;
        one_hot[r * bin_count + (bin < bin_count ? bin : 0)] = 1.0;
        for (size_t j = 0; j < column_count; j++)
            encoded[r * column_count + j] = encode_value(values[j], &columns[j], root);
    }
    SBL_TRY(sbl_sum_begin_rows(sum, NULL, rows, err));
    SBL_TRY(sbl_sum_add_f64(sum, HISTOGRAM, 0, bin_count, one_hot, bin_count, err));
    SBL_TRY(sbl_sum_add_f64(sum, MEANS, 0, column_count, encoded, column_count, err));
    SBL_TRY(sbl_sum_end_rows(sum, err));
done:
    return status;
}

static sbl_status sum_records(sbl_sum *sum, size_t bin_count, const sbl_summary_column *columns,
                              size_t column_count, const sbl_summary_records *records,
                              sbl_error *err)
{
    double *one_hot = sbl_alloc_array(bin_count, BATCH_ROWS * sizeof *one_hot);
    double *encoded = sbl_alloc_array(column_count, BATCH_ROWS * sizeof *encoded);
    sbl_status status = SBL_OK;
    if (one_hot == NULL || encoded == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory");
        goto done;
    }
    for (size_t first = 0; first < records->rows; first += BATCH_ROWS) {
        const size_t left = records->rows - first;
        SBL_TRY(add_batch(sum, one_hot, encoded, bin_count, columns, column_count, records, first,
                          left < BATCH_ROWS ? left : BATCH_ROWS, err));
    }
done:
    sbl_free_wiped(one_hot, bin_count * BATCH_ROWS * sizeof *one_hot);
    sbl_free_wiped(encoded, column_count * BATCH_ROWS * sizeof *encoded);
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
                               const sbl_summary_options *options, sbl_error *err)
{
    sbl_block blocks[2];
    double weights[2];
    sbl_layout layout = {
        .blocks = blocks, .block_count = 2, .classes = 1, .rows_cap = SBL_ROWS_CAP_DEFAULT};
    sbl_summary *result = NULL;
    sbl_sum *sum = NULL;
    char *plan = NULL;
    sbl_status status = SBL_OK;
    *summary = NULL;
    SBL_TRY(check_arguments(bin_count, columns, column_count, options, err));
    plan = write_plan(bin_count, columns, column_count);
    if (plan == NULL) {
        status = sbl_fail(err, SBL_EARG, "a column's name is not valid UTF-8");
        goto done;
    }
    describe_blocks(blocks, bin_count, column_count);
    SBL_TRY(sbl_sha256(layout.plan_hash, plan, strlen(plan), NULL, 0, err));
    SBL_TRY(choose_weights(weights, blocks, options->pure, err));
    SBL_TRY(new_summary(&result, bin_count, columns, column_count, err));
    SBL_TRY(sbl_sum_new(&sum, &layout, err));
    SBL_TRY(sum_records(sum, bin_count, columns, column_count, records, err));
    const sbl_publish_request request = {
        .method = "summary",
        .name = "summary.histogram+means",
        .plan = plan,
        .neighbours = options->neighbours,
        .epsilon = options->epsilon,
        .delta = options->pure ? 0.0 : options->delta,
        .weights = weights,
        .release_path = options->release_path,
        .certificate_path = options->certificate_path,
        .ledger_path = options->ledger_path,
        .overwrite = options->overwrite,
    };
    SBL_TRY(sbl_publish(&result->release, &result->statement, &sum, &request, err));
    result->rows = rows_of_release(result->release);
    *summary = result;
    result = NULL;
done:
    sbl_summary_free(result);
    sbl_sum_free(sum);
    sbl_free(plan);
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
    return sbl_release_estimate(summary->release, &summary->release->blocks[HISTOGRAM], 0, bin);
}

double sbl_summary_count_deviation(const sbl_summary *summary)
{
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
    return unit_of(summary, column) *
           sbl_release_noise_deviation(summary->release, &summary->release->blocks[MEANS]);
}

const char *sbl_summary_statement(const sbl_summary *summary) { return summary->statement; }
