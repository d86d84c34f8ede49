/* SPDX-License-Identifier: Apache-2.0 */
/* What rows of the table of options are written with: here for what every method knows
 * (public/options/option_values.c), in the files of the methods for their own. */
#ifndef SBL_OPTIONS_OPTION_ROW_H
#define SBL_OPTIONS_OPTION_ROW_H

#include "semblance/options.h"

/* An option of some methods, given by name: ..., then .range, .choices or .most where the type has
 * one, and a default. */
#define SBL_SETTING(row_name, row_type, row_value, row_kinds, row_steps, row_help, ...) \
    {                                                                                   \
        .name = (row_name), .type = (row_type), .value = (row_value), .help = row_help, \
        .kinds = (row_kinds), .steps = (row_steps), __VA_ARGS__                         \
    }

#define SBL_BOTH_KINDS (SBL_TABLES | SBL_IMAGES)
#define SBL_STEPS_PLAN (SBL_STEP_PLAN | SBL_STEP_FIT)
#define SBL_STEPS_TRAIN (SBL_STEP_FIT | SBL_STEP_TRAIN)

/* The default: a value for all data, for tables or images only, one for each; or words, where it is
 * a rule. */
#define SBL_STANDARD(text) .standard = text, .of_tables = text, .of_images = text
#define SBL_STANDARD_TABLES(text) .standard = text, .of_tables = text
#define SBL_STANDARD_IMAGES(text) .standard = text, .of_images = text
#define SBL_STANDARD_EACH(tables, images) \
    .standard = tables "; images " images, .of_tables = tables, .of_images = images
#define SBL_STANDARD_WORDS(words) .standard = words

#define SBL_QUOTE(...) #__VA_ARGS__
#define SBL_SHOW(...) SBL_QUOTE(__VA_ARGS__)

extern const sbl_option_range sbl_range_positive; /* (0, inf) */
extern const sbl_option_range sbl_range_fraction; /* (0, 1) */
extern const sbl_option_range sbl_range_count;    /* 1, 2, ... */

#endif
