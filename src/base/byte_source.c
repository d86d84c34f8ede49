/* SPDX-License-Identifier: Apache-2.0 */
/* Reading goes through up to three layers: read_raw (descriptor or memory), inflate for gzip,
 * including several members in one file, and text of another encoding where that was asked for. The bytes are
 * records, so every buffer on the way, zlib's window included, is wiped when it is freed. */
#include "base/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/encoding.h"
#include "base/file.h"
#include "base/text.h"

#define INPUT_SIZE ((size_t)64 << 10)
#define DECODED_SIZE (3 * INPUT_SIZE) /* no encoding that we know grows more */
#define GZIP_ONLY (MAX_WBITS + 16)    /* zlib's way to say: a gzip wrapper, checked */

struct sbl_byte_source {
    char *name;
    int descriptor;        /* -1: memory */
    bool close_descriptor; /* false for standard input */
    uint64_t given;        /* bytes so far, of what is neither compressed nor decoded */
    const uint8_t *memory;
    size_t memory_size;
    size_t memory_left;

    uint8_t *input; /* INPUT_SIZE bytes as they came */
    size_t input_start;
    size_t input_end;

    bool gzip;
    bool between_members; /* a gzip file may hold several members in a row */
    z_stream stream;

    sbl_decoder *decoder; /* NULL: bytes as they are */
    uint8_t *encoded;     /* INPUT_SIZE bytes that wait to be decoded */
    size_t encoded_end;
    bool encoded_all; /* no more will come */
    uint8_t *decoded; /* DECODED_SIZE bytes that were */
    size_t decoded_start;
    size_t decoded_end;
};

/* zlib's window holds records: its memory is wiped when freed. The size stands before the block. */
typedef union sized_block {
    size_t size;
    max_align_t align;
} sized_block;

static voidpf alloc_sized(voidpf opaque, uInt items, uInt size)
{
    const size_t bytes = (size_t)items * size + sizeof(sized_block);
    sized_block *block = sbl_alloc_array(bytes, 1);
    (void)opaque;
    if (block == NULL) return Z_NULL;
    block->size = bytes;
    return block + 1;
}

static void free_sized(voidpf opaque, voidpf address)
{
    sized_block *block = (sized_block *)address - 1;
    (void)opaque;
    sbl_free_wiped(block, block->size);
}

static sbl_status read_raw(sbl_byte_source *source, void *buffer, size_t capacity, size_t *got,
                           sbl_error *err)
{
    if (source->descriptor < 0) {
        *got = capacity < source->memory_left ? capacity : source->memory_left;
        if (*got > 0) memcpy(buffer, source->memory, *got);
        if (*got > 0) source->memory += *got;
        source->memory_left -= *got;
        return SBL_OK;
    }
    for (;;) {
        const ssize_t count = read(source->descriptor, buffer, capacity);
        if (count < 0 && errno == EINTR) continue;
        *got = count < 0 ? 0 : (size_t)count;
        return count < 0 ? sbl_fail_errno(err, "read", source->name, errno) : SBL_OK;
    }
}

static sbl_status refill_input(sbl_byte_source *source, sbl_error *err)
{
    source->input_start = 0;
    return read_raw(source, source->input, INPUT_SIZE, &source->input_end, err);
}

static sbl_status fail_corrupt(const sbl_byte_source *source, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s: the gzip data is corrupt", source->name);
}

/* Between two members: zero padding is allowed, another member starts, anything else is foreign. */
static sbl_status start_member(sbl_byte_source *source, sbl_error *err)
{
    while (source->input_start < source->input_end && source->input[source->input_start] == 0)
        source->input_start++;
    if (source->input_start == source->input_end) return SBL_OK;
    if (source->input[source->input_start] != 0x1f) return fail_corrupt(source, err);
    source->between_members = false;
    return inflateReset(&source->stream) == Z_OK ? SBL_OK : fail_corrupt(source, err);
}

/* Inflate what is in input to buffer; *got counts what came out. */
static sbl_status inflate_some(sbl_byte_source *source, uint8_t *buffer, size_t capacity, size_t *got,
                               sbl_error *err)
{
    const size_t most = (size_t)1 << 30;
    const size_t room = capacity < most ? capacity : most;
    source->stream.next_in = source->input + source->input_start;
    source->stream.avail_in = (uInt)(source->input_end - source->input_start);
    source->stream.next_out = buffer;
    source->stream.avail_out = (uInt)room;
    const int result = inflate(&source->stream, Z_NO_FLUSH);
    source->input_start = source->input_end - source->stream.avail_in;
    *got = room - source->stream.avail_out;
    if (result == Z_STREAM_END) source->between_members = true;
    if (result == Z_MEM_ERROR) return sbl_no_memory(err, source->name);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return fail_corrupt(source, err);
    return SBL_OK;
}

