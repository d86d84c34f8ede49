/* SPDX-License-Identifier: Apache-2.0 */
/* A small reader of RFC 4180: the whole file in memory, cells unquoted in place. Unlike private records, results that
 * cannot be read are refused with the number of their row: they hold nothing private. */
#include "results_csv.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

#define CHUNK ((size_t)1 << 16)
#define MOST_BYTES ((size_t)1 << 28)
#define MOST_COLUMNS 64

enum { NAME, ESTIMATE, VARIANCE, ERROR, REPLICATE, KNOWN };

static const struct {
    const char *title;
    int column;
} titles[] = {
    {"name", NAME},           {"term", NAME},       {"estimate", ESTIMATE},    {"variance", VARIANCE},
    {"std.error", ERROR},     {"std_error", ERROR}, {"standard_error", ERROR}, {"se", ERROR},
    {"replicate", REPLICATE},
};

/* The state of a reading. */
typedef struct reading {
    const char *path;
    char *at;   /* the next record; NULL at the end */
    size_t row; /* of the file, the header is row 1 */
    char *cells[MOST_COLUMNS];
    size_t cell_count;
    size_t place[KNOWN]; /* of a known column; MOST_COLUMNS: it is not there */
} reading;

static sbl_status read_bytes(char **text, const char *path, sbl_error *err)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0, got = 1;
    char *bytes = NULL;
    bool good = file != NULL;
    while (good && got > 0 && size <= MOST_BYTES) {
        char *grown = realloc(bytes, size + CHUNK + 1);
        good = grown != NULL;
        if (grown != NULL) bytes = grown;
        got = good ? fread(bytes + size, 1, CHUNK, file) : 0;
        size += got;
        good = good && ferror(file) == 0;
    }
    const int reason = errno;
    if (file != NULL) (void)fclose(file);
    if (good && size <= MOST_BYTES && memchr(bytes, '\0', size) == NULL) {
        bytes[size] = '\0';
        *text = bytes;
        return SBL_OK;
    }
    free(bytes);
    if (!good) return sbl_cli_fail(err, SBL_EIO, "cannot read %s: %s", path, strerror(reason));
    return sbl_cli_fail(err, SBL_EINPUT, "%s is not a CSV file of results, or is larger than 256 MiB", path);
}

/* The cell at p, unquoted in place. Returns what ends it, which is not yet overwritten; NULL: a quote is left open. */
static char *take_cell(char **cell, char *p, char *ending)
{
    char *write = p;
    *cell = p;
    if (*p == '"') {
        for (p++; *p != '"' || p[1] == '"'; *write++ = *p++) {
            if (*p == '\0') return NULL;
            if (*p == '"') p++;
        }
        p++;
    }
    while (*p != '\0' && *p != ',' && *p != '\n') *write++ = *p++;
    *ending = *p;
    if (*ending != ',' && write > *cell && write[-1] == '\r') write--;
    *write = '\0';
    return p;
}

/* The cells of the next record that is not an empty line; none at the end. */
static sbl_status next_record(reading *r, sbl_error *err)
{
    r->cell_count = 0;
    while (*r->at == '\n' || (*r->at == '\r' && r->at[1] == '\n')) {
        r->at += *r->at == '\r' ? 2 : 1;
        r->row++;
    }
    if (*r->at == '\0') return SBL_OK;
    r->row++;
    for (char ending = ','; ending == ',';) {
        if (r->cell_count == MOST_COLUMNS)
            return sbl_cli_fail(err, SBL_EINPUT, "%s: row %zu has more than %d columns", r->path, r->row,
                                MOST_COLUMNS);
        r->at = take_cell(&r->cells[r->cell_count++], r->at, &ending);
        if (r->at == NULL)
            return sbl_cli_fail(err, SBL_EINPUT, "%s: row %zu has a quote that is not closed", r->path,
                                r->row);
        if (ending != '\0') r->at++;
    }
    return SBL_OK;
}

static sbl_status read_header(reading *r, sbl_error *err)
{
    if (strncmp(r->at, "\xEF\xBB\xBF", 3) == 0) r->at += 3;
    for (size_t c = 0; c < KNOWN; c++) r->place[c] = MOST_COLUMNS;
    const sbl_status status = next_record(r, err);
    if (status != SBL_OK) return status;
    for (size_t i = 0; i < r->cell_count; i++)
        for (size_t t = 0; t < sizeof titles / sizeof *titles; t++) {
            if (strcmp(r->cells[i], titles[t].title) != 0) continue;
            if (r->place[titles[t].column] != MOST_COLUMNS)
                return sbl_cli_fail(err, SBL_EINPUT,
                                    "%s: column '%s' is there twice, perhaps by another name", r->path,
                                    titles[t].title);
            r->place[titles[t].column] = i;
        }
    if (r->place[ESTIMATE] == MOST_COLUMNS)
        return sbl_cli_fail(err, SBL_EINPUT, "%s: there is no column 'estimate'", r->path);
    if ((r->place[VARIANCE] == MOST_COLUMNS) == (r->place[ERROR] == MOST_COLUMNS))
        return sbl_cli_fail(err, SBL_EINPUT, "%s: give one of the columns 'variance' and 'std.error'",
                            r->path);
    return SBL_OK;
}

static sbl_status read_number(double *number, const reading *r, int column, const char *title, sbl_error *err)
{
    const char *text = r->place[column] < r->cell_count ? r->cells[r->place[column]] : "";
    char *end = NULL;
    *number = strtod(text, &end);
    const bool plain = strspn(text, "0123456789+-.eE") == strlen(text);
    if (plain && end != text && *end == '\0' && isfinite(*number)) return SBL_OK;
    return sbl_cli_fail(
        err, SBL_EINPUT,
        "%s: row %zu: '%s' is not a number; an analysis that fails on some replicates cannot be combined",
        r->path, r->row, title);
}

