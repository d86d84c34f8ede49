/* SPDX-License-Identifier: Apache-2.0 */
/* A full disk, failing syncs, read-only folders, races: each gives one clear line, loses no charge
 * and leaves no partial release. Calls of the library are routed here by the linker. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault/one_release.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

/* Fail the nth call (from 1) of the chosen kind with the chosen errno; 0: fail none. */
enum call { CALL_WRITE, CALL_FSYNC, CALL_FDATASYNC, CALL_LINK, CALL_RENAME, CALL_KINDS };
static int countdown[CALL_KINDS];
static int failure_errno = ENOSPC;
static bool write_half_first;

static bool now_failing(enum call kind) { return countdown[kind] > 0 && --countdown[kind] == 0; }

ssize_t __real_write(int descriptor, const void *bytes, size_t size);
ssize_t __wrap_write(int descriptor, const void *bytes, size_t size);
ssize_t __wrap_write(int descriptor, const void *bytes, size_t size)
{
    if (descriptor > 2 && now_failing(CALL_WRITE)) {
        if (write_half_first && size > 1) (void)__real_write(descriptor, bytes, size / 2);
        errno = failure_errno;
        return -1;
    }
    return __real_write(descriptor, bytes, size);
}

#define WRAP_STATUS_CALL(kind, name, parameters, arguments) \
    int __real_##name parameters;                           \
    int __wrap_##name parameters;                           \
    int __wrap_##name parameters                            \
    {                                                       \
        if (now_failing(kind)) {                            \
            errno = failure_errno;                          \
            return -1;                                      \
        }                                                   \
        return __real_##name arguments;                     \
    }
WRAP_STATUS_CALL(CALL_FSYNC, fsync, (int descriptor), (descriptor))
WRAP_STATUS_CALL(CALL_FDATASYNC, fdatasync, (int descriptor), (descriptor))
WRAP_STATUS_CALL(CALL_LINK, link, (const char *from, const char *to), (from, to))
WRAP_STATUS_CALL(CALL_RENAME, rename, (const char *from, const char *to), (from, to))

static void assert_one_clear_line(const sbl_error *err)
{
    assert_true(strlen(err->message) > 10);
    assert_null(strchr(err->message, '\n'));
    assert_non_null(strstr(err->message, folder)); /* names the file */
}

AROUND(fresh_folder)
{
    memset(countdown, 0, sizeof countdown);
    failure_errno = ENOSPC;
    write_half_first = false;
    temp_folder_make(folder);
    make_ledger_for_two(folder);
}

/* Fail the 1st, 2nd, ... call of a kind until a release gets through. Returns the failures seen. */
static int fail_each_call(enum call kind)
{
    int failures = 0;
    for (int nth = 1; nth < 50; nth++) {
        sbl_error err = {0};
        (void)remove_folder(NULL);
        temp_folder_make(folder);
        make_ledger_for_two(folder);
        memset(countdown, 0, sizeof countdown);
        countdown[kind] = nth;
        const sbl_status status = release_once(folder, "out.release", &err);
        const bool all_passed = countdown[kind] > 0;
        memset(countdown, 0, sizeof countdown);
        if (all_passed) {
            assert_ok(status);
            return failures;
        }
        const size_t charges = charges_in(folder); /* the chain still verifies */
        assert_true(charges <= 1);
        assert_no_release_without_charge(folder);
        if (status != SBL_OK) {
            failures++;
            assert_int_equal(status, SBL_EIO);
            assert_one_clear_line(&err);
            assert_false(leftovers_in(folder));
        }
        /* The next release works and is charged on top. */
        const sbl_status next = release_once(folder, "next.release", &err);
        if (next != SBL_OK) print_error("after failure %d: %s\n", nth, err.message);
        assert_ok(next);
        assert_int_equal(charges_in(folder), charges + 1);
    }
    return -1;
}

TEST(full_disk_at_every_write)
{
    assert_true(fail_each_call(CALL_WRITE) >= 3); /* RESERVE, release, COMMIT, certificate */
}

TEST(full_disk_in_the_middle_of_every_write)
{
    write_half_first = true;
    assert_true(fail_each_call(CALL_WRITE) >= 3);
}

