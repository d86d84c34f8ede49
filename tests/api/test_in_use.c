/* SPDX-License-Identifier: Apache-2.0 */
/* One call at a time: a handle that is used by a call refuses every other, from a callback of that call and from another
 * thread; the account of its fits holds every release that was made; and what is freed meanwhile lives as long as it is
 * needed (the sanitizers look). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/memory_kit.h"
#include "semblance/synthesizer.h"
#include "support/arrow_kit.h"
#include "support/cmocka_all.h"
#include "support/key_test.h"

enum { ROWS = 200, THREADS = 4, FITS = 6 };

static kit_cell cells[ROWS];
static const kit_column column = {.name = "town", .format = "u", .cells = cells};
static kit_table table = {.columns = &column, .column_count = 1, .rows = ROWS, .chunk = 50};

static sbl_schema *make_schema(void)
{
    static const char json[] =
        "{\"fields\": [{\"name\": \"town\", \"type\": \"string\", \"constraints\": {\"enum\": "
        "[\"Ayr\", \"Bath\"], \"required\": true}}]}";
    sbl_schema *schema;
    OK(sbl_schema_from_json(&schema, json, strlen(json), NULL, err));
    return schema;
}

static sbl_data *make_data(sbl_open_stream open, void *context)
{
    sbl_data *data;
    for (size_t r = 0; r < ROWS; r++) cells[r].text = r % 3 == 0 ? "Ayr" : "Bath";
    OK(kit_data_opened(&data, open, context, err));
    return data;
}

static sbl_synth_options usual_options(void)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.epsilon = 1;
    options.method = "marginals";
    options.health = "off";
    options.threads = 1;
    return options;
}

/* Releases in the ledger of the handle's own. */
static size_t charged(const sbl_synthesizer *synth)
{
    size_t found = 0;
    const char *at = sbl_synthesizer_text(synth, SBL_TEXT_LEDGER);
    assert_non_null(at);
    while ((at = strstr(at, "COMMIT")) != NULL) {
        at++;
        found++;
    }
    return found;
}

/* ---- from within ---- */

/* Somebody who uses the handles of the call that calls them. */
typedef struct intruder {
    sbl_synthesizer *synth;
    sbl_data *data;
    sbl_schema *schema;
    bool changes; /* the call around changes the handle */
    int calls;
    struct ArrowArrayStream inner; /* the stream whose part it plays */
} intruder;

/* Everything that there is to do with a synthesizer is refused. */
static void try_synthesizer(intruder *in)
{
    const sbl_synth_options options = usual_options();
    sbl_synthesizer_facts facts = {.struct_size = sizeof facts};
    struct ArrowArrayStream stream;
    uint8_t *bytes;
    size_t size;
    char *html;
    sbl_schema *schema;
    sbl_sample_options drawn;
    sbl_column_buffer room;
    sbl_sample_options_init(&drawn);
    sbl_column_buffer_init(&room);
    drawn.rows = 1;
    uint8_t pixel = 0;
#define IN_USE(call) REFUSED(SBL_EBUSY, "the synthesizer is in use", call)
    IN_USE(sbl_synthesizer_fit(in->synth, in->data, in->schema, &options, err));
    IN_USE(sbl_synthesizer_resume(in->synth, in->data, in->schema, &options, err));
    IN_USE(sbl_synthesizer_train(in->synth, &options, err));
    IN_USE(sbl_synthesizer_load(in->synth, (const uint8_t *)"x", 1, NULL, err));
    IN_USE(sbl_synthesizer_load(in->synth, NULL, 0, "nowhere", err));
    IN_USE(sbl_synthesizer_save(in->synth, &bytes, &size, NULL, false, err));
    IN_USE(sbl_synthesizer_save(in->synth, NULL, NULL, "nowhere", false, err));
    IN_USE(sbl_synthesizer_get_facts(in->synth, &facts, err));
    IN_USE(sbl_synthesizer_schema(&schema, in->synth, err));
    IN_USE(sbl_synthesizer_release(in->synth, &bytes, &size, 0, err));
    const sbl_report_options page = {.struct_size = sizeof page, .synth = in->synth};
    IN_USE(sbl_report(&html, &page, err));
    IN_USE(kit_sample_stream(in->synth, &stream, &drawn, err));
    IN_USE(kit_sample_columns(in->synth, &room, 1, &drawn, err));
    IN_USE(kit_sample_images(in->synth, &pixel, NULL, &drawn, err));
    drawn.path = "nowhere";
    IN_USE(sbl_synthesizer_sample(in->synth, &drawn, err));
#undef IN_USE
    if (!in->changes) return;
    assert_null(sbl_synthesizer_text(in->synth, SBL_TEXT_CERTIFICATE));
    assert_null(sbl_synthesizer_text(in->synth, SBL_TEXT_STATEMENT));
    assert_null(sbl_synthesizer_text(in->synth, SBL_TEXT_LEDGER));
}

