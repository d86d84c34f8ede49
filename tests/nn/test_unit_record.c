/* SPDX-License-Identifier: Apache-2.0 */
/* Records as points of the unit ball: every record lies in it, the corners on its surface, and
 * every point of a record gives the record back. */
#include <math.h>

#include "public/rows/unit_record.h"
#include "support/cmocka_all.h"
#include "support/near.h"

static const size_t cardinalities[] = {2, 1, 5};
#define CATEGORICAL 3
#define NUMERIC 3
#define COORDINATES 8 /* 3 numbers, 1 + 0 + 4 */

static void make(sbl_unit_record *record, size_t target, bool centred)
{
    sbl_error err = {0};
    CLEARED(sbl_record_shape_clear) sbl_record_shape shape;
    assert_int_equal(sbl_record_shape_init(&shape, NUMERIC, cardinalities, CATEGORICAL, 2, &err), 0);
    assert_ok(sbl_unit_record_init(record, &shape, target, 0.5, centred, &err));
}

static double norm2(const float *point, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++) total += (double)point[i] * (double)point[i];
    return total;
}

TEST(every_record_comes_back)
{
    for (int kind = 0; kind < 4; kind++) {
        CLEARED(sbl_unit_record_clear) sbl_unit_record record;
        make(&record, kind < 2 ? SBL_NO_TARGET : 1, kind % 2 == 0);
        assert_int_equal(record.dimensions, kind < 2 ? COORDINATES : COORDINATES - 1);
        assert_int_equal(record.columns, kind < 2 ? 5 : 4);
        for (uint32_t code = 0; code < 10; code++) {
            const double numbers[NUMERIC] = {0.25, code / 9.0, 1};
            const uint32_t codes[CATEGORICAL] = {code % 2, 0, code / 2};
            float point[COORDINATES], room[5];
            double back[NUMERIC];
            uint32_t codes_back[CATEGORICAL];
            const double y = sbl_unit_record_encode(&record, point, numbers, codes, NULL);
            assert_near(y, kind < 2 ? 0 : 0.5 * (2 * numbers[1] - 1), 1e-12);
            sbl_unit_record_decode(&record, back, codes_back, point, y, NULL, room);
            for (size_t i = 0; i < NUMERIC; i++) assert_near(back[i], numbers[i], 1e-6);
            assert_memory_equal(codes_back, codes, sizeof codes);
        }
    }
}

TEST(corners_lie_on_the_sphere_and_all_else_within)
{
    CLEARED(sbl_unit_record_clear) sbl_unit_record record;
    make(&record, SBL_NO_TARGET, true);
    for (uint32_t code = 0; code < 40; code++) {
        float point[COORDINATES];
        double numbers[NUMERIC] = {code & 1, code >> 1 & 1, code >> 2 & 1};
        const uint32_t codes[CATEGORICAL] = {code % 2, 0, code / 8};
        (void)sbl_unit_record_encode(&record, point, numbers, codes, NULL);
        assert_near(norm2(point, COORDINATES), 1, 1e-6);
        numbers[1] = 0.5;
        (void)sbl_unit_record_encode(&record, point, numbers, codes, NULL);
        assert_near(norm2(point, COORDINATES), 0.8, 1e-6);
    }
}

/* The distance between two categories is the same whichever they are. */
TEST(categories_are_equally_far_from_one_another)
{
    CLEARED(sbl_unit_record_clear) sbl_unit_record record;
    const double numbers[NUMERIC] = {0};
    make(&record, SBL_NO_TARGET, true);
    for (uint32_t a = 0; a < 5; a++)
        for (uint32_t b = 0; b < a; b++) {
            float one[COORDINATES], other[COORDINATES];
            const uint32_t codes_a[CATEGORICAL] = {0, 0, a}, codes_b[CATEGORICAL] = {0, 0, b};
            (void)sbl_unit_record_encode(&record, one, numbers, codes_a, NULL);
            (void)sbl_unit_record_encode(&record, other, numbers, codes_b, NULL);
            for (size_t i = 0; i < COORDINATES; i++) one[i] -= other[i];
            assert_near(norm2(one, COORDINATES), 2 * 1.25 / 5, 1e-6);
        }
}

