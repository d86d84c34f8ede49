/* SPDX-License-Identifier: Apache-2.0 */
/* The document of answers as a table for people and as CSV. Both show the same numbers; what is not known is an
 * empty cell. */
#include <stdio.h>
#include <string.h>

#include "after/answers/answers.h"

#define HIDDEN "noise hides it" /* an estimate that is not known */

static const char *const columns[] = {"estimate",        "low",   "high", "population_low",
                                      "population_high", "noise", NULL};

/* "ward=A, sex=F"; "sex: F" of a regression; "missing" without quotes is the missing value. */
static void write_group(sbl_text *text, const json_t *answer)
{
    json_t *group = json_object_get(answer, "group");
    const char *category = json_string_value(json_object_get(answer, "category"));
    const char *term = json_string_value(json_object_get(answer, "term"));
    const char *name;
    json_t *value;
    bool first = true;
    if (term != NULL)
        sbl_text_printf(text, "%s%s%s", term, category != NULL ? "=" : "", category != NULL ? category : "");
    json_object_foreach(group, name, value)
    {
        const char *word = json_string_value(value);
        sbl_text_printf(text, "%s%s=%s", first ? "" : ", ", name, word != NULL ? word : "(missing)");
        first = false;
    }
}

static void write_number(sbl_text *text, const json_t *value, bool brief)
{
    char number[SBL_DOUBLE_TEXT_SIZE];
    if (!json_is_number(value)) return;
    if (brief)
        sbl_text_printf(text, "%.6g", json_number_value(value));
    else
        sbl_text_printf(text, "%s", sbl_double_to_text(number, json_number_value(value)));
}

/* A cell in quotes, with quotes inside doubled. */
static void write_quoted(sbl_text *text, const char *cell)
{
    sbl_text_append(text, "\"", 1);
    for (; *cell != '\0'; cell++) sbl_text_append(text, *cell == '"' ? "\"\"" : cell, *cell == '"' ? 2 : 1);
    sbl_text_append(text, "\"", 1);
}

static void csv_line(sbl_text *text, const json_t *question, const json_t *answer)
{
    sbl_text group = {0};
    sbl_text_printf(text, "%lld,", (long long)json_integer_value(json_object_get(question, "number")));
    write_quoted(text, json_string_value(json_object_get(question, "question")));
    sbl_text_printf(text, ",");
    write_group(&group, answer);
    write_quoted(text, group.data != NULL ? group.data : "");
    for (size_t i = 0; columns[i] != NULL; i++) {
        sbl_text_printf(text, ",");
        write_number(text, json_object_get(answer, columns[i]), false);
    }
    sbl_text_printf(text, ",");
    write_number(text, json_object_get(question, "epsilon"), false);
    sbl_text_printf(text, "\n");
    text->failed = text->failed || group.failed;
    sbl_text_clear(&group);
}

char *sbl_answers_csv(const json_t *answers)
{
    const json_t *questions = json_object_get(answers, "questions");
    sbl_text text = {0};
    sbl_text_printf(&text, "number,question,group");
    for (size_t i = 0; columns[i] != NULL; i++) sbl_text_printf(&text, ",%s", columns[i]);
    sbl_text_printf(&text, ",epsilon\n");
    for (size_t q = 0; q < json_array_size(questions); q++) {
        const json_t *question = json_array_get(questions, q);
        const json_t *list = json_object_get(question, "answers");
        for (size_t i = 0; i < json_array_size(list); i++) csv_line(&text, question, json_array_get(list, i));
    }
    if (!text.failed) return text.data;
    sbl_text_clear(&text);
    return NULL;
}

/* "low to high", or "-" where neither is known. */
static void write_range(sbl_text *text, const json_t *answer, const char *low, const char *high)
{
    const json_t *from = json_object_get(answer, low), *to = json_object_get(answer, high);
    if (!json_is_number(from) && !json_is_number(to)) {
        sbl_text_printf(text, "-");
        return;
    }
    write_number(text, from, true);
    sbl_text_printf(text, " to ");
    write_number(text, to, true);
}

static void table_line(sbl_text *text, const json_t *answer)
{
    sbl_text cells[4] = {{0}, {0}, {0}, {0}};
    write_number(&cells[0], json_object_get(answer, "estimate"), true);
    write_range(&cells[1], answer, "low", "high");
    write_range(&cells[2], answer, "population_low", "population_high");
    write_group(&cells[3], answer);
    sbl_text_printf(text, "  %14s  %26s  %26s  %s\n", cells[0].data != NULL ? cells[0].data : HIDDEN,
                    cells[1].data, cells[2].data, cells[3].data != NULL ? cells[3].data : "all rows");
    for (size_t i = 0; i < 4; i++) {
        text->failed = text->failed || cells[i].failed;
        sbl_text_clear(&cells[i]);
    }
}

char *sbl_answers_table(const json_t *answers)
{
    const json_t *questions = json_object_get(answers, "questions");
    sbl_text text = {0};
    for (size_t q = 0; q < json_array_size(questions); q++) {
        const json_t *question = json_array_get(questions, q);
        const json_t *list = json_object_get(question, "answers");
        sbl_text_printf(&text, "%s%s (epsilon %.3g)\n", q > 0 ? "\n" : "",
                        json_string_value(json_object_get(question, "question")),
                        json_number_value(json_object_get(question, "epsilon")));
        sbl_text_printf(&text, "  %14s  %26s  %26s\n", "estimate", "95 % of this table",
                        "95 % of the population");
        for (size_t i = 0; i < json_array_size(list); i++) table_line(&text, json_array_get(list, i));
    }
    if (!text.failed) return sbl_plain_lines(text.data);
    sbl_text_clear(&text);
    return NULL;
}