/* A longer array, by realloc; NULL: no memory, the old one stays. */
static void *longer(void *array, size_t *capacity, size_t size)
{
    const size_t more = *capacity < 16 ? 16 : 2 * *capacity;
    void *grown = realloc(array, more * size);
    if (grown != NULL) *capacity = more;
    return grown;
}

static sbl_status no_memory(sbl_error *err)
{
    return sbl_cli_fail(err, SBL_EMEM, "out of memory for results");
}

/* The group of a name, new where there is none. The same statistics follow each other in every replicate, so the
 * search begins behind the last one that was found. */
static sbl_status find_group(sbl_results_group **group, sbl_results *results, size_t *last, char *name,
                             sbl_error *err)
{
    for (size_t i = 0; i < results->count; i++) {
        const size_t place = (*last + 1 + i) % results->count;
        if (strcmp(results->groups[place].name, name) != 0) continue;
        *last = place;
        *group = &results->groups[place];
        return SBL_OK;
    }
    if (results->count == results->capacity) {
        sbl_results_group *grown = longer(results->groups, &results->capacity, sizeof *grown);
        if (grown == NULL) return no_memory(err);
        results->groups = grown;
    }
    *last = results->count;
    *group = &results->groups[results->count++];
    **group = (sbl_results_group){.name = name};
    return SBL_OK;
}

/* Room for one more result in each of the three arrays. */
static sbl_status extend(sbl_results_group *group, sbl_error *err)
{
    if (group->count < group->capacity) return SBL_OK;
    size_t unused = group->capacity;
    double *estimates = longer(group->estimates, &unused, sizeof *estimates);
    if (estimates != NULL) group->estimates = estimates;
    unused = group->capacity;
    double *variances = longer(group->variances, &unused, sizeof *variances);
    if (variances != NULL) group->variances = variances;
    if (estimates == NULL || variances == NULL) return no_memory(err);
    char **replicates = longer(group->replicates, &group->capacity, sizeof *replicates);
    if (replicates == NULL) return no_memory(err);
    group->replicates = replicates;
    return SBL_OK;
}

static sbl_status take_row(sbl_results *results, size_t *last, const reading *r, sbl_error *err)
{
    static char all[] = "estimate", none[] = "";
    const bool named = r->place[NAME] < r->cell_count, variance = r->place[VARIANCE] != MOST_COLUMNS;
    double estimate, spread;
    sbl_results_group *group = NULL;
    sbl_status status = read_number(&estimate, r, ESTIMATE, "estimate", err);
    if (status == SBL_OK)
        status =
            read_number(&spread, r, variance ? VARIANCE : ERROR, variance ? "variance" : "std.error", err);
    if (status != SBL_OK) return status;
    if (spread < 0)
        return sbl_cli_fail(err, SBL_EINPUT, "%s: row %zu: '%s' is negative", r->path, r->row,
                            variance ? "variance" : "std.error");
    char *name = r->place[NAME] == MOST_COLUMNS ? all : named ? r->cells[r->place[NAME]] : none;
    status = find_group(&group, results, last, name, err);
    if (status == SBL_OK) status = extend(group, err);
    if (status != SBL_OK) return status;
    char *replicate = r->place[REPLICATE] < r->cell_count ? r->cells[r->place[REPLICATE]] : none;
    for (size_t i = 0; r->place[REPLICATE] != MOST_COLUMNS && i < group->count; i++)
        if (strcmp(group->replicates[i], replicate) == 0)
            return sbl_cli_fail(err, SBL_EINPUT, "%s: row %zu: '%s' is there twice for one replicate",
                                r->path, r->row, name);
    group->estimates[group->count] = estimate;
    group->variances[group->count] = variance ? spread : spread * spread;
    group->replicates[group->count++] = replicate;
    return SBL_OK;
}

static sbl_status read_rows(sbl_results *results, reading *r, sbl_error *err)
{
    size_t last = 0;
    sbl_status status = read_header(r, err);
    while (status == SBL_OK) {
        status = next_record(r, err);
        if (status != SBL_OK || r->cell_count == 0) break;
        status = take_row(results, &last, r, err);
    }
    if (status == SBL_OK && results->count == 0)
        return sbl_cli_fail(err, SBL_EINPUT, "%s has no results", r->path);
    for (size_t i = 1; status == SBL_OK && i < results->count; i++)
        if (results->groups[i].count != results->groups[0].count)
            return sbl_cli_fail(
                err, SBL_EINPUT,
                "%s: '%s' has %zu results and '%s' has %zu; each needs one from every replicate", r->path,
                results->groups[0].name, results->groups[0].count, results->groups[i].name,
                results->groups[i].count);
    return status;
}

sbl_status sbl_results_read(sbl_results *results, const char *path, sbl_error *err)
{
    *results = (sbl_results){0};
    sbl_status status = read_bytes(&results->text, path, err);
    if (status == SBL_OK) {
        reading r = {.path = path, .at = results->text};
        status = read_rows(results, &r, err);
    }
    if (status != SBL_OK) sbl_results_free(results);
    return status;
}

void sbl_results_free(sbl_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        free(results->groups[i].estimates);
        free(results->groups[i].variances);
        free(results->groups[i].replicates);
    }
    free(results->groups);
    free(results->text);
    *results = (sbl_results){0};
}
