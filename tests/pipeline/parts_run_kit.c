/* SPDX-License-Identifier: Apache-2.0 */
#include "parts_run_kit.h"

#include <string.h>

#include "door/release/release.h"
#include "support/key_test.h"

#define FIELDS                                                                                     \
    "{\"fields\":["                                                                                \
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100,"       \
    "\"required\":true}},"                                                                         \
    "{\"name\":\"who\",\"type\":\"string\"%s},"                                                    \
    "{\"name\":\"town\",\"type\":\"string\",\"constraints\":{\"enum\":[\"Ayr\",\"Bath\",\"Cork\"]" \
    "}},"                                                                                          \
    "{\"name\":\"sick\",\"type\":\"string\",\"constraints\":{\"enum\":[\"no\",\"yes\"],"           \
    "\"required\":true}}],\"semblance\":{\"label\":\"sick\"%s}}"

void write_schema(bool persons)
{
    char text[1024];
    (void)snprintf(text, sizeof text, FIELDS, persons ? "" : ",\"semblance\":{\"role\":\"ignore\"}",
                   persons ? ",\"unit\":\"who\",\"max_rows_per_unit\":3" : "");
    write_file("schema.json", text);
}

void write_row(FILE *file, int r)
{
    static const char *const towns[] = {"Ayr", "Bath", "Cork", "", "Rome"};
    (void)fprintf(file, "%d,", r * 7 % 103);
    if (r % 50 != 7) (void)fprintf(file, "P%d", r * 37 % 71); /* some say nobody */
    (void)fprintf(file, ",%s,%s\n", towns[r % 5], r % 3 == 0 ? "yes" : "no");
}

void write_rows(const char *name, int number, int parts)
{
    FILE *file = create(name);
    (void)fputs("age,who,town,sick\n", file);
    for (int r = number; r < ROWS; r += parts) write_row(file, r);
    (void)fclose(file);
}

int fresh(void **unused)
{
    (void)unused;
    temp_folder_make(folder);
    write_schema(false);
    write_rows("data.csv", 0, 1);
    sbl_test_key_set(1);
    return 0;
}

sbl_synth_options by_method(const char *method)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = method;
    options.epsilon = 1;
    options.threads = 2;
    options.overwrite = true;
    return options;
}

path named(const char *name, int number)
{
    path p;
    (void)snprintf(p.text, sizeof p.text, "%s/%s%d", folder, name, number);
    return p;
}

sbl_status plan_sites(const char *plan, const char *sites, bool one_site, const sbl_synth_options *options,
                      sbl_error *err)
{
    sbl_schema *schema = NULL;
    sbl_shards parts;
    sbl_shards_init(&parts);
    must(sbl_schema_from_file(&schema, at("schema.json"), false, err), err);
    parts.step = SBL_SHARDS_PLAN;
    parts.schema = schema;
    parts.rows = ROWS;
    parts.sites = sites;
    parts.persons_at_one_site = one_site;
    parts.output = plan;
    const sbl_status status = sbl_shards_run(NULL, &parts, options, err);
    sbl_schema_free(schema);
    return status;
}

sbl_status plan_first(const char *plan, const char *sites, const sbl_synth_options *options, sbl_error *err)
{
    return plan_sites(plan, sites, false, options, err);
}

bool plan_next(const char *before, const char *release, uint64_t round, const char *plan,
               const sbl_synth_options *options)
{
    sbl_error err = {0};
    char *text = NULL;
    sbl_shards parts;
    sbl_shards_init(&parts);
    parts.step = SBL_SHARDS_PLAN;
    parts.plan = before;
    parts.release = release;
    parts.round = round;
    parts.output = plan;
    must(sbl_shards_run(&text, &parts, options, &err), &err);
    const bool more = text == NULL;
    assert_true(more || strstr(text, "complete") != NULL);
    sbl_free(text);
    return more;
}

sbl_status sum_file(const char *input, const char *plan, wish as, const char *output,
                    const sbl_synth_options *options, sbl_error *err)
{
    sbl_data *data = NULL;
    sbl_shards parts;
    sbl_shards_init(&parts);
    must(sbl_data_open(&data, input, NULL, err), err);
    parts.step = SBL_SHARDS_SUM;
    parts.data = data;
    parts.plan = plan;
    parts.part = as.part;
    parts.mask = as.mask;
    parts.attempt = as.attempt;
    parts.output = output;
    const sbl_status status = sbl_shards_run(NULL, &parts, options, err);
    sbl_data_free(data);
    return status;
}

sbl_status join(sbl_shards_step step, const char *const *sums, size_t count, const char *plan,
                const char *output, const sbl_synth_options *options, sbl_error *err)
{
    sbl_shards parts;
    sbl_shards_init(&parts);
    parts.step = step;
    parts.sums = sums;
    parts.sum_count = count;
    parts.plan = plan;
    parts.output = output;
    return sbl_shards_run(NULL, &parts, options, err);
}

path release_path(const char *first, int round)
{
    path p;
    if (round == 1)
        (void)snprintf(p.text, sizeof p.text, "%s", at(first));
    else
        (void)snprintf(p.text, sizeof p.text, "%s.%d", at(first), round);
    return p;
}

void expect_same_releases(int rounds)
{
    for (int round = 1; round <= rounds; round++) {
        replayed one, parts;
        replayed_load(&one, release_path("one.csv.release", round).text, at("data.csv.ledger"));
        replayed_load(&parts, release_path("parts.release", round).text, at("parts.release.ledger"));
        assert_true(replayed_compare(&one, &parts, "parts") == 0.0);
        assert_int_equal(one.release->value_count, parts.release->value_count);
        assert_memory_equal(one.release->values, parts.release->values,
                            one.release->value_count * sizeof *one.release->values);
        assert_string_equal(one.release->plan, parts.release->plan);
        replayed_clear(&one);
        replayed_clear(&parts);
    }
    assert_false(exists(release_path("one.csv.release", rounds + 1).text + strlen(folder) + 1));
}

void expect_refused(sbl_status status, sbl_status expected, const sbl_error *err, const char *words)
{
    assert_int_equal(status, expected);
    if (strstr(err->message, words) == NULL) fail_msg("'%s' is not in '%s'", words, err->message);
}

void expect_merge_refused(const char *a, const char *b, const char *words)
{
    const sbl_synth_options options = by_method("marginals");
    const char *const sums[] = {a, b};
    sbl_error err = {0};
    const path out = named("merged", 0);
    expect_refused(join(SBL_SHARDS_MERGE, sums, 2, named("plan", 1).text, out.text, &options, &err),
                   SBL_EINPUT, &err, words);
    assert_false(exists("merged0"));
}
