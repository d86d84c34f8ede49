/* SPDX-License-Identifier: Apache-2.0 */
/* What people write where there is no value: known marks, and texts among numbers or dates that repeat. NOT PRIVATE. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "owner/inspect/inspect_column.h"

#define SEVERAL 10     /* different values, which numbers beside one text have */
#define LEAST_REPEAT 5 /* rows with each of several texts that mean "missing" */
#define LEAST_LIKE 2   /* values that are spelled like a mark, and a quarter of all: it is one of them */

/* ---- known marks ---- */

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static const char *const sure[] = {"",     "n/a",   "n.a.",   "n.a",    "n. a.",  "#n/a",    "#na",    "<na>",
                                   "nan",  "null",  "(null)", "<null>", "[null]", "\\n",     "?",      "??",
                                   "k.a.", "k. a.", "#null!", "#ref!",  "#num!",  "#value!", "#div/0!"};
static const char *const letters[] = {"na"};
static const char *const signs[] = {"-", "--", "---", "."};
static const char *const words[] = {"none", "nil", "missing", "nat"};

bool sbl_inspect_is_among(const char *const *list, size_t count, const char *text, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == length && strncasecmp(list[i], text, length) == 0) return true;
    return false;
}

sbl_inspect_mark sbl_inspect_mark_of(const char *text, size_t length)
{
    if (sbl_inspect_is_among(sure, COUNT(sure), text, length)) return SBL_MARK_SURE;
    if (sbl_inspect_is_among(letters, COUNT(letters), text, length)) return SBL_MARK_LETTERS;
    if (sbl_inspect_is_among(signs, COUNT(signs), text, length)) return SBL_MARK_SIGN;
    return sbl_inspect_is_among(words, COUNT(words), text, length) ? SBL_MARK_WORD : SBL_MARK_NOT;
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
    size_t signed_values = 0;
    for (size_t i = 0; i < SBL_INSPECT_SLOTS; i++) {
        const char *text = column->values[i].text;
        if (text == NULL || sbl_inspect_mark_of(text, strlen(text)) != SBL_MARK_NOT) continue;
        like += is_spelled_like(text, mark);
        signed_values += is_signs(text);
    }
    if (sort == SBL_MARK_LETTERS)
        return strcmp(mark, "Na") == 0 || (like >= LEAST_LIKE && 4 * like >= column->value_count);
    return sort == SBL_MARK_WORD || (sort == SBL_MARK_SIGN && signed_values > 0);
}

void sbl_inspect_marks_to_values(sbl_inspect_column *column)
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

/* ---- texts among numbers and dates ---- */

/* Several texts are taken as marks where the column would have no use with them as values. */
bool sbl_inspect_words_are_marks(const sbl_inspect_column *column, uint64_t numbers)
{
    const uint64_t present = column->cells - column->missing;
    if (column->texts == 0 || column->more_words || present - numbers != column->texts + column->infinite)
        return false;
    for (size_t i = 0; i < column->word_count && column->word_count > 1; i++)
        if (column->words[i].count < LEAST_REPEAT) return false;
    return column->word_count == 1 ? column->value_count > SEVERAL : !sbl_inspect_column_has_few(column);
}

/* Of a column that is decided: are all other cells marks? */
static bool has_word_marks(const sbl_inspect_column *column)
{
    const uint64_t others = sbl_inspect_column_others(column);
    if (others == 0 || column->texts == 0 || column->more_words || others != column->texts + column->infinite)
        return false;
    for (size_t i = 0; i < column->word_count && column->word_count > 1; i++)
        if (column->words[i].count < LEAST_REPEAT) return false;
    return true;
}

static const sbl_inspect_value *most_frequent(const sbl_inspect_value *values, size_t count)
{
    const sbl_inspect_value *most = NULL;
    for (size_t i = 0; i < count; i++)
        if (most == NULL || values[i].count > most->count) most = &values[i];
    return most;
}

/* What most missing cells of the column hold, where that is more than nothing; else NULL. */
static const char *usual_mark(const sbl_inspect_column *column)
{
    const sbl_inspect_value *most = most_frequent(column->marks, column->mark_count);
    uint64_t empty = column->missing;
    for (size_t i = 0; i < column->mark_count; i++) empty -= column->marks[i].count;
    return most != NULL && most->count > empty ? most->text : NULL;
}

void sbl_inspect_marks_list(const char *own[SBL_INSPECT_OWN_MARKS], size_t *count,
                            const sbl_inspect_column *column)
{
    const bool worded = has_word_marks(column);
    const char *usual = worded ? most_frequent(column->words, column->word_count)->text : usual_mark(column);
    *count = 0;
    if (usual == NULL && column->mark_count == 0) return;
    if (usual != NULL) own[(*count)++] = usual;
    own[(*count)++] = "";
    for (size_t i = 0; i < column->mark_count; i++)
        if (usual != column->marks[i].text) own[(*count)++] = column->marks[i].text;
    for (size_t i = 0; worded && i < column->word_count; i++)
        if (usual != column->words[i].text) own[(*count)++] = column->words[i].text;
}

/* "<0.5", ">1000": a result beyond what a test can measure. */
static bool is_limit(const char *text)
{
    if (*text != '<' && *text != '>') return false;
    text += strspn(text, "<>= ");
    return *text >= '0' && *text <= '9';
}

static void note_words(const sbl_inspect_column *column, sbl_text *notes)
{
    bool limits = false;
    for (size_t i = 0; i < column->word_count; i++) limits = limits || is_limit(column->words[i].text);
    if (column->word_count == 1)
        sbl_text_printf(notes,
                        "one text, in %" PRIu64 " of %" PRIu64 " rows (first in row %" PRIu64 "), which is ",
                        column->texts, column->cells, column->first_text);
    else
        sbl_text_printf(
            notes, "%zu texts, in %" PRIu64 " of %" PRIu64 " rows (first in row %" PRIu64 "), which are ",
            column->word_count, column->texts, column->cells, column->first_text);
    sbl_text_printf(
        notes, "taken to mean missing: see its missingValues%s\n",
        limits ? "; it looks like a limit of detection (< or >): to keep such rows as numbers, write a "
                 "number for it in the table"
               : "");
}

static void note_others(const sbl_inspect_column *column, sbl_text *notes)
{
    const uint64_t others = sbl_inspect_column_others(column);
    const char *kind = column->kind == SBL_INSPECT_NUMBERS                          ? "numbers"
                       : column->formats[0] >= SBL_INSPECT_WAYS - SBL_INSPECT_TIMES ? "times"
                                                                                    : "dates";
    const uint64_t infinite = column->kind == SBL_INSPECT_NUMBERS ? column->infinite : 0;
    if (infinite > 0)
        sbl_text_printf(
            notes, "%s: infinities in %" PRIu64 " of %" PRIu64 " rows, which count as the nearer bound\n",
            column->name, infinite, column->cells);
    if (has_word_marks(column)) {
        sbl_text_printf(notes, "%s: %s but for ", column->name, kind);
        note_words(column, notes);
    } else if (others > infinite) {
        sbl_text_printf(notes, "%s: %s but for %" PRIu64 " of %" PRIu64 " rows, whose cells become missing\n",
                        column->name, kind, others - infinite, column->cells);
    }
}

void sbl_inspect_marks_note(const sbl_inspect_column *column, sbl_text *notes)
{
    note_others(column, notes);
    for (size_t i = 0; i < column->mark_count; i++)
        sbl_text_printf(notes, "%s: '%s' is taken to mean missing, in %" PRIu64 " of %" PRIu64 " rows\n",
                        column->name, column->marks[i].text, column->marks[i].count, column->cells);
}
