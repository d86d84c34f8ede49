/* SPDX-License-Identifier: Apache-2.0 */
/* Sources: the same records from a file, from memory, in any batches, on any number of threads and
 * after a rewind; and what cannot be read twice says so. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "after/sinks/sink.h"
#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/file.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"
#include "run/pipeline/gather.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"

FREES(sbl_source_close);

#define ROWS 9000       /* more than a batch of rows */
#define MANY_ROWS 60000 /* more than five threads read at once */
/* Every feature sees them, a network among them: more slices than three threads (sbl_slice_rows), the
 * last one not full. */
#define SUM_ROWS 420
#define SUM_IMAGES 70
#define FEW 300

/* Data in files, and as the source gives it. */
typedef struct stored {
    sbl_facts facts; /* that it was made from */
    sbl_facts own;   /* images: that the source found */
    char data[320], labels[320];
    sbl_table table;
    sbl_image_place place;
    bool balanced;
} stored;

static const sbl_facts *facts_of(const stored *s)
{
    return s->facts.kind == SBL_DATA_IMAGES ? &s->own : &s->facts;
}

static void store(stored *s, data_case which, size_t rows, uint64_t seed)
{
    CLEARED(data_records_clear) data_records records;
    sbl_sink *sink;
    sbl_error err = {0};
    *s = (stored){0};
    data_facts(&s->facts, which);
    data_records_make(&records, &s->facts, rows, seed, false);
    const sbl_drawn drawn = {records.numeric, .codes = records.codes, .pixels = records.pixels,
                             .labels = records.labels};
    sbl_status status;
    if (s->facts.kind == SBL_DATA_TABLE) {
        (void)snprintf(s->data, sizeof s->data, "%s/t%d.csv", folder, (int)which);
        status = sbl_sink_open_table(&sink, s->data, NULL, &s->facts, true, &err);
    } else {
        char place[270];
        (void)snprintf(place, sizeof place, "%s/set%d", folder, (int)which);
        const sbl_image_folder target = {.folder = place};
        const int depth = s->facts.images.channels == 3 ? 4 : 3;
        (void)snprintf(s->data, sizeof s->data, "%s/images-idx%d-ubyte.gz", place, depth);
        (void)snprintf(s->labels, sizeof s->labels, "%s/labels-idx1-ubyte.gz", place);
        status = sbl_sink_open_images(&sink, &target, rows, &s->facts, true, &err);
        s->place = (sbl_image_place){s->data, .labels = s->facts.classes > 1 ? s->labels : NULL,
                                     .classes = s->facts.images.classes};
    }
    if (status != SBL_OK || sbl_sink_write(sink, &drawn, rows, &err) != SBL_OK ||
        sbl_sink_finish(sink, &err) != SBL_OK)
        fail_msg("%s", err.message);
    sbl_sink_close(sink);
}

static sbl_status open_stored(sbl_source **source, stored *s, sbl_error *err)
{
    s->table = sbl_csv_table(s->data);
    return s->facts.kind == SBL_DATA_TABLE
               ? sbl_source_open_rows(source, &s->table, &s->facts, NULL, NULL, err)
               : sbl_source_open_images(source, &s->own, &s->place, s->balanced, err);
}

static sbl_source *opened(stored *s)
{
    sbl_source *source;
    sbl_error err = {0};
    assert_ok_or_say(open_stored(&source, s, &err));
    assert_ptr_equal(source->facts, facts_of(s));
    return source;
}

static void stored_clear(stored *s)
{
    sbl_facts_clear(&s->own);
    sbl_facts_clear(&s->facts);
}

/* ---- the records of a source ---- */

static void *grown(void *list, const void *more, size_t before, size_t count, size_t size)
{
    if (more == NULL) return list;
    list = realloc(list, (before + count) * size + 1);
    memcpy((char *)list + before * size, more, count * size);
    return list;
}

