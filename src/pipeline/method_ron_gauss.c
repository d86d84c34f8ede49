/* ron-gauss: Gaussians seen through a random orthonormal projection (Chanyaswad, Liu and Mittal
 * 2019), with sensitivities that hold (docs/mechanisms/ron-gauss.md). Here: from records to sums;
 * pipeline/ron_plan.c has what is chosen before, pipeline/ron_model.c what is made after. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "compute/gemm.h"
#include "features/ron.h"
#include "gauss/moments.h"
#include "pipeline/ron_parts.h"

#define BOUND2 (UINT64_C(1) << (2 * SBL_RON_GRID_BITS))

/* ---- the plan ---- */

static sbl_status parse(sbl_recipe *recipe, const char *text, const char *where, sbl_error *err)
{
    sbl_ron_recipe *made;
    const sbl_status status = sbl_ron_recipe_new(&made, recipe, err);
    return status != SBL_OK ? status : sbl_ron_plan_parse(&made->plan, text, where, err);
}

static sbl_status finish(sbl_recipe *recipe, sbl_error *err)
{
    sbl_ron_recipe *made = recipe->plan;
    sbl_unit_record record = {0};
    sbl_status status =
        sbl_ron_read_record(&record, recipe, made->plan.options.geometry == SBL_RON_CLIP, err);
    if (status != SBL_OK) return status;
    record.target_radius = made->plan.record.target_radius; /* the plan's own to choose */
    json_t *own = sbl_unit_record_to_json(&made->plan.record);
    json_t *planned = sbl_unit_record_to_json(&record);
    if (own == NULL || !json_equal(own, planned))
        status = sbl_fail(err, SBL_EINPUT, "the plan is not one for its schema");
    else
        status = sbl_ron_rotation_init(&made->rotation, &made->plan, err);
    json_decref(own);
    json_decref(planned);
    sbl_unit_record_clear(&record);
    return status;
}

static const char *text(const sbl_recipe *recipe) { return sbl_ron_of(recipe)->plan.json; }

static void clear(sbl_recipe *recipe)
{
    sbl_ron_recipe *made = recipe->plan;
    if (made == NULL) return;
    sbl_ron_rotation_clear(&made->rotation);
    sbl_ron_plan_clear(&made->plan);
    sbl_free(made);
}

/* ---- the layout ---- */

static sbl_block vector_block(const char *name, size_t width, double radius)
{
    sbl_block block = {.width = width, .per_class = true, .bound2 = BOUND2};
    (void)snprintf(block.name, sizeof block.name, "%s", name);
    block.bound1 = (uint64_t)ceil(sqrt((double)width) * ldexp(1.0, SBL_RON_GRID_BITS));
    block.scale = sbl_layout_scale(width, BOUND2, radius);
    return block;
}

/* Squares and products of block 0. Weights are for a unit ball: divided by its radius in grid
 * units, squared. An entry off the diagonal stands in the matrix twice: it may have sqrt 2 times
 * the precision at no cost, but for Laplace. */
static size_t add_moments(sbl_recipe *recipe, sbl_layout *layout, size_t weight)
{
    const sbl_ron_plan *planned = &sbl_ron_of(recipe)->plan;
    const double unit = ldexp(1.0, -2 * SBL_RON_GRID_BITS);
    layout->blocks[1] = sbl_block_of_moments(SBL_RON_SQUARES, SBL_BLOCK_SQUARES, layout->blocks, 0,
                                             planned->moments);
    layout->block_count = 2;
    recipe->weights[weight++] = unit;
    if (planned->moments < 2) return weight;
    layout->blocks[2] = sbl_block_of_moments(SBL_RON_PRODUCTS, SBL_BLOCK_PRODUCTS, layout->blocks,
                                             0, planned->moments);
    layout->block_count = 3;
    recipe->weights[weight++] = planned->options.pure ? unit : sqrt(2.0) * unit;
    return weight;
}

