/* [7] to [9] in chunks of fixed size: seed the model, draw a chunk, hand it to the sink. With
 * conditions that the model cannot fix, chunks are drawn until enough rows were kept or a
 * public limit is reached. */
#include "pipeline/draw.h"

#include <math.h>

#define CHUNK_ROWS 4096
#define CHUNK_IMAGES 1024

uint64_t sbl_draw_rows(const sbl_model *model, uint64_t asked)
{
    /* To the nearest, as it is saved: a model that was saved draws as many. */
    return asked != 0 ? asked : (uint64_t)rint(fmax(model->rows, 1.0));
}

/* How many are drawn before it ends, when so many of them held. */
static uint64_t limit(uint64_t held)
{
    const uint64_t most = UINT64_MAX / SBL_CONDITIONS_TRIES / 2;
    return SBL_CONDITIONS_BESIDE + SBL_CONDITIONS_TRIES * (held < most ? held : most);
}

sbl_status sbl_drawing_begin(sbl_drawing *drawing, sbl_sink *sink, sbl_model *model, uint64_t rows,
                             const sbl_conditions *conditions, uint64_t seed, sbl_error *err)
{
    const sbl_facts *facts = sbl_model_output(model);
    *drawing = (sbl_drawing){
        .model = model,
        .sink = sink,
        .conditions = conditions,
        .seed = seed,
        .chunk = facts->kind == SBL_DATA_IMAGES ? CHUNK_IMAGES : CHUNK_ROWS,
        .all = sbl_draw_rows(model, rows),
    };
    const bool rejects = conditions != NULL && conditions->rejects;
    drawing->most = rejects ? limit(drawing->all) + drawing->chunk : drawing->all;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_drawn_make(&drawing->records, facts, drawing->chunk, false, err));
    SBL_TRY(sbl_sink_set_persons(sink, model->persons, err));
    model->asked = drawing->most;
    model->fixed = conditions != NULL ? conditions->fixed : NULL;
    model->fixed_count = conditions != NULL ? conditions->fixed_count : 0;
    sink->seed = seed;
    sink->wanted =
        conditions != NULL && conditions->kept != SBL_ANY_CLASS ? conditions->kept : SBL_NO_COLUMN;
    sink->conditions = rejects ? conditions->items : NULL;
    sink->condition_count = rejects ? conditions->count : 0;
    sink->most = drawing->all;
done:
    return status;
}

static sbl_status refuse_rare(const sbl_drawing *d, sbl_error *err)
{
    return sbl_fail_hint(
        err, SBL_EARG, SBL_HINT_WHERE, NULL,
        "%llu of %llu drawn rows held all conditions, and no more than %d are drawn "
        "for each that is wanted: ask for less, or for what is more frequent",
        (unsigned long long)d->done, (unsigned long long)d->drawn, SBL_CONDITIONS_TRIES);
}

/* With rejection, rows are drawn until enough of them held; the sink looks at them as they are
 * written. What is drawn depends on model, seed and conditions alone. */
sbl_status sbl_drawing_next(sbl_drawing *d, sbl_error *err)
{
    const bool rejects = d->sink->condition_count > 0;
    const uint64_t left = d->most - d->drawn;
    const size_t count = left < d->chunk ? (size_t)left : d->chunk;
    sbl_status status = SBL_OK;
    if (rejects && d->drawn >= limit(d->done)) SBL_TRY(refuse_rare(d, err));
    if (d->drawn == 0) SBL_TRY(sbl_model_seed(d->model, d->seed, err));
    SBL_TRY(sbl_model_draw(d->model, &d->records, d->drawn, count,
                           d->conditions != NULL ? d->conditions->wanted : SBL_ANY_CLASS, err));
    SBL_TRY(sbl_sink_write(d->sink, &d->records, count, err));
    d->drawn += count;
    d->done = rejects ? d->sink->written : d->drawn;
done:
    return status;
}

void sbl_drawing_end(sbl_drawing *drawing)
{
    sbl_drawn_clear(&drawing->records,
                    drawing->model != NULL ? sbl_model_output(drawing->model) : NULL);
    *drawing = (sbl_drawing){0};
}

sbl_status sbl_draw(sbl_sink *sink, sbl_model *model, uint64_t rows,
                    const sbl_conditions *conditions, const sbl_synth_options *options,
                    sbl_error *err)
{
    sbl_drawing drawing = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_drawing_begin(&drawing, sink, model, rows, conditions, options->seed, err));
    while (drawing.done < drawing.all) {
        SBL_TRY(sbl_drawing_next(&drawing, err));
        if (options->progress != NULL &&
            options->progress(options->context, "sampling", drawing.done, drawing.all, 0.0) != 0)
            SBL_FAIL(err, SBL_ESTOPPED, "stopped while sampling; nothing was written");
    }
    SBL_TRY(sbl_sink_finish(sink, err));
done:
    sbl_drawing_end(&drawing);
    return status;
}
