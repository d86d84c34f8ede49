/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables in memory: customers and their orders in, others like them out, into a folder.
 *
 *     linked FOLDER
 *
 * 2,000 made-up customers stand in for data that may not be shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <semblance/synthesizer.h>

#define CUSTOMERS 2000
#define MOST_ORDERS (3 * CUSTOMERS)

static void check(sbl_status status, const sbl_error *err)
{
    if (status == SBL_OK) return;
    (void)fprintf(stderr, "%s\n", err->message);
    exit(sbl_status_exit_code(status));
}

/* What is publicly known: the columns of each table, and by which keys they are linked. */
static const char package[] =
    "{\"resources\": ["
    " {\"name\": \"customers\", \"schema\": {\"primaryKey\": \"id\", \"fields\": ["
    "   {\"name\": \"id\", \"type\": \"integer\"},"
    "   {\"name\": \"region\", \"type\": \"string\","
    "    \"constraints\": {\"enum\": [\"north\", \"south\"], \"required\": true}}]}},"
    " {\"name\": \"orders\", \"schema\": {\"foreignKeys\": [{\"fields\": \"customer\","
    "    \"reference\": {\"resource\": \"customers\", \"fields\": \"id\"}}], \"fields\": ["
    "   {\"name\": \"customer\", \"type\": \"integer\"},"
    "   {\"name\": \"price\", \"type\": \"number\","
    "    \"constraints\": {\"minimum\": 0, \"maximum\": 100, \"required\": true},"
    "    \"semblance\": {\"decimals\": 2}}],"
    "    \"semblance\": {\"max_rows_per_unit\": 5}}}]}";

/* A handle for each table, and one of both. Those of the tables may be freed at once. */
static sbl_data *open_tables(sbl_error *err)
{
    static int32_t ids[CUSTOMERS], buyers[MOST_ORDERS];
    static const char *regions[CUSTOMERS];
    static double prices[MOST_ORDERS];
    static const char *const names[] = {"customers", "orders"};
    const sbl_values customers[] = {{sizeof(sbl_values), "id", SBL_VALUES_INT32, ids, NULL},
                                    {sizeof(sbl_values), "region", SBL_VALUES_TEXT, regions, NULL}};
    const sbl_values orders[] = {{sizeof(sbl_values), "customer", SBL_VALUES_INT32, buyers, NULL},
                                 {sizeof(sbl_values), "price", SBL_VALUES_DOUBLE, prices, NULL}};
    sbl_data *tables[2], *linked;
    size_t count = 0;
    for (int i = 0; i < CUSTOMERS; i++) {
        ids[i] = i;
        regions[i] = i % 5 < 2 ? "south" : "north";
        for (int n = i * 7 % 4; n > 0; n--, count++) {
            buyers[count] = i;
            prices[count] = (i % 5 < 2 ? 40 : 20) + i * n % 17;
        }
    }
    check(sbl_data_new(&tables[0], "customers", err), err);
    check(sbl_data_new(&tables[1], "orders", err), err);
    check(sbl_data_append(tables[0], customers, 2, CUSTOMERS, err), err);
    check(sbl_data_append(tables[1], orders, 2, count, err), err);
    check(sbl_data_link(&linked, tables, names, 2, NULL, err), err);
    sbl_data_free(tables[0]);
    sbl_data_free(tables[1]);
    return linked;
}

int main(int argc, char **argv)
{
    sbl_error err = {0};
    sbl_schema *schema;
    sbl_synthesizer *synth;
    sbl_synth_options options;
    sbl_sample_options sample;
    if (argc != 2) {
        (void)fprintf(stderr, "usage: linked FOLDER\n");
        return 2;
    }
    sbl_data *data = open_tables(&err);
    sbl_synth_options_init(&options);
    options.epsilon = 1;
    sbl_sample_options_init(&sample);
    sample.persons = 100;
    sample.path = argv[1]; /* customers.csv, orders.csv and datapackage.json */
    check(sbl_schema_from_json(&schema, package, strlen(package), "the package", &err), &err);
    check(sbl_synthesizer_new(&synth, &err), &err);
    check(sbl_synthesizer_fit(synth, data, schema, &options, &err), &err);
    check(sbl_synthesizer_sample(synth, &sample, &err), &err);
    (void)printf("%s", sbl_synthesizer_text(synth, SBL_TEXT_STATEMENT));
    sbl_synthesizer_free(synth);
    sbl_schema_free(schema);
    sbl_data_free(data);
    return 0;
}
