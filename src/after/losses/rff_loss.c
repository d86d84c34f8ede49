/* SPDX-License-Identifier: Apache-2.0 */
/* The loss of random Fourier features of tables (Harder, Adamczewski and Park 2021):
 *     L = weight sum_c w_c (1/F) |E_c[cos, sin] - T_c|^2
 * E_c: share of class c times the mean over the generated batch's rows of that class of the features of its
 * numbers and drawn codes; T: the target. The gradient of a drawn code is taken for that of its
 * probability (straight through; Bengio, Leonard and Courville 2013).
 * Gradient of a pair in x: (-sin(w . x) w, cos(w . x) w).
 * For the unbiased distance sums are over rows - 1, since every row has the same length, and the class weighs less by
 * (rows - 1) / rows.
 *
 * Frequencies go in groups of panels: first the panels of a group, each by one thread, give their
 * losses and the slopes of their phases; then the rows, each by one thread, take in the slopes of
 * the panels in order. So a row's gradient is added up in one order for any number of threads and
 * any size of the groups, which is chosen for the cache. */
#include <math.h>
#include <string.h>

#include "after/losses/loss.h"
#include "base/compute/fourier.h"
#include "base/compute/threads.h"
#include "public/features/rff_frequencies.h"

#define PANEL SBL_FOURIER_PANEL
#define GROUP_NUMBERS (1u << 18) /* slopes of a group, about */
#define CHUNK (2 * SBL_FOURIER_ROWS)

typedef struct rff_loss {
    sbl_loss common;
    const sbl_rff *rff;
    size_t panels, group; /* group: panels at a time */
    int threads;
    float *row_weight;   /* (C): share over rows, or over rows - 1 */
    float *class_weight; /* (C): of a class and a frequency in the loss */
    float *target;       /* (panels, C, 2 PANEL) */
    float *joint_panels; /* (joint panels, d + T, PANEL): numbers and codes side by side */
    float *slopes;       /* (group, PANEL, padded) */
    float *sines;        /* (threads, PANEL, padded) */
    double *losses;      /* (panels) */
} rff_loss;

static sbl_status allocate(rff_loss *l, const sbl_generated *generated, sbl_error *err)
{
    const size_t classes = generated->facts->classes, slopes = SBL_FOURIER_SLOPES(generated->padded_rows);
    sbl_status status = SBL_OK;
    SBL_POOL(&l->common.pool, l->row_weight, classes, 1, "training");
    SBL_POOL(&l->common.pool, l->class_weight, classes, 1, "training");
    SBL_POOL(&l->common.pool, l->target, l->panels * 2 * PANEL, classes, "training");
    SBL_POOL(&l->common.pool, l->joint_panels, sbl_fourier_panel_count(l->rff->joint) * PANEL,
             l->rff->columns + l->rff->onehot, "training");
    SBL_POOL(&l->common.pool, l->slopes, l->group, slopes, "training");
    SBL_POOL(&l->common.pool, l->sines, (size_t)l->threads, slopes, "training");
    SBL_POOL(&l->common.pool, l->losses, l->panels, 1, "training");
done:
    return status;
}

static void set_constants(rff_loss *l, const sbl_target *target, const sbl_generated *generated)
{
    const size_t classes = generated->facts->classes, count = l->rff->frequencies;
    for (size_t c = 0; c < classes; c++) {
        const size_t rows = generated->starts[c + 1] - generated->starts[c];
        const size_t divisor = sbl_target_divisor(target, SBL_DISTANCE_PLAIN, rows);
        if (divisor > 0) {
            const double scale = (double)divisor / (double)rows;
            l->row_weight[c] = (float)(generated->shares[c] / (double)divisor);
            l->class_weight[c] = (float)(target->weight * generated->weights[c] * scale / (double)count);
        }
        for (size_t f = 0; f < count; f++)
            memcpy(l->target + ((f / PANEL * classes + c) * PANEL + f % PANEL) * 2,
                   target->means + (c * count + f) * 2, 2 * sizeof(float));
    }
}

