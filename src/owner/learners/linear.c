/* SPDX-License-Identifier: Apache-2.0 */
/* Logistic regression and the linear support vector machine of LIBLINEAR (Fan, Chang, Hsieh, Wang
 * and Lin 2008), C = 1, with an intercept:
 *     min_w  |w|^2 / 2 + C sum_i loss(y_i w x_i)
 * with loss log(1 + exp(-t)), or max(0, 1 - t)^2. Several classes: each against the rest, as the
 * library does it, but with one call for each, since progress can only stop between calls. Both use
 * the Newton solver in the primal: the solver in the dual has the same minimum, but shuffles by
 * rand(3), whose state belongs to the whole process. */
#include "owner/learners/learner.h"

#ifdef SBL_HAVE_LIBLINEAR

#include <linear.h>
#include <math.h>

#include "base/alloc.h"
#include "base/compute/lapack.h"
#include "base/library.h"
#include "owner/learners/design.h"

#define STOP_AT 1e-3
#define END_OF_ROW (-1)

static void print_nothing(const char *text) { (void)text; }

/* ---- the library ---- */

/* The functions of LIBLINEAR that are called. The library is opened when it is first needed: it loads a BLAS, which takes memory. */
typedef struct linear_calls {
    struct model *(*train)(const struct problem *problem, const struct parameter *parameter);
    double (*predict_values)(const struct model *model, const struct feature_node *nodes, double *values);
    void (*free_model)(struct model **model);
    void (*set_print)(void (*print)(const char *text));
} linear_calls;

static const sbl_library_call calls[] = {
    {"train", offsetof(linear_calls, train)},
    {"predict_values", offsetof(linear_calls, predict_values)},
    {"free_and_destroy_model", offsetof(linear_calls, free_model)},
    {"set_print_string_function", offsetof(linear_calls, set_print)},
};

/* It stays loaded.   Returns: SBL_OK; SBL_EMEM: its BLAS would not have the memory; SBL_EARG: it is not installed */
static sbl_status linear_open(linear_calls *linear, sbl_error *err)
{
    const sbl_status status = sbl_lapack_check_room(err);
    if (status != SBL_OK) return status;
    void *library = sbl_library_open_beside(NULL, SBL_NUMERIC_LIBRARY);
    if (library == NULL) library = sbl_library_open(SBL_LIBLINEAR_NAME);
    if (library == NULL || sbl_library_find(linear, library, calls, sizeof calls / sizeof *calls) != NULL)
        return sbl_fail(err, SBL_EARG, "LIBLINEAR, " SBL_LIBLINEAR_NAME ", is not installed here");
    return SBL_OK;
}

const char *sbl_linear_missing(void)
{
    linear_calls linear;
    const sbl_status status = linear_open(&linear, NULL);
    return status == SBL_OK     ? NULL
           : status == SBL_EMEM ? "there is not enough memory for its BLAS"
                                : "LIBLINEAR is not installed";
}

/* ---- rows ---- */

/* Features that are not zero, the intercept, and the end mark; gives how many. LIBLINEAR counts
 * from 1. */
static size_t fill_row(struct feature_node *nodes, const sbl_design *design, const sbl_samples *samples,
                       size_t row)
{
    size_t next = 0;
    for (size_t j = 0; j < design->number_count; j++) {
        const double value = sbl_design_number(design, samples, row, j);
        if (value != 0) nodes[next++] = (struct feature_node){(int)j + 1, value};
    }
    for (size_t k = 0; k < design->category_count; k++) {
        const size_t place = design->offset[k] + samples->codes[row * samples->category_count + k];
        nodes[next++] = (struct feature_node){(int)place + 1, 1};
    }
    nodes[next++] = (struct feature_node){(int)design->width + 1, 1};
    nodes[next++] = (struct feature_node){END_OF_ROW, 0};
    return next;
}

/* The most that a row takes. */
static size_t row_nodes(const sbl_design *design)
{
    return design->number_count + design->category_count + 2;
}

/* What the rows take together: pixels are mostly zero. */
static size_t count_nodes(const sbl_design *design, const sbl_samples *samples)
{
    size_t count = samples->rows * (design->category_count + 2);
    for (size_t i = 0; i < samples->rows; i++)
        for (size_t j = 0; j < design->number_count; j++)
            count += sbl_design_number(design, samples, i, j) != 0 ? 1 : 0;
    return count;
}

/* All rows of train, one behind the other. */
typedef struct linear_problem {
    struct feature_node *nodes, **rows;
    double *labels;
    size_t node_count;
} linear_problem;

static void problem_clear(linear_problem *problem)
{
    sbl_free_wiped(problem->nodes, problem->node_count * sizeof *problem->nodes);
    sbl_free(problem->rows);
    sbl_free(problem->labels);
    *problem = (linear_problem){0};
}

static sbl_status problem_init(linear_problem *problem, const sbl_design *design, const sbl_samples *train,
                               sbl_error *err)
{
    size_t next = 0;
    *problem = (linear_problem){.node_count = count_nodes(design, train)};
    problem->nodes = sbl_alloc_array(problem->node_count, sizeof *problem->nodes);
    problem->rows = sbl_alloc_array(train->rows, sizeof(void *));
    problem->labels = sbl_alloc_array(train->rows, sizeof *problem->labels);
    if (problem->nodes == NULL || problem->rows == NULL || problem->labels == NULL) {
        problem_clear(problem);
        return sbl_no_memory(err, "a linear model");
    }
    for (size_t i = 0; i < train->rows; i++) {
        problem->rows[i] = problem->nodes + next;
        next += fill_row(problem->rows[i], design, train, i);
    }
    return SBL_OK;
}

