/* The kinds of sources that a handle can become (source.h), by what it holds. */
#ifndef SBL_SOURCE_SOURCE_KINDS_H
#define SBL_SOURCE_SOURCE_KINDS_H

#include "source/data_handle.h"
#include "source/source.h"

/* As sbl_source_open(); table and place are borrowed until the source is closed. */
sbl_status sbl_source_open_rows(sbl_source **source, const sbl_table *table, const sbl_facts *facts,
                                void (*notice)(void *context, const char *name), void *context,
                                sbl_error *err);
sbl_status sbl_source_open_images(sbl_source **source, sbl_facts *facts,
                                  const sbl_image_place *place, bool balanced, sbl_error *err);

#endif
