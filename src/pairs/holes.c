/* [6] Tiles of 1, 4 or 16 codes a side, each half a tile from the last. A tile is empty if its sum
 * is at most 1.5 deviations of its noise where independent columns would put at least 6. */
#include "pairs/holes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define QUIET 1.5    /* noises of a tile: it holds no more */
#define EXPECTED 6.0 /* noises of a tile: independent columns would put more there */
#define LARGEST 16   /* codes of a side of a tile: 1, 4, 16 */

typedef struct span {
    size_t from, size;
} span;

static double mass_of(const sbl_table_side *side, span s)
{
    double mass = 0;
    for (size_t i = s.from; i < s.from + s.size; i++) mass += side->shares[i];
    return mass;
}

static void try_tile(uint8_t *holes, const double *table, const sbl_table_side *rows,
                     const sbl_table_side *columns, double noise, span down, span across)
{
    const double deviation = noise * sqrt((double)(down.size * across.size));
    if (mass_of(rows, down) * mass_of(columns, across) < EXPECTED * deviation) return;
    double sum = 0;
    for (size_t i = down.from; i < down.from + down.size; i++)
        for (size_t j = across.from; j < across.from + across.size; j++)
            sum += table[i * columns->codes + j];
    if (sum > QUIET * deviation) return;
    for (size_t i = down.from; i < down.from + down.size; i++)
        memset(holes + i * columns->codes + across.from, 1, across.size);
}

/* The next span of its size, half of it further; false: there is none. Single codes need no order. */
static bool next_span(span *s, const sbl_table_side *side)
{
    s->from += s->size > 1 ? s->size / 2 : 1;
    return s->from + s->size <= (s->size > 1 ? side->ordered : side->codes);
}

void sbl_table_holes(uint8_t *holes, const double *table, const sbl_table_side *rows,
                     const sbl_table_side *columns, double noise)
{
    memset(holes, 0, rows->codes * columns->codes);
    for (size_t height = 1; height <= LARGEST && (height == 1 || height <= rows->ordered);
         height *= 4)
        for (size_t width = 1; width <= LARGEST && (width == 1 || width <= columns->ordered);
             width *= 4) {
            span down = {0, height};
            do {
                span across = {0, width};
                do try_tile(holes, table, rows, columns, noise, down, across);
                while (next_span(&across, columns));
            } while (next_span(&down, rows));
        }
}
