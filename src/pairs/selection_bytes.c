/* How much memory a selection may take, from public facts alone. */
#include <math.h>

#include "pairs/codes.h"
#include "pairs/selection_parts.h"

#define MOST_GROUPS 64

/* Codes of a column at most. */
static double most_codes(const sbl_pairs_column *column)
{
    if (column->kind == SBL_PAIRS_NUMBER)
        return fmin(column->ordered, SBL_PAIRS_MOST_NUMBER_CODES) + column->cells - column->ordered;
    return fmin(column->cells, SBL_PAIRS_MOST_CODES);
}

size_t sbl_pairs_selection_bytes(const sbl_pairs_setting *setting)
{
    const sbl_pairs_shape shape = sbl_pairs_shape_of(setting);
    const double groups = fmin(fmax(shape.resolution, 3), MOST_GROUPS);
    double codes = 0, squares = 0, cells = 0, coarse = 0, coarse_squares = 0;
    double largest = 0, second = 0;
    for (size_t j = 0; j < setting->count; j++) {
        const double m = most_codes(&setting->columns[j]), g = fmin(m, groups);
        second = fmax(second, fmin(m, largest));
        largest = fmax(largest, m);
        codes += m;
        squares += m * m;
        coarse += g;
        coarse_squares += g * g;
        cells += setting->columns[j].cells;
    }
    double entries = 0, sketched = 0;
    if (shape.course == SBL_PAIRS_LABEL)
        entries = codes * most_codes(&setting->columns[setting->label]);
    else if (shape.course != SBL_PAIRS_ONE_WAY)
        entries = (codes * codes - squares) / 2;
    if (shape.course == SBL_PAIRS_SKETCH) {
        sketched = (coarse * coarse - coarse_squares) / 2;
        entries = fmin(entries,
                       SBL_SELECTION_TABLES_PER_COLUMN * (double)setting->count * largest * second);
    }
    const double state =
        4.0 * (double)setting->count * (double)sbl_selection_state_rows(setting) * sizeof(uint16_t);
    const double pairs = (double)setting->count * (double)setting->count / 2 * 1024;
    const double bytes = 100 * entries + 100 * sketched + state + pairs + 64 * cells;
    return bytes < 0x1p60 ? (size_t)bytes : SIZE_MAX;
}
