/* SPDX-License-Identifier: Apache-2.0 */
/* [5] The certificate of a run: written again after every release, over all of them, after it was checked
 * as a verifier would. */
#include <string.h>

#include "base/alloc.h"
#include "public/account/budget.h"
#include "run/pipeline/health.h"
#include "run/pipeline/publish_internal.h"

/* The delta at which the totals are stated: the ledger's, where it sets a limit at it; else this
 * run's; else, where a pure run has Gaussian ones beside it, the ledger's; 0 for pure totals. */
static double stated_delta(const sbl_publish *publish)
{
    const sbl_ledger_view *ledger = &publish->ledger;
    const sbl_charge *spent = &ledger->totals.charge;
    const double own = publish->facts.delta;
    double delta = 0.0;
    if (spent->mu2 == 0 && spent->delta == 0) return 0.0;
    (void)sbl_text_to_double(&delta, ledger->budget.delta);
    return own == 0.0 || sbl_budget_has_limit(&ledger->budget) ? delta : own;
}

/* Where the schema's bounds and categories came from, as its file says. */
static const char *origin_of(const sbl_publish *publish)
{
    const sbl_facts *facts = publish->facts.facts;
    const sbl_schema *schema = facts != NULL ? facts->declared : NULL;
    return schema != NULL && schema->origin != NULL ? schema->origin : "declared";
}

sbl_status sbl_publish_certify(sbl_publish *publish, char **statement, const sbl_certified_made *made,
                               sbl_error *err)
{
    const sbl_publish_facts *run = &publish->facts;
    /* From the second time on the file is our own. */
    const sbl_file_write_options as_public = {.mode = 0644,
                                              .overwrite = run->overwrite || publish->certificate != NULL};
    const char *schema = publish->described[publish->count - 1].schema;
    const sbl_certificate_facts facts = {
        .title = run->title,
        .by = run->by,
        .schema = schema[0] != '\0' ? schema : NULL,
        .origin = origin_of(publish),
        .ledger = &publish->ledger,
        .ledger_covers_run_only = publish->ledger_choice.fell_back && publish->made_ledger,
        .data = run->data,
        .delta = stated_delta(publish),
        .releases = publish->releases,
        .release_count = publish->count,
        .method = run->method,
        .rows_together = run->rows_together,
        .files = made->files,
        .file_count = made->file_count,
        .trained_on = made->trained_on,
        .health = publish->health,
        .health_count = publish->health_count,
        .relations = made->relations,
        .also_public = run->also_public,
        .also_public_count = run->also_public_count,
    };
    char *text = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_certificate_write(&text, &facts, err));
    SBL_TRY(
        sbl_certificate_check(statement, text, strlen(text), &publish->ledger, "the new certificate", err));
    SBL_TRY(sbl_store_entry_write(run->certificate, text, strlen(text), as_public, err));
    sbl_free(publish->certificate);
    publish->certificate = text;
    text = NULL;
done:
    sbl_free(text);
    return status;
}

sbl_status sbl_publish_list(sbl_publish *publish, const sbl_release *release, sbl_error *err)
{
    sbl_described *described = &publish->described[publish->count];
    const sbl_status status = sbl_describe_release(described, release, err);
    if (status != SBL_OK) return status;
    publish->releases[publish->count++] = (sbl_certificate_release){.seq = release->seq,
                                                                    .classes = release->classes,
                                                                    .blocks = release->blocks,
                                                                    .block_count = release->block_count,
                                                                    .of = (const char *const *)described->of};
    /* The first release of the method holds it, which is not the first where a schema is discovered. */
    return publish->health_count == 0
               ? sbl_health_read(&publish->health, &publish->health_count, release, publish->facts.facts, err)
               : SBL_OK;
}
