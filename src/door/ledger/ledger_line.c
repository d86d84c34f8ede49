/* SPDX-License-Identifier: Apache-2.0 */
/* The text of ledger lines. Every field has a kind, which knows how to write and how to read it,
 * and a place in the struct it belongs to. */
#include "door/ledger/ledger_line.h"

#include <string.h>

#include "base/file.h"
#include "base/int128.h"

typedef enum field_kind {
    FIELD_CONSTANT, /* always the text in `constant` */
    FIELD_U64,
    FIELD_U128,
    FIELD_ID,     /* 32 hex digits, kept as text */
    FIELD_HASH,   /* 64 hex digits, kept as bytes */
    FIELD_NAME,   /* [A-Za-z0-9_.+-], at most SBL_LEDGER_NAME_SIZE - 1 of them */
    FIELD_BUDGET, /* the same characters, at most SBL_BUDGET_TEXT_SIZE - 1 of them */
    FIELD_TIME,   /* 2026-01-31T23:59:59Z */
    FIELD_OP,
    FIELD_MECHANISM,
    FIELD_RELATION,
    FIELD_ROWS,    /* a number or "private"; the struct is the whole entry */
    FIELD_KEY,     /* "system" or "test", kept as bool */
    FIELD_UNIT,    /* "row" or "person", kept as bool */
    FIELD_BASIS,   /* "line", "stated" or "rest" */
    FIELD_REASON,  /* "crash" or "error" */
    FIELD_VERSION, /* SBL_LEDGER_OLDEST to SBL_LEDGER_VERSION */
    FIELD_WORDS    /* a text of people: bytes that are not plain are %XX, "-" is the empty one */
} field_kind;

typedef struct ledger_field {
    const char *key;
    field_kind kind;
    size_t offset; /* in sbl_ledger_view for the first line, else in sbl_ledger_line */
    const char *constant;
    unsigned since; /* the first version of a ledger that has it; 0: all */
} ledger_field;

#define FIRST_SINCE(key, kind, member, since)                     \
    {                                                             \
        key, kind, offsetof(sbl_ledger_view, member), NULL, since \
    }
#define FIRST(key, kind, member) FIRST_SINCE(key, kind, member, 0)
#define LINE_SINCE(key, kind, member, since)                      \
    {                                                             \
        key, kind, offsetof(sbl_ledger_line, member), NULL, since \
    }
#define LINE(key, kind, member) LINE_SINCE(key, kind, member, 0)
#define CONSTANT(key, text)             \
    {                                   \
        key, FIELD_CONSTANT, 0, text, 0 \
    }
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char first_word[] = SBL_LEDGER_MAGIC;

