#include "pipeline/evidence.h"

#include <string.h>

#include "base/text.h"

sbl_status sbl_evidence_load(sbl_release **release, sbl_release_evidence *evidence,
                             const char *path, sbl_error *err)
{
    uint8_t hash[SBL_SHA256_SIZE];
    uint8_t plan[SBL_SHA256_SIZE];
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_release_load_hashed(release, hash, path, err));
    const sbl_release *r = *release;
    SBL_TRY(sbl_sha256(plan, r->plan, strlen(r->plan), NULL, 0, err));
    *evidence = (sbl_release_evidence){.where = path,
                                       .rid = r->rid,
                                       .ledger = r->ledger,
                                       .seq = r->seq,
                                       .name = r->name,
                                       .mechanism = r->mechanism,
                                       .neighbours = r->neighbours,
                                       .rows_per_unit = r->rows_per_unit,
                                       .n = r->n,
                                       .classes = r->classes,
                                       .blocks = r->blocks,
                                       .block_count = r->block_count};
    sbl_hex_encode(evidence->hash, hash, sizeof hash);
    sbl_hex_encode(evidence->plan, plan, sizeof plan);
done:
    return status;
}
