/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Answers to the questions of a release (public/questions/question.h), as one document. Post-processing: it
 * depends on the release alone, so it costs nothing and may be repeated. */
#ifndef SBL_ANSWERS_ANSWERS_H
#define SBL_ANSWERS_ANSWERS_H

#include "after/answers/group_answers.h"
#include "base/error.h"
#include "base/json.h"
#include "door/release/release.h"
#include "public/questions/question.h"

/* The standard deviation of the noise of question number `number` in units of a record, and mu of its part of the
 * release; false: the release has no such question. */
typedef struct sbl_question_noise {
    double deviation; /* of a count, of each part of a value, of a square of a regression */
    double products;  /* of a product of a regression */
    double mu;
    double tied; /* as in sbl_group_facts */
} sbl_question_noise;

/* Everything that the release answers (docs/FORMATS.md, "Answers"); json_decref().
 * Returns: SBL_OK; SBL_EINPUT for a release that answers no question; SBL_EMEM */
sbl_status sbl_answers_read(json_t **answers, const sbl_release *release, const char *where, sbl_error *err);

/* The document for people, and as CSV, one line per answer. sbl_free; NULL when out of memory. */
char *sbl_answers_table(const json_t *answers);
char *sbl_answers_csv(const json_t *answers);

/* Into a file: JSON if its name ends in .json, else CSV. */
sbl_status sbl_answers_save(const char *path, const sbl_release *release, bool overwrite, sbl_error *err);

/* ---- before anything is spent ---- */

/* Half the width of the 95 % interval of a question for the table, given the deviation of its noise: of each group
 * where n records are spread evenly over the groups, and of a regression the coefficients of terms that are
 * spread evenly and independently. unit: what the width is in; a static text. */
double sbl_answer_width(const char **unit, const sbl_question *question, const sbl_facts *facts,
                        const sbl_question_noise *noise, uint64_t n);

#endif