/* All that it gives from where it stands, with malloc's memory. */
static data_records read_all(sbl_source *source)
{
    const sbl_facts *facts = source->facts;
    data_records all = {0};
    sbl_error err = {0};
    for (const sbl_records *batch;;) {
        assert_ok_or_say(sbl_source_read(source, &batch, &err));
        if (batch->rows == 0) break;
        const size_t before = all.all.rows, rows = batch->rows;
        const size_t numbers = facts->heads.numeric_count, codes = facts->heads.categorical_count;
        const size_t pixels = facts->shape.numeric;
        all.numeric = grown(all.numeric, batch->numeric, before * numbers, rows * numbers, 8);
        all.codes = grown(all.codes, batch->codes, before * codes, rows * codes, 4);
        all.pixels = grown(all.pixels, batch->pixels, before * pixels, rows * pixels, 1);
        all.labels = grown(all.labels, batch->labels, before, rows, 4);
        all.all.rows += rows;
    }
    all.all = (sbl_records){all.numeric, .codes = all.codes, .pixels = all.pixels, .labels = all.labels,
                            .rows = all.all.rows};
    return all;
}

static void free_all(data_records *all)
{
    free(all->numeric);
    free(all->codes);
    free(all->pixels);
    free(all->labels);
}

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, size) == 0);
}

static bool same_records(const data_records *a, const data_records *b, const sbl_facts *facts)
{
    const size_t rows = a->all.rows;
    return rows == b->all.rows && same_bytes(a->numeric, b->numeric, rows * facts->heads.numeric_count * 8) &&
           same_bytes(a->codes, b->codes, rows * facts->heads.categorical_count * 4) &&
           same_bytes(a->pixels, b->pixels, rows * facts->shape.numeric) &&
           same_bytes(a->labels, b->labels, rows * 4);
}

TEST(records_are_those_that_were_stored)
{
    for (data_case c = 0; c < DATA_CASES; c++) {
        CLEARED(stored_clear) stored s;
        CLEARED(data_records_clear) data_records made;
        store(&s, c, FEW, 1);
        data_records_make(&made, &s.facts, FEW, 1, false);
        FREED(sbl_source_close) sbl_source *source = opened(&s);
        CLEARED(free_all) data_records all = read_all(source);
        const sbl_facts *facts = source->facts;
        assert_int_equal(all.all.rows, FEW);
        assert_int_equal(source->count, facts->kind == SBL_DATA_IMAGES ? FEW : 0);
        assert_true(source->can_rewind);
        assert_true((all.labels != NULL) == (facts->classes > 1));
        assert_true(same_bytes(all.codes, made.codes, FEW * facts->heads.categorical_count * 4));
        assert_true(same_bytes(all.pixels, made.pixels, FEW * facts->shape.numeric));
        assert_true(same_bytes(all.labels, made.labels, FEW * 4));
        for (size_t i = 0; all.numeric != NULL && i < FEW * facts->heads.numeric_count; i++)
            assert_true(all.numeric[i] >= 0 && all.numeric[i] <= 1);
        /* nothing comes after the end */
        const sbl_records *batch;
        assert_ok(sbl_source_read(source, &batch, NULL));
        assert_int_equal(batch->rows, 0);
    }
}

TEST(images_say_their_facts_themselves)
{
    CLEARED(stored_clear) stored s;
    store(&s, DATA_DIGITS, FEW, 1);
    s.balanced = true;
    sbl_source *source = opened(&s);
    assert_int_equal(s.own.kind, SBL_DATA_IMAGES);
    assert_int_equal(s.own.classes, 3);
    assert_true(s.own.images.height == 5 && s.own.images.width == 4);
    assert_true(s.own.balanced && !s.own.files);
    sbl_source_close(source);
    sbl_facts_clear(&s.own);
    s.place.labels = NULL; /* then there are no classes to declare */
    assert_int_equal(open_stored(&source, &s, NULL), SBL_EARG);
    assert_null(source);
    assert_int_equal(s.own.classes, 0);
}

/* ---- again ---- */

