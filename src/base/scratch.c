/* A folder of mode 0700 from mkdtemp(3), held by flock(2) on its own descriptor. The lock is what
 * tells a folder in use from one that a killed process left: whoever opens a new one removes those
 * of this user that nobody holds. */
#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#define NAME_BEGINS "semblance-scratch-"
#define AS_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define TRIES 16

const char *sbl_scratch_place(void)
{
    struct stat seen;
    const bool in_memory = stat("/dev/shm", &seen) == 0 && S_ISDIR(seen.st_mode) &&
                           access("/dev/shm", W_OK | X_OK) == 0;
    return in_memory ? "/dev/shm" : "/tmp";
}

/* Remove the files of a folder, then the folder, then the lock on it, which its descriptor holds. */
static void remove_folder(int descriptor, int within, const char *name)
{
    const struct dirent *entry;
    DIR *folder = fdopendir(descriptor);
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(descriptor, entry->d_name, 0);
    (void)unlinkat(within, name, AT_REMOVEDIR);
    if (folder != NULL)
        (void)closedir(folder);
    else
        (void)close(descriptor);
}

/* A folder of ours that nobody locks is of a process that was killed. */
static void clear_if_abandoned(int within, const char *name)
{
    struct stat seen;
    const int descriptor = openat(within, name, AS_FOLDER);
    if (descriptor < 0) return;
    if (fstat(descriptor, &seen) == 0 && seen.st_uid == geteuid() &&
        flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        remove_folder(descriptor, within, name);
    else
        (void)close(descriptor);
}

static void clear_abandoned(const char *within)
{
    const struct dirent *entry;
    DIR *folder = opendir(within);
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, NAME_BEGINS, strlen(NAME_BEGINS)) == 0)
            clear_if_abandoned(dirfd(folder), entry->d_name);
    if (folder != NULL) (void)closedir(folder);
}

/* Lock a new folder. Returns 0 or an errno: EBUSY where between its making and its lock another
 * process took it for abandoned. Where folders cannot be locked nobody takes one. */
static int hold(sbl_scratch *scratch)
{
    const char *path = scratch->folder.data;
    scratch->descriptor = open(path, AS_FOLDER);
    if (scratch->descriptor < 0) return errno == ENOENT ? EBUSY : errno;
    const bool locked_by_other =
        flock(scratch->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!locked_by_other && access(path, F_OK) == 0) return 0;
    (void)close(scratch->descriptor);
    return EBUSY;
}

sbl_status sbl_scratch_open(sbl_scratch *scratch, const char *within, sbl_error *err)
{
    int reason = EBUSY;
    *scratch = (sbl_scratch){0};
    clear_abandoned(within);
    for (int i = 0; i < TRIES && reason == EBUSY; i++) {
        sbl_text_clear(&scratch->folder);
        sbl_text_printf(&scratch->folder, "%s/" NAME_BEGINS "%ld-XXXXXX", within, (long)getpid());
        if (scratch->folder.failed) {
            sbl_text_clear(&scratch->folder);
            return sbl_no_memory(err, "a file name");
        }
        const bool made = mkdtemp(scratch->folder.data) != NULL;
        reason = made ? hold(scratch) : errno;
        if (reason == 0) return SBL_OK;
        if (made) (void)rmdir(scratch->folder.data);
    }
    sbl_text_clear(&scratch->folder);
    return sbl_fail_errno(err, "make a folder in", within, reason);
}

void sbl_scratch_close(sbl_scratch *scratch)
{
    if (scratch->folder.data == NULL) return;
    remove_folder(scratch->descriptor, AT_FDCWD, scratch->folder.data);
    sbl_text_clear(&scratch->folder);
}

sbl_status sbl_scratch_path(sbl_text *path, const sbl_scratch *scratch, const char *name,
                            sbl_error *err)
{
    sbl_text_clear(path);
    sbl_text_printf(path, "%s/%s", scratch->folder.data, name);
    return sbl_text_check(path, "a file name", err);
}
