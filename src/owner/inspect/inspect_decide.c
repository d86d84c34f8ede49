/* What a column seems to be, and its field of the schema. */
#include "owner/inspect/inspect_column.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define MOST 0.95        /* this share of cells of a kind decides the column's type */
#define MOST_BUT_ONE 0.5 /* or this share, if all others hold one and the same text */
#define SEVERAL 10       /* different values, which numbers beside one text have, and more with a unit */
#define FEW_VALUES 50    /* of a text column are categories in any table */
#define LEAST_LIKE 2     /* values that are spelled like a mark, and a quarter of all: it is one of them */
#define RARE 10          /* a category seen less often is about few people */
#define LONGEST 1e15     /* whole numbers from here on count nothing: of cards, accounts, people */
#define LARGEST_WHOLE 9007199254740992.0 /* 2^53 */

/* ---- what it seems to be ---- */

static uint64_t present_in(const sbl_inspect_column *column) { return column->cells - column->missing; }

/* The way that explains most cells; -1: none explains enough. The first of equals. */
static int best_of(const sbl_inspect_column *column, const sbl_inspect_range *ranges, size_t count)
{
    const uint64_t present = present_in(column);
    int best = -1;
    uint64_t most = (uint64_t)(MOST * (double)present);
    for (size_t i = 0; i < count; i++) {
        const bool one_text = !column->texts_differ && column->value_count > SEVERAL &&
                              present - ranges[i].count == column->texts;
        const uint64_t least = one_text && best < 0 ? (uint64_t)(MOST_BUT_ONE * (double)present) : most;
        if (ranges[i].count > 0 && ranges[i].count >= least + (best >= 0 ? 1 : 0)) {
            best = (int)i;
            most = ranges[i].count;
        }
    }
    return best;
}

static int class_of(char c)
{
    if (c >= 'A' && c <= 'Z') return 'A';
    if (c >= 'a' && c <= 'z') return 'a';
    return (c >= '0' && c <= '9') || (unsigned char)c >= 0x80 ? '0' : '-';
}

static bool is_spelled_like(const char *text, const char *mark)
{
    while (*text != '\0' && *mark != '\0' && class_of(*text) == class_of(*mark)) text++, mark++;
    return *text == *mark; /* both ended */
}

static bool is_signs(const char *text)
{
    while (*text != '\0' && class_of(*text) == '-') text++;
    return *text == '\0';
}

/* Among texts: NA is a country among DE and US and missing among yes and no, and Na is sodium; "-" is a value beside
 * "+"; "none" is a grade. */
static bool is_value(const sbl_inspect_column *column, const char *mark)
{
    const sbl_inspect_mark sort = sbl_inspect_mark_of(mark, strlen(mark));
    size_t like = 0;
    size_t signs = 0;
    for (size_t i = 0; i < SBL_INSPECT_SLOTS; i++) {
        const char *text = column->values[i].text;
        if (text == NULL || sbl_inspect_mark_of(text, strlen(text)) != SBL_MARK_NOT) continue;
        like += is_spelled_like(text, mark);
        signs += is_signs(text);
    }
    if (sort == SBL_MARK_LETTERS)
        return strcmp(mark, "Na") == 0 || (like >= LEAST_LIKE && 4 * like >= column->value_count);
    return sort == SBL_MARK_WORD || (sort == SBL_MARK_SIGN && signs > 0);
}

/* Where the others are texts, a mark may be a value like them. */
static void take_marks_as_values(sbl_inspect_column *column)
{
    size_t kept = 0;
    for (size_t i = 0; i < column->mark_count; i++) {
        sbl_inspect_value *mark = &column->marks[i];
        if (is_value(column, mark->text)) {
            column->missing -= mark->count;
            sbl_inspect_column_count(column, mark->text, strlen(mark->text), mark->count);
            sbl_free(mark->text);
        } else {
            column->marks[kept++] = *mark;
        }
    }
    column->mark_count = kept;
}

static bool is_whole(const sbl_inspect_column *column, int style)
{
    return column->wholes[style] == column->numbers[style].count && column->decimals[style] == 0;
}

bool sbl_inspect_column_is_whole(const sbl_inspect_column *column)
{
    return column->kind == SBL_INSPECT_NUMBERS && is_whole(column, column->way);
}

bool sbl_inspect_column_may_all_differ(const sbl_inspect_column *column)
{
    if (!sbl_inspect_column_is_whole(column)) return false; /* `way` may be one of writing dates */
    const sbl_inspect_range *range = &column->numbers[column->way];
    const double width = range->high - range->low;
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
    } else if (style >= 0 && !codes && !two) {
        decide_number(column, style);
    } else {
        if (style < 0) take_marks_as_values(column);
        const bool few = column->value_count <= FEW_VALUES || column->value_count * 20 <= present_in(column);
        column->kind = !column->many && few ? SBL_INSPECT_CATEGORIES : SBL_INSPECT_TEXTS;
    }
}

