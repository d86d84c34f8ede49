/* SPDX-License-Identifier: Apache-2.0 */
/* project: real rows in the space of a projected model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "command_run.h"
#include "option_args.h"
#include "output.h"
#include "semblance/evaluate.h"
#include "semblance/files.h"

static const sbl_cli_range thread_count = {1, 1024, false, "a whole number from 1 to 1024"};

static const sbl_cli_option options[] = {
    SBL_OPTION_OUTPUT(
        "the projected rows, NOT PRIVATE: CSV, gzip when it ends in .gz, or Parquet when it ends in "
        ".parquet; their schema is written to OUTPUT" SBL_ENDING_SCHEMA,
        NULL),
    SBL_WRITES_ROW("matrix", 0, "also write the matrix W of the projection (CSV), which is public", NULL,
                   SBL_OFTEN),
    SBL_WHOLE_ROW("threads", 0, "T", "threads to use", "all", &thread_count),
    SBL_OPTION_OVERWRITE("overwrite the output, its schema and the matrix"),
    SBL_OPTION_PROGRESS,
};

static const sbl_cli_example examples[] = {
    {"semblance project projected.safetensors build/demo/others.csv -o projected.csv",
     "real rows as p1, p2, ... and the label"},
    {"semblance evaluate --real projected.csv --synthetic syn.csv --schema projected.csv.schema.json",
     "compare them with the rows that 'synth --space projected' drew"},
    {"semblance project projected.safetensors --matrix w.csv", "only the projection: no table is read"},
};

static const sbl_cli_operand operands[] = {
    {"MODEL", "a model of 'fit --method ron-gauss --space projected'"},
    {"TABLE", "real rows with the columns of the table that was fitted, the label among them"},
};

static void show_extra_column(void *context, const char *name)
{
    sbl_cli_say(stderr, "semblance: %s: column '%s' is not in the model and is left out",
                (const char *)context, name);
}

/* A table has an output, and an output a table. */
static sbl_status check_needs(const sbl_cli_parsed *parsed, sbl_error *err)
{
    const bool table = parsed->operand_count > 1;
    if (table) return sbl_cli_need(parsed, "output", err);
    if (sbl_cli_given(parsed, "output") != NULL)
        return sbl_cli_misuse(err, parsed->command, "--output needs a TABLE with the rows to project");
    return sbl_cli_need(parsed, "matrix", err);
}

/* OUTPUT.schema.json; standard output has none. free() */
static sbl_status name_schema(char **schema, const char *output, sbl_error *err)
{
    *schema = NULL;
    if (output == NULL || strcmp(output, "-") == 0) return SBL_OK;
    const size_t size = strlen(output) + sizeof SBL_ENDING_SCHEMA;
    *schema = malloc(size);
    if (*schema == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for file names");
    (void)snprintf(*schema, size, "%s%s", output, SBL_ENDING_SCHEMA);
    return SBL_OK;
}

/* The same fact about the typed options (file_check.h). */
static sbl_status check_schema(const char *schema, const char *model, sbl_error *err)
{
    const sbl_named_file paths[] = {{"MODEL", model, false}, {"the schema of the output", schema, true}};
    return sbl_files_check(paths, SBL_CLI_COUNT(paths), err);
}

static sbl_status project(const sbl_cli_parsed *parsed, const sbl_project_options *project, sbl_error *err)
{
    const char *table = parsed->operand_count > 1 ? parsed->operands[1] : NULL;
    const sbl_data_options reading = sbl_cli_data_options(parsed);
    sbl_synthesizer *made = NULL;
    sbl_data *data = NULL;
    sbl_status status = sbl_synthesizer_new(&made, err);
    if (status == SBL_OK) status = sbl_synthesizer_load(made, NULL, 0, parsed->operands[0], err);
    if (status == SBL_OK) status = sbl_cli_open(&data, table, &reading, err);
    if (status == SBL_OK) status = sbl_project(made, data, project, err);
    sbl_cli_progress_end();
    if (status == SBL_OK && table != NULL)
        sbl_cli_say(stderr, "semblance: NOT PRIVATE: every row of %s is a real record of %s, projected",
                    project->path, table);
    sbl_data_free(data);
    sbl_synthesizer_free(made);
    return status;
}

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
    sbl_project_options wanted;
    char *schema = NULL;
    sbl_status status = check_needs(parsed, err);
    if (status == SBL_OK) status = sbl_cli_check_data_options(parsed, err);
    if (status == SBL_OK) status = name_schema(&schema, sbl_cli_text(parsed, "output"), err);
    if (status == SBL_OK) status = check_schema(schema, parsed->operands[0], err);
    sbl_project_options_init(&wanted);
    wanted.path = sbl_cli_text(parsed, "output");
    wanted.schema = schema;
    wanted.matrix = sbl_cli_text(parsed, "matrix");
    wanted.overwrite = sbl_cli_given(parsed, "overwrite") != NULL;
    wanted.threads = (unsigned)sbl_cli_whole(parsed, "threads", 0);
    wanted.duckdb = sbl_cli_text(parsed, "duckdb");
    wanted.model_name = parsed->operands[0];
    wanted.notice = sbl_cli_speaks_in_lines() ? NULL : show_extra_column;
    /* Only handed back to show_extra_column, which does not write to it. */
    wanted.context = (void *)(uintptr_t)parsed->operands[parsed->operand_count - 1];
    if (status == SBL_OK) {
        wanted.progress = sbl_cli_progress_begin(parsed);
        status = project(parsed, &wanted, err);
    }
    free(schema);
    return status;
}

const sbl_cli_command sbl_cmd_project = {
    .name = "project",
    .summary = "put real rows into the space of a projected model: NOT PRIVATE",
    .usage = "MODEL TABLE -o OUTPUT [--matrix FILE]\nMODEL --matrix FILE",
    .description =
        "NOT PRIVATE: the output holds one row for each real row, and is for the owner's eyes. It charges no "
        "ledger.\n\nA model of 'ron-gauss --space projected' draws rows with columns p1, p2, ... and the "
        "label. "
        "This command gives real rows the same columns, so that a classifier or a regression that learned "
        "from "
        "the synthetic rows can be tested on real ones: by 'semblance evaluate' with the schema that is "
        "written "
        "beside the output, or elsewhere.\n\nThe matrix W of the projection depends on --seed and on public "
        "sizes alone. A column of W belongs to a coordinate of a record as the method sees it: a number has "
        "one, "
        "a category of K values has K - 1 (NAME.1, NAME.2, ...).",
    SBL_CLI_OPERANDS(operands),
    .optional_operands = 1,
    SBL_CLI_OPTIONS(options),
    .reads = SBL_FORM_TABLES,
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
