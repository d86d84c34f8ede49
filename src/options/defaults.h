/* Every default that a person may change, once: the table of options shows it, and the code that
 * would otherwise have one of its own takes it from here. */
#ifndef SBL_OPTIONS_DEFAULTS_H
#define SBL_OPTIONS_DEFAULTS_H

#define SBL_DEFAULT_DELTA 1e-5

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
#define SBL_DEFAULT_IMAGE_STEPS 5000
#define SBL_DEFAULT_IMAGE_BATCH 500

/* marginals: bins of a number; values of an integer that are counted one by one. */
#define SBL_DEFAULT_BINS 32
#define SBL_DEFAULT_SINGLES 128

/* pairs, ron-gauss: rows that rules of public sizes expect where nobody says how many. */
#define SBL_DEFAULT_EXPECTED_ROWS 10000

#endif
