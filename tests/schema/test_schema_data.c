/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas of real data sets, where they are at hand: SBL_DATA, or shared/data beside the source. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "public/schema/encoding_layout.h"
#include "support/cmocka_all.h"

static const char *data_folder(void)
{
    const char *named = getenv("SBL_DATA");
    return named != NULL ? named : SBL_TEST_SOURCE_DIR "/../../shared/data";
}

static void check_one(const char *path)
{
    sbl_schema *schema;
    sbl_schema *again;
    sbl_heads heads;
    sbl_error err = {0};
    assert_ok_or_say(sbl_schema_read(&schema, path, &err));
    assert_int_equal(schema->task, SBL_TASK_CLASSIFICATION);
    assert_ok(sbl_heads_init(&heads, schema, &err));
    assert_true(heads.class_count >= 2);
    char *text = sbl_schema_json(schema);
    assert_ok(sbl_schema_parse(&again, text, strlen(text), "canonical", &err));
    char *same = sbl_schema_json(again);
    assert_string_equal(text, same);
    sbl_free(text);
    sbl_free(same);
    sbl_heads_clear(&heads);
    sbl_schema_free(schema);
    sbl_schema_free(again);
}

TEST(every_schema_of_the_data_folder_loads)
{
    size_t found = 0;
    const struct dirent *entry;
    DIR *folder = opendir(data_folder());
    if (folder == NULL) {
        printf("skipped: no data folder at %s\n", data_folder());
        skip();
    }
    while ((entry = readdir(folder)) != NULL) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s/schema.json", data_folder(), entry->d_name);
        if (access(path, R_OK) != 0) continue;
        check_one(path);
        found++;
    }
    (void)closedir(folder);
    printf("%zu schemas\n", found);
    if (found == 0) skip();
}
