/* SPDX-License-Identifier: Apache-2.0 */
/* [6] A training between two of its steps, as a file: a run that was killed goes on from it, to the
 * same bits that it would have come to. All of it comes from releases and public randomness, as the
 * model does; it costs nothing and tells nothing more.
 *
 * A safetensors file (base/tensors/safetensors.h, docs/FORMATS.md) that carries its own SHA-256, written
 * aside and renamed into place: there is a whole one or none. It names the training that it belongs
 * to by a hash of all that this depends on; no other goes on from it. */
#ifndef SBL_TRAIN_CHECKPOINT_H
#define SBL_TRAIN_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/store/store.h"

#define SBL_TRAINING_MOST_PARTS 8

/* Numbers of a training, borrowed from it; count 0: there are none. */
typedef struct sbl_training_part {
    const char *name;
    float *values;
    size_t count;
} sbl_training_part;

typedef struct sbl_training_state {
    sbl_training_part parts[SBL_TRAINING_MOST_PARTS];
    size_t count;   /* of parts */
    size_t step;    /* steps done */
    bool validated; /* there are best weights, and their score */
    double best;
} sbl_training_state;

typedef enum sbl_checkpoint_found {
    SBL_CHECKPOINT_NONE,   /* no such file */
    SBL_CHECKPOINT_LOADED, /* the state is that of the file */
    SBL_CHECKPOINT_OTHER,  /* one of another training: it may be replaced */
    SBL_CHECKPOINT_FOREIGN /* a file that is none: it stays */
} sbl_checkpoint_found;

/* Replaces what is there. training: the hash, 64 hexadecimal digits.
 * Returns: SBL_OK, SBL_EIO, SBL_EMEM */
sbl_status sbl_checkpoint_save(sbl_store_entry to, const char *training, const sbl_training_state *state,
                               sbl_error *err);
/* Values, step and score of the state become the file's, all of them or none; parts must have the
 * sizes that they had. */
sbl_checkpoint_found sbl_checkpoint_load(sbl_training_state *state, sbl_store_entry from,
                                         const char *training);
/* Where there is one, of whatever training. */
void sbl_checkpoint_remove(sbl_store_entry checkpoint);

#endif
