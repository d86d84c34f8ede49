/* Inside discover: what one column's noisy histogram says. All of it is post-processing. */
#ifndef SBL_DISCOVER_VERDICTS_H
#define SBL_DISCOVER_VERDICTS_H

#include "after/discover/discovery.h"

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
