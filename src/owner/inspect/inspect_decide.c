/* SPDX-License-Identifier: Apache-2.0 */
/* What a column seems to be, and its field of the schema. */
#include "owner/inspect/inspect_column.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"

#define MOST 0.95        /* this share of cells of a kind decides the column's type */
#define MOST_BUT_ONE 0.5 /* or this share, if all others hold one and the same text */
#define SEVERAL 10       /* different values, which numbers beside one text have, and more with a unit */
#define FEW_VALUES 50    /* of a text column are categories in any table */
#define LEAST_RUNNING 50 /* rows that a running number counts */
#define LEAST_MONTHS 12  /* different ones */
#define RARE 10          /* a category seen less often is about few people */
#define LONGEST 1e15     /* whole numbers from here on count nothing: of cards, accounts, people */
#define LARGEST_WHOLE 9007199254740992.0 /* 2^53 */

/* ---- what it seems to be ---- */

static uint64_t present_in(const sbl_inspect_column *column) { return column->cells - column->missing; }

/* The way that explains most cells; -1: none explains enough. The first of equals. */
static int best_of(const sbl_inspect_column *column, const sbl_inspect_range *ranges, size_t count)
{
    const uint64_t present = present_in(column) - column->infinite;
    int best = -1;
    uint64_t most = (uint64_t)(MOST * (double)present);
    for (size_t i = 0; i < count; i++) {
        const bool marked = sbl_inspect_words_are_marks(column, ranges[i].count);
        const uint64_t least = marked && best < 0 ? (uint64_t)(MOST_BUT_ONE * (double)present) : most;
        if (ranges[i].count > 0 && ranges[i].count >= least + (best >= 0 ? 1 : 0)) {
            best = (int)i;
            most = ranges[i].count;
        }
    }
    return best;
}

static bool is_whole(const sbl_inspect_column *column, int style)
{
    return column->wholes[style] == column->numbers[style].count && column->decimals[style] == 0;
}

bool sbl_inspect_column_is_whole(const sbl_inspect_column *column)
{
    return column->kind == SBL_INSPECT_NUMBERS && is_whole(column, column->way);
}

/* Does it count rows, from 0 or 1? */
static bool is_running(const sbl_inspect_column *column)
{
    const sbl_inspect_range *range = &column->numbers[column->way];
    return !column->many && column->value_count == column->cells && column->cells >= LEAST_RUNNING &&
           range->low >= 0 && range->low <= 1 && range->high - range->low + 1 == (double)column->cells;
}

bool sbl_inspect_column_may_all_differ(const sbl_inspect_column *column)
{
    if (!sbl_inspect_column_is_whole(column)) return false; /* `way` may be one of writing dates */
    const sbl_inspect_range *range = &column->numbers[column->way];
    const double width = range->high - range->low;
    if (is_running(column)) return true;
    return column->many && range->count == column->cells && width + 1 >= (double)range->count &&
           width < 20.0 * (double)range->count && range->low >= 0;
}

static void decide_number(sbl_inspect_column *column, int style)
{
    const sbl_inspect_range *range = &column->numbers[style];
    column->kind = is_whole(column, style) && (range->high >= LONGEST || range->low <= -LONGEST)
                       ? SBL_INSPECT_CODES
                       : SBL_INSPECT_NUMBERS;
    column->way = style;
}

void sbl_inspect_column_decide(sbl_inspect_column *column, uint64_t rows, bool comma)
{
    column->missing += rows - column->cells;
    column->cells = rows;
    if (present_in(column) == 0) return; /* nothing */
    /* Marks between thousands are more likely commas where commas separate no cells. */
    if (!comma && column->numbers[2].count == column->numbers[1].count) column->numbers[1].count = 0;
    const int style = best_of(column, column->numbers, SBL_INSPECT_STYLES);
    const bool codes = column->zero_led * 20 > present_in(column);
    const bool two = !column->many && column->value_count <= (column->unit[0] != '\0' ? SEVERAL : 2);
    if (sbl_inspect_moments_decide(column)) {
        column->kind = SBL_INSPECT_MOMENTS;
        sbl_inspect_placeholders_take(column);
    } else if (style >= 0 && !codes && !two) {
        decide_number(column, style);
    } else {
        if (style < 0) sbl_inspect_marks_to_values(column);
        column->kind = sbl_inspect_column_has_few(column) ? SBL_INSPECT_CATEGORIES : SBL_INSPECT_TEXTS;
    }
}

bool sbl_inspect_column_is_used(const sbl_inspect_column *column)
{
    return !column->unnamed && (column->kind == SBL_INSPECT_MOMENTS || column->kind == SBL_INSPECT_NUMBERS ||
                                column->kind == SBL_INSPECT_CATEGORIES);
}

bool sbl_inspect_column_has_few(const sbl_inspect_column *column)
{
    return !column->many &&
           (column->value_count <= FEW_VALUES || column->value_count * 20 <= present_in(column));
}

uint64_t sbl_inspect_column_others(const sbl_inspect_column *column)
{
    if (column->kind != SBL_INSPECT_MOMENTS && column->kind != SBL_INSPECT_NUMBERS) return 0;
    return present_in(column) -
           (column->kind == SBL_INSPECT_MOMENTS ? column->moment_cells : column->numbers[column->way].count);
}

