/* SPDX-License-Identifier: Apache-2.0 */
#include "visits.h"

#include "public/plan/parameters.h"
#include "records/accumulate/sum.h"

enum { EVENTS, STEPS, PERSONS, BLOCKS };

static sbl_status make(void **made, const sbl_facts *facts, const json_t *given, sbl_error *err)
{
    *made = (void *)(uintptr_t)facts;
    return sbl_parameters_are(given, 0, "visits", err);
}

static size_t codes_of(const sbl_facts *facts) { return facts->heads.items[0].cardinality; }

static size_t count(const void *made)
{
    (void)made;
    return BLOCKS;
}

static void describe(const void *made, sbl_block *blocks, double *weights)
{
    const size_t codes = codes_of(made);
    const size_t most = sbl_facts_rows_per_unit(made);
    const size_t widths[] = {codes + most, codes * codes, most};
    static const char *const names[] = {"visits", "steps", "number"};
    for (size_t b = 0; b < BLOCKS; b++) {
        const uint64_t tables = b == EVENTS ? 2 : 1;
        blocks[b] = (sbl_block){.width = widths[b],
                                .nonnegative = true,
                                .bound2 = tables * VISITS_UNIT * VISITS_UNIT,
                                .bound1 = tables * VISITS_UNIT,
                                .scale = VISITS_UNIT};
        for (size_t i = 0; names[b][i] != '\0'; i++) blocks[b].name[i] = names[b][i];
        weights[b] = 1.0 / VISITS_UNIT;
    }
}

/* Entries of a slice. */
typedef struct slice {
    size_t starts[SBL_PERSON_SLICE + 1];
    uint32_t entries[2 * SBL_PERSON_SLICE * SBL_ROWS_PER_UNIT_MAX];
    uint32_t amounts[2 * SBL_PERSON_SLICE * SBL_ROWS_PER_UNIT_MAX];
} slice;

static size_t workspace_bytes(const void *made)
{
    (void)made;
    return sizeof(slice);
}

static void put(slice *s, size_t person, size_t entry, size_t amount)
{
    s->entries[s->starts[person + 1]] = (uint32_t)entry;
    s->amounts[s->starts[person + 1]++] = (uint32_t)amount;
}

static void list(slice *s, size_t block, const sbl_facts *facts, const sbl_records *records)
{
    const size_t codes = codes_of(facts);
    const size_t wide = facts->heads.categorical_count;
    for (size_t p = 0; p < records->rows; p++) {
        const uint32_t *code = records->events.codes + records->events.starts[p] * wide;
        const size_t m = records->events.starts[p + 1] - records->events.starts[p];
        s->starts[p + 1] = s->starts[p];
        if (block == PERSONS) put(s, p, m - 1, VISITS_UNIT);
        for (size_t t = 0; block == EVENTS && t < m; t++) {
            put(s, p, code[t * wide], VISITS_UNIT / m);
            put(s, p, codes + t, VISITS_UNIT / m);
        }
        for (size_t t = 1; block == STEPS && t < m; t++)
            put(s, p, code[(t - 1) * wide] * codes + code[t * wide], VISITS_UNIT / (m - 1));
    }
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    slice *s = workspace;
    sbl_status status = SBL_OK;
    for (size_t b = 0; b < BLOCKS; b++) {
        list(s, b, made, records);
        SBL_TRY(sbl_sum_add_sparse(sum, block + b, s->starts, s->entries, s->amounts, err));
    }
done:
    return status;
}

const sbl_feature feature_visits = {
    .name = "visits",
    .make = make,
    .count = count,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
    .whole_units = true,
};
