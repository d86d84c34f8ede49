/* SPDX-License-Identifier: Apache-2.0 */
/* Job files: any bytes are refused with one line, or are members that the table of options takes or
 * refuses with one line each; what was taken can be checked. */
#include <string.h>

#include "fuzz/memory_file.h"
#include "semblance/options.h"

#define MOST 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct taking {
    sbl_synth_options options;
    char *texts[MOST]; /* options borrow them */
    size_t count;
} taking;

static void check_line(const sbl_error *err)
{
    CHECK(err->message[0] != '\0' && strchr(err->message, '\n') == NULL);
}

static sbl_status take(void *context, const char *name, const char *text, sbl_error *err)
{
    taking *t = context;
    sbl_error own = {0};
    CHECK(name != NULL);
    if (t->count == MOST) return SBL_OK;
    t->texts[t->count] = text != NULL ? strdup(text) : NULL;
    CHECK(text == NULL || t->texts[t->count] != NULL);
    if (sbl_options_set(&t->options, name, t->texts[t->count++], &own) != SBL_OK) check_line(&own);
    (void)err;
    return SBL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    sbl_error err = {0};
    taking t = {0};
    const int file = open_memory_file(path, data, size);
    sbl_synth_options_init(&t.options);
    if (sbl_job_read(path, take, &t, &err) != SBL_OK) check_line(&err);
    for (int images = 0; images < 2; images++) {
        err = (sbl_error){0};
        if (sbl_options_check(&t.options, NULL, images ? SBL_IMAGES : SBL_TABLES, SBL_STEP_FIT, &err) !=
            SBL_OK)
            check_line(&err);
    }
    for (size_t i = 0; i < t.count; i++) free(t.texts[i]);
    (void)close(file);
    return 0;
}