TEST(rewind_gives_the_same_records_again)
{
    for (data_case c = 0; c < DATA_CASES; c++)
        for (int memory = 0; memory < 2; memory++) {
            CLEARED(stored_clear) stored s;
            CLEARED(data_records_clear) data_records kept;
            store(&s, c, ROWS, 2);
            data_records_make(&kept, &s.facts, ROWS, 2, false);
            FREED(sbl_source_close) sbl_source *source = NULL;
            if (memory)
                assert_ok(sbl_source_open_memory(&source, &kept.all, "here", &s.facts, NULL));
            else
                source = opened(&s);
            CLEARED(free_all) data_records first = read_all(source);
            assert_int_equal(first.all.rows, ROWS);
            for (int i = 0; i < 2; i++) { /* from the end, then from the middle */
                const sbl_records *batch;
                assert_ok(sbl_source_rewind(source, NULL));
                data_records again = read_all(source);
                assert_true(same_records(&first, &again, source->facts));
                free_all(&again);
                assert_ok(sbl_source_rewind(source, NULL));
                assert_ok(sbl_source_read(source, &batch, NULL));
            }
        }
}

/* A file of several waves of ranges, at the end and from the beginning again. */
TEST(threads_that_read_a_file_give_the_records_of_one)
{
    const int before = sbl_thread_limit();
    for (data_case c = 0; c < DATA_DIGITS; c++) {
        CLEARED(stored_clear) stored s;
        data_records expected;
        store(&s, c, MANY_ROWS, 6);
        for (int threads = 1; threads <= 5; threads += 2) {
            sbl_thread_set(threads);
            FREED(sbl_source_close) sbl_source *source = opened(&s);
            for (int pass = 0; pass < 2; pass++) {
                data_records all = read_all(source);
                assert_int_equal(all.all.rows, MANY_ROWS);
                assert_true(threads == 1 || same_records(&expected, &all, source->facts));
                assert_ok(sbl_source_rewind(source, NULL));
                if (threads == 1 && pass == 0)
                    expected = all;
                else
                    free_all(&all);
            }
        }
        free_all(&expected);
    }
    sbl_thread_set(before);
}

/* The time of a file's last change, seconds apart whatever the clock does. */
static void age(const char *path, time_t seconds)
{
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

TEST(file_that_changed_is_not_read_again)
{
    static const data_case cases[] = {DATA_LABELLED, DATA_DIGITS, DATA_DIGITS, DATA_COLOURS};
    for (size_t i = 0; i < 4; i++) /* i = 2: the labels only */
        for (int how = 0; how < 3; how++) {
            CLEARED(stored_clear) stored s;
            sbl_error err = {0};
            store(&s, cases[i], FEW, 3);
            const char *path = i == 2 ? s.labels : s.data;
            age(path, 1000000);
            FREED(sbl_source_close) sbl_source *source = opened(&s);
            CLEARED(free_all) data_records all = read_all(source);
            if (how == 0) age(path, 1000001); /* written anew, with whatever */
            if (how == 1) assert_int_equal(truncate(path, 20), 0);
            if (how == 2) assert_int_equal(unlink(path), 0);
            if (how != 0 && how != 2) age(path, 1000000);
            assert_int_equal(sbl_source_rewind(source, &err), SBL_EINPUT);
            assert_non_null(strstr(err.message, "changed after the first reading"));
        }
}

/* The file's bytes through a pipe: its name is /proc/self/fd/N. Small enough to fit. */
static int piped(char name[64], const char *path)
{
    int ends[2];
    uint8_t *bytes;
    size_t size;
    assert_ok(sbl_file_read(&bytes, &size, path, 60000, NULL));
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, size), (ssize_t)size);
    assert_int_equal(close(ends[1]), 0);
    (void)snprintf(name, 64, "/proc/self/fd/%d", ends[0]);
    sbl_free(bytes);
    return ends[0];
}

TEST(stream_is_read_once)
{
    static const data_case cases[] = {DATA_LABELLED, DATA_COLOURS};
    for (size_t i = 0; i < 2; i++) {
        CLEARED(stored_clear) stored s;
        char name[64];
        sbl_error err = {0};
        store(&s, cases[i], FEW, 4);
        sbl_source *source = opened(&s);
        data_records whole = read_all(source);
        sbl_source_close(source);
        sbl_facts_clear(&s.own);
        const int end = piped(name, s.data);
        (void)snprintf(s.data, sizeof s.data, "%s", name);
        source = opened(&s);
        assert_false(source->can_rewind);
        data_records all = read_all(source);
        assert_true(same_records(&whole, &all, source->facts));
        assert_int_equal(sbl_source_rewind(source, &err), SBL_EARG);
        assert_non_null(strstr(err.message, "cannot be read again"));
        free_all(&whole);
        free_all(&all);
        sbl_source_close(source);
        assert_int_equal(close(end), 0);
    }
}

