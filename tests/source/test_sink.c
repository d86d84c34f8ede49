/* SPDX-License-Identifier: Apache-2.0 */
/* Sinks: what is written is what a source reads, whole or not at all. What the writers of tables
 * and images do themselves: tests/table, tests/image. */
#include <stdio.h>
#include <sys/stat.h>

#include "after/sinks/sink.h"
#include "base/alloc.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"

#define ROWS 5000 /* more than a table's sink decodes at a time */

static bool is_there(const char *path)
{
    struct stat seen;
    return stat(path, &seen) == 0;
}

static sbl_drawn drawn_of(const data_records *records)
{
    return (sbl_drawn){records->numeric, .codes = records->codes, .pixels = records->pixels,
                       .labels = records->labels};
}

static void write_all(sbl_sink *sink, const data_records *records, const sbl_facts *facts)
{
    sbl_error err = {0};
    const size_t rows = records->all.rows, half = rows / 2;
    const sbl_records rest = data_slice(&records->all, facts, half, rows - half);
    const sbl_drawn first = drawn_of(records);
    const sbl_drawn second = {(double *)(uintptr_t)rest.numeric, .codes = (uint32_t *)(uintptr_t)rest.codes,
                              .pixels = (uint8_t *)(uintptr_t)rest.pixels,
                              .labels = (uint32_t *)(uintptr_t)rest.labels};
    if (sbl_sink_write(sink, &first, half, &err) != SBL_OK ||
        sbl_sink_write(sink, &second, rows - half, &err) != SBL_OK)
        fail_msg("%s", err.message);
}

/* ---- tables ---- */

TEST(table_is_read_back_as_it_was_written)
{
    static const char *const names[] = {"t.csv", "t.csv.gz"};
    for (data_case c = 0; c < DATA_DIGITS; c++)
        for (size_t i = 0; i < 2; i++) {
            const char *path = in_folder(folder, names[i]);
            CLEARED(sbl_facts_clear) sbl_facts facts;
            CLEARED(data_records_clear) data_records records;
            sbl_sink *sink;
            sbl_source *source;
            const sbl_records *batch;
            data_facts(&facts, c);
            data_records_make(&records, &facts, ROWS, 1, false);
            assert_ok(sbl_sink_open_table(&sink, path, NULL, &facts, true, NULL));
            write_all(sink, &records, &facts);
            assert_ok(sbl_sink_finish(sink, NULL));
            sbl_sink_close(sink);
            assert_ok(
                sbl_source_open_rows(&source, (sbl_table[1]){sbl_csv_table(path)}, &facts, NULL, NULL, NULL));
            assert_ok(sbl_source_read(source, &batch, NULL));
            assert_int_equal(batch->rows, ROWS);
            assert_memory_equal(batch->codes, records.codes,
                                ROWS * facts.heads.categorical_count * sizeof(uint32_t));
            sbl_source_close(source);
        }
}

TEST(table_appears_when_it_is_finished_or_not_at_all)
{
    const char *path = in_folder(folder, "half.csv");
    CLEARED(sbl_facts_clear) sbl_facts facts;
    CLEARED(data_records_clear) data_records records;
    sbl_sink *sink;
    sbl_error err = {0};
    data_facts(&facts, DATA_LABELLED);
    data_records_make(&records, &facts, ROWS, 1, false);
    for (int finished = 0; finished < 2; finished++) {
        assert_ok(sbl_sink_open_table(&sink, path, NULL, &facts, false, &err));
        write_all(sink, &records, &facts);
        assert_false(is_there(path));
        if (finished) assert_ok(sbl_sink_finish(sink, &err));
        sbl_sink_close(sink);
        assert_int_equal(is_there(path), finished);
    }
    /* and is kept unless told otherwise */
    sink = (sbl_sink *)1;
    assert_int_not_equal(sbl_sink_open_table(&sink, path, NULL, &facts, false, &err), SBL_OK);
    assert_null(sink);
    assert_ok(sbl_sink_open_table(&sink, path, NULL, &facts, true, &err));
    sbl_sink_close(sink);
    assert_true(is_there(path));
    sbl_sink_close(NULL);
}

