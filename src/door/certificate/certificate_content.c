/* SPDX-License-Identifier: Apache-2.0 */
/* Derives everything in a certificate that follows from its facts: sensitivities of blocks, charges, what
 * other releases of the ledger cost, and the guarantee. */
#include "door/certificate/certificate_content.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_fields.h"
#include "base/text.h"
#include "public/account/survival.h"

void sbl_certificate_content_clear(sbl_certificate_content *content)
{
    for (size_t r = 0; r < content->release_count; r++) {
        sbl_free(content->releases[r].blocks);
        sbl_free(content->releases[r].of);
    }
    sbl_free(content->releases);
    sbl_free(content->files);
    sbl_free(content->health);
    sbl_free(content->relations.suspects);
    sbl_free(content->own_texts);
    json_decref(content->json);
    memset(content, 0, sizeof *content);
}

/* The COMMIT, at line last or before, of what line seq reserved; NULL: there is none. */
static const sbl_ledger_line *commit_of(const sbl_ledger_view *ledger, uint64_t seq, uint64_t last)
{
    for (uint64_t i = seq; i >= 1 && i < last; i++) {
        const sbl_ledger_line *line = &ledger->lines[i];
        if (line->op == SBL_LEDGER_COMMIT && strcmp(line->rid, ledger->lines[seq - 1].rid) == 0) return line;
    }
    return NULL;
}

static sbl_status release_from_ledger(sbl_certified_release *release, const sbl_ledger_view *ledger,
                                      uint64_t last, const char *where, sbl_error *err)
{
    const sbl_ledger_line *commit = commit_of(ledger, release->seq, last);
    if (commit == NULL)
        return sbl_json_fail(where, "seq", "does not name a committed release of the ledger", err);
    const sbl_ledger_line *reserve = &ledger->lines[release->seq - 1];
    release->rid = reserve->rid;
    release->name = reserve->entry.name;
    sbl_hex_encode(release->plan, reserve->entry.plan_hash, sizeof reserve->entry.plan_hash);
    sbl_hex_encode(release->out, commit->release_hash, sizeof commit->release_hash);
    release->mechanism = reserve->entry.mechanism;
    release->joint = reserve->entry.joint;
    release->charge = reserve->entry.charge;
    return SBL_OK;
}

sbl_status sbl_certificate_from_ledger(sbl_certificate_content *content, const sbl_ledger_view *ledger,
                                       uint64_t last, const char *where, sbl_error *err)
{
    const sbl_ledger_line *end = &ledger->lines[last - 1];
    content->ledger_id = ledger->id;
    content->ledger_facts = ledger->facts;
    content->ledger_facts.budget = end->budget; /* the one in force then */
    if (content->rows_together != 0) content->ledger_facts.rows_per_unit = 1;
    content->ledger_seq = last;
    sbl_hex_encode(content->head, end->hash, sizeof end->hash);
    memcpy(content->date, end->time, sizeof content->date);
    content->totals = end->totals;
    for (size_t r = 0; r < content->release_count; r++) {
        sbl_certified_release *release = &content->releases[r];
        const sbl_status status = release_from_ledger(release, ledger, last, where, err);
        if (status != SBL_OK) return status;
        const uint64_t n = ledger->lines[release->seq - 1].entry.n;
        if (r == 0) content->n = n;
        if (n != content->n)
            return sbl_json_fail(where, "n", "is not the same for the releases of this run", err);
    }
    return SBL_OK;
}

static bool is_moments(const sbl_block *block) { return sbl_block_is_moments(block); }

/* Rows of one person that count; 0: a row is a person. */
static uint64_t rows_per_unit(const sbl_ledger_facts *facts)
{
    return facts->by_person ? facts->rows_per_unit : 0;
}

/* How many coordinates these moments were formed of; 0: no number gives this width. */
static uint64_t outer_of(const sbl_block *block)
{
    const uint64_t root = sbl_u128_sqrt_floor((sbl_u128)8 * block->width + 1);
    const uint64_t outer = block->kind == SBL_BLOCK_SQUARES ? block->width : (root + 1) / 2;
    const sbl_u128 pairs = (sbl_u128)outer * (outer - 1) / 2;
    if (outer > SBL_WIDTH_MAX || (block->kind == SBL_BLOCK_PRODUCTS && pairs != block->width)) return 0;
    return outer;
}

/* Blocks of one family share this name: the vector's. */
static const char *family_name(const sbl_block *block)
{
    return is_moments(block) ? block->source : block->name;
}

/* Gives the blocks from which moments were formed, and these, their family; returns the largest
 * number of coordinates in it, for moments. */
