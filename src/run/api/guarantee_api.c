/* SPDX-License-Identifier: Apache-2.0 */
/* What a certificate guarantees, in numbers (include/semblance/certificate.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "door/certificate/certificate_document.h"
#include "semblance/certificate.h"

/* A number, or the text "inf"; 0 where there is neither. The certificate was checked. */
static double number_at(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    double number = 0.0;
    if (json_is_string(value)) {
        (void)sbl_text_to_double(&number, json_string_value(value));
        return number;
    }
    return json_number_value(value);
}

static uint64_t whole_at(const json_t *object, const char *name)
{
    const double number = number_at(object, name);
    return number > 0.0 ? (uint64_t)number : 0;
}

static const char *text_at(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

static sbl_guarantee read_facts(const json_t *document)
{
    const json_t *stated = json_object_get(document, "guarantee");
    const json_t *method = json_object_get(document, "method");
    const json_t *name = json_is_object(method) ? json_object_get(method, "name") : method;
    sbl_guarantee facts = {
        .holds = strcmp(text_at(stated, "kind"), "NONE") != 0,
        .epsilon = number_at(stated, "epsilon"),
        .delta = number_at(stated, "delta"),
        .mu = number_at(stated, "mu"),
        .epsilon_of_run = number_at(stated, "epsilon_of_this_run"),
        .neighbours = strcmp(text_at(stated, "neighbours"), sbl_neighbours_name(SBL_ADD_REMOVE)) == 0
                          ? SBL_ADD_REMOVE
                          : SBL_REPLACE_ONE,
        .n = json_is_integer(json_object_get(stated, "n")) ? whole_at(stated, "n") : 0,
        .releases = json_array_size(json_object_get(document, "mechanisms")),
        .others = whole_at(json_object_get(document, "others"), "releases"),
        .run_only = strcmp(text_at(stated, "scope"), SBL_SCOPE_OF_RUN) == 0,
        .images = strcmp(text_at(document, "data"), "images") == 0,
    };
    (void)snprintf(facts.method, sizeof facts.method, "%s",
                   json_string_value(name) != NULL ? json_string_value(name) : "");
    (void)snprintf(facts.trained_on, sizeof facts.trained_on, "%s", text_at(document, "trained_on"));
    return facts;
}

sbl_status sbl_certificate_read(sbl_guarantee *facts, char **statement, const char *text, size_t length,
                                sbl_error *err)
{
    json_t *document = NULL;
    char *words = NULL;
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_NEED(text);
    if (facts != NULL && facts->struct_size < sizeof facts->struct_size)
        SBL_FAIL(err, SBL_EARG, "facts: their struct_size must be set");
    SBL_TRY(sbl_certificate_check(&words, text, length, NULL, "the certificate", err));
    SBL_TRY(sbl_json_parse(&document, text, length, "the certificate", err));
    if (facts != NULL) {
        const size_t size = facts->struct_size;
        sbl_guarantee ours = read_facts(document);
        ours.struct_size = size;
        memcpy(facts, &ours, size < sizeof ours ? size : sizeof ours);
    }
    if (statement != NULL) {
        *statement = words;
        words = NULL;
    }
done:
    json_decref(document);
    sbl_free(words);
    return status;
}
