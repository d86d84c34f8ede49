/* SPDX-License-Identifier: Apache-2.0 */
/* What of a command line belongs to a job (not how it talks or what it may overwrite), in and out
 * of a JSON file; what is typed beside a job file wins. */
#include "job_arguments.h"

#include <stdlib.h>
#include <string.h>

#include "option_args.h"
#include "option_rows.h"
#include "output.h"
#include "semblance/options.h"

/* How a run talks, what it may overwrite and whether a package may leave its folder is not part of the job. */
static bool is_of_job(const char *name)
{
    static const char *const others[] = {"job",     "save-job",  "quiet",        "progress",
                                         "verbose", "overwrite", "allow-outside"};
    for (size_t i = 0; i < SBL_CLI_COUNT(others); i++)
        if (strcmp(name, others[i]) == 0) return false;
    return true;
}

static sbl_status take_member(void *context, const char *name, const char *text, sbl_error *err)
{
    sbl_cli_parsed *parsed = context;
    if (!is_of_job(name)) return sbl_cli_misuse(err, parsed->command, "--%s cannot be in a job file", name);
    return sbl_cli_parse_one(parsed, name, text, err);
}

sbl_status sbl_cli_take_job(sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *path = sbl_cli_text(parsed, "job");
    const sbl_status status = path != NULL ? sbl_job_read(path, take_member, parsed, err) : SBL_OK;
    if (status != SBL_EARG) return status;
    /* It was not typed: say where it comes from. */
    const sbl_error reason = *err;
    return sbl_cli_fail(err, status, "%.80s: %.400s", path, reason.message);
}

/* The address of a server, in either form. text: NULL for a flag. */
static bool may_be_login(const char *text)
{
    return text != NULL && (strstr(text, "://") != NULL || strcasestr(text, "password=") != NULL);
}

sbl_status sbl_cli_save_job(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const char *path = sbl_cli_text(parsed, "save-job");
    const size_t most = sbl_cli_option_count(parsed->command) + 1;
    size_t count = 0;
    if (path == NULL) return SBL_OK;
    const char **names = calloc(most, sizeof *names);
    const char **texts = calloc(most, sizeof *texts);
    sbl_status status = SBL_EMEM;
    if (names == NULL || texts == NULL) {
        status = sbl_cli_fail(err, SBL_EMEM, "out of memory for a job file");
        goto done;
    }
    if (parsed->operand_count > 0) {
        names[count] = "input";
        texts[count++] = parsed->operands[0];
    }
    for (size_t i = 0; i < most - 1; i++) {
        const char *name = sbl_cli_option_at(parsed->command, i).name;
        if (!parsed->values[i].given || !is_of_job(name)) continue;
        names[count] = name;
        texts[count++] = parsed->values[i].text;
    }
    for (size_t i = 0; i < count; i++)
        if (may_be_login(texts[i])) {
            status = sbl_cli_fail(
                err, SBL_EARG,
                "--save-job cannot save the address of a server, which may hold a password: leave it out");
            goto done;
        }
    status = sbl_job_write(path, names, texts, count, sbl_cli_given(parsed, "overwrite") != NULL, err);
done:
    free(names);
    free(texts);
    return status;
}
