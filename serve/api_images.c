/* SPDX-License-Identifier: Apache-2.0 */
/* Result: real images, NOT PRIVATE, for the owner's eyes. The page draws what it is handed: the beginning of an IDX or CIFAR
 * file as it is, or some PNG files of each class. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cli/output.h"
#include "dataset.h"
#include "fixed_text.h"
#include "server.h"

#define HEAD_BYTES ((size_t)1 << 20) /* of a file of images */
#define MOST_CLASSES 20              /* folders that are looked into */
#define MOST_OF_CLASS 8              /* files of each */
#define MOST_FILE_BYTES ((size_t)1 << 17)

/* ---- base64, RFC 4648 ---- */

static char *base64(const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc(4 * (length / 3 + 1) + 1), *at = text;
    if (text == NULL) return NULL;
    for (size_t i = 0; i < length; i += 3) {
        const size_t left = length - i;
        const unsigned b1 = left > 1 ? bytes[i + 1] : 0, b2 = left > 2 ? bytes[i + 2] : 0;
        const unsigned group = (unsigned)bytes[i] << 16 | b1 << 8 | b2;
        *at++ = digits[group >> 18];
        *at++ = digits[group >> 12 & 63];
        *at++ = '=';
        *at++ = '=';
        if (left > 1) at[-2] = digits[group >> 6 & 63];
        if (left > 2) at[-1] = digits[group & 63];
    }
    *at = '\0';
    return text;
}

/* ---- a folder of pictures ---- */

typedef struct gallery {
    sbl_serve_server *server;
    json_t *images;
    const char *class; /* "": of none */
    size_t classes;
    size_t of_class;
} gallery;

static bool is_picture(const char *path)
{
    static const char *const endings[] = {".png", ".jpg", ".jpeg", NULL};
    for (size_t i = 0; endings[i] != NULL; i++)
        if (sbl_serve_ends_with(path, endings[i])) return true;
    return false;
}

static void show_file(void *context, const sbl_serve_folder_entry *entry)
{
    gallery *all = context;
    char *bytes = NULL;
    size_t length = 0;
    if (entry->is_folder || !is_picture(entry->path) || all->of_class == MOST_OF_CLASS) return;
    if (sbl_serve_folder_read(&bytes, &length, all->server->root, entry->path, MOST_FILE_BYTES, NULL) !=
        SBL_OK)
        return; /* one that is too large is left out */
    char *text = base64((const unsigned char *)bytes, length);
    if (text != NULL) {
        (void)json_array_append_new(
            all->images,
            json_pack("{s:s, s:s, s:s}", "class", all->class, "type",
                      sbl_serve_ends_with(entry->path, ".png") ? "image/png" : "image/jpeg", "data", text));
        all->of_class++;
    }
    free(text);
    free(bytes);
}

static void show_class(void *context, const sbl_serve_folder_entry *entry)
{
    gallery *all = context;
    const char *slash = strrchr(entry->path, '/');
    if (!entry->is_folder || all->classes == MOST_CLASSES) return;
    all->classes++;
    all->of_class = 0;
    all->class = slash != NULL ? slash + 1 : entry->path;
    sbl_serve_folder_list(all->server->root, entry->path, show_file, all);
}

static void show_folder(sbl_serve_answer *answer, sbl_serve_server *server, const char *path)
{
    gallery all = {.server = server, .images = json_array(), .class = ""};
    sbl_serve_folder_list(server->root, path, show_file, &all);
    sbl_serve_folder_list(server->root, path, show_class, &all);
    answer->json = json_pack("{s:s, s:o}", "label", "NOT PRIVATE", "images", all.images);
}

/* ---- the beginning of a file ---- */

static sbl_status show_head(sbl_serve_answer *answer, int root, const char *path, sbl_error *err)
{
    int fd = -1;
    sbl_status status = sbl_serve_folder_file(&fd, NULL, root, path, err);
    if (status != SBL_OK) return status;
    status = sbl_serve_answer_head(answer, fd, HEAD_BYTES, path, err);
    if (status != SBL_OK) return status;
    answer->type = "application/octet-stream";
    return SBL_OK;
}

/* CIFAR files in a folder: the first. */
typedef struct first_file {
    char path[SBL_FOLDER_PATH_SIZE];
} first_file;

static void find_first(void *context, const sbl_serve_folder_entry *entry)
{
    first_file *first = context;
    if (first->path[0] == '\0' && !entry->is_folder &&
        (sbl_serve_ends_with(entry->path, ".bin") || sbl_serve_ends_with(entry->path, ".bin.gz")))
        /* one that is longer could not be opened */
        (void)sbl_serve_put(first->path, sizeof first->path, entry->path);
}

static sbl_status show(sbl_serve_answer *answer, sbl_serve_server *server, const sbl_serve_dataset *set,
                       bool labels, sbl_error *err)
{
    first_file first = {.path = ""};
    const char *path = labels ? sbl_serve_reading(set, "labels") : set->path;
    if (path == NULL) return sbl_cli_fail(err, SBL_EARG, "%s: has no labels", set->name);
    if (!sbl_serve_folder_has_folder(server->root, path)) return show_head(answer, server->root, path, err);
    sbl_serve_folder_list(server->root, path, find_first, &first);
    if (first.path[0] != '\0') return show_head(answer, server->root, first.path, err);
    show_folder(answer, server, path);
    return SBL_OK;
}

sbl_status sbl_serve_api_real_images(sbl_serve_server *server, const sbl_serve_request *request,
                                     sbl_serve_answer *answer, sbl_error *err)
{
    sbl_serve_dataset set;
    const char *path = NULL;
    const char *known = sbl_serve_request_text_or_null(request, "label");
    const bool labels = json_is_true(json_object_get(request->body, "labels"));
    sbl_status status = sbl_serve_request_text(&path, request, "path", err);
    if (status == SBL_OK && (known == NULL || strcmp(known, "NOT PRIVATE") != 0))
        status =
            sbl_cli_fail(err, SBL_EARG, "real images are NOT PRIVATE: ask with \"label\": \"NOT PRIVATE\"");
    if (status == SBL_OK) status = sbl_serve_dataset_find(&set, server->root, path, err);
    if (status == SBL_OK && set.kind != SBL_KIND_IMAGES)
        status = sbl_cli_fail(err, SBL_EARG, "%s is not an image set", path);
    return status == SBL_OK ? show(answer, server, &set, labels, err) : status;
}
