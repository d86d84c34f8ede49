/* SPDX-License-Identifier: Apache-2.0 */
/* Sites whose sums are masked: three of them release their total, to the bits of one process; a site that is missing, and
 * persons who are declared to be at one site. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts_run_kit.h"
#include "support/key_test.h"

EACH_TEST(fresh, remove_folder)

/* X25519 keys: sites a, b, c and one that is none of them. */
static void write_keys(void)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    char command[4 * NAME];
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(command, sizeof command,
                       "cd %s && openssl genpkey -algorithm x25519 -out %s.key && "
                       "openssl pkey -in %s.key -pubout -out %s.pub",
                       folder, names[i], names[i], names[i]);
        assert_int_equal(system(command), 0);
    }
}

static path sites_of(const char *names)
{
    path p = {""};
    for (; *names != '\0'; names++) {
        const size_t used = strlen(p.text);
        (void)snprintf(p.text + used, sizeof p.text - used, "%s%s/%c.pub", used > 0 ? "," : "", folder,
                       *names);
    }
    return p;
}

static sbl_status mask_file(const char *input, int i, uint64_t attempt, const char *plan,
                            const sbl_synth_options *options, sbl_error *err)
{
    char key[NAME + 8];
    (void)snprintf(key, sizeof key, "%s/%c.key", folder, 'a' + i);
    return sum_file(input, plan, (wish){.mask = key, .attempt = attempt}, named("sum", i).text, options, err);
}

/* The masked sums of site number i: every third row. */
static sbl_status sum_site(int i, uint64_t attempt, const char *plan, const sbl_synth_options *options,
                           sbl_error *err)
{
    const path input = named("rows", i);
    write_rows(input.text + strlen(folder) + 1, i, 3);
    return mask_file(input.text, i, attempt, plan, options, err);
}

/* The rows of the persons of site number i, each with all rows: every third person. */
static void write_site(const char *name, int i)
{
    FILE *file = create(name);
    (void)fputs("age,who,town,sick\n", file);
    for (int r = 0; r < ROWS; r++)
        if (r * 37 % 71 % 3 == i) write_row(file, r);
    (void)fclose(file);
}

/* One run in one process and one of three sites. */
static void expect_total_of_sites(const char *method, bool persons)
{
    sbl_synth_options options = by_method(method);
    sbl_error err = {0};
    int round = 1;
    if (persons) options.expected_rows = ROWS;
    must(try_run("data.csv", "one.csv", &options, &err), &err);
    sbl_test_key_set(1);
    must(plan_sites(named("plan", 1).text, sites_of("abc").text, persons, &options, &err), &err);
    for (bool more = true; more; round++) {
        const path plan = named("plan", round);
        const path sums[3] = {named("sum", 0), named("sum", 1), named("sum", 2)};
        const char *const files[3] = {sums[2].text, sums[0].text, sums[1].text};
        const path whole = named("whole", 0);
        const char *sum = whole.text;
        for (int i = 0; i < 3; i++) {
            if (persons) write_site("site.csv", i);
            must(persons ? mask_file(at("site.csv"), i, 0, plan.text, &options, &err)
                         : sum_site(i, 0, plan.text, &options, &err),
                 &err);
        }
        must(join(SBL_SHARDS_MERGE, files, 3, plan.text, whole.text, &options, &err), &err);
        must(join(SBL_SHARDS_RELEASE, &sum, 1, plan.text, at("parts.release"), &options, &err), &err);
        more = plan_next(plan.text, at("parts.release"), (uint64_t)round + 1, named("plan", round + 1).text,
                         &options);
    }
    expect_same_releases(round - 1);
}

static bool certificate_says(const char *words)
{
    char *text = text_of("parts.certificate.json");
    const bool found = strstr(text, words) != NULL;
    free(text);
    return found;
}

static const char at_one_site[] = "that all rows of a person are at one of them";

TEST(three_sites_release_their_total_and_nothing_else)
{
    write_keys();
    expect_total_of_sites("pairs", false);
    assert_false(certificate_says(at_one_site));
}

TEST(persons_who_are_at_one_site_count_there)
{
    write_keys();
    write_schema(true);
    expect_total_of_sites("histories", true);
    assert_true(certificate_says(at_one_site)); /* in all rounds: it stands in the last one's */
}

TEST(rows_of_persons_who_are_at_one_site_count_there)
{
    write_keys();
    write_schema(true);
    expect_total_of_sites("pairs", true); /* at most k of each */
    assert_true(certificate_says(at_one_site));
}

TEST(site_that_is_missing_is_named_and_masks_do_not_mix)
{
    const sbl_synth_options options = by_method("marginals");
    sbl_error err = {0};
    write_keys();
    must(plan_first(named("plan", 1).text, sites_of("abc").text, &options, &err), &err);
    const path plan = named("plan", 1), a = named("sum", 0), b = named("sum", 1);
    for (int i = 0; i < 3; i++) must(sum_site(i, 0, plan.text, &options, &err), &err);
    expect_merge_refused(a.text, b.text, "site 'c' is missing");
    const char *sum = a.text;
    expect_refused(join(SBL_SHARDS_RELEASE, &sum, 1, plan.text, at("x.release"), &options, &err), SBL_EINPUT,
                   &err, "site 'b' is missing");
    must(sum_site(2, 2, plan.text, &options, &err), &err);
    expect_merge_refused(a.text, named("sum", 2).text, "different attempts");
    /* Whoever is no site, and whoever would send its sums as they are. */
    expect_refused(sum_site(3, 0, plan.text, &options, &err), SBL_EINPUT, &err, "is not the key of a site");
    expect_refused(sum_file(at("data.csv"), plan.text, (wish){0}, a.text, &options, &err), SBL_EARG, &err,
                   "names sites");
    must(plan_first(named("plan", 2).text, NULL, &options, &err), &err);
    expect_refused(sum_site(0, 0, named("plan", 2).text, &options, &err), SBL_EARG, &err, "names no sites");
    expect_refused(plan_first(named("plan", 3).text, sites_of("a").text, &options, &err), SBL_EARG, &err,
                   "at least two");
    expect_refused(plan_first(named("plan", 3).text, sites_of("aba").text, &options, &err), SBL_EARG, &err,
                   "the same name or key");
    expect_refused(plan_sites(named("plan", 3).text, NULL, true, &options, &err), SBL_EARG, &err,
                   "name them");
    write_schema(true);
    expect_refused(plan_first(named("plan", 3).text, sites_of("ab").text, &options, &err), SBL_EARG, &err,
                   "declare that all rows of a person");
    assert_int_equal(err.hint, SBL_HINT_ONE_SITE);
}
