/* SPDX-License-Identifier: Apache-2.0 */
/* Every public function, called as nobody should: NULL where something is needed, structs of other
 * versions. It must answer SBL_EARG with a message, or what its header says, and not crash.
 * layout.doors holds that no function is left out. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compute/threads.h"
#include "semblance/account.h"
#include "semblance/ask.h"
#include "semblance/audit.h"
#include "semblance/certificate.h"
#include "semblance/combine.h"
#include "semblance/data.h"
#include "semblance/estimate.h"
#include "semblance/evaluate.h"
#include "semblance/files.h"
#include "semblance/ledger.h"
#include "semblance/memory.h"
#include "semblance/options.h"
#include "semblance/register.h"
#include "semblance/report.h"
#include "semblance/shards.h"
#include "semblance/status.h"
#include "semblance/synthesizer.h"
#include "semblance/version.h"
#include "support/by_path.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

FREES(sbl_schema_free);

/* The call is refused as SBL_EARG with a message, with and without room for one. */
#define REFUSED(call)                                \
    do {                                             \
        sbl_error error_ = {0}, *err = &error_;      \
        assert_int_equal(call, SBL_EARG);            \
        assert_int_equal(error_.status, SBL_EARG);   \
        assert_string_not_equal(error_.message, ""); \
        err = NULL;                                  \
        assert_int_equal(call, SBL_EARG);            \
    } while (0)

static char *text; /* an output that must stay NULL */

static sbl_synth_options usual(void)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.epsilon = 1;
    return options;
}

/* ---- NULL ---- */

TEST(questions_take_null_and_nonsense)
{
    sbl_synth_options options = usual();
    sbl_questions asked;
    const uint8_t bytes[4] = {0};
    sbl_questions_init(&asked);
    REFUSED(sbl_options_ask(NULL, &text, &asked, err));
    REFUSED(sbl_options_ask(&options, NULL, &asked, err));
    REFUSED(sbl_options_ask(&options, &text, NULL, err));
    REFUSED(sbl_options_ask(&options, &text, &asked, err)); /* no question */
    asked.by = "town";
    REFUSED(sbl_options_ask(&options, &text, &asked, err)); /* nothing to divide */
    asked.by = NULL;
    asked.count = "town";
    asked.weight = "1,2";
    REFUSED(sbl_options_ask(&options, &text, &asked, err));
    asked.weight = NULL;
    asked.struct_size = 1;
    REFUSED(sbl_options_ask(&options, &text, &asked, err));
    assert_null(options.more_methods);
    REFUSED(sbl_answers_text(NULL, bytes, 4, SBL_ANSWERS_CSV, err));
    REFUSED(sbl_answers_text(&text, NULL, 4, SBL_ANSWERS_CSV, err));
    REFUSED(sbl_answers_write(NULL, 4, "a.csv", false, err));
    REFUSED(sbl_answers_write(bytes, 4, NULL, false, err));
    REFUSED(sbl_answers_check(NULL, bytes, 4, "{}", err));
    REFUSED(sbl_answers_check(&text, NULL, 4, "{}", err));
    REFUSED(sbl_answers_check(&text, bytes, 4, NULL, err));
    assert_int_equal(sbl_answers_text(&text, bytes, 4, SBL_ANSWERS_JSON, NULL), SBL_EINPUT);
    assert_null(text);
}

TEST(arithmetic_takes_null)
{
    REFUSED(sbl_gdp_mu(NULL, 1, 0.1, err));
    REFUSED(sbl_mixed_epsilon(NULL, 1, 0, 0, 0.1, err));
    const double numbers[] = {1, 2};
    sbl_combined combined = {.struct_size = sizeof combined};
    sbl_combine_options options = {.struct_size = 0};
    REFUSED(sbl_combine(NULL, numbers, numbers, 2, NULL, err));
    REFUSED(sbl_combine(&combined, NULL, numbers, 2, NULL, err));
    REFUSED(sbl_combine(&combined, numbers, NULL, 2, NULL, err));
    REFUSED(sbl_combine(&combined, numbers, numbers, 2, &options, err));
    combined.struct_size = 0;
    REFUSED(sbl_combine(&combined, numbers, numbers, 2, NULL, err));
    assert_true(isnan(sbl_mixed_delta(-1, 0, 0, 1)));
    assert_true(isnan(sbl_mixed_delta(1, -1, 1, 1)));
    assert_true(sbl_gdp_group(1, 2) == 2);
    assert_non_null(sbl_neighbours_name((sbl_neighbours)9));
    assert_non_null(sbl_status_text((sbl_status)99));
    assert_int_equal(sbl_status_exit_code((sbl_status)99), 1);
    assert_non_null(sbl_version());
    assert_null(sbl_plain_line(NULL));
    REFUSED(sbl_build_describe(NULL, NULL, err));
    char *build = NULL;
    assert_int_equal(sbl_build_describe(&build, NULL, NULL), SBL_OK);
    assert_null(strstr(build, "DuckDB"));
    sbl_free(build);
    assert_int_equal(sbl_build_describe(&build, "/nonexistent/libduckdb.so", NULL), SBL_OK);
    assert_non_null(strstr(build, "\nDuckDB\tParquet: /nonexistent/libduckdb.so is not DuckDB's library"));
    sbl_free(build);
    REFUSED(sbl_evaluate_describe_build(NULL, err));
}

