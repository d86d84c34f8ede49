/* The ledger's file: opened without following links, locked, read whole, and extended by whole
 * lines that are synced and read back. No floating point. */
#include "ledger/ledger_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "ledger/ledger_line.h"
#include "ledger/ledger_read.h"

static sbl_status fail_open(const char *path, int reason, sbl_error *err)
{
    if (reason == ENOENT)
        return sbl_fail_hint(err, SBL_EIO, SBL_HINT_LEDGER_MAKE, path, "ledger %s does not exist",
                             path);
    if (reason == ELOOP)
        return sbl_fail(err, SBL_EINPUT, "ledger %s is a symbolic link; name the file itself",
                        path);
    return sbl_fail_errno(err, "open ledger", path, reason);
}

/* An open-file-description lock belongs to this descriptor alone: no other close() drops it, and it
 * holds between threads. */
static sbl_status lock(const sbl_ledger_file *file, bool writing, sbl_error *err)
{
    struct flock whole;
    memset(&whole, 0, sizeof whole);
    whole.l_type = writing ? F_WRLCK : F_RDLCK;
    whole.l_whence = SEEK_SET;
    while (fcntl(file->descriptor, F_OFD_SETLKW, &whole) != 0)
        if (errno != EINTR) return sbl_fail_errno(err, "lock ledger", file->path, errno);
    return SBL_OK;
}

/* The file must be the one and only file of that name: a second name would be a second ledger to
 * whoever copies or replaces one of them. */
static sbl_status inspect(size_t *size, const sbl_ledger_file *file, sbl_error *err)
{
    struct stat opened;
    struct stat named;
    if (fstat(file->descriptor, &opened) != 0 || lstat(file->path, &named) != 0)
        return sbl_fail_errno(err, "inspect ledger", file->path, errno);
    if (!S_ISREG(opened.st_mode))
        return sbl_fail(err, SBL_EINPUT, "ledger %s is not a regular file", file->path);
    if (opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
        return sbl_fail(err, SBL_EINPUT, "ledger %s was replaced while it was opened; try again",
                        file->path);
    if (opened.st_nlink != 1)
        return sbl_fail(err, SBL_EINPUT,
                        "ledger %s has more than one name (hard links); keep one of them",
                        file->path);
    if ((uintmax_t)opened.st_size > SBL_LEDGER_SIZE_LIMIT)
        return sbl_fail(err, SBL_EINPUT, "ledger %s is larger than %zu bytes", file->path,
                        SBL_LEDGER_SIZE_LIMIT);
    *size = (size_t)opened.st_size;
    return SBL_OK;
}

static sbl_status read_at(char *bytes, size_t size, size_t offset, const sbl_ledger_file *file,
                          sbl_error *err)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got =
            pread(file->descriptor, bytes + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return sbl_fail_errno(err, "read ledger", file->path, got < 0 ? errno : EIO);
        done += (size_t)got;
    }
    return SBL_OK;
}