TEST(any_bytes_are_some_record)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, -1, 2, 1e308, -0.0, 4.9e-324};
    CLEARED(sbl_unit_record_clear) sbl_unit_record record;
    make(&record, 2, true);
    for (size_t i = 0; i < 8; i++) {
        float point[COORDINATES];
        const double numbers[NUMERIC] = {odd[i], odd[(i + 1) % 8], odd[(i + 2) % 8]};
        const uint32_t codes[4] = {UINT32_MAX, 7, 9, 5}, zero[CATEGORICAL] = {0};
        const size_t columns[CATEGORICAL] = {3, 0, 2};
        float same[COORDINATES];
        const double y = sbl_unit_record_encode(&record, point, numbers, codes, columns);
        assert_true(fabs(y) <= 0.5);
        assert_true(norm2(point, record.dimensions) <= 1 + 1e-6);
        (void)sbl_unit_record_encode(&record, same, numbers, zero, NULL);
        assert_memory_equal(point, same, record.dimensions * sizeof *same);
    }
}

TEST(offsets_move_the_choice_of_a_category)
{
    CLEARED(sbl_unit_record_clear) sbl_unit_record record;
    make(&record, SBL_NO_TARGET, true);
    const double numbers[NUMERIC] = {0};
    const uint32_t codes[CATEGORICAL] = {0, 0, 3};
    float point[COORDINATES], room[5], offsets[8] = {0};
    double back[NUMERIC];
    uint32_t codes_back[CATEGORICAL];
    (void)sbl_unit_record_encode(&record, point, numbers, codes, NULL);
    sbl_unit_record_proportions(&record, room, 2, point + 4);
    for (size_t k = 0; k < 5; k++) assert_near(room[k], k == 3, 1e-6);
    offsets[3 + 1] = 1.5F; /* column 2, code 1 */
    sbl_unit_record_decode(&record, back, codes_back, point, 0, offsets, room);
    assert_int_equal(codes_back[2], 1);
    assert_int_equal(codes_back[0], 0);
}

TEST(json_gives_back_the_same_record)
{
    for (int kind = 0; kind < 2; kind++) {
        sbl_unit_record record, again;
        sbl_error err = {0};
        make(&record, kind == 0 ? SBL_NO_TARGET : 0, kind == 0);
        json_t *json = sbl_unit_record_to_json(&record);
        assert_ok(sbl_unit_record_from_json(&again, json, "here", &err));
        json_t *twice = sbl_unit_record_to_json(&again);
        assert_true(json_equal(json, twice));
        assert_int_equal(again.dimensions, record.dimensions);
        json_decref(json);
        json_decref(twice);
        sbl_unit_record_clear(&record);
        sbl_unit_record_clear(&again);
    }
}

TEST(json_that_is_no_record_is_refused)
{
    static const char *const bad[] = {
        "{}",
        "{\"numeric\":1,\"classes\":1,\"cardinalities\":[],\"centred\":true,\"target_radius\":1}",
        "{\"numeric\":1,\"classes\":1,\"cardinalities\":[],\"centred\":true,\"target_radius\":1,"
        "\"target\":0}",
        "{\"numeric\":2,\"classes\":1,\"cardinalities\":[],\"centred\":true,\"target_radius\":0,"
        "\"target\":0}",
        "{\"numeric\":2,\"classes\":1,\"cardinalities\":[],\"centred\":true,\"target_radius\":1,"
        "\"target\":2}",
        "{\"numeric\":2,\"classes\":1,\"cardinalities\":[0],\"centred\":true,\"target_radius\":1,"
        "\"target\":-1}",
        "{\"numeric\":2,\"classes\":0,\"cardinalities\":[2],\"centred\":true,\"target_radius\":1,"
        "\"target\":-1}",
        "{\"numeric\":0,\"classes\":1,\"cardinalities\":[1],\"centred\":true,\"target_radius\":0,"
        "\"target\":-1}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sbl_unit_record record;
        sbl_error err = {0};
        json_auto_t *json = json_loads(bad[i], 0, NULL);
        assert_non_null(json);
        assert_int_equal(sbl_unit_record_from_json(&record, json, "here", &err), SBL_EINPUT);
    }
}
