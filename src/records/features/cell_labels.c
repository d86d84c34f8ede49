/* SPDX-License-Identifier: Apache-2.0 */
/* The encoder runs on a slice of records; each one's point is projected and compared with the centres of its class. */
#include "records/features/cell_labels.h"

#include "base/alloc.h"
#include "base/backend/backend_internal.h"
#include "records/features/encoder_records.h"

struct sbl_cell_labels {
    const sbl_image_cells *cells;
    void *encoded; /* an sbl_encoded_records: points (slice, P), places (dimensions) */
    uint32_t found[SBL_IMAGE_SLICE_ROWS];
};

void sbl_cell_labels_free(sbl_cell_labels *labels)
{
    if (labels == NULL) return;
    sbl_encoded_records_free(labels->encoded, NULL);
    sbl_free_wiped(labels, sizeof *labels);
}

sbl_status sbl_cell_labels_new(sbl_cell_labels **labels, const sbl_image_cells *cells, sbl_error *err)
{
    sbl_cell_labels *made;
    sbl_status status = SBL_OK;
    SBL_ALLOC(made, 1, "the cells of a few images");
    made->cells = cells;
    SBL_TRY(sbl_encoded_records_new(&made->encoded, &cells->space.encoded,
                                    SBL_IMAGE_SLICE_ROWS * cells->space.width + cells->dimensions, err));
    *labels = made;
    made = NULL;
done:
    sbl_cell_labels_free(made);
    return status;
}

const uint32_t *sbl_cell_labels_find(sbl_cell_labels *labels, const sbl_records *records)
{
    const sbl_image_cells *cells = labels->cells;
    const sbl_perceptual *space = &cells->space;
    sbl_encoded_records *w = labels->encoded;
    const float *values[SBL_ENCODED_MOST_LAYERS];
    float *points = sbl_encoded_records_run(w, &space->encoded, records);
    float *place = points + SBL_IMAGE_SLICE_ROWS * space->width;
    sbl_points_job job = sbl_perceptual_points(space, values, w->encoder, records->rows);
    job.points = points;
    sbl_points_forward(&job);
    for (size_t r = 0; r < records->rows; r++) {
        const uint32_t label = records->labels != NULL ? records->labels[r] : 0;
        const size_t class = label < cells->classes ? label : 0;
        sbl_image_cells_project(place, cells, points + r * space->width);
        labels->found[r] = (uint32_t)(class * cells->number + sbl_image_cells_nearest(cells, place, class));
    }
    return labels->found;
}

const float *sbl_cell_labels_points(sbl_cell_labels *labels)
{
    return sbl_encoded_records_own(labels->encoded, &labels->cells->space.encoded);
}
