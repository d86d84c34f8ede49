/* SPDX-License-Identifier: Apache-2.0 */
/* A release frees the children that were not moved away, then the wiped buffers. */
#include "base/arrow_owned.h"

#include "base/alloc.h"
#include "base/text.h"

static void release_array(struct ArrowArray *array)
{
    sbl_arrow_owned *own = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child != NULL && child->release != NULL) child->release(child);
        sbl_free(child);
    }
    sbl_free(array->children);
    for (size_t i = 0; own != NULL && i < 3; i++) sbl_free_wiped((void *)own->buffers[i], own->sizes[i]);
    sbl_free(own);
    array->release = NULL;
}

sbl_status sbl_arrow_array_make(struct ArrowArray *out, size_t rows, int64_t buffers, size_t children,
                                sbl_error *err)
{
    sbl_arrow_owned *own = NULL;
    sbl_status status = SBL_OK;
    *out = (struct ArrowArray){0};
    SBL_ALLOC(own, 1, "a batch of rows");
    *out = (struct ArrowArray){.length = (int64_t)rows,
                               .n_buffers = buffers,
                               .buffers = own->buffers,
                               .release = release_array,
                               .private_data = own};
    if (children > 0) SBL_ALLOC(out->children, children, "a batch of rows");
    for (; (size_t)out->n_children < children; out->n_children++)
        SBL_ALLOC(out->children[out->n_children], 1, "a batch of rows");
done:
    if (status != SBL_OK && out->release != NULL) out->release(out);
    return status;
}

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        struct ArrowSchema *child = schema->children[i];
        if (child != NULL && child->release != NULL) child->release(child);
        sbl_free(child);
    }
    sbl_free(schema->children);
    sbl_free(schema->private_data); /* the name */
    schema->release = NULL;
}

sbl_status sbl_arrow_schema_make(struct ArrowSchema *out, const char *format, const char *name, int64_t flags,
                                 size_t children, sbl_error *err)
{
    char *copy = NULL;
    sbl_status status = SBL_OK;
    *out = (struct ArrowSchema){0};
    SBL_TRY(sbl_copy_text(&copy, name, "the names of columns", err));
    *out = (struct ArrowSchema){
        .format = format, .name = copy, .flags = flags, .release = release_schema, .private_data = copy};
    if (children > 0) SBL_ALLOC(out->children, children, "the names of columns");
    for (; (size_t)out->n_children < children; out->n_children++)
        SBL_ALLOC(out->children[out->n_children], 1, "the names of columns");
done:
    if (status != SBL_OK && out->release != NULL) out->release(out);
    return status;
}
