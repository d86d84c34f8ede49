/* SPDX-License-Identifier: Apache-2.0 */
/* The door, top to bottom. Every step depends on the one before it being done. */
#include "door/privatise/privatise.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sha256.h"
#include "base/text.h"
#include "door/ledger/ledger_book.h"
#include "door/noise/noise.h"
#include "public/account/survival.h"

#define MULTIPLIER_LIMIT (UINT64_C(1) << 62) /* m * sum < 2^124 stays clear of int128's ends */

/* Everything public that the door works out before it asks the ledger. */
typedef struct plan_of_release {
    size_t noisy_blocks; /* as in records/accumulate/layout.h */
    size_t value_count;
    sbl_ledger_entry entry;
} plan_of_release;

/* What was gathered of the records, whichever way: enough to plan its release. */
typedef struct gathered {
    const sbl_layout *layout;
    uint64_t rows;
    bool whole;
    const sbl_sum *sum; /* one of these is NULL */
    sbl_key_tally *tally;
} gathered;

static sbl_status check_request(const gathered *from, const sbl_door_request *request, sbl_error *err)
{
    const sbl_layout *layout = from->layout;
    uint8_t plan_hash[SBL_SHA256_SIZE];
    if (!from->whole)
        return sbl_fail(err, SBL_EINTERNAL, "a sum with an unfinished batch cannot be released");
    /* Where the number of records is private, none is a number like any other. */
    if (from->rows == 0 && sbl_rows_are_public(request->neighbours, layout->rows_per_unit))
        return sbl_fail(err, SBL_EINPUT, "there are no records to release");
    if (strlen(request->name) >= SBL_LEDGER_NAME_SIZE)
        return sbl_fail(err, SBL_EARG, "the name of a release has at most %d characters",
                        SBL_LEDGER_NAME_SIZE - 1);
    const sbl_status status = sbl_sha256(plan_hash, request->plan, strlen(request->plan), NULL, 0, err);
    if (status != SBL_OK) return status;
    if (memcmp(plan_hash, layout->plan_hash, sizeof plan_hash) != 0)
        return sbl_fail(err, SBL_EINTERNAL, "the plan is not the one these sums were made for");
    return sbl_store_entry_check(request->release, request->overwrite, err);
}

static sbl_status check_multipliers(const uint64_t *multipliers, size_t count, sbl_error *err)
{
    for (size_t b = 0; b < count; b++) {
        if (multipliers[b] == 0 || multipliers[b] >= MULTIPLIER_LIMIT)
            return sbl_fail(err, SBL_EARG, "multiplier %zu is not between 1 and 2^62", b);
    }
    return SBL_OK;
}

/* A text of people; NULL is "". */
static sbl_status copy_words(char at[SBL_LEDGER_TEXT_SIZE], const char *words, sbl_error *err)
{
    const size_t length = words != NULL ? strlen(words) : 0;
    if (length >= SBL_LEDGER_TEXT_SIZE)
        return sbl_fail(err, SBL_EARG, "a title or a name has at most %d bytes", SBL_LEDGER_TEXT_SIZE - 1);
    if (length > 0) memcpy(at, words, length);
    return SBL_OK;
}

static sbl_status plan_release(plan_of_release *plan, const gathered *from, const sbl_door_request *request,
                               sbl_error *err)
{
    const sbl_layout *layout = from->layout;
    sbl_ledger_entry *entry = &plan->entry;
    plan->noisy_blocks = sbl_layout_noisy_blocks(layout);
    plan->value_count = sbl_layout_noisy_values(layout);
    SBL_CHECK(check_multipliers(request->multipliers, plan->noisy_blocks, err));
    SBL_CHECK(sbl_layout_charge(&entry->charge, &entry->joint, layout, request->mechanism,
                                request->neighbours, request->multipliers, err));
    (void)snprintf(entry->name, sizeof entry->name, "%s", request->name);
    SBL_CHECK(copy_words(entry->who, request->who, err));
    SBL_CHECK(copy_words(entry->title, request->title, err));
    entry->policy = request->policy;
    entry->mechanism = request->mechanism;
    entry->neighbours = request->neighbours;
    entry->rows_per_unit = layout->rows_per_unit;
    entry->n_public = sbl_rows_are_public(request->neighbours, layout->rows_per_unit);
    entry->n = entry->n_public ? from->rows : 0;
    memcpy(entry->plan_hash, layout->plan_hash, sizeof entry->plan_hash);
    entry->test_key = sbl_noise_is_test_build();
    return SBL_OK;
}

