/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to Arrow tables: values as they are stored in a buffer. */
#ifndef SBL_FORMATS_ARROW_VALUE_H
#define SBL_FORMATS_ARROW_VALUE_H

#include <string.h>

#include "base/int128.h"
#include "records/formats/arrow_type.h"

typedef struct sbl_text_view {
    int32_t length;
    char bytes[4]; /* the first of them; the rest follows, or: */
    int32_t buffer;
    int32_t offset;
} sbl_text_view;

/* Of each kind of number its name here and its type in C: whole ones that an int64_t holds, and all. */
#define SBL_ARROW_WHOLES(EACH)     \
    EACH(INT8, int8, int8_t)       \
    EACH(INT16, int16, int16_t)    \
    EACH(INT32, int32, int32_t)    \
    EACH(INT64, int64, int64_t)    \
    EACH(UINT8, uint8, uint8_t)    \
    EACH(UINT16, uint16, uint16_t) \
    EACH(UINT32, uint32, uint32_t)
#define SBL_ARROW_NUMBERS(EACH)    \
    SBL_ARROW_WHOLES(EACH)         \
    EACH(UINT64, uint64, uint64_t) \
    EACH(FLOAT, float, float)      \
    EACH(DOUBLE, double, double)

/* Values may be at any address: a producer need not align them. */
#define SBL_ARROW_LOADER(kind, name, type)                                                         \
    static inline type sbl_load_##name(const struct ArrowArray *array, int64_t at)                 \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, (const char *)array->buffers[1] + (size_t)at * sizeof value, sizeof value); \
        return value;                                                                              \
    }
SBL_ARROW_NUMBERS(SBL_ARROW_LOADER)
SBL_ARROW_LOADER(DECIMAL, int128, sbl_i128)
SBL_ARROW_LOADER(UTF8_VIEW, view, sbl_text_view)

static inline bool sbl_load_truth(const struct ArrowArray *array, int64_t at)
{
    const uint8_t *bits = array->buffers[1];
    return (bits[at / 8] >> (at % 8) & 1) != 0;
}

static inline sbl_i128 sbl_load_decimal(const sbl_arrow_type *type, const struct ArrowArray *array,
                                        int64_t at)
{
    if (type->width == 32) return sbl_load_int32(array, at);
    if (type->width == 64) return sbl_load_int64(array, at);
    return sbl_load_int128(array, at); /* in the order of the machine */
}

/* Towards the past, as a fraction that is cut off a time does. */
static inline int64_t sbl_floor_divide(int64_t value, int64_t by)
{
    const int64_t quotient = value / by;
    return quotient - (value % by < 0);
}

/* What is left then: 0 to by - 1. */
static inline int64_t sbl_floor_rest(int64_t value, int64_t by)
{
    const int64_t rest = value % by;
    return rest < 0 ? rest + by : rest;
}

/* IEEE 754 binary16. */
double sbl_half_value(uint16_t bits);

#endif
