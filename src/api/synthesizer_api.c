/* What a synthesizer holds: model, releases, certificate (include/semblance/synthesizer.h). */
#include "semblance/synthesizer.h"

#include <string.h>

#include "api/data.h"
#include "api/synthesizer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "certificate/certificate.h"
#include "pipeline/draws.h"
#include "schema/schema.h"

static void drop_synthesizer(void *handle)
{
    sbl_synthesizer *synth = handle;
    sbl_synthesizer_clear(synth);
    sbl_free(synth->ledger);
    sbl_free(synth->account);
    sbl_free(synth);
}

sbl_status sbl_synthesizer_new(sbl_synthesizer **synth, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (synth != NULL) *synth = NULL;
    SBL_NEED(synth);
    *synth = sbl_alloc_array(1, sizeof **synth);
    if (*synth == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory");
    sbl_mark_init(&(*synth)->mark, drop_synthesizer, *synth);
done:
    return status;
}

void sbl_synthesizer_clear_model(sbl_synthesizer *synth)
{
    sbl_free(synth->model.bytes);
    synth->model = (sbl_held){0};
    sbl_facts_clear(&synth->facts);
    synth->facts = (sbl_facts){0};
    sbl_free(synth->method);
    synth->method = NULL;
    synth->described = false;
}

void sbl_synthesizer_clear(sbl_synthesizer *synth)
{
    sbl_synthesizer_clear_model(synth);
    for (size_t i = 0; i < synth->release_count; i++) sbl_free(synth->releases[i].bytes);
    sbl_free(synth->releases);
    sbl_free(synth->certificate);
    sbl_free(synth->statement);
    synth->releases = NULL;
    synth->release_count = 0;
    synth->certificate = synth->statement = NULL;
    synth->rows = 0;
}

void sbl_synthesizer_free(sbl_synthesizer *synth)
{
    if (synth != NULL) sbl_mark_drop(&synth->mark);
}

/* Who reads leaves a mark, too: the handle itself is never const. */
sbl_status sbl_synthesizer_use(sbl_mark **used, const sbl_synthesizer *synth, sbl_use use,
                               sbl_error *err)
{
    sbl_mark *mark = (sbl_mark *)(uintptr_t)&synth->mark;
    return sbl_use_begin(used, mark, use, "the synthesizer", err);
}

void sbl_scratch_hide(const sbl_scratch *scratch, sbl_error *err)
{
    sbl_text folder = {0};
    if (scratch->folder.data == NULL) return;
    sbl_text_printf(&folder, "%s/", scratch->folder.data);
    if (!folder.failed) sbl_error_rename(err, folder.data, "");
    sbl_text_clear(&folder);
}

sbl_status sbl_synthesizer_need_model(const sbl_synthesizer *synth, sbl_error *err)
{
    return synth->model.bytes != NULL
               ? SBL_OK
               : sbl_fail(err, SBL_EARG, "there is no model yet: fit or load one first");
}

/* ---- files in memory ---- */

void sbl_bytes_free(uint8_t *bytes, size_t size)
{
    (void)size;
    sbl_free(bytes);
}

static sbl_status copy_bytes(uint8_t **copy, size_t *size, const sbl_held *held, sbl_error *err)
{
    *copy = sbl_alloc_array(held->size, 1);
    if (*copy == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a copy");
    memcpy(*copy, held->bytes, held->size);
    *size = held->size;
    return SBL_OK;
}

sbl_status sbl_synthesizer_save(const sbl_synthesizer *synth, uint8_t **bytes, size_t *size,
                                sbl_error *err)
{
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (bytes != NULL) *bytes = NULL;
    if (size != NULL) *size = 0;
    SBL_NEED(synth);
    SBL_NEED(bytes);
    SBL_NEED(size);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    SBL_TRY(sbl_synthesizer_need_model(synth, err));
    SBL_TRY(copy_bytes(bytes, size, &synth->model, err));
done:
    sbl_use_end(used);
    return status;
}

sbl_status sbl_synthesizer_save_file(const sbl_synthesizer *synth, const char *path, bool overwrite,
                                     sbl_error *err)
{
    const sbl_file_write_options as_public = {.mode = 0644, .overwrite = overwrite};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_NEED(path);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    SBL_TRY(sbl_synthesizer_need_model(synth, err));
    SBL_TRY(sbl_file_write(path, synth->model.bytes, synth->model.size, as_public, err));
done:
    sbl_use_end(used);
    return status;
}

/* Takes bytes, also on failure. */
static sbl_status take_model(sbl_synthesizer *synth, uint8_t *bytes, size_t size, sbl_error *err)
{
    sbl_facts facts = {0};
    char *method = NULL;
    char *certificate = NULL;
    char *statement = NULL;
    uint64_t rows = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_model_describe(&facts, &method, &certificate, &rows, bytes, size, err));
    if (certificate != NULL)
        SBL_TRY(sbl_certificate_check(&statement, certificate, strlen(certificate), NULL,
                                      "the certificate of the model", err));
    sbl_synthesizer_clear(synth);
    synth->model = (sbl_held){bytes, size};
    synth->certificate = certificate;
    synth->statement = statement;
    synth->described = true;
    synth->facts = facts;
    synth->method = method;
    synth->rows = rows;
    bytes = NULL;
    method = certificate = statement = NULL;
    facts = (sbl_facts){0};
done:
    sbl_free(bytes);
    sbl_free(method);
    sbl_free(certificate);
    sbl_free(statement);
    sbl_facts_clear(&facts);
    return status;
}

sbl_status sbl_synthesizer_load(sbl_synthesizer *synth, const uint8_t *bytes, size_t size,
                                sbl_error *err)
{
    uint8_t *copy = NULL;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_NEED(bytes);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_CHANGES, err));
    copy = sbl_alloc_array(size, 1);
    if (copy == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for a model");
    memcpy(copy, bytes, size);
    SBL_TRY(take_model(synth, copy, size, err));
done:
    sbl_use_end(used);
    return status;
}

