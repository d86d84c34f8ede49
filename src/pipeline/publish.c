#include "pipeline/publish.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "account/budget.h"
#include "certificate/certificate.h"
#include "ledger/ledger.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/run_common.h"
#include "pipeline/targets.h"
#include "privatise/privatise.h"

static sbl_mechanism mechanism_of(const sbl_publish_request *request)
{
    return request->delta == 0.0 ? SBL_DISCRETE_LAPLACE : SBL_DISCRETE_GAUSSIAN;
}

sbl_status sbl_publish_multipliers(uint64_t *multipliers, const sbl_layout *layout,
                                   const sbl_publish_request *request, sbl_error *err)
{
    const size_t count = sbl_layout_noisy_blocks(layout);
    const sbl_mechanism mechanism = mechanism_of(request);
    sbl_status status = SBL_OK;
    double amount = request->epsilon;
    sbl_sensitivity *sensitivities = sbl_alloc_array(count, sizeof *sensitivities);
    if (sensitivities == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    if (!(request->epsilon > 0.0) || !isfinite(request->epsilon)) {
        status = sbl_fail(err, SBL_EARG, "epsilon must be a positive, finite number");
        goto done;
    }
    if (!(request->delta >= 0.0 && request->delta < 1.0)) {
        status = sbl_fail(err, SBL_EARG, "delta must lie between 0 and 1");
        goto done;
    }
    if (mechanism == SBL_DISCRETE_GAUSSIAN)
        SBL_TRY(sbl_release_mu(&amount, request->epsilon, request->delta,
                               sbl_layout_noisy_values(layout) + request->other_values, err));
    /* A hair less than the share, so that two shares stay below the whole in doubles too. */
    if (request->share != 0.0 && request->share != 1.0)
        amount *= (1.0 - 1e-12) *
                  (mechanism == SBL_DISCRETE_GAUSSIAN ? sqrt(request->share) : request->share);
    SBL_TRY(sbl_layout_sensitivities(sensitivities, layout, mechanism, request->neighbours, err));
    SBL_TRY(sbl_choose_multipliers(multipliers, mechanism, request->neighbours, sensitivities,
                                   request->weights, count, amount, err));
done:
    sbl_free(sensitivities);
    return status;
}

/* What a one-run ledger is called after. */
static const char *ledger_stem(const sbl_publish_request *request)
{
    return request->ledger_stem != NULL ? request->ledger_stem : request->release_path;
}

/* A ledger whose whole budget is this run's. */
static sbl_status make_one_run_ledger(sbl_text *path, const sbl_publish_request *request,
                                      bool test_key, sbl_error *err)
{
    sbl_ledger_facts facts = {.neighbours = request->neighbours, .rows_per_unit = 1};
    char number[SBL_DOUBLE_TEXT_SIZE];
    facts.test_key = test_key;
    (void)snprintf(facts.budget.epsilon, sizeof facts.budget.epsilon, "%s",
                   sbl_double_to_text(number, request->epsilon));
    (void)snprintf(facts.budget.delta, sizeof facts.budget.delta, "%s",
                   sbl_double_to_text(number, request->delta));
    sbl_text_printf(path, "%s.ledger", ledger_stem(request));
    if (path->failed) return sbl_fail(err, SBL_EMEM, "out of memory");
    return sbl_ledger_create(path->data, &facts, err);
}

/* What a certificate lists of the first of two releases, as that was made. Its blocks: sbl_free. */
static sbl_status describe_first(sbl_certificate_block **blocks, const sbl_publish_request *request,
                                 sbl_error *err)
{
    const sbl_release *first = request->first;
    if (first == NULL) return SBL_OK;
    uint64_t *multipliers = sbl_alloc_array(first->block_count, sizeof *multipliers);
    *blocks = sbl_alloc_array(first->block_count, sizeof **blocks);
    const bool made = multipliers != NULL && *blocks != NULL;
    if (made) {
        for (size_t b = 0; b < first->block_count; b++)
            multipliers[b] = first->blocks[b].multiplier;
        sbl_layout_describe(*blocks, request->first_layout, multipliers);
    }
    sbl_free(multipliers);
    return made ? SBL_OK : sbl_fail(err, SBL_EMEM, "out of memory");
}

/* first: the blocks of the first of two releases; NULL: there is one. */
static sbl_status certify(char **statement, const sbl_release *release,
                          const sbl_certificate_block *blocks, const sbl_certificate_block *first,
                          const char *ledger_path, const sbl_publish_request *request,
                          sbl_error *err)
{
    const sbl_file_write_options as_public = {.mode = 0644, .overwrite = request->overwrite};
    sbl_ledger_view ledger = {0};
    char *text = NULL;
    sbl_status status = SBL_OK;
    sbl_certificate_release releases[SBL_CERTIFICATE_RELEASES];
    size_t count = 0;
    if (first != NULL)
        releases[count++] =
            (sbl_certificate_release){request->first->seq, first, request->first->block_count};
    releases[count++] = (sbl_certificate_release){release->seq, blocks, release->block_count};
    SBL_TRY(sbl_ledger_read(&ledger, ledger_path, err));
    const sbl_certificate_facts facts = {
        .ledger = &ledger,
        .ledger_covers_run_only = request->ledger_path == NULL || request->ledger_is_of_run,
        .releases = releases,
        .release_count = count,
        .method = request->method,
        .also_public = request->also_public,
        .also_public_count = request->also_public_count,
    };
    SBL_TRY(sbl_certificate_write(&text, &facts, err));
    /* What is published is what a verifier would accept, or it is not published. */
    SBL_TRY(
        sbl_certificate_check(statement, text, strlen(text), &ledger, "the new certificate", err));
    SBL_TRY(sbl_file_write(request->certificate_path, text, strlen(text), as_public, err));
done:
    sbl_free(text);
    sbl_ledger_view_clear(&ledger);
    return status;
}

/* A one-run ledger that is there already belongs to an earlier run over, perhaps, the same data:
 * two runs cost twice, and a fresh ledger would hide it. */
static sbl_status check_one_run_ledger(const sbl_publish_request *request, sbl_error *err)
{
    sbl_text path = {0};
    struct stat facts;
    sbl_status status = SBL_OK;
    sbl_text_printf(&path, "%s.ledger", ledger_stem(request));
    if (path.failed)
        status = sbl_fail(err, SBL_EMEM, "out of memory");
    else if (lstat(path.data, &facts) == 0)
        status = sbl_fail(err, SBL_EIO,
                          "%s records an earlier release: choose another output name, or give both "
                          "runs one ledger with --ledger",
                          path.data);
    sbl_text_clear(&path);
    return status;
}

/* What the release will cost, before it is asked for: all of it is public. */
static sbl_status planned_charge(sbl_charge *charge, const uint64_t *multipliers,
                                 const sbl_layout *layout, const sbl_publish_request *request,
                                 sbl_error *err)
{
    const size_t count = sbl_layout_noisy_blocks(layout);
    const sbl_mechanism mechanism = mechanism_of(request);
    sbl_u128 joint;
    sbl_status status = SBL_OK;
    sbl_sensitivity *sensitivities = sbl_alloc_array(count, sizeof *sensitivities);
    if (sensitivities == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    SBL_TRY(sbl_layout_sensitivities(sensitivities, layout, mechanism, request->neighbours, err));
    SBL_TRY(sbl_joint_sensitivity(&joint, mechanism, request->neighbours, sensitivities,
                                  multipliers, count, err));
    SBL_TRY(sbl_charge_from_joint(charge, mechanism, joint, sbl_layout_noisy_values(layout), err));
done:
    sbl_free(sensitivities);
    return status;
}

/* The ledger decides again, under its lock, when it is charged. */
static sbl_status check_ledger(const uint64_t *multipliers, const sbl_layout *layout,
                               const sbl_publish_request *request, sbl_error *err)
{
    sbl_ledger_view ledger = {0};
    sbl_charge charge;
    sbl_error reason;
    sbl_status status = SBL_OK;
    if (request->ledger_path == NULL) return check_one_run_ledger(request, err);
    SBL_TRY(sbl_ledger_read(&ledger, request->ledger_path, err));
    if (ledger.facts.neighbours != request->neighbours) {
        status = sbl_fail(err, SBL_EINPUT, "ledger %s is for %s neighbours, not %s",
                          request->ledger_path, sbl_neighbours_name(ledger.facts.neighbours),
                          sbl_neighbours_name(request->neighbours));
        goto done;
    }
    sbl_totals totals = ledger.totals;
    SBL_TRY(planned_charge(&charge, multipliers, layout, request, err));
    SBL_TRY(sbl_charge_add(&totals.charge, &charge, err));
    totals.releases++;
    if (mechanism_of(request) == SBL_DISCRETE_GAUSSIAN) totals.gaussian_releases++;
    status = sbl_budget_check(&ledger.facts.budget, &totals, &reason);
    if (status != SBL_OK)
        status = sbl_fail(err, status, "ledger %s: %s", request->ledger_path, reason.message);
done:
    sbl_ledger_view_clear(&ledger);
    return status;
}

static sbl_status check_files(const sbl_publish_request *request, sbl_error *err)
{
    sbl_text own_ledger = {0};
    sbl_text_printf(&own_ledger, "%s.ledger", ledger_stem(request));
    if (own_ledger.failed) return sbl_fail(err, SBL_EMEM, "out of memory");
    const sbl_named_path paths[] = {
        {"the release", request->release_path, true},
        {"the certificate", request->certificate_path, true},
        {"the ledger", request->ledger_path != NULL ? request->ledger_path : own_ledger.data,
         false},
    };
    sbl_status status = sbl_check_targets(paths, 3, err);
    sbl_text_clear(&own_ledger);
    if (status == SBL_OK)
        status = sbl_file_check_target(request->release_path, request->overwrite, err);
    if (status == SBL_OK)
        status = sbl_file_check_target(request->certificate_path, request->overwrite, err);
    return status;
}

sbl_status sbl_publish_check(const sbl_layout *layout, const sbl_publish_request *request,
                             sbl_error *err)
{
    uint64_t *multipliers = sbl_alloc_array(sbl_layout_noisy_blocks(layout), sizeof *multipliers);
    sbl_status status = SBL_OK;
    if (multipliers == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    SBL_TRY(sbl_publish_multipliers(multipliers, layout, request, err));
    SBL_TRY(check_files(request, err));
    SBL_TRY(check_ledger(multipliers, layout, request, err));
done:
    sbl_free(multipliers);
    return status;
}

sbl_status sbl_publish(sbl_release **release, char **statement, sbl_sum **sum,
                       const sbl_publish_request *request, sbl_error *err)
{
    const sbl_layout *layout = sbl_sum_layout(*sum);
    const size_t count = sbl_layout_noisy_blocks(layout);
    uint64_t *multipliers = sbl_alloc_array(count, sizeof *multipliers);
    sbl_certificate_block *blocks = sbl_alloc_array(count, sizeof *blocks);
    sbl_certificate_block *first = NULL;
    sbl_text own_ledger = {0};
    sbl_status status = SBL_OK;
    *release = NULL;
    *statement = NULL;
    if (multipliers == NULL || blocks == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory");
        goto done;
    }
    /* All that can be refused is refused before a ledger is made or charged. */
    SBL_TRY(sbl_publish_check(layout, request, err));
    if (request->neighbours == SBL_REPLACE_ONE && sbl_sum_rows(*sum) == 0) {
        status = sbl_fail(err, SBL_EINPUT, "the table has no rows");
        goto done;
    }
    SBL_TRY(sbl_publish_multipliers(multipliers, layout, request, err));
    sbl_layout_describe(blocks, layout, multipliers);
    SBL_TRY(describe_first(&first, request, err));
    if (request->ledger_path == NULL)
        SBL_TRY(make_one_run_ledger(&own_ledger, request, sbl_door_is_test_build(), err));
    const char *ledger_path = request->ledger_path != NULL ? request->ledger_path : own_ledger.data;
    const sbl_door_request door = {
        .name = request->name,
        .mechanism = mechanism_of(request),
        .neighbours = request->neighbours,
        .multipliers = multipliers,
        .plan = request->plan,
        .ledger_path = ledger_path,
        .release_path = request->release_path,
        .overwrite = request->overwrite,
    };
    SBL_TRY(sbl_privatise(release, sum, &door, err));
    status = certify(statement, *release, blocks, first, ledger_path, request, err);
    if (request->can_be_trained_on)
        status = sbl_run_keeps_release(status, request->release_path, err);
done:
    sbl_sum_free(*sum);
    *sum = NULL;
    if (status != SBL_OK) {
        sbl_release_free(*release);
        *release = NULL;
    }
    sbl_text_clear(&own_ledger);
    sbl_free(first);
    sbl_free(blocks);
    sbl_free(multipliers);
    return status;
}
