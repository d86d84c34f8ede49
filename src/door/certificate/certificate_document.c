/* SPDX-License-Identifier: Apache-2.0 */
/* Writes certificates, and checks them: against themselves, against a ledger, and against releases, files
 * and a schema. */
#include "door/certificate/certificate_document.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_fields.h"
#include "base/text.h"
#include "door/certificate/certificate_content.h"
#include "semblance/version.h"

static const char not_consistent[] = "does not follow from the other fields";
static const char not_in_ledger[] = "is not what the ledger says";

sbl_status sbl_certificate_digest(char digest[SBL_SHA256_TEXT_SIZE], const json_t *certificate,
                                  sbl_error *err)
{
    uint8_t hash[SBL_SHA256_SIZE];
    char *text = sbl_json_canonical(certificate);
    if (text == NULL) return sbl_no_memory(err, "a certificate");
    const sbl_status status = sbl_sha256(hash, text, strlen(text), NULL, 0, err);
    if (status == SBL_OK) sbl_hex_encode(digest, hash, sizeof hash);
    sbl_free(text);
    return status;
}

/* ---- writing ---- */

/* A list of the same releases, with the same blocks: sbl_free. */
static sbl_status borrow_releases(sbl_certified_release **list, const sbl_certificate_content *content,
                                  sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(*list, content->release_count, "a certificate");
    memcpy(*list, content->releases, content->release_count * sizeof **list);
done:
    return status;
}

/* The blocks must cost what was charged for them. */
static sbl_status derive_as_charged(sbl_certificate_content *content, const char *where, sbl_error *err)
{
    sbl_certified_release *charged = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(borrow_releases(&charged, content, err));
    SBL_TRY(sbl_certificate_derive(content, where, err));
    for (size_t r = 0; r < content->release_count && status == SBL_OK; r++) {
        const sbl_certified_release *now = &content->releases[r];
        const sbl_certified_release *then = &charged[r];
        const char *wrong = now->joint != then->joint                 ? "joint"
                            : now->charge.draws != then->charge.draws ? "draws"
                            : now->charge.delta != then->charge.delta ? "delta"
                                                                      : NULL;
        if (wrong != NULL) status = sbl_json_fail(where, wrong, not_in_ledger, err);
    }
done:
    sbl_free(charged);
    return status;
}

static sbl_status serialise(char **text, const sbl_certificate_content *content, sbl_error *err)
{
    char digest[SBL_SHA256_TEXT_SIZE];
    json_t *certificate = sbl_certificate_build(content);
    if (certificate == NULL) return sbl_no_memory(err, "a certificate");
    sbl_status status = sbl_certificate_digest(digest, certificate, err);
    if (status == SBL_OK) {
        certificate = sbl_json_put(certificate, "digest", json_string(digest));
        *text = certificate != NULL ? sbl_json_pretty(certificate) : NULL;
        if (*text == NULL) status = sbl_no_memory(err, "a certificate");
    }
    json_decref(certificate);
    return status;
}

/* Replaces (and frees) a release's blocks by these, with the kind of each. */
static sbl_status set_blocks(sbl_certified_release *release, const sbl_block *blocks, const char *const *of,
                             size_t count, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_free(release->blocks);
    sbl_free(release->of);
    release->of = NULL;
    release->block_count = count;
    SBL_ALLOC(release->blocks, count, "a certificate");
    memcpy(release->blocks, blocks, count * sizeof *blocks);
    if (of == NULL) return SBL_OK;
    SBL_ALLOC(release->of, count, "a certificate");
    memcpy(release->of, of, count * sizeof *of);
done:
    return status;
}

static sbl_status copy_releases(sbl_certificate_content *content, const sbl_certificate_facts *facts,
                                sbl_error *err)
{
    if (facts->release_count < 1) return sbl_fail(err, SBL_EARG, "a certificate lists the releases of a run");
    sbl_status status = SBL_OK;
    SBL_ALLOC(content->releases, facts->release_count, "a certificate");
    content->release_count = facts->release_count;
    for (size_t r = 0; r < content->release_count; r++) {
        const sbl_certificate_release *from = &facts->releases[r];
        sbl_certified_release *to = &content->releases[r];
        to->seq = from->seq;
        to->classes = from->classes;
        SBL_TRY(set_blocks(to, from->blocks, from->of, from->block_count, err));
    }
done:
    return status;
}

