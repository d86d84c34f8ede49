/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of drawn records, in random order within a chunk; persons, keys and parents are numbered anew. */
#include "run/pipeline/resample.h"

#include <string.h>

#include "base/alloc.h"

void sbl_resample_clear(sbl_resample *s)
{
    if (s->facts != NULL) sbl_drawn_clear(&s->out, s->facts);
    *s = (sbl_resample){0};
}

static sbl_status hold(sbl_resample *s, size_t rows, bool whole, sbl_error *err)
{
    sbl_drawn_clear(&s->out, s->facts);
    SBL_CHECK(sbl_drawn_make(&s->out, s->facts, rows, false, err));
    if (whole) SBL_CHECK(sbl_drawn_keep_persons(&s->out, err));
    if (s->facts->table_facts != NULL) SBL_CHECK(sbl_drawn_keep_links(&s->out, err));
    return SBL_OK;
}

sbl_status sbl_resample_init(sbl_resample *s, const sbl_facts *facts, uint64_t records, bool whole,
                             size_t chunk, uint64_t seed, sbl_error *err)
{
    *s = (sbl_resample){.facts = facts, .records = records, .copies = records};
    sbl_model_rng_init(&s->rng, seed, SBL_RNG_REPLICATES, (uint64_t)1 << 55);
    return hold(s, chunk, whole, err);
}

/* Binomial(copies, 1 / records), or Poisson(1): by inversion, from 0 up. */
static uint64_t how_often(sbl_resample *s)
{
    const bool counted = s->records > 0;
    const double n = (double)s->copies, m = (double)s->records;
    double u = sbl_model_rng_uniform(&s->rng);
    uint64_t k = 0;
    if (counted && s->records == 1) return s->copies;
    double part = counted ? sbl_exact_exp(n * sbl_exact_log(1.0 - 1.0 / m)) : sbl_exact_exp(-1.0);
    while (u > part && (!counted || k < s->copies)) {
        u -= part;
        k++;
        part *= counted ? (n - (double)k + 1.0) / ((double)k * (m - 1.0)) : 1.0 / (double)k;
        if (!(part > 1e-300)) break;
    }
    return k;
}

static uint64_t next_weight(sbl_resample *s)
{
    const uint64_t weight = how_often(s);
    if (s->records == 0) return weight;
    s->copies -= weight;
    s->records--;
    return weight;
}

/* One record, rows first .. end - 1, behind `at` rows. */
static void copy_record(sbl_resample *s, size_t at, const sbl_drawn *from, size_t first, size_t end)
{
    const size_t numeric = s->facts->heads.numeric_count, codes = s->facts->heads.categorical_count;
    const size_t rows = end - first;
    sbl_drawn *to = &s->out;
    uint64_t begin[SBL_MOST_TABLES] = {0}, old[SBL_MOST_TABLES] = {0};
    memcpy(to->numeric + at * numeric, from->numeric + first * numeric, rows * numeric * sizeof *to->numeric);
    memcpy(to->codes + at * codes, from->codes + first * codes, rows * codes * sizeof *to->codes);
    for (size_t r = 0; r < rows; r++) {
        if (to->persons != NULL) to->persons[at + r] = s->persons;
        if (to->tables == NULL) continue;
        const uint8_t table = from->tables[first + r];
        if (r == 0 || table != from->tables[first + r - 1]) {
            begin[table] = s->numbers[table];
            old[table] = from->numbers[first + r];
        }
        const size_t parent = table > 0 ? s->facts->declared->tables[table].parent : 0;
        to->tables[at + r] = table;
        to->numbers[at + r] = s->numbers[table]++;
        to->parents[at + r] =
            table > 0 ? begin[parent] + from->parents[first + r] - old[parent] : to->numbers[at + r];
    }
    s->persons++;
}

/* Where each copy begins in the records, in random order. */
static sbl_status list_copies(uint32_t **list, size_t *count, sbl_resample *s, const sbl_drawn *records,
                              size_t rows, sbl_error *err)
{
    sbl_status status = SBL_OK;
    size_t size = 0;
    *count = 0;
    for (size_t r = 0; r < rows; r++) {
        if (r > 0 && records->persons != NULL && records->persons[r] == records->persons[r - 1]) continue;
        const uint64_t weight = next_weight(s);
        if (*count + weight > size) {
            size = 2 * (*count + (size_t)weight);
            SBL_RESIZE(*list, size, "a few records");
        }
        for (uint64_t i = 0; i < weight; i++) (*list)[(*count)++] = (uint32_t)r;
    }
    if (*count > 0) sbl_model_rng_shuffle(&s->rng, *list, *count);
done:
    return status;
}

static size_t end_of(const sbl_drawn *records, size_t first, size_t rows)
{
    size_t end = first + 1;
    while (records->persons != NULL && end < rows && records->persons[end] == records->persons[first]) end++;
    return end;
}

sbl_status sbl_resample_write(sbl_resample *s, sbl_sink *sink, const sbl_drawn *records, size_t rows,
                              sbl_error *err)
{
    uint32_t *list = NULL;
    size_t count = 0, at = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(list_copies(&list, &count, s, records, rows, err));
    for (size_t i = 0; i < count; i++) {
        const size_t end = end_of(records, list[i], rows), more = end - list[i];
        if (at + more > s->out.rows && at > 0) {
            SBL_TRY(sbl_sink_write(sink, &s->out, at, err));
            at = 0;
        }
        if (more > s->out.rows) SBL_TRY(hold(s, more, true, err));
        copy_record(s, at, records, list[i], end);
        at += more;
    }
    if (at > 0) SBL_TRY(sbl_sink_write(sink, &s->out, at, err));
done:
    sbl_free(list);
    return status;
}
