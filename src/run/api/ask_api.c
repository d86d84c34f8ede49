/* SPDX-License-Identifier: Apache-2.0 */
/* Questions as a caller writes them, into the JSON that the method `ask` plans by; and the answers of a release. */
#include <string.h>

#include "after/answers/answers.h"
#include "after/answers/finding.h"
#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/error.h"
#include "run/methods/ask.h"
#include "semblance/ask.h"

/* The next part of a text up to a sign, as JSON, without blanks around it. */
static json_t *next_part(const char **rest, char sign)
{
    const char *begin = *rest, *end = strchr(begin, sign);
    if (end == NULL) end = begin + strlen(begin);
    *rest = *end != '\0' ? end + 1 : NULL;
    while (begin < end && *begin == ' ') begin++;
    while (end > begin && end[-1] == ' ') end--;
    return json_stringn(begin, (size_t)(end - begin));
}

/* Names with commas between them; an empty text is an empty list. */
static json_t *names_of(const char *text)
{
    json_t *list = json_array();
    for (const char *rest = text[0] != '\0' ? text : NULL; rest != NULL;)
        list = sbl_json_append(list, next_part(&rest, ','));
    return list;
}

/* The same of a JSON text, which is taken. */
static json_t *names_of_line(json_t *line)
{
    json_t *list = line != NULL ? names_of(json_string_value(line)) : NULL;
    json_decref(line);
    return list;
}

static json_t *add_counts(json_t *list, const char *lines)
{
    for (const char *rest = lines; rest != NULL;)
        list = sbl_json_append(list,
                               sbl_json_put(json_object(), "count", names_of_line(next_part(&rest, '\n'))));
    return list;
}

static json_t *add_formulas(json_t *list, const char *lines)
{
    for (const char *rest = lines; rest != NULL;)
        list = sbl_json_append(list, sbl_json_put(json_object(), "regress", next_part(&rest, '\n')));
    return list;
}

/* One question for each name, "sum" or "mean", by the groups, if there are any. */
static json_t *add_values(json_t *list, const char *kind, const char *names, const char *by)
{
    for (const char *rest = names; rest != NULL;) {
        json_t *question = sbl_json_put(json_object(), kind, next_part(&rest, ','));
        if (by != NULL) question = sbl_json_put(question, "by", names_of(by));
        list = sbl_json_append(list, question);
    }
    return list;
}

/* The questions of a JSON text, and that of a finding. */
static sbl_status add_given(json_t **list, const sbl_questions *asked, sbl_error *err)
{
    json_t *object = NULL, *member;
    sbl_status status = SBL_OK;
    if (asked->json != NULL) {
        SBL_TRY(sbl_json_parse(&object, asked->json, strlen(asked->json), "the questions", err));
        SBL_TRY(sbl_json_get_array(&member, object, "questions", "the questions", err));
        for (size_t i = 0; i < json_array_size(member); i++)
            *list = sbl_json_append(*list, json_incref(json_array_get(member, i)));
        json_decref(object);
        object = NULL;
    }
    if (asked->finding != NULL) {
        SBL_TRY(sbl_json_parse(&object, asked->finding, strlen(asked->finding), "the finding", err));
        SBL_TRY(sbl_json_get_object(&member, object, "question", "the finding", err));
        *list = sbl_json_append(*list, json_incref(member));
    }
done:
    json_decref(object);
    return status == SBL_EINPUT ? SBL_EARG : status;
}

static sbl_status set_weights(json_t *list, const char *weights, sbl_error *err)
{
    size_t i = 0;
    for (const char *rest = weights; rest != NULL; i++) {
        json_t *part = next_part(&rest, ',');
        double weight = 0.0;
        const bool good = part != NULL && sbl_text_to_double(&weight, json_string_value(part));
        json_decref(part);
        if (!good) return sbl_fail(err, SBL_EARG, "weight %zu is not a number", i + 1);
        json_t *question = json_array_get(list, i);
        if (question != NULL && json_object_set_new(question, "weight", json_real(weight)) != 0)
            return sbl_fail(err, SBL_EARG, "weight %zu must be a finite number above 0", i + 1);
    }
    return i == json_array_size(list)
               ? SBL_OK
               : sbl_fail(err, SBL_EARG, "there are %zu weights for %zu questions", i, json_array_size(list));
}

