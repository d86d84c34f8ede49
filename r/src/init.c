/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that R may make, registered by name. */
#include "semblance.h"

#include <R_ext/Rdynload.h>

SEXP semblance_schema_new(SEXP json);
SEXP semblance_schema_open(SEXP path);
SEXP semblance_schema_json(SEXP pointer);
SEXP semblance_schema_columns(SEXP pointer);
SEXP semblance_new(void);
SEXP semblance_fit(SEXP pointer, SEXP frame, SEXP schema, SEXP pairs);
SEXP semblance_plan(SEXP schema, SEXP rows, SEXP pairs);
SEXP semblance_item(SEXP pointer, SEXP item);
SEXP semblance_facts(SEXP pointer);
SEXP semblance_schema_of_fit(SEXP pointer);
SEXP semblance_write_model(SEXP pointer, SEXP path, SEXP overwrite);
SEXP semblance_read_model(SEXP pointer, SEXP path);
SEXP semblance_draw(SEXP pointer, SEXP rows, SEXP seed, SEXP where, SEXP threads);
SEXP semblance_draw_file(SEXP pointer, SEXP rows, SEXP seed, SEXP where, SEXP path, SEXP overwrite);
SEXP semblance_replicates_new(SEXP pointer, SEXP seed, SEXP threads);
SEXP semblance_replicates_next(SEXP replicates, SEXP into);
SEXP semblance_combine(SEXP estimates, SEXP variances, SEXP level, SEXP ratio);
SEXP semblance_estimate(SEXP pointer, SEXP asked, SEXP threads);
SEXP semblance_ask(SEXP pointer, SEXP frame, SEXP schema, SEXP asked, SEXP pairs);
SEXP semblance_inspect(SEXP frame, SEXP pairs);
SEXP semblance_evaluate(SEXP real, SEXP synthetic, SEXP train, SEXP schema, SEXP models, SEXP seed,
                        SEXP pairs);
SEXP semblance_ledger_show(SEXP path);
SEXP semblance_ledger_lines(SEXP path);
SEXP semblance_ledger_init(SEXP path, SEXP epsilon, SEXP delta, SEXP add_remove);
SEXP semblance_verify(SEXP path, SEXP ledger, SEXP output);
SEXP semblance_sum(SEXP frame, SEXP plan, SEXP output, SEXP pairs);

#define CALL(name, count)            \
    {                                \
#name, (DL_FUNC)&name, count \
    }
static const R_CallMethodDef calls[] = {
    CALL(semblance_schema_new, 1),
    CALL(semblance_schema_open, 1),
    CALL(semblance_schema_json, 1),
    CALL(semblance_schema_columns, 1),
    CALL(semblance_new, 0),
    CALL(semblance_fit, 4),
    CALL(semblance_plan, 3),
    CALL(semblance_item, 2),
    CALL(semblance_facts, 1),
    CALL(semblance_schema_of_fit, 1),
    CALL(semblance_write_model, 3),
    CALL(semblance_read_model, 2),
    CALL(semblance_draw, 5),
    CALL(semblance_draw_file, 6),
    CALL(semblance_replicates_new, 3),
    CALL(semblance_replicates_next, 2),
    CALL(semblance_combine, 4),
    CALL(semblance_estimate, 3),
    CALL(semblance_ask, 5),
    CALL(semblance_inspect, 2),
    CALL(semblance_evaluate, 7),
    CALL(semblance_ledger_show, 1),
    CALL(semblance_ledger_lines, 1),
    CALL(semblance_ledger_init, 4),
    CALL(semblance_verify, 3),
    CALL(semblance_sum, 4),
    {NULL, NULL, 0},
};

void R_init_semblance(DllInfo *info)
{
    R_registerRoutines(info, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
    R_forceSymbols(info, TRUE);
}
