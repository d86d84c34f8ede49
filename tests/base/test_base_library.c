/* SPDX-License-Identifier: Apache-2.0 */
/* A library is opened by a path or by a name, and the working directory is no place of names. */
#include "base/library.h"

#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cmocka_plain.h"
#include "support/one_folder.h"

#define SYSTEM "libz.so.1"

/* A library of the system under a name of our own, in the working directory. */
static void link_here(const char *name)
{
    char place[PATH_MAX];
    const struct link_map *map = sbl_library_open(SYSTEM);
    assert_non_null(map);
    assert_non_null(realpath(map->l_name, place));
    assert_int_equal(symlink(place, name), 0);
}

TEST(names_are_not_looked_for_in_the_working_directory)
{
    bool there = true;
    link_here("libmine.so");
    assert_null(sbl_library_open("libmine.so"));
    assert_null(sbl_library_open_path("libmine.so")); /* no slash: a name, too */
    assert_null(sbl_library_open_beside(&there, "libmine.so"));
    assert_false(there);
}

TEST(paths_may_be_relative)
{
    assert_null(sbl_library_open_path("./libmine.so"));
    link_here("libmine.so");
    assert_non_null(sbl_library_open_path("./libmine.so"));
    assert_non_null(sbl_library_open_path(in_folder(folder, "libmine.so")));
    assert_non_null(sbl_library_open_path(SYSTEM));
    assert_null(sbl_library_open_path(folder)); /* not a library */
}

TEST(functions_are_found_or_named)
{
    struct {
        const char *(*version)(void);
        void *none;
    } calls = {0};
    const sbl_library_call wanted[] = {{"zlibVersion", 0}, {"zlib_has_no_such", sizeof(void *)}};
    void *library = sbl_library_open(SYSTEM);
    assert_non_null(library);
    assert_null(sbl_library_find(&calls, library, wanted, 1));
    assert_true(strlen(calls.version()) > 0);
    assert_string_equal(sbl_library_find(&calls, library, wanted, 2), "zlib_has_no_such");
    assert_null(calls.none);
}

EACH_TEST(enter_folder, leave_folder)
