/* SPDX-License-Identifier: Apache-2.0 */
/* A process that was forked after a fit works with threads = 1: no call may wait for OpenMP's threads, which stayed in the
 * parent. Every call that takes no number of threads uses one. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/memory_kit.h"
#include "base/compute/threads.h"
#include "semblance/memory.h"
#include "semblance/report.h"
#include "support/arrow_kit.h"

FREES(sbl_synthesizer_free);
FREES(sbl_free);

enum { ROWS = 400, COLUMNS = 3, PATIENCE = 300 };

static kit_cell cells[COLUMNS][ROWS];
static const kit_column columns[COLUMNS] = {{.name = "a", .format = "u", .cells = cells[0]},
                                            {.name = "b", .format = "u", .cells = cells[1]},
                                            {.name = "c", .format = "u", .cells = cells[2]}};
static kit_table table = {.columns = columns, .column_count = COLUMNS, .rows = ROWS, .chunk = 100};

static sbl_schema *make_schema(void)
{
    static const char json[] =
        JSON({"fields": [{"name": "a", "type": "string", "constraints": {"enum": ["x",
        "y"]}}, {"name": "b", "type": "string", "constraints": {"enum": ["x", "y"]}},
        {"name": "c", "type": "string", "constraints": {"enum": ["x", "y"]}}]});
    sbl_schema *schema;
    OK(sbl_schema_from_json(&schema, json, strlen(json), NULL, err));
    return schema;
}

static sbl_data *make_data(void)
{
    sbl_data *data;
    for (size_t c = 0; c < COLUMNS; c++)
        for (size_t r = 0; r < ROWS; r++) cells[c][r].text = r % (c + 2) == 0 ? "x" : "y";
    OK(kit_data_opened(&data, kit_open, &table, err));
    return data;
}

static sbl_synthesizer *fit(const char *method, unsigned threads)
{
    sbl_synthesizer *synth;
    sbl_synth_options options;
    sbl_data *data = make_data();
    sbl_schema *schema = make_schema();
    sbl_synth_options_init(&options);
    options.epsilon = 1;
    options.method = method;
    options.health = "off";
    options.threads = threads;
    OK(sbl_synthesizer_new(&synth, err));
    OK(sbl_synthesizer_fit(synth, data, schema, &options, err));
    sbl_schema_free(schema);
    sbl_data_free(data);
    return synth;
}

/* Everything that a model is asked for. */
static void use(sbl_synthesizer *synth)
{
    FREED(sbl_synthesizer_free) sbl_synthesizer *loaded;
    sbl_schema *schema;
    sbl_sample_options draw;
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    FREED(sbl_free) uint8_t *model;
    size_t size;
    FREED(sbl_free) char *page;
    sbl_sample_options_init(&draw);
    draw.rows = 10;
    draw.threads = 1;
    assert_true(kit_facts(synth).has_model);
    OK(sbl_synthesizer_schema(&schema, synth, err));
    OK(sbl_synthesizer_save(synth, &model, &size, NULL, false, err));
    OK(sbl_synthesizer_new(&loaded, err));
    OK(sbl_synthesizer_load(loaded, model, size, NULL, err));
    assert_true(kit_facts(loaded).has_model);
    OK(kit_sample_stream(loaded, &stream, &draw, err));
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(batch.length, 10);
    batch.release(&batch);
    stream.release(&stream);
    const sbl_report_options report = {.struct_size = sizeof report, .synth = synth};
    OK(sbl_report(&page, &report, err));
    sbl_schema_free(schema);
}

/* How a child ends that fits and uses a model, and one of its parent; a hung one is killed. */
static int child_of(const char *method, sbl_synthesizer *fitted)
{
    int status = 0;
    const pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (child == 0) {
        alarm(PATIENCE);
        use(fitted);
        sbl_synthesizer *own = fit(method, 1);
        use(own);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

TEST(a_forked_process_works_with_one_thread)
{
    static const char *const methods[] = {"pairs", "forest", "marginals"};
    sbl_thread_set(4); /* more than one on any machine */
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        FREED(sbl_synthesizer_free) sbl_synthesizer *fitted = fit(methods[i], 4);
        assert_int_equal(child_of(methods[i], fitted), 0);
        assert_int_equal(sbl_thread_limit(), 4);
    }
}
