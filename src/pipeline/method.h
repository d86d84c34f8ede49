/* A method is one of these tables: from public facts to a plan, from records to features, from a
 * release to a model, and from a model to rows. The flow around it (recipe.c, gather.c, fit.c,
 * model_store.c, draw.c) is the same for all; a new method is one file and one line in methods.c.
 */
#ifndef SBL_PIPELINE_METHOD_H
#define SBL_PIPELINE_METHOD_H

#include <stddef.h>
#include <stdint.h>

#include "accumulate/sum.h"
#include "base/json.h"
#include "base/status.h"
#include "base/text.h"
#include "pipeline/recipe.h"
#include "release/release.h"
#include "semblance/synth.h"

/* Some encoded rows, as the recipe's codec lays them out. Privacy: records. */
typedef struct sbl_records {
    const double *numeric; /* (rows, heads.numeric_count) in [0,1] */
    const uint32_t *codes; /* (rows, heads.categorical_count) */
    size_t rows;           /* at most SBL_SLICE_ROWS */
} sbl_records;

/* One thread's share of a batch: its features stay in cache. */
#define SBL_SLICE_ROWS 128

typedef struct sbl_model sbl_model;

struct sbl_method {
    const char *name;               /* of the method, as typed and as it stands in plans */
    const char *release_name;       /* in the ledger */
    const char *first_release_name; /* of a method of two releases: the first one's; else NULL */
    const char *const *also_public; /* what a certificate lists beside the schema's facts */
    size_t also_public_count;

    /* ---- public, before any data is opened ---- */
    /* Make recipe->plan from the schema and options, or from the text of a plan. */
    sbl_status (*plan)(sbl_recipe *recipe, const sbl_synth_options *options, sbl_error *err);
    sbl_status (*parse)(sbl_recipe *recipe, const char *text, const char *where, sbl_error *err);
    /* Does the plan fit the schema? Whatever follows trusts its sizes. What else the plan needs
     * (tables of frequencies) is made here. */
    sbl_status (*finish)(sbl_recipe *recipe, sbl_error *err);
    const char *(*text)(const sbl_recipe *recipe); /* canonical JSON, owned by the plan */
    /* Blocks (zeroed, room for SBL_RECIPE_MAX_BLOCKS), their number, counts or not; the weights. */
    void (*describe)(sbl_recipe *recipe, sbl_layout *layout);
    void (*clear)(sbl_recipe *recipe);
    /* What a plan for n rows says beyond its blocks: lines for people, or members of an object; one
     * of text and object is NULL. May be NULL. */
    void (*explain)(sbl_text *text, json_t *object, const sbl_recipe *recipe, uint64_t n,
                    const sbl_synth_options *options);

    /* ---- [3] and [4]: records to sums ---- */
    /* One thread's room; freed wiped. */
    sbl_status (*room_new)(void **room, const sbl_recipe *recipe, sbl_error *err);
    void (*room_free)(void *room, const sbl_recipe *recipe);
    /* Every block of the open batch of rows. A row's features depend on that row alone. */
    sbl_status (*add_rows)(sbl_sum *sum, void *room, const sbl_recipe *recipe,
                           const sbl_records *records, sbl_error *err);

    /* ---- between two releases ---- */
    /* Where recipe->more: the text of the second release's plan, from the first release. Owned by
     * the caller (sbl_free). NULL in a method of one release. */
    sbl_status (*next)(char **plan, const sbl_recipe *recipe, const sbl_release *first,
                       sbl_error *err);

    /* ---- [6] and [7]: after the door ---- */
    /* Would make() refuse these options? Asked before anything is charged. NULL: it never does. */
    sbl_status (*check)(const sbl_recipe *recipe, const sbl_synth_options *options, sbl_error *err);
    sbl_status (*make)(const char *path, const sbl_release *release, const sbl_recipe *recipe,
                       const char *certificate, const sbl_synth_options *options, sbl_error *err);
    /* Fill model->state; the model's recipe and rows come from sbl_model_read_metadata. */
    sbl_status (*open)(sbl_model *model, const char *path, uint64_t seed, sbl_error *err);
    /* How drawn rows are laid out; NULL: as the recipe's codec does. */
    const sbl_codec *(*output)(const sbl_model *model);
    sbl_status (*draw)(sbl_model *model, double *numeric, uint32_t *codes, uint64_t first,
                       size_t rows, size_t wanted, sbl_error *err);
    void (*close)(sbl_model *model);
};

extern const sbl_method sbl_method_merf;
extern const sbl_method sbl_method_marginals;
extern const sbl_method sbl_method_ron_gauss;

/* By name; NULL is the default method. SBL_EARG names those there are. */
sbl_status sbl_method_find(const sbl_method **method, const char *name, sbl_error *err);

/* An opened model, for the methods' own use. */
struct sbl_model {
    const sbl_method *method;
    sbl_recipe recipe;
    uint64_t rows;
    void *state; /* the method's */
};

/* What goes beside the tensors of a model: recipe, rows, certificate. NULL when out of memory. */
json_t *sbl_model_metadata(const sbl_recipe *recipe, const char *certificate, double rows);
sbl_status sbl_model_read_metadata(sbl_model *model, const json_t *metadata, const char *path,
                                   sbl_error *err);

/* The record as networks see it: a classification label is the class, not a column. */
sbl_status sbl_recipe_shape(sbl_record_shape *shape, const sbl_recipe *recipe, sbl_error *err);

#endif
