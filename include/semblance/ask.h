/* SPDX-License-Identifier: Apache-2.0 */
/* Paid answers from the private rows: counts, sums and means by group, and linear regressions, under the same
 * ledger and certificate as synthetic data (docs/mechanisms/answers.md). Each answer has its interval.
 *
 *     sbl_questions asked;
 *     sbl_questions_init(&asked);
 *     asked.count = "ward,sex";
 *     asked.mean = "cost";
 *     asked.by = "ward";
 *     sbl_options_ask(&options, &questions, &asked, &err);              (options.h)
 *     sbl_synthesizer_fit(synth, data, schema, &options, &err);         charges the ledger
 *     sbl_synthesizer_release(synth, &bytes, &size, 0, &err);
 *     sbl_answers_text(&text, bytes, size, SBL_ANSWERS_CSV, &err);
 *     sbl_free(questions);
 *
 * Stability: experimental: it may change in any version (docs/C.md). */
#ifndef SEMBLANCE_ASK_H
#define SEMBLANCE_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/export.h"
#include "semblance/memory.h"
#include "semblance/options.h"
#include "semblance/status.h"
#include "semblance/synthesizer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Questions about one table; set up by sbl_questions_init(). All texts are public. Groups are the categories that the
 * schema declares, and a missing value is a group of its own. */
typedef struct sbl_questions {
    /* Set by sbl_questions_init(). */
    size_t struct_size;
    /* Counts: one table of counts per line, each a list of category columns "ward,sex". An empty line counts all
     * rows. Default NULL: none. */
    const char *count;
    /* Sums of these columns of numbers, "cost,age": one question each. */
    const char *sum;
    /* Means of these columns, likewise. */
    const char *mean;
    /* Divide each sum and mean by these category columns, "ward,sex". Default NULL: over all rows. */
    const char *by;
    /* Linear regressions, one formula per line: "cost ~ age + sex + ward". */
    const char *regress;
    /* How the budget (mu^2) is divided: one number above 0 per question, "1,1,2", in the order count, sum, mean,
     * regress. Default NULL: equally. */
    const char *weight;
    /* Instead of all of the above: JSON, {"questions": [{"count": ["ward"]}, {"mean": "cost", "by": ["ward"]},
     * {"regress": "cost ~ age"}]}, for names that hold a comma. */
    const char *json;
    /* A finding as sbl_answers_check() takes it: its question is asked, too. Default NULL: none. */
    const char *finding;
} sbl_questions;

#define sbl_questions_init(pointer) SBL_STRUCT_INIT(pointer)

/* Make options ask these questions: sbl_synthesizer_plan() then says how wide the answers will be,
 * sbl_synthesizer_fit() charges for them and answers, and sbl_shards_run() plans them for sums in parts. A fit makes no
 * model. With sbl_synthesizer_write_to() the answers go to `records`: JSON if the name ends in .json, else CSV.
 * Out:     text  the questions as JSON, which options borrow; sbl_free() after the last use of options
 * Returns: SBL_OK; SBL_EARG: no question, "by" without a sum or mean, another number of weights than questions;
 *          SBL_EMEM. Columns are checked against the schema by the calls above, before anything is charged */
SBL_API SBL_MUST_USE sbl_status sbl_options_ask(sbl_synth_options *options, char **text,
                                                const sbl_questions *questions, sbl_error *err);

typedef enum sbl_answers_format {
    SBL_ANSWERS_TABLE, /* for people */
    SBL_ANSWERS_CSV,
    SBL_ANSWERS_JSON
} sbl_answers_format;

/* The answers of a release that was paid for. This costs nothing and may be repeated.
 * In:      bytes, size  a release file (sbl_synthesizer_release())
 * Out:     text         sbl_free()
 * Returns: SBL_OK; SBL_EINPUT if it does not answer questions; SBL_EARG, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_answers_text(char **text, const uint8_t *bytes, size_t size,
                                                 sbl_answers_format format, sbl_error *err);

/* The same into a file: JSON if its name ends in .json, else CSV. It appears whole or not at all, and never replaces a
 * ledger.
 * Returns: SBL_OK; SBL_EIO: it cannot be written, or is there and overwrite is false; as above */
SBL_API SBL_MUST_USE sbl_status sbl_answers_write(const uint8_t *bytes, size_t size, const char *path,
                                                  bool overwrite, sbl_error *err);

/* Hold a finding against the answers of a release:
 *     {"question": {"mean": "cost", "by": ["ward"]}, "group": {"ward": "A"}, "claim": {"greater": 500}}
 * claim is one of {"greater": x}, {"less": x}, {"interval": [x, y]}, and {"difference": {"group": {...}, "greater": x}}
 * for two groups of one question. "term" and "category" name a coefficient of a regression. "of" is "table" (the
 * default: the rows that were asked) or "population".
 * Out:     text  JSON: "verdict" is "holds", "does not hold" or "cannot be told at this epsilon", then "epsilon" is about
 *                what the question would have to cost; sbl_free()
 * Returns: SBL_OK; SBL_EINPUT for another release or a finding that does not fit it; SBL_EARG, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_answers_check(char **text, const uint8_t *bytes, size_t size,
                                                  const char *finding, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