/* The release's public facts; values are still all zero. */
static sbl_status new_release(sbl_release **result, const sbl_layout *layout, const plan_of_release *plan,
                              const sbl_reserve_token *token, const sbl_door_request *request, sbl_error *err)
{
    sbl_release *release = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(release, 1, "a release");
    *result = release;
    SBL_ALLOC(release->blocks, plan->noisy_blocks, "a release");
    SBL_ALLOC(release->values, plan->value_count, "a release");
    SBL_TRY(sbl_copy_text(&release->plan, request->plan, "a release", err));
    (void)snprintf(release->name, sizeof release->name, "%s", request->name);
    (void)snprintf(release->rid, sizeof release->rid, "%s", sbl_reserve_token_rid(token));
    (void)snprintf(release->ledger, sizeof release->ledger, "%s", sbl_reserve_token_ledger_id(token));
    release->seq = sbl_reserve_token_seq(token);
    release->mechanism = request->mechanism;
    release->neighbours = request->neighbours;
    release->rows_per_unit = layout->rows_per_unit;
    release->n = plan->entry.n;
    release->classes = layout->classes;
    release->counts = layout->counts;
    release->test_key = plan->entry.test_key;
    release->block_count = plan->noisy_blocks;
    release->value_count = plan->value_count;
    sbl_layout_describe(release->blocks, layout, request->multipliers);
done:
    return status;
}

/* values += m_b * sum, every block and the counts. */
static void add_scaled_sums(sbl_release *release, const sbl_sum *sum)
{
    const sbl_layout *layout = sbl_sum_layout(sum);
    for (size_t i = 0; i < release->block_count; i++) {
        const sbl_block *block = &release->blocks[i];
        const size_t b = sbl_layout_noisy_block(layout, i);
        const int64_t *exact = b == layout->block_count ? sbl_sum_counts(sum) : sbl_sum_values(sum, b);
        sbl_i128 *values = release->values + block->offset;
        for (size_t v = 0; v < block->width * sbl_block_columns(block, release->classes); v++)
            values[v] += (sbl_i128)block->multiplier * exact[v];
    }
}

/* Fill values with noise, all of it in one batch before anything is added or written: the time of a
 * single draw cannot be seen. */
static sbl_status draw_noise(sbl_release *release, sbl_reserve_token *token, sbl_error *err)
{
    const size_t count = release->value_count;
    int64_t *draws = NULL;
    sbl_noise *noise = NULL;
    sbl_status status = sbl_noise_open(&noise, token, err);
    if (status != SBL_OK) return status;
    if (release->mechanism == SBL_DISCRETE_LAPLACE) {
        status = sbl_noise_laplace(noise, release->values, count, err);
        goto done;
    }
    SBL_ALLOC(draws, count, "the noise");
    SBL_TRY(sbl_noise_gaussian(noise, draws, count, err));
    for (size_t i = 0; i < count; i++) release->values[i] = draws[i];
done:
    sbl_free_wiped(draws, count * sizeof *draws);
    sbl_noise_close(noise);
    return status;
}

/* A release of sums. */
static sbl_status release_of_sums(sbl_release **result, const sbl_sum *sum, const plan_of_release *plan,
                                  sbl_reserve_token *token, const sbl_door_request *request, sbl_error *err)
{
    SBL_CHECK(new_release(result, sbl_sum_layout(sum), plan, token, request, err));
    SBL_CHECK(draw_noise(*result, token, err));
    add_scaled_sums(*result, sum);
    return SBL_OK;
}

/* ---- keys ---- */

/* Multiplied count plus noise of every key, one batch. As many draws as there could be keys, one for
 * each cell, so that neither the time nor the noise that is used tells how many there are. */
static sbl_status noisy_counts(sbl_i128 **noisy, const sbl_key_count *keys, size_t count, size_t cells,
                               uint64_t multiplier, sbl_reserve_token *token, sbl_error *err)
{
    int64_t *draws = NULL;
    sbl_noise *noise = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(draws, cells, "the noise");
    SBL_ALLOC(*noisy, count, "the noise");
    SBL_TRY(sbl_noise_open(&noise, token, err));
    SBL_TRY(sbl_noise_gaussian(noise, draws, cells, err));
    for (size_t i = 0; i < count; i++) (*noisy)[i] = (sbl_i128)multiplier * keys[i].count + draws[i];
done:
    sbl_free_wiped(draws, cells * sizeof *draws);
    sbl_noise_close(noise);
    return status;
}

/* The keys that pass, with their noisy counts. */
static sbl_status name_survivors(sbl_release *release, const sbl_key_tally *tally, const sbl_key_count *keys,
                                 size_t count, const sbl_i128 *noisy, sbl_i128 threshold, sbl_error *err)
{
    size_t named = 0;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < count; i++) {
        if (noisy[i] < threshold) continue;
        sbl_release_key *key = &release->keys[named];
        SBL_ALLOC(key->text, keys[i].length + 1, "a release");
        memcpy(key->text, sbl_key_tally_text(tally, &keys[i]), keys[i].length);
        key->column = keys[i].column;
        release->values[named++] = noisy[i];
    }
