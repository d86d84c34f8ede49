/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from files and memory: gzip is told by the first bytes unless these belong to a record, and
 * the size is known exactly where nothing must be inflated to know it. */
#include <zlib.h>

#include "base/byte_source.h"
#include "base/file.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

/* "hello" as a gzip file; its size. */
static size_t pack_hello(uint8_t packed[64])
{
    z_stream stream = {0};
    uint8_t text[] = "hello";
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = text;
    stream.avail_in = 5;
    stream.next_out = packed;
    stream.avail_out = 64;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    (void)deflateEnd(&stream);
    return 64 - stream.avail_out;
}

static const char *save(const void *bytes, size_t size)
{
    const char *path = in_folder(folder, "file");
    assert_ok(
        sbl_file_write(path, bytes, size, (sbl_file_write_options){.mode = 0600, .overwrite = true}, NULL));
    return path;
}

static void expect(sbl_byte_source *source, const void *bytes, size_t size)
{
    uint8_t got[128];
    size_t count;
    assert_ok(sbl_byte_source_read(source, got, sizeof got, &count, NULL));
    assert_int_equal(count, size);
    assert_memory_equal(got, bytes, size);
    sbl_byte_source_free(source);
}

TEST(plain_files_and_memory_know_their_size)
{
    sbl_byte_source *source;
    uint64_t size = 0;
    assert_ok(sbl_byte_source_open(&source, save("hello", 5), NULL));
    assert_true(sbl_byte_source_size(source, &size));
    assert_int_equal(size, 5);
    expect(source, "hello", 5);
    assert_ok(sbl_byte_source_open_memory(&source, "hello!", 6, "m", NULL));
    assert_true(sbl_byte_source_size(source, &size));
    assert_int_equal(size, 6);
    expect(source, "hello!", 6);
}

TEST(gzip_and_devices_do_not)
{
    uint8_t packed[64];
    const size_t length = pack_hello(packed);
    sbl_byte_source *source;
    uint64_t size;
    assert_ok(sbl_byte_source_open(&source, save(packed, length), NULL));
    assert_false(sbl_byte_source_size(source, &size));
    expect(source, "hello", 5);
    assert_ok(sbl_byte_source_open_memory(&source, packed, length, "m", NULL));
    assert_false(sbl_byte_source_size(source, &size));
    expect(source, "hello", 5);
    assert_ok(sbl_byte_source_open(&source, "/dev/null", NULL));
    assert_false(sbl_byte_source_size(source, &size));
    expect(source, "", 0);
}

TEST(plain_open_gives_gzip_bytes_as_they_are)
{
    uint8_t packed[64];
    const size_t length = pack_hello(packed);
    sbl_byte_source *source;
    uint64_t size;
    assert_ok(sbl_byte_source_open_plain(&source, save(packed, length), NULL));
    assert_true(sbl_byte_source_size(source, &size));
    assert_int_equal(size, length);
    expect(source, packed, length);
    assert_int_equal(sbl_byte_source_open_plain(&source, "/nonexistent/x", NULL), SBL_EIO);
    assert_null(source);
}

ALL_TESTS(make_folder, remove_folder)
