/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Reads the blocks of each question from a release and answers it, group by group or term by term. */
#include "after/answers/answers.h"

#include <math.h>
#include <string.h>

#include "after/answers/regression.h"
#include "base/alloc.h"
#include "base/file.h"
#include "public/plan/plan.h"
#include "semblance/account.h"

#define VERSION 1
#define DELTA_USUAL 1e-5
#define LEAST_COUNT 3.0 /* deviations of noise above 0 of a category that is not empty */
#define EVEN 3.0        /* a number that is spread evenly over [-1, 1] has a mean square of 1/3 */

typedef struct reading {
    const sbl_release *release;
    const sbl_facts *facts;
    const char *where;
    double delta;
} reading;

/* ---- pieces of the document ---- */

/* NaN and infinity are null: not known, no bound. */
static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *answer_json(json_t *object, const sbl_answer *answer)
{
    object = sbl_json_put(object, "estimate", number(answer->estimate));
    object = sbl_json_put(object, "low", number(answer->table.low));
    object = sbl_json_put(object, "high", number(answer->table.high));
    object = sbl_json_put(object, "population_low", number(answer->population.low));
    object = sbl_json_put(object, "population_high", number(answer->population.high));
    return sbl_json_put(object, "noise", number(answer->noise));
}

static json_t *group_json(const sbl_question *q, const sbl_facts *facts, size_t cell)
{
    json_t *group = json_object();
    for (size_t i = 0; i < q->column_count; i++) {
        const char *category = sbl_question_category(q, facts, i, sbl_question_code(q, facts, cell, i));
        group = sbl_json_put(group, facts->schema->columns[q->columns[i]].name,
                             category != NULL ? json_string(category) : json_null());
    }
    return group;
}

/* ---- blocks ---- */

static sbl_status find_block(const sbl_block **block, const reading *r, size_t number, const char *part,
                             size_t width, sbl_error *err)
{
    char name[SBL_BLOCK_NAME_SIZE];
    sbl_question_block(name, number, part);
    *block = sbl_release_find(r->release, name);
    return *block != NULL && (*block)->width == width
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "%s: the release does not match its plan", r->where);
}

/* mu of one block: its bound, the multiplier, and what replacing a record costs (docs/mechanisms/answers.md). */
static double mu_of(const sbl_release *release, const sbl_block *block, double factor)
{
    const double rows = release->rows_per_unit != 0 ? (double)release->rows_per_unit : 1.0;
    const double moved = (release->neighbours == SBL_REPLACE_ONE ? 2.0 : 1.0) * factor;
    return rows * sqrt(moved * (double)block->bound2) *
           ldexp((double)block->multiplier, -SBL_NOISE_SCALE_BITS);
}

/* ---- counts, sums and means ---- */

/* Sums that add up to the public n, whatever the records hold, are moved there: the same to each. */
static double tie(double *values, size_t count, const reading *r, const sbl_question *q)
{
    double total = 0.0;
    if (r->release->n == 0 || !sbl_question_is_total(q, r->facts)) return 1.0;
    for (size_t i = 0; i < count; i++) total += values[i];
    const double each = (total - (double)r->release->n) / (double)count;
    for (size_t i = 0; i < count; i++) values[i] -= each;
    return 1.0 - 1.0 / (double)count;
}

static sbl_answer answer_group(const double *values, const sbl_question *q, const sbl_group_facts *facts,
                               size_t cell)
{
    if (q->kind == SBL_QUESTION_COUNT) return sbl_answer_count(values[cell], facts);
    return q->kind == SBL_QUESTION_SUM ? sbl_answer_sum(values + 3 * cell, facts)
                                       : sbl_answer_mean(values + 3 * cell, facts);
}

static sbl_status answer_groups(json_t **list, sbl_question_noise *noise, const reading *r,
                                const sbl_question *q, size_t number, sbl_error *err)
{
    const size_t count = q->cells * (q->kind == SBL_QUESTION_COUNT ? 1 : 3);
    const sbl_block *block;
    double *values = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(values, count, "answers");
    SBL_TRY(find_block(&block, r, number, NULL, count, err));
    for (size_t i = 0; i < count; i++) values[i] = sbl_release_estimate(r->release, block, 0, i);
    noise->deviation = sbl_release_noise_deviation(r->release, block);
    noise->mu = mu_of(r->release, block, 1.0);
    noise->tied = tie(values, count, r, q);
    sbl_group_facts facts = {.noise = noise->deviation,
                             .tied = noise->tied,
                             .n = r->release->n,
                             .sampled = r->release->rows_per_unit <= 1};
    if (q->value != SBL_NO_COLUMN) {
        facts.low = r->facts->schema->columns[q->value].minimum;
        facts.high = r->facts->schema->columns[q->value].maximum;
    }
    for (size_t cell = 0; cell < q->cells; cell++) {
        const sbl_answer answer = answer_group(values, q, &facts, cell);
        json_t *object = sbl_json_put(json_object(), "group", group_json(q, r->facts, cell));
        *list = sbl_json_append(*list, answer_json(object, &answer));
    }
done:
    sbl_free(values);
    return status;
}

