/* SPDX-License-Identifier: Apache-2.0 */
/* A folder that lives as long as a test. */
#ifndef SBL_TEST_TEMP_FOLDER_H
#define SBL_TEST_TEMP_FOLDER_H

#include <stddef.h>

/* Makes a fresh folder, in memory (/dev/shm) where there is one, so that the thousands of synced
 * writes of an audit cost nothing. folder needs 256 bytes. */
void temp_folder_make(char folder[256]);

/* Removes the folder and all that is in it. */
void temp_folder_remove(const char *folder);

/* folder + "/" + name into one of a few rotating buffers; good until eight calls later. */
const char *in_folder(const char *folder, const char *name);

/* The whole file as a NUL-terminated string, or NULL; free(). */
char *slurp(const char *path, size_t *size);

#endif
