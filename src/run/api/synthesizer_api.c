/* SPDX-License-Identifier: Apache-2.0 */
/* What a synthesizer holds: model, releases, certificate (include/semblance/synthesizer.h). */
#include "semblance/synthesizer.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/error.h"
#include "base/file.h"
#include "door/certificate/certificate_document.h"
#include "public/schema/schema_type.h"
#include "run/api/api_call.h"
#include "run/api/synthesizer_handle.h"
#include "run/pipeline/job.h"
#include "run/pipeline/row_stream.h"

static void drop_synthesizer(void *handle)
{
    sbl_synthesizer *synth = handle;
    sbl_synthesizer_clear(synth);
    sbl_store_memory_free(synth->store);
    sbl_free(synth->account);
    sbl_free(synth);
}

sbl_status sbl_synthesizer_new(sbl_synthesizer **synth, sbl_error *err)
{
    sbl_synthesizer *made = NULL;
    sbl_status status = SBL_OK;
    if (synth != NULL) *synth = NULL;
    SBL_NEED(synth);
    SBL_ALLOC(made, 1, "a synthesizer");
    SBL_TRY(sbl_store_memory_new(&made->store, err));
    sbl_mark_init(&made->mark, drop_synthesizer, made);
    *synth = made;
    made = NULL;
done:
    sbl_free(made);
    return status;
}

const char *sbl_synthesizer_kept(const sbl_synthesizer *synth, const char *name)
{
    size_t size;
    return (const char *)sbl_store_memory_look(synth->store, name, &size);
}

void sbl_synthesizer_forget(sbl_synthesizer *synth)
{
    sbl_facts_clear(&synth->facts);
    synth->facts = (sbl_facts){0};
    sbl_free(synth->method);
    synth->method = NULL;
    synth->described = false;
}

void sbl_synthesizer_clear_model(sbl_synthesizer *synth)
{
    sbl_synthesizer_forget(synth);
    sbl_store_entry_remove(sbl_synthesizer_in(synth, SBL_KEPT_MODEL));
    sbl_statement_clear(&synth->statement);
}

/* "release", "release.2", ... from 0 on. */
static const char *release_name(char name[32], size_t index)
{
    if (index == 0) return SBL_KEPT_RELEASE;
    (void)snprintf(name, 32, "%s.%zu", SBL_KEPT_RELEASE, index + 1);
    return name;
}

static size_t count_releases(const sbl_synthesizer *synth)
{
    char name[32];
    size_t count = 0;
    while (sbl_synthesizer_kept(synth, release_name(name, count)) != NULL) count++;
    return count;
}

void sbl_synthesizer_clear(sbl_synthesizer *synth)
{
    char name[32];
    sbl_synthesizer_clear_model(synth);
    for (size_t i = count_releases(synth); i-- > 0;)
        sbl_store_entry_remove(sbl_synthesizer_in(synth, release_name(name, i)));
    sbl_store_entry_remove(sbl_synthesizer_in(synth, SBL_KEPT_CERTIFICATE));
    sbl_store_entry_remove(sbl_synthesizer_in(synth, SBL_KEPT_CHECKPOINT));
    sbl_store_entry_remove(sbl_synthesizer_in(synth, SBL_KEPT_SCHEMA));
    synth->rows = 0;
}

sbl_status sbl_synthesizer_write_to(sbl_synthesizer *synth, const sbl_output *output, sbl_error *err)
{
    sbl_output ours = {.struct_size = sizeof ours};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_CHANGES, err));
    if (output != NULL) SBL_TRY(sbl_struct_take(&ours, sizeof ours, output, "output", err));
    if (ours.format != SBL_IMAGES_IDX && ours.format != SBL_IMAGES_PNG)
        SBL_FAIL(err, SBL_EARG, "the format of synthetic images must be IDX or PNG");
    synth->output = ours;
    synth->writes = output != NULL;
done:
    sbl_use_end(used);
    return status;
}

void sbl_synthesizer_free(sbl_synthesizer *synth)
{
    if (synth != NULL) sbl_mark_drop(&synth->mark);
}

/* Who reads leaves a mark, too: the handle itself is never const. */
sbl_status sbl_synthesizer_use(sbl_mark **used, const sbl_synthesizer *synth, sbl_use use, sbl_error *err)
{
    sbl_mark *mark = (sbl_mark *)(uintptr_t)&synth->mark;
    return sbl_use_begin(used, mark, use, "the synthesizer", err);
}

