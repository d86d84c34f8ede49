/* SPDX-License-Identifier: Apache-2.0 */
/* Paths beneath one folder, without a link on the way; whole files, and new ones. */
#include "served_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cli/output.h"

#define MOST_KEPT 1000 /* files of one name */

bool sbl_serve_folder_path_is_good(const char *path)
{
    char plain[SBL_FOLDER_PATH_SIZE];
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof plain || path[0] == '-') return false;
    memcpy(plain, path, length + 1);
    if (strcmp(sbl_plain_line(plain), path) != 0 || strpbrk(path, ",*?[]{}\\") != NULL) return false;
    for (const char *part = path;; part += strcspn(part, "/") + 1) {
        const size_t size = strcspn(part, "/");
        if (size == 0 || size > 255 || part[0] == '.') return false;
        if (part[size] == '\0') return true;
    }
}

/* ---- names for the library ---- */

/* The folder's own path with a slash behind it; 0: it has none, or it is too long. */
static size_t root_path(char path[SBL_FULL_PATH_SIZE], int root)
{
    char link[40];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", root);
    const ssize_t length = readlink(link, path, SBL_FULL_PATH_SIZE - 2);
    if (length <= 0 || length == SBL_FULL_PATH_SIZE - 2 || path[0] != '/') return 0;
    size_t size = (size_t)length;
    if (path[size - 1] != '/') path[size++] = '/';
    path[size] = '\0';
    return size;
}

sbl_status sbl_serve_folder_full(char full[SBL_FULL_PATH_SIZE], int root, const char *path, sbl_error *err)
{
    const size_t size = root_path(full, root), length = strlen(path);
    if (size == 0 || size + length >= SBL_FULL_PATH_SIZE)
        return sbl_cli_fail(err, SBL_EARG, "the path of the folder that is served is too long");
    memcpy(full + size, path, length + 1);
    return SBL_OK;
}

char *sbl_serve_folder_shorten(char *text, int root)
{
    char folder[SBL_FULL_PATH_SIZE];
    const size_t size = root_path(folder, root);
    if (size <= 1) return text;
    for (char *at = text; (at = strstr(at, folder)) != NULL;) memmove(at, at + size, strlen(at + size) + 1);
    return text;
}

/* ---- opening ---- */

