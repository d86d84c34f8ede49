/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about a private table that a release answers (docs/mechanisms/answers.md). A question is public: it
 * names columns of the schema, never values that were found in the data.
 *
 *   {"count": ["ward", "sex"]}            records of each combination of categories; []: all records
 *   {"sum": "cost", "by": ["ward"]}       sums of a number by category; "by" may be left out
 *   {"mean": "cost", "by": ["ward"]}      means, likewise
 *   {"regress": "cost ~ age + sex"}       a linear regression; or {"regress": "cost", "on": ["age", "sex"]}
 *
 * Each may have a "weight" above 0, 1 if it is left out: questions share mu^2 in proportion to it. */
#ifndef SBL_QUESTIONS_QUESTION_H
#define SBL_QUESTIONS_QUESTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "public/plan/facts.h"

#define SBL_MOST_QUESTIONS 64
#define SBL_QUESTION_MOST_COLUMNS 16             /* groups of a question, or terms of a formula */
#define SBL_QUESTION_MOST_CELLS ((size_t)100000) /* groups of one question, a public limit */
#define SBL_QUESTION_MOST_WIDTH 128              /* coordinates of a regression */
#define SBL_ANSWER_FEATURE "answer"              /* the feature that a question is summed by */

typedef enum sbl_question_kind {
    SBL_QUESTION_COUNT,
    SBL_QUESTION_SUM,
    SBL_QUESTION_MEAN,
    SBL_QUESTION_REGRESS
} sbl_question_kind;

/* "count", "sum", "mean", "regress"; ends with NULL. */
extern const char *const sbl_question_names[];

typedef struct sbl_question {
    sbl_question_kind kind;
    double weight;
    size_t value;                              /* the number's column, or SBL_NO_COLUMN for counts */
    size_t columns[SBL_QUESTION_MOST_COLUMNS]; /* groups; the terms of a regression */
    size_t heads[SBL_QUESTION_MOST_COLUMNS];   /* the head of each, of facts->heads */
    size_t column_count;
    size_t cells; /* groups, at least 1 */
    size_t width; /* of a regression: coordinates of (1, terms, value); else 0 */
} sbl_question;

/* Read one of the objects above. where: for messages.
 * Returns: SBL_OK; SBL_EARG names the question and the column: unknown, not a category, not a bounded number,
 *          named twice, more groups than SBL_QUESTION_MOST_CELLS */
sbl_status sbl_question_read(sbl_question *question, const json_t *object, const sbl_facts *facts,
                             sbl_error *err);
/* The same question as the parameters of a feature, number `number` of its plan; NULL when out of memory. */
json_t *sbl_question_parameters(const sbl_question *question, size_t number, const sbl_facts *facts);
/* And back.   Returns: SBL_OK; SBL_EINPUT */
sbl_status sbl_question_of_parameters(sbl_question *question, size_t *number, const json_t *parameters,
                                      const sbl_facts *facts, sbl_error *err);

/* In words, from its parameters: "count by ward, sex", "mean of cost by ward", "cost ~ age + sex". */
void sbl_question_describe(sbl_text *text, const json_t *parameters);

/* The block of question number `number`, and of a regression its squares and products ("squares", "products";
 * NULL: the block itself). */
void sbl_question_block(char name[32], size_t number, const char *part);
/* The number in such a name; 0: it is not one. */
size_t sbl_question_of_block(const char *name);

/* The code of column number i of a question in a group; groups are in mixed radix, the last column fastest. */
size_t sbl_question_code(const sbl_question *question, const sbl_facts *facts, size_t cell, size_t i);
/* The word for a code of a category column: the category, or NULL for a missing value. */
const char *sbl_question_category(const sbl_question *question, const sbl_facts *facts, size_t i,
                                  size_t code);

/* Can every record be counted on to add to the question, whatever it holds: is the number never missing? */
bool sbl_question_is_total(const sbl_question *question, const sbl_facts *facts);

/* ---- regression ---- */

/* One coordinate of the vector (1, terms, value). */
typedef struct sbl_coordinate {
    size_t column; /* SBL_NO_COLUMN: the constant */
    size_t code;   /* of a category: 1 where the record has this code; 0 for a number */
    bool category;
} sbl_coordinate;
sbl_coordinate sbl_question_coordinate(const sbl_question *question, const sbl_facts *facts, size_t i);
/* The squared length that no vector exceeds: 1, 1 for each term, and 1 for the value. */
double sbl_question_length2(const sbl_question *question);

#endif
