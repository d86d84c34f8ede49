/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed lists of answers: how many each probe has, which values an answer stands for, and the
 * schema that names them in words, so that probing a table is summing categories like any other. */
#include "public/schema/probe.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "public/schema/calendar.h"
#include "public/schema/schema_writer.h"

const char *const sbl_missing_words[SBL_MISSING_WORDS + 1] = {"",    "?",    "NA",   "N/A", "NaN",
                                                              "nan", "null", "NULL", NULL};

size_t sbl_probe_answers(const sbl_probe *probe)
{
    switch (probe->kind) {
    case SBL_PROBE_TYPE:
        return SBL_LOOKS_COUNT;
    case SBL_PROBE_MAGNITUDE:
        return SBL_MAGNITUDE_BINS + 1;
    case SBL_PROBE_YEAR:
        return SBL_YEAR_BINS + 1;
    case SBL_PROBE_BINS:
        return probe->bins + 1;
    default:
        return 0;
    }
}

static double first_day_of(int year)
{
    char text[24];
    int64_t days = 0;
    (void)snprintf(text, sizeof text, "%04d-01-01", year);
    (void)sbl_date_parse(&days, text, SBL_DATE_LENGTH);
    return (double)days;
}

static void span_of_years(double *low, double *high, size_t i)
{
    const bool last = i == SBL_YEAR_BINS - 1;
    *low = first_day_of(i == 0 ? 0 : SBL_YEAR_FIRST + (int)i - 1);
    *high = last ? first_day_of(9999) + 365 : first_day_of(SBL_YEAR_FIRST + (int)i);
}

static void span_of_magnitudes(double *low, double *high, size_t i)
{
    const size_t zero = SBL_MAGNITUDE_BINS / 2;
    *low = 0.0;
    *high = 0.0;
    if (i > zero) {
        const int power = SBL_MAGNITUDE_LEAST + (int)(i - zero - 1);
        *low = ldexp(1.0, power);
        *high = ldexp(1.0, power + 1);
    } else if (i < zero) {
        const int power = SBL_MAGNITUDE_MOST - (int)i;
        *low = -ldexp(1.0, power + 1);
        *high = -ldexp(1.0, power);
    }
}

void sbl_probe_span(double *low, double *high, const sbl_probe *probe, size_t i)
{
    if (probe->kind == SBL_PROBE_YEAR) {
        span_of_years(low, high, i);
    } else if (probe->kind == SBL_PROBE_MAGNITUDE) {
        span_of_magnitudes(low, high, i);
    } else {
        *low = probe->low + (double)i * probe->width;
        *high = probe->low + (double)(i + 1) * probe->width;
    }
}

/* ---- the schema of the answers ---- */

#define NAME_SIZE 48

static void name_look(char name[NAME_SIZE], size_t i)
{
    static const char *const others[] = {[SBL_LOOKS_TEXT] = "text",
                                         [SBL_LOOKS_COMMA] = "number with a comma",
                                         [SBL_LOOKS_BOOLEAN] = "boolean",
                                         [SBL_LOOKS_DATE] = "date",
                                         [SBL_LOOKS_DATETIME] = "datetime",
                                         [SBL_LOOKS_ZERO_LED] = "digits after a zero",
                                         [SBL_LOOKS_INTEGER] = "integer",
                                         [SBL_LOOKS_DECIMAL] = "1 digit",
                                         [SBL_LOOKS_LONG_DECIMAL] = "more digits"};
    if (i < SBL_MISSING_WORDS)
        (void)snprintf(name, NAME_SIZE, "missing, \"%s\"", sbl_missing_words[i]);
    else if (others[i] != NULL)
        (void)snprintf(name, NAME_SIZE, "%s", others[i]);
    else if (i < SBL_LOOKS_EITHER)
        (void)snprintf(name, NAME_SIZE, "%s", sbl_date_ways[i - SBL_LOOKS_DATE]);
    else if (i < SBL_LOOKS_ZERO_LED)
        (void)snprintf(name, NAME_SIZE, "%s or %s", sbl_date_ways[sbl_date_twins[i - SBL_LOOKS_EITHER][0]],
                       sbl_date_ways[sbl_date_twins[i - SBL_LOOKS_EITHER][1]]);
    else
        (void)snprintf(name, NAME_SIZE, "%zu digits", i - SBL_LOOKS_DECIMAL + 1);
}

static void name_answer(char name[NAME_SIZE], const sbl_probe *probe, size_t i)
{
    const size_t zero = SBL_MAGNITUDE_BINS / 2;
    if (probe->kind == SBL_PROBE_TYPE) {
        name_look(name, i);
    } else if (i + 1 == sbl_probe_answers(probe)) {
        (void)snprintf(name, NAME_SIZE, "none");
    } else if (probe->kind == SBL_PROBE_MAGNITUDE && i != zero) {
        (void)snprintf(name, NAME_SIZE, "%s2^%d", i < zero ? "-" : "",
                       i < zero ? SBL_MAGNITUDE_MOST - (int)i : SBL_MAGNITUDE_LEAST + (int)(i - zero - 1));
    } else if (probe->kind == SBL_PROBE_YEAR) {
        (void)snprintf(name, NAME_SIZE, "%zu", (size_t)SBL_YEAR_FIRST + i - 1);
    } else {
        (void)snprintf(name, NAME_SIZE, "%zu", probe->kind == SBL_PROBE_MAGNITUDE ? 0 : i);
    }
}

static sbl_status add_column(sbl_schema_writer *writer, const sbl_probe *probe, const char *name,
                             sbl_error *err)
{
    const size_t count = sbl_probe_answers(probe);
    sbl_writer_column column = {.name = name, .type = SBL_TYPE_NONE};
    if (count == 0) return sbl_schema_writer_add(writer, &column, err);
    char(*texts)[NAME_SIZE];
    const char **list;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, texts, count, 1, "a plan");
    SBL_POOL(&pool, list, count, 1, "a plan");
    for (size_t i = 0; i < count; i++) {
        name_answer(texts[i], probe, i);
        list[i] = texts[i];
    }
    column.type = SBL_TYPE_STRING;
    column.required = true;
    column.categories = list;
    column.category_count = count;
    SBL_TRY(sbl_schema_writer_add(writer, &column, err));
done:
    sbl_pool_clear(&pool);
    return status;
}

sbl_status sbl_probe_schema(sbl_schema **schema, const sbl_probe *probes, const sbl_strings *names,
                            const sbl_dialect *dialect, sbl_error *err)
{
    sbl_schema_writer *writer = NULL;
    sbl_status status = SBL_OK;
    *schema = NULL;
    SBL_TRY(sbl_schema_writer_new(&writer, NULL, 0, err));
    sbl_schema_writer_dialect(writer, dialect);
    for (size_t c = 0; c < names->count; c++) SBL_TRY(add_column(writer, &probes[c], names->items[c], err));
    SBL_TRY(sbl_schema_writer_finish(NULL, schema, writer, "the plan", err));
done:
    sbl_schema_writer_free(writer);
    return status;
}
