/* SPDX-License-Identifier: Apache-2.0 */
/* [5] Every release of a run goes through here: all that can be refused is refused, the ledger is made
 * if there is none, the door (privatise) charges it and adds the noise, and the certificate is written
 * again over all releases so far. Resuming takes a release only if it is the one that the ledger
 * committed. */
#include "run/pipeline/publish.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "door/privatise/privatise.h"
#include "run/pipeline/publish_internal.h"
#include "semblance/files.h"

static bool rows_are_public(const sbl_publish_facts *facts, const sbl_layout *layout)
{
    return sbl_rows_are_public(facts->neighbours, layout->rows_per_unit);
}

sbl_status sbl_publish_item(sbl_store_entry *item, sbl_text *name, sbl_store_entry first, size_t round,
                            sbl_error *err)
{
    sbl_text_clear(name);
    sbl_text_printf(name, "%s", first.name);
    if (round > 1) sbl_text_printf(name, ".%zu", round);
    *item = (sbl_store_entry){first.store, name->data};
    return sbl_text_check(name, "a file name", err);
}

/* ---- a run ---- */

static sbl_status check_files(const sbl_publish *publish, size_t first_round, sbl_error *err)
{
    const sbl_publish_facts *facts = &publish->facts;
    const char *ledger = sbl_store_entry_path(sbl_ledger_chosen(&publish->ledger_choice));
    sbl_text name = {0};
    sbl_store_entry release;
    sbl_status status = SBL_OK;
    for (size_t round = first_round; round <= facts->rounds; round++) {
        SBL_TRY(sbl_publish_item(&release, &name, facts->release, round, err));
        const sbl_named_file paths[] = {
            {"the input", facts->input, false},
            {"a release", sbl_store_entry_path(release), true},
            {"the certificate", sbl_store_entry_path(facts->certificate), true},
            {"the ledger", ledger, false},
        };
        SBL_TRY(sbl_files_check(paths, sizeof paths / sizeof paths[0], err));
        SBL_TRY(sbl_store_entry_check(release, facts->overwrite, err));
    }
    if (first_round == 1) SBL_TRY(sbl_store_entry_check(facts->certificate, facts->overwrite, err));
done:
    sbl_text_clear(&name);
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
    sbl_publish *made = NULL;
    sbl_status status = SBL_OK;
    *publish = NULL;
    SBL_TRY(check_shares(facts, err));
    SBL_ALLOC(made, 1, "a run");
    *publish = made;
    made->facts = *facts;
    if (facts->policy != NULL)
        SBL_TRY(sbl_policy_enforce(&made->policy, facts->policy, facts->title, facts->who, err));
    SBL_ALLOC(made->releases, facts->rounds, "a run");
    SBL_ALLOC(made->described, facts->rounds, "a run");
    SBL_TRY(sbl_publish_choose_ledger(made, err));
done:
    return status;
}

/* What the whole budget allows for the first release: refused here, it would be refused later. */
static sbl_status check_budget(sbl_publish *publish, const sbl_layout *layout, const double *weights,
                               double share, sbl_error *err)
{
    uint64_t *multipliers = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(multipliers, sbl_layout_noisy_blocks(layout), "a plan");
    SBL_TRY(sbl_publish_multipliers(multipliers, layout, weights, 1.0, &publish->facts, err));
    SBL_TRY(sbl_publish_check_ledger(publish, multipliers, layout, err));
    SBL_TRY(sbl_publish_multipliers(multipliers, layout, weights, share, &publish->facts, err));
done:
    sbl_free(multipliers);
    return status;
}

sbl_status sbl_publish_open(sbl_publish **publish, const sbl_publish_facts *facts, const sbl_layout *layout,
                            const double *weights, double share, uint64_t n, sbl_error *err)
{
    sbl_publish *made = NULL;
    sbl_status status = SBL_OK;
    *publish = NULL;
    SBL_TRY(sbl_publish_check_guarantee(facts, rows_are_public(facts, layout) ? n : 0, err));
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
    sbl_text_clear(&publish->ledger_choice.path);
    sbl_ledger_view_clear(&publish->ledger);
    for (size_t r = 0; r < publish->count; r++) sbl_described_clear(&publish->described[r]);
    sbl_free(publish->described);
    sbl_free(publish->releases);
    sbl_free(publish->shares);
    sbl_free(publish->health);
    sbl_free(publish->certificate);
    sbl_free(publish);
}

