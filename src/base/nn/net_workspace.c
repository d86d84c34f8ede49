/* SPDX-License-Identifier: Apache-2.0 */
/* The arena of a batch. */
#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/nn/net_layers.h"
#include "base/size.h"

#define LINE 16 /* floats of a cache line, on which every array starts */

sbl_conv_shape sbl_net_conv_shape(const sbl_net_layer *layer, size_t threads)
{
    const sbl_volume in = layer->in, out = layer->out;
    return (sbl_conv_shape){.height = in.height,
                            .width = in.width,
                            .inputs = in.channels,
                            .channels = out.channels,
                            .kernel = layer->ask.kernel,
                            .stride = layer->ask.stride,
                            .padding = layer->ask.padding,
                            .out_height = out.height,
                            .out_width = out.width,
                            .threads = threads};
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t scratch_size(const sbl_backend *on, const sbl_net_layer *layer, size_t rows, size_t threads)
{
    size_t pixels = rows * layer->out.height * layer->out.width;
    size_t sums = on->norm_scratch(on->device, pixels, layer->out.channels), most = sums;
    if (layer->ask.kind == SBL_LAYER_DENSE || layer->ask.kind == SBL_LAYER_ADD_INPUT) {
        most = larger(most, on->gemm_scratch(on->device, layer->out.channels));
        most = larger(most, on->gemm_scratch(on->device, sbl_volume_size(layer->in)));
        most = larger(most, on->gemm_scratch(on->device, layer->ask.inputs));
    }
    if (layer->ask.kind == SBL_LAYER_CONV) {
        sbl_conv_shape shape = sbl_net_conv_shape(layer, threads);
        most = larger(most, on->conv_scratch(on->device, &shape, rows));
    }
    return most;
}

/* First call with arena NULL: counts. Second call: hands out. */
typedef struct arena {
    float *next;
    size_t total;
    bool overflow;
} arena;

static float *take(arena *from, size_t rows, size_t count)
{
    size_t size = 0;
    float *at = from->next;
    if (!sbl_size_mul(&size, rows, count) || !sbl_size_add(&size, size, LINE) ||
        !sbl_size_add(&from->total, from->total, size))
        from->overflow = true;
    if (from->next) from->next += (size + LINE - 1) / LINE * LINE;
    from->total = (from->total + LINE - 1) / LINE * LINE;
    return at;
}

static void hand_out(sbl_net_workspace *workspace, const sbl_net *net, arena *from)
{
    bool train = workspace->use != SBL_NET_SAMPLE;
    size_t widest = larger(sbl_volume_size(net->input), sbl_volume_size(net->output)), scratch = 0;
    for (size_t l = 0; l < net->layer_count; l++) {
        const sbl_net_layer *layer = &net->layers[l];
        size_t size = sbl_volume_size(layer->out);
        widest = larger(widest, size);
        scratch = larger(scratch, scratch_size(workspace->on, layer, workspace->rows, workspace->threads));
        workspace->outputs[l] =
            layer->in_place ? workspace->outputs[l - 1] : take(from, workspace->rows, size);
        if (layer->is_source && train) workspace->source_d[l] = take(from, workspace->rows, size);
        if (layer->ask.kind == SBL_LAYER_BATCH_NORM)
            workspace->statistics[l] = take(from, 2, layer->in.channels);
    }
    workspace->scratch = take(from, 1, scratch);
    if (!workspace->on->is_host) {
        workspace->weights = take(from, 1, net->weight_count);
        workspace->running = take(from, 1, net->running_count);
    }
    if (!train) return;
    if (workspace->use != SBL_NET_FROZEN) workspace->d_weights = take(from, 1, net->weight_count);
    workspace->gradients[0] = take(from, workspace->rows, widest);
    workspace->gradients[1] = take(from, workspace->rows, widest);
    if (workspace->use != SBL_NET_TRAIN)
        workspace->d_input = take(from, workspace->rows, sbl_volume_size(net->input));
}

/* The part of that which grows with the rows. */
size_t sbl_net_row_numbers(const sbl_net *net, sbl_net_use use)
{
    const size_t input = sbl_volume_size(net->input);
    size_t widest = larger(input, sbl_volume_size(net->output)), numbers = 0;
    for (size_t l = 0; l < net->layer_count; l++) {
        const sbl_net_layer *layer = &net->layers[l];
        const size_t size = sbl_volume_size(layer->out);
        widest = larger(widest, size);
        if (!layer->in_place) numbers += size;
        if (layer->is_source && use != SBL_NET_SAMPLE) numbers += size;
    }
    if (use == SBL_NET_SAMPLE) return numbers;
    return numbers + 2 * widest + (use != SBL_NET_TRAIN ? input : 0);
}

/* On the host a workspace works on the network's own numbers, where they are. */
void sbl_net_push(const sbl_net *net, sbl_net_workspace *workspace)
{
    const sbl_backend *on = workspace->on;
    if (on->is_host) return;
    on->write(on->device, workspace->weights, net->weights, net->weight_count);
    on->write(on->device, workspace->running, net->running, net->running_count);
}

void sbl_net_pull(sbl_net *net, const sbl_net_workspace *workspace)
{
    const sbl_backend *on = workspace->on;
    if (on->is_host) return;
    on->read(on->device, net->weights, workspace->weights, net->weight_count);
    on->read(on->device, net->running, workspace->running, net->running_count);
}

sbl_status sbl_net_workspace_init(sbl_net_workspace *workspace, const sbl_net *net, size_t rows,
                                  sbl_net_use use, sbl_error *err)
{
    return sbl_net_workspace_init_on(workspace, net, rows, use, &sbl_backend_cpu, err);
}

sbl_status sbl_net_workspace_init_on(sbl_net_workspace *workspace, const sbl_net *net, size_t rows,
                                     sbl_net_use use, const sbl_backend *on, sbl_error *err)
{
    const sbl_tensors room = {.on = on};
    sbl_status status = SBL_OK;
    arena counts = {0}, real = {0};
    *workspace =
        (sbl_net_workspace){.on = on, .use = use, .rows = rows, .threads = (size_t)sbl_thread_limit()};
    if (rows < 1 || rows > SBL_NET_MAX_SIZE)
        return sbl_fail(err, SBL_EARG, "a batch needs 1 to %u rows", SBL_NET_MAX_SIZE);
    if (use == SBL_NET_FROZEN && net->running_count > 0)
        return sbl_fail(err, SBL_EARG, "fold the batch norms of a network before it is frozen");
    workspace->outputs = sbl_alloc_array(3 * net->layer_count, sizeof *workspace->outputs);
    if (!workspace->outputs) return sbl_no_memory(err, "a batch of a network");
    workspace->source_d = workspace->outputs + net->layer_count;
    workspace->statistics = workspace->source_d + net->layer_count;
    hand_out(workspace, net, &counts);
    workspace->arena_size = counts.total + LINE;
    if (!counts.overflow) workspace->arena = on->allocate(on->device, workspace->arena_size);
    if (!workspace->arena) {
        status = sbl_tensors_no_room(&room, "a batch of a network", err);
        sbl_net_workspace_clear(workspace);
        return status;
    }
    real.next = workspace->arena + (64 - (uintptr_t)workspace->arena % 64) % 64 / sizeof *workspace->arena;
    hand_out(workspace, net, &real);
    if (on->is_host) {
        workspace->weights = net->weights;
        workspace->running = net->running;
    }
    sbl_net_push(net, workspace);
    return SBL_OK;
}

void sbl_net_workspace_clear(sbl_net_workspace *workspace)
{
    sbl_free(workspace->outputs);
    if (workspace->arena)
        workspace->on->release(workspace->on->device, workspace->arena, workspace->arena_size);
    *workspace = (sbl_net_workspace){0};
}
