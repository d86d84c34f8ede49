/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of PNG files: "CLASS/000123.png", or "000123.png" without classes. It is made under
 * another name beside its place and renamed when it is whole. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/os_random.h"
#include "base/other_libc.h"
#include "base/text.h"
#include "public/image/image_container.h"
#include "public/image/png.h"

struct sbl_png_output {
    sbl_text path;
    sbl_text temporary;
    bool made; /* the temporary folder exists */
    bool overwrite;
    sbl_image_shape shape;
    size_t classes;
    char **class_names;
    int digits; /* of a file's number */
    size_t written;
    sbl_text name;  /* of the current file */
    sbl_text bytes; /* and what it holds */
};

static int digits_of(size_t largest)
{
    int digits = 1;
    for (; largest >= 10; largest /= 10) digits++;
    return digits;
}

/* A name that is one folder and nothing else. */
static bool is_folder_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && strlen(name) <= 255 && strchr(name, '/') == NULL &&
           !sbl_text_has_control(name);
}

static sbl_status name_classes(sbl_png_output *output, const char *const *names, sbl_error *err)
{
    const int digits = output->classes > 0 ? digits_of(output->classes - 1) : 1;
    output->class_names = sbl_alloc_array(output->classes, sizeof *output->class_names);
    if (output->class_names == NULL) return sbl_no_memory(err, "a folder of images");
    for (size_t i = 0; i < output->classes; i++) {
        sbl_text name = {0};
        if (names != NULL && !is_folder_name(names[i]))
            return sbl_fail(err, SBL_EARG,
                            "%s: the name of class %zu cannot be the name of a folder: rename the class",
                            output->path.data, i);
        if (names != NULL)
            sbl_text_printf(&name, "%s", names[i]);
        else
            sbl_text_printf(&name, "%0*zu", digits, i);
        output->class_names[i] = name.data;
        if (name.failed) return sbl_no_memory(err, "a folder of images");
    }
    return SBL_OK;
}

/* path without slashes at its end, and ".name.0123456789abcdef.tmp" beside it. */
static sbl_status name_folders(sbl_png_output *output, const char *path, sbl_error *err)
{
    uint8_t random[8];
    char hex[2 * sizeof random + 1];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    sbl_text_append(&output->path, path, length);
    if (output->path.failed) return sbl_no_memory(err, "a folder of images");
    const sbl_status status = sbl_os_random(random, sizeof random, err);
    if (status != SBL_OK) return status;
    const char *slash = strrchr(output->path.data, '/');
    const size_t parent = slash != NULL ? (size_t)(slash - output->path.data) + 1 : 0;
    sbl_text_append(&output->temporary, output->path.data, parent);
    sbl_text_printf(&output->temporary, ".%s.%s.tmp", output->path.data + parent,
                    sbl_hex_encode(hex, random, sizeof random));
    return output->temporary.failed ? sbl_no_memory(err, "a folder of images") : SBL_OK;
}

/* "temporary/CLASS" into output->name. */
static sbl_status name_class_folder(sbl_png_output *output, size_t label, sbl_error *err)
{
    output->name.length = 0;
    sbl_text_append(&output->name, output->temporary.data, output->temporary.length);
    if (output->classes > 0) sbl_text_printf(&output->name, "/%s", output->class_names[label]);
    return output->name.failed ? sbl_no_memory(err, "a folder of images") : SBL_OK;
}

static sbl_status make_folders(sbl_png_output *output, sbl_error *err)
{
    if (mkdir(output->temporary.data, 0755) != 0)
        return sbl_fail_errno(err, "write", output->path.data, errno);
    output->made = true;
    for (size_t i = 0; i < output->classes; i++) {
        const sbl_status status = name_class_folder(output, i, err);
        if (status != SBL_OK) return status;
        if (mkdir(output->name.data, 0755) != 0)
            return errno == EEXIST
                       ? sbl_fail(err, SBL_EARG, "%s: two classes have the same name", output->path.data)
                       : sbl_fail_errno(err, "write to", output->path.data, errno);
    }
    return SBL_OK;
}

/* Something that would be in the way at the end is said at the beginning. */
static sbl_status check_place(const char *path, bool overwrite, sbl_error *err)
{
    struct stat facts;
    const sbl_status status = sbl_file_check_target(path, overwrite, err);
    if (status != SBL_OK || lstat(path, &facts) != 0) return status;
    if (!S_ISDIR(facts.st_mode))
        return sbl_fail(err, SBL_EIO, "%s exists and is not a folder; choose another name", path);
    return SBL_OK;
}

