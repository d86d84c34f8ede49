/* The options that the library's table describes (semblance/options.h), as options of a command.
 * A command says which steps it takes; it then has every option of these steps, under its own. */
#ifndef SBL_CLI_LIBRARY_OPTIONS_H
#define SBL_CLI_LIBRARY_OPTIONS_H

#include "command.h"
#include "semblance/options.h"

/* The command's own options come first, in their places, then the library's. One of its own hides
 * the library's of that name, whose field it fills. */
size_t sbl_cli_option_count(const sbl_cli_command *command);
sbl_cli_option sbl_cli_option_at(const sbl_cli_command *command, size_t index);
/* The place of the option whose name is the first length bytes of name; false: there is none. */
bool sbl_cli_find_option(size_t *place, const sbl_cli_command *command, const char *name,
                         size_t length);

/* Is it one of some methods only, which 'semblance help METHOD' shows? */
bool sbl_cli_is_of_methods(const sbl_cli_command *command, size_t index);
/* Has the method this option, which not every method has? */
bool sbl_cli_method_has(const char *method, const sbl_option *option);

/* A row of the library's table as one of the program's. */
sbl_cli_option sbl_cli_as_option(const sbl_option *option);
/* As the program calls it: "force" for "overwrite". */
const char *sbl_cli_name_of(const sbl_option *option);

/* Fill what was typed into the library's options. */
sbl_status sbl_cli_fill_options(sbl_synth_options *options, const sbl_cli_parsed *parsed,
                                sbl_error *err);

#endif
