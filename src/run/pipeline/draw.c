/* SPDX-License-Identifier: Apache-2.0 */
/* [7] to [9] in chunks of fixed size: seed the model, draw a chunk, hand it to the sink. With
 * conditions that the model cannot fix, chunks are drawn until enough rows were kept or a
 * public limit is reached. Persons that are drawn whole stay whole: a chunk ends with one. */
#include "run/pipeline/draw.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "run/methods/method.h"
#include "run/pipeline/resample.h"
#include "run/pipeline/row_stream.h"

#define CHUNK_ROWS 4096
#define CHUNK_IMAGES 1024
#define MOST_ROWS ((uint64_t)1 << 55) /* for whole persons, whose number of rows is not known in advance */

/* Records that are drawn chunk by chunk; model, conditions and sink are borrowed. */
typedef struct drawing {
    sbl_model *model;
    sbl_sink *sink;
    const sbl_conditions *conditions; /* NULL: none */
    sbl_drawn records;                /* of one chunk */
    size_t chunk;
    bool whole;      /* persons are drawn with all their rows, and none is split between two writes */
    bool in_persons; /* all and done count persons */
    uint64_t seed;
    uint64_t most;         /* records that are drawn at most */
    uint64_t all;          /* records that are wanted */
    uint64_t drawn;        /* records so far, kept or not */
    uint64_t persons;      /* the same of whole persons */
    uint64_t done;         /* records that the sink has; all: done */
    sbl_resample resample; /* of a replicate, which is drawn again with replacement */
} drawing;

sbl_status sbl_amount_check(const sbl_amount *amount, bool persons, bool linked, sbl_error *err)
{
    if (linked && amount->rows != 0)
        return sbl_fail_hint(
            err, SBL_EARG, SBL_HINT_PERSONS, NULL,
            "linked tables are drawn as whole persons: give the number of persons, not of rows");
    if (amount->persons == 0) return SBL_OK;
    if (amount->rows != 0)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_PERSONS, NULL,
                             "give the number of rows or of persons, not both");
    return persons ? SBL_OK
                   : sbl_fail_hint(err, SBL_EARG, SBL_HINT_PERSONS, NULL,
                                   "only models of the method histories draw persons, and this is not one: "
                                   "give the number of rows");
}

uint64_t sbl_draw_rows(const sbl_model *model, uint64_t asked)
{
    /* To the nearest, as it is saved: a model that was saved draws as many. */
    return asked != 0 ? asked : (uint64_t)rint(fmax(model->rows, 1.0));
}

/* How many are drawn before it ends, if `held` of them satisfied the conditions. */
static uint64_t limit(uint64_t held)
{
    const uint64_t most = UINT64_MAX / SBL_CONDITIONS_TRIES / 2;
    return SBL_CONDITIONS_BESIDE + SBL_CONDITIONS_TRIES * (held < most ? held : most);
}

/* Records of a replicate are drawn again with replacement, unless they have the error of sampling already. */
static bool draws_again(const sbl_model *model) { return model->replicate && !model->kind->independent; }

/* If records are whole persons or may be rejected, their number is not known in advance: how often each is written
 * is then Poisson, and they are drawn until there are enough. */
static sbl_status begin_resample(drawing *d, bool rejects, uint64_t seed, sbl_error *err)
{
    const uint64_t records = d->whole || rejects ? 0 : d->all;
    return sbl_resample_init(&d->resample, sbl_model_output(d->model), records, d->whole, d->chunk, seed,
                             err);
}

static sbl_status begin_drawing(drawing *d, sbl_sink *sink, sbl_model *model, const sbl_amount *amount,
                                const sbl_conditions *conditions, uint64_t seed, sbl_error *err)
{
    const sbl_facts *facts = sbl_model_output(model);
    const bool whole = model->kind->whole_units;
    const bool linked = facts->table_facts != NULL; /* its rows are then persons */
    *d = (drawing){
        .model = model,
        .sink = sink,
        .conditions = conditions,
        .seed = seed,
        .chunk = facts->kind == SBL_DATA_IMAGES ? CHUNK_IMAGES : CHUNK_ROWS,
        .whole = whole,
        .in_persons = amount->persons != 0 || linked,
        .all = amount->persons != 0 ? amount->persons : sbl_draw_rows(model, amount->rows),
    };
    const bool rejects = conditions != NULL && conditions->rejects;
    d->most = whole ? MOST_ROWS : rejects ? limit(d->all) + d->chunk : d->all;
    SBL_CHECK(sbl_amount_check(amount, whole, linked, err));
    SBL_CHECK(sbl_drawn_make(&d->records, facts, d->chunk, false, err));
    if (whole) SBL_CHECK(sbl_drawn_keep_persons(&d->records, err));
    if (linked) SBL_CHECK(sbl_drawn_keep_links(&d->records, err));
    SBL_CHECK(sbl_sink_set_persons(sink, model->persons, err));
    model->asked = d->most;
    model->fixed = conditions != NULL ? conditions->fixed : NULL;
    model->fixed_count = conditions != NULL ? conditions->fixed_count : 0;
    sink->seed = seed;
    sink->wanted = conditions != NULL && conditions->kept != SBL_ANY_CLASS ? conditions->kept : SBL_NO_COLUMN;
    sink->conditions = rejects ? conditions->items : NULL;
    sink->condition_count = rejects ? conditions->count : 0;
    sink->most = d->in_persons ? UINT64_MAX : d->all;
    sink->most_persons = d->in_persons ? d->all : UINT64_MAX;
    return draws_again(model) ? begin_resample(d, rejects, seed, err) : SBL_OK;
}

