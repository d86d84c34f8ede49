/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a fit, and one table with everything about them: names, kinds of value, ranges,
 * defaults, and the methods that use them. The library checks options by this table. The program's options,
 * help and man pages are made from it, and bindings list it. An option of every method is a field; an option
 * that only some methods have is given by name:
 *
 *     sbl_synth_options options;
 *     sbl_synth_options_init(&options);
 *     options.epsilon = 1;
 *     options.method = "merf";
 *     status = sbl_options_set(&options, "steps", "8000", &err);
 *
 * Stability: stable (docs/C.md). */
#ifndef SEMBLANCE_OPTIONS_H
#define SEMBLANCE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/account.h"
#include "semblance/export.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SBL_MAX_SETTINGS 32

/* Called while records are read (steps = 0, step counts them; once before the first, with 0), while
 * a model is trained or fitted and while rows are drawn. A non-zero return value stops the work with
 * SBL_ESTOPPED.
 * The number of records is public under replace-one. Under add-remove it is private: while records are
 * read, the call is made with 0 of 0, at least once. How often and when then depends on the records, so
 * a caller must not show or keep any count or time of these calls. */
typedef int (*sbl_progress)(void *context, const char *what, uint64_t step, uint64_t steps, double loss);
/* One line about the container, e.g. a column that the schema does not name. */
typedef void (*sbl_notice)(void *context, const char *line);
/* What a line of advice is about. A program adds what to do in its own words. */
typedef enum sbl_advice_kind {
    SBL_ADVICE_PLAN,      /* the plan: few records, a large delta; where training continues */
    SBL_ADVICE_SCHEMA,    /* cells that do not fit the schema: sbl_schema_check() */
    SBL_ADVICE_LEDGER,    /* the data has no ledger of its own: name one (ledger_path) */
    SBL_ADVICE_INSPECTED, /* the schema was read from the records: sbl_schema_accept() */
    SBL_ADVICE_ESTIMATE   /* how long a run of more than ten seconds takes, before its first release */
} sbl_advice_kind;
/* One line for a person, which need not stop a run. It is about the plan or a release: public. */
typedef void (*sbl_advice)(void *context, sbl_advice_kind kind, const char *line);

/* An option that not every method has, by its name, and its value as text; both are borrowed. */
typedef struct sbl_setting {
    const char *name;
    const char *text;
} sbl_setting;

/* Set up by sbl_synth_options_init(). A number 0, a NULL and a false mean that the option was not
 * given, and its default applies. An option that is given but that the method does not use
 * is refused by name. One set of options may serve all steps of a job: each step reads its own. */