/* ---- its field ---- */

static const char *const listed[] = {"type", "enum", "required"};

void sbl_inspect_note(sbl_text *notes, const sbl_inspect_column *column, const char *words)
{
    sbl_text_printf(notes, "%s: %s\n", column->name, words);
}

static sbl_status add_ignored(const sbl_inspect_column *column, sbl_schema_writer *writer, sbl_text *notes,
                              const char *why, sbl_error *err)
{
    sbl_inspect_note(notes, column, why);
    return sbl_schema_writer_add(writer, &(sbl_writer_column){.name = column->name, .type = SBL_TYPE_NONE},
                                 err);
}

/* Does our own parser take it? What it refuses in one column must not cost the others. */
static sbl_status try_alone(bool *good, const sbl_writer_column *made, sbl_error *err)
{
    sbl_schema_writer *alone = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_schema_writer_new(&alone, NULL, 0, err));
    SBL_TRY(sbl_schema_writer_add(alone, made, err));
    SBL_TRY(sbl_schema_writer_finish(NULL, NULL, alone, made->name, err));
done:
    sbl_schema_writer_free(alone);
    *good = status == SBL_OK;
    return status == SBL_EMEM ? status : SBL_OK;
}

sbl_status sbl_inspect_column_add(const sbl_inspect_column *column, sbl_writer_column *made,
                                  sbl_schema_writer *writer, sbl_text *notes, sbl_error *err)
{
    const char *own[SBL_INSPECT_OWN_MARKS];
    bool good = false;
    sbl_inspect_marks_list(own, &made->missing_count, column);
    made->missing_values = own;
    SBL_CHECK(try_alone(&good, made, err));
    if (!good)
        return add_ignored(column, writer, notes, "no schema can hold what it seems to be: ignored", err);
    SBL_CHECK(sbl_schema_writer_add(writer, made, err));
    sbl_inspect_marks_note(column, notes);
    return SBL_OK;
}

/* Which facts of a number were read from the records; at most 6. */
static size_t list_inspected(const char *list[6], const sbl_inspect_shape *shape)
{
    static const char *const always[] = {"type", "minimum", "maximum", "required", "decimals"};
    size_t count = 0;
    for (; count < 5; count++) list[count] = always[count];
    if (shape->skewed) list[count++] = "transform";
    return count;
}

/* Digits after the point, where a grid of them fits into doubles; -1: any. */
static int decimals_of(const sbl_inspect_column *column, double minimum, double maximum)
{
    const int decimals = column->decimals[column->way];
    const double size = fmax(fabs(minimum), fabs(maximum));
    return decimals <= 9 && size * pow(10, decimals) < LARGEST_WHOLE ? decimals : -1;
}

/* 202211: numbers between two of them would not be months. */
static bool are_months(const sbl_inspect_column *column)
{
    size_t months = 0;
    if (!is_whole(column, column->way) || column->many) return false;
    for (size_t i = 0; i < SBL_INSPECT_SLOTS; i++) {
        const char *text = column->values[i].text;
        if (text == NULL) continue;
        if (strlen(text) != 6 || strspn(text, "0123456789") != 6) return false;
        const long value = strtol(text, NULL, 10), month = value % 100;
        if (value < 190001 || value > 210012 || month < 1 || month > 12) return false;
        months++;
    }
    return months >= LEAST_MONTHS;
}

