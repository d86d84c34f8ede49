#include "audit/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "privatise/privatise.h"

sbl_status sbl_scratch_open(sbl_scratch *scratch, const char *within, sbl_error *err)
{
    *scratch = (sbl_scratch){0};
    sbl_text_printf(&scratch->folder, "%s/semblance-audit-XXXXXX", within);
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

sbl_status sbl_scratch_ledger(const char *path, sbl_neighbours neighbours, double delta,
                              sbl_error *err)
{
    sbl_ledger_facts facts = {
        .neighbours = neighbours, .rows_per_unit = 1, .test_key = sbl_door_is_test_build()};
    char number[SBL_DOUBLE_TEXT_SIZE];
    (void)snprintf(facts.budget.epsilon, sizeof facts.budget.epsilon, "inf");
    (void)snprintf(facts.budget.delta, sizeof facts.budget.delta, "%s",
                   sbl_double_to_text(number, delta));
    if (unlink(path) != 0 && errno != ENOENT) return sbl_fail_errno(err, "remove", path, errno);
    return sbl_ledger_create(path, &facts, err);
}