static sbl_status no_member(void *context, const char *name, const char *value, sbl_error *err)
{
    (void)context;
    (void)name;
    (void)value;
    (void)err;
    return SBL_OK;
}

TEST(options_take_null)
{
    sbl_synth_options options = usual();
    REFUSED(sbl_options_set(NULL, "seed", "1", err));
    REFUSED(sbl_options_set(&options, NULL, "1", err));
    REFUSED(sbl_options_set(&options, "seed", NULL, err));
    REFUSED(sbl_data_options_set(NULL, "grey", NULL, err));
    REFUSED(sbl_option_parse(NULL, NULL, NULL, "1", err));
    REFUSED(sbl_options_check(NULL, NULL, SBL_TABLES, SBL_STEP_FIT, err));
    REFUSED(sbl_job_read(NULL, no_member, NULL, err));
    REFUSED(sbl_job_read("j", NULL, NULL, err));
    REFUSED(sbl_job_write(NULL, NULL, NULL, 0, false, err));
    REFUSED(sbl_job_write("j", NULL, NULL, 1, false, err));
    assert_null(sbl_option_at(1000));
    assert_null(sbl_method_at(1000));
    assert_false(sbl_option_is_used(NULL, NULL, SBL_TABLES));
}

TEST(jobs_on_tables_take_null)
{
    const sbl_synth_options options = usual();
    sbl_synthesizer *synth = NULL;
    sbl_output output;
    sbl_output_init(&output);
    assert_int_equal(sbl_synthesizer_new(&synth, NULL), SBL_OK);
    REFUSED(sbl_synthesizer_write_to(NULL, &output, err));
    output.format = (sbl_images_format)7;
    REFUSED(sbl_synthesizer_write_to(synth, &output, err));
    output.format = SBL_IMAGES_IDX;
    assert_int_equal(sbl_synthesizer_write_to(synth, &output, NULL), SBL_OK);
    /* files, but no name of one */
    sbl_data *data = NULL;
    assert_int_equal(sbl_data_open(&data, "i", NULL, NULL), SBL_OK);
    REFUSED(sbl_synthesizer_fit(synth, data, NULL, &options, err));
    REFUSED(sbl_synthesizer_train(synth, &options, err));
    sbl_data_free(data);
    /* a schema cannot be discovered in what is read once */
    output.model = "m";
    assert_int_equal(sbl_synthesizer_write_to(synth, &output, NULL), SBL_OK);
    assert_int_equal(sbl_data_open(&data, "-", NULL, NULL), SBL_OK);
    REFUSED(sbl_synthesizer_fit(synth, data, NULL, &options, err));
    sbl_data_free(data);
    assert_int_equal(sbl_synthesizer_write_to(synth, NULL, NULL), SBL_OK);
    sbl_synthesizer_free(synth);
    assert_int_equal(sbl_data_open(&data, "i", NULL, NULL), SBL_OK);
    REFUSED(sbl_schema_discover(&text, NULL, "s", false, &options, err));
    REFUSED(sbl_schema_discover(&text, data, NULL, false, &options, err));
    REFUSED(sbl_schema_discover(&text, data, "s", false, NULL, err));
    REFUSED(sbl_data_ledger(NULL, data, err));
    REFUSED(sbl_data_ledger(&text, NULL, err));
    REFUSED(sbl_data_tables(NULL, "d", NULL, err));
    REFUSED(sbl_data_tables(&text, NULL, NULL, err));
    sbl_data_free(data);
    REFUSED(sbl_images_encoder_show(NULL, NULL, 0, false, err));
    REFUSED(sbl_images_encoder_show(&text, NULL, 7, false, err));
    REFUSED(sbl_images_encoder_show(&text, NULL, 257, false, err));
    REFUSED(sbl_schema_check(&text, NULL, NULL, err));
    char *notes = NULL;
    REFUSED(sbl_schema_inspect(NULL, &notes, NULL, NULL, false, err));
    REFUSED(sbl_schema_inspect(&text, &notes, NULL, NULL, false, err));
    REFUSED(sbl_schema_accept(NULL, &notes, "s", NULL, NULL, false, err));
    REFUSED(sbl_schema_accept(&text, NULL, "s", NULL, NULL, false, err));
    REFUSED(sbl_schema_accept(&text, &notes, NULL, NULL, NULL, false, err));
    assert_null(notes);
    assert_null(text);
}

