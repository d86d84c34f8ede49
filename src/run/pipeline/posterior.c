/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Moved releases and the fits to them. The records that are summed here are synthetic: they were drawn from the
 * fitted model. */
#include "run/pipeline/posterior.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "records/accumulate/sum.h"
#include "run/pipeline/gather.h"
#include "run/pipeline/synthetic_records.h"

#define NOISE_STREAM 0     /* of a draw's streams: noise of round r is r, */
#define SAMPLE_STREAM 0x80 /* and which records are drawn again */

struct sbl_posterior {
    const sbl_rounds *rounds;
    sbl_synth_options options;
    sbl_synthetic_records *table;
    double spread;        /* of a table of as many records as were read, in deviations of the synthetic one */
    int64_t **sums;       /* (rounds): of the table, by value of the release */
    sbl_release **before; /* (rounds), borrowed: as released */
    sbl_round *moved;     /* (rounds): as rounds, but for their releases */
    sbl_release *own;     /* (rounds): the moved ones; all but values is borrowed */
    void *state;          /* the method's */
    sbl_pool pool;
};

sbl_status sbl_posterior_check(const sbl_method *method, sbl_error *err)
{
    if (method->replicates) return SBL_OK;
    return sbl_fail(err, SBL_EARG,
                    "the method %s has no replicates: use pairs, forest, histories or marginals",
                    method->name);
}

sbl_status sbl_replicates_check(uint64_t replicates, sbl_error *err)
{
    if (replicates == 0 || (replicates >= SBL_REPLICATES_LEAST && replicates <= SBL_REPLICATES_MOST))
        return SBL_OK;
    return sbl_fail(
        err, SBL_EARG,
        "the number of replicates must be from %d to %d: one table alone says nothing of its error",
        SBL_REPLICATES_LEAST, SBL_REPLICATES_MOST);
}

void sbl_posterior_free(sbl_posterior *p)
{
    if (p == NULL) return;
    if (p->rounds->method->refit_free != NULL) p->rounds->method->refit_free(p->state);
    sbl_synthetic_records_free(p->table);
    sbl_pool_clear(&p->pool);
    sbl_free(p);
}

/* ---- sums of synthetic records ---- */

/* The sum of a released block; NULL: it is not one of records (how many persons have how many rows). */
static const int64_t *sum_of(const sbl_sum *sum, const sbl_block *block)
{
    const sbl_layout *layout = sbl_sum_layout(sum);
    if (strcmp(block->name, SBL_PERSONS_BLOCK) == 0) return NULL;
    for (size_t b = 0; b < layout->block_count; b++)
        if (!layout->blocks[b].withheld && strcmp(layout->blocks[b].name, block->name) == 0)
            return sbl_sum_values(sum, b);
    return strcmp(block->name, SBL_COUNTS_BLOCK) == 0 ? sbl_sum_counts(sum) : NULL;
}

/* values (of the release) of the records; blocks that have no sum stay 0. */
static sbl_status sum_records(int64_t *values, const sbl_posterior *p, const sbl_round *round, sbl_error *err)
{
    const sbl_release *release = round->release;
    sbl_source *source = NULL;
    sbl_sum *sum = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_synthetic_records_open(&source, p->table, err));
    SBL_TRY(sbl_gather(&sum, source, &round->features, "nothing", &p->options, err));
    memset(values, 0, release->value_count * sizeof *values);
    for (size_t b = 0; b < release->block_count; b++) {
        const sbl_block *block = &release->blocks[b];
        const int64_t *from = sum_of(sum, block);
        if (from != NULL)
            memcpy(values + block->offset, from,
                   block->width * sbl_release_columns(release, block) * sizeof *values);
    }
done:
    sbl_sum_free(sum);
    sbl_source_close(source);
    return status;
}

/* ---- a posterior ---- */

static sbl_status make_room(sbl_posterior *p, sbl_error *err)
{
    const size_t count = p->rounds->count;
    sbl_pool *pool = &p->pool;
    sbl_status status = SBL_OK;
    SBL_POOL(pool, p->sums, count, 1, "a posterior");
    SBL_POOL(pool, p->before, count, 1, "a posterior");
    SBL_POOL(pool, p->moved, count, 1, "a posterior");
    SBL_POOL(pool, p->own, count, 1, "a posterior");
    for (size_t r = 0; r < count; r++) {
        sbl_release *release = p->rounds->items[r].release;
        const size_t values = release->value_count;
        SBL_POOL(pool, p->sums[r], values, 1, "a posterior");
        p->before[r] = release;
        p->own[r] = *release;
        SBL_POOL(pool, p->own[r].values, values, 1, "a posterior");
        p->moved[r] = p->rounds->items[r];
        p->moved[r].release = &p->own[r];
    }
done:
    return status;
}