/* ---- images ---- */

TEST(image_files_are_named_after_their_folder)
{
    static const struct {
        data_case data;
        bool png;
        const char *folder, *images, *labels;
    } cases[] = {
        {DATA_DIGITS, false, "a/set//", "a/set/images-idx3-ubyte.gz", "a/set/labels-idx1-ubyte.gz"},
        {DATA_COLOURS, false, "set", "set/images-idx4-ubyte.gz", NULL},
        {DATA_DIGITS, true, "set/", "set", NULL},
    };
    for (size_t i = 0; i < 3; i++) {
        sbl_facts facts;
        sbl_image_files files;
        data_facts(&facts, cases[i].data);
        const sbl_image_folder target = {.folder = cases[i].folder, .png = cases[i].png};
        assert_ok(sbl_image_files_name(&files, &target, &facts, NULL));
        assert_string_equal(files.images.data, cases[i].images);
        assert_true((files.labels.data == NULL) == (cases[i].labels == NULL));
        if (cases[i].labels) assert_string_equal(files.labels.data, cases[i].labels);
        sbl_image_files_clear(&files);
        sbl_facts_clear(&facts);
    }
    static const char *const bad[] = {"-", ".", "..", "/", "a/..", "a/."};
    sbl_facts facts;
    data_facts(&facts, DATA_DIGITS);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sbl_image_files files;
        const sbl_image_folder target = {.folder = bad[i]};
        if (sbl_image_files_name(&files, &target, &facts, NULL) != SBL_EARG)
            fail_msg("'%s' was taken", bad[i]);
    }
    sbl_facts_clear(&facts);
}

TEST(images_are_read_back_as_they_were_written)
{
    for (data_case c = DATA_DIGITS; c < DATA_CASES; c++)
        for (int png = 0; png < 2; png++) {
            enum { COUNT = 60 };
            char place[300], preview[300];
            sbl_facts facts, own;
            data_records records;
            sbl_sink *sink;
            sbl_source *source;
            sbl_image_files files;
            const sbl_records *batch;
            sbl_error err = {0};
            (void)snprintf(place, sizeof place, "%s/set%d%d", folder, (int)c, png);
            (void)snprintf(preview, sizeof preview, "%s/preview%d%d.png", folder, (int)c, png);
            const sbl_image_folder target = {.folder = place, .png = png != 0, .preview = preview};
            data_facts(&facts, c);
            data_records_make(&records, &facts, COUNT, 1, false);
            assert_ok(sbl_image_files_name(&files, &target, &facts, NULL));
            assert_ok(sbl_sink_open_images(&sink, &target, COUNT, &facts, false, &err));
            write_all(sink, &records, &facts);
            assert_false(is_there(files.images.data));
            assert_ok(sbl_sink_finish(sink, &err));
            sbl_sink_close(sink);
            assert_true(is_there(files.images.data) && is_there(preview));
            const sbl_image_place origin = {files.images.data, .labels = files.labels.data,
                                            .classes = png ? 0 : facts.images.classes};
            assert_ok_or_say(sbl_source_open_images(&source, &own, &origin, false, &err));
            assert_int_equal(source->count, COUNT);
            assert_int_equal(own.files, png);
            assert_int_equal(own.classes, facts.classes);
            assert_ok(sbl_source_read(source, &batch, NULL));
            assert_int_equal(batch->rows, COUNT);
            if (!png) { /* a folder of PNG files is read class by class */
                assert_memory_equal(batch->pixels, records.pixels, COUNT * facts.shape.numeric);
                if (batch->labels)
                    assert_memory_equal(batch->labels, records.labels, COUNT * sizeof(uint32_t));
            }
            sbl_source_close(source);
            sbl_image_files_clear(&files);
            data_records_clear(&records);
            sbl_facts_clear(&own);
            sbl_facts_clear(&facts);
        }
}