/* ---- regression ---- */

static double half_of(const sbl_column *column) { return (column->maximum - column->minimum) / 2.0; }
static double middle_of(const sbl_column *column) { return (column->maximum + column->minimum) / 2.0; }

/* One entry of the matrix, in both triangles. */
static void put(sbl_regression_moments *m, size_t i, size_t j, double value, double noise, size_t same)
{
    const size_t at[2] = {i * m->width + j, j * m->width + i};
    for (size_t k = 0; k < 2; k++) {
        m->matrix[at[k]] = value;
        m->noise[at[k]] = noise;
        m->same[at[k]] = same;
    }
}

/* Categories are 0 or 1: two of one column exclude each other, and the square is the product with the constant,
 * so both measurements of it are averaged by their precision. */
static void use_categories(sbl_regression_moments *m, const sbl_question *q, const sbl_facts *facts)
{
    const size_t w = m->width;
    for (size_t i = 1; i < w; i++) {
        const sbl_coordinate a = sbl_question_coordinate(q, facts, i);
        if (!a.category) continue;
        const double square = m->noise[i * w + i] * m->noise[i * w + i];
        const double product = m->noise[i] * m->noise[i];
        const double value = (m->matrix[i * w + i] * product + m->matrix[i] * square) / (square + product);
        const double noise = sqrt(square * product / (square + product));
        put(m, i, i, value, noise, i);
        put(m, 0, i, value, noise, i);
        for (size_t j = i + 1; j < w; j++) {
            const sbl_coordinate b = sbl_question_coordinate(q, facts, j);
            if (b.category && b.column == a.column) put(m, i, j, 0.0, 0.0, 0);
        }
    }
}

static sbl_status read_moments(sbl_regression_moments *m, sbl_question_noise *noise, const reading *r,
                               const sbl_question *q, size_t number, sbl_error *err)
{
    const size_t w = q->width;
    const sbl_block *squares, *products;
    size_t next = 0;
    SBL_CHECK(find_block(&squares, r, number, "squares", w, err));
    SBL_CHECK(find_block(&products, r, number, "products", w * (w - 1) / 2, err));
    noise->deviation = sbl_release_noise_deviation(r->release, squares);
    noise->products = sbl_release_noise_deviation(r->release, products);
    noise->mu = fmax(mu_of(r->release, squares, 1.0), mu_of(r->release, products, 0.5));
    for (size_t i = 0; i < w; i++) {
        put(m, i, i, sbl_release_estimate(r->release, squares, 0, i), noise->deviation, i * w + i);
        for (size_t j = i + 1; j < w; j++)
            put(m, i, j, sbl_release_estimate(r->release, products, 0, next++), noise->products, i * w + j);
    }
    use_categories(m, q, r->facts);
    return SBL_OK;
}

/* Coefficients in the units of the columns. */
static void rescale(sbl_answer *answers, const sbl_question *q, const sbl_facts *facts)
{
    const sbl_column *value = &facts->schema->columns[q->value];
    for (size_t i = 0; i + 1 < q->width; i++) {
        const sbl_coordinate c = sbl_question_coordinate(q, facts, i);
        const bool number = c.column != SBL_NO_COLUMN && !c.category;
        const double by = half_of(value) / (number ? half_of(&facts->schema->columns[c.column]) : 1.0);
        const double plus = i == 0 ? middle_of(value) : 0.0;
        sbl_interval *both[2] = {&answers[i].table, &answers[i].population};
        answers[i].estimate = answers[i].estimate * by + plus;
        answers[i].noise *= by;
        for (size_t k = 0; k < 2; k++)
            *both[k] = (sbl_interval){both[k]->low * by + plus, both[k]->high * by + plus};
    }
}

