/* What the commands around a model share: option rows, reading them, the progress bar. */
#ifndef SBL_CLI_SYNTH_COMMON_H
#define SBL_CLI_SYNTH_COMMON_H

#include "command.h"
#include "semblance/synth.h"

extern const sbl_cli_range sbl_cli_any_whole; /* 0, 1, 2, ... */
extern const sbl_cli_range sbl_cli_count;     /* 1, 2, 3, ... */
extern const sbl_cli_range sbl_cli_thread_count;
extern const char *const sbl_cli_relations[];
extern const char *const sbl_cli_methods[];
extern const char *const sbl_cli_geometries[];
extern const char *const sbl_cli_spaces[];
extern const char *const sbl_cli_splits[];
extern const char *const sbl_cli_progress_modes[];

/* Rows of option tables, one per option name. */
#define SBL_OPTION_SCHEMA                                                              \
    {                                                                                  \
        "schema", 0, "FILE", SBL_CLI_TEXT,                                             \
            "the public facts about the columns (Table Schema JSON)", NULL, NULL, NULL \
    }
#define SBL_OPTION_EPSILON                                                                         \
    {                                                                                              \
        "epsilon", 0, "E", SBL_CLI_NUMBER,                                                         \
            "the privacy budget of this release; it has no default", NULL, &sbl_cli_positive, NULL \
    }
#define SBL_OPTION_DELTA                                                                           \
    {                                                                                              \
        "delta", 0, "D", SBL_CLI_NUMBER, "the delta, above 0 and below 1; best below 1/n", "1e-5", \
            &sbl_cli_fraction, NULL                                                                \
    }
#define SBL_OPTION_METHOD                                                                \
    {                                                                                    \
        "method", 0, "M", SBL_CLI_CHOICE,                                                \
            "merf (random Fourier mean embeddings), ron-gauss (projected Gaussians) or " \
            "marginals (independent columns)",                                           \
            "merf", NULL, sbl_cli_methods                                                \
    }
#define SBL_OPTION_NEIGHBOURS                                                           \
    {                                                                                   \
        "neighbours", 0, "RELATION", SBL_CLI_CHOICE,                                    \
            "replace-one (the number of rows is public) or add-remove (it is private)", \
            "replace-one", NULL, sbl_cli_relations                                      \
    }
#define SBL_OPTION_LEDGER                                                               \
    {                                                                                   \
        "ledger", 0, "FILE", SBL_CLI_TEXT, "charge this ledger and respect its budget", \
            "a ledger for this run only, RELEASE.ledger", NULL, NULL                    \
    }
#define SBL_OPTION_RELEASE                                                                     \
    {                                                                                          \
        "release", 0, "FILE", SBL_CLI_TEXT, "where the noisy sums go", "OUTPUT.release", NULL, \
            NULL                                                                               \
    }
#define SBL_OPTION_CERTIFICATE                                                \
    {                                                                         \
        "certificate", 0, "FILE", SBL_CLI_TEXT, "where the certificate goes", \
            "OUTPUT.certificate.json", NULL, NULL                             \
    }
#define SBL_OPTION_OUTPUT(help, standard)                               \
    {                                                                   \
        "output", 'o', "FILE", SBL_CLI_TEXT, help, standard, NULL, NULL \
    }
#define SBL_OPTION_ROWS                                                       \
    {                                                                         \
        "rows", 'n', "N", SBL_CLI_WHOLE, "number of rows or images to write", \
            "as many as were fitted", &sbl_cli_count, NULL                    \
    }
#define SBL_OPTION_SEED                                                                        \
    {                                                                                          \
        "seed", 0, "K", SBL_CLI_WHOLE,                                                         \
            "seed of the public randomness (features, weights, sampling); the noise has none", \
            "0", &sbl_cli_any_whole, NULL                                                      \
    }
#define SBL_OPTION_THREADS                                                                     \
    {                                                                                          \
        "threads", 0, "T", SBL_CLI_WHOLE, "threads to use", "all", &sbl_cli_thread_count, NULL \
    }
#define SBL_OPTION_FEATURES                                                           \
    {                                                                                 \
        "features", 0, "D", SBL_CLI_WHOLE, "merf: number of random Fourier features", \
            "2000; images 10000", &sbl_cli_count, NULL                                \
    }
#define SBL_OPTION_BINS                                                                          \
    {                                                                                            \
        "bins", 0, "B", SBL_CLI_WHOLE,                                                           \
            "marginals: equal bins of a number; integers are counted value by value where they " \
            "have no more values than that",                                                     \
            "32; integers of up to 128 values one by one", &sbl_cli_count, NULL                  \
    }
#define SBL_OPTION_PURE                                                                          \
    {                                                                                            \
        "pure", 0, NULL, SBL_CLI_FLAG,                                                           \
            "delta 0: discrete Laplace noise in place of Gaussian (marginals, ron-gauss)", NULL, \
            NULL, NULL                                                                           \
    }
#define SBL_OPTION_GEOMETRY                                                                     \
    {                                                                                           \
        "geometry", 0, "G", SBL_CLI_CHOICE,                                                     \
            "ron-gauss: clip (records scaled by their public bounds) or normalise (records on " \
            "the unit sphere; reads the table twice)",                                          \
            "clip", NULL, sbl_cli_geometries                                                    \
    }
