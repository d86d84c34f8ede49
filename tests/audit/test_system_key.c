/* SPDX-License-Identifier: Apache-2.0 */
/* What ships: two releases of the same sums share no noise, and so no key. Linked with the library
 * that ships, whose keys come from the kernel. */

#include "audit/worlds.h"
#include "door/privatise/privatise.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

TEST(two_releases_of_one_data_set_share_no_noise)
{
    const world *w = &audit_worlds[0];
    char folder[256];
    neighbour_pair pairs[PAIR_COUNT];
    uint64_t multipliers[2];
    sbl_release *releases[2] = {NULL, NULL};
    temp_folder_make(folder);
    assert_false(sbl_door_is_test_build());
    make_pairs(pairs, w);
    world_multipliers(multipliers, w, 1.0);
    const char *ledger = in_folder(folder, "l");
    make_roomy_ledger(ledger, w->neighbours);
    for (int i = 0; i < 2; i++)
        assert_ok(walk_through(&releases[i], w, &pairs[0].first, multipliers, ledger, in_folder(folder, "r"),
                               NULL));
    size_t equal = 0;
    for (size_t i = 0; i < releases[0]->value_count; i++)
        equal += releases[0]->values[i] == releases[1]->values[i];
    assert_int_equal(equal, 0);
    assert_false(releases[0]->test_key);
    sbl_release_free(releases[0]);
    sbl_release_free(releases[1]);
    free_pairs(pairs);
    temp_folder_remove(folder);
}
