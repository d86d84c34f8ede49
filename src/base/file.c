/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic files the POSIX way: a temporary name in the same folder (O_EXCL), fsync, rename, fsync
 * of the folder. Several files that belong together move their predecessors aside first, so that a
 * crash leaves no mixture of old and new. No path here may ever replace a ledger: each writer
 * looks at the first bytes of what it would replace. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/os_random.h"
#include "base/other_libc.h"
#include "base/sha256.h"
#include "base/text.h"
#include "semblance/files.h"

const char *sbl_errno_words(int errno_value)
{
#ifdef __GLIBC__
    const char *text = strerrordesc_np(errno_value); /* keeps no static buffer */
#else
    const char *text = strerror(errno_value); /* musl: constant texts */
#endif
    return text != NULL ? text : "unknown error";
}

sbl_status sbl_fail_errno(sbl_error *err, const char *doing, const char *path, int errno_value)
{
    return sbl_fail(err, SBL_EIO, "cannot %s %s: %s", doing, path, sbl_errno_words(errno_value));
}

static sbl_status read_descriptor(uint8_t *bytes, size_t *size, size_t capacity, int descriptor,
                                  const char *path, sbl_error *err)
{
    *size = 0;
    while (*size < capacity) {
        const ssize_t got = read(descriptor, bytes + *size, capacity - *size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return sbl_fail_errno(err, "read", path, errno);
        if (got == 0) return SBL_OK;
        *size += (size_t)got;
    }
    return SBL_OK;
}

sbl_status sbl_file_read(uint8_t **bytes, size_t *size, const char *path, size_t limit, sbl_error *err)
{
    sbl_status status = SBL_OK;
    uint8_t *buffer = NULL;
    struct stat facts;
    *bytes = NULL;
    *size = 0;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return sbl_fail_errno(err, "open", path, errno);
    if (fstat(descriptor, &facts) != 0) {
        status = sbl_fail_errno(err, "inspect", path, errno);
        goto done;
    }
    if (!S_ISREG(facts.st_mode)) SBL_FAIL(err, SBL_EINPUT, "%s is not a regular file", path);
    if (facts.st_size < 0 || (uintmax_t)facts.st_size > limit)
        SBL_FAIL(err, SBL_EINPUT, "%s is too large: such a file may have at most %zu bytes", path, limit);
    buffer = sbl_alloc_array((size_t)facts.st_size + 1, 1);
    if (buffer == NULL) SBL_TRY(sbl_no_memory(err, path));
    SBL_TRY(read_descriptor(buffer, size, (size_t)facts.st_size, descriptor, path, err));
    buffer[*size] = '\0';
    *bytes = buffer;
    buffer = NULL;
done:
    if (status != SBL_OK) *size = 0;
    sbl_free(buffer);
    (void)close(descriptor);
    return status;
}

sbl_status sbl_file_sha256(char text[SBL_SHA256_TEXT_SIZE], const char *path, sbl_error *err)
{
    uint8_t digest[SBL_SHA256_SIZE];
    struct stat facts;
    int bad = 0;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) return sbl_fail_errno(err, "open", path, errno);
    sbl_status status = SBL_OK;
    if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode))
        status = sbl_fail(err, SBL_EINPUT, "%s is not a regular file", path);
    else
        status = sbl_sha256_descriptor(digest, descriptor, &bad, err);
    if (bad != 0) status = sbl_fail_errno(err, "read", path, bad);
    if (status == SBL_OK) sbl_hex_encode(text, digest, sizeof digest);
    (void)close(descriptor);
    return status;
}

sbl_status sbl_write_all(int descriptor, const void *bytes, size_t size, const char *path, sbl_error *err)
{
    const uint8_t *next = bytes;
    while (size > 0) {
        const ssize_t written = write(descriptor, next, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return sbl_fail_errno(err, "write to", path, errno);
        if (written == 0) return sbl_fail_errno(err, "write to", path, ENOSPC);
        next += written;
        size -= (size_t)written;
    }
    return SBL_OK;
}

sbl_status sbl_path_beside(sbl_text *text, const char *file, const char *path, sbl_error *err)
{
    const char *slash = path[0] == '/' ? NULL : strrchr(file, '/');
    if (slash != NULL) sbl_text_append(text, file, (size_t)(slash - file) + 1);
    sbl_text_printf(text, "%s", path);
    return sbl_text_check(text, "a file name", err);
}

static sbl_status fail_exists(const char *path, sbl_error *err)
{
    return sbl_fail_hint(err, SBL_EIO, SBL_HINT_OVERWRITE, path, "%s exists already", path);
}

bool sbl_path_ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), end = strlen(ending);
    return length > end && strcmp(path + length - end, ending) == 0;
}