bool sbl_inspect_column_is_used(const sbl_inspect_column *column)
{
    return !column->unnamed && (column->kind == SBL_INSPECT_MOMENTS || column->kind == SBL_INSPECT_NUMBERS ||
                                column->kind == SBL_INSPECT_CATEGORIES);
}

/* Cells that hold something else than what the column seems to be. */
static uint64_t others_in(const sbl_inspect_column *column)
{
    if (column->kind != SBL_INSPECT_MOMENTS && column->kind != SBL_INSPECT_NUMBERS) return 0;
    return present_in(column) -
           (column->kind == SBL_INSPECT_MOMENTS ? column->moment_cells : column->numbers[column->way].count);
}

bool sbl_inspect_column_has_one_text(const sbl_inspect_column *column)
{
    return column->texts > 0 && !column->texts_differ && others_in(column) == column->texts;
}

/* ---- its field ---- */

static const char *const listed[] = {"type", "enum", "required"};

void sbl_inspect_note(sbl_text *notes, const sbl_inspect_column *column, const char *words)
{
    sbl_text_printf(notes, "%s: %s\n", column->name, words);
}

static void note_others(const sbl_inspect_column *column, sbl_text *notes)
{
    const char *kind = column->kind == SBL_INSPECT_NUMBERS                          ? "numbers"
                       : column->formats[0] >= SBL_INSPECT_WAYS - SBL_INSPECT_TIMES ? "times"
                                                                                    : "dates";
    if (sbl_inspect_column_has_one_text(column))
        sbl_text_printf(notes,
                        "%s: %s but for one text, in %" PRIu64 " of %" PRIu64 " rows (first in row %" PRIu64
                        "), which is taken to mean missing: see its missingValues\n",
                        column->name, kind, column->texts, column->cells, column->first_text);
    else if (others_in(column) > 0)
        sbl_text_printf(notes, "%s: %s but for %" PRIu64 " of %" PRIu64 " rows, whose cells become missing\n",
                        column->name, kind, others_in(column), column->cells);
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

/* What most missing cells of the column hold, where that is more than nothing; else NULL. */
static const char *usual_mark(const sbl_inspect_column *column)
{
    uint64_t empty = column->missing;
    const sbl_inspect_value *most = NULL;
    for (size_t i = 0; i < column->mark_count; i++) {
        empty -= column->marks[i].count;
        if (most == NULL || column->marks[i].count > most->count) most = &column->marks[i];
    }
    return most != NULL && most->count > empty ? most->text : NULL;
}

/* The column's own missing values, where an empty cell is not all: the one that is written comes first. Texts are
 * borrowed; count 0: an empty cell is all. */
static void list_marks(const char *own[SBL_INSPECT_MARKS + 2], size_t *count,
                       const sbl_inspect_column *column)
{
    const char *usual = sbl_inspect_column_has_one_text(column) ? column->text : usual_mark(column);
    *count = 0;
    if (usual == NULL && column->mark_count == 0) return;
    if (usual != NULL) own[(*count)++] = usual;
    own[(*count)++] = "";
    for (size_t i = 0; i < column->mark_count; i++)
        if (usual == NULL || strcmp(usual, column->marks[i].text) != 0)
            own[(*count)++] = column->marks[i].text;
}

static void note_marks(const sbl_inspect_column *column, sbl_text *notes)
{
    for (size_t i = 0; i < column->mark_count; i++)
        sbl_text_printf(notes, "%s: '%s' is taken to mean missing, in %" PRIu64 " of %" PRIu64 " rows\n",
                        column->name, column->marks[i].text, column->marks[i].count, column->cells);
}

sbl_status sbl_inspect_column_add(const sbl_inspect_column *column, sbl_writer_column *made,
                                  sbl_schema_writer *writer, sbl_text *notes, sbl_error *err)
{
    const char *own[SBL_INSPECT_MARKS + 2];
    bool good = false;
    list_marks(own, &made->missing_count, column);
    made->missing_values = own;
    SBL_CHECK(try_alone(&good, made, err));
    if (!good)
        return add_ignored(column, writer, notes, "no schema can hold what it seems to be: ignored", err);
    SBL_CHECK(sbl_schema_writer_add(writer, made, err));
    note_others(column, notes);
    note_marks(column, notes);
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
        return add_ignored(column, writer, notes,
                           "many different texts (names, ids, remarks): ignored; list its values "
                           "in constraints.enum if they are categories",
                           err);
    default:
        return add_ignored(column, writer, notes, "holds nothing: ignored", err);
    }
}
