/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the source that fits the kind of data: images, the rows of one table, or whole persons of linked tables. */
#include "records/source/data_handle.h"
#include "records/source/source.h"

sbl_status sbl_source_open(sbl_source **source, sbl_data *data, sbl_facts *facts,
                           void (*notice)(void *context, const char *name), void *context, sbl_error *err)
{
    *source = NULL;
    if (data->kind != SBL_DATA_TABLE)
        return sbl_source_open_images(source, facts, &data->images, data->balanced, err);
    const sbl_status status = sbl_data_check_tables(data, facts->declared, err);
    if (status != SBL_OK) return status;
    return data->linked != NULL ? sbl_source_open_linked(source, data, facts, notice, context, err)
                                : sbl_source_open_rows(source, &data->table, facts, notice, context, err);
}
