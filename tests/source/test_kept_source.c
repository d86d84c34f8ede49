/* SPDX-License-Identifier: Apache-2.0 */
/* Records that are kept between readings: the same records, bit for bit, from memory and from a new reading; no more
 * bytes than were allowed; nothing is left of them unwiped; and a reading that fails or stops in the middle leaves
 * nothing half kept. */
#include <string.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "records/source/kept_source.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"
#include "support/fail_alloc.h"

FREES(sbl_source_close);

#define ROWS 5000
#define BATCH 777

/* ---- what is freed ---- */

static size_t wiped; /* bytes */

void __real_sbl_free_wiped(void *block, size_t size);
void __wrap_sbl_free_wiped(void *block, size_t size);
void __wrap_sbl_free_wiped(void *block, size_t size)
{
    if (block != NULL) wiped += size;
    __real_sbl_free_wiped(block, size);
}

/* ---- rows that are counted as they are read ---- */

typedef struct counted {
    sbl_records all;
    size_t next, readings, most; /* readings that came to their end; rows after which it fails */
    sbl_unit_tag tags[ROWS];
} counted;

static sbl_status read_counted(sbl_source *source, sbl_error *err)
{
    counted *c = source->state;
    const size_t left = c->all.rows - c->next;
    if (c->next >= c->most) return sbl_fail(err, SBL_EIO, "the disk is gone");
    source->batch = sbl_records_slice(&c->all, source->facts, c->next, left < BATCH ? left : BATCH);
    c->next += source->batch.rows;
    c->readings += source->batch.rows == 0;
    return SBL_OK;
}

static sbl_status rewind_counted(sbl_source *source, sbl_error *err)
{
    (void)err;
    ((counted *)source->state)->next = 0;
    return SBL_OK;
}

static void close_counted(sbl_source *source) { (void)source; }

static const sbl_source_kind counted_kind = {
    .read = read_counted, .rewind = rewind_counted, .close = close_counted};

typedef struct setting {
    sbl_facts facts;
    data_records records;
    counted rows;
} setting;

static void clear_setting(setting *s)
{
    data_records_clear(&s->records);
    sbl_facts_clear(&s->facts);
}

static void make(setting *s, data_case which, bool hostile, bool units)
{
    memset(s, 0, sizeof *s);
    data_facts(&s->facts, which);
    data_records_make(&s->records, &s->facts, ROWS, 5, hostile);
    s->rows.all = s->records.all;
    s->rows.most = SIZE_MAX;
    for (size_t r = 0; r < ROWS; r++) s->rows.tags[r] = (sbl_unit_tag){.low = r * 31, .high = r};
    if (units) s->rows.all.units = s->rows.tags;
}

static sbl_source *open_kept(setting *s, size_t most)
{
    sbl_source *rows, *kept;
    sbl_error err = {0};
    s->rows.next = s->rows.readings = 0;
    assert_int_equal(sbl_source_new(&rows, &counted_kind, 0, "rows", &s->facts, &err), SBL_OK);
    rows->state = &s->rows;
    rows->can_rewind = true;
    assert_int_equal(sbl_source_open_kept(&kept, rows, most, &err), SBL_OK);
    return kept;
}

static void same(const void *a, const void *b, size_t size)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL && size > 0) assert_memory_equal(a, b, size);
}

/* Are these the records from that row on? */
static void same_rows(const sbl_records *batch, const setting *s, size_t first)
{
    const sbl_records expected = sbl_records_slice(&s->rows.all, &s->facts, first, batch->rows);
    same(batch->numeric, expected.numeric, batch->rows * s->facts.heads.numeric_count * sizeof(double));
    same(batch->codes, expected.codes, batch->rows * s->facts.heads.categorical_count * sizeof(uint32_t));
    same(batch->labels, expected.labels, batch->rows * sizeof(uint32_t));
    same(batch->units, expected.units, batch->rows * sizeof(sbl_unit_tag));
    same(batch->misfits, expected.misfits, batch->rows * s->facts.columns);
}

/* One whole reading. */
static void read_all(sbl_source *kept, const setting *s)
{
    const sbl_records *batch;
    sbl_error err = {0};
    size_t rows = 0;
    for (;; rows += batch->rows) {
        assert_int_equal(sbl_source_read(kept, &batch, &err), SBL_OK);
        if (batch->rows == 0) break;
        same_rows(batch, s, rows);
    }
    assert_int_equal(rows, ROWS);
}

/* The same by waves. Returns: batches of the largest. */
static size_t read_waves(sbl_source *kept, const setting *s)
{
    const sbl_records *batches;
    sbl_error err = {0};
    size_t rows = 0, count, largest = 0;
    for (;;) {
        assert_int_equal(sbl_source_read_wave(kept, &batches, &count, &err), SBL_OK);
        if (count == 0) break;
        largest = count > largest ? count : largest;
        for (size_t k = 0; k < count; k++) {
            assert_true(batches[k].rows > 0);
            same_rows(&batches[k], s, rows);
            rows += batches[k].rows;
        }
    }
    assert_int_equal(rows, ROWS);
    return largest;
}

static void rewound(sbl_source *kept)
{
    sbl_error err = {0};
    assert_int_equal(sbl_source_rewind(kept, &err), SBL_OK);
}

/* ---- tests ---- */

TEST(later_readings_are_the_same_and_read_nothing)
{
    static const data_case tables[] = {DATA_LABELLED, DATA_REGRESSION, DATA_RULES};
    for (size_t i = 0; i < 2 * sizeof tables / sizeof *tables; i++) {
        CLEARED(clear_setting) setting s;
        make(&s, tables[i / 2], false, i % 2 == 0);
        FREED(sbl_source_close) sbl_source *kept = open_kept(&s, SIZE_MAX);
        for (int reading = 0; reading < 3; reading++, rewound(kept)) read_all(kept, &s);
        assert_int_equal(s.rows.readings, 1);
    }
}

