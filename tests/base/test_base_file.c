/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: all of it or nothing, whichever system call fails. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cmocka_plain.h"
#include "support/one_folder.h"

/* ---- system calls that can be told to fail ---- */

typedef enum call { NONE, READ, WRITE, WRITE_NOTHING, FSYNC, CLOSE, LINK, RENAME } call;
static call failing;
static int failure;    /* errno to fail with */
static int skip_calls; /* let so many pass first */
static bool once;
static bool short_writes;

static bool fails(call which)
{
    if (failing != which) return false;
    if (skip_calls-- > 0) return false;
    if (once) failing = NONE;
    errno = failure;
    return true;
}

static void fail_call(call which, int error, int after, bool only_once)
{
    failing = which;
    failure = error;
    skip_calls = after;
    once = only_once;
}

ssize_t __real_read(int descriptor, void *bytes, size_t size);
ssize_t __wrap_read(int descriptor, void *bytes, size_t size);
ssize_t __real_write(int descriptor, const void *bytes, size_t size);
ssize_t __wrap_write(int descriptor, const void *bytes, size_t size);
int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);
int __real_close(int descriptor);
int __wrap_close(int descriptor);
int __real_link(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);
int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);

ssize_t __wrap_read(int descriptor, void *bytes, size_t size)
{
    return fails(READ) ? -1 : __real_read(descriptor, bytes, size);
}

ssize_t __wrap_write(int descriptor, const void *bytes, size_t size)
{
    if (fails(WRITE)) return -1;
    if (fails(WRITE_NOTHING)) return 0;
    return __real_write(descriptor, bytes, short_writes && size > 2 ? 2 : size);
}

int __wrap_fsync(int descriptor) { return fails(FSYNC) ? -1 : __real_fsync(descriptor); }

int __wrap_close(int descriptor)
{
    const int result = __real_close(descriptor);
    return fails(CLOSE) ? -1 : result;
}

int __wrap_link(const char *from, const char *to) { return fails(LINK) ? -1 : __real_link(from, to); }

static void look(void);

int __wrap_rename(const char *from, const char *to)
{
    const int result = fails(RENAME) ? -1 : __real_rename(from, to);
    look();
    return result;
}

int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    assert_int_equal(flags, RENAME_NOREPLACE);
    return __real_renameat2(from_folder, from, to_folder, to, flags);
}

/* ---- helpers ---- */

AROUND(set_up)
{
    temp_folder_make(folder);
    fail_call(NONE, 0, 0, false);
    short_writes = false;
}

static size_t entries(void)
{
    size_t count = 0;
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    for (const struct dirent *e = readdir(stream); e != NULL; e = readdir(stream))
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    (void)closedir(stream);
    return count;
}

static sbl_status put(const char *name, const char *text, bool overwrite, sbl_error *err)
{
    return sbl_file_write(in_folder(folder, name), text, strlen(text),
                          (sbl_file_write_options){.mode = 0600, .overwrite = overwrite}, err);
}

static void assert_holds(const char *name, const char *text)
{
    uint8_t *bytes;
    size_t size;
    assert_ok(sbl_file_read(&bytes, &size, in_folder(folder, name), 1000, NULL));
    assert_int_equal(size, strlen(text));
    assert_string_equal((const char *)bytes, text);
    sbl_free(bytes);
}

/* ---- cases ---- */

