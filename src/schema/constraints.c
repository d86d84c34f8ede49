/* Reads semblance.constraints as texts and checks their number, length and characters; their
 * grammar is for rules/parser.c. */
#include "schema/constraints.h"

#include <string.h>

#include "base/plain.h"
#include "schema/field_fail.h"

static bool is_good_text(const char *text)
{
    return text != NULL && strlen(text) <= SBL_CONSTRAINT_LENGTH && !sbl_text_has_control(text);
}

sbl_status sbl_constraints_parse(sbl_strings *constraints, const json_t *options, const char *where,
                                 sbl_error *err)
{
    const json_t *list = json_object_get(options, "constraints");
    if (list == NULL) return SBL_OK;
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count > SBL_MOST_CONSTRAINTS)
        return sbl_fail_schema(err, where,
                               "semblance.constraints must be a list of at most %d texts",
                               SBL_MOST_CONSTRAINTS);
    if (!sbl_strings_reserve(constraints, count))
        return sbl_fail(err, SBL_EMEM, "out of memory while reading %s", where);
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!is_good_text(text))
            return sbl_fail_schema(err, where,
                                   "semblance.constraints[%zu] is not one line of text of at most "
                                   "%d bytes",
                                   i, SBL_CONSTRAINT_LENGTH);
        if (!sbl_strings_add(constraints, text))
            return sbl_fail(err, SBL_EMEM, "out of memory while reading %s", where);
    }
    return SBL_OK;
}
