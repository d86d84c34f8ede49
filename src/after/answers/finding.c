/* SPDX-License-Identifier: Apache-2.0 */
/* A claim holds where the whole interval satisfies it, and does not where none of it does. In between, the epsilon
 * that would be enough follows from the estimate: noise shrinks as mu grows, and what sampling adds does not. */
#include "after/answers/finding.h"

#include <math.h>
#include <string.h>

#include "after/answers/group_answers.h"
#include "base/alloc.h"
#include "semblance/account.h"

#define HERE "the finding"
#define HOLDS "holds"
#define FAILS "does not hold"
#define UNKNOWN "cannot be told at this epsilon"

/* What the claim is about: one answer, or the difference of two. */
typedef struct quantity {
    double estimate, noise, low, high;
    bool known;
} quantity;

static sbl_status wrong(sbl_error *err, const char *what)
{
    return sbl_fail(err, SBL_EINPUT, HERE ": %s", what);
}

/* ---- the answer that is meant ---- */

static const json_t *find_question(const json_t *answers, const json_t *asked)
{
    const json_t *list = json_object_get(answers, "questions");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *question = json_array_get(list, i);
        const json_t *known = json_object_get(question, "asked");
        bool same = true;
        const char *name;
        json_t *member;
        json_object_foreach((json_t *)(uintptr_t)asked, name, member)
        {
            const json_t *found = json_object_get(known, name);
            if (strcmp(name, "weight") == 0) continue;
            /* A formula is compared as it is described: "cost ~ age + sex". */
            if (strcmp(name, "regress") == 0 && json_object_get(asked, "on") == NULL)
                found = json_object_get(question, "question");
            same = same && json_equal(member, found);
        }
        const bool by = json_array_size(json_object_get(known, "by")) > 0;
        if (same && (!by || json_object_get(asked, "by") != NULL)) return question;
    }
    return NULL;
}

static bool is_meant(const json_t *answer, const json_t *group, const json_t *finding)
{
    const json_t *term = json_object_get(answer, "term");
    if (term != NULL)
        return json_equal(term, json_object_get(finding, "term")) &&
               (json_object_get(answer, "category") == NULL ||
                json_equal(json_object_get(answer, "category"), json_object_get(finding, "category")));
    const json_t *own = json_object_get(answer, "group");
    return group != NULL ? json_equal(own, group) : json_object_size(own) == 0;
}