done:
    return status;
}

/* A release of as many keys as pass; nothing of those that do not reaches it. */
static sbl_status release_of_keys(sbl_release **result, sbl_key_tally *tally, plan_of_release *plan,
                                  sbl_reserve_token *token, const sbl_door_request *request, sbl_error *err)
{
    const sbl_layout *layout = sbl_key_tally_layout_of(tally);
    const uint64_t multiplier = request->multipliers[0];
    const sbl_i128 threshold = (sbl_i128)multiplier + sbl_survival_margin(layout->blocks[0].survival_bits);
    size_t count;
    size_t passing = 0;
    sbl_i128 *noisy = NULL;
    sbl_status status = SBL_OK;
    const sbl_key_count *keys = sbl_key_tally_sorted(tally, &count);
    const size_t cells = (size_t)sbl_key_tally_rows(tally) * layout->blocks[0].bound2;
    SBL_TRY(noisy_counts(&noisy, keys, count, cells, multiplier, token, err));
    for (size_t i = 0; i < count; i++) passing += noisy[i] >= threshold;
    plan->value_count = passing;
    SBL_TRY(new_release(result, layout, plan, token, request, err));
    (*result)->blocks[0].width = passing;
    SBL_ALLOC((*result)->keys, passing, "a release");
    SBL_TRY(name_survivors(*result, tally, keys, count, noisy, threshold, err));
done:
    sbl_free_wiped(noisy, count * sizeof *noisy);
    return status;
}

static sbl_status check_keys(const sbl_door_request *request, sbl_error *err)
{
    return request->mechanism == SBL_DISCRETE_GAUSSIAN
               ? SBL_OK
               : sbl_fail(err, SBL_EARG,
                          "keys that are not known beforehand need a delta: they cannot be "
                          "released with a pure guarantee");
}

/* ---- the door ---- */

bool sbl_door_is_test_build(void) { return sbl_noise_is_test_build(); }

static sbl_status pass(sbl_release **release, const gathered *from, const sbl_door_request *request,
                       sbl_error *err)
{
    plan_of_release plan = {0};
    sbl_reserve_token *token = NULL;
    sbl_release *result = NULL;
    uint8_t file_hash[SBL_SHA256_SIZE];
    bool written = false;
    sbl_status status = SBL_OK;
    SBL_TRY(check_request(from, request, err));
    SBL_TRY(plan_release(&plan, from, request, err));
    SBL_TRY(sbl_ledger_reserve(&token, request->ledger, &plan.entry, err));
    SBL_TRY(from->sum != NULL ? release_of_sums(&result, from->sum, &plan, token, request, err)
                              : release_of_keys(&result, from->tally, &plan, token, request, err));
    SBL_TRY(sbl_release_save(result, request->release, request->overwrite, file_hash, &written, err));
    SBL_TRY(sbl_ledger_commit(token, file_hash, err));
    *release = result;
    result = NULL;
done:
    /* The reason for a failure is in err already; a VOID that cannot be written leaves the
     * reservation open, which is just as safe, and so does a release that was not committed. One
     * that has its name is never VOID, whatever failed after that: somebody may have read it. */
    if (token != NULL && !written) (void)sbl_ledger_void(token, "error", NULL);
    if (result != NULL && result->values != NULL)
        sbl_wipe(result->values, result->value_count * sizeof *result->values);
    sbl_release_free(result);
    sbl_reserve_token_free(token);
    return status;
}

/* What was gathered has no further use afterwards, whatever happened. */

sbl_status sbl_privatise(sbl_release **release, sbl_sum **sum, const sbl_door_request *request,
                         sbl_error *err)
{
    const gathered from = {sbl_sum_layout(*sum), sbl_sum_rows(*sum), sbl_sum_is_whole(*sum), *sum, NULL};
    *release = NULL;
    const sbl_status status = pass(release, &from, request, err);
    sbl_sum_free(*sum);
    *sum = NULL;
    return status;
}

sbl_status sbl_privatise_keys(sbl_release **release, sbl_key_tally **tally, const sbl_door_request *request,
                              sbl_error *err)
{
    const gathered from = {sbl_key_tally_layout_of(*tally), sbl_key_tally_rows(*tally),
                           sbl_key_tally_is_whole(*tally), NULL, *tally};
    *release = NULL;
    sbl_status status = check_keys(request, err);
    if (status == SBL_OK) status = pass(release, &from, request, err);
    sbl_key_tally_free(*tally);
    *tally = NULL;
    return status;
}
