/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Scores a state by the losses of features that training does not follow, with their running
 * mean used as a plain mean over the batches of one look; keeps the means of the best state, so
 * that its distance to the last one can be held against the noise. */
#include "after/train/validation.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

#define SURE 2                         /* deviations of the noise */
#define EARLY_ENOUGH ((size_t)1 << 20) /* steps after which a running mean has the decay it is given */

typedef struct validation_term {
    const sbl_loss_kind *kind;
    void *loss;
    sbl_running *running; /* the loss's; NULL: none */
    double noise;         /* weight times deviation of the target */
    float *kept;          /* (running->count), a part of the whole */
    float *last;          /* the same, of the state that was looked at last */
} validation_term;

struct sbl_validation {
    validation_term *terms;
    size_t count;
    float *kept; /* (2, kept_count): kept, last */
    size_t kept_count;
};

void sbl_validation_free(sbl_validation *validation)
{
    if (validation == NULL) return;
    for (size_t i = 0; i < validation->count; i++)
        sbl_loss_free(validation->terms[i].kind, validation->terms[i].loss);
    sbl_free(validation->terms);
    sbl_free(validation->kept);
    sbl_free(validation);
}

static sbl_status begin_term(validation_term *taken, const sbl_train_term *term,
                             const sbl_generated *generated, sbl_error *err)
{
    sbl_target target = *term->target;
    target.part = 0;
    target.memory = 0.5; /* of any size: every look says its own */
    *taken = (validation_term){.kind = term->kind, .noise = target.weight * target.deviation};
    const sbl_status status = sbl_loss_new(&taken->loss, taken->kind, term->made, &target, generated, err);
    if (status == SBL_OK) taken->running = sbl_loss_memory(taken->kind, taken->loss, 0);
    return status;
}

sbl_status sbl_validation_new(sbl_validation **validation, const sbl_train_term *terms, size_t count,
                              const sbl_generated *generated, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_validation *v;
    *validation = NULL;
    SBL_ALLOC(v, 1, "training");
    SBL_ALLOC(v->terms, count, "training");
    for (; v->count < count; v->count++) {
        validation_term *taken = &v->terms[v->count];
        SBL_TRY(begin_term(taken, &terms[v->count], generated, err));
        if (taken->running != NULL) v->kept_count += sbl_running_count(taken->running);
    }
    SBL_ALLOC(v->kept, 2 * v->kept_count, "training");
    float *kept = v->kept;
    for (size_t i = 0; i < count; i++) {
        if (v->terms[i].running == NULL) continue;
        v->terms[i].kept = kept;
        v->terms[i].last = kept + v->kept_count;
        kept += sbl_running_count(v->terms[i].running);
    }
    *validation = v;
    v = NULL;
done:
    sbl_validation_free(v);
    return status;
}

double sbl_validation_score(sbl_validation *validation, sbl_generated *generated, size_t batch)
{
    double score = 0;
    for (size_t i = 0; i < validation->count; i++) {
        sbl_running *running = validation->terms[i].running;
        if (running != NULL) { /* a plain mean: batch k enters with weight 1 / (k + 1) */
            running->steps = EARLY_ENOUGH;
            running->memory = (double)batch / (double)(batch + 1);
        }
        score += validation->terms[i].kind->step(validation->terms[i].loss, generated);
    }
    return score;
}

void sbl_validation_keep(sbl_validation *validation)
{
    for (size_t i = 0; i < validation->count; i++)
        if (validation->terms[i].running != NULL)
            sbl_running_save(validation->terms[i].kept, validation->terms[i].running);
}

/* sum_c w_c^2 |a_c - b_c|^2 of one validation_term; a running mean has all of class 0, all of class 1, ... */
static double distance(const validation_term *of, const sbl_generated *generated)
{
    const size_t classes = generated->facts->classes, width = of->running->count / classes;
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        const float *a = of->last + c * width, *b = of->kept + c * width;
        double squares = 0;
        for (size_t i = 0; i < width; i++) squares += (double)(a[i] - b[i]) * (double)(a[i] - b[i]);
        sum += generated->weights[c] * generated->weights[c] * squares;
    }
    return sum;
}

bool sbl_validation_is_worse(const sbl_validation *validation, const sbl_generated *generated, double score,
                             double kept)
{
    double variance = 0;
    for (size_t i = 0; i < validation->count; i++) {
        const validation_term *of = &validation->terms[i];
        if (of->running == NULL) continue;
        sbl_running_save(of->last, of->running);
        variance += of->noise * of->noise * distance(of, generated);
    }
    return score - kept > SURE * 2 * sqrt(variance);
}

float *sbl_validation_kept(sbl_validation *validation, size_t *count)
{
    *count = validation->kept_count;
    return validation->kept;
}
