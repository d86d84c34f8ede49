/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as encoded records in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "owner/fidelity/frame.h"
#include "owner/fidelity/view.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/temp_folder.h"

static const char schema_text[] = JSON({"fields": [{"name": "age", "type": "integer",
    "constraints": {"minimum": 0, "maximum": 8}},
    {"name": "gain", "type": "integer", "constraints": {"minimum": 0, "maximum": 1000, "required": true},
    "semblance": {"transform": "log"}}, {"name": "note", "type": "string", "semblance": {"role": "ignore"}},
    {"name": "town", "type": "string", "constraints": {"enum": ["a", "b"]}}], "missingValues": [""]});

typedef struct world {
    char folder[256];
    sbl_schema *schema;
    sbl_codec codec;
    sbl_error err;
} world;

static int set_up(void **state)
{
    static world w;
    memset(&w, 0, sizeof w);
    temp_folder_make(w.folder);
    assert_ok(sbl_schema_parse(&w.schema, schema_text, strlen(schema_text), "s.json", &w.err));
    assert_ok(sbl_codec_init(&w.codec, w.schema, &w.err));
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    sbl_codec_clear(&w->codec);
    sbl_schema_free(w->schema);
    temp_folder_remove(w->folder);
    return 0;
}

static const char *write_table(const world *w, const char *text)
{
    const char *path = in_folder(w->folder, "t.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

TEST(cells_of_a_file_become_units_and_codes)
{
    world *w = *state;
    sbl_frame frame;
    const char *path = write_table(w, "age,gain,note,town\n4,1000,x,b\n,0,y,\n8,500,z,a\n");
    assert_ok(sbl_frame_read(&frame, (sbl_table[1]){sbl_csv_table(path)}, &w->codec, NULL, &w->err));
    assert_int_equal(frame.rows, 3);
    assert_int_equal(w->codec.heads.numeric_count, 2);
    assert_int_equal(w->codec.heads.categorical_count, 2);
    const double units[] = {0.5, 1.0, 0.5, 0.0, 1.0, 0.0};
    for (size_t i = 0; i < 5; i++) assert_true(frame.numeric[i] == units[i]);
    const uint32_t codes[] = {0, 1, 1, 2, 0, 0}; /* missing age, town */
    assert_memory_equal(frame.codes, codes, sizeof codes);
    sbl_frame_clear(&frame);
    assert_null(frame.numeric);
    sbl_frame_clear(&frame);
}

TEST(public_cells_are_bins_of_the_own_units_and_missing_is_one_more)
{
    world *w = *state;
    CLEARED(sbl_frame_clear) sbl_frame frame;
    CLEARED(sbl_view_clear) sbl_view view;
    const char *path = write_table(w, "age,gain,note,town\n4,124,x,b\n,125,y,\n8,1000,z,a\n7,0,z,a\n");
    assert_ok(sbl_frame_read(&frame, (sbl_table[1]){sbl_csv_table(path)}, &w->codec, NULL, &w->err));
    assert_ok(sbl_view_init(&view, &w->codec, &w->err));
    assert_int_equal(view.count, 3);
    FREED(free) uint32_t *cells = sbl_view_cells(&view, &frame);
    const uint32_t expected[] = {4, 8, 7, 7, /* of 8 + missing */ 0, 1, 7, 0, /* no log */
                                 1, 2, 0, 0};
    assert_memory_equal(cells, expected, sizeof expected);
    assert_int_equal(view.columns[0].cells, 9);
    assert_int_equal(view.columns[1].cells, 8);
    assert_int_equal(view.columns[2].cells, 3);
}

TEST(rows_beyond_the_first_room_are_kept)
{
    world *w = *state;
    enum { ROWS = 70001 };
    CLEARED(sbl_frame_clear) sbl_frame frame;
    const char *path = in_folder(w->folder, "long.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("age,gain,note,town\n", file);
    for (int i = 0; i < ROWS; i++) (void)fprintf(file, "%d,%d,,%s\n", i % 9, i % 7, i % 2 ? "b" : "a");
    (void)fclose(file);
    assert_ok(sbl_frame_read(&frame, (sbl_table[1]){sbl_csv_table(path)}, &w->codec, NULL, &w->err));
    assert_int_equal(frame.rows, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(frame.numeric[2 * i] == (double)(i % 9) / 8.0);
        assert_int_equal(frame.codes[2 * i + 1], i % 2);
    }
}

TEST(table_without_rows_is_an_empty_frame)
{
    world *w = *state;
    CLEARED(sbl_frame_clear) sbl_frame frame;
    const char *path = write_table(w, "age,gain,note,town\n");
    assert_ok(sbl_frame_read(&frame, (sbl_table[1]){sbl_csv_table(path)}, &w->codec, NULL, &w->err));
    assert_int_equal(frame.rows, 0);
}

TEST(files_that_are_not_the_table_leave_an_empty_frame)
{
    world *w = *state;
    sbl_frame frame;
    assert_int_equal(
        sbl_frame_read(&frame, (sbl_table[1]){sbl_csv_table(in_folder(w->folder, "nothere.csv"))}, &w->codec,
                       NULL, &w->err),
        SBL_EIO);
    assert_null(frame.codes);
    const char *path = write_table(w, "age,note,town\n1,,a\n");
    assert_int_equal(sbl_frame_read(&frame, (sbl_table[1]){sbl_csv_table(path)}, &w->codec, NULL, &w->err),
                     SBL_EINPUT);
    assert_non_null(strstr(w->err.message, "gain"));
    assert_null(frame.codes);
}

TEST(select_copies_rows_in_the_given_order)
{
    world *w = *state;
    CLEARED(sbl_frame_clear) sbl_frame frame;
    CLEARED(sbl_frame_clear) sbl_frame some;
    const uint32_t index[] = {2, 0, 2};
    const char *path = write_table(w, "age,gain,note,town\n4,1000,x,b\n,0,y,\n8,500,z,a\n");
    assert_ok(sbl_frame_read(&frame, (sbl_table[1]){sbl_csv_table(path)}, &w->codec, NULL, &w->err));
    assert_ok(sbl_frame_select(&some, &frame, index, 3, &w->err));
    assert_int_equal(some.rows, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_memory_equal(some.numeric + 2 * i, frame.numeric + 2 * index[i], 2 * sizeof(double));
        assert_memory_equal(some.codes + 2 * i, frame.codes + 2 * index[i], 2 * sizeof(uint32_t));
    }
}

TEST(allocation_failures_are_reported_and_leave_nothing)
{
    world *w = *state;
    const char *path = write_table(w, "age,gain,note,town\n4,1000,x,b\n,0,y,\n8,500,z,a\n");
    const uint32_t index[] = {1};
    long n = 0;
    while (sbl_test_fail_next(&n)) {
        CLEARED(sbl_frame_clear) sbl_frame frame = {0};
        CLEARED(sbl_frame_clear) sbl_frame some = {0};
        sbl_status status =
            sbl_frame_read(&frame, (sbl_table[1]){sbl_csv_table(path)}, &w->codec, NULL, &w->err);
        if (status == SBL_OK) status = sbl_frame_select(&some, &frame, index, 1, &w->err);
        sbl_test_no_memory(status);
        if (status != SBL_OK) assert_null(some.codes);
    }
    assert_true(n > 6);
}

/* ---- persons ---- */

static void read_persons(world *w, sbl_frame *frame, const char *text)
{
    static const char unit[] =
        JSON({"fields": [{"name": "who", "type": "string", "semblance": {"role": "id"}},
        {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}}],
        "semblance": {"unit": "who", "max_rows_per_unit": 3}});
    sbl_codec_clear(&w->codec);
    sbl_schema_free(w->schema);
    assert_ok(sbl_schema_parse(&w->schema, unit, sizeof unit - 1, "s.json", &w->err));
    assert_ok(sbl_codec_init(&w->codec, w->schema, &w->err));
    const char *path = write_table(w, text);
    assert_ok(sbl_frame_read(frame, (sbl_table[1]){sbl_csv_table(path)}, &w->codec, NULL, &w->err));
}

TEST(persons_are_numbered_by_their_first_rows)
{
    sbl_frame frame, some;
    const uint32_t expected[] = {0, 1, 0, 2, 3, 1, 0}; /* two rows of nobody are two persons */
    const uint32_t index[] = {5, 0};
    read_persons(*state, &frame, "who,x\nb,1\na,2\nb,3\n,4\n,5\n a ,6\nb,7\n");
    assert_int_equal(frame.person_count, 4);
    assert_memory_equal(frame.persons, expected, sizeof expected);
    assert_ok(sbl_frame_select(&some, &frame, index, 2, NULL));
    assert_int_equal(some.persons[0], 1);
    assert_int_equal(some.persons[1], 0);
    sbl_frame_clear(&some);
    sbl_frame_clear(&frame);
}

TEST(a_table_that_says_of_no_row_whose_it_is_has_no_persons)
{
    sbl_frame frame;
    read_persons(*state, &frame, "x\n1\n2\n");
    assert_int_equal(frame.rows, 2);
    assert_null(frame.persons);
    sbl_frame_clear(&frame);
    read_persons(*state, &frame, "who,x\n,1\n,2\n");
    assert_null(frame.persons);
    sbl_frame_clear(&frame);
}

EACH_TEST(set_up, tear_down)