static double number_or(const json_t *value, double otherwise)
{
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static sbl_status find_answer(quantity *found, const json_t *question, const json_t *group,
                              const json_t *finding, bool population, sbl_error *err)
{
    const json_t *list = json_object_get(question, "answers");
    const char *low = population ? "population_low" : "low", *high = population ? "population_high" : "high";
    size_t i = 0;
    while (i < json_array_size(list) && !is_meant(json_array_get(list, i), group, finding)) i++;
    if (i == json_array_size(list))
        return wrong(err, "group or term names none of the answers: write it as the answers have it");
    const json_t *answer = json_array_get(list, i);
    found->estimate = number_or(json_object_get(answer, "estimate"), NAN);
    found->noise = number_or(json_object_get(answer, "noise"), INFINITY);
    found->low = number_or(json_object_get(answer, low), -INFINITY);
    found->high = number_or(json_object_get(answer, high), INFINITY);
    found->known = isfinite(found->estimate) && isfinite(found->noise);
    return SBL_OK;
}

/* The noise of two groups is independent, so the half widths of their intervals add as squares. Groups that were tied
 * to their total lost up to 1/groups of their variance, which the difference keeps: it is added again. */
static quantity minus(const quantity *a, const quantity *b, const json_t *question)
{
    const double groups = (double)json_array_size(json_object_get(question, "answers"));
    const bool tied = json_is_true(json_object_get(question, "tied")) && groups > 1.0;
    const double by = tied ? sqrt(groups / (groups - 1.0)) : 1.0;
    const double estimate = a->estimate - b->estimate;
    return (quantity){.estimate = estimate,
                      .noise = by * hypot(a->noise, b->noise),
                      .low = estimate - by * hypot(a->estimate - a->low, b->high - b->estimate),
                      .high = estimate + by * hypot(a->high - a->estimate, b->estimate - b->low),
                      .known = a->known && b->known};
}

/* ---- the claim ---- */

/* The range of values that satisfies it. */
static sbl_status read_range(double *from, double *to, const json_t *claim, sbl_error *err)
{
    const json_t *greater = json_object_get(claim, "greater"), *less = json_object_get(claim, "less");
    const json_t *interval = json_object_get(claim, "interval");
    *from = -INFINITY;
    *to = INFINITY;
    if (json_is_number(greater))
        *from = json_number_value(greater);
    else if (json_is_number(less))
        *to = json_number_value(less);
    else if (json_array_size(interval) == 2) {
        *from = number_or(json_array_get(interval, 0), NAN);
        *to = number_or(json_array_get(interval, 1), NAN);
    } else
        return wrong(err, "claim needs a number for greater or less, or two for interval");
    return *from <= *to ? SBL_OK : wrong(err, "interval must be two numbers, the smaller first");
}

/* The mu that brings the end of the interval to the nearest limit of the claim; infinite: none does. */
static double needed_mu(double mu, const quantity *q, double from, double to)
{
    const double distance = fmin(fabs(q->estimate - from), fabs(q->estimate - to)) / SBL_ANSWER_Z;
    const double half = fmax(q->high - q->estimate, q->estimate - q->low) / SBL_ANSWER_Z;
    const double sampling2 = fmax(0.0, half * half - q->noise * q->noise);
    const double left = distance * distance - sampling2;
    return q->known && left > 0.0 ? mu * q->noise / sqrt(left) : INFINITY;
}

static json_t *report(const char *verdict, const quantity *q, const json_t *question)
{
    json_t *object =
        json_pack("{s:s, s:O}", "verdict", verdict, "question", json_object_get(question, "question"));
    object = sbl_json_put(object, "estimate", q->known ? json_real(q->estimate) : json_null());
    object = sbl_json_put(object, "low", isfinite(q->low) ? json_real(q->low) : json_null());
    return sbl_json_put(object, "high", isfinite(q->high) ? json_real(q->high) : json_null());
}

static sbl_status judge(json_t **verdict, const quantity *q, double from, double to, const json_t *question,
                        double delta, sbl_error *err)
{
    const bool holds = q->low >= from && q->high <= to, fails = q->high < from || q->low > to;
    *verdict = report(holds ? HOLDS : fails ? FAILS : UNKNOWN, q, question);
    if (holds || fails) return *verdict != NULL ? SBL_OK : sbl_no_memory(err, "a finding");
    const double mu = needed_mu(json_number_value(json_object_get(question, "mu")), q, from, to);
    double epsilon = INFINITY;
    if (isfinite(mu) && sbl_mixed_epsilon(&epsilon, mu, 0.0, 0, delta, NULL) != SBL_OK) epsilon = INFINITY;
    *verdict = sbl_json_put(*verdict, "epsilon", isfinite(epsilon) ? json_real(epsilon) : json_null());
    return *verdict != NULL ? SBL_OK : sbl_no_memory(err, "a finding");
}

sbl_status sbl_finding_check(json_t **verdict, const json_t *answers, const json_t *finding, sbl_error *err)
{
    const json_t *claim = json_object_get(finding, "claim");
    const json_t *difference = json_object_get(claim, "difference");
    const json_t *group = json_object_get(finding, "group");
    const char *of = json_string_value(json_object_get(finding, "of"));
    const json_t *question = find_question(answers, json_object_get(finding, "question"));
    quantity first = {0}, second = {0};
    double from, to;
    if (of != NULL && strcmp(of, "table") != 0 && strcmp(of, "population") != 0)
        return wrong(err, "of must be table or population");
    const bool population = of != NULL && strcmp(of, "population") == 0;
    if (question == NULL) return wrong(err, "the release does not answer its question");
    if (claim == NULL) return wrong(err, "claim is missing");
    SBL_CHECK(read_range(&from, &to, difference != NULL ? difference : claim, err));
    SBL_CHECK(find_answer(&first, question, group, finding, population, err));
    if (difference != NULL) {
        const json_t *other = json_object_get(difference, "group");
        if (other == NULL) return wrong(err, "difference needs the group that is subtracted");
        SBL_CHECK(find_answer(&second, question, other, finding, population, err));
        first = minus(&first, &second, question);
        if (!first.known) first.low = -INFINITY, first.high = INFINITY;
    }
    if (population && json_integer_value(json_object_get(answers, "rows_per_person")) > 1)
        return wrong(err, "rows of one person are not independent, so only of: table can be checked");
    return judge(verdict, &first, from, to, question, json_number_value(json_object_get(answers, "delta")),
                 err);
}
