/* What is in a folder: names in bytewise order, so that every machine reads the same sequence. */
#ifndef SBL_IMAGE_FOLDER_LIST_H
#define SBL_IMAGE_FOLDER_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct sbl_folder_entry {
    char *name;
    bool is_folder; /* else a regular file; links count as what they lead to */
} sbl_folder_entry;

typedef struct sbl_folder_list {
    sbl_folder_entry *entries;
    size_t count;
    size_t capacity;
} sbl_folder_list;

/* Names that begin with a dot are left out. Anything but files and folders, an entry that cannot be
 * inspected, and a name with a control character are refused. Clear the list in any case. */
sbl_status sbl_folder_list_read(sbl_folder_list *list, const char *path, sbl_error *err);
void sbl_folder_list_clear(sbl_folder_list *list);

#endif
