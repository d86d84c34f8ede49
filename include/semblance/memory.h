/* Giving back what the library handed out. */
#ifndef SEMBLANCE_MEMORY_H
#define SEMBLANCE_MEMORY_H

#include "semblance/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Free a text that a function of this library returned; NULL is fine. */
SBL_API void sbl_string_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
