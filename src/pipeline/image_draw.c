#include "pipeline/image_draw.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "compute/threads.h"
#include "image/image_writer.h"
#include "pipeline/image_store.h"
#include "pipeline/targets.h"
#include "sample/image_sampler.h"

#define CHUNK_IMAGES 1024
#define PREVIEW_COLUMNS 12
#define PREVIEW_ROWS 8 /* of a set without labels */

static int length_without_slashes(const char *folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    return (int)length;
}

/* A folder that can be made and whose name the other files can be called after. */
static bool is_folder_name(const char *folder)
{
    const int length = length_without_slashes(folder);
    int first = length;
    while (first > 0 && folder[first - 1] != '/') first--;
    const char *last = folder + first;
    if (length == first || strcmp(folder, "-") == 0) return false;
    return !(length - first <= 2 && last[0] == '.' && (length - first == 1 || last[1] == '.'));
}

sbl_status sbl_image_files_name(sbl_image_files *files, const sbl_image_output *output,
                                const sbl_image_facts *facts, sbl_error *err)
{
    const int length = length_without_slashes(output->folder);
    *files = (sbl_image_files){0};
    if (!is_folder_name(output->folder))
        return sbl_fail(err, SBL_EARG, "images go to a folder with a name of its own, not to '%s'",
                        output->folder);
    if (output->format == SBL_IMAGES_PNG)
        sbl_text_printf(&files->images, "%.*s", length, output->folder);
    else
        sbl_text_printf(&files->images, "%.*s/images-idx%d-ubyte.gz", length, output->folder,
                        facts->channels == 3 ? 4 : 3);
    if (output->format == SBL_IMAGES_IDX && facts->classes > 0)
        sbl_text_printf(&files->labels, "%.*s/labels-idx1-ubyte.gz", length, output->folder);
    sbl_text_printf(&files->folder, "%.*s", length, output->folder);
    if (!files->folder.failed && !files->images.failed && !files->labels.failed) return SBL_OK;
    sbl_image_files_clear(files);
    return sbl_fail(err, SBL_EMEM, "out of memory for a file name");
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
static sbl_status check_in_folder(const sbl_image_files *files, const sbl_image_output *output,
                                  bool overwrite, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (output->preview != NULL) SBL_TRY(sbl_file_check_target(output->preview, overwrite, err));
    if (output->format == SBL_IMAGES_PNG) {
        SBL_TRY(check_empty_folder(files->folder.data, err));
        if (output->preview != NULL && is_inside(output->preview, files->folder.data))
            status = sbl_fail(err, SBL_EARG,
                              "the preview %s would be one of the PNG images: choose another place",
                              output->preview);
        goto done;
    }
    SBL_TRY(sbl_file_check_target(files->images.data, overwrite, err));
    if (files->labels.data != NULL)
        SBL_TRY(sbl_file_check_target(files->labels.data, overwrite, err));
done:
    return status;
}

/* made: it was not there. */
static sbl_status make_folder(bool *made, const char *path, sbl_error *err)
{
    *made = mkdir(path, 0777) == 0;
    return *made || errno == EEXIST ? SBL_OK : sbl_fail_errno(err, "make the folder", path, errno);
}

sbl_status sbl_image_files_check(const sbl_image_files *files, const sbl_image_output *output,
                                 const sbl_image_facts *facts, uint64_t count, bool overwrite,
                                 sbl_error *err)
{
    bool made;
    if (count > SBL_IMAGE_COUNT_LIMIT)
        return sbl_fail(err, SBL_EARG, "at most %zu images can be written", SBL_IMAGE_COUNT_LIMIT);
    if (output->format == SBL_IMAGES_IDX && facts->classes > 256)
        return sbl_fail(err, SBL_EARG, "IDX has room for 256 classes: write PNG files");
    /* Whether it could be written to is seen by making it; what was made is not left behind. */
    sbl_status status = make_folder(&made, files->folder.data, err);
    if (status != SBL_OK) return status;
    /* A folder of PNG files is renamed into its place: one that is there is replaced. */
    if (!made && output->format == SBL_IMAGES_PNG)
        status = sbl_file_check_target(files->folder.data, overwrite, err);
    if (status == SBL_OK) status = check_in_folder(files, output, overwrite, err);
    if (made) (void)rmdir(files->folder.data);
    return status;
}

/* "label=CLASS" or "CLASS" to a class. */
static sbl_status read_where(size_t *wanted, const char *where, const sbl_image_facts *facts,
                             sbl_error *err)
{
    static const char label[] = "label=";
    *wanted = SBL_ANY_CLASS;
    if (where == NULL) return SBL_OK;
    if (facts->classes == 0)
        return sbl_fail(err, SBL_EARG, "--where needs a model of labelled images");
    if (strncmp(where, label, sizeof label - 1) == 0) where += sizeof label - 1;
    if (sbl_image_facts_class(wanted, facts, where)) return SBL_OK;
    if (facts->names != NULL)
        return sbl_fail(err, SBL_EARG, "--where takes 'label=CLASS', a class by its name");
    return sbl_fail(err, SBL_EARG, "--where takes 'label=CLASS', a class by its number, 0 to %zu",
                    facts->classes - 1);
}

/* What is written, piece by piece. */
typedef struct drawing {
    sbl_image_sampler *sampler;
    sbl_image_writer *writer;
    sbl_image_grid *grid; /* NULL: no preview */
    uint8_t *pixels;      /* (CHUNK_IMAGES, size) */
    uint32_t *labels;     /* (CHUNK_IMAGES) */
    size_t classes;
    const char *made; /* the folder that was made for them; NULL: it was there */
} drawing;

static sbl_status write_images(drawing *d, uint64_t count, size_t wanted,
                               const sbl_synth_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (uint64_t first = 0; first < count; first += CHUNK_IMAGES) {
        const size_t images = count - first < CHUNK_IMAGES ? (size_t)(count - first) : CHUNK_IMAGES;
        const uint32_t *labels = d->classes > 0 ? d->labels : NULL;
        SBL_TRY(
            sbl_image_sampler_draw(d->sampler, d->pixels, d->labels, first, images, wanted, err));
        SBL_TRY(sbl_image_write(d->writer, d->pixels, labels, images, err));
        if (d->grid != NULL) sbl_image_grid_add(d->grid, d->pixels, labels, images);
        if (options->progress != NULL &&
            options->progress(options->context, "sampling", first + images, count, 0.0) != 0) {
            status = sbl_fail(err, SBL_ESTOPPED, "stopped while sampling; no image was written");
            goto done;
        }
    }
done:
    return status;
}

static sbl_status open_drawing(drawing *d, sbl_image_generator *generator,
                               const sbl_image_files *files, const sbl_image_output *output,
                               uint64_t count, const sbl_synth_options *options, sbl_error *err)
{
    const sbl_image_facts *facts = &generator->facts;
    const sbl_image_shape shape = {facts->height, facts->width, facts->channels};
    const sbl_image_write_options to = {
        .format = output->format == SBL_IMAGES_PNG ? SBL_IMAGE_PNG : SBL_IMAGE_IDX,
        .shape = shape,
        .count = (size_t)count,
        .classes = facts->classes,
        .class_names = (const char *const *)facts->names,
        .overwrite = options->overwrite};
    bool made = false;
    sbl_status status = SBL_OK;
    d->classes = facts->classes;
    d->pixels = sbl_alloc_array(sbl_image_facts_size(facts), CHUNK_IMAGES);
    d->labels = sbl_alloc_array(CHUNK_IMAGES, sizeof *d->labels);
    if (d->pixels == NULL || d->labels == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for a few images");
    SBL_TRY(sbl_image_sampler_new(&d->sampler, generator, options->seed, err));
    if (output->preview != NULL) {
        const size_t rows = facts->classes > 0 ? facts->classes : PREVIEW_ROWS;
        SBL_TRY(sbl_image_grid_new(&d->grid, shape, rows,
                                   sbl_image_grid_columns(shape, rows, PREVIEW_COLUMNS), err));
    }
    if (output->format == SBL_IMAGES_IDX) SBL_TRY(make_folder(&made, files->folder.data, err));
    if (made) d->made = files->folder.data;
    SBL_TRY(sbl_image_writer_open(&d->writer, files->images.data, files->labels.data, &to, err));
done:
    return status;
}

static void close_drawing(drawing *d)
{
    sbl_image_writer_free(d->writer);
    sbl_image_grid_free(d->grid);
    sbl_image_sampler_free(d->sampler);
    sbl_free(d->pixels);
    sbl_free(d->labels);
    if (d->made != NULL) (void)rmdir(d->made); /* stays where there is something in it */
}

sbl_status sbl_images_sample(const char *model_path, const sbl_image_output *output, uint64_t count,
                             const char *where, const sbl_synth_options *options, sbl_error *err)
{
    sbl_image_generator generator = {0};
    sbl_image_files files = {0};
    drawing d = {0};
    size_t wanted;
    uint64_t fitted;
    sbl_status status = SBL_OK;
    if (options->threads != 0) sbl_thread_set((int)options->threads);
    SBL_TRY(sbl_image_model_open(&generator, &fitted, model_path, err));
    SBL_TRY(read_where(&wanted, where, &generator.facts, err));
    if (count == 0) count = fitted;
    SBL_TRY(sbl_image_files_name(&files, output, &generator.facts, err));
    const sbl_named_path paths[] = {{"the model", model_path, false},
                                    {"the images", files.images.data, true},
                                    {"the labels", files.labels.data, true},
                                    {"the preview", output->preview, true}};
    SBL_TRY(sbl_check_targets(paths, sizeof paths / sizeof paths[0], err));
    SBL_TRY(
        sbl_image_files_check(&files, output, &generator.facts, count, options->overwrite, err));
    SBL_TRY(open_drawing(&d, &generator, &files, output, count, options, err));
    SBL_TRY(write_images(&d, count, wanted, options, err));
    SBL_TRY(sbl_image_writer_finish(d.writer, err));
    if (d.grid != NULL)
        SBL_TRY(sbl_image_grid_write(d.grid, output->preview, options->overwrite, err));
done:
    close_drawing(&d);
    sbl_image_files_clear(&files);
    sbl_image_generator_clear(&generator);
    return status;
}
