/* The options of a fit, and the one table that says all about them: names, kinds of value, ranges,
 * defaults, which methods use them. The library checks by it; the program's options, its help and
 * its man pages are made from it; bindings list it. A new option is one field and one row. */
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

#define SBL_MAX_HIDDEN 8
#define SBL_MAX_LAYERS 32

/* Called while records are read (steps = 0, step counts them; once before the first, with 0), while
 * a model is trained or fitted and while rows are drawn; a non-zero answer stops the work with
 * SBL_ESTOPPED.
 * The number of records is public under replace-one. Under add-remove it is private: while they are
 * read the call says 0 of 0, any number of times, at least once. How often and when it comes
 * depends on the records then: nothing that counts or times the calls may be shown or kept. */
typedef int (*sbl_progress)(void *context, const char *what, uint64_t step, uint64_t steps,
                            double loss);
/* One line about the container, e.g. a column that the schema does not name. */
typedef void (*sbl_notice)(void *context, const char *line);
/* What a line of advice is about, and so what there is to do: a program adds that in its words. */
typedef enum sbl_advice_kind {
    SBL_ADVICE_PLAN,   /* the plan: few records, a large delta; where training goes on */
    SBL_ADVICE_SCHEMA, /* cells that do not fit the schema: sbl_schema_check() */
    SBL_ADVICE_LEDGER, /* the data has no ledger of its own: name one (ledger_path) */
    SBL_ADVICE_GUESSED /* the schema was guessed from the records: sbl_schema_accept() */
} sbl_advice_kind;
/* One line for a person that a run need not stop for. Of the plan or of a release: public. */
typedef void (*sbl_advice)(void *context, sbl_advice_kind kind, const char *line);

/* Set up by sbl_synth_options_init(). A number 0, a NULL and a false mean that the option was not
 * given; what is then done is its default. An option that is given and that the method does not use
 * is refused by name. One set of options may serve all steps of a job: each looks at its own. */
