/* [6] Between two releases of `forest`: the model of what was released so far is fitted, and the next trees
 * are grown on its rows. Whether the probe said yes stands in the plan of the fourth release (it has trees
 * or not), so that later rounds need not ask again. */
#include "pairs/forest_selection.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "pairs/codes.h"
#include "pairs/grow.h"
#include "pairs/selection_parts.h"

/* Releases, in their order. */
enum { ONE_WAY, SKETCH, PROBE, PRECISE, SECOND, THIRD };

#define PROBE_SHARE 0.04
#define PRECISE_IF_YES 0.08
#define LABEL_PART (0.2 / 0.53) /* of the precise tables, to the label's pairs: as pairs has it */
static const double forest_share[] = {[PRECISE] = 0.10, [SECOND] = 0.14, [THIRD] = 0.17};
static const size_t forest_trees[] = {[PRECISE] = 16, [SECOND] = 16, [THIRD] = 32};
static const size_t forest_sweeps[] = {[PRECISE] = 6, [SECOND] = 8, [THIRD] = 8};

#define PROBE_TREES 4 /* grown, and as many blind */
#define LAST_SWEEPS 18
#define LEAST_LEAVES 8
#define MOST_LEAVES 512
#define MOST_TARGET_CODES 32u /* categories of a target, each a cell of its own */
#define TARGET_CELLS 10u      /* of a target that is a number or has more */
#define EFFECT 0.06           /* rho from which the probe says yes, */
#define SURE 3.0              /* if it is so many errors above 0 */

struct sbl_forest_selection {
    sbl_pairs_selection *pairs;
    size_t round;    /* releases taken */
    bool forests;    /* the fourth release had trees */
    sbl_trees taken; /* of all releases */
    double *values;  /* (taken.entry_count) */
    sbl_forest_family families[SBL_FOREST_FAMILIES + 3];
    sbl_forest_surprise against[SBL_FOREST_FAMILIES + 3];
    size_t family_count;
    sbl_trees next; /* that are planned */
    uint32_t *ordered;
};

/* ---- shares ---- */

static double left_after_probe(void) { return 1 - 0.33 - 0.14 - PROBE_SHARE; }

size_t sbl_forest_shares(double shares[SBL_FOREST_MOST_ROUNDS], const sbl_pairs_shape *shape)
{
    for (size_t r = 0; r < shape->rounds; r++) shares[r] = shape->share[r];
    if (!shape->forest) return shape->rounds;
    shares[PROBE] = PROBE_SHARE;
    shares[PRECISE] = PRECISE_IF_YES + forest_share[PRECISE];
    shares[SECOND] = forest_share[SECOND];
    shares[THIRD] = forest_share[THIRD];
    return SBL_FOREST_MOST_ROUNDS;
}

/* ---- a selection ---- */

void sbl_forest_selection_free(sbl_forest_selection *selection)
{
    if (selection == NULL) return;
    sbl_pairs_selection_free(selection->pairs);
    sbl_trees_clear(&selection->taken);
    sbl_trees_clear(&selection->next);
    sbl_free(selection->values);
    sbl_free(selection->ordered);
    sbl_free(selection);
}

/* Leaves of each row of the state twice (in the fit, and to compare), and tables of trees, of which a fit
 * keeps about twelve arrays. */
static double bytes_of_trees(const sbl_pairs_setting *setting)
{
    double trees = 2 * PROBE_TREES, entries;
    for (size_t r = PRECISE; r <= THIRD; r++) trees += (double)forest_trees[r];
    entries = trees * MOST_LEAVES * MOST_TARGET_CODES;
    return 2 * trees * (double)sbl_selection_state_rows(setting) * sizeof(uint32_t) + 64 * entries;
}

size_t sbl_forest_selection_bytes(const sbl_pairs_setting *setting)
{
    const size_t pairs = sbl_pairs_selection_bytes(setting);
    if (!sbl_pairs_shape_of(setting).forest) return pairs;
    const double bytes = (double)pairs + bytes_of_trees(setting);
    return bytes < 0x1p60 ? (size_t)bytes : SIZE_MAX;
}

