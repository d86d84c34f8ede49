/* SPDX-License-Identifier: Apache-2.0 */
/* What the library itself asks of options: those that every method knows, values from text, and
 * the options of a method where it reads them. Options by name, of all methods, are in
 * run/methods/method_options.h. */
#ifndef SBL_OPTIONS_OPTION_VALUES_H
#define SBL_OPTIONS_OPTION_VALUES_H

#include "base/error.h"
#include "semblance/options.h"

#define SBL_MAX_WHOLES 32 /* the longest list that an option takes */

/* A caller's options, of whatever version, as ours: what it does not know has its default. SBL_EARG
 * where they are NULL, were not set up, or say something that this version does not know. */
sbl_status sbl_synth_options_take(sbl_synth_options *options, const sbl_synth_options *theirs,
                                  sbl_error *err);

/* The delta of a run: 0 of a pure one, what was asked for, or the usual one of n records (0: not
 * known), which counts where n is public. */
double sbl_delta_of_options(const sbl_synth_options *options, uint64_t n);

/* Options with a field of sbl_synth_options; ends with NULL. Three of them not every method uses:
 * those that do have them in their lists. */
extern const sbl_option *const sbl_common_options[];
/* Options of data, with a field of sbl_data_options; ends with NULL. */
extern const sbl_option *const sbl_data_option_rows[];
extern const sbl_option sbl_option_pure;
extern const sbl_option sbl_option_expect_rows;
extern const sbl_option sbl_option_checkpoint;

/* ---- values ---- */

typedef struct sbl_option_value {
    bool flag;
    double number;
    uint64_t whole; /* of a choice: its place in the list */
    const char *text;
    uint64_t wholes[SBL_MAX_WHOLES];
    size_t count;
} sbl_option_value;

/* The value that text says, NULL of a flag.   Returns: SBL_OK; SBL_EARG: it says none, or one out of range */
sbl_status sbl_option_take(sbl_option_value *value, const sbl_option *option, const char *text,
                           sbl_error *err);
/* The same without a word. */
bool sbl_option_read(sbl_option_value *value, const sbl_option *option, const char *text);

/* Of an option with a field in options, an sbl_synth_options or sbl_data_options: its value there, if one was given; is it one that the option takes? */
bool sbl_option_is_given(const sbl_option *option, const void *options);
bool sbl_option_is_good(const sbl_option *option, const void *options);
void sbl_option_store(const sbl_option *option, void *options, const sbl_option_value *value);
/* SBL_EARG: the struct of the caller, of this size, has no field for it. */
sbl_status sbl_option_has_field(const sbl_option *option, size_t struct_size, sbl_error *err);

/* SBL_EARG: "NAME must be ...". text: what was given instead, or NULL. */
sbl_status sbl_option_refuse(const sbl_option *option, const char *text, sbl_error *err);

/* ---- options of a method, where it reads them ---- */

/* Of mepf: a file that the run opens before it plans. */
#define SBL_SETTING_ENCODER "encoder"

/* What was given, or NULL. */
const char *sbl_setting_given(const sbl_synth_options *options, const char *name);

/* What was given and is in range, else the default for this kind of data; where that is a rule: NULL,
 * 0, no numbers; of a whole number for which a word was given: 0. */
const char *sbl_setting_text(const sbl_synth_options *options, const sbl_option *option, sbl_data_kinds kind);
uint64_t sbl_setting_whole(const sbl_synth_options *options, const sbl_option *option, sbl_data_kinds kind);
double sbl_setting_number(const sbl_synth_options *options, const sbl_option *option, sbl_data_kinds kind);
size_t sbl_setting_wholes(uint64_t wholes[SBL_MAX_WHOLES], const sbl_synth_options *options,
                          const sbl_option *option, sbl_data_kinds kind);
/* Is it this of the choices? */
bool sbl_setting_is(const sbl_synth_options *options, const sbl_option *option, sbl_data_kinds kind,
                    const char *choice);

#endif
