/* One array for each part of a record (numbers, codes, pixels, labels, owners, misfits); a part
 * that the data does not have stays NULL and is passed over by copies and slices. */
#include "audit/drawn.h"

#include <string.h>

#include "base/memory.h"

typedef struct widths {
    size_t numeric, codes, pixels, labels, units, misfits; /* bytes of one record */
} widths;

static widths widths_of(const sbl_facts *facts)
{
    const bool table = facts->kind == SBL_DATA_TABLE;
    return (widths){
        .numeric = table ? facts->heads.numeric_count * sizeof(double) : 0,
        .codes = table ? facts->heads.categorical_count * sizeof(uint32_t) : 0,
        .pixels = table ? 0 : facts->shape.numeric,
        .labels = facts->classes > 1 ? sizeof(uint32_t) : 0,
        .units = sbl_facts_rows_per_unit(facts) != 0 ? sizeof(sbl_unit_tag) : 0,
        .misfits = facts->columns,
    };
}

/* What a kind of data does not have stays NULL; a table always has both of its matrices. */
sbl_status sbl_drawn_make(sbl_drawn *drawn, const sbl_facts *facts, size_t rows, sbl_error *err)
{
    const widths w = widths_of(facts);
    const bool table = facts->kind == SBL_DATA_TABLE;
    bool made = true;
    *drawn = (sbl_drawn){0};
    if (table) {
        drawn->numeric = sbl_alloc_array(rows, w.numeric);
        drawn->codes = sbl_alloc_array(rows, w.codes);
        made = drawn->numeric != NULL && drawn->codes != NULL;
    } else {
        drawn->pixels = sbl_alloc_array(rows, w.pixels);
        made = drawn->pixels != NULL;
    }
    drawn->misfits = sbl_alloc_array(rows, w.misfits);
    made = made && drawn->misfits != NULL;
    if (w.labels != 0) drawn->labels = sbl_alloc_array(rows, w.labels);
    if (w.units != 0) drawn->units = sbl_alloc_array(rows, w.units);
    if (made && (w.labels == 0 || drawn->labels != NULL) && (w.units == 0 || drawn->units != NULL))
        return SBL_OK;
    sbl_drawn_clear(drawn, facts, rows);
    return sbl_fail(err, SBL_EMEM, "out of memory for records");
}

void sbl_drawn_clear(sbl_drawn *drawn, const sbl_facts *facts, size_t rows)
{
    if (facts == NULL) return;
    const widths w = widths_of(facts);
    sbl_free_wiped(drawn->numeric, rows * w.numeric);
    sbl_free_wiped(drawn->codes, rows * w.codes);
    sbl_free_wiped(drawn->pixels, rows * w.pixels);
    sbl_free_wiped(drawn->labels, rows * w.labels);
    sbl_free_wiped(drawn->units, rows * w.units);
    sbl_free_wiped(drawn->misfits, rows * w.misfits);
    *drawn = (sbl_drawn){0};
}

sbl_records sbl_drawn_records(const sbl_drawn *drawn, const sbl_facts *facts, size_t first,
                              size_t rows)
{
    sbl_records records = {.rows = rows};
    if (drawn->numeric != NULL)
        records.numeric = drawn->numeric + first * facts->heads.numeric_count;
    if (drawn->codes != NULL) records.codes = drawn->codes + first * facts->heads.categorical_count;
    if (drawn->pixels != NULL) records.pixels = drawn->pixels + first * facts->shape.numeric;
    if (drawn->labels != NULL) records.labels = drawn->labels + first;
    if (drawn->units != NULL) records.units = drawn->units + first;
    if (drawn->misfits != NULL) records.misfits = drawn->misfits + first * facts->columns;
    return records;
}

void sbl_drawn_copy(sbl_drawn *drawn, size_t to, const sbl_records *records, size_t from,
                    const sbl_facts *facts)
{
    const size_t d = facts->kind == SBL_DATA_TABLE ? facts->heads.numeric_count : 0;
    const size_t k = facts->kind == SBL_DATA_TABLE ? facts->heads.categorical_count : 0;
    const size_t size = facts->shape.numeric;
    if (d != 0) memcpy(drawn->numeric + to * d, records->numeric + from * d, d * sizeof(double));
    if (k != 0) memcpy(drawn->codes + to * k, records->codes + from * k, k * sizeof(uint32_t));
    if (drawn->pixels != NULL)
        memcpy(drawn->pixels + to * size, records->pixels + from * size, size);
    if (drawn->labels != NULL) drawn->labels[to] = records->labels[from];
    if (drawn->units != NULL) drawn->units[to] = records->units[from];
    for (size_t i = 0; drawn->misfits != NULL && i < facts->columns; i++)
        drawn->misfits[to * facts->columns + i] =
            records->misfits != NULL ? records->misfits[from * facts->columns + i] : 0;
}

void sbl_drawn_set_label(sbl_drawn *drawn, size_t row, const sbl_facts *facts, uint32_t label)
{
    if (drawn->labels == NULL) return;
    drawn->labels[row] = label;
    if (facts->kind == SBL_DATA_TABLE)
        drawn->codes[row * facts->heads.categorical_count + facts->label_column] = label;
}

void sbl_drawn_random(sbl_drawn *drawn, size_t row, const sbl_facts *facts, sbl_model_rng *rng)
{
    const sbl_heads *heads = &facts->heads;
    for (size_t i = 0; drawn->pixels != NULL && i < facts->shape.numeric; i++)
        drawn->pixels[row * facts->shape.numeric + i] = (uint8_t)sbl_model_rng_below(rng, 256);
    for (size_t h = 0; h < heads->count; h++) {
        const sbl_head *head = &heads->items[h];
        if (head->kind == SBL_HEAD_NUMERIC)
            drawn->numeric[row * heads->numeric_count + head->index] = sbl_model_rng_uniform(rng);
        else
            drawn->codes[row * heads->categorical_count + head->index] =
                (uint32_t)sbl_model_rng_below(rng, head->cardinality);
    }
    for (size_t i = 0; drawn->misfits != NULL && i < facts->columns; i++)
        drawn->misfits[row * facts->columns + i] = (uint8_t)sbl_model_rng_below(rng, 2);
    sbl_drawn_set_label(drawn, row, facts, (uint32_t)sbl_model_rng_below(rng, facts->classes));
}
