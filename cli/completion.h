/* Completion for shells, from the tables that --help prints: commands, options, the words that an
 * option takes, files elsewhere. */
#ifndef SBL_CLI_COMPLETION_H
#define SBL_CLI_COMPLETION_H

#include <stdio.h>

/* A script for bash (complete -F) and one for zsh (#compdef). */
void sbl_cli_complete_bash(FILE *out);
void sbl_cli_complete_zsh(FILE *out);

#endif
