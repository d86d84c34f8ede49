/* SPDX-License-Identifier: Apache-2.0 */
/* Paid answers from the records as a method: one round whose release answers declared questions. It is not in the
 * list of methods, since it makes no model (sbl_method.fit is NULL); the run ends with the release. */
#ifndef SBL_METHODS_ASK_H
#define SBL_METHODS_ASK_H

#include "run/methods/method.h"

/* The setting with the questions: {"questions": [...]}, as public/questions/question.h has them. */
#define SBL_SETTING_QUESTIONS "questions"
/* A setting of the plan: the delta of the run, at which answers state their epsilon. */
#define SBL_PLAN_DELTA "delta"

extern const sbl_method sbl_method_ask;
/* It alone, as sbl_synth_options.more_methods takes it. */
extern const sbl_method *const sbl_method_ask_list[];

/* Do the options ask questions? */
bool sbl_options_ask_questions(const sbl_synth_options *options);

#endif
