/* SPDX-License-Identifier: Apache-2.0 */
/* A locale with a decimal comma changes nothing: schema, numbers in, numbers out. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "public/rows/cell_format.h"
#include "support/cmocka_all.h"
#include "support/comma_locale.h"
#include "table/table_kit.h"

TEST(comma_locale_changes_nothing)
{
    /* Digits beyond what the quick ways take, so that the C library is asked too. */
    static const char text[] = "x\n0.5\n0.3000000000000000000000000000000444\n1e-30\n2,5\n\"0,5\"\n1.25e1\n";
    char cell[SBL_CELL_TEXT_SIZE];
    if (!enter_comma_locale()) skip();
    assert_true(strtod("0,5", NULL) == 0.5); /* the locale is really on */
    sbl_schema *schema = kit_schema(
        "{\"fields\":[{\"name\":\"x\",\"type\":\"number\",\"constraints\":{\"minimum\":0,"
        "\"maximum\":12.75}},{\"name\":\"id\",\"semblance\":{\"role\":\"ignore\"}}]}");
    assert_true(schema->columns[0].maximum == 12.75);
    char *canonical = sbl_schema_json(schema);
    assert_non_null(strstr(canonical, "\"maximum\":12.75"));
    sbl_batch *batch = kit_read(text, strlen(text), schema, NULL);
    const double *values = batch->columns[0].values;
    assert_int_equal(batch->rows, 6);
    assert_true(values[0] == 0.5 && values[1] == 0.3 && values[2] == 1e-30 && values[3] == 2);
    assert_true(values[4] == schema->columns[0].fallback && values[5] == 12.5);
    assert_int_equal(sbl_cell_format(cell, &schema->columns[0], 12.25), 5);
    assert_memory_equal(cell, "12.25", 5);
    schema->columns[0].decimals = -1;
    assert_int_equal(sbl_cell_format(cell, &schema->columns[0], 0.1), 3);
    assert_memory_equal(cell, "0.1", 3);
    sbl_free(canonical);
    sbl_batch_free(batch);
    sbl_schema_free(schema);
    (void)setlocale(LC_ALL, "C");
}
