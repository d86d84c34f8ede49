/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a folder of PNG and JPEG files: in subfolders, one per class, or all in the folder itself, without
 * labels. The order is that of the bytes of the names, class by class. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "public/image/image_container.h"
#include "records/image/image_file.h"
#include "records/image/jpeg.h"

/* Per file. A larger file is not read: it counts as pixel data that cannot be decoded. */
#define FILE_LIMIT ((size_t)16 << 20)

typedef struct folder_state {
    char *path;
    sbl_image_shape shape;
    bool resize;
    char **class_names; /* NULL: no labels */
    size_t classes;
    sbl_folder_list *lists; /* one per class; one in all without labels */
    size_t list_count;

    size_t list; /* the next file is entries[entry] of lists[list], once that is not at its end */
    size_t entry;
    sbl_text name;  /* path of the current file */
    uint8_t *bytes; /* its content */
    size_t capacity;
} folder_state;

static bool is_png_name(const char *name)
{
    return sbl_image_has_suffix(name, ".png") || sbl_image_has_suffix(name, ".PNG");
}

static bool is_jpeg_name(const char *name)
{
    static const char *const suffixes[] = {".jpg", ".jpeg", ".JPG", ".JPEG"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (sbl_image_has_suffix(name, suffixes[i])) return true;
    return false;
}

/* The path of the current list's folder, or of its current entry, into state->name. */
static sbl_status name_current(folder_state *state, bool of_entry, sbl_error *err)
{
    state->name.length = 0;
    sbl_text_append(&state->name, state->path, strlen(state->path));
    if (state->class_names != NULL) sbl_text_printf(&state->name, "/%s", state->class_names[state->list]);
    if (of_entry) sbl_text_printf(&state->name, "/%s", state->lists[state->list].entries[state->entry].name);
    return state->name.failed ? sbl_no_memory(err, "a folder of images") : SBL_OK;
}

/* Step to the next file; false: there is none. */
static bool find_next(folder_state *state)
{
    while (state->list < state->list_count && state->entry == state->lists[state->list].count) {
        state->list++;
        state->entry = 0;
    }
    return state->list < state->list_count;
}

static sbl_status check_names(const folder_state *state, const sbl_folder_list *list, const char *path,
                              sbl_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        const sbl_folder_entry *entry = &list->entries[i];
        if (entry->is_folder && state->class_names != NULL)
            return sbl_fail(err, SBL_EINPUT, "%s/%s: a class folder may hold PNG and JPEG files only", path,
                            entry->name);
        if (entry->is_folder)
            return sbl_fail(err, SBL_EINPUT,
                            "%s holds files and folders; give one subfolder per class, or files "
                            "only",
                            path);
        if (is_jpeg_name(entry->name) && sbl_jpeg_library() == NULL)
            return sbl_fail(
                err, SBL_EINPUT,
                "%s/%s is a JPEG file, which this build cannot read without libjpeg-turbo: convert it to PNG",
                path, entry->name);
        if (!is_png_name(entry->name) && !is_jpeg_name(entry->name))
            return sbl_fail(err, SBL_EINPUT, "%s/%s is not a PNG or JPEG file (.png, .jpg, .jpeg)", path,
                            entry->name);
    }
    return SBL_OK;
}

/* The folder's own entries are the classes: take their names and list each of them. */
static sbl_status list_classes(folder_state *state, sbl_folder_list *top, sbl_error *err)
{
    if (top->count > SBL_IMAGE_CLASS_LIMIT)
        return sbl_fail(err, SBL_EINPUT, "%s has more than %zu subfolders", state->path,
                        SBL_IMAGE_CLASS_LIMIT);
    /* Names of classes are public facts, which are kept as JSON. */
    for (size_t i = 0; i < top->count; i++)
        if (!sbl_text_is_utf8(top->entries[i].name))
            return sbl_fail(err, SBL_EINPUT, "%s: the name of a class's subfolder is not UTF-8: rename it",
                            state->path);
    state->class_names = sbl_alloc_array(top->count, sizeof *state->class_names);
    state->lists = sbl_alloc_array(top->count, sizeof *state->lists);
    if (state->class_names == NULL || state->lists == NULL) return sbl_no_memory(err, "a folder of images");
    state->classes = top->count;
    for (size_t i = 0; i < top->count; i++) {
        state->class_names[i] = top->entries[i].name;
        top->entries[i].name = NULL;
    }
    for (; state->list < state->classes; state->list++) {
        sbl_folder_list *list = &state->lists[state->list];
        sbl_status status = name_current(state, false, err);
        if (status == SBL_OK) status = sbl_folder_list_read(list, state->name.data, err);
        if (status == SBL_OK) state->list_count++;
        if (status == SBL_OK) status = check_names(state, list, state->name.data, err);
        if (status != SBL_OK) return status;
    }
    state->list = 0;
    return SBL_OK;
}

static sbl_status list_all(folder_state *state, sbl_error *err)
{
    sbl_folder_list top;
    size_t folders = 0;
    sbl_status status = sbl_folder_list_read(&top, state->path, err);
    if (status != SBL_OK) return status;
    for (size_t i = 0; i < top.count; i++) folders += top.entries[i].is_folder;
    if (top.count > 0 && folders == top.count) {
        status = list_classes(state, &top, err);
        goto done;
    }
    SBL_TRY(check_names(state, &top, state->path, err));
    state->lists = sbl_alloc_array(1, sizeof *state->lists);
    if (state->lists == NULL) {
        status = sbl_no_memory(err, "a folder of images");
        goto done;
    }
    state->lists[0] = top;
    state->list_count = 1;
    return SBL_OK;
done:
    sbl_folder_list_clear(&top);
    return status;
}

