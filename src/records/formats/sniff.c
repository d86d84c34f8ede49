/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses a dialect. A small state machine walks cells of any delimiter. Each candidate cuts the first 200
 * records, and the one with the most columns wins, if at least nine tenths of the records agree. A header
 * is a first record without numbers or dates. NOT PRIVATE. */
#include "records/formats/csv.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/byte_source.h"
#include "base/encoding.h"
#include "base/text.h"
#include "public/rows/decimal.h"

#define RECORDS 200                    /* that a delimiter is judged by */
#define TITLE_LINES 20                 /* above a header, at most */
#define TITLE_BYTES ((size_t)64 << 10) /* that hold them and some records */
#define BEGINNING ((size_t)1 << 20)

/* ---- cells ---- */

/* The cells of the beginning of a file, in order. */
typedef struct cell_walk {
    char delimiter;
    char quote;
    /* Called for each cell; last: it ends its record. text has no final NUL. */
    void (*cell)(void *context, const char *text, size_t length, bool last);
    void *context;
    /* Zero to begin with. */
    sbl_text text;
    int place;
} cell_walk;

enum { CELL_START, PLAIN, QUOTED, QUOTE };

static void end_cell(cell_walk *walk, bool last)
{
    size_t length = walk->text.length;
    if (last && walk->place == PLAIN && length > 0 && walk->text.data[length - 1] == '\r') length--;
    walk->cell(walk->context, length > 0 ? walk->text.data : "", length, last);
    walk->text.length = 0;
    walk->place = CELL_START;
}

static void feed_walk(cell_walk *walk, const char *bytes, size_t size)
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

static void end_walk(cell_walk *walk)
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

static const char *find_encoding(const unsigned char *bytes, size_t size)
{
    size_t even = 0;
    size_t odd = 0;
    if (size >= 2 && ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff)))
        return "utf-16";
    for (size_t i = 0; i < size; i++) {
        even += bytes[i] == 0 && i % 2 == 0;
        odd += bytes[i] == 0 && i % 2 == 1;
    }
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) return "utf-8-sig";
    /* Text of the western world: every other byte is 0. */
    if (odd > size / 4) return "utf-16le";
    if (even > size / 4) return "utf-16be";
    return is_utf8(bytes, size) ? "utf-8" : "windows-1252";
}

/* ---- delimiter and header ---- */

/* The records of a beginning, cut by one delimiter. */
typedef struct trial {
    size_t cells;         /* of the record at hand */
    size_t first;         /* of the first one */
    size_t records, same; /* so far; with as many cells as the first */
    size_t named, data;   /* of the first record: cells that hold something; that hold no name */
} trial;

/* A number, a date, a time: not the name of a column. */
static bool is_data(const char *text, size_t length)
{
    double number;
    size_t digits = 0;
    if (sbl_decimal_parse(&number, text, length)) return true;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\0' || strchr("0123456789.,-+/: ", text[i]) == NULL) return false;
        digits += text[i] >= '0' && text[i] <= '9';
    }
    return digits > 0;
}