static const ledger_field first_fields[] = {
    FIRST("v", FIELD_VERSION, version),
    FIRST("id", FIELD_ID, id),
    FIRST("unit", FIELD_UNIT, facts.by_person),
    FIRST("rel", FIELD_RELATION, facts.neighbours),
    FIRST("rows_per_unit", FIELD_U64, facts.rows_per_unit),
    FIRST("budget_eps", FIELD_BUDGET, facts.budget.epsilon),
    FIRST("budget_delta", FIELD_BUDGET, facts.budget.delta),
    FIRST("budget_mu2", FIELD_U128, facts.budget.mu2),
    FIRST("key", FIELD_KEY, facts.test_key),
    FIRST_SINCE("earlier", FIELD_U64, facts.past.periods, 3),
    FIRST_SINCE("prev", FIELD_ID, facts.past.id, 3),
    FIRST_SINCE("prev_head", FIELD_HASH, facts.past.head, 3),
    FIRST_SINCE("past_mu2", FIELD_U128, facts.past.totals.charge.mu2, 3),
    FIRST_SINCE("past_eps0", FIELD_U128, facts.past.totals.charge.eps0, 3),
    FIRST_SINCE("past_delta", FIELD_U128, facts.past.totals.charge.delta, 3),
    FIRST_SINCE("past_draws", FIELD_U64, facts.past.totals.charge.draws, 3),
    FIRST_SINCE("past_releases", FIELD_U64, facts.past.totals.releases, 3),
    FIRST_SINCE("past_gaussian", FIELD_U64, facts.past.totals.gaussian_releases, 3),
    FIRST("t", FIELD_TIME, created),
};
static const ledger_field head_fields[] = {
    LINE("seq", FIELD_U64, seq),
    LINE("op", FIELD_OP, op),
};
static const ledger_field limit_fields[] = {
    LINE("budget_eps", FIELD_BUDGET, budget.epsilon),
    LINE("budget_delta", FIELD_BUDGET, budget.delta),
    LINE("budget_mu2", FIELD_U128, budget.mu2),
};
static const ledger_field charge_fields[] = {
    LINE("rid", FIELD_ID, rid),
    LINE("name", FIELD_NAME, entry.name),
    LINE_SINCE("who", FIELD_WORDS, entry.who, 3),
    LINE_SINCE("title", FIELD_WORDS, entry.title, 3),
    LINE("mech", FIELD_MECHANISM, entry.mechanism),
    LINE("rel", FIELD_RELATION, entry.neighbours),
    LINE("n", FIELD_ROWS, entry),
    LINE("plan", FIELD_HASH, entry.plan_hash),
    LINE("draws", FIELD_U64, entry.charge.draws),
    LINE("joint", FIELD_U128, entry.joint),
    CONSTANT("k", "56"),
    LINE("mu2", FIELD_U128, entry.charge.mu2),
    LINE("eps0", FIELD_U128, entry.charge.eps0),
    LINE("ddelta", FIELD_U128, entry.charge.delta),
};
static const ledger_field repair_fields[] = {
    CONSTANT("cause", "torn"),
    LINE("basis", FIELD_BASIS, basis),
    LINE("draws", FIELD_U64, entry.charge.draws),
    LINE("mu2", FIELD_U128, entry.charge.mu2),
    LINE("eps0", FIELD_U128, entry.charge.eps0),
    LINE("ddelta", FIELD_U128, entry.charge.delta),
};
static const ledger_field total_fields[] = {
    LINE("sum_mu2", FIELD_U128, totals.charge.mu2),
    LINE("sum_eps0", FIELD_U128, totals.charge.eps0),
    LINE("sum_delta", FIELD_U128, totals.charge.delta),
    LINE("sum_draws", FIELD_U64, totals.charge.draws),
    LINE("sum_releases", FIELD_U64, totals.releases),
    LINE("sum_gaussian", FIELD_U64, totals.gaussian_releases),
};
static const ledger_field commit_fields[] = {
    LINE("rid", FIELD_ID, rid),
    LINE("out", FIELD_HASH, release_hash),
};
static const ledger_field void_fields[] = {
    LINE("rid", FIELD_ID, rid),
    LINE("reason", FIELD_REASON, reason),
};
static const ledger_field succeed_fields[] = {
    LINE("next", FIELD_ID, next),
    LINE("reason", FIELD_WORDS, why),
};
static const ledger_field tail_fields[] = {LINE("t", FIELD_TIME, time)};

_Static_assert(SBL_NOISE_SCALE_BITS == 56, "the field k says 56");

static const char *const op_names[] = {"RESERVE", "COMMIT", "VOID", "LIMIT", "REPAIR", "SUCCEED"};
static const char *const basis_names[] = {"line", "stated", "rest"};

const char *sbl_ledger_op_name(sbl_ledger_op op) { return op_names[op]; }

const char *sbl_repair_basis_name(sbl_repair_basis basis) { return basis_names[basis]; }

/* What stands between the head and the time: at most two tables. */
typedef struct op_fields {
    const ledger_field *own;
    size_t own_count;
    const ledger_field *totals;
    size_t total_count;
} op_fields;

static const op_fields fields_of_op[] = {
    [SBL_LEDGER_RESERVE] = {charge_fields, COUNT(charge_fields), total_fields, COUNT(total_fields)},
    [SBL_LEDGER_COMMIT] = {commit_fields, COUNT(commit_fields), NULL, 0},
    [SBL_LEDGER_VOID] = {void_fields, COUNT(void_fields), NULL, 0},
    [SBL_LEDGER_LIMIT] = {limit_fields, COUNT(limit_fields), NULL, 0},
    [SBL_LEDGER_REPAIR] = {repair_fields, COUNT(repair_fields), total_fields, COUNT(total_fields)},
    [SBL_LEDGER_SUCCEED] = {succeed_fields, COUNT(succeed_fields), NULL, 0},
};

/* ---- writing ---- */

static void write_rows(sbl_text *text, const sbl_ledger_entry *entry)
{
    if (entry->n_public)
        sbl_text_printf(text, "%llu", (unsigned long long)entry->n);
    else
        sbl_text_printf(text, "private");
}

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";

