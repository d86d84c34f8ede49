/* SPDX-License-Identifier: Apache-2.0 */
/* [6] The parts of a training as tensors of one file. A state is taken over whole or not at all. */
#include "after/train/checkpoint.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/tensors/safetensors.h"
#include "base/text.h"

#define FORMAT "semblance.checkpoint"
#define VERSION "1"

static json_t *metadata_of(const char *training, const sbl_training_state *state)
{
    char step[24], best[SBL_DOUBLE_TEXT_SIZE];
    (void)snprintf(step, sizeof step, "%zu", state->step);
    (void)sbl_double_to_text(best, state->best);
    return json_pack("{s:s, s:s, s:s, s:s}", FORMAT, VERSION, "semblance.training", training,
                     "semblance.step", step, "semblance.best", state->validated ? best : "none");
}

/* Returns how many there are. */
static size_t list_tensors(sbl_tensor tensors[SBL_TRAINING_MOST_PARTS], const sbl_training_state *state)
{
    size_t count = 0;
    for (size_t i = 0; i < state->count; i++) {
        const sbl_training_part *part = &state->parts[i];
        if (part->count == 0) continue;
        sbl_tensor *tensor = &tensors[count++];
        *tensor = (sbl_tensor){.rank = 1, .shape = {part->count}, .data = part->values};
        (void)snprintf(tensor->name, sizeof tensor->name, "%s", part->name);
    }
    return count;
}

sbl_status sbl_checkpoint_save(sbl_store_entry to, const char *training, const sbl_training_state *state,
                               sbl_error *err)
{
    sbl_tensor tensors[SBL_TRAINING_MOST_PARTS];
    const size_t count = list_tensors(tensors, state);
    json_t *metadata = metadata_of(training, state);
    if (metadata == NULL) return sbl_no_memory(err, "a checkpoint");
    const sbl_status status = sbl_safetensors_save(to, tensors, count, metadata, true, err);
    json_decref(metadata);
    return status;
}

/* ---- reading ---- */

static const char *text_of(const sbl_safetensors *file, const char *name)
{
    const char *text = json_string_value(json_object_get(file->metadata, name));
    return text != NULL ? text : "";
}

static bool is_checkpoint(const sbl_safetensors *file) { return strcmp(text_of(file, FORMAT), VERSION) == 0; }

static bool read_numbers(sbl_training_state *state, const sbl_safetensors *file)
{
    uint64_t step;
    const char *best = text_of(file, "semblance.best");
    if (!sbl_text_to_u64(&step, text_of(file, "semblance.step")) || step > SIZE_MAX) return false;
    state->step = (size_t)step;
    state->validated = strcmp(best, "none") != 0;
    return !state->validated || sbl_text_to_double(&state->best, best);
}

static bool read_parts(const sbl_training_state *state, const sbl_safetensors *file)
{
    sbl_tensor tensors[SBL_TRAINING_MOST_PARTS];
    const size_t count = list_tensors(tensors, state);
    return sbl_safetensors_read(file, tensors, count, "a checkpoint", NULL) == SBL_OK;
}

sbl_checkpoint_found sbl_checkpoint_load(sbl_training_state *state, sbl_store_entry from,
                                         const char *training)
{
    sbl_safetensors file = {0};
    sbl_training_state read = *state;
    sbl_checkpoint_found found = SBL_CHECKPOINT_OTHER;
    if (!sbl_store_entry_exists(from)) return SBL_CHECKPOINT_NONE;
    if (sbl_safetensors_load(&file, from, NULL) != SBL_OK) return SBL_CHECKPOINT_FOREIGN;
    if (!is_checkpoint(&file)) {
        found = SBL_CHECKPOINT_FOREIGN;
    } else if (strcmp(text_of(&file, "semblance.training"), training) == 0 && read_numbers(&read, &file) &&
               read_parts(&read, &file)) {
        *state = read;
        found = SBL_CHECKPOINT_LOADED;
    }
    sbl_safetensors_clear(&file);
    return found;
}

void sbl_checkpoint_remove(sbl_store_entry checkpoint)
{
    sbl_safetensors file = {0};
    if (sbl_safetensors_load(&file, checkpoint, NULL) == SBL_OK && is_checkpoint(&file))
        sbl_store_entry_remove(checkpoint);
    sbl_safetensors_clear(&file);
}