static sbl_status load(sbl_ledger_file *file, size_t size, sbl_error *err)
{
    char *bytes = sbl_alloc_array(size, 1);
    if (bytes == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory while reading ledger %s", file->path);
    sbl_status status = read_at(bytes, size, 0, file, err);
    if (status == SBL_OK) status = sbl_ledger_parse(&file->view, bytes, size, file->path, err);
    sbl_free(bytes);
    return status;
}

sbl_status sbl_ledger_file_open(sbl_ledger_file *file, const char *path, bool writing,
                                sbl_error *err)
{
    /* O_NONBLOCK: a pipe of that name must not hang us; it means nothing to a regular file. */
    const int common = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    sbl_status status = SBL_OK;
    size_t size;
    memset(file, 0, sizeof *file);
    file->path = path;
    file->descriptor = open(path, common | (writing ? O_RDWR | O_APPEND : O_RDONLY));
    if (file->descriptor < 0) return fail_open(path, errno, err);
    SBL_TRY(lock(file, writing, err));
    SBL_TRY(inspect(&size, file, err));
    SBL_TRY(load(file, size, err));
done:
    return status;
}

void sbl_ledger_file_close(sbl_ledger_file *file)
{
    sbl_ledger_view_clear(&file->view);
    if (file->descriptor >= 0) (void)close(file->descriptor);
    file->descriptor = -1;
}

sbl_status sbl_ledger_read(sbl_ledger_view *view, const char *path, sbl_error *err)
{
    sbl_ledger_file file;
    const sbl_status status = sbl_ledger_file_open(&file, path, false, err);
    *view = file.view;
    memset(&file.view, 0, sizeof file.view);
    sbl_ledger_file_close(&file);
    return status;
}

/* ---- appending ---- */

/* Number, time and hash a line, check it as a reader would, and add it to the view and to text. */
static sbl_status add_line(sbl_ledger_file *file, sbl_text *text, sbl_ledger_line *line,
                           sbl_error *err)
{
    sbl_ledger_view *view = &file->view;
    const sbl_ledger_place place = {file->path, view->line_count + 2, ""};
    sbl_status status = SBL_OK;
    sbl_text body = {0};
    char hex[SBL_SHA256_TEXT_SIZE];
    line->seq = view->line_count + 1;
    line->totals = view->totals;
    /* Where they do not fit, the check below says so. */
    (void)sbl_totals_add(&line->totals, &line->entry.charge);
    sbl_utc_now(line->time);
    sbl_ledger_line_format(&body, line);
    SBL_TRY(sbl_ledger_hash(line->hash, view->head, body.data, body.length, err));
    sbl_text_printf(&body, " h=%s", sbl_hex_encode(hex, line->hash, sizeof line->hash));
    sbl_text_append(text, body.data, body.length);
    sbl_text_append(text, "\n", 1);
    if (body.failed || text->failed)
        SBL_FAIL(err, SBL_EMEM, "out of memory while writing ledger %s", file->path);
    status = sbl_ledger_extend(view, body.data, body.length, &place, err);
done:
    sbl_text_clear(&body);
    return status;
}

sbl_status sbl_ledger_file_prepare(sbl_ledger_file *file, sbl_text *text,
                                   const sbl_ledger_line *line, sbl_error *err)
{
    sbl_ledger_line next = *line;
    if (file->view.torn && line->op != SBL_LEDGER_REPAIR)
        return sbl_fail(err, SBL_EBUDGET,
                        "ledger %s ends in a torn line, so that all of its budget counts as spent "
                        "until a repair records its cost",
                        file->path);
    return add_line(file, text, &next, err);
}

static sbl_status set_size(const sbl_ledger_file *file, size_t size, sbl_error *err)
{
    if (ftruncate(file->descriptor, (off_t)size) != 0)
        return sbl_fail_errno(err, "cut ledger", file->path, errno);
    return SBL_OK;
}

/* The new line goes over the torn one. What of that would stick out behind it is cut first:
 * whatever is left by a crash in between is again the beginning of a line, and of that line only.
 */
static sbl_status write_over_torn(const sbl_ledger_file *file, const sbl_text *text, sbl_error *err)
{
    const size_t start = file->view.whole_size;
    if (file->view.torn_size >= text->length) {
        const sbl_status status = set_size(file, start + text->length - 1, err);
        if (status != SBL_OK) return status;
    }
    if (fcntl(file->descriptor, F_SETFL, 0) != 0 || /* no O_APPEND */
        lseek(file->descriptor, (off_t)start, SEEK_SET) < 0)
        return sbl_fail_errno(err, "write to ledger", file->path, errno);
    return sbl_write_all(file->descriptor, text->data, text->length, file->path, err);
}

static sbl_status write_at_end(const sbl_ledger_file *file, const sbl_text *text, sbl_error *err)
{
    const sbl_status status =
        sbl_write_all(file->descriptor, text->data, text->length, file->path, err);
    /* A part of a line that leads to no release is ours to take back; if that fails too, it is a
     * torn line. */
    if (status != SBL_OK) (void)set_size(file, file->view.whole_size, NULL);
    return status;
}

/* Read back what a later reader will see. */
static sbl_status compare_with_file(const sbl_ledger_file *file, const sbl_text *text,
                                    sbl_error *err)
{
    char *bytes = sbl_alloc_array(text->length, 1);
    if (bytes == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory while writing ledger %s", file->path);
    sbl_status status = read_at(bytes, text->length, file->view.whole_size, file, err);
    if (status == SBL_OK && memcmp(bytes, text->data, text->length) != 0)
        status =
            sbl_fail(err, SBL_EIO, "ledger %s does not hold what was written to it", file->path);
    sbl_free(bytes);
    return status;
}

sbl_status sbl_ledger_file_append(sbl_ledger_file *file, const sbl_text *text, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(file->view.torn ? write_over_torn(file, text, err) : write_at_end(file, text, err));
    if (fdatasync(file->descriptor) != 0) {
        status = sbl_fail_errno(err, "sync ledger", file->path, errno);
        goto done;
    }
    SBL_TRY(compare_with_file(file, text, err));
done:
    return status;
}
