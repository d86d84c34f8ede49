/* SPDX-License-Identifier: Apache-2.0 */
/* A command as data. One table per command drives the parser, --help and the man page, so that the
 * three cannot disagree. A new command is one file cmd_NAME.c and one line in commands.c. */
#ifndef SBL_CLI_COMMAND_H
#define SBL_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/options.h"
#include "semblance/status.h"

#define SBL_CLI_COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef enum sbl_cli_kind {
    SBL_CLI_FLAG,
    SBL_CLI_TEXT,   /* named FILE: a file that is read */
    SBL_CLI_WRITES, /* the name of a file or folder that is written */
    SBL_CLI_LINES,  /* a text that may be given several times: one a line */
    SBL_CLI_CHOICE, /* one of `choices` */
    SBL_CLI_NUMBER,
    SBL_CLI_WHOLE, /* a whole number */
    SBL_CLI_SIZE   /* a height and a width, "28x28" */
} sbl_cli_kind;

typedef sbl_option_range sbl_cli_range;

typedef struct sbl_cli_option {
    const char *name;  /* without the dashes */
    char letter;       /* 0: none */
    const char *value; /* what help calls the value; NULL for a flag */
    sbl_cli_kind kind;
    const char *help;     /* no capital, no full stop */
    const char *standard; /* the default in words; NULL: none */
    const sbl_cli_range *range;
    const char *const *choices; /* ends with NULL */
    bool often;                 /* most people need it: --help shows it, not only help --all */
} sbl_cli_option;

/* Rows of a table of options; letter 0: none, standard NULL: no default. SBL_OFTEN after the last argument marks
 * an option that most people need. */
#define SBL_OFTEN .often = true
#define SBL_CLI_ROW(row_name, row_letter, row_value, row_kind, row_help, ...)                 \
    {                                                                                         \
        .name = (row_name), .letter = (row_letter), .value = (row_value), .kind = (row_kind), \
        .help = row_help, __VA_ARGS__                                                         \
    }
#define SBL_FLAG_ROW(row_name, row_letter, ...)                                               \
    {                                                                                         \
        .name = (row_name), .letter = (row_letter), .kind = SBL_CLI_FLAG, .help = __VA_ARGS__ \
    }
#define SBL_TEXT_ROW(name, value, help, ...) \
    SBL_CLI_ROW(name, 0, value, SBL_CLI_TEXT, help, .standard = __VA_ARGS__)
#define SBL_FILE_ROW(name, help, ...) SBL_TEXT_ROW(name, "FILE", help, __VA_ARGS__)
#define SBL_WRITES_ROW(name, letter, help, ...) \
    SBL_CLI_ROW(name, letter, "FILE", SBL_CLI_WRITES, help, .standard = __VA_ARGS__)
#define SBL_CHOICE_ROW(name, value, help, usual, ...) \
    SBL_CLI_ROW(name, 0, value, SBL_CLI_CHOICE, help, .standard = (usual), .choices = __VA_ARGS__)
#define SBL_NUMBER_ROW(name, value, help, usual, ...) \
    SBL_CLI_ROW(name, 0, value, SBL_CLI_NUMBER, help, .standard = (usual), .range = __VA_ARGS__)
#define SBL_WHOLE_ROW(name, letter, value, help, usual, ...) \
    SBL_CLI_ROW(name, letter, value, SBL_CLI_WHOLE, help, .standard = (usual), .range = __VA_ARGS__)

/* A required argument that is not an option. */
typedef struct sbl_cli_operand {
    const char *name;
    const char *help;
} sbl_cli_operand;

typedef struct sbl_cli_example {
    const char *line;
    const char *meaning;
} sbl_cli_example;

typedef struct sbl_cli_value {
    bool given;
    const char *text;
    char *lines;    /* LINES: the text, owned */
    double number;  /* NUMBER and WHOLE */
    uint64_t whole; /* WHOLE: the value; CHOICE: its place in the list */
} sbl_cli_value;

typedef struct sbl_cli_command sbl_cli_command;

/* What was typed, by the place of each option: the command's own first (option_rows.h). */
typedef struct sbl_cli_parsed {
    const sbl_cli_command *command;
    sbl_cli_value *values;
    const char **operands;
    size_t operand_count;
    char **owned; /* (owned_count) texts that were not typed but read from a job file */
    size_t owned_count;
} sbl_cli_parsed;