static void try_cell(void *context, const char *text, size_t length, bool last)
{
    trial *t = context;
    if (t->records >= RECORDS) return;
    t->cells++;
    if (t->records == 0) {
        t->named += length > 0;
        t->data += is_data(text, length);
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
    cell_walk walk = {.delimiter = delimiter, .quote = '"', .cell = try_cell, .context = &t};
    const char *last = memrchr(text, '\n', size);
    /* The last line may be cut. */
    feed_walk(&walk, text, last != NULL ? (size_t)(last - text) + 1 : size);
    end_walk(&walk);
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

/* The best delimiter of a beginning that starts with the header, or with the first record. */
static trial try_all(char *delimiter, const char *text, size_t size, bool known)
{
    static const char signs[] = ",;\t|";
    trial best = {0};
    if (known) return try_delimiter(*delimiter, text, size);
    for (const char *sign = signs; *sign != '\0'; sign++) {
        const trial t = try_delimiter(*sign, text, size);
        if (t.first < 2 || t.same * 10 < t.records * 9) continue;
        if (t.first <= best.first) continue;
        best = t;
        *delimiter = *sign;
    }
    return best;
}

/* "sep=;" in the first line, which tells a spreadsheet the delimiter. */
static bool names_delimiter(char *delimiter, const char *text, size_t size)
{
    if (size < 6 || strncasecmp(text, "sep=", 4) != 0 || strchr(",;\t|", text[4]) == NULL || text[4] == '\0')
        return false;
    if (text[5] != '\n' && !(text[5] == '\r' && size > 6 && text[6] == '\n')) return false;
    *delimiter = text[4];
    return true;
}

static bool is_header(const trial *t)
{
    return t->first > 0 && t->data == 0 && t->named > 0 && t->named + 1 >= t->first;
}

/* Lines above the header that hold a title: fewer cells than the table has, or most of them empty. Returns
 * how many; 0: none, and the beginning is what it seems. */
static size_t find_titles(char *delimiter, trial *best, const char *text, size_t size, bool known)
{
    const size_t most = size < TITLE_BYTES ? size : TITLE_BYTES;
    size_t at = 0;
    for (size_t lines = 1; lines <= TITLE_LINES; lines++) {
        const char *feed = memchr(text + at, '\n', most - at);
        char sign = *delimiter;
        if (feed == NULL) return 0;
        at = (size_t)(feed - text) + 1;
        const trial t = try_all(&sign, text + at, most - at, known);
        if (t.first < 2 || t.records < 3 || t.same * 10 < t.records * 9) continue;
        /* One column may lack a name, as of row numbers or after a last delimiter. */
        if (t.data > 0 || t.named + 1 < t.first || t.named * 2 <= t.first) continue;
        *delimiter = sign;
        *best = t;
        return lines;
    }
    return 0;
}

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    return lines;
}

/* text: the beginning in UTF-8, without a byte order mark. Everything but the encoding, title lines above the header
 * among it; delimiter_known: and but the delimiter, which dialect holds. */
static void find_dialect(sbl_dialect *dialect, const char *text, size_t size, bool delimiter_known)
{
    size_t from = comment_lines(text, size);
    size_t titles = 0;
    if (from > 0) dialect->comment = '#';
    if (names_delimiter(&dialect->delimiter, text + from, size - from)) {
        from += (size_t)((const char *)memchr(text + from, '\n', size - from) - (text + from)) + 1;
        titles = count_lines(text, from);
        delimiter_known = true;
    }
    trial best = try_all(&dialect->delimiter, text + from, size - from, delimiter_known);
    if (best.first < 2 || best.named * 2 <= best.first) {
        const size_t more =
            find_titles(&dialect->delimiter, &best, text + from, size - from, delimiter_known);
        if (more > 0) titles = count_lines(text, from) + more;
    }
    if (best.first == 0) best = try_delimiter(dialect->delimiter, text + from, size - from);
    const char *feed = memchr(text, '\n', size);
    dialect->crlf = feed != NULL && feed > text && feed[-1] == '\r';
    /* Names are not numbers, and every column has one, except a column of row numbers. */
    dialect->header = is_header(&best);
    dialect->titles = titles <= SBL_MOST_TITLES ? (unsigned)titles : 0;
}

/* The beginning of the file as it is, to see how it is written. */
sbl_status sbl_sniff_table(sbl_dialect *dialect, const sbl_table *table, const sbl_data_options *given,
                           sbl_error *err)
{
    const char *path = table->path;
    sbl_byte_source *source = NULL;
    unsigned char *bytes = NULL;
    size_t got = 0;
    sbl_status status = SBL_OK;
    *dialect = SBL_DIALECT_USUAL;
    SBL_ALLOC(bytes, BEGINNING, "a schema");
    SBL_TRY(sbl_byte_source_open(&source, path, err));
    SBL_TRY(sbl_byte_source_read(source, bytes, BEGINNING, &got, err));
    if (got == 0) SBL_FAIL(err, SBL_EINPUT, "%s is empty", path);
    if (got >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PAR1", 4) == 0))
        SBL_FAIL(err, SBL_EINPUT, "%s is a spreadsheet or Parquet file: save it as CSV", path);
    dialect->encoding = find_encoding(bytes, got);
    SBL_TRY(sbl_dialect_apply(dialect, given, err));
    sbl_byte_source_free(source);
    source = NULL;
    SBL_TRY(sbl_byte_source_open(&source, path, err));
    SBL_TRY(sbl_byte_source_decode(source, dialect->encoding, err));
    SBL_TRY(sbl_byte_source_read(source, bytes, BEGINNING, &got, err));
    const size_t mark = got >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (memchr(bytes, '\0', got) != NULL) SBL_FAIL(err, SBL_EINPUT, "%s is a binary file, not CSV", path);
    find_dialect(dialect, (const char *)bytes + mark, got - mark, given->delimiter != NULL);
    SBL_TRY(sbl_dialect_apply(dialect, given, err));
    if (!dialect->header) dialect->titles = 0;
done:
    sbl_byte_source_free(source);
    sbl_free_wiped(bytes, BEGINNING);
    return status;
}