/* A row's walks: about so many nodes are looked at for each of its columns and each tree. */
#define SECONDS_A_WALK 6e-8

sbl_status sbl_forest_selection_seconds(double *seconds, double *processor,
                                        const sbl_pairs_setting *setting, size_t threads,
                                        sbl_error *err)
{
    const sbl_status status =
        sbl_pairs_selection_seconds(seconds, processor, setting, threads, err);
    if (status != SBL_OK || !sbl_pairs_shape_of(setting).forest) return status;
    double trees = 2 * PROBE_TREES, walks = 0;
    for (size_t r = PRECISE; r <= THIRD; r++) {
        walks += trees * (double)forest_sweeps[r];
        trees += (double)forest_trees[r];
    }
    walks += trees * LAST_SWEEPS;
    walks *= (double)sbl_selection_state_rows(setting) * (double)setting->count;
    const double fits =
        setting->forest == SBL_FOREST_ALWAYS ? 4 : 2; /* of pairs, before the last */
    const double more = setting->forest == SBL_FOREST_ALWAYS ? walks * SECONDS_A_WALK : 0;
    const double teams = fmin(fmax((double)threads, 1), SBL_FEEDBACK_SHARDS);
    *seconds = *seconds * (1 + fits) + more / teams;
    *processor = *processor * (1 + fits) + more;
    return SBL_OK;
}

sbl_status sbl_forest_selection_new(sbl_forest_selection **selection,
                                    const sbl_pairs_setting *setting, size_t limit, sbl_error *err)
{
    sbl_forest_selection *made = NULL;
    sbl_status status = SBL_OK;
    *selection = NULL;
    SBL_ALLOC(made, 1, "the tables of a selection");
    SBL_ALLOC(made->ordered, setting->count, "the tables of a selection");
    SBL_TRY(sbl_pairs_selection_new(&made->pairs, setting, limit, err));
    *selection = made;
    made = NULL;
done:
    sbl_forest_selection_free(made);
    return status;
}

void sbl_forest_selection_set_rows(sbl_forest_selection *selection, double rows)
{
    sbl_pairs_selection_set_rows(selection->pairs, rows);
}

void sbl_forest_selection_set_progress(sbl_forest_selection *selection, sbl_progress_span progress)
{
    sbl_pairs_selection_set_progress(selection->pairs, progress);
}

const sbl_pairs_shape *sbl_forest_selection_shape(const sbl_forest_selection *selection)
{
    return &selection->pairs->shape;
}

/* ---- taking a release ---- */

static sbl_status not_of_this_round(sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "the plan of a release is not one of its round");
}

/* Has the release what its round may have? The fourth: tables, and trees where the probe said yes. */
static bool is_of_round(const sbl_forest_selection *s, const sbl_forest_release *release)
{
    const bool tables = release->tables != NULL, trees = release->trees != NULL;
    if (!s->pairs->shape.forest || s->round < PROBE) return tables && !trees;
    if (s->round == PRECISE) return tables;
    return trees && !tables && (s->round == PROBE || s->forests) && s->round <= THIRD;
}

/* Trees are over the codes of the selection, and no others. */
static bool same_codes(const sbl_pairs_selection *pairs, const sbl_pairs_plan *codes)
{
    if (codes->map_count != pairs->setting.count) return false;
    for (size_t j = 0; j < pairs->setting.count; j++) {
        const sbl_pairs_map *map = &codes->maps[j], *own = &pairs->columns[j].codes;
        if (map->column != j || map->cells != own->cells ||
            memcmp(map->of, own->of, pairs->facts[j].cells * sizeof *map->of) != 0)
            return false;
    }
    return true;
}

static void add_family(sbl_forest_selection *s, size_t first, size_t count, double noise)
{
    s->families[s->family_count++] = (sbl_forest_family){first, count, noise};
}

