#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

const char *sbl_scratch_place(void)
{
    struct stat seen;
    const bool in_memory = stat("/dev/shm", &seen) == 0 && S_ISDIR(seen.st_mode) &&
                           access("/dev/shm", W_OK | X_OK) == 0;
    return in_memory ? "/dev/shm" : "/tmp";
}

sbl_status sbl_scratch_open(sbl_scratch *scratch, const char *within, sbl_error *err)
{
    *scratch = (sbl_scratch){0};
    sbl_text_printf(&scratch->folder, "%s/semblance-%ld-XXXXXX", within, (long)getpid());
    if (scratch->folder.failed) {
        sbl_text_clear(&scratch->folder);
        return sbl_fail(err, SBL_EMEM, "out of memory for a file name");
    }
    if (mkdtemp(scratch->folder.data) != NULL) return SBL_OK;
    const int reason = errno;
    sbl_text_clear(&scratch->folder);
    return sbl_fail_errno(err, "make a folder in", within, reason);
}

void sbl_scratch_close(sbl_scratch *scratch)
{
    const struct dirent *entry;
    if (scratch->folder.data == NULL) return;
    DIR *folder = opendir(scratch->folder.data);
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL) (void)closedir(folder);
    (void)rmdir(scratch->folder.data);
    sbl_text_clear(&scratch->folder);
}

sbl_status sbl_scratch_path(sbl_text *path, const sbl_scratch *scratch, const char *name,
                            sbl_error *err)
{
    sbl_text_clear(path);
    sbl_text_printf(path, "%s/%s", scratch->folder.data, name);
    return path->failed ? sbl_fail(err, SBL_EMEM, "out of memory for a file name") : SBL_OK;
}
