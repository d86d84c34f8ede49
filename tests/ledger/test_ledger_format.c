/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a ledger: every field, the chain, what may follow what, the torn last line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/ledger/ledger_line.h"
#include "ledger/ledger_kit.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

static char path[512];
static char *sample; /* see kit_make_sample */

AROUND(setup)
{
    temp_folder_make(folder);
    (void)snprintf(path, sizeof path, "%s/l", folder);
    kit_make_sample(path);
    sample = slurp(path, NULL);
}

AROUND(teardown)
{
    free(sample);
    temp_folder_remove(folder);
}

static sbl_status parse(sbl_ledger_view *view, const char *text, sbl_error *err)
{
    return sbl_ledger_parse(view, text, strlen(text), "x.ledger", err);
}

/* The text must be refused in one line that names the file and holds `part`. */
static void expect_refused_bytes(const char *text, size_t size, const char *part)
{
    sbl_ledger_view view;
    sbl_error err = {0};
    assert_int_equal(sbl_ledger_parse(&view, text, size, "x.ledger", &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "x.ledger"));
    assert_null(strchr(err.message, '\n'));
    if (strstr(err.message, part) == NULL) fail_msg("'%s' lacks '%s'", err.message, part);
    assert_null(view.lines);
}

static void expect_refused(const char *text, const char *part)
{
    expect_refused_bytes(text, strlen(text), part);
}

static const char *line_of(const char *text, size_t line)
{
    for (size_t i = 1; i < line; i++) text = strchr(text, '\n') + 1;
    return text;
}

TEST(sample_reads_back_with_every_kind_of_line)
{
    CLEARED(sbl_ledger_view_clear) sbl_ledger_view view;
    sbl_error err = {0};
    assert_ok_or_say(parse(&view, sample, &err));
    static const sbl_ledger_op ops[] = {SBL_LEDGER_RESERVE, SBL_LEDGER_COMMIT,  SBL_LEDGER_RESERVE,
                                        SBL_LEDGER_VOID,    SBL_LEDGER_REPAIR,  SBL_LEDGER_RESERVE,
                                        SBL_LEDGER_LIMIT,   SBL_LEDGER_RESERVE, SBL_LEDGER_COMMIT};
    assert_int_equal(view.line_count, 9);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(view.lines[i].op, ops[i]);
        assert_int_equal(view.lines[i].seq, i + 1);
    }
    assert_true(view.lines[0].committed && !view.lines[0].voided);
    assert_true(view.lines[2].voided && !view.lines[2].committed);
    assert_string_equal(view.lines[3].reason, "error");
    assert_true(!view.lines[5].voided && !view.lines[5].committed);
    assert_int_equal(view.lines[1].release_hash[2], 3);
    assert_string_equal(view.lines[0].entry.name, "test.embed+counts");
    assert_int_equal(view.lines[4].basis, SBL_REPAIR_LINE);
    assert_true(view.lines[4].entry.charge.mu2 == SBL_FIXED96_ONE / 16);
    assert_string_equal(view.lines[4].budget.epsilon, "8");
    assert_string_equal(view.lines[6].rid, "");
    assert_string_equal(view.lines[6].budget.epsilon, "7");
    assert_string_equal(view.lines[8].budget.epsilon, "7");
    assert_string_equal(view.budget.delta, "1e-6");
    assert_string_equal(view.facts.budget.epsilon, "8");
    assert_int_equal(view.totals.releases, 5);
    assert_int_equal(view.totals.gaussian_releases, 3);
    assert_int_equal(view.totals.charge.draws, 60);
    assert_true(view.totals.charge.mu2 == 3 * (SBL_FIXED96_ONE / 16));
    assert_true(view.totals.charge.eps0 == 2 * (SBL_FIXED96_ONE / 8));
    assert_memory_equal(view.head, view.lines[8].hash, SBL_SHA256_SIZE);
    assert_false(view.torn);
    assert_int_equal(view.whole_size, strlen(sample));
}

/* Anyone can check the chain with sha256sum: hex of the line before, then the line before " h=". */
TEST(hash_is_sha256_of_previous_hex_and_line)
{
    char previous[SBL_SHA256_TEXT_SIZE];
    memset(previous, '0', 64);
    for (size_t line = 1; line <= 3; line++) {
        const char *text = line_of(sample, line);
        const size_t body = (size_t)(strstr(text, " h=") - text);
        uint8_t hash[SBL_SHA256_SIZE];
        char hex[SBL_SHA256_TEXT_SIZE];
        assert_ok(sbl_sha256(hash, previous, 64, text, body, NULL));
        sbl_hex_encode(hex, hash, sizeof hash);
        assert_memory_equal(text + body + 3, hex, 64);
        memcpy(previous, hex, 64);
    }
}

