/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow arrays and schemas that own their memory. A receiver may move a child away and release it by itself, so each child
 * owns what it points to. */
#ifndef SBL_BASE_ARROW_OWNED_H
#define SBL_BASE_ARROW_OWNED_H

#include <stddef.h>

#include "base/error.h"
#include "semblance/arrow.h"

/* What an array owns: its private_data, and its buffers point there. They are wiped by their sizes. */
typedef struct sbl_arrow_owned {
    const void *buffers[3];
    size_t sizes[3];
} sbl_arrow_owned;

/* An array of `rows` rows in buffers that are still to be set, and children that are still to be made.
 * Returns: SBL_OK; SBL_EMEM, and there is nothing to release */
sbl_status sbl_arrow_array_make(struct ArrowArray *out, size_t rows, int64_t buffers, size_t children,
                                sbl_error *err);
/* format is borrowed, name copied. */
sbl_status sbl_arrow_schema_make(struct ArrowSchema *out, const char *format, const char *name, int64_t flags,
                                 size_t children, sbl_error *err);

#endif
