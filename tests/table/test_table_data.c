/* SPDX-License-Identifier: Apache-2.0 */
/* Real tables, where they are at hand (SBL_DATA, or shared/data beside the source): each is read
 * whole by its own schema, and no cell is unparseable or unknown. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "records/formats/diagnose.h"
#include "support/cmocka_all.h"

static const char *data_folder(void)
{
    const char *named = getenv("SBL_DATA");
    return named != NULL ? named : SBL_TEST_SOURCE_DIR "/../../shared/data";
}

static void check_one(const char *folder, const char *name)
{
    char path[4096];
    sbl_schema *schema;
    sbl_diagnosis d;
    sbl_error err = {0};
    (void)snprintf(path, sizeof path, "%s/%s/schema.json", folder, name);
    assert_ok_or_say(sbl_schema_read(&schema, path, &err));
    (void)snprintf(path, sizeof path, "%s/%s/test.csv.gz", folder, name);
    if (sbl_table_diagnose(&d, (sbl_table[1]){sbl_csv_table(path)}, schema, NULL, NULL, &err) != SBL_OK)
        fail_msg("%s", err.message);
    assert_true(d.rows > 0);
    assert_int_equal(
        d.rows_with_few_cells + d.rows_with_extra_cells + d.rows_too_long + d.rows_with_odd_quotes, 0);
    for (size_t i = 0; i < d.column_count; i++) {
        assert_int_equal(d.columns[i].cells[SBL_CELL_UNPARSEABLE], 0);
        assert_int_equal(d.columns[i].cells[SBL_CELL_MISSING_REQUIRED], 0);
        if (d.columns[i].cells[SBL_CELL_UNKNOWN] > d.rows / 100)
            fail_msg("%s: column '%s' has unknown categories", name, schema->columns[i].name);
    }
    sbl_diagnosis_clear(&d);
    sbl_schema_free(schema);
}

TEST(every_table_of_the_data_folder_is_read)
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
        (void)snprintf(path, sizeof path, "%s/%s/test.csv.gz", data_folder(), entry->d_name);
        if (access(path, R_OK) != 0) continue;
        check_one(data_folder(), entry->d_name);
        found++;
    }
    (void)closedir(folder);
    printf("%zu tables\n", found);
    if (found == 0) skip();
}
