/* SPDX-License-Identifier: Apache-2.0 */
/* The demo out of the program, into the folder. */
#include "demo.h"

#include <stddef.h>

#include "embed.h"
#include "semblance/files.h"
#include "served_folder.h"

#ifdef SBL_DEMO_CSV
SBL_EMBED(demo_table, SBL_DEMO_CSV);
SBL_EMBED(demo_schema, SBL_DEMO_SCHEMA);

bool sbl_serve_demo_is_there(void) { return true; }

static sbl_status write_once(int root, const char *path, const unsigned char *bytes, const unsigned char *end,
                             sbl_error *err)
{
    if (sbl_serve_folder_has(root, path)) return SBL_OK;
    return sbl_serve_folder_write_new(root, path, bytes, (size_t)(end - bytes), err);
}

sbl_status sbl_serve_demo_write(int root, sbl_error *err)
{
    sbl_status status = sbl_serve_folder_make(NULL, root, SBL_DEMO_FOLDER, err);
    if (status == SBL_OK)
        status = write_once(root, SBL_DEMO_TABLE, sbl_serve_demo_table_bytes, sbl_serve_demo_table_end, err);
    if (status == SBL_OK)
        status = write_once(root, SBL_DEMO_TABLE SBL_ENDING_SCHEMA, sbl_serve_demo_schema_bytes,
                            sbl_serve_demo_schema_end, err);
    return status;
}

#else

bool sbl_serve_demo_is_there(void) { return false; }

sbl_status sbl_serve_demo_write(int root, sbl_error *err)
{
    (void)root;
    (void)err;
    return SBL_EARG;
}
#endif