/* What a limit counts: persons where they are kept or left as a whole, else rows. */
static uint64_t held(const drawing *d) { return d->whole ? d->sink->persons : d->done; }

static uint64_t tried(const drawing *d) { return d->whole ? d->persons : d->drawn; }

static sbl_status refuse_rare(const drawing *d, sbl_error *err)
{
    return sbl_fail_hint(err, SBL_EARG, SBL_HINT_WHERE, NULL,
                         "%llu of %llu drawn %s satisfied all conditions, and at most %d are drawn for each "
                         "one wanted: ask for fewer, or use conditions that hold more often",
                         (unsigned long long)held(d), (unsigned long long)tried(d),
                         d->whole ? "persons" : "rows", SBL_CONDITIONS_TRIES);
}

/* With rejection, rows are drawn until enough of them held; the sink looks at them as they are
 * written. What is drawn depends on model, seed and conditions alone. */
static sbl_status draw_next(drawing *d, sbl_error *err)
{
    const bool rejects = d->sink->condition_count > 0;
    const uint64_t left = d->most - d->drawn;
    const size_t count = left < d->chunk ? (size_t)left : d->chunk;
    if (rejects && tried(d) >= limit(held(d))) SBL_CHECK(refuse_rare(d, err));
    if (d->drawn == 0) SBL_CHECK(sbl_model_seed(d->model, d->seed, err));
    SBL_CHECK(sbl_model_draw(d->model, &d->records, d->drawn, count,
                             d->conditions != NULL ? d->conditions->wanted : SBL_ANY_CLASS, err));
    /* Of the last person there may be more to come: it is drawn again, as the first. */
    const uint64_t *persons = d->records.persons;
    const size_t given = d->whole ? sbl_whole_persons(persons, count, count - 1) : count;
    SBL_CHECK(draws_again(d->model) ? sbl_resample_write(&d->resample, d->sink, &d->records, given, err)
                                    : sbl_sink_write(d->sink, &d->records, given, err));
    d->drawn += given;
    if (d->whole) d->persons = persons[given - 1] + 1;
    d->done = d->in_persons ? d->sink->persons : rejects || d->whole ? d->sink->written : d->drawn;
    return SBL_OK;
}

/* Also of one that did not begin. */
static void end_drawing(drawing *d)
{
    sbl_resample_clear(&d->resample);
    sbl_drawn_clear(&d->records, d->model != NULL ? sbl_model_output(d->model) : NULL);
    *d = (drawing){0};
}

static sbl_status draw_all(drawing *d, const sbl_synth_options *options, sbl_error *err)
{
    while (d->done < d->all) {
        SBL_CHECK(draw_next(d, err));
        if (options->progress != NULL &&
            options->progress(options->context, "sampling", d->done, d->all, 0.0) != 0)
            return sbl_fail(err, SBL_ESTOPPED, "stopped while sampling; nothing was written");
    }
    return sbl_sink_finish(d->sink, err);
}

sbl_status sbl_draw(sbl_sink *sink, sbl_model *model, const sbl_amount *amount,
                    const sbl_conditions *conditions, const sbl_synth_options *options, sbl_error *err)
{
    drawing d = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(begin_drawing(&d, sink, model, amount, conditions, options->seed, err));
    SBL_TRY(draw_all(&d, options, err));
done:
    end_drawing(&d);
    return status;
}

/* ---- some at a time, from the bytes of a model to a caller who takes them ---- */

#define MODEL_NAME "the model"

struct sbl_row_stream {
    sbl_taker taker;
    sbl_model *model;
    sbl_conditions where;
    sbl_sink *sink;
    drawing drawing;
};

/* ---- images as a sink ---- */

static sbl_status write_images(sbl_sink *sink, const sbl_drawn *records, size_t rows, sbl_error *err)
{
    const sbl_row_stream *draws = sink->state;
    return draws->taker.images(draws->taker.context, records, rows, draws->drawing.done, err);
}

static sbl_status finish_images(sbl_sink *sink, sbl_error *err)
{
    (void)sink;
    (void)err;
    return SBL_OK;
}

static void close_images(sbl_sink *sink) { sink->state = NULL; }

