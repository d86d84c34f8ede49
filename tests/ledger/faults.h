/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the ledger that can be made to fail. Build with faults.c and WRAP of each. */
#ifndef SBL_TESTS_LEDGER_FAULTS_H
#define SBL_TESTS_LEDGER_FAULTS_H

#include <stdbool.h>

typedef enum fault {
    FAULT_NONE,
    FAULT_WRITE,       /* write: ENOSPC at once */
    FAULT_SHORT_WRITE, /* write: a part, and ENOSPC for the rest */
    FAULT_FDATASYNC,
    FAULT_FSYNC,
    FAULT_PREAD,
    FAULT_PREAD_END, /* pread: nothing there */
    FAULT_PREAD_LIE, /* pread: other bytes than were written */
    FAULT_FSTAT,
    FAULT_LSTAT,
    FAULT_FCNTL,
    FAULT_FTRUNCATE,
    FAULT_LSEEK,
    FAULT_RANDOM,
    FAULT_SHA256,
    FAULT_CLOCK,       /* no time of day */
    FAULT_COUNT,       /* of the kinds above */
    FAULT_OTHER_INODE, /* lstat: it is another file */
    FAULT_OTHER_DEVICE /* lstat: it is on another disk */
} fault;

/* The n-th call of that kind from now on fails, once (a full disk stays full). */
void faults_set(fault kind, int n);
bool faults_hit(void);

/* The n-th fcntl and pread from now on are interrupted by a signal. */
void faults_interrupt(int n);

/* What happened since the last call: w write, s fdatasync that succeeded, r pread. */
const char *faults_log(void);

#endif