bool sbl_path_is_parquet_file(const char *path)
{
    return sbl_path_ends_in(path, ".parquet") || sbl_path_ends_in(path, ".pq") ||
           sbl_path_ends_in(path, ".parq");
}

sbl_statistics_kind sbl_path_statistics(const char *path)
{
    static const struct {
        const char *ending;
        sbl_statistics_kind kind;
    } known[] = {{".sav", SBL_STATISTICS_SPSS},
                 {".zsav", SBL_STATISTICS_SPSS},
                 {".dta", SBL_STATISTICS_STATA},
                 {".sas7bdat", SBL_STATISTICS_SAS},
                 {".xpt", SBL_STATISTICS_XPORT}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (sbl_path_ends_in(path, known[i].ending)) return known[i].kind;
    return SBL_STATISTICS_NONE;
}

bool sbl_file_is_ledger(const char *path)
{
    char start[sizeof SBL_LEDGER_MAGIC - 1];
    ssize_t got;
    /* O_NONBLOCK: a pipe of that name must not hang us. */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) return false;
    do got = pread(descriptor, start, sizeof start, 0);
    while (got < 0 && errno == EINTR);
    (void)close(descriptor);
    return got == (ssize_t)sizeof start && memcmp(start, SBL_LEDGER_MAGIC, sizeof start) == 0;
}

static sbl_status refuse_ledger(const char *path, sbl_error *err)
{
    if (!sbl_file_is_ledger(path)) return SBL_OK;
    return sbl_fail(err, SBL_EARG, "%s is a ledger, which is never replaced: choose another name", path);
}

/* Length of the folder part of the first `length` bytes of path, slash included; 0 when path has no slash. */
static size_t folder_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/') length--;
    return length;
}

/* The folder part of path, "./" when it has none; cleared by the caller. */
static sbl_status folder_of(sbl_text *folder, const char *path, sbl_error *err)
{
    const size_t length = folder_length(path, strlen(path));
    sbl_text_append(folder, length != 0 ? path : "./", length != 0 ? length : 2);
    return folder->failed ? sbl_no_memory(err, path) : SBL_OK;
}

sbl_status sbl_file_check_target(const char *path, bool overwrite, sbl_error *err)
{
    sbl_text folder = {0};
    struct stat facts;
    sbl_status status = folder_of(&folder, path, err);
    if (status == SBL_OK && access(folder.data, W_OK | X_OK) != 0)
        status = sbl_fail_errno(err, "write to folder", folder.data, errno);
    if (status == SBL_OK && lstat(path, &facts) == 0 && !overwrite) status = fail_exists(path, err);
    if (status == SBL_OK) status = refuse_ledger(path, err);
    sbl_text_clear(&folder);
    return status;
}

sbl_status sbl_sync_folder_of(const char *path, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_text folder = {0};
    SBL_TRY(folder_of(&folder, path, err));
    const int descriptor = open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        status = sbl_fail_errno(err, "open folder", folder.data, errno);
        goto done;
    }
    /* EINVAL: this file system has no notion of syncing a folder. */
    if (fsync(descriptor) != 0 && errno != EINVAL)
        status = sbl_fail_errno(err, "sync folder", folder.data, errno);
    (void)close(descriptor);
done:
    sbl_text_clear(&folder);
    return status;
}

/* "folder/.name.0123456789abcdef.tmp": random, so that two writers never share one. */
static sbl_status temporary_name(sbl_text *name, const char *path, sbl_error *err)
{
    uint8_t random[8];
    char hex[2 * sizeof random + 1];
    const size_t length = folder_length(path, strlen(path));
    const sbl_status status = sbl_os_random(random, sizeof random, err);
    if (status != SBL_OK) return status;
    sbl_text_append(name, path, length);
    sbl_text_printf(name, ".%s.%s.tmp", path + length, sbl_hex_encode(hex, random, sizeof random));
    return name->failed ? sbl_no_memory(err, path) : SBL_OK;
}

static sbl_status move_into_place(const char *temporary, const char *path, bool overwrite, sbl_error *err)
{
    /* RENAME_NOREPLACE refuses an existing target and leaves one name at every instant (a ledger
     * with two names is refused); link(2) does the same in two steps where it is not known. */
    if (overwrite) {
        /* Again, for one that came into being while the file was written. */
        const sbl_status status = refuse_ledger(path, err);
        if (status != SBL_OK) return status;
        if (rename(temporary, path) == 0) return SBL_OK;
    } else {
        if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0) return SBL_OK;
        if (errno != EEXIST && link(temporary, path) == 0) {
            (void)unlink(temporary);
            return SBL_OK;
        }
        if (errno == EEXIST) return fail_exists(path, err);
    }
    return sbl_fail_errno(err, "write", path, errno);
}

