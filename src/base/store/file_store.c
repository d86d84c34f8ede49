/* SPDX-License-Identifier: Apache-2.0 */
/* The store of files: an item's name is its path. Items are written as base/file.h writes files; a ledger
 * is opened without following links, locked by its descriptor, and extended by bytes that are synced. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/store/store.h"

static sbl_status read_file(uint8_t **bytes, size_t *size, const sbl_store *store, const char *name,
                            size_t limit, sbl_error *err)
{
    (void)store;
    return sbl_file_read(bytes, size, name, limit, err);
}

static sbl_status write_file(const sbl_store *store, const char *name, const void *bytes, size_t size,
                             sbl_file_write_options options, sbl_error *err)
{
    (void)store;
    return sbl_file_write(name, bytes, size, options, err);
}

static sbl_status check_file(const sbl_store *store, const char *name, bool overwrite, sbl_error *err)
{
    (void)store;
    return sbl_file_check_target(name, overwrite, err);
}

/* What cannot be looked at is taken to be there: opening it says why. */
static bool file_exists(const sbl_store *store, const char *name)
{
    struct stat seen;
    (void)store;
    return lstat(name, &seen) == 0 || (errno != ENOENT && errno != ENAMETOOLONG);
}

static void remove_file(const sbl_store *store, const char *name)
{
    (void)store;
    (void)unlink(name);
}

/* ---- ledgers ---- */

static sbl_status fail_open(const char *path, bool writing, int reason, sbl_error *err)
{
    if (reason == ENOENT)
        return sbl_fail_hint(err, SBL_EIO, SBL_HINT_LEDGER_MAKE, path, "ledger %s does not exist", path);
    if (reason == ELOOP)
        return sbl_fail(err, SBL_EINPUT, "ledger %s is a symbolic link; name the file itself", path);
    return sbl_fail_errno(err, writing ? "write to ledger" : "open ledger", path, reason);
}

/* An open-file-description lock belongs to this descriptor alone: no other close() drops it, and it
 * holds between threads. */
static sbl_status lock(const sbl_log *log, bool writing, sbl_error *err)
{
    struct flock whole;
    memset(&whole, 0, sizeof whole);
    whole.l_type = writing ? F_WRLCK : F_RDLCK;
    whole.l_whence = SEEK_SET;
    while (fcntl(log->descriptor, F_OFD_SETLKW, &whole) != 0)
        if (errno != EINTR) return sbl_fail_errno(err, "lock ledger", log->name, errno);
    return SBL_OK;
}

/* The file must have exactly one name: with a second name, copying or replacing one of them would make a
 * second ledger. */
static sbl_status inspect(sbl_log *log, sbl_error *err)
{
    struct stat opened;
    struct stat named;
    if (fstat(log->descriptor, &opened) != 0 || lstat(log->name, &named) != 0)
        return sbl_fail_errno(err, "inspect ledger", log->name, errno);
    if (!S_ISREG(opened.st_mode))
        return sbl_fail(err, SBL_EINPUT, "ledger %s is not a regular file", log->name);
    if (opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
        return sbl_fail(err, SBL_EINPUT, "ledger %s was replaced while it was opened; try again", log->name);
    if (opened.st_nlink != 1)
        return sbl_fail(err, SBL_EINPUT, "ledger %s has more than one name (hard links); keep one of them",
                        log->name);
    log->size = (size_t)opened.st_size;
    return SBL_OK;
}

static sbl_status open_ledger(sbl_log *log, bool writing, sbl_error *err)
{
    /* O_NONBLOCK: a pipe of that name must not hang us; it means nothing to a regular file. */
    const int common = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    log->descriptor = open(log->name, common | (writing ? O_RDWR | O_APPEND : O_RDONLY));
    if (log->descriptor < 0) return fail_open(log->name, writing, errno, err);
    const sbl_status status = lock(log, writing, err);
    return status == SBL_OK ? inspect(log, err) : status;
}

static sbl_status read_ledger(const sbl_log *log, char *bytes, size_t size, size_t offset, sbl_error *err)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(log->descriptor, bytes + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return sbl_fail_errno(err, "read ledger", log->name, got < 0 ? errno : EIO);
        done += (size_t)got;
    }
    return SBL_OK;
}

static sbl_status set_size(const sbl_log *log, size_t size, sbl_error *err)
{
    if (ftruncate(log->descriptor, (off_t)size) != 0)
        return sbl_fail_errno(err, "cut ledger", log->name, errno);
    return SBL_OK;
}

/* The new line goes over the torn one. What of that would stick out behind it is cut first:
 * whatever is left by a crash in between is again the beginning of a line, and of that line only.
 */
static sbl_status write_over(const sbl_log *log, size_t keep, const char *bytes, size_t size, sbl_error *err)
{
    if (log->size - keep >= size) {
        const sbl_status status = set_size(log, keep + size - 1, err);
        if (status != SBL_OK) return status;
    }
    if (fcntl(log->descriptor, F_SETFL, 0) != 0 || /* no O_APPEND */
        lseek(log->descriptor, (off_t)keep, SEEK_SET) < 0)
        return sbl_fail_errno(err, "write to ledger", log->name, errno);
    return sbl_write_all(log->descriptor, bytes, size, log->name, err);
}

static sbl_status write_at_end(const sbl_log *log, const char *bytes, size_t size, sbl_error *err)
{
    const sbl_status status = sbl_write_all(log->descriptor, bytes, size, log->name, err);
    /* A part of a line that leads to no release is ours to take back; if that fails too, it is a
     * torn line. */
    if (status != SBL_OK) (void)set_size(log, log->size, NULL);
    return status;
}

static sbl_status append_to_ledger(const sbl_log *log, size_t keep, const char *bytes, size_t size,
                                   sbl_error *err)
{
    const sbl_status status =
        keep < log->size ? write_over(log, keep, bytes, size, err) : write_at_end(log, bytes, size, err);
    if (status != SBL_OK) return status;
    return fdatasync(log->descriptor) == 0 ? SBL_OK : sbl_fail_errno(err, "sync ledger", log->name, errno);
}

/* Closing the only descriptor drops the lock. */
static void close_ledger(sbl_log *log)
{
    if (log->descriptor >= 0) (void)close(log->descriptor);
    log->descriptor = -1;
}

static const sbl_store_kind files_kind = {
    .read = read_file,
    .write = write_file,
    .check = check_file,
    .exists = file_exists,
    .remove = remove_file,
    .log_open = open_ledger,
    .log_read = read_ledger,
    .log_append = append_to_ledger,
    .log_close = close_ledger,
};

sbl_store_entry sbl_file_item(const char *path)
{
    static const sbl_store files = {&files_kind, NULL};
    return (sbl_store_entry){path != NULL ? &files : NULL, path};
}

const char *sbl_store_entry_path(sbl_store_entry item)
{
    return item.store != NULL && item.store->kind == &files_kind ? item.name : NULL;
}
