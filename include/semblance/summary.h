/* Private counts and means of records held in memory: the smallest complete use of the core.
 *
 * One call makes one joint release of a histogram (how many records fall in each bin) and of the
 * means of some bounded columns, charges a ledger for it, and writes the release and its
 * certificate. Bins, bounds and, under replace-one, the number of records are public. */
#ifndef SEMBLANCE_SUMMARY_H
#define SEMBLANCE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/account.h"
#include "semblance/export.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The public bounds of a column; values outside are moved to the nearest bound, NaN to the middle.
 */
typedef struct sbl_summary_column {
    const char *name;
    double minimum;
    double maximum; /* > minimum */
} sbl_summary_column;

/* Private records: row r has bin bins[r] (a value >= bin_count counts as bin 0) and
 * values[r * column_count + j]. */
typedef struct sbl_summary_records {
    const uint32_t *bins;
    const double *values;
    size_t rows;
} sbl_summary_records;

typedef struct sbl_summary_options {
    size_t struct_size;           /* set by sbl_summary_options_init() */
    double epsilon;               /* > 0; no default */
    double delta;                 /* default 1e-5; above 0, at most 1e-3; ignored when pure */
    bool pure;                    /* default false. true: discrete Laplace, delta = 0 */
    sbl_neighbours neighbours;    /* default SBL_REPLACE_ONE */
    const char *release_path;     /* required */
    const char *certificate_path; /* required */
    const char
        *ledger_path; /* default NULL: "RELEASE.ledger", made without a limit where missing */
    bool overwrite;   /* default false. Never applies to a ledger */
} sbl_summary_options;

typedef struct sbl_summary sbl_summary;

SBL_API void sbl_summary_options_init_sized(sbl_summary_options *options, size_t size);
#define sbl_summary_options_init(options) \
    sbl_summary_options_init_sized((options), sizeof *(options))

/* Out:     summary  owned by the caller, sbl_summary_free()
 * Returns: SBL_OK; SBL_EARG, SBL_EINPUT, SBL_EBUDGET (nothing was drawn), SBL_EIO, ...
 * Privacy: reads records; everything in summary and in the files is differentially private */
SBL_API SBL_MUST_USE sbl_status sbl_summary_release(
    sbl_summary **summary, size_t bin_count, const sbl_summary_column *columns, size_t column_count,
    const sbl_summary_records *records, const sbl_summary_options *options, sbl_error *err);
SBL_API void sbl_summary_free(sbl_summary *summary);

/* Of a bin or column that the summary does not have, and of NULL: NaN, and NULL for the statement.
 */
/* The noisy number of records in a bin, and the standard deviation of its noise. */
SBL_API double sbl_summary_count(const sbl_summary *summary, size_t bin);
SBL_API double sbl_summary_count_deviation(const sbl_summary *summary);
/* The noisy mean of a column in its own units, within its bounds. */
SBL_API double sbl_summary_mean(const sbl_summary *summary, size_t column);
/* Standard deviation of the noise on it (under add-remove: for the noisy number of records). */
SBL_API double sbl_summary_mean_deviation(const sbl_summary *summary, size_t column);
/* The guarantee in words, as it stands in the certificate. */
SBL_API const char *sbl_summary_statement(const sbl_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
