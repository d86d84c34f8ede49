/* SPDX-License-Identifier: Apache-2.0 */
/* What files of SPSS, Stata and SAS know about a column, so that a synthetic file has it again: semblance.title,
 * semblance.codes and semblance.user_missing of a field. Public, like categories.
 *
 * {"title": "Sex of the respondent", "codes": [1, 2, ".a"], "user_missing": [98, [900, 999]]}: a title for people; the number
 * that each category is stored as, or a tag of Stata's missing values; values and ranges that count as missing. */
#ifndef SBL_SCHEMA_FILE_FACTS_H
#define SBL_SCHEMA_FILE_FACTS_H

#include "base/json.h"
#include "public/schema/field_fail.h"
#include "public/schema/schema_type.h"

#define SBL_TITLE_MOST 1000     /* bytes */
#define SBL_USER_MISSING_MOST 3 /* as SPSS has it */

/* The number of a category, or a tag 'a' to 'z' (then the number is NaN). */
typedef struct sbl_file_code {
    double number;
    char tag; /* 0: none */
} sbl_file_code;

typedef struct sbl_file_range {
    double low, high;
} sbl_file_range;

struct sbl_file_facts {
    char *title;          /* NULL: none */
    sbl_file_code *codes; /* (categories of the column); NULL: none are declared */
    sbl_file_range missing[SBL_USER_MISSING_MOST];
    size_t missing_count;
};

/* Of a field whose categories are read; its `semblance` object may be NULL. Refused: a title with control characters,
 * codes without categories, of another number than these, twice the same, and ranges that run backwards. */
sbl_status sbl_file_facts_parse(sbl_column *column, const json_t *options, const sbl_field_place *at);
/* Its members added to the options of a column. NULL when out of memory. */
json_t *sbl_file_facts_write(json_t *options, const sbl_column *column);
sbl_status sbl_file_facts_copy(sbl_column *copy, const sbl_column *from, sbl_error *err);
void sbl_file_facts_clear(sbl_column *column);

/* Is a number one of the values that count as missing? */
bool sbl_file_ranges_hold(const sbl_file_range *ranges, size_t count, double value);

/* A number or a tag as JSON: 1, 2.5, ".a". NULL when out of memory. */
json_t *sbl_file_code_to_json(double number, char tag);

#endif