sbl_status sbl_file_begin(sbl_pending_file *file, const char *path, sbl_file_write_options options,
                          sbl_error *err)
{
    sbl_status status;
    *file =
        (sbl_pending_file){.descriptor = -1, .overwrite = options.overwrite, .appeared = options.appeared};
    if (options.appeared != NULL) *options.appeared = false;
    SBL_TRY(refuse_ledger(path, err));
    SBL_TRY(temporary_name(&file->temporary, path, err));
    sbl_text_append(&file->path, path, strlen(path));
    if (file->path.failed) SBL_TRY(sbl_no_memory(err, path));
    file->descriptor = open(file->temporary.data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                            (mode_t)options.mode);
    if (file->descriptor < 0) status = sbl_fail_errno(err, "write", path, errno);
done:
    if (status != SBL_OK) sbl_file_discard(file);
    return status;
}

/* All of it on disk, still under its temporary name. */
static sbl_status seal(sbl_pending_file *file, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const char *path = file->path.data;
    const int descriptor = file->descriptor;
    if (fsync(descriptor) != 0) status = sbl_fail_errno(err, "sync", path, errno);
    file->descriptor = -1;
    if (close(descriptor) != 0 && status == SBL_OK) status = sbl_fail_errno(err, "close", path, errno);
    return status;
}

/* What the file replaces, if anything, gets another name until all that belong together are there.
 * A folder in the way is left for the next step to refuse. */
static sbl_status set_aside(sbl_pending_file *file, sbl_error *err)
{
    struct stat facts;
    const char *path = file->path.data;
    if (!file->overwrite || lstat(path, &facts) != 0 || S_ISDIR(facts.st_mode)) return SBL_OK;
    sbl_text_printf(&file->aside, "%s.old", file->temporary.data);
    if (file->aside.failed) {
        sbl_text_clear(&file->aside);
        return sbl_no_memory(err, path);
    }
    if (rename(path, file->aside.data) == 0) return SBL_OK;
    const int reason = errno;
    sbl_text_clear(&file->aside);
    return sbl_fail_errno(err, "replace", path, reason);
}

/* Undo a commit of which `moved` files have appeared. */
static void take_back(sbl_pending_file *const *files, size_t count, size_t moved)
{
    for (size_t i = 0; i < count; i++)
        (void)unlink(i < moved ? files[i]->path.data : files[i]->temporary.data);
    for (size_t i = 0; i < count; i++)
        if (files[i]->aside.data != NULL) (void)rename(files[i]->aside.data, files[i]->path.data);
}

/* One file replaces another in one step. Of several no step may leave a new one beside an old one,
 * also when it is the last that the process makes: all old ones go, the last first, before the
 * first new one comes. */
sbl_status sbl_file_commit_all(sbl_pending_file *const *files, size_t count, sbl_error *err)
{
    sbl_status status = SBL_OK;
    size_t moved = 0;
    for (size_t i = 0; i < count; i++) {
        const sbl_status sealed = seal(files[i], status == SBL_OK ? err : NULL);
        if (status == SBL_OK) status = sealed;
    }
    for (size_t i = count; status == SBL_OK && count > 1 && i-- > 0;) status = set_aside(files[i], err);
    for (; status == SBL_OK && moved < count; moved += status == SBL_OK)
        status = move_into_place(files[moved]->temporary.data, files[moved]->path.data,
                                 files[moved]->overwrite, err);
    if (status != SBL_OK) take_back(files, count, moved);
    for (size_t i = 0; status == SBL_OK && i < count; i++)
        if (files[i]->aside.data != NULL) (void)unlink(files[i]->aside.data);
    for (size_t i = 0; status == SBL_OK && i < count; i++)
        if (files[i]->appeared != NULL) *files[i]->appeared = true;
    for (size_t i = 0; status == SBL_OK && i < count; i++)
        status = sbl_sync_folder_of(files[i]->path.data, err);
    for (size_t i = 0; i < count; i++) sbl_file_discard(files[i]);
    return status;
}

sbl_status sbl_file_commit(sbl_pending_file *file, sbl_error *err)
{
    return sbl_file_commit_all(&file, 1, err);
}

void sbl_file_discard(sbl_pending_file *file)
{
    if (file->descriptor >= 0) {
        (void)close(file->descriptor);
        (void)unlink(file->temporary.data);
    }
    file->descriptor = -1;
    sbl_text_clear(&file->temporary);
    sbl_text_clear(&file->path);
    sbl_text_clear(&file->aside);
}

