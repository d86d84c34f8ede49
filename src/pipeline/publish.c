/* [5] Every release of a run goes through here: its share of the budget becomes multipliers,
 * all that can be refused is refused, the ledger is made if there is none, the door (privatise)
 * charges it and adds the noise, and the certificate is written again over all releases so far,
 * after it was checked as a verifier would. Resuming takes a release only if its file is the
 * one that the ledger committed. */
#include "pipeline/publish.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account/budget.h"
#include "base/file.h"
#include "base/memory.h"
#include "certificate/certificate.h"
#include "ledger/ledger.h"
#include "pipeline/evidence.h"
#include "pipeline/health.h"
#include "pipeline/ledger_place.h"
#include "privatise/privatise.h"
#include "semblance/files.h"

/* Later rounds are not planned yet when the first spends its share: each may draw so many integers
 * of noise, and the allowance for their precision is taken off the whole budget beforehand. */
#define DRAWS_OF_A_ROUND (UINT64_C(1) << 28)

struct sbl_publish {
    sbl_publish_facts facts;
    sbl_ledger_choice book;            /* that is charged */
    bool made_ledger;                  /* for this run */
    sbl_ledger_view ledger;            /* as it was after the last release */
    double *shares;                    /* once they were planned anew; facts point here */
    sbl_certificate_release *releases; /* (count); blocks are the releases' own */
    sbl_described *described;          /* (count): what their plans say */
    size_t count;
    sbl_certified_health *health; /* (health_count) */
    size_t health_count;
    char *certificate;
};

static bool rows_are_public(const sbl_publish_facts *facts, const sbl_layout *layout)
{
    return sbl_rows_are_public(facts->neighbours, layout->rows_per_unit);
}

static sbl_mechanism mechanism_of(const sbl_publish_facts *facts)
{
    return facts->delta == 0.0 ? SBL_DISCRETE_LAPLACE : SBL_DISCRETE_GAUSSIAN;
}

void sbl_publish_release_path(sbl_text *path, const char *release_path, size_t round)
{
    sbl_text_printf(path, "%s", release_path);
    if (round > 1) sbl_text_printf(path, ".%zu", round);
}

/* ---- what a release costs ---- */

static sbl_status check_guarantee(const sbl_publish_facts *facts, uint64_t n, sbl_error *err)
{
    if (!(facts->epsilon > 0.0) || !isfinite(facts->epsilon))
        return sbl_fail(err, SBL_EARG, "epsilon must be a positive, finite number");
    return sbl_delta_check(facts->delta, n, err);
}