TEST(audit_takes_null)
{
    sbl_audit_options options;
    sbl_audit_verdict verdict;
    sbl_audit_options_init(&options);
    REFUSED(sbl_audit_run(NULL, &text, &options, err));
    REFUSED(sbl_audit_run(&verdict, &text, NULL, err));
    assert_int_equal(sbl_data_new(&options.data, "t", NULL), SBL_OK);
    REFUSED(sbl_audit_run(&verdict, &text, &options, err));
    sbl_data_free(options.data);
    assert_null(text);
}

TEST(projections_take_null)
{
    struct ArrowArrayStream stream = {0};
    sbl_project_options options;
    sbl_synthesizer *synth = NULL;
    sbl_data *table = NULL;
    sbl_project_options_init(&options);
    assert_int_equal(sbl_data_open(&table, "r", NULL, NULL), SBL_OK);
    assert_int_equal(sbl_synthesizer_new(&synth, NULL), SBL_OK);
    REFUSED(sbl_project(synth, NULL, NULL, err));
    REFUSED(sbl_project(synth, NULL, &options, err));  /* nothing */
    REFUSED(sbl_project(synth, table, &options, err)); /* to nowhere */
    options.stream = &stream;
    REFUSED(sbl_project(NULL, table, &options, err));
    REFUSED(sbl_project(synth, NULL, &options, err));  /* of nothing */
    REFUSED(sbl_project(synth, table, &options, err)); /* by no model */
    options.path = "out.csv";
    REFUSED(sbl_project(synth, table, &options, err)); /* both */
    options.stream = NULL;
    options.threads = 1025;
    REFUSED(sbl_project(synth, table, &options, err));
    sbl_synthesizer_free(synth);
    sbl_data_free(table);
}

TEST(evaluation_and_reports_take_null)
{
    sbl_evaluate_options options;
    sbl_report_options page;
    sbl_data *table = NULL;
    sbl_report_options_init(&page);
    sbl_evaluate_options_init(&options);
    assert_int_equal(sbl_data_open(&table, "r", NULL, NULL), SBL_OK);
    REFUSED(sbl_evaluate(NULL, &text, NULL, table, NULL, NULL, &options, err));
    REFUSED(sbl_evaluate(NULL, &text, table, NULL, NULL, NULL, &options, err));
    REFUSED(sbl_evaluate(NULL, &text, table, table, NULL, NULL, &options, err));
    REFUSED(sbl_evaluate(&text, NULL, table, table, NULL, NULL, NULL, err));
    options.threads = 1025;
    REFUSED(sbl_evaluate(NULL, &text, table, table, NULL, NULL, &options, err));
    REFUSED(sbl_data_histograms(NULL, table, NULL, err));
    REFUSED(sbl_data_histograms(&text, NULL, NULL, err));
    REFUSED(sbl_data_histograms(&text, table, NULL, err));
    REFUSED(sbl_files_check(NULL, 1, err));
    REFUSED(sbl_report(&text, NULL, err));
    REFUSED(sbl_report(&text, &page, err)); /* of nothing */
    page.synthetic = table;
    REFUSED(sbl_report(&text, &page, err));
    page.certificate = "{}";
    page.check_only = true;
    assert_int_equal(sbl_report(NULL, &page, NULL), SBL_EINPUT);
    page.check_only = false;
    assert_int_equal(sbl_report(NULL, &page, NULL), SBL_EINPUT);
    page.certificate = NULL;
    page.evaluation = "{}";
    assert_int_equal(sbl_report(&text, &page, NULL), SBL_EINPUT);
    REFUSED(sbl_report(NULL, &page, err)); /* to nowhere */
    sbl_data_free(table);
    assert_null(text);
}