/* ---- what is not there, and what is empty ---- */

TEST(source_that_cannot_be_opened_leaves_nothing)
{
    stored s;
    sbl_source *source = (sbl_source *)1;
    sbl_error err = {0};
    data_facts(&s.facts, DATA_LABELLED);
    assert_int_equal(sbl_source_open_rows(&source, (sbl_table[1]){sbl_csv_table("/nonexistent/t.csv")},
                                          &s.facts, NULL, NULL, &err),
                     SBL_EIO);
    assert_null(source);
    const sbl_image_place place = {.images = "/nonexistent/set"};
    source = (sbl_source *)1;
    assert_int_not_equal(sbl_source_open_images(&source, &s.own, &place, false, &err), SBL_OK);
    assert_null(source);
    assert_null(s.own.shape.offsets);
    sbl_source_close(NULL);
    sbl_facts_clear(&s.facts);
}

TEST(empty_sources_end_at_once)
{
    for (data_case c = 0; c < DATA_CASES; c++)
        for (int memory = 0; memory < 2; memory++) {
            stored s = {0};
            data_records none;
            const sbl_records *batch;
            if (memory)
                data_facts(&s.facts, c);
            else if (c < DATA_DIGITS) /* a set of no images is not written: tests/image reads one */
                store(&s, c, 0, 1);
            else
                continue;
            data_records_make(&none, &s.facts, 0, 1, false);
            sbl_source *source = NULL;
            if (memory)
                assert_ok(sbl_source_open_memory(&source, &none.all, "here", &s.facts, NULL));
            else
                source = opened(&s);
            assert_ok(sbl_source_read(source, &batch, NULL));
            assert_int_equal(batch->rows, 0);
            assert_int_equal(source->count, 0);
            sbl_source_close(source);
            data_records_clear(&none);
            stored_clear(&s);
        }
}

static void count_names(void *context, const char *name)
{
    size_t *count = context;
    assert_string_equal(name, "more");
    ++*count;
}

TEST(column_beyond_the_schema_is_named_once)
{
    static const char text[] = "age,power,more,dose\n1,0.5,secret,2\n2,0.25,secret,3\n";
    const char *path = in_folder(folder, "more.csv");
    CLEARED(sbl_facts_clear) sbl_facts facts;
    FREED(sbl_source_close) sbl_source *source;
    size_t count = 0;
    const sbl_file_write_options over = {.mode = 0600, .overwrite = true};
    assert_ok(sbl_file_write(path, text, strlen(text), over, NULL));
    data_facts(&facts, DATA_NUMBERS);
    assert_ok(sbl_source_open_rows(&source, (sbl_table[1]){sbl_csv_table(path)}, &facts, count_names, &count,
                                   NULL));
    for (int i = 0; i < 2; i++) {
        data_records all = read_all(source);
        assert_int_equal(all.all.rows, 2);
        free_all(&all);
        assert_ok(sbl_source_rewind(source, NULL));
    }
    assert_int_equal(count, 1);
}

/* Whatever a cell holds, its row is there: how many there are must not tell of one. */
TEST(row_with_unreadable_cells_is_a_row)
{
    static const char text[] = "age,power,dose\n1,0.5,2\n,,\nx,\"y\",1e999\n-7,nan,\n";
    const char *path = in_folder(folder, "unreadable.csv");
    CLEARED(sbl_facts_clear) sbl_facts facts;
    FREED(sbl_source_close) sbl_source *source;
    const sbl_file_write_options over = {.mode = 0600, .overwrite = true};
    assert_ok(sbl_file_write(path, text, strlen(text), over, NULL));
    data_facts(&facts, DATA_NUMBERS);
    assert_ok(sbl_source_open_rows(&source, (sbl_table[1]){sbl_csv_table(path)}, &facts, NULL, NULL, NULL));
    CLEARED(free_all) data_records all = read_all(source);
    assert_int_equal(all.all.rows, 4);
    for (size_t i = 0; i < 4 * 3; i++) assert_true(all.numeric[i] >= 0 && all.numeric[i] <= 1);
}