static void describe(sbl_recipe *recipe, sbl_layout *layout)
{
    const sbl_ron_plan *planned = &sbl_ron_of(recipe)->plan;
    const sbl_ron_options *options = &planned->options;
    const bool second = planned->centre.means != NULL;
    const bool clip = options->geometry == SBL_RON_CLIP;
    const size_t classes = recipe->classes;
    const size_t means = classes * planned->width + (options->counts ? classes : 0);
    const size_t moments = classes * planned->moments * (planned->moments + 1) / 2;
    size_t weight = 0;
    layout->block_count = 1;
    layout->counts = options->counts && !second;
    if (second) {
        layout->blocks[0] = vector_block("point", planned->moments, planned->radius);
        layout->blocks[0].withheld = true;
    } else {
        layout->blocks[0] = vector_block(SBL_RON_MEAN, planned->width, planned->radius);
        recipe->weights[weight++] = ldexp(options->split.mean, -SBL_RON_GRID_BITS);
    }
    if (clip || second) weight = add_moments(recipe, layout, weight);
    recipe->weights[weight] = options->split.counts;
    if (clip) return;
    recipe->share = second ? 1.0 - options->split.first_share : options->split.first_share;
    recipe->other_values = second ? means : moments;
    recipe->more = !second;
}

/* ---- records ---- */

typedef struct ron_room {
    float *points;    /* (SBL_SLICE_ROWS, m) */
    float *targets;   /* (SBL_SLICE_ROWS) */
    float *features;  /* (SBL_SLICE_ROWS, width) */
    float *workspace; /* of the product with the rotation */
} ron_room;

static void room_free(void *data, const sbl_recipe *recipe)
{
    ron_room *room = data;
    const sbl_ron_plan *planned = &sbl_ron_of(recipe)->plan;
    const size_t m = planned->record.dimensions;
    if (room == NULL) return;
    sbl_free_wiped(room->points, SBL_SLICE_ROWS * m * sizeof *room->points);
    sbl_free_wiped(room->targets, SBL_SLICE_ROWS * sizeof *room->targets);
    sbl_free_wiped(room->features, SBL_SLICE_ROWS * planned->width * sizeof *room->features);
    sbl_free(room->workspace); /* holds parts of the rotation only */
    sbl_free(room);
}

