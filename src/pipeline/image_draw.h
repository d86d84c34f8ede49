/* Images of a model as files: [7] sample, [9] write. */
#ifndef SBL_PIPELINE_IMAGE_DRAW_H
#define SBL_PIPELINE_IMAGE_DRAW_H

#include "base/status.h"
#include "base/text.h"
#include "schema/image_facts.h"
#include "semblance/images.h"

/* The files of an output folder. labels is empty where there are none. */
typedef struct sbl_image_files {
    sbl_text folder;
    sbl_text images; /* PNG: the folder */
    sbl_text labels;
} sbl_image_files;

sbl_status sbl_image_files_name(sbl_image_files *files, const sbl_image_output *output,
                                const sbl_image_facts *facts, sbl_error *err);
void sbl_image_files_clear(sbl_image_files *files);

/* Would the output be refused for a reason that can be seen beforehand? Asked before a budget is
 * charged for it. Leaves no folder behind that was not there. */
sbl_status sbl_image_files_check(const sbl_image_files *files, const sbl_image_output *output,
                                 const sbl_image_facts *facts, uint64_t count, bool overwrite,
                                 sbl_error *err);

#endif
