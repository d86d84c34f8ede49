/* The lemmas alone. */
#include "fractions.h"

int sbl_proof_lemmas;
