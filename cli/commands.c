/* SPDX-License-Identifier: Apache-2.0 */
/* The list of commands, and finding one by its words. */
#include <string.h>

#include "command.h"
#include "output.h"
#include "suggest.h"

const sbl_cli_command *const sbl_cli_commands[] = {
    &sbl_cmd_synth,
    &sbl_cmd_fit,
    &sbl_cmd_resume,
    &sbl_cmd_sample,
    &sbl_cmd_ask,
    &sbl_cmd_plan,
    &sbl_cmd_sum,
    &sbl_cmd_merge,
    &sbl_cmd_release,
    &sbl_cmd_train,
    &sbl_cmd_schema,
    &sbl_cmd_evaluate,
    &sbl_cmd_project,
    &sbl_cmd_combine,
    &sbl_cmd_estimate,
    &sbl_cmd_audit,
    &sbl_cmd_encoder,
    &sbl_cmd_serve,
    &sbl_cmd_account,
    &sbl_cmd_ledger,
    &sbl_cmd_register,
    &sbl_cmd_certificate,
    &sbl_cmd_verify,
    &sbl_cmd_sign,
    &sbl_cmd_completion,
    &sbl_cmd_version,
    &sbl_cmd_help,
    &sbl_cmd_manual,
    NULL,
};

const char *sbl_cli_last_word(const char *name)
{
    const char *space = strrchr(name, ' ');
    return space != NULL ? space + 1 : name;
}

static const sbl_cli_command *find_in(const sbl_cli_command *const *list, const char *word)
{
    for (; *list != NULL; list++)
        if (strcmp(sbl_cli_last_word((*list)->name), word) == 0) return *list;
    return NULL;
}

/* prefix is "" or the name of the group and a space. */
static sbl_status unknown(const sbl_cli_command *const *list, const char *word, const char *prefix,
                          sbl_error *err)
{
    /* How subcommands were spelled once. */
    static const char *const once[][2] = {{"guess", "inspect"}, {"suggest", "discover"}};
    sbl_suggestion nearest = sbl_suggestion_start(word);
    for (const sbl_cli_command *const *one = list; *one != NULL; one++)
        if (!(*one)->hidden) sbl_suggestion_offer(&nearest, sbl_cli_last_word((*one)->name));
    for (size_t i = 0; i < SBL_CLI_COUNT(once); i++)
        if (strcmp(once[i][0], word) == 0 && find_in(list, once[i][1]) != NULL) nearest.best = once[i][1];
    if (nearest.best != NULL)
        return sbl_cli_fail(err, SBL_EARG,
                            "'%s%.80s' is not a command (did you mean '%s%s'?); see 'semblance %s--help'",
                            prefix, word, prefix, nearest.best, prefix);
    return sbl_cli_fail(err, SBL_EARG, "'%s%.80s' is not a command; see 'semblance %s--help'", prefix, word,
                        prefix);
}

sbl_status sbl_cli_find(const sbl_cli_command **command, int *used, int count, const char *const *words,
                        sbl_error *err)
{
    *used = 1;
    *command = find_in(sbl_cli_commands, words[0]);
    if (*command == NULL) return unknown(sbl_cli_commands, words[0], "", err);
    if ((*command)->children == NULL || count < 2 || words[1][0] == '-') return SBL_OK;
    const sbl_cli_command *child = find_in((*command)->children, words[1]);
    if (child == NULL) {
        char prefix[32];
        (void)snprintf(prefix, sizeof prefix, "%s ", (*command)->name);
        return unknown((*command)->children, words[1], prefix, err);
    }
    *used = 2;
    *command = child;
    return SBL_OK;
}