/* A text of people in plain characters, in one way only. */
static void write_words(sbl_text *text, const char *words)
{
    if (words[0] == '\0') {
        sbl_text_printf(text, "-");
        return;
    }
    const bool alone = strcmp(words, "-") == 0; /* which would mean the empty text */
    for (const char *c = words; *c != '\0'; c++)
        if (strchr(plain, *c) != NULL && !alone)
            sbl_text_append(text, c, 1);
        else
            sbl_text_printf(text, "%%%02X", (unsigned)(unsigned char)*c);
}

static void write_value(sbl_text *text, const ledger_field *field, const void *at)
{
    char number[SBL_INT128_TEXT_SIZE];
    char hex[SBL_SHA256_TEXT_SIZE];
    const char *value = at; /* most kinds are kept as text */
    switch (field->kind) {
    case FIELD_CONSTANT:
        value = field->constant;
        break;
    case FIELD_U64:
        value = sbl_u128_to_text(number, *(const uint64_t *)at);
        break;
    case FIELD_U128:
        value = sbl_u128_to_text(number, *(const sbl_u128 *)at);
        break;
    case FIELD_HASH:
        value = sbl_hex_encode(hex, at, SBL_SHA256_SIZE);
        break;
    case FIELD_OP:
        value = sbl_ledger_op_name(*(const sbl_ledger_op *)at);
        break;
    case FIELD_MECHANISM:
        value = sbl_mechanism_name(*(const sbl_mechanism *)at);
        break;
    case FIELD_RELATION:
        value = sbl_neighbours_name(*(const sbl_neighbours *)at);
        break;
    case FIELD_BASIS:
        value = sbl_repair_basis_name(*(const sbl_repair_basis *)at);
        break;
    case FIELD_KEY:
        value = *(const bool *)at ? "test" : "system";
        break;
    case FIELD_UNIT:
        value = *(const bool *)at ? "person" : "row";
        break;
    case FIELD_VERSION:
        value = sbl_u128_to_text(number, *(const unsigned *)at);
        break;
    case FIELD_ROWS:
        write_rows(text, at);
        return;
    case FIELD_WORDS:
        write_words(text, at);
        return;
    default:
        break;
    }
    sbl_text_printf(text, "%s", value);
}

static void write_fields(sbl_text *text, const ledger_field *fields, size_t count, unsigned version,
                         const void *base)
{
    for (size_t i = 0; i < count; i++) {
        if (fields[i].since > version) continue;
        const char last = text->length == 0 ? ' ' : text->data[text->length - 1];
        sbl_text_printf(text, "%s%s=", last == ' ' ? "" : " ", fields[i].key);
        write_value(text, &fields[i], (const char *)base + fields[i].offset);
    }
}

void sbl_ledger_first_format(sbl_text *text, const sbl_ledger_view *view)
{
    sbl_text_printf(text, "%s", first_word);
    write_fields(text, first_fields, COUNT(first_fields), view->version, view);
}

void sbl_ledger_line_format(sbl_text *text, const sbl_ledger_line *line, unsigned version)
{
    const op_fields *fields = &fields_of_op[line->op];
    write_fields(text, head_fields, COUNT(head_fields), version, line);
    write_fields(text, fields->own, fields->own_count, version, line);
    write_fields(text, fields->totals, fields->total_count, version, line);
    write_fields(text, tail_fields, COUNT(tail_fields), version, line);
}

/* ---- reading ---- */

/* Longer values are refused; the longest that is allowed is a text whose bytes are all %XX. */
#define VALUE_SIZE (3 * SBL_LEDGER_TEXT_SIZE)

static bool read_plain(char *at, size_t size, const char *value)
{
    const size_t length = strlen(value);
    if (length == 0 || length >= size || strspn(value, plain) != length) return false;
    memcpy(at, value, length + 1);
    return true;
}

static bool read_id(char *at, const char *value)
{
    uint8_t bytes[SBL_LEDGER_ID_SIZE];
    if (!sbl_hex_decode(bytes, sizeof bytes, value)) return false;
    memcpy(at, value, SBL_LEDGER_ID_TEXT_SIZE);
    return true;
}

static bool read_time(char *at, const char *value)
{
    static const char pattern[] = "0000-00-00T00:00:00Z";
    for (size_t i = 0; i < sizeof pattern; i++) {
        const bool digit = value[i] >= '0' && value[i] <= '9';
        if (pattern[i] == '0' ? !digit : value[i] != pattern[i]) return false;
    }
    memcpy(at, value, sizeof pattern);
    return true;
}

