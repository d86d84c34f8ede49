/* SPDX-License-Identifier: Apache-2.0 */
/* The lemmas alone. */
#include "fractions.h"

int sbl_proof_lemmas;
