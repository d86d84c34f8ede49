/* SipHash-2-4 (Aumasson and Bernstein 2012): a keyed hash for tables in memory, so that what is put
 * into a table cannot be chosen to make it slow. Not for anything that leaves the process. */
#ifndef SBL_BASE_SIPHASH_H
#define SBL_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#define SBL_SIPHASH_KEY_SIZE 16

uint64_t sbl_siphash(const uint8_t key[SBL_SIPHASH_KEY_SIZE], const void *bytes, size_t size);

#endif
