/* SPDX-License-Identifier: Apache-2.0 */
/* Every method and every kind of model that there is, one line each. */
#include <stdio.h>
#include <string.h>

#include "after/sample/gauss_sampler.h"
#include "after/sample/histories_kind.h"
#include "after/sample/marginals_sampler.h"
#include "after/sample/pairs_kind.h"
#include "after/sample/sampler.h"
#include "public/options/option_row.h"
#include "run/methods/ask.h"
#include "run/methods/method.h"

/* X(table, name, what it is in a few words, kinds of data), in the order of help. */
#define METHODS(X)                                                                       \
    X(sbl_method_pairs, "pairs", "pairs of columns, largest entropy", SBL_TABLES)        \
    X(sbl_method_forest, "forest", "pairs and leaves of trees x label", SBL_TABLES)      \
    X(sbl_method_histories, "histories", "persons with all their rows", SBL_TABLES)      \
    X(sbl_method_mepf, "mepf", "what a frozen public network sees", SBL_IMAGES)          \
    X(sbl_method_merf, "merf", "random Fourier mean embeddings", SBL_BOTH_KINDS)         \
    X(sbl_method_hp, "hp", "Hermite polynomial mean embeddings", SBL_BOTH_KINDS)         \
    X(sbl_method_ron_gauss, "ron-gauss", "Gaussians in a random projection", SBL_TABLES) \
    X(sbl_method_marginals, "marginals", "independent columns", SBL_TABLES)
#define AUTO_WORDS "pairs (forest if a small paid probe asks for it); persons: histories; images: mepf"

#define AS_EXTERN(table, name, summary, kinds) extern const sbl_method table;
#define AS_ITEM(table, name, summary, kinds) &table,
#define AS_FACTS(table, name, summary, kinds) {name, summary, kinds},
#define AS_NAME(table, name, summary, kinds) name,
#define AS_WORDS(table, name, summary, kinds) "; " name ": " summary

METHODS(AS_EXTERN)

const sbl_method *const sbl_method_list[] = {METHODS(AS_ITEM) NULL};
static const sbl_method_facts facts[] = {{SBL_METHOD_AUTO, AUTO_WORDS, SBL_BOTH_KINDS}, METHODS(AS_FACTS)};
static const char *const names[] = {SBL_METHOD_AUTO, METHODS(AS_NAME) NULL};

const sbl_option sbl_option_method =
    SBL_SETTING("method", SBL_OPTION_CHOICE, "M", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "what to release and which model to fit; " SBL_METHOD_AUTO ": " AUTO_WORDS METHODS(AS_WORDS),
                .choices = names, .common = true, .often = true, SBL_STANDARD(SBL_METHOD_AUTO),
                .offset = offsetof(sbl_synth_options, method), .size = sizeof(const char *));

const sbl_method_facts *sbl_method_at(size_t index)
{
    return index < sizeof facts / sizeof facts[0] ? &facts[index] : NULL;
}

const char *sbl_method_of_auto(sbl_data_kinds kind, bool pure)
{
    if (kind == SBL_IMAGES) return "mepf";
    return pure ? "marginals" : "pairs";
}

const sbl_model_kind *const sbl_model_kinds[] = {
    &sbl_model_kind_pairs,     &sbl_model_kind_histories, &sbl_model_kind_generator,
    &sbl_model_kind_marginals, &sbl_model_kind_gauss,     NULL,
};

static bool can(const sbl_method *method, sbl_data_kind data)
{
    return data == SBL_DATA_IMAGES ? method->images : method->tables;
}

static const sbl_method *search(const sbl_method *const *list, const char *name, sbl_data_kind data)
{
    for (; list != NULL && *list != NULL; list++)
        if (can(*list, data) && strcmp((*list)->name, name) == 0) return *list;
    return NULL;
}

sbl_status sbl_method_find(const sbl_method **method, const char *name, sbl_data_kind data,
                           const sbl_method *const *more, sbl_error *err)
{
    const sbl_data_kinds kind = data == SBL_DATA_IMAGES ? SBL_IMAGES : SBL_TABLES;
    char known[160] = "";
    size_t length = 0;
    if (name == NULL || strcmp(name, SBL_METHOD_AUTO) == 0) name = sbl_method_of_auto(kind, false);
    *method = search(sbl_method_list, name, data);
    if (*method == NULL) *method = search(more, name, data);
    if (*method == NULL) *method = search(sbl_method_ask_list, name, data);
    if (*method != NULL) return SBL_OK;
    for (size_t i = 0; sbl_method_at(i) != NULL && length < sizeof known; i++)
        if ((facts[i].kinds & (unsigned)kind) != 0)
            length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", length > 0 ? ", " : "",
                                       facts[i].name);
    return sbl_fail(err, SBL_EARG, "method '%.40s' is not a method for %s; choose from: %s", name,
                    kind == SBL_IMAGES ? "images" : "tables", known);
}