/* After a release: the ledger is looked at again. */
static sbl_status certify_release(sbl_publish *publish, sbl_error *err)
{
    sbl_ledger_view_clear(&publish->ledger);
    const sbl_status status =
        sbl_ledger_read(&publish->ledger, sbl_ledger_chosen(&publish->ledger_choice), err);
    return status == SBL_OK ? sbl_publish_certify(publish, NULL, &(sbl_certified_made){0}, err) : status;
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

/* The ledger for the first release of a data set that has none. Where another run made it first, that one is used. */
static sbl_status make_ledger(sbl_publish *publish, const uint64_t *multipliers, const sbl_layout *layout,
                              sbl_error *err)
{
    const sbl_publish_facts *facts = &publish->facts;
    sbl_ledger_choice *choice = &publish->ledger_choice;
    const sbl_data_places places = sbl_publish_places(publish);
    sbl_status status = SBL_OK;
    if (!choice->is_there) {
        status = sbl_ledger_make_unlimited(
            sbl_ledger_chosen(choice), facts->neighbours,
            facts->rows_together != 0 ? facts->rows_together : layout->rows_per_unit, facts->delta,
            sbl_door_is_test_build(), err);
        publish->made_ledger = choice->is_there = status == SBL_OK;
        if (status != SBL_OK && sbl_store_entry_exists(sbl_ledger_chosen(choice)))
            status = sbl_publish_check_ledger(publish, multipliers, layout, err);
        if (status != SBL_OK) return status;
    }
    SBL_CHECK(sbl_ledger_link(choice, &places, err));
    return status;
}

static sbl_status pass_door(sbl_publish *publish, sbl_release **release, sbl_gathered *from,
                            const sbl_plan *plan, const uint64_t *multipliers, sbl_error *err)
{
    const sbl_publish_facts *facts = &publish->facts;
    char name[SBL_LEDGER_NAME_SIZE];
    sbl_text path = {0};
    sbl_status status = SBL_OK;
    (void)snprintf(name, sizeof name, facts->rounds > 1 ? "%.40s.%zu" : "%.40s", facts->method, plan->round);
    sbl_door_request door = {
        .name = name,
        .mechanism = sbl_publish_mechanism(facts),
        .neighbours = facts->neighbours,
        .multipliers = multipliers,
        .plan = plan->text,
        .overwrite = facts->overwrite,
        .who = facts->who,
        .title = facts->title,
        .policy = &publish->policy,
    };
    SBL_TRY(sbl_publish_item(&door.release, &path, facts->release, plan->round, err));
    SBL_TRY(make_ledger(publish, multipliers, layout_of(from), err));
    door.ledger = sbl_ledger_chosen(&publish->ledger_choice);
    status = from->sum != NULL ? sbl_privatise(release, &from->sum, &door, err)
                               : sbl_privatise_keys(release, &from->tally, &door, err);
done:
    sbl_text_clear(&path);
    return status;
}

static sbl_status check_round(const sbl_publish *publish, const sbl_gathered *from, const sbl_plan *plan,
                              sbl_error *err)
{
    const sbl_publish_facts *facts = &publish->facts;
    const bool public_n = rows_are_public(facts, layout_of(from));
    const uint64_t rows = from->sum != NULL ? sbl_sum_rows(from->sum) : sbl_key_tally_rows(from->tally);
    if (plan->round != publish->count + 1 || plan->round > facts->rounds)
        return sbl_fail(err, SBL_EINTERNAL, "round %zu does not follow round %zu of %zu", plan->round,
                        publish->count, facts->rounds);
    const double most = facts->shares != NULL ? facts->shares[publish->count] : 1.0;
    if (!(plan->share > 0.0 && plan->share <= most))
        return sbl_fail(err, SBL_EINTERNAL, "round %zu would spend more than its share", plan->round);
    if (public_n && rows == 0)
        return sbl_fail(err, SBL_EINPUT, "%s%s%s", facts->input != NULL ? facts->input : "",
                        facts->input != NULL ? ": " : "",
                        facts->data == SBL_DATA_IMAGES ? "the set holds no images" : "the table has no rows");
    return sbl_publish_check_guarantee(facts, public_n ? rows : 0, err);
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
    SBL_TRY(sbl_publish_multipliers(multipliers, layout, weights, plan->share, &publish->facts, err));
    SBL_TRY(sbl_publish_check_ledger(publish, multipliers, layout, err));
    SBL_TRY(pass_door(publish, release, gathered, plan, multipliers, err));
    SBL_TRY(sbl_publish_list(publish, *release, err));
    SBL_TRY(certify_release(publish, err));
done:
    sbl_free(multipliers);
    sbl_gathered_clear(gathered);
    return status;
}

sbl_status sbl_publish_replan(sbl_publish *publish, const sbl_publish_rest *rest, sbl_error *err)
{
    sbl_publish_facts facts = publish->facts;
    double *shares = NULL;
    bool kept = rest->rounds >= publish->count;
    sbl_status status = SBL_OK;
    for (size_t i = 0; kept && i < publish->count; i++) kept = rest->shares[i] == publish->facts.shares[i];
    if (!kept) SBL_FAIL(err, SBL_EINTERNAL, "a release that was paid for cannot be planned again");
    SBL_ALLOC(shares, rest->rounds, "a run");
    SBL_RESIZE(publish->releases, rest->rounds, "a run");
    SBL_RESIZE(publish->described, rest->rounds, "a run");
    memcpy(shares, rest->shares, rest->rounds * sizeof *shares);
    facts.method = rest->method;
    facts.rounds = rest->rounds;
    facts.shares = shares;
    facts.also_public = rest->also_public;
    facts.also_public_count = rest->also_public_count;
    SBL_TRY(check_shares(&facts, err));
    sbl_free(publish->shares);
    publish->shares = shares;
    shares = NULL;
    publish->facts = facts;
    SBL_TRY(check_files(publish, publish->count + 1, err));
done:
    sbl_free(shares);
    return status;
}

/* ---- the end ---- */

/* Its name without folders, where a certificate can show it. */
static void name_file(sbl_certified_file *file, const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : path;
    if (name == NULL || strlen(name) >= sizeof file->name) return;
    for (const char *c = name; *c != '\0'; c++)
        if (*c < ' ' || *c > '~') return;
    memcpy(file->name, name, strlen(name) + 1);
}

sbl_status sbl_publish_finish(sbl_publish *publish, char **statement, const sbl_publish_made *made,
                              sbl_error *err)
{
    sbl_certified_file *files = NULL;
    size_t count = 0;
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_ALLOC(files, made->output_count + 1, "a certificate");
    if (made->model.store != NULL) {
        files[count].is_model = true;
        name_file(&files[count], sbl_store_entry_path(made->model));
        SBL_TRY(sbl_store_entry_sha256(files[count++].hash, made->model, err));
    }
    for (size_t i = 0; i < made->output_count; i++) {
        name_file(&files[count], made->outputs[i]);
        SBL_TRY(sbl_file_sha256(files[count++].hash, made->outputs[i], err));
    }
    SBL_TRY(sbl_publish_certify(publish, statement,
                                &(sbl_certified_made){files, count, made->trained_on, made->relations}, err));
done:
    sbl_free(files);
    return status;
}

/* ---- going on ---- */

/* Is the release one of the ledger's, and what is kept of it what was committed? */
static sbl_status check_committed(const sbl_ledger_view *ledger, const sbl_release *release,
                                  sbl_store_entry item, sbl_error *err)
{
    char hash[SBL_SHA256_TEXT_SIZE];
    char committed[SBL_SHA256_TEXT_SIZE];
    const sbl_status status = sbl_store_entry_sha256(hash, item, err);
    if (status != SBL_OK) return status;
    for (size_t i = 0; i < ledger->line_count; i++) {
        const sbl_ledger_line *line = &ledger->lines[i];
        if (line->op != SBL_LEDGER_COMMIT || strcmp(line->rid, release->rid) != 0) continue;
        (void)sbl_hex_encode(committed, line->release_hash, sizeof line->release_hash);
        if (strcmp(committed, hash) == 0) return SBL_OK;
    }
    return sbl_fail(err, SBL_EINPUT, "%s is not as it was committed in its ledger", item.name);
}

sbl_status sbl_publish_resume(sbl_publish **publish, const sbl_publish_facts *facts,
                              const sbl_release *const *releases, size_t count, sbl_error *err)
{
    sbl_publish *made = NULL;
    sbl_text name = {0};
    sbl_store_entry item;
    sbl_status status = SBL_OK;
    *publish = NULL;
    SBL_TRY(sbl_publish_check_guarantee(facts, 0, err));
    SBL_TRY(new_run(&made, facts, err));
    SBL_TRY(check_files(made, count + 1, err));
    SBL_TRY(sbl_ledger_read(&made->ledger, sbl_ledger_chosen(&made->ledger_choice), err));
    for (size_t i = 0; i < count; i++) {
        SBL_TRY(sbl_publish_item(&item, &name, facts->release, i + 1, err));
        SBL_TRY(check_committed(&made->ledger, releases[i], item, err));
        SBL_TRY(sbl_publish_list(made, releases[i], err));
    }
    /* A ledger beside the release that lists nothing but this run was made for it. */
    made->made_ledger = made->ledger_choice.fell_back && made->ledger.totals.releases == count;
    /* The certificate that the stopped run left is taken over. */
    made->facts.overwrite = made->facts.overwrite || sbl_store_entry_exists(facts->certificate);
    SBL_TRY(sbl_publish_certify(made, NULL, &(sbl_certified_made){0}, err));
    made->facts.overwrite = facts->overwrite;
    *publish = made;
    made = NULL;
done:
    sbl_text_clear(&name);
    sbl_publish_close(made);
    return status;
}

const char *sbl_publish_certificate(const sbl_publish *publish) { return publish->certificate; }

const sbl_certified_health *sbl_publish_health(const sbl_publish *publish, size_t *count)
{
    *count = publish->health_count;
    return publish->health;
}

const char *sbl_publish_ledger(const sbl_publish *publish) { return publish->ledger_choice.path.data; }

bool sbl_publish_fell_back(const sbl_publish *publish) { return publish->ledger_choice.fell_back; }
