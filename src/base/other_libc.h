/* SPDX-License-Identifier: Apache-2.0 */
/* What GNU's C library has and others, such as musl, do not. Included where it is called; empty with GNU's. */
#ifndef SBL_BASE_OTHER_LIBC_H
#define SBL_BASE_OTHER_LIBC_H

#include <stdio.h>

#ifndef __GLIBC__
#include <sys/syscall.h>
#include <unistd.h>

#define RENAME_NOREPLACE 1U

static inline int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
#endif

#endif
