/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Merges cells to codes from left to right (numbers) or by a threshold (categories), then
 * codes to groups. Post-processing: only noisy shares and public facts come in. */
#include "after/counts/bin_codes.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

#define PUBLIC_CATEGORIES 256u
#define NO_CODE UINT32_MAX
#define TREE_NOISES 16.0 /* thresholds that a code of a hierarchy holds, so that its pairs do, too */

/* ---- numbers ---- */

/* Cells from left to right; a code ends when it holds enough, before a cell that stands alone if
 * it is not too light for itself, and after one. */
static uint32_t merge_neighbours(uint32_t *of, const double *shares, uint32_t cells, double threshold)
{
    const double alone = fmax(threshold, 0.5 / SBL_PAIRS_NUMBER_CODES);
    double rest = 0, held = 0;
    uint32_t heavy = 0, code = 0;
    for (uint32_t c = 0; c < cells; c++) {
        if (shares[c] > alone)
            heavy++;
        else
            rest += shares[c];
    }
    const double left = fmax(1, (double)SBL_PAIRS_NUMBER_CODES - heavy);
    const double enough = fmax(threshold, rest / left);
    for (uint32_t c = 0; c < cells; c++) {
        const bool stands = shares[c] > alone, stood = c > 0 && shares[c - 1] > alone;
        if (c > 0 && (stood || held >= enough || (stands && held >= threshold))) {
            code++;
            held = 0;
        }
        of[c] = code;
        held += shares[c];
    }
    return code + 1;
}

static double mass_of(const uint32_t *of, const double *shares, uint32_t cells, uint32_t code)
{
    double mass = 0;
    for (uint32_t c = 0; c < cells; c++)
        if (of[c] == code) mass += shares[c];
    return mass;
}

/* A code below the threshold joins the one before it, the first the one after. */
static uint32_t drop_light(uint32_t *of, const double *shares, uint32_t cells, uint32_t codes,
                           double threshold)
{
    uint32_t kept = 0;
    for (uint32_t code = 0; code < codes; code++) {
        const double mass = mass_of(of, shares, cells, code);
        const bool joins = kept > 0 && mass < threshold;
        if (!joins) kept++;
        for (uint32_t c = 0; c < cells; c++)
            if (of[c] == code) of[c] = kept - 1;
    }
    if (kept > 1 && mass_of(of, shares, cells, 0) < threshold) {
        for (uint32_t c = 0; c < cells; c++)
            if (of[c] > 0) of[c]--;
        kept--;
    }
    return kept;
}

static void apart(sbl_pairs_map *map, const sbl_pairs_column *column)
{
    for (uint32_t c = column->ordered; c < column->cells; c++) map->of[c] = map->cells++;
}

/* ---- categories ---- */

/* The share that a category must reach so that at most `most` do: bisection, since ties do not
 * matter and a sort would need memory. */
