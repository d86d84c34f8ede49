/* SPDX-License-Identifier: Apache-2.0 */
#include "support/small_fit.h"

enum { ROWS = 100 };

static sbl_status fill(sbl_data *data, sbl_error *err)
{
    double heights[ROWS];
    sbl_values column;
    for (int row = 0; row < ROWS; row++) heights[row] = row % 11;
    sbl_values_init(&column);
    column.name = "height";
    column.type = SBL_VALUES_DOUBLE;
    column.values = heights;
    return sbl_data_append(data, &column, 1, ROWS, err);
}

sbl_status small_fit(double epsilon, const char *release, const char *certificate, const char *ledger,
                     sbl_error *err)
{
    static const char json[] =
        "{\"fields\":[{\"name\":\"height\",\"type\":\"number\","
        "\"constraints\":{\"minimum\":0,\"maximum\":10,\"required\":true}}]}";
    sbl_synth_options options;
    sbl_synthesizer *synth = NULL;
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    sbl_synth_options_init(&options);
    options.method = "marginals";
    options.epsilon = epsilon;
    options.delta = 1e-5;
    options.release_path = release;
    options.certificate_path = certificate;
    options.ledger_path = ledger;
    sbl_status status = sbl_schema_from_json(&schema, json, sizeof json - 1, NULL, err);
    if (status == SBL_OK) status = sbl_data_new(&data, NULL, err);
    if (status == SBL_OK) status = fill(data, err);
    if (status == SBL_OK) status = sbl_synthesizer_new(&synth, err);
    if (status == SBL_OK) status = sbl_synthesizer_fit(synth, data, schema, &options, err);
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    sbl_schema_free(schema);
    return status;
}