static uint64_t join_family(sbl_certified_release *release, size_t moments)
{
    const char *name = release->blocks[moments].source;
    uint64_t outer = 0;
    for (size_t b = 0; b < release->block_count; b++) {
        sbl_block *block = &release->blocks[b];
        if (strcmp(family_name(block), name) != 0) continue;
        if (is_moments(block) && outer_of(block) > outer) outer = outer_of(block);
        block->sensitivity.family = moments + 1;
    }
    return outer;
}

/* What the enforced bounds allow one record to move, in the cases that exclude each other
 * (docs/mechanisms/joint-release.md). */
static sbl_sensitivity sensitivity_of(const sbl_block *block, sbl_mechanism mechanism)
{
    const bool pure = mechanism == SBL_DISCRETE_LAPLACE;
    const uint64_t bound = pure ? block->bound1 : block->bound2;
    const bool near = pure || block->nonnegative || block->pairwise;
    const uint64_t any_two = (near ? 2 : 4) * bound;
    if (strcmp(block->name, SBL_COUNTS_BLOCK) == 0)
        return (sbl_sensitivity){.label_change = 2, .one_record = 1};
    if (block->kind == SBL_BLOCK_PERSONS)
        return (sbl_sensitivity){.same_label = 2, .label_change = 2, .one_record = 1, .of_person = true};
    return (sbl_sensitivity){
        .same_label = any_two, .label_change = block->per_class ? 2 * bound : any_two, .one_record = bound};
}

/* What of a block of squares or products does not agree with the others, or NULL. */
static const char *wrong_moments(const sbl_certified_release *release, size_t moments)
{
    const sbl_block *block = &release->blocks[moments];
    const uint64_t norm2 = sbl_u128_sqrt_floor(block->bound2);
    if (norm2 * norm2 != block->bound2) return "bound2";
    if (outer_of(block) == 0) return "width";
    if (strcmp(block->source, SBL_COUNTS_BLOCK) == 0 || strcmp(block->name, SBL_COUNTS_BLOCK) == 0)
        return "source";
    for (size_t b = 0; b < release->block_count; b++) {
        const sbl_block *other = &release->blocks[b];
        if (b == moments || strcmp(family_name(other), block->source) != 0) continue;
        if (other->kind == block->kind) return "source";
        if (other->per_class != block->per_class) return "columns";
        if (release->mechanism == SBL_DISCRETE_GAUSSIAN &&
            other->bound2 != (is_moments(other) ? block->bound2 : norm2))
            return "bound2";
    }
    return NULL;
}

/* For a block of keys, the delta of its release: a category may not have been declared, so which keys exist is
 * only protected up to a delta. That delta is for one row (docs/mechanisms/discover.md). */
static const char *wrong_keys(const sbl_certified_release *release, const sbl_block *block,
                              const sbl_ledger_facts *facts)
{
    if (facts->by_person || release->mechanism != SBL_DISCRETE_GAUSSIAN || release->block_count != 1 ||
        block->per_class || strcmp(block->name, SBL_COUNTS_BLOCK) == 0)
        return "survival_bits";
    if (block->width > SBL_KEYS_MOST) return "width";
    if (block->multiplier == 0) return "multiplier";
    return block->bound2 == 0 || block->bound2 > SBL_KEYS_MOST ? "bound2" : NULL;
}

/* A person is a 1 in one of k places. That is why the sensitivity is known without bounds. */
static const char *wrong_persons(const sbl_block *block, const sbl_ledger_facts *facts)
{
    return block->bound1 != 1 || block->bound2 != 1 || block->per_class || !block->nonnegative ||
                   block->width != rows_per_unit(facts)
               ? "persons"
               : NULL;
}

static const char *wrong_block(const sbl_certified_release *release, size_t b, const sbl_ledger_facts *facts)
{
    const sbl_block *block = &release->blocks[b];
    const bool pure = release->mechanism == SBL_DISCRETE_LAPLACE && !is_moments(block);
    const uint64_t bound = pure ? block->bound1 : block->bound2;
    if (block->survival_bits != 0) return wrong_keys(release, block, facts);
    if (block->width == 0) return "width";
    if (block->multiplier == 0) return "multiplier";
    if (bound == 0 || bound > (pure ? SBL_BOUND1_MAX : SBL_BOUND2_MAX)) return pure ? "bound1" : "bound2";
    if (is_moments(block)) return wrong_moments(release, b);
    if (block->kind == SBL_BLOCK_PERSONS) return wrong_persons(block, facts);
    /* Counts: one bin of one row holds 1. That is why their sensitivity is known without bounds. */
    if (strcmp(block->name, SBL_COUNTS_BLOCK) == 0 && (bound != 1 || block->per_class || !block->nonnegative))
        return "counts";
    return NULL;
}