TEST(lines_hold_no_host_path_or_user)
{
    assert_null(strstr(sample, folder));
    assert_null(strstr(sample, "host"));
    assert_null(strstr(sample, "bin="));
    assert_null(strstr(sample, "data="));
}

typedef struct edit {
    size_t line;
    const char *key;
    const char *value;
    const char *named; /* the field the message must name; NULL: key */
} edit;

#define OTHER_ID "0123456789abcdef0123456789abcdef"
#define LONG_NAME "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define U128_MAX "340282366920938463463374607431768211455"

static const edit edits[] = {
    {1, "id", "0123", NULL},
    {1, "id", OTHER_ID "0", NULL},
    {1, "id", "0123456789ABCDEF0123456789abcdef", NULL},
    {1, "unit", "persons", NULL},
    {1, "rows_per_unit", "0", NULL},
    {1, "rel", "replace", NULL},
    {1, "rows_per_unit", "2", NULL},
    {1, "rows_per_unit", "01", NULL},
    {1, "budget_eps", "-1", NULL},
    {1, "budget_eps", "", NULL},
    {1, "budget_eps", "11111111111111111111111111111111", NULL},
    {1, "budget_delta", "1", NULL},
    {1, "budget_delta", "1e-5;", NULL},
    {1, "budget_mu2", "x", NULL},
    {1, "key", "none", NULL},
    {1, "t", "yesterday", NULL},
    {1, "t", "2026-01-31T23:59:59Zx", NULL},
    {1, "id", NULL, NULL},
    {1, "t", NULL, NULL},
    {2, "seq", "2", NULL},
    {2, "seq", "18446744073709551616", NULL},
    {2, "op", "REFUND", NULL},
    {2, "rid", "xyz", NULL},
    {2, "name", "two/words", NULL},
    {2, "name", LONG_NAME, NULL},
    {2, "mech", "laplace", NULL},
    {2, "rel", "add-remove", NULL},
    {2, "rel", "none", NULL},
    {2, "n", "private", NULL},
    {2, "n", "-4", NULL},
    {2, "plan", "00", NULL},
    {2, "plan", LONG_NAME "aa", NULL}, /* longer than any value may be */
    {2, "draws", "21", "sum_draws"},
    {2, "joint", "1", "mu2"},
    {2, "k", "55", NULL},
    {2, "mu2", "1", NULL},
    {2, "eps0", "1", NULL},
    {2, "ddelta", "7", "sum_delta"},
    {2, "sum_mu2", "1", NULL},
    {2, "sum_eps0", "1", NULL},
    {2, "sum_delta", "1", NULL},
    {2, "sum_draws", "1", NULL},
    {2, "sum_releases", "2", NULL},
    {2, "sum_gaussian", "0", NULL},
    {2, "t", "", NULL},
    {2, "rid", NULL, NULL},
    {3, "rid", OTHER_ID, NULL},
    {3, "out", "12", NULL},
    {3, "rid", NULL, NULL},
    {4, "draws", "20", NULL}, /* a pure release draws nothing Gaussian */
    {4, "joint", U128_MAX, NULL},
    {4, "ddelta", U128_MAX, "sum_delta"},
    {5, "reason", "refund", NULL},
    {5, "rid", OTHER_ID, NULL},
    {6, "cause", "edit", NULL},
    {6, "basis", "guess", NULL},
    {6, "basis", "rest", NULL}, /* gives up everything: charges nothing by itself */
    {6, "mu2", "1", "sum_mu2"},
    {6, "sum_draws", NULL, NULL},
    {8, "budget_eps", "8.5", NULL},
    {8, "budget_eps", "none", NULL},
    {8, "budget_eps", "-1", NULL},
    {8, "budget_delta", "1e-4", "budget_eps"},
    {8, "budget_mu2", NULL, NULL},
    {8, "t", NULL, NULL},
};

TEST(any_edited_field_is_refused_by_name_even_with_a_new_hash)
{
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        char part[64];
        FREED(free) char *text = kit_edit(sample, edits[i].line, edits[i].key, edits[i].value);
        const char *named = edits[i].named != NULL ? edits[i].named : edits[i].key;
        (void)snprintf(part, sizeof part, "%s", named);
        expect_refused(text, part);
        (void)snprintf(part, sizeof part, "line %zu", edits[i].line);
        expect_refused(text, part);
    }
}

