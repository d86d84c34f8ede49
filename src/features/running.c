/* The moving average of a loss's means, with the decay that starts at 0 and rises to the memory,
 * and its copies for checkpoints. */
#include "features/running.h"

#include <string.h>

#include "base/memory.h"

bool sbl_running_init(sbl_running *running, double memory, size_t count)
{
    *running = (sbl_running){.count = count, .memory = memory};
    if (memory > 0) running->past = sbl_alloc_array(count, sizeof *running->past);
    return memory <= 0 || running->past != NULL;
}

void sbl_running_clear(sbl_running *running)
{
    sbl_free(running->past);
    *running = (sbl_running){0};
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
