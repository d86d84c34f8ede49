#include "support/marginals_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "support/cmocka_all.h"

static const char fields[] =
    "{\"fields\":["
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9,"
    "\"required\":true}},"
    "{\"name\":\"sick\",\"type\":\"string\",\"constraints\":{\"enum\":[\"no\",\"yes\"],"
    "\"required\":true}},"
    "{\"name\":\"income\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99999},"
    "\"semblance\":{\"transform\":\"log\"}},"
    "{\"name\":\"power\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":1e300,"
    "\"required\":true}},"
    "{\"name\":\"ward\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}},"
    "{\"name\":\"visit\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2020-01-01\","
    "\"maximum\":\"2020-12-31\",\"required\":true}}]";

void marginals_table_make(marginals_table *table, bool labelled, size_t bins)
{
    char text[2048];
    sbl_error err = {0};
    sbl_marginals_options options;
    sbl_marginals_options_init(&options, bins);
    (void)snprintf(
        text, sizeof text, "%s%s}", fields,
        labelled ? ",\"semblance\":{\"label\":\"sick\",\"task\":\"classification\"}" : "");
    if (sbl_schema_parse(&table->schema, text, strlen(text), "s.json", &err) != SBL_OK ||
        sbl_heads_init(&table->heads, table->schema, &err) != SBL_OK ||
        sbl_marginals_plan_build(&table->plan, table->schema, &table->heads, &options, &err) !=
            SBL_OK)
        fail_msg("%s", err.message);
}

void marginals_table_clear(marginals_table *table)
{
    sbl_marginals_plan_clear(&table->plan);
    sbl_heads_clear(&table->heads);
    sbl_schema_free(table->schema);
}

sbl_release *marginals_release(const sbl_marginals_plan *plan, const double *sums, uint64_t n,
                               double deviation)
{
    const size_t classes = plan->cells.classes, values = classes * plan->cells.total;
    sbl_release *release = sbl_alloc_array(1, sizeof *release);
    release->mechanism = SBL_DISCRETE_GAUSSIAN;
    release->neighbours = n == 0 ? SBL_ADD_REMOVE : SBL_REPLACE_ONE;
    release->n = n;
    release->classes = classes;
    release->plan = strdup(plan->json);
    release->block_count = 1;
    release->blocks = sbl_alloc_array(2, sizeof *release->blocks);
    release->blocks[0] = (sbl_release_block){.width = plan->cells.total,
                                             .columns = classes,
                                             .multiplier = (uint64_t)(0x1p56 / deviation),
                                             .scale = 1};
    (void)snprintf(release->blocks[0].name, sizeof release->blocks[0].name, "marginals");
    release->value_count = values;
    release->values = sbl_alloc_array(values + classes, sizeof *release->values);
    for (size_t i = 0; i < values; i++)
        release->values[i] = (sbl_i128)(sums[i] * (double)release->blocks[0].multiplier);
    return release;
}
