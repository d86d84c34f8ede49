/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in parts through the public API, with a fixed key: the bits of one process in any division, what a merge
 * refuses, and persons who are in one part wherever their rows stand. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "parts_run_kit.h"
#include "records/shards/shard_file.h"
#include "support/key_test.h"
#include "support/sanitized.h"

EACH_TEST(fresh, remove_folder)

/* ---- a whole run ---- */

/* The sums of one round in so many parts, merged backwards and in two steps. persons: every part reads all
 * rows and takes its own persons; else part number i has the rows of its own file. */
static void sum_round(int parts, bool persons, const char *plan, const char *whole,
                      const sbl_synth_options *options)
{
    static path sums[PARTS_MOST];
    const char *files[PARTS_MOST];
    sbl_error err = {0};
    for (int i = 0; i < parts; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%d/%d", i + 1, parts);
        sums[i] = named("sum", i);
        files[parts - 1 - i] = sums[i].text;
        const path input = named("rows", i);
        if (!persons) write_rows(input.text + strlen(folder) + 1, i, parts);
        must(sum_file(persons ? at("data.csv") : input.text, plan, (wish){.part = name}, sums[i].text,
                      options, &err),
             &err);
    }
    const path some = named("some", 0);
    const size_t half = (size_t)parts / 2;
    if (half > 0) {
        must(join(SBL_SHARDS_MERGE, files, half, plan, some.text, options, &err), &err);
        files[half - 1] = some.text;
        must(join(SBL_SHARDS_MERGE, files + half - 1, (size_t)parts - half + 1, plan, whole, options, &err),
             &err);
    } else {
        must(join(SBL_SHARDS_MERGE, files, 1, plan, whole, options, &err), &err);
    }
}

/* All rounds into "parts.release"; returns how many there were. */
static int run_parts(int parts, bool persons, const sbl_synth_options *options)
{
    sbl_error err = {0};
    const path whole = named("whole", 0);
    int round = 1;
    sbl_test_key_set(1);
    must(plan_first(named("plan", 1).text, NULL, options, &err), &err);
    for (bool more = true; more; round++) {
        const path plan = named("plan", round);
        const char *sum = whole.text;
        sum_round(parts, persons, plan.text, whole.text, options);
        must(join(SBL_SHARDS_RELEASE, &sum, 1, plan.text, at("parts.release"), options, &err), &err);
        more = plan_next(plan.text, at("parts.release"), (uint64_t)round + 1, named("plan", round + 1).text,
                         options);
    }
    return round - 1;
}

static void forget_runs(void)
{
    (void)remove(at("data.csv.ledger"));
    (void)remove(at("parts.release.ledger"));
    for (int round = 1; round <= 3; round++) {
        (void)remove(release_path("one.csv.release", round).text);
        (void)remove(release_path("parts.release", round).text);
    }
}

static void expect_bits_of_one_process(const char *method, bool persons, const int *divisions, size_t count)
{
    sbl_synth_options options = by_method(method);
    if (persons) options.expected_rows = ROWS; /* their number is private: both plan for as many */
    for (size_t i = 0; i < count; i++) {
        sbl_error err = {0};
        forget_runs();
        sbl_test_key_set(1);
        must(try_run("data.csv", "one.csv", &options, &err), &err);
        expect_same_releases(run_parts(divisions[i], persons, &options));
    }
}

TEST(any_division_and_order_gives_the_bits_of_one_process)
{
    static const int divisions[] = {1, 2, 7, 64};
    expect_bits_of_one_process("pairs", false, divisions, 4);
    expect_bits_of_one_process("marginals", false, divisions + 1, 1);
}

TEST(persons_are_divided_by_their_hash_and_give_the_bits_of_one_process)
{
    static const int divisions[] = {1, 2, 7};
    write_schema(true);
    expect_bits_of_one_process("pairs", true, divisions, 3); /* at most k rows of each */
    expect_bits_of_one_process("histories", true, divisions, 3);
}

TEST(model_of_parts_is_the_model_of_one_process)
{
    const sbl_synth_options options = by_method("pairs");
    sbl_synth_options training;
    sbl_error err = {0};
    sbl_synth_options_init(&training);
    training.overwrite = true;
    must(try_run("data.csv", "one.csv", &options, &err), &err);
    (void)run_parts(7, false, &options);
    must(train_files(at("one.csv.release"), at("one.model"), &training, &err), &err);
    must(train_files(at("parts.release"), at("parts.model"), &training, &err), &err);
    must(table_sample(at("one.model"), at("a.csv"), 50, NULL, &training, &err), &err);
    must(table_sample(at("parts.model"), at("b.csv"), 50, NULL, &training, &err), &err);
    expect_same_text("a.csv", "b.csv");
}

/* ---- what is refused ---- */

