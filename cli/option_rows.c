/* SPDX-License-Identifier: Apache-2.0 */
/* A view of the library's option table as options of a command: filtered by the command's steps,
 * and after the command's own. */
#include "option_rows.h"

#include <math.h>
#include <string.h>

const sbl_cli_range sbl_cli_positive = {0.0, INFINITY, true, "a finite number above 0"};
const sbl_cli_range sbl_cli_positive_or_inf = {0x1p-1074, INFINITY, false, "a number above 0 or 'inf'"};
const sbl_cli_range sbl_cli_fraction = {0.0, 1.0, true, "a number above 0 and below 1"};
const sbl_cli_range sbl_cli_interval_draws = {0, 1000, false, "0, or a whole number from 2 to 1000"};
const sbl_cli_range sbl_cli_any_whole = {0, 9007199254740992.0, false, "a whole number, 0 or more"};
const sbl_cli_range sbl_cli_count = {1, 9007199254740992.0, false, "a whole number, 1 or more"};
const sbl_cli_range sbl_cli_to_billion = {1, 1e9, false, "a whole number from 1 to 1e9"};
const char *const sbl_cli_relations[] = {"replace-one", "add-remove", NULL};
const char *const sbl_cli_image_formats[] = {"idx", "png", NULL};
const char *const sbl_cli_progress_modes[] = {"never", "auto", "always", "lines", NULL};

static bool is_own(const sbl_cli_command *command, const char *name)
{
    for (size_t i = 0; i < command->option_count; i++)
        if (strcmp(command->options[i].name, name) == 0) return true;
    return false;
}

static bool is_left_out(const sbl_cli_command *command, const char *name)
{
    for (size_t i = 0; i < SBL_CLI_COUNT(command->without) && command->without[i] != NULL; i++)
        if (strcmp(command->without[i], name) == 0) return true;
    return false;
}

/* Does the command have this option of the library, and not one of its own instead? */
static bool is_shown(const sbl_cli_command *command, const sbl_option *option)
{
    return ((option->steps & command->steps) != 0 || (option->forms & command->reads) != 0) &&
           !is_own(command, option->name) && !is_left_out(command, option->name);
}

/* Number index of the library's options that the command has; NULL past the last. */
static const sbl_option *library_option(const sbl_cli_command *command, size_t index)
{
    const sbl_option *option;
    for (size_t i = 0; (option = sbl_option_at(i)) != NULL; i++)
        if (is_shown(command, option) && index-- == 0) return option;
    return NULL;
}

size_t sbl_cli_option_count(const sbl_cli_command *command)
{
    const sbl_option *option;
    size_t count = command->option_count;
    for (size_t i = 0; (option = sbl_option_at(i)) != NULL; i++) count += is_shown(command, option);
    return count;
}

static bool is_named(const char *known, const char *name, size_t length)
{
    return strncmp(known, name, length) == 0 && known[length] == '\0';
}

/* One pass over both tables: asking for each option by its number would be a pass for each. */
bool sbl_cli_find_option(size_t *place, const sbl_cli_command *command, const char *name, size_t length)
{
    const sbl_option *option;
    for (*place = 0; *place < command->option_count; ++*place)
        if (is_named(command->options[*place].name, name, length)) return true;
    for (size_t i = 0; (option = sbl_option_at(i)) != NULL; i++) {
        if (!is_shown(command, option)) continue;
        if (is_named(option->name, name, length)) return true;
        ++*place;
    }
    return false;
}

static bool is_written(const sbl_option *option)
{
    static const char *const names[] = {"release", "certificate", "checkpoint"};
    for (size_t i = 0; i < SBL_CLI_COUNT(names); i++)
        if (strcmp(names[i], option->name) == 0) return true;
    return false;
}

sbl_cli_option sbl_cli_as_option(const sbl_option *option)
{
    static const sbl_cli_kind kinds[] = {
        [SBL_OPTION_FLAG] = SBL_CLI_FLAG,     [SBL_OPTION_TEXT] = SBL_CLI_TEXT,
        [SBL_OPTION_CHOICE] = SBL_CLI_CHOICE, [SBL_OPTION_NUMBER] = SBL_CLI_NUMBER,
        [SBL_OPTION_WHOLE] = SBL_CLI_WHOLE,   [SBL_OPTION_WHOLES] = SBL_CLI_TEXT,
        [SBL_OPTION_SIZE] = SBL_CLI_SIZE,
    };
    return (sbl_cli_option){.name = option->name,
                            .letter = strcmp(option->name, "overwrite") == 0 ? 'f' : 0,
                            .value = option->value,
                            .kind = is_written(option) ? SBL_CLI_WRITES : kinds[option->type],
                            .help = option->help,
                            .standard = option->standard,
                            .range = option->range,
                            .choices = option->choices,
                            .often = option->often};
}

sbl_cli_option sbl_cli_option_at(const sbl_cli_command *command, size_t index)
{
    if (index < command->option_count) return command->options[index];
    return sbl_cli_as_option(library_option(command, index - command->option_count));
}

bool sbl_cli_is_of_data(const sbl_cli_command *command, size_t index)
{
    return index >= command->option_count &&
           library_option(command, index - command->option_count)->forms != 0;
}

bool sbl_cli_is_of_methods(const sbl_cli_command *command, size_t index)
{
    return index >= command->option_count &&
           library_option(command, index - command->option_count)->size == 0;
}

bool sbl_cli_method_has(const char *method, const sbl_option *option)
{
    return !option->common &&
           (sbl_option_is_used(option, method, SBL_TABLES) || sbl_option_is_used(option, method, SBL_IMAGES));
}
