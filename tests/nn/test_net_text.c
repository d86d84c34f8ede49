/* SPDX-License-Identifier: Apache-2.0 */
/* What a network is: descriptions, named parts, first weights, refusals. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nn/net.h"
#include "support/cmocka_all.h"

FREES(sbl_free);

/* The allocation after `allowed` more ones fails. */
static size_t allowed = SIZE_MAX;
void *__real_sbl_alloc_array(size_t count, size_t size);
void *__wrap_sbl_alloc_array(size_t count, size_t size);
void *__wrap_sbl_alloc_array(size_t count, size_t size)
{
    if (allowed == 0) return NULL;
    if (allowed != SIZE_MAX) allowed--;
    return __real_sbl_alloc_array(count, size);
}

static sbl_layer every_kind[32];
static size_t kinds;

AROUND(make)
{
    const sbl_layer layers[] = {sbl_layer_dense(48),
                                sbl_layer_reshape(4, 4, 3),
                                sbl_layer_conv(3, 3, 1, 1),
                                sbl_layer_batch_norm(),
                                sbl_layer_relu(),
                                sbl_layer_add(1),
                                sbl_layer_bilinear(2, true),
                                sbl_layer_bilinear(2, false),
                                sbl_layer_max_pool(2, 2),
                                sbl_layer_leaky_relu(0.2),
                                sbl_layer_nearest(2),
                                sbl_layer_sigmoid(),
                                sbl_layer_dense(5),
                                sbl_layer_add_input(3)};
    kinds = sizeof layers / sizeof *layers;
    memcpy(every_kind, layers, sizeof layers);
    every_kind[2].no_bias = true;
}

TEST(a_description_reads_back_as_the_same_network)
{
    sbl_net net, again;
    sbl_error err = {0};
    char *text, *second;
    assert_ok(sbl_net_init(&net, sbl_volume_of(1, 1, 6), every_kind, kinds, &err));
    assert_ok(sbl_net_describe(&text, &net, &err));
    assert_ok(sbl_net_parse(&again, text, strlen(text), "x.json", &err));
    assert_ok(sbl_net_describe(&second, &again, &err));
    assert_string_equal(text, second);
    assert_int_equal(net.weight_count, again.weight_count);
    assert_int_equal(net.running_count, again.running_count);
    for (size_t l = 0; l < kinds; l++) {
        assert_memory_equal(&net.layers[l].out, &again.layers[l].out, sizeof(sbl_volume));
        assert_int_equal(net.layers[l].ask.kind, again.layers[l].ask.kind);
    }
    sbl_free(text);
    sbl_free(second);
    sbl_net_clear(&net);
    sbl_net_clear(&again);
}

TEST(a_description_of_one_network_is_this_text)
{
    CLEARED(sbl_net_clear) sbl_net net;
    FREED(sbl_free) char *text;
    const sbl_layer layers[] = {sbl_layer_conv(2, 3, 1, 1), sbl_layer_leaky_relu(0.25)};
    assert_ok(sbl_net_init(&net, sbl_volume_of(4, 5, 1), layers, 2, NULL));
    assert_ok(sbl_net_describe(&text, &net, NULL));
    assert_string_equal(text,
                        "{\"input\":[4,5,1],\"layers\":[{\"channels\":2,\"kernel\":3,\"kind\":"
                        "\"conv\",\"padding\":1,\"stride\":1},{\"kind\":\"leaky_relu\",\"slope\":"
                        "0.25}]}");
}