/* Two parts of plan 1, and a plan that is another although all that was asked for is the same. */
static void make_two(const sbl_synth_options *options)
{
    sbl_error err = {0};
    must(plan_first(named("plan", 1).text, NULL, options, &err), &err);
    must(plan_first(named("plan", 2).text, NULL, options, &err), &err);
    for (int i = 0; i < 2; i++) {
        const path input = named("rows", i);
        write_rows(input.text + strlen(folder) + 1, i, 2);
        must(sum_file(input.text, named("plan", 1).text, (wish){0}, named("sum", i).text, options, &err),
             &err);
    }
}

static void copy_bytes(const char *from, const char *to, long keep, long flip)
{
    char *bytes = NULL;
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    (void)fseek(in, 0, SEEK_END);
    const long size = ftell(in);
    rewind(in);
    bytes = malloc((size_t)size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, in), (size_t)size);
    if (flip >= 0) bytes[flip < size ? flip : size - 1] ^= 1;
    const size_t count = (size_t)(keep < size ? keep : size);
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    free(bytes);
    (void)fclose(in);
    (void)fclose(out);
}

TEST(part_twice_or_of_another_plan_is_refused)
{
    const sbl_synth_options options = by_method("marginals");
    sbl_error err = {0};
    make_two(&options);
    const path a = named("sum", 0), b = named("sum", 1), c = named("sum", 2);
    expect_merge_refused(a.text, a.text, "part 'rows0' is given twice");
    /* A second attempt at a part is the same part. */
    must(sum_file(named("rows", 0).text, named("plan", 1).text, (wish){.attempt = 2}, c.text, &options, &err),
         &err);
    expect_merge_refused(a.text, c.text, "attempts 1 and 2");
    must(sum_file(named("rows", 1).text, named("plan", 2).text, (wish){0}, c.text, &options, &err), &err);
    expect_merge_refused(a.text, c.text, "a part of another plan");
    must(
        sum_file(named("rows", 1).text, named("plan", 1).text, (wish){.part = "2/2"}, c.text, &options, &err),
        &err);
    expect_merge_refused(a.text, c.text, "different divisions of the records");
    /* What was merged is remembered. */
    const char *const both[] = {a.text, b.text};
    must(join(SBL_SHARDS_MERGE, both, 2, named("plan", 1).text, c.text, &options, &err), &err);
    expect_merge_refused(c.text, b.text, "part 'rows1' is given twice");
}

TEST(part_that_was_cut_changed_or_made_with_another_key_is_refused)
{
    const sbl_synth_options options = by_method("marginals");
    struct stat seen;
    make_two(&options);
    const path a = named("sum", 0), b = named("sum", 1), c = named("sum", 2);
    assert_int_equal(stat(a.text, &seen), 0);
    assert_int_equal(seen.st_mode & 0777, 0600);
    assert_int_equal(stat(beside("plan1", ".key"), &seen), 0);
    assert_int_equal(seen.st_mode & 0777, 0600);
    assert_int_equal(stat(a.text, &seen), 0);
    for (long keep = 0; keep < seen.st_size; keep += keep < 40 ? 1 : 97) {
        copy_bytes(a.text, c.text, keep, -1);
        expect_merge_refused(b.text, c.text, "");
    }
    for (long flip = 0; flip < seen.st_size; flip += flip < 40 ? 1 : 53) {
        copy_bytes(a.text, c.text, seen.st_size, flip);
        expect_merge_refused(b.text, c.text, "");
    }
    copy_bytes(a.text, c.text, seen.st_size, seen.st_size - 1);
    expect_merge_refused(b.text, c.text, "was changed, or was made with another key");
    /* The same plan with the key of another. */
    copy_bytes(beside("plan2", ".key"), beside("plan1", ".key"), 65, -1);
    expect_merge_refused(a.text, b.text, "was changed, or was made with another key");
    write_file("plan1.key", "no key\n");
    expect_merge_refused(a.text, b.text, "is not the key of a plan");
}

TEST(plan_that_was_changed_is_refused)
{
    const sbl_synth_options options = by_method("marginals");
    sbl_error err = {0};
    make_two(&options);
    FREED(free) char *text = text_of("plan1");
    char *epsilon = strstr(text, "\"epsilon\":1");
    assert_non_null(epsilon);
    epsilon[10] = '9'; /* a good plan, but another */
    write_file("plan1", text);
    expect_merge_refused(named("sum", 0).text, named("sum", 1).text, "a part of another plan");
    text[strlen(text) - 1] = ' ';
    write_file("plan1", text);
    const char *const sums[] = {named("sum", 0).text};
    expect_refused(
        join(SBL_SHARDS_MERGE, sums, 1, named("plan", 1).text, named("merged", 0).text, &options, &err),
        SBL_EINPUT, &err, "");
}

