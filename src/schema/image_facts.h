/* What is publicly known of an image set: the size of its images and its classes. Pixels are bytes;
 * 0 and 255 are their bounds. */
#ifndef SBL_SCHEMA_IMAGE_FACTS_H
#define SBL_SCHEMA_IMAGE_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/status.h"

#define SBL_IMAGE_FACTS_MOST_SIDE 128
#define SBL_IMAGE_FACTS_MOST_CLASSES 1000
/* These facts as a certificate lists them among what is assumed to be public. */
#define SBL_IMAGE_FACTS_ARE_PUBLIC \
    "size and channels of the images, number and names of their classes"

typedef struct sbl_image_facts {
    size_t height, width; /* 1 .. 128 */
    size_t channels;      /* 1: grey, 3: RGB */
    size_t classes;       /* 0: no labels */
    char **names;         /* (classes), or NULL where classes have numbers only */
} sbl_image_facts;

/* Values of one image. */
static inline size_t sbl_image_facts_size(const sbl_image_facts *facts)
{
    return facts->height * facts->width * facts->channels;
}

/* Sums are kept per class; a set without labels has one. */
static inline size_t sbl_image_facts_groups(const sbl_image_facts *facts)
{
    return facts->classes > 0 ? facts->classes : 1;
}

/* names: (classes) or NULL; copied.   Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_image_facts_init(sbl_image_facts *facts, size_t height, size_t width,
                                size_t channels, size_t classes, const char *const *names,
                                sbl_error *err);
sbl_status sbl_image_facts_copy(sbl_image_facts *copy, const sbl_image_facts *facts,
                                sbl_error *err);
void sbl_image_facts_clear(sbl_image_facts *facts);

/* NULL when out of memory. */
json_t *sbl_image_facts_to_json(const sbl_image_facts *facts);
sbl_status sbl_image_facts_from_json(sbl_image_facts *facts, const json_t *object,
                                     const char *where, sbl_error *err);

/* The class of this name or, where classes have no names, of this number; false: none. */
bool sbl_image_facts_class(size_t *index, const sbl_image_facts *facts, const char *text);

#endif
