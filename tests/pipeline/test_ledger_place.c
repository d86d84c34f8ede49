/* SPDX-License-Identifier: Apache-2.0 */
/* One data set, one ledger: under every spelling and every name, in any order of a list, and also
 * where its folder cannot be written to. */
#include "run/pipeline/ledger_place.h"
#include "support/cmocka_all.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/fail_alloc.h"
#include "support/one_folder.h"

static char real[PATH_MAX];       /* the folder, canonical */
static char closed[2 * PATH_MAX]; /* a folder, with its slash, that cannot be written to; "": none */

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);

/* Root may write everywhere. */
int __wrap_access(const char *path, int mode)
{
    return (mode & W_OK) != 0 && strcmp(path, closed) == 0 ? -1 : __real_access(path, mode);
}

static int enter(void **state)
{
    (void)state;
    temp_folder_make(folder);
    closed[0] = '\0';
    return realpath(folder, real) == NULL || chdir(folder) != 0;
}

static int leave(void **state)
{
    (void)state;
    const int away = chdir("/");
    temp_folder_remove(folder);
    return away;
}

static void put(const char *name)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static sbl_data_places only(const char *input) { return (sbl_data_places){.input = input}; }

/* The ledger of the data is this one, relative to the folder. */
static void expect_places(sbl_data_places places, const char *ledger, bool there)
{
    const char *input = places.input != NULL ? places.input : "memory";
    sbl_ledger_choice choice;
    sbl_error err = {0};
    char absolute[2 * PATH_MAX];
    if (sbl_ledger_choose(&choice, (sbl_store_entry){0}, &places, sbl_file_item("stem"), &err) != SBL_OK)
        fail_msg("%s", err.message);
    const char *path = choice.path.data;
    (void)snprintf(absolute, sizeof absolute, "%s/%s", real, ledger);
    if (strcmp(path, absolute) != 0 && strcmp(path, ledger) != 0)
        fail_msg("%s: %s, not %s", input, path, ledger);
    assert_int_equal(choice.is_there, there);
    assert_int_equal(choice.fell_back, strcmp(ledger, "stem.ledger") == 0);
    sbl_text_clear(&choice.path);
}

static void expect(const char *input, const char *ledger, bool there)
{
    expect_places(only(input), ledger, there);
}

static void expect_places_refused(sbl_data_places places, const char *words)
{
    sbl_ledger_choice choice;
    sbl_error err = {0};
    assert_int_equal(sbl_ledger_choose(&choice, (sbl_store_entry){0}, &places, sbl_file_item("stem"), &err),
                     SBL_EINPUT);
    if (strstr(err.message, words) == NULL) fail_msg("%s", err.message);
    assert_int_equal(err.hint, SBL_HINT_LEDGER_SHARE);
    sbl_text_clear(&choice.path);
    assert_ok(sbl_ledger_choose(&choice, sbl_file_item("named"), &places, sbl_file_item("stem"), &err));
    assert_string_equal(choice.path.data, "named");
    assert_true(choice.is_there && !choice.fell_back);
    sbl_text_clear(&choice.path);
}

static void expect_refused(const char *input, const char *words)
{
    expect_places_refused(only(input), words);
}

TEST(every_spelling_has_the_same_ledger)
{
    static const char *const spellings[] = {"set",      "set/",       "set//", "set/.", "set/./",
                                            "./set/./", "set/../set", "link",  "link/"};
    static const char *const files[] = {"set/a.csv", "set/./a.csv", "link/a.csv", "to_a",
                                        ".//set/../set/a.csv"};
    char absolute[2 * PATH_MAX];
    assert_int_equal(mkdir("set", 0700) | symlink("set", "link") | symlink("set/a.csv", "to_a"), 0);
    put("set/a.csv");
    for (int there = 0; there < 2; there++) {
        for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
            expect(spellings[i], "set.ledger", there != 0);
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            expect(files[i], "set/a.csv.ledger", there != 0);
        (void)snprintf(absolute, sizeof absolute, "%s/set/.", folder);
        expect(absolute, "set.ledger", there != 0);
        assert_int_equal(chdir("set"), 0);
        expect(".", "set.ledger", there != 0);
        expect("..//set", "set.ledger", there != 0);
        assert_int_equal(chdir(".."), 0);
        put("set.ledger");
        put("set/a.csv.ledger");
    }
}

