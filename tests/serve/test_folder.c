/* SPDX-License-Identifier: Apache-2.0 */
/* The folder that is served: no path leads out of it, and nothing in it is overwritten. Both ways of opening hold the
 * same: the kernel's, and ours by steps. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/fixed_text.h"
#include "serve/served_folder.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

static char outside[256];
static int root = -1;

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(outside, name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* outside/secret, and beside it the folder `in` with a file, a folder, and links of every kind. */
static int set_up(void **state)
{
    (void)state;
    temp_folder_make(outside);
    write_text("secret", "secret");
    assert_int_equal(mkdir(in_folder(outside, "in"), 0700), 0);
    assert_int_equal(mkdir(in_folder(outside, "in/sub"), 0700), 0);
    write_text("in/a.csv", "a");
    write_text("in/sub/b.csv", "b");
    write_text("in/.hidden", "hidden");
    assert_int_equal(symlink("../secret", in_folder(outside, "in/link")), 0);
    assert_int_equal(symlink("a.csv", in_folder(outside, "in/link-inside")), 0);
    assert_int_equal(symlink("..", in_folder(outside, "in/up")), 0);
    assert_int_equal(symlink("/", in_folder(outside, "in/top")), 0);
    assert_int_equal(symlink("/proc/self/fd", in_folder(outside, "in/magic")), 0);
    assert_int_equal(mkfifo(in_folder(outside, "in/pipe.csv"), 0600), 0);
    root = open(in_folder(outside, "in"), O_RDONLY | O_DIRECTORY);
    return root >= 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    (void)close(root);
    temp_folder_remove(outside);
    return 0;
}

EACH_TEST(set_up, tear_down)

TEST(bad_paths_are_known_by_their_looks)
{
    static const char *const bad[] = {"",
                                      "/",
                                      "/etc/passwd",
                                      "..",
                                      "../a",
                                      "a/..",
                                      "a/../b",
                                      "./a",
                                      ".",
                                      "a//b",
                                      "a/",
                                      ".hidden",
                                      "a/.git",
                                      "-",
                                      "-x.csv",
                                      "a,b",
                                      "*.csv",
                                      "a?b",
                                      "a[1]",
                                      "a{1}",
                                      "a\\b",
                                      "a\nb",
                                      "a\x7f",
                                      "\xff",
                                      "\xe2\x80\xae"
                                      "csv"};
    static const char *const good[] = {"a.csv", "sub/b.csv", "caf\xc3\xa9.csv", "a b.csv",
                                       "a..b",  "<b>.csv",   "a'b\".csv"};
    char long_name[2000];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(sbl_serve_folder_path_is_good(bad[i]));
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(sbl_serve_folder_path_is_good(good[i]));
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_false(sbl_serve_folder_path_is_good(long_name));
    long_name[256] = '\0';
    assert_false(sbl_serve_folder_path_is_good(long_name));
    long_name[255] = '\0';
    assert_true(sbl_serve_folder_path_is_good(long_name));
}

typedef int (*opener)(int root, const char *path, int flags, mode_t mode);

