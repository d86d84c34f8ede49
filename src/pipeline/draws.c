/* A model decoded from bytes, and a sink that calls back: src/api takes rows or images as they
 * come. The loop is draw.c's; only the sink of images is made here. */
#include "pipeline/draws.h"

#include <string.h>

#include "base/memory.h"
#include "methods/method.h"
#include "pipeline/conditions.h"
#include "pipeline/draw.h"

#define MODEL_NAME "the model"

struct sbl_draws {
    sbl_taker taker;
    sbl_model *model;
    sbl_conditions where;
    sbl_sink *sink;
    sbl_drawing drawing;
};

/* ---- images as a sink ---- */

static sbl_status write_images(sbl_sink *sink, const sbl_drawn *records, size_t rows,
                               sbl_error *err)
{
    const sbl_draws *draws = sink->state;
    return draws->taker.images(draws->taker.context, records, rows, draws->drawing.done, err);
}

static sbl_status finish_images(sbl_sink *sink, sbl_error *err)
{
    (void)sink;
    (void)err;
    return SBL_OK;
}

static void close_images(sbl_sink *sink) { sink->state = NULL; }

static sbl_status open_images(sbl_draws *draws, const sbl_facts *facts, sbl_error *err)
{
    static const sbl_sink_kind kind = {write_images, finish_images, close_images};
    sbl_sink *sink = sbl_alloc_array(1, sizeof *sink);
    if (sink == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a few images");
    *sink = (sbl_sink){.kind = &kind, .facts = facts, .wanted = SBL_NO_COLUMN, .state = draws};
    draws->sink = sink;
    return SBL_OK;
}

/* ---- any ---- */

static sbl_status open_sink(sbl_draws *draws, sbl_error *err)
{
    const sbl_facts *facts = sbl_model_output(draws->model);
    const bool images = facts->kind == SBL_DATA_IMAGES;
    if (images ? draws->taker.images == NULL : draws->taker.rows == NULL)
        return sbl_fail(err, SBL_EARG, "the model draws %s",
                        images ? "images, not rows" : "rows of a table, not images");
    return images ? open_images(draws, facts, err)
                  : sbl_sink_open_rows(&draws->sink, facts, draws->taker.rows, draws->taker.context,
                                       err);
}

sbl_status sbl_draws_open(sbl_draws **draws, const uint8_t *model, size_t size, uint64_t rows,
                          const char *where, uint64_t seed, const sbl_taker *taker, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_draws *made = sbl_alloc_array(1, sizeof *made);
    *draws = NULL;
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    made->taker = *taker;
    SBL_TRY(sbl_model_decode(&made->model, model, size, MODEL_NAME, sbl_model_kinds, err));
    SBL_TRY(open_sink(made, err));
    SBL_TRY(sbl_conditions_read(&made->where, where, made->model, err));
    SBL_TRY(
        sbl_drawing_begin(&made->drawing, made->sink, made->model, rows, &made->where, seed, err));
    *draws = made;
    made = NULL;
done:
    sbl_draws_close(made);
    return status;
}

void sbl_draws_close(sbl_draws *draws)
{
    if (draws == NULL) return;
    sbl_drawing_end(&draws->drawing);
    sbl_sink_close(draws->sink);
    sbl_conditions_clear(&draws->where);
    sbl_model_free(draws->model);
    sbl_free(draws);
}

const sbl_facts *sbl_draws_facts(const sbl_draws *draws) { return sbl_model_output(draws->model); }

uint64_t sbl_draws_rows(const sbl_draws *draws) { return draws->drawing.all; }

uint64_t sbl_draws_done(const sbl_draws *draws) { return draws->drawing.done; }

const sbl_sink *sbl_draws_sink(const sbl_draws *draws) { return draws->sink; }

sbl_status sbl_draws_next(sbl_draws *draws, sbl_error *err)
{
    return sbl_drawing_next(&draws->drawing, err);
}

/* ---- what a model says of itself ---- */

static char *copy_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = sbl_alloc_array(size, 1);
    if (copy != NULL) memcpy(copy, text, size);
    return copy;
}

sbl_status sbl_model_describe(sbl_facts *facts, char **method, char **certificate, uint64_t *rows,
                              const uint8_t *model, size_t size, sbl_error *err)
{
    sbl_model *loaded = NULL;
    json_t *json = NULL;
    sbl_status status = SBL_OK;
    *facts = (sbl_facts){0};
    *method = NULL;
    *certificate = NULL;
    SBL_TRY(sbl_model_decode(&loaded, model, size, MODEL_NAME, sbl_model_kinds, err));
    json = sbl_facts_to_json(sbl_model_output(loaded));
    *method = copy_text(loaded->plan.method);
    if (loaded->certificate != NULL) *certificate = copy_text(loaded->certificate);
    *rows = sbl_draw_rows(loaded, 0);
    if (json == NULL || *method == NULL || (loaded->certificate != NULL && *certificate == NULL))
        SBL_FAIL(err, SBL_EMEM, "out of memory for a model");
    SBL_TRY(sbl_facts_from_json(facts, json, MODEL_NAME, err));
done:
    if (status != SBL_OK) {
        sbl_free(*method);
        sbl_free(*certificate);
        *method = *certificate = NULL;
    }
    json_decref(json);
    sbl_model_free(loaded);
    return status;
}
