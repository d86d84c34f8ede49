/* Inside handles of records in memory (include/semblance/data.h). */
#ifndef SBL_API_DATA_H
#define SBL_API_DATA_H

#include "api/in_use.h"
#include "pipeline/job.h"
#include "semblance/data.h"
#include "semblance/images.h"
#include "source/source.h"

typedef enum sbl_data_form {
    SBL_FORM_BATCHES, /* Arrow arrays that the handle owns */
    SBL_FORM_STREAMS, /* a new stream for each reading */
    SBL_FORM_STREAM,  /* one stream, for one reading */
    SBL_FORM_PIXELS,
    SBL_FORM_IMAGE_FILES
} sbl_data_form;

struct sbl_data {
    sbl_mark mark;
    char *name;
    sbl_data_form form;
    /* Batches. schema.release is NULL before the first of sbl_data_append(). */
    struct ArrowSchema schema;
    struct ArrowArray *batches;
    size_t batch_count;
    size_t batch_room;
    uint64_t rows;
    sbl_values_type *types; /* (schema.n_children) of typed buffers; NULL: batches of a stream */
    /* Streams. */
    sbl_open_stream open;
    void *context;
    struct ArrowArrayStream stream;
    /* Images. */
    sbl_image_memory images;
    uint32_t *labels; /* (images.records.rows), below the number of classes */
    /* Image files, called by the name of the handle. */
    sbl_image_input files; /* .images and .labels are not looked at */
    char *label_file;      /* NULL: none */
};

/* A handle of this form and name; NULL: the usual name. */
sbl_status sbl_data_make(sbl_data **data, sbl_data_form form, const char *name, sbl_error *err);
/* Takes the batch, also on failure. */
sbl_status sbl_data_keep_batch(sbl_data *data, struct ArrowArray *batch, sbl_error *err);

/* The table as a source reads it; borrows data. SBL_EARG for images. */
sbl_status sbl_data_table(sbl_arrow_origin *origin, sbl_data *data, sbl_error *err);

/* A copy of the table as CSV that only this process can open: in memory, gone when it is closed. */
typedef struct sbl_spill {
    int descriptor; /* -1: none */
    char path[40];
} sbl_spill;
#define SBL_NO_SPILL ((sbl_spill){.descriptor = -1})
/* schema may be NULL.   Privacy: holds records */
sbl_status sbl_spill_table(sbl_spill *spill, sbl_data *data, const sbl_schema *schema,
                           sbl_error *err);
/* How that text is written, whatever a file would be taken for: all names are names, of any look. */
void sbl_spill_reading(sbl_synth_options *options);
/* The same of any text. */
sbl_status sbl_spill_text(sbl_spill *spill, const char *text, sbl_error *err);
/* The schema as a file of the usual dialect, which tables in memory are written in. */
sbl_status sbl_spill_schema(sbl_spill *spill, const sbl_schema *schema, sbl_error *err);
void sbl_spill_close(sbl_spill *spill);

/* In a message of something below, what it calls a path: every `path` becomes `name`. err may be NULL. */
void sbl_error_rename(sbl_error *err, const char *path, const char *name);

#endif
