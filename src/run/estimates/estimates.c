/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of all draws, and one interval for each question and group. */
#include "run/estimates/estimates.h"

#include <math.h>

#include "base/alloc.h"
#include "run/estimates/drawn_tables.h"

#define WHAT "estimates"
#define LARGEST_Z 0.999999 /* correlations are combined as atanh(r), which ends before 1 */

typedef struct collected {
    const sbl_estimate_options *options;
    sbl_queries queries;
    sbl_query_rows rows;       /* of the draw that is under way */
    sbl_group_answer *answers; /* (2, groups): of one question; differences second */
    double *values;            /* (cells, draws) */
    double *variances;
    size_t cells; /* questions x (1 or 2) x groups */
    char *text;
    bool any; /* row of any draw is in a group */
} collected;

static size_t kinds(const sbl_queries *queries) { return queries->against != SBL_NO_GROUP ? 2 : 1; }

/* ---- draws ---- */

static sbl_status begin(void *context, const sbl_facts *facts, size_t *table, sbl_error *err)
{
    collected *all = context;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_queries_read(&all->queries, all->options, facts, err));
    const sbl_queries *q = &all->queries;
    *table = q->table;
    all->cells = q->count * kinds(q) * q->groups;
    SBL_ALLOC(all->answers, 2 * q->groups, WHAT);
    SBL_ALLOC(all->values, all->cells * all->options->draws, WHAT);
    SBL_ALLOC(all->variances, all->cells * all->options->draws, WHAT);
    SBL_TRY(sbl_query_rows_begin(&all->rows, q, err));
done:
    return status;
}

static sbl_status take_rows(void *context, const sbl_batch *batch, uint64_t first, sbl_error *err)
{
    collected *all = context;
    (void)first;
    return sbl_query_rows_add(&all->rows, &all->queries, batch, err);
}

/* Fisher's transformation, of a correlation that is not a difference: closer to normal. */
static sbl_group_answer as_z(sbl_group_answer r)
{
    const double bounded = fmin(fmax(r.estimate, -LARGEST_Z), LARGEST_Z), slope = 1.0 - bounded * bounded;
    if (isnan(r.estimate)) return r;
    return (sbl_group_answer){atanh(bounded), r.variance / (slope * slope)};
}

/* ---- intervals ---- */

/* A count is not negative, a share is within 0 and 1, and correlations come back from their transformation. */
static void finish_interval(sbl_estimated *one, const sbl_query *query)
{
    sbl_combined *c = &one->combined;
    if (one->difference) return;
    if (query->kind == SBL_STATISTIC_COUNT || query->kind == SBL_STATISTIC_SHARE) c->low = fmax(c->low, 0.0);
    if (query->kind == SBL_STATISTIC_SHARE) c->high = fmin(c->high, 1.0);
    if (query->kind != SBL_STATISTIC_CORRELATION) return;
    c->estimate = tanh(c->estimate);
    c->low = tanh(c->low);
    c->high = tanh(c->high);
    c->standard_error *= 1.0 - c->estimate * c->estimate;
}

static sbl_status combine_one(sbl_estimated *one, const collected *all, size_t cell, sbl_error *err)
{
    const uint64_t draws = all->options->draws;
    const double *values = all->values + cell * draws;
    sbl_combine_options how;
    sbl_combine_options_init(&how);
    how.level = all->options->level;
    one->known = true;
    for (uint64_t d = 0; d < draws; d++) one->known = one->known && isfinite(values[d]);
    if (!one->known) return SBL_OK;
    one->combined.struct_size = sizeof one->combined;
    SBL_CHECK(sbl_combine(&one->combined, values, all->variances + cell * draws, (size_t)draws, &how, err));
    finish_interval(one, &all->queries.items[one->query]);
    return SBL_OK;
}

static sbl_status combine_all(sbl_estimates *estimates, const collected *all, sbl_error *err)
{
    const sbl_queries *q = &all->queries;
    const size_t groups = q->groups, width = kinds(q) * groups;
    bool any = false;
    sbl_status status = SBL_OK;
    SBL_ALLOC(estimates->items, all->cells, WHAT);
    for (size_t cell = 0; cell < all->cells; cell++) {
        const size_t place = cell % width;
        sbl_estimated *one = &estimates->items[estimates->count];
        *one = (sbl_estimated){
            .query = cell / width, .group = (uint32_t)(place % groups), .difference = place >= groups};
        if (one->difference && one->group == q->against) continue;
        SBL_TRY(combine_one(one, all, cell, err));
        any = any || one->known;
        estimates->count++;
    }
    if (!any || !all->any)
        SBL_FAIL(err, SBL_EARG, "%s the drawn tables have too few rows for an estimate: ask about more rows",
                 q->where.count > 0 ? "where: with these conditions" : "by: in every group");
done:
    return status;
}

/* ---- all ---- */

static sbl_status write_all(collected *all, sbl_error *err)
{
    sbl_estimates estimates = {.queries = &all->queries, .options = all->options};
    sbl_status status = SBL_OK;
    SBL_TRY(combine_all(&estimates, all, err));
    SBL_TRY(sbl_estimates_write(&all->text, &estimates, err));
done:
    sbl_free(estimates.items);
    return status;
}

/* The last draw ends with the text, while the schema is there. */
static sbl_status end(void *context, uint64_t draw, bool whole, sbl_error *err)
{
    collected *all = context;
    const sbl_queries *q = &all->queries;
    const size_t width = kinds(q) * q->groups;
    SBL_CHECK(sbl_query_rows_sort(&all->rows, q, whole, err));
    all->any = all->any || all->rows.starts[q->groups] > 0;
    for (size_t i = 0; i < q->count; i++) {
        const bool z = q->items[i].kind == SBL_STATISTIC_CORRELATION;
        sbl_query_answer(all->answers, kinds(q) == 2 ? all->answers + q->groups : NULL, &all->rows, q,
                         &q->items[i]);
        for (size_t c = 0; c < width; c++) {
            const sbl_group_answer answer = z && c < q->groups ? as_z(all->answers[c]) : all->answers[c];
            const size_t at = (i * width + c) * all->options->draws + draw;
            all->values[at] = answer.estimate;
            all->variances[at] = answer.variance;
        }
    }
    all->rows.rows = 0;
    return draw + 1 == all->options->draws ? write_all(all, err) : SBL_OK;
}

sbl_status sbl_estimates_make(char **text, sbl_store_entry release, const sbl_estimate_options *options,
                              sbl_error *err)
{
    collected all = {.options = options};
    const sbl_table_taker taker = {.begin = begin, .rows = take_rows, .end = end, .context = &all};
    const sbl_drawn_from from = {.release = release};
    sbl_synth_options job;
    sbl_status status = SBL_OK;
    sbl_synth_options_init(&job);
    job.seed = options->seed;
    job.progress = options->progress;
    job.context = options->context;
    SBL_TRY(sbl_drawn_tables(&from, options->draws, &taker, &job, err));
    *text = all.text;
    all.text = NULL;
done:
    sbl_free(all.text);
    sbl_query_rows_clear(&all.rows);
    sbl_queries_clear(&all.queries);
    sbl_free(all.answers);
    sbl_free(all.values);
    sbl_free(all.variances);
    return status;
}