typedef struct sbl_synth_options {
    size_t struct_size; /* set by sbl_synth_options_init() */
    const char *method; /* one of sbl_method_at(); default: the first of them */

    /* The guarantee. */
    double epsilon;            /* > 0, finite; no default: a fit and a plan need it */
    double delta;              /* above 0, at most 1e-3, and below 1/n where n is public; default
                                * 1e-5, or 1/(10 n) where n is public and above 10000: to know n
                                * beforehand a table is read once more. For delta 0 see pure */
    bool pure;                 /* default false. true: Laplace noise, and delta is 0 */
    sbl_neighbours neighbours; /* default SBL_REPLACE_ONE */
    const char *ledger_path;   /* default: the data's own, INPUT.ledger, made without a limit where
                                * there is none; beside the release where there is none and none
                                * can be made, which an advice says */

    /* Files. */
    const char *release_path;     /* default: OUTPUT.release */
    const char *certificate_path; /* default: OUTPUT.certificate.json; of train: none */
    bool overwrite;               /* default false. Never applies to a ledger or to what is read */

    uint64_t seed;    /* of public randomness only: features, weights, sampling; default 0 */
    unsigned threads; /* 1 to 1024; default: as many as OpenMP would use. Holds for the call */

    /* The paid count of cells that do not fit the schema, or of PNG files of a folder that are no image
     * of the set's size. "stop" (default): said, and a column, or files, clearly all wrong stop the
     * run after its first release; "tell": said; "off": not counted, and its part of the budget
     * goes to the rest */
    const char *health;

    /* Tables: how the file is written, where the schema does not say so or says something else; default:
     * as the schema says, and without a schema as RFC 4180 does, in UTF-8. */
    const char *delimiter; /* "," ";" "tab" "|" ":" "~" "^" */
    const char *quote;     /* "\"" or "'" */
    const char *decimal;   /* of numbers: "." or "," */
    const char *thousands; /* between digits of numbers: "none" "." "," "'" "_" "space" */
    const char *encoding; /* "utf-8", "utf-16", "utf-16le", "utf-16be", "iso-8859-1" (or "latin-1"),
                            * "iso-8859-15", "windows-1252" (or "cp1252") */
    const char *header;   /* "yes": the first line names the columns; "no": there is no such line */
    const char *comment;  /* lines before the table that begin so: "none" "#" "%" ";" "!" */

    /* merf, mepf */
    uint64_t
        features; /* of each Fourier block; even, 2 to 1000000; default 2000, of images 10000 */
    /* marginals */
    uint64_t bins; /* of a number; 1 to 4096; default 32, but one per value of an integer of up to
                    * 128 */
    /* ron-gauss */
    const char *geometry;   /* "clip" (default) or "normalise", which reads the table twice */
    const char *space;      /* of the drawn rows: "original" (default) or "projected" */
    const char *split;      /* of the budget, mean and moments: "optimal" (default) or "paper" */
    uint64_t dimensions;    /* of the projection; 1 to 4096; default: a rule from public sizes */
    uint64_t expected_rows; /* about how many rows, for rules of public sizes only (also of pairs);
                             * default: counted by pairs where the number is public, else 10000 */
    /* pairs */
    uint64_t rounds; /* 1: one release, from one reading; default: up to 3, 1 for a stream */
    /* Tables without a schema. */
    double discover_share; /* of the budget (mu^2), for the schema that is discovered; in (0, 1);
                            * default 0.1. With a schema: not used */
    /* hp; sensitivity, lengths and order also of the block hermite of mepf */
    const char *sensitivity; /* "kernel" (default: sqrt 2, by tables) or "norm" (2, by clipping) */
    const char *lengths; /* of the sum kernel, in units of a column's range, e.g. "0.05,0.2": 1 to
                               * 16 numbers from 0.001 to 100; default "0.02,0.1,0.4", of images
                               * "0.1,0.4" */
    uint64_t order;      /* of the sum kernel; 1 to 500; default: by each length */
    uint64_t product_order; /* of the product kernel; 1 to 500; default: by its length */
    uint64_t product_size;  /* columns of a subset, 1 (no product kernel) to 16; default 2 */
    uint64_t products;      /* subsets at most; 1 to 1000000; default 200, of images 1000 */
    const char *subsets;    /* of columns, e.g. "age+ward,ward+drug"; default: all, or drawn */
    double gamma;           /* weight of the product's loss; above 0, finite; default 30 */
    double product_share;   /* of mu^2, above 0 and below 1; default: optimal by public sizes */
    /* mepf */
    const char *encoder;   /* the file of a frozen public network; default: the built-in vgg-s */
    const char *embedding; /* what is released: blocks joined by "+", each once: "pixels",
                            * "perceptual", "hermite", and one of "moments", "first-moments",
                            * "signed-moments" and "signed-first-moments"; with perceptual or some
                            * moments. "best" (default): pixels+first-moments; "all":
                            * pixels+perceptual+moments */
    uint64_t layers[SBL_MAX_LAYERS]; /* of the encoder, rising, from 1; default: by embedding */
    size_t layer_count;              /* 0: the default; at most SBL_MAX_LAYERS */
    const char *early_stopping;      /* "on" (default): a second release, or "off" */
    const char *objective; /* of training: "plain" (default), the squared distance of each step's
                            * means; or "moving-average", that of running means, as the authors have
                            * it */
    /* The generator of merf, hp and mepf, and its training. */
    const char *generator;           /* of images: "small" (default) or "residual" */
    uint64_t latent;                 /* from 1; default 16, of images 32 */
    uint64_t hidden[SBL_MAX_HIDDEN]; /* each 1 to 65536; default 256, 256, 256; of images one width,
                                      * or a width and two numbers of channels: 256, 32, 16 */
    size_t hidden_count;             /* 0: the default; at most SBL_MAX_HIDDEN */
    uint64_t steps;                  /* 1 to 1e8; default 4000, of images 5000 */
    uint64_t batch;       /* 2 to 1000000, of images to 100000; default 1000, of images 500 */
    double learning_rate; /* in (0, 1]; default 0.005 */
    const char
        *checkpoint; /* where training keeps its place, for a run that is stopped or killed: the
                             * same call, resume or train goes on from it to the same bits; removed at
                             * the end. Default: RELEASE.training. Training that cannot write it goes
                             * on without */

    sbl_progress progress; /* default: none */
    sbl_notice notice;     /* default: none */
    sbl_advice advice;     /* default: none */
    void *context;         /* of all three */

    /* Methods that the caller brings, beside the library's (src/methods/method.h); ends with NULL.
     * Default: none. Options are not checked against them. */
    const struct sbl_method *const *more_methods;

    /* Of a table's latents, so many are -1 or 1 and the rest normal: for records that lie in clusters
     * apart, between which normal ones would put some. At most latent; default none. */
    uint64_t signs;

    /* What the certificate calls the data set, and who made it: UTF-8 without control characters, 1 to
     * 200 bytes. Default: not said. */
    const char *title;
    const char *by;
} sbl_synth_options;

/* Set every field to its default. A program that was built with an older, smaller struct works with
 * a newer library: it says how much of the struct it knows. */
SBL_API void sbl_synth_options_init_sized(sbl_synth_options *options, size_t size);
#define sbl_synth_options_init(options) sbl_synth_options_init_sized((options), sizeof *(options))

/* ---- the table ---- */

/* What is fitted. */
typedef enum sbl_data_kinds { SBL_TABLES = 1, SBL_IMAGES = 2 } sbl_data_kinds;

