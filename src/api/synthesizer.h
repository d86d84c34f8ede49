/* Inside the handle of fits in memory (include/semblance/synthesizer.h). */
#ifndef SBL_API_SYNTHESIZER_H
#define SBL_API_SYNTHESIZER_H

#include "base/scratch.h"
#include "plan/facts.h"
#include "semblance/synthesizer.h"

typedef struct sbl_held {
    uint8_t *bytes;
    size_t size;
} sbl_held;

/* All of it is public or differentially private: files that would be on disk. */
struct sbl_synthesizer {
    sbl_held model; /* bytes NULL: there is none */
    sbl_held *releases;
    size_t release_count;
    char *certificate;
    char *statement;
    char *ledger;
    /* What the model says of itself, once it was asked. */
    bool described;
    sbl_facts facts;
    char *method;
    uint64_t rows;
};

/* As it was made. */
void sbl_synthesizer_clear(sbl_synthesizer *synth);
/* Only the model, and what it says of itself. */
void sbl_synthesizer_clear_model(sbl_synthesizer *synth);
sbl_status sbl_synthesizer_describe(sbl_synthesizer *synth, sbl_error *err);
/* SBL_EARG: there is no model. */
sbl_status sbl_synthesizer_need_model(const sbl_synthesizer *synth, sbl_error *err);

#define SBL_MODEL_LIMIT ((size_t)4 << 30)
#define SBL_CERTIFICATE_LIMIT ((size_t)64 << 20)

/* In a message: files of the folder are called by their names alone. */
void sbl_scratch_hide(const sbl_scratch *scratch, sbl_error *err);

#endif