TEST(ledgers_and_certificates_take_null)
{
    sbl_ledger_options options;
    sbl_ledger_summary summary = {.struct_size = sizeof summary};
    sbl_ledger_record record = {.struct_size = sizeof record};
    sbl_ledger *ledger = NULL;
    sbl_ledger_options_init(&options);
    options.epsilon = "1";
    REFUSED(sbl_ledger_init(NULL, &options, err));
    REFUSED(sbl_ledger_init("l", NULL, err));
    REFUSED(sbl_ledger_limit(NULL, &options, err));
    REFUSED(sbl_ledger_limit("l", NULL, err));
    REFUSED(sbl_ledger_repair(NULL, 1.0, 0.0, err));
    options.neighbours = (sbl_neighbours)5;
    REFUSED(sbl_ledger_init("l", &options, err));
    REFUSED(sbl_ledger_open(NULL, "l", err));
    REFUSED(sbl_ledger_open(&ledger, NULL, err));
    REFUSED(sbl_ledger_get_summary(NULL, &summary, err));
    REFUSED(sbl_ledger_get_record(NULL, &record, 0, err));
    REFUSED(sbl_ledger_describe(NULL, "l", err));
    REFUSED(sbl_ledger_describe(&text, NULL, err));
    const char *const ledgers[] = {"l", NULL};
    sbl_ledger_sum sum = {.struct_size = sizeof sum}, unset = {0};
    REFUSED(sbl_ledger_add_up(NULL, ledgers, 1, 0, 0, err));
    REFUSED(sbl_ledger_add_up(&unset, ledgers, 1, 0, 0, err));
    REFUSED(sbl_ledger_add_up(&sum, NULL, 1, 0, 0, err));
    REFUSED(sbl_ledger_add_up(&sum, ledgers, 0, 0, 0, err));
    REFUSED(sbl_ledger_add_up(&sum, ledgers + 1, 1, 0, 0, err));
    REFUSED(sbl_ledger_add_up(&sum, ledgers, 1, UINT64_MAX, 0, err));
    REFUSED(sbl_ledger_add_up(&sum, ledgers, 1, 0, NAN, err));
    REFUSED(sbl_ledger_add_up(&sum, ledgers, 1, 0, 1, err));
    REFUSED(sbl_ledger_next_period(NULL, "l", NULL, "r", err));
    REFUSED(sbl_ledger_next_period("l", NULL, NULL, "r", err));
    REFUSED(sbl_ledger_next_period("l", "l", NULL, NULL, err));
    const char *const folders[] = {"l", NULL};
    size_t problems;
    REFUSED(sbl_register(NULL, &problems, folders, 1, NULL, err));
    REFUSED(sbl_register(&text, &problems, NULL, 1, NULL, err));
    REFUSED(sbl_register(&text, &problems, folders, 0, NULL, err));
    REFUSED(sbl_register(&text, NULL, folders, 2, NULL, err));
    REFUSED(sbl_register_outputs(NULL, "l", err));
    REFUSED(sbl_register_outputs(&text, NULL, err));
    REFUSED(sbl_certificate_annex(NULL, "c", true, NULL, false, err));
    REFUSED(sbl_certificate_annex(&text, NULL, true, NULL, false, err));
    REFUSED(sbl_certificate_sign(NULL, "k", NULL, false, err));
    REFUSED(sbl_certificate_sign("c", NULL, NULL, false, err));
    REFUSED(sbl_certificate_verify(NULL, "c", NULL, err));
    REFUSED(sbl_certificate_verify(&text, NULL, NULL, err));
    sbl_ledger_close(NULL);
    sbl_free(NULL);
    assert_null(text);
}

TEST(schemas_in_memory_take_null)
{
    sbl_schema *schema = NULL;
    sbl_schema_builder *builder = NULL;
    sbl_schema_column column = {.struct_size = sizeof column};
    sbl_schema_field field, nameless;
    sbl_schema_field_init(&field);
    nameless = field;
    field.name = "x";
    REFUSED(sbl_schema_from_json(NULL, "{}", 2, NULL, err));
    REFUSED(sbl_schema_from_json(&schema, NULL, 2, NULL, err));
    REFUSED(sbl_schema_from_file(NULL, "s", false, err));
    REFUSED(sbl_schema_from_file(&schema, NULL, true, err));
    REFUSED(sbl_schema_as_json(NULL, schema, err));
    REFUSED(sbl_schema_as_json(&text, NULL, err));
    REFUSED(sbl_schema_get_column(NULL, &column, 0, err));
    REFUSED(sbl_schema_builder_new(NULL, err));
    REFUSED(sbl_schema_builder_add(NULL, &field, err));
    REFUSED(sbl_schema_builder_finish(NULL, &schema, err));
    assert_int_equal(sbl_schema_builder_new(&builder, NULL), SBL_OK);
    REFUSED(sbl_schema_builder_add(builder, NULL, err));
    REFUSED(sbl_schema_builder_add(builder, &nameless, err));
    REFUSED(sbl_schema_builder_finish(builder, NULL, err));
    field.category_count = 2;
    REFUSED(sbl_schema_builder_add(builder, &field, err));
    field.category_count = 0;
    field.decimals = 23;
    REFUSED(sbl_schema_builder_add(builder, &field, err));
    field.decimals = -1;
    field.type = (sbl_field_type)77;
    REFUSED(sbl_schema_builder_add(builder, &field, err));
    field.type = SBL_TYPE_NUMBER;
    field.minimum = NAN;
    REFUSED(sbl_schema_builder_add(builder, &field, err));
    sbl_schema_builder_free(builder);
    sbl_schema_builder_free(NULL);
    sbl_schema_free(NULL);
    assert_null(schema);
    assert_null(text);
}

static int no_stream(void *context, struct ArrowArrayStream *stream)
{
    (void)context;
    (void)stream;
    return 1;
}

