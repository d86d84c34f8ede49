/* Histograms for people: at most MAX_CELLS bars, and some of what stands apart; real beside synthetic. */
#include "base/memory.h"
#include "fidelity/axis.h"
#include "fidelity/measures.h"

#define MAX_CELLS 40
#define BINS 20

/* The share of rows in each cell. */
static json_t *shares_json(const sbl_axis *axis, const sbl_frame *frame)
{
    double shares[SBL_AXIS_CELLS(MAX_CELLS)] = {0};
    json_t *list = json_array();
    bool good = list != NULL;
    for (size_t row = 0; row < frame->rows; row++) shares[sbl_axis_cell(axis, frame, row)] += 1.0;
    for (size_t cell = 0; cell < axis->count; cell++)
        good =
            json_array_append_new(list, sbl_number_json(shares[cell] / (double)frame->rows)) == 0 &&
            good;
    if (good) return list;
    json_decref(list);
    return NULL;
}

json_t *sbl_histogram_json(const sbl_view_column *column, const sbl_frame *real,
                           const sbl_frame *synthetic)
{
    const sbl_frame *const tables[2] = {real, synthetic};
    sbl_axis axis;
    json_t *histogram = NULL;
    if (sbl_axis_init(&axis, column, MAX_CELLS, BINS, tables, 2))
        histogram = json_pack("{s:o, s:o, s:o}", "labels", sbl_axis_labels(&axis), "real",
                              shares_json(&axis, real), "synthetic", shares_json(&axis, synthetic));
    sbl_axis_clear(&axis);
    return histogram;
}
