/* SPDX-License-Identifier: Apache-2.0 */
/* A training step allocates nothing: every way of the library to the heap is counted. */
#include <stdatomic.h>
#include <stdbool.h>

#include "after/train/trainer.h"
#include "base/alloc.h"
#include "base/nn/adam.h"
#include "base/nn/net.h"
#include "support/cmocka_all.h"
#include "train/train_kit.h"

FREES(sbl_free);

/* Blocks that were asked for, by any thread. Those of the C library and of OpenMP's own are not
 * seen: the linker routes calls from our objects only. */
static atomic_size_t asked;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    asked++;
    return __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    asked++;
    return __real_calloc(count, size);
}

void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size)
{
    asked++;
    return __real_realloc(block, size);
}

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    asked++;
    return __real_aligned_alloc(alignment, size);
}

void *__real_sbl_alloc_array(size_t count, size_t size);
void *__wrap_sbl_alloc_array(size_t count, size_t size);
void *__wrap_sbl_alloc_array(size_t count, size_t size)
{
    asked++;
    return __real_sbl_alloc_array(count, size);
}

void *__real_sbl_resize_array(void *block, size_t count, size_t size);
void *__wrap_sbl_resize_array(void *block, size_t count, size_t size);
void *__wrap_sbl_resize_array(void *block, size_t count, size_t size)
{
    asked++;
    return __real_sbl_resize_array(block, count, size);
}

/* That the count counts, so that none below means none. */
TEST(the_library_s_own_blocks_are_counted)
{
    asked = 0;
    FREED(sbl_free) void *block = sbl_alloc_array(3, 5);
    assert_int_equal(asked, 2); /* ours, and the C library's below it */
    block = sbl_resize_array(block, 4, 5);
    assert_int_equal(asked, 4);
}

/* Every kind of layer; the convolutions take both of Winograd's forms, the plain way and that of few
 * outputs. */
TEST(two_steps_of_a_network_of_every_layer_allocate_nothing)
{
    enum { ROWS = 20, INPUTS = 6 };
    const sbl_layer layers[] = {sbl_layer_dense(4 * 4 * 32),
                                sbl_layer_batch_norm(),
                                sbl_layer_relu(),
                                sbl_layer_reshape(4, 4, 32),
                                sbl_layer_conv(16, 3, 1, 1),
                                sbl_layer_conv(32, 5, 1, 2),
                                sbl_layer_add(3),
                                sbl_layer_bilinear(2, true),
                                sbl_layer_max_pool(2, 2),
                                sbl_layer_conv(5, 3, 1, 1),
                                sbl_layer_leaky_relu(0.2),
                                sbl_layer_nearest(2),
                                sbl_layer_sigmoid(),
                                sbl_layer_conv(1, 5, 1, 2),
                                sbl_layer_dense(10),
                                sbl_layer_add_input(2)};
    CLEARED(sbl_net_clear) sbl_net net;
    CLEARED(sbl_net_workspace_clear) sbl_net_workspace work;
    assert_ok(sbl_net_init(&net, sbl_volume_of(1, 1, INPUTS), layers, sizeof layers / sizeof *layers, NULL));
    sbl_net_randomise(&net, 3);
    assert_ok(sbl_net_workspace_init(&work, &net, ROWS, SBL_NET_TRAIN_INPUT, NULL));
    FREED(sbl_free) float *moments = sbl_alloc_array(3 * net.weight_count, sizeof *moments);
    sbl_adam adam = sbl_adam_of(moments, moments + net.weight_count, net.weight_count);
    float x[ROWS * INPUTS], dy[ROWS * 10];
    for (size_t i = 0; i < ROWS * INPUTS; i++) x[i] = (float)(i % 7) - 3;
    for (size_t i = 0; i < ROWS * 10; i++) dy[i] = (float)(i % 3) - 1;
    asked = 0;
    for (size_t step = 0; step < 2; step++) {
        (void)sbl_net_forward(&net, &work, x, ROWS, true);
        sbl_net_backward(&net, &work, dy);
        sbl_adam_step(&adam, net.weights, work.d_weights, 1e-3);
        sbl_backend_cpu.average(NULL, moments + 2 * net.weight_count, net.weights, net.weight_count, 0.1f);
        (void)sbl_net_forward(&net, &work, x, ROWS, false);
    }
    assert_int_equal(asked, 0);
}

static void take_two_steps(train_kit *kit, const sbl_network *network, size_t batch)
{
    sbl_train_options options = sbl_train_options_of(kit->facts.kind);
    sbl_generator generator;
    sbl_trainer *trainer;
    options.batch = batch;
    assert_ok(sbl_generator_init(&generator, &kit->facts, network, NULL));
    assert_ok(sbl_trainer_new(&trainer, &generator, kit->terms, kit->count, kit->shares, &options, NULL));
    asked = 0;
    sbl_trainer_start(trainer);
    for (size_t step = 0; step < 2; step++) {
        sbl_trainer_draw(trainer, step);
        (void)sbl_trainer_loss(trainer);
        sbl_trainer_update(trainer, 1e-3);
    }
    sbl_trainer_finish(trainer);
    assert_int_equal(asked, 0);
    sbl_trainer_free(trainer);
    sbl_generator_clear(&generator);
    train_kit_clear(kit);
}

TEST(two_training_steps_on_images_allocate_nothing)
{
    train_kit kit;
    train_kit_images(&kit, 15, 18, 3, 1200); /* a block of 512 and a part of a second */
    take_two_steps(&kit, &(sbl_network){.latent = 8, .hidden = {40, 16, 8}, .count = 3}, 40);
}

TEST(two_training_steps_on_a_table_allocate_nothing)
{
    train_kit kit;
    train_kit_table(&kit, 3, (const size_t[]){3, 2}, 2, 3, 140, 0.5);
    take_two_steps(&kit, &(sbl_network){.latent = 4, .hidden = {40, 30}, .count = 2}, 300);
}
