/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of one release: which features of a record are summed, with what parameters and weights.
 * Public, printable, hashed; made before any record of its round is read, and all that is needed to
 * make the features again when the release is read. A plan is data: it knows features by name.
 *
 *   {"counts":true, "counts_weight":1, "data":{facts}, "features":[{"feature":"rff",
 *    "parameters":{...}, "weight":1}, ...], "method":{"name":"merf", ...}, "round":1, "share":1,
 *    "version":4} */
#ifndef SBL_PLAN_PLAN_H
#define SBL_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/sha256.h"
#include "public/plan/facts.h"

#define SBL_PLAN_NAME_SIZE 32
/* A setting: one line on what earlier releases decided about this one, and why. Certificates list it. */
#define SBL_PLAN_DECIDED "decided"
#define SBL_PLAN_MOST_REST 8 /* rounds that a plan can divide what is left among */

typedef struct sbl_plan_item {
    char feature[SBL_PLAN_NAME_SIZE]; /* the name of its table (records/features/feature.h) */
    json_t *parameters;               /* an object, the feature's own */
    double weight; /* relative precision of a unit of the feature, beside the other items */
} sbl_plan_item;

typedef struct sbl_plan {
    char method[SBL_PLAN_NAME_SIZE]; /* that made it and can fit a model to its release */
    json_t *settings; /* the method's own public settings, for later rounds and the fit; an object */
    size_t round;     /* 1, 2, ...: of the releases of one run */
    double share;     /* of mu^2 (pure: of epsilon) that the release may spend, in (0, 1] */
    /* What this round and those after it should have of what is left, relative to each other, where the
     * releases so far ask for other shares than were planned at first; 0 of them: as planned. No part of
     * the text: the shares that follow are (run/pipeline/rounds.c). */
    double rest[SBL_PLAN_MOST_REST];
    size_t rest_count;
    sbl_plan_item *items;
    size_t count;
    bool counts; /* the number of records of each class is released, too */
    double counts_weight;
    char *text; /* canonical JSON, once sbl_plan_finish was called */
    uint8_t hash[SBL_SHA256_SIZE];
} sbl_plan;

/* An empty plan of round 1 with the whole share and no settings. */
sbl_status sbl_plan_init(sbl_plan *plan, const char *method, sbl_error *err);
/* Add a feature. Takes the parameters, also on failure; NULL parameters (a failed json_pack) are
 * SBL_EMEM: a plan that lacks a fact must not be made. */
sbl_status sbl_plan_add(sbl_plan *plan, const char *feature, json_t *parameters, double weight,
                        sbl_error *err);
/* Set a setting of the method; takes the value; NULL is SBL_EMEM. */
sbl_status sbl_plan_set(sbl_plan *plan, const char *name, json_t *value, sbl_error *err);
/* Write text and hash; nothing may be added after. */
sbl_status sbl_plan_finish(sbl_plan *plan, const sbl_facts *facts, sbl_error *err);
/* Plan and facts from a text; where (a path) is for messages. Another version is refused, and so is
 * a text that does not give back itself: nothing in it may be ignored. */
sbl_status sbl_plan_parse(sbl_plan *plan, sbl_facts *facts, const char *text, const char *where,
                          sbl_error *err);
void sbl_plan_clear(sbl_plan *plan);

#endif
