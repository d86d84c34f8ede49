/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a test, or of all tests of a file: EACH_TEST(make_folder, remove_folder), or ALL_TESTS(). */
#ifndef SBL_TESTS_SUPPORT_ONE_FOLDER_H
#define SBL_TESTS_SUPPORT_ONE_FOLDER_H

#include "support/temp_folder.h"

extern char folder[256];

int make_folder(void **state);
int remove_folder(void **state);
/* The same, as the working directory. */
int enter_folder(void **state);
int leave_folder(void **state);

#endif