TEST(any_changed_byte_without_a_new_hash_is_refused)
{
    char *text = strdup(sample);
    const size_t size = strlen(text);
    for (size_t i = 0; i < size; i += 7) {
        const char before = text[i];
        if (before == '\n') continue;
        text[i] = before == '1' ? '2' : '1';
        sbl_ledger_view view;
        assert_int_equal(parse(&view, text, NULL), SBL_EINPUT);
        text[i] = before;
    }
    free(text);
}

TEST(edited_last_line_is_refused_and_not_taken_for_torn)
{
    FREED(free) char *text = strdup(sample);
    text[strlen(text) - 2] = text[strlen(text) - 2] == '0' ? '1' : '0';
    expect_refused(text, "field 'h'");
}

TEST(totals_that_overflow_are_refused)
{
    FREED(free) char *one = kit_edit(sample, 2, "ddelta", U128_MAX);
    FREED(free) char *two = kit_edit(one, 2, "sum_delta", U128_MAX);
    FREED(free) char *three = kit_edit(two, 4, "ddelta", "1");
    expect_refused(three, "line 4: field 'mu2'");
}

TEST(line_taken_out_or_swapped_is_refused)
{
    const char *third = line_of(sample, 3);
    const char *fourth = line_of(sample, 4);
    FREED(free) char *text = calloc(1, strlen(sample) + 1);
    memcpy(text, sample, (size_t)(third - sample));
    strcat(text, fourth);
    expect_refused(text, "line 3: field 'h'");
    FREED(free) char *rehashed = kit_rehash(text);
    expect_refused(rehashed, "line 3: field 'seq'");
}

TEST(second_commit_of_a_release_is_refused)
{
    CLEARED(sbl_ledger_view_clear) sbl_ledger_view view;
    assert_ok(parse(&view, sample, NULL));
    for (size_t closed = 0; closed < 3; closed += 2) { /* a committed and a voided one */
        FREED(free) char *text = kit_edit(sample, 10, "rid", view.lines[closed].rid);
        expect_refused(text, "line 10: field 'rid'");
    }
}

TEST(commit_of_a_later_reservation_is_refused)
{
    CLEARED(sbl_ledger_view_clear) sbl_ledger_view view;
    assert_ok(parse(&view, sample, NULL));
    FREED(free) char *text = kit_edit(sample, 3, "rid", view.lines[7].rid);
    expect_refused(text, "line 3: field 'rid'");
}

TEST(other_files_are_refused_as_such)
{
    char *text = kit_edit(sample, 1, "v", "1");
    expect_refused(text, "does not have version 2");
    free(text);
    expect_refused("", "is empty");
    expect_refused("hello\n", "not a ledger");
    expect_refused("semblance-ledger\n", "not a ledger");
    expect_refused("semblance-ledger \n", "does not have version 2");
    expect_refused_bytes(sample, 20, "within its first line");
}

TEST(malformed_hash_is_refused)
{
    static const char *const ends[] = {" h=00\n", " hh=" LONG_NAME "\n", " h=" LONG_NAME "\n"};
    const size_t body = (size_t)(strstr(sample, " h=") - sample);
    char text[1024];
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(text, sizeof text, "%.*s%s", (int)body, sample, ends[i]);
        expect_refused(text, "line 1: field 'h'");
    }
    (void)snprintf(text, sizeof text, "%.*s h=%.63sg\n", (int)body, sample, LONG_NAME);
    expect_refused(text, "line 1: field 'h'");
    /* Anything between t= and h=. */
    (void)snprintf(text, sizeof text, "%.*s x=1%s", (int)body, sample, sample + body);
    expect_refused(text, "line 1: field 'h'");
}

TEST(overlong_line_and_binary_inside_are_refused)
{
    const size_t first = (size_t)(line_of(sample, 2) - sample);
    char *text = calloc(1, first + 5000);
    memcpy(text, sample, first);
    memset(text + first, 'a', 4096);
    expect_refused(text, "line 2 is not a line of a ledger");
    strcat(text, "\n");
    expect_refused(text, "line 2 is not a line of a ledger");
    free(text);
    static const char unwritten[] = {1, '\t', (char)0x7f, (char)0xc3};
    for (size_t i = 0; i < sizeof unwritten; i++) {
        text = strdup(sample);
        text[first + 4] = unwritten[i];
        expect_refused(text, "line 2 is not a line of a ledger");
        free(text);
    }
}

