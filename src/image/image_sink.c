/* A pending file with 64 KiB of buffer, or zlib in front of it. Images and labels of an IDX pair
 * are committed together. */
#include "image/image_sink.h"

#include <string.h>
#include <zlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "image/image_container.h"

#define BUFFER_SIZE ((size_t)64 << 10)
#define GZIP_WRAPPER (MAX_WBITS + 16)

struct sbl_image_sink {
    sbl_pending_file file;
    bool pending; /* begun, neither committed nor discarded */
    bool gzip;
    z_stream stream;
    size_t filled;               /* plain: bytes of the buffer that wait */
    uint8_t buffer[BUFFER_SIZE]; /* plain: what waits; gzip: what came out */
};

static sbl_status flush_plain(sbl_image_sink *sink, sbl_error *err)
{
    const size_t size = sink->filled;
    sink->filled = 0;
    return sbl_write_all(sink->file.descriptor, sink->buffer, size, sink->file.path.data, err);
}

/* bytes are fewer than 2^32: the callers write one image at a time. */
static sbl_status deflate_bytes(sbl_image_sink *sink, const void *bytes, size_t size, int flush,
                                sbl_error *err)
{
    int result;
    sink->stream.next_in = (Bytef *)(uintptr_t)bytes;
    sink->stream.avail_in = (uInt)size;
    do {
        sink->stream.next_out = sink->buffer;
        sink->stream.avail_out = (uInt)BUFFER_SIZE;
        result = deflate(&sink->stream, flush);
        if (result == Z_STREAM_ERROR)
            return sbl_fail(err, SBL_EINTERNAL, "compressing %s failed", sink->file.path.data);
        const sbl_status status =
            sbl_write_all(sink->file.descriptor, sink->buffer, BUFFER_SIZE - sink->stream.avail_out,
                          sink->file.path.data, err);
        if (status != SBL_OK) return status;
    } while (flush == Z_FINISH ? result != Z_STREAM_END : sink->stream.avail_out == 0);
    return SBL_OK;
}

sbl_status sbl_image_sink_open(sbl_image_sink **sink, const char *path, bool overwrite,
                               sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_image_sink *made = sbl_alloc_array(1, sizeof *made);
    *sink = NULL;
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory while writing %s", path);
    if (sbl_image_has_suffix(path, ".gz")) {
        if (deflateInit2(&made->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WRAPPER, 8,
                         Z_DEFAULT_STRATEGY) != Z_OK)
            SBL_FAIL(err, SBL_EMEM, "out of memory while writing %s", path);
        made->gzip = true;
    }
    SBL_TRY(sbl_file_check_target(path, overwrite, err));
    SBL_TRY(sbl_file_begin(&made->file, path,
                           (sbl_file_write_options){.mode = 0644, .overwrite = overwrite}, err));
    made->pending = true;
    *sink = made;
    made = NULL;
done:
    sbl_image_sink_free(made);
    return status;
}

sbl_status sbl_image_sink_write(sbl_image_sink *sink, const void *bytes, size_t size,
                                sbl_error *err)
{
    const uint8_t *next = bytes;
    if (sink->gzip) return deflate_bytes(sink, bytes, size, Z_NO_FLUSH, err);
    while (size > 0) {
        const size_t room = BUFFER_SIZE - sink->filled;
        const size_t part = size < room ? size : room;
        memcpy(sink->buffer + sink->filled, next, part);
        sink->filled += part;
        next += part;
        size -= part;
        if (sink->filled < BUFFER_SIZE) break;
        const sbl_status status = flush_plain(sink, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

sbl_status sbl_image_sinks_finish(sbl_image_sink *const *sinks, size_t count, sbl_error *err)
{
    sbl_pending_file *files[SBL_IMAGE_SINKS];
    for (size_t i = 0; i < count; i++) {
        const sbl_status status = sinks[i]->gzip ? deflate_bytes(sinks[i], "", 0, Z_FINISH, err)
                                                 : flush_plain(sinks[i], err);
        if (status != SBL_OK) return status;
        files[i] = &sinks[i]->file;
    }
    for (size_t i = 0; i < count; i++) sinks[i]->pending = false;
    return sbl_file_commit_all(files, count, err);
}

void sbl_image_sink_free(sbl_image_sink *sink)
{
    if (sink == NULL) return;
    if (sink->gzip) (void)deflateEnd(&sink->stream);
    if (sink->pending) sbl_file_discard(&sink->file);
    sbl_free_wiped(sink, sizeof *sink);
}
