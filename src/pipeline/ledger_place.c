#include "pipeline/ledger_place.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/ledger.h"

#define USUAL_DELTA \
    "1e-05" /* of a ledger whose first release is pure: for those that come later \
             */

/* Can a file be made in the folder of path? */
static bool folder_is_writable(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    if (length >= sizeof folder) return false;
    (void)snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    return access(length != 0 ? folder : ".", W_OK | X_OK) == 0;
}

/* The name of what the records are in: without trailing slashes, the first of a list, and behind a
 * symbolic link. False: there is nothing of that name that could have a ledger. */
static bool name_of_data(char name[PATH_MAX], const char *input)
{
    struct stat facts;
    char real[PATH_MAX];
    if (input == NULL || strcmp(input, "-") == 0) return false;
    size_t length = strlen(input);
    if (stat(input, &facts) != 0) length = strcspn(input, ",");
    while (length > 1 && input[length - 1] == '/') length--;
    if (length == 0 || length >= PATH_MAX) return false;
    (void)snprintf(name, PATH_MAX, "%.*s", (int)length, input);
    if (stat(name, &facts) != 0 || (!S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)))
        return false;
    if (lstat(name, &facts) != 0 || !S_ISLNK(facts.st_mode)) return true;
    if (realpath(name, real) == NULL) return false;
    memcpy(name, real, sizeof real);
    return true;
}

sbl_status sbl_ledger_path_of_data(sbl_text *path, bool *beside_input, const char *input,
                                   const char *stem, sbl_error *err)
{
    char name[PATH_MAX];
    *beside_input = name_of_data(name, input) && folder_is_writable(name);
    sbl_text_printf(path, "%s.ledger", *beside_input ? name : stem);
    return path->failed ? sbl_fail(err, SBL_EMEM, "out of memory for a file name") : SBL_OK;
}

sbl_status sbl_ledger_make_unlimited(const char *path, sbl_neighbours neighbours,
                                     uint64_t rows_per_unit, double delta, bool test_key,
                                     sbl_error *err)
{
    sbl_ledger_facts facts = {.neighbours = neighbours,
                              .by_person = rows_per_unit != 0,
                              .rows_per_unit = rows_per_unit != 0 ? rows_per_unit : 1,
                              .test_key = test_key};
    char number[SBL_DOUBLE_TEXT_SIZE];
    (void)snprintf(facts.budget.epsilon, sizeof facts.budget.epsilon, "%s", SBL_NO_LIMIT);
    (void)snprintf(facts.budget.delta, sizeof facts.budget.delta, "%s",
                   delta > 0.0 ? sbl_double_to_text(number, delta) : USUAL_DELTA);
    return sbl_ledger_create(path, &facts, err);
}
