/* SPDX-License-Identifier: Apache-2.0 */
/* What is written is none of what is read, by whatever name, and no ledger. */
#include "semblance/files.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cmocka_plain.h"
#include "base/file.h"
#include "support/one_folder.h"

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* words: what the refusal says; NULL: it is allowed. */
static void expect(const char *written, const char *other, bool other_written, const char *words)
{
    const sbl_named_file files[] = {
        {"the input", other, other_written}, {"nothing", NULL, true}, {"the output", written, true}};
    sbl_error err = {0};
    const sbl_status status = sbl_files_check(files, 3, &err);
    if (status != (words == NULL ? SBL_OK : SBL_EARG) ||
        (words != NULL && strstr(err.message, words) == NULL))
        fail_msg("%s, %s: %d [%s]", written, other, (int)status, err.message);
    assert_int_equal(sbl_files_check(files, 3, NULL), status);
}

static void same(const char *a, const char *b)
{
    expect(a, b, false, "the same file");
    expect(a, b, true, "the same file");
}

TEST(file_is_known_by_every_name)
{
    char absolute[PATH_MAX + 256];
    put("data", "x");
    put("other", "x");
    assert_int_equal(symlink("data", "soft") | link("data", "hard") | mkdir("sub", 0700), 0);
    (void)snprintf(absolute, sizeof absolute, "%s/data", folder);
    same("data", "data");
    same("./data", "data");
    same("sub/../data", "data");
    same("soft", "data");
    same("data", "soft");
    same("hard", "data");
    same(absolute, "data");
    expect("other", "data", false, NULL);
    expect("sub/data", "data", false, NULL);
    expect("-", "-", false, NULL);
    assert_non_null(freopen("data", "r", stdin));
    expect("data", "-", false, "the same file");
    expect("other", "-", false, NULL);
    expect("data", "-", true, NULL); /* standard output */
}

TEST(file_that_is_not_there_is_known_by_its_folder)
{
    char long_name[PATH_MAX + 10];
    assert_int_equal(mkdir("sub", 0700) | symlink("sub", "soft"), 0);
    same("sub/new", "soft/new");
    same("new", "./new");
    expect("sub/new", "new", false, NULL);
    expect("nowhere/new", "nowhere/new", false, NULL); /* writing it says why */
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    long_name[PATH_MAX + 5] = '/';
    expect(long_name, "new", false, NULL);
    expect("new", long_name, false, NULL);
}

TEST(files_of_a_list_are_read)
{
    char list[PATH_MAX + 100] = "";
    put("a", "x");
    put("b", "x");
    expect("a", "a,b", false, "the same file");
    expect("./b", "a,b", false, "the same file");
    expect("b", "missing,b,", false, "the same file");
    expect("c", "a,b", false, NULL);
    memset(list, 'n', PATH_MAX + 50);
    (void)snprintf(list + PATH_MAX + 50, 10, ",b");
    expect("b", list, false, "the same file");
    expect("a", list, false, NULL);
    expect("a", "a,b", true, NULL); /* what is written is one file */
    put("a,b", "x");
    expect("a", "a,b", false, NULL);
    same("a,b", "./a,b");
}

TEST(folder_that_is_read_takes_no_output)
{
    assert_int_equal(mkdir("set", 0700) | mkdir("set/0", 0700) | mkdir("set2", 0700), 0);
    assert_int_equal(symlink("set/0", "soft"), 0);
    put("set/0/a.png", "x");
    expect("set/0/a.png", "set", false, "would be written to a folder that is read");
    expect("soft/a.png", "set/", false, "would be written to a folder that is read");
    expect("set/new", "./set", false, "would be written to a folder that is read");
    expect("set/not/there/yet", "set", false, "would be written to a folder that is read");
    expect("x", ".", false, "would be written to a folder that is read");
    same("set", "set");
    expect("set/new", "set", true, NULL);
    expect("set2/new", "set", false, NULL);
    expect("new", "set", false, NULL);
    expect("new", "set/0", false, NULL);
    expect("none/new", "set", false, NULL);
    expect("set/0/a.png/b", "set2", false, NULL);   /* in no folder */
    expect("set/0/a.png", "set,set2", false, NULL); /* a list is one of files */
}

TEST(ledger_is_never_replaced)
{
    put("book", SBL_LEDGER_MAGIC "v=2");
    put("data", "x");
    expect("book", "data", false, "would replace the ledger");
    expect("data", "book", false, NULL);
    expect("data", "book", true, "would replace the ledger");
}

TEST(list_is_needed)
{
    assert_ok(sbl_files_check(NULL, 0, NULL));
    assert_int_equal(sbl_files_check(NULL, 1, NULL), SBL_EARG);
}

EACH_TEST(enter_folder, leave_folder)
