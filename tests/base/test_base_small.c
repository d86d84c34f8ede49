/* SPDX-License-Identifier: Apache-2.0 */
/* Status texts, checked sizes, the clock's format. */
#include "base/clock.h"
#include "base/cmocka_plain.h"
#include "base/error.h"
#include "base/size.h"

TEST(every_status_has_its_text_and_exit_code)
{
    const struct {
        sbl_status status;
        int code;
    } expected[] = {{SBL_OK, 0},         {SBL_EARG, 2},  {SBL_EINPUT, 3},   {SBL_EBUDGET, 4},
                    {SBL_EIO, 5},        {SBL_EMEM, 1},  {SBL_EENTROPY, 1}, {SBL_EINTERNAL, 1},
                    {SBL_ESTOPPED, 130}, {SBL_EBUSY, 1}, {SBL_EWEAK, 6}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(sbl_status_exit_code(expected[i].status), expected[i].code);
        assert_string_not_equal(sbl_status_text(expected[i].status), "unknown status");
    }
    assert_string_equal(sbl_status_text((sbl_status)99), "unknown status");
    assert_int_equal(sbl_status_exit_code((sbl_status)99), 1);
}

TEST(fail_fills_the_error_and_returns_the_status)
{
    sbl_error err;
    assert_int_equal(sbl_fail(&err, SBL_EINPUT, "%s: field '%s'", "f.json", "a"), SBL_EINPUT);
    assert_int_equal(err.status, SBL_EINPUT);
    assert_string_equal(err.message, "f.json: field 'a'");
    assert_int_equal(sbl_fail(NULL, SBL_EIO, "nobody listens"), SBL_EIO);
}

TEST(a_long_message_is_cut_not_overrun)
{
    sbl_error err;
    assert_int_equal(sbl_fail(&err, SBL_EIO, "%0600d", 1), SBL_EIO);
    assert_int_equal(strlen(err.message), SBL_ERROR_MESSAGE_SIZE - 1);
}

TEST(sizes_refuse_overflow)
{
    size_t result;
    assert_true(sbl_size_mul(&result, 6, 7) && result == 42);
    assert_true(sbl_size_mul(&result, SIZE_MAX, 1) && result == SIZE_MAX);
    assert_false(sbl_size_mul(&result, SIZE_MAX, 2));
    assert_false(sbl_size_mul(&result, SIZE_MAX / 2 + 1, 2));
    assert_true(sbl_size_add(&result, SIZE_MAX - 1, 1) && result == SIZE_MAX);
    assert_false(sbl_size_add(&result, SIZE_MAX, 1));
}

TEST(the_time_is_written_in_utc_form)
{
    char text[SBL_UTC_TEXT_SIZE];
    const char *form = "dddd-dd-ddTdd:dd:ddZ";
    assert_ptr_equal(sbl_utc_now(text), text);
    assert_int_equal(strlen(text), strlen(form));
    for (size_t i = 0; form[i] != '\0'; i++) {
        if (form[i] == 'd')
            assert_true(text[i] >= '0' && text[i] <= '9');
        else
            assert_int_equal(text[i], form[i]);
    }
}
