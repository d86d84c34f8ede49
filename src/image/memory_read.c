/* Images that are in memory already. */
#include <string.h>

#include "base/memory.h"
#include "image/image_container.h"

typedef struct borrowed {
    sbl_image_buffers buffers;
    size_t next; /* number of the next image */
} borrowed;

static sbl_status read_borrowed(void *state, uint8_t *pixels, uint32_t *labels, uint8_t *misfits,
                                size_t count, bool last, sbl_error *err)
{
    borrowed *from = state;
    const size_t size = sbl_image_size(from->buffers.shape);
    (void)misfits, (void)last, (void)err;
    memcpy(pixels, from->buffers.pixels + from->next * size, count * size);
    if (labels != NULL && from->buffers.labels != NULL)
        memcpy(labels, from->buffers.labels + from->next, count * sizeof *labels);
    else if (labels != NULL)
        memset(labels, 0, count * sizeof *labels);
    from->next += count;
    return SBL_OK;
}

static void close_borrowed(void *state) { sbl_free(state); }

sbl_status sbl_buffers_open(sbl_image_container *container, const sbl_image_buffers *buffers,
                            sbl_error *err)
{
    borrowed *from = sbl_alloc_array(1, sizeof *from);
    if (from == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for images");
    from->buffers = *buffers;
    *container = (sbl_image_container){.format = SBL_IMAGE_MEMORY,
                                       .shape = buffers->shape,
                                       .count = buffers->count,
                                       .classes = buffers->classes,
                                       .class_names = buffers->class_names,
                                       .state = from,
                                       .read = read_borrowed,
                                       .close = close_borrowed};
    return SBL_OK;
}