static sbl_status open_images(sbl_row_stream *draws, const sbl_facts *facts, sbl_error *err)
{
    static const sbl_sink_kind kind = {write_images, finish_images, close_images};
    sbl_sink *sink;
    sbl_status status = SBL_OK;
    SBL_ALLOC(sink, 1, "a few images");
    *sink = (sbl_sink){.kind = &kind, .facts = facts, .wanted = SBL_NO_COLUMN, .state = draws};
    draws->sink = sink;
done:
    return status;
}

/* ---- any ---- */

/* Rows of linked tables, each table's with its own context. */
static sbl_status open_tables(sbl_row_stream *draws, const sbl_facts *facts, sbl_error *err)
{
    const sbl_taker *taker = &draws->taker;
    if (taker->tables == NULL)
        return sbl_fail(err, SBL_EARG, "the model draws linked tables, not a single table");
    if (taker->table_count != facts->declared->table_count)
        return sbl_fail(err, SBL_EARG, "the model draws %zu linked tables, not %zu",
                        facts->declared->table_count, taker->table_count);
    return sbl_sink_open_package_rows(&draws->sink, facts, taker->rows, taker->tables, err);
}

static sbl_status open_sink(sbl_row_stream *draws, sbl_error *err)
{
    const sbl_facts *facts = sbl_model_output(draws->model);
    const bool images = facts->kind == SBL_DATA_IMAGES;
    if (images ? draws->taker.images == NULL : draws->taker.rows == NULL)
        return sbl_fail(err, SBL_EARG, "the model draws %s",
                        images ? "images, not rows" : "rows of a table, not images");
    if (facts->table_facts != NULL) return open_tables(draws, facts, err);
    if (draws->taker.tables != NULL)
        return sbl_fail(err, SBL_EARG, "the model draws a single table, not linked tables");
    return images ? open_images(draws, facts, err)
                  : sbl_sink_open_rows(&draws->sink, facts, draws->taker.rows, draws->taker.context, err);
}

sbl_status sbl_row_stream_open(sbl_row_stream **draws, const uint8_t *model, size_t size,
                               const sbl_amount *amount, const char *where, uint64_t seed,
                               const sbl_taker *taker, sbl_error *err)
{
    sbl_row_stream *made = NULL;
    sbl_status status = SBL_OK;
    *draws = NULL;
    SBL_ALLOC(made, 1, "a few records");
    made->taker = *taker;
    SBL_TRY(sbl_model_decode(&made->model, model, size, MODEL_NAME, sbl_model_kinds, err));
    SBL_TRY(open_sink(made, err));
    SBL_TRY(sbl_conditions_read(&made->where, where, made->model, err));
    SBL_TRY(begin_drawing(&made->drawing, made->sink, made->model, amount, &made->where, seed, err));
    *draws = made;
    made = NULL;
done:
    sbl_row_stream_close(made);
    return status;
}

void sbl_row_stream_close(sbl_row_stream *draws)
{
    if (draws == NULL) return;
    end_drawing(&draws->drawing);
    sbl_sink_close(draws->sink);
    sbl_conditions_clear(&draws->where);
    sbl_model_free(draws->model);
    sbl_free(draws);
}

const sbl_facts *sbl_row_stream_facts(const sbl_row_stream *draws) { return sbl_model_output(draws->model); }

uint64_t sbl_row_stream_all(const sbl_row_stream *draws) { return draws->drawing.all; }

uint64_t sbl_row_stream_done(const sbl_row_stream *draws) { return draws->drawing.done; }

const sbl_sink *sbl_row_stream_sink(const sbl_row_stream *draws) { return draws->sink; }

sbl_status sbl_row_stream_next(sbl_row_stream *draws, sbl_error *err)
{
    sbl_status status = draw_next(&draws->drawing, err);
    const bool ends = draws->drawing.done >= draws->drawing.all;
    /* What waits in the sink of linked tables. */
    if (status == SBL_OK && ends && draws->taker.tables != NULL) status = sbl_sink_finish(draws->sink, err);
    return status;
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
                              const uint8_t *model, size_t size, const char *name, sbl_error *err)
{
    sbl_model *loaded = NULL;
    json_t *json = NULL;
    sbl_status status = SBL_OK;
    *facts = (sbl_facts){0};
    *method = NULL;
    *certificate = NULL;
    SBL_TRY(sbl_model_decode(&loaded, model, size, name, sbl_model_kinds, err));
    json = sbl_facts_to_json(sbl_model_output(loaded));
    *method = copy_text(loaded->plan.method);
    if (loaded->certificate != NULL) *certificate = copy_text(loaded->certificate);
    *rows = sbl_draw_rows(loaded, 0);
    if (json == NULL || *method == NULL || (loaded->certificate != NULL && *certificate == NULL))
        SBL_TRY(sbl_no_memory(err, "a model"));
    SBL_TRY(sbl_facts_from_json(facts, json, name, err));
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
