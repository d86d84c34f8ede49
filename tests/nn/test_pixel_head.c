/* From a network's outputs to pixels: which of them, how they are stretched, and the way back. */
#include <math.h>

#include "nn/output_heads.h"
#include "support/cmocka_all.h"

static const sbl_image_facts images = {.height = 6, .width = 5, .channels = 1};
static const sbl_volume output = {8, 8, 1}; /* rows 1 .. 6, columns 1 .. 5 of it */

static void pixels_are_the_middle_of_the_output_stretched_and_held(void **state)
{
    (void)state;
    float outputs[2 * 64], pixels[2 * 30];
    for (size_t i = 0; i < 128; i++) outputs[i] = (float)(i % 64) / 63;
    sbl_pixel_head_forward(pixels, &images, outputs, output, 2, false);
    for (size_t r = 0; r < 2; r++)
        for (size_t y = 0; y < 6; y++)
            for (size_t x = 0; x < 5; x++) {
                double s = (double)((y + 1) * 8 + x + 1) / 63;
                double v = 1.04 * s - 0.02, h = v < 0 ? 0 : v > 1 ? 1 : v;
                assert_true(fabs((double)pixels[r * 30 + y * 5 + x] - h) < 1e-6);
            }
    for (size_t i = 0; i < 128; i++) outputs[i] = i < 64 ? 0 : 1;
    sbl_pixel_head_forward(pixels, &images, outputs, output, 2, false);
    assert_true(pixels[0] == 0 && pixels[59] == 1);
    sbl_pixel_head_forward(pixels, &images, outputs, output, 2, true);
    assert_true(pixels[0] < 0 && pixels[59] > 1); /* the leak */
}

static void backward_is_the_slope_of_the_pixels(void **state)
{
    (void)state;
    float outputs[64], pixels[2][30], d_pixels[30], d_outputs[64];
    for (size_t i = 0; i < 64; i++) outputs[i] = (float)(i * 37 % 64) / 63;
    for (size_t i = 0; i < 30; i++) d_pixels[i] = (float)i - 11;
    sbl_pixel_head_backward(d_outputs, &images, d_pixels, outputs, output, 1);
    for (size_t i = 0; i < 64; i++) {
        const float kept = outputs[i], step = 1e-3f;
        double slope = 0;
        for (int side = 0; side < 2; side++) {
            outputs[i] = kept + (side ? step : -step);
            sbl_pixel_head_forward(pixels[side], &images, outputs, output, 1, true);
        }
        outputs[i] = kept;
        for (size_t p = 0; p < 30; p++)
            slope += (double)d_pixels[p] * ((double)pixels[1][p] - (double)pixels[0][p]) /
                     (2 * (double)step);
        assert_true(fabs(slope - (double)d_outputs[i]) < 0.01 + 0.01 * fabs(slope));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_are_the_middle_of_the_output_stretched_and_held),
        cmocka_unit_test(backward_is_the_slope_of_the_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
