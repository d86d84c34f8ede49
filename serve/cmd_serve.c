/* SPDX-License-Identifier: Apache-2.0 */
/* serve: the whole job on a page of this machine. */
#include "cli/command.h"
#include "cli/output.h"
#ifdef SBL_HAVE_MICROHTTPD
#include "serve/serve.h"
#endif

static const sbl_cli_range ports = {0, 65535, false, "a port from 0 to 65535"};

static const sbl_cli_option options[] = {
    SBL_WHOLE_ROW("port", 0, "N", "the port to listen on; 0: any that is free", "0", &ports),
    SBL_FLAG_ROW("no-open", 0, "do not open the page in a browser"),
    SBL_TEXT_ROW("duckdb", "PATH", "DuckDB's library, which reads and writes Parquet: libduckdb.so",
                 "found where libraries are"),
    SBL_TEXT_ROW("policy", "PATH", "every run keeps this policy (see 'semblance help synth --all')", "none"),
};

static const sbl_cli_operand operands[] = {
    {"FOLDER", "where the data is, and where runs are kept; the current folder if not given"},
};

static const sbl_cli_example examples[] = {
    {"semblance serve build/demo", "then do the whole job in the browser"},
    {"semblance serve data/ --no-open --port 8080", "print the address, and open nothing"},
};

static sbl_status run(const sbl_cli_parsed *parsed, sbl_error *err)
{
#ifdef SBL_HAVE_MICROHTTPD
    const char *folder = parsed->operand_count > 0 ? parsed->operands[0] : ".";
    return sbl_serve(folder, (unsigned)sbl_cli_whole(parsed, "port", 0),
                     sbl_cli_given(parsed, "no-open") == NULL, sbl_cli_text(parsed, "duckdb"),
                     sbl_cli_text(parsed, "policy"), err);
#else
    return sbl_cli_misuse(err, parsed->command,
                          "this program was built without libmicrohttpd, which serve needs");
#endif
}

const sbl_cli_command sbl_cmd_serve = {
    .name = "serve",
    .summary = "do the whole job on a page in your browser",
    .usage = "[FOLDER] [--port N] [--no-open] [--duckdb PATH] [--policy PATH]",
    .description =
        "Opens a page in the browser on which you describe a table, linked tables or an image set, "
        "set the budget, make synthetic data, look at it, and verify ledgers and certificates. Data "
        "never leaves this machine: the server listens on 127.0.0.1 only, and answers only requests "
        "with the address that it prints, which has a new secret at each start.\n\nThe page sees "
        "data in FOLDER and its subfolders. It follows no link and overwrites no file. A run of "
        "INPUT is kept in INPUT.runs/K, its schema in INPUT.schema.json, and the ledger is "
        "INPUT.ledger, as for every other command. You may close the page while a run continues. "
        "Ctrl-C ends the server. You can resume an unfinished run on the page, or with 'semblance "
        "resume --job INPUT.runs/K/job.json' in FOLDER.",
    SBL_CLI_OPERANDS(operands),
    .optional_operands = 1,
    SBL_CLI_OPTIONS(options),
    SBL_CLI_EXAMPLES(examples),
    .run = run,
};