/* Several batches at once for several threads; between them, one by one. */
TEST(waves_give_the_same_records)
{
    CLEARED(clear_setting) setting s;
    make(&s, DATA_LABELLED, false, true);
    const int threads = sbl_thread_limit();
    for (int many = 0; many < 2; many++) {
        sbl_thread_set(many ? 4 : 1);
        FREED(sbl_source_close) sbl_source *kept = open_kept(&s, SIZE_MAX);
        assert_int_equal(read_waves(kept, &s), 1); /* the rows come one batch at a time */
        rewound(kept);
        const size_t largest = read_waves(kept, &s);
#ifdef _OPENMP
        assert_int_equal(largest, many ? (ROWS + BATCH - 1) / BATCH : 1);
#else
        assert_int_equal(largest, 1);
#endif
        rewound(kept);
        read_all(kept, &s);
        assert_int_equal(s.rows.readings, 1);
    }
    sbl_thread_set(threads);
}

/* With one byte less than all takes nothing is kept. */
TEST(no_more_is_kept_than_may_be)
{
    CLEARED(clear_setting) setting s;
    size_t low = 0, high = (size_t)1 << 30; /* too few bytes, and enough */
    make(&s, DATA_LABELLED, false, true);
    while (high - low > 1) {
        const size_t most = low + (high - low) / 2;
        FREED(sbl_source_close) sbl_source *kept = open_kept(&s, most);
        read_all(kept, &s);
        rewound(kept);
        read_all(kept, &s);
        *(s.rows.readings == 1 ? &high : &low) = most;
    }
    assert_int_equal(high, (sbl_source_kept_bytes(&s.facts) + sizeof(sbl_unit_tag)) * ROWS);
    FREED(sbl_source_close) sbl_source *kept = open_kept(&s, 0);
    for (int reading = 0; reading < 2; reading++, rewound(kept)) read_all(kept, &s);
    assert_int_equal(s.rows.readings, 2);
}

TEST(what_was_kept_is_wiped)
{
    CLEARED(clear_setting) setting s;
    make(&s, DATA_LABELLED, false, true);
    const size_t least = sbl_source_kept_bytes(&s.facts) * ROWS;
    for (int how = 0; how < 3; how++) {
        sbl_source *kept = open_kept(&s, how == 2 ? least / 2 : SIZE_MAX);
        wiped = 0;
        read_all(kept, &s);
        if (how == 2) assert_in_range(wiped, 1, least); /* what was kept until there was no more room */
        if (how == 0) sbl_source_forget(kept);
        if (how == 0) assert_in_range(wiped, least, SIZE_MAX);
        rewound(kept);
        read_all(kept, &s);
        assert_int_equal(s.rows.readings, how == 1 ? 1 : 2);
        sbl_source_close(kept);
        if (how == 1) assert_in_range(wiped, least, SIZE_MAX);
    }
    sbl_source_forget(NULL);
}

TEST(half_a_reading_is_not_kept)
{
    CLEARED(clear_setting) setting s;
    const sbl_records *batch;
    sbl_error err = {0};
    make(&s, DATA_LABELLED, false, false);
    FREED(sbl_source_close) sbl_source *kept = open_kept(&s, SIZE_MAX);
    assert_int_equal(sbl_source_read(kept, &batch, &err), SBL_OK);
    rewound(kept); /* after a batch */
    s.rows.most = 3 * BATCH;
    for (int i = 0; i < 3; i++) assert_int_equal(sbl_source_read(kept, &batch, &err), SBL_OK);
    assert_int_equal(sbl_source_read(kept, &batch, &err), SBL_EIO);
    s.rows.most = SIZE_MAX;
    for (int reading = 0; reading < 2; reading++) {
        rewound(kept);
        read_all(kept, &s);
    }
    assert_int_equal(s.rows.readings, 1);
}

/* Then the rows are read again. */
TEST(short_memory_is_no_failure)
{
    CLEARED(clear_setting) setting s;
    make(&s, DATA_LABELLED, false, true);
    for (long n = 1; n < 60; n++) {
        FREED(sbl_source_close) sbl_source *kept = open_kept(&s, SIZE_MAX);
        sbl_test_fail_alloc(n);
        for (int reading = 0; reading < 2; reading++, rewound(kept)) read_all(kept, &s);
        assert_int_equal(s.rows.readings, sbl_test_fail_end() ? 2 : 1);
    }
}

/* Codes that no table has are not cut. */
TEST(records_of_another_kind_are_not_kept)
{
    CLEARED(clear_setting) setting s;
    make(&s, DATA_LABELLED, true, true);
    FREED(sbl_source_close) sbl_source *kept = open_kept(&s, SIZE_MAX);
    for (int reading = 0; reading < 2; reading++, rewound(kept)) read_all(kept, &s);
    assert_int_equal(s.rows.readings, 2);
}

TEST(a_source_that_cannot_be_made_frees_its_rows)
{
    CLEARED(clear_setting) setting s;
    make(&s, DATA_NUMBERS, false, false);
    for (long n = 0; sbl_test_fail_next(&n);) {
        sbl_source *rows, *kept;
        sbl_error err = {0};
        sbl_test_fail_alloc(0);
        assert_int_equal(sbl_source_new(&rows, &counted_kind, 0, "rows", &s.facts, &err), SBL_OK);
        rows->state = &s.rows;
        sbl_test_fail_alloc(n);
        if (sbl_test_no_memory(sbl_source_open_kept(&kept, rows, 1, &err))) assert_null(kept);
        sbl_source_close(kept);
    }
}
