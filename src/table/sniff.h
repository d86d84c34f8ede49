/* How a file seems to be written, from its beginning: encoding, delimiter, header. A guess, for its
 * owner to look at; NOT PRIVATE. */
#ifndef SBL_TABLE_SNIFF_H
#define SBL_TABLE_SNIFF_H

#include "table/table.h"

/* Of a CSV file: what was given stands, the rest is found out. */
sbl_status sbl_sniff_table(sbl_dialect *dialect, const sbl_table *table,
                           const sbl_dialect_given *given, sbl_error *err);

#endif
