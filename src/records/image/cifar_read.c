/* SPDX-License-Identifier: Apache-2.0 */
/* Reads CIFAR binary: records of one label byte (CIFAR-10) or a coarse and a fine one (CIFAR-100), then 32
 * x 32 red, green and blue bytes, plane by plane. There is no header. The declared classes decide which of
 * the two it is, never the size, which tells how many images there are. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/byte_source.h"
#include "base/text.h"
#include "public/image/image_container.h"

#define RECORD_10 (1 + 3 * SBL_CIFAR_PIXELS)
#define RECORD_100 (2 + 3 * SBL_CIFAR_PIXELS)
#define MOST_FILES ((size_t)10000)
#define COUNT_CHUNK ((size_t)64 << 10)

typedef struct cifar_file {
    char *path;
    size_t count;
} cifar_file;

typedef struct cifar_state {
    cifar_file *files;
    size_t file_count;
    size_t record_size;
    size_t label_at; /* which byte of a record is the label */

    sbl_byte_source *source; /* of files[current]; NULL: not open yet */
    size_t current;
    size_t left; /* images of the current file not read yet */
    uint8_t record[RECORD_100];
} cifar_state;

/* By the name, because the first bytes of such a file belong to a record. */
static sbl_status open_file(sbl_byte_source **source, const char *path, sbl_error *err)
{
    uint64_t size;
    if (!sbl_image_has_suffix(path, ".gz")) return sbl_byte_source_open_plain(source, path, err);
    sbl_status status = sbl_byte_source_open(source, path, err);
    if (status == SBL_OK && sbl_byte_source_size(*source, &size)) {
        sbl_byte_source_free(*source);
        *source = NULL;
        status = sbl_fail(err, SBL_EINPUT, "%s is not gzip data, as its name says", path);
    }
    return status;
}

/* Bytes in the file, inflated; counting stops once there are more than limit. */
static sbl_status measure(uint64_t *size, sbl_byte_source *source, uint64_t limit, sbl_error *err)
{
    sbl_status status = SBL_OK;
    size_t got;
    if (sbl_byte_source_size(source, size)) return SBL_OK;
    uint8_t *chunk = sbl_alloc_array(COUNT_CHUNK, 1);
    if (chunk == NULL) return sbl_no_memory(err, "CIFAR files");
    *size = 0;
    do {
        SBL_TRY(sbl_byte_source_read(source, chunk, COUNT_CHUNK, &got, err));
        *size += got;
    } while (got == COUNT_CHUNK && *size <= limit);
done:
    sbl_free_wiped(chunk, COUNT_CHUNK);
    return status;
}

static sbl_status fail_kind(const cifar_state *state, const char *path, sbl_error *err)
{
    return sbl_fail_hint(err, SBL_EINPUT, SBL_HINT_CLASSES, path,
                         state->record_size == RECORD_10
                             ? "%s is not a CIFAR-10 file, or is cut short: its size is not a multiple of "
                               "%zu bytes; declare 100 classes for CIFAR-100, or 20 for its coarse labels"
                             : "%s is not a CIFAR-100 file, or is cut short: its size is not a multiple of "
                               "%zu bytes; declare 100 classes for CIFAR-100, or 20 for its coarse labels",
                         path, state->record_size);
}

static sbl_status count_images(cifar_file *file, const cifar_state *state, sbl_error *err)
{
    const uint64_t limit = (uint64_t)SBL_CIFAR_MOST_IMAGES * state->record_size;
    uint64_t size = 0;
    sbl_byte_source *source;
    sbl_status status = open_file(&source, file->path, err);
    if (status != SBL_OK) return status;
    status = measure(&size, source, limit, err);
    sbl_byte_source_free(source);
    if (status != SBL_OK) return status;
    if (size > limit)
        return sbl_fail(err, SBL_EINPUT, "%s: a CIFAR file holds at most %zu images", file->path,
                        SBL_CIFAR_MOST_IMAGES);
    if (size % state->record_size != 0) return fail_kind(state, file->path, err);
    file->count = (size_t)(size / state->record_size);
    return SBL_OK;
}

