/* SPDX-License-Identifier: Apache-2.0 */
#include "account/vector_file.h"

#include <stdlib.h>

#include "account/check.h"

static void parse_row(vector_row *row, char *line)
{
    const char *cell = strsep(&line, ",");
    assert_true(strlen(cell) < sizeof row->quantity);
    (void)snprintf(row->quantity, sizeof row->quantity, "%s", cell);
    for (int i = 0; i < 4; i++) {
        cell = strsep(&line, ",");
        assert_non_null(cell);
        row->argument[i] = strtod(cell, NULL);
    }
    assert_non_null(line);
    char *end;
    row->value = strtold(line, &end);
    assert_true(end != line && *end == '\n');
}

void vector_file_read(vector_file *file, const char *name)
{
    char path[512];
    char line[256];
    (void)snprintf(path, sizeof path, "%s/vectors/%s", SBL_TEST_SOURCE_DIR, name);
    FILE *stream = fopen(path, "r");
    if (stream == NULL) fail_msg("cannot open %s", path);
    file->count = 0;
    while (fgets(line, sizeof line, stream) != NULL) {
        if (line[0] == '#' || strncmp(line, "quantity,", 9) == 0) continue;
        assert_true(file->count < sizeof file->rows / sizeof file->rows[0]);
        parse_row(&file->rows[file->count++], line);
    }
    (void)fclose(stream);
    assert_true(file->count > 0);
}

long double vector_value(const vector_file *file, const char *quantity, double a, double b, double c,
                         double d)
{
    const double wanted[4] = {a, b, c, d};
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->rows[i].quantity, quantity) == 0 &&
            memcmp(file->rows[i].argument, wanted, sizeof wanted) == 0)
            return file->rows[i].value;
    fail_msg("no vector %s,%g,%g,%g,%g", quantity, a, b, c, d);
    return 0.0L;
}
