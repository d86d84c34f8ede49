/* [8] and [9] Where synthetic records go: the same kinds of data as a source, outwards. What is
 * written appears whole when the sink is finished, or not at all. */
#ifndef SBL_SOURCE_SINK_H
#define SBL_SOURCE_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "plan/records.h"

typedef struct sbl_sink sbl_sink;

typedef struct sbl_sink_kind {
    sbl_status (*write)(sbl_sink *sink, const sbl_drawn *records, size_t rows, sbl_error *err);
    sbl_status (*finish)(sbl_sink *sink, sbl_error *err);
    void (*close)(sbl_sink *sink); /* what was not finished never was; state may be half made */
} sbl_sink_kind;

struct sbl_sink {
    const sbl_sink_kind *kind;
    const sbl_facts *facts; /* borrowed */
    /* Set before the first write. */
    uint64_t seed; /* public: of what a sink makes itself */
    size_t wanted; /* the one class that is drawn, or SBL_NO_COLUMN */
    void *state;
};

/* Can a table be written under this name? SBL_EARG where its ending promises something else. */
sbl_status sbl_sink_check_table(const char *path, sbl_error *err);
/* A CSV table at path ("-": standard output), gzip when it ends in .gz. */
sbl_status sbl_sink_open_table(sbl_sink **sink, const char *path, const sbl_facts *facts,
                               bool overwrite, sbl_error *err);

/* An image set in a folder. */
typedef struct sbl_image_folder {
    const char *folder;
    bool png;            /* a folder of PNG files; else a pair of IDX files */
    const char *preview; /* a PNG of some images of every class, or NULL */
} sbl_image_folder;

/* The files that it becomes. labels is empty where there are none. */
typedef struct sbl_image_files {
    sbl_text folder;
    sbl_text images; /* PNG: the folder */
    sbl_text labels;
} sbl_image_files;
sbl_status sbl_image_files_name(sbl_image_files *files, const sbl_image_folder *target,
                                const sbl_facts *facts, sbl_error *err);
void sbl_image_files_clear(sbl_image_files *files);
/* Would the sink be refused for a reason that can be seen beforehand? Asked before a budget is
 * charged for what goes into it. Leaves no folder behind that was not there. */
sbl_status sbl_image_files_check(const sbl_image_files *files, const sbl_image_folder *target,
                                 const sbl_facts *facts, uint64_t count, bool overwrite,
                                 sbl_error *err);
/* count images will be written. */
sbl_status sbl_sink_open_images(sbl_sink **sink, const sbl_image_folder *target, uint64_t count,
                                const sbl_facts *facts, bool overwrite, sbl_error *err);

sbl_status sbl_sink_write(sbl_sink *sink, const sbl_drawn *records, size_t rows, sbl_error *err);
sbl_status sbl_sink_finish(sbl_sink *sink, sbl_error *err);
void sbl_sink_close(sbl_sink *sink); /* NULL is fine */

#endif
