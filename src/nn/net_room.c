/* The arena of a batch. */
#include "base/memory.h"
#include "base/size.h"
#include "compute/gemm.h"
#include "compute/threads.h"
#include "nn/net_layers.h"

#define LINE 16 /* floats of a cache line, on which every array starts */

sbl_conv_shape sbl_net_conv_shape(const sbl_net_layer *layer, size_t threads)
{
    bool back = layer->ask.kind == SBL_LAYER_CONV_TRANSPOSED;
    sbl_volume in = back ? layer->out : layer->in, out = back ? layer->in : layer->out;
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

static size_t scratch_size(const sbl_net_layer *layer, size_t rows, size_t threads)
{
    size_t pixels = rows * layer->out.height * layer->out.width;
    size_t sums = sbl_norm_scratch(pixels, layer->out.channels), most = sums;
    if (layer->ask.kind == SBL_LAYER_DENSE || layer->ask.kind == SBL_LAYER_ADD_INPUT) {
        most = larger(most, sbl_gemm_workspace(layer->out.channels));
        most = larger(most, sbl_gemm_workspace(sbl_volume_size(layer->in)));
        most = larger(most, sbl_gemm_workspace(layer->ask.inputs));
    }
    if (layer->ask.kind == SBL_LAYER_CONV || layer->ask.kind == SBL_LAYER_CONV_TRANSPOSED) {
        sbl_conv_shape shape = sbl_net_conv_shape(layer, threads);
        most = larger(most, sbl_conv_workspace(&shape, rows));
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

static void hand_out(sbl_net_room *room, const sbl_net *net, arena *from)
{
    bool train = room->use != SBL_NET_SAMPLE;
    size_t widest = larger(sbl_volume_size(net->input), sbl_volume_size(net->output)), scratch = 0;
    for (size_t l = 0; l < net->layer_count; l++) {
        const sbl_net_layer *layer = &net->layers[l];
        size_t size = sbl_volume_size(layer->out);
        widest = larger(widest, size);
        scratch = larger(scratch, scratch_size(layer, room->rows, room->threads));
        room->outputs[l] = layer->in_place ? room->outputs[l - 1] : take(from, room->rows, size);
        if (layer->is_source && train) room->source_d[l] = take(from, room->rows, size);
        if (layer->ask.kind == SBL_LAYER_BATCH_NORM)
            room->statistics[l] = take(from, 2, layer->in.channels);
    }
    room->scratch = take(from, 1, scratch);
    if (!train) return;
    if (room->use != SBL_NET_FROZEN) room->d_weights = take(from, 1, net->weight_count);
    room->gradients[0] = take(from, room->rows, widest);
    room->gradients[1] = take(from, room->rows, widest);
    if (room->use != SBL_NET_TRAIN)
        room->d_input = take(from, room->rows, sbl_volume_size(net->input));
}

sbl_status sbl_net_room_init(sbl_net_room *room, const sbl_net *net, size_t rows, sbl_net_use use,
                             sbl_error *err)
{
    sbl_status status = SBL_OK;
    arena counts = {0}, real = {0};
    *room = (sbl_net_room){.use = use, .rows = rows, .threads = (size_t)sbl_thread_limit()};
    if (rows < 1 || rows > SBL_NET_MAX_SIZE)
        return sbl_fail(err, SBL_EARG, "a batch needs 1 to %u rows", SBL_NET_MAX_SIZE);
    if (use == SBL_NET_FROZEN && net->running_count > 0)
        return sbl_fail(err, SBL_EARG, "a frozen network has its batch norms folded");
    room->outputs = sbl_alloc_array(3 * net->layer_count, sizeof *room->outputs);
    if (!room->outputs) return sbl_no_memory(err, "a batch of a network");
    room->source_d = room->outputs + net->layer_count;
    room->statistics = room->source_d + net->layer_count;
    hand_out(room, net, &counts);
    room->arena_size = counts.total + LINE;
    if (!counts.overflow) room->arena = sbl_alloc_array(room->arena_size, sizeof *room->arena);
    if (!room->arena) {
        status = sbl_no_memory(err, "a batch of a network");
        sbl_net_room_clear(room);
        return status;
    }
    real.next = room->arena + (64 - (uintptr_t)room->arena % 64) % 64 / sizeof *room->arena;
    hand_out(room, net, &real);
    return SBL_OK;
}

void sbl_net_room_clear(sbl_net_room *room)
{
    sbl_free(room->outputs);
    sbl_free_wiped(room->arena, room->arena_size * sizeof *room->arena);
    *room = (sbl_net_room){0};
}