/* Of every block, alone and in its family. */
static void derive_sensitivities(sbl_certified_release *release)
{
    for (size_t b = 0; b < release->block_count; b++) {
        sbl_block *block = &release->blocks[b];
        if (!is_moments(block)) block->sensitivity = sensitivity_of(block, release->mechanism);
    }
    for (size_t b = 0; b < release->block_count; b++) {
        sbl_block *block = &release->blocks[b];
        if (!is_moments(block)) continue;
        const uint64_t outer = join_family(release, b);
        const size_t family = block->sensitivity.family;
        block->sensitivity = sbl_moments_sensitivity(
            release->mechanism, block->kind, sbl_u128_sqrt_floor(block->bound2), outer, block->per_class);
        block->sensitivity.family = family;
    }
}

/* What a block of keys adds: a delta, and draws for as many keys as there can be. */
static void derive_keys(sbl_certified_release *release, sbl_neighbours neighbours)
{
    const sbl_block *first = &release->blocks[0];
    release->delta = 0;
    release->draws = release->values;
    if (first->survival_bits == 0) return;
    release->draws = SBL_KEYS_MOST;
    release->delta = sbl_survival_delta(first->survival_bits, first->bound2, neighbours);
}

static sbl_status derive_blocks(sbl_certified_release *release, const sbl_ledger_facts *facts,
                                sbl_sensitivity *sensitivities, uint64_t *multipliers, const char *where,
                                sbl_error *err)
{
    sbl_status status = SBL_OK;
    release->values = 0;
    for (size_t b = 0; b < release->block_count; b++) {
        const sbl_block *block = &release->blocks[b];
        uint64_t values;
        const char *wrong = wrong_block(release, b, facts);
        if (wrong != NULL) return sbl_json_fail(where, wrong, "is out of range", err);
        const uint64_t columns = sbl_block_columns(block, release->classes);
        if (__builtin_mul_overflow(block->width, columns, &values) ||
            __builtin_add_overflow(release->values, values, &release->values))
            return sbl_json_fail(where, "width", "is out of range", err);
    }
    derive_sensitivities(release);
    for (size_t b = 0; b < release->block_count; b++) {
        release->blocks[b].sensitivity.rows_per_unit = rows_per_unit(facts);
        sensitivities[b] = release->blocks[b].sensitivity;
        multipliers[b] = release->blocks[b].multiplier;
    }
    derive_keys(release, facts->neighbours);
    status = sbl_joint_sensitivity(&release->joint, release->mechanism, facts->neighbours, sensitivities,
                                   multipliers, release->block_count, NULL);
    if (status != SBL_OK) return sbl_json_fail(where, "multiplier", "is out of range", err);
    return SBL_OK;
}

static sbl_status derive_release(sbl_certified_release *release, const sbl_ledger_facts *facts,
                                 const char *where, sbl_error *err)
{
    sbl_status status = SBL_OK;
    uint64_t *multipliers = NULL;
    sbl_sensitivity *sensitivities = NULL;
    SBL_ALLOC(multipliers, release->block_count, where);
    SBL_ALLOC(sensitivities, release->block_count, where);
    SBL_TRY(derive_blocks(release, facts, sensitivities, multipliers, where, err));
    SBL_TRY(sbl_charge_from_joint(&release->charge, release->mechanism, release->joint, release->draws, err));
    release->charge.delta = release->delta;
done:
    sbl_free(sensitivities);
    sbl_free(multipliers);
    return status;
}

/* True if no field of `part` exceeds that of the whole. */
static bool covers(const sbl_totals *whole, const sbl_totals *part)
{
    return whole->charge.mu2 >= part->charge.mu2 && whole->charge.eps0 >= part->charge.eps0 &&
           whole->charge.delta >= part->charge.delta && whole->charge.draws >= part->charge.draws &&
           whole->releases >= part->releases && whole->gaussian_releases >= part->gaussian_releases;
}

static void take_away(sbl_totals *whole, const sbl_totals *part)
{
    whole->charge.mu2 -= part->charge.mu2;
    whole->charge.eps0 -= part->charge.eps0;
    whole->charge.delta -= part->charge.delta;
    whole->charge.draws -= part->charge.draws;
    whole->releases -= part->releases;
    whole->gaussian_releases -= part->gaussian_releases;
}

/* others = totals - the releases of this run, and own = totals - others: as each release is covered
 * by what is left of the totals, their sum cannot exceed what was read, nor overflow. */
