/* SPDX-License-Identifier: Apache-2.0 */
/* Kolmogorov-Smirnov distances of histories: over gaps between events, and over persons by one number of
 * each. Persons without a value (all missing) have no sum and no mean. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/order.h"
#include "owner/fidelity/measures.h"
#include "owner/fidelity/person_events.h"

/* Samples of all tables, which are compared and freed together. */
typedef struct samples {
    double *values[SBL_ROLE_COUNT];
    size_t room[SBL_ROLE_COUNT], counts[SBL_ROLE_COUNT];
} samples;

static sbl_status make_samples(samples *s, size_t table, size_t room, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(s->values[table], room, "numbers of persons");
    s->room[table] = room;
done:
    return status;
}

static void compare_samples(sbl_triple ks, samples *s, const sbl_tables *tables)
{
    sbl_triple wasserstein;
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++)
        qsort(s->values[t], s->counts[t], sizeof **s->values, sbl_double_order);
    sbl_sample_triples(ks, wasserstein, s->values, s->counts, tables);
}

static void clear_samples(samples *s)
{
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) sbl_free_wiped(s->values[t], s->room[t] * sizeof **s->values);
}

sbl_status sbl_history_gaps(sbl_triple ks, const sbl_histories *h, sbl_error *err)
{
    samples s = {0};
    sbl_status status = SBL_OK;
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) {
        const sbl_history_table *table = &h->of[t];
        SBL_TRY(make_samples(&s, t, table->later_count, err));
        for (size_t i = 0; i < table->later_count; i++)
            s.values[t][s.counts[t]++] = table->times[table->later[i]] - table->times[table->later[i] - 1];
    }
    compare_samples(ks, &s, h->tables);
done:
    clear_samples(&s);
    return status;
}

/* ---- a number of each person ---- */

/* A number, or the place of a category among the declared ones. False: it is missing or stands apart. */
static bool value_of(double *value, const sbl_view_column *column, const sbl_frame *frame, size_t row)
{
    if (!column->numeric) {
        const uint32_t code = sbl_view_code(column, frame, row);
        *value = (double)code;
        return code < column->column->categories.count;
    }
    *value = sbl_history_number(column, frame, row);
    return sbl_view_apart(column, frame, row) == 0;
}

/* The sum of a person's values, and how many there are. */
static size_t add_up(double *sum, const sbl_history_table *table, const sbl_view_column *column,
                     size_t person)
{
    size_t present = 0;
    double value;
    *sum = 0.0;
    for (size_t i = table->starts[person]; i < table->starts[person + 1]; i++) {
        if (!value_of(&value, column, table->frame, table->rows[i])) continue;
        *sum += value;
        present++;
    }
    return present;
}

/* How many different categories a person has, missing aside; seen (categories): persons + 1 that had each last. */
static size_t count_distinct(uint32_t *seen, const sbl_history_table *table, const sbl_view_column *column,
                             size_t person)
{
    size_t distinct = 0;
    for (size_t i = table->starts[person]; i < table->starts[person + 1]; i++) {
        const uint32_t code = sbl_view_code(column, table->frame, table->rows[i]);
        if (code >= column->column->categories.count || seen[code] == person + 1) continue;
        seen[code] = (uint32_t)person + 1;
        distinct++;
    }
    return distinct;
}

/* False: this person has none. */
static bool number_of(double *value, uint32_t *seen, const sbl_history_table *table, sbl_person_number number,
                      const sbl_view_column *column, size_t person)
{
    if (number == SBL_PERSON_SPAN) {
        *value = table->times[table->starts[person + 1] - 1] - table->times[table->starts[person]];
        return true;
    }
    if (number == SBL_PERSON_DISTINCT) {
        *value = (double)count_distinct(seen, table, column, person);
        return true;
    }
    const size_t present = add_up(value, table, column, person);
    if (number == SBL_PERSON_MEAN && present != 0) *value /= (double)present;
    return present != 0;
}

sbl_status sbl_history_persons(sbl_triple ks, const sbl_histories *h, sbl_person_number number,
                               const sbl_view_column *column, sbl_error *err)
{
    samples s = {0};
    uint32_t *seen = NULL;
    sbl_status status = SBL_OK;
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) {
        const sbl_history_table *table = &h->of[t];
        sbl_free(seen);
        SBL_ALLOC(seen, number == SBL_PERSON_DISTINCT ? column->cells : 0, "numbers of persons");
        SBL_TRY(make_samples(&s, t, table->persons, err));
        for (size_t p = 0; p < table->persons; p++)
            s.counts[t] += number_of(&s.values[t][s.counts[t]], seen, table, number, column, p) ? 1 : 0;
    }
    compare_samples(ks, &s, h->tables);
done:
    sbl_free(seen);
    clear_samples(&s);
    return status;
}