TEST(ledger_beside_a_symbolic_link_is_used)
{
    static const char *const links[] = {"first", "./first", "set/../first"};
    assert_int_equal(mkdir("set", 0700) | mkdir("links", 0700), 0);
    put("set/a");
    assert_int_equal(symlink("links/second", "first") | symlink("../set/a", "links/second"), 0);
    for (size_t i = 0; i < 3; i++) expect(links[i], "set/a.ledger", false);
    put("links/second.ledger");
    for (size_t i = 0; i < 3; i++) expect(links[i], "links/second.ledger", true);
    expect("first,missing", "links/second.ledger", true);
    put("first.ledger");
    expect_refused("first", "two ledgers");
    assert_int_equal(symlink("set", "folder"), 0);
    expect("folder/", "set.ledger", false);
    put("folder.ledger");
    expect("folder", "folder.ledger", true);
    expect("folder/.//", "folder.ledger", true);
    assert_int_equal(symlink("loop", "loop"), 0);
    expect("loop", "stem.ledger", false);
}

TEST(what_has_no_name_in_a_list_hides_no_ledger)
{
    put("a");
    put("a.ledger");
    expect("/dev/null,a", "a.ledger", true);
    expect("missing,a", "a.ledger", true);
    expect(",a", "a.ledger", true);
}

TEST(file_at_standard_input_has_its_ledger)
{
    put("a");
    assert_non_null(freopen("a", "r", stdin));
    expect("-", "a.ledger", false);
    put("a.ledger");
    expect("-", "a.ledger", true);
    assert_non_null(freopen("/dev/null", "r", stdin));
    expect("-", "stem.ledger", false);
}

TEST(list_of_files_has_one_ledger_in_any_order)
{
    static const char *const orders[] = {"a,b,c", "c,b,a", "b,./c,a", "c,a,b,a"};
    put("a");
    put("b");
    put("c");
    for (size_t i = 0; i < 4; i++) expect(orders[i], "a.ledger", false);
    put("b.ledger"); /* of a run with another order, or of b alone */
    for (size_t i = 0; i < 4; i++) expect(orders[i], "b.ledger", true);
    put("c.ledger");
    for (size_t i = 0; i < 4; i++) expect_refused(orders[i], "two ledgers");
    expect("a,b", "b.ledger", true);
    expect("a,missing", "a.ledger", false); /* refused when it is opened */
    expect("a,,b", "b.ledger", true);
    put("a,b"); /* a file of that name is no list */
    expect("a,b", "a,b.ledger", false);
}

TEST(hard_links_have_one_ledger)
{
    put("b");
    assert_int_equal(link("b", "c") | link("b", "a"), 0);
    expect("c", "a.ledger", false);
    expect("a", "a.ledger", false);
    put("c.ledger");
    expect("a", "c.ledger", true);
    expect("b", "c.ledger", true);
    put("b.ledger");
    expect_refused("a", "two ledgers, b.ledger and c.ledger");
}

TEST(hard_link_into_another_folder_wants_the_ledger_named)
{
    put("data");
    assert_int_equal(mkdir("other", 0700) | link("data", "other/name"), 0);
    expect_refused("data", "hard links");
    expect_refused("other/name", "hard links");
    put("data.ledger");
    expect("data", "data.ledger", true);
    expect_refused("other/name", "hard links");
}

TEST(ledger_that_is_there_is_used_in_a_folder_that_cannot_be_written_to)
{
    assert_int_equal(mkdir("set", 0700), 0);
    put("set/data");
    put("set/more");
    (void)snprintf(closed, sizeof closed, "%s/set/", real);
    expect("set/data", "stem.ledger", false);
    put("stem.ledger");
    expect("set/data", "stem.ledger", true);
    put("other");
    expect("set/data,other", "other.ledger", false); /* where one can be made */
    put("set/data.ledger");
    expect("set/data", "set/data.ledger", true);
    expect("set/more,set/data", "set/data.ledger", true);
    assert_int_equal(unlink("set/data.ledger") | symlink("nowhere", "set/data.ledger"), 0);
    expect("set/data", "set/data.ledger", true); /* opening it says what is wrong */
}

