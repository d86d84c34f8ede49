#include "table/sniff.h"

#include <string.h>

#include "base/memory.h"
#include "table/decimal.h"

#define RECORDS 200 /* that a delimiter is judged by */

/* ---- cells ---- */

enum { CELL_START, PLAIN, QUOTED, QUOTE };

static void end_cell(sbl_cell_walk *walk, bool last)
{
    size_t length = walk->text.length;
    if (last && walk->place == PLAIN && length > 0 && walk->text.data[length - 1] == '\r') length--;
    walk->cell(walk->context, length > 0 ? walk->text.data : "", length, last);
    walk->text.length = 0;
    walk->place = CELL_START;
}

void sbl_cell_walk_feed(sbl_cell_walk *walk, const char *bytes, size_t size)
{
    for (const char *p = bytes; p < bytes + size; p++) {
        if (walk->place == QUOTED) {
            if (*p == walk->quote)
                walk->place = QUOTE;
            else
                sbl_text_append(&walk->text, p, 1);
        } else if (*p == walk->delimiter || *p == '\n') {
            if (walk->place == CELL_START) walk->place = PLAIN;
            end_cell(walk, *p == '\n');
        } else if (walk->place == CELL_START && *p == walk->quote) {
            walk->place = QUOTED;
        } else if (walk->place == QUOTE && *p == walk->quote) {
            sbl_text_append(&walk->text, p, 1);
            walk->place = QUOTED;
        } else {
            if (walk->place != QUOTE || *p != '\r') sbl_text_append(&walk->text, p, 1);
            if (walk->place == CELL_START) walk->place = PLAIN;
        }
    }
}

void sbl_cell_walk_end(sbl_cell_walk *walk)
{
    if (walk->place != CELL_START || walk->text.length > 0) end_cell(walk, true);
    if (walk->text.data != NULL) memset(walk->text.data, 0, walk->text.length);
    sbl_text_clear(&walk->text);
}

/* ---- encoding ---- */

static bool is_utf8(const unsigned char *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    while (size > 0) {
        const size_t part = sbl_utf8_length(text, size);
        if (part == 0) return size < 4; /* the last character may be cut */
        text += part;
        size -= part;
    }
    return true;
}

const char *sbl_sniff_encoding(const unsigned char *bytes, size_t size)
{
    size_t even = 0;
    size_t odd = 0;
    if (size >= 2 &&
        ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff)))
        return "utf-16";
    for (size_t i = 0; i < size; i++) {
        even += bytes[i] == 0 && i % 2 == 0;
        odd += bytes[i] == 0 && i % 2 == 1;
    }
    /* Text of the western world: every other byte is 0. */
    if (odd > size / 4) return "utf-16le";
    if (even > size / 4) return "utf-16be";
    return is_utf8(bytes, size) ? "utf-8" : "windows-1252";
}

/* ---- delimiter and header ---- */

/* The records of a beginning, cut by one delimiter. */
typedef struct trial {
    size_t cells;          /* of the record at hand */
    size_t first;          /* of the first one */
    size_t records, same;  /* so far; with as many cells as the first */
    size_t named, numbers; /* of the first record: cells that could be names; that are numbers */
} trial;

static void try_cell(void *context, const char *text, size_t length, bool last)
{
    trial *t = context;
    double number;
    if (t->records >= RECORDS) return;
    t->cells++;
    if (t->records == 0) {
        t->named += length > 0;
        t->numbers += sbl_decimal_parse(&number, text, length);
    }
    if (!last) return;
    if (t->records == 0) t->first = t->cells;
    t->same += t->cells == t->first;
    t->records++;
    t->cells = 0;
}

static trial try_delimiter(char delimiter, const char *text, size_t size)
{
    trial t = {0};
    sbl_cell_walk walk = {.delimiter = delimiter, .quote = '"', .cell = try_cell, .context = &t};
    const char *last = memrchr(text, '\n', size);
    /* The last line may be cut. */
    sbl_cell_walk_feed(&walk, text, last != NULL ? (size_t)(last - text) + 1 : size);
    sbl_cell_walk_end(&walk);
    return t;
}

/* Lines before the table that begin with #. */
static size_t comment_lines(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && text[at] == '#') {
        const char *feed = memchr(text + at, '\n', size - at);
        if (feed == NULL) return 0;
        at = (size_t)(feed - text) + 1;
    }
    return at;
}

void sbl_sniff_dialect(sbl_dialect *dialect, const char *text, size_t size, bool delimiter_known)
{
    static const char signs[] = ",;\t|";
    trial best = {0};
    const size_t comments = comment_lines(text, size);
    if (comments > 0) dialect->comment = '#';
    for (const char *sign = signs; !delimiter_known && *sign != '\0'; sign++) {
        const trial t = try_delimiter(*sign, text + comments, size - comments);
        if (t.first < 2 || t.same * 10 < t.records * 9) continue;
        if (t.first <= best.first) continue;
        best = t;
        dialect->delimiter = *sign;
    }
    if (best.first == 0)
        best = try_delimiter(delimiter_known ? dialect->delimiter : ',', text + comments,
                             size - comments);
    /* Names are no numbers, and every column has one. */
    dialect->header = best.numbers == 0 && best.named == best.first;
}
