/* SPDX-License-Identifier: Apache-2.0 */
/* Options by name, of all methods: those that every method knows (public/options/option_values.h) and each
 * method's own. */
#ifndef SBL_METHODS_METHOD_OPTIONS_H
#define SBL_METHODS_METHOD_OPTIONS_H

#include "public/options/option_values.h"

/* One of the library's options; NULL for an unknown name. */
const sbl_option *sbl_option_find(const char *name);

/* The two halves of sbl_options_check(), for steps that learn the method from a file: is every
 * value of these steps there and in range; does the method use every option that was given? */
sbl_status sbl_options_check_values(const sbl_synth_options *options, unsigned steps, sbl_error *err);
sbl_status sbl_options_check_method(const sbl_synth_options *options, const char *method, sbl_data_kinds kind,
                                    unsigned steps, sbl_error *err);

#endif
