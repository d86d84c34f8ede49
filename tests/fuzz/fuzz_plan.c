/* SPDX-License-Identifier: Apache-2.0 */
/* Files of plans: any bytes as the file, and any text as the plan within a file that is otherwise good. What is accepted is
 * what would be written. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "public/plan/plan.h"
#include "records/shards/plan_file.h"

#define CHECK(condition) \
    if (!(condition)) abort()

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char key[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";
static const sbl_file_write_options any = {.overwrite = true};

static void parse_plan(const char *text)
{
    sbl_plan plan = {0};
    sbl_facts facts = {0};
    sbl_error err = {0};
    const sbl_status status = sbl_plan_parse(&plan, &facts, text, "input", &err);
    CHECK(status == SBL_OK || (status == SBL_EINPUT && strchr(err.message, '\n') == NULL));
    CHECK(status != SBL_OK || strcmp(plan.text, text) == 0);
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
}

static void load(sbl_store_entry item)
{
    sbl_plan_file file;
    sbl_error err = {0};
    const sbl_status status = sbl_plan_file_load(&file, item, &err);
    CHECK(status == SBL_OK || (status == SBL_EINPUT && strchr(err.message, '\n') == NULL));
    if (status != SBL_OK) return;
    CHECK(file.epsilon > 0 && file.delta >= 0 && file.delta < 1 && file.site_count != 1);
    parse_plan(file.plan);
    sbl_plan_file_clear(&file);
}

/* Any text without a NUL is kept as it is. */
static void keep(sbl_store_entry item, const char *text)
{
    char empty[] = "";
    sbl_plan_file file = {.epsilon = 1, .delta = 1e-5, .rows = 10, .why = empty, .plan = (char *)text};
    sbl_plan_file again;
    const sbl_status status = sbl_plan_file_save(&file, NULL, item, true, NULL);
    if (status != SBL_OK) return; /* no UTF-8 */
    if (sbl_plan_file_load(&again, item, NULL) == SBL_OK) {
        CHECK(strcmp(again.plan, text) == 0 && memcmp(again.hash, file.hash, sizeof file.hash) == 0);
        sbl_plan_file_clear(&again);
    }
    sbl_wipe(file.secret, sizeof file.secret);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sbl_store *store = NULL;
    CHECK(sbl_store_memory_new(&store, NULL) == SBL_OK);
    const sbl_store_entry plan = {store, "plan"}, secret = {store, "plan.key"};
    CHECK(sbl_store_entry_write(plan, data, size, any, NULL) == SBL_OK);
    CHECK(sbl_store_entry_write(secret, key, sizeof key - 1, any, NULL) == SBL_OK);
    load(plan);
    char *text = malloc(size + 1);
    CHECK(text != NULL);
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    keep(plan, text);
    parse_plan(text);
    free(text);
    sbl_store_memory_free(store);
    return 0;
}
