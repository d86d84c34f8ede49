/* SPDX-License-Identifier: Apache-2.0 */
/* Inside a run in parts: a plan that was read, and what is summed by it. */
#ifndef SBL_PIPELINE_SHARDS_PLAN_H
#define SBL_PIPELINE_SHARDS_PLAN_H

#include "records/shards/plan_file.h"
#include "records/shards/shard_file.h"
#include "run/methods/method.h"

typedef struct sbl_shards_planned {
    sbl_plan_file file;
    sbl_plan plan;
    sbl_facts facts;
    sbl_features features;
    const sbl_method *method;
    sbl_facts read; /* of images, as the container says; else empty */
} sbl_shards_planned;

sbl_status sbl_shards_open(sbl_shards_planned *planned, sbl_store_entry plan,
                           const sbl_synth_options *options, sbl_error *err);
void sbl_shards_close(sbl_shards_planned *planned);

/* Are images that are called so, by a title, by their files or by a part, what a network of the plan was trained on? The
 * plan may have been made for other names. NULL: not said.   Returns: SBL_OK; SBL_EINPUT: they are */
sbl_status sbl_shards_check_name(const sbl_shards_planned *planned, const char *called, sbl_error *err);
/* The same by the names of a shard, which are those of files by default. */
sbl_status sbl_shards_check_names(const sbl_shards_planned *planned, const sbl_part *part, sbl_error *err);

/* The sum must be nothing that is read, and writable. input, mask: NULL where there is none. */
sbl_status sbl_shards_check_files(const char *input, sbl_store_entry plan, const char *mask,
                                  sbl_store_entry output, bool overwrite, sbl_error *err);

/* The options of a run as its plan says. */
void sbl_shards_fill(sbl_synth_options *options, const sbl_plan_file *file);

#endif
