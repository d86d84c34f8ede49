/* SPDX-License-Identifier: Apache-2.0 */
/* What the methods of tables of counts stand on, `pairs` and `forest`: the setting and the public cells of a
 * selection, from options or from the plan of the first release. */
#ifndef SBL_METHODS_PAIRS_SETUP_H
#define SBL_METHODS_PAIRS_SETUP_H

#include "after/counts/release_counts.h"
#include "after/pairs/measurement_plan.h"
#include "base/progress.h"
#include "records/features/marginal_counts.h"
#include "run/methods/method.h"

#define SBL_GROUND_MEMORY ((size_t)8 << 30) /* bytes that a selection may take */

/* What a selection is made from, public all of it. The cells own what the columns are read off. */
typedef struct sbl_pairs_setup {
    sbl_bins cells;
    sbl_pairs_column *columns;
    sbl_pairs_setting setting;
} sbl_pairs_setup;

/* From options: the number of rows is public, or a declared guess. Up to k rows of a person move the
 * tables k times as far as one. use: whether there are trees.
 * Returns: SBL_OK; SBL_EARG for facts or options that it refuses; SBL_EMEM */
sbl_status sbl_pairs_setup_of_options(sbl_pairs_setup *g, const sbl_facts *facts,
                                      const sbl_synth_options *options, sbl_forest_use use, sbl_error *err);
/* From the plan of the first release, where the setting stands, so that a run can be resumed. */
sbl_status sbl_pairs_setup_of_plan(sbl_pairs_setup *g, const sbl_facts *facts, const sbl_plan *plan,
                                   sbl_error *err);
sbl_status sbl_pairs_setup_write(sbl_plan *plan, const sbl_pairs_setting *setting, sbl_error *err);
void sbl_pairs_setup_clear(sbl_pairs_setup *g); /* twice is fine */

/* The name of a column of the selection. */
const char *sbl_pairs_setup_name(const sbl_pairs_setup *g, const sbl_facts *facts, size_t column);

/* The course, for people. */
const char *sbl_pairs_setup_course(sbl_pairs_course course);
/* How far off the synthetic tables will be, about (after/pairs/error_forecast.h): lines of the text, or a member of the object where
 * there is one. */
void sbl_pairs_setup_explain_error(sbl_text *text, json_t *object, const sbl_pairs_setting *setting);
/* A line where columns come out independent of each other, and from which epsilon or number of columns on they do not.
 * records, options: as of sbl_method.warn. */
void sbl_pairs_setup_warn(sbl_text *text, const sbl_pairs_setting *setting, const char *records,
                          const sbl_synth_options *options);
/* The public number of rows; or every one-way table's sum, averaged by its noise. first: the first round;
 * values: of its tables. */
double sbl_pairs_setup_rows(const sbl_round *first, const sbl_table_values *values);

#define SBL_STEP_OF_EPSILON 1.1 /* in the search for an epsilon that is enough */
/* An epsilon as people are told it: rounded up to two digits. */
double sbl_told_epsilon(double epsilon);

sbl_progress_listener sbl_pairs_setup_listener(const sbl_synth_options *options);

extern const sbl_option sbl_option_rounds;
/* MiB of encoded records that are kept between rounds; 0: none. */
extern const sbl_option sbl_option_keep_records;
/* Of the budget, to pairs with the label at least. */
extern const sbl_option sbl_option_target_share;
/* Columns that forests are for, by name, with commas between. */
extern const sbl_option sbl_option_targets;

/* Whether the rows of a person belong together where the schema names a unit: on or off. */
extern const sbl_option sbl_option_histories;
/* For histories, and so for auto. */
extern const sbl_option sbl_option_expect_persons;

#endif
