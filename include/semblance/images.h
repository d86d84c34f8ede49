/* The main job for image sets: private images in, synthetic ones out, under differential privacy.
 * The same four steps as synth.h; options, releases, certificates and ledgers are the same, and
 * sbl_synth_train() makes a model from a release of either kind. */
#ifndef SEMBLANCE_IMAGES_H
#define SEMBLANCE_IMAGES_H

#include "semblance/synth.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A private image set: IDX (plain or gzip), CIFAR binary, or a folder of PNG files. Everything here
 * is public by declaration; a zero means the default. Under add-remove an IDX or CIFAR set may be
 * empty. */
typedef struct sbl_image_input {
    const char *images; /* an IDX file, CIFAR file(s) as a comma list, or a folder */
    const char *labels; /* of IDX images; NULL: a set without labels */
    uint64_t classes;   /* default: 10; a folder of PNG files has its subfolders. CIFAR: 100 and 20
                           declare CIFAR-100 (fine, coarse labels), any other number CIFAR-10 */
    bool balanced;      /* classes are declared to be equally frequent; else noisy counts say */
    bool grey;          /* read PNG files as grey; else as RGB, whatever they hold */
} sbl_image_input;

typedef enum sbl_images_format { SBL_IMAGES_IDX = 0, SBL_IMAGES_PNG } sbl_images_format;

/* Where synthetic images go. */
typedef struct sbl_image_output {
    const char *folder; /* IDX: images-idx3-ubyte.gz (images-idx4-ubyte.gz for RGB) and
                           labels-idx1-ubyte.gz; PNG: one subfolder per class */
    sbl_images_format format;
    const char *preview; /* a PNG of some images of every class, or NULL */
} sbl_image_output;

/* Fit an image set and save the model.
 * Out:     statement  the guarantee in words (sbl_string_free); may be NULL
 * Privacy: reads records; the release, certificate and model are differentially private.
 * Returns: as sbl_synth_fit */
SBL_API SBL_MUST_USE sbl_status sbl_images_fit(char **statement, const sbl_image_input *input,
                                               const char *model_path,
                                               const sbl_synth_options *options, sbl_error *err);

/* Does this model draw images? SBL_EINPUT, SBL_EIO for a file that is no model. */
SBL_API SBL_MUST_USE sbl_status sbl_images_is_model(bool *is, const char *model_path,
                                                    sbl_error *err);

/* count images of a model. where: NULL, or "label=CLASS" with the class's name or, where classes
 * have no names (IDX, CIFAR), its number. count = 0: as many as the model was fitted to (or their
 * noisy number). */
SBL_API SBL_MUST_USE sbl_status sbl_images_sample(const char *model_path,
                                                  const sbl_image_output *output, uint64_t count,
                                                  const char *where,
                                                  const sbl_synth_options *options, sbl_error *err);

/* Fit and sample. model_path may be NULL: the model is not kept. */
SBL_API SBL_MUST_USE sbl_status sbl_images_run(char **statement, const sbl_image_input *input,
                                               const sbl_image_output *output, uint64_t count,
                                               const char *model_path,
                                               const sbl_synth_options *options, sbl_error *err);

/* What a fit would release: blocks, noise, memory. Reads the container's facts (sizes, classes and,
 * where n is 0, the number of images), no image.
 * Out: text for people, or one JSON object; sbl_string_free */
SBL_API SBL_MUST_USE sbl_status sbl_images_plan(char **text, const sbl_image_input *input,
                                                uint64_t n, bool json,
                                                const sbl_synth_options *options, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
