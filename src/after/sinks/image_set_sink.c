/* SPDX-License-Identifier: Apache-2.0 */
/* An image set as a sink: a pair of IDX files or a folder of PNG files, and a preview. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "after/sinks/image_writer.h"
#include "after/sinks/output_folder.h"
#include "after/sinks/sink.h"
#include "base/alloc.h"
#include "base/file.h"

#define PREVIEW_COLUMNS 12
#define PREVIEW_ROWS 8 /* of a set without labels */

sbl_status sbl_image_files_name(sbl_image_files *files, const sbl_image_folder *target,
                                const sbl_facts *facts, sbl_error *err)
{
    const int length = (int)sbl_folder_length(target->folder);
    *files = (sbl_image_files){0};
    if (!sbl_folder_has_name(target->folder))
        return sbl_fail(err, SBL_EARG,
                        "images are written to a folder of their own, not to '%s': choose another name",
                        target->folder);
    if (target->png)
        sbl_text_printf(&files->images, "%.*s", length, target->folder);
    else
        sbl_text_printf(&files->images, "%.*s/images-idx%d-ubyte.gz", length, target->folder,
                        facts->images.channels == 3 ? 4 : 3);
    if (!target->png && facts->images.classes > 0)
        sbl_text_printf(&files->labels, "%.*s/labels-idx1-ubyte.gz", length, target->folder);
    sbl_text_printf(&files->folder, "%.*s", length, target->folder);
    if (!files->folder.failed && !files->images.failed && !files->labels.failed) return SBL_OK;
    sbl_image_files_clear(files);
    return sbl_no_memory(err, "a file name");
}

void sbl_image_files_clear(sbl_image_files *files)
{
    sbl_text_clear(&files->folder);
    sbl_text_clear(&files->images);
    sbl_text_clear(&files->labels);
}

static sbl_status check_empty_folder(const char *path, sbl_error *err)
{
    sbl_status status = SBL_OK;
    DIR *folder = opendir(path);
    if (folder == NULL) return sbl_fail_errno(err, "open", path, errno);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = sbl_fail(err, SBL_EIO, "%s is not empty: choose another folder", path);
    (void)closedir(folder);
    return status;
}