static sbl_status read_gzip(sbl_byte_source *source, uint8_t *buffer, size_t capacity, size_t *got,
                            sbl_error *err)
{
    sbl_status status = SBL_OK;
    size_t part;
    while (*got < capacity) {
        if (source->input_start == source->input_end) {
            SBL_CHECK(refill_input(source, err));
            if (source->input_end == 0 && source->between_members) break;
            if (source->input_end == 0) {
                status = sbl_fail(err, SBL_EINPUT, "%s: the gzip data is cut short", source->name);
                break;
            }
        }
        if (source->between_members) {
            SBL_CHECK(start_member(source, err));
        } else {
            SBL_CHECK(inflate_some(source, buffer + *got, capacity - *got, &part, err));
            *got += part;
        }
    }
    return status;
}

static sbl_status read_plain(sbl_byte_source *source, uint8_t *buffer, size_t capacity, size_t *got,
                             sbl_error *err)
{
    const size_t waiting = source->input_end - source->input_start;
    *got = waiting < capacity ? waiting : capacity;
    memcpy(buffer, source->input + source->input_start, *got);
    source->input_start += *got;
    while (*got < capacity) {
        size_t part;
        const sbl_status status = read_raw(source, buffer + *got, capacity - *got, &part, err);
        if (status != SBL_OK) return status;
        if (part == 0) break;
        *got += part;
    }
    source->given += *got;
    return SBL_OK;
}

static sbl_status read_bytes(sbl_byte_source *source, void *buffer, size_t capacity, size_t *got,
                             sbl_error *err)
{
    *got = 0;
    return source->gzip ? read_gzip(source, buffer, capacity, got, err)
                        : read_plain(source, buffer, capacity, got, err);
}

/* More decoded bytes, or none at the end. */
static sbl_status decode_some(sbl_byte_source *source, sbl_error *err)
{
    size_t used = 0;
    size_t got;
    source->decoded_start = source->decoded_end = 0;
    while (source->decoded_end == 0) {
        const size_t room = INPUT_SIZE - source->encoded_end;
        const sbl_status status = read_bytes(source, source->encoded + source->encoded_end, room, &got, err);
        if (status != SBL_OK) return status;
        source->encoded_end += got;
        source->encoded_all = got < room;
        if (source->encoded_end == 0) return SBL_OK;
        sbl_decoder_decode(source->decoder, source->encoded, source->encoded_end, source->encoded_all,
                           source->decoded, DECODED_SIZE, &used, &source->decoded_end);
        source->encoded_end -= used;
        memmove(source->encoded, source->encoded + used, source->encoded_end);
        if (used == 0 && source->encoded_all) return SBL_OK;
    }
    return SBL_OK;
}

static sbl_status read_decoded(sbl_byte_source *source, uint8_t *buffer, size_t capacity, size_t *got,
                               sbl_error *err)
{
    *got = 0;
    while (*got < capacity) {
        if (source->decoded_start == source->decoded_end) {
            const sbl_status status = decode_some(source, err);
            if (status != SBL_OK || source->decoded_end == 0) return status;
        }
        const size_t waiting = source->decoded_end - source->decoded_start;
        const size_t part = waiting < capacity - *got ? waiting : capacity - *got;
        memcpy(buffer + *got, source->decoded + source->decoded_start, part);
        source->decoded_start += part;
        *got += part;
    }
    return SBL_OK;
}

sbl_status sbl_byte_source_read(sbl_byte_source *source, void *buffer, size_t capacity, size_t *got,
                                sbl_error *err)
{
    return source->decoder != NULL ? read_decoded(source, buffer, capacity, got, err)
                                   : read_bytes(source, buffer, capacity, got, err);
}

sbl_status sbl_byte_source_decode(sbl_byte_source *source, const char *encoding, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (sbl_encoding_is_utf8(encoding)) return SBL_OK;
    SBL_ALLOC(source->encoded, INPUT_SIZE, source->name);
    SBL_ALLOC(source->decoded, DECODED_SIZE, source->name);
    status = sbl_decoder_open(&source->decoder, encoding, err);
done:
    return status;
}

/* Enough bytes to tell gzip from text, also from a pipe that gives one byte at a time. */
static sbl_status detect(sbl_byte_source *source, sbl_error *err)
{
    size_t part = 1;
    while (source->input_end < 2 && part > 0) {
        const sbl_status status =
            read_raw(source, source->input + source->input_end, INPUT_SIZE - source->input_end, &part, err);
        if (status != SBL_OK) return status;
        source->input_end += part;
    }
    if (source->input_end < 2 || source->input[0] != 0x1f || source->input[1] != 0x8b) return SBL_OK;
    source->stream.zalloc = alloc_sized;
    source->stream.zfree = free_sized;
    if (inflateInit2(&source->stream, GZIP_ONLY) != Z_OK) return sbl_no_memory(err, source->name);
    source->gzip = true;
    return SBL_OK;
}

