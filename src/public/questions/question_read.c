/* SPDX-License-Identifier: Apache-2.0 */
/* Reads questions from JSON and holds them against the schema: every column is there, a group is a category that
 * the schema declares, and a number has public bounds. All of it before any record is read. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "public/questions/question.h"

#define HERE "question"

static size_t find_head(const sbl_facts *facts, size_t column)
{
    for (size_t h = 0; h < facts->heads.count; h++)
        if (facts->heads.items[h].column == column && !facts->heads.items[h].indicator) return h;
    return SBL_NO_HEAD;
}

/* A column that is read as the schema declares it, and its head. */
static sbl_status find_column(size_t *column, size_t *head, const char *name, size_t length,
                              const sbl_facts *facts, sbl_error *err)
{
    const sbl_schema *schema = facts->schema;
    size_t c = 0;
    while (c < schema->column_count &&
           (strlen(schema->columns[c].name) != length || memcmp(schema->columns[c].name, name, length) != 0))
        c++;
    if (c == schema->column_count)
        return sbl_fail(err, SBL_EARG, "the question names column '%.*s', which the schema does not have",
                        (int)(length < 80 ? length : 80), name);
    *column = c;
    *head = find_head(facts, c);
    if (schema->columns[c].kind == SBL_COLUMN_IGNORED || *head == SBL_NO_HEAD)
        return sbl_fail(err, SBL_EARG,
                        "the question names column '%.80s', which the schema leaves out of the statistics",
                        schema->columns[c].name);
    if (!sbl_facts_fit_column(facts, c))
        return sbl_fail(
            err, SBL_EARG,
            "the question names column '%.80s', which a constraint of the schema computes: ask with "
            "a schema without that constraint",
            schema->columns[c].name);
    return SBL_OK;
}

static sbl_status find_number(size_t *column, const char *name, size_t length, const sbl_facts *facts,
                              sbl_error *err)
{
    size_t head;
    SBL_CHECK(find_column(column, &head, name, length, facts, err));
    const sbl_column *found = &facts->schema->columns[*column];
    if (found->kind != SBL_COLUMN_NUMBER || found->type == SBL_TYPE_TIME)
        return sbl_fail(err, SBL_EARG,
                        "the question needs the sum of column '%.80s', which is not a number with bounds",
                        found->name);
    if (!(found->maximum > found->minimum))
        return sbl_fail(err, SBL_EARG, "the question needs the sum of column '%.80s', whose bounds are equal",
                        found->name);
    return SBL_OK;
}

/* One more column of the question, which it does not name yet. */
static sbl_status add_column(sbl_question *question, const char *name, size_t length, const sbl_facts *facts,
                             sbl_error *err)
{
    size_t column, head;
    SBL_CHECK(find_column(&column, &head, name, length, facts, err));
    for (size_t i = 0; i < question->column_count; i++)
        if (question->columns[i] == column)
            return sbl_fail(err, SBL_EARG, "the question names column '%.80s' twice",
                            facts->schema->columns[column].name);
    if (column == question->value)
        return sbl_fail(err, SBL_EARG, "the question names column '%.80s' on both sides",
                        facts->schema->columns[column].name);
    if (question->column_count == SBL_QUESTION_MOST_COLUMNS)
        return sbl_fail(err, SBL_EARG, "a question has at most %d columns", SBL_QUESTION_MOST_COLUMNS);
    question->columns[question->column_count] = column;
    question->heads[question->column_count++] = head;
    return SBL_OK;
}

static sbl_status add_group(sbl_question *question, const char *name, const sbl_facts *facts, sbl_error *err)
{
    SBL_CHECK(add_column(question, name, strlen(name), facts, err));
    const size_t last = question->column_count - 1;
    const sbl_column *column = &facts->schema->columns[question->columns[last]];
    if (column->kind != SBL_COLUMN_CATEGORY)
        return sbl_fail(err, SBL_EARG,
                        "the question groups by column '%.80s', which is not a category: groups are the "
                        "categories that the schema declares",
                        column->name);
    const size_t codes = facts->heads.items[question->heads[last]].cardinality;
    if (question->cells > SBL_QUESTION_MOST_CELLS / codes)
        return sbl_fail(err, SBL_EARG, "the question has more than %zu groups: leave a column out",
                        SBL_QUESTION_MOST_CELLS);
    question->cells *= codes;
    return SBL_OK;
}

