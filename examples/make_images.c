/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up drawings of the ten digits, 28 x 28 grey, as an IDX pair like MNIST.
 *
 *     make_images COUNT SEED IMAGES LABELS
 *
 * They stand in for images that may not be shown. Each digit is a few strokes, each stroke a smooth
 * curve through points. Every drawing moves the points, leans, turns, stretches and shifts the
 * digit, and has its own pen, pressure and grain, so that classifiers have something to learn: some
 * drawings are poor. Drawing i depends on SEED and i alone, and needs only + - * / and sqrt: the
 * same bytes everywhere. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 28
#define MOST_POINTS 12
#define STEPS 6 /* straight pieces between two points of a curve */

typedef struct point {
    double x;
    double y;
} point;

/* A stroke in a box of 0..1 across and 0..1 down. */
typedef struct stroke {
    int digit;
    int count;
    point points[MOST_POINTS];
} stroke;

static const stroke strokes[] = {
    {0, 9, {{.5, .02}, {.2, .15}, {.1, .5}, {.2, .85}, {.5, .98}, {.8, .85}, {.9, .5}, {.8, .15}, {.5, .02}}},
    {1, 4, {{.3, .2}, {.52, .02}, {.52, .5}, {.5, .98}}},
    {2, 8, {{.15, .25}, {.3, .05}, {.65, .03}, {.8, .27}, {.6, .55}, {.15, .95}, {.5, .95}, {.9, .95}}},
    {3,
     9,
     {{.2, .1}, {.5, .02}, {.8, .2}, {.7, .42}, {.4, .48}, {.75, .57}, {.85, .8}, {.55, .98}, {.15, .88}}},
    {4, 4, {{.6, .02}, {.35, .4}, {.12, .65}, {.92, .65}}},
    {4, 3, {{.66, .3}, {.65, .65}, {.64, .98}}},
    {5, 8, {{.82, .04}, {.3, .04}, {.24, .42}, {.55, .38}, {.84, .6}, {.75, .88}, {.45, .98}, {.15, .88}}},
    {6, 8, {{.7, .03}, {.35, .25}, {.17, .65}, {.35, .95}, {.7, .92}, {.82, .68}, {.55, .5}, {.2, .68}}},
    {7, 5, {{.12, .06}, {.5, .05}, {.86, .06}, {.6, .5}, {.4, .98}}},
    {8,
     11,
     {{.5, .5},
      {.22, .3},
      {.3, .06},
      {.68, .05},
      {.78, .28},
      {.5, .5},
      {.18, .72},
      {.3, .96},
      {.7, .96},
      {.83, .72},
      {.5, .5}}},
    {9, 8, {{.8, .3}, {.6, .5}, {.28, .45}, {.2, .18}, {.5, .03}, {.8, .2}, {.76, .6}, {.62, .98}}},
};

/* splitmix64: one state per drawing. */
static uint64_t next_word(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double uniform(uint64_t *state) { return (double)(next_word(state) >> 11) / 9007199254740992.0; }

/* Near enough to a normal deviate: four uniform ones. */
static double bell(uint64_t *state)
{
    const uint64_t word = next_word(state);
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += (double)(word >> 16 * i & 0xffff) / 65536.0;
    return (sum - 2) * 1.7320508;
}

/* How one drawing is made. */
typedef struct hand {
    double turn[2]; /* cosine and sine */
    double lean;
    double wide;
    double high;
    double shift_x;
    double shift_y;
    double shake; /* of the points */
    double pen;   /* radius in pixels */
    double soft;  /* width of the pen's edge in pixels */
    double ink;   /* 0..1 */
    double grain; /* of the paper */
} hand;

static hand draw_hand(uint64_t *state)
{
    /* Half the tangent of the angle gives cosine and sine without libm. */
    const double t = 0.09 * bell(state);
    hand h = {.turn = {(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)}};
    h.lean = 0.12 + 0.2 * bell(state);
    h.wide = 12.5 + 2 * bell(state);
    h.high = 18.5 + 1.2 * bell(state);
    h.shift_x = 1.1 * bell(state);
    h.shift_y = 1.0 * bell(state);
    h.shake = 0.035 + 0.05 * uniform(state);
    h.pen = 0.7 + 0.9 * uniform(state);
    h.soft = 0.7 + 0.6 * uniform(state);
    h.ink = 0.65 + 0.35 * uniform(state);
    h.grain = uniform(state) < 0.3 ? 12 * uniform(state) : 0;
    return h;
}

static point place(const hand *h, point p, uint64_t *state)
{
    const double across = (p.x - 0.5 + h->shake * bell(state)) * h->wide;
    const double down = (p.y - 0.5 + h->shake * bell(state)) * h->high;
    const double leaned = across - h->lean * down;
    return (point){13.5 + h->shift_x + leaned * h->turn[0] - down * h->turn[1],
                   13.5 + h->shift_y + leaned * h->turn[1] + down * h->turn[0]};
}

/* Lay a straight piece of line on the paper: each pixel keeps the strongest ink it got. */
static void draw_piece(double paper[SIDE][SIDE], const hand *h, point a, point b)
{
    const double reach = h->pen + h->soft;
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    const double length2 = dx * dx + dy * dy + 1e-9;
    const int left = (int)fmax(0, (a.x < b.x ? a.x : b.x) - reach);
    const int right = (int)fmin(SIDE - 1, (a.x > b.x ? a.x : b.x) + reach + 1);
    const int top = (int)fmax(0, (a.y < b.y ? a.y : b.y) - reach);
    const int bottom = (int)fmin(SIDE - 1, (a.y > b.y ? a.y : b.y) + reach + 1);
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++) {
            double along = ((x - a.x) * dx + (y - a.y) * dy) / length2;
            along = along < 0 ? 0 : along > 1 ? 1 : along;
            const double away_x = x - a.x - along * dx;
            const double away_y = y - a.y - along * dy;
            const double ink = (reach - sqrt(away_x * away_x + away_y * away_y)) / h->soft;
            if (ink > paper[y][x]) paper[y][x] = ink > 1 ? 1 : ink;
        }
}