typedef struct sbl_synth_options {
    /* Set by sbl_synth_options_init(). */
    size_t struct_size;
    /* One of sbl_method_at(). Default: the first of them. */
    const char *method;

    /* The guarantee. */
    /* > 0, finite. Required for a fit and a plan; no default. */
    double epsilon;
    /* Above 0, at most 1e-3, and below 1/n if n is public. Default: 1e-5, or 1/(10n), cut to two digits,
     * if n is public and exceeds 10000 (a table is then counted first). For delta = 0 set
     * `pure`. */
    double delta;
    /* true: Laplace noise, and delta is 0. Default false. */
    bool pure;
    /* Default SBL_REPLACE_ONE. */
    sbl_neighbours neighbours;
    /* Default: the data's own, INPUT.ledger, which is made without a limit if it does not exist. If it
     * cannot be made, a ledger next to the release; an advice says so. */
    const char *ledger_path;

    /* Files. */
    /* Default: OUTPUT.release. */
    const char *release_path;
    /* Default: OUTPUT.certificate.json; none for train. */
    const char *certificate_path;
    /* Never applies to a ledger or to a file that is read. Default false. */
    bool overwrite;

    /* For public randomness only: features, weights, sampling. Default 0. */
    uint64_t seed;
    /* 1 to 1024, for this call. Default: as many as OpenMP would use. After a fork the child must use 1,
     * because OpenMP's threads stay in the parent and a call would wait for them forever. Calls without a
     * thread count use one thread. */
    unsigned threads;
    /* true: a plan rehearses nothing, and does not report the run's time, memory and training device. Default
     * false. */
    bool no_estimate;

    /* The paid count of cells that do not fit the schema, or of files in a folder that are not images of
     * the set's size. "stop" (default): reported, and a column, or files, that are clearly all wrong stop
     * the run after its first release. "tell": reported. "off": not counted, and its share of the budget
     * goes to the rest. */
    const char *health;

    /* The approximate number of rows, for rules about public sizes only (pairs, ron-gauss, features auto of
     * merf). Default: pairs and features auto count the rows if their number is public; otherwise 10000, and
     * features auto is refused. */
    uint64_t expected_rows;
    /* The share of the budget (mu^2) that discovers the schema of a table without one, in (0, 1). Not used
     * with a schema. Default 0.1. */
    double discover_share;
    /* The file where training saves its state. After a stop or a kill the same call, resume or train
     * continues from it to the same bits. It is removed at the end. Training that cannot write it
     * continues without. Default: RELEASE.training. */
    const char *checkpoint;

    /* The data set's title in the certificate: UTF-8 without control characters, 1 to 200 bytes. For
     * images, an encoder that was trained on a set with this title is refused. Default: none. */
    const char *title;
    /* Who made the release, in the certificate; the same rules. Default: none. */
    const char *by;

    /* Default: none. */
    sbl_progress progress;
    /* Default: none. */
    sbl_notice notice;
    /* Default: none. */
    sbl_advice advice;
    /* Passed to all three. */
    void *context;

    /* Options that only some methods have, as sbl_options_set() stores them. The first without a name ends
     * the list. */
    sbl_setting settings[SBL_MAX_SETTINGS];

    /* Not for callers: further methods, which the library's own tests and tools bring. The parts of a
     * method are not installed (src/run/methods/method.h). Default: none. */
    const struct sbl_method *const *more_methods;

    /* Who releases, for the ledger and the policy; the same rules. It does not appear in the certificate. The program
     * and Python fill it with the user name of the process; the library does not look. Default: none. */
    const char *who;
    /* A policy that every charge must keep (docs/FORMATS.md, "Policy"): what a period may cost, who may release, and
     * whether a title is required. Checked before any record is read, and again under the ledger's lock.
     * Default: none. */
    const char *policy_path;
} sbl_synth_options;

/* Set every field to its default. struct_size says how much of the struct the program knows, so a program
 * that was built with an older, smaller struct works with a newer library. */
#define sbl_synth_options_init(pointer) SBL_STRUCT_INIT(pointer)

/* ---- options of data ---- */

/* Facts about a file that must be known before it is read; set up by sbl_data_options_init(). A 0, a NULL or
 * false is the default. All of them are public by declaration. */
typedef struct sbl_data_options {
    /* Set by sbl_data_options_init(). */
    size_t struct_size;
    /* The name in messages. Default: the path. */
    const char *name;
    /* An image set. Default: a table. */
    bool images;

    /* How a table is written, if it differs from what the schema declares. A sign is given as itself, or
     * as "tab", "space" or "none". Default: as the schema declares, or the usual sign. */
    /* Between cells: , ; tab | : ~ ^ */
    const char *delimiter;
    /* Around cells: " or ' */
    const char *quote;
    /* Starts a comment line above the header: # % ; ! or none. */
    const char *comment;
    /* "yes" or "no": the first line names the columns. */
    const char *header;
    /* "utf-8", "windows-1252", "utf-16", ... */
    const char *encoding;
    /* In numbers: . or , */
    const char *decimal;
    /* Between digits: . , ' _ space or none. */
    const char *thousands;
    /* The path of DuckDB's library (libduckdb.so), which reads Parquet. A name without a slash is searched
     * for next to this library and where the system's libraries are. Default: libduckdb.so, searched for
     * there. */
    const char *duckdb;

    /* The names of the columns of a JSON table, separated by commas. Private calls that read it without a
     * schema need them, since JSON has no header. Declaring them makes them public. Default: a schema
     * names them. */
    const char *columns;

    /* A database: a file of SQLite or DuckDB, or a PostgreSQL server (postgresql://...). Exactly one of
     * `table` and `query` is given. */
    /* The table's name, or SCHEMA.NAME if it is not in the usual schema. Not a view. */
    const char *table;
    /* SQL whose result is the table. Allowed under add-remove only, and only if the schema has a unit or
     * one_row_per_person is set. */
    const char *query;
    /* The owner declares that each person has at most one row in the result of the query. */
    bool one_row_per_person;
    /* The path of the library that reads the database: an ADBC driver of PostgreSQL, or libsqlite3.so.0.
     * Default: found where libraries are. */
    const char *adbc_driver;

    /* The labels of IDX images. Default: none. */
    const char *labels;
    /* Default: 10 for IDX and CIFAR; a folder has its subfolders. */
    uint64_t classes;
    /* The classes are declared equally frequent. Default: noisy counts tell. */
    bool balanced;
    /* PNG and JPEG files are read as grey. Default: RGB. */
    bool grey;
    /* The size of every image. Default: read from the files; for a folder, from its first image. */
    uint64_t height;
    uint64_t width;
    /* For a folder, with height and width: images may have any size. The middle part with these
     * proportions is cut out and scaled. Default: an image of another size becomes mid-grey. */
    bool resize;

    /* Linked tables: the file is a Data Package (JSON) that names their files. The call reads it, and all
     * tables must exist. Default: one table. */
    bool package;

    /* For sbl_schema_inspect() and sbl_schema_check(), which have no options of their own. An sbl_progress
     * (options.h), called while they read records: `step` is the number of rows read so far in this pass,
     * `steps` is 0. Like their results, that is NOT PRIVATE. A non-zero return value stops them with
     * SBL_ESTOPPED. Default: none. */
    int (*progress)(void *context, const char *what, uint64_t step, uint64_t steps, double loss);
    void *context;

    /* The package may name files outside its folder, by absolute paths, ".." or symbolic links; the
     * certificate says so. Default: refused. */
    bool allow_outside;

    /* For sbl_schema_inspect(): the name of the column that says which person a row belongs to, or "" if each
     * row is a different person. Proposals for the order and the constants of a person follow from it.
     * Default NULL: inspection looks for such a column. */
    const char *person;
} sbl_data_options;

