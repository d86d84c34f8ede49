/* An evaluation as text for people, and what every evaluation says of itself. */
#ifndef SBL_EVALUATE_EVALUATION_TEXT_H
#define SBL_EVALUATE_EVALUATION_TEXT_H

#include <jansson.h>

#define SBL_EVALUATION_WARNING "NOT PRIVATE: every number here was computed from real records"

/* Aligned tables for people, NOT PRIVATE in the first line: a pure function of a document of tables
 * or of images (image_evaluate.h).
 * Owner: the caller, sbl_free(); NULL when out of memory. */
char *sbl_evaluation_text(const json_t *document);

#endif