/* Rows of one person are not independent, and no release says how much they differ: they are taken to be
 * alike. Then persons with j rows in a share s_j spread a sum by sum s_j j^2 / sum s_j j. */
static double design_effect(const sbl_model *fitted)
{
    const uint64_t most = sbl_facts_rows_per_unit(&fitted->facts);
    double rows = 0, squares = 0;
    if (fitted->persons == NULL) return 1;
    for (uint64_t j = 0; j < most; j++) {
        rows += fitted->persons[j] * (double)(j + 1);
        squares += fitted->persons[j] * (double)(j + 1) * (double)(j + 1);
    }
    return rows > 0 ? squares / rows : 1;
}

sbl_status sbl_posterior_new(sbl_posterior **posterior, const sbl_rounds *rounds, sbl_model *fitted,
                             bool brief, const sbl_synth_options *options, sbl_error *err)
{
    sbl_posterior *made = NULL;
    sbl_status status = SBL_OK;
    *posterior = NULL;
    SBL_TRY(sbl_posterior_check(rounds->method, err));
    SBL_ALLOC(made, 1, "a posterior");
    made->rounds = rounds;
    made->options = (sbl_synth_options){.struct_size = sizeof made->options,
                                        .seed = options->seed,
                                        .threads = options->threads,
                                        .neighbours = options->neighbours,
                                        .epsilon = options->epsilon,
                                        .delta = options->delta};
    SBL_TRY(make_room(made, err));
    SBL_TRY(sbl_synthetic_records_new(&made->table, rounds, fitted, options->seed, err));
    const double drawn = sbl_synthetic_records_count(made->table);
    made->spread = sqrt(design_effect(fitted) * sbl_synthetic_records_real(made->table) / drawn);
    for (size_t r = 0; r < rounds->count; r++)
        SBL_TRY(sum_records(made->sums[r], made, &rounds->items[r], err));
    if (rounds->method->refit_new != NULL)
        SBL_TRY(rounds->method->refit_new(&made->state, rounds->facts, rounds->items, rounds->count, fitted,
                                          brief, &made->options, err));
    *posterior = made;
    made = NULL;
done:
    sbl_posterior_free(made);
    return status;
}

/* ---- a draw ---- */

static double deviate(sbl_model_rng *rng, sbl_mechanism mechanism)
{
    if (mechanism != SBL_DISCRETE_LAPLACE) return sbl_model_rng_normal(rng);
    const double u = 2.0 * sbl_model_rng_uniform(rng) - 1.0;
    return (u < 0 ? 1.0 : -1.0) * sbl_exact_log(1.0 - fabs(u));
}

static void move_release(sbl_posterior *p, size_t r, const int64_t *again, uint64_t number)
{
    const sbl_release *before = p->before[r];
    const double noise = ldexp(1.0, SBL_NOISE_SCALE_BITS);
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, p->options.seed, SBL_RNG_REPLICATES, number << 8 | (NOISE_STREAM + r));
    for (size_t b = 0; b < before->block_count; b++) {
        const sbl_block *block = &before->blocks[b];
        const size_t count = block->width * sbl_release_columns(before, block);
        for (size_t i = block->offset; i < block->offset + count; i++) {
            const double error = p->spread * (double)(again[i] - p->sums[r][i]) * (double)block->multiplier;
            p->own[r].values[i] =
                before->values[i] + (sbl_i128)(error + noise * deviate(&rng, before->mechanism));
        }
    }
}

sbl_status sbl_posterior_draw(sbl_posterior *p, sbl_model **model, uint64_t number, sbl_error *err)
{
    const sbl_rounds *rounds = p->rounds;
    int64_t *again = NULL;
    size_t most = 1;
    sbl_rounds moved = *rounds;
    sbl_status status = SBL_OK;
    *model = NULL;
    for (size_t r = 0; r < rounds->count; r++)
        if (p->before[r]->value_count > most) most = p->before[r]->value_count;
    SBL_ALLOC(again, most, "a posterior");
    SBL_TRY(sbl_synthetic_records_again(p->table, p->options.seed, number << 8 | SAMPLE_STREAM, err));
    for (size_t r = 0; r < rounds->count; r++) {
        SBL_TRY(sum_records(again, p, &rounds->items[r], err));
        move_release(p, r, again, number);
    }
    moved.items = p->moved;
    SBL_TRY(sbl_rounds_refit(model, &moved, p->state, number, &p->options, err));
    (*model)->replicate = true;
done:
    sbl_free(again);
    return status;
}
