/* SPDX-License-Identifier: Apache-2.0 */
/* Files of sums: any bytes, and the same bytes sealed with the right key, so that what the seal hides from a fuzzer is
 * reached, too. What is accepted is of the plan, names parts that are different, and gives a sum or a reason. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "part_plan.h"

#define CHECK(condition) \
    if (!(condition)) abort()

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char magic[] = "semblance-sum SECRET\n";
#define BEFORE_HEADER (sizeof magic - 1 + 4)

static void check_part(const sbl_part *part)
{
    sbl_sum *sum = NULL;
    sbl_error err = {0};
    CHECK(part->id_count > 0 && part->word_count == sbl_layout_values(&part_layout) + 1);
    for (size_t i = 0; i < part->id_count; i++)
        for (size_t k = 0; k < i; k++) CHECK(strcmp(part->ids[i].name, part->ids[k].name) != 0);
    (void)sbl_part_is_all(part, &part_plan, "input", &err);
    const sbl_status status = sbl_part_give(&sum, part, &part_layout, "input", &err);
    CHECK((status == SBL_OK) == (sum != NULL) && (sum != NULL || status == SBL_EINPUT));
    sbl_sum_free(sum);
}

static void load(const uint8_t *data, size_t size)
{
    sbl_store *store = NULL;
    sbl_part part;
    sbl_error err = {0};
    CHECK(sbl_store_memory_new(&store, NULL) == SBL_OK);
    const sbl_store_entry item = {store, "part"};
    CHECK(sbl_store_entry_write(item, data, size, (sbl_file_write_options){.overwrite = true}, NULL) ==
          SBL_OK);
    const sbl_status status = sbl_part_load(&part, &part_plan, &part_layout, item, &err);
    CHECK(status == SBL_OK || (status == SBL_EINPUT && strchr(err.message, '\n') == NULL));
    if (status == SBL_OK) check_part(&part);
    sbl_part_clear(&part);
    sbl_store_memory_free(store);
}

/* Behind the header, a nonce and words in the clear: sealed. */
static void seal(uint8_t *file, size_t size)
{
    uint8_t key[SBL_SEAL_KEY_SIZE];
    if (size < BEFORE_HEADER) return;
    memcpy(file, magic, sizeof magic - 1);
    const size_t header = sbl_load_u32(file + sizeof magic - 1);
    const size_t around = SBL_SEAL_NONCE_SIZE + SBL_SEAL_TAG_SIZE;
    if (header > size - BEFORE_HEADER || size - BEFORE_HEADER - header < around) return;
    uint8_t *nonce = file + BEFORE_HEADER + header;
    const sbl_sealed text = {nonce + SBL_SEAL_NONCE_SIZE, size - BEFORE_HEADER - header - around, file,
                             BEFORE_HEADER + header};
    CHECK(sbl_plan_file_seal_key(key, &part_plan, NULL) == SBL_OK);
    CHECK(sbl_seal(&text, text.bytes + text.size, key, nonce, NULL) == SBL_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    load(data, size);
    uint8_t *copy = malloc(size + 1);
    CHECK(copy != NULL);
    if (size > 0) memcpy(copy, data, size);
    seal(copy, size);
    load(copy, size);
    free(copy);
    return 0;
}