static sbl_status new_source(sbl_byte_source **source, const char *name, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_byte_source *made;
    SBL_ALLOC(made, 1, name);
    made->descriptor = -1;
    SBL_TRY(sbl_copy_text(&made->name, name, name, err));
    SBL_ALLOC(made->input, INPUT_SIZE, name);
    *source = made;
    made = NULL;
done:
    sbl_byte_source_free(made);
    return status;
}

static sbl_status open_path(sbl_byte_source **source, const char *path, bool look_for_gzip, sbl_error *err)
{
    const bool standard_input = strcmp(path, "-") == 0;
    sbl_byte_source *made = NULL;
    *source = NULL;
    sbl_status status = new_source(&made, standard_input ? "standard input" : path, err);
    if (status != SBL_OK) return status;
    if (standard_input) {
        made->descriptor = STDIN_FILENO;
    } else {
        made->descriptor = open(path, O_RDONLY | O_CLOEXEC);
        made->close_descriptor = made->descriptor >= 0;
        if (made->descriptor < 0) status = sbl_fail_errno(err, "open", path, errno);
    }
    if (status == SBL_OK && look_for_gzip) status = detect(made, err);
    if (status == SBL_OK)
        *source = made;
    else
        sbl_byte_source_free(made);
    return status;
}

sbl_status sbl_byte_source_open(sbl_byte_source **source, const char *path, sbl_error *err)
{
    return open_path(source, path, true, err);
}

sbl_status sbl_byte_source_open_plain(sbl_byte_source **source, const char *path, sbl_error *err)
{
    return open_path(source, path, false, err);
}

sbl_status sbl_byte_source_open_memory(sbl_byte_source **source, const void *bytes, size_t size,
                                       const char *name, sbl_error *err)
{
    sbl_byte_source *made = NULL;
    *source = NULL;
    sbl_status status = new_source(&made, name, err);
    if (status != SBL_OK) return status;
    made->memory = bytes;
    made->memory_size = size;
    made->memory_left = size;
    status = detect(made, err);
    if (status == SBL_OK)
        *source = made;
    else
        sbl_byte_source_free(made);
    return status;
}

const char *sbl_byte_source_name(const sbl_byte_source *source) { return source->name; }

bool sbl_byte_source_size(const sbl_byte_source *source, uint64_t *size)
{
    struct stat facts;
    if (source->gzip) return false;
    if (source->descriptor < 0) {
        *size = source->memory_size;
        return true;
    }
    if (!source->close_descriptor || fstat(source->descriptor, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    *size = (uint64_t)facts.st_size;
    return true;
}

/* ---- any offset ---- */

bool sbl_byte_source_offset(const sbl_byte_source *source, uint64_t *offset)
{
    uint64_t size;
    *offset = source->given;
    return source->decoder == NULL && sbl_byte_source_size(source, &size);
}

sbl_status sbl_byte_source_read_at(const sbl_byte_source *source, uint64_t offset, void *buffer,
                                   size_t capacity, size_t *got, sbl_error *err)
{
    *got = 0;
    if (source->descriptor < 0) {
        const uint8_t *first = source->memory - (source->memory_size - source->memory_left);
        const uint64_t left = offset < source->memory_size ? source->memory_size - offset : 0;
        *got = left < capacity ? (size_t)left : capacity;
        if (*got > 0) memcpy(buffer, first + offset, *got);
        return SBL_OK;
    }
    while (*got < capacity) {
        const ssize_t count =
            pread(source->descriptor, (uint8_t *)buffer + *got, capacity - *got, (off_t)(offset + *got));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return sbl_fail_errno(err, "read", source->name, errno);
        if (count == 0) break;
        *got += (size_t)count;
    }
    return SBL_OK;
}

sbl_status sbl_byte_source_seek(sbl_byte_source *source, uint64_t offset, sbl_error *err)
{
    source->input_start = source->input_end = 0;
    source->given = offset;
    if (source->descriptor < 0) {
        const size_t place = offset < source->memory_size ? (size_t)offset : source->memory_size;
        const uint8_t *first = source->memory - (source->memory_size - source->memory_left);
        source->memory = place > 0 ? first + place : first;
        source->memory_left = source->memory_size - place;
        return SBL_OK;
    }
    if (lseek(source->descriptor, (off_t)offset, SEEK_SET) < 0)
        return sbl_fail_errno(err, "read", source->name, errno);
    return SBL_OK;
}

void sbl_byte_source_free(sbl_byte_source *source)
{
    if (source == NULL) return;
    if (source->gzip) (void)inflateEnd(&source->stream);
    if (source->close_descriptor) (void)close(source->descriptor);
    sbl_decoder_close(source->decoder);
    sbl_free_wiped(source->encoded, INPUT_SIZE);
    sbl_free_wiped(source->decoded, DECODED_SIZE);
    sbl_free_wiped(source->input, INPUT_SIZE);
    sbl_free(source->name);
    sbl_free(source);
}