TEST(a_text_that_is_not_canonical_or_no_network_is_refused)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"input\":[1,1,2]}",
        "{\"input\":3,\"layers\":[]}",
        "{\"input\":[1,1,2],\"layers\":[]}",
        "{\"input\":[1,1,2],\"layers\":[3]}",
        "{\"input\":[1,1,2],\"layers\":[{\"kind\":\"quadratic\"}]}",
        "{\"input\":[1,1,2],\"layers\":[{\"kind\":\"relu\"}] }",
        "{\"input\":[1,1,2],\"layers\":[{\"kind\":\"relu\"}],\"more\":1}",
        "{\"input\":[1,1,2,9],\"layers\":[{\"kind\":\"relu\"}]}",
        "{\"input\":[1,1,-2],\"layers\":[{\"kind\":\"relu\"}]}",
        "{\"input\":[1,1,2.5],\"layers\":[{\"kind\":\"relu\"}]}",
        "{\"input\":[1,1,2],\"layers\":[{\"channels\":0,\"kind\":\"dense\"}]}",
        "{\"input\":[1,1,2],\"layers\":[{\"channels\":\"3\",\"kind\":\"dense\"}]}",
        "{\"input\":[1,1,2],\"layers\":[{\"from\":7,\"kind\":\"add\"}]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sbl_net net;
        sbl_error err = {0};
        assert_int_not_equal(sbl_net_parse(&net, bad[i], strlen(bad[i]), "m.json", &err), SBL_OK);
        assert_true(err.message[0] != 0);
        assert_null(net.layers);
    }
}

TEST(too_many_layers_in_a_text_are_refused)
{
    sbl_net net;
    char text[4096] = "{\"input\":[1,1,2],\"layers\":[{\"kind\":\"relu\"}";
    for (size_t i = 0; i < SBL_NET_MAX_LAYERS; i++) strcat(text, ",{\"kind\":\"relu\"}");
    strcat(text, "]}");
    assert_int_equal(sbl_net_parse(&net, text, strlen(text), "m.json", NULL), SBL_EINPUT);
}

TEST(parts_cover_every_number_once)
{
    CLEARED(sbl_net_clear) sbl_net net;
    sbl_net_span spans[4 * 32];
    assert_ok(sbl_net_init(&net, sbl_volume_of(1, 1, 6), every_kind, kinds, NULL));
    size_t count = sbl_net_spans(&net, spans), next[2] = {0, 0};
    assert_int_equal(count, sbl_net_spans(&net, NULL));
    assert_int_equal(count, 2 + 1 + 4 + 2 + 1);
    for (size_t i = 0; i < count; i++) {
        size_t product = 1;
        for (size_t d = 0; d < spans[i].dimensions; d++) product *= spans[i].shape[d];
        assert_int_equal(product, spans[i].count);
        assert_int_equal(spans[i].first, next[spans[i].running]);
        next[spans[i].running] += spans[i].count;
    }
    assert_int_equal(next[0], net.weight_count);
    assert_int_equal(next[1], net.running_count);
    assert_string_equal(spans[0].name, "0.weight");
    assert_string_equal(spans[3].name, "3.gamma");
}

TEST(first_weights_are_uniform_up_to_one_over_the_root_of_the_inputs)
{
    const sbl_layer layers[] = {sbl_layer_conv(40, 3, 1, 1), sbl_layer_batch_norm(),
                                sbl_layer_conv(5, 2, 2, 0), sbl_layer_dense(30)};
    const double fans[] = {3 * 9, 0, 40 * 4, 5};
    sbl_net net, other;
    assert_ok(sbl_net_init(&net, sbl_volume_of(2, 2, 3), layers, 4, NULL));
    assert_ok(sbl_net_init(&other, sbl_volume_of(2, 2, 3), layers, 4, NULL));
    sbl_net_randomise(&net, 7);
    sbl_net_randomise(&other, 7);
    assert_memory_equal(net.weights, other.weights, net.weight_count * sizeof(float));
    sbl_net_randomise(&other, 8);
    assert_memory_not_equal(net.weights, other.weights, net.weight_count * sizeof(float));
    for (size_t l = 0; l < 4; l++) {
        const sbl_net_layer *layer = &net.layers[l];
        double bound = 1 / sqrt(fans[l]), most = 0, mean = 0;
        if (l == 1) continue;
        for (size_t i = 0; i < layer->weight_count + layer->bias_count; i++) {
            most = fmax(most, fabs((double)net.weights[layer->weight + i]));
            mean += (double)net.weights[layer->weight + i] / (double)layer->weight_count;
        }
        assert_true(most <= bound && most > 0.98 * bound);
        assert_true(fabs(mean) < 4 * bound / sqrt(3.0 * (double)layer->weight_count));
    }
    for (size_t c = 0; c < 40; c++) {
        assert_true(net.weights[net.layers[1].weight + c] == 1);
        assert_true(net.weights[net.layers[1].bias + c] == 0);
        assert_true(net.running[c] == 0 && net.running[40 + c] == 1);
    }
    sbl_net_clear(&net);
    sbl_net_clear(&other);
}

