/* SPDX-License-Identifier: Apache-2.0 */
/* Rows cut into pieces; the moving average of a loss's means, with the decay that starts at 0 and rises to the memory,
 * and its copies for checkpoints. */
#include "after/losses/loss.h"

#include "base/alloc.h"

sbl_status sbl_running_init(sbl_running *running, sbl_tensors *tensors, double memory, size_t count,
                            sbl_error *err)
{
    sbl_status status = SBL_OK;
    *running = (sbl_running){.on = tensors->on, .count = count, .memory = memory};
    if (memory > 0) SBL_TENSOR(tensors, running->past, count, 1, "training");
done:
    return status;
}

float sbl_running_decay(const sbl_running *running)
{
    const double t = (double)running->steps, early = (1 + t) / (10 + t);
    if (running->steps == 0) return 0;
    return (float)(early < running->memory ? early : running->memory);
}

size_t sbl_running_count(const sbl_running *running) { return running->past != NULL ? running->count : 0; }

void sbl_running_save(float *memory, const sbl_running *running)
{
    if (running->past != NULL) running->on->read(running->on->device, memory, running->past, running->count);
}

void sbl_running_load(sbl_running *running, const float *memory, size_t steps)
{
    running->steps = steps;
    if (running->past != NULL) running->on->write(running->on->device, running->past, memory, running->count);
}

bool sbl_target_is_unbiased(const sbl_target *target, sbl_distance usual)
{
    return (target->distance == SBL_DISTANCE_USUAL ? usual : target->distance) == SBL_DISTANCE_UNBIASED;
}

size_t sbl_target_divisor(const sbl_target *target, sbl_distance usual, size_t rows)
{
    return rows > 0 && sbl_target_is_unbiased(target, usual) ? rows - 1 : rows;
}

sbl_status sbl_row_pieces(sbl_row_piece **pieces, size_t *count, sbl_pool *pool, const size_t *starts,
                          size_t classes, size_t most, sbl_error *err)
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

sbl_status sbl_loss_new(void **loss, const sbl_loss_kind *kind, const void *made, const sbl_target *target,
                        const sbl_generated *generated, sbl_error *err)
{
    sbl_status status;
    void *l = sbl_alloc_array(1, kind->size);
    *loss = NULL;
    if (l == NULL) return sbl_no_memory(err, "training");
    ((sbl_loss *)l)->tensors = sbl_tensors_on(generated->on);
    SBL_TRY(kind->init(l, made, target, generated, err));
    *loss = l;
    l = NULL;
done:
    sbl_loss_free(kind, l);
    return status;
}

void sbl_loss_free(const sbl_loss_kind *kind, void *loss)
{
    if (loss == NULL) return;
    if (kind->clear != NULL) kind->clear(loss);
    sbl_tensors_clear(&((sbl_loss *)loss)->tensors);
    sbl_pool_clear(&((sbl_loss *)loss)->pool);
    sbl_free(loss);
}

sbl_running *sbl_loss_memory(const sbl_loss_kind *kind, void *loss, size_t i)
{
    if (kind->memory != NULL) return kind->memory(loss, i);
    return i == 0 ? &((sbl_loss *)loss)->running : NULL;
}