TEST(data_without_a_name_has_a_ledger_beside_the_release)
{
    static const char *const nameless[] = {NULL, "-", "/dev/null", "missing", ""};
    char name[PATH_MAX + 10];
    for (size_t i = 0; i < 5; i++) expect(nameless[i], "stem.ledger", false);
    /* Nor can one have a name that is too long. */
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    expect(name, "stem.ledger", false);
}

static void link_places(sbl_data_places places)
{
    sbl_ledger_choice choice;
    sbl_error err = {0};
    assert_ok(sbl_ledger_choose(&choice, (sbl_store_entry){0}, &places, sbl_file_item("stem"), &err));
    assert_ok(sbl_ledger_link(&choice, &places, &err));
    sbl_text_clear(&choice.path);
}

static void link_list(const char *input) { link_places(only(input)); }

static bool is_link(const char *path)
{
    struct stat seen;
    return lstat(path, &seen) == 0 && S_ISLNK(seen.st_mode);
}

/* Whatever of the list is read next, alone or with others, is charged to what the list was charged to. */
TEST(files_of_a_list_lead_to_its_ledger)
{
    assert_int_equal(mkdir("set", 0700), 0);
    put("a");
    put("b");
    put("set/c");
    link_list("b,a,set/c"); /* there is no ledger to lead to yet */
    assert_false(is_link("b.ledger"));
    put("a.ledger");
    link_list("b,a,set/c");
    link_list("a,set/c,b"); /* once more is no harm */
    assert_true(is_link("b.ledger") && is_link("set/c.ledger") && !is_link("a.ledger"));
    expect("b", "a.ledger", true);
    expect("set/c", "a.ledger", true);
    expect("set/c,b", "a.ledger", true);
    expect("a,b,set/c", "a.ledger", true);
    /* One that has its own is noticed, and the links are not touched. */
    put("d");
    put("d.ledger");
    expect_refused("d,b", "two ledgers");
    link_list("d");
    expect("d", "d.ledger", true);
    /* In one folder they can be moved together. */
    assert_int_equal(mkdir("moved", 0700) | rename("a", "moved/a") | rename("b", "moved/b") |
                         rename("a.ledger", "moved/a.ledger") | rename("b.ledger", "moved/b.ledger"),
                     0);
    expect("moved/b", "moved/a.ledger", true);
    expect("set/c", "set/c.ledger", true); /* leads nowhere: opening it says so */
}

TEST(ledger_that_was_named_has_no_links)
{
    const sbl_ledger_choice named = {.is_there = true};
    sbl_error err = {0};
    put("a");
    put("b");
    put("a.ledger");
    const sbl_data_places places = only("a,b");
    assert_ok(sbl_ledger_link(&named, &places, &err));
    assert_false(is_link("b.ledger"));
}

/* ---- packages ---- */

static sbl_data_places package(const char *input, const char *const *tables, size_t count)
{
    return (sbl_data_places){input, tables, count};
}

