#include "train/batch_shares.h"

size_t sbl_batch_starts(size_t *starts, const double *shares, size_t classes, size_t batch,
                        double balance)
{
    size_t active = 0;
    for (size_t c = 0; c < classes; c++) active += shares[c] > 0;
    starts[0] = 0;
    for (size_t c = 0; c < classes; c++) {
        size_t rows = 0;
        if (shares[c] > 0) {
            rows = (size_t)((double)batch * (balance / (double)active + (1 - balance) * shares[c]) +
                            0.5);
            if (rows < SBL_BATCH_LEAST) rows = SBL_BATCH_LEAST;
        }
        starts[c + 1] = starts[c] + rows;
    }
    return starts[classes];
}
