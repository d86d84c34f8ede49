/* How long a generator takes to draw: part of what a fit costs (run/methods/method.h), measured like it by a rehearsal. */
#ifndef SBL_METHODS_NETWORK_METHOD_DRAWING_H
#define SBL_METHODS_NETWORK_METHOD_DRAWING_H

#include "after/model/generator.h"
#include "base/error.h"

/* Of one record: the seconds that pass, with the threads of the caller, and those of the processor. Some are drawn
 * as a model draws them (after/sample/sampler.h), whatever weights the generator has, and forgotten.
 * In:      facts  of what is drawn, whole: the generator keeps a part of them
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_generate_time_drawing(double *seconds, double *processor, sbl_generator *generator,
                                     const sbl_facts *facts, sbl_error *err);

#endif
