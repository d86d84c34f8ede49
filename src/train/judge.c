/* [6] Scores a state by the losses of features that training does not follow, with their running
 * mean used as a plain mean over the batches of one look; keeps the means of the best state, so
 * that its distance to the last one can be held against the noise. */
#include "train/judge.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define SURE 2 /* deviations of the noise */
#define EARLY_ENOUGH \
    ((size_t)1 << 20) /* steps after which a running mean has the decay it is given */

typedef struct seat {
    const sbl_feature *feature;
    void *loss;
    sbl_running *running; /* the loss's; NULL: none */
    double noise;         /* weight times deviation of the target */
    float *kept;          /* (running->count), a part of the judge's */
} seat;

struct sbl_judge {
    seat *seats;
    size_t count;
    float *kept;
    size_t kept_count;
};

void sbl_judge_free(sbl_judge *judge)
{
    if (judge == NULL) return;
    for (size_t i = 0; i < judge->count; i++)
        sbl_loss_free(judge->seats[i].feature, judge->seats[i].loss);
    sbl_free(judge->seats);
    sbl_free(judge->kept);
    sbl_free(judge);
}

static sbl_status take_seat(seat *taken, const sbl_train_term *term, const sbl_generated *generated,
                            sbl_error *err)
{
    sbl_target target = *term->target;
    target.part = 0;
    target.memory = 0.5; /* of any size: every look says its own */
    *taken = (seat){.feature = term->feature, .noise = target.weight * target.deviation};
    const sbl_status status =
        sbl_loss_new(&taken->loss, taken->feature, term->made, &target, generated, err);
    if (status == SBL_OK) taken->running = sbl_loss_memory(taken->feature, taken->loss, 0);
    return status;
}

sbl_status sbl_judge_new(sbl_judge **judge, const sbl_train_term *terms, size_t count,
                         const sbl_generated *generated, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_judge *j;
    *judge = NULL;
    SBL_ALLOC(j, 1, "training");
    SBL_ALLOC(j->seats, count, "training");
    for (; j->count < count; j->count++) {
        seat *taken = &j->seats[j->count];
        SBL_TRY(take_seat(taken, &terms[j->count], generated, err));
        if (taken->running != NULL) j->kept_count += sbl_running_count(taken->running);
    }
    SBL_ALLOC(j->kept, j->kept_count, "training");
    float *kept = j->kept;
    for (size_t i = 0; i < count; i++) {
        if (j->seats[i].running == NULL) continue;
        j->seats[i].kept = kept;
        kept += sbl_running_count(j->seats[i].running);
    }
    *judge = j;
    j = NULL;
done:
    sbl_judge_free(j);
    return status;
}

double sbl_judge_look(sbl_judge *judge, sbl_generated *generated, size_t batch)
{
    double score = 0;
    for (size_t i = 0; i < judge->count; i++) {
        sbl_running *running = judge->seats[i].running;
        if (running != NULL) { /* a plain mean: batch k enters with weight 1 / (k + 1) */
            running->steps = EARLY_ENOUGH;
            running->memory = (double)batch / (double)(batch + 1);
        }
        score += judge->seats[i].feature->loss_step(judge->seats[i].loss, generated);
    }
    return score;
}

void sbl_judge_keep(sbl_judge *judge)
{
    for (size_t i = 0; i < judge->count; i++)
        if (judge->seats[i].running != NULL)
            sbl_running_save(judge->seats[i].kept, judge->seats[i].running);
}

/* sum_c w_c^2 |a_c - b_c|^2 of one seat; a running mean has all of class 0, all of class 1, ... */
static double distance(const seat *of, const sbl_generated *generated)
{
    const size_t classes = generated->facts->classes, width = of->running->count / classes;
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        const float *a = of->running->past + c * width, *b = of->kept + c * width;
        double squares = 0;
        for (size_t i = 0; i < width; i++) squares += (double)(a[i] - b[i]) * (double)(a[i] - b[i]);
        sum += generated->weights[c] * generated->weights[c] * squares;
    }
    return sum;
}

bool sbl_judge_is_worse(const sbl_judge *judge, const sbl_generated *generated, double score,
                        double kept)
{
    double variance = 0;
    for (size_t i = 0; i < judge->count; i++) {
        const seat *of = &judge->seats[i];
        if (of->running != NULL) variance += of->noise * of->noise * distance(of, generated);
    }
    return score - kept > SURE * 2 * sqrt(variance);
}

float *sbl_judge_kept(sbl_judge *judge, size_t *count)
{
    *count = judge->kept_count;
    return judge->kept;
}