static sbl_status read_groups(sbl_question *question, const json_t *list, const sbl_facts *facts,
                              sbl_error *err)
{
    if (!json_is_array(list))
        return sbl_fail(err, SBL_EARG, "the columns of a question are not a list of names");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (name == NULL) return sbl_fail(err, SBL_EARG, "a column of a question is not a name");
        SBL_CHECK(add_group(question, name, facts, err));
    }
    return SBL_OK;
}

/* ---- regression ---- */

static sbl_status add_term(sbl_question *question, const char *name, size_t length, const sbl_facts *facts,
                           sbl_error *err)
{
    size_t column;
    SBL_CHECK(add_column(question, name, length, facts, err));
    const size_t last = question->column_count - 1;
    const sbl_column *found = &facts->schema->columns[question->columns[last]];
    if (found->kind != SBL_COLUMN_CATEGORY) {
        SBL_CHECK(find_number(&column, name, length, facts, err));
        question->width++;
    } else {
        question->width += found->categories.count - 1;
    }
    return question->width <= SBL_QUESTION_MOST_WIDTH
               ? SBL_OK
               : sbl_fail(err, SBL_EARG, "the regression has more than %d coefficients: leave a term out",
                          SBL_QUESTION_MOST_WIDTH - 1);
}

/* The next word of a formula up to a sign, without the blanks around it. rest: NULL after the last. */
static const char *next_word(size_t *length, const char **rest, char sign)
{
    const char *end = strchr(*rest, sign);
    const char *word = *rest;
    if (end == NULL) end = word + strlen(word);
    *rest = *end != '\0' ? end + 1 : NULL;
    while (word < end && *word == ' ') word++;
    while (end > word && end[-1] == ' ') end--;
    *length = (size_t)(end - word);
    return word;
}

/* VALUE ~ TERM + TERM + ... */
static sbl_status read_formula(sbl_question *question, const char *formula, const sbl_facts *facts,
                               sbl_error *err)
{
    const char *rest = formula;
    size_t length;
    const char *word = next_word(&length, &rest, '~');
    if (length == 0 || rest == NULL || rest[strspn(rest, " ")] == '\0')
        return sbl_fail(err, SBL_EARG, "a formula is VALUE ~ TERM + TERM, such as cost ~ age + sex");
    SBL_CHECK(find_number(&question->value, word, length, facts, err));
    while (rest != NULL) {
        word = next_word(&length, &rest, '+');
        if (length == 0) return sbl_fail(err, SBL_EARG, "the formula has an empty term");
        SBL_CHECK(add_term(question, word, length, facts, err));
    }
    return SBL_OK;
}

static sbl_status read_terms(sbl_question *question, const char *value, const json_t *list,
                             const sbl_facts *facts, sbl_error *err)
{
    SBL_CHECK(find_number(&question->value, value, strlen(value), facts, err));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (name == NULL) return sbl_fail(err, SBL_EARG, "a term of a question is not a name");
        SBL_CHECK(add_term(question, name, strlen(name), facts, err));
    }
    return question->column_count > 0 ? SBL_OK : sbl_fail(err, SBL_EARG, "the regression has no term");
}

static sbl_status read_regression(sbl_question *question, const json_t *object, const sbl_facts *facts,
                                  sbl_error *err)
{
    const char *text = json_string_value(json_object_get(object, "regress"));
    const json_t *terms = json_object_get(object, "on");
    question->width = 2; /* the constant and the value */
    if (text == NULL) return sbl_fail(err, SBL_EARG, "the formula of a question is not a text");
    return terms != NULL ? read_terms(question, text, terms, facts, err)
                         : read_formula(question, text, facts, err);
}

/* ---- all of them ---- */