TEST(data_in_memory_takes_null)
{
    sbl_data *data = NULL, *streams = NULL;
    sbl_values values;
    sbl_pixels pixels;
    sbl_data_options files;
    sbl_evaluate_options options;
    struct ArrowArrayStream released = {0};
    sbl_arrow_source source;
    sbl_arrow_source_init(&source);
    sbl_values_init(&values);
    sbl_data_options_init(&files);
    files.images = true;
    sbl_pixels_init(&pixels);
    sbl_evaluate_options_init(&options);
    REFUSED(sbl_data_new(NULL, "t", err));
    REFUSED(sbl_data_append(NULL, &values, 1, 1, err));
    REFUSED(sbl_data_from_arrow(NULL, &source, NULL, err));
    REFUSED(sbl_data_from_arrow(&data, NULL, NULL, err));
    REFUSED(sbl_data_from_arrow(&data, &source, NULL, err)); /* neither */
    source.open = no_stream;
    REFUSED(sbl_data_from_arrow(NULL, &source, NULL, err));
    source.stream = &released;
    REFUSED(sbl_data_from_arrow(&data, &source, NULL, err)); /* both */
    source.open = NULL;
    REFUSED(sbl_data_from_arrow(&data, &source, NULL, err));
    source.keep = true;
    REFUSED(sbl_data_from_arrow(&data, &source, NULL, err));
    REFUSED(sbl_data_open(NULL, "t.csv", NULL, err));
    REFUSED(sbl_data_open(&data, NULL, NULL, err));
    files.classes = 1001;
    REFUSED(sbl_data_open(&data, "set", &files, err));
    files.struct_size = 1;
    REFUSED(sbl_data_open(&data, "set", &files, err));
    REFUSED(sbl_data_link(NULL, &data, NULL, 2, NULL, err));
    REFUSED(sbl_data_link(&data, NULL, NULL, 2, NULL, err));
    REFUSED(sbl_data_from_pixels(NULL, &pixels, NULL, err));
    REFUSED(sbl_data_from_pixels(&data, NULL, NULL, err));
    REFUSED(sbl_data_from_pixels(&data, &pixels, NULL, err)); /* no size */
    pixels.height = pixels.width = 4;
    pixels.count = 1;
    REFUSED(sbl_data_from_pixels(&data, &pixels, NULL, err)); /* no pixels */
    pixels.classes = 1001;
    REFUSED(sbl_data_from_pixels(&data, &pixels, NULL, err));
    assert_null(data);
    REFUSED(sbl_schema_inspect(NULL, NULL, NULL, NULL, false, err));
    REFUSED(sbl_schema_inspect(&text, NULL, NULL, NULL, false, err));
    REFUSED(sbl_schema_check(NULL, NULL, NULL, err));
    REFUSED(sbl_evaluate(&text, NULL, NULL, NULL, NULL, NULL, &options, err));
    assert_int_equal(sbl_data_new(&data, "t", NULL), SBL_OK);
    REFUSED(sbl_data_append(data, NULL, 1, 1, err));
    REFUSED(sbl_data_append(data, &values, 1, 1, err));
    REFUSED(sbl_schema_check(&text, NULL, data, err));
    REFUSED(sbl_evaluate(&text, NULL, data, data, NULL, NULL, &options, err));
    /* A table without columns, and one that does not open. */
    sbl_error why = {0};
    assert_int_equal(sbl_schema_inspect(&text, NULL, data, NULL, false, &why), SBL_EINPUT);
    sbl_arrow_source_init(&source);
    source.open = no_stream;
    assert_int_equal(sbl_data_from_arrow(&streams, &source, NULL, NULL), SBL_OK);
    assert_int_equal(sbl_schema_inspect(&text, NULL, streams, NULL, false, &why), SBL_EIO);
    REFUSED(sbl_data_append(streams, &values, 1, 1, err));
    sbl_data_free(streams);
    sbl_data_free(data);
    sbl_data_free(NULL);
    assert_null(text);
}

static void no_release(struct ArrowArrayStream *stream) { stream->release = NULL; }

