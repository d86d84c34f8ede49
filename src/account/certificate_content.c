/* What follows from the facts of a certificate. */
#include "account/certificate_content.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define BOUND2_MAX (UINT64_C(1) << 60)
#define BOUND1_MAX (UINT64_C(1) << 62)
#define OUTER_MAX (UINT64_C(1) << 32)
#define RELEASES_OF_A_RUN 2 /* at most */

void sbl_certificate_content_clear(sbl_certificate_content *content)
{
    sbl_free(content->own_blocks);
    sbl_free(content->own_texts);
    memset(content, 0, sizeof *content);
}

static sbl_status fail_field(const char *where, const char *field, const char *what, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s: field '%s' %s", where, field, what);
}

sbl_status sbl_certificate_from_ledger(sbl_certificate_content *content,
                                       const sbl_ledger_view *ledger, uint64_t seq, uint64_t last,
                                       const char *where, sbl_error *err)
{
    if (seq < 1 || seq > last || !ledger->lines[seq - 1].committed)
        return fail_field(where, "seq", "does not name a committed release of the ledger", err);
    const sbl_ledger_line *reserve = &ledger->lines[seq - 1];
    const sbl_ledger_line *end = &ledger->lines[last - 1];
    content->ledger_id = ledger->id;
    content->ledger_facts = ledger->facts;
    content->ledger_seq = last;
    sbl_hex_encode(content->head, end->hash, sizeof end->hash);
    content->seq = seq;
    content->rid = reserve->rid;
    content->name = reserve->entry.name;
    sbl_hex_encode(content->plan, reserve->entry.plan_hash, sizeof reserve->entry.plan_hash);
    content->mechanism = reserve->entry.mechanism;
    content->n = reserve->entry.n;
    content->extra_delta = reserve->entry.charge.delta;
    content->joint = reserve->entry.joint;
    content->charge = reserve->entry.charge;
    content->totals = end->totals;
    return SBL_OK;
}

static bool is_moments(const sbl_certificate_block *block)
{
    return block->kind != SBL_BLOCK_VECTOR;
}

/* How many coordinates these moments were formed of; 0: no number gives this width. */
static uint64_t outer_of(const sbl_certificate_block *block)
{
    const uint64_t root = sbl_u128_sqrt_floor((sbl_u128)8 * block->width + 1);
    const uint64_t outer = block->kind == SBL_BLOCK_SQUARES ? block->width : (root + 1) / 2;
    const sbl_u128 pairs = (sbl_u128)outer * (outer - 1) / 2;
    if (outer > OUTER_MAX || (block->kind == SBL_BLOCK_PRODUCTS && pairs != block->width)) return 0;
    return outer;
}

/* Blocks of one family share this name: the vector's. */
static const char *family_name(const sbl_certificate_block *block)
{
    return is_moments(block) ? block->source : block->name;
}

/* Gives the blocks from which moments were formed, and these, their family; returns the largest
 * number of coordinates in it, for moments. */
static uint64_t join_family(sbl_certificate_content *content, size_t moments)
{
    const char *name = content->blocks[moments].source;
    uint64_t outer = 0;
    for (size_t b = 0; b < content->block_count; b++) {
        sbl_certificate_block *block = &content->blocks[b];
        if (strcmp(family_name(block), name) != 0) continue;
        if (is_moments(block) && outer_of(block) > outer) outer = outer_of(block);
        block->sensitivity.family = moments + 1;
    }
    return outer;
}

/* What the enforced bounds allow one record to move, in the cases that exclude each other
 * (docs/mechanisms/joint-release.md). */
static sbl_sensitivity sensitivity_of(const sbl_certificate_block *block, sbl_mechanism mechanism)
{
    const bool pure = mechanism == SBL_DISCRETE_LAPLACE;
    const uint64_t bound = pure ? block->bound1 : block->bound2;
    const uint64_t any_two = (pure || block->nonnegative ? 2 : 4) * bound;
    if (strcmp(block->name, "counts") == 0)
        return (sbl_sensitivity){.label_change = 2, .one_record = 1};
    return (sbl_sensitivity){.same_label = any_two,
                             .label_change = block->columns > 1 ? 2 * bound : any_two,
                             .one_record = bound};
}