static json_t *term_json(const sbl_question *q, const sbl_facts *facts, size_t i)
{
    const sbl_coordinate c = sbl_question_coordinate(q, facts, i);
    if (c.column == SBL_NO_COLUMN) return json_pack("{s:s}", "term", "(constant)");
    const sbl_column *column = &facts->schema->columns[c.column];
    if (!c.category) return json_pack("{s:s}", "term", column->name);
    return json_pack("{s:s, s:s}", "term", column->name, "category", column->categories.items[c.code]);
}

/* Is it a category that cannot be told from an empty one? It is left out: its records are as the first category. */
static bool is_empty(const sbl_regression_moments *m, const sbl_question *q, const sbl_facts *facts, size_t i)
{
    const size_t at = i * m->width + i;
    return sbl_question_coordinate(q, facts, i).category && !(m->matrix[at] > LEAST_COUNT * m->noise[at]);
}

/* Leaves out empty categories. kept: (width) the coordinates that are left, in order. */
static void leave_out(sbl_regression_moments *m, size_t *kept, const sbl_question *q, const sbl_facts *facts)
{
    const size_t w = m->width;
    size_t left = 0;
    for (size_t i = 0; i < w; i++)
        if (!is_empty(m, q, facts, i)) kept[left++] = i;
    /* Rows and columns only move to the left, so nothing is written over before it is read. */
    for (size_t i = 0; i < left; i++)
        for (size_t j = 0; j < left; j++) {
            m->matrix[i * left + j] = m->matrix[kept[i] * w + kept[j]];
            m->noise[i * left + j] = m->noise[kept[i] * w + kept[j]];
            m->same[i * left + j] = m->same[kept[i] * w + kept[j]];
        }
    for (size_t i = 0; i + 1 < left; i++) m->intercept[i] = m->intercept[kept[i]];
    m->width = left;
}

static void fill_intercept(double *intercept, const sbl_question *q, const sbl_facts *facts)
{
    intercept[0] = 1.0;
    for (size_t i = 1; i + 1 < q->width; i++) {
        const sbl_coordinate c = sbl_question_coordinate(q, facts, i);
        const sbl_column *column = &facts->schema->columns[c.column];
        intercept[i] = c.category ? 0.0 : -middle_of(column) / half_of(column);
    }
}

static sbl_status answer_terms(json_t **list, sbl_question_noise *noise, const reading *r,
                               const sbl_question *q, size_t number, sbl_error *err)
{
    const size_t w = q->width;
    sbl_regression_moments m = {.width = w, .draws = w * w, .sampled = r->release->rows_per_unit <= 1};
    const sbl_interval all = {-INFINITY, INFINITY};
    sbl_pool pool = {0};
    sbl_answer *answers, *found;
    size_t *kept;
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, m.matrix, w, w, "a regression");
    SBL_POOL(&pool, m.noise, w, w, "a regression");
    SBL_POOL(&pool, m.same, w, w, "a regression");
    SBL_POOL(&pool, m.intercept, w, 1, "a regression");
    SBL_POOL(&pool, answers, w, 1, "a regression");
    SBL_POOL(&pool, found, w, 1, "a regression");
    SBL_POOL(&pool, kept, w, 1, "a regression");
    fill_intercept(m.intercept, q, r->facts);
    SBL_TRY(read_moments(&m, noise, r, q, number, err));
    leave_out(&m, kept, q, r->facts);
    SBL_TRY(sbl_regression_answer(found, &m, err));
    for (size_t i = 0; i + 1 < w; i++) answers[i] = (sbl_answer){NAN, INFINITY, all, all};
    for (size_t i = 0; i + 1 < m.width; i++) answers[kept[i]] = found[i];
    rescale(answers, q, r->facts);
    for (size_t i = 0; i + 1 < w; i++)
        *list = sbl_json_append(*list, answer_json(term_json(q, r->facts, i), &answers[i]));
done:
    sbl_pool_clear(&pool);
    return status;
}

/* ---- the document ---- */