struct sbl_cli_command {
    const char *name;        /* full: "account", "ledger init" */
    const char *summary;     /* one line, no full stop */
    const char *usage;       /* what follows the name, a line for each way; of no group */
    const char *description; /* paragraphs, an empty line between them; may be NULL */
    const sbl_cli_operand *operands;
    size_t operand_count;
    size_t optional_operands;      /* of them, how many of the last may be left out */
    bool repeats_operand;          /* any number of the last one may follow */
    bool joins_operands;           /* so it is, and they become one: a list of files, a,b,c */
    const sbl_cli_option *options; /* its own */
    size_t option_count;
    unsigned steps;         /* of sbl_step: the library's options of these steps are its options, too */
    unsigned reads;         /* of sbl_data_form: and those that say how such data is read, */
    const char *without[2]; /* but for these */
    const sbl_cli_example *examples;
    size_t example_count;
    const sbl_cli_command *const *children; /* subcommands, ends with NULL; then run is NULL */
    bool hidden;                            /* not listed */
    sbl_status (*run)(const sbl_cli_parsed *parsed, sbl_error *err);
};

/* The one argument of a command that is not an option. */
#define SBL_CLI_OPERAND(name, help) .operands = &(const sbl_cli_operand){name, help}, .operand_count = 1
/* The lists of a command, with their lengths. */
#define SBL_CLI_OPERANDS(list) .operands = (list), .operand_count = SBL_CLI_COUNT(list)
#define SBL_CLI_OPTIONS(list) .options = (list), .option_count = SBL_CLI_COUNT(list)
#define SBL_CLI_EXAMPLES(list) .examples = (list), .example_count = SBL_CLI_COUNT(list)

/* All commands in the order of the overview; ends with NULL. */
extern const sbl_cli_command *const sbl_cli_commands[];

extern const sbl_cli_command sbl_cmd_synth;
extern const sbl_cli_command sbl_cmd_resume;
extern const sbl_cli_command sbl_cmd_fit;
extern const sbl_cli_command sbl_cmd_sample;
extern const sbl_cli_command sbl_cmd_ask;
extern const sbl_cli_command sbl_cmd_plan;
extern const sbl_cli_command sbl_cmd_sum;
extern const sbl_cli_command sbl_cmd_merge;
extern const sbl_cli_command sbl_cmd_release;
extern const sbl_cli_command sbl_cmd_train;
extern const sbl_cli_command sbl_cmd_schema;
extern const sbl_cli_command sbl_cmd_evaluate;
extern const sbl_cli_command sbl_cmd_project;
extern const sbl_cli_command sbl_cmd_audit;
extern const sbl_cli_command sbl_cmd_encoder;
extern const sbl_cli_command sbl_cmd_serve;
extern const sbl_cli_command sbl_cmd_combine;
extern const sbl_cli_command sbl_cmd_estimate;
extern const sbl_cli_command sbl_cmd_account;
extern const sbl_cli_command sbl_cmd_ledger;
extern const sbl_cli_command sbl_cmd_ledger_show; /* children of it */
extern const sbl_cli_command sbl_cmd_ledger_total;
extern const sbl_cli_command sbl_cmd_register;
extern const sbl_cli_command sbl_cmd_certificate;
extern const sbl_cli_command sbl_cmd_verify;
extern const sbl_cli_command sbl_cmd_sign;
extern const sbl_cli_command sbl_cmd_completion;
extern const sbl_cli_command sbl_cmd_version;
extern const sbl_cli_command sbl_cmd_help;
extern const sbl_cli_command sbl_cmd_manual;

/* What the help calls operand number i, of which there is at least one; past the last its name again. */
const char *sbl_cli_operand_name(const sbl_cli_command *command, size_t i);

/* The value of an option by name; NULL when the command has no such option or it was not given. */
const sbl_cli_value *sbl_cli_given(const sbl_cli_parsed *parsed, const char *name);
/* Was --quiet given? */
bool sbl_cli_is_quiet(const sbl_cli_parsed *parsed);
/* Its text, or NULL. */
const char *sbl_cli_text(const sbl_cli_parsed *parsed, const char *name);
/* Its whole number, or the usual one. */
uint64_t sbl_cli_whole(const sbl_cli_parsed *parsed, const char *name, uint64_t usual);
/* SBL_EARG when a needed option was not given. */
sbl_status sbl_cli_need(const sbl_cli_parsed *parsed, const char *name, sbl_error *err);

/* The last word of a full name: "init" of "ledger init". */
const char *sbl_cli_last_word(const char *name);

/* The command that a list of words names ("ledger", "ledger init"). used: how many words it took.
 * SBL_EARG names the word that is not a command and the nearest one that is. */
sbl_status sbl_cli_find(const sbl_cli_command **command, int *used, int count, const char *const *words,
                        sbl_error *err);

#endif
