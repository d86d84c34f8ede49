/* How a file seems to be written, from its beginning: encoding, delimiter, header. A guess, for its
 * owner to look at; NOT PRIVATE. */
#ifndef SBL_TABLE_SNIFF_H
#define SBL_TABLE_SNIFF_H

#include <stddef.h>

#include "base/text.h"
#include "schema/dialect.h"

/* bytes: the beginning of the file, as it is. */
const char *sbl_sniff_encoding(const unsigned char *bytes, size_t size);
/* text: the beginning in UTF-8, without a byte order mark. Everything but the encoding, title lines above the header among it;
 * delimiter_known: and but the delimiter, which dialect holds. */
void sbl_sniff_dialect(sbl_dialect *dialect, const char *text, size_t size, bool delimiter_known);

/* Cells of a table in the order in which they stand, whatever its size: fed piece by piece. */
typedef struct sbl_cell_walk {
    char delimiter;
    char quote;
    /* Called for each cell; last: it ends its record. text has no final NUL. */
    void (*cell)(void *context, const char *text, size_t length, bool last);
    void *context;
    /* Zero to begin with. */
    sbl_text text;
    int place;
} sbl_cell_walk;

void sbl_cell_walk_feed(sbl_cell_walk *walk, const char *bytes, size_t size);
void sbl_cell_walk_end(sbl_cell_walk *walk); /* a last record without its line end; wipes */

#endif