static bool read_u64(uint64_t *at, const char *value)
{
    sbl_u128 number;
    if (!sbl_u128_from_text(&number, value, strlen(value)) || number > UINT64_MAX) return false;
    *at = (uint64_t)number;
    return true;
}

static bool read_version(unsigned *at, const char *value)
{
    uint64_t version;
    if (!read_u64(&version, value) || version < SBL_LEDGER_OLDEST || version > SBL_LEDGER_VERSION)
        return false;
    *at = (unsigned)version;
    return true;
}

/* The digit of a hexadecimal number, or 16. */
static unsigned digit_of(char c)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *found = memchr(digits, c, sizeof digits - 1);
    return found != NULL ? (unsigned)(found - digits) : 16;
}

/* As write_words() writes it, and nothing else: bytes that are plain are themselves. */
static bool read_words(char *at, const char *value)
{
    size_t length = 0;
    bool escaped_plain = false;
    for (const char *c = value; *c != '\0'; c++) {
        unsigned byte = (unsigned char)*c;
        if (*c == '%') {
            const unsigned high = digit_of(c[1]), low = high < 16 ? digit_of(c[2]) : 16;
            if (low == 16) return false;
            byte = 16 * high + low;
            c += 2;
            escaped_plain |= byte != 0 && strchr(plain, (int)byte) != NULL;
        } else if (strchr(plain, *c) == NULL) {
            return false;
        }
        if (byte == 0 || length + 1 >= SBL_LEDGER_TEXT_SIZE) return false;
        at[length++] = (char)byte;
    }
    at[length] = '\0';
    if (strcmp(value, "-") == 0) at[0] = '\0';
    return length > 0 && (!escaped_plain || strcmp(value, "%2D") == 0) && sbl_text_is_utf8(at) &&
           !sbl_text_has_control(at);
}

static bool read_rows(sbl_ledger_entry *entry, const char *value)
{
    entry->n_public = strcmp(value, "private") != 0;
    entry->n = 0;
    return entry->n_public ? read_u64(&entry->n, value) : true;
}

/* The number of value among names, or count. */
static size_t find_name(const char *const *names, size_t count, const char *value)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], value) != 0) i++;
    return i;
}

/* One of a short list of words; *index is its place. */
static bool read_word(size_t *index, const char *first, const char *second, const char *value)
{
    const char *const names[] = {first, second};
    *index = find_name(names, 2, value);
    return *index < 2;
}

static bool read_value(void *at, const ledger_field *field, const char *value)
{
    size_t index = 0;
    bool good;
    switch (field->kind) {
    case FIELD_CONSTANT:
        return strcmp(value, field->constant) == 0;
    case FIELD_U64:
        return read_u64(at, value);
    case FIELD_U128:
        return sbl_u128_from_text(at, value, strlen(value));
    case FIELD_ID:
        return read_id(at, value);
    case FIELD_HASH:
        return sbl_hex_decode(at, SBL_SHA256_SIZE, value);
    case FIELD_NAME:
        return read_plain(at, SBL_LEDGER_NAME_SIZE, value);
    case FIELD_BUDGET:
        return read_plain(at, SBL_BUDGET_TEXT_SIZE, value);
    case FIELD_TIME:
        return read_time(at, value);
    case FIELD_VERSION:
        return read_version(at, value);
    case FIELD_WORDS:
        return read_words(at, value);
    case FIELD_ROWS:
        return read_rows(at, value);
    case FIELD_OP:
        index = find_name(op_names, COUNT(op_names), value);
        *(sbl_ledger_op *)at = (sbl_ledger_op)index;
        return index < COUNT(op_names);
    case FIELD_MECHANISM:
        good = read_word(&index, sbl_mechanism_name(SBL_DISCRETE_GAUSSIAN),
                         sbl_mechanism_name(SBL_DISCRETE_LAPLACE), value);
        *(sbl_mechanism *)at = (sbl_mechanism)(index % 2);
        return good;
    case FIELD_RELATION:
        good = read_word(&index, sbl_neighbours_name(SBL_REPLACE_ONE), sbl_neighbours_name(SBL_ADD_REMOVE),
                         value);
        *(sbl_neighbours *)at = (sbl_neighbours)(index % 2);
        return good;
    case FIELD_BASIS:
        index = find_name(basis_names, COUNT(basis_names), value);
        *(sbl_repair_basis *)at = (sbl_repair_basis)(index % COUNT(basis_names));
        return index < COUNT(basis_names);
    case FIELD_KEY:
        good = read_word(&index, "system", "test", value);
        *(bool *)at = index != 0;
        return good;
    case FIELD_UNIT:
        good = read_word(&index, "row", "person", value);
        *(bool *)at = index != 0;
        return good;
    default: /* FIELD_REASON */
        good = read_word(&index, "crash", "error", value);
        memcpy(at, good ? value : "", good ? sizeof "crash" : 1);
        return good;
    }
}

