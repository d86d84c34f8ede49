/* Codes that follow the pair that needs them.
 *
 * A number's codes have about equal mass, so that a small group at its end (infants among all ages) shares one code with
 * those beside it, and within a code a cell does not know the other columns. The sketch shows where this
 * hides something: records that some other column sets apart (those of one of its groups) and that
 * lie, most of them, in one group of this number. Where among its cells they lie only a finer table
 * can say. Such a group is cut into more codes, as many as leave each of them some noises of a precise
 * table. Codes stay within groups. From releases alone: post-processing. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "pairs/codes.h"
#include "pairs/selection_parts.h"

#define MOST_OF 0.5      /* a group's records: these lie in one group of the number */
#define SURE 2.0         /* noises of the sketch by which they do */
#define CODE_NOISES 16.0 /* of a precise table: what a code of a cut group holds of them */

typedef struct refining {
    sbl_pairs_selection *selection;
    double *shares, *group_shares, *variances;
    size_t *groups_at;
    double *pieces; /* (groups of all): codes that a group should have */
} refining;

static void refining_clear(refining *r)
{
    sbl_free(r->shares);
    sbl_free(r->variances);
    sbl_free(r->group_shares);
    sbl_free(r->groups_at);
    sbl_free(r->pieces);
}

static sbl_status refining_init(refining *r, sbl_pairs_selection *selection, sbl_error *err)
{
    const size_t count = selection->setting.count;
    size_t groups = 0;
    for (size_t j = 0; j < count; j++) groups += selection->columns[j].groups.cells;
    *r = (refining){.selection = selection,
                    .shares = sbl_alloc_array(selection->code_count, sizeof *r->shares),
                    .variances = sbl_alloc_array(selection->code_count, sizeof *r->variances),
                    .group_shares = sbl_alloc_array(groups, sizeof *r->group_shares),
                    .groups_at = sbl_alloc_array(count, sizeof *r->groups_at),
                    .pieces = sbl_alloc_array(groups, sizeof *r->pieces)};
    if (!r->shares || !r->variances || !r->group_shares || !r->groups_at || !r->pieces)
        return sbl_fail(err, SBL_EMEM, "out of memory for the codes of a selection");
    const sbl_status status = sbl_selection_shares(selection, r->shares, r->variances, err);
    groups = 0;
    for (size_t j = 0; status == SBL_OK && j < count; j++) {
        r->groups_at[j] = groups;
        sbl_selection_group_shares(&selection->columns[j], r->group_shares + groups,
                                   r->shares + selection->columns[j].at);
        groups += selection->columns[j].groups.cells;
    }
    return status;
}

/* Records of a group of column j that lie, most of them, in group g of column i: the most that any
 * group of j has, or 0. */
static double confined_by(const refining *r, size_t i, uint32_t g, size_t j)
{
    const sbl_pairs_selection *selection = r->selection;
    const double n = selection->setting.rows, noise = sqrt(selection->sketch_noise2);
    const size_t p = sbl_pairs_index(i < j ? i : j, i < j ? j : i, selection->setting.count);
    const double *sketch = selection->pairs[p].sketch;
    const size_t own = selection->columns[i].groups.cells,
                 across = selection->columns[j].groups.cells;
    double most = 0;
    for (size_t h = 0; sketch && h < across; h++) {
        const double both = sketch[i < j ? g * across + h : h * own + g];
        const double whole = n * r->group_shares[r->groups_at[j] + h];
        if (both - SURE * noise >= MOST_OF * whole) most = fmax(most, fmin(both, whole));
    }
    return fmin(most, n * r->group_shares[r->groups_at[i] + g]);
}

/* How many codes each group of a number should have. Where that is more than a column may have, all
 * its groups get fewer. */
static void count_pieces(const refining *r, size_t i)
{
    const sbl_pairs_selection *selection = r->selection;
    const double noise = sbl_pairs_unit_noise(&selection->setting) *
                         sqrt(2 * (double)selection->setting.count / selection->shape.share[2]);
    const uint32_t groups = selection->columns[i].groups.cells;
    double *pieces = r->pieces + r->groups_at[i], sum = 0;
    for (uint32_t g = 0; g < groups; g++) {
        double most = 0;
        for (size_t j = 0; j < selection->setting.count; j++)
            if (j != i) most = fmax(most, confined_by(r, i, g, j));
        pieces[g] = most / (CODE_NOISES * noise);
        sum += pieces[g];
    }
    const double scale =
        fmin(1, (SBL_PAIRS_MOST_NUMBER_CODES - selection->columns[i].codes.cells) / fmax(sum, 1));
    for (uint32_t g = 0; g < groups; g++) pieces[g] = floor(fmax(scale, 0) * pieces[g]);
}

/* A group's cells from `begin` to `end` in codes of about equal mass, the first of which is `code`.
 * Returns the code after the last. */
static uint32_t cut_evenly(uint32_t *of, const double *fine, uint32_t begin, uint32_t end,
                           double pieces, uint32_t code)
{
    double mass = 0, held = 0;
    for (uint32_t c = begin; c < end; c++) mass += fine[c];
    for (uint32_t c = begin; c < end; c++) {
        if (held > 0 && held + 0.5 * fine[c] >= mass / pieces) {
            code++;
            held = 0;
        }
        of[c] = code;
        held += fine[c];
    }
    return code + 1;
}

/* The same with the codes that it has. */
static uint32_t keep_codes(uint32_t *of, uint32_t begin, uint32_t end, uint32_t code)
{
    for (uint32_t c = begin, before = of[begin]; c < end; c++) {
        if (of[c] != before) code++;
        before = of[c];
        of[c] = code;
    }
    return code + 1;
}

static void refine_column(const refining *r, size_t i)
{
    const sbl_pairs_column *facts = &r->selection->facts[i];
    sbl_known_column *column = &r->selection->columns[i];
    uint32_t *of = column->codes.of, code = 0, end;
    count_pieces(r, i);
    for (uint32_t c = 0; c < facts->ordered; c = end) {
        const uint32_t g = column->groups.of[c];
        double have = 1;
        for (end = c + 1; end < facts->ordered && column->groups.of[end] == g; end++)
            have += of[end] != of[end - 1];
        const double pieces = r->pieces[r->groups_at[i] + g];
        code = pieces > have ? cut_evenly(of, column->fine, c, end, pieces, code)
                             : keep_codes(of, c, end, code);
    }
    for (uint32_t c = facts->ordered; c < facts->cells; c++) of[c] = code++;
    column->codes.cells = code;
}

sbl_status sbl_selection_refine_codes(sbl_pairs_selection *selection, sbl_error *err)
{
    refining r;
    sbl_status status;
    SBL_TRY(refining_init(&r, selection, err));
    for (size_t i = 0; i < selection->setting.count; i++)
        if (selection->facts[i].kind == SBL_PAIRS_NUMBER) refine_column(&r, i);
    SBL_TRY(sbl_selection_index_codes(selection, err));
done:
    refining_clear(&r);
    return status;
}
