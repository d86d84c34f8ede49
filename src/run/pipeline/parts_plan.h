/* Inside a run in parts: a plan that was read, and what is summed by it. */
#ifndef SBL_PIPELINE_PARTS_PLAN_H
#define SBL_PIPELINE_PARTS_PLAN_H

#include "run/methods/method.h"
#include "records/shards/part_file.h"
#include "records/shards/plan_file.h"

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

/* Are images that are called so, by a title, by their files or by a part, what a network of the plan was trained on? The
 * plan may have been made for other names. NULL: not said.   Returns: SBL_OK; SBL_EINPUT: they are */
sbl_status sbl_parts_check_name(const sbl_parts_planned *planned, const char *called,
                                sbl_error *err);
/* The same by the names of a part, which are those of files where nobody said otherwise. */
sbl_status sbl_parts_check_names(const sbl_parts_planned *planned, const sbl_part *part,
                                 sbl_error *err);

/* The sum must be nothing that is read, and writable. input, mask: NULL where there is none. */
sbl_status sbl_parts_check_files(const char *input, sbl_item plan, const char *mask,
                                 sbl_item output, bool overwrite, sbl_error *err);

/* The options of a run as its plan says. */
void sbl_parts_fill(sbl_synth_options *options, const sbl_plan_file *file);

#endif