sbl_status sbl_synthesizer_load_file(sbl_synthesizer *synth, const char *path, sbl_error *err)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_NEED(path);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_CHANGES, err));
    SBL_TRY(sbl_file_read(&bytes, &size, path, SBL_MODEL_LIMIT, err));
    status = take_model(synth, bytes, size, err);
    if (status != SBL_OK) sbl_error_rename(err, "the model", path);
done:
    sbl_use_end(used);
    return status;
}

/* ---- what it says ---- */

/* What a fit is about to free is not shown. */
static bool lends(const sbl_synthesizer *synth)
{
    return synth != NULL && !sbl_mark_changes(&synth->mark);
}

bool sbl_synthesizer_has_model(const sbl_synthesizer *synth)
{
    return lends(synth) && synth->model.bytes != NULL;
}

sbl_status sbl_synthesizer_describe(sbl_synthesizer *synth, sbl_error *err)
{
    char *certificate = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_synthesizer_need_model(synth, err));
    if (synth->described) goto done;
    SBL_TRY(sbl_model_describe(&synth->facts, &synth->method, &certificate, &synth->rows,
                               synth->model.bytes, synth->model.size, err));
    synth->described = true;
done:
    sbl_free(certificate);
    return status;
}

sbl_status sbl_synthesizer_get_facts(sbl_synthesizer *synth, sbl_model_facts *facts, sbl_error *err)
{
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_NEED(facts);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    const size_t size = facts->struct_size;
    if (size < sizeof size) SBL_FAIL(err, SBL_EARG, "facts: their struct_size must be set");
    SBL_TRY(sbl_synthesizer_describe(synth, err));
    const bool images = synth->facts.kind == SBL_DATA_IMAGES;
    const sbl_model_facts ours = {
        .struct_size = size,
        .images = images,
        .method = synth->method,
        .rows = synth->rows,
        .height = images ? synth->facts.images.height : 0,
        .width = images ? synth->facts.images.width : 0,
        .channels = images ? synth->facts.images.channels : 0,
        .classes = images ? synth->facts.images.classes : synth->facts.classes,
    };
    memcpy(facts, &ours, size < sizeof ours ? size : sizeof ours);
done:
    sbl_use_end(used);
    return status;
}

sbl_status sbl_synthesizer_schema(sbl_schema **schema, sbl_synthesizer *synth, sbl_error *err)
{
    char *text = NULL;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (schema != NULL) *schema = NULL;
    SBL_NEED(schema);
    SBL_NEED(synth);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    SBL_TRY(sbl_synthesizer_describe(synth, err));
    if (synth->facts.kind == SBL_DATA_IMAGES)
        SBL_FAIL(err, SBL_EARG, "a model of images has no schema");
    text = sbl_schema_json(synth->facts.declared);
    if (text == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for a schema");
    SBL_TRY(sbl_schema_parse(schema, text, strlen(text), "the model", err));
done:
    sbl_free(text);
    sbl_use_end(used);
    return status;
}

size_t sbl_synthesizer_releases(const sbl_synthesizer *synth)
{
    return lends(synth) ? synth->release_count : 0;
}

sbl_status sbl_synthesizer_release(const sbl_synthesizer *synth, uint8_t **bytes, size_t *size,
                                   size_t index, sbl_error *err)
{
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (bytes != NULL) *bytes = NULL;
    if (size != NULL) *size = 0;
    SBL_NEED(synth);
    SBL_NEED(bytes);
    SBL_NEED(size);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    if (index >= synth->release_count)
        SBL_FAIL(err, SBL_EARG, "there are %zu releases", synth->release_count);
    SBL_TRY(copy_bytes(bytes, size, &synth->releases[index], err));
done:
    sbl_use_end(used);
    return status;
}

const char *sbl_synthesizer_certificate(const sbl_synthesizer *synth)
{
    return lends(synth) ? synth->certificate : NULL;
}

const char *sbl_synthesizer_statement(const sbl_synthesizer *synth)
{
    return lends(synth) ? synth->statement : NULL;
}

const char *sbl_synthesizer_ledger(const sbl_synthesizer *synth)
{
    return lends(synth) ? synth->ledger : NULL;
}
