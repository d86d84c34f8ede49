/* Makes the ledgers of an audit: of the same relation and unit as the release to be tested,
 * with an infinite budget, since an attack charges the same sums again and again. */
#include "audit/scratch.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "privatise/privatise.h"

sbl_status sbl_scratch_ledger(const char *path, sbl_neighbours neighbours, uint64_t rows_per_unit,
                              double delta, sbl_error *err)
{
    sbl_ledger_facts facts = {.neighbours = neighbours,
                              .by_person = rows_per_unit != 0,
                              .rows_per_unit = rows_per_unit != 0 ? rows_per_unit : 1,
                              .test_key = sbl_door_is_test_build()};
    char number[SBL_DOUBLE_TEXT_SIZE];
    (void)snprintf(facts.budget.epsilon, sizeof facts.budget.epsilon, "inf");
    (void)snprintf(facts.budget.delta, sizeof facts.budget.delta, "%s",
                   sbl_double_to_text(number, delta));
    if (unlink(path) != 0 && errno != ENOENT) return sbl_fail_errno(err, "remove", path, errno);
    return sbl_ledger_create(sbl_file_item(path), &facts, err);
}
