/* SPDX-License-Identifier: Apache-2.0 */
/* The schema text of that table, and a release whose values are multiplied sums without noise. */
#include "support/marginals_table.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "support/cmocka_all.h"

#define FIELDS                                                                                     \
    "{\"fields\":["                                                                                \
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9,"         \
    "\"required\":true}},"                                                                         \
    "{\"name\":\"sick\",\"type\":\"string\",\"constraints\":{\"enum\":[\"no\",\"yes\"],"           \
    "\"required\":true}},"                                                                         \
    "{\"name\":\"income\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99999}," \
    "\"semblance\":{\"transform\":\"log\"}},"                                                      \
    "{\"name\":\"power\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":1e300,"    \
    "\"required\":true}},"                                                                         \
    "{\"name\":\"ward\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}},"      \
    "{\"name\":\"visit\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2020-01-01\","           \
    "\"maximum\":\"2020-12-31\",\"required\":true}}]"

const char *marginals_table_schema(bool labelled)
{
    return labelled ? FIELDS ",\"semblance\":{\"label\":\"sick\",\"task\":\"classification\"}}" : FIELDS "}";
}

void marginals_table_of(marginals_table *table, const char *text, size_t bins)
{
    sbl_schema *schema;
    sbl_error err = {0};
    if (sbl_schema_parse(&schema, text, strlen(text), "s.json", &err) != SBL_OK ||
        sbl_facts_of_table(&table->facts, schema, &err) != SBL_OK ||
        sbl_bins_init(&table->cells, schema, &table->facts.heads, bins != 0 ? bins : 32,
                      bins != 0 ? bins : 128, &err) != SBL_OK)
        fail_msg("%s", err.message);
}

void marginals_table_make(marginals_table *table, bool labelled, size_t bins)
{
    marginals_table_of(table, marginals_table_schema(labelled), bins);
}

void marginals_table_clear(marginals_table *table)
{
    sbl_bins_clear(&table->cells);
    sbl_facts_clear(&table->facts);
}

sbl_release *marginals_release(const sbl_bins *cells, const double *sums, uint64_t n, double deviation)
{
    const size_t classes = cells->classes, values = classes * cells->total;
    sbl_release *release = sbl_alloc_array(1, sizeof *release);
    release->mechanism = SBL_DISCRETE_GAUSSIAN;
    release->neighbours = n == 0 ? SBL_ADD_REMOVE : SBL_REPLACE_ONE;
    release->n = n;
    release->classes = classes;
    release->plan = strdup("{}");
    release->block_count = 1;
    release->blocks = sbl_alloc_array(2, sizeof *release->blocks);
    release->blocks[0] = (sbl_block){.width = cells->total,
                                     .per_class = classes > 1,
                                     .multiplier = (uint64_t)(0x1p56 / deviation),
                                     .scale = 1};
    (void)snprintf(release->blocks[0].name, sizeof release->blocks[0].name, "cells");
    release->value_count = values;
    release->values = sbl_alloc_array(values + classes, sizeof *release->values);
    for (size_t i = 0; i < values; i++)
        release->values[i] = (sbl_i128)(sums[i] * (double)release->blocks[0].multiplier);
    return release;
}
