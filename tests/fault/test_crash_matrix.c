/* SPDX-License-Identifier: Apache-2.0 */
/* Kill the program at every system call of a release and look at what is left: never a release
 * without its charge, never a ledger that cannot be used again, never a charge forgotten.
 *
 * The child is traced and killed with SIGKILL at its 1st, 3rd, 5th, ... stop at the entry or return of a system
 * call, until it lives to the end. The other stops leave the same files: nothing is written between the return of
 * one call and the entry of the next. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault/one_release.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

/* Run a release in a child that dies at stop number `deadline`. True when it lived to the end. */
static bool release_with_deadline(const char *folder, long deadline)
{
    int how;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(98);
        (void)raise(SIGSTOP);
        _exit(release_once(folder, "out.release", NULL) == SBL_OK ? 0 : 97);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    if (WIFEXITED(how)) fail_msg("tracing a child is not allowed here (exit %d)", WEXITSTATUS(how));
    (void)ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    for (long stop = 0; stop < deadline; stop++) {
        assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, &how, 0), child);
        if (WIFEXITED(how)) {
            assert_int_equal(WEXITSTATUS(how), 0);
            return true;
        }
    }
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how));
    return false;
}

TEST(killed_at_every_system_call_never_a_release_without_its_charge)
{
    long deadline = 1;
    size_t charged_crashes = 0, free_crashes = 0, published_crashes = 0;
    for (bool lived = false; !lived; deadline += 2) {
        char folder[256];
        sbl_error err;
        temp_folder_make(folder);
        make_ledger_for_two(folder);
        lived = release_with_deadline(folder, deadline);
        const size_t charges = charges_in(folder);
        assert_true(charges <= 1);
        assert_no_release_without_charge(folder);
        if (exists_in(folder, "out.release")) assert_int_equal(charges, 1);
        if (lived) assert_true(exists_in(folder, "out.release") && exists_in(folder, "out.release.json"));
        if (!lived) {
            charged_crashes += charges == 1;
            free_crashes += charges == 0;
            published_crashes += exists_in(folder, "out.release");
        }
        /* The ledger goes on: what is left of a budget for two, and not one more. */
        for (size_t more = charges; more < 2; more++) {
            char name[32];
            (void)snprintf(name, sizeof name, "more-%zu", more);
            const sbl_status status = release_once(folder, name, &err);
            if (status != SBL_OK) print_error("after a kill at stop %ld: %s\n", deadline, err.message);
            assert_ok(status);
        }
        assert_int_equal(release_once(folder, "one-too-many", &err), SBL_EBUDGET);
        assert_false(exists_in(folder, "one-too-many"));
        assert_int_equal(charges_in(folder), 2);
        temp_folder_remove(folder);
    }
    (void)printf(
        "  %ld stops: killed %zu times before the charge, %zu after it, %zu with the release in "
        "place\n",
        deadline - 3, free_crashes, charged_crashes, published_crashes);
    /* The matrix must have seen all three kinds of crash, or it looked at the wrong thing. */
    assert_true(free_crashes > 5 && charged_crashes > 5 && published_crashes > 2);
}
