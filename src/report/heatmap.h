/* A square of coloured cells with its legend. */
#ifndef SBL_REPORT_HEATMAP_H
#define SBL_REPORT_HEATMAP_H

#include <stddef.h>

#include "base/text.h"

typedef struct sbl_heatmap {
    const char *title;        /* of ours */
    const char *const *names; /* data; NULL entries are shown as a dash */
    const double *values;     /* (count, count); NaN: there is none */
    size_t count;
    double limit; /* colours run from -limit to limit */
} sbl_heatmap;

/* A <figure>. */
void sbl_heatmap_write(sbl_text *out, const sbl_heatmap *map);

/* The colours from -limit to limit. */
void sbl_heatmap_legend(sbl_text *out, double limit, const char *words);

#endif
