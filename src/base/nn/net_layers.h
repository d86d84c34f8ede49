/* SPDX-License-Identifier: Apache-2.0 */
/* Layers as the backend sees them. */
#ifndef SBL_NN_NET_LAYERS_H
#define SBL_NN_NET_LAYERS_H

#include "base/nn/net.h"

sbl_conv_shape sbl_net_conv_shape(const sbl_net_layer *layer, size_t threads);

#endif