sbl_status sbl_synthesizer_need_model(const sbl_synthesizer *synth, sbl_error *err)
{
    return sbl_synthesizer_kept(synth, SBL_KEPT_MODEL) != NULL
               ? SBL_OK
               : sbl_fail(err, SBL_EARG, "there is no model yet: fit or load one first");
}

sbl_status sbl_synthesizer_find_release(sbl_store_entry *release, const sbl_synthesizer *synth,
                                        const char *path, sbl_error *err)
{
    *release = path != NULL ? sbl_file_item(path) : sbl_synthesizer_in(synth, SBL_KEPT_RELEASE);
    if (path != NULL || sbl_store_entry_exists(*release)) return SBL_OK;
    return sbl_fail(err, SBL_EARG,
                    "replicates are drawn from the releases of a run, which a model does not hold: give the "
                    "release file");
}

/* ---- files in memory ---- */

static sbl_status need_one(const void *bytes, const char *path, sbl_error *err)
{
    return (bytes != NULL) != (path != NULL) ? SBL_OK
                                             : sbl_fail(err, SBL_EARG, "give either bytes or a path");
}

sbl_status sbl_synthesizer_save(const sbl_synthesizer *synth, uint8_t **bytes, size_t *size, const char *path,
                                bool overwrite, sbl_error *err)
{
    const sbl_file_write_options as_public = {.mode = 0644, .overwrite = overwrite};
    size_t kept_size;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (bytes != NULL) *bytes = NULL;
    if (size != NULL) *size = 0;
    SBL_NEED(synth);
    SBL_TRY(need_one(bytes, path, err));
    if (path == NULL) SBL_NEED(size);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    SBL_TRY(sbl_synthesizer_need_model(synth, err));
    if (path == NULL) {
        SBL_TRY(sbl_store_entry_read(bytes, size, sbl_synthesizer_in(synth, SBL_KEPT_MODEL), SBL_MODEL_LIMIT,
                                     err));
    } else {
        const uint8_t *kept = sbl_store_memory_look(synth->store, SBL_KEPT_MODEL, &kept_size);
        SBL_TRY(sbl_file_write(path, kept, kept_size, as_public, err));
    }
done:
    sbl_use_end(used);
    return status;
}

static sbl_status keep(const sbl_synthesizer *synth, const char *name, const void *bytes, size_t size,
                       sbl_error *err)
{
    const sbl_file_write_options as_own = {.mode = 0600, .overwrite = true};
    return sbl_store_entry_write(sbl_synthesizer_in(synth, name), bytes, size, as_own, err);
}

/* With one thread: callers cannot set a number here, and a forked process must not use more. */
static sbl_status describe(sbl_facts *facts, char **method, char **certificate, uint64_t *rows,
                           const uint8_t *model, size_t size, const char *name, sbl_error *err)
{
    const int threads = sbl_threads_borrow(1);
    const sbl_status status = sbl_model_describe(facts, method, certificate, rows, model, size, name, err);
    sbl_threads_restore(threads);
    return status;
}

static sbl_status take_model(sbl_synthesizer *synth, const uint8_t *bytes, size_t size, const char *name,
                             sbl_error *err)
{
    sbl_facts facts = {0};
    char *method = NULL;
    char *certificate = NULL;
    sbl_statement statement = {0};
    uint64_t rows = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(describe(&facts, &method, &certificate, &rows, bytes, size, name, err));
    if (certificate != NULL) {
        static const char where[] = "the certificate of the model";
        SBL_TRY(sbl_certificate_check(&statement.whole, certificate, strlen(certificate), NULL, where, err));
        SBL_TRY(sbl_certificate_shorten(&statement.brief, certificate, strlen(certificate), where, err));
    }
    sbl_synthesizer_clear(synth);
    if (certificate != NULL)
        SBL_TRY(keep(synth, SBL_KEPT_CERTIFICATE, certificate, strlen(certificate), err));
    SBL_TRY(keep(synth, SBL_KEPT_MODEL, bytes, size, err));
    synth->statement = statement;
    synth->described = true;
    synth->facts = facts;
    synth->method = method;
    synth->rows = rows;
    method = NULL;
    statement = (sbl_statement){0};
    facts = (sbl_facts){0};
done:
    sbl_free(method);
    sbl_free(certificate);
    sbl_statement_clear(&statement);
    sbl_facts_clear(&facts);
    return status;
}

