/* SPDX-License-Identifier: Apache-2.0 */
/* What the noise took: which relations between columns the releases of a run show, and which cannot be told from
 * noise and come out independent. From releases alone, so it costs nothing. Of methods that count pairs of columns
 * (pairs, forest, histories); the others measure no pair, and nothing is said of them. */
#ifndef SBL_PIPELINE_KEPT_H
#define SBL_PIPELINE_KEPT_H

#include "door/certificate/certificate_document.h"
#include "run/pipeline/rounds.h"

typedef struct sbl_kept {
    sbl_certified_relations told; /* borrows names */
    sbl_certified_relation suspects[SBL_CERTIFIED_SUSPECTS];
    sbl_text names[2 * SBL_CERTIFIED_SUSPECTS];
    double enough; /* the epsilon at which the first suspect would be seen, about; 0: not known */
} sbl_kept;

sbl_status sbl_kept_of(sbl_kept *kept, const sbl_rounds *rounds, const sbl_synth_options *options,
                       sbl_error *err);
/* In one line of advice; none where every relation that was measured is seen, or none was measured. */
void sbl_kept_report(const sbl_kept *kept, const sbl_synth_options *options);
void sbl_kept_clear(sbl_kept *kept);

#endif
