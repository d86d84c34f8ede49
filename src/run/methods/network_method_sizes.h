/* Which network is trained: inside methods, where networks are known. */
#ifndef SBL_METHODS_NETWORK_METHOD_SIZES_H
#define SBL_METHODS_NETWORK_METHOD_SIZES_H

#include "after/model/generator.h"
#include "run/methods/network_method.h"

/* The network that the options ask for, or the rule's. */
sbl_status sbl_generate_network(sbl_network *network, const sbl_facts *facts,
                                const sbl_synth_options *options, const sbl_generate_rule *rule, bool cpu,
                                sbl_error *err);

#endif