int sbl_serve_open_beneath_by_steps(int root, const char *path, int flags, mode_t mode)
{
    char part[256];
    int folder = root;
    for (;;) {
        const size_t size = strcspn(path, "/");
        int next = -1;
        if (size == 0 || size >= sizeof part || (size == 2 && memcmp(path, "..", 2) == 0)) {
            errno = EXDEV;
        } else {
            const bool last = path[size] == '\0';
            memcpy(part, path, size);
            part[size] = '\0';
            next = last ? openat(folder, part, flags | O_NOFOLLOW | O_CLOEXEC, mode)
                        : openat(folder, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            path += size + (last ? 0 : 1);
        }
        const int why = errno;
        if (folder != root) (void)close(folder);
        errno = why;
        if (next < 0 || *path == '\0') return next;
        folder = next;
    }
}

int sbl_serve_open_beneath(int root, const char *path, int flags, mode_t mode)
{
    const struct open_how how = {.flags = (unsigned)(flags | O_NOFOLLOW | O_CLOEXEC),
                                 .mode = (flags & O_CREAT) != 0 ? mode : 0,
                                 .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    const long fd = syscall(SYS_openat2, root, path, &how, sizeof how);
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return (int)fd;
    return sbl_serve_open_beneath_by_steps(root, path, flags, mode); /* an old kernel, or a filter */
}

sbl_status sbl_serve_folder_refuse_path(sbl_error *err)
{
    return sbl_cli_fail(err, SBL_EARG,
                        "a path must be one inside the folder that is served, without hidden "
                        "parts and without any of , * ? [ ] { } \\");
}

sbl_status sbl_serve_folder_file(int *fd, uint64_t *size, int root, const char *path, sbl_error *err)
{
    struct stat found;
    *fd = -1;
    if (!sbl_serve_folder_path_is_good(path)) return sbl_serve_folder_refuse_path(err);
    /* Does not wait for a writer of a pipe. */
    *fd = sbl_serve_open_beneath(root, path, O_RDONLY | O_NONBLOCK, 0);
    if (*fd >= 0 && fstat(*fd, &found) == 0 && S_ISREG(found.st_mode)) {
        if (size != NULL) *size = (uint64_t)found.st_size;
        return SBL_OK;
    }
    if (*fd >= 0) (void)close(*fd);
    *fd = -1;
    return sbl_cli_fail(err, SBL_EIO, "%s: no such file in the folder", path);
}

bool sbl_serve_folder_has(int root, const char *path)
{
    int fd = -1;
    if (sbl_serve_folder_file(&fd, NULL, root, path, NULL) != SBL_OK) return false;
    (void)close(fd);
    return true;
}

bool sbl_serve_folder_has_folder(int root, const char *path)
{
    if (!sbl_serve_folder_path_is_good(path)) return false;
    const int fd = sbl_serve_open_beneath(root, path, O_PATH | O_DIRECTORY, 0);
    if (fd < 0) return false;
    (void)close(fd);
    return true;
}

/* ---- whole files ---- */

static sbl_status read_whole(char *text, size_t size, int fd, const char *path, sbl_error *err)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t got = read(fd, text + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return sbl_cli_fail(err, SBL_EIO, "%s: cannot be read", path);
        done += (size_t)got;
    }
    text[size] = '\0';
    return SBL_OK;
}

sbl_status sbl_serve_folder_read(char **text, size_t *length, int root, const char *path, size_t most,
                                 sbl_error *err)
{
    int fd = -1;
    uint64_t size = 0;
    *text = NULL;
    *length = 0;
    sbl_status status = sbl_serve_folder_file(&fd, &size, root, path, err);
    if (status != SBL_OK) return status;
    if (size > most) status = sbl_cli_fail(err, SBL_EINPUT, "%s: is larger than %zu bytes", path, most);
    if (status == SBL_OK && (*text = malloc((size_t)size + 1)) == NULL)
        status = sbl_cli_fail(err, SBL_EMEM, "out of memory for %s", path);
    if (status == SBL_OK) status = read_whole(*text, (size_t)size, fd, path, err);
    (void)close(fd);
    if (status == SBL_OK) {
        *length = (size_t)size;
        return SBL_OK;
    }
    free(*text);
    *text = NULL;
    return status;
}

static bool write_whole(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t done = write(fd, bytes, length);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done;
        length -= (size_t)done;
    }
    return fsync(fd) == 0;
}

