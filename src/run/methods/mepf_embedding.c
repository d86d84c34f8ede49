/* SPDX-License-Identifier: Apache-2.0 */
/* Words joined by +, each of which stands for a block or for some together. */
#include "run/methods/mepf_describe.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

typedef struct named_embedding {
    const char *name;
    sbl_mepf_embedding of;
} named_embedding;

static const named_embedding embeddings[] = {
    {"all", {.pixels = true, .perceptual = true, .moments = 2}},
    {"pixels", {.pixels = true}},
    {"perceptual", {.perceptual = true}},
    {"hermite", {.hermite = true}},
    {"moments", {.moments = 2}},
    {"first-moments", {.moments = 1}},
    {"signed-moments", {.moments = 2, .signs = true}},
    {"signed-first-moments", {.moments = 1, .signs = true}},
};

static bool overlap(const sbl_mepf_embedding *a, const sbl_mepf_embedding *b)
{
    return (a->pixels && b->pixels) || (a->perceptual && b->perceptual) || (a->hermite && b->hermite) ||
           (a->moments > 0 && b->moments > 0);
}

static bool is_word(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && strncmp(word, text, length) == 0;
}

static bool join_all(sbl_mepf_embedding *to, const char *text, const char *best);

/* Adds what a word stands for; false where it is unknown or something is there already. */
static bool join(sbl_mepf_embedding *to, const char *name, size_t length, const char *best)
{
    if (best != NULL && is_word("best", name, length)) return join_all(to, best, NULL);
    for (size_t i = 0; i < COUNT(embeddings); i++) {
        const sbl_mepf_embedding *of = &embeddings[i].of;
        if (!is_word(embeddings[i].name, name, length)) continue;
        if (overlap(to, of)) return false;
        to->pixels = to->pixels || of->pixels;
        to->perceptual = to->perceptual || of->perceptual;
        to->hermite = to->hermite || of->hermite;
        to->moments += of->moments;
        to->signs = to->signs || of->signs;
        return true;
    }
    return false;
}

/* best: NULL: the word is not known. */
static bool join_all(sbl_mepf_embedding *to, const char *text, const char *best)
{
    for (size_t length;; text += length + 1) {
        length = strcspn(text, "+");
        if (!join(to, text, length, best)) return false;
        if (text[length] == '\0') return true;
    }
}

sbl_status sbl_mepf_embedding_read(sbl_mepf_embedding *embedding, const char *text, const char *best,
                                   sbl_error *err)
{
    *embedding = (sbl_mepf_embedding){0};
    if (!join_all(embedding, text, best))
        return sbl_fail(err, SBL_EARG,
                        "embedding must be best, all, or blocks joined by +, each once: pixels, "
                        "perceptual, hermite, and one of moments, first-moments, "
                        "signed-moments and signed-first-moments");
    if (!embedding->perceptual && embedding->moments == 0)
        return sbl_fail(
            err, SBL_EARG,
            "embedding must contain perceptual or moments; to use no encoder take the method merf or hp");
    return SBL_OK;
}