TEST(synthesizers_take_null)
{
    const sbl_synth_options options = usual();
    sbl_synthesizer *synth = NULL;
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    sbl_synthesizer_facts facts = {.struct_size = sizeof facts};
    sbl_guarantee guarantee = {.struct_size = 3};
    sbl_column_buffer buffer;
    sbl_sample_options draw;
    struct ArrowArrayStream stream = {.release = no_release};
    uint8_t *bytes = NULL, pixel;
    size_t size;
    sbl_column_buffer_init(&buffer);
    sbl_sample_options_init(&draw);
    REFUSED(sbl_synthesizer_new(NULL, err));
    assert_int_equal(sbl_synthesizer_new(&synth, NULL), SBL_OK);
    assert_int_equal(sbl_data_new(&data, NULL, NULL), SBL_OK);
    REFUSED(sbl_synthesizer_plan(NULL, NULL, NULL, 1, false, &options, err));
    REFUSED(sbl_synthesizer_plan(&text, NULL, NULL, 1, false, &options, err));
    REFUSED(sbl_synthesizer_plan(&text, NULL, data, 1, false, &options, err));
    REFUSED(sbl_synthesizer_fit(NULL, data, NULL, &options, err));
    REFUSED(sbl_synthesizer_fit(synth, NULL, NULL, &options, err));
    REFUSED(sbl_synthesizer_fit(synth, data, NULL, NULL, err));
    REFUSED(sbl_synthesizer_resume(NULL, data, NULL, &options, err));
    REFUSED(sbl_synthesizer_resume(synth, NULL, NULL, &options, err));
    REFUSED(sbl_synthesizer_resume(synth, data, NULL, NULL, err));
    REFUSED(sbl_synthesizer_train(NULL, &options, err));
    REFUSED(sbl_synthesizer_train(synth, NULL, err));
    REFUSED(sbl_synthesizer_train(synth, &options, err));
    REFUSED(sbl_synthesizer_save(NULL, &bytes, &size, NULL, false, err));
    REFUSED(sbl_synthesizer_save(synth, NULL, &size, NULL, false, err));
    REFUSED(sbl_synthesizer_save(synth, &bytes, NULL, NULL, false, err));
    REFUSED(sbl_synthesizer_save(synth, &bytes, &size, NULL, false, err));
    REFUSED(sbl_synthesizer_save(NULL, NULL, NULL, "m", false, err));
    REFUSED(sbl_synthesizer_save(synth, NULL, NULL, NULL, false, err));
    REFUSED(sbl_synthesizer_save(synth, NULL, NULL, "m", false, err));
    REFUSED(sbl_synthesizer_load(NULL, &pixel, 1, NULL, err));
    REFUSED(sbl_synthesizer_load(synth, NULL, 1, NULL, err));
    REFUSED(sbl_synthesizer_load(NULL, NULL, 0, "m", err));
    REFUSED(sbl_synthesizer_get_facts(NULL, &facts, err));
    REFUSED(sbl_synthesizer_get_facts(synth, NULL, err));
    assert_int_equal(sbl_synthesizer_get_facts(synth, &facts, NULL), SBL_OK);
    assert_false(facts.has_model);
    facts.struct_size = 1;
    REFUSED(sbl_synthesizer_get_facts(synth, &facts, err));
    REFUSED(sbl_synthesizer_schema(NULL, synth, err));
    REFUSED(sbl_synthesizer_schema(&schema, NULL, err));
    REFUSED(sbl_synthesizer_schema(&schema, synth, err));
    REFUSED(sbl_synthesizer_release(NULL, &bytes, &size, 0, err));
    REFUSED(sbl_synthesizer_release(synth, &bytes, &size, 0, err));
    const sbl_report_options page = {.struct_size = sizeof page, .synth = synth};
    REFUSED(sbl_report(&text, &page, err)); /* no certificate */
    sbl_estimate_options ask = {.struct_size = 0};
    char *told = NULL;
    REFUSED(sbl_synthesizer_estimate(NULL, &told, &ask, err));
    REFUSED(sbl_synthesizer_estimate(synth, NULL, &ask, err));
    REFUSED(sbl_synthesizer_estimate(synth, &told, NULL, err));
    REFUSED(sbl_synthesizer_estimate(synth, &told, &ask, err)); /* without its size */
    sbl_estimate_options_init(&ask);
    ask.count = true;
    REFUSED(sbl_synthesizer_estimate(synth, &told, &ask, err)); /* from nothing */
    REFUSED(sbl_synthesizer_sample(NULL, &draw, err));
    REFUSED(sbl_synthesizer_sample(synth, NULL, err));
    REFUSED(sbl_synthesizer_sample(synth, &draw, err)); /* to nowhere */
    draw.stream = &stream;
    REFUSED(sbl_synthesizer_sample(synth, &draw, err));
    assert_null(stream.release);
    draw.path = "t.csv";
    REFUSED(sbl_synthesizer_sample(synth, &draw, err)); /* to two places */
    draw.stream = NULL;
    REFUSED(sbl_synthesizer_sample(synth, &draw, err));
    draw.path = NULL;
    draw.columns = &buffer;
    draw.column_count = 1;
    REFUSED(sbl_synthesizer_sample(synth, &draw, err)); /* of no number */
    draw.rows = 1;
    REFUSED(sbl_synthesizer_sample(synth, &draw, err));
    draw.columns = NULL;
    draw.pixels = &pixel;
    REFUSED(sbl_synthesizer_sample(synth, &draw, err));
    draw.threads = 1025;
    REFUSED(sbl_synthesizer_sample(synth, &draw, err));
    sbl_replicates *replicates = NULL;
    REFUSED(sbl_replicates_new(&replicates, synth, &draw, err)); /* too many threads */
    draw.threads = 1;
    REFUSED(sbl_replicates_new(NULL, synth, &draw, err));
    REFUSED(sbl_replicates_new(&replicates, NULL, &draw, err));
    REFUSED(sbl_replicates_new(&replicates, synth, NULL, err));
    REFUSED(sbl_replicates_new(&replicates, synth, &draw, err)); /* from no release */
    assert_null(replicates);
    REFUSED(sbl_replicates_next(NULL, synth, err));
    sbl_replicates_free(NULL);
    REFUSED(sbl_certificate_read(NULL, NULL, NULL, 0, err));
    REFUSED(sbl_certificate_read(&guarantee, NULL, "{}", 2, err));
    assert_null(sbl_synthesizer_text(NULL, SBL_TEXT_CERTIFICATE));
    assert_null(sbl_synthesizer_text(NULL, SBL_TEXT_STATEMENT));
    assert_null(sbl_synthesizer_text(NULL, SBL_TEXT_LEDGER));
    assert_null(sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE));
    sbl_free(NULL);
    sbl_synthesizer_free(NULL);
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    assert_null(schema);
    assert_null(bytes);
    assert_null(text);
}

