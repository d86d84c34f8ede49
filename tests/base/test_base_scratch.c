/* Folders of one's own: gone with their call, and with the next one where their process was killed. */
#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cmocka_plain.h"
#include "support/one_folder.h"

/* ---- a lock that goes wrong ---- */

static int lock_failures;      /* so many of the next locks fail, with: */
static int lock_error;         /* an errno; 0: the lock is had, and the newest folder is gone */
static const char *newest;     /* of the scratch that is being opened */
static int open_error;         /* errno of the next opening of a folder; 0: none */
static sbl_scratch *in_making; /* where its name is found */

int __real_flock(int descriptor, int how);
int __wrap_flock(int descriptor, int how);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_flock(int descriptor, int how)
{
    if (lock_failures == 0) return __real_flock(descriptor, how);
    lock_failures--;
    errno = lock_error;
    if (lock_error != 0) return -1;
    newest = in_making->folder.data;
    assert_int_equal(rmdir(newest), 0);
    return 0;
}

int __wrap_open(const char *path, int flags, ...)
{
    if (open_error == 0) return __real_open(path, flags, 0600);
    errno = open_error;
    if (open_error == ENOENT) assert_int_equal(rmdir(path), 0);
    open_error = 0;
    return -1;
}

/* ---- helpers ---- */

static int set_up(void **state)
{
    (void)state;
    temp_folder_make(folder);
    lock_failures = open_error = 0;
    return 0;
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

static void put(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

/* A scratch folder with a file in it. */
static void begin(sbl_scratch *scratch)
{
    sbl_text path = {0};
    in_making = scratch;
    assert_int_equal(sbl_scratch_open(scratch, folder, NULL), SBL_OK);
    assert_int_equal(sbl_scratch_path(&path, scratch, "file", NULL), SBL_OK);
    put(path.data);
    sbl_text_clear(&path);
}

/* The same in a process of its own, which waits to be killed. */
static pid_t begin_elsewhere(void)
{
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        sbl_scratch scratch;
        begin(&scratch);
        if (write(ready[1], &byte, 1) == 1)
            for (;;) (void)pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
    (void)close(ready[1]);
    return child;
}

static void kill_now(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void begin_and_end(size_t others)
{
    sbl_scratch scratch;
    begin(&scratch);
    assert_int_equal(entries(), others + 1);
    sbl_scratch_close(&scratch);
    assert_int_equal(entries(), others);
}

/* ---- tests ---- */

TEST(folder_is_private_and_goes_with_its_files)
{
    sbl_scratch scratch;
    struct stat seen;
    begin(&scratch);
    assert_int_equal(stat(scratch.folder.data, &seen), 0);
    assert_int_equal(seen.st_mode & 0777, 0700);
    sbl_scratch_close(&scratch);
    assert_int_equal(entries(), 0);
    sbl_scratch_close(&scratch); /* there is none */
}

TEST(killed_process_leaves_nothing_that_the_next_does_not_clear)
{
    for (int i = 0; i < 3; i++) kill_now(begin_elsewhere());
    assert_int_equal(entries(), 1); /* each cleared what the one before had left */
    begin_and_end(0);
}

TEST(folder_of_a_running_process_stays)
{
    const pid_t one = begin_elsewhere();
    const pid_t other = begin_elsewhere();
    sbl_scratch mine;
    begin(&mine); /* of the same process as the next */
    begin_and_end(3);
    kill_now(one);
    begin_and_end(2);
    kill_now(other);
    begin_and_end(1);
    sbl_scratch_close(&mine);
}

/* Each clears away what it finds unlocked while the others make and lock theirs. */
TEST(processes_that_begin_at_once_keep_their_own)
{
    pid_t children[6];
    for (size_t i = 0; i < 6; i++) {
        children[i] = fork();
        for (int n = 0; children[i] == 0 && n < 300; n++) {
            sbl_scratch scratch;
            sbl_text path = {0};
            if (sbl_scratch_open(&scratch, folder, NULL) != SBL_OK ||
                sbl_scratch_path(&path, &scratch, "file", NULL) != SBL_OK)
                _exit(1);
            const int file = __real_open(path.data, O_WRONLY | O_CREAT | O_EXCL, 0600);
            if (file < 0 || close(file) != 0 || access(path.data, F_OK) != 0) _exit(1);
            sbl_text_clear(&path);
            sbl_scratch_close(&scratch);
        }
        if (children[i] == 0) _exit(0);
    }
    for (size_t i = 0; i < 6; i++) {
        int how = 1;
        assert_int_equal(waitpid(children[i], &how, 0), children[i]);
        assert_int_equal(how, 0);
    }
    assert_int_equal(entries(), 0);
}

TEST(what_only_looks_like_one_stays)
{
    const char *target = in_folder(folder, "target");
    assert_int_equal(mkdir(in_folder(folder, "semblance-other"), 0700), 0);
    assert_int_equal(mkdir(target, 0700), 0);
    put(in_folder(target, "kept"));
    assert_int_equal(symlink(target, in_folder(folder, "semblance-scratch-1-link")), 0);
    put(in_folder(folder, "semblance-scratch-1-file"));
    begin_and_end(4);
    assert_int_equal(access(in_folder(target, "kept"), F_OK), 0);
}

TEST(folder_that_is_taken_before_it_is_locked_is_made_again)
{
    static const int how[] = {0, EWOULDBLOCK};
    for (size_t i = 0; i < 2; i++) {
        lock_failures = 3;
        lock_error = how[i];
        begin_and_end(0);
    }
    open_error = ENOENT;
    begin_and_end(0);
}

TEST(folder_without_locks_serves)
{
    lock_failures = 1;
    lock_error = ENOLCK;
    begin_and_end(0);
}

TEST(failures_are_told_and_leave_nothing)
{
    sbl_scratch scratch;
    sbl_error err = {0};
    in_making = &scratch;
    lock_failures = 1000;
    lock_error = EWOULDBLOCK;
    assert_int_equal(sbl_scratch_open(&scratch, folder, &err), SBL_EIO);
    assert_null(scratch.folder.data);
    lock_failures = 0;
    open_error = EMFILE;
    assert_int_equal(sbl_scratch_open(&scratch, folder, &err), SBL_EIO);
    assert_non_null(strstr(err.message, folder));
    assert_int_equal(entries(), 0);
    assert_int_equal(sbl_scratch_open(&scratch, "/nowhere", NULL), SBL_EIO);
}

EACH_TEST(set_up, remove_folder)