static void expect_beneath(opener open_one)
{
    static const char *const bad[] = {
        "../secret",        "/etc/passwd", "link", "link-inside", "up/secret", "top/etc/passwd",
        "sub/../../secret", "magic/0",     "up",   "up/in/a.csv", "nothing",   "a.csv/x"};
    int fd = open_one(root, "sub/b.csv", O_RDONLY, 0);
    char byte = 0;
    assert_true(fd >= 0);
    assert_int_equal(read(fd, &byte, 1), 1);
    assert_int_equal(byte, 'b');
    assert_int_equal(close(fd), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        fd = open_one(root, bad[i], O_RDONLY, 0);
        if (fd >= 0) fail_msg("%s was opened", bad[i]);
    }
    fd = open_one(root, "sub/new", O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    assert_int_equal(open_one(root, "sub/new", O_WRONLY | O_CREAT | O_EXCL, 0600), -1);
    assert_int_equal(open_one(root, "link", O_WRONLY | O_CREAT, 0600), -1);
}

TEST(the_kernel_opens_nothing_outside) { expect_beneath(sbl_serve_open_beneath); }
TEST(steps_open_nothing_outside) { expect_beneath(sbl_serve_open_beneath_by_steps); }

TEST(only_plain_files_are_files)
{
    static const char *const bad[] = {"pipe.csv", "sub", "link", "link-inside", ".hidden", "nothing"};
    sbl_error err;
    int fd = -1;
    uint64_t size = 0;
    assert_ok(sbl_serve_folder_file(&fd, &size, root, "a.csv", &err));
    assert_int_equal(size, 1);
    assert_int_equal(close(fd), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_not_equal(sbl_serve_folder_file(&fd, &size, root, bad[i], &err), SBL_OK);
        assert_int_equal(fd, -1);
        assert_false(sbl_serve_folder_has(root, bad[i]));
    }
}

TEST(nothing_is_overwritten)
{
    sbl_error err;
    char *text = NULL;
    size_t length = 0;
    bool made = true;
    assert_int_equal(sbl_serve_folder_write_new(root, "a.csv", "x", 1, &err), SBL_EARG);
    assert_int_equal(sbl_serve_folder_write_new(root, "link", "x", 1, &err), SBL_EARG);
    assert_int_equal(sbl_serve_folder_write_new(root, "up/new", "x", 1, &err), SBL_EIO);
    assert_int_equal(sbl_serve_folder_rename_new(root, "sub/b.csv", "a.csv", &err), SBL_EARG);
    assert_int_equal(sbl_serve_folder_rename_new(root, "sub/b.csv", "up/b.csv", &err), SBL_EIO);
    assert_int_equal(sbl_serve_folder_make(&made, root, "up/new", &err), SBL_EIO);
    assert_int_equal(sbl_serve_folder_make(&made, root, "a.csv", &err), SBL_EIO);
    assert_ok(sbl_serve_folder_make(&made, root, "sub", &err));
    assert_false(made);
    assert_ok(sbl_serve_folder_read(&text, &length, root, "a.csv", 10, &err));
    assert_string_equal(text, "a");
    free(text);
    assert_int_equal(sbl_serve_folder_read(&text, &length, root, "a.csv", 0, &err), SBL_EINPUT);
    assert_null(text);
    assert_int_equal(access(in_folder(outside, "new"), F_OK), -1);
    assert_ok(sbl_serve_folder_rename_new(root, "sub/b.csv", "sub/c.csv", &err));
    assert_true(sbl_serve_folder_has(root, "sub/c.csv"));
}

static void note_name(void *context, const sbl_serve_folder_entry *entry)
{
    char *names = context;
    (void)strcat(names, entry->path);
    (void)strcat(names, entry->is_folder ? "/ " : " ");
}

TEST(the_list_holds_no_links_and_nothing_hidden)
{
    char names[1000] = "";
    assert_int_equal(mkdir(in_folder(outside, "in/sub/2"), 0700), 0);
    sbl_serve_folder_walk(root, note_name, names);
    assert_string_equal(names, "a.csv sub/ sub/2/ sub/b.csv ");
}

TEST(one_folder_is_listed_without_those_inside_it)
{
    char names[1000] = "";
    assert_int_equal(mkdir(in_folder(outside, "in/sub/2"), 0700), 0);
    write_text("in/sub/2/c.csv", "c");
    sbl_serve_folder_list(root, "sub", note_name, names);
    assert_string_equal(names, "sub/2/ sub/b.csv ");
    names[0] = '\0';
    sbl_serve_folder_list(root, "up", note_name, names);
    sbl_serve_folder_list(root, "..", note_name, names);
    sbl_serve_folder_list(root, "a.csv", note_name, names);
    assert_string_equal(names, "");
}

static void count_entry(void *context, const sbl_serve_folder_entry *entry)
{
    size_t *count = context;
    (void)entry;
    (*count)++;
}

TEST(many_pictures_leave_room_for_others)
{
    char name[40];
    size_t count = 0;
    for (unsigned i = 0; i < 150; i++) {
        (void)snprintf(name, sizeof name, "in/sub/%03u.png", i);
        write_text(name, "x");
    }
    sbl_serve_folder_list(root, "sub", count_entry, &count);
    assert_int_equal(count, 100 + 1); /* and b.csv, which comes behind them */
}

TEST(a_folder_with_a_link_anywhere_is_not_plain)
{
    assert_true(sbl_serve_folder_has_folder(root, "sub"));
    assert_false(sbl_serve_folder_has_folder(root, "a.csv"));
    assert_false(sbl_serve_folder_has_folder(root, "up"));
    assert_true(sbl_serve_folder_is_plain(root, "sub"));
    assert_false(sbl_serve_folder_is_plain(root, "up"));
    assert_false(sbl_serve_folder_is_plain(root, "a.csv"));
    assert_int_equal(mkdir(in_folder(outside, "in/sub/2"), 0700), 0);
    write_text("in/sub/2/c.png", "c");
    assert_true(sbl_serve_folder_is_plain(root, "sub"));
    assert_int_equal(symlink("../../../secret", in_folder(outside, "in/sub/2/d.png")), 0);
    assert_false(sbl_serve_folder_is_plain(root, "sub"));
    assert_int_equal(unlink(in_folder(outside, "in/sub/2/d.png")), 0);
    assert_int_equal(mkfifo(in_folder(outside, "in/sub/2/d.png"), 0600), 0);
    assert_false(sbl_serve_folder_is_plain(root, "sub"));
}

TEST(what_is_kept_again_loses_nothing)
{
    sbl_error err;
    char *text = NULL;
    size_t length = 0;
    assert_ok(sbl_serve_folder_keep(root, "k.json", "one", &err));
    assert_ok(sbl_serve_folder_keep(root, "k.json", "one", &err));
    assert_false(sbl_serve_folder_has(root, "k.json.1"));
    assert_ok(sbl_serve_folder_keep(root, "k.json", "two", &err));
    assert_ok(sbl_serve_folder_keep(root, "k.json", "three", &err));
    assert_ok(sbl_serve_folder_read(&text, &length, root, "k.json.1", 10, &err));
    assert_string_equal(text, "one");
    free(text);
    assert_ok(sbl_serve_folder_read(&text, &length, root, "k.json.2", 10, &err));
    assert_string_equal(text, "two");
    free(text);
    assert_int_equal(sbl_serve_folder_keep(root, "link", "x", &err), SBL_EARG);
}

TEST(the_library_gets_absolute_paths_and_messages_show_relative_ones)
{
    sbl_error err;
    char full[SBL_FULL_PATH_SIZE], line[3 * SBL_FULL_PATH_SIZE], name[SBL_FULL_PATH_SIZE];
    assert_ok(sbl_serve_folder_full(full, root, "sub/b.csv", &err));
    assert_string_equal(full, in_folder(outside, "in/sub/b.csv"));
    (void)snprintf(line, sizeof line, "%s: as %s, not %s", full, full, in_folder(outside, "secret"));
    (void)snprintf(name, sizeof name, "sub/b.csv: as sub/b.csv, not %s", in_folder(outside, "secret"));
    assert_string_equal(sbl_serve_folder_shorten(line, root), name);
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(sbl_serve_folder_full(full, root, name, &err), SBL_EARG);
    const int top = open("/", O_RDONLY | O_DIRECTORY);
    assert_true(top >= 0);
    assert_ok(sbl_serve_folder_full(full, top, "a/b", &err));
    assert_string_equal(full, "/a/b");
    assert_string_equal(sbl_serve_folder_shorten(full, top), "/a/b");
    assert_int_equal(close(top), 0);
}

TEST(a_text_that_does_not_fit_leaves_its_field_empty)
{
    char field[4] = "old", *last = field + sizeof field - 1;
    assert_true(sbl_serve_put(field, sizeof field, "abc"));
    assert_string_equal(field, "abc");
    assert_false(sbl_serve_put(field, sizeof field, "abcd"));
    assert_string_equal(field, "");
    assert_true(sbl_serve_put(last, 1, ""));
    assert_false(sbl_serve_put(last, 1, "a"));
    assert_string_equal(last, "");
}
