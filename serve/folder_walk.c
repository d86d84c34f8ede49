/* SPDX-License-Identifier: Apache-2.0 */
/* What a folder holds: its files and folders, and whether there is a link among them. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "served_folder.h"

#define DEEPEST 4
#define MOST_ENTRIES 20000
#define MOST_PICTURES 100 /* of one folder that are visited */

/* ---- what is there ---- */

typedef struct walk {
    sbl_serve_folder_visit visit;
    void *context;
    size_t left; /* entries */
} walk;

static void walk_folder(walk *all, int folder, const char *prefix, unsigned depth);

static void walk_entry(walk *all, int folder, const char *prefix, const char *name, unsigned depth)
{
    char path[SBL_FOLDER_PATH_SIZE];
    struct stat found;
    const int length = snprintf(path, sizeof path, "%s%s", prefix, name);
    if (length < 0 || (size_t)length >= sizeof path || !sbl_serve_folder_path_is_good(path) ||
        fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    const bool is_folder = S_ISDIR(found.st_mode);
    if (!is_folder && !S_ISREG(found.st_mode)) return;
    const sbl_serve_folder_entry entry = {path, is_folder, (uint64_t)found.st_size, (int64_t)found.st_mtime};
    all->visit(all->context, &entry);
    if (!is_folder || depth == DEEPEST || (size_t)length + 2 > sizeof path) return;
    const int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) return;
    path[length] = '/';
    path[length + 1] = '\0';
    walk_folder(all, inner, path, depth + 1);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_picture(const char *name)
{
    const char *ending = strrchr(name, '.');
    return ending != NULL &&
           (strcmp(ending, ".png") == 0 || strcmp(ending, ".jpg") == 0 || strcmp(ending, ".jpeg") == 0);
}

/* Closes folder. */
static void walk_folder(walk *all, int folder, const char *prefix, unsigned depth)
{
    struct dirent **names = NULL;
    const int count = scandirat(folder, ".", &names, NULL, by_name);
    unsigned pictures = 0;
    for (int i = 0; i < count; i++) {
        /* Of an image set a few files show what it is: the rest would use up what is left for others. */
        if (is_picture(names[i]->d_name) && ++pictures > MOST_PICTURES) {
            free(names[i]);
            continue;
        }
        if (all->left > 0) {
            all->left--;
            walk_entry(all, folder, prefix, names[i]->d_name, depth);
        }
        free(names[i]);
    }
    free(names);
    (void)close(folder);
}

void sbl_serve_folder_walk(int root, sbl_serve_folder_visit visit, void *context)
{
    walk all = {visit, context, MOST_ENTRIES};
    const int folder = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) walk_folder(&all, folder, "", 1);
}

void sbl_serve_folder_list(int root, const char *path, sbl_serve_folder_visit visit, void *context)
{
    char prefix[SBL_FOLDER_PATH_SIZE];
    walk all = {visit, context, MOST_ENTRIES};
    if (path == NULL) {
        const int top = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (top >= 0) walk_folder(&all, top, "", DEEPEST);
        return;
    }
    const int length = snprintf(prefix, sizeof prefix, "%s/", path);
    if (!sbl_serve_folder_path_is_good(path) || length < 0 || (size_t)length >= sizeof prefix) return;
    const int folder = sbl_serve_open_beneath(root, path, O_RDONLY | O_DIRECTORY, 0);
    if (folder >= 0) walk_folder(&all, folder, prefix, DEEPEST);
}

/* ---- links ---- */

/* Closes folder. */
static bool is_plain(int folder, unsigned depth)
{
    struct stat found;
    struct dirent *one;
    bool plain = true;
    DIR *entries = fdopendir(folder);
    if (entries == NULL) {
        (void)close(folder);
        return false;
    }
    while (plain && (one = readdir(entries)) != NULL) {
        if (one->d_name[0] == '.') continue; /* hidden files are not served */
        plain = fstatat(folder, one->d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
                (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode));
        if (!plain || !S_ISDIR(found.st_mode)) continue;
        const int inner = openat(folder, one->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        plain = inner >= 0 && depth < DEEPEST && is_plain(inner, depth + 1);
        if (inner >= 0 && depth >= DEEPEST) (void)close(inner);
    }
    (void)closedir(entries);
    return plain;
}

bool sbl_serve_folder_is_plain(int root, const char *path)
{
    if (!sbl_serve_folder_path_is_good(path)) return false;
    const int folder = sbl_serve_open_beneath(root, path, O_RDONLY | O_DIRECTORY, 0);
    return folder >= 0 && is_plain(folder, 1);
}
