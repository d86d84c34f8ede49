/* SPDX-License-Identifier: Apache-2.0 */
/* Records that are read once and kept, encoded, for later readings: the rounds of a run sum the same records. A later
 * reading gives the same batches, bit for bit, in the same order. */
#ifndef SBL_SOURCE_KEPT_SOURCE_H
#define SBL_SOURCE_KEPT_SOURCE_H

#include "records/source/source.h"

/* The records of rows, which stands at its first one and is taken, also on failure.
 * In:      most  bytes that may be kept. If the records take more, or memory is short, those that were kept are wiped
 *                and each reading reads again. So it is for whole persons, images and rows with keys of their own.
 * A rewind asks rows to rewind too: a file that was changed is found.
 * Privacy: the records of a whole table are in memory until sbl_source_forget() or the close, which wipe them.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_source_open_kept(sbl_source **source, sbl_source *rows, size_t most, sbl_error *err);

/* Wipes what a source has kept; later readings read again. Any source, NULL too. */
void sbl_source_forget(sbl_source *source);

/* About how many bytes a row of these facts takes. */
size_t sbl_source_kept_bytes(const sbl_facts *facts);

#endif