#define sbl_data_options_init(pointer) SBL_STRUCT_INIT(pointer)

/* Set an option of data (one of sbl_option_at() with forms) to the value in text.
 * In:      text  borrowed by options if the option is a text; NULL: true, for a flag
 * Returns: SBL_OK; SBL_EARG for an unknown name, a value out of range, or an option for which a caller's older struct
 *          has no field */
SBL_API SBL_MUST_USE sbl_status sbl_data_options_set(sbl_data_options *options, const char *name,
                                                     const char *text, sbl_error *err);

/* ---- the table ---- */

/* The kind of data that is fitted. */
typedef enum sbl_data_kinds { SBL_TABLES = 1, SBL_IMAGES = 2 } sbl_data_kinds;

/* What a call does; synth is SBL_STEP_FIT | SBL_STEP_SAMPLE. */
typedef enum sbl_step {
    SBL_STEP_PLAN = 1,
    SBL_STEP_FIT = 2,
    SBL_STEP_TRAIN = 4,
    SBL_STEP_SAMPLE = 8,
    SBL_STEP_DISCOVER = 16 /* discover a schema */
} sbl_step;

typedef enum sbl_option_type {
    SBL_OPTION_FLAG,   /* bool */
    SBL_OPTION_TEXT,   /* const char * */
    SBL_OPTION_CHOICE, /* one of `choices`: const char *, or an enum of its place in the list */
    SBL_OPTION_NUMBER, /* double */
    SBL_OPTION_WHOLE,  /* unsigned or uint64_t */
    SBL_OPTION_WHOLES, /* a list of whole numbers */
    SBL_OPTION_SIZE    /* a height and a width, "28x28": two uint64_t */
} sbl_option_type;

/* The container of the records, which decides which options of data apply. */
typedef enum sbl_data_form {
    SBL_FORM_CSV = 1,
    SBL_FORM_JSON = 2,
    SBL_FORM_PARQUET = 4,
    SBL_FORM_DATABASE = 8,
    SBL_FORM_IMAGES = 16,
    SBL_FORM_PACKAGE = 32,   /* linked tables */
    SBL_FORM_STATISTICS = 64 /* a file of SPSS, Stata or SAS */
} sbl_data_form;
#define SBL_FORMS_ALL (SBL_FORM_TABLES | SBL_FORM_IMAGES | SBL_FORM_PACKAGE)
#define SBL_FORM_TABLES \
    (SBL_FORM_CSV | SBL_FORM_JSON | SBL_FORM_PARQUET | SBL_FORM_DATABASE | SBL_FORM_STATISTICS)

/* The values an option takes. `words` completes "must be ...". */
typedef struct sbl_option_range {
    double low;
    double high;
    /* The ends themselves are refused. */
    bool open;
    const char *words;
} sbl_option_range;