/* Does the preview go into the folder of the images, however it is spelled? */
static bool is_inside(const char *preview, const char *folder)
{
    char parent[PATH_MAX];
    struct stat one, other;
    const char *slash = strrchr(preview, '/');
    const size_t length = slash != NULL ? (size_t)(slash - preview) + 1 : 0;
    if (length >= sizeof parent) return false;
    (void)snprintf(parent, sizeof parent, "%.*s", (int)length, preview);
    return stat(length > 0 ? parent : ".", &one) == 0 && stat(folder, &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* What must hold of the folder, once it is there. */
static sbl_status check_in_folder(const sbl_image_files *files, const sbl_image_folder *target,
                                  bool overwrite, sbl_error *err)
{
    if (target->preview != NULL) SBL_CHECK(sbl_file_check_target(target->preview, overwrite, err));
    if (target->png) {
        SBL_CHECK(check_empty_folder(files->folder.data, err));
        if (target->preview != NULL && is_inside(target->preview, files->folder.data))
            return sbl_fail(err, SBL_EARG,
                            "the preview %s would be in the folder of PNG images: choose another place",
                            target->preview);
        return SBL_OK;
    }
    SBL_CHECK(sbl_file_check_target(files->images.data, overwrite, err));
    if (files->labels.data != NULL) SBL_CHECK(sbl_file_check_target(files->labels.data, overwrite, err));
    return SBL_OK;
}

sbl_status sbl_image_files_check(const sbl_image_files *files, const sbl_image_folder *target,
                                 const sbl_facts *facts, uint64_t count, bool overwrite, sbl_error *err)
{
    bool made;
    if (count > SBL_IMAGE_COUNT_LIMIT)
        return sbl_fail(err, SBL_EARG, "at most %zu images can be written", SBL_IMAGE_COUNT_LIMIT);
    if (!target->png && facts->images.classes > 256)
        return sbl_fail(err, SBL_EARG, "IDX holds at most 256 classes: write PNG files");
    /* Making the file shows whether it can be written; it is then removed. */
    sbl_status status = sbl_folder_make(&made, files->folder.data, err);
    if (status != SBL_OK) return status;
    /* A folder of PNG files is renamed into its place: one that is there is replaced. */
    if (!made && target->png) status = sbl_file_check_target(files->folder.data, overwrite, err);
    if (status == SBL_OK) status = check_in_folder(files, target, overwrite, err);
    if (made) (void)rmdir(files->folder.data);
    return status;
}

typedef struct image_set_sink {
    sbl_image_files files;
    sbl_image_writer *writer;
    sbl_image_grid *grid; /* NULL: no preview */
    const char *preview;  /* borrowed */
    bool overwrite;
    bool made; /* the folder was made for them */
} image_set_sink;

static sbl_status write_images(sbl_sink *sink, const sbl_drawn *records, size_t rows, sbl_error *err)
{
    image_set_sink *set = sink->state;
    const uint32_t *labels = sink->facts->images.classes > 0 ? records->labels : NULL;
    const sbl_status status = sbl_image_write(set->writer, records->pixels, labels, rows, err);
    if (status == SBL_OK && set->grid != NULL) sbl_image_grid_add(set->grid, records->pixels, labels, rows);
    return status;
}

static sbl_status finish_images(sbl_sink *sink, sbl_error *err)
{
    image_set_sink *set = sink->state;
    sbl_status status = sbl_image_writer_finish(set->writer, err);
    if (status == SBL_OK && set->grid != NULL)
        status = sbl_image_grid_write(set->grid, set->preview, set->overwrite, err);
    return status;
}

static void close_images(sbl_sink *sink)
{
    image_set_sink *set = sink->state;
    if (set == NULL) return;
    sbl_image_writer_free(set->writer);
    sbl_image_grid_free(set->grid);
    if (set->made) (void)rmdir(set->files.folder.data); /* stays where there is something in it */
    sbl_image_files_clear(&set->files);
    sbl_free(set);
}

static sbl_status open_writer(image_set_sink *set, const sbl_image_folder *target, uint64_t count,
                              const sbl_facts *facts, sbl_error *err)
{
    const sbl_image_facts *images = &facts->images;
    const sbl_image_shape shape = {images->height, images->width, images->channels};
    const sbl_image_write_options to = {.format = target->png ? SBL_IMAGE_PNG : SBL_IMAGE_IDX,
                                        .shape = shape,
                                        .count = (size_t)count,
                                        .classes = images->classes,
                                        .class_names = (const char *const *)images->names,
                                        .overwrite = set->overwrite};
    if (target->preview != NULL) {
        const size_t rows = images->classes > 0 ? images->classes : PREVIEW_ROWS;
        SBL_CHECK(sbl_image_grid_new(&set->grid, shape, rows,
                                     sbl_image_grid_columns(shape, rows, PREVIEW_COLUMNS), err));
    }
    if (!target->png) SBL_CHECK(sbl_folder_make(&set->made, set->files.folder.data, err));
    return sbl_image_writer_open(&set->writer, set->files.images.data, set->files.labels.data, &to, err);
}

static const sbl_sink_kind image_kind = {write_images, finish_images, close_images};

sbl_status sbl_sink_open_images(sbl_sink **sink, const sbl_image_folder *target, uint64_t count,
                                const sbl_facts *facts, bool overwrite, sbl_error *err)
{
    image_set_sink *set = NULL;
    sbl_sink *made = NULL;
    sbl_status status = SBL_OK;
    *sink = NULL;
    SBL_TRY(sbl_sink_new(&made, &image_kind, sizeof *set, facts, err));
    set = made->state;
    set->preview = target->preview;
    set->overwrite = overwrite;
    SBL_TRY(sbl_image_files_name(&set->files, target, facts, err));
    SBL_TRY(sbl_image_files_check(&set->files, target, facts, count, overwrite, err));
    SBL_TRY(open_writer(set, target, count, facts, err));
    *sink = made;
    made = NULL;
done:
    sbl_sink_close(made);
    return status;
}