/* A Catmull-Rom curve: it goes through every point, in the direction of its neighbours. */
static double curve(double before, double from, double to, double after, double t)
{
    const double a = 2 * from;
    const double b = to - before;
    const double c = 2 * before - 5 * from + 4 * to - after;
    const double d = 3 * from - before - 3 * to + after;
    return 0.5 * (a + t * (b + t * (c + t * d)));
}

static void draw_stroke(double paper[SIDE][SIDE], const hand *h, const stroke *s, uint64_t *state)
{
    point p[MOST_POINTS];
    for (int i = 0; i < s->count; i++) p[i] = place(h, s->points[i], state);
    point last = p[0];
    for (int i = 0; i + 1 < s->count; i++) {
        const point before = p[i > 0 ? i - 1 : 0];
        const point after = p[i + 2 < s->count ? i + 2 : i + 1];
        for (int step = 1; step <= STEPS; step++) {
            const double t = (double)step / STEPS;
            const point next = {curve(before.x, p[i].x, p[i + 1].x, after.x, t),
                                curve(before.y, p[i].y, p[i + 1].y, after.y, t)};
            draw_piece(paper, h, last, next);
            last = next;
        }
    }
}

static unsigned char draw_image(unsigned char pixels[SIDE * SIDE], uint64_t seed, uint64_t number)
{
    static double paper[SIDE][SIDE];
    uint64_t state = seed * UINT64_C(0xd1342543de82ef95) + number;
    state = next_word(&state);
    const int digit = (int)(next_word(&state) % 10);
    const hand h = draw_hand(&state);
    memset(paper, 0, sizeof paper);
    for (size_t i = 0; i < sizeof strokes / sizeof strokes[0]; i++)
        if (strokes[i].digit == digit) draw_stroke(paper, &h, &strokes[i], &state);
    for (int i = 0; i < SIDE * SIDE; i++) {
        double value = 255 * h.ink * paper[i / SIDE][i % SIDE];
        if (h.grain > 0) value += h.grain * bell(&state);
        pixels[i] = (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
    return (unsigned char)digit;
}

static void write_header(FILE *file, unsigned char dimensions, uint32_t count)
{
    const uint32_t sizes[3] = {count, SIDE, SIDE};
    unsigned char header[16] = {0, 0, 8, dimensions};
    for (int i = 0; i < dimensions; i++)
        for (int byte = 0; byte < 4; byte++)
            header[4 + 4 * i + byte] = (unsigned char)(sizes[i] >> (24 - 8 * byte));
    (void)fwrite(header, 1, 4 + 4 * (size_t)dimensions, file);
}

static int write_set(FILE *images, FILE *labels, uint32_t count, uint64_t seed)
{
    write_header(images, 3, count);
    write_header(labels, 1, count);
    for (uint32_t i = 0; i < count; i++) {
        unsigned char pixels[SIDE * SIDE];
        (void)putc(draw_image(pixels, seed, i), labels);
        (void)fwrite(pixels, 1, sizeof pixels, images);
    }
    return ferror(images) || ferror(labels);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        (void)fprintf(stderr, "usage: make_images COUNT SEED IMAGES LABELS\n");
        return 2;
    }
    const unsigned long count = strtoul(argv[1], NULL, 10);
    if (count < 1 || count > 10000000) {
        (void)fprintf(stderr, "make_images: COUNT may be 1 to 10000000\n");
        return 2;
    }
    FILE *images = fopen(argv[3], "wb");
    FILE *labels = fopen(argv[4], "wb");
    int failed = images == NULL || labels == NULL;
    if (!failed) failed = write_set(images, labels, (uint32_t)count, strtoull(argv[2], NULL, 10));
    if (images != NULL) failed |= fclose(images) != 0;
    if (labels != NULL) failed |= fclose(labels) != 0;
    if (failed) perror("make_images");
    return failed ? 5 : 0;
}
