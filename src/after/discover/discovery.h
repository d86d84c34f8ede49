/* SPDX-License-Identifier: Apache-2.0 */
/* A schema that is discovered and paid for: which releases are needed, and what they say of the columns. Sees releases
 * only, never a record; every choice is post-processing (docs/mechanisms/discover.md).
 *
 *   votes   every cell says what it looks like: type, digits after the point, way to write a date,
 *           missing
 *   ranges  of numbers and dates: sign and power of two, or year
 *   bins    of the same: 64 equal bins of that range, for bounds
 *   keys    of texts: those that are frequent enough to be named
 *
 * A step that no column needs is left out. The names of the columns are the header's. */
#ifndef SBL_DISCOVER_DISCOVERY_H
#define SBL_DISCOVER_DISCOVERY_H

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "door/release/release.h"
#include "public/schema/dialect.h"
#include "public/schema/probe.h"
#include "public/schema/schema_type.h"

typedef enum sbl_discover_step {
    SBL_DISCOVER_VOTES,
    SBL_DISCOVER_RANGES,
    SBL_DISCOVER_BINS,
    SBL_DISCOVER_KEYS,
    SBL_DISCOVER_DONE
} sbl_discover_step;

#define SBL_DISCOVER_STEPS 4
/* Votes are counted over this part of what a schema may cost; the rest is for the steps that turn
 * out to be needed. */
#define SBL_DISCOVER_VOTES_SHARE 0.15

/* What is known of a column so far. */
typedef struct sbl_discovered {
    sbl_field_type type;
    bool nullable;
    size_t missing_word; /* of sbl_missing_words: the most frequent */
    double present;      /* about how many cells are not missing, and the deviation of that */
    double present_noise;
    bool commas;        /* enough cells are numbers with a comma that it may be the decimal mark */
    int decimals;       /* of a number; -1: nothing is known */
    const char *format; /* of a date or datetime: a pattern, not owned; NULL: ISO 8601 */
    bool either_order;  /* whether days or months come first was not told by the votes */
    bool unseen;        /* no range of numbers or dates stood out of the noise */
    double low;         /* of a number, date (days) or datetime (seconds): from ranges, then from bins */
    double high;
    double surely_low; /* from ranges: something is at most this, and something at least that */
    double surely_high;
    sbl_strings categories; /* of a string: those that were named */
    const char *other;      /* stands for the others, or NULL; not owned */
} sbl_discovered;

typedef struct sbl_discovery {
    sbl_strings names;
    sbl_written written;     /* how the table is, publicly */
    sbl_discovered *columns; /* (names.count) */
    sbl_probe *probes;       /* (names.count): of this step */
    size_t *texts;           /* (text_count): the columns that keys are tallied of */
    size_t text_count;
    sbl_discover_step step; /* the next one */
} sbl_discovery;

/* Takes the names, also on failure: they are {0} then. */
sbl_status sbl_discovery_init(sbl_discovery *discovery, sbl_strings *names, const sbl_written *written,
                              sbl_error *err);
void sbl_discovery_clear(sbl_discovery *discovery);

/* "votes", "ranges", ... */
const char *sbl_discover_step_name(sbl_discover_step step);

/* The parts of `whole` that this step and those after it may spend, in order; returns how many there
 * are. Before the votes are counted any step may be needed, and after them the ones that are. Their sum is what is left of whole after the steps before. */
size_t sbl_discovery_shares(double shares[SBL_DISCOVER_STEPS], const sbl_discovery *discovery, double whole);

/* The part of this step's probes that follows from releases, as written in the plan. For a column: [first bin,
 * width, number], followed by a date pattern if there is one; before there are bins, the pattern alone; or
 * null. NULL when out of memory. */
json_t *sbl_discovery_probes(const sbl_discovery *discovery);

/* Draw the conclusions of this step's release and go on to the next step.
 * Returns: SBL_OK; SBL_EINPUT when the release does not fit the step; SBL_EMEM */
sbl_status sbl_discovery_take(sbl_discovery *discovery, const sbl_release *release, sbl_error *err);

/* After the votes: the first column that seems to hold numbers with a decimal comma, and how many do; NULL: none. */
const char *sbl_discovery_commas(size_t *count, const sbl_discovery *discovery);

/* The schema, once the step is SBL_DISCOVER_DONE. Takes origin (where the facts came from; NULL is
 * SBL_EMEM). text: the file; schema: what our parser makes of it; sbl_free, sbl_schema_free. */
sbl_status sbl_discovery_finish(char **text, sbl_schema **schema, const sbl_discovery *discovery,
                                json_t *origin, sbl_error *err);

/* Lines for people: which columns became nothing, all in one, and whose dates may be the other way
 * round. From the releases alone. */
void sbl_discovery_remark(sbl_text *text, const sbl_discovery *discovery);

/* Discovering a schema of n rows is worth its price if n is at least this number of standard deviations of the
 * noise on a vote. About a tenth of the rows must then hold a text for it to be named; with more rows, less. */
#define SBL_DISCOVER_LEAST_ROWS 30.0
bool sbl_discovery_can_tell(double noise, double n);

/* ---- inside: what one column's noisy histogram says, all of it post-processing ---- */

/* counts: one for each answer of the probe, each with noise of deviation `noise`. */

/* Type, digits and whether cells may be missing. */
void sbl_verdict_of_votes(sbl_discovered *column, const double *counts, double noise);
/* The range: from the first to the last bin that is seen above the noise. */
void sbl_verdict_of_ranges(sbl_discovered *column, const sbl_probe *probe, const double *counts,
                           double noise);
/* The bounds: without end bins in which nothing is seen, rounded outward to plain numbers. */
void sbl_verdict_of_bins(sbl_discovered *column, const sbl_probe *probe, const double *counts, double noise);
/* The probe of bins for a column whose range is known. */
sbl_probe sbl_bins_of_range(const sbl_discovered *column);

#endif