static sbl_status count_all(cifar_state *state, size_t *count, sbl_error *err)
{
    *count = 0;
    for (size_t i = 0; i < state->file_count; i++) {
        const sbl_status status = count_images(&state->files[i], state, err);
        if (status != SBL_OK) return status;
        *count += state->files[i].count;
    }
    if (*count > SBL_IMAGE_COUNT_LIMIT)
        return sbl_fail(err, SBL_EINPUT, "%s and the other files hold more than %zu images",
                        state->files[0].path, SBL_IMAGE_COUNT_LIMIT);
    return SBL_OK;
}

/* Add folder/name, or name alone where folder is NULL. */
static sbl_status add_file(cifar_state *state, const char *folder, const char *name, size_t length,
                           sbl_error *err)
{
    sbl_text path = {0};
    if (length == 0) return sbl_fail(err, SBL_EARG, "the list of CIFAR files has an empty name");
    if (folder != NULL) sbl_text_printf(&path, "%s/", folder);
    sbl_text_append(&path, name, length);
    if (path.failed) {
        sbl_text_clear(&path);
        return sbl_no_memory(err, "CIFAR files");
    }
    state->files[state->file_count++].path = path.data;
    return SBL_OK;
}

/* By the whole name: "test.bin.more.bin" is a batch like any other. */
static bool is_test_part(const char *name)
{
    static const char *const parts[] = {"test.bin", "test.bin.gz", "test_batch.bin", "test_batch.bin.gz"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(name, parts[i]) == 0) return true;
    return false;
}

/* The training batches; what else the published archives hold is passed over. */
static bool is_part_of_archive(const char *name)
{
    return is_test_part(name) || sbl_image_has_suffix(name, ".txt") || sbl_image_has_suffix(name, ".html");
}

static sbl_status list_folder(cifar_state *state, const char *path, sbl_error *err)
{
    sbl_folder_list list;
    sbl_status status = sbl_folder_list_read(&list, path, err);
    if (status != SBL_OK) return status;
    state->files = sbl_alloc_array(list.count + 1, sizeof *state->files);
    if (state->files == NULL) {
        status = sbl_no_memory(err, "CIFAR files");
        goto done;
    }
    for (size_t i = 0; i < list.count; i++) {
        const char *name = list.entries[i].name;
        if (!list.entries[i].is_folder && is_part_of_archive(name)) continue;
        if (list.entries[i].is_folder || !sbl_image_is_cifar_name(name)) {
            status = sbl_fail(err, SBL_EINPUT, "%s/%s is not a CIFAR file (.bin, .bin.gz)", path, name);
            goto done;
        }
        SBL_TRY(add_file(state, path, name, strlen(name), err));
    }
    if (state->file_count == 0)
        status = sbl_fail(err, SBL_EINPUT, "%s contains no CIFAR files except test files", path);
done:
    sbl_folder_list_clear(&list);
    return status;
}

/* A file that is listed twice would hold each of its images twice: what one counts for would double. */
static sbl_status check_different(const cifar_state *state, sbl_error *err)
{
    struct stat one, other;
    for (size_t i = 1; i < state->file_count; i++)
        for (size_t j = 0; j < i; j++)
            if (stat(state->files[i].path, &one) == 0 && stat(state->files[j].path, &other) == 0 &&
                one.st_dev == other.st_dev && one.st_ino == other.st_ino)
                return sbl_fail(err, SBL_EARG, "the list of CIFAR files has %s twice", state->files[i].path);
    return SBL_OK;
}

static sbl_status list_names(cifar_state *state, const char *paths, sbl_error *err)
{
    struct stat facts;
    size_t commas = 0;
    /* A file whose own name has a comma is one file. */
    const bool one = stat(paths, &facts) == 0;
    for (const char *at = paths; *at != '\0'; at++) commas += *at == ',';
    if (commas >= MOST_FILES)
        return sbl_fail(err, SBL_EARG, "at most %zu CIFAR files may be listed", MOST_FILES);
    state->files = sbl_alloc_array(commas + 1, sizeof *state->files);
    if (state->files == NULL) return sbl_no_memory(err, "CIFAR files");
    if (one) return add_file(state, NULL, paths, strlen(paths), err);
    for (;;) {
        const size_t length = strcspn(paths, ",");
        const sbl_status status = add_file(state, NULL, paths, length, err);
        if (status != SBL_OK) return status;
        if (paths[length] == '\0') return check_different(state, err);
        paths += length + 1;
    }
}

