/* SPDX-License-Identifier: Apache-2.0 */
/* A library that tells that it was loaded: it makes the file `trapped` in the working directory. Tests put it there under
 * the names of libraries that the program looks for. */
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void tell(void)
{
    const int file = open("trapped", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) (void)close(file);
}
