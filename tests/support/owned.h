/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that end with the block that declares them, in the reverse order of their declarations.
 *
 *     FREES(sbl_schema_free);    once in a file, for each function that takes a pointer; free() has it
 *
 *     CLEARED(sbl_facts_clear) sbl_facts facts;
 *     FREED(sbl_schema_free) sbl_schema *schema = kit_schema(text);
 *
 * Leave such a block at its end only, or initialise the object. Jansson has the same: json_auto_t *object. */
#ifndef SBL_TESTS_SUPPORT_OWNED_H
#define SBL_TESTS_SUPPORT_OWNED_H

#include <stdlib.h>

#define CLEARED(function) __attribute__((cleanup(function)))
#define FREED(function) __attribute__((cleanup(function##_at)))
#define FREES(function)                                                          \
    static inline void function##_at(void *place) { function(*(void **)place); } \
    struct function##_at_end /* for the semicolon */

FREES(free);

#endif
