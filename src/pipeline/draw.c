#include "pipeline/draw.h"

#include <string.h>

#include "base/memory.h"

#define CHUNK_ROWS 4096
#define CHUNK_IMAGES 1024

static sbl_status where_of_table(size_t *wanted, const char *where, const sbl_facts *facts,
                                 sbl_error *err)
{
    const sbl_schema *schema = facts->schema;
    if (facts->label_column == SBL_NO_HEAD)
        return sbl_fail_hint(
            err, SBL_EARG, SBL_HINT_WHERE, NULL,
            "one class can be drawn from a model with a classification label only");
    const sbl_column *label = &schema->columns[schema->label];
    const size_t length = strlen(label->name);
    if (strncmp(where, label->name, length) != 0 || where[length] != '=')
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_WHERE, NULL,
                             "rows can be drawn by the label only: '%s=VALUE'", label->name);
    for (size_t i = 0; i < label->categories.count; i++)
        if (strcmp(where + length + 1, label->categories.items[i]) == 0) *wanted = i;
    return *wanted != SBL_ANY_CLASS
               ? SBL_OK
               : sbl_fail_hint(err, SBL_EARG, SBL_HINT_WHERE, NULL,
                               "what was asked for is no category of '%s'", label->name);
}

static sbl_status where_of_images(size_t *wanted, const char *where, const sbl_image_facts *facts,
                                  sbl_error *err)
{
    static const char label[] = "label=";
    if (facts->classes == 0)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_WHERE, NULL,
                             "one class can be drawn of a model of labelled images only");
    if (strncmp(where, label, sizeof label - 1) == 0) where += sizeof label - 1;
    if (sbl_image_facts_class(wanted, facts, where)) return SBL_OK;
    if (facts->names != NULL)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_WHERE, NULL,
                             "a class is drawn by its name: 'label=CLASS'");
    return sbl_fail_hint(err, SBL_EARG, SBL_HINT_WHERE, NULL,
                         "a class is drawn by its number, 0 to %zu: 'label=CLASS'",
                         facts->classes - 1);
}

sbl_status sbl_where_read(size_t *wanted, const char *where, const sbl_facts *facts, sbl_error *err)
{
    *wanted = SBL_ANY_CLASS;
    if (where == NULL) return SBL_OK;
    return facts->kind == SBL_DATA_TABLE ? where_of_table(wanted, where, facts, err)
                                         : where_of_images(wanted, where, &facts->images, err);
}

static sbl_status make_room(sbl_drawn *drawn, size_t rows, const sbl_facts *facts, sbl_error *err)
{
    const bool images = facts->kind == SBL_DATA_IMAGES;
    *drawn = (sbl_drawn){0};
    if (images) {
        drawn->pixels = sbl_alloc_array(facts->shape.numeric, rows);
        drawn->labels = sbl_alloc_array(rows, sizeof *drawn->labels);
    } else {
        drawn->numeric = sbl_alloc_array(facts->heads.numeric_count, rows * sizeof *drawn->numeric);
        drawn->codes = sbl_alloc_array(facts->heads.categorical_count, rows * sizeof *drawn->codes);
    }
    return (images ? drawn->pixels != NULL && drawn->labels != NULL
                   : drawn->numeric != NULL && drawn->codes != NULL)
               ? SBL_OK
               : sbl_fail(err, SBL_EMEM, "out of memory for a few records");
}

static void free_room(sbl_drawn *drawn)
{
    sbl_free(drawn->numeric);
    sbl_free(drawn->codes);
    sbl_free(drawn->pixels);
    sbl_free(drawn->labels);
}

uint64_t sbl_draw_rows(const sbl_model *model, uint64_t asked)
{
    return asked != 0 ? asked : (uint64_t)model->rows;
}

sbl_status sbl_draw(sbl_sink *sink, sbl_model *model, uint64_t rows, size_t wanted,
                    const sbl_synth_options *options, sbl_error *err)
{
    const sbl_facts *facts = sbl_model_output(model);
    const size_t chunk = facts->kind == SBL_DATA_IMAGES ? CHUNK_IMAGES : CHUNK_ROWS;
    const uint64_t all = sbl_draw_rows(model, rows);
    sbl_drawn drawn = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(make_room(&drawn, chunk, facts, err));
    model->asked = all;
    SBL_TRY(sbl_model_seed(model, options->seed, err));
    for (uint64_t first = 0; first < all; first += chunk) {
        const size_t count = all - first < chunk ? (size_t)(all - first) : chunk;
        SBL_TRY(sbl_model_draw(model, &drawn, first, count, wanted, err));
        SBL_TRY(sbl_sink_write(sink, &drawn, count, err));
        if (options->progress != NULL &&
            options->progress(options->context, "sampling", first + count, all, 0.0) != 0)
            SBL_FAIL(err, SBL_ESTOPPED, "stopped while sampling; nothing was written");
    }
    SBL_TRY(sbl_sink_finish(sink, err));
done:
    free_room(&drawn);
    return status;
}