static double limit_count(const double *shares, uint32_t cells, double threshold, uint32_t most)
{
    double low = threshold, high = 1;
    uint32_t reach = 0;
    for (uint32_t c = 0; c < cells; c++) reach += shares[c] >= threshold;
    if (reach <= most) return threshold;
    for (int step = 0; step < 60; step++) {
        const double middle = 0.5 * (low + high);
        reach = 0;
        for (uint32_t c = 0; c < cells; c++) reach += shares[c] >= middle;
        if (reach > most)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void merge_light(sbl_pairs_map *map, const double *shares, uint32_t cells, double threshold)
{
    uint32_t light = 0, code = 0;
    threshold = limit_count(shares, cells, threshold, SBL_PAIRS_MOST_CODES - 1);
    for (uint32_t c = 0; c < cells; c++) light += shares[c] < threshold;
    const uint32_t heavy = cells - light;
    for (uint32_t c = 0; c < cells; c++) map->of[c] = light > 1 && shares[c] < threshold ? heavy : code++;
    map->cells = light > 1 ? heavy + 1 : cells;
}

void sbl_pairs_merge_codes(sbl_pairs_map *map, const sbl_pairs_column *column, const double *shares,
                           double threshold)
{
    map->level = SBL_PAIRS_CODES;
    if (column->kind != SBL_PAIRS_NUMBER) {
        merge_light(map, shares, column->cells, threshold);
        return;
    }
    const uint32_t codes = merge_neighbours(map->of, shares, column->ordered, threshold);
    map->cells = drop_light(map->of, shares, column->ordered, codes, threshold);
    apart(map, column);
}

/* The cells that have no code yet, by their groups at one level: a group that holds enough is a code. mass: (cells)
 * scratch. Returns the code after the last. */
static uint32_t merge_level(uint32_t *of, const uint32_t *group, const double *shares, uint32_t cells,
                            double threshold, uint32_t code, double *mass, uint32_t *code_of)
{
    for (uint32_t c = 0; c < cells; c++) mass[c] = 0;
    for (uint32_t c = 0; c < cells; c++)
        if (of[c] == NO_CODE) mass[group[c]] += shares[c];
    for (uint32_t c = 0; c < cells; c++) code_of[c] = NO_CODE;
    for (uint32_t c = 0; c < cells; c++) {
        if (of[c] != NO_CODE || mass[group[c]] < threshold) continue;
        if (code_of[group[c]] == NO_CODE) code_of[group[c]] = code++;
        of[c] = code_of[group[c]];
    }
    return code;
}

/* Heavy categories alone, the others with those of the same parent, from the finest level up; what is left is one
 * code. */
static sbl_status merge_tree(sbl_pairs_map *map, const sbl_pairs_column *column, const double *shares,
                             double threshold, sbl_error *err)
{
    const uint32_t cells = column->cells - column->missing;
    uint32_t code = 0, rest = 0, *code_of = NULL;
    double *mass = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(mass, column->cells, "codes of cells");
    SBL_ALLOC(code_of, column->cells, "codes of cells");
    threshold = limit_count(shares, column->cells, TREE_NOISES * threshold, SBL_PAIRS_MOST_CODES / 2);
    map->level = SBL_PAIRS_CODES;
    for (uint32_t c = 0; c < column->cells; c++) map->of[c] = shares[c] >= threshold ? code++ : NO_CODE;
    for (uint32_t level = column->levels; level-- > 0;)
        code = merge_level(map->of, column->ancestors + (size_t)level * cells, shares, cells, threshold, code,
                           mass, code_of);
    for (uint32_t c = 0; c < column->cells; c++) {
        if (map->of[c] != NO_CODE) continue;
        map->of[c] = code;
        rest = 1;
    }
    map->cells = code + rest;
done:
    sbl_free(mass);
    sbl_free(code_of);
    return status;
}

sbl_status sbl_pairs_merge_column(sbl_pairs_map *map, const sbl_pairs_column *column, const double *shares,
                                  double threshold, sbl_error *err)
{
    if (column->levels > 0) return merge_tree(map, column, shares, threshold, err);
    sbl_pairs_merge_codes(map, column, shares, threshold);
    return SBL_OK;
}

void sbl_pairs_public_codes(sbl_pairs_map *map, const sbl_pairs_column *column, uint32_t most)
{
    const bool number = column->kind == SBL_PAIRS_NUMBER;
    const uint32_t cells = number ? column->ordered : column->cells;
    if (!number) most = PUBLIC_CATEGORIES;
    map->level = SBL_PAIRS_CODES;
    map->cells = cells < most ? cells : most;
    for (uint32_t c = 0; c < cells; c++) map->of[c] = (uint32_t)((uint64_t)c * map->cells / cells);
    if (number) apart(map, column);
}

/* ---- groups ---- */

/* Codes in order: a group ends where half of the next code would pass its fair share of what is
 * left. */
static uint32_t group_runs(uint32_t *group, const double *mass, uint32_t codes, uint32_t most)
{
    double held = 0, left = 1;
    uint32_t current = 0;
    for (uint32_t c = 0; c < codes; c++) {
        const double fair = left / (most - current);
        if (held > 0 && current + 1 < most && held + 0.5 * mass[c] >= fair) {
            left -= held;
            held = 0;
            current++;
        }
        group[c] = current;
        held += mass[c];
    }
    return current + 1;
}

/* most - 1 times the heaviest that has no group yet; the rest are the last group. */
static uint32_t group_heaviest(uint32_t *group, const double *mass, uint32_t codes, uint32_t most)
{
    for (uint32_t c = 0; c < codes; c++) group[c] = most - 1;
    for (uint32_t g = 0; g + 1 < most; g++) {
        uint32_t best = codes;
        for (uint32_t c = 0; c < codes; c++)
            if (group[c] == most - 1 && (best == codes || mass[c] > mass[best])) best = c;
        group[best] = g;
    }
    return most;
}

/* By the coarsest level of a hierarchy: codes below one top ancestor are a group, those that mix several another. The
 * heaviest groups stay, the rest are the last. top, mass_of: (codes) scratch. */
static uint32_t group_tree(uint32_t *group, const sbl_pairs_map *codes, const sbl_pairs_column *column,
                           const double *mass, uint32_t most, uint32_t *top, double *mass_of)
{
    const uint32_t cells = column->cells - column->missing, count = codes->cells;
    uint32_t tops = 0;
    for (uint32_t v = 0; v < count; v++) top[v] = NO_CODE;
    for (uint32_t c = 0; c < column->cells; c++) {
        const uint32_t own = c < cells ? column->ancestors[c] : NO_CODE - 1, v = codes->of[c];
        top[v] = top[v] == NO_CODE || top[v] == own ? own : NO_CODE - 1;
    }
    for (uint32_t v = 0; v < count; v++) { /* groups in the order of their first codes */
        uint32_t first = 0;
        while (top[first] != top[v]) first++;
        group[v] = first < v ? group[first] : tops++;
        if (first == v) mass_of[group[v]] = 0;
        mass_of[group[v]] += mass[v];
    }
    if (tops <= most) return tops;
    (void)group_heaviest(top, mass_of, tops, most);
    for (uint32_t v = 0; v < count; v++) group[v] = top[group[v]];
    return most;
}

sbl_status sbl_pairs_merge_groups(sbl_pairs_map *groups, const sbl_pairs_map *codes,
                                  const sbl_pairs_column *column, const double *mass, uint32_t most,
                                  sbl_error *err)
{
    sbl_status status = SBL_OK;
    uint32_t *group = NULL, *top = NULL;
    double *sums = NULL;
    SBL_ALLOC(group, codes->cells, "groups of cells");
    SBL_ALLOC(top, codes->cells, "groups of cells");
    SBL_ALLOC(sums, codes->cells, "groups of cells");
    groups->level = SBL_PAIRS_GROUPS;
    if (codes->cells <= most) {
        for (uint32_t c = 0; c < codes->cells; c++) group[c] = c;
        groups->cells = codes->cells;
    } else if (column->levels > 0) {
        groups->cells = group_tree(group, codes, column, mass, most, top, sums);
    } else if (column->kind == SBL_PAIRS_CATEGORIES) {
        groups->cells = group_heaviest(group, mass, codes->cells, most);
    } else {
        groups->cells = group_runs(group, mass, codes->cells, most);
    }
    for (uint32_t c = 0; c < column->cells; c++) groups->of[c] = group[codes->of[c]];
done:
    sbl_free(group);
    sbl_free(top);
    sbl_free(sums);
    return status;
}

bool sbl_shares_fit(const uint32_t *code_of, const float *share, size_t cells, uint32_t codes, double *sums)
{
    for (uint32_t v = 0; v < codes; v++) sums[v] = 0.0;
    for (size_t c = 0; c < cells; c++) {
        if (code_of[c] >= codes || !(share[c] >= 0.0F)) return false;
        sums[code_of[c]] += (double)share[c];
    }
    for (uint32_t v = 0; v < codes; v++)
        if (!(fabs(sums[v] - 1.0) <= 1e-3)) return false;
    return true;
}
