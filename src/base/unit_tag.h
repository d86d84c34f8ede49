/* Whose row it is, for tables in which one person may own several rows. */
#ifndef SBL_BASE_UNIT_TAG_H
#define SBL_BASE_UNIT_TAG_H

#include <stdint.h>

/* The most rows of one person that can be made to count. Noise grows with the number. */
#define SBL_ROWS_PER_UNIT_MAX 1024

/* A keyed hash of the cell that identifies a person (base/siphash.h). Both 0: the cell says nobody,
 * and the row is a person of its own. Privacy: as secret as the cell. */
typedef struct sbl_unit_tag {
    uint64_t low, high;
} sbl_unit_tag;

#endif