TEST(failing_fsync_at_every_step)
{
    failure_errno = EIO;
    assert_true(fail_each_call(CALL_FSYNC) >= 2);
}

TEST(failing_fdatasync_at_every_step)
{
    failure_errno = EIO;
    assert_true(fail_each_call(CALL_FDATASYNC) >= 1);
}

TEST(failing_to_move_into_place)
{
    sbl_error err = {0};
    failure_errno = EACCES;
    countdown[CALL_LINK] = 1;
    const sbl_status status = release_once(folder, "out.release", &err);
    /* link(2) refused: renameat2 takes over where the file system has it. */
    assert_true(status == SBL_OK || status == SBL_EIO);
    assert_no_release_without_charge(folder);
    assert_false(leftovers_in(folder));
}

/* Run a release in a child without root's powers. Returns its exit code: the status. */
static int release_as_nobody(const char *where, char message[512])
{
    int pipes[2];
    int how;
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
        sbl_error err = {0};
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(98);
        const sbl_status status = release_once(where, "out.release", &err);
        if (__real_write(pipes[1], err.message, sizeof err.message) < 0) _exit(97);
        _exit((int)status);
    }
    assert_int_equal(read(pipes[0], message, 512), 512);
    assert_int_equal(waitpid(child, &how, 0), child);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
    return WEXITSTATUS(how);
}

TEST(read_only_folder_is_refused_before_anything_is_charged)
{
    char message[512];
    const char *ledger = in_folder(folder, "data.ledger");
    assert_int_equal(chmod(ledger, 0666), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    assert_int_equal(release_as_nobody(folder, message), SBL_EIO);
    assert_non_null(strstr(message, folder));
    assert_null(strchr(message, '\n'));
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(charges_in(folder), 0);
    assert_false(exists_in(folder, "out.release"));
}

TEST(read_only_ledger_is_refused_and_nothing_is_written)
{
    char message[512];
    assert_int_equal(chmod(in_folder(folder, "data.ledger"), 0444), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(release_as_nobody(folder, message), SBL_EIO);
    assert_non_null(strstr(message, "data.ledger"));
    assert_false(exists_in(folder, "out.release"));
    assert_false(leftovers_in(folder));
    assert_int_equal(charges_in(folder), 0);
}

TEST(missing_ledger_and_missing_folder_are_refused)
{
    sbl_error err = {0};
    assert_int_equal(unlink(in_folder(folder, "data.ledger")), 0);
    assert_int_equal(release_once(folder, "out.release", &err), SBL_EIO);
    assert_non_null(strstr(err.message, "data.ledger"));
    assert_false(exists_in(folder, "out.release"));
    assert_int_equal(release_once(in_folder(folder, "nowhere"), "out.release", &err), SBL_EIO);
    assert_non_null(strstr(err.message, "nowhere"));
}

TEST(existing_release_is_not_overwritten_and_costs_nothing)
{
    sbl_error err = {0};
    const int file = open(in_folder(folder, "out.release"), O_WRONLY | O_CREAT, 0644);
    assert_true(file >= 0);
    (void)close(file);
    assert_int_equal(release_once(folder, "out.release", &err), SBL_EIO);
    assert_non_null(strstr(err.message, "exists already"));
    assert_int_equal(charges_in(folder), 0);
}

TEST(eight_processes_race_for_a_budget_of_two)
{
    pid_t children[8];
    int succeeded = 0, refused = 0;
    for (int i = 0; i < 8; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            char name[32];
            (void)snprintf(name, sizeof name, "racer-%d", i);
            _exit((int)release_once(folder, name, NULL));
        }
    }
    for (int i = 0; i < 8; i++) {
        int how;
        assert_int_equal(waitpid(children[i], &how, 0), children[i]);
        succeeded += WIFEXITED(how) && WEXITSTATUS(how) == SBL_OK;
        refused += WIFEXITED(how) && WEXITSTATUS(how) == SBL_EBUDGET;
    }
    assert_int_equal(succeeded, 2);
    assert_int_equal(refused, 6);
    assert_int_equal(charges_in(folder), 2);
    assert_no_release_without_charge(folder);
    assert_false(leftovers_in(folder));
}

EACH_TEST(fresh_folder, remove_folder)