/* Texts are English, without a capital and a full stop, and live as long as the library. */
typedef struct sbl_option {
    /* "learning-rate" */
    const char *name;
    sbl_option_type type;
    /* The value's name in help, "R". NULL for a flag. */
    const char *value;
    const char *help;
    /* The default in words. NULL: nothing to say. */
    const char *standard;
    /* The default for tables, as sbl_options_set() takes it. NULL: none, a rule, or not for tables. */
    const char *of_tables;
    /* The same for images. */
    const char *of_images;
    /* For a number, a whole number or each of a list; for a text that people read: its length in bytes. NULL
     * otherwise. */
    const sbl_option_range *range;
    /* Ends with NULL; the first is the default. For a whole number: words that are taken instead of a number,
     * or NULL. */
    const char *const *choices;
    /* For a list of whole numbers: the most there can be. */
    size_t most;
    /* Every method uses it. If false, see sbl_option_is_used(). */
    bool common;
    /* Flags of sbl_data_kinds. */
    unsigned kinds;
    /* Flags of sbl_step. */
    unsigned steps;
    /* The steps that require it. */
    unsigned needed;
    /* Of the field in sbl_synth_options; for an option of data in sbl_data_options. */
    size_t offset;
    /* Of the field. 0: it has no field, and is given by name. */
    size_t size;
    /* Flags of sbl_data_form. 0: it is not an option of data. */
    unsigned forms;
    /* It names a library: only the caller may give it, not a job file or the page. */
    bool names_code;
    /* Most people need it: short lists of options show it. */
    bool often;
} sbl_option;

/* Options in the order in which help lists them, those of data last; NULL past the last. */
SBL_API const sbl_option *sbl_option_at(size_t index);

/* Parse the value in text and check it by the row of an option. The row need not be in the table.
 * Out:     number, whole  the value of a number or of a whole number (0 for a word); whole is the place of a choice in
 *                         its list; may be NULL
 * In:      text           NULL for a flag
 * Returns: SBL_OK; SBL_EARG: "NAME must be ..., not 'TEXT'" */
SBL_API SBL_MUST_USE sbl_status sbl_option_parse(double *number, uint64_t *whole, const sbl_option *option,
                                                 const char *text, sbl_error *err);

/* Does this method use it for this kind of data? */
SBL_API bool sbl_option_is_used(const sbl_option *option, const char *method, sbl_data_kinds kind);

typedef struct sbl_method_facts {
    const char *name;
    /* A few words. */
    const char *summary;
    /* Flags of sbl_data_kinds. */
    unsigned kinds;
} sbl_method_facts;

/* Methods; the first is the default. NULL past the last. */
SBL_API const sbl_method_facts *sbl_method_at(size_t index);

/* Set an option to the value in text: "true" or "false", a name, a number, a list "256,256".
 * In:      text  borrowed by options if the option is a text or has no field; NULL: true, for a flag
 * Returns: SBL_OK; SBL_EARG for an unknown name, a value out of range, an option for which a caller's
 *          older struct has no field, or more than SBL_MAX_SETTINGS of them */
SBL_API SBL_MUST_USE sbl_status sbl_options_set(sbl_synth_options *options, const char *name,
                                                const char *text, sbl_error *err);

/* Read a job file: one JSON object whose members are options by name, with a text, a number or, for a flag,
 * true; "input" names the table. People and sbl_job_write() write such files.
 * In:      each  called for every member, in the order of the file; text is NULL for a flag. If it fails,
 *                reading ends
 * Returns: SBL_OK; SBL_EINPUT for a file that is not such an object, or that names a library ("duckdb",
 *          "adbc-driver", "device-path"); what each() returns */
typedef sbl_status (*sbl_job_member)(void *context, const char *name, const char *text, sbl_error *err);
SBL_API SBL_MUST_USE sbl_status sbl_job_read(const char *path, sbl_job_member each, void *context,
                                             sbl_error *err);
/* names, texts: (count); a NULL text is a flag that is set. Names of libraries are left out. */
SBL_API SBL_MUST_USE sbl_status sbl_job_write(const char *path, const char *const *names,
                                              const char *const *texts, size_t count, bool overwrite,
                                              sbl_error *err);

/* Check whether these options would be refused. Every function that takes them does this first, before
 * anything is opened or charged.
 * In:      method  NULL: the one that options name
 *          steps   flags of sbl_step: one step, or all of a job
 * Returns: SBL_OK; SBL_EARG naming the option: missing, out of range, not one of the method's */
SBL_API SBL_MUST_USE sbl_status sbl_options_check(const sbl_synth_options *options, const char *method,
                                                  sbl_data_kinds kind, unsigned steps, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