static sbl_status take_trees(sbl_forest_selection *s, const sbl_forest_release *release,
                             sbl_error *err)
{
    const sbl_trees *trees = release->trees;
    const size_t before = s->taken.tree_count, entries = s->taken.entry_count;
    sbl_status status = SBL_OK;
    if (!same_codes(s->pairs, release->codes) || trees->tree_count < SBL_FOREST_FAMILIES)
        return not_of_this_round(err);
    if (!(release->leaf_noise > 0) || !isfinite(release->leaf_noise))
        return sbl_fail(err, SBL_EINPUT, "a table of the release has no noise");
    if (s->taken.column_count == 0)
        SBL_TRY(sbl_trees_init(&s->taken, trees->codes, trees->column_count, err));
    SBL_TRY(sbl_trees_append(&s->taken, trees, err));
    SBL_RESIZE(s->values, s->taken.entry_count, "the tables of a selection");
    memcpy(s->values + entries, release->leaf_values, trees->entry_count * sizeof *s->values);
    if (s->round == PROBE) { /* half of them grown, half blind */
        const size_t grown = trees->tree_count / 2;
        add_family(s, before, grown, release->leaf_noise);
        add_family(s, before + grown, trees->tree_count - grown, release->leaf_noise);
    } else {
        add_family(s, before, trees->tree_count, release->leaf_noise);
    }
done:
    return status;
}

sbl_status sbl_forest_selection_take(sbl_forest_selection *s, const sbl_forest_release *release,
                                     sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (!is_of_round(s, release)) return not_of_this_round(err);
    if (release->tables != NULL)
        SBL_TRY(sbl_pairs_selection_take(s->pairs, release->tables, release->values, release->noise,
                                         err));
    if (release->trees != NULL) SBL_TRY(take_trees(s, release, err));
    if (s->round == PRECISE) s->forests = release->trees != NULL;
    s->round++;
done:
    return status;
}

/* ---- the next trees ---- */

/* Codes of a number that lie in order. */
static void find_order(sbl_forest_selection *s)
{
    for (size_t j = 0; j < s->pairs->setting.count; j++) {
        const sbl_pairs_column *facts = &s->pairs->facts[j];
        s->ordered[j] = facts->kind == SBL_PAIRS_NUMBER
                            ? s->pairs->columns[j].codes.of[facts->ordered - 1] + 1
                            : 0;
    }
}

/* A target's cells: its codes, or fewer groups of them where it is a number or has many. */
static sbl_status add_target(sbl_forest_selection *s, size_t column, const double *shares,
                             sbl_error *err)
{
    const sbl_pairs_column *facts = &s->pairs->facts[column];
    const sbl_known_column *known = &s->pairs->columns[column];
    const bool few = facts->kind != SBL_PAIRS_NUMBER && known->codes.cells <= MOST_TARGET_CODES;
    sbl_pairs_map groups = {.column = (uint32_t)column, .cells = known->codes.cells};
    uint16_t *of = NULL;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, of, known->codes.cells, 1, "trees");
    SBL_POOL(&pool, groups.of, facts->cells, 1, "trees");
    if (!few)
        SBL_TRY(sbl_pairs_merge_groups(&groups, &known->codes, facts, shares, TARGET_CELLS, err));
    for (uint32_t c = 0; c < facts->cells; c++)
        of[known->codes.of[c]] = (uint16_t)(few ? known->codes.of[c] : groups.of[c]);
    SBL_TRY(sbl_trees_add_target(&s->next, (uint32_t)column, groups.cells, of, err));
done:
    sbl_pool_clear(&pool);
    return status;
}