/* ---- sums ---- */

static void make_features(sbl_features *features, sbl_plan *plan, const sbl_facts *facts)
{
    sbl_error err = {0};
    assert_ok(sbl_plan_init(plan, "test", NULL));
    plan->counts = true;
    for (const sbl_feature *const *f = sbl_feature_list; *f != NULL; f++)
        if (data_fits((*f)->name, facts))
            assert_ok(sbl_plan_add(plan, (*f)->name, data_parameters((*f)->name, 0, facts), 1.0, NULL));
    assert_ok(sbl_plan_finish(plan, facts, NULL));
    assert_ok_or_say(sbl_features_make(features, plan, facts, NULL, &err));
}

static sbl_sum *gathered(sbl_source *source, const sbl_features *features, unsigned threads)
{
    sbl_synth_options options;
    sbl_sum *sum;
    sbl_error err = {0};
    sbl_synth_options_init(&options);
    options.threads = threads;
    assert_ok_or_say(sbl_gather(&sum, source, features, "nothing", &options, &err));
    return sum;
}

static void assert_same_sums(const sbl_sum *a, const sbl_sum *b)
{
    const sbl_layout *layout = sbl_sum_layout(a);
    assert_int_equal(sbl_sum_rows(a), sbl_sum_rows(b));
    for (size_t i = 0; i < layout->block_count; i++)
        assert_memory_equal(sbl_sum_values(a, i), sbl_sum_values(b, i),
                            sbl_block_values(layout, i) * sizeof(int64_t));
    assert_memory_equal(sbl_sum_counts(a), sbl_sum_counts(b), layout->classes * sizeof(int64_t));
}

TEST(file_and_memory_on_any_threads_give_the_same_sums)
{
    for (data_case c = 0; c < DATA_CASES; c++) {
        CLEARED(stored_clear) stored s;
        CLEARED(sbl_plan_clear) sbl_plan plan;
        CLEARED(sbl_features_clear) sbl_features features;
        const size_t rows = c < DATA_DIGITS ? SUM_ROWS : SUM_IMAGES;
        store(&s, c, rows, 5);
        sbl_source *file = opened(&s), *memory;
        make_features(&features, &plan, file->facts);
        CLEARED(free_all) data_records all = read_all(file);
        assert_ok(sbl_source_open_memory(&memory, &all.all, "here", file->facts, NULL));
        assert_int_equal(memory->count, rows);
        sbl_sum *reference = gathered(memory, &features, 1);
        assert_int_equal(sbl_sum_rows(reference), rows);
        for (unsigned threads = 1; threads <= 3; threads++) {
            assert_ok(sbl_source_rewind(file, NULL));
            sbl_sum *from_file = gathered(file, &features, threads);
            assert_same_sums(reference, from_file);
            sbl_sum_free(from_file);
        }
        assert_ok(sbl_source_rewind(memory, NULL));
        sbl_sum *from_memory = gathered(memory, &features, 3);
        assert_same_sums(reference, from_memory);
        sbl_sum_free(from_memory);
        sbl_sum_free(reference);
        sbl_source_close(memory);
        sbl_source_close(file);
    }
}

/* ---- memory ---- */

TEST(lack_of_memory_is_reported_and_leaves_nothing)
{
    for (data_case c = 0; c < DATA_CASES; c++) {
        CLEARED(stored_clear) stored s;
        sbl_source *source;
        CLEARED(data_records_clear) data_records records;
        store(&s, c, 5, 1);
        for (long n = 0; sbl_test_fail_next(&n);) {
            const bool failed = sbl_test_no_memory(open_stored(&source, &s, NULL));
            assert_true((source == NULL) == failed);
            if (failed) assert_null(s.own.shape.offsets);
            sbl_source_close(source);
        }
        data_records_make(&records, &s.facts, 5, 1, false);
        for (long n = 0; sbl_test_fail_next(&n);) {
            const bool failed =
                sbl_test_no_memory(sbl_source_open_memory(&source, &records.all, "here", &s.facts, NULL));
            assert_true((source == NULL) == failed);
            sbl_source_close(source);
        }
    }
}

ALL_TESTS(make_folder, remove_folder)