/* The folder of a path, and its last part. */
static int open_parent(int root, const char *path, const char **last)
{
    char parent[SBL_FOLDER_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    *last = slash != NULL ? slash + 1 : path;
    if (slash == NULL) return fcntl(root, F_DUPFD_CLOEXEC, 0);
    memcpy(parent, path, (size_t)(slash - path));
    parent[slash - path] = '\0';
    return sbl_serve_open_beneath(root, parent, O_PATH | O_DIRECTORY, 0);
}

void sbl_serve_folder_remove(int root, const char *path)
{
    const char *last = NULL;
    const int parent = sbl_serve_folder_path_is_good(path) ? open_parent(root, path, &last) : -1;
    if (parent < 0) return;
    if (unlinkat(parent, last, 0) != 0 && errno == EISDIR) (void)unlinkat(parent, last, AT_REMOVEDIR);
    (void)close(parent);
}

sbl_status sbl_serve_folder_write_new(int root, const char *path, const void *bytes, size_t length,
                                      sbl_error *err)
{
    if (!sbl_serve_folder_path_is_good(path)) return sbl_serve_folder_refuse_path(err);
    const int fd = sbl_serve_open_beneath(root, path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0 && errno == EEXIST)
        return sbl_cli_fail(
            err, SBL_EARG,
            "%s: exists already and is not overwritten; rename your file, or remove the old one", path);
    if (fd < 0) return sbl_cli_fail(err, SBL_EIO, "%s: cannot be written", path);
    const bool written = write_whole(fd, bytes, length);
    if (close(fd) == 0 && written) return SBL_OK;
    sbl_serve_folder_remove(root, path);
    return sbl_cli_fail(err, SBL_EIO, "%s: cannot be written", path);
}

sbl_status sbl_serve_folder_make(bool *made, int root, const char *path, sbl_error *err)
{
    const char *last = NULL;
    if (made != NULL) *made = false;
    if (!sbl_serve_folder_path_is_good(path)) return sbl_serve_folder_refuse_path(err);
    const int parent = open_parent(root, path, &last);
    const int result = parent < 0 ? -1 : mkdirat(parent, last, 0700);
    const bool is_there = result < 0 && parent >= 0 && errno == EEXIST;
    if (parent >= 0) (void)close(parent);
    if (result < 0 && !is_there)
        return sbl_cli_fail(err, SBL_EIO, "%s: cannot be created; check the permissions of the folder", path);
    if (made != NULL) *made = result == 0;
    const int fd = sbl_serve_open_beneath(root, path, O_PATH | O_DIRECTORY, 0);
    if (fd < 0) return sbl_cli_fail(err, SBL_EIO, "%s is not a folder", path);
    (void)close(fd);
    return SBL_OK;
}

sbl_status sbl_serve_folder_rename_new(int root, const char *from, const char *to, sbl_error *err)
{
    const char *old_name = NULL, *new_name = NULL;
    if (!sbl_serve_folder_path_is_good(from) || !sbl_serve_folder_path_is_good(to))
        return sbl_serve_folder_refuse_path(err);
    const int old_parent = open_parent(root, from, &old_name);
    const int new_parent = open_parent(root, to, &new_name);
    int result = -1, why = EIO;
    if (old_parent >= 0 && new_parent >= 0) {
        result = renameat2(old_parent, old_name, new_parent, new_name, RENAME_NOREPLACE);
        why = errno;
    }
    if (old_parent >= 0) (void)close(old_parent);
    if (new_parent >= 0) (void)close(new_parent);
    if (result == 0) return SBL_OK;
    if (why == EEXIST)
        return sbl_cli_fail(
            err, SBL_EARG,
            "%s: exists already and is not overwritten; rename your file, or remove the old one", to);
    return sbl_cli_fail(err, SBL_EIO, "%s: cannot be renamed to %s", from, to);
}

/* The last one gets a number, so that none is ever lost. */
static sbl_status move_aside(int root, const char *path, sbl_error *err)
{
    char aside[SBL_FOLDER_PATH_SIZE];
    sbl_status status = SBL_EARG;
    for (unsigned k = 1; status == SBL_EARG && k <= MOST_KEPT; k++) {
        const int length = snprintf(aside, sizeof aside, "%s.%u", path, k);
        if (length < 0 || (size_t)length >= sizeof aside)
            return sbl_cli_fail(err, SBL_EARG, "a name is too long");
        status = sbl_serve_folder_rename_new(root, path, aside, err);
    }
    return status;
}

sbl_status sbl_serve_folder_keep(int root, const char *path, const char *text, sbl_error *err)
{
    char *before = NULL;
    size_t length = 0;
    sbl_status status = SBL_OK;
    if (sbl_serve_folder_has(root, path))
        status = sbl_serve_folder_read(&before, &length, root, path, (size_t)4 << 20, err);
    const bool same = before != NULL && strcmp(before, text) == 0;
    if (status == SBL_OK && before != NULL && !same) status = move_aside(root, path, err);
    if (status == SBL_OK && !same) status = sbl_serve_folder_write_new(root, path, text, strlen(text), err);
    free(before);
    return status;
}
