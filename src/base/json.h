/* SPDX-License-Identifier: Apache-2.0 */
/* JSON through Jansson, with messages that name the file and the field.
 *
 * Reading: a `where` says which file an object came from; the getters write
 * "FILE: field 'a.b' is missing" into err. Writing is canonical (sorted keys, compact), so that
 * the same facts give the same bytes and can be hashed. */
#ifndef SBL_BASE_JSON_H
#define SBL_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/int128.h"

/* Parse text: an object, no duplicate keys. where (usually a path) is used in messages. */
sbl_status sbl_json_parse(json_t **object, const char *text, size_t length, const char *where,
                          sbl_error *err);

/* Read and parse a file of at most limit bytes. */
sbl_status sbl_json_read(json_t **object, const char *path, size_t limit, sbl_error *err);

/* A copy of an object that shares its members, owned by the caller (json_decref). NULL when out of
 * memory; jansson's own copies leave out what they have no memory for. */
json_t *sbl_json_copy(const json_t *object);

/* Compact text with sorted keys, owned by the caller (sbl_free). NULL when out of memory. */
char *sbl_json_canonical(const json_t *value);

/* Indented text for people, keys in insertion order, each real as the shortest text that reads back as
 * the same double, with a final newline; characters that a terminal might obey are escaped; sbl_free. */
char *sbl_json_pretty(const json_t *value);

/* Getters: the member must exist and have the type, else SBL_EINPUT naming where and name.
 * Strings and members are borrowed from object. */
sbl_status sbl_json_get_object(json_t **member, const json_t *object, const char *name, const char *where,
                               sbl_error *err);
sbl_status sbl_json_get_array(json_t **member, const json_t *object, const char *name, const char *where,
                              sbl_error *err);
sbl_status sbl_json_get_string(const char **value, const json_t *object, const char *name, const char *where,
                               sbl_error *err);
sbl_status sbl_json_get_u64(uint64_t *value, const json_t *object, const char *name, const char *where,
                            sbl_error *err);
/* A JSON number, integer or real. */
sbl_status sbl_json_get_double(double *value, const json_t *object, const char *name, const char *where,
                               sbl_error *err);
sbl_status sbl_json_get_bool(bool *value, const json_t *object, const char *name, const char *where,
                             sbl_error *err);
/* 128-bit integers are decimal strings: JSON numbers are doubles to most readers. */
sbl_status sbl_json_get_u128(sbl_u128 *value, const json_t *object, const char *name, const char *where,
                             sbl_error *err);

json_t *sbl_json_u128(sbl_u128 value);

/* Building: the list or object with one more value, which is taken; NULL, and everything is freed, when one of
 * them is NULL or there is no memory. So what is built is NULL once a part of it could not be made. */
json_t *sbl_json_append(json_t *list, json_t *value);
json_t *sbl_json_put(json_t *object, const char *name, json_t *value);

#endif
