/* SPDX-License-Identifier: Apache-2.0 */
/* Options of methods, as tests give them: right or wrong, without a word of the library. */
#ifndef SBL_TESTS_OPTION_KIT_H
#define SBL_TESTS_OPTION_KIT_H

#include <stdio.h>
#include <string.h>

#include "run/methods/method_options.h"
#include "semblance/options.h"
#include "support/cmocka_all.h"

/* Over a value that was given before. text: borrowed; NULL: it is not given. */
static inline void give(sbl_synth_options *options, const char *name, const char *text)
{
    sbl_setting *settings = options->settings;
    size_t last = 0, at = SBL_MAX_SETTINGS;
    assert_true(sbl_option_find(name) != NULL || options->more_methods != NULL);
    for (; last < SBL_MAX_SETTINGS && settings[last].name != NULL; last++)
        if (strcmp(settings[last].name, name) == 0) at = last;
    if (text == NULL && at == SBL_MAX_SETTINGS) return;
    if (at == SBL_MAX_SETTINGS) at = last;
    assert_true(at < SBL_MAX_SETTINGS);
    settings[at] = (sbl_setting){name, text};
    if (text != NULL) return;
    settings[at] = settings[last - 1];
    settings[last - 1] = (sbl_setting){NULL, NULL};
}

#endif
