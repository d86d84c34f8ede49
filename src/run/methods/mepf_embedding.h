/* Which blocks mepf releases, by the words of its option `embedding`. */
#ifndef SBL_METHODS_MEPF_EMBEDDING_H
#define SBL_METHODS_MEPF_EMBEDDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct sbl_mepf_embedding {
    bool pixels, perceptual, hermite;
    size_t moments; /* 0, 1, 2 */
    bool signs;     /* of the moments: before the ReLUs */
} sbl_mepf_embedding;

/* "pixels+signed-moments" and the like. best: what that word stands for, in others.
 * Returns: SBL_OK; SBL_EARG: not known, twice, or nothing of what the network sees */
sbl_status sbl_mepf_embedding_read(sbl_mepf_embedding *embedding, const char *text, const char *best,
                                   sbl_error *err);

#endif
