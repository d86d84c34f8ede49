/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian integers in byte buffers, whatever the machine's own order. */
#ifndef SBL_BASE_BYTES_H
#define SBL_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Both store functions return the byte after what they wrote, so that fields follow one another. */
static inline uint8_t *sbl_store_u32(uint8_t *bytes, uint32_t value)
{
    for (size_t i = 0; i < 4; i++) bytes[i] = (uint8_t)(value >> (8 * i));
    return bytes + 4;
}

static inline uint8_t *sbl_store_u64(uint8_t *bytes, uint64_t value)
{
    for (size_t i = 0; i < 8; i++) bytes[i] = (uint8_t)(value >> (8 * i));
    return bytes + 8;
}

/* Written out, not as loops: compilers make one load of them. */
static inline uint32_t sbl_load_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline uint64_t sbl_load_u64(const uint8_t *bytes)
{
    return sbl_load_u32(bytes) | (uint64_t)sbl_load_u32(bytes + 4) << 32;
}

#endif