static sbl_status answer_question(json_t **answered, const reading *r, const sbl_plan_item *item,
                                  sbl_error *err)
{
    sbl_question q;
    size_t number;
    sbl_question_noise noise = {.tied = 1.0};
    sbl_text words = {0};
    json_t *list = json_array();
    double epsilon = 0.0;
    sbl_status status = SBL_OK;
    *answered = NULL;
    SBL_TRY(sbl_question_of_parameters(&q, &number, item->parameters, r->facts, err));
    SBL_TRY(q.kind == SBL_QUESTION_REGRESS ? answer_terms(&list, &noise, r, &q, number, err)
                                           : answer_groups(&list, &noise, r, &q, number, err));
    SBL_TRY(sbl_mixed_epsilon(&epsilon, noise.mu, 0.0, 0, r->delta, err));
    sbl_question_describe(&words, item->parameters);
    SBL_TRY(sbl_text_check(&words, "answers", err));
    *answered = json_pack("{s:I, s:s, s:s, s:O, s:f, s:f, s:f}", "number", (json_int_t)number, "kind",
                          sbl_question_names[q.kind], "question", words.data, "asked", item->parameters,
                          "epsilon", epsilon, "mu", noise.mu, "sum_noise", noise.deviation);
    /* Noise of groups that are tied to their public total is not independent. */
    *answered = sbl_json_put(*answered, "tied", json_boolean(noise.tied < 1.0));
    *answered = sbl_json_put(*answered, "answers", list);
    list = NULL;
    if (*answered == NULL) status = sbl_no_memory(err, "answers");
done:
    sbl_text_clear(&words);
    json_decref(list);
    return status;
}

static sbl_status answer_all(json_t **answers, const reading *r, const sbl_plan *plan, sbl_error *err)
{
    json_t *list = json_array();
    json_t *one = NULL;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < plan->count; i++) {
        if (strcmp(plan->items[i].feature, SBL_ANSWER_FEATURE) != 0) continue;
        SBL_TRY(answer_question(&one, r, &plan->items[i], err));
        list = sbl_json_append(list, one);
    }
    if (json_array_size(list) == 0)
        SBL_FAIL(err, SBL_EINPUT, "%s is not a release that answers questions", r->where);
    *answers =
        json_pack("{s:I, s:f, s:f, s:s, s:I, s:I}", "version", (json_int_t)VERSION, "level", SBL_ANSWER_LEVEL,
                  "delta", r->delta, "neighbours", sbl_neighbours_name(r->release->neighbours), "rows",
                  (json_int_t)r->release->n, "rows_per_person", (json_int_t)r->release->rows_per_unit);
    if (r->release->test_key) *answers = sbl_json_put(*answers, "guarantee", json_string("NONE"));
    *answers = sbl_json_put(*answers, "questions", list);
    list = NULL;
    if (*answers == NULL) status = sbl_no_memory(err, "answers");
done:
    json_decref(list);
    return status;
}

sbl_status sbl_answers_read(json_t **answers, const sbl_release *release, const char *where, sbl_error *err)
{
    sbl_plan plan = {0};
    sbl_facts facts = {0};
    reading r = {.release = release, .facts = &facts, .where = where};
    sbl_status status = SBL_OK;
    *answers = NULL;
    SBL_TRY(sbl_plan_parse(&plan, &facts, release->plan, where, err));
    const double delta = json_number_value(json_object_get(plan.settings, "delta"));
    r.delta = delta > 0.0 && delta < 1.0 ? delta : DELTA_USUAL;
    SBL_TRY(answer_all(answers, &r, &plan, err));
done:
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
    return status;
}

sbl_status sbl_answers_save(const char *path, const sbl_release *release, bool overwrite, sbl_error *err)
{
    const sbl_file_write_options public_file = {.mode = 0644, .overwrite = overwrite};
    json_t *answers = NULL;
    char *text = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_answers_read(&answers, release, "the release", err));
    text = sbl_path_ends_in(path, ".json") ? sbl_json_pretty(answers) : sbl_answers_csv(answers);
    if (text == NULL) SBL_TRY(sbl_no_memory(err, "answers"));
    SBL_TRY(sbl_file_write(path, text, strlen(text), public_file, err));
done:
    sbl_free(text);
    json_decref(answers);
    return status;
}

/* ---- widths ---- */

double sbl_answer_width(const char **unit, const sbl_question *question, const sbl_facts *facts,
                        const sbl_question_noise *noise, uint64_t n)
{
    const double group = (double)n / (double)question->cells;
    const double z = SBL_ANSWER_Z * noise->deviation;
    *unit = "rows";
    if (question->kind == SBL_QUESTION_COUNT) return z;
    const sbl_column *value = &facts->schema->columns[question->value];
    const double low = value->minimum, high = value->maximum, middle = (low + high) / 2.0;
    *unit = value->name;
    if (question->kind == SBL_QUESTION_SUM) return z * sqrt(low * low + middle * middle + high * high);
    if (question->kind == SBL_QUESTION_MEAN) return half_of(value) * z * sqrt(2.0) / group;
    *unit = "of the range of the value, over the range of a number";
    return SBL_ANSWER_Z * noise->products * EVEN / (double)n;
}