/* What of a block of squares or products does not agree with the others, or NULL. */
static const char *wrong_moments(const sbl_certificate_content *content, size_t moments)
{
    const sbl_certificate_block *block = &content->blocks[moments];
    const uint64_t norm2 = sbl_u128_sqrt_floor(block->bound2);
    if (norm2 * norm2 != block->bound2) return "bound2";
    if (outer_of(block) == 0) return "width";
    if (strcmp(block->source, "counts") == 0 || strcmp(block->name, "counts") == 0) return "source";
    for (size_t b = 0; b < content->block_count; b++) {
        const sbl_certificate_block *other = &content->blocks[b];
        if (b == moments || strcmp(family_name(other), block->source) != 0) continue;
        if (other->kind == block->kind) return "source";
        if (other->columns != block->columns) return "columns";
        if (content->mechanism == SBL_DISCRETE_GAUSSIAN &&
            other->bound2 != (is_moments(other) ? block->bound2 : norm2))
            return "bound2";
    }
    return NULL;
}

static const char *wrong_block(const sbl_certificate_content *content, size_t b)
{
    const sbl_certificate_block *block = &content->blocks[b];
    const bool pure = content->mechanism == SBL_DISCRETE_LAPLACE && !is_moments(block);
    const uint64_t bound = pure ? block->bound1 : block->bound2;
    if (block->width == 0) return "width";
    if (block->columns == 0) return "columns";
    if (block->multiplier == 0) return "multiplier";
    if (bound == 0 || bound > (pure ? BOUND1_MAX : BOUND2_MAX)) return pure ? "bound1" : "bound2";
    if (is_moments(block)) return wrong_moments(content, b);
    /* Counts: one bin of one row holds 1. That is why their sensitivity is known without bounds. */
    if (strcmp(block->name, "counts") == 0 &&
        (bound != 1 || block->columns != 1 || !block->nonnegative))
        return "counts";
    return NULL;
}

/* Of every block, alone and in its family. */
static void derive_sensitivities(sbl_certificate_content *content)
{
    for (size_t b = 0; b < content->block_count; b++) {
        sbl_certificate_block *block = &content->blocks[b];
        if (!is_moments(block)) block->sensitivity = sensitivity_of(block, content->mechanism);
    }
    for (size_t b = 0; b < content->block_count; b++) {
        sbl_certificate_block *block = &content->blocks[b];
        if (!is_moments(block)) continue;
        const uint64_t outer = join_family(content, b);
        const size_t family = block->sensitivity.family;
        block->sensitivity =
            sbl_moments_sensitivity(content->mechanism, block->kind,
                                    sbl_u128_sqrt_floor(block->bound2), outer, block->columns > 1);
        block->sensitivity.family = family;
    }
}

static sbl_status derive_blocks(sbl_certificate_content *content, sbl_sensitivity *sensitivities,
                                uint64_t *multipliers, const char *where, sbl_error *err)
{
    sbl_status status = SBL_OK;
    content->values = 0;
    for (size_t b = 0; b < content->block_count; b++) {
        const sbl_certificate_block *block = &content->blocks[b];
        uint64_t values;
        const char *wrong = wrong_block(content, b);
        if (wrong != NULL) return fail_field(where, wrong, "is out of range", err);
        if (__builtin_mul_overflow(block->width, block->columns, &values) ||
            __builtin_add_overflow(content->values, values, &content->values))
            return fail_field(where, "width", "is out of range", err);
    }
    derive_sensitivities(content);
    for (size_t b = 0; b < content->block_count; b++) {
        sensitivities[b] = content->blocks[b].sensitivity;
        multipliers[b] = content->blocks[b].multiplier;
    }
    status =
        sbl_joint_sensitivity(&content->joint, content->mechanism, content->ledger_facts.neighbours,
                              sensitivities, multipliers, content->block_count, NULL);
    if (status != SBL_OK) return fail_field(where, "multiplier", "is out of range", err);
    return SBL_OK;
}