TEST(tables_of_a_package_lead_to_its_ledger)
{
    const char *const tables[] = {"shop/customers.csv", NULL, "shop/data/orders.csv"};
    const sbl_data_places all = package("shop/p.json", tables, 3);
    char target[64] = "";
    assert_int_equal(mkdir("shop", 0700) | mkdir("shop/data", 0700), 0);
    put("shop/p.json");
    put("shop/q.json");
    put("shop/customers.csv");
    put("shop/data/orders.csv");
    expect_places(all, "shop/p.json.ledger", false);
    link_places(all); /* there is nothing to lead to yet */
    assert_false(is_link("shop/customers.csv.ledger"));
    put("shop/p.json.ledger");
    link_places(all);
    assert_true(is_link("shop/customers.csv.ledger") && is_link("shop/data/orders.csv.ledger"));
    assert_true(readlink("shop/data/orders.csv.ledger", target, sizeof target - 1) > 0);
    assert_string_equal(target, "../p.json.ledger");
    expect("shop/customers.csv", "shop/p.json.ledger", true);
    expect("shop/data/orders.csv", "shop/p.json.ledger", true);
    /* Another package of these tables, whatever its name and place, has the same ledger. */
    expect_places(package("shop/q.json", tables, 3), "shop/p.json.ledger", true);
    put("r.json");
    expect_places(package("r.json", tables, 1), "shop/p.json.ledger", true);
    expect_places(package(NULL, tables, 3), "shop/p.json.ledger", true);
    link_places(package("r.json", tables, 1));
    assert_true(is_link("r.json.ledger"));
    expect("r.json", "shop/p.json.ledger", true);
    /* The ledger is gone: opening one of the links says so. */
    assert_int_equal(rename("shop/p.json.ledger", "kept"), 0);
    expect_places(all, "shop/customers.csv.ledger", true);
    assert_int_equal(rename("kept", "shop/p.json.ledger"), 0);
    /* All of it can be moved together. */
    assert_int_equal(rename("shop", "moved"), 0);
    expect("moved/data/orders.csv", "moved/p.json.ledger", true);
}

TEST(table_that_was_charged_before_is_charged_with_its_package)
{
    const char *const tables[] = {"a.csv", "b.csv"};
    put("p.json");
    put("a.csv");
    put("b.csv");
    put("a.csv.ledger");
    expect_places(package("p.json", tables, 2), "a.csv.ledger", true);
    link_places(package("p.json", tables, 2));
    assert_true(is_link("p.json.ledger") && is_link("b.csv.ledger"));
    expect("p.json", "a.csv.ledger", true);
    expect("b.csv", "a.csv.ledger", true);
}

TEST(tables_with_two_ledgers_are_refused)
{
    const char *const tables[] = {"a.csv", "b.csv"};
    put("p.json");
    put("a.csv");
    put("b.csv");
    put("p.json.ledger");
    put("b.csv.ledger");
    expect_places_refused(package("p.json", tables, 2), "two ledgers, b.csv.ledger and p.json.ledger");
    expect_places_refused(package("p.json,a.csv", tables + 1, 1), "two ledgers");
    assert_false(is_link("a.csv.ledger"));
    assert_int_equal(unlink("p.json.ledger"), 0);
    put("a.csv.ledger");
    expect_places_refused(package(NULL, tables, 2), "a.csv has two ledgers");
}

TEST(tables_without_a_package_have_one_ledger_as_a_list_has)
{
    const char *const tables[] = {NULL, "b.csv", "a.csv"};
    put("a.csv");
    put("b.csv");
    expect_places(package(NULL, tables, 3), "a.csv.ledger", false);
    expect_places(package(NULL, tables, 1), "stem.ledger", false);
    put("a.csv.ledger");
    link_places(package(NULL, tables, 3));
    expect("b.csv", "a.csv.ledger", true);
}

TEST(package_in_a_folder_that_cannot_be_written_to_has_its_ledger_beside_a_table)
{
    const char *const tables[] = {"a.csv"};
    assert_int_equal(mkdir("set", 0700), 0);
    put("set/p.json");
    put("a.csv");
    (void)snprintf(closed, sizeof closed, "%s/set/", real);
    expect_places(package("set/p.json", tables, 1), "a.csv.ledger", false);
}

/* The ledger was chosen, and another run made one for a part of the data before the links were made. */
TEST(ledger_that_appears_beside_a_part_is_noticed)
{
    const sbl_data_places places = only("a,b");
    sbl_ledger_choice choice;
    sbl_error err = {0};
    put("a");
    put("b");
    put("a.ledger");
    assert_ok(sbl_ledger_choose(&choice, (sbl_store_entry){0}, &places, sbl_file_item("stem"), &err));
    put("b.ledger");
    assert_int_equal(sbl_ledger_link(&choice, &places, &err), SBL_EINPUT);
    assert_int_equal(err.hint, SBL_HINT_LEDGER_SHARE);
    sbl_text_clear(&choice.path);
}

