/* SPDX-License-Identifier: Apache-2.0 */
/* Where everything lies that a sweep reads: one padded table per block and direction, so that the
 * logits of a column given a neighbour's code are one contiguous run. */
#include "after/pairs/gibbs.h"

#include <string.h>

#include "after/counts/draw_code.h"

static uint32_t padded(uint32_t codes)
{
    return (codes + SBL_GIBBS_LANES - 1) / SBL_GIBBS_LANES * SBL_GIBBS_LANES;
}

static size_t view_of(const sbl_potts *potts, uint32_t column, bool grouped)
{
    return column + (grouped ? potts->count : 0);
}

static void make_views(sbl_gibbs_layout *l)
{
    const sbl_potts *potts = l->potts;
    size_t at = 0;
    for (size_t b = 0; b < potts->block_count; b++) {
        const sbl_potts_block *block = &potts->blocks[b];
        l->views[view_of(potts, block->first, block->grouped)].link_count++;
        l->views[view_of(potts, block->second, block->grouped)].link_count++;
    }
    for (size_t v = 0; v < 2 * potts->count; v++) {
        sbl_gibbs_view *view = &l->views[v];
        view->codes = sbl_potts_size(potts, (uint32_t)(v % potts->count), v >= potts->count);
        view->lanes = padded(view->codes);
        view->first_link = at;
        at += view->link_count;
        if (view->link_count > l->most_links) l->most_links = view->link_count;
        if (view->lanes > l->most_lanes) l->most_lanes = view->lanes;
        view->link_count = 0; /* counts again as links are made */
    }
    for (size_t j = 0; j < potts->count; j++) {
        l->bias_at[j] = l->bias_size;
        l->bias_size += l->views[j].lanes;
    }
}

/* Tables of block b: by the first's code at table_size, by the second's after it. */
static void make_links(sbl_gibbs_layout *l, const sbl_potts_block *block)
{
    const size_t first = view_of(l->potts, block->first, block->grouped);
    const size_t second = view_of(l->potts, block->second, block->grouped);
    sbl_gibbs_view *a = &l->views[first], *b = &l->views[second];
    const size_t by_first = l->table_size, by_second = by_first + (size_t)a->codes * b->lanes;
    l->table_size = by_second + (size_t)b->codes * a->lanes;
    l->gain_size += (size_t)a->codes * b->codes;
    l->links[a->first_link + a->link_count++] = (sbl_gibbs_link){.place = (uint32_t)second,
                                                                 .own_step = b->codes,
                                                                 .other_step = 1,
                                                                 .table_at = by_second,
                                                                 .mirror_at = by_first,
                                                                 .mirror_stride = b->lanes,
                                                                 .gain_at = block->at};
    l->links[b->first_link + b->link_count++] = (sbl_gibbs_link){.place = (uint32_t)first,
                                                                 .own_step = 1,
                                                                 .other_step = b->codes,
                                                                 .table_at = by_first,
                                                                 .mirror_at = by_second,
                                                                 .mirror_stride = a->lanes,
                                                                 .gain_at = block->at};
}

sbl_status sbl_gibbs_layout_init(sbl_gibbs_layout *layout, sbl_pool *pool, const sbl_potts *potts,
                                 sbl_error *err)
{
    sbl_status status = SBL_OK;
    *layout = (sbl_gibbs_layout){.potts = potts};
    SBL_POOL(pool, layout->views, 2, potts->count, "sweeps over rows");
    SBL_POOL(pool, layout->links, 2, potts->block_count, "sweeps over rows");
    SBL_POOL(pool, layout->bias_at, potts->count, 1, "sweeps over rows");
    make_views(layout);
    for (size_t b = 0; b < potts->block_count; b++) make_links(layout, &potts->blocks[b]);
    SBL_TRY(sbl_gibbs_trees_init(&layout->trees, pool, &potts->trees, err));
done:
    return status;
}

/* The gains, laid out like theta, say where a block is. */
static const sbl_gibbs_link *link_of(const sbl_gibbs_layout *l, const sbl_potts_block *block)
{
    const sbl_gibbs_view *view = &l->views[view_of(l->potts, block->first, block->grouped)];
    const sbl_gibbs_link *link = l->links + view->first_link;
    size_t low = 0, high = view->link_count - 1; /* links of a view follow the order of blocks */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (link[middle].gain_at < block->at)
            low = middle + 1;
        else
            high = middle;
    }
    return link + low;
}

void sbl_gibbs_set_block(const sbl_gibbs_layout *layout, float *tables, size_t block, const float *dense)
{
    const sbl_potts_block *b = &layout->potts->blocks[block];
    const sbl_gibbs_link *link = link_of(layout, b);
    const sbl_gibbs_view *first = &layout->views[view_of(layout->potts, b->first, b->grouped)];
    const sbl_gibbs_view *second = &layout->views[link->place];
    for (size_t i = 0; i < first->codes; i++) {
        memcpy(tables + link->mirror_at + i * second->lanes, dense + i * second->codes,
               second->codes * sizeof *dense);
        for (size_t j = 0; j < second->codes; j++)
            tables[link->table_at + j * first->lanes + i] = dense[i * second->codes + j];
    }
}

void sbl_gibbs_set_bias(const sbl_gibbs_layout *layout, float *bias, const float *dense)
{
    for (size_t i = 0; i < layout->bias_size; i++) bias[i] = PADDING;
    for (size_t j = 0; j < layout->potts->count; j++)
        memcpy(bias + layout->bias_at[j], dense + layout->potts->columns[j].bias_at,
               layout->views[j].codes * sizeof *bias);
}

size_t sbl_gibbs_scratch(const sbl_gibbs_layout *layout)
{
    return 3 * layout->most_lanes + 2 * layout->most_links;
}