sbl_status sbl_synthesizer_load(sbl_synthesizer *synth, const uint8_t *bytes, size_t size, const char *path,
                                sbl_error *err)
{
    uint8_t *read = NULL;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_TRY(need_one(bytes, path, err));
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_CHANGES, err));
    if (path != NULL) SBL_TRY(sbl_file_read(&read, &size, path, SBL_MODEL_LIMIT, err));
    SBL_TRY(take_model(synth, path != NULL ? read : bytes, size, path != NULL ? path : "the model", err));
done:
    sbl_free(read);
    sbl_use_end(used);
    return status;
}

/* ---- what it says ---- */

sbl_status sbl_synthesizer_describe(sbl_synthesizer *synth, sbl_error *err)
{
    char *certificate = NULL;
    size_t size;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_synthesizer_need_model(synth, err));
    if (synth->described) goto done;
    const uint8_t *model = sbl_store_memory_look(synth->store, SBL_KEPT_MODEL, &size);
    SBL_TRY(
        describe(&synth->facts, &synth->method, &certificate, &synth->rows, model, size, "the model", err));
    synth->described = true;
done:
    sbl_free(certificate);
    return status;
}

sbl_status sbl_synthesizer_get_facts(sbl_synthesizer *synth, sbl_synthesizer_facts *facts, sbl_error *err)
{
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_NEED(facts);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    const size_t size = facts->struct_size;
    if (size < sizeof size) SBL_FAIL(err, SBL_EARG, "facts: their struct_size must be set");
    const bool has_model = sbl_synthesizer_kept(synth, SBL_KEPT_MODEL) != NULL;
    if (has_model) SBL_TRY(sbl_synthesizer_describe(synth, err));
    const bool images = has_model && synth->facts.kind == SBL_DATA_IMAGES;
    const sbl_synthesizer_facts ours = {
        .struct_size = size,
        .releases = count_releases(synth),
        .has_model = has_model,
        .images = images,
        .method = synth->method,
        .rows = has_model ? synth->rows : 0,
        .height = images ? synth->facts.images.height : 0,
        .width = images ? synth->facts.images.width : 0,
        .channels = images ? synth->facts.images.channels : 0,
        .classes = images ? synth->facts.images.classes : synth->facts.classes,
        .tables = synth->facts.table_facts != NULL ? synth->facts.declared->table_count : 0,
    };
    memcpy(facts, &ours, size < sizeof ours ? size : sizeof ours);
done:
    sbl_use_end(used);
    return status;
}

sbl_status sbl_synthesizer_schema(sbl_schema **schema, sbl_synthesizer *synth, sbl_error *err)
{
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (schema != NULL) *schema = NULL;
    SBL_NEED(schema);
    SBL_NEED(synth);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    SBL_TRY(sbl_synthesizer_describe(synth, err));
    if (synth->facts.kind == SBL_DATA_IMAGES) SBL_FAIL(err, SBL_EARG, "a model of images has no schema");
    SBL_TRY(sbl_schema_copy(schema, synth->facts.declared, err));
done:
    sbl_use_end(used);
    return status;
}

sbl_status sbl_synthesizer_release(const sbl_synthesizer *synth, uint8_t **bytes, size_t *size, size_t index,
                                   sbl_error *err)
{
    char name[32];
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (bytes != NULL) *bytes = NULL;
    if (size != NULL) *size = 0;
    SBL_NEED(synth);
    SBL_NEED(bytes);
    SBL_NEED(size);
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    const size_t count = count_releases(synth);
    if (index >= count) SBL_FAIL(err, SBL_EARG, "there are %zu releases", count);
    SBL_TRY(sbl_store_entry_read(bytes, size, sbl_synthesizer_in(synth, release_name(name, index)), SIZE_MAX,
                                 err));
done:
    sbl_use_end(used);
    return status;
}

const char *sbl_synthesizer_text(const sbl_synthesizer *synth, sbl_synthesizer_item item)
{
    if (synth == NULL || sbl_mark_changes(&synth->mark)) return NULL; /* about to be freed */
    if (item == SBL_TEXT_STATEMENT) return synth->statement.whole;
    if (item == SBL_TEXT_STATEMENT_SHORT) return synth->statement.brief;
    return sbl_synthesizer_kept(synth, item == SBL_TEXT_LEDGER ? SBL_KEPT_LEDGER : SBL_KEPT_CERTIFICATE);
}
