/* SPDX-License-Identifier: Apache-2.0 */
/* Was a network trained on the very images that are private here? What can be known of it is what the file
 * says of its training and what the owner calls the images: names, which are compared. */
#include <ctype.h>
#include <string.h>

#include "base/encoder/encoder.h"

#define MOST_WORDS 3

/* Sets that networks are often trained on, as people write them: small letters and digits, whatever
 * stands between these in a text. */
typedef struct known_set {
    const char *name;
    const char *words[MOST_WORDS]; /* ends with NULL where there are fewer */
} known_set;

static const known_set known[] = {
    {"CIFAR-10", {"cifar10", "databatch", "testbatch"}}, /* its files are data_batch_1.bin, ... */
    {"CIFAR-100", {"cifar100"}},
    {"ImageNet", {"imagenet", "ilsvrc2012"}},
    {"MNIST", {"mnist"}},
    {"FashionMNIST", {"fashionmnist"}},
    {"SVHN", {"svhn"}},
    {"STL-10", {"stl10"}},
    {"CelebA", {"celeba"}},
    {"Places365", {"places365"}},
    {"COCO", {"coco", "mscoco"}},
};

static bool is_sign(char c) { return isalnum((unsigned char)c) != 0; }

/* Does the word begin here, and end where no letter or digit follows? Dashes and the like inside of it
 * count for nothing. */
static bool begins(const char *text, const char *word)
{
    for (; *word != '\0'; text++) {
        if (*text == '\0') return false;
        if (!is_sign(*text)) {
            if (strchr("-_ ", *text) == NULL) return false;
            continue;
        }
        if (tolower((unsigned char)*text) != *word++) return false;
    }
    return !is_sign(*text);
}

static bool has_word(const char *text, const char *word)
{
    for (const char *at = text; *at != '\0'; at++)
        if (is_sign(*at) && (at == text || !is_sign(at[-1])) && begins(at, word)) return true;
    return false;
}

static bool names(const char *text, const known_set *set)
{
    for (size_t w = 0; w < MOST_WORDS && set->words[w] != NULL; w++)
        if (has_word(text, set->words[w])) return true;
    return false;
}

const char *sbl_encoder_saw(const sbl_encoder *encoder, const char *called)
{
    for (size_t i = 0; called != NULL && i < sizeof known / sizeof known[0]; i++)
        if (names(sbl_encoder_origin(encoder), &known[i]) && names(called, &known[i])) return known[i].name;
    return NULL;
}