TEST(layers_that_do_not_fit_are_refused)
{
    sbl_layer momentum = sbl_layer_batch_norm(), pool = sbl_layer_max_pool(2, 2);
    momentum.momentum = 2;
    pool.padding = 2;
    const sbl_layer bad[] = {sbl_layer_dense(0),
                             sbl_layer_dense(SBL_NET_MAX_SIZE + 1),
                             sbl_layer_dense(SBL_NET_MAX_SIZE),
                             sbl_layer_conv(2, 0, 1, 0),
                             sbl_layer_conv(2, 3, 0, 0),
                             sbl_layer_conv(2, 5, 1, 0),
                             sbl_layer_conv(2, 3, 1, SIZE_MAX / 2),
                             sbl_layer_conv(0, 3, 1, 1),
                             sbl_layer_conv(SBL_NET_MAX_SIZE / 16, 1024, 1, 512),
                             momentum,
                             pool,
                             sbl_layer_leaky_relu(1),
                             sbl_layer_bilinear(0, true),
                             sbl_layer_nearest(1000),
                             sbl_layer_add(0),
                             sbl_layer_add_input(2),
                             sbl_layer_reshape(2, 2, 2),
                             sbl_layer_reshape(0, 2, 2),
                             {.kind = SBL_LAYER_KINDS}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sbl_net net;
        sbl_error err = {0};
        if (sbl_net_init(&net, sbl_volume_of(4, 4, 5), &bad[i], 1, &err) != SBL_EARG)
            fail_msg("layer %zu is not refused", i);
        assert_true(err.message[0] != 0);
        assert_null(net.layers);
    }
    sbl_net net;
    const sbl_layer none = sbl_layer_add_input(0), more_than_all = sbl_layer_add_input(6);
    assert_int_equal(sbl_net_init(&net, sbl_volume_of(1, 1, 5), &none, 1, NULL), SBL_EARG);
    assert_int_equal(sbl_net_init(&net, sbl_volume_of(1, 1, 5), &more_than_all, 1, NULL), SBL_EARG);
    assert_int_equal(sbl_net_init(&net, sbl_volume_of(4, 0, 5), every_kind, 1, NULL), SBL_EARG);
    assert_int_equal(sbl_net_init(&net, sbl_volume_of(4, 4, 5), every_kind, 0, NULL), SBL_EARG);
}

TEST(running_out_of_memory_is_said_and_leaves_nothing)
{
    sbl_net net;
    sbl_net_workspace work;
    FREED(sbl_free) char *text;
    assert_ok(sbl_net_init(&net, sbl_volume_of(1, 1, 6), every_kind, kinds, NULL));
    assert_int_equal(sbl_net_workspace_init(&work, &net, 0, SBL_NET_TRAIN, NULL), SBL_EARG);
    for (size_t n = 0; n < 2; n++) {
        allowed = n;
        assert_int_equal(sbl_net_workspace_init(&work, &net, 2, SBL_NET_TRAIN, NULL), SBL_EMEM);
        assert_null(work.arena);
    }
    allowed = 0;
    assert_int_equal(sbl_net_describe(&text, &net, NULL), SBL_EMEM);
    assert_null(text);
    allowed = SIZE_MAX;
    assert_ok(sbl_net_describe(&text, &net, NULL));
    sbl_net_clear(&net);
    for (size_t n = 0; n < 4; n++) { /* layers, weights, running, text */
        allowed = n;
        assert_int_equal(sbl_net_parse(&net, text, strlen(text), "m.json", NULL), SBL_EMEM);
        assert_null(net.layers);
    }
    allowed = SIZE_MAX;
}

ALL_TESTS(make, NULL)