/* Cut anywhere in the last line: verified up to there, and told apart. */
TEST(last_line_cut_anywhere_is_torn)
{
    const size_t last = (size_t)(line_of(sample, 9) - sample);
    const size_t end = (size_t)(line_of(sample, 10) - sample); /* line 9 is a RESERVE */
    const size_t hash_at = (size_t)(strstr(sample + last, " h=") - sample);
    const size_t mu2_end = (size_t)(strstr(sample + last, " eps0=") - sample);
    sbl_u128 least = 0;
    for (size_t size = last + 1; size < end; size++) {
        CLEARED(sbl_ledger_view_clear) sbl_ledger_view view;
        assert_ok(sbl_ledger_parse(&view, sample, size, "x", NULL));
        assert_true(view.torn);
        assert_int_equal(view.line_count, 7);
        assert_int_equal(view.whole_size, last);
        assert_int_equal(view.torn_size, size - last);
        assert_memory_equal(view.head, view.lines[6].hash, SBL_SHA256_SIZE);
        /* What it charges is known once all its fields are there; it is not charged yet. */
        assert_int_equal(view.totals.releases, 4);
        assert_int_equal(view.torn_is_known, size >= hash_at);
        /* Before that the digits that are there say the least that it can have been. */
        assert_true(view.torn_charge.mu2 >= least && view.torn_charge.mu2 <= SBL_FIXED96_ONE / 16);
        least = view.torn_charge.mu2;
        assert_int_equal(least == SBL_FIXED96_ONE / 16, size >= mu2_end);
    }
}

TEST(torn_line_that_contradicts_itself_has_no_known_charge)
{
    sbl_ledger_view view;
    static const edit wrong[] = {{2, "mu2", "1", NULL}, {2, "rel", "add-remove", NULL}};
    for (size_t i = 0; i < 2; i++) {
        FREED(free) char *text = kit_edit(sample, 2, wrong[i].key, wrong[i].value);
        const size_t size = (size_t)(line_of(text, 3) - text) - 1;
        assert_ok(sbl_ledger_parse(&view, text, size, "x", NULL));
        assert_true(view.torn && !view.torn_is_known);
        sbl_ledger_view_clear(&view);
    }
    /* A torn REPAIR had replaced another torn line, of which nothing is known any more. */
    const size_t size = (size_t)(line_of(sample, 7) - sample) - 1;
    assert_ok(sbl_ledger_parse(&view, sample, size, "x", NULL));
    assert_true(view.torn && !view.torn_is_known);
    sbl_ledger_view_clear(&view);
}

TEST(torn_commit_void_and_limit_are_known_to_charge_nothing)
{
    static const size_t lines[] = {3, 5, 8};
    for (size_t i = 0; i < 3; i++) {
        sbl_ledger_view view;
        const char *start = line_of(sample, lines[i]);
        const size_t word = (size_t)(strchr(strstr(start, "op="), ' ') - sample);
        assert_ok(sbl_ledger_parse(&view, sample, word, "x", NULL));
        assert_true(view.torn && view.torn_is_known && view.torn_charge.mu2 == 0);
        sbl_ledger_view_clear(&view);
        assert_ok(sbl_ledger_parse(&view, sample, word - 1, "x", NULL));
        assert_true(view.torn && !view.torn_is_known); /* "COMMI" could be anything */
        sbl_ledger_view_clear(&view);
    }
}

TEST(torn_charge_that_overflows_is_not_known)
{
    CLEARED(sbl_ledger_view_clear) sbl_ledger_view view;
    FREED(free) char *one = kit_edit(sample, 2, "ddelta", U128_MAX);
    FREED(free) char *two = kit_edit(one, 2, "sum_delta", U128_MAX);
    FREED(free) char *three = kit_edit(two, 4, "ddelta", "1");
    const size_t size = (size_t)(line_of(three, 5) - three) - 1;
    assert_ok(sbl_ledger_parse(&view, three, size, "x", NULL));
    assert_true(view.torn && !view.torn_is_known);
}

/* Blocks that never reached the disk read as zeros: at the end only, since it is written in order.
 */
TEST(zeros_after_the_last_whole_byte_are_torn)
{
    sbl_ledger_view view;
    const size_t size = strlen(sample);
    FREED(free) char *text = calloc(1, size + 9000);
    memcpy(text, sample, size);
    assert_ok(sbl_ledger_parse(&view, text, size + 8192, "x", NULL));
    assert_true(view.torn && !view.torn_is_known);
    assert_int_equal(view.line_count, 9);
    assert_int_equal(view.torn_size, 8192);
    sbl_ledger_view_clear(&view);
    memcpy(text + size, "seq=10 op=RES", 13);
    assert_ok(sbl_ledger_parse(&view, text, size + 512, "x", NULL));
    assert_true(view.torn);
    sbl_ledger_view_clear(&view);
}