static sbl_status add_number(const sbl_inspect_column *column, sbl_schema_writer *writer, sbl_text *notes,
                             sbl_error *err)
{
    const sbl_inspect_range *range = &column->numbers[column->way];
    const sbl_column *style = &column->styles[column->way];
    const sbl_inspect_affixes *affixes = &column->affixes[column->way]; /* empty where it is bare */
    const bool whole = is_whole(column, column->way);
    const double minimum = sbl_plain_number_down(range->low, 2);
    const double maximum = sbl_plain_number_up(range->high, 2);
    const int decimals = decimals_of(column, minimum, maximum);
    const char *facts[6];
    sbl_inspect_shape shape;
    sbl_status status = sbl_inspect_shape_of(&shape, column, err);
    if (status != SBL_OK) return status;
    sbl_writer_column made = {.name = column->name,
                              .type = whole ? SBL_TYPE_INTEGER : SBL_TYPE_NUMBER,
                              .required = range->count == column->cells,
                              .minimum = minimum,
                              .maximum = maximum,
                              .log_transform = shape.skewed,
                              .has_decimals = !whole && decimals >= 0,
                              .decimals = decimals,
                              .decimal_char = style->decimal_char,
                              .group_char = column->grouped[column->way] ? style->group_char : 0,
                              .signs = !style->bare,
                              .prefix = affixes->prefix[0] != '\0' ? affixes->prefix : NULL,
                              .suffix = affixes->suffix[0] != '\0' ? affixes->suffix : NULL,
                              .origin = facts,
                              .origin_count = list_inspected(facts, &shape)};
    if (sbl_inspect_column_may_all_differ(column))
        sbl_inspect_note(notes, column, "whole numbers that may all differ: if it names people, ignore it");
    if (are_months(column))
        sbl_inspect_note(
            notes, column,
            "years with months (202211): as a number it would get months such as 202237; list the months in "
            "constraints.enum, or write dates");
    if (shape.skewed)
        sbl_inspect_note(notes, column, "most values lie at the lower end: fitted on a logarithmic scale");
    SBL_CHECK(sbl_inspect_column_add(column, &made, writer, notes, err));
    SBL_CHECK(sbl_inspect_shape_propose(writer, column, &shape, err));
    return status;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_letters(const void *a, const void *b)
{
    const int order = strcasecmp(*(const char *const *)a, *(const char *const *)b);
    return order != 0 ? order : by_text(a, b);
}

/* Changes the order of texts. */
static void note_capitals(const sbl_inspect_column *column, const char **texts, size_t count, sbl_text *notes)
{
    size_t alike = 0;
    size_t first = 0;
    qsort(texts, count, sizeof *texts, by_letters);
    for (size_t i = 1; i < count; i++) {
        if (strcasecmp(texts[i - 1], texts[i]) != 0) continue;
        if (alike++ == 0) first = i;
    }
    if (alike > 0)
        sbl_text_printf(
            notes,
            "%s: categories differ in capitals alone, such as '%s' and '%s': if they mean the same, write "
            "them in one way in the table\n",
            column->name, texts[first - 1], texts[first]);
}

static sbl_status add_categories(const sbl_inspect_column *column, sbl_schema_writer *writer, sbl_text *notes,
                                 sbl_error *err)
{
    const char **texts = sbl_alloc_array(column->value_count, sizeof *texts);
    size_t count = 0;
    size_t rare = 0;
    if (texts == NULL) return sbl_no_memory(err, "a schema");
    for (size_t i = 0; i < SBL_INSPECT_SLOTS; i++) {
        if (column->values[i].text == NULL) continue;
        texts[count++] = column->values[i].text;
        rare += column->values[i].count < RARE;
    }
    note_capitals(column, texts, count, notes);
    qsort(texts, count, sizeof *texts, by_text);
    if (rare > 0)
        sbl_text_printf(notes,
                        "%s: %zu of its %zu categories were seen fewer than %d times: each is a "
                        "fact about few people; remove them, or gather them in one (semblance.other)\n",
                        column->name, rare, count, RARE);
    sbl_writer_column made = {.name = column->name,
                              .type = SBL_TYPE_STRING,
                              .required = column->missing == 0,
                              .categories = texts,
                              .category_count = count,
                              .origin = listed,
                              .origin_count = 3};
    const sbl_status status = sbl_inspect_column_add(column, &made, writer, notes, err);
    sbl_free(texts);
    return status;
}

/* Every way of writing reads some cells, and none of them enough. */
static bool are_mixed_numbers(const sbl_inspect_column *column)
{
    return column->zero_led * 20 <= present_in(column) &&
           (double)column->read >= MOST * (double)present_in(column);
}

/* Texts, of which most are numbers or dates. */
static sbl_status add_texts(const sbl_inspect_column *column, sbl_schema_writer *writer, sbl_text *notes,
                            sbl_error *err)
{
    const uint64_t present = present_in(column);
    uint64_t moments = 0;
    for (size_t i = 0; i < column->mask_count; i++) moments += column->masks[i].count;
    const uint64_t most = moments > column->read ? moments : column->read;
    if (are_mixed_numbers(column))
        return add_ignored(
            column, writer, notes,
            "numbers that are written in several ways, such as 1.5 and 1,5: ignored; write them in one "
            "way in the table",
            err);
    if (column->zero_led * 20 <= present && most < present && 2 * most >= present) {
        sbl_text_printf(notes,
                        "%s: %s in %" PRIu64 " of %" PRIu64
                        " rows, and texts in others (first in row %" PRIu64
                        "): leave those texts empty in the table, and it can be described\n",
                        column->name, moments >= column->read ? "dates or times" : "numbers", most,
                        column->cells, column->first_text);
    }
    return add_ignored(
        column, writer, notes,
        "many different texts (names, ids, remarks): ignored; list its values in constraints.enum if "
        "they are categories",
        err);
}

sbl_status sbl_inspect_column_write(const sbl_inspect_column *column, sbl_schema_writer *writer,
                                    sbl_text *notes, sbl_error *err)
{
    switch (column->kind) {
    case SBL_INSPECT_MOMENTS:
        return sbl_inspect_moments_write(column, writer, notes, err);
    case SBL_INSPECT_NUMBERS:
        return add_number(column, writer, notes, err);
    case SBL_INSPECT_CATEGORIES:
        return add_categories(column, writer, notes, err);
    case SBL_INSPECT_CODES:
        return add_ignored(column, writer, notes,
                           "whole numbers of 16 digits or more (cards, accounts, ids): ignored", err);
    case SBL_INSPECT_TEXTS:
        return add_texts(column, writer, notes, err);
    default:
        return add_ignored(column, writer, notes, "holds nothing: ignored", err);
    }
}