sbl_status sbl_publish_multipliers(uint64_t *multipliers, const sbl_layout *layout,
                                   const double *weights, double share,
                                   const sbl_publish_facts *facts, sbl_error *err)
{
    const size_t count = sbl_layout_noisy_blocks(layout);
    const sbl_mechanism mechanism = mechanism_of(facts);
    const uint64_t draws =
        facts->rounds > 1 ? facts->rounds * DRAWS_OF_A_ROUND : sbl_layout_noisy_values(layout);
    sbl_status status = SBL_OK;
    double amount = facts->epsilon;
    sbl_sensitivity *sensitivities = sbl_alloc_array(count, sizeof *sensitivities);
    if (sensitivities == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    SBL_TRY(check_guarantee(facts, 0, err));
    if (facts->rounds > 1 && sbl_layout_noisy_values(layout) > DRAWS_OF_A_ROUND)
        SBL_FAIL(err, SBL_EARG, "a round may release at most 2^28 numbers");
    if (mechanism == SBL_DISCRETE_GAUSSIAN)
        SBL_TRY(
            sbl_release_mu(&amount, facts->epsilon, facts->delta - facts->keys_delta, draws, err));
    /* A hair less than the share, so that all shares stay below the whole in doubles too. */
    if (share != 1.0)
        amount *= (1.0 - 1e-12) * (mechanism == SBL_DISCRETE_GAUSSIAN ? sqrt(share) : share);
    SBL_TRY(sbl_layout_sensitivities(sensitivities, layout, mechanism, facts->neighbours, err));
    SBL_TRY(sbl_choose_multipliers(multipliers, mechanism, facts->neighbours, sensitivities,
                                   weights, count, amount, err));
done:
    sbl_free(sensitivities);
    return status;
}

/* What the release will cost, before it is asked for: all of it is public. */
static sbl_status planned_charge(sbl_charge *charge, const uint64_t *multipliers,
                                 const sbl_layout *layout, const sbl_publish_facts *facts,
                                 sbl_error *err)
{
    const size_t count = sbl_layout_noisy_blocks(layout);
    const sbl_mechanism mechanism = mechanism_of(facts);
    sbl_u128 joint;
    sbl_status status = SBL_OK;
    sbl_sensitivity *sensitivities = sbl_alloc_array(count, sizeof *sensitivities);
    if (sensitivities == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    SBL_TRY(sbl_layout_sensitivities(sensitivities, layout, mechanism, facts->neighbours, err));
    SBL_TRY(sbl_joint_sensitivity(&joint, mechanism, facts->neighbours, sensitivities, multipliers,
                                  count, err));
    SBL_TRY(sbl_charge_from_joint(charge, mechanism, joint, sbl_layout_noisy_values(layout), err));
    charge->delta = sbl_layout_extra_delta(layout, facts->neighbours);
done:
    sbl_free(sensitivities);
    return status;
}

/* ---- the ledger ---- */

/* `rows` of a person count in this run; 0: its unit is one row. */
static sbl_status refuse_unit(const char *path, const sbl_ledger_facts *ledger, uint64_t rows,
                              sbl_error *err)
{
    char theirs[64] = "";
    char ours[80] = "no schema names a unit here";
    if (ledger->by_person)
        (void)snprintf(theirs, sizeof theirs, ", up to %llu of its rows counting",
                       (unsigned long long)ledger->rows_per_unit);
    if (rows != 0)
        (void)snprintf(ours, sizeof ours, "by the schema at most %llu rows of a person count",
                       (unsigned long long)rows);
    return sbl_fail_hint(
        err, SBL_EINPUT, SBL_HINT_LEDGER_UNIT, NULL,
        "ledger %s adds up what a %s costs%s, and %s: each unit has a ledger of its own", path,
        ledger->by_person ? "person" : "row", theirs, ours);
}

/* Has the ledger room for a release that costs as the first one does with the whole budget? The
 * ledger decides again, under its lock, when it is charged. */
static sbl_status check_ledger(const sbl_publish *publish, const uint64_t *multipliers,
                               const sbl_layout *layout, sbl_error *err)
{
    const sbl_publish_facts *facts = &publish->facts;
    const char *path = publish->book.path.data;
    sbl_ledger_view ledger = {0};
    sbl_charge charge;
    sbl_error reason;
    sbl_status status = SBL_OK;
    if (!publish->book.is_there) return sbl_file_check_target(path, false, err);
    SBL_TRY(sbl_ledger_read(&ledger, path, err));
    if (access(path, W_OK) != 0) {
        status = sbl_fail_errno(err, "write to ledger", path, errno);
        goto done;
    }
    if (ledger.facts.neighbours != facts->neighbours) {
        status =
            sbl_fail(err, SBL_EINPUT,
                     "ledger %s is for %s neighbours, not %s: what one data set costs is added "
                     "up under one relation",
                     path, sbl_neighbours_name(ledger.facts.neighbours),
                     sbl_neighbours_name(facts->neighbours));
        goto done;
    }
    if ((ledger.facts.by_person ? ledger.facts.rows_per_unit : 0) != layout->rows_per_unit) {
        status = refuse_unit(path, &ledger.facts, layout->rows_per_unit, err);
        goto done;
    }
    if (ledger.torn)
        SBL_FAIL(err, SBL_EBUDGET,
                 "ledger %s: its last line is torn, so that all of its budget counts as "
                 "spent until a repair records its cost",
                 path);
    sbl_totals totals = ledger.totals;
    SBL_TRY(planned_charge(&charge, multipliers, layout, facts, err));
    SBL_TRY(sbl_charge_add(&totals.charge, &charge, err));
    totals.releases++;
    if (mechanism_of(facts) == SBL_DISCRETE_GAUSSIAN) totals.gaussian_releases++;
    status = sbl_budget_check(&ledger.budget, &totals, &reason);
    if (status != SBL_OK) status = sbl_fail(err, status, "ledger %s: %s", path, reason.message);
done:
    sbl_ledger_view_clear(&ledger);
    return status;
}

/* ---- a run ---- */

static sbl_status check_files(const sbl_publish *publish, size_t first_round, sbl_error *err)
{
    const sbl_publish_facts *facts = &publish->facts;
    sbl_status status = SBL_OK;
    for (size_t round = first_round; status == SBL_OK && round <= facts->rounds; round++) {
        sbl_text path = {0};
        sbl_publish_release_path(&path, facts->release_path, round);
        const sbl_named_file paths[] = {
            {"the input", facts->input, false},
            {"a release", path.data, true},
            {"the certificate", facts->certificate_path, true},
            {"the ledger", publish->book.path.data, false},
        };
        status = path.failed ? sbl_fail(err, SBL_EMEM, "out of memory for a file name")
                             : sbl_files_check(paths, sizeof paths / sizeof paths[0], err);
        if (status == SBL_OK) status = sbl_file_check_target(path.data, facts->overwrite, err);
        sbl_text_clear(&path);
    }
    if (status == SBL_OK && first_round == 1)
        status = sbl_file_check_target(facts->certificate_path, facts->overwrite, err);
    return status;
}

/* Shares are fixed before the first record is read, and add up to the budget at most. */
static sbl_status check_shares(const sbl_publish_facts *facts, sbl_error *err)
{
    double total = 0.0;
    bool good = facts->rounds >= 1 && (facts->shares != NULL || facts->rounds == 1);
    for (size_t i = 0; good && facts->shares != NULL && i < facts->rounds; i++) {
        good = facts->shares[i] > 0.0;
        total += facts->shares[i];
    }
    return good && total <= 1.0 + 1e-12
               ? SBL_OK
               : sbl_fail(err, SBL_EINTERNAL, "the shares of a run do not fit its budget");
}

static sbl_status new_run(sbl_publish **publish, const sbl_publish_facts *facts, sbl_error *err)
{
    const sbl_status status = check_shares(facts, err);
    *publish = NULL;
    if (status != SBL_OK) return status;
    sbl_publish *made = sbl_alloc_array(1, sizeof *made);
    *publish = made;
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    made->facts = *facts;
    made->releases = sbl_alloc_array(facts->rounds, sizeof *made->releases);
    made->described = sbl_alloc_array(facts->rounds, sizeof *made->described);
    if (made->releases == NULL || made->described == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory");
    return sbl_ledger_choose(&made->book, facts->ledger_path, facts->input, facts->release_path,
                             err);
}

/* What the whole budget buys for the first release: refused here, it would be refused later. */
static sbl_status check_budget(const sbl_publish *publish, const sbl_layout *layout,
                               const double *weights, double share, sbl_error *err)
{
    uint64_t *multipliers = sbl_alloc_array(sbl_layout_noisy_blocks(layout), sizeof *multipliers);
    sbl_status status = SBL_OK;
    if (multipliers == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    SBL_TRY(sbl_publish_multipliers(multipliers, layout, weights, 1.0, &publish->facts, err));
    SBL_TRY(check_ledger(publish, multipliers, layout, err));
    SBL_TRY(sbl_publish_multipliers(multipliers, layout, weights, share, &publish->facts, err));
done:
    sbl_free(multipliers);
    return status;
}

sbl_status sbl_publish_open(sbl_publish **publish, const sbl_publish_facts *facts,
                            const sbl_layout *layout, const double *weights, double share,
                            uint64_t n, sbl_error *err)
{
    sbl_publish *made = NULL;
    sbl_status status = SBL_OK;
    *publish = NULL;
    SBL_TRY(check_guarantee(facts, rows_are_public(facts, layout) ? n : 0, err));
    SBL_TRY(new_run(&made, facts, err));
    SBL_TRY(check_files(made, 1, err));
    SBL_TRY(check_budget(made, layout, weights, share, err));
    *publish = made;
    made = NULL;
done:
    sbl_publish_close(made);
    return status;
}

void sbl_publish_close(sbl_publish *publish)
{
    if (publish == NULL) return;
    sbl_text_clear(&publish->book.path);
    sbl_ledger_view_clear(&publish->ledger);
    for (size_t r = 0; r < publish->count; r++) sbl_described_clear(&publish->described[r]);
    sbl_free(publish->described);
    sbl_free(publish->releases);
    sbl_free(publish->shares);
    sbl_free(publish->health);
    sbl_free(publish->certificate);
    sbl_free(publish);
}

/* ---- the certificate ---- */

/* The delta at which the totals are stated: the ledger's, where it sets a limit at it; else this
 * run's; else, where a pure run has Gaussian ones beside it, the ledger's; 0 for pure totals. */
static double stated_delta(const sbl_publish *publish)
{
    const sbl_ledger_view *ledger = &publish->ledger;
    const sbl_charge *spent = &ledger->totals.charge;
    const double own = publish->facts.delta;
    double delta = 0.0;
    if (spent->mu2 == 0 && spent->delta == 0) return 0.0;
    (void)sbl_text_to_double(&delta, ledger->budget.delta);
    return own == 0.0 || sbl_budget_has_limit(&ledger->budget) ? delta : own;
}

/* Where the schema's bounds and categories came from, as its file says. */
static const char *origin_of(const sbl_publish *publish)
{
    const sbl_facts *facts = publish->facts.facts;
    const sbl_schema *schema = facts != NULL ? facts->declared : NULL;
    return schema != NULL && schema->origin != NULL ? schema->origin : "declared";
}

/* Of all releases so far, and of the ledger as it was after the last of them. What is published is
 * what a verifier would accept, or it is not published. */
static sbl_status certify(sbl_publish *publish, char **statement, const sbl_certified_file *files,
                          size_t file_count, sbl_error *err)
{
    const sbl_publish_facts *run = &publish->facts;
    /* From the second time on the file is our own. */
    const sbl_file_write_options as_public = {
        .mode = 0644, .overwrite = run->overwrite || publish->certificate != NULL};
    const char *schema = publish->described[publish->count - 1].schema;
    const sbl_certificate_facts facts = {
        .title = run->title,
        .by = run->by,
        .schema = schema[0] != '\0' ? schema : NULL,
        .origin = origin_of(publish),
        .ledger = &publish->ledger,
        .ledger_covers_run_only = publish->book.fell_back && publish->made_ledger,
        .data = run->data,
        .delta = stated_delta(publish),
        .releases = publish->releases,
        .release_count = publish->count,
        .method = run->method,
        .files = files,
        .file_count = file_count,
        .health = publish->health,
        .health_count = publish->health_count,
        .also_public = run->also_public,
        .also_public_count = run->also_public_count,
    };
    char *text = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_certificate_write(&text, &facts, err));
    SBL_TRY(sbl_certificate_check(statement, text, strlen(text), &publish->ledger,
                                  "the new certificate", err));
    SBL_TRY(sbl_file_write(run->certificate_path, text, strlen(text), as_public, err));
    sbl_free(publish->certificate);
    publish->certificate = text;
    text = NULL;
done:
    sbl_free(text);
    return status;
}

/* After a release: the ledger is looked at again. */
static sbl_status certify_release(sbl_publish *publish, sbl_error *err)
{
    sbl_ledger_view_clear(&publish->ledger);
    const sbl_status status = sbl_ledger_read(&publish->ledger, publish->book.path.data, err);
    return status == SBL_OK ? certify(publish, NULL, NULL, 0, err) : status;
}

static sbl_status list_release(sbl_publish *publish, const sbl_release *release, sbl_error *err)
{
    sbl_described *described = &publish->described[publish->count];
    const sbl_status status = sbl_describe_release(described, release, err);
    if (status != SBL_OK) return status;
    publish->releases[publish->count++] =
        (sbl_certificate_release){.seq = release->seq,
                                  .classes = release->classes,
                                  .blocks = release->blocks,
                                  .block_count = release->block_count,
                                  .of = (const char *const *)described->of};
    /* The first release of the method holds it, which is not the first where a schema is discovered. */
    return publish->health_count == 0 ? sbl_health_read(&publish->health, &publish->health_count,
                                                        release, publish->facts.facts, err)
                                      : SBL_OK;
}

/* ---- a round ---- */

void sbl_gathered_clear(sbl_gathered *gathered)
{
    sbl_sum_free(gathered->sum);
    sbl_key_tally_free(gathered->tally);
    *gathered = (sbl_gathered){0};
}

static const sbl_layout *layout_of(const sbl_gathered *from)
{
    return from->sum != NULL ? sbl_sum_layout(from->sum) : sbl_key_tally_layout_of(from->tally);
}

static sbl_status pass_door(sbl_publish *publish, sbl_release **release, sbl_gathered *from,
                            const sbl_plan *plan, const uint64_t *multipliers, sbl_error *err)
{
    const sbl_publish_facts *facts = &publish->facts;
    char name[SBL_LEDGER_NAME_SIZE];
    sbl_text path = {0};
    sbl_status status = SBL_OK;
    (void)snprintf(name, sizeof name, facts->rounds > 1 ? "%.40s.%zu" : "%.40s", facts->method,
                   plan->round);
    sbl_publish_release_path(&path, facts->release_path, plan->round);
    if (path.failed) SBL_FAIL(err, SBL_EMEM, "out of memory for a file name");
    const sbl_door_request door = {
        .name = name,
        .mechanism = mechanism_of(facts),
        .neighbours = facts->neighbours,
        .multipliers = multipliers,
        .plan = plan->text,
        .ledger_path = publish->book.path.data,
        .release_path = path.data,
        .overwrite = facts->overwrite,
    };
    if (!publish->book.is_there) {
        SBL_TRY(sbl_ledger_make_unlimited(publish->book.path.data, facts->neighbours,
                                          layout_of(from)->rows_per_unit, facts->delta,
                                          sbl_door_is_test_build(), err));
        publish->made_ledger = true;
        publish->book.is_there = true;
    }
    status = from->sum != NULL ? sbl_privatise(release, &from->sum, &door, err)
                               : sbl_privatise_keys(release, &from->tally, &door, err);
done:
    sbl_text_clear(&path);
    return status;
}

static sbl_status check_round(const sbl_publish *publish, const sbl_gathered *from,
                              const sbl_plan *plan, sbl_error *err)
{
    const sbl_publish_facts *facts = &publish->facts;
    const bool public_n = rows_are_public(facts, layout_of(from));
    const uint64_t rows =
        from->sum != NULL ? sbl_sum_rows(from->sum) : sbl_key_tally_rows(from->tally);
    if (plan->round != publish->count + 1 || plan->round > facts->rounds)
        return sbl_fail(err, SBL_EINTERNAL, "round %zu does not follow round %zu of %zu",
                        plan->round, publish->count, facts->rounds);
    const double most = facts->shares != NULL ? facts->shares[publish->count] : 1.0;
    if (!(plan->share > 0.0 && plan->share <= most))
        return sbl_fail(err, SBL_EINTERNAL, "round %zu would spend more than its share",
                        plan->round);
    if (public_n && rows == 0)
        return sbl_fail(
            err, SBL_EINPUT, "%s",
            facts->data == SBL_DATA_IMAGES ? "the set holds no images" : "the table has no rows");
    return check_guarantee(facts, public_n ? rows : 0, err);
}

/* A release of keys stays within the delta that was kept for them. */
static sbl_status check_keys(const sbl_publish *publish, const sbl_layout *layout, sbl_error *err)
{
    sbl_u128 most;
    const sbl_status status = sbl_fixed96_from_double_down(&most, publish->facts.keys_delta, err);
    if (status != SBL_OK) return status;
    return sbl_layout_extra_delta(layout, publish->facts.neighbours) <= most
               ? SBL_OK
               : sbl_fail(err, SBL_EINTERNAL, "a release would add more to delta than was kept");
}

sbl_status sbl_publish_next(sbl_publish *publish, sbl_release **release, sbl_gathered *gathered,
                            const sbl_plan *plan, const double *weights, sbl_error *err)
{
    const sbl_layout *layout = layout_of(gathered);
    uint64_t *multipliers = NULL;
    sbl_status status = SBL_OK;
    *release = NULL;
    SBL_ALLOC(multipliers, sbl_layout_noisy_blocks(layout), "a release");
    /* All that can be refused is refused before a ledger is made or charged. */
    SBL_TRY(check_round(publish, gathered, plan, err));
    SBL_TRY(check_keys(publish, layout, err));
    SBL_TRY(
        sbl_publish_multipliers(multipliers, layout, weights, plan->share, &publish->facts, err));
    SBL_TRY(check_ledger(publish, multipliers, layout, err));
    SBL_TRY(pass_door(publish, release, gathered, plan, multipliers, err));
    SBL_TRY(list_release(publish, *release, err));
    SBL_TRY(certify_release(publish, err));
done:
    sbl_free(multipliers);
    sbl_gathered_clear(gathered);
    return status;
}

sbl_status sbl_publish_replan(sbl_publish *publish, const sbl_publish_rest *rest, sbl_error *err)
{
    sbl_publish_facts facts = publish->facts;
    double *shares = sbl_alloc_array(rest->rounds, sizeof *shares);
    sbl_certificate_release *releases = sbl_alloc_array(rest->rounds, sizeof *releases);
    sbl_described *described = sbl_alloc_array(rest->rounds, sizeof *described);
    bool kept = rest->rounds >= publish->count;
    sbl_status status = SBL_OK;
    if (shares == NULL || releases == NULL || described == NULL)
        SBL_FAIL(err, SBL_EMEM, "out of memory");
    for (size_t i = 0; kept && i < publish->count; i++)
        kept = rest->shares[i] == publish->facts.shares[i];
    if (!kept) SBL_FAIL(err, SBL_EINTERNAL, "what was spent cannot be planned anew");
    memcpy(shares, rest->shares, rest->rounds * sizeof *shares);
    memcpy(releases, publish->releases, publish->count * sizeof *releases);
    memcpy(described, publish->described, publish->count * sizeof *described);
    facts.method = rest->method;
    facts.rounds = rest->rounds;
    facts.shares = shares;
    facts.also_public = rest->also_public;
    facts.also_public_count = rest->also_public_count;
    SBL_TRY(check_shares(&facts, err));
    sbl_free(publish->shares);
    sbl_free(publish->releases);
    sbl_free(publish->described);
    publish->facts = facts;
    publish->shares = shares;
    publish->releases = releases;
    publish->described = described;
    shares = NULL;
    releases = NULL;
    described = NULL;
    SBL_TRY(check_files(publish, publish->count + 1, err));
done:
    sbl_free(shares);
    sbl_free(releases);
    sbl_free(described);
    return status;
}

/* ---- the end ---- */

sbl_status sbl_publish_finish(sbl_publish *publish, char **statement, const char *model_path,
                              const char *const *outputs, size_t output_count, sbl_error *err)
{
    sbl_certified_file *files = sbl_alloc_array(output_count + 1, sizeof *files);
    size_t count = 0;
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    if (files == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    if (model_path != NULL) {
        files[count].is_model = true;
        SBL_TRY(sbl_file_sha256(files[count++].hash, model_path, err));
    }
    for (size_t i = 0; i < output_count; i++)
        SBL_TRY(sbl_file_sha256(files[count++].hash, outputs[i], err));
    SBL_TRY(certify(publish, statement, files, count, err));
done:
    sbl_free(files);
    return status;
}

/* ---- going on ---- */

/* Is the release one of the ledger's, and its file the one that was committed? */
static sbl_status check_committed(const sbl_ledger_view *ledger, const sbl_release *release,
                                  const char *path, sbl_error *err)
{
    char hash[SBL_SHA256_TEXT_SIZE];
    char committed[SBL_SHA256_TEXT_SIZE];
    const sbl_status status = sbl_file_sha256(hash, path, err);
    if (status != SBL_OK) return status;
    for (size_t i = 0; i < ledger->line_count; i++) {
        const sbl_ledger_line *line = &ledger->lines[i];
        if (line->op != SBL_LEDGER_COMMIT || strcmp(line->rid, release->rid) != 0) continue;
        (void)sbl_hex_encode(committed, line->release_hash, sizeof line->release_hash);
        if (strcmp(committed, hash) == 0) return SBL_OK;
    }
    return sbl_fail(err, SBL_EINPUT, "%s is not as it was committed in its ledger", path);
}

sbl_status sbl_publish_resume(sbl_publish **publish, const sbl_publish_facts *facts,
                              const sbl_release *const *releases, size_t count, sbl_error *err)
{
    sbl_publish *made = NULL;
    struct stat seen;
    sbl_status status = SBL_OK;
    *publish = NULL;
    SBL_TRY(check_guarantee(facts, 0, err));
    SBL_TRY(new_run(&made, facts, err));
    SBL_TRY(check_files(made, count + 1, err));
    SBL_TRY(sbl_ledger_read(&made->ledger, made->book.path.data, err));
    for (size_t i = 0; i < count; i++) {
        sbl_text path = {0};
        sbl_publish_release_path(&path, facts->release_path, i + 1);
        status = path.failed ? sbl_fail(err, SBL_EMEM, "out of memory for a file name")
                             : check_committed(&made->ledger, releases[i], path.data, err);
        sbl_text_clear(&path);
        if (status != SBL_OK) goto done;
        SBL_TRY(list_release(made, releases[i], err));
    }
    /* A ledger beside the release that lists nothing but this run was made for it. */
    made->made_ledger = made->book.fell_back && made->ledger.totals.releases == count;
    /* The certificate that the stopped run left is taken over. */
    made->facts.overwrite = made->facts.overwrite || stat(facts->certificate_path, &seen) == 0;
    SBL_TRY(certify(made, NULL, NULL, 0, err));
    made->facts.overwrite = facts->overwrite;
    *publish = made;
    made = NULL;
done:
    sbl_publish_close(made);
    return status;
}

const char *sbl_publish_certificate(const sbl_publish *publish) { return publish->certificate; }

const sbl_certified_health *sbl_publish_health(const sbl_publish *publish, size_t *count)
{
    *count = publish->health_count;
    return publish->health;
}

const char *sbl_publish_ledger(const sbl_publish *publish) { return publish->book.path.data; }

bool sbl_publish_fell_back(const sbl_publish *publish) { return publish->book.fell_back; }
