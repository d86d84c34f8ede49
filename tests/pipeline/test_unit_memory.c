/* SPDX-License-Identifier: Apache-2.0 */
/* A person with a hostile id, in memory: thirty rows of one id move the releases by what three rows are charged for,
 * whatever bytes or value the id is, as an Arrow stream and as typed buffers. */
#include <stdio.h>
#include <string.h>

#include "public/schema/schema_type.h"
#include "semblance/data.h"
#include "semblance/synthesizer.h"
#include "support/arrow_kit.h"
#include "support/key_test.h"
#include "support/run_kit.h"

enum { OTHERS = 40, OWN = 30, MOST = OTHERS + OWN };

static sbl_schema *schema_of_persons(void)
{
    static const char json[] = JSON({"fields": [{"name": "town", "type": "string",
        "constraints": {"enum": ["Ayr", "Bath"],
        "required": true}}, {"name": "who"}], "semblance": {"unit": "who", "max_rows_per_unit": 3}});
    sbl_schema *schema;
    sbl_error err = {0};
    assert_ok_or_say(sbl_schema_parse(&schema, json, strlen(json), "test", &err));
    return schema;
}

/* A fit under the fixed key; its release and what was charged for it. */
static void fit(replayed *run, sbl_data *data, const char *name)
{
    char release[340], ledger[360];
    sbl_synth_options options;
    sbl_synthesizer *synth;
    sbl_error err = {0};
    sbl_schema *schema = schema_of_persons();
    (void)snprintf(release, sizeof release, "%s/%s", folder, name);
    (void)snprintf(ledger, sizeof ledger, "%s.ledger", release);
    sbl_synth_options_init(&options);
    options.method = "marginals";
    options.epsilon = 8;
    options.health = "off";
    options.neighbours = SBL_ADD_REMOVE;
    options.release_path = release;
    assert_ok(sbl_synthesizer_new(&synth, &err));
    sbl_test_key_set(7);
    assert_ok_or_say(sbl_synthesizer_fit(synth, data, schema, &options, &err));
    replayed_load(run, release, ledger);
    sbl_synthesizer_free(synth);
    sbl_schema_free(schema);
    sbl_data_free(data);
}

/* All that was charged is moved by three of the thirty rows, and no more by the others. */
static void expect_charge(sbl_data *without, sbl_data *with, const char *what)
{
    replayed a, b;
    (void)remove_folder(NULL);
    (void)make_folder(NULL);
    fit(&a, without, "without");
    fit(&b, with, "with");
    const double part = replayed_compare(&a, &b, what);
    if (part < 0.99) fail_msg("%s: %.6f of the charge is used", what, part);
    replayed_clear(&a);
    replayed_clear(&b);
}

/* ---- Arrow ---- */

/* own: of the last OWN rows. */
typedef struct people {
    kit_cell towns[MOST], ids[MOST];
    kit_column columns[2];
    kit_table table;
} people;

static sbl_data *stream_of(people *p, const char *format, const kit_cell *own, size_t rows)
{
    sbl_data *data;
    *p = (people){0};
    for (size_t r = 0; r < rows; r++) {
        p->towns[r].text = r < OTHERS && r % 2 == 0 ? "Bath" : "Ayr";
        if (r >= OTHERS) {
            p->ids[r] = own[r % 2];
            continue;
        }
        p->ids[r] = (kit_cell){.whole = 100 + (int64_t)r / 2, .number = (double)(r / 2) + 0.25};
        p->ids[r].text = &"abcdefghijklmnopqrstuvwxyz"[r / 2];
    }
    p->columns[0] = (kit_column){.name = "town", .format = "u", .cells = p->towns};
    p->columns[1] = (kit_column){.name = "who", .format = format, .cells = p->ids};
    p->table = (kit_table){.columns = p->columns, .column_count = 2, .rows = rows, .chunk = 9};
    assert_ok(kit_data_opened(&data, kit_open, &p->table, NULL));
    return data;
}

TEST(thirty_rows_of_an_id_in_arrays_move_what_was_charged)
{
    static const struct {
        const char *format;
        kit_cell own[2]; /* two ways of one id */
    } ids[] = {
        {"u", {{.text = "\0", .length = 1}, {.text = " \0", .length = 2}}},
        {"U", {{.text = "\0x", .length = 2}, {.text = "\0x\t", .length = 3}}},
        {"vu", {{.text = "\xff", .length = 1}, {.text = "\xff ", .length = 2}}},
        {"u", {{.text = "7"}, {.text = "7.0"}}},
        {"g", {{.number = 0.0}, {.number = -0.0}}},
        {"l", {{.whole = INT64_MIN}, {.whole = INT64_MIN}}},
        {"tsn:", {{.whole = 1}, {.whole = 1}}},
    };
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        static people without, with;
        expect_charge(stream_of(&without, ids[i].format, NULL, OTHERS),
                      stream_of(&with, ids[i].format, ids[i].own, MOST), ids[i].format);
    }
    assert_int_equal(kit_alive, 0);
}

/* ---- typed buffers ---- */

static sbl_data *buffers_of(const char *const *ids, size_t rows)
{
    const char *towns[MOST];
    sbl_values columns[2];
    sbl_data *data;
    for (size_t r = 0; r < rows; r++) towns[r] = r < OTHERS && r % 2 == 0 ? "Bath" : "Ayr";
    sbl_values_init(&columns[0]);
    sbl_values_init(&columns[1]);
    columns[0].name = "town";
    columns[0].values = towns;
    columns[1].name = "who";
    columns[1].values = ids;
    columns[0].type = columns[1].type = SBL_VALUES_TEXT;
    assert_ok(sbl_data_new(&data, NULL, NULL));
    assert_ok(sbl_data_append(data, columns, 2, rows, NULL));
    return data;
}

TEST(thirty_rows_of_an_id_in_buffers_move_what_was_charged)
{
    static const char *const spellings[] = {"-0.0", "0", " 0.0 "};
    const char *ids[MOST];
    for (size_t r = 0; r < MOST; r++)
        ids[r] = r < OTHERS ? &"abcdefghijklmnopqrstuvwxyz"[r / 2] : spellings[r % 3];
    expect_charge(buffers_of(ids, OTHERS), buffers_of(ids, MOST), "buffers");
}

/* ---- without a record ---- */

TEST(table_of_persons_is_planned_from_its_schema)
{
    sbl_schema *schema = schema_of_persons();
    sbl_synth_options options;
    sbl_error err = {0};
    char *text;
    sbl_synth_options_init(&options);
    options.epsilon = 1;
    for (int rows = 0; rows < 2; rows++) {
        options.method = rows ? "pairs" : NULL;
        assert_ok_or_say(sbl_synthesizer_plan(&text, schema, NULL, 2000, false, &options, &err));
        assert_non_null(strstr(text, rows ? "at most 3 rows of a person count"
                                          : "one person, with all rows; at most 3 of them"));
        sbl_free(text);
    }
    sbl_schema_free(schema);
}

ALL_TESTS(make_folder, remove_folder)