static sbl_status copy_files(sbl_certificate_content *content, const sbl_certificate_facts *facts,
                             sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(content->files, facts->file_count + 1, "a certificate");
    SBL_ALLOC(content->health, facts->health_count + 1, "a certificate");
    for (; content->file_count < facts->file_count; content->file_count++)
        content->files[content->file_count] = facts->files[content->file_count];
    for (; content->health_count < facts->health_count; content->health_count++)
        content->health[content->health_count] = facts->health[content->health_count];
    if (facts->relations == NULL) return SBL_OK;
    content->relations = *facts->relations;
    content->relations.suspects = NULL;
    SBL_ALLOC(content->relations.suspects, facts->relations->suspect_count + 1, "a certificate");
    for (size_t i = 0; i < facts->relations->suspect_count; i++)
        content->relations.suspects[i] = facts->relations->suspects[i];
done:
    return status;
}

sbl_status sbl_certificate_write(char **text, const sbl_certificate_facts *facts, sbl_error *err)
{
    static const char where[] = "the new certificate";
    sbl_certificate_content content = {
        .format = SBL_CERTIFICATE_VERSION,
        .run_only = facts->ledger_covers_run_only,
        .method = facts->method,
        .rows_together = facts->rows_together,
        .data = facts->data,
        .title = facts->title,
        .by = facts->by,
        .origin = facts->origin,
        .trained_on = facts->trained_on,
        .version = SBL_VERSION_STRING,
        .delta = facts->delta,
        .also_public = facts->also_public,
        .also_public_count = facts->also_public_count,
    };
    sbl_status status = SBL_OK;
    *text = NULL;
    if (facts->schema != NULL) memcpy(content.schema, facts->schema, sizeof content.schema);
    SBL_TRY(copy_releases(&content, facts, err));
    SBL_TRY(copy_files(&content, facts, err));
    SBL_TRY(sbl_certificate_from_ledger(&content, facts->ledger, facts->ledger->line_count, where, err));
    SBL_TRY(derive_as_charged(&content, where, err));
    SBL_TRY(sbl_certificate_guarantee(&content, err));
    SBL_TRY(serialise(text, &content, err));
done:
    sbl_certificate_content_clear(&content);
    return status;
}

/* ---- checking ---- */

static sbl_status check_version(const json_t *certificate, const char *where, sbl_error *err)
{
    const char *format;
    uint64_t version;
    sbl_status status = sbl_json_get_string(&format, certificate, "format", where, err);
    if (status != SBL_OK) return status;
    if (strcmp(format, "semblance-certificate") != 0)
        return sbl_json_fail(where, "format", "is not that of a certificate", err);
    status = sbl_json_get_u64(&version, certificate, "version", where, err);
    if (status != SBL_OK) return status;
    if (version < SBL_CERTIFICATE_OLDEST || version > SBL_CERTIFICATE_VERSION)
        return sbl_fail(err, SBL_EINPUT,
                        "%s: field 'version' is %llu, this program knows versions %d to %d: use "
                        "the program that made it",
                        where, (unsigned long long)version, SBL_CERTIFICATE_OLDEST, SBL_CERTIFICATE_VERSION);
    return SBL_OK;
}

