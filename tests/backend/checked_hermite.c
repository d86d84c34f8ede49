/* SPDX-License-Identifier: Apache-2.0 */
/* Products of Hermite functions: columns with none and with several, functions in none but one product and in several,
 * products of one to three factors, more values than a block of a device has threads, and more classes than a launch takes. */
#include <math.h>
#include <stdlib.h>

#include "backend/checked_operation.h"
#include "support/cmocka_all.h"

enum { ROWS = 47, COLUMNS = 9, SLOTS = 7, PRODUCTS = 10, USES = 17, MOST = 100, MANY = 4 };

/* Column, width and length scale of the functions; products as their slots. */
static const struct {
    uint32_t column, width;
    double reach, length;
} functions[SLOTS] = {{0, 4, 3.6, 0.2}, {5, 6, 6.1, 0.1}, {0, 3, 2.9, 0.4},  {3, 16, 8.3, 0.05},
                      {8, 1, 2, 1},     {0, 2, 2, 1},     {7, 250, 30, 0.02}};
static const uint32_t products[PRODUCTS][4] = {/* count, slots */
                                               {1, 0},    {1, 1}, {1, 2},       {2, 1, 3},    {2, 0, 1},
                                               {2, 5, 3}, {1, 5}, {3, 1, 4, 2}, {3, 3, 0, 1}, {1, 6}};

typedef struct lists {
    sbl_hermite_slot slots[SLOTS];
    sbl_hermite_product products[PRODUCTS];
    sbl_hermite_use uses[USES];
    size_t values, width, use_count;
} lists;

static void make_slots(lists *l)
{
    for (uint32_t s = 0; s < SLOTS; s++) {
        const double s2 = pow(functions[s].length * functions[s].reach, 2);
        l->slots[s] = (sbl_hermite_slot){.column = functions[s].column,
                                         .at = (uint32_t)l->values,
                                         .width = functions[s].width,
                                         .first = 1,
                                         .reach = functions[s].reach,
                                         .rho = sqrt(s2 * s2 + 1) - s2};
        l->values += functions[s].width;
        for (uint32_t before = 0; before < s; before++)
            if (functions[before].column == functions[s].column) {
                l->slots[s].first = 0;
                if (l->slots[before].next == 0) l->slots[before].next = s;
            }
    }
}

static void add_use(lists *l, uint32_t product, uint32_t slot)
{
    const uint32_t use = (uint32_t)l->use_count++;
    bool used = false;
    for (uint32_t before = 0; before < use; before++)
        if (l->uses[before].slot == slot) {
            used = true;
            if (l->uses[before].next == 0) l->uses[before].next = use;
        }
    if (!used) l->slots[slot].use = use;
    l->uses[use] = (sbl_hermite_use){.slot = slot, .product = product};
}

static lists make_lists(void)
{
    lists l = {0};
    make_slots(&l);
    for (uint32_t p = 0; p < PRODUCTS; p++) {
        l.products[p] = (sbl_hermite_product){(uint32_t)l.use_count, products[p][0], (uint32_t)l.width, 1};
        for (uint32_t k = 0; k < products[p][0]; k++) {
            l.products[p].width *= functions[products[p][k + 1]].width;
            add_use(&l, p, products[p][k + 1]);
        }
        l.width += l.products[p].width;
    }
    assert_int_equal(l.use_count, USES);
    return l;
}

static float *uniforms_of(checked_run *r, size_t count)
{
    float *host = calloc(count, sizeof *host), *tensor = checked_normals(r, count);
    for (size_t i = 0; i < count; i++) host[i] = (float)sbl_model_rng_uniform(&r->rng);
    r->on->write(r->on->device, tensor, host, count);
    free(host);
    return tensor;
}

static const float *placed(checked_run *r, const void *list, size_t bytes)
{
    const float *tensor;
    assert_int_equal(sbl_tensors_place(&tensor, &r->tensors, list, bytes / sizeof(float), NULL), SBL_OK);
    return tensor;
}

/* Rows of the first class, of no row, of the last one. */
static void on_hermite(checked_run *r, size_t variant)
{
    static const sbl_row_piece two[] = {{0, 15, 0}, {15, 5, 0}};
    const size_t classes = variant == MANY ? MOST : 3, last = classes - 1;
    const sbl_row_piece pieces[] = {two[0], two[1], {20, 25, last}, {45, 2, last}};
    const lists l = make_lists();
    size_t starts[MOST + 1] = {0};
    float row[MOST] = {0}, mean[MOST] = {0}, weight[MOST] = {0}, own[MOST] = {0};
    double losses[PRODUCTS];
    for (size_t c = 1; c <= classes; c++) starts[c] = c == classes ? ROWS : 20;
    row[0] = 0.02f, mean[0] = 0.021f, weight[0] = 0.4f, own[0] = 0.0003f;
    row[last] = 0.03f, mean[last] = 0.031f, weight[last] = 0.7f, own[last] = 0.0013f;
    sbl_hermite_job job = {.rows = ROWS,
                           .padded = 64,
                           .columns = COLUMNS,
                           .classes = classes,
                           .values = l.values,
                           .width = l.width,
                           .by_rows = true,
                           .unbiased = variant & 1 || variant == MANY,
                           .starts = starts,
                           .pieces = pieces,
                           .piece_count = 4,
                           .slots = l.slots,
                           .products = l.products,
                           .uses = l.uses,
                           .slot_count = SLOTS,
                           .product_count = PRODUCTS,
                           .row_weight = row,
                           .mean_weight = mean,
                           .class_weight = weight,
                           .own_weight = own,
                           .losses = losses,
                           .decay = 0.6f};
    job.slot_bytes = placed(r, l.slots, sizeof l.slots);
    job.product_bytes = placed(r, l.products, sizeof l.products);
    job.use_bytes = placed(r, l.uses, sizeof l.uses);
    job.x = uniforms_of(r, ROWS * COLUMNS);
    job.d_x = checked_normals(r, ROWS * COLUMNS);
    job.target = checked_normals(r, classes * l.width);
    job.past = variant & 2 ? checked_normals(r, classes * l.width) : NULL;
    job.residual = checked_scratch(r, classes * l.width);
    job.phi = checked_scratch(r, l.values * job.padded);
    job.d_phi = checked_scratch(r, l.values * job.padded);
    if (r->on->is_host) {
        job.z = checked_scratch(r, COLUMNS * job.padded);
        job.d_z = checked_scratch(r, COLUMNS * job.padded);
    }
    r->loss = r->on->hermite(r->on->device, &job);
    /* Once more: what is worked in was left as it should be. */
    r->loss += r->on->hermite(r->on->device, &job);
}

const checked_operation checked_hermite[] = {{"hermite", on_hermite, MANY + 1}, {0}};
