/* SPDX-License-Identifier: Apache-2.0 */
/* Finds books by what is in them: a ledger begins with its magic, a certificate is JSON that says so. Names count only for
 * empty files. A folder of foreign files has no books. */
#include "owner/register/books.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "door/certificate/certificate_document.h"
#include "semblance/files.h"

#define MOST_DEPTH 32
#define MOST_FILES ((size_t)1 << 20)
#define LARGEST_CERTIFICATE ((size_t)64 << 20)

/* ---- files ---- */

static sbl_status add_file(sbl_books *books, const char *path, uint64_t size, sbl_error *err)
{
    sbl_status status = SBL_OK;
    char *copy = NULL;
    if (books->file_count == MOST_FILES)
        SBL_FAIL(err, SBL_EINPUT, "there are more than %zu files below the folders: name smaller ones",
                 MOST_FILES);
    if ((books->file_count & (books->file_count - 1)) == 0) /* at powers of two */
        SBL_RESIZE(books->files, books->file_count == 0 ? 1 : 2 * books->file_count, "a register");
    SBL_TRY(sbl_copy_text(&copy, path, "a file name", err));
    const char *slash = strrchr(copy, '/');
    books->files[books->file_count++] = (sbl_book_file){copy, slash != NULL ? slash + 1 : copy, size};
done:
    return status;
}

static sbl_status walk(sbl_books *books, const char *folder, int depth, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_text path = {0};
    DIR *stream = opendir(folder);
    if (stream == NULL) return depth == 0 ? sbl_fail_errno(err, "open folder", folder, errno) : SBL_OK;
    for (const struct dirent *e; depth <= MOST_DEPTH && (e = readdir(stream)) != NULL;) {
        struct stat seen;
        if (e->d_name[0] == '.') continue;
        sbl_text_clear(&path);
        sbl_text_printf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", e->d_name);
        SBL_TRY(sbl_text_check(&path, "a file name", err));
        if (lstat(path.data, &seen) != 0) continue;
        if (S_ISDIR(seen.st_mode)) SBL_TRY(walk(books, path.data, depth + 1, err));
        if (S_ISREG(seen.st_mode)) SBL_TRY(add_file(books, path.data, (uint64_t)seen.st_size, err));
    }
done:
    (void)closedir(stream);
    sbl_text_clear(&path);
    return status;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const sbl_book_file *)a)->path, ((const sbl_book_file *)b)->path);
}

/* In order, each once: folders may be named twice, or one within another. */
static void sort_files(sbl_books *books)
{
    size_t kept = 0;
    if (books->file_count > 0) qsort(books->files, books->file_count, sizeof *books->files, by_path);
    for (size_t i = 0; i < books->file_count; i++)
        if (kept == 0 || strcmp(books->files[kept - 1].path, books->files[i].path) != 0)
            books->files[kept++] = books->files[i];
        else
            sbl_free(books->files[i].path);
    books->file_count = kept;
}

/* ---- ledgers ---- */

static sbl_status add_unreadable(sbl_books *books, const char *path, const char *reason, sbl_error *err)
{
    json_t *entry = json_pack("{s:s, s:s}", "file", path, "reason", reason);
    books->unreadable = sbl_json_append(books->unreadable, entry);
    return books->unreadable != NULL ? SBL_OK : sbl_no_memory(err, "a register");
}

/* INPUT of INPUT.ledger. */
static sbl_status find_data(sbl_book_ledger *ledger, sbl_error *err)
{
    const size_t length = strlen(ledger->path), ending = strlen(SBL_ENDING_LEDGER);
    struct stat seen;
    if (!sbl_path_ends_in(ledger->path, SBL_ENDING_LEDGER)) return SBL_OK;
    SBL_CHECK(sbl_copy_text(&ledger->data, ledger->path, "a file name", err));
    ledger->data[length - ending] = '\0';
    if (stat(ledger->data, &seen) == 0) {
        ledger->data_size = S_ISREG(seen.st_mode) ? (uint64_t)seen.st_size : 0;
        return SBL_OK;
    }
    sbl_free(ledger->data);
    ledger->data = NULL;
    return SBL_OK;
}

/* An empty file of that name is a ledger that was lost: the register must name it. */
static bool is_ledger(const sbl_book_file *file)
{
    return sbl_file_is_ledger(file->path) ||
           (file->size == 0 && sbl_path_ends_in(file->path, SBL_ENDING_LEDGER));
}

static sbl_status add_ledger(sbl_books *books, const char *path, sbl_error *err)
{
    sbl_error reason = {0};
    sbl_status status = SBL_OK;
    SBL_RESIZE(books->ledgers, books->ledger_count + 1, "a register");
    sbl_book_ledger *ledger = &books->ledgers[books->ledger_count];
    *ledger = (sbl_book_ledger){.path = path};
    status = sbl_ledger_read(&ledger->view, sbl_file_item(path), &reason);
    if (status == SBL_EMEM) SBL_FAIL(err, SBL_EMEM, "%s", reason.message);
    if (status != SBL_OK) return add_unreadable(books, path, reason.message, err);
    ledger->problems = json_array();
    books->ledger_count++;
    if (ledger->problems == NULL) return sbl_no_memory(err, "a register");
    status = find_data(ledger, err);
done:
    return status;
}

/* ---- certificates ---- */

/* Does a JSON file begin as a certificate does? */
static bool looks_like_certificate(const uint8_t *bytes, size_t size)
{
    static const char word[] = "\"semblance-certificate\"";
    const size_t head = size < 256 ? size : 256;
    return memmem(bytes, head, word, sizeof word - 1) != NULL;
}

