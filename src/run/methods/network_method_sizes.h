/* SPDX-License-Identifier: Apache-2.0 */
/* Which network is trained: inside methods, where networks are known. */
#ifndef SBL_METHODS_NETWORK_METHOD_SIZES_H
#define SBL_METHODS_NETWORK_METHOD_SIZES_H

#include "after/model/generator.h"
#include "base/error.h"
#include "run/methods/network_method.h"

/* The network that the options ask for, or the rule's. */
sbl_status sbl_generate_network(sbl_network *network, const sbl_facts *facts,
                                const sbl_synth_options *options, const sbl_generate_rule *rule, bool cpu,
                                sbl_error *err);

/* As the options ask for; USUAL: they do not say. */
sbl_distance sbl_generate_distance(const sbl_synth_options *options);

/* ---- how long a generator takes to draw: part of what a fit costs, measured by a rehearsal ---- */

/* Wall seconds, with the caller's threads, and processor seconds for one record. It draws some as a model does
 * (after/sample/sampler.h), with any weights of the generator, and discards them.
 * In:      facts  of what is drawn, whole: the generator keeps a part of them
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_generate_time_drawing(double *seconds, double *processor, sbl_generator *generator,
                                     const sbl_facts *facts, sbl_error *err);

#endif
