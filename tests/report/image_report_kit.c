/* SPDX-License-Identifier: Apache-2.0 */
#include "report/image_report_kit.h"
#include "support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
/* cmocka wants the four above first */

#include "after/sinks/image_writer.h"
#include "base/file.h"
#include "public/schema/encoding_layout.h"
#include "support/temp_folder.h"

void kit_certify_images(certified *c, const kit_case *k)
{
    static const char *const also[] = {SBL_IMAGE_FACTS_ARE_PUBLIC, "how the files divide into images"};
    sbl_error err = {0};
    kit_prepare(c, k);
    c->facts.data = SBL_DATA_IMAGES;
    c->facts.health_count = 0; /* of tables only */
    c->facts.relations = NULL;
    c->facts.title = NULL; /* pages then have one of ours */
    c->facts.also_public = also;
    c->facts.also_public_count = 2;
    if (sbl_certificate_write(&c->text, &c->facts, &err) != SBL_OK) fail_msg("%s: %s", k->name, err.message);
}

void kit_image(uint8_t *pixels, const kit_image_set *set, size_t i)
{
    uint32_t state = (uint32_t)i + 1;
    for (size_t j = 0; j < sbl_image_size(set->shape); j++) {
        state = state * UINT32_C(1664525) + UINT32_C(1013904223); /* Numerical Recipes' generator */
        pixels[j] = set->noise ? (uint8_t)(state >> 24) : (uint8_t)(7 * i + j % 4 * 50);
    }
}

static void write_bytes(const char *path, const uint8_t *bytes, size_t size)
{
    const sbl_file_write_options how = {.mode = 0600};
    assert_ok(sbl_file_write(path, bytes, size, how, NULL));
}

void kit_write_images(const kit_image_set *set, const sbl_image_place *place)
{
    const sbl_image_write_options options = {
        .format = SBL_IMAGE_IDX, .shape = set->shape, .count = set->count, .classes = set->classes};
    static const uint8_t no_images[] = {0, 0, 8, 3, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 6};
    static const uint8_t no_labels[] = {0, 0, 8, 1, 0, 0, 0, 0};
    sbl_image_writer *writer = NULL;
    if (set->count == 0) { /* the writer refuses it */
        write_bytes(place->images, no_images, sizeof no_images);
        write_bytes(place->labels, no_labels, sizeof no_labels);
        return;
    }
    uint8_t *pixels = malloc(sbl_image_size(set->shape));
    assert_non_null(pixels);
    assert_ok(sbl_image_writer_open(&writer, place->images, place->labels, &options, NULL));
    for (size_t i = 0; i < set->count; i++) {
        const uint32_t label = set->classes > 0 ? (uint32_t)(i % set->classes) : 0;
        kit_image(pixels, set, i);
        assert_ok(sbl_image_write(writer, pixels, set->classes > 0 ? &label : NULL, 1, NULL));
    }
    assert_ok(sbl_image_writer_finish(writer, NULL));
    sbl_image_writer_free(writer);
    free(pixels);
}

sbl_status kit_preview(sbl_report_preview *preview, const kit_image_set *set, const char *const *names)
{
    char folder[256], images[300], labels[300];
    sbl_error err = {0};
    temp_folder_make(folder);
    (void)snprintf(images, sizeof images, "%s/images", folder);
    (void)snprintf(labels, sizeof labels, "%s/labels", folder);
    const sbl_image_place place = {
        .images = images, .labels = set->classes > 0 ? labels : NULL, .classes = set->classes};
    kit_write_images(set, &place);
    const sbl_status status = sbl_report_preview_make(preview, &place, names, &err);
    temp_folder_remove(folder);
    return status;
}
