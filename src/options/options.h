/* What the library itself asks of the table of options. */
#ifndef SBL_OPTIONS_OPTIONS_H
#define SBL_OPTIONS_OPTIONS_H

#include "base/status.h"
#include "semblance/options.h"

/* A caller's options, of whatever version, as ours: what it does not know has its default. SBL_EARG
 * where they are NULL, were not set up, or say something that this version does not know. */
sbl_status sbl_synth_options_take(sbl_synth_options *options, const sbl_synth_options *theirs,
                                  sbl_error *err);

/* The name that "auto" stands for, for a kind of data; pure: where delta is to be 0. */
const char *sbl_method_of_auto(sbl_data_kinds kind, bool pure);

/* The delta of a run: 0 of a pure one, what was asked for, or the usual one of n records (0: not
 * known), which counts where n is public. */
double sbl_delta_of_options(const sbl_synth_options *options, uint64_t n);

/* A method by its name; NULL: the default. NULL when there is none of that name. */
const sbl_method_facts *sbl_method_facts_of(const char *name);

/* The two halves of sbl_options_check(), for steps that learn the method from a file: is every
 * value of these steps there and in range; does the method use every option that was given? A method that is
 * not ours is taken for one that the caller brings, where there are such: it is not judged here. */
sbl_status sbl_options_check_values(const sbl_synth_options *options, unsigned steps,
                                    sbl_error *err);
sbl_status sbl_options_check_method(const sbl_synth_options *options, const char *method,
                                    sbl_data_kinds kind, unsigned steps, sbl_error *err);

/* The field of an option, of a struct of our size. */
const void *sbl_option_field(const sbl_option *option, const sbl_synth_options *options);

/* Is number in the range? A NULL range holds every number. */
bool sbl_option_range_holds(const sbl_option_range *range, double number);

/* SBL_EARG: "NAME must be ...". text: what was given instead, or NULL. */
sbl_status sbl_option_refuse(const sbl_option *option, const char *text, sbl_error *err);

#endif
