/* Rows cut into pieces; the moving average of a loss's means, with the decay that starts at 0 and rises to the memory,
 * and its copies for checkpoints. */
#include "features/loss_parts.h"

#include <string.h>

#include "base/memory.h"

sbl_status sbl_running_init(sbl_running *running, sbl_pool *pool, double memory, size_t count,
                            sbl_error *err)
{
    sbl_status status = SBL_OK;
    *running = (sbl_running){.count = count, .memory = memory};
    if (memory > 0) SBL_POOL(pool, running->past, count, 1, "training");
done:
    return status;
}

float sbl_running_decay(const sbl_running *running)
{
    const double t = (double)running->steps, early = (1 + t) / (10 + t);
    if (running->steps == 0) return 0;
    return (float)(early < running->memory ? early : running->memory);
}

size_t sbl_running_count(const sbl_running *running)
{
    return running->past != NULL ? running->count : 0;
}

void sbl_running_save(float *memory, const sbl_running *running)
{
    if (running->past != NULL) memcpy(memory, running->past, running->count * sizeof *memory);
}

void sbl_running_load(sbl_running *running, const float *memory, size_t steps)
{
    running->steps = steps;
    if (running->past != NULL) memcpy(running->past, memory, running->count * sizeof *memory);
}

sbl_status sbl_row_pieces(sbl_row_piece **pieces, size_t *count, sbl_pool *pool,
                          const size_t *starts, size_t classes, size_t most, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *count = 0;
    SBL_POOL(pool, *pieces, starts[classes] / most + classes, 1, "training");
    for (size_t c = 0; c < classes; c++)
        for (size_t first = starts[c]; first < starts[c + 1]; first += most) {
            const size_t left = starts[c + 1] - first;
            (*pieces)[(*count)++] = (sbl_row_piece){first, left < most ? left : most, c};
        }
done:
    return status;
}