/* Each question by itself: those of a plan may be shared with the caller's. */
static sbl_status build(char **text, const sbl_questions *asked, sbl_error *err)
{
    json_t *list = json_array(), *object = NULL;
    sbl_status status = SBL_OK;
    if (asked->by != NULL && asked->sum == NULL && asked->mean == NULL)
        SBL_FAIL(err, SBL_EARG, "by divides sums and means: ask for a sum or a mean, too");
    list = add_counts(list, asked->count);
    list = add_values(list, "sum", asked->sum, asked->by);
    list = add_values(list, "mean", asked->mean, asked->by);
    list = add_formulas(list, asked->regress);
    SBL_TRY(add_given(&list, asked, err));
    if (list == NULL) SBL_TRY(sbl_no_memory(err, "questions"));
    if (json_array_size(list) == 0)
        SBL_FAIL(err, SBL_EARG, "no question was asked: give a count, a sum, a mean or a regression");
    if (asked->weight != NULL) SBL_TRY(set_weights(list, asked->weight, err));
    object = sbl_json_put(json_object(), "questions", list);
    list = NULL;
    *text = object != NULL ? sbl_json_canonical(object) : NULL;
    if (*text == NULL) status = sbl_no_memory(err, "questions");
done:
    json_decref(list);
    json_decref(object);
    return status;
}

sbl_status sbl_options_ask(sbl_synth_options *options, char **text, const sbl_questions *questions,
                           sbl_error *err)
{
    sbl_questions asked = {.struct_size = sizeof asked};
    char *built = NULL;
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(options);
    SBL_NEED(text);
    SBL_TRY(sbl_struct_take(&asked, sizeof asked, questions, "questions", err));
    if (options->struct_size < sizeof *options)
        SBL_FAIL(err, SBL_EARG, "the options are of an older version, which asks no questions");
    SBL_TRY(build(&built, &asked, err));
    options->method = sbl_method_ask.name;
    options->more_methods = sbl_method_ask_list;
    SBL_TRY(sbl_options_set(options, SBL_SETTING_QUESTIONS, built, err));
    *text = built;
    built = NULL;
done:
    sbl_free(built);
    return status;
}

/* The document of the answers of a release file. */
static sbl_status read_answers(json_t **answers, const uint8_t *bytes, size_t size, sbl_error *err)
{
    sbl_release *release = NULL;
    sbl_status status = sbl_release_decode(&release, bytes, size, "the release", err);
    if (status == SBL_OK) status = sbl_answers_read(answers, release, "the release", err);
    sbl_release_free(release);
    return status;
}

sbl_status sbl_answers_text(char **text, const uint8_t *bytes, size_t size, sbl_answers_format format,
                            sbl_error *err)
{
    json_t *answers = NULL;
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    SBL_NEED(bytes);
    SBL_TRY(read_answers(&answers, bytes, size, err));
    *text = format == SBL_ANSWERS_JSON  ? sbl_json_pretty(answers)
            : format == SBL_ANSWERS_CSV ? sbl_answers_csv(answers)
                                        : sbl_answers_table(answers);
    if (*text == NULL) status = sbl_no_memory(err, "answers");
done:
    json_decref(answers);
    return status;
}

sbl_status sbl_answers_write(const uint8_t *bytes, size_t size, const char *path, bool overwrite,
                             sbl_error *err)
{
    sbl_release *release = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(bytes);
    SBL_NEED(path);
    SBL_TRY(sbl_release_decode(&release, bytes, size, "the release", err));
    SBL_TRY(sbl_answers_save(path, release, overwrite, err));
done:
    sbl_release_free(release);
    return status;
}

sbl_status sbl_answers_check(char **text, const uint8_t *bytes, size_t size, const char *finding,
                             sbl_error *err)
{
    json_t *answers = NULL, *object = NULL, *verdict = NULL;
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    SBL_NEED(bytes);
    SBL_NEED(finding);
    SBL_TRY(sbl_json_parse(&object, finding, strlen(finding), "the finding", err));
    SBL_TRY(read_answers(&answers, bytes, size, err));
    SBL_TRY(sbl_finding_check(&verdict, answers, object, err));
    *text = sbl_json_pretty(verdict);
    if (*text == NULL) status = sbl_no_memory(err, "a finding");
done:
    json_decref(answers);
    json_decref(object);
    json_decref(verdict);
    return status;
}
