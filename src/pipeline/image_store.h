/* A model of images: made from a release, saved, opened. Post-processing: nothing here sees a
 * record. */
#ifndef SBL_PIPELINE_IMAGE_STORE_H
#define SBL_PIPELINE_IMAGE_STORE_H

#include "base/status.h"
#include "features/image_plan.h"
#include "model/image_generator.h"
#include "release/release.h"
#include "semblance/images.h"

/* Would sbl_image_model_make refuse these options for a release by this plan? Asked before
 * anything is charged. */
sbl_status sbl_image_model_check(const sbl_image_plan *plan, const sbl_synth_options *options,
                                 sbl_error *err);

/* Train on a release of images and save the model. certificate: its JSON text, kept in the model,
 * or NULL. where (the release's path) is for messages. */
sbl_status sbl_image_model_make(const char *path, const sbl_release *release, const char *where,
                                const char *certificate, const sbl_synth_options *options,
                                sbl_error *err);

/* rows: images the model was fitted to, or their noisy number. */
sbl_status sbl_image_model_open(sbl_image_generator *generator, uint64_t *rows, const char *path,
                                sbl_error *err);

#endif