typedef struct field_cursor {
    const char *at; /* start of the next field; at - 1 is a space once a field was read */
    const char *end;
    const char *last; /* end of the last field read */
} field_cursor;

static bool next_is(const field_cursor *cursor, const char *key)
{
    const size_t length = strlen(key);
    return (size_t)(cursor->end - cursor->at) > length && memcmp(cursor->at, key, length) == 0 &&
           cursor->at[length] == '=';
}

/* NULL, or the key of the first field that is not there or not good. version may be in base. */
static const char *read_fields(field_cursor *cursor, const ledger_field *fields, size_t count,
                               const unsigned *version, void *base)
{
    for (size_t i = 0; i < count; i++) {
        char value[VALUE_SIZE];
        if (fields[i].since > *version) continue;
        if (!next_is(cursor, fields[i].key)) return fields[i].key;
        const char *start = cursor->at + strlen(fields[i].key) + 1;
        const char *space = memchr(start, ' ', (size_t)(cursor->end - start));
        cursor->last = space != NULL ? space : cursor->end;
        cursor->at = space != NULL ? space + 1 : cursor->end;
        const size_t length = (size_t)(cursor->last - start);
        if (length >= sizeof value) return fields[i].key;
        memcpy(value, start, length);
        value[length] = '\0';
        if (!read_value((char *)base + fields[i].offset, &fields[i], value)) return fields[i].key;
    }
    return NULL;
}

const char *sbl_ledger_first_parse(sbl_ledger_view *view, size_t *body, const char *text, size_t length)
{
    const size_t skip = sizeof first_word - 1;
    *body = 0;
    if (length < skip || memcmp(text, first_word, skip) != 0) return "semblance-ledger";
    field_cursor cursor = {text + skip, text + length, text + skip};
    const char *bad = read_fields(&cursor, first_fields, COUNT(first_fields), &view->version, view);
    *body = (size_t)(cursor.last - text);
    return bad;
}

const char *sbl_ledger_line_parse(sbl_ledger_line *line, size_t *body, const char *text, size_t length,
                                  unsigned version)
{
    field_cursor cursor = {text, text + length, text};
    memset(line, 0, sizeof *line);
    const char *bad = read_fields(&cursor, head_fields, COUNT(head_fields), &version, line);
    const op_fields *fields = &fields_of_op[bad == NULL ? line->op : SBL_LEDGER_COMMIT];
    if (bad == NULL) bad = read_fields(&cursor, fields->own, fields->own_count, &version, line);
    if (bad == NULL) bad = read_fields(&cursor, fields->totals, fields->total_count, &version, line);
    if (bad == NULL) bad = read_fields(&cursor, tail_fields, COUNT(tail_fields), &version, line);
    *body = (size_t)(cursor.last - text);
    return bad;
}

bool sbl_ledger_hash_parse(uint8_t hash[SBL_SHA256_SIZE], const char *text, size_t length)
{
    char hex[SBL_SHA256_TEXT_SIZE];
    if (length != 3 + sizeof hex - 1 || memcmp(text, " h=", 3) != 0) return false;
    memcpy(hex, text + 3, sizeof hex - 1);
    hex[sizeof hex - 1] = '\0';
    return sbl_hex_decode(hash, SBL_SHA256_SIZE, hex);
}

sbl_status sbl_ledger_hash(uint8_t hash[SBL_SHA256_SIZE], const uint8_t previous[SBL_SHA256_SIZE],
                           const char *body, size_t length, sbl_error *err)
{
    char hex[SBL_SHA256_TEXT_SIZE];
    sbl_hex_encode(hex, previous, SBL_SHA256_SIZE);
    return sbl_sha256(hash, hex, sizeof hex - 1, body, length, err);
}