TEST(numbered_part_that_is_missing_is_named_and_nothing_is_charged)
{
    const sbl_synth_options options = by_method("marginals");
    sbl_error err = {0};
    must(plan_first(named("plan", 1).text, NULL, &options, &err), &err);
    const path a = named("sum", 0);
    must(sum_file(at("data.csv"), named("plan", 1).text, (wish){.part = "1/3"}, a.text, &options, &err),
         &err);
    const char *sum = a.text;
    expect_refused(join(SBL_SHARDS_RELEASE, &sum, 1, named("plan", 1).text, at("x.release"), &options, &err),
                   SBL_EINPUT, &err, "part '2/3' is missing");
    assert_false(exists("x.release"));
    assert_false(exists("x.release.ledger"));
}

TEST(names_of_parts_are_checked)
{
    static const char *const bad[] = {"", "a b", "0/2", "3/2", "1/0", "01/2", "1/2/3", "a/b", "../x"};
    const sbl_synth_options options = by_method("marginals");
    sbl_error err = {0};
    must(plan_first(named("plan", 1).text, NULL, &options, &err), &err);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_refused(sum_file(at("data.csv"), named("plan", 1).text, (wish){.part = bad[i]},
                                named("sum", 0).text, &options, &err),
                       SBL_EARG, &err, "name the part");
    write_schema(true);
    must(plan_first(named("plan", 2).text, NULL, &options, &err), &err);
    expect_refused(sum_file(at("data.csv"), named("plan", 2).text, (wish){.part = "monday"},
                            named("sum", 0).text, &options, &err),
                   SBL_EARG, &err, "names a unit");
}

/* As many as there can be of one division: compared each with each, they would take hours. */
TEST(a_million_parts_are_told_apart_by_their_names)
{
    const uint64_t shares = SBL_MOST_SHARES / (sanitized ? 64 : 1), missing = shares / 3;
    const sbl_plan_file plan = {0};
    CLEARED(sbl_part_clear) sbl_part part = {0};
    sbl_part_id id = {.attempt = 1};
    char words[80];
    sbl_error err = {0};
    for (uint64_t i = shares; i >= 1; i--) {
        (void)snprintf(id.name, sizeof id.name, "%llu/%llu", (unsigned long long)i,
                       (unsigned long long)shares);
        if (i != missing) must(sbl_part_add_id(&part, &id, "all", &err), &err);
    }
    assert_int_equal(part.id_count, shares - 1);
    (void)snprintf(words, sizeof words, "part '%llu/%llu' is missing", (unsigned long long)missing,
                   (unsigned long long)shares);
    expect_refused(sbl_part_is_all(&part, &plan, "all", &err), SBL_EINPUT, &err, words);
    id.attempt = 2; /* of the first part, which came last */
    expect_refused(sbl_part_add_id(&part, &id, "all", &err), SBL_EINPUT, &err,
                   "is given twice (attempts 1 and 2)");
    (void)snprintf(id.name, sizeof id.name, "%llu/%llu", (unsigned long long)missing,
                   (unsigned long long)shares);
    must(sbl_part_add_id(&part, &id, "all", &err), &err);
    must(sbl_part_is_all(&part, &plan, "all", &err), &err);
    assert_string_equal(part.ids[part.id_count - 1].name, id.name); /* in the order in which they came */
}

/* A site's part takes the site's name: that is the one which is found. */
TEST(part_that_is_renamed_is_found_by_its_new_name)
{
    const sbl_part_id monday = {.name = "monday", .attempt = 1}, north = {.name = "north", .attempt = 1};
    CLEARED(sbl_part_clear) sbl_part part = {0};
    sbl_error err = {0};
    must(sbl_part_add_id(&part, &monday, "p", &err), &err);
    sbl_part_rename(&part, "north");
    expect_refused(sbl_part_add_id(&part, &north, "p", &err), SBL_EINPUT, &err, "'north' is given twice");
    must(sbl_part_add_id(&part, &monday, "p", &err), &err);
}

/* Another number in the header, of as many digits: seen before the seal is. */
TEST(part_of_another_version_is_refused)
{
    const sbl_synth_options options = by_method("marginals");
    static const char version[] = "\"version\":1";
    make_two(&options);
    const path a = named("sum", 0), b = named("sum", 1), c = named("sum", 2);
    FILE *file = fopen(a.text, "rb");
    char bytes[4096];
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    char *found = memmem(bytes, size, version, sizeof version - 1);
    assert_non_null(found);
    copy_bytes(a.text, c.text, LONG_MAX, -1);
    file = fopen(c.text, "r+b");
    assert_non_null(file);
    (void)fseek(file, (long)(found - bytes) + (long)sizeof version - 2, SEEK_SET);
    (void)fputc('7', file);
    (void)fclose(file);
    expect_merge_refused(b.text, c.text, "another version");
}

