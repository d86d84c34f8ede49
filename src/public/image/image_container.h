/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the readers and writers of image sets: what each kind of container offers to image_set.c and image_writer.c. */
#ifndef SBL_IMAGE_IMAGE_CONTAINER_H
#define SBL_IMAGE_IMAGE_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "public/image/image_types.h"

/* A container that is open. The opener fills the rest of it, or fails and leaves nothing behind. */
typedef struct sbl_image_container {
    sbl_image_format format; /* image_set.c has set it */
    sbl_image_shape shape;
    size_t count;
    size_t classes;           /* 0: no labels */
    char *const *class_names; /* (classes), in state; NULL: numbers only */
    void *state;
    /* The next count images, which the container has; last: they are its last ones. Labels are as in the
     * file, not compared with classes. misfits (count), all 0 before: 1 if a file is not an image of the
     * set's shape. labels and misfits may be NULL. */
    sbl_status (*read)(void *state, uint8_t *pixels, uint32_t *labels, uint8_t *misfits, size_t count,
                       bool last, sbl_error *err);
    void (*close)(void *state);
} sbl_image_container;

/* labels may be NULL. */
sbl_status sbl_idx_open(sbl_image_container *container, const char *images, const char *labels,
                        const sbl_image_options *options, sbl_error *err);

#define SBL_CIFAR_SIDE ((size_t)32)
#define SBL_CIFAR_PIXELS (SBL_CIFAR_SIDE * SBL_CIFAR_SIDE)
/* In one file: the most that a gzip file may inflate to. */
#define SBL_CIFAR_MOST_IMAGES ((size_t)1 << 18)
/* Classes that declare CIFAR-100, by its fine labels or its coarse ones. */
#define SBL_CIFAR_FINE ((size_t)100)
#define SBL_CIFAR_COARSE ((size_t)20)

static inline bool sbl_cifar_is_100(size_t classes)
{
    return classes == SBL_CIFAR_FINE || classes == SBL_CIFAR_COARSE;
}

/* paths: one file, several with commas between them, or a folder. */
sbl_status sbl_cifar_open(sbl_image_container *container, const char *paths, const sbl_image_options *options,
                          sbl_error *err);

sbl_status sbl_image_folder_open(sbl_image_container *container, const char *path,
                                 const sbl_image_options *options, sbl_error *err);

static inline bool sbl_image_has_suffix(const char *name, const char *suffix)
{
    const size_t length = strlen(name);
    const size_t tail = strlen(suffix);
    return length >= tail && strcmp(name + length - tail, suffix) == 0;
}

/* ".bin", ".bin.gz". */
static inline bool sbl_image_is_cifar_name(const char *name)
{
    return sbl_image_has_suffix(name, ".bin") || sbl_image_has_suffix(name, ".bin.gz");
}

/* A folder of PNG files that appears whole. class_names may be NULL. */
typedef struct sbl_png_output sbl_png_output;

sbl_status sbl_png_output_open(sbl_png_output **output, const char *path,
                               const sbl_image_write_options *options, sbl_error *err);
/* label: below classes; not looked at without classes. */
sbl_status sbl_png_output_write(sbl_png_output *output, const uint8_t *pixels, uint32_t label,
                                sbl_error *err);
sbl_status sbl_png_output_finish(sbl_png_output *output, sbl_error *err);
void sbl_png_output_free(sbl_png_output *output);

typedef struct sbl_folder_entry {
    char *name;
    bool is_folder; /* else a regular file; links count as what they lead to */
} sbl_folder_entry;

typedef struct sbl_folder_list {
    sbl_folder_entry *entries;
    size_t count;
    size_t capacity;
} sbl_folder_list;

/* Names that begin with a dot are left out. Anything but files and folders, an entry that cannot be
 * inspected, and a name with a control character are refused. Clear the list in any case. */
sbl_status sbl_folder_list_read(sbl_folder_list *list, const char *path, sbl_error *err);
void sbl_folder_list_clear(sbl_folder_list *list);

#endif
