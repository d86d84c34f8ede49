/* One block of a release, from plan to layout, release and certificate. */
#ifndef SBL_PLAN_BLOCK_H
#define SBL_PLAN_BLOCK_H

typedef struct sbl_block sbl_block; /* accumulate/layout.h */

#endif
