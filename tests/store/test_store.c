/* SPDX-License-Identifier: Apache-2.0 */
/* Files and memory keep what a run makes by the same rules: all of an item or nothing, nothing replaced that was
 * not to be, a ledger never, and a log that is extended behind what is kept of it. */
#include "base/store/store.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

static sbl_store *memory;

static int begin(void **unused)
{
    (void)unused;
    temp_folder_make(folder);
    return sbl_store_memory_new(&memory, NULL);
}

AROUND(end)
{
    temp_folder_remove(folder);
    sbl_store_memory_free(memory);
}

/* The same item of both stores, one after the other. */
static sbl_store_entry item_of(int which, const char *name)
{
    static char path[2][300];
    static int next;
    if (which == 1) return (sbl_store_entry){memory, name};
    next = 1 - next;
    (void)snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return sbl_file_item(path[next]);
}

static void assert_holds(sbl_store_entry item, const char *text)
{
    uint8_t *bytes = NULL;
    size_t size = 99;
    assert_ok(sbl_store_entry_read(&bytes, &size, item, 100, NULL));
    assert_int_equal(size, strlen(text));
    assert_string_equal((const char *)bytes, text);
    sbl_free(bytes);
}

static sbl_status write_text(sbl_store_entry item, const char *text, bool overwrite, sbl_error *err)
{
    const sbl_file_write_options options = {.mode = 0600, .overwrite = overwrite};
    return sbl_store_entry_write(item, text, strlen(text), options, err);
}

TEST(items_are_written_whole_and_replaced_only_if_asked)
{
    for (int which = 0; which < 2; which++) {
        const sbl_store_entry item = item_of(which, "release");
        sbl_error err = {0};
        uint8_t *bytes = NULL;
        size_t size = 99;
        char hash[SBL_SHA256_TEXT_SIZE];
        bool appeared = false;
        assert_false(sbl_store_entry_exists(item));
        assert_int_equal(sbl_store_entry_read(&bytes, &size, item, 100, &err), SBL_EIO);
        assert_non_null(strstr(err.message, item.name));
        assert_null(bytes);
        assert_ok(sbl_store_entry_check(item, false, NULL));
        assert_ok(
            sbl_store_entry_write(item, "one", 3, (sbl_file_write_options){0600, false, &appeared}, NULL));
        assert_true(appeared && sbl_store_entry_exists(item));
        assert_holds(item, "one");
        assert_int_equal(sbl_store_entry_check(item, false, &err), SBL_EIO);
        assert_int_equal(err.hint, SBL_HINT_OVERWRITE);
        assert_int_equal(
            sbl_store_entry_write(item, "two", 3, (sbl_file_write_options){0600, false, &appeared}, NULL),
            SBL_EIO);
        assert_false(appeared);
        assert_holds(item, "one");
        assert_ok(write_text(item, "three", true, NULL));
        assert_holds(item, "three");
        assert_int_equal(sbl_store_entry_read(&bytes, &size, item, 4, NULL), SBL_EINPUT);
        assert_ok(sbl_store_entry_sha256(hash, item, NULL));
        assert_memory_equal(hash, "8b5b9db0c13db24256c829aa364aa90c", 32);
        sbl_store_entry_remove(item);
        assert_false(sbl_store_entry_exists(item));
        sbl_store_entry_remove(item);
    }
}

TEST(ledger_is_never_replaced)
{
    for (int which = 0; which < 2; which++) {
        const sbl_store_entry item = item_of(which, "a.ledger");
        assert_ok(write_text(item, SBL_LEDGER_MAGIC "v=2\n", false, NULL));
        assert_int_equal(sbl_store_entry_check(item, true, NULL), SBL_EARG);
        assert_int_equal(write_text(item, "gone", true, NULL), SBL_EARG);
        assert_holds(item, SBL_LEDGER_MAGIC "v=2\n");
    }
}

/* In place of what followed the bytes that are kept, however long it was. */
TEST(log_is_extended_behind_what_is_kept)
{
    static const size_t torn[] = {0, 1, 5, 9};
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < sizeof torn / sizeof torn[0]; i++) {
            const sbl_store_entry item = item_of(which, "log");
            const sbl_store_kind *kind = item.store->kind;
            sbl_log log = {.store = item.store, .name = item.name, .descriptor = -1};
            char text[32], back[8] = "";
            (void)snprintf(text, sizeof text, "first\n%.*s", (int)torn[i], "torntorn!");
            assert_ok(write_text(item, text, true, NULL));
            assert_ok(kind->log_open(&log, true, NULL));
            assert_int_equal(log.size, strlen(text));
            assert_ok(kind->log_append(&log, 6, "more\n", 5, NULL));
            assert_ok(kind->log_read(&log, back, 5, 6, NULL));
            assert_string_equal(back, "more\n");
            assert_int_equal(kind->log_read(&log, back, 8, 6, NULL), SBL_EIO);
            kind->log_close(&log);
            assert_holds(item, "first\nmore\n");
        }
}

TEST(log_that_is_not_there_says_how_to_make_one)
{
    for (int which = 0; which < 2; which++) {
        const sbl_store_entry item = item_of(which, "none");
        sbl_log log = {.store = item.store, .name = item.name, .descriptor = -1};
        sbl_error err = {0};
        assert_int_equal(item.store->kind->log_open(&log, false, &err), SBL_EIO);
        assert_int_equal(err.hint, SBL_HINT_LEDGER_MAKE);
        item.store->kind->log_close(&log);
    }
}

TEST(only_files_have_a_path)
{
    assert_string_equal(sbl_store_entry_path(sbl_file_item("a")), "a");
    assert_null(sbl_store_entry_path(sbl_file_item(NULL)));
    assert_null(sbl_store_entry_path((sbl_store_entry){memory, "a"}));
    sbl_store_memory_free(NULL);
}

EACH_TEST(begin, end)