static sbl_status room_new(void **data, const sbl_recipe *recipe, sbl_error *err)
{
    const sbl_ron_plan *planned = &sbl_ron_of(recipe)->plan;
    const size_t m = planned->record.dimensions;
    ron_room *room = sbl_alloc_array(1, sizeof *room);
    *data = room;
    if (room == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    room->points = sbl_alloc_array(m, SBL_SLICE_ROWS * sizeof *room->points);
    room->targets = sbl_alloc_array(SBL_SLICE_ROWS, sizeof *room->targets);
    room->features = sbl_alloc_array(planned->width, SBL_SLICE_ROWS * sizeof *room->features);
    room->workspace = sbl_alloc_array(sbl_gemm_workspace(m), sizeof *room->workspace);
    return room->points != NULL && room->targets != NULL && room->features != NULL &&
                   room->workspace != NULL
               ? SBL_OK
               : sbl_fail(err, SBL_EMEM, "out of memory for the features of a few rows");
}

/* The centre of a record's class; a label that does not exist is class 0, as in the sums. */
static const double *centre_of(const sbl_recipe *recipe, const uint32_t *codes)
{
    const sbl_ron_plan *planned = &sbl_ron_of(recipe)->plan;
    size_t class = 0;
    if (recipe->classes > 1) class = codes[recipe->label_column];
    if (class >= recipe->classes) class = 0;
    return planned->centre.means + class * planned->width;
}

/* Seen from the centre, on the sphere again. The target keeps within its radius. */
static void recentre(float *point, float *target, const sbl_ron_plan *planned, const double *centre)
{
    const double *x = centre + planned->targets;
    for (size_t i = 0; i < planned->record.dimensions; i++)
        point[i] = (float)((double)point[i] - x[i]);
    sbl_ron_normalise(point, planned->record.dimensions);
    if (planned->targets != 0)
        *target = (float)(((double)*target - centre[0]) /
                          (1.0 + fabs(centre[0]) / planned->record.target_radius));
}

static sbl_status add_rows(sbl_sum *sum, void *data, const sbl_recipe *recipe,
                           const sbl_records *records, sbl_error *err)
{
    ron_room *room = data;
    const sbl_ron_recipe *own = sbl_ron_of(recipe);
    const sbl_ron_plan *planned = &own->plan;
    const sbl_heads *heads = &recipe->codec.heads;
    const size_t m = planned->record.dimensions;
    const size_t width = recipe->layout.blocks[0].width;
    const bool clip = planned->options.geometry == SBL_RON_CLIP;
    static const sbl_ron_rotation identity = {0};
    for (size_t r = 0; r < records->rows; r++) {
        const uint32_t *codes = records->codes + r * heads->categorical_count;
        float *point = room->points + r * m;
        room->targets[r] = (float)sbl_unit_record_encode(
            &planned->record, point, records->numeric + r * heads->numeric_count, codes,
            recipe->code_columns);
        if (!clip) sbl_ron_normalise(point, m);
        if (planned->centre.means != NULL)
            recentre(point, &room->targets[r], planned, centre_of(recipe, codes));
    }
    sbl_ron_rotate(room->features, width, planned, recipe->more ? &identity : &own->rotation,
                   room->points, width - planned->targets, room->targets, records->rows,
                   room->workspace);
    return sbl_sum_add_f32(sum, 0, 0, width, room->features, width, err);
}

/* ---- between the releases of normalise ---- */

static sbl_status next(char **json, const sbl_recipe *recipe, const sbl_release *release,
                       sbl_error *err)
{
    const sbl_ron_plan *planned = &sbl_ron_of(recipe)->plan;
    const size_t width = planned->width;
    sbl_gauss_moments moments = {0};
    sbl_ron_plan second = {0};
    sbl_ron_centre centre = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_gauss_moments_means(&moments, planned, release, err));
    centre.rows = moments.rows;
    centre.means = sbl_alloc_array(moments.count, width * sizeof *centre.means);
    centre.sizes = sbl_alloc_array(moments.count, sizeof *centre.sizes);
    if (centre.means == NULL || centre.sizes == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a plan");
        goto done;
    }
    for (size_t c = 0; c < moments.count; c++) {
        memcpy(centre.means + c * width, moments.classes[c].mean, width * sizeof *centre.means);
        centre.sizes[c] = moments.classes[c].size;
    }
    SBL_TRY(sbl_ron_plan_build(&second, &planned->record, &planned->options, &centre, err));
    *json = second.json;
    second.json = NULL;
done:
    sbl_free(centre.means);
    sbl_free(centre.sizes);
    sbl_ron_plan_clear(&second);
    sbl_gauss_moments_clear(&moments);
    return status;
}

static const char *const also_public[] = {"how the file divides into records",
                                          "the random projection and its dimension"};

const sbl_method sbl_method_ron_gauss = {
    .name = SBL_RON_METHOD,
    .release_name = "ron-gauss.moments",
    .first_release_name = "ron-gauss.means",
    .also_public = also_public,
    .also_public_count = sizeof also_public / sizeof also_public[0],
    .plan = sbl_ron_plan_choose,
    .parse = parse,
    .finish = finish,
    .text = text,
    .describe = describe,
    .clear = clear,
    .explain = sbl_ron_explain,
    .room_new = room_new,
    .room_free = room_free,
    .add_rows = add_rows,
    .next = next,
    .make = sbl_ron_make,
    .open = sbl_ron_open,
    .output = sbl_ron_output,
    .draw = sbl_ron_draw,
    .close = sbl_ron_close,
};