/* The charge of a damaged line must never become nothing. */
TEST(damage_that_no_crash_leaves_is_refused)
{
    const size_t size = strlen(sample);
    const size_t start = (size_t)(line_of(sample, 10) - sample);
    char *text = calloc(1, size + 64);
    memcpy(text, sample, size);
    text[size - 20] = 1; /* a whole last line with one bad byte */
    expect_refused_bytes(text, size, "line 10 is not a line of a ledger");
    memcpy(text, sample, size);
    memset(text + size - 50, 0, 20); /* zeros within it */
    expect_refused_bytes(text, size, "line 10 is not a line of a ledger");
    memcpy(text, sample, size);
    text[size - 1] = 'x';  /* not a beginning: too long by one */
    text[start + 4] = '8'; /* and not of the next line */
    expect_refused_bytes(text, size, "line 10 is not a line of a ledger");
    memcpy(text, sample, size);
    text[size - 30] = 0; /* without its end, zeros and then more */
    expect_refused_bytes(text, size - 1, "line 10 is not a line of a ledger");
    memcpy(text, sample, size);
    text[size - 30] = 7; /* without its end, a byte that is never written */
    expect_refused_bytes(text, size - 1, "line 10 is not a line of a ledger");
    free(text);
    text = calloc(1, size + 5000);
    memcpy(text, sample, size);
    memcpy(text + size, "seq=10 op=", 10);
    memset(text + size + 10, 'a', 4200); /* longer than any line */
    expect_refused_bytes(text, size + 4210, "line 11 is not a line of a ledger");
    free(text);
}

TEST(nothing_is_reserved_after_the_rest_was_given_up)
{
    /* Line 6 gives up the rest, and charges nothing itself: the sums say so, and so on. */
    const char *line = line_of(sample, 6);
    const char *next = line_of(sample, 7);
    char *text = calloc(1, strlen(sample) + 1);
    memcpy(text, sample, (size_t)(line - sample));
    char field[4096];
    (void)snprintf(field, sizeof field, "%.*s", (int)(next - line), line);
    sbl_ledger_view view;
    assert_ok(sbl_ledger_parse(&view, text, strlen(text), "x", NULL));
    char sum[64];
    sbl_text made = {0};
    sbl_text_append(&made, text, strlen(text));
    sbl_text_printf(&made, "seq=5 op=REPAIR cause=torn basis=rest draws=0 mu2=0 eps0=0 ddelta=0");
    sbl_text_printf(&made, " sum_mu2=%s", sbl_u128_to_text(sum, view.totals.charge.mu2));
    sbl_text_printf(&made, " sum_eps0=%s sum_delta=0 sum_draws=20 sum_releases=2 sum_gaussian=1",
                    sbl_u128_to_text(sum, view.totals.charge.eps0));
    sbl_text_printf(&made, " t=2026-01-31T23:59:59Z h=\n");
    sbl_ledger_view_clear(&view);
    char *ended = kit_rehash(made.data);
    assert_ok(parse(&view, ended, NULL));
    assert_true(view.exhausted && view.totals.releases == 2);
    sbl_ledger_view_clear(&view);
    sbl_text_clear(&made);
    sbl_text_printf(&made, "%sseq=6 %s", ended, strchr(line_of(sample, 2), ' ') + 1);
    char *once_more = kit_rehash(made.data);
    expect_refused(once_more, "line 7: field 'op'");
    sbl_text_clear(&made);
    free(once_more);
    free(ended);
    free(text);
}

TEST(op_names_are_those_in_the_file)
{
    assert_string_equal(sbl_ledger_op_name(SBL_LEDGER_RESERVE), "RESERVE");
    assert_string_equal(sbl_ledger_op_name(SBL_LEDGER_COMMIT), "COMMIT");
    assert_string_equal(sbl_ledger_op_name(SBL_LEDGER_VOID), "VOID");
    assert_string_equal(sbl_ledger_op_name(SBL_LEDGER_LIMIT), "LIMIT");
    assert_string_equal(sbl_ledger_op_name(SBL_LEDGER_REPAIR), "REPAIR");
    assert_string_equal(sbl_repair_basis_name(SBL_REPAIR_STATED), "stated");
}

ALL_TESTS(setup, teardown)