sbl_status sbl_file_write(const char *path, const void *bytes, size_t size, sbl_file_write_options options,
                          sbl_error *err)
{
    sbl_pending_file file;
    sbl_status status = sbl_file_begin(&file, path, options, err);
    if (status != SBL_OK) return status;
    status = sbl_write_all(file.descriptor, bytes, size, path, err);
    if (status == SBL_OK) return sbl_file_commit(&file, err);
    sbl_file_discard(&file);
    return status;
}

/* sbl_files_check() of semblance/files.h: would one file of a command overwrite another that it
 * reads or writes? Files that exist are compared by device and inode; for those that do not exist
 * yet, the real path of the folder and the last part of the name decide. */

/* NULL where there is none: standard output is the caller's. Standard input may be a file. */
static const char *path_of(const sbl_named_file *file)
{
    if (file->path == NULL || strcmp(file->path, "-") != 0) return file->path;
    return file->written ? NULL : "/dev/stdin";
}

/* The real path of the first `length` bytes of path; if length is 0, of the current folder. */
static bool resolve(char real[PATH_MAX], const char *path, size_t length)
{
    char part[PATH_MAX];
    if (length >= sizeof part) return false;
    (void)snprintf(part, sizeof part, "%.*s", (int)length, path);
    return realpath(length != 0 ? part : ".", real) != NULL;
}

/* Two spellings of a file that is not there yet agree in the true path of its folder and in the last
 * part of the name. Where there is no such folder, that is reported elsewhere. */
static bool same_file(const char *a, const char *b)
{
    struct stat one, other;
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    if (stat(a, &one) == 0 && stat(b, &other) == 0)
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    const size_t length_a = folder_length(a, strlen(a));
    const size_t length_b = folder_length(b, strlen(b));
    return resolve(folder_a, a, length_a) && resolve(folder_b, b, length_b) &&
           strcmp(folder_a, folder_b) == 0 && strcmp(a + length_a, b + length_b) == 0;
}

/* Would the file be made somewhere below the folder? Of its folders the last that is there counts. */
static bool is_inside(const char *path, const char *folder)
{
    struct stat seen;
    char within[PATH_MAX], real[PATH_MAX];
    size_t length = folder_length(path, strlen(path));
    if (stat(folder, &seen) != 0 || !S_ISDIR(seen.st_mode) || !resolve(within, folder, strlen(folder)))
        return false;
    bool found = resolve(real, path, length);
    while (!found && errno == ENOENT && length > 0) {
        length = folder_length(path, length - 1);
        found = resolve(real, path, length);
    }
    const size_t deep = strlen(within);
    return found && strncmp(real, within, deep) == 0 && (real[deep] == '\0' || real[deep] == '/');
}

/* Is this a list of files? A list has a comma and does not exist as a file itself. */
static bool is_listed(const char *written, const char *read)
{
    struct stat seen;
    char item[PATH_MAX];
    if (stat(read, &seen) == 0 || strchr(read, ',') == NULL) return false;
    for (const char *at = read; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        if (length < sizeof item) {
            (void)snprintf(item, sizeof item, "%.*s", (int)length, at);
            if (same_file(written, item)) return true;
        }
        at += length + (at[length] == ',' ? 1 : 0);
    }
    return false;
}

static sbl_status check_one(const sbl_named_file *files, size_t count, size_t which, sbl_error *err)
{
    const char *path = files[which].path;
    if (sbl_file_is_ledger(path))
        return sbl_fail(err, SBL_EARG, "%s would replace the ledger %s: choose another name",
                        files[which].name, path);
    for (size_t i = 0; i < count; i++) {
        const sbl_named_file *other = &files[i];
        const char *taken = path_of(other);
        if (i == which || taken == NULL) continue;
        if (same_file(path, taken) || (!other->written && is_listed(path, taken)))
            return sbl_fail(err, SBL_EARG, "%s and %s are the same file, %s: choose another name",
                            files[which].name, other->name, path);
        if (!other->written && is_inside(path, taken))
            return sbl_fail(err, SBL_EARG,
                            "%s, %s, would be written to a folder that is read, %s: choose another place",
                            files[which].name, path, other->name);
    }
    return SBL_OK;
}

sbl_status sbl_files_check(const sbl_named_file *files, size_t count, sbl_error *err)
{
    if (count > 0) SBL_CHECK(sbl_need(files, "files", err));
    for (size_t i = 0; i < count; i++)
        if (files[i].written && path_of(&files[i]) != NULL) SBL_CHECK(check_one(files, count, i, err));
    return SBL_OK;
}