TEST(merge_of_no_part_is_refused)
{
    const sbl_synth_options options = by_method("marginals");
    const char *const sums[] = {""};
    sbl_error err = {0};
    make_two(&options);
    expect_refused(
        join(SBL_SHARDS_MERGE, sums, 0, named("plan", 1).text, named("merged", 0).text, &options, &err),
        SBL_EARG, &err, "at least one part");
    assert_false(exists("merged0"));
}

/* Round 2 by plan 2, over these rows. */
static sbl_status release_second(const char *input, const sbl_synth_options *options, sbl_error *err)
{
    const path plan = named("plan", 2), sum = named("sum", 1);
    const char *whole = sum.text;
    must(sum_file(at(input), plan.text, (wish){.part = "all"}, sum.text, options, err), err);
    return join(SBL_SHARDS_RELEASE, &whole, 1, plan.text, at("parts.release"), options, err);
}

/* A number of rows that is public is all that is seen of it, before anything is charged; rows that changed are noticed by
 * nothing, since whatever noticed them would tell of them. */
TEST(table_that_changes_between_rounds_is_noticed_by_nothing_private)
{
    const sbl_synth_options options = by_method("pairs");
    const path plan = named("plan", 1), sum = named("sum", 0);
    const char *whole = sum.text;
    sbl_error err = {0};
    must(plan_first(plan.text, NULL, &options, &err), &err);
    must(sum_file(at("data.csv"), plan.text, (wish){.part = "all"}, sum.text, &options, &err), &err);
    must(join(SBL_SHARDS_RELEASE, &whole, 1, plan.text, at("parts.release"), &options, &err), &err);
    assert_true(plan_next(plan.text, at("parts.release"), 2, named("plan", 2).text, &options));
    const size_t charged = lines_of("parts.release.ledger");
    write_rows("fewer.csv", 0, 2);
    expect_refused(release_second("fewer.csv", &options, &err), SBL_EINPUT, &err,
                   "the table changed between rounds");
    assert_int_equal(lines_of("parts.release.ledger"), charged);
    FILE *file = create("other.csv");
    (void)fputs("age,who,town,sick\n", file);
    for (int r = 0; r < ROWS; r++) (void)fputs("1,P1,Ayr,no\n", file);
    (void)fclose(file);
    must(release_second("other.csv", &options, &err), &err);
    assert_true(lines_of("parts.release.ledger") > charged);
}

/* Rows of many persons, and of Xan as many as may count in each of two files: these rows. */
static void write_both(const char *xan)
{
    for (int i = 0; i < 2; i++) {
        const path name = named("both", i);
        FILE *file = create(name.text + strlen(folder) + 1);
        (void)fputs("age,who,town,sick\n", file);
        for (int r = i; r < ROWS; r += 2) write_row(file, r);
        for (int r = 0; r < 3; r++) (void)fputs(xan, file);
        (void)fclose(file);
    }
}

/* A person whose rows stand in the files of two parts adds to one of them only: all that Xan's rows change,
 * in both files, is what was charged for one person at most, and is not nothing. */
TEST(person_in_the_files_of_two_parts_moves_what_was_charged)
{
    static const char *const rows[2] = {"0,Xan,Ayr,no\n", "100,Xan,Cork,yes\n"};
    const sbl_synth_options options = by_method("marginals");
    const path plan = named("plan", 1), whole = named("whole", 0);
    const char *sum = whole.text;
    sbl_error err = {0};
    replayed runs[2];
    write_schema(true);
    must(plan_first(plan.text, NULL, &options, &err), &err);
    for (int way = 0; way < 2; way++) {
        const path sums[2] = {named("sum", 0), named("sum", 1)};
        const char *const files[2] = {sums[0].text, sums[1].text};
        const path out = named("release", way);
        write_both(rows[way]);
        for (int i = 0; i < 2; i++)
            must(sum_file(named("both", i).text, plan.text, (wish){.part = i == 0 ? "1/2" : "2/2"}, files[i],
                          &options, &err),
                 &err);
        must(join(SBL_SHARDS_MERGE, files, 2, plan.text, whole.text, &options, &err), &err);
        sbl_test_key_set(1);
        must(join(SBL_SHARDS_RELEASE, &sum, 1, plan.text, out.text, &options, &err), &err);
        replayed_load(&runs[way], out.text, beside(way == 0 ? "release0" : "release1", ".ledger"));
    }
    /* All of Xan's rows differ, in age, town and label: no row that counts could move more. */
    assert_true(replayed_compare(&runs[0], &runs[1], "a person in two parts") > 0.5);
    for (int way = 0; way < 2; way++) replayed_clear(&runs[way]);
}
