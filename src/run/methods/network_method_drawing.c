/* SPDX-License-Identifier: Apache-2.0 */
/* Draws some records once more until the clock can tell, and keeps the least: whatever else the machine does adds to
 * them. */
#include "run/methods/network_method_sizes.h"

#include <math.h>

#include "after/sample/sampler.h"
#include "base/clock.h"
#include "public/rows/encoded_records.h"

#define ROWS 1024  /* of a table: some for each of many threads */
#define TIMES 10   /* at most; the first warms up */
#define ENOUGH 0.2 /* seconds: what took so long is not done again */

sbl_status sbl_generate_time_drawing(double *seconds, double *processor, sbl_generator *generator,
                                     const sbl_facts *facts, sbl_error *err)
{
    const size_t records = facts->kind == SBL_DATA_IMAGES ? SBL_IMAGE_RUN : ROWS;
    sbl_drawn drawn = {0};
    sbl_sampler *sampler = NULL;
    sbl_status status = SBL_OK;
    *seconds = *processor = INFINITY;
    SBL_TRY(sbl_drawn_make(&drawn, facts, records, false, err));
    SBL_TRY(sbl_sampler_new(&sampler, generator, 0, err));
    const double begun = sbl_seconds();
    for (int time = 0; time < TIMES && (time == 0 || sbl_seconds() - begun < ENOUGH); time++) {
        const double started = sbl_seconds();
        const double used = sbl_processor_seconds();
        SBL_TRY(sbl_sampler_draw(sampler, &drawn, 0, records, SBL_ANY_CLASS, err));
        *seconds = fmin(*seconds, (sbl_seconds() - started) / (double)records);
        *processor = fmin(*processor, (sbl_processor_seconds() - used) / (double)records);
    }
done:
    sbl_sampler_free(sampler);
    sbl_drawn_clear(&drawn, facts);
    return status;
}
