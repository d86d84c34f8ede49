/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest client of both libraries: a table that one of them holds, and the other compares with itself. */
#include <semblance.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "{\"fields\": [{\"name\": \"age\", \"type\": \"integer\", \"constraints\": "
    "{\"minimum\": 0, \"maximum\": 100}}]}";

static sbl_status evaluate(sbl_data **data, sbl_schema **schema, char **json, sbl_error *err)
{
    const int32_t ages[] = {20, 30, 40, 50};
    sbl_evaluate_options options;
    sbl_values age;
    sbl_values_init(&age);
    age.name = "age";
    age.type = SBL_VALUES_INT32;
    age.values = ages;
    sbl_evaluate_options_init(&options);
    options.models = "none";
    sbl_status status = sbl_data_new(data, NULL, err);
    if (status == SBL_OK) status = sbl_data_append(*data, &age, 1, 4, err);
    if (status == SBL_OK) status = sbl_schema_from_json(schema, text, strlen(text), NULL, err);
    if (status == SBL_OK) status = sbl_evaluate(json, NULL, *data, *data, NULL, *schema, &options, err);
    return status;
}

int main(void)
{
    sbl_data *data = NULL;
    sbl_schema *schema = NULL;
    char *json = NULL;
    sbl_error err;
    const sbl_status status = evaluate(&data, &schema, &json, &err);
    if (status != SBL_OK) (void)fprintf(stderr, "%s\n", err.message);
    sbl_free(json);
    sbl_schema_free(schema);
    sbl_data_free(data);
    return status == SBL_OK ? 0 : 1;
}
