/* What the two files of Winograd's convolutions share. */
#ifndef SBL_COMPUTE_WINOGRAD_PARTS_H
#define SBL_COMPUTE_WINOGRAD_PARTS_H

#include <stddef.h>

#define SBL_WINOGRAD_COEFFICIENTS 36

/* Images cut into tiles of side x side pixels, row by row. */
typedef struct sbl_tiling {
    size_t side, height, width, down, across;
} sbl_tiling;

/* taps: 3 or 5 along each side of the kernel */
static inline sbl_tiling sbl_tiling_of(size_t taps, size_t height, size_t width)
{
    size_t side = 7 - taps;
    return (sbl_tiling){side, height, width, (height + side - 1) / side, (width + side - 1) / side};
}

/* The extent x extent pixels of one tile, from `border` pixels above and to the left of it on;
 * zeros where the image has none. */
static inline void sbl_aim_pixels(const float **at, const float *images, size_t channels,
                                  const sbl_tiling *t, size_t number, size_t extent, size_t border,
                                  const float *zeros)
{
    size_t per_image = t->down * t->across, in_image = number % per_image;
    size_t top = in_image / t->across * t->side, left = in_image % t->across * t->side;
    const float *pixels = images + number / per_image * t->height * t->width * channels;
    for (size_t y = 0; y < extent; y++)
        for (size_t x = 0; x < extent; x++) {
            size_t row = top + y - border, column = left + x - border; /* wraps outside: huge */
            at[extent * y + x] = row < t->height && column < t->width
                                     ? pixels + (row * t->width + column) * channels
                                     : zeros;
        }
}

#endif
