/* A folder of one's own for as long as a call takes: files that nobody else will see. It is locked
 * for as long as its process lives; what one that was killed left behind, the next one clears away. */
#ifndef SBL_BASE_SCRATCH_H
#define SBL_BASE_SCRATCH_H

#include "base/status.h"
#include "base/text.h"

typedef struct sbl_scratch {
    sbl_text folder; /* mode 0700; empty: there is none */
    int descriptor;  /* of the folder: holds the lock */
} sbl_scratch;

/* Where such folders are made: in memory (/dev/shm), or /tmp where there is none. */
const char *sbl_scratch_place(void);

/* In a folder that is there, where those of killed processes of this user are removed first.
 * Returns: SBL_OK, SBL_EIO, SBL_EMEM */
sbl_status sbl_scratch_open(sbl_scratch *scratch, const char *within, sbl_error *err);
/* Removes the folder with all that is in it. */
void sbl_scratch_close(sbl_scratch *scratch);

/* FOLDER/NAME; path is cleared first. */
sbl_status sbl_scratch_path(sbl_text *path, const sbl_scratch *scratch, const char *name,
                            sbl_error *err);

#endif
