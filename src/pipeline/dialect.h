/* How the table of a run is written, of its options. */
#ifndef SBL_PIPELINE_DIALECT_H
#define SBL_PIPELINE_DIALECT_H

#include "schema/dialect.h"
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

#endif