/* ---- folders ---- */

TEST(files_of_a_folder_lead_to_its_ledger)
{
    assert_int_equal(mkdir("v", 0700) | mkdir("v/year=1", 0700) | mkdir("v/.hidden", 0700), 0);
    put("v/a.parquet");
    put("v/year=1/b.pq");
    put("v/c.csv");
    expect("v", "v.ledger", false);
    expect("v/a.parquet", "v/a.parquet.ledger", false);
    put("v.ledger");
    expect("v/a.parquet", "v.ledger", true);
    expect("v/year=1/b.pq", "v.ledger", true);
    expect("v/year=1", "v.ledger", true);
    expect("v/year=1/b.pq,v/a.parquet", "v.ledger", true);
    expect("v/c.csv", "v/c.csv.ledger", false); /* folders are of Parquet and images */
    link_list("v");
    link_list("v/a.parquet");
    assert_false(is_link("v/a.parquet.ledger"));
    /* As a table of a package, and by other names. */
    const char *const tables[] = {"v/a.parquet"};
    put("p.json");
    expect_places(package("p.json", tables, 1), "v.ledger", true);
    assert_int_equal(symlink("v/a.parquet", "to_a.parquet") | symlink("v", "to_v"), 0);
    expect("to_a.parquet", "v.ledger", true);
    expect("to_v/a.parquet", "v.ledger", true);
    put("to_v.ledger");
    expect_refused("to_v/a.parquet", "two ledgers");
}

TEST(file_that_was_charged_before_is_charged_with_its_folder)
{
    assert_int_equal(mkdir("v", 0700) | mkdir("v/deep", 0700), 0);
    put("v/deep/a.parquet");
    put("v/b.parquet");
    put("v/unrelated.csv");
    put("v/unrelated.csv.ledger");
    put("v/deep/a.parquet.ledger");
    expect("v", "v/deep/a.parquet.ledger", true);
    link_list("v");
    assert_true(is_link("v.ledger"));
    expect("v/b.parquet", "v/deep/a.parquet.ledger", true);
    expect("v", "v/deep/a.parquet.ledger", true);
    put("v/b.parquet.ledger");
    expect_refused("v", "two ledgers");
    expect_refused("v/b.parquet", "two ledgers");
    expect("v/deep", "v/deep/a.parquet.ledger", true); /* its own is what v leads to */
}

TEST(links_out_of_a_folder_lead_to_its_ledger)
{
    assert_int_equal(mkdir("v", 0700) | mkdir("else", 0700) | mkdir("else/deep", 0700), 0);
    put("else/a.parquet");
    put("else/deep/b.parquet");
    assert_int_equal(symlink("../else/a.parquet", "v/a.parquet") | symlink("../else/deep", "v/deep"), 0);
    put("v.ledger");
    link_list("v");
    expect("else/a.parquet", "v.ledger", true);
    expect("else/deep/b.parquet", "v.ledger", true);
    expect("v/a.parquet", "v.ledger", true);
    assert_int_equal(unlink("v.ledger") | unlink("else/a.parquet.ledger") | unlink("else/deep.ledger"), 0);
    put("else/deep/b.parquet.ledger");
    expect("v", "else/deep/b.parquet.ledger", true);
    assert_int_equal(symlink(".", "v/circle"), 0);
    expect("else", "else/deep/b.parquet.ledger", true);
}

TEST(failed_allocations_are_told)
{
    put("a");
    put("b");
    assert_int_equal(link("a", "c"), 0);
    put("b.ledger");
    const sbl_data_places places = only("b,a");
    for (long n = 0; sbl_test_fail_next(&n);) {
        sbl_ledger_choice choice;
        sbl_test_no_memory(
            sbl_ledger_choose(&choice, (sbl_store_entry){0}, &places, sbl_file_item("stem"), NULL));
        sbl_text_clear(&choice.path);
    }
}

EACH_TEST(enter, leave)
