/* SPDX-License-Identifier: Apache-2.0 */
/* What all databases share: which table or query was asked for, telling the kinds apart, quoting names, and
 * opening the library that reads them (database.h). */
#include "records/formats/database.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

void sbl_database_free(void *state)
{
    sbl_database *database = state;
    if (database == NULL) return;
    if (database->session != NULL) database->end_session(database->session);
    sbl_free_wiped(database->place, database->place != NULL ? strlen(database->place) : 0);
    sbl_free(database->table);
    sbl_free(database->query);
    sbl_free(database->driver);
    sbl_free(database);
}

static sbl_status copy(char **to, const char *text, sbl_error *err)
{
    return text != NULL ? sbl_copy_text(to, text, "an option", err) : SBL_OK;
}

sbl_status sbl_database_new(sbl_database **database, const char *place, const sbl_data_options *options,
                            sbl_error *err)
{
    sbl_database *made = NULL;
    sbl_status status = SBL_OK;
    *database = NULL;
    SBL_ALLOC(made, 1, "a table");
    SBL_TRY(copy(&made->place, place, err));
    SBL_TRY(copy(&made->table, options->table, err));
    SBL_TRY(copy(&made->query, options->query, err));
    SBL_TRY(copy(&made->driver, options->adbc_driver, err));
    *database = made;
    made = NULL;
done:
    sbl_database_free(made);
    return status;
}

/* ---- which one ---- */

bool sbl_path_is_server(const char *place)
{
    static const char *const schemes[] = {"postgresql://", "postgres://"};
    for (size_t i = 0; i < 2; i++)
        if (strncmp(place, schemes[i], strlen(schemes[i])) == 0) return true;
    return false;
}

sbl_status sbl_server_name(char **name, const char *place, sbl_error *err)
{
    const char *hosts = strstr(place, "://") + 3;
    const char *login_end = strrchr(hosts, '@'); /* a password may hold any character, also ? and # */
    sbl_text shown = {0};
    sbl_status status = SBL_OK;
    *name = NULL;
    if (login_end != NULL) hosts = login_end + 1;
    sbl_text_printf(&shown, "postgresql://%.*s", (int)strcspn(hosts, "?#"), hosts);
    SBL_TRY(sbl_text_check(&shown, "a name", err));
    status = sbl_copy_text(name, sbl_plain_line(shown.data), "a name", err);
done:
    sbl_text_clear(&shown);
    return status;
}

sbl_status sbl_database_look(sbl_database_kind *kind, const char *place, sbl_error *err)
{
    char first[16] = {0};
    *kind = SBL_DATABASE_SERVER;
    if (sbl_path_is_server(place)) return SBL_OK;
    const int file = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return sbl_fail(err, SBL_EIO, "cannot open %s: %s", place, sbl_errno_words(errno));
    const ssize_t got = pread(file, first, sizeof first, 0);
    (void)close(file);
    const bool whole = got == (ssize_t)sizeof first;
    *kind = whole && memcmp(first, "SQLite format 3", 16) == 0 ? SBL_DATABASE_SQLITE
            : whole && memcmp(first + 8, "DUCK", 4) == 0       ? SBL_DATABASE_DUCKDB
                                                               : SBL_DATABASE_NONE;
    return SBL_OK;
}

/* ---- what they say ---- */

sbl_status sbl_database_no_table(const char *name, const char *table, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s has no table '%.100s'", name, table);
}

sbl_status sbl_database_no_rows_of_its_own(const char *name, const char *table, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT,
                    "%s: '%.100s' is not a stored table: it is a view or has computed columns, so one person "
                    "may be many of its rows; read a stored table, or give a query",
                    name, table);
}

sbl_status sbl_database_bad_query(const char *name, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s: the query must be a single SELECT statement", name);
}

/* ---- libraries ---- */

sbl_status sbl_library_load(void *pointers, const char *path, const char *const *places,
                            const sbl_library_call *calls, size_t count, const char *what, const char *name,
                            sbl_error *err)
{
    void *library = path != NULL ? sbl_library_open_path(path) : NULL;
    for (size_t i = 0; path == NULL && library == NULL && places[i] != NULL; i++)
        library = sbl_library_open(places[i]);
    if (library == NULL && path != NULL)
        return sbl_fail(err, SBL_EARG, "%s: %s is not %s, or cannot be loaded", name, path, what);
    if (library == NULL)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_ADBC_DRIVER, NULL, "%s can be read with %s: %s", name,
                             what, sbl_library_why());
    const char *absent = sbl_library_find(pointers, library, calls, count);
    if (absent != NULL)
        return sbl_fail(err, SBL_EARG,
                        "%s: the library that was loaded as %s lacks %s: install a newer version", name, what,
                        absent);
    return SBL_OK;
}