static const sbl_book_ledger *ledger_of(const sbl_books *books, const char *id)
{
    for (size_t i = 0; i < books->ledger_count; i++)
        if (strcmp(books->ledgers[i].view.id, id) == 0) return &books->ledgers[i];
    return NULL;
}

static sbl_status read_certificate(sbl_books *books, const char *path, const char *text, size_t size,
                                   sbl_error *err)
{
    sbl_error reason = {0};
    json_t *json = NULL, *ledger;
    sbl_status status = SBL_OK;
    sbl_book_certificate *made;
    SBL_RESIZE(books->certificates, books->certificate_count + 1, "a register");
    made = &books->certificates[books->certificate_count];
    *made = (sbl_book_certificate){.path = path};
    if (sbl_json_parse(&json, text, size, path, &reason) != SBL_OK ||
        sbl_json_get_object(&ledger, json, "ledger", path, &reason) != SBL_OK ||
        sbl_json_get_string(&made->ledger_id, ledger, "id", path, &reason) != SBL_OK) {
        json_decref(json);
        return add_unreadable(books, path, reason.message, err);
    }
    made->json = json;
    made->ledger = ledger_of(books, made->ledger_id);
    made->holds = sbl_certificate_check(NULL, text, size, made->ledger != NULL ? &made->ledger->view : NULL,
                                        path, &reason) == SBL_OK;
    if (!made->holds) memcpy(made->reason, reason.message, sizeof made->reason);
    books->certificate_count++;
done:
    return status;
}

static sbl_status add_certificate(sbl_books *books, const sbl_book_file *file, sbl_error *err)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    sbl_status status = SBL_OK;
    if (!sbl_path_ends_in(file->path, ".json") || file->size > LARGEST_CERTIFICATE) return SBL_OK;
    if (sbl_file_read(&bytes, &size, file->path, LARGEST_CERTIFICATE, NULL) != SBL_OK) return SBL_OK;
    if (looks_like_certificate(bytes, size))
        status = read_certificate(books, file->path, (const char *)bytes, size, err);
    sbl_free(bytes);
    return status;
}

/* ---- all of them ---- */

sbl_status sbl_books_read(sbl_books *books, const char *const *folders, size_t count, sbl_error *err)
{
    *books = (sbl_books){.unreadable = json_array()};
    if (books->unreadable == NULL) return sbl_no_memory(err, "a register");
    for (size_t i = 0; i < count; i++) SBL_CHECK(walk(books, folders[i], 0, err));
    sort_files(books);
    for (size_t i = 0; i < books->file_count; i++)
        if (is_ledger(&books->files[i])) SBL_CHECK(add_ledger(books, books->files[i].path, err));
    for (size_t i = 0; i < books->file_count; i++) SBL_CHECK(add_certificate(books, &books->files[i], err));
    if (books->ledger_count + books->certificate_count + json_array_size(books->unreadable) == 0)
        return sbl_fail(err, SBL_EINPUT, "%s%s has no ledger and no certificate", folders[0],
                        count > 1 ? " and the other folders together" : "");
    return SBL_OK;
}

void sbl_books_clear(sbl_books *books)
{
    for (size_t i = 0; i < books->file_count; i++) sbl_free(books->files[i].path);
    for (size_t i = 0; i < books->ledger_count; i++) {
        sbl_ledger_view_clear(&books->ledgers[i].view);
        json_decref(books->ledgers[i].problems);
        sbl_free(books->ledgers[i].data);
    }
    for (size_t i = 0; i < books->certificate_count; i++) json_decref(books->certificates[i].json);
    sbl_free(books->files);
    sbl_free(books->ledgers);
    sbl_free(books->certificates);
    json_decref(books->unreadable);
    *books = (sbl_books){0};
}

/* Among its mechanisms. */
static bool lists(const sbl_book_certificate *certificate, const char *rid, bool *is_last)
{
    const json_t *list = json_object_get(certificate->json, "mechanisms");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *id = json_string_value(json_object_get(json_array_get(list, i), "rid"));
        if (id == NULL || strcmp(id, rid) != 0) continue;
        *is_last = i + 1 == json_array_size(list);
        return true;
    }
    return false;
}

const sbl_book_certificate *sbl_books_find(const sbl_books *books, const sbl_book_ledger *ledger,
                                           const char *rid, bool *is_last)
{
    for (size_t i = books->certificate_count; i-- > 0;)
        if (books->certificates[i].ledger == ledger && lists(&books->certificates[i], rid, is_last))
            return &books->certificates[i];
    return NULL;
}

/* Is the file in the folder of the certificate, or below it? */
static bool is_near(const char *file, const char *certificate)
{
    const char *slash = strrchr(certificate, '/');
    return strncmp(file, certificate, slash != NULL ? (size_t)(slash - certificate) + 1 : 0) == 0;
}

const char *sbl_books_state(const sbl_books *books, const sbl_book_certificate *of, const char *name,
                            const char *hash)
{
    bool near = false;
    for (size_t i = 0; i < books->file_count; i++) {
        char found[SBL_SHA256_TEXT_SIZE];
        if (strcmp(books->files[i].name, name) != 0) continue;
        if (sbl_file_sha256(found, books->files[i].path, NULL) == SBL_OK && strcmp(found, hash) == 0)
            return "matches";
        near = near || is_near(books->files[i].path, of->path);
    }
    return near ? "changed" : "missing";
}
