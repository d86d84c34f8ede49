/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of command lines: one pass over the words, each option looked up in the command's
 * table and checked by the library. Everything wrong here is a usage error before
 * any file is opened. */
#include "option_args.h"

#include <stdlib.h>
#include <string.h>

#include "option_rows.h"
#include "output.h"
#include "suggest.h"

/* The words left to read. */
typedef struct reader {
    sbl_cli_parsed *parsed;
    const char *const *words;
    int count;
    int next;
    sbl_error *err;
} reader;

/* The library reads and checks it, by the kind of the option, its range or its choices. */
static sbl_status read_value(const reader *r, const sbl_cli_option *option, sbl_cli_value *value)
{
    static const sbl_option_type types[] = {
        [SBL_CLI_TEXT] = SBL_OPTION_TEXT,     [SBL_CLI_WRITES] = SBL_OPTION_TEXT,
        [SBL_CLI_CHOICE] = SBL_OPTION_CHOICE, [SBL_CLI_NUMBER] = SBL_OPTION_NUMBER,
        [SBL_CLI_WHOLE] = SBL_OPTION_WHOLE,   [SBL_CLI_SIZE] = SBL_OPTION_SIZE,
    };
    const sbl_option row = {.name = option->name,
                            .type = types[option->kind],
                            .range = option->range,
                            .choices = option->choices};
    sbl_error reason = {.status = SBL_OK};
    if (sbl_option_parse(&value->number, &value->whole, &row, value->text, &reason) == SBL_OK) return SBL_OK;
    return sbl_cli_misuse(r->err, r->parsed->command, "option --%s", reason.message);
}

/* A value that begins with "--" is an option whose own value was forgotten; -1 and - are values. */
static sbl_status take_value(reader *r, const sbl_cli_option *option, const char *attached, const char **text)
{
    *text = attached;
    if (attached != NULL) return SBL_OK;
    if (r->next >= r->count || strncmp(r->words[r->next], "--", 2) == 0)
        return sbl_cli_misuse(r->err, r->parsed->command, "option --%s needs a value (%s)", option->name,
                              option->value);
    *text = r->words[r->next++];
    return SBL_OK;
}

/* One more line of an option that may be given several times. */
static sbl_status add_line(reader *r, sbl_cli_value *value)
{
    const size_t have = value->lines != NULL ? strlen(value->lines) + 1 : 0;
    char *longer = realloc(value->lines, have + strlen(value->text) + 1);
    if (longer == NULL) return sbl_cli_fail(r->err, SBL_EMEM, "out of memory for the command line");
    if (have > 0) longer[have - 1] = '\n';
    memcpy(longer + have, value->text, strlen(value->text) + 1);
    value->lines = longer;
    value->text = longer;
    return SBL_OK;
}

static sbl_status store(reader *r, size_t place, const char *attached)
{
    const sbl_cli_option row = sbl_cli_option_at(r->parsed->command, place), *option = &row;
    sbl_cli_value *value = &r->parsed->values[place];
    if (value->given && option->kind != SBL_CLI_LINES)
        return sbl_cli_misuse(r->err, r->parsed->command, "option --%s is given twice", option->name);
    value->given = true;
    if (option->kind == SBL_CLI_FLAG) {
        if (attached == NULL) return SBL_OK;
        return sbl_cli_misuse(r->err, r->parsed->command, "option --%s takes no value", option->name);
    }
    const sbl_status status = take_value(r, option, attached, &value->text);
    if (status != SBL_OK) return status;
    if (value->text[0] == '\0')
        return sbl_cli_misuse(r->err, r->parsed->command, "option --%s has an empty value", option->name);
    if (option->kind == SBL_CLI_LINES) return add_line(r, value);
    return read_value(r, option, value);
}

/* The commands that have an option of this name: "synth, fit". false: none. */
static bool name_owners(char owners[160], const char *name)
{
    size_t place, length = 0;
    owners[0] = '\0';
    for (const sbl_cli_command *const *command = sbl_cli_commands; *command != NULL; command++)
        if (!(*command)->hidden && length < 160 && sbl_cli_find_option(&place, *command, name, strlen(name)))
            length += (size_t)snprintf(owners + length, 160 - length, "%s%s", length > 0 ? ", " : "",
                                       (*command)->name);
    return length > 0;
}

