#include "pipeline/draw.h"

#include "base/memory.h"

#define CHUNK_ROWS 4096
#define CHUNK_IMAGES 1024

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

sbl_status sbl_draw(sbl_sink *sink, sbl_model *model, uint64_t rows, const sbl_where *where,
                    const sbl_synth_options *options, sbl_error *err)
{
    const size_t wanted = where != NULL ? where->wanted : SBL_ANY_CLASS;
    const sbl_facts *facts = sbl_model_output(model);
    const size_t chunk = facts->kind == SBL_DATA_IMAGES ? CHUNK_IMAGES : CHUNK_ROWS;
    const uint64_t all = sbl_draw_rows(model, rows);
    sbl_drawn drawn = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(make_room(&drawn, chunk, facts, err));
    model->asked = all;
    model->fixed = where != NULL ? where->fixed : NULL;
    model->fixed_count = where != NULL ? where->count : 0;
    sink->seed = options->seed;
    sink->wanted = where != NULL && where->kept != SBL_ANY_CLASS ? where->kept : SBL_NO_COLUMN;
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
