/* SPDX-License-Identifier: Apache-2.0 */
/* A struct as a JSON object, and back, by one table: each field has a name, a kind and a place in the struct.
 *
 *     static const sbl_json_field site_fields[] = {
 *         {"name", SBL_JSON_CHARS, SBL_JSON_AT(sbl_site, name), .least = 1, .allowed = letters},
 *         {"key", SBL_JSON_HEX, SBL_JSON_AT(sbl_site, key)},
 *         {0},
 *     };
 *
 * Fields are written and read in the order of the table, so a condition may depend on the fields before it. Reading ignores
 * members that the table does not name: compare with what is written again where that matters. */
#ifndef SBL_BASE_JSON_FIELDS_H
#define SBL_BASE_JSON_FIELDS_H

#include "base/json.h"

typedef enum sbl_json_kind {
    SBL_JSON_END = 0,  /* after the last field */
    SBL_JSON_TEXT,     /* const char *, borrowed from the JSON; an optional NULL is not written */
    SBL_JSON_COPY,     /* char *, owned (sbl_free), of any characters */
    SBL_JSON_CHARS,    /* char[size]; an optional "" is not written */
    SBL_JSON_HEX,      /* uint8_t[size] */
    SBL_JSON_CONSTANT, /* always the text names[0] */
    SBL_JSON_VERSION,  /* always the number `least` */
    SBL_JSON_CHOICE,  /* an enum or a bool: its text is names[value]; `least` is the first that may be read */
    SBL_JSON_WHOLE,   /* uint64_t, size_t or unsigned, as a number */
    SBL_JSON_SIGNED,  /* int64_t */
    SBL_JSON_DECIMAL, /* uint64_t as a decimal string */
    SBL_JSON_DECIMAL128,  /* sbl_u128, likewise */
    SBL_JSON_REAL,        /* double */
    SBL_JSON_REAL_OR_INF, /* double; infinity is "inf" */
    SBL_JSON_BOOL,
    SBL_JSON_OBJECT, /* members: `fields`, of a struct inside or (SBL_JSON_HERE) of the same struct */
    SBL_JSON_LIST,   /* of objects: an array, owned (sbl_free), and a size_t at `counter` with its length */
    SBL_JSON_OWN     /* by the functions `read` and `write` */
} sbl_json_kind;

typedef struct sbl_json_field {
    const char *name;
    sbl_json_kind kind;
    size_t offset, size;
    /* The member may be missing. It is not written when it is empty, 0 or false, or `when` returns false. */
    bool optional;
    /* Written, never read: it follows from other fields. */
    bool derived;
    /* Range of a number, or of the length of a text or list; most 0: no limit. */
    uint64_t least, most;
    /* The characters of a text. NULL: all but control characters. */
    const char *allowed;
    /* How the message about a wrong value ends, after "FILE: field 'NAME' "; NULL: the kind's own. */
    const char *wrong;
    const char *const *names;            /* of a choice; NULL after the last */
    const struct sbl_json_field *fields; /* of an object, or of each element of a list */
    size_t item, counter;                /* of a list: bytes of an element, and the offset of its length */
    /* Does the struct have this field? NULL: yes. Also asked when reading, unless the field is optional. */
    bool (*when)(const void *at);
    sbl_status (*read)(void *at, const json_t *object, const char *where, sbl_error *err);
    json_t *(*write)(const void *at); /* a new value; NULL when out of memory */
} sbl_json_field;

#define SBL_JSON_AT(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define SBL_JSON_HERE .offset = 0

/* Fills the struct `at`. SBL_EINPUT names the file and the field; the caller frees what was read before. */
sbl_status sbl_json_fields_read(void *at, const json_t *object, const sbl_json_field *fields,
                                const char *where, sbl_error *err);

/* The object with the fields of the struct `at`. Takes object; NULL when that is NULL, or out of memory. */
json_t *sbl_json_fields_write(json_t *object, const void *at, const sbl_json_field *fields);

/* SBL_EINPUT: "WHERE: field 'NAME' WHAT". */
sbl_status sbl_json_fail(const char *where, const char *name, const char *what, sbl_error *err);

/* The canonical text of the struct (sbl_free); `what` completes "out of memory for". */
sbl_status sbl_json_fields_text(char **text, const void *at, const sbl_json_field *fields, const char *what,
                                sbl_error *err);

#endif