static sbl_status unknown_option(const reader *r, const char *name, size_t length)
{
    /* How options were spelled once. */
    static const char *const once[][2] = {{"force", "overwrite"},
                                          {"n", "rows"},
                                          {"max-rows-per-unit", "rows-per-person"},
                                          {"output", "model"},
                                          {"engine", "duckdb"},
                                          {"driver", "adbc-driver"},
                                          {"query-one-row-per-person", "one-row-per-person"}};
    const sbl_cli_command *command = r->parsed->command;
    char typed[64], owners[160];
    (void)snprintf(typed, sizeof typed, "%.*s", length < 60 ? (int)length : 60, name);
    sbl_suggestion nearest = sbl_suggestion_start(typed);
    const size_t count = sbl_cli_option_count(command);
    const bool elsewhere = name_owners(owners, typed);
    for (size_t i = 0; !elsewhere && i < count; i++)
        sbl_suggestion_offer(&nearest, sbl_cli_option_at(command, i).name);
    for (size_t i = 0; i < SBL_CLI_COUNT(once); i++) {
        size_t place;
        if (strcmp(once[i][0], typed) == 0 &&
            sbl_cli_find_option(&place, command, once[i][1], strlen(once[i][1])))
            nearest.best = once[i][1];
    }
    if (nearest.best != NULL)
        return sbl_cli_misuse(r->err, command, "unknown option --%s (did you mean --%s?)", typed,
                              nearest.best);
    if (elsewhere)
        return sbl_cli_misuse(r->err, command, "unknown option --%s, which is an option of %s", typed,
                              owners);
    return sbl_cli_misuse(r->err, command, "unknown option --%s", typed);
}

static sbl_status read_long(reader *r, const char *name)
{
    const char *equals = strchr(name, '=');
    const size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    size_t place;
    if (sbl_cli_find_option(&place, r->parsed->command, name, length))
        return store(r, place, equals != NULL ? equals + 1 : NULL);
    return unknown_option(r, name, length);
}

/* -o value or -ovalue; flags are not bundled. */
static sbl_status read_short(reader *r, const char *letters)
{
    const sbl_cli_command *command = r->parsed->command;
    const size_t count = sbl_cli_option_count(command);
    for (size_t i = 0; i < count; i++) {
        const char letter = sbl_cli_option_at(command, i).letter;
        if (letter != 0 && letter == letters[0]) return store(r, i, letters[1] != '\0' ? letters + 1 : NULL);
    }
    if (letters[0] == 'o') return unknown_option(r, "output", strlen("output"));
    return sbl_cli_misuse(r->err, command, "unknown option -%.60s", letters);
}

const char *sbl_cli_operand_name(const sbl_cli_command *command, size_t i)
{
    return command->operands[i < command->operand_count ? i : command->operand_count - 1].name;
}

static sbl_status read_operand(reader *r, const char *word)
{
    sbl_cli_parsed *parsed = r->parsed;
    const sbl_cli_command *command = parsed->command;
    if (parsed->operand_count >= command->operand_count && !command->repeats_operand &&
        !command->joins_operands)
        return sbl_cli_misuse(r->err, command, "unexpected argument '%.80s'", word);
    if (word[0] == '\0')
        return sbl_cli_misuse(r->err, command, "%s is empty",
                              sbl_cli_operand_name(command, parsed->operand_count));
    parsed->operands[parsed->operand_count++] = word;
    return SBL_OK;
}

static sbl_status read_word(reader *r, bool *only_operands)
{
    const char *word = r->words[r->next++];
    if (*only_operands || word[0] != '-' || word[1] == '\0') return read_operand(r, word);
    if (strcmp(word, "--") == 0) {
        *only_operands = true;
        return SBL_OK;
    }
    return word[1] == '-' ? read_long(r, word + 2) : read_short(r, word + 1);
}

/* A copy that is the command line's. NULL: out of memory. */
static const char *own(sbl_cli_parsed *parsed, const char *text)
{
    char **longer = realloc(parsed->owned, (parsed->owned_count + 1) * sizeof *longer);
    if (longer == NULL) return NULL;
    parsed->owned = longer;
    char *copy = strdup(text);
    if (copy != NULL) longer[parsed->owned_count++] = copy;
    return copy;
}

