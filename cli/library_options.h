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

/* The methods that use an option, ends with NULL; NULL: all do, or it is the command's own. */
const char *const *sbl_cli_option_methods(const sbl_cli_command *command, size_t index);

/* Is it the first of the command's options that exactly these methods use? */
bool sbl_cli_is_first_of_methods(const sbl_cli_command *command, size_t index);
/* Does the list of methods of the option hold this one? An option of all methods has no list. */
bool sbl_cli_option_is_of(const sbl_option *option, const char *method);

/* "Options of a and b". */
#define SBL_CLI_HEADING_SIZE 128
const char *sbl_cli_methods_heading(char text[SBL_CLI_HEADING_SIZE], const char *const *methods);

/* As the program calls it: "force" for "overwrite". */
const char *sbl_cli_name_of(const sbl_option *option);

/* Fill what was typed into the library's options. */
sbl_status sbl_cli_fill_options(sbl_synth_options *options, const sbl_cli_parsed *parsed,
                                sbl_error *err);

#endif
