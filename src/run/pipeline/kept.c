/* SPDX-License-Identifier: Apache-2.0 */
/* The strength of a pair is in after/counts/relations.h. A suspect is a pair between one and two standard errors:
 * weaker ones are noise more often than not, and are only counted. */
#include "run/pipeline/kept.h"

#include <math.h>
#include <string.h>

#include "after/counts/relations.h"
#include "after/counts/release_counts.h"
#include "public/account/gaussian.h"
#include "public/options/option_values.h"
#include "records/features/history_counts.h"
#include "records/features/marginal_counts.h"
#include "run/methods/pairs_setup.h"

#define SUSPECT 1.0
#define MOST_EPSILON 10.0

void sbl_kept_clear(sbl_kept *kept)
{
    for (size_t i = 0; i < 2 * SBL_CERTIFIED_SUSPECTS; i++) sbl_text_clear(&kept->names[i]);
    *kept = (sbl_kept){0};
}

/* ---- names ---- */

/* Of column k of a table's cells. */
static const char *cell_name(const sbl_facts *facts, size_t k)
{
    for (size_t h = 0; h < facts->heads.count; h++)
        if (!facts->heads.items[h].indicator && k-- == 0)
            return facts->schema->columns[facts->heads.items[h].column].name;
    return "";
}

static const char *events_name(const sbl_history_tree *tree, const sbl_facts *facts, size_t link)
{
    return tree->linked ? facts->schema->tables[link + 1].name : "rows";
}

static void write_base(sbl_text *text, const sbl_history_tree *tree, const sbl_facts *facts, size_t base)
{
    if (tree->cell_column[base] != SBL_HISTORY_NONE) {
        sbl_text_printf(text, "%s", cell_name(facts, tree->cell_column[base]));
        return;
    }
    for (size_t l = 0; l < tree->link_count; l++) {
        const sbl_history_shape *link = &tree->links[l];
        const char *events = events_name(tree, facts, l);
        if (link->number[link->count_base] == base) sbl_text_printf(text, "number of %s", events);
        if (link->first_base != SBL_HISTORY_NONE && link->number[link->first_base] == base)
            sbl_text_printf(text, "first time in %s", events);
        if (link->gap_base != SBL_HISTORY_NONE && link->number[link->gap_base] == base)
            sbl_text_printf(text, "gap between %s", events);
    }
}

/* The link that has a side of the tree, and its number there. */
static const sbl_side *side_of(const sbl_history_tree *tree, size_t side, size_t *link)
{
    for (*link = 0; *link < tree->link_count; ++*link) {
        const uint32_t local = tree->links[*link].local[side];
        if (local != SBL_NO_SIDE && tree->links[*link].sides[local].kind > SBL_SIDE_EVENT)
            return &tree->links[*link].sides[local];
    }
    return NULL;
}

static void write_side(sbl_text *text, const sbl_history_tree *tree, const sbl_facts *facts, size_t side)
{
    static const char *const places[] = {[SBL_SIDE_POSITION] = "place among the %s",
                                         [SBL_SIDE_CALENDAR] = "season of the %s",
                                         [SBL_SIDE_LEFT] = "time left for the %s"};
    size_t link;
    const sbl_side *context;
    if (side < tree->base_count) {
        write_base(text, tree, facts, side);
        return;
    }
    context = side_of(tree, side, &link);
    if (context == NULL) return;
    if (context->kind == SBL_SIDE_PREVIOUS || context->kind == SBL_SIDE_MEMORY) {
        sbl_text_printf(text, context->kind == SBL_SIDE_PREVIOUS ? "previous " : "earlier ");
        write_base(text, tree, facts, tree->links[link].number[context->base]);
    } else {
        sbl_text_printf(text, places[context->kind], events_name(tree, facts, link));
    }
}

/* ---- relations ---- */

/* A feature that counts pairs, of any round: its list, and its tree where it has one. */
static const sbl_table_list *tables_of(const sbl_feature_instance *item, const sbl_history_tree **tree)
{
    if (item->kind == &sbl_feature_tables) return item->made;
    if (item->kind != &sbl_feature_histories) return NULL;
    const sbl_histories *histories = item->made;
    *tree = &histories->tree;
    return &histories->list;
}