static void join_panels(rff_loss *l)
{
    const size_t numbers = l->rff->columns * PANEL, codes = l->rff->onehot * PANEL;
    for (size_t p = 0; p < sbl_fourier_panel_count(l->rff->joint); p++) {
        float *panel = l->joint_panels + p * (numbers + codes);
        memcpy(panel, l->rff->panels + p * numbers, numbers * sizeof *panel);
        memcpy(panel + numbers, l->rff->code_panels + p * codes, codes * sizeof *panel);
    }
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    const size_t slopes = SBL_FOURIER_SLOPES(generated->padded_rows);
    rff_loss *l = loss;
    l->rff = made;
    l->panels = sbl_fourier_panel_count(l->rff->frequencies);
    l->threads = sbl_thread_limit();
    l->group = GROUP_NUMBERS / slopes / (size_t)l->threads * (size_t)l->threads;
    if (l->group < 2 * (size_t)l->threads) l->group = 2 * (size_t)l->threads;
    if (l->group > l->panels) l->group = l->panels;
    SBL_CHECK(allocate(l, generated, err));
    set_constants(l, target, generated);
    join_panels(l);
    return SBL_OK;
}

/* A panel of frequencies and what it works on. Joint ones see all inputs, the others the numbers,
 * which come first. */
typedef struct panel_task {
    sbl_fourier_problem problem;
    const float *panel, *target;
    size_t lanes;
} panel_task;

static panel_task task_of(const rff_loss *l, const sbl_generated *generated, size_t p)
{
    const size_t first = p * PANEL, left = l->rff->frequencies - first;
    const size_t classes = generated->facts->classes;
    const bool joint = first < l->rff->joint;
    const size_t columns = l->rff->columns + (joint ? l->rff->onehot : 0);
    return (panel_task){.problem = {generated->padded_rows, columns, classes, generated->starts,
                                    l->row_weight, l->class_weight},
                        .panel = (joint ? l->joint_panels : l->rff->panels) + p * columns * PANEL,
                        .target = l->target + p * classes * 2 * PANEL,
                        .lanes = left < PANEL ? left : PANEL};
}

static void find_slopes(rff_loss *l, const sbl_generated *generated, size_t p, size_t place)
{
    const size_t size = SBL_FOURIER_SLOPES(generated->padded_rows);
    const panel_task task = task_of(l, generated, p);
    l->losses[p] = sbl_fourier_slopes(l->slopes + place * size, l->sines + (size_t)sbl_thread_index() * size,
                                      &task.problem, generated->inputs, task.panel, task.lanes, task.target);
}

/* Panels first .. last - 1 into the rows of one chunk. */
static void take_slopes(const rff_loss *l, sbl_generated *generated, size_t first, size_t last, size_t row)
{
    const size_t size = SBL_FOURIER_SLOPES(generated->padded_rows);
    const size_t end = row + CHUNK < generated->padded_rows ? row + CHUNK : generated->padded_rows;
    for (size_t p = first; p < last; p++) {
        const panel_task task = task_of(l, generated, p);
        sbl_fourier_gradient(generated->d_inputs, l->slopes + (p - first) * size, &task.problem, task.panel,
                             task.lanes, row, end);
    }
}

static double loss_step(void *loss, sbl_generated *generated)
{
    rff_loss *l = loss;
    double sum = 0;
    for (size_t first = 0; first < l->panels; first += l->group) {
        const size_t last = first + l->group < l->panels ? first + l->group : l->panels;
        SBL_OMP(omp parallel num_threads(l->threads))
        {
            SBL_OMP(omp for schedule(static, 1))
            for (size_t p = first; p < last; p++) find_slopes(l, generated, p, p - first);
            SBL_OMP(omp for schedule(static))
            for (size_t row = 0; row < generated->rows; row += CHUNK)
                take_slopes(l, generated, first, last, row);
        }
    }
    for (size_t p = 0; p < l->panels; p++) sum += l->losses[p];
    return sum;
}

const sbl_loss_kind sbl_loss_rff = {
    .feature = SBL_RFF,
    .size = sizeof(rff_loss),
    .init = loss_init,
    .step = loss_step,
};
