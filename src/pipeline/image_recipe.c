#include "pipeline/image_recipe.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static sbl_status read_facts(sbl_image_facts *facts, const sbl_image_reader *reader, sbl_error *err)
{
    const sbl_image_shape shape = sbl_image_reader_shape(reader);
    const size_t classes = sbl_image_reader_classes(reader);
    const bool named = classes > 0 && sbl_image_reader_class_name(reader, 0) != NULL;
    const char **names = named ? sbl_alloc_array(classes, sizeof *names) : NULL;
    *facts = (sbl_image_facts){0};
    if (named && names == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for names");
    for (size_t c = 0; named && c < classes; c++) names[c] = sbl_image_reader_class_name(reader, c);
    const sbl_status status =
        sbl_image_facts_init(facts, shape.height, shape.width, shape.channels, classes, names, err);
    sbl_free(names);
    return status;
}

sbl_status sbl_image_input_open(sbl_image_reader **reader, sbl_image_facts *facts,
                                const sbl_image_input *input, sbl_neighbours neighbours,
                                sbl_error *err)
{
    const sbl_image_options options = {.classes = input->classes, .channels = input->grey ? 1 : 0};
    const sbl_status status = sbl_image_open(reader, input->images, input->labels, &options, err);
    if (status != SBL_OK) return status;
    if (sbl_image_reader_classes(*reader) == 0 && (input->classes != 0 || input->balanced))
        return sbl_fail(err, SBL_EARG, "--%s goes with labels, and %s has none",
                        input->balanced ? "balanced" : "classes", input->images);
    if (neighbours == SBL_REPLACE_ONE && sbl_image_reader_count(*reader) == 0)
        return sbl_fail(err, SBL_EINPUT, "%s holds no images", input->images);
    return read_facts(facts, *reader, err);
}

/* Of classes that are declared to be equally frequent only the number of images is wanted, and it
 * is private under add-remove: a block of ones. */
static sbl_block total_block(void)
{
    return (sbl_block){.name = SBL_IMAGE_TOTAL,
                       .width = 1,
                       .nonnegative = true,
                       .bound2 = 1,
                       .bound1 = 1,
                       .scale = 1.0};
}

/* A unit of feature is scale grid units and m times that in the release: equal weights per feature
 * unit are multipliers in the proportion weight / scale. */
static sbl_status finish(sbl_image_recipe *recipe, sbl_error *err)
{
    const sbl_feature_block *feature = &recipe->plan.block;
    const sbl_image_plan_options *options = &recipe->plan.options;
    sbl_block blocks[2] = {
        {
            .width = feature->width,
            .group = feature->group,
            .per_class = feature->per_class,
            .nonnegative = feature->nonnegative,
            .bound2 = feature->bound2,
            .scale = sbl_layout_scale(feature->width, feature->bound2, feature->norm),
        },
        total_block()};
    recipe->total = options->counts && options->balanced;
    sbl_layout layout = {.blocks = blocks,
                         .block_count = recipe->total ? 2 : 1,
                         .classes = sbl_image_facts_groups(&recipe->plan.facts),
                         .counts = options->counts && !recipe->total,
                         .rows_cap = SBL_ROWS_CAP_DEFAULT};
    sbl_status status = SBL_OK;
    (void)snprintf(blocks[0].name, sizeof blocks[0].name, "%s", feature->name);
    memcpy(layout.plan_hash, recipe->plan.hash, sizeof layout.plan_hash);
    recipe->weights[0] = feature->weight / blocks[0].scale;
    recipe->weights[1] = recipe->plan.counts_weight;
    SBL_TRY(sbl_image_plan_frequencies(&recipe->frequencies, &recipe->plan, err));
    SBL_TRY(sbl_layout_validate(&layout, err));
    SBL_TRY(sbl_layout_copy(&recipe->layout, &layout, err));
done:
    return status;
}

/* What only tables have is refused, not passed over. */
static sbl_status refuse_options_of_tables(const sbl_synth_options *options, sbl_error *err)
{
    const struct {
        const char *name;
        bool given;
    } of_tables[] = {
        {"bins", options->bins != 0},
        {"geometry", options->geometry != NULL},
        {"space", options->space != NULL},
        {"split", options->split != NULL},
        {"dimensions", options->dimensions != 0},
        {"expect-rows", options->expected_rows != 0},
        {"pure", options->pure}, /* random features have no bound in L1 */
    };
    for (size_t i = 0; i < sizeof of_tables / sizeof of_tables[0]; i++)
        if (of_tables[i].given)
            return sbl_fail(err, SBL_EARG, "--%s is for methods of tables, not for images",
                            of_tables[i].name);
    return SBL_OK;
}

sbl_status sbl_image_recipe_build(sbl_image_recipe *recipe, const sbl_image_facts *facts,
                                  bool balanced, const sbl_synth_options *options, sbl_error *err)
{
    sbl_image_plan_options plan_options;
    sbl_status status = SBL_OK;
    memset(recipe, 0, sizeof *recipe);
    if (options->method != NULL && strcmp(options->method, "merf") != 0)
        return sbl_fail(err, SBL_EARG, "method '%.40s' is not one for images: take merf",
                        options->method);
    SBL_TRY(refuse_options_of_tables(options, err));
    sbl_image_plan_options_init(&plan_options, facts);
    if (options->features != 0) plan_options.features = options->features;
    plan_options.seed = options->seed;
    plan_options.balanced = balanced && facts->classes > 1;
    /* Under add-remove n is not public: the counts, or their total, are where it comes from. */
    plan_options.counts =
        (facts->classes > 1 && !plan_options.balanced) || options->neighbours == SBL_ADD_REMOVE;
    SBL_TRY(sbl_image_plan_build(&recipe->plan, facts, &plan_options, err));
    SBL_TRY(finish(recipe, err));
done:
    if (status != SBL_OK) sbl_image_recipe_clear(recipe);
    return status;
}

sbl_status sbl_image_recipe_parse(sbl_image_recipe *recipe, const char *text, const char *where,
                                  sbl_error *err)
{
    sbl_status status = SBL_OK;
    memset(recipe, 0, sizeof *recipe);
    SBL_TRY(sbl_image_plan_parse(&recipe->plan, text, where, err));
    SBL_TRY(finish(recipe, err));
done:
    if (status != SBL_OK) sbl_image_recipe_clear(recipe);
    return status;
}

void sbl_image_recipe_clear(sbl_image_recipe *recipe)
{
    sbl_layout_clear(&recipe->layout);
    sbl_orthogonal_clear(&recipe->frequencies);
    sbl_image_plan_clear(&recipe->plan);
    memset(recipe, 0, sizeof *recipe);
}