static void try_data(intruder *in)
{
    const sbl_synth_options options = usual_options();
    sbl_synthesizer *other;
    sbl_values values;
    char *text, *notes;
    sbl_evaluate_options wanted;
    sbl_values_init(&values);
    sbl_evaluate_options_init(&wanted);
    OK(sbl_synthesizer_new(&other, err));
#define IN_USE(call) REFUSED(SBL_EBUSY, "the table is in use", call)
    IN_USE(sbl_synthesizer_fit(other, in->data, in->schema, &options, err));
    IN_USE(sbl_data_append(in->data, &values, 1, 1, err));
    IN_USE(sbl_schema_inspect(&text, &notes, in->data, NULL, false, err));
    IN_USE(sbl_schema_check(&text, in->schema, in->data, err));
    IN_USE(sbl_data_histograms(&text, in->data, in->schema, err));
    IN_USE(sbl_evaluate(&text, NULL, in->data, in->data, NULL, in->schema, &wanted, err));
#undef IN_USE
    sbl_synthesizer_free(other);
}

static int intrude(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    intruder *in = context;
    (void)what, (void)step, (void)steps, (void)loss;
    in->calls++;
    try_synthesizer(in);
    if (in->data != NULL && in->changes) try_data(in);
    return 0;
}

TEST(calls_from_progress_are_refused)
{
    intruder in = {.schema = make_schema(), .changes = true};
    sbl_synth_options options = usual_options();
    sbl_sample_options drawn;
    options.progress = intrude;
    options.context = &in;
    in.data = make_data(kit_open, &table);
    OK(sbl_synthesizer_new(&in.synth, err));
    OK(sbl_synthesizer_fit(in.synth, in.data, in.schema, &options, err));
    assert_true(in.calls > 0);
    assert_int_equal(charged(in.synth), 1);
    assert_int_equal(kit_facts(in.synth).releases, 1);
    /* Who draws may be asked what the handle holds, but not to do anything else. */
    in.changes = false;
    in.calls = 0;
    sbl_sample_options_init(&drawn);
    uint32_t town[5];
    sbl_column_buffer room;
    sbl_column_buffer_init(&room);
    room.name = "town";
    room.type = SBL_VALUES_CODE;
    room.values = town;
    drawn.rows = 5;
    drawn.progress = intrude;
    drawn.context = &in;
    OK(kit_sample_columns(in.synth, &room, 1, &drawn, err));
    assert_true(in.calls > 0);
    OK(sbl_synthesizer_train(in.synth, &options, err));
    sbl_synthesizer_free(in.synth);
    sbl_data_free(in.data);
    sbl_schema_free(in.schema);
    assert_int_equal(kit_alive, 0);
}

/* ---- a table that does it ---- */

static int intrude_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    intruder *in = stream->private_data;
    (void)intrude(in, "", 0, 0, 0);
    return in->inner.get_schema(&in->inner, out);
}

static int intrude_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    intruder *in = stream->private_data;
    (void)intrude(in, "", 0, 0, 0);
    return in->inner.get_next(&in->inner, out);
}

static void intrude_release(struct ArrowArrayStream *stream)
{
    intruder *in = stream->private_data;
    (void)intrude(in, "", 0, 0, 0);
    in->inner.release(&in->inner);
    stream->release = NULL;
}

static int intrude_open(void *context, struct ArrowArrayStream *stream)
{
    intruder *in = context;
    (void)intrude(in, "", 0, 0, 0);
    (void)kit_open(&table, &in->inner);
    *stream = (struct ArrowArrayStream){.get_schema = intrude_schema,
                                        .get_next = intrude_next,
                                        .get_last_error = in->inner.get_last_error,
                                        .release = intrude_release,
                                        .private_data = in};
    return 0;
}

