/* SPDX-License-Identifier: Apache-2.0 */
/* Builds de_DE with localedef in a folder of its own, because test machines seldom have it. */
#include "support/comma_locale.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/temp_folder.h"

bool enter_comma_locale(void)
{
    char folder[256];
    char command[1024];
    temp_folder_make(folder);
    (void)snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
                   folder);
    const bool entered = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 &&
                         setlocale(LC_ALL, "de_DE.UTF-8") != NULL && *localeconv()->decimal_point == ',';
    temp_folder_remove(folder); /* what was entered stays in memory */
    return entered;
}
