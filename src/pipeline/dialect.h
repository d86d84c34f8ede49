/* How the table of a run is written, of its options. */
#ifndef SBL_PIPELINE_DIALECT_H
#define SBL_PIPELINE_DIALECT_H

#include "base/status.h"
#include "plan/plan.h"
#include "schema/dialect_given.h"
#include "semblance/options.h"

/* Texts are borrowed from options. */
static inline sbl_dialect_given sbl_dialect_of_options(const sbl_synth_options *options)
{
    return (sbl_dialect_given){.delimiter = options->delimiter,
                               .quote = options->quote,
                               .comment = options->comment,
                               .header = options->header,
                               .encoding = options->encoding,
                               .decimal = options->decimal,
                               .thousands = options->thousands};
}

/* How a table without a schema is written: what was told, and else as usual. SBL_EARG where it has no
 * header. */
sbl_status sbl_written_of_options(sbl_written *written, const sbl_synth_options *options,
                                  sbl_error *err);
/* Into the plan of a schema that is bought, what is not usual of its numbers; the rest stands in the
 * facts' schema. */
sbl_status sbl_plan_written(sbl_plan *plan, const sbl_written *written, sbl_error *err);

#endif
