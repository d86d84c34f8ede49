/* How many rows of a batch each class gets. */
#ifndef SBL_TRAIN_BATCH_SHARES_H
#define SBL_TRAIN_BATCH_SHARES_H

#include <stddef.h>

#define SBL_BATCH_LEAST 8 /* rows of a class that takes part */

/* starts (C + 1): class c gets rows starts[c] .. starts[c + 1] - 1: about batch (balance / active +
 * (1 - balance) share), at least SBL_BATCH_LEAST; classes of share 0 get none.
 * Returns the number of rows, starts[C]. */
size_t sbl_batch_starts(size_t *starts, const double *shares, size_t classes, size_t batch,
                        double balance);

#endif
