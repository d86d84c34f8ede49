/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults that code takes from elsewhere than the row of an option, once: the row shows them. */
#ifndef SBL_OPTIONS_OPTION_DEFAULTS_H
#define SBL_OPTIONS_OPTION_DEFAULTS_H

#define SBL_DEFAULT_DELTA 1e-5 /* of public/account/budget.h, sbl_delta_usual() */

/* The generator and its training; of tables and of images. */
#define SBL_DEFAULT_LATENT 16
#define SBL_DEFAULT_HIDDEN 256, 256, 256
#define SBL_DEFAULT_STEPS 4000
#define SBL_DEFAULT_BATCH 1000
#define SBL_DEFAULT_RATE 0.005 /* of images, too */
#define SBL_DEFAULT_IMAGE_LATENT 32
#define SBL_DEFAULT_IMAGE_HIDDEN 256 /* of the dense layer, then the channels of two volumes */
#define SBL_DEFAULT_IMAGE_CHANNELS 32, 16
#define SBL_DEFAULT_DENSE_HIDDEN 500, 500 /* of a dense generator of images, as in DP-HP */
#define SBL_DEFAULT_RESIDUAL_CHANNELS 128 /* of the first volume of a residual generator */
#define SBL_DEFAULT_IMAGE_STEPS 5000
#define SBL_DEFAULT_IMAGE_BATCH 500

/* Tables without a schema: the part of the budget that discovers one. */
#define SBL_DEFAULT_DISCOVER_SHARE 0.1

/* pairs, ron-gauss: rows that rules of public sizes expect where none are declared. */
#define SBL_DEFAULT_EXPECTED_ROWS 10000

#endif