static sbl_status derive_others(sbl_certificate_content *content, const char *where, sbl_error *err)
{
    sbl_totals *others = &content->others;
    *others = content->totals;
    for (size_t r = 0; r < content->release_count; r++) {
        const sbl_certified_release *release = &content->releases[r];
        const sbl_totals one = {.charge = release->charge,
                                .releases = 1,
                                .gaussian_releases = release->mechanism == SBL_DISCRETE_GAUSSIAN};
        if (!covers(others, &one))
            return sbl_json_fail(where, "totals", "is less than what this run alone costs", err);
        take_away(others, &one);
    }
    content->own = content->totals;
    take_away(&content->own, others);
    const sbl_charge *left = &others->charge;
    const sbl_u128 rest = left->mu2 | left->eps0 | left->delta | left->draws | others->gaussian_releases;
    if (others->releases == 0 && rest != 0)
        return sbl_json_fail(where, "totals", "is more than what all releases cost", err);
    return SBL_OK;
}

sbl_status sbl_certificate_derive(sbl_certificate_content *content, const char *where, sbl_error *err)
{
    uint64_t before = 0;
    if (content->run_only && content->totals.releases > content->release_count)
        return sbl_json_fail(where, "scope", "is not this run only: there are other releases", err);
    for (size_t r = 0; r < content->release_count; r++) {
        sbl_certified_release *release = &content->releases[r];
        if (release->seq <= before)
            return sbl_json_fail(where, "seq", "is not above that of the release before it", err);
        before = release->seq;
        const sbl_status status = derive_release(release, &content->ledger_facts, where, err);
        if (status != SBL_OK) return status;
    }
    /* The ledger's last line is at least the COMMIT of the last release. */
    if (before >= content->ledger_seq)
        return sbl_json_fail(where, "seq", "is not that of a release before the ledger's head", err);
    return derive_others(content, where, err);
}

bool sbl_certificate_rows_are_public(const sbl_certificate_content *content)
{
    return sbl_rows_are_public(content->ledger_facts.neighbours, rows_per_unit(&content->ledger_facts));
}

const char *sbl_certificate_no_guarantee(const sbl_certificate_content *content)
{
    if (content->ledger_facts.test_key)
        return "NOT PRIVATE, made by a build for tests or benches, whose noise is known";
    if (strcmp(content->ledger_facts.budget.epsilon, "inf") == 0) return "the budget's epsilon is infinite";
    if (isinf(content->epsilon)) return "no epsilon holds at this delta";
    return NULL;
}

bool sbl_certificate_has_past(const sbl_certificate_content *content)
{
    return content->format >= SBL_CERTIFICATE_WITH_PERIODS && content->ledger_facts.past.periods > 0;
}

static double mu_of(const sbl_totals *totals)
{
    const sbl_u128 mu2 = totals->charge.mu2;
    return mu2 == 0 ? 0.0 : nextafter(sqrt(sbl_fixed96_to_double_up(mu2)), INFINITY);
}

/* For a person in the data of every period: the releases of all of them compose (docs/mechanisms/ledger.md). */
static sbl_status guarantee_periods(sbl_certificate_content *content, sbl_error *err)
{
    sbl_totals all;
    content->all_epsilon = content->all_mu = 0.0;
    if (!sbl_certificate_has_past(content)) return SBL_OK;
    SBL_CHECK(sbl_ledger_all_periods(&all, &content->ledger_facts.past, &content->totals, err));
    content->all_mu = mu_of(&all);
    return sbl_totals_epsilon(&content->all_epsilon, &all, content->delta, err);
}

sbl_status sbl_certificate_guarantee(sbl_certificate_content *content, sbl_error *err)
{
    const sbl_totals *totals = &content->totals;
    sbl_status status = sbl_budget_validate(&content->ledger_facts.budget, err);
    if (status == SBL_OK) status = sbl_totals_epsilon(&content->epsilon, totals, content->delta, err);
    if (status == SBL_OK)
        status = sbl_totals_epsilon(&content->own_epsilon, &content->own, content->delta, err);
    if (status == SBL_OK) status = guarantee_periods(content, err);
    if (status != SBL_OK) return status;
    /* The allowance that this epsilon includes was taken at a whole number above it. */
    content->allowance = sbl_discretisation_allowance(totals->charge.draws, totals->gaussian_releases,
                                                      fmax(1.0, ceil(content->epsilon)));
    content->mu = mu_of(totals);
    if (sbl_certificate_no_guarantee(content) != NULL) {
        content->epsilon = INFINITY;
        content->own_epsilon = INFINITY;
        content->mu = INFINITY;
        if (sbl_certificate_has_past(content)) content->all_epsilon = content->all_mu = INFINITY;
    }
    return SBL_OK;
}
