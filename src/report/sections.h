/* The parts of a report, in the order in which they stand in it. Each writes nothing when the
 * evaluation does not have what it shows; failures are remembered in out. */
#ifndef SBL_REPORT_SECTIONS_H
#define SBL_REPORT_SECTIONS_H

#include <jansson.h>

#include "account/certificate_content.h"
#include "base/text.h"

/* The most columns that get a picture, and the most rows of a heat map. */
#define SBL_REPORT_PICTURES 48
#define SBL_REPORT_HEAT_COLUMNS 60
/* Table rows beyond this are folded away until the reader asks. */
#define SBL_REPORT_OPEN_ROWS 40

/* What stands between <style> tags, NULL-terminated. */
extern const char *const sbl_report_style[];

/* What is guaranteed, by what and assuming what. text: the certificate as it was given. */
void sbl_report_guarantee(sbl_text *out, const sbl_certificate_content *certificate,
                          const char *statement, const char *text);

/* The comparisons of an evaluation: all of them NOT PRIVATE. */
void sbl_report_glance(sbl_text *out, const json_t *evaluation);
void sbl_report_columns(sbl_text *out, const json_t *evaluation);
void sbl_report_marginals(sbl_text *out, const json_t *evaluation);
void sbl_report_association(sbl_text *out, const json_t *evaluation);
void sbl_report_utility(sbl_text *out, const json_t *evaluation);
void sbl_report_disclosure(sbl_text *out, const json_t *evaluation);
void sbl_report_images(sbl_text *out, const json_t *evaluation);

#endif
