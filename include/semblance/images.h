/* The main job for image sets: private images in, synthetic ones out, under differential privacy.
 * The same steps as synth.h; options, releases, certificates and ledgers are the same, and
 * sbl_synth_train() makes a model from the releases of either kind. */
#ifndef SEMBLANCE_IMAGES_H
#define SEMBLANCE_IMAGES_H

#include "semblance/synth.h"
#include "semblance/synthesizer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A private image set: IDX (plain or gzip), CIFAR binary, or a folder of PNG files. Everything here
 * is public by declaration; a zero means the default. Under add-remove a set may be empty: an IDX
 * or CIFAR file, or a folder whose size is declared. */
typedef struct sbl_image_input {
    size_t struct_size; /* set by sbl_image_input_init() */
    const char *images; /* needed: an IDX file, CIFAR file(s) as a comma list, or a folder */
    const char *labels; /* of IDX images; default NULL: a set without labels */
    uint64_t classes;   /* 1 to 1000; default: 10; a folder of PNG files has its subfolders. CIFAR:
                           100 and 20 declare CIFAR-100 (fine, coarse labels), any other number
                           CIFAR-10 */
    bool balanced;      /* classes are declared to be equally frequent; else noisy counts say */
    bool grey;          /* read PNG files as grey; else as RGB, whatever they hold */
    /* Of every image, 1 to 128, both or neither. A folder of PNG files: each that is no image of
     * this size is read as mid-grey, and only counted (option health); default: the size of the first file, which is then
     * taken to be public. IDX and CIFAR: files that hold another size are refused. */
    uint64_t height;
    uint64_t width;
} sbl_image_input;

SBL_API void sbl_image_input_init_sized(sbl_image_input *input, size_t size);
#define sbl_image_input_init(input) sbl_image_input_init_sized((input), sizeof *(input))

/* Where synthetic images go. */
typedef struct sbl_image_output {
    size_t struct_size; /* set by sbl_image_output_init() */
    const char *folder; /* needed. IDX: images-idx3-ubyte.gz (images-idx4-ubyte.gz for RGB) and
                           labels-idx1-ubyte.gz; PNG: one subfolder per class */
    sbl_images_format format; /* default SBL_IMAGES_IDX */
    const char *preview;      /* a PNG of some images of every class; default NULL: none */
} sbl_image_output;

SBL_API void sbl_image_output_init_sized(sbl_image_output *output, size_t size);
#define sbl_image_output_init(output) sbl_image_output_init_sized((output), sizeof *(output))

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

/* count records of a model, whatever it draws; its file is read once. A table goes to `table` ("-":
 * standard output), images to `images`; NULL: a model of that kind is refused. where, count: as for
 * sbl_synth_sample and sbl_images_sample. */
SBL_API SBL_MUST_USE sbl_status sbl_model_sample(const char *model_path, const char *table,
                                                 const sbl_image_output *images, uint64_t count,
                                                 const char *where,
                                                 const sbl_synth_options *options, sbl_error *err);

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

/* Go on with a run that was stopped between two of its releases, as sbl_synth_resume does. output
 * may be NULL: as for sbl_images_fit. */
SBL_API SBL_MUST_USE sbl_status sbl_images_resume(char **statement, const sbl_image_input *input,
                                                  const sbl_image_output *output, uint64_t count,
                                                  const char *model_path,
                                                  const sbl_synth_options *options, sbl_error *err);

/* What a fit would release: blocks, noise, memory. Reads the container's facts (sizes, classes and,
 * where n is 0, the number of images), no image.
 * Out: text for people, or one JSON object; sbl_string_free */
SBL_API SBL_MUST_USE sbl_status sbl_images_plan(char **text, const sbl_image_input *input,
                                                uint64_t n, bool json,
                                                const sbl_synth_options *options, sbl_error *err);

/* What a frozen network is: layers, shapes, counts, hash, and what it was trained on.
 * In:  path  a safetensors file; NULL: the one that is built in
 *      side  of its input in pixels, 16 to 256; 0: 32
 * Out: text for people, or one JSON object; sbl_string_free
 * Returns: SBL_OK; SBL_EINPUT for what is no such network; SBL_EARG, SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_images_encoder_show(char **text, const char *path,
                                                        uint64_t side, bool json, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
