/* A view of the library's option table as options of a command: filtered by the command's steps,
 * renamed where the program has another word, and after the command's own. */
#include "library_options.h"

#include <stdio.h>
#include <string.h>

#include "output.h"

/* What the program calls otherwise, or by a letter. */
static const struct {
    const char *library;
    const char *program;
    char letter;
} renamed[] = {
    {"overwrite", "force", 'f'},
};

const char *sbl_cli_name_of(const sbl_option *option)
{
    for (size_t i = 0; i < SBL_CLI_COUNT(renamed); i++)
        if (strcmp(renamed[i].library, option->name) == 0) return renamed[i].program;
    return option->name;
}

static char letter_of(const sbl_option *option)
{
    for (size_t i = 0; i < SBL_CLI_COUNT(renamed); i++)
        if (strcmp(renamed[i].library, option->name) == 0) return renamed[i].letter;
    return 0;
}

static bool is_own(const sbl_cli_command *command, const char *name)
{
    for (size_t i = 0; i < command->option_count; i++)
        if (strcmp(command->options[i].name, name) == 0) return true;
    return false;
}

/* Does the command have this option of the library, and not one of its own in its place? */
static bool is_shown(const sbl_cli_command *command, const sbl_option *option)
{
    return (option->steps & command->steps) != 0 && !is_own(command, sbl_cli_name_of(option));
}

/* Number index of the library's options that the command has; NULL past the last. */
static const sbl_option *library_option(const sbl_cli_command *command, size_t index)
{
    const size_t all = sbl_option_count();
    for (size_t i = 0; i < all; i++)
        if (is_shown(command, sbl_option_at(i)) && index-- == 0) return sbl_option_at(i);
    return NULL;
}

size_t sbl_cli_option_count(const sbl_cli_command *command)
{
    const size_t all = sbl_option_count();
    size_t count = command->option_count;
    for (size_t i = 0; i < all; i++) count += is_shown(command, sbl_option_at(i));
    return count;
}

static bool is_named(const char *known, const char *name, size_t length)
{
    return strncmp(known, name, length) == 0 && known[length] == '\0';
}

/* One pass over both tables: asking for each option by its number would be a pass for each. */
bool sbl_cli_find_option(size_t *place, const sbl_cli_command *command, const char *name,
                         size_t length)
{
    const size_t all = sbl_option_count();
    for (*place = 0; *place < command->option_count; ++*place)
        if (is_named(command->options[*place].name, name, length)) return true;
    for (size_t i = 0; i < all; i++) {
        if (!is_shown(command, sbl_option_at(i))) continue;
        if (is_named(sbl_cli_name_of(sbl_option_at(i)), name, length)) return true;
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
    };
    return (sbl_cli_option){.name = sbl_cli_name_of(option),
                            .letter = letter_of(option),
                            .value = option->value,
                            .kind = is_written(option) ? SBL_CLI_WRITES : kinds[option->type],
                            .help = option->help,
                            .standard = option->standard,
                            .range = option->range,
                            .choices = option->choices};
}

sbl_cli_option sbl_cli_option_at(const sbl_cli_command *command, size_t index)
{
    if (index < command->option_count) return command->options[index];
    return sbl_cli_as_option(library_option(command, index - command->option_count));
}

bool sbl_cli_is_of_methods(const sbl_cli_command *command, size_t index)
{
    return index >= command->option_count &&
           library_option(command, index - command->option_count)->size == 0;
}

bool sbl_cli_method_has(const char *method, const sbl_option *option)
{
    return !option->common && (sbl_option_is_used(option, method, SBL_TABLES) ||
                               sbl_option_is_used(option, method, SBL_IMAGES));
}

sbl_status sbl_cli_fill_options(sbl_synth_options *options, const sbl_cli_parsed *parsed,
                                sbl_error *err)
{
    for (size_t i = 0; i < sbl_option_count(); i++) {
        const sbl_option *option = sbl_option_at(i);
        if ((option->steps & parsed->command->steps) == 0) continue;
        const sbl_cli_value *value = sbl_cli_given(parsed, sbl_cli_name_of(option));
        if (value == NULL) continue;
        if (sbl_options_set(options, option->name, value->text, err) == SBL_OK) continue;
        const sbl_error reason = *err;
        return sbl_cli_misuse(err, parsed->command, "option --%s", reason.message);
    }
    return SBL_OK;
}