/* Asked before a budget is charged: it says no where the sink would, and leaves no trace. */
TEST(check_says_what_the_sink_would_and_leaves_no_folder)
{
    char place[300], inside[320], there[320];
    CLEARED(sbl_facts_clear) sbl_facts facts;
    (void)snprintf(place, sizeof place, "%s/new", folder);
    (void)snprintf(inside, sizeof inside, "%s/preview.png", place);
    (void)snprintf(there, sizeof there, "%s/there.png", folder);
    FILE *file = fopen(there, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    data_facts(&facts, DATA_DIGITS);
    const struct {
        sbl_image_folder target;
        uint64_t count;
        bool good;
    } cases[] = {
        {{.folder = place}, 10, true},
        {{.folder = place, .png = true}, 10, true},
        {{.folder = place, .preview = inside}, 10, true},
        {{.folder = place, .png = true, .preview = inside}, 10, false},
        {{.folder = place, .preview = there}, 10, false},
        {{.folder = place}, UINT64_MAX, false},
        {{.folder = "/nonexistent/a/set"}, 10, false},
        {{.folder = there}, 10, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEARED(sbl_image_files_clear) sbl_image_files files;
        sbl_sink *sink = (sbl_sink *)1;
        sbl_error err = {0};
        assert_ok(sbl_image_files_name(&files, &cases[i].target, &facts, NULL));
        const sbl_status status =
            sbl_image_files_check(&files, &cases[i].target, &facts, cases[i].count, false, &err);
        if ((status == SBL_OK) != cases[i].good) fail_msg("case %zu: %s", i, err.message);
        assert_false(is_there(place));
        if (!cases[i].good) {
            assert_int_not_equal(
                sbl_sink_open_images(&sink, &cases[i].target, cases[i].count, &facts, false, &err), SBL_OK);
            assert_null(sink);
            assert_false(is_there(place));
        }
    }
}

TEST(images_that_are_not_finished_leave_nothing)
{
    for (int png = 0; png < 2; png++) {
        char place[300];
        CLEARED(sbl_facts_clear) sbl_facts facts;
        CLEARED(data_records_clear) data_records records;
        sbl_sink *sink;
        (void)snprintf(place, sizeof place, "%s/left", folder);
        const sbl_image_folder target = {.folder = place, .png = png != 0};
        data_facts(&facts, DATA_DIGITS);
        data_records_make(&records, &facts, 10, 1, false);
        assert_ok(sbl_sink_open_images(&sink, &target, 10, &facts, false, NULL));
        write_all(sink, &records, &facts);
        sbl_sink_close(sink);
        assert_false(is_there(place));
        /* fewer than were promised */
        const sbl_drawn drawn = drawn_of(&records);
        assert_ok(sbl_sink_open_images(&sink, &target, 10, &facts, false, NULL));
        assert_ok(sbl_sink_write(sink, &drawn, 9, NULL));
        assert_int_not_equal(sbl_sink_finish(sink, NULL), SBL_OK);
        sbl_sink_close(sink);
        assert_false(is_there(place));
    }
}

/* ---- memory ---- */

TEST(lack_of_memory_is_reported_and_leaves_nothing)
{
    for (int kind = 0; kind < 3; kind++) {
        char place[300];
        sbl_facts facts;
        (void)snprintf(place, sizeof place, "%s/lack%d", folder, kind);
        const sbl_image_folder target = {.folder = place, .png = kind == 2};
        data_facts(&facts, kind == 0 ? DATA_LABELLED : DATA_DIGITS);
        for (long n = 1;; n++) {
            sbl_sink *sink = (sbl_sink *)1;
            sbl_test_fail_alloc(n);
            const sbl_status status = kind == 0
                                          ? sbl_sink_open_table(&sink, place, NULL, &facts, false, NULL)
                                          : sbl_sink_open_images(&sink, &target, 10, &facts, false, NULL);
            const bool failed = sbl_test_fail_end();
            assert_int_equal(status, failed ? SBL_EMEM : SBL_OK);
            assert_true((sink == NULL) == failed);
            sbl_sink_close(sink);
            assert_false(is_there(place));
            if (!failed) break;
        }
        sbl_facts_clear(&facts);
    }
}

ALL_TESTS(make_folder, remove_folder)
