/* SPDX-License-Identifier: Apache-2.0 */
/* Lists what was summed, by name. Ids keep the order in which they came and are found by a hash of their
 * names, so that a million shards are compared quickly. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/siphash.h"
#include "base/text.h"
#include "records/shards/shard_file.h"

#define LEAST_PLACES 8

bool sbl_part_share(uint64_t *number, uint64_t *shares, const char *name)
{
    char first[SBL_SITE_NAME_SIZE];
    const char *slash = strchr(name, '/');
    const size_t length = slash != NULL ? (size_t)(slash - name) : 0;
    if (length == 0 || length >= sizeof first) return false;
    memcpy(first, name, length);
    first[length] = '\0';
    /* One spelling of each, so that a part has one name. */
    return first[0] != '0' && slash[1] != '0' && sbl_text_to_u64(number, first) &&
           sbl_text_to_u64(shares, slash + 1) && *number <= *shares && *shares <= SBL_MOST_SHARES;
}

/* How many parts there are by this name; 0: it is not numbered. */
static uint64_t shares_of(const sbl_part_id *id)
{
    uint64_t number, shares;
    return sbl_part_share(&number, &shares, id->name) ? shares : 0;
}

/* ---- found by name ---- */

/* The place of this name, or the free one where it would be. At most half of the places are taken. The key
 * is not secret: the names come from holders of the plan's key. */
static size_t place_of(const sbl_part *part, const char *name)
{
    static const uint8_t key[SBL_SIPHASH_KEY_SIZE] = "names of parts";
    const size_t last = part->place_count - 1; /* a power of two, less one */
    size_t place = (size_t)sbl_siphash(key, name, strlen(name)) & last;
    while (part->places[place] != 0 && strcmp(part->ids[part->places[place] - 1].name, name) != 0)
        place = (place + 1) & last;
    return place;
}

static const sbl_part_id *find(const sbl_part *part, const char *name)
{
    const size_t number = part->place_count > 0 ? part->places[place_of(part, name)] : 0;
    return number != 0 ? &part->ids[number - 1] : NULL;
}

static void fill_places(sbl_part *part)
{
    memset(part->places, 0, part->place_count * sizeof *part->places);
    for (size_t i = 0; i < part->id_count; i++)
        part->places[place_of(part, part->ids[i].name)] = (uint32_t)(i + 1);
}

/* Room for one id more. */
static sbl_status grow(sbl_part *part, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t places = part->place_count > 0 ? 2 * part->place_count : LEAST_PLACES;
    if (2 * (part->id_count + 1) <= part->place_count) return SBL_OK;
    if (part->id_count >= UINT32_MAX / 4) SBL_FAIL(err, SBL_EINPUT, "there are too many parts");
    SBL_RESIZE(part->ids, places / 2, "a part");
    SBL_RESIZE(part->places, places, "a part");
    part->place_count = places;
    fill_places(part);
done:
    return status;
}

sbl_status sbl_part_add_id(sbl_part *part, const sbl_part_id *id, const char *where, sbl_error *err)
{
    const sbl_part_id *there = find(part, id->name);
    if (there != NULL)
        return sbl_fail(err, SBL_EINPUT,
                        "%s: part '%s' is given twice (attempts %llu and %llu): leave one out", where,
                        id->name, (unsigned long long)there->attempt, (unsigned long long)id->attempt);
    if (part->id_count > 0 && shares_of(&part->ids[0]) != shares_of(id))
        return sbl_fail(err, SBL_EINPUT,
                        "%s: parts '%s' and '%s' come from different divisions of the records", where,
                        part->ids[0].name, id->name);
    SBL_CHECK(grow(part, err));
    part->ids[part->id_count++] = *id;
    part->places[place_of(part, id->name)] = (uint32_t)part->id_count;
    return SBL_OK;
}

void sbl_part_rename(sbl_part *part, const char *name)
{
    (void)snprintf(part->ids[0].name, sizeof part->ids[0].name, "%s", name);
    fill_places(part);
}

sbl_status sbl_part_is_all(const sbl_part *part, const sbl_plan_file *plan, const char *where, sbl_error *err)
{
    char name[SBL_SITE_NAME_SIZE];
    const uint64_t shares = part->id_count > 0 ? shares_of(&part->ids[0]) : 0;
    for (size_t i = 0; i < plan->site_count; i++)
        if (find(part, plan->sites[i].name) == NULL)
            return sbl_fail(err, SBL_EINPUT,
                            "%s: site '%s' is missing: the masks cancel only in the sum of all %zu sites",
                            where, plan->sites[i].name, plan->site_count);
    /* All are different and out of as many: where none is missing, there are as many. */
    for (uint64_t i = 1; part->id_count < shares && i <= shares; i++) {
        (void)snprintf(name, sizeof name, "%llu/%llu", (unsigned long long)i, (unsigned long long)shares);
        if (find(part, name) == NULL)
            return sbl_fail(err, SBL_EINPUT, "%s: part '%s' is missing", where, name);
    }
    return SBL_OK;
}
