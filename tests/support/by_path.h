/* SPDX-License-Identifier: Apache-2.0 */
/* Whole jobs by paths, through the handle: what the program does with what is typed. NULL: there is none. */
#ifndef SBL_TEST_BY_PATH_H
#define SBL_TEST_BY_PATH_H

#include <semblance/synthesizer.h>

typedef struct image_input {
    const char *images, *labels;
    uint64_t classes, height, width;
    bool balanced, grey;
} image_input;

typedef struct image_output {
    const char *folder;
    sbl_images_format format;
    const char *preview;
} image_output;

/* Tables. statement may be NULL; else sbl_free(). */
sbl_status table_run(char **statement, const char *input, const char *schema, const char *output,
                     uint64_t rows, const char *model, const sbl_synth_options *options, sbl_error *err);
sbl_status table_resume(char **statement, const char *input, const char *schema, const char *output,
                        uint64_t rows, const char *model, const sbl_synth_options *options, sbl_error *err);
sbl_status table_fit(char **statement, const char *input, const char *schema, const char *model,
                     const sbl_synth_options *options, sbl_error *err);
sbl_status table_plan(char **text, const char *schema, uint64_t n, bool json,
                      const sbl_synth_options *options, sbl_error *err);

/* Images. */
sbl_status images_run(char **statement, const image_input *input, const image_output *output, uint64_t rows,
                      const char *model, const sbl_synth_options *options, sbl_error *err);
sbl_status images_resume(char **statement, const image_input *input, const image_output *output,
                         uint64_t rows, const char *model, const sbl_synth_options *options, sbl_error *err);
sbl_status images_fit(char **statement, const image_input *input, const char *model,
                      const sbl_synth_options *options, sbl_error *err);
sbl_status images_plan(char **text, const image_input *input, uint64_t n, bool json,
                       const sbl_synth_options *options, sbl_error *err);

/* Both. */
sbl_status train_files(const char *release, const char *model, const sbl_synth_options *options,
                       sbl_error *err);
sbl_status table_sample(const char *model, const char *output, uint64_t rows, const char *where,
                        const sbl_synth_options *options, sbl_error *err);
sbl_status images_sample(const char *model, const image_output *output, uint64_t rows, const char *where,
                         const sbl_synth_options *options, sbl_error *err);

#endif