/* totals - this release. */
static sbl_status derive_others(sbl_certificate_content *content, const char *where, sbl_error *err)
{
    const sbl_totals *totals = &content->totals;
    const sbl_charge *own = &content->charge;
    sbl_totals *others = &content->others;
    const uint64_t gaussian = content->mechanism == SBL_DISCRETE_GAUSSIAN;
    if (totals->charge.mu2 < own->mu2 || totals->charge.eps0 < own->eps0 ||
        totals->charge.delta < own->delta || totals->charge.draws < own->draws ||
        totals->releases < 1 || totals->gaussian_releases < gaussian)
        return fail_field(where, "totals", "is less than what this release alone costs", err);
    others->charge.mu2 = totals->charge.mu2 - own->mu2;
    others->charge.eps0 = totals->charge.eps0 - own->eps0;
    others->charge.delta = totals->charge.delta - own->delta;
    others->charge.draws = totals->charge.draws - own->draws;
    others->releases = totals->releases - 1;
    others->gaussian_releases = totals->gaussian_releases - gaussian;
    return SBL_OK;
}

sbl_status sbl_certificate_derive(sbl_certificate_content *content, const char *where,
                                  sbl_error *err)
{
    sbl_status status = SBL_OK;
    /* The ledger's last line is at least the COMMIT of this release. */
    if (content->seq < 1 || content->seq >= content->ledger_seq)
        return fail_field(where, "seq", "is not that of a release before the ledger's head", err);
    if (content->run_only && content->totals.releases > RELEASES_OF_A_RUN)
        return fail_field(where, "scope", "is not this run only: there are other releases", err);
    uint64_t *multipliers = sbl_alloc_array(content->block_count, sizeof *multipliers);
    sbl_sensitivity *sensitivities = sbl_alloc_array(content->block_count, sizeof *sensitivities);
    if (multipliers == NULL || sensitivities == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory while checking %s", where);
        goto done;
    }
    SBL_TRY(derive_blocks(content, sensitivities, multipliers, where, err));
    SBL_TRY(sbl_charge_from_joint(&content->charge, content->mechanism, content->joint,
                                  content->values, err));
    content->charge.delta = content->extra_delta;
    SBL_TRY(derive_others(content, where, err));
done:
    sbl_free(sensitivities);
    sbl_free(multipliers);
    return status;
}

const char *sbl_certificate_no_guarantee(const sbl_certificate_content *content)
{
    if (content->ledger_facts.test_key)
        return "the noise came from a fixed test key, which anyone can subtract";
    if (strcmp(content->ledger_facts.budget.epsilon, "inf") == 0)
        return "the budget's epsilon is infinite";
    if (isinf(content->epsilon)) return "no epsilon holds at this delta";
    return NULL;
}

sbl_status sbl_certificate_guarantee(sbl_certificate_content *content, sbl_error *err)
{
    const sbl_totals *totals = &content->totals;
    const double root = sqrt(sbl_fixed96_to_double_up(totals->charge.mu2));
    sbl_status status = sbl_budget_validate(&content->ledger_facts.budget, err);
    (void)sbl_text_to_double(&content->delta, content->ledger_facts.budget.delta);
    if (status == SBL_OK)
        status = sbl_totals_epsilon(&content->epsilon, totals, content->delta, err);
    if (status != SBL_OK) return status;
    /* The allowance that this epsilon includes was taken at a whole number above it. */
    content->allowance = sbl_discretisation_allowance(
        totals->charge.draws, totals->gaussian_releases, fmax(1.0, ceil(content->epsilon)));
    content->mu = totals->charge.mu2 == 0 ? 0.0 : nextafter(root, INFINITY);
    if (sbl_certificate_no_guarantee(content) != NULL) {
        content->epsilon = INFINITY;
        content->mu = INFINITY;
    }
    return SBL_OK;
}
