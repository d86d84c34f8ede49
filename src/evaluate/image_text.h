/* The text of an evaluation of images. */
#ifndef SBL_EVALUATE_IMAGE_TEXT_H
#define SBL_EVALUATE_IMAGE_TEXT_H

#include <jansson.h>

#include "base/text.h"

/* All of a document of images. */
void sbl_put_images(sbl_text *text, const json_t *document);

#endif