/* Several files, which are one table: the library takes a list of them as one text. */
static sbl_status join_operands(sbl_cli_parsed *parsed, sbl_error *err)
{
    size_t size = 0;
    if (!parsed->command->joins_operands || parsed->operand_count < 2) return SBL_OK;
    for (size_t i = 0; i < parsed->operand_count; i++) {
        if (strchr(parsed->operands[i], ',') != NULL)
            return sbl_cli_fail(
                err, SBL_EARG,
                "%s: the names of several input files must not contain a comma: rename the file",
                parsed->operands[i]);
        size += strlen(parsed->operands[i]) + 1;
    }
    char *list = malloc(size);
    if (list == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for the command line");
    char *end = list;
    for (size_t i = 0; i < parsed->operand_count; i++)
        end += sprintf(end, "%s%s", i > 0 ? "," : "", parsed->operands[i]);
    parsed->operands[0] = own(parsed, list);
    parsed->operand_count = 1;
    free(list);
    return parsed->operands[0] != NULL ? SBL_OK
                                       : sbl_cli_fail(err, SBL_EMEM, "out of memory for the command line");
}

sbl_status sbl_cli_parse(sbl_cli_parsed *parsed, const sbl_cli_command *command, int count,
                         const char *const *words, sbl_error *err)
{
    memset(parsed, 0, sizeof *parsed);
    parsed->command = command;
    parsed->values = calloc(sbl_cli_option_count(command) + 1, sizeof *parsed->values);
    parsed->operands = calloc(command->operand_count + (size_t)count + 1, sizeof *parsed->operands);
    if (parsed->values == NULL || parsed->operands == NULL)
        return sbl_cli_fail(err, SBL_EMEM, "out of memory for the command line");
    reader r = {.parsed = parsed, .words = words, .count = count, .next = 0, .err = err};
    bool only_operands = false;
    while (r.next < count) {
        const sbl_status status = read_word(&r, &only_operands);
        if (status != SBL_OK) return status;
    }
    return join_operands(parsed, err);
}

sbl_status sbl_cli_check_operands(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const sbl_cli_command *command = parsed->command;
    if (parsed->operand_count + command->optional_operands < command->operand_count)
        return sbl_cli_misuse(err, command, "%s is missing", command->operands[parsed->operand_count].name);
    return SBL_OK;
}

sbl_status sbl_cli_parse_one(sbl_cli_parsed *parsed, const char *name, const char *text, sbl_error *err)
{
    reader r = {.parsed = parsed, .err = err};
    const char *copy = text != NULL ? own(parsed, text) : NULL;
    if (text != NULL && copy == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for a job file");
    if (strcmp(name, "input") == 0)
        return parsed->operand_count > 0 || copy == NULL ? SBL_OK : read_operand(&r, copy);
    size_t place;
    if (sbl_cli_find_option(&place, parsed->command, name, strlen(name)))
        return parsed->values[place].given ? SBL_OK : store(&r, place, copy);
    return unknown_option(&r, name, strlen(name));
}

void sbl_cli_parsed_clear(sbl_cli_parsed *parsed)
{
    const size_t count = parsed->values != NULL ? sbl_cli_option_count(parsed->command) : 0;
    for (size_t i = 0; i < count; i++) free(parsed->values[i].lines);
    for (size_t i = 0; i < parsed->owned_count; i++) free(parsed->owned[i]);
    free(parsed->owned);
    free(parsed->values);
    free(parsed->operands);
    memset(parsed, 0, sizeof *parsed);
}

/* ---- what was typed, by name ---- */

const sbl_cli_value *sbl_cli_given(const sbl_cli_parsed *parsed, const char *name)
{
    size_t place;
    if (!sbl_cli_find_option(&place, parsed->command, name, strlen(name))) return NULL;
    return parsed->values[place].given ? &parsed->values[place] : NULL;
}

bool sbl_cli_is_quiet(const sbl_cli_parsed *parsed) { return sbl_cli_given(parsed, "quiet") != NULL; }

const char *sbl_cli_text(const sbl_cli_parsed *parsed, const char *name)
{
    const sbl_cli_value *value = sbl_cli_given(parsed, name);
    return value != NULL ? value->text : NULL;
}

uint64_t sbl_cli_whole(const sbl_cli_parsed *parsed, const char *name, uint64_t usual)
{
    const sbl_cli_value *value = sbl_cli_given(parsed, name);
    return value != NULL ? value->whole : usual;
}

sbl_status sbl_cli_need(const sbl_cli_parsed *parsed, const char *name, sbl_error *err)
{
    if (sbl_cli_given(parsed, name) != NULL) return SBL_OK;
    return sbl_cli_misuse(err, parsed->command, "option --%s is missing", name);
}

sbl_status sbl_cli_fill_options(sbl_synth_options *options, const sbl_cli_parsed *parsed, sbl_error *err)
{
    for (size_t i = 0; sbl_option_at(i) != NULL; i++) {
        const sbl_option *option = sbl_option_at(i);
        if ((option->steps & parsed->command->steps) == 0 || option->forms != 0) continue;
        const sbl_cli_value *value = sbl_cli_given(parsed, option->name);
        if (value == NULL) continue;
        if (sbl_options_set(options, option->name, value->text, err) == SBL_OK) continue;
        const sbl_error reason = *err;
        return sbl_cli_misuse(err, parsed->command, "option --%s", reason.message);
    }
    return SBL_OK;
}