/* An empty list of trees for the label. */
static sbl_status begin_trees(sbl_forest_selection *s, sbl_error *err)
{
    const size_t count = s->pairs->setting.count, label = s->pairs->setting.label;
    sbl_selection_margins margins;
    uint32_t *codes;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    sbl_trees_clear(&s->next);
    SBL_POOL(&pool, codes, count, 1, "trees");
    for (size_t j = 0; j < count; j++) codes[j] = s->pairs->columns[j].codes.cells;
    SBL_TRY(sbl_trees_init(&s->next, codes, count, err));
    SBL_TRY(sbl_selection_margins_init(&margins, &pool, s->pairs, err));
    SBL_TRY(add_target(s, label, margins.shares + s->pairs->columns[label].at, err));
    find_order(s);
done:
    sbl_pool_clear(&pool);
    return status;
}

/* L = n mu sqrt(share) / (C D): an entry of leaf x target holds on average one standard deviation of what
 * its noise would be if the forest were one tree. */
static uint32_t leaves_for(const sbl_forest_selection *s, double share)
{
    const sbl_pairs_setting *setting = &s->pairs->setting;
    const double leaves =
        setting->rows * sqrt(share) / (sbl_pairs_unit_noise(setting) * s->next.targets[0].cells);
    return (uint32_t)fmin(fmax(leaves, LEAST_LEAVES), MOST_LEAVES);
}

static sbl_grow_rows rows_of(const sbl_forest_selection *s, const sbl_pairs_model *model)
{
    return (sbl_grow_rows){model->rows, model->row_count, sbl_potts_row(&model->potts), s->ordered};
}

static uint64_t stream_of(size_t round) { return (uint64_t)round << 20; }

static sbl_status grow_probe(sbl_forest_selection *s, const sbl_pairs_model *model, sbl_error *err)
{
    const sbl_grow_rows on = rows_of(s, model);
    sbl_grow_rule rule = {
        .trees = PROBE_TREES, .seed = s->pairs->setting.seed, .stream = stream_of(PROBE)};
    sbl_status status;
    SBL_TRY(begin_trees(s, err));
    rule.leaves = leaves_for(s, PROBE_SHARE) / 4;
    if (rule.leaves < LEAST_LEAVES) rule.leaves = LEAST_LEAVES;
    SBL_TRY(sbl_trees_grow(&s->next, 0, &on, &rule, err));
    SBL_TRY(sbl_trees_grow_blind(&s->next, 0, &on, &rule, err));
done:
    return status;
}

static sbl_status grow_forest(sbl_forest_selection *s, const sbl_pairs_model *model, sbl_error *err)
{
    const sbl_grow_rows on = rows_of(s, model);
    sbl_grow_rule rule = {.trees = forest_trees[s->round],
                          .seed = s->pairs->setting.seed,
                          .stream = stream_of(s->round)};
    sbl_status status;
    SBL_TRY(begin_trees(s, err));
    rule.leaves = leaves_for(s, forest_share[s->round]);
    SBL_TRY(sbl_trees_grow(&s->next, 0, &on, &rule, err));
done:
    return status;
}

static sbl_status fit_so_far(sbl_forest_selection *s, sbl_pairs_model *model, size_t sweeps,
                             sbl_error *err)
{
    sbl_forest_tables tables = {.trees = &s->taken,
                                .values = s->values,
                                .families = s->families,
                                .family_count = s->family_count,
                                .sweeps = sweeps,
                                .against = s->against};
    return sbl_selection_fit_so_far(s->pairs, model, s->family_count > 0 ? &tables : NULL, err);
}

/* ---- plans ---- */

static sbl_forest_answer answer_of(const sbl_forest_selection *s)
{
    for (size_t i = 0; i < SBL_FOREST_FAMILIES; i++) {
        const sbl_forest_surprise *found = &s->against[i];
        if (found->effect > EFFECT && found->energy > SURE * found->error) return SBL_FOREST_YES;
    }
    return s->pairs->setting.forest == SBL_FOREST_ALWAYS ? SBL_FOREST_FORCED : SBL_FOREST_NO;
}

