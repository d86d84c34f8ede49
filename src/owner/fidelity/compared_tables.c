/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the floor (columns shuffled apart) and, without a training table, the two halves, from
 * streams of a public seed, and says which frame is compared with which. */
#include "owner/fidelity/compared_tables.h"

#include <math.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"

uint32_t *sbl_sample_rows(size_t *count, size_t rows, size_t limit, uint64_t seed, uint64_t stream)
{
    uint32_t *index = sbl_alloc_array(rows, sizeof *index);
    *count = rows < limit ? rows : limit;
    if (index == NULL) return NULL;
    for (size_t i = 0; i < rows; i++) index[i] = (uint32_t)i;
    if (rows <= limit) return index;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, stream);
    for (size_t i = 0; i < limit; i++) { /* the first steps of Fisher-Yates */
        const size_t other = i + (size_t)sbl_model_rng_below(&rng, rows - i);
        const uint32_t kept = index[i];
        index[i] = index[other];
        index[other] = kept;
    }
    return index;
}

/* Row i of the column comes from row order[i] of the source. */
static void move_column(sbl_frame *frame, const sbl_frame *source, const sbl_view_column *column,
                        const uint32_t *order)
{
    const size_t numbers = source->codec->heads.numeric_count;
    const size_t codes = source->codec->heads.categorical_count;
    for (size_t i = 0; i < source->rows; i++) {
        if (column->numeric)
            frame->numeric[i * numbers + column->index] = source->numeric[order[i] * numbers + column->index];
        else
            frame->codes[i * codes + column->index] = source->codes[order[i] * codes + column->index];
        if (column->indicator != SBL_NO_HEAD)
            frame->codes[i * codes + column->indicator] = source->codes[order[i] * codes + column->indicator];
    }
}

/* Every column shuffled on its own: the columns stay, their relations go. Whose row it is stays, too. */
static sbl_status shuffle_columns(sbl_frame *frame, const sbl_frame *source, const sbl_view *view,
                                  uint64_t seed, uint64_t stream, sbl_error *err)
{
    sbl_model_rng rng;
    uint32_t *order = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(order, source->rows, "the floor");
    SBL_TRY(sbl_frame_init(frame, source->codec, source->rows, err));
    SBL_TRY(sbl_frame_copy_persons(frame, source, err));
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, stream);
    for (size_t i = 0; i < source->rows; i++) order[i] = (uint32_t)i;
    for (size_t c = 0; c < view->count; c++) {
        sbl_model_rng_shuffle(&rng, order, source->rows);
        move_column(frame, source, &view->columns[c], order);
    }
done:
    sbl_free(order);
    return status;
}

/* 0 .. count - 1 in random order. Owner: the caller; NULL when out of memory. */
static uint32_t *shuffled_numbers(size_t count, uint64_t seed)
{
    sbl_model_rng rng;
    uint32_t *order = sbl_alloc_array(count, sizeof *order);
    if (order == NULL) return NULL;
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, SBL_STREAM_HALVES);
    sbl_model_rng_shuffle(&rng, order, count);
    return order;
}

/* order (rows) becomes the rows of one half of the persons and then those of the other half, each in their old
 * order: no person is in both, and a history stays whole. Returns how many are in the first half. */
static size_t halve_persons(uint32_t *order, const sbl_frame *real, const uint32_t *shuffled)
{
    size_t count = 0, half = 0;
    for (size_t side = 0; side < 2; side++) {
        for (size_t row = 0; row < real->rows; row++)
            if ((shuffled[real->persons[row]] >= real->person_count / 2) == (side == 1))
                order[count++] = (uint32_t)row;
        if (side == 0) half = count;
    }
    return half;
}

static sbl_status halve(sbl_tables *tables, sbl_error *err)
{
    const sbl_frame *real = &tables->frames[SBL_ROLE_REAL];
    const bool by_person = real->persons != NULL;
    uint32_t *order = NULL, *shuffled = NULL;
    size_t half = real->rows / 2;
    sbl_status status = SBL_OK;
    shuffled = shuffled_numbers(by_person ? real->person_count : real->rows, tables->seed);
    if (shuffled == NULL) SBL_TRY(sbl_no_memory(err, "two halves"));
    if (by_person) {
        SBL_ALLOC(order, real->rows, "two halves");
        half = halve_persons(order, real, shuffled);
    }
    const uint32_t *rows = by_person ? order : shuffled;
    SBL_TRY(sbl_frame_select(&tables->frames[SBL_ROLE_CEILING], real, rows, half, err));
    SBL_TRY(
        sbl_frame_select(&tables->frames[SBL_ROLE_OTHER_HALF], real, rows + half, real->rows - half, err));
done:
    sbl_free(order);
    sbl_free(shuffled);
    return status;
}

sbl_status sbl_tables_complete(sbl_tables *tables, const sbl_view *view, sbl_error *err)
{
    sbl_frame *frames = tables->frames;
    if (!tables->has_train && frames[SBL_ROLE_REAL].rows >= 2) SBL_CHECK(halve(tables, err));
    SBL_CHECK(shuffle_columns(&frames[SBL_ROLE_FLOOR],
                              &frames[tables->has_train ? SBL_ROLE_CEILING : SBL_ROLE_REAL], view,
                              tables->seed, SBL_STREAM_FLOOR, err));
    if (frames[SBL_ROLE_CEILING].rows != 0)
        SBL_CHECK(shuffle_columns(&tables->utility_floor, &frames[SBL_ROLE_CEILING], view, tables->seed,
                                  SBL_STREAM_UTILITY_FLOOR, err));
    return SBL_OK;
}

void sbl_tables_clear(sbl_tables *tables)
{
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) sbl_frame_clear(&tables->frames[t]);
    sbl_frame_clear(&tables->utility_floor);
}

bool sbl_tables_pair(sbl_table_role sides[2], const sbl_tables *tables, sbl_pair pair)
{
    sides[0] = pair == SBL_PAIR_SYNTHETIC ? SBL_ROLE_SYNTHETIC
               : pair == SBL_PAIR_FLOOR   ? SBL_ROLE_FLOOR
                                          : SBL_ROLE_CEILING;
    sides[1] = pair == SBL_PAIR_CEILING && !tables->has_train ? SBL_ROLE_OTHER_HALF : SBL_ROLE_REAL;
    return tables->frames[sides[0]].rows != 0 && tables->frames[sides[1]].rows != 0;
}

void sbl_tables_utility(const sbl_frame **train, const sbl_frame **test, const sbl_tables *tables)
{
    *train = tables->frames[SBL_ROLE_CEILING].rows != 0 ? &tables->frames[SBL_ROLE_CEILING] : NULL;
    *test = &tables->frames[*train == NULL || tables->has_train ? SBL_ROLE_REAL : SBL_ROLE_OTHER_HALF];
}

json_t *sbl_number_json(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *sbl_triple_json(const sbl_triple values)
{
    return json_pack("{s:o,s:o,s:o}", "synthetic", sbl_number_json(values[SBL_PAIR_SYNTHETIC]), "floor",
                     sbl_number_json(values[SBL_PAIR_FLOOR]), "ceiling",
                     sbl_number_json(values[SBL_PAIR_CEILING]));
}