static sbl_status list_files(cifar_state *state, const char *paths, sbl_error *err)
{
    struct stat facts;
    if (stat(paths, &facts) == 0 && S_ISDIR(facts.st_mode)) return list_folder(state, paths, err);
    return list_names(state, paths, err);
}

/* A file that changed since it was counted. */
static sbl_status fail_changed(const cifar_state *state, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT,
                    "the size of %s changed while it was read: read it when no program writes to it",
                    state->files[state->current].path);
}

static sbl_status end_file(cifar_state *state, sbl_error *err)
{
    uint8_t byte = 0;
    size_t got;
    sbl_status status = sbl_byte_source_read(state->source, &byte, 1, &got, err);
    if (status == SBL_OK && got != 0) status = fail_changed(state, err);
    sbl_byte_source_free(state->source);
    state->source = NULL;
    if (status == SBL_OK) state->current++;
    return status;
}

/* The next record, which there is, into state->record. */
static sbl_status next_record(cifar_state *state, sbl_error *err)
{
    size_t got;
    if (state->source == NULL) {
        while (state->files[state->current].count == 0) state->current++;
        SBL_CHECK(open_file(&state->source, state->files[state->current].path, err));
        state->left = state->files[state->current].count;
    }
    SBL_CHECK(sbl_byte_source_read(state->source, state->record, state->record_size, &got, err));
    if (got != state->record_size) return fail_changed(state, err);
    if (--state->left == 0) return end_file(state, err);
    return SBL_OK;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type of all readers */
static sbl_status read_cifar(void *of, uint8_t *pixels, uint32_t *labels, uint8_t *misfits, size_t count,
                             bool last, sbl_error *err)
{
    cifar_state *state = of;
    (void)misfits; /* every image fits */
    (void)last;    /* every file's end is checked where it ends */
    for (size_t i = 0; i < count; i++) {
        const sbl_status status = next_record(state, err);
        if (status != SBL_OK) return status;
        const uint8_t *planes = state->record + state->record_size - 3 * SBL_CIFAR_PIXELS;
        if (labels != NULL) labels[i] = state->record[state->label_at];
        for (size_t pixel = 0; pixel < SBL_CIFAR_PIXELS; pixel++)
            for (size_t channel = 0; channel < 3; channel++)
                *pixels++ = planes[channel * SBL_CIFAR_PIXELS + pixel];
    }
    return SBL_OK;
}

static void close_cifar(void *of)
{
    cifar_state *state = of;
    sbl_byte_source_free(state->source);
    for (size_t i = 0; i < state->file_count; i++) sbl_free(state->files[i].path);
    sbl_free(state->files);
    sbl_free_wiped(state, sizeof *state);
}

sbl_status sbl_cifar_open(sbl_image_container *container, const char *paths, const sbl_image_options *options,
                          sbl_error *err)
{
    sbl_status status;
    cifar_state *state = sbl_alloc_array(1, sizeof *state);
    if (state == NULL) return sbl_no_memory(err, "CIFAR files");
    container->classes = options->classes != 0 ? options->classes : 10;
    state->record_size = sbl_cifar_is_100(container->classes) ? RECORD_100 : RECORD_10;
    state->label_at = container->classes == SBL_CIFAR_FINE ? 1 : 0;
    SBL_TRY(list_files(state, paths, err));
    SBL_TRY(count_all(state, &container->count, err));
    container->shape = (sbl_image_shape){SBL_CIFAR_SIDE, SBL_CIFAR_SIDE, 3};
    container->state = state;
    container->read = read_cifar;
    container->close = close_cifar;
done:
    if (status != SBL_OK) close_cifar(state);
    return status;
}
