/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/faults.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os_random.h"
#include "base/sha256.h"

static fault kind;
static int left;
static int interrupt_left;
static bool hit;
static bool disk_full;
static char events[4096];
static size_t event_count;

void faults_set(fault new_kind, int n)
{
    kind = new_kind;
    left = n;
    hit = false;
    disk_full = false;
    event_count = 0;
    events[0] = '\0';
    interrupt_left = 0;
}

bool faults_hit(void) { return hit; }

void faults_interrupt(int n) { interrupt_left = n; }

const char *faults_log(void) { return events; }

static void event(char c)
{
    if (event_count + 1 < sizeof events) events[event_count++] = c;
    events[event_count] = '\0';
}

static bool fails(fault which)
{
    if (kind != which || left == 0 || --left != 0) return false;
    hit = true;
    return true;
}

static bool interrupted(void)
{
    if (interrupt_left == 0 || --interrupt_left != 0) return false;
    errno = EINTR;
    return true;
}

ssize_t __real_write(int descriptor, const void *bytes, size_t size);
ssize_t __wrap_write(int descriptor, const void *bytes, size_t size);
int __real_fdatasync(int descriptor);
int __wrap_fdatasync(int descriptor);
int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);
ssize_t __real_pread(int descriptor, void *bytes, size_t size, off_t offset);
ssize_t __wrap_pread(int descriptor, void *bytes, size_t size, off_t offset);
int __real_fstat(int descriptor, struct stat *facts);
int __wrap_fstat(int descriptor, struct stat *facts);
int __real_lstat(const char *path, struct stat *facts);
int __wrap_lstat(const char *path, struct stat *facts);
int __real_fcntl(int descriptor, int command, ...);
int __wrap_fcntl(int descriptor, int command, ...);
int __real_ftruncate(int descriptor, off_t size);
int __wrap_ftruncate(int descriptor, off_t size);
off_t __real_lseek(int descriptor, off_t offset, int whence);
off_t __wrap_lseek(int descriptor, off_t offset, int whence);
sbl_status __real_sbl_os_random(uint8_t *bytes, size_t size, sbl_error *err);
sbl_status __wrap_sbl_os_random(uint8_t *bytes, size_t size, sbl_error *err);
sbl_status __real_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err);
sbl_status __wrap_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err);
char *__real_sbl_utc_now(char *text);
char *__wrap_sbl_utc_now(char *text);

static int io_error(void)
{
    errno = EIO;
    return -1;
}

ssize_t __wrap_write(int descriptor, const void *bytes, size_t size)
{
    event('w');
    disk_full = disk_full || fails(FAULT_WRITE);
    if (disk_full) {
        errno = ENOSPC;
        return -1;
    }
    if (fails(FAULT_SHORT_WRITE)) {
        disk_full = true;
        return __real_write(descriptor, bytes, size * 3 / 4);
    }
    return __real_write(descriptor, bytes, size);
}

int __wrap_fdatasync(int descriptor)
{
    if (fails(FAULT_FDATASYNC)) return io_error();
    event('s');
    return __real_fdatasync(descriptor);
}

int __wrap_fsync(int descriptor) { return fails(FAULT_FSYNC) ? io_error() : __real_fsync(descriptor); }

ssize_t __wrap_pread(int descriptor, void *bytes, size_t size, off_t offset)
{
    event('r');
    if (interrupted()) return -1;
    if (fails(FAULT_PREAD)) return io_error();
    if (fails(FAULT_PREAD_END)) return 0;
    const ssize_t got = __real_pread(descriptor, bytes, size, offset);
    if (got > 0 && fails(FAULT_PREAD_LIE)) ((char *)bytes)[got / 2] ^= 1;
    return got;
}

int __wrap_fstat(int descriptor, struct stat *facts)
{
    return fails(FAULT_FSTAT) ? io_error() : __real_fstat(descriptor, facts);
}

int __wrap_lstat(const char *path, struct stat *facts)
{
    if (fails(FAULT_LSTAT)) return io_error();
    const int result = __real_lstat(path, facts);
    if (fails(FAULT_OTHER_INODE)) facts->st_ino++;
    if (fails(FAULT_OTHER_DEVICE)) facts->st_dev++;
    return result;
}

int __wrap_fcntl(int descriptor, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (interrupted()) return -1;
    return fails(FAULT_FCNTL) ? io_error() : __real_fcntl(descriptor, command, argument);
}

int __wrap_ftruncate(int descriptor, off_t size)
{
    return fails(FAULT_FTRUNCATE) ? io_error() : __real_ftruncate(descriptor, size);
}

off_t __wrap_lseek(int descriptor, off_t offset, int whence)
{
    return fails(FAULT_LSEEK) ? io_error() : __real_lseek(descriptor, offset, whence);
}

sbl_status __wrap_sbl_os_random(uint8_t *bytes, size_t size, sbl_error *err)
{
    if (fails(FAULT_RANDOM)) return sbl_fail(err, SBL_EENTROPY, "no randomness");
    return __real_sbl_os_random(bytes, size, err);
}

sbl_status __wrap_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err)
{
    if (fails(FAULT_SHA256)) return sbl_fail(err, SBL_EINTERNAL, "no SHA-256");
    return __real_sbl_sha256(digest, first, first_size, second, second_size, err);
}

char *__wrap_sbl_utc_now(char *text)
{
    if (!fails(FAULT_CLOCK)) return __real_sbl_utc_now(text);
    text[0] = '\0';
    return text;
}
