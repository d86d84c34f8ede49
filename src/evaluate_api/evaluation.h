/* Inside evaluations (include/semblance/evaluate.h, data.h): what those of files and those of memory share. */
#ifndef SBL_EVALUATE_API_EVALUATION_H
#define SBL_EVALUATE_API_EVALUATION_H

#include <jansson.h>

#include "evaluate/image_evaluate.h"
#include "report/preview.h"
#include "schema/schema.h"
#include "semblance/evaluate.h"
#include "semblance/files.h"
#include "source/data_handle.h"

/* Where a caller wants what an evaluation makes: each may be NULL. */
typedef struct sbl_evaluation_wanted {
    char **json;   /* the document, one line */
    char **text;   /* for people */
    char **report; /* a page in HTML; options->report_path names a file for it besides */
} sbl_evaluation_wanted;

/* Each that is wanted becomes NULL. */
void sbl_evaluation_start(const sbl_evaluation_wanted *wanted);
/* The same after a failure: what was made by then is freed. */
void sbl_evaluation_drop(const sbl_evaluation_wanted *wanted);

/* A caller's options as ours, and in range. */
sbl_status sbl_evaluation_options(sbl_evaluate_options *options, const sbl_evaluate_options *theirs,
                                  sbl_error *err);

/* The certificate file to show; *text stays NULL without one. sbl_free */
sbl_status sbl_evaluation_certificate(uint8_t **text, const sbl_evaluate_options *options,
                                      sbl_error *err);

/* A schema with what was said of how the tables are written (reading; NULL: nothing) in its place. */
sbl_status sbl_schema_read_as(sbl_schema **schema, const char *path,
                              const sbl_synth_options *reading, sbl_error *err);

/* The document as it is wanted, and the report of it. */
sbl_status sbl_evaluation_hand_over(const sbl_evaluation_wanted *wanted, const json_t *document,
                                    const char *certificate, const sbl_report_preview *preview,
                                    const sbl_evaluate_options *options, sbl_error *err);
/* The report alone; evaluation and preview may be NULL. */
sbl_status sbl_evaluation_report(char **report, const char *certificate, const char *evaluation,
                                 const sbl_report_preview *preview,
                                 const sbl_evaluate_options *options, sbl_error *err);

/* Tables, wherever they are. certificate: JSON text, may be NULL.
 * Privacy: NOT PRIVATE */
sbl_status sbl_evaluation_tables(const sbl_evaluation_wanted *wanted, const sbl_data *real,
                                 const sbl_data *synthetic, const sbl_data *train,
                                 const sbl_schema *schema, const char *certificate,
                                 const sbl_evaluate_options *options, sbl_error *err);

/* Image sets, wherever they are, with a report that shows some of the synthetic ones beside the certificate (JSON text;
 * NULL: none). With options->public_only request->real and train are empty, and only the report is made.
 * Privacy: NOT PRIVATE, but for what public_only leaves */
sbl_status sbl_evaluation_images(const sbl_evaluation_wanted *wanted,
                                 const sbl_image_request *request, const char *certificate,
                                 const sbl_evaluate_options *options, sbl_error *err);

#endif
