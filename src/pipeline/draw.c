/* Rows of a model as a table: [7] sample, [8] decode, [9] write. */
#include <string.h>

#include "base/memory.h"
#include "pipeline/model_store.h"
#include "sample/sampler.h"
#include "semblance/synth.h"
#include "table/writer.h"

#define CHUNK_ROWS 4096

/* "LABEL=VALUE" to a class of the recipe. */
static sbl_status read_where(size_t *wanted, const char *where, const sbl_recipe *recipe,
                             sbl_error *err)
{
    const sbl_schema *schema = recipe->schema;
    *wanted = SBL_ANY_CLASS;
    if (where == NULL) return SBL_OK;
    if (recipe->label_column == SBL_NO_HEAD)
        return sbl_fail(err, SBL_EARG, "--where needs a model with a classification label");
    const sbl_column *label = &schema->columns[schema->label];
    const size_t length = strlen(label->name);
    if (strncmp(where, label->name, length) != 0 || where[length] != '=')
        return sbl_fail(err, SBL_EARG, "--where takes the label only: '%s=VALUE'", label->name);
    for (size_t i = 0; i < label->categories.count; i++)
        if (strcmp(where + length + 1, label->categories.items[i]) == 0) *wanted = i;
    return *wanted != SBL_ANY_CLASS
               ? SBL_OK
               : sbl_fail(err, SBL_EARG, "--where names no category of '%s'", label->name);
}

static sbl_status write_rows(sbl_table_writer *writer, sbl_model *model, uint64_t rows,
                             size_t wanted, const sbl_synth_options *options, sbl_error *err)
{
    const sbl_codec *codec = sbl_model_output(model);
    const sbl_heads *heads = &codec->heads;
    double *numeric = sbl_alloc_array(heads->numeric_count, CHUNK_ROWS * sizeof *numeric);
    uint32_t *codes = sbl_alloc_array(heads->categorical_count, CHUNK_ROWS * sizeof *codes);
    sbl_batch *batch = NULL;
    sbl_status status = SBL_OK;
    if (numeric == NULL || codes == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a few rows");
        goto done;
    }
    SBL_TRY(sbl_batch_new(&batch, codec->schema, CHUNK_ROWS, err));
    for (uint64_t first = 0; first < rows; first += CHUNK_ROWS) {
        const size_t count = rows - first < CHUNK_ROWS ? (size_t)(rows - first) : CHUNK_ROWS;
        SBL_TRY(sbl_model_draw(model, numeric, codes, first, count, wanted, err));
        SBL_TRY(sbl_codec_decode(codec, batch, numeric, codes, count, err));
        SBL_TRY(sbl_table_write(writer, batch, err));
        if (options->progress != NULL &&
            options->progress(options->context, "sampling", first + count, rows, 0.0) != 0) {
            status = sbl_fail(err, SBL_ESTOPPED, "stopped while sampling; no table was written");
            goto done;
        }
    }
done:
    sbl_batch_free(batch);
    sbl_free(codes);
    sbl_free(numeric);
    return status;
}

sbl_status sbl_synth_sample(const char *model_path, const char *output, uint64_t rows,
                            const char *where, const sbl_synth_options *options, sbl_error *err)
{
    const sbl_table_write_options write_options = {.overwrite = options->overwrite};
    sbl_model *model = NULL;
    sbl_table_writer *writer = NULL;
    size_t wanted;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_model_open(&model, model_path, options->seed, err));
    SBL_TRY(read_where(&wanted, where, sbl_model_recipe(model), err));
    SBL_TRY(sbl_table_create(&writer, output, sbl_model_output(model)->schema, write_options, err));
    SBL_TRY(
        write_rows(writer, model, rows != 0 ? rows : sbl_model_rows(model), wanted, options, err));
    status = sbl_table_finish(writer, err);
    writer = NULL;
done:
    sbl_table_abandon(writer);
    sbl_model_close(model);
    return status;
}
