/* SPDX-License-Identifier: Apache-2.0 */
/* Generated records through a frozen encoder (public/features/encoder_choice.h) and back, in parts where they are many. */
#ifndef SBL_LOSSES_ENCODER_PASS_H
#define SBL_LOSSES_ENCODER_PASS_H

#include "after/losses/loss.h"
#include "public/features/encoder_choice.h"

/* In training as many classes go through the network together as take this part of what a single one may
 * (sbl_generated.network_bytes), about: 256 MB on the CPU, whose caches small groups suit, 2 GB on a device,
 * which wants many rows at a time. One class at least. */
#define SBL_MOMENTS_GROUP_PART 0.25

/* What a loss needs to go through the encoder and back. */
typedef struct sbl_encoded_pass {
    sbl_encoder_workspace *encoder;
    float *d_taken[SBL_ENCODED_MOST_LAYERS];     /* tensors (rows, volume) of each activation taken */
    const float *d_all[SBL_ENCODED_MOST_LAYERS]; /* by the encoder's activations; NULL: not taken */
} sbl_encoded_pass;
/* Its arrays are among the tensors; sbl_encoder_workspace_free(pass->encoder). */
sbl_status sbl_encoded_pass_init(sbl_encoded_pass *pass, sbl_tensors *tensors, const sbl_encoded *encoded,
                                 size_t rows, sbl_error *err);
/* Bytes of one row in such a pass, about. */
double sbl_encoded_row_bytes(const sbl_encoded *encoded);
/* How many of a class's rows go through at a time, where `bytes` may be taken (0: any number): all, or an even
 * number, so that the same rows are mirrored, two at least, with which the parts are about as large as each
 * other. A part is run twice, but for the last: once to add it up, once to go back. */
size_t sbl_encoded_rows_at_once(const sbl_encoded *encoded, double bytes, size_t rows);
/* How many rows of class c a step looks at where it looks at a part of them (sbl_target.part): the
 * first ones, two at least where there are two; part 0: all. Then the most of any class. */
size_t sbl_generated_seen(const sbl_generated *generated, double part, size_t c);
size_t sbl_generated_most_seen(const sbl_generated *generated, double part);

#endif
