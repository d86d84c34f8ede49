/* SPDX-License-Identifier: Apache-2.0 */
/* A table in memory: private rows in, synthetic rows out, no files.
 *
 * 2,000 made-up patients stand in for data that may not be shown. */
#include <stdio.h>
#include <stdlib.h>

#include <semblance/synthesizer.h>

#define PATIENTS 2000
#define WANTED 5

static const char *const wards[] = {"surgery", "cardiology", "maternity"};

static void check(sbl_status status, const sbl_error *err)
{
    if (status == SBL_OK) return;
    (void)fprintf(stderr, "%s\n", err->message);
    exit(sbl_status_exit_code(status));
}

/* What is publicly known of the columns: bounds and categories, never read off the records. */
static sbl_schema *describe(sbl_error *err)
{
    sbl_schema_builder *builder;
    sbl_schema_field age, ward;
    sbl_schema *schema;
    sbl_schema_field_init(&age);
    age.name = "age";
    age.type = SBL_TYPE_INTEGER;
    age.maximum = 110;
    sbl_schema_field_init(&ward);
    ward.name = "ward";
    ward.type = SBL_TYPE_STRING;
    ward.categories = wards;
    ward.category_count = 3;
    check(sbl_schema_builder_new(&builder, err), err);
    check(sbl_schema_builder_add(builder, &age, err), err);
    check(sbl_schema_builder_add(builder, &ward, err), err);
    check(sbl_schema_builder_finish(builder, &schema, err), err);
    sbl_schema_builder_free(builder);
    return schema;
}

int main(void)
{
    static int32_t ages[PATIENTS];
    static const char *seen[PATIENTS];
    for (int i = 0; i < PATIENTS; i++) {
        ages[i] = 20 + i * 37 % 70;
        seen[i] = wards[ages[i] > 60 ? 1 : i % 3];
    }
    int64_t age[WANTED];
    uint32_t ward[WANTED];
    const sbl_values rows[] = {{sizeof(sbl_values), "age", SBL_VALUES_INT32, ages, NULL},
                               {sizeof(sbl_values), "ward", SBL_VALUES_TEXT, seen, NULL}};
    const sbl_column_buffer drawn[] = {{sizeof(sbl_column_buffer), "age", SBL_VALUES_INT64, age, NULL},
                                       {sizeof(sbl_column_buffer), "ward", SBL_VALUES_CODE, ward, NULL}};
    sbl_error err = {0};
    sbl_data *data;
    sbl_synthesizer *synth;
    sbl_synth_options options;
    sbl_sample_options sample;
    sbl_schema *schema = describe(&err);
    sbl_schema_column ward_facts = {.struct_size = sizeof ward_facts};
    check(sbl_schema_get_column(schema, &ward_facts, 1, &err), &err);
    sbl_synth_options_init(&options);
    options.epsilon = 1;
    sbl_sample_options_init(&sample);
    sample.rows = WANTED;
    sample.columns = drawn;
    sample.column_count = 2;
    check(sbl_data_new(&data, "patients", &err), &err);
    check(sbl_data_append(data, rows, 2, PATIENTS, &err), &err);
    check(sbl_synthesizer_new(&synth, &err), &err);
    check(sbl_synthesizer_fit(synth, data, schema, &options, &err), &err);
    check(sbl_synthesizer_sample(synth, &sample, &err), &err);
    for (int i = 0; i < WANTED; i++)
        (void)printf("%3d  %s\n", (int)age[i], ward[i] < 3 ? ward_facts.categories[ward[i]] : "");
    (void)printf("\n%s", sbl_synthesizer_text(synth, SBL_TEXT_STATEMENT));
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    sbl_schema_free(schema);
    return 0;
}