static sbl_status take_round(sbl_pair_strengths *relations, const sbl_history_tree **tree,
                             const sbl_round *round, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < round->features.count; i++) {
        const sbl_feature_instance *item = &round->features.items[i];
        sbl_table_values values = {0};
        const sbl_table_list *list = tables_of(item, tree);
        if (list == NULL) continue;
        status = sbl_table_values_read(&values, list, round->release, item->block, err);
        if (status == SBL_OK)
            status = sbl_pair_strengths_take(relations, &list->plan, values.values, values.noise,
                                             item->kind == &sbl_feature_tables, err);
        sbl_table_values_clear(&values);
        if (status != SBL_OK) return status;
    }
    return status;
}

/* Strength grows as mu^2. Rounded up to two digits; 0: out of reach. */
static double enough_epsilon(double strength, const sbl_synth_options *options)
{
    const double delta = sbl_delta_of_options(options, 0);
    double mu, more, epsilon = options->epsilon;
    if (options->pure || sbl_gdp_mu(&mu, epsilon, delta, NULL) != SBL_OK) return 0.0;
    const double wanted = mu * mu * SBL_RELATION_SEEN / strength;
    while (epsilon <= MOST_EPSILON) {
        epsilon *= SBL_STEP_OF_EPSILON;
        const double told = sbl_told_epsilon(epsilon);
        if (sbl_gdp_mu(&more, told, delta, NULL) != SBL_OK) return 0.0;
        if (more * more >= wanted) return told <= MOST_EPSILON ? told : 0.0;
    }
    return 0.0;
}

static sbl_status name_suspect(sbl_kept *kept, const sbl_pair_strength *relation,
                               const sbl_history_tree *tree, const sbl_facts *facts, sbl_error *err)
{
    const size_t i = kept->told.suspect_count;
    const size_t columns[2] = {relation->first, relation->second};
    for (size_t side = 0; side < 2; side++) {
        sbl_text *name = &kept->names[2 * i + side];
        if (tree != NULL)
            write_side(name, tree, facts, columns[side]);
        else
            sbl_text_printf(name, "%s", cell_name(facts, columns[side]));
        if (name->failed || name->data == NULL) return sbl_no_memory(err, "what was not kept");
    }
    kept->suspects[i] =
        (sbl_certified_relation){.first = kept->names[2 * i].data, .second = kept->names[2 * i + 1].data};
    kept->told.suspect_count++;
    return SBL_OK;
}

sbl_status sbl_kept_of(sbl_kept *kept, const sbl_rounds *rounds, const sbl_synth_options *options,
                       sbl_error *err)
{
    sbl_pair_strengths relations = {0};
    const sbl_history_tree *tree = NULL;
    sbl_status status = SBL_OK;
    *kept = (sbl_kept){0};
    for (size_t r = 0; r < rounds->count; r++)
        if (rounds->items[r].release != NULL) SBL_TRY(take_round(&relations, &tree, &rounds->items[r], err));
    sbl_pair_strengths_settle(&relations);
    kept->told.measured = relations.count;
    kept->told.suspects = kept->suspects;
    for (size_t i = 0; i < relations.count; i++) {
        const sbl_pair_strength *relation = &relations.items[i];
        if (relation->strength >= SBL_RELATION_SEEN) kept->told.seen++;
        if (relation->strength >= SBL_RELATION_SEEN || !(relation->strength >= SUSPECT)) continue;
        if (kept->told.suspect_count == SBL_CERTIFIED_SUSPECTS) break;
        if (kept->told.suspect_count == 0) kept->enough = enough_epsilon(relation->strength, options);
        SBL_TRY(name_suspect(kept, relation, tree, rounds->facts, err));
    }
done:
    sbl_pair_strengths_clear(&relations);
    if (status != SBL_OK) sbl_kept_clear(kept);
    return status;
}

void sbl_kept_report(const sbl_kept *kept, const sbl_synth_options *options)
{
    const sbl_certified_relations *told = &kept->told;
    sbl_text line = {0};
    if (options->advice == NULL || told->measured == 0 || told->seen == told->measured) return;
    sbl_certified_relations_write(&line, told);
    if (told->suspect_count > 0) sbl_text_printf(&line, ". If you know such a relation, state it as a rule");
    if (kept->enough > 0.0) sbl_text_printf(&line, ", or use epsilon %g", kept->enough);
    if (!line.failed) options->advice(options->context, SBL_ADVICE_PLAN, sbl_plain_line(line.data));
    sbl_text_clear(&line);
}