/* Read at most limit bytes of the current file; *whole: there are no more. */
static sbl_status load_file(folder_state *state, size_t *size, bool *whole, size_t limit, sbl_error *err)
{
    sbl_status status = SBL_OK;
    struct stat facts;
    ssize_t got = 1;
    const char *path = state->name.data;
    *size = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return sbl_fail_errno(err, "open", path, errno);
    if (fstat(file, &facts) != 0) {
        status = sbl_fail_errno(err, "inspect", path, errno);
        goto done;
    }
    const size_t wanted = (uintmax_t)facts.st_size < limit ? (size_t)facts.st_size : limit;
    *whole = (uintmax_t)facts.st_size <= limit;
    if (wanted > state->capacity) {
        sbl_free_wiped(state->bytes, state->capacity);
        state->capacity = 0;
        state->bytes = sbl_alloc_array(wanted, 1);
        if (state->bytes == NULL) {
            status = sbl_no_memory(err, "a folder of images");
            goto done;
        }
        state->capacity = wanted;
    }
    while (*size < wanted && got != 0) {
        got = read(file, state->bytes + *size, wanted - *size);
        if (got < 0 && errno != EINTR) {
            status = sbl_fail_errno(err, "read", path, errno);
            goto done;
        }
        if (got > 0) *size += (size_t)got;
    }
done:
    (void)close(file);
    return status;
}

/* The size of the first file is that of all where none is declared. No other file is looked at
 * before it is read: which of them are images must not show. */
static sbl_status take_size_of_first(folder_state *state, sbl_error *err)
{
    size_t size;
    bool whole;
    if (!find_next(state))
        return sbl_fail(err, SBL_EINPUT,
                        "%s contains no PNG or JPEG files, so the size of its images is unknown: declare it",
                        state->path);
    SBL_CHECK(name_current(state, true, err));
    SBL_CHECK(load_file(state, &size, &whole, FILE_LIMIT, err));
    return sbl_image_file_size(&state->shape.height, &state->shape.width, state->bytes, size,
                               state->name.data, err);
}

static sbl_status count_files(const folder_state *state, size_t *count, sbl_error *err)
{
    *count = 0;
    for (size_t i = 0; i < state->list_count; i++) *count += state->lists[i].count;
    if (*count > SBL_IMAGE_COUNT_LIMIT)
        return sbl_fail(err, SBL_EINPUT, "%s holds more than %zu images", state->path, SBL_IMAGE_COUNT_LIMIT);
    return SBL_OK;
}

/* A file that is not an image of the set's size, header included, decodes to mid-grey. */
static sbl_status read_one(folder_state *state, uint8_t *pixels, bool *fits, sbl_error *err)
{
    size_t size;
    bool whole;
    SBL_CHECK(name_current(state, true, err));
    SBL_CHECK(load_file(state, &size, &whole, FILE_LIMIT, err));
    return sbl_image_file_decode(pixels, fits, state->shape, state->resize, state->bytes, whole ? size : 0,
                                 err);
}

static sbl_status read_files(void *of, uint8_t *pixels, uint32_t *labels, uint8_t *misfits, size_t count,
                             bool last, sbl_error *err)
{
    folder_state *state = of;
    const size_t image_size = sbl_image_size(state->shape);
    (void)last; /* there is no end to check */
    for (size_t i = 0; i < count; i++, state->entry++) {
        (void)find_next(state);
        bool fits;
        const sbl_status status = read_one(state, pixels + i * image_size, &fits, err);
        if (status != SBL_OK) return status;
        if (misfits != NULL) misfits[i] = fits ? 0 : 1;
        if (labels != NULL) labels[i] = (uint32_t)state->list;
    }
    return SBL_OK;
}

static void close_folder(void *of)
{
    folder_state *state = of;
    for (size_t i = 0; i < state->list_count; i++) sbl_folder_list_clear(&state->lists[i]);
    for (size_t i = 0; i < state->classes; i++) sbl_free(state->class_names[i]);
    sbl_free(state->lists);
    sbl_free(state->class_names);
    sbl_free(state->path);
    sbl_text_clear(&state->name);
    sbl_free_wiped(state->bytes, state->capacity);
    sbl_free(state);
}

/* The path without slashes at its end: they are put between names. */
static sbl_status keep_path(folder_state *state, const char *path, sbl_error *err)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    state->path = sbl_alloc_array(length + 1, 1);
    if (state->path == NULL) return sbl_no_memory(err, "a folder of images");
    memcpy(state->path, path, length);
    return SBL_OK;
}

sbl_status sbl_image_folder_open(sbl_image_container *container, const char *path,
                                 const sbl_image_options *options, sbl_error *err)
{
    sbl_status status;
    folder_state *state = sbl_alloc_array(1, sizeof *state);
    if (state == NULL) return sbl_no_memory(err, "a folder of images");
    SBL_TRY(keep_path(state, path, err));
    SBL_TRY(list_all(state, err));
    if (state->class_names != NULL && options->classes != 0 && options->classes != state->classes)
        SBL_FAIL(err, SBL_EINPUT, "%s has %zu subfolders, but %zu classes are declared", path, state->classes,
                 options->classes);
    SBL_TRY(count_files(state, &container->count, err));
    state->shape =
        (sbl_image_shape){options->height, options->width, options->channels != 0 ? options->channels : 3};
    state->resize = options->resize;
    if (options->height == 0) SBL_TRY(take_size_of_first(state, err));
    container->shape = state->shape;
    container->classes = state->classes;
    container->class_names = state->class_names;
    container->state = state;
    container->read = read_files;
    container->close = close_folder;
done:
    if (status != SBL_OK) close_folder(state);
    return status;
}