TEST(what_is_written_is_read_back_with_the_mode_asked_for)
{
    struct stat facts;
    assert_ok(put("a", "hello\n", false, NULL));
    assert_holds("a", "hello\n");
    assert_int_equal(stat(in_folder(folder, "a"), &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_int_equal(facts.st_nlink, 1);
    assert_ok(put("empty", "", false, NULL));
    assert_holds("empty", "");
    assert_int_equal(entries(), 2);
}

TEST(an_existing_file_is_refused_and_left_as_it_is)
{
    sbl_error err;
    assert_ok(put("a", "first", false, NULL));
    assert_int_equal(put("a", "second", false, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "exists already"));
    assert_holds("a", "first");
    assert_int_equal(entries(), 1);
}

TEST(overwriting_replaces_the_file_whole)
{
    assert_ok(put("a", "a longer first text", false, NULL));
    const int reader = open(in_folder(folder, "a"), O_RDONLY | O_CLOEXEC);
    char seen[64] = {0};
    assert_ok(put("a", "second", true, NULL));
    assert_holds("a", "second");
    /* Who had it open sees the old file, not a mixture. */
    assert_int_equal(__real_read(reader, seen, sizeof seen - 1), 19);
    assert_string_equal(seen, "a longer first text");
    (void)__real_close(reader);
    assert_int_equal(entries(), 1);
}

TEST(a_file_system_without_hard_links_still_refuses_to_overwrite)
{
    sbl_error err;
    fail_call(LINK, EPERM, 0, false);
    assert_ok(put("a", "first", false, NULL));
    assert_holds("a", "first");
    assert_int_equal(put("a", "second", false, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "exists already"));
    assert_holds("a", "first");
    assert_int_equal(entries(), 1);
}

TEST(any_failing_step_leaves_the_old_file_and_no_rubbish)
{
    const struct {
        call which;
        int error;
    } steps[] = {{WRITE, ENOSPC}, {WRITE_NOTHING, 0}, {FSYNC, EIO}, {CLOSE, EIO}};
    assert_ok(put("a", "old", false, NULL));
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        for (int overwrite = 0; overwrite < 2; overwrite++) {
            sbl_error err;
            /* Whether the old file is a ledger was looked up before: that closes once, too. */
            fail_call(steps[i].which, steps[i].error, steps[i].which == CLOSE && overwrite, true);
            assert_int_equal(put(overwrite ? "a" : "b", "new", overwrite != 0, &err), SBL_EIO);
            assert_null(strchr(err.message, '\n'));
            fail_call(NONE, 0, 0, false);
            assert_holds("a", "old");
            assert_int_equal(entries(), 1);
        }
}

TEST(a_ledger_is_never_replaced)
{
    static const char ledger[] = SBL_LEDGER_MAGIC "v=2 ...\n";
    sbl_pending_file file;
    sbl_error err;
    const sbl_file_write_options force = {.mode = 0600, .overwrite = true};
    assert_ok(put("l", ledger, false, NULL));
    assert_true(sbl_file_is_ledger(in_folder(folder, "l")));
    assert_false(sbl_file_is_ledger(in_folder(folder, "none")));
    assert_false(sbl_file_is_ledger(folder));
    assert_int_equal(put("l", "x", true, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "is a ledger"));
    assert_int_equal(sbl_file_check_target(in_folder(folder, "l"), true, NULL), SBL_EARG);
    /* Nor through a link to it. */
    assert_int_equal(symlink("l", in_folder(folder, "link")), 0);
    assert_int_equal(put("link", "x", true, NULL), SBL_EARG);
    assert_int_equal(unlink(in_folder(folder, "link")), 0);
    /* Nor one that comes into being while another file is written. */
    assert_ok(sbl_file_begin(&file, in_folder(folder, "m"), force, NULL));
    assert_ok(put("m", ledger, false, NULL));
    assert_int_equal(sbl_file_commit(&file, &err), SBL_EARG);
    assert_holds("l", ledger);
    assert_holds("m", ledger);
    assert_int_equal(entries(), 2);
    /* What only begins alike is no ledger. */
    assert_ok(put("n", "semblance-ledge", false, NULL));
    assert_ok(put("n", "x", true, NULL));
}

TEST(an_unsynced_folder_is_an_error_and_the_file_is_there)
{
    sbl_error err;
    fail_call(FSYNC, EIO, 1, true); /* the file passes, its folder does not */
    assert_int_equal(put("a", "text", false, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "folder"));
    assert_holds("a", "text");
    bool appeared = false;
    const sbl_file_write_options told = {.mode = 0600, .appeared = &appeared};
    fail_call(FSYNC, EIO, 1, true);
    assert_int_equal(sbl_file_write(in_folder(folder, "c"), "x", 1, told, NULL), SBL_EIO);
    assert_true(appeared);
    fail_call(FSYNC, EIO, 0, true);
    assert_int_equal(sbl_file_write(in_folder(folder, "d"), "x", 1, told, NULL), SBL_EIO);
    assert_false(appeared);
    fail_call(FSYNC, EINVAL, 1, true); /* a file system that cannot sync folders is not */
    assert_ok(put("b", "text", false, NULL));
}

TEST(interrupted_and_short_calls_are_repeated)
{
    short_writes = true;
    fail_call(WRITE, EINTR, 1, true);
    assert_ok(put("a", "a text of some length", false, NULL));
    fail_call(READ, EINTR, 0, true);
    assert_holds("a", "a text of some length");
}

TEST(reading_refuses_what_is_missing_too_large_or_no_file)
{
    uint8_t *bytes = (uint8_t *)folder;
    size_t size = 7;
    sbl_error err;
    assert_int_equal(sbl_file_read(&bytes, &size, in_folder(folder, "none"), 10, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "none"));
    assert_true(bytes == NULL && size == 0);
    assert_int_equal(sbl_file_read(&bytes, &size, folder, 1 << 20, &err), SBL_EINPUT);
    assert_ok(put("a", "12345", false, NULL));
    assert_int_equal(sbl_file_read(&bytes, &size, in_folder(folder, "a"), 4, &err), SBL_EINPUT);
    assert_ok(sbl_file_read(&bytes, &size, in_folder(folder, "a"), 5, NULL));
    sbl_free(bytes);
    fail_call(READ, EIO, 0, true);
    assert_int_equal(sbl_file_read(&bytes, &size, in_folder(folder, "a"), 5, &err), SBL_EIO);
    assert_true(bytes == NULL && size == 0);
}

TEST(a_missing_folder_is_named)
{
    sbl_error err;
    assert_int_equal(put("no/such/file", "x", false, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "no/such/file"));
    assert_int_equal(sbl_sync_folder_of(in_folder(folder, "no/such/file"), &err), SBL_EIO);
    assert_int_equal(put("no/such/file", "x", true, &err), SBL_EIO);
}

TEST(a_path_without_a_folder_is_in_the_current_one)
{
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    assert_ok(
        sbl_file_write("plain", "x", 1, (sbl_file_write_options){.mode = 0644, .overwrite = false}, NULL));
    assert_ok(sbl_sync_folder_of("plain", NULL));
    assert_int_equal(chdir(before), 0);
    assert_holds("plain", "x");
    assert_int_equal(entries(), 1);
}

TEST(a_folder_in_the_way_is_not_replaced)
{
    sbl_error err;
    assert_int_equal(mkdir(in_folder(folder, "d"), 0700), 0);
    assert_int_equal(put("d", "x", true, &err), SBL_EIO);
    assert_int_equal(put("d", "x", false, &err), SBL_EIO);
    assert_int_equal(entries(), 1);
}

/* Two files that are to appear together; what is found under their names afterwards. */
static sbl_status put_pair(bool overwrite, sbl_error *err)
{
    sbl_pending_file first, second;
    sbl_pending_file *const both[] = {&first, &second};
    const sbl_file_write_options options = {.mode = 0600, .overwrite = overwrite};
    assert_ok(sbl_file_begin(&first, in_folder(folder, "one"), options, NULL));
    assert_ok(sbl_file_begin(&second, in_folder(folder, "two"), options, NULL));
    assert_int_equal(__real_write(first.descriptor, "1", 1), 1);
    assert_int_equal(__real_write(second.descriptor, "2", 1), 1);
    return sbl_file_commit_all(both, 2, err);
}

TEST(files_that_belong_together_appear_together_or_not_at_all)
{
    sbl_error err;
    assert_ok(put_pair(false, &err));
    assert_holds("one", "1");
    assert_holds("two", "2");
    assert_int_equal(unlink(in_folder(folder, "one")), 0);
    assert_int_equal(put_pair(false, &err), SBL_EIO); /* the second is in the way */
    assert_non_null(strstr(err.message, "two exists already"));
    assert_int_equal(entries(), 1);
    assert_ok(put_pair(true, &err));
    assert_int_equal(unlink(in_folder(folder, "two")), 0);
    assert_int_equal(put_pair(false, &err), SBL_EIO); /* the first is */
    assert_non_null(strstr(err.message, "one exists already"));
    assert_holds("one", "1");
    assert_int_equal(entries(), 1);
    assert_int_equal(unlink(in_folder(folder, "one")), 0);
    for (int after = 0; after < 2; after++) {
        fail_call(FSYNC, EIO, after, true);
        assert_int_equal(put_pair(false, &err), SBL_EIO);
        assert_non_null(strstr(err.message, after == 0 ? "sync" : "two"));
        fail_call(CLOSE, EIO, after, true);
        assert_int_equal(put_pair(false, &err), SBL_EIO);
        assert_int_equal(entries(), 0);
    }
}

/* What whoever opens the pair finds after each step: '-' no file, else its first character. */
static char steps[64];
static bool looking;

static char first_of(const char *name)
{
    char byte = '-';
    const int file = open(in_folder(folder, name), O_RDONLY | O_CLOEXEC);
    if (file < 0) return '-';
    assert_int_equal(__real_read(file, &byte, 1), 1);
    (void)__real_close(file);
    return byte;
}

static void look(void)
{
    const size_t used = strlen(steps);
    const int saved = errno;
    if (!looking) return;
    assert_true(used + 4 < sizeof steps);
    steps[used] = first_of("one");
    steps[used + 1] = first_of("two");
    steps[used + 2] = ' ';
    steps[used + 3] = '\0';
    errno = saved;
}

TEST(a_pair_is_never_half_new)
{
    /* Renames: both old files go, both new ones come; undone from the one that fails on. */
    static const char *const seen[] = {"ab ", "a- a- ab ", "a- -- -- a- ab ", "a- -- 1- 1- a- ab "};
    sbl_error err;
    for (int after = 0; after < 5; after++) {
        assert_ok(put("one", "a", true, NULL));
        assert_ok(put("two", "b", true, NULL));
        steps[0] = '\0';
        looking = true;
        fail_call(RENAME, EIO, after, true);
        const sbl_status status = put_pair(true, &err);
        looking = false;
        fail_call(NONE, 0, 0, false);
        if (after == 4) {
            assert_ok(status);
            assert_string_equal(steps, "a- -- 1- 12 ");
            break;
        }
        assert_int_equal(status, SBL_EIO);
        assert_string_equal(steps, seen[after]);
        assert_holds("one", "a");
        assert_holds("two", "b");
        assert_int_equal(entries(), 2);
    }
    assert_holds("one", "1");
    assert_holds("two", "2");
    assert_int_equal(entries(), 2);
    /* A folder in the way is refused, and the file beside it is back. */
    assert_int_equal(unlink(in_folder(folder, "two")), 0);
    assert_int_equal(mkdir(in_folder(folder, "two"), 0700), 0);
    assert_int_equal(put_pair(true, &err), SBL_EIO);
    assert_holds("one", "1");
    assert_int_equal(entries(), 2);
}

TEST(an_unknown_errno_still_gives_a_message)
{
    sbl_error err;
    assert_int_equal(sbl_fail_errno(&err, "open", "f", 99999), SBL_EIO);
    assert_string_equal(err.message, "cannot open f: unknown error");
}

EACH_TEST(set_up, remove_folder)