static sbl_status check_members(const json_t *object, const char *kind, sbl_error *err)
{
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)object, name, member)
    {
        const bool by = strcmp(name, "by") == 0 && (strcmp(kind, "sum") == 0 || strcmp(kind, "mean") == 0);
        const bool on = strcmp(name, "on") == 0 && strcmp(kind, "regress") == 0;
        if (strcmp(name, kind) != 0 && strcmp(name, "weight") != 0 && !by && !on)
            return sbl_fail(err, SBL_EARG, "a question with '%s' does not have a member '%.40s'", kind, name);
    }
    return SBL_OK;
}

static sbl_status find_kind(sbl_question_kind *kind, const json_t *object, sbl_error *err)
{
    for (size_t i = 0; sbl_question_names[i] != NULL; i++)
        if (json_object_get(object, sbl_question_names[i]) != NULL) {
            *kind = (sbl_question_kind)i;
            return check_members(object, sbl_question_names[i], err);
        }
    return sbl_fail(err, SBL_EARG, "a question is an object with one of count, sum, mean and regress");
}

sbl_status sbl_question_read(sbl_question *question, const json_t *object, const sbl_facts *facts,
                             sbl_error *err)
{
    const json_t *weight = json_object_get(object, "weight");
    const json_t *by = json_object_get(object, "by");
    *question = (sbl_question){.value = SBL_NO_COLUMN, .cells = 1, .weight = 1.0};
    if (facts->kind != SBL_DATA_TABLE) return sbl_fail(err, SBL_EARG, "questions are about a table");
    SBL_CHECK(find_kind(&question->kind, object, err));
    if (weight != NULL) question->weight = json_number_value(weight);
    if (!(question->weight > 0.0) || !isfinite(question->weight))
        return sbl_fail(err, SBL_EARG, "the weight of a question must be a finite number above 0");
    if (question->kind == SBL_QUESTION_COUNT)
        return read_groups(question, json_object_get(object, "count"), facts, err);
    if (question->kind == SBL_QUESTION_REGRESS) return read_regression(question, object, facts, err);
    const char *value = json_string_value(json_object_get(object, sbl_question_names[question->kind]));
    if (value == NULL) return sbl_fail(err, SBL_EARG, "the column of a question is not a name");
    SBL_CHECK(find_number(&question->value, value, strlen(value), facts, err));
    return by != NULL ? read_groups(question, by, facts, err) : SBL_OK;
}

json_t *sbl_question_parameters(const sbl_question *question, size_t number, const sbl_facts *facts)
{
    const sbl_column *columns = facts->schema->columns;
    const char *kind = sbl_question_names[question->kind];
    json_t *parameters = json_pack("{s:I}", "number", (json_int_t)number);
    json_t *list = json_array();
    for (size_t i = 0; i < question->column_count; i++)
        list = sbl_json_append(list, json_string(columns[question->columns[i]].name));
    if (question->kind == SBL_QUESTION_COUNT) return sbl_json_put(parameters, kind, list);
    parameters = sbl_json_put(parameters, kind, json_string(columns[question->value].name));
    return sbl_json_put(parameters, question->kind == SBL_QUESTION_REGRESS ? "on" : "by", list);
}

sbl_status sbl_question_of_parameters(sbl_question *question, size_t *number, const json_t *parameters,
                                      const sbl_facts *facts, sbl_error *err)
{
    uint64_t found;
    json_t *object = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_u64(&found, parameters, "number", HERE, err));
    /* A plan leaves nothing out. */
    if (json_object_get(parameters, "count") == NULL && !json_is_array(json_object_get(parameters, "by")) &&
        !json_is_array(json_object_get(parameters, "on")))
        SBL_FAIL(err, SBL_EINPUT, "the plan has a question without its columns");
    if (found < 1 || found > SBL_MOST_QUESTIONS)
        SBL_FAIL(err, SBL_EINPUT, "the plan has a question with a number that cannot be");
    *number = (size_t)found;
    object = sbl_json_copy(parameters);
    if (object == NULL) SBL_TRY(sbl_no_memory(err, "a plan"));
    (void)json_object_del(object, "number");
    SBL_TRY(sbl_question_read(question, object, facts, err));
done:
    json_decref(object);
    return status == SBL_EARG ? SBL_EINPUT : status;
}