/* The fourth release: the probe has spoken. */
static sbl_status plan_precise(sbl_forest_selection *s, sbl_forest_plan *plan, sbl_error *err)
{
    sbl_pairs_model model = {0};
    sbl_status status;
    SBL_TRY(fit_so_far(s, &model, 0, err));
    plan->answer = answer_of(s);
    memcpy(plan->found, s->against, sizeof plan->found);
    if (plan->answer == SBL_FOREST_NO) {
        plan->rest[plan->rest_count++] = left_after_probe();
        plan->tables_share = left_after_probe();
    } else {
        sbl_pairs_model_clear(&model);
        SBL_TRY(fit_so_far(s, &model, forest_sweeps[PRECISE], err));
        SBL_TRY(grow_forest(s, &model, err));
        plan->trees = &s->next;
        plan->trees_share = forest_share[PRECISE];
        plan->tables_share = PRECISE_IF_YES;
        plan->rest[plan->rest_count++] = PRECISE_IF_YES + forest_share[PRECISE];
        plan->rest[plan->rest_count++] = forest_share[SECOND];
        plan->rest[plan->rest_count++] = forest_share[THIRD];
        s->pairs->label_part = LABEL_PART;
    }
    s->pairs->precise_share = plan->tables_share;
    sbl_pairs_plan_clear(&s->pairs->plan);
    SBL_TRY(sbl_selection_plan_precise(s->pairs, err));
    plan->tables = &s->pairs->plan;
done:
    sbl_pairs_model_clear(&model);
    return status;
}

static sbl_status plan_trees(sbl_forest_selection *s, sbl_forest_plan *plan, sbl_error *err)
{
    sbl_pairs_model model = {0};
    sbl_status status;
    SBL_TRY(fit_so_far(s, &model, s->round == PROBE ? 0 : forest_sweeps[s->round], err));
    SBL_TRY(s->round == PROBE ? grow_probe(s, &model, err) : grow_forest(s, &model, err));
    plan->trees = &s->next;
    plan->trees_share = s->round == PROBE ? PROBE_SHARE : forest_share[s->round];
done:
    sbl_pairs_model_clear(&model);
    return status;
}

sbl_status sbl_forest_selection_plan(sbl_forest_selection *s, sbl_forest_plan *plan, sbl_error *err)
{
    *plan = (sbl_forest_plan){0};
    if (!s->pairs->shape.forest || s->round < PROBE) {
        const sbl_pairs_plan *tables = sbl_pairs_selection_plan(s->pairs);
        plan->tables = tables != NULL && tables->table_count > 0 ? tables : NULL;
        plan->tables_share = 1;
        return SBL_OK;
    }
    if (s->round == PRECISE) return plan_precise(s, plan, err);
    if (s->round == PROBE || (s->forests && s->round <= THIRD)) return plan_trees(s, plan, err);
    return SBL_OK;
}

sbl_status sbl_forest_selection_codes(const sbl_forest_selection *s, sbl_pairs_plan *codes,
                                      sbl_error *err)
{
    sbl_status status = SBL_OK;
    *codes = (sbl_pairs_plan){0};
    for (size_t j = 0; j < s->pairs->setting.count; j++)
        SBL_TRY(sbl_pairs_plan_add_map(codes, NULL, &s->pairs->columns[j].codes,
                                       s->pairs->facts[j].cells, err));
done:
    if (status != SBL_OK) sbl_pairs_plan_clear(codes);
    return status;
}

sbl_status sbl_forest_selection_fit(sbl_forest_selection *s, sbl_pairs_model *model, sbl_error *err)
{
    const size_t wanted = !s->pairs->shape.forest ? s->pairs->shape.rounds
                          : s->forests            ? THIRD + 1
                                                  : PRECISE + 1;
    *model = (sbl_pairs_model){0};
    if (s->round < wanted)
        return sbl_fail(err, SBL_EARG, "a release of the method 'forest' is missing");
    /* Where the probe said no its trees are left out: what they show is less than their noise costs. */
    return s->forests ? fit_so_far(s, model, LAST_SWEEPS, err)
                      : sbl_selection_fit_so_far(s->pairs, model, NULL, err);
}