/* What a call does; synth is SBL_STEP_FIT | SBL_STEP_SAMPLE. */
typedef enum sbl_step {
    SBL_STEP_PLAN = 1,
    SBL_STEP_FIT = 2,
    SBL_STEP_TRAIN = 4,
    SBL_STEP_SAMPLE = 8,
    SBL_STEP_SUGGEST = 16, /* discover a schema */
    SBL_STEP_READ = 32     /* look at a table outside of a run: schema check, guess, evaluate */
} sbl_step;

typedef enum sbl_option_type {
    SBL_OPTION_FLAG,   /* bool */
    SBL_OPTION_TEXT,   /* const char * */
    SBL_OPTION_CHOICE, /* one of `choices`: const char *, or an enum of its place in the list */
    SBL_OPTION_NUMBER, /* double */
    SBL_OPTION_WHOLE,  /* unsigned or uint64_t */
    SBL_OPTION_WHOLES  /* some uint64_t and their number */
} sbl_option_type;

/* The values an option takes. `words` completes "must be ...". */
typedef struct sbl_option_range {
    double low;
    double high;
    bool open; /* the ends themselves are refused */
    const char *words;
} sbl_option_range;

/* Texts are English, without a capital and a full stop, and live as long as the library. */
typedef struct sbl_option {
    const char *name; /* "learning-rate" */
    sbl_option_type type;
    const char *value; /* what to call the value in help, "R"; NULL: of a flag */
    const char *help;
    const char *standard;  /* the default in words; NULL: there is nothing to say */
    const char *of_tables; /* the default of tables as sbl_options_set() takes it; NULL: none,
                            * a rule, or not for tables */
    const char *of_images; /* likewise of images */
    const sbl_option_range
        *range; /* of a number, a whole or each of some; of a text for people: how many
                                    * bytes it may have; else NULL */
    const char *const *choices; /* ends with NULL; the first is the default */
    const char *const *methods; /* those that use it, ends with NULL; NULL: all */
    unsigned kinds;             /* of sbl_data_kinds, together */
    unsigned steps;             /* of sbl_step, together */
    unsigned needed;            /* steps that do not go without it */
    bool by_place;              /* of a choice: the field is an enum */
    size_t offset;              /* of the field in sbl_synth_options */
    size_t size;                /* of the field */
    size_t count_offset;        /* of some wholes: of the field that counts them */
} sbl_option;

/* Options in the order in which help lists them; NULL past the last, and for an unknown name. */
SBL_API size_t sbl_option_count(void);
SBL_API const sbl_option *sbl_option_at(size_t index);
SBL_API const sbl_option *sbl_option_find(const char *name);

/* Does this method use it for this kind of data? */
SBL_API bool sbl_option_is_used(const sbl_option *option, const char *method, sbl_data_kinds kind);

typedef struct sbl_method_facts {
    const char *name;
    const char *summary; /* a few words */
    unsigned kinds;      /* of sbl_data_kinds, together */
} sbl_method_facts;

/* Methods; the first is the default. NULL past the last. */
SBL_API size_t sbl_method_count(void);
SBL_API const sbl_method_facts *sbl_method_at(size_t index);

/* Give an option the value that text says: "true" or "false", a name, a number, a list "256,256".
 * In:      text  borrowed by options where the option is a text; NULL: of a flag, true
 * Returns: SBL_OK; SBL_EARG for an unknown name, a value out of range, an option that a caller's
 *          older struct has no field for */
SBL_API SBL_MUST_USE sbl_status sbl_options_set(sbl_synth_options *options, const char *name,
                                                const char *text, sbl_error *err);

/* A job file: one JSON object whose members are options by name, with a text, a number or, of a flag,
 * true; "input" names the table. Written by people and by sbl_job_write().
 * In:      each  called for every member, in the order of the file; text NULL: of a flag. A failure
 *                of it ends the reading
 * Returns: SBL_OK; SBL_EINPUT for a file that is no such object; what each() returns */
typedef sbl_status (*sbl_job_member)(void *context, const char *name, const char *text,
                                     sbl_error *err);
SBL_API SBL_MUST_USE sbl_status sbl_job_read(const char *path, sbl_job_member each, void *context,
                                             sbl_error *err);
/* names, texts: (count); a NULL text stands for a flag that is set. */
SBL_API SBL_MUST_USE sbl_status sbl_job_write(const char *path, const char *const *names,
                                              const char *const *texts, size_t count,
                                              bool overwrite, sbl_error *err);

/* Would these options be refused? Every function that takes them asks this first, before anything
 * is opened or charged.
 * In:      method  NULL: the one that options name
 *          steps   of sbl_step: one, or those of a job together
 * Returns: SBL_OK; SBL_EARG naming the option: missing, out of range, not one of the method's */
SBL_API SBL_MUST_USE sbl_status sbl_options_check(const sbl_synth_options *options,
                                                  const char *method, sbl_data_kinds kind,
                                                  unsigned steps, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
