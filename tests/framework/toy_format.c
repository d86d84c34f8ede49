/* SPDX-License-Identifier: Apache-2.0 */
#include "toy_format.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LINE 4096

typedef struct reading {
    FILE *file;
    char line[MOST_LINE + SBL_CELL_PADDING];
} reading;

/* The values of the line at hand, in place; keys (may be NULL): their names. */
static size_t divide(char *line, const char **keys, const char **values)
{
    size_t count = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *part = line; part != NULL && *part != '\0'; count++) {
        char *end = strchr(part, ';'), *equals = strchr(part, '=');
        if (end != NULL) *end++ = '\0';
        if (equals != NULL) *equals = '\0';
        if (keys != NULL) keys[count] = part;
        if (values != NULL) values[count] = equals != NULL ? equals + 1 : "";
        part = end;
    }
    return count;
}

static void close_toy(void *state)
{
    reading *r = state;
    if (r != NULL && r->file != NULL) (void)fclose(r->file);
    free(r);
}

static sbl_status open_toy(void **state, const sbl_table *table, const sbl_dialect *dialect,
                           sbl_strings *names, sbl_error *err)
{
    const char *keys[64] = {NULL};
    reading *r = calloc(1, sizeof *r);
    (void)dialect;
    *state = r;
    if (r == NULL) return sbl_no_memory(err, table->name);
    r->file = fopen(table->path, "r");
    if (r->file == NULL || fgets(r->line, MOST_LINE, r->file) == NULL)
        return sbl_fail(err, SBL_EIO, "%s cannot be read", table->name);
    const size_t count = divide(r->line, keys, NULL);
    bool good = sbl_strings_reserve(names, count);
    for (size_t i = 0; good && i < count; i++) good = sbl_strings_add(names, keys[i]);
    rewind(r->file);
    return good ? SBL_OK : sbl_no_memory(err, table->name);
}

static sbl_status next_toy(void *state, sbl_cell *cells, bool *more, sbl_error *err)
{
    const char *values[64] = {NULL};
    reading *r = state;
    (void)err;
    *more = fgets(r->line, MOST_LINE, r->file) != NULL;
    const size_t count = *more ? divide(r->line, NULL, values) : 0;
    for (size_t i = 0; i < count; i++) {
        const bool whole = isdigit((unsigned char)values[i][0]) && strchr(values[i], '.') == NULL;
        cells[i] = (sbl_cell){.text = values[i], .length = strlen(values[i])};
        cells[i].sort = strcmp(values[i], "?") == 0 ? SBL_CELL_IS_MISSING
                        : whole                     ? SBL_CELL_IS_INTEGER
                                                    : SBL_CELL_IS_TEXT;
        if (whole) cells[i].whole = strtoll(values[i], NULL, 10);
    }
    return SBL_OK;
}

static const sbl_format toy_format = {.open = open_toy, .next = next_toy, .close = close_toy};

sbl_status toy_open(sbl_data **data, const char *path, sbl_error *err)
{
    const sbl_table table = {.format = &toy_format, .name = path, .path = path, .can_rewind = true};
    return sbl_data_of_table(data, &table, err);
}
