/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a table is read: bench_csv FOLDER [ROWS]
 *
 * Generates FOLDER/table.csv (15 mixed columns) and FOLDER/schema.json where they are not there,
 * reads the table a few times and prints one JSON line. bench/compare_csv.py sets it beside pandas.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "records/rows/table.h"

#define ROUNDS 5
#define BATCH 4096

static const char schema_text[] =
    "{\"fields\":["
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":120}},"
    "{\"name\":\"weight\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":250}},"
    "{\"name\":\"height\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":250}},"
    "{\"name\":\"sex\",\"type\":\"string\",\"constraints\":{\"enum\":[\"female\",\"male\"]}},"
    "{\"name\":\"region\",\"type\":\"string\",\"constraints\":{\"enum\":[\"north\",\"south\","
    "\"east\",\"west\",\"the islands\"]}},"
    "{\"name\":\"smoker\",\"type\":\"boolean\"},"
    "{\"name\":\"admitted\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2000-01-01\","
    "\"maximum\":\"2029-12-31\"}},"
    "{\"name\":\"income\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
    "\"maximum\":1000000}},"
    "{\"name\":\"ratio\",\"type\":\"number\",\"constraints\":{\"minimum\":-1,\"maximum\":1}},"
    "{\"name\":\"signal\",\"type\":\"number\",\"constraints\":{\"minimum\":-10,\"maximum\":10}},"
    "{\"name\":\"visits\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99}},"
    "{\"name\":\"code\",\"type\":\"string\",\"constraints\":{\"enum\":[\"A10\",\"B20\",\"C30\","
    "\"D40\",\"E50\",\"F60\",\"G70\",\"H80\"]}},"
    "{\"name\":\"temperature\",\"type\":\"number\",\"constraints\":{\"minimum\":30,"
    "\"maximum\":45}},"
    "{\"name\":\"occupation\",\"type\":\"string\",\"constraints\":{\"enum\":[\"Adm-clerical\","
    "\"Craft-repair\",\"Exec-managerial\",\"Prof-specialty\",\"Sales\",\"Other-service\"]}},"
    "{\"name\":\"outcome\",\"type\":\"string\",\"constraints\":{\"enum\":[\"no\",\"yes\"]}}],"
    "\"semblance\":{\"label\":\"outcome\"}}\n";

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state, double low, double high)
{
    return low + (high - low) * (double)(next(state) >> 11) / 9007199254740992.0;
}

static const char *pick(uint64_t *state, const char *const *names, size_t count)
{
    return names[next(state) % count];
}

static void generate_row(FILE *file, uint64_t *state)
{
    static const char *const sexes[] = {"female", "male"};
    static const char *const regions[] = {"north", "south", "east", "west", "the islands"};
    static const char *const truths[] = {"true", "false"};
    static const char *const codes[] = {"A10", "B20", "C30", "D40", "E50", "F60", "G70", "H80"};
    static const char *const jobs[] = {"Adm-clerical",   "Craft-repair", "Exec-managerial",
                                       "Prof-specialty", "Sales",        "Other-service"};
    static const char *const answers[] = {"no", "yes"};
    fprintf(file, "%d,%.1f,%.2f,%s,%s,%s,", (int)uniform(state, 0, 100), uniform(state, 40, 140),
            uniform(state, 140, 210), pick(state, sexes, 2), pick(state, regions, 5), pick(state, truths, 2));
    fprintf(file, "20%02d-%02d-%02d,", (int)uniform(state, 0, 30), (int)uniform(state, 1, 13),
            (int)uniform(state, 1, 29));
    if (next(state) % 20 == 0)
        fputc(',', file); /* a missing income */
    else
        fprintf(file, "%d,", (int)uniform(state, 0, 200000));
    fprintf(file, "%.6f,%.12f,%d,%s,%.1f,%s,%s\n", uniform(state, -1, 1), uniform(state, -10, 10),
            (int)uniform(state, 0, 99), pick(state, codes, 8), uniform(state, 35, 41), pick(state, jobs, 6),
            pick(state, answers, 2));
}

static int generate(const char *table, const char *schema, size_t rows)
{
    uint64_t state = 1;
    FILE *file = fopen(schema, "w");
    if (file == NULL || fputs(schema_text, file) < 0 || fclose(file) != 0) return 1;
    file = fopen(table, "w");
    if (file == NULL) return 1;
    fputs(
        "age,weight,height,sex,region,smoker,admitted,income,ratio,signal,visits,code,"
        "temperature,occupation,outcome\n",
        file);
    for (size_t i = 0; i < rows; i++) generate_row(file, &state);
    return fclose(file) != 0;
}

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double add_up(const sbl_batch *batch)
{
    double sum = 0;
    for (size_t i = 0; i < batch->schema->column_count; i++) {
        const sbl_batch_column *column = &batch->columns[i];
        for (size_t row = 0; row < batch->rows; row++)
            sum += column->codes != NULL ? (double)column->codes[row] : column->values[row];
    }
    return sum;
}

static sbl_status read_all(const char *path, const sbl_schema *schema, sbl_batch *batch, size_t *rows,
                           double *sum, sbl_error *err)
{
    sbl_rows *reader;
    const sbl_table table = sbl_csv_table(path);
    sbl_status status = sbl_rows_open(&reader, &table, schema, NULL, err);
    *rows = 0;
    *sum = 0;
    while (status == SBL_OK) {
        status = sbl_rows_read(reader, batch, err);
        if (status != SBL_OK || batch->rows == 0) break;
        *rows += batch->rows;
        *sum += add_up(batch);
    }
    sbl_rows_close(reader);
    return status;
}

int main(int argc, char **argv)
{
    char table[4096];
    char schema_path[4096];
    struct stat facts;
    sbl_error err = {0};
    sbl_schema *schema = NULL;
    sbl_batch *batch = NULL;
    size_t rows = 0;
    double sum = 0;
    double best = 1e9;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_csv FOLDER [ROWS]\n");
        return 2;
    }
    snprintf(table, sizeof table, "%s/table.csv", argv[1]);
    snprintf(schema_path, sizeof schema_path, "%s/schema.json", argv[1]);
    const size_t wanted = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) : 500000;
    if (stat(table, &facts) != 0 && generate(table, schema_path, wanted) != 0) {
        fprintf(stderr, "bench_csv: cannot write to %s\n", argv[1]);
        return 5;
    }
    sbl_status status = sbl_schema_read(&schema, schema_path, &err);
    if (status == SBL_OK) status = sbl_batch_new(&batch, schema, BATCH, &err);
    for (int round = 0; status == SBL_OK && round < ROUNDS; round++) {
        const double start = seconds_now();
        status = read_all(table, schema, batch, &rows, &sum, &err);
        const double took = seconds_now() - start;
        if (took < best) best = took;
    }
    if (status != SBL_OK) fprintf(stderr, "bench_csv: %s\n", err.message);
    if (status == SBL_OK && stat(table, &facts) == 0)
        printf("{\"rows\":%zu,\"bytes\":%lld,\"seconds\":%.4f,\"mb_per_s\":%.0f,\"sum\":%.6g}\n", rows,
               (long long)facts.st_size, best, 1e-6 * (double)facts.st_size / best, sum);
    sbl_batch_free(batch);
    sbl_schema_free(schema);
    return sbl_status_exit_code(status);
}
