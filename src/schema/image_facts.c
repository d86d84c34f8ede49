/* Limits, copies and JSON of the public facts of an image set. A class is looked up by its name,
 * and by its number only where classes have no names. */
#include "schema/image_facts.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static sbl_status check(size_t height, size_t width, size_t channels, size_t classes,
                        sbl_error *err)
{
    if (height < 1 || height > SBL_IMAGE_FACTS_MOST_SIDE || width < 1 ||
        width > SBL_IMAGE_FACTS_MOST_SIDE)
        return sbl_fail(err, SBL_EARG, "images must be from 1 x 1 to %d x %d pixels",
                        SBL_IMAGE_FACTS_MOST_SIDE, SBL_IMAGE_FACTS_MOST_SIDE);
    if (channels != 1 && channels != 3)
        return sbl_fail(err, SBL_EARG, "images must be grey or RGB: 1 or 3 channels");
    if (classes > SBL_IMAGE_FACTS_MOST_CLASSES)
        return sbl_fail(err, SBL_EARG, "an image set may have at most %d classes",
                        SBL_IMAGE_FACTS_MOST_CLASSES);
    return SBL_OK;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = sbl_alloc_array(size, 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

sbl_status sbl_image_facts_init(sbl_image_facts *facts, size_t height, size_t width,
                                size_t channels, size_t classes, const char *const *names,
                                sbl_error *err)
{
    *facts = (sbl_image_facts){0};
    sbl_status status = check(height, width, channels, classes, err);
    if (status != SBL_OK) return status;
    *facts = (sbl_image_facts){
        .height = height, .width = width, .channels = channels, .classes = classes};
    if (!names || classes == 0) return SBL_OK;
    facts->names = sbl_alloc_array(classes, sizeof *facts->names);
    bool good = facts->names != NULL;
    for (size_t c = 0; good && c < classes; c++) {
        facts->names[c] = copy_text(names[c]);
        good = facts->names[c] != NULL;
    }
    if (good) return SBL_OK;
    sbl_image_facts_clear(facts);
    return sbl_fail(err, SBL_EMEM, "out of memory for the names of classes");
}

sbl_status sbl_image_facts_copy(sbl_image_facts *copy, const sbl_image_facts *facts, sbl_error *err)
{
    return sbl_image_facts_init(copy, facts->height, facts->width, facts->channels, facts->classes,
                                (const char *const *)facts->names, err);
}

void sbl_image_facts_clear(sbl_image_facts *facts)
{
    for (size_t c = 0; facts->names && c < facts->classes; c++) sbl_free(facts->names[c]);
    sbl_free(facts->names);
    *facts = (sbl_image_facts){0};
}

json_t *sbl_image_facts_to_json(const sbl_image_facts *facts)
{
    json_t *names = json_array();
    for (size_t c = 0; facts->names && c < facts->classes; c++)
        if (json_array_append_new(names, json_string(facts->names[c])) != 0) {
            json_decref(names);
            return NULL;
        }
    return json_pack("{s:I, s:I, s:I, s:I, s:o}", "height", (json_int_t)facts->height, "width",
                     (json_int_t)facts->width, "channels", (json_int_t)facts->channels, "classes",
                     (json_int_t)facts->classes, "names", names);
}

/* The names of a list that is empty or as long as there are classes. */
static sbl_status read_names(const char ***names, const json_t *list, uint64_t classes,
                             const char *where, sbl_error *err)
{
    *names = NULL;
    size_t count = json_array_size(list);
    if (count == 0) return SBL_OK;
    if (count != classes)
        return sbl_fail(err, SBL_EINPUT, "%s: field 'names' has not one name for each class",
                        where);
    *names = sbl_alloc_array(count, sizeof **names);
    if (!*names) return sbl_fail(err, SBL_EMEM, "out of memory while reading %s", where);
    for (size_t c = 0; c < count; c++) {
        (*names)[c] = json_string_value(json_array_get(list, c));
        if (!(*names)[c])
            return sbl_fail(err, SBL_EINPUT, "%s: field 'names' holds what is no text", where);
    }
    return SBL_OK;
}

sbl_status sbl_image_facts_from_json(sbl_image_facts *facts, const json_t *object,
                                     const char *where, sbl_error *err)
{
    uint64_t height, width, channels, classes;
    const char **names = NULL;
    json_t *list;
    sbl_status status;
    *facts = (sbl_image_facts){0};
    SBL_TRY(sbl_json_get_u64(&height, object, "height", where, err));
    SBL_TRY(sbl_json_get_u64(&width, object, "width", where, err));
    SBL_TRY(sbl_json_get_u64(&channels, object, "channels", where, err));
    SBL_TRY(sbl_json_get_u64(&classes, object, "classes", where, err));
    SBL_TRY(sbl_json_get_array(&list, object, "names", where, err));
    SBL_TRY(read_names(&names, list, classes, where, err));
    SBL_TRY(sbl_image_facts_init(facts, height, width, channels, classes, names, err));
done:
    sbl_free(names);
    if (status == SBL_EARG) status = SBL_EINPUT;
    return status;
}

bool sbl_image_facts_class(size_t *index, const sbl_image_facts *facts, const char *text)
{
    uint64_t number;
    for (size_t c = 0; facts->names && c < facts->classes; c++)
        if (strcmp(facts->names[c], text) == 0) {
            *index = c;
            return true;
        }
    /* A number beside names would be ambiguous: names may be numbers. */
    if (facts->names || !sbl_text_to_u64(&number, text) || number >= facts->classes) return false;
    *index = (size_t)number;
    return true;
}