/* Equal but for the last digits, in which mathematical libraries differ. */
static bool nearly_equal(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Recompute what is promised. The recorded numbers are then used on, so that the rest can be
 * compared to the letter. */
static sbl_status check_promise(sbl_certificate_content *recorded, const char *where, sbl_error *err)
{
    sbl_certificate_content again = *recorded; /* borrows */
    const char *wrong = NULL;
    sbl_error reason;
    if (sbl_certificate_guarantee(&again, &reason) != SBL_OK)
        return sbl_fail(err, SBL_EINPUT, "%s: field 'ledger.budget': %s", where, reason.message);
    if (!nearly_equal(recorded->own_epsilon, again.own_epsilon)) wrong = "guarantee.epsilon_of_this_run";
    if (!nearly_equal(recorded->epsilon, again.epsilon)) wrong = "guarantee.epsilon";
    if (!nearly_equal(recorded->mu, again.mu)) wrong = "guarantee.mu";
    if (!nearly_equal(recorded->all_epsilon, again.all_epsilon)) wrong = "guarantee.epsilon_all_periods";
    if (!nearly_equal(recorded->all_mu, again.all_mu)) wrong = "guarantee.mu_all_periods";
    if (!nearly_equal(recorded->allowance.epsilon, again.allowance.epsilon)) wrong = "allowance.epsilon";
    if (!nearly_equal(recorded->allowance.delta, again.allowance.delta)) wrong = "allowance.delta";
    if (wrong == NULL) return SBL_OK;
    return sbl_json_fail(where, wrong, not_consistent, err);
}

/* Build a certificate from content and compare the one that was found. */
static sbl_status check_equal(const json_t *found, const sbl_certificate_content *content, const char *why,
                              const char *where, sbl_error *err)
{
    json_t *expected = sbl_certificate_build(content);
    if (expected == NULL) return sbl_no_memory(err, "a certificate");
    const sbl_status status = sbl_certificate_compare(found, expected, why, where, err);
    json_decref(expected);
    return status;
}

static sbl_status check_alone(sbl_certificate_content *content, const json_t *certificate, const char *where,
                              sbl_error *err)
{
    SBL_CHECK(sbl_certificate_extract(content, certificate, where, err));
    SBL_CHECK(sbl_certificate_derive(content, where, err));
    SBL_CHECK(check_promise(content, where, err));
    return check_equal(certificate, content, not_consistent, where, err);
}

static sbl_status check_against_ledger(const sbl_certificate_content *content, const json_t *certificate,
                                       const sbl_ledger_view *ledger, const char *where, sbl_error *err)
{
    sbl_certificate_content again = *content; /* borrows all but what the ledger says */
    char head[SBL_SHA256_TEXT_SIZE] = "";
    const uint64_t last = content->ledger_seq;
    sbl_status status = SBL_OK;
    if (strcmp(content->ledger_id, ledger->id) != 0)
        return sbl_json_fail(where, "ledger.id", "names another ledger", err);
    if (last <= ledger->line_count) sbl_hex_encode(head, ledger->lines[last - 1].hash, SBL_SHA256_SIZE);
    if (strcmp(head, content->head) != 0)
        return sbl_fail(err, SBL_EINPUT,
                        "%s: field 'ledger.head' is not in the ledger: the ledger was rolled back "
                        "behind this certificate",
                        where);
    SBL_TRY(borrow_releases(&again.releases, content, err));
    SBL_TRY(sbl_certificate_from_ledger(&again, ledger, last, where, err));
    SBL_TRY(derive_as_charged(&again, where, err));
    SBL_TRY(check_equal(certificate, &again, not_in_ledger, where, err));
done:
    sbl_free(again.releases);
    return status;
}

/* The digest was taken over everything else. */
static sbl_status check_digest(json_t *certificate, const char *recorded, const char *where, sbl_error *err)
{
    char digest[SBL_SHA256_TEXT_SIZE];
    const sbl_status status = sbl_certificate_digest(digest, certificate, err);
    if (status != SBL_OK) return status;
    if (strcmp(recorded, digest) != 0) return sbl_json_fail(where, "digest", "does not match the rest", err);
    return SBL_OK;
}

sbl_status sbl_certificate_check(char **statement, const char *text, size_t length,
                                 const sbl_ledger_view *ledger, const char *where, sbl_error *err)
{
    sbl_certificate_content content = {0};
    json_t *certificate = NULL;
    json_t *digest = NULL;
    const char *recorded;
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_TRY(sbl_json_parse(&certificate, text, length, where, err));
    SBL_TRY(check_version(certificate, where, err));
    SBL_TRY(sbl_json_get_string(&recorded, certificate, "digest", where, err));
    digest = json_incref(json_object_get(certificate, "digest"));
    (void)json_object_del(certificate, "digest");
    SBL_TRY(check_alone(&content, certificate, where, err));
    SBL_TRY(check_digest(certificate, recorded, where, err));
    if (ledger != NULL) SBL_TRY(check_against_ledger(&content, certificate, ledger, where, err));
    if (statement == NULL) goto done;
    *statement = sbl_certificate_statement(&content, false);
    if (*statement == NULL) status = sbl_no_memory(err, "a certificate");
done:
    sbl_certificate_content_clear(&content);
    json_decref(digest);
    json_decref(certificate);
    return status;
}

/* ---- against files ---- */

static const char not_in_release[] = "is not what the release says";

/* The facts of a certificate that was checked, which keep it without its digest; clear the content. */
static sbl_status reopen(sbl_certificate_content *content, const char *text, size_t length, const char *where,
                         sbl_error *err)
{
    json_t *certificate = NULL;
    sbl_status status = sbl_json_parse(&certificate, text, length, where, err);
    if (status == SBL_OK) status = sbl_certificate_extract(content, certificate, where, err);
    content->json = certificate;
    if (status == SBL_OK) (void)json_object_del(certificate, "digest");
    return status;
}

sbl_status sbl_certificate_shorten(char **brief, const char *text, size_t length, const char *where,
                                   sbl_error *err)
{
    sbl_certificate_content content = {0};
    sbl_status status = SBL_OK;
    *brief = NULL;
    SBL_TRY(reopen(&content, text, length, where, err));
    SBL_TRY(sbl_certificate_derive(&content, where, err));
    *brief = sbl_certificate_statement(&content, true);
    if (*brief == NULL) status = sbl_no_memory(err, "a certificate");
done:
    sbl_certificate_content_clear(&content);
    return status;
}

/* Replaces what the certificate says about a release by what the release itself says. */
static sbl_status substitute(sbl_certificate_content *content, const sbl_release_evidence *release,
                             const char *where, sbl_error *err)
{
    size_t r = 0;
    while (r < content->release_count && strcmp(content->releases[r].rid, release->rid) != 0) r++;
    if (r == content->release_count)
        return sbl_fail(err, SBL_EINPUT, "%s is the certificate of another release, not of %s", where,
                        release->where);
    sbl_certified_release *listed = &content->releases[r];
    if (strcmp(listed->out, release->hash) != 0)
        return sbl_fail(err, SBL_EINPUT,
                        "the release %s is not the file that %s lists: its bytes were changed",
                        release->where, where);
    const sbl_status status = set_blocks(listed, release->blocks, release->of, release->block_count, err);
    if (status != SBL_OK) return status;
    /* The schema is that of the last release: before it, one may have been discovered. */
    if (r + 1 == content->release_count) memcpy(content->schema, release->schema, sizeof content->schema);
    listed->classes = release->classes;
    listed->seq = release->seq;
    listed->name = release->name;
    listed->mechanism = release->mechanism;
    memcpy(listed->plan, release->plan, sizeof listed->plan);
    content->ledger_id = release->ledger;
    content->ledger_facts.neighbours = release->neighbours;
    content->ledger_facts.by_person = release->rows_per_unit != 0;
    content->ledger_facts.rows_per_unit = release->rows_per_unit != 0 ? release->rows_per_unit : 1;
    content->rows_together = release->rows_together;
    content->n = release->n;
    return SBL_OK;
}

sbl_status sbl_certificate_check_releases(const char *text, size_t length,
                                          const sbl_release_evidence *releases, size_t count,
                                          const char *where, sbl_error *err)
{
    sbl_certificate_content content = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(reopen(&content, text, length, where, err));
    for (size_t i = 0; i < count; i++) SBL_TRY(substitute(&content, &releases[i], where, err));
    SBL_TRY(sbl_certificate_derive(&content, where, err));
    SBL_TRY(check_promise(&content, where, err));
    SBL_TRY(check_equal(content.json, &content, not_in_release, where, err));
done:
    sbl_certificate_content_clear(&content);
    return status;
}

sbl_status sbl_certificate_check_file(const char *text, size_t length, const sbl_certified_file *file,
                                      const char *file_name, const char *where, sbl_error *err)
{
    sbl_certificate_content content = {0};
    bool found = false;
    sbl_status status = SBL_OK;
    SBL_TRY(reopen(&content, text, length, where, err));
    for (size_t i = 0; i < content.file_count; i++)
        found = found || (content.files[i].is_model == file->is_model &&
                          strcmp(content.files[i].hash, file->hash) == 0);
    if (!found)
        status = sbl_fail(err, SBL_EINPUT, "%s is not the %s that %s lists", file_name,
                          file->is_model ? "model" : "output", where);
done:
    sbl_certificate_content_clear(&content);
    return status;
}

sbl_status sbl_certificate_check_schema(const char *text, size_t length,
                                        const char hash[SBL_SHA256_TEXT_SIZE], const char *schema_name,
                                        const char *where, sbl_error *err)
{
    sbl_certificate_content content = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(reopen(&content, text, length, where, err));
    if (strcmp(content.schema, hash) != 0)
        status = sbl_fail(err, SBL_EINPUT, "%s is not the schema that %s names: its facts differ",
                          schema_name, where);
done:
    sbl_certificate_content_clear(&content);
    return status;
}

sbl_status sbl_certificate_without_files(char **stripped, const char *text, size_t length, const char *where,
                                         sbl_error *err)
{
    sbl_certificate_content content = {0};
    sbl_status status = SBL_OK;
    *stripped = NULL;
    SBL_TRY(reopen(&content, text, length, where, err));
    SBL_TRY(sbl_certificate_derive(&content, where, err));
    content.file_count = 0;
    content.trained_on = NULL;
    SBL_TRY(serialise(stripped, &content, err));
done:
    sbl_certificate_content_clear(&content);
    return status;
}
