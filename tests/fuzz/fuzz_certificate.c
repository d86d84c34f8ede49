/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates: any bytes, and any JSON object with the right digest. What is accepted has a
 * statement that can be printed. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/text.h"
#include "door/certificate/certificate_content.h"
#include "door/certificate/certificate_document.h"

#define CHECK(condition) \
    if (!(condition)) abort()

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text, size_t size)
{
    char *statement = NULL;
    sbl_error err;
    const sbl_status status = sbl_certificate_check(&statement, text, size, NULL, "input", &err);
    CHECK((status == SBL_OK) == (statement != NULL));
    if (statement == NULL) {
        CHECK((status == SBL_EINPUT || status == SBL_EARG) && strchr(err.message, '\n') == NULL);
        return;
    }
    CHECK(strncmp(statement, "GUARANTEE: ", 11) == 0);
    for (const char *c = statement; *c != '\0';) {
        uint32_t point = 0;
        const size_t length = sbl_utf8_decode(&point, c);
        CHECK(length != 0 && (point == '\n' || sbl_is_plain(point)));
        c += length;
    }
    sbl_free(statement);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char digest[SBL_SHA256_TEXT_SIZE];
    json_t *object = NULL;
    check((const char *)data, size);
    if (sbl_json_parse(&object, (const char *)data, size, "input", NULL) != SBL_OK) return 0;
    (void)json_object_del(object, "digest");
    CHECK(sbl_certificate_digest(digest, object, NULL) == SBL_OK);
    CHECK(json_object_set_new(object, "digest", json_string(digest)) == 0);
    char *text = sbl_json_canonical(object);
    CHECK(text != NULL);
    check(text, strlen(text));
    sbl_free(text);
    json_decref(object);
    return 0;
}
