/* Inside a run in parts: a plan that was read, and what is summed by it. */
#ifndef SBL_PIPELINE_PARTS_PLAN_H
#define SBL_PIPELINE_PARTS_PLAN_H

#include "methods/method.h"
#include "parts/part_file.h"
#include "parts/plan_file.h"

typedef struct sbl_parts_planned {
    sbl_plan_file file;
    sbl_plan plan;
    sbl_facts facts;
    sbl_features features;
    const sbl_method *method;
    sbl_facts read; /* of images, as the container says; else empty */
} sbl_parts_planned;

sbl_status sbl_parts_open(sbl_parts_planned *planned, sbl_item plan,
                          const sbl_synth_options *options, sbl_error *err);
void sbl_parts_close(sbl_parts_planned *planned);

/* The sum must be nothing that is read, and writable. input, mask: NULL where there is none. */
sbl_status sbl_parts_check_files(const char *input, sbl_item plan, const char *mask,
                                 sbl_item output, bool overwrite, sbl_error *err);

/* The options of a run as its plan says. */
void sbl_parts_fill(sbl_synth_options *options, const sbl_plan_file *file);

#endif
