/* SPDX-License-Identifier: Apache-2.0 */
/* A model: what was fitted to the releases of a run, in memory. It is drawn from, saved and loaded;
 * all of that is post-processing and costs nothing.
 *
 * A kind of model is one table of functions. The file is safetensors: the kind's tensors, and as
 * metadata the plan of the last release (which holds the public facts), the number of rows and the
 * certificate. */
#ifndef SBL_MODEL_MODEL_H
#define SBL_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/tensors/safetensors.h"
#include "public/plan/plan.h"
#include "public/rows/encoded_records.h"

#define SBL_ANY_CLASS ((size_t)-1)

typedef struct sbl_model sbl_model;

#define SBL_MODEL_DEVICE_SIZE 160
#define SBL_DEVICE_CPU "cpu" /* its name beside those of other devices */

/* A column of a table in which every drawn record is to have one value. */
typedef struct sbl_fixed {
    size_t head;   /* of the facts' heads: a number's or a category's, no indicator */
    uint32_t code; /* of a category, the missing one included */
    double unit;   /* of a number: its place in [0,1] */
    bool missing;  /* of a number: it is */
} sbl_fixed;

typedef struct sbl_model_kind {
    const char *name; /* the name used in files */
    bool fixes;       /* draw() holds model->fixed; a kind that does not is drawn from without
                       * conditions, and what disagrees with them is for the caller to reject */
    bool trained;     /* the state is a network that was trained, by some device */
    bool whole_units; /* draw() draws the rows of whole persons and fills drawn->persons: there are no
                       * shares of persons by their rows */
    /* draw() draws each record independently, with the error of sampling; other kinds hold rows that keep the
     * model's shares. */
    bool independent;
    /* Tensors and metadata. metadata (an object of strings) is the kind's to add to. */
    sbl_status (*save)(const void *state, sbl_store_entry to, json_t *metadata, bool overwrite,
                       sbl_error *err);
    /* model->plan and model->facts are there; set model->state. where (a path) is for messages. */
    sbl_status (*load)(sbl_model *model, const sbl_safetensors *file, const char *where, sbl_error *err);
    /* Draws to come are of this seed. May be called again. */
    sbl_status (*seed)(sbl_model *model, uint64_t seed, sbl_error *err);
    /* Records first .. first + rows - 1 of the seed, each a pure function of model, seed, its number
     * and the wanted class. */
    sbl_status (*draw)(sbl_model *model, const sbl_drawn *drawn, uint64_t first, size_t rows, size_t wanted,
                       sbl_error *err);
    /* The facts of what is drawn where they are not those of the data; may be NULL. */
    const sbl_facts *(*output)(const sbl_model *model);
    void (*free)(void *state);
} sbl_model_kind;

struct sbl_model {
    const sbl_model_kind *kind;
    sbl_plan plan;          /* of the last release */
    sbl_facts facts;        /* of the data */
    double rows;            /* that it was fitted to: public, or a noisy estimate; at least 1 */
    uint64_t asked;         /* rows that will be drawn in all, to be set before sbl_model_seed: a model
                        * that has a state gives a part of it, or more; 0: as many as above */
    double *persons;        /* where a person may own several rows (facts) and the kind draws rows: the
                      * shares of the persons with 1, 2, ..., k rows; else NULL */
    const sbl_fixed *fixed; /* (fixed_count), borrowed, of different heads: what all that is drawn
                             * is to have; to be set before sbl_model_seed */
    size_t fixed_count;
    char *certificate;                  /* JSON text, or NULL */
    char device[SBL_MODEL_DEVICE_SIZE]; /* that trained it; "": the CPU, or nothing was trained */
    bool replicate;                     /* a draw from the posterior: its records are drawn with the error of
                                         * sampling (run/pipeline/resample.h) */
    bool seeded;                        /* sbl_model_seed was called, and draws can come */
    void *state;
};

/* A model of this kind with a copy of the plan and of the facts, and no state: what a fit begins
 * with. */
sbl_status sbl_model_new(sbl_model **model, const sbl_model_kind *kind, const sbl_plan *plan, sbl_error *err);
void sbl_model_free(sbl_model *model); /* NULL is fine */

/* The text is copied; NULL: none. */
sbl_status sbl_model_set_certificate(sbl_model *model, const char *certificate, sbl_error *err);

/* The device that trained it: SBL_DEVICE_CPU, or the name of another; NULL: nothing was trained. */
const char *sbl_model_trained_on(const sbl_model *model);

/* shares: copied; count is the facts' rows per unit. SBL_EINPUT if they are not a distribution. */
sbl_status sbl_model_set_persons(sbl_model *model, const double *shares, size_t count, sbl_error *err);

sbl_status sbl_model_save(const sbl_model *model, sbl_store_entry to, bool overwrite, sbl_error *err);
/* kinds: a list that ends with NULL.
 * Returns: SBL_OK; SBL_EINPUT if it is not a model that this version knows; SBL_EIO, SBL_EMEM */
sbl_status sbl_model_load(sbl_model **model, sbl_store_entry from, const sbl_model_kind *const *kinds,
                          sbl_error *err);
/* The same from the bytes of a file; where: what messages call them. */
sbl_status sbl_model_decode(sbl_model **model, const uint8_t *bytes, size_t size, const char *where,
                            const sbl_model_kind *const *kinds, sbl_error *err);

sbl_status sbl_model_seed(sbl_model *model, uint64_t seed, sbl_error *err);
/* wanted: a class, or SBL_ANY_CLASS for the classes' own shares; a class of share 0 is drawn all the
 * same.   Returns: SBL_OK; SBL_EARG, also before the model has a seed; SBL_EMEM */
sbl_status sbl_model_draw(sbl_model *model, const sbl_drawn *drawn, uint64_t first, size_t rows,
                          size_t wanted, sbl_error *err);
/* Of what is drawn. */
const sbl_facts *sbl_model_output(const sbl_model *model);

#endif