/* What was learned: one model for each class that train has, against the rest; for two classes, one of the two. */
typedef struct linear_models {
    linear_calls linear;
    struct model **of; /* (classes); NULL: train does not have the class */
    size_t classes;
    size_t seen;     /* classes that train has */
    size_t positive; /* of two: the class that of[positive] says yes to; the other is `negative` */
    size_t negative;
    bool logistic;
} linear_models;

static void models_clear(linear_models *models)
{
    for (size_t c = 0; models->of != NULL && c < models->classes; c++)
        if (models->of[c] != NULL) models->linear.free_model(&models->of[c]);
    sbl_free(models->of);
}

/* Which classes train has. Of two, the one of the first row is the positive one, as LIBLINEAR has it. */
static void look_at_classes(linear_models *models, const sbl_samples *samples)
{
    models->positive = samples->labels[0];
    models->negative = models->positive;
    for (size_t c = 0; c < models->classes; c++) {
        bool found = false;
        for (size_t i = 0; i < samples->rows && !found; i++) found = samples->labels[i] == c;
        models->seen += found;
        if (found && c != models->positive) models->negative = c;
    }
}

/* Learn whether a row has the class. */
static void learn_class(linear_models *models, size_t class, linear_problem *made, int solver,
                        const sbl_design *design, const sbl_samples *samples)
{
    const struct parameter parameter = {.solver_type = solver, .eps = STOP_AT, .C = 1, .p = 0.1};
    const struct problem problem = {
        .l = (int)samples->rows, .n = (int)design->width + 1, .y = made->labels, .x = made->rows, .bias = 1};
    bool found = false;
    for (size_t i = 0; i < samples->rows; i++) {
        made->labels[i] = samples->labels[i] == class ? 1 : -1;
        found = found || samples->labels[i] == class;
    }
    if (found) models->of[class] = models->linear.train(&problem, &parameter);
}

/* LIBLINEAR gives the value of the label that it met first. */
static double value_of(const linear_models *models, size_t class, const struct feature_node *nodes)
{
    const struct model *model = models->of[class];
    double value;
    (void)models->linear.predict_values(model, nodes, &value);
    return model->label[0] == 1 ? value : -value;
}

/* Values, or the probabilities that LIBLINEAR makes of them: logistic, to a sum of one. */
static void score_row(double *scores, const linear_models *models, const struct feature_node *nodes)
{
    double sum = 0;
    for (size_t c = 0; c < models->classes; c++) {
        scores[c] = models->of[c] != NULL ? value_of(models, c, nodes) : 0;
        if (models->of[c] == NULL || !models->logistic) continue;
        scores[c] = 1 / (1 + exp(-scores[c]));
        sum += scores[c];
    }
    if (models->seen == 2)
        scores[models->negative] =
            models->logistic ? 1 - scores[models->positive] : -scores[models->positive];
    else if (models->logistic)
        for (size_t c = 0; c < models->classes; c++) scores[c] /= sum;
}

static sbl_status predict_rows(double *scores, const linear_models *models, const sbl_design *design,
                               const sbl_samples *test, sbl_error *err)
{
    struct feature_node *nodes = sbl_alloc_array(row_nodes(design), sizeof *nodes);
    if (nodes == NULL) return sbl_no_memory(err, "the scores of a linear model");
    for (size_t i = 0; i < test->rows; i++) {
        (void)fill_row(nodes, design, test, i);
        score_row(scores + i * models->classes, models, nodes);
    }
    sbl_free(nodes);
    return SBL_OK;
}

static sbl_status learn_linear(double *scores, int solver, const sbl_samples *samples,
                               const sbl_samples *test, const sbl_progress_span *progress, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_design design = {0};
    linear_problem made = {0};
    linear_models models = {.classes = samples->class_count, .logistic = solver == L2R_LR};
    SBL_TRY(linear_open(&models.linear, err));
    models.of = sbl_alloc_array(models.classes, sizeof(void *));
    if (models.of == NULL) SBL_TRY(sbl_no_memory(err, "a linear model"));
    SBL_TRY(sbl_design_init(&design, samples, err));
    SBL_TRY(problem_init(&made, &design, samples, err));
    look_at_classes(&models, samples);
    models.linear.set_print(print_nothing);
    for (size_t c = 0; c < models.classes; c++) {
        if (models.seen == 2 && c != models.positive) continue;
        if (!sbl_progress_goes_on(progress, c, models.classes)) goto done;
        learn_class(&models, c, &made, solver, &design, samples);
    }
    SBL_TRY(predict_rows(scores, &models, &design, test, err));
done:
    models_clear(&models);
    problem_clear(&made);
    sbl_design_clear(&design);
    return status;
}

sbl_status sbl_learn_logistic(double *scores, const sbl_samples *train, const sbl_samples *test,
                              const sbl_learner_options *options, sbl_error *err)
{
    return learn_linear(scores, L2R_LR, train, test, options->progress, err);
}

sbl_status sbl_learn_svm(double *scores, const sbl_samples *train, const sbl_samples *test,
                         const sbl_learner_options *options, sbl_error *err)
{
    return learn_linear(scores, L2R_L2LOSS_SVC, train, test, options->progress, err);
}

#else

const char *sbl_linear_missing(void) { return "built without LIBLINEAR"; }

sbl_status sbl_learn_logistic(double *scores, const sbl_samples *train, const sbl_samples *test,
                              const sbl_learner_options *options, sbl_error *err)
{
    (void)scores, (void)train, (void)test, (void)options;
    return sbl_fail(err, SBL_EARG, "this build has no LIBLINEAR");
}

sbl_status sbl_learn_svm(double *scores, const sbl_samples *train, const sbl_samples *test,
                         const sbl_learner_options *options, sbl_error *err)
{
    return sbl_learn_logistic(scores, train, test, options, err);
}

#endif