sbl_status sbl_png_output_open(sbl_png_output **output, const char *path,
                               const sbl_image_write_options *options, sbl_error *err)
{
    sbl_status status;
    sbl_png_output *made = sbl_alloc_array(1, sizeof *made);
    *output = NULL;
    if (made == NULL) return sbl_no_memory(err, "a folder of images");
    made->overwrite = options->overwrite;
    made->shape = options->shape;
    made->digits = digits_of(options->count - 1);
    SBL_TRY(name_folders(made, path, err));
    SBL_TRY(check_place(made->path.data, made->overwrite, err));
    made->classes = options->classes;
    SBL_TRY(name_classes(made, options->class_names, err));
    SBL_TRY(make_folders(made, err));
    *output = made;
    made = NULL;
done:
    sbl_png_output_free(made);
    return status;
}

sbl_status sbl_png_output_write(sbl_png_output *output, const uint8_t *pixels, uint32_t label, sbl_error *err)
{
    sbl_status status = SBL_OK;
    output->bytes.length = 0;
    SBL_CHECK(name_class_folder(output, label, err));
    sbl_text_printf(&output->name, "/%0*zu.png", output->digits, output->written);
    if (output->name.failed) return sbl_no_memory(err, "a folder of images");
    SBL_CHECK(sbl_png_encode(&output->bytes, pixels, output->shape.height, output->shape.width,
                             output->shape.channels, output->shape.width * output->shape.channels, err));
    const int file = open(output->name.data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file < 0) return sbl_fail_errno(err, "write to", output->path.data, errno);
    status = sbl_write_all(file, output->bytes.data, output->bytes.length, output->path.data, err);
    if (close(file) != 0 && status == SBL_OK)
        status = sbl_fail_errno(err, "write to", output->path.data, errno);
    output->written++;
    return status;
}

/* One sync of the file system instead of one per image. */
static sbl_status sync_all(const sbl_png_output *output, sbl_error *err)
{
    const int folder = open(output->temporary.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return sbl_fail_errno(err, "open folder", output->path.data, errno);
    const sbl_status status =
        syncfs(folder) == 0 ? SBL_OK : sbl_fail_errno(err, "sync", output->path.data, errno);
    (void)close(folder);
    return status;
}

sbl_status sbl_png_output_finish(sbl_png_output *output, sbl_error *err)
{
    const char *path = output->path.data;
    const sbl_status status = sync_all(output, err);
    if (status != SBL_OK) return status;
    /* rename(2) puts a folder over an empty one only: no file of anybody's is lost. */
    const int renamed = output->overwrite
                            ? rename(output->temporary.data, path)
                            : renameat2(AT_FDCWD, output->temporary.data, AT_FDCWD, path, RENAME_NOREPLACE);
    if (renamed != 0 && (errno == EEXIST || errno == ENOTEMPTY))
        return sbl_fail(err, SBL_EIO, "%s exists already; choose another name or empty it", path);
    if (renamed != 0) return sbl_fail_errno(err, "write", path, errno);
    output->made = false;
    return sbl_sync_folder_of(path, err);
}

/* Remove the files of a folder and then the folder. */
static void remove_flat_folder(const char *path)
{
    const struct dirent *entry;
    DIR *folder = opendir(path);
    if (folder == NULL) return;
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.') (void)unlinkat(dirfd(folder), entry->d_name, 0);
    (void)closedir(folder);
    (void)rmdir(path);
}

void sbl_png_output_free(sbl_png_output *output)
{
    if (output == NULL) return;
    if (output->made) {
        for (size_t i = 0; i < output->classes; i++)
            if (name_class_folder(output, i, NULL) == SBL_OK) remove_flat_folder(output->name.data);
        remove_flat_folder(output->temporary.data);
    }
    if (output->class_names != NULL)
        for (size_t i = 0; i < output->classes; i++) sbl_free(output->class_names[i]);
    sbl_free(output->class_names);
    sbl_wipe(output->bytes.data, output->bytes.capacity);
    sbl_text_clear(&output->bytes);
    sbl_text_clear(&output->name);
    sbl_text_clear(&output->path);
    sbl_text_clear(&output->temporary);
    sbl_free(output);
}
