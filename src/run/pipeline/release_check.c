/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the plan inside a release to name its schema and what each block is of. A plan of a
 * later version describes nothing rather than failing, so that an old program can still check
 * the hashes. */
#include "run/pipeline/release_check.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "public/plan/plan.h"
#include "records/features/features.h"
#include "run/methods/discover.h"

void sbl_described_clear(sbl_described *described)
{
    for (size_t b = 0; b < described->count; b++) sbl_free(described->of[b]);
    sbl_free(described->of);
    *described = (sbl_described){0};
}

static sbl_status describe_blocks(sbl_described *described, const sbl_release *release, const sbl_plan *plan,
                                  const sbl_facts *facts, sbl_error *err)
{
    sbl_text words = {0};
    sbl_status status = SBL_OK;
    SBL_ALLOC(described->of, release->block_count, "a certificate");
    described->count = release->block_count;
    for (size_t b = 0; b < release->block_count; b++) {
        words = (sbl_text){0};
        sbl_block_describe(&words, release->blocks[b].name, plan, facts);
        SBL_TRY(sbl_text_check(&words, "a certificate", err));
        described->of[b] = words.data;
    }
    words = (sbl_text){0};
done:
    sbl_text_clear(&words);
    return status;
}

sbl_status sbl_describe_release(sbl_described *described, const sbl_release *release, sbl_error *err)
{
    uint8_t hash[SBL_SHA256_SIZE];
    sbl_plan plan = {0};
    sbl_facts facts = {0};
    *described = (sbl_described){0};
    sbl_error reason;
    sbl_status status = sbl_plan_parse(&plan, &facts, release->plan, "the release", &reason);
    /* A plan that this version does not know describes nothing. */
    if (status == SBL_EINPUT) return SBL_OK;
    if (status != SBL_OK) return sbl_fail(err, status, "%s", reason.message);
    if (facts.kind != SBL_DATA_TABLE) goto done;
    SBL_TRY(describe_blocks(described, release, &plan, &facts, err));
    /* Several rows of a person may count by the schema, and a person did once. */
    if (release->rows_per_unit == 1 && sbl_facts_rows_per_unit(&facts) > 1)
        described->rows_together = sbl_facts_rows_per_unit(&facts);
    if (strcmp(plan.method, sbl_method_discover.name) == 0) goto done;
    SBL_TRY(sbl_schema_hash(hash, facts.declared, err));
    sbl_hex_encode(described->schema, hash, sizeof hash);
done:
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
    if (status != SBL_OK) sbl_described_clear(described);
    return status;
}

sbl_status sbl_release_check_load(sbl_release **release, sbl_described *described,
                                  sbl_release_evidence *evidence, sbl_store_entry from, sbl_error *err)
{
    uint8_t hash[SBL_SHA256_SIZE];
    uint8_t plan[SBL_SHA256_SIZE];
    SBL_CHECK(sbl_release_load_hashed(release, hash, from, err));
    const sbl_release *r = *release;
    SBL_CHECK(sbl_sha256(plan, r->plan, strlen(r->plan), NULL, 0, err));
    SBL_CHECK(sbl_describe_release(described, r, err));
    *evidence = (sbl_release_evidence){.where = from.name,
                                       .rid = r->rid,
                                       .ledger = r->ledger,
                                       .seq = r->seq,
                                       .name = r->name,
                                       .mechanism = r->mechanism,
                                       .neighbours = r->neighbours,
                                       .rows_per_unit = r->rows_per_unit,
                                       .rows_together = described->rows_together,
                                       .n = r->n,
                                       .classes = r->classes,
                                       .blocks = r->blocks,
                                       .block_count = r->block_count,
                                       .of = (const char *const *)described->of};
    memcpy(evidence->schema, described->schema, sizeof evidence->schema);
    sbl_hex_encode(evidence->hash, hash, sizeof hash);
    sbl_hex_encode(evidence->plan, plan, sizeof plan);
    return SBL_OK;
}
