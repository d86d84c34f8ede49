/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from a file, standard input or memory, plain or gzip (told by the first two bytes). */
#ifndef SBL_BASE_BYTE_SOURCE_H
#define SBL_BASE_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct sbl_byte_source sbl_byte_source;

/* path "-" is standard input. */
sbl_status sbl_byte_source_open(sbl_byte_source **source, const char *path, sbl_error *err);

/* The same without looking for gzip: for files whose first bytes belong to a record. */
sbl_status sbl_byte_source_open_plain(sbl_byte_source **source, const char *path, sbl_error *err);

/* bytes are borrowed; name is used in messages. */
sbl_status sbl_byte_source_open_memory(sbl_byte_source **source, const void *bytes, size_t size,
                                       const char *name, sbl_error *err);

/* From now on the bytes are read as text of this encoding (base/encoding.h) and given as UTF-8. Before
 * the first read; utf-8 itself is passed through as it is. */
sbl_status sbl_byte_source_decode(sbl_byte_source *source, const char *encoding, sbl_error *err);

/* Fill buffer; *got < capacity only at the end. Truncated or corrupt gzip is SBL_EINPUT. */
sbl_status sbl_byte_source_read(sbl_byte_source *source, void *buffer, size_t capacity, size_t *got,
                                sbl_error *err);

/* The name for messages: the path, or "standard input". */
const char *sbl_byte_source_name(const sbl_byte_source *source);

/* How many bytes the source has from beginning to end, where that can be told without reading it: a
 * regular file or memory that is not compressed. False otherwise. */
bool sbl_byte_source_size(const sbl_byte_source *source, uint64_t *size);

/* The offset of the next byte, for a regular file or memory that is neither compressed nor decoded. False for any other source. */
bool sbl_byte_source_offset(const sbl_byte_source *source, uint64_t *offset);
/* For such a source: reads at any offset, from several threads at the same time. *got < capacity only at the end. */
sbl_status sbl_byte_source_read_at(const sbl_byte_source *source, uint64_t offset, void *buffer,
                                   size_t capacity, size_t *got, sbl_error *err);
/* For such a source: the next read begins at this offset. */
sbl_status sbl_byte_source_seek(sbl_byte_source *source, uint64_t offset, sbl_error *err);

/* Close and wipe. source may be NULL. */
void sbl_byte_source_free(sbl_byte_source *source);

#endif
