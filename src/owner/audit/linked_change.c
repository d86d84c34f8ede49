/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs are made one after the other, each from its number. Some sums are made by several threads. */
#include "owner/audit/linked_change.h"

#include "owner/audit/linked_neighbours.h"
#include "run/pipeline/gather.h"

typedef struct subject {
    const sbl_round *round;
    const sbl_facts *facts;
    const sbl_ledger_entry *entry;
} subject;

/* The sum of the rows that are in all packages of `in`, as sbl_package_write() takes them. */
static sbl_status sum_of(sbl_sum **sum, const subject *s, const sbl_package_pair *pair, unsigned in,
                         bool lone, unsigned threads, sbl_error *err)
{
    const sbl_synth_options options = {.struct_size = sizeof options, .threads = threads};
    sbl_package *package = NULL;
    sbl_source *source = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_package_write(&package, &pair->rows, in, lone, err));
    SBL_TRY(sbl_package_open(&source, package, s->facts, err));
    SBL_TRY(sbl_gather(sum, source, &s->round->features, "nothing", &options, err));
done:
    sbl_source_close(source);
    sbl_package_free(package);
    return status;
}

/* Is the sum of a package that of the others and of its own person? */
static sbl_status add_up(sbl_additivity *found, const subject *s, const sbl_package_pair *pair, unsigned in,
                         const sbl_sum *whole, const sbl_sum *others, sbl_error *err)
{
    sbl_sum *own = NULL;
    const sbl_status status = sum_of(&own, s, pair, in, true, 1, err);
    if (status != SBL_OK) return status;
    found->sums++;
    found->equal += sbl_sums_add_up(whole, others, own);
    sbl_sum_free(own);
    return SBL_OK;
}

static sbl_status compare_pair(sbl_linked_change *found, const subject *s, size_t number, sbl_error *err)
{
    const bool replace = s->entry->neighbours == SBL_REPLACE_ONE;
    const unsigned both = SBL_PAIR_FIRST | SBL_PAIR_SECOND;
    const unsigned threads = number % 8 == 0 ? 5 : 1;
    sbl_package_pair pair = sbl_package_pair_make(number, s->entry->neighbours);
    sbl_sum *first = NULL, *second = NULL, *others = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sum_of(&first, s, &pair, SBL_PAIR_FIRST, false, threads, err));
    SBL_TRY(sum_of(&others, s, &pair, both, false, 1, err));
    SBL_TRY(add_up(&found->additivity, s, &pair, SBL_PAIR_FIRST, first, others, err));
    if (replace) {
        SBL_TRY(sum_of(&second, s, &pair, SBL_PAIR_SECOND, false, threads, err));
        SBL_TRY(add_up(&found->additivity, s, &pair, SBL_PAIR_SECOND, second, others, err));
    }
    const sbl_u128 moved = sbl_change_between(first, replace ? second : others, s->round->release);
    found->packages += 2;
    found->change.pairs++;
    if (moved > found->change.moved) {
        found->change.moved = moved;
        found->change.first = number;
    }
done:
    sbl_sum_free(first);
    sbl_sum_free(second);
    sbl_sum_free(others);
    sbl_package_rows_clear(&pair.rows);
    return status;
}

sbl_status sbl_linked_change_find(sbl_linked_change *found, const sbl_round *round, const sbl_facts *facts,
                                  const sbl_ledger_entry *entry, sbl_error *err)
{
    const subject s = {round, facts, entry};
    *found = (sbl_linked_change){.change = {.second = SBL_NO_CONTRIBUTION}};
    for (size_t number = 0; number < sbl_package_pair_count(); number++)
        SBL_CHECK(compare_pair(found, &s, number, err));
    sbl_change_judge(&found->change, entry);
    return SBL_OK;
}