#define SBL_OPTION_SPACE                                                                        \
    {                                                                                           \
        "space", 0, "S", SBL_CLI_CHOICE,                                                        \
            "ron-gauss: rows in the original columns or the projected coordinates p1, p2, ...", \
            "original", NULL, sbl_cli_spaces                                                    \
    }
#define SBL_OPTION_DIMENSIONS                                                                  \
    {                                                                                          \
        "dimensions", 0, "P", SBL_CLI_WHOLE, "ron-gauss: dimensions of the random projection", \
            "a rule from public sizes", &sbl_cli_count, NULL                                   \
    }
#define SBL_OPTION_SPLIT                                                                          \
    {                                                                                             \
        "split", 0, "S", SBL_CLI_CHOICE,                                                          \
            "ron-gauss: budget of mean and moments, optimal or paper (0.3 and 0.7 of mu^2, with " \
            "--pure of epsilon)",                                                                 \
            "optimal", NULL, sbl_cli_splits                                                       \
    }
#define SBL_OPTION_EXPECT                                                                   \
    {                                                                                       \
        "expect-rows", 0, "N", SBL_CLI_WHOLE,                                               \
            "ron-gauss: about how many rows, for the rule of the dimensions only", "10000", \
            &sbl_cli_count, NULL                                                            \
    }
#define SBL_OPTION_STEPS                                                                       \
    {                                                                                          \
        "steps", 0, "S", SBL_CLI_WHOLE, "training steps", "4000; images 5000", &sbl_cli_count, \
            NULL                                                                               \
    }
#define SBL_OPTION_BATCH                                                                        \
    {                                                                                           \
        "batch", 0, "B", SBL_CLI_WHOLE, "generated rows per training step", "1000; images 500", \
            &sbl_cli_count, NULL                                                                \
    }
#define SBL_OPTION_HIDDEN                                                                          \
    {                                                                                              \
        "hidden", 0, "LIST", SBL_CLI_TEXT, "sizes of the generator's hidden layers, e.g. 256,256", \
            "256,256,256; images 256,32,16", NULL, NULL                                            \
    }
#define SBL_OPTION_LATENT                                                                         \
    {                                                                                             \
        "latent", 0, "L", SBL_CLI_WHOLE, "size of the generator's random input", "16; images 32", \
            &sbl_cli_count, NULL                                                                  \
    }
#define SBL_OPTION_RATE                                                                     \
    {                                                                                       \
        "learning-rate", 0, "R", SBL_CLI_NUMBER, "of training; decays to zero as a cosine", \
            "0.005", &sbl_cli_positive, NULL                                                \
    }
#define SBL_OPTION_FORCE                                                                       \
    {                                                                                          \
        "force", 'f', NULL, SBL_CLI_FLAG, "overwrite files (never a ledger)", NULL, NULL, NULL \
    }
#define SBL_OPTION_QUIET                                                               \
    {                                                                                  \
        "quiet", 'q', NULL, SBL_CLI_FLAG, "say nothing but failures", NULL, NULL, NULL \
    }
#define SBL_OPTION_PROGRESS                                                    \
    {                                                                          \
        "progress", 0, "WHEN", SBL_CLI_CHOICE,                                 \
            "progress bar: never, auto (on a terminal), always", "auto", NULL, \
            sbl_cli_progress_modes                                             \
    }

/* Rows that always come together. */
#define SBL_OPTIONS_TRAINING \
    SBL_OPTION_HIDDEN, SBL_OPTION_LATENT, SBL_OPTION_STEPS, SBL_OPTION_BATCH, SBL_OPTION_RATE
#define SBL_OPTIONS_RON_GAUSS                                                       \
    SBL_OPTION_GEOMETRY, SBL_OPTION_SPACE, SBL_OPTION_DIMENSIONS, SBL_OPTION_SPLIT, \
        SBL_OPTION_EXPECT
#define SBL_OPTIONS_RUNNING \
    SBL_OPTION_THREADS, SBL_OPTION_FORCE, SBL_OPTION_QUIET, SBL_OPTION_PROGRESS

/* The value of an option by name; NULL when the command has no such option or it was not given. */
const sbl_cli_value *sbl_cli_given(const sbl_cli_parsed *parsed, const char *name);
/* Its text, or NULL. */
const char *sbl_cli_text(const sbl_cli_parsed *parsed, const char *name);
/* SBL_EARG when a needed option was not given. */
sbl_status sbl_cli_need(const sbl_cli_parsed *parsed, const char *name, sbl_error *err);

/* Library options from what was typed, with notices to stderr and a progress bar where one is
 * wanted. Ctrl-C and SIGTERM during the work stop it cleanly. */
sbl_status sbl_cli_synth_options(sbl_synth_options *options, const sbl_cli_parsed *parsed,
                                 sbl_error *err);
/* Clear the bar's line. */
void sbl_cli_progress_end(void);

bool sbl_cli_is_quiet(const sbl_cli_parsed *parsed);

#endif
