/* The model file: a generator's tensors and, as metadata strings, its shape and whatever else goes
 * with it (schema, certificate). */
#ifndef SBL_MODEL_GENERATOR_FILE_H
#define SBL_MODEL_GENERATOR_FILE_H

#include <stdbool.h>

#include "base/json.h"
#include "base/status.h"
#include "model/generator.h"

/* extra: an object of strings that is stored beside the generator's own, or NULL. Names that begin
 * with "semblance." are ours. */
sbl_status sbl_generator_save(const sbl_generator *generator, const char *path, const json_t *extra,
                              bool overwrite, sbl_error *err);
/* extra (may be NULL) receives all metadata, owned by the caller: json_decref. */
sbl_status sbl_generator_load(sbl_generator *generator, json_t **extra, const char *path,
                              sbl_error *err);

#endif