TEST(calls_from_a_stream_are_refused)
{
    intruder in = {.schema = make_schema(), .changes = true};
    const sbl_synth_options options = usual_options();
    in.data = make_data(intrude_open, &in);
    OK(sbl_synthesizer_new(&in.synth, err));
    for (int i = 0; i < 2; i++) OK(sbl_synthesizer_fit(in.synth, in.data, in.schema, &options, err));
    assert_true(in.calls > 6);
    assert_int_equal(charged(in.synth), 2);
    sbl_synthesizer_free(in.synth);
    sbl_data_free(in.data);
    sbl_schema_free(in.schema);
    assert_int_equal(kit_alive, 0);
}

/* ---- freed meanwhile ---- */

static int free_all(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    intruder *in = context;
    (void)what, (void)step, (void)steps, (void)loss;
    in->calls++;
    sbl_synthesizer_free(in->synth);
    sbl_data_free(in->data);
    return 0;
}

TEST(handles_that_are_freed_in_a_callback_live_to_the_end_of_the_call)
{
    intruder in = {.schema = make_schema()};
    sbl_synth_options options = usual_options();
    options.progress = free_all;
    options.context = &in;
    in.data = make_data(kit_open, &table);
    OK(sbl_synthesizer_new(&in.synth, err));
    OK(sbl_synthesizer_fit(in.synth, in.data, in.schema, &options, err));
    assert_true(in.calls > 1);
    sbl_schema_free(in.schema);
    assert_int_equal(kit_alive, 0);
}

/* ---- from other threads ---- */

static void *intrude_in_thread(void *context)
{
    (void)intrude(context, "", 0, 0, 0);
    return NULL;
}

/* While the call around waits in its callback. */
static int intrude_beside(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    pthread_t thread;
    (void)what, (void)step, (void)steps, (void)loss;
    if (pthread_create(&thread, NULL, intrude_in_thread, context) != 0) return 1;
    return pthread_join(thread, NULL);
}

TEST(calls_from_another_thread_are_refused)
{
    intruder in = {.schema = make_schema(), .changes = true};
    sbl_synth_options options = usual_options();
    options.progress = intrude_beside;
    options.context = &in;
    in.data = make_data(kit_open, &table);
    OK(sbl_synthesizer_new(&in.synth, err));
    OK(sbl_synthesizer_fit(in.synth, in.data, in.schema, &options, err));
    assert_true(in.calls > 0);
    assert_int_equal(charged(in.synth), 1);
    sbl_synthesizer_free(in.synth);
    sbl_data_free(in.data);
    sbl_schema_free(in.schema);
}

typedef struct racer {
    sbl_synthesizer *synth;
    const sbl_schema *schema;
    size_t made, refused, other;
} racer;

static void *race(void *context)
{
    racer *r = context;
    const sbl_synth_options options = usual_options();
    for (int i = 0; i < FITS; i++) {
        kit_table own = table;
        sbl_data *data;
        sbl_error err = {0};
        if (kit_data_opened(&data, kit_open, &own, &err) != SBL_OK) return NULL;
        const sbl_status status = sbl_synthesizer_fit(r->synth, data, r->schema, &options, &err);
        r->made += status == SBL_OK;
        r->refused += status == SBL_EBUSY;
        r->other += status != SBL_OK && status != SBL_EBUSY;
        sbl_data_free(data);
    }
    return NULL;
}

/* However they meet: what was made is what is certified. */
TEST(fits_of_several_threads_lose_no_release)
{
    sbl_schema *schema = make_schema();
    sbl_synthesizer *synth;
    pthread_t threads[THREADS];
    racer racers[THREADS];
    size_t made = 0, all = 0;
    sbl_data_free(make_data(kit_open, &table)); /* fills the cells */
    OK(sbl_synthesizer_new(&synth, err));
    for (size_t i = 0; i < THREADS; i++) {
        racers[i] = (racer){.synth = synth, .schema = schema};
        assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(racers[i].other, 0);
        made += racers[i].made;
        all += racers[i].made + racers[i].refused;
    }
    assert_int_equal(all, THREADS * FITS);
    assert_true(made > 0);
    assert_int_equal(charged(synth), made);
    sbl_synthesizer_free(synth);
    sbl_schema_free(schema);
}
