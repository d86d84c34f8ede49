/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a question: its words, the names of its blocks, its groups and its coordinates. */
#include "public/questions/question.h"

#include <stdio.h>
#include <string.h>

const char *const sbl_question_names[] = {"count", "sum", "mean", "regress", NULL};

static void describe_list(sbl_text *text, const json_t *list, const char *before, const char *between)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        sbl_text_printf(text, "%s%s", i == 0 ? before : between, name != NULL ? name : "?");
    }
}

void sbl_question_describe(sbl_text *text, const json_t *parameters)
{
    const json_t *counted = json_object_get(parameters, "count");
    const char *regressed = json_string_value(json_object_get(parameters, "regress"));
    if (counted != NULL) {
        sbl_text_printf(text, "count");
        describe_list(text, counted, " by ", ", ");
    } else if (regressed != NULL) {
        sbl_text_printf(text, "%s", regressed);
        describe_list(text, json_object_get(parameters, "on"), " ~ ", " + ");
    } else {
        const char *sum = json_string_value(json_object_get(parameters, "sum"));
        const char *mean = json_string_value(json_object_get(parameters, "mean"));
        sbl_text_printf(text, "%s of %s", sum != NULL ? "sum" : "mean",
                        sum != NULL    ? sum
                        : mean != NULL ? mean
                                       : "?");
        describe_list(text, json_object_get(parameters, "by"), " by ", ", ");
    }
}

void sbl_question_block(char name[32], size_t number, const char *part)
{
    (void)snprintf(name, 32, SBL_ANSWER_FEATURE ".%hu%s%s", (unsigned short)number, part != NULL ? "." : "",
                   part != NULL ? part : "");
}

size_t sbl_question_of_block(const char *name)
{
    const size_t length = strlen(SBL_ANSWER_FEATURE ".");
    size_t number = 0;
    if (strncmp(name, SBL_ANSWER_FEATURE ".", length) != 0) return 0;
    for (const char *digit = name + length; *digit >= '0' && *digit <= '9' && number <= SBL_MOST_QUESTIONS;
         digit++)
        number = 10 * number + (size_t)(*digit - '0');
    return number;
}

static size_t codes_of(const sbl_question *question, const sbl_facts *facts, size_t i)
{
    return facts->heads.items[question->heads[i]].cardinality;
}

size_t sbl_question_code(const sbl_question *question, const sbl_facts *facts, size_t cell, size_t i)
{
    for (size_t k = question->column_count; k-- > i + 1;) cell /= codes_of(question, facts, k);
    return cell % codes_of(question, facts, i);
}

const char *sbl_question_category(const sbl_question *question, const sbl_facts *facts, size_t i, size_t code)
{
    const sbl_column *column = &facts->schema->columns[question->columns[i]];
    return code < column->categories.count ? column->categories.items[code] : NULL;
}

bool sbl_question_is_total(const sbl_question *question, const sbl_facts *facts)
{
    if (question->kind == SBL_QUESTION_COUNT) return true;
    if (question->kind == SBL_QUESTION_REGRESS) return false;
    const sbl_column *column = &facts->schema->columns[question->value];
    return !column->missing_allowed && !sbl_spikes_have_sentinel(column);
}

/* Categories of a term have a coordinate each, but for the first: that is where all of them are 0. */
sbl_coordinate sbl_question_coordinate(const sbl_question *question, const sbl_facts *facts, size_t i)
{
    if (i == 0) return (sbl_coordinate){.column = SBL_NO_COLUMN};
    i--;
    for (size_t k = 0; k < question->column_count; k++) {
        const sbl_column *column = &facts->schema->columns[question->columns[k]];
        const bool category = column->kind == SBL_COLUMN_CATEGORY;
        const size_t width = category ? column->categories.count - 1 : 1;
        if (i < width) return (sbl_coordinate){question->columns[k], category ? i + 1 : 0, category};
        i -= width;
    }
    return (sbl_coordinate){.column = question->value};
}

double sbl_question_length2(const sbl_question *question) { return 2.0 + (double)question->column_count; }