/* ---- structs of other versions ---- */

AROUND(set_up)
{
    temp_folder_make(folder);
    FILE *file = fopen(in_folder(folder, "schema.json"), "w");
    assert_non_null(file);
    (void)fputs(
        "{\"fields\": [{\"name\": \"x\", \"type\": \"number\", \"constraints\": "
        "{\"minimum\": 0, \"maximum\": 1, \"required\": true}}]}",
        file);
    (void)fclose(file);
}

static sbl_status plan(const sbl_synth_options *options, sbl_error *err)
{
    char *words = NULL;
    const sbl_status status = table_plan(&words, in_folder(folder, "schema.json"), 100, false, options, err);
    assert_int_equal(status == SBL_OK, words != NULL);
    sbl_free(words);
    return status;
}

/* What an older program does not know has its default, whatever bytes follow its struct. */
TEST(smaller_struct_works)
{
    union {
        sbl_synth_options whole;
        unsigned char bytes[sizeof(sbl_synth_options)];
    } old;
    const size_t known = offsetof(sbl_synth_options, expected_rows);
    sbl_error why = {0};
    memset(&old, 0xff, sizeof old);
    memset(&old, 0, known);
    old.whole.struct_size = known;
    old.whole.epsilon = 1;
    if (plan(&old.whole, &why) != SBL_OK) fail_msg("%s", why.message);
    REFUSED(sbl_options_set(&old.whole, "features", "32", err));
    assert_int_equal(sbl_options_set(&old.whole, "seed", "3", &why), SBL_OK);
    assert_int_equal(old.bytes[known], 0xff);
}

TEST(larger_struct_works_until_it_says_something_unknown)
{
    struct {
        sbl_synth_options known;
        uint64_t added;
    } newer;
    sbl_error err = {0};
    memset(&newer, 0, sizeof newer);
    newer.known.struct_size = sizeof newer;
    newer.known.epsilon = 1;
    assert_int_equal(plan(&newer.known, &err), SBL_OK);
    newer.added = 1;
    assert_int_equal(plan(&newer.known, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "does not know"));
    newer.known.struct_size = 0;
    assert_int_equal(plan(&newer.known, &err), SBL_EARG);
    newer.known.struct_size = (size_t)-1;
    assert_int_equal(plan(&newer.known, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "not set up"));
}

TEST(smaller_ledger_options_work)
{
    sbl_ledger_options options;
    memset(&options, 0xff, sizeof options);
    memset(&options, 0, offsetof(sbl_ledger_options, mu));
    options.struct_size = offsetof(sbl_ledger_options, mu);
    options.epsilon = "1";
    options.delta = "1e-05";
    assert_int_equal(sbl_ledger_init(in_folder(folder, "old.ledger"), &options, NULL), SBL_OK);
    options.struct_size = 0;
    REFUSED(sbl_ledger_init(in_folder(folder, "other.ledger"), &options, err));
}

/* ---- the host's settings ---- */

static void *ask(void *limit)
{
    *(int *)limit = sbl_thread_limit();
    return NULL;
}

static int threads_within; /* the call that reports its progress */

