/* [8] Picks the maker by the column's role. Ids get a key of their own for each column, so that
 * two id columns do not count in step; fakes share the seed, so that a row's name and e-mail
 * agree. */
#include "made/made.h"

#include <string.h>

/* Columns of one table count in different orders. */
#define KEY_STEP UINT64_C(0x9e3779b97f4a7c15)

void sbl_made_cell(sbl_text *cell, const sbl_schema *schema, size_t column, uint64_t seed,
                   uint64_t number)
{
    const sbl_column *facts = &schema->columns[column];
    switch (facts->made) {
    case SBL_MADE_NOT:
        return;
    case SBL_MADE_ID:
        sbl_made_id(cell, facts->made_as, seed + KEY_STEP * ((uint64_t)column + 1), number);
        return;
    case SBL_MADE_FAKE:
        sbl_made_fake(cell, facts->made_as, seed, number);
        return;
    case SBL_MADE_CONSTANT:
        sbl_text_append(cell, facts->made_as, strlen(facts->made_as));
        return;
    }
}
