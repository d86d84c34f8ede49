/* SPDX-License-Identifier: Apache-2.0 */
/* Keys first, then the tables, then the rules between their columns. */
#include "owner/inspect/package_inspect.h"

#include "owner/inspect/prune.h"

/* Rules that hold in the rows and that no constraint can keep are said all the same. */
static void note_struck(sbl_text *notes, const json_t *struck)
{
    for (size_t i = 0; i < json_array_size(struck); i++)
        sbl_text_printf(notes, "%s; constraints cannot keep it\n",
                        json_string_value(json_object_get(json_array_get(struck, i), "words")));
}

sbl_status sbl_package_inspect(json_t **package, sbl_text *notes, sbl_data *data, const char *output,
                               sbl_error *err)
{
    const char *where = output != NULL ? output : data->name;
    sbl_inspected_files files = {0};
    json_t *struck = json_array();
    sbl_status status = SBL_OK;
    *package = NULL;
    if (struck == NULL) SBL_TRY(sbl_no_memory(err, "a package"));
    SBL_TRY(sbl_inspected_files_open(&files, data, err));
    SBL_TRY(sbl_package_find_links(&files, err));
    SBL_TRY(sbl_package_choose_tree(&files, err));
    SBL_TRY(sbl_package_count_rows(&files, err));
    sbl_package_describe(notes, &files);
    SBL_TRY(sbl_package_draft(package, notes, &files, output, err));
    SBL_TRY(sbl_schema_judge(*package, where, err));
    SBL_TRY(sbl_package_propose_rules(*package, &files, where, err));
    SBL_TRY(sbl_schema_prune(*package, struck, where, err));
    note_struck(notes, struck);
done:
    json_decref(struck);
    sbl_inspected_files_clear(&files);
    return status;
}