/* Meanwhile, in another thread of the host. */
static int ask_elsewhere(void *limit, const char *what, uint64_t step, uint64_t steps, double loss)
{
    pthread_t other;
    (void)what, (void)step, (void)steps, (void)loss;
    assert_int_equal(pthread_create(&other, NULL, ask, limit), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    threads_within = sbl_thread_limit();
    return 0;
}

TEST(threads_of_a_call_are_given_back)
{
    int elsewhere = 0, usually = 0;
    assert_int_equal(ask_elsewhere(&usually, "", 0, 0, 0), 0);
    const int before = sbl_thread_limit();
    char model[300], table[300];
    sbl_synth_options options = usual();
    sbl_error err = {0};
    FILE *file = fopen(in_folder(folder, "table.csv"), "w");
    assert_non_null(file);
    (void)fputs("x\n0.5\n0.25\n0.75\n", file);
    (void)fclose(file);
    (void)snprintf(model, sizeof model, "%s/model", folder);
    (void)snprintf(table, sizeof table, "%s/table.csv", folder);
    options.method = "marginals";
    options.threads = (unsigned)before + 3;
    options.progress = ask_elsewhere;
    options.context = &elsewhere;
    if (table_fit(NULL, table, in_folder(folder, "schema.json"), model, &options, &err) != SBL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(sbl_thread_limit(), before);
    assert_int_equal(elsewhere, usually);
    assert_int_equal(threads_within, before + 3);
    assert_int_equal(table_sample("nothing", "x", 1, NULL, &options, &err), SBL_EIO);
    assert_int_equal(sbl_thread_limit(), before);
}

TEST(parts_that_lack_something_are_refused)
{
    const sbl_synth_options options = usual();
    const char *const sums[] = {"a", "b"};
    FREED(sbl_schema_free) sbl_schema *schema = NULL;
    sbl_shards parts;
    sbl_shards_init(&parts);
    assert_int_equal(sbl_schema_from_file(&schema, in_folder(folder, "schema.json"), false, NULL), SBL_OK);
    REFUSED(sbl_shards_run(&text, NULL, &options, err));
    REFUSED(sbl_shards_run(&text, &parts, &options, err));
    parts.output = in_folder(folder, "out");
    REFUSED(sbl_shards_run(&text, &parts, &options, err)); /* no step */
    parts.step = SBL_SHARDS_PLAN;
    REFUSED(sbl_shards_run(&text, &parts, &options, err)); /* of a later round, after no plan */
    parts.plan = "p";
    REFUSED(sbl_shards_run(&text, &parts, &options, err));
    parts.schema = schema;
    REFUSED(sbl_shards_run(&text, &parts, &options, err)); /* no rows */
    parts.rows = 100;
    REFUSED(sbl_shards_run(&text, &parts, NULL, err));
    parts.step = SBL_SHARDS_SUM;
    REFUSED(sbl_shards_run(&text, &parts, &options, err));
    parts.step = SBL_SHARDS_MERGE;
    REFUSED(sbl_shards_run(&text, &parts, &options, err));
    parts.sums = sums;
    REFUSED(sbl_shards_run(&text, &parts, &options, err));
    parts.sum_count = 2;
    parts.step = SBL_SHARDS_RELEASE;
    REFUSED(sbl_shards_run(&text, &parts, &options, err));
    parts.plan = NULL;
    REFUSED(sbl_shards_run(&text, &parts, &options, err));
}

TEST(parts_in_memory_that_lack_something_are_refused)
{
    const sbl_synth_options options = usual();
    const sbl_sum_bytes sum = {(const uint8_t *)"no sum", 6};
    FREED(sbl_schema_free) sbl_schema *schema = NULL;
    sbl_shards parts;
    uint8_t *made = NULL;
    size_t size = 0;
    sbl_shards_init(&parts);
    assert_int_equal(sbl_schema_from_file(&schema, in_folder(folder, "schema.json"), false, NULL), SBL_OK);
    parts.step = SBL_SHARDS_PLAN;
    parts.schema = schema;
    parts.rows = 100;
    parts.made = &made;
    REFUSED(sbl_shards_run(&text, &parts, &options, err)); /* no size */
    parts.made_size = &size;
    REFUSED(sbl_shards_run(&text, &parts, &options, err)); /* no place for the key */
    parts.step = SBL_SHARDS_RELEASE;
    parts.sum_bytes = &sum;
    parts.sum_count = 1;
    parts.plan_text = "{}";
    REFUSED(sbl_shards_run(&text, &parts, &options, err)); /* a release in memory */
    parts.step = SBL_SHARDS_MERGE;
    REFUSED(sbl_shards_run(&text, &parts, &options, err)); /* a plan without its key */
    parts.step = SBL_SHARDS_SHARE;
    parts.key_text = "";
    REFUSED(sbl_shards_run(&text, &parts, &options, err)); /* no data */
    parts.made = NULL;
    REFUSED(sbl_shards_run(&text, &parts, &options, err));
    assert_null(made);
}

/* Of the functions that write to a path that they are given. */
TEST(what_is_read_is_not_overwritten)
{
    static const char *const names[] = {"method", "input"};
    char file[300], other[300];
    (void)snprintf(file, sizeof file, "%s/private.csv", folder);
    (void)snprintf(other, sizeof other, "%s/./private.csv", folder);
    const char *const texts[] = {"merf", other};
    char *notes = NULL;
    FILE *stream = fopen(file, "w");
    assert_non_null(stream);
    (void)fputs("x\n1\n2\n", stream);
    (void)fclose(stream);
    sbl_data *data = NULL;
    assert_int_equal(sbl_data_open(&data, file, NULL, NULL), SBL_OK);
    REFUSED(sbl_schema_inspect(&text, &notes, data, other, true, err));
    sbl_data_free(data);
    REFUSED(sbl_job_write(file, names, texts, 2, true, err));
    sbl_report_options page;
    sbl_report_options_init(&page);
    page.path = other;
    page.overwrite = true;
    assert_int_equal(sbl_data_open(&page.synthetic, file, NULL, NULL), SBL_OK);
    page.check_only = true;
    REFUSED(sbl_report(NULL, &page, err));
    page.check_only = false;
    REFUSED(sbl_report(NULL, &page, err));
    sbl_data_free(page.synthetic);
    FREED(free) char *left = slurp(file, NULL);
    assert_string_equal(left, "x\n1\n2\n");
}

ALL_TESTS(set_up, remove_folder)
