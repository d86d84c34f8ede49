/* Every default that a person may change, once: the table of options shows it, and the code that
 * would otherwise have one of its own takes it from here. */
#ifndef SBL_OPTIONS_DEFAULTS_H
#define SBL_OPTIONS_DEFAULTS_H

#define SBL_DEFAULT_DELTA 1e-5 /* of account/budget.h, sbl_delta_usual() */

/* merf: features, and the generator and its training; of tables and of images. */
#define SBL_DEFAULT_FEATURES 2000
#define SBL_DEFAULT_LATENT 16
#define SBL_DEFAULT_HIDDEN 256, 256, 256
#define SBL_DEFAULT_STEPS 4000
#define SBL_DEFAULT_BATCH 1000
#define SBL_DEFAULT_RATE 0.005 /* of images, too */
#define SBL_DEFAULT_IMAGE_FEATURES 10000
#define SBL_DEFAULT_IMAGE_LATENT 32
#define SBL_DEFAULT_IMAGE_HIDDEN 256 /* of the dense layer, then the channels of two volumes */
#define SBL_DEFAULT_IMAGE_CHANNELS 32, 16
#define SBL_DEFAULT_RESIDUAL_CHANNELS 128 /* of the first volume of a residual generator */
#define SBL_DEFAULT_IMAGE_STEPS 5000
#define SBL_DEFAULT_IMAGE_BATCH 500

/* hp: length scales of the sum kernel, in units of a column's range, and of the product kernel; columns
 * of a subset and how many subsets there are at most; weight of the product's loss. */
#define SBL_DEFAULT_LENGTHS "0.02,0.1,0.4"
#define SBL_DEFAULT_IMAGE_LENGTHS "0.1,0.4"
#define SBL_DEFAULT_PRODUCT_LENGTH 0.1
#define SBL_DEFAULT_IMAGE_PRODUCT_LENGTH 0.3
#define SBL_DEFAULT_PRODUCT_SIZE 2
#define SBL_DEFAULT_PRODUCTS 200
#define SBL_DEFAULT_IMAGE_PRODUCTS 1000
#define SBL_DEFAULT_GAMMA 30

/* marginals: bins of a number; values of an integer that are counted one by one. */
#define SBL_DEFAULT_BINS 32
#define SBL_DEFAULT_SINGLES 128

/* Tables without a schema: the part of the budget that discovers one. */
#define SBL_DEFAULT_DISCOVER_SHARE 0.1

/* pairs, ron-gauss: rows that rules of public sizes expect where nobody says how many. */
#define SBL_DEFAULT_EXPECTED_ROWS 10000

#endif
