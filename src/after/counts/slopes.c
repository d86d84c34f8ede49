/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Slopes of interactions between neighbouring codes (slopes.h). */
#include "after/counts/slopes.h"

#include <math.h>
#include <string.h>

sbl_status sbl_code_places_init(sbl_code_places *places, sbl_pool *pool, const sbl_code_cells *column,
                                sbl_error *err)
{
    sbl_status status = SBL_OK;
    *places = (sbl_code_places){.codes = column->codes};
    SBL_POOL(pool, places->places, column->codes, 1, "drawing rows");
    SBL_POOL(pool, places->cells, column->codes, 1, "drawing rows");
    SBL_POOL(pool, places->number, column->codes, 1, "drawing rows");
    memset(places->number, 1, column->codes);
    for (uint32_t c = 0; c < column->cells; c++) {
        const uint32_t v = column->code_of[c];
        places->places[v] += (double)column->share[c] * c;
        places->cells[v] += 1;
        if (c >= column->ordered) places->number[v] = 0;
    }
    for (uint32_t v = 0; v < column->codes; v++)
        if (places->cells[v] < 2 || !places->number[v]) places->cells[v] = 0;
done:
    return status;
}

static uint32_t entry_of(const sbl_interaction *of, uint32_t code)
{
    return of->own_group != NULL ? of->own_group[code] : code;
}

/* The next code on this side, step -1 or 1, with another entry; the code itself where there is none. */
static uint32_t neighbour(const sbl_code_places *places, const sbl_interaction *of, uint32_t code, int step)
{
    for (int64_t v = (int64_t)code + step; v >= 0 && v < (int64_t)places->codes; v += step)
        if (places->cells[v] > 0 && entry_of(of, (uint32_t)v) != entry_of(of, code)) return (uint32_t)v;
    return code;
}

/* The mean place of the number's codes that share an entry with this one. */
static double place_of(const sbl_code_places *places, const sbl_interaction *of, uint32_t code)
{
    double sum = 0, count = 0;
    if (of->own_group == NULL) return places->places[code];
    for (uint32_t v = 0; v < places->codes; v++)
        if (places->number[v] && of->own_group[v] == of->own_group[code]) {
            sum += places->places[v];
            count++;
        }
    return sum / count;
}

void sbl_slopes_set(float *slopes, const sbl_code_places *places, const sbl_interaction *of)
{
    memset(slopes, 0, (size_t)places->codes * of->other_codes * sizeof *slopes);
    for (uint32_t v = 0; v < places->codes; v++) {
        if (!(places->cells[v] > 0)) continue;
        const uint32_t low = neighbour(places, of, v, -1), high = neighbour(places, of, v, 1);
        const double way = place_of(places, of, high) - place_of(places, of, low);
        const float *above = of->theta + entry_of(of, high) * of->own_step;
        const float *below = of->theta + entry_of(of, low) * of->own_step;
        for (uint32_t o = 0; way > 0 && o < of->other_codes; o++) {
            const double change = (double)above[o * of->other_step] - (double)below[o * of->other_step];
            slopes[(size_t)v * of->other_codes + o] = (float)(change / way * places->cells[v]);
        }
    }
}
