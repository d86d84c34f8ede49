/* SPDX-License-Identifier: Apache-2.0 */
/* [3] Turns the pixels of a slice into the encoder's input, and runs it. */
#include "records/features/encoder_records.h"

#include "base/alloc.h"

void sbl_encoded_records_free(void *workspace, const void *made)
{
    sbl_encoded_records *w = workspace;
    (void)made;
    if (w == NULL) return;
    sbl_encoder_workspace_free(w->encoder);
    sbl_free_wiped(w->numbers, w->count * sizeof *w->numbers);
    sbl_free(w);
}

sbl_status sbl_encoded_records_new(void **workspace, const sbl_encoded *encoded, size_t own, sbl_error *err)
{
    const size_t slice = sbl_slice_rows(encoded->facts);
    sbl_status status = SBL_OK;
    sbl_encoded_records *w;
    SBL_ALLOC(w, 1, "the features of a few images");
    w->count = slice * encoded->facts->shape.numeric + own;
    SBL_ALLOC(w->numbers, w->count, "the features of a few images");
    /* Records never leave the CPU. */
    SBL_TRY(sbl_encoded_workspace(&w->encoder, encoded, slice, false, &sbl_backend_cpu, err));
    *workspace = w;
    w = NULL;
done:
    sbl_encoded_records_free(w, NULL);
    return status;
}

float *sbl_encoded_records_own(sbl_encoded_records *workspace, const sbl_encoded *encoded)
{
    return workspace->numbers + sbl_slice_rows(encoded->facts) * encoded->facts->shape.numeric;
}

float *sbl_encoded_records_run(sbl_encoded_records *workspace, const sbl_encoded *encoded,
                               const sbl_records *records)
{
    const size_t size = encoded->facts->shape.numeric;
    for (size_t i = 0; i < records->rows * size; i++)
        workspace->numbers[i] = (float)records->pixels[i] / 255.0f;
    sbl_encoder_forward(workspace->encoder, workspace->numbers, records->rows);
    return sbl_encoded_records_own(workspace, encoded);
}

/* The pixels themselves are turned round, so that the mirror image of a mirror image is the image, to
 * the bit. */
void sbl_encoded_records_mirror(sbl_encoded_records *workspace, const sbl_encoded *encoded, size_t rows)
{
    const size_t width = encoded->facts->images.width, channels = encoded->facts->images.channels;
    const size_t lines = rows * encoded->facts->images.height;
    for (size_t i = 0; i < lines; i++) {
        float *line = workspace->numbers + i * width * channels;
        for (size_t left = 0, right = width - 1; left < right; left++, right--)
            for (size_t c = 0; c < channels; c++) {
                const float kept = line[left * channels + c];
                line[left * channels + c] = line[right * channels + c];
                line[right * channels + c] = kept;
            }
    }
    sbl_encoder_forward(workspace->encoder, workspace->numbers, rows);
}
