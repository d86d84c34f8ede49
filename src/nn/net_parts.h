/* What the files of a network share; see net.h. */
#ifndef SBL_NN_NET_PARTS_H
#define SBL_NN_NET_PARTS_H

#include "compute/conv.h"
#include "nn/net.h"

/* A convolution as compute/ sees it. A transposed one is the way back of the convolution from its
 * outputs to its inputs. */
sbl_conv_shape sbl_net_conv_shape(const sbl_net_layer *layer, size_t threads);

#endif
