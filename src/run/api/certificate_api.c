/* SPDX-License-Identifier: Apache-2.0 */
/* Checking and signing a certificate file (include/semblance/certificate.h). */
#include "semblance/certificate.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/file.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/sign.h"
#include "base/text.h"
#include "door/certificate/certificate_document.h"
#include "door/ledger/ledger_book.h"
#include "public/schema/schema_type.h"
#include "records/source/schema_load.h"
#include "run/pipeline/release_check.h"
#include "semblance/files.h"

#define CERTIFICATE_SIZE_LIMIT ((size_t)64 << 20)
#define SIGNATURE_FILE_LIMIT ((size_t)64 << 10)

static sbl_status check_releases(const char *text, size_t size, const char *path,
                                 const sbl_certificate_files *files, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t r = 0; r < files->release_count && status == SBL_OK; r++) {
        sbl_release_evidence evidence;
        sbl_described described = {0};
        sbl_release *release = NULL;
        status =
            sbl_release_check_load(&release, &described, &evidence, sbl_file_item(files->releases[r]), err);
        if (status == SBL_OK) status = sbl_certificate_check_releases(text, size, &evidence, 1, path, err);
        sbl_described_clear(&described);
        sbl_release_free(release);
    }
    return status;
}

static sbl_status check_file(const char *text, size_t size, const char *path, const char *name, bool is_model,
                             sbl_error *err)
{
    sbl_certified_file file = {.is_model = is_model};
    const sbl_status status = sbl_file_sha256(file.hash, name, err);
    return status == SBL_OK ? sbl_certificate_check_file(text, size, &file, name, path, err) : status;
}

/* Every output that is listed, in this folder under the name that it had. */
static sbl_status check_folder(const char *text, size_t size, const char *path, const char *folder,
                               sbl_error *err)
{
    json_t *certificate = json_loadb(text, size, 0, NULL); /* it was checked */
    const json_t *file;
    size_t i, checked = 0;
    sbl_text place = {0};
    char hash[SBL_SHA256_TEXT_SIZE];
    sbl_status status = SBL_OK;
    json_array_foreach(json_object_get(certificate, "files"), i, file)
    {
        const char *name = json_string_value(json_object_get(file, "name"));
        if (strcmp(json_string_value(json_object_get(file, "kind")), "output") != 0) continue;
        if (name == NULL)
            SBL_FAIL(err, SBL_EINPUT,
                     "%s does not list all of its outputs: give the files instead of the folder %s", path,
                     folder);
        place.length = 0;
        sbl_text_printf(&place, "%s/%s", folder, name);
        SBL_TRY(sbl_text_check(&place, "a file name", err));
        SBL_TRY(sbl_file_sha256(hash, place.data, err));
        if (strcmp(hash, json_string_value(json_object_get(file, "sha256"))) != 0)
            SBL_FAIL(err, SBL_EINPUT, "%s differs from the output of this name that %s lists", place.data,
                     path);
        checked++;
    }
    if (checked == 0) SBL_FAIL(err, SBL_EINPUT, "%s lists no outputs to compare with", path);
done:
    json_decref(certificate);
    sbl_text_clear(&place);
    return status;
}

static bool is_folder(const char *path)
{
    struct stat seen;
    return stat(path, &seen) == 0 && S_ISDIR(seen.st_mode);
}

/* The schema by its meaning, as plans have it. */
static sbl_status check_schema(const char *text, size_t size, const char *path, const char *name,
                               sbl_error *err)
{
    sbl_schema *schema = NULL;
    uint8_t hash[SBL_SHA256_SIZE];
    char hex[SBL_SHA256_TEXT_SIZE];
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_schema_load(&schema, name, true, err));
    SBL_TRY(sbl_schema_hash(hash, schema, err));
    SBL_TRY(
        sbl_certificate_check_schema(text, size, sbl_hex_encode(hex, hash, sizeof hash), name, path, err));
done:
    sbl_schema_free(schema);
    return status;
}

/* Where the signature of a certificate stands: sbl_text_clear(). */
static sbl_status signature_of(sbl_text *place, const char *path, const char *signature, sbl_error *err)
{
    if (signature != NULL)
        sbl_text_printf(place, "%s", signature);
    else
        sbl_text_printf(place, "%s" SBL_ENDING_SIGNATURE, path);
    return place->failed ? sbl_fail(err, SBL_EMEM, "out of memory for a file name") : SBL_OK;
}

/* Is it signed, by this key? */
static sbl_status check_signature(const char *text, size_t size, const char *path,
                                  const sbl_certificate_files *files, sbl_error *err)
{
    sbl_text place = {0};
    uint8_t *signature = NULL;
    size_t length = 0;
    struct stat seen;
    sbl_status status = SBL_OK;
    SBL_TRY(signature_of(&place, path, files->signature, err));
    if (stat(place.data, &seen) != 0 && errno == ENOENT) {
        status = sbl_fail(err, SBL_EINPUT, "%s is not signed: %s does not exist", path, place.data);
        goto done;
    }
    SBL_TRY(sbl_file_read(&signature, &length, place.data, SIGNATURE_FILE_LIMIT, err));
    if (length != SBL_SIGNATURE_SIZE) {
        status = sbl_fail(err, SBL_EINPUT, "%s is not a signature: it must have %d bytes", place.data,
                          SBL_SIGNATURE_SIZE);
        goto done;
    }
    status = sbl_sign_check(signature, text, size, files->key, path, err);
    /* A certificate that is wrong in itself was changed, whatever the key is. */
    sbl_error reason, wrong;
    if (status == SBL_EINPUT && err != NULL &&
        sbl_certificate_check(NULL, text, size, NULL, path, &wrong) == SBL_EINPUT) {
        reason = *err;
        status =
            sbl_fail(err, SBL_EINPUT, "%.230s; and it was changed: %.230s", reason.message, wrong.message);
    }
done:
    sbl_free(signature);
    sbl_text_clear(&place);
    return status;
}

static sbl_status write_signature(const char *text, size_t size, const char *path, const char *key,
                                  const char *place, bool overwrite, sbl_error *err)
{
    const sbl_named_file files[] = {
        {"the certificate", path, false},
        {"the key", key, false},
        {"the signature", place, true},
    };
    const sbl_file_write_options as_public = {.mode = 0644, .overwrite = overwrite};
    uint8_t signature[SBL_SIGNATURE_SIZE];
    SBL_CHECK(sbl_files_check(files, sizeof files / sizeof files[0], err));
    SBL_CHECK(sbl_certificate_check(NULL, text, size, NULL, path, err));
    SBL_CHECK(sbl_sign(signature, text, size, key, err));
    return sbl_file_write(place, signature, sizeof signature, as_public, err);
}

sbl_status sbl_certificate_sign(const char *path, const char *key, const char *signature_path, bool overwrite,
                                sbl_error *err)
{
    sbl_text place = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    sbl_status status = SBL_OK;
    SBL_NEED(path);
    SBL_NEED(key);
    SBL_TRY(signature_of(&place, path, signature_path, err));
    SBL_TRY(sbl_file_read(&bytes, &size, path, CERTIFICATE_SIZE_LIMIT, err));
    SBL_TRY(write_signature((const char *)bytes, size, path, key, place.data, overwrite, err));
done:
    sbl_free(bytes);
    sbl_text_clear(&place);
    return status;
}

sbl_status sbl_certificate_verify(char **statement, const char *path, const sbl_certificate_files *theirs,
                                  sbl_error *err)
{
    sbl_certificate_files ours = {.struct_size = sizeof ours};
    const sbl_certificate_files *files = &ours;
    sbl_ledger_view ledger = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    sbl_status status = SBL_OK;
    SBL_NEED(statement);
    *statement = NULL;
    SBL_NEED(path);
    if (theirs != NULL) SBL_TRY(sbl_struct_take(&ours, sizeof ours, theirs, "files", err));
    if (files->release_count > 0) SBL_NEED(files->releases);
    if (files->output_count > 0) SBL_NEED(files->outputs);
    SBL_TRY(sbl_file_read(&bytes, &size, path, CERTIFICATE_SIZE_LIMIT, err));
    const char *text = (const char *)bytes;
    if (files->key != NULL) SBL_TRY(check_signature(text, size, path, files, err));
    if (files->ledger != NULL) SBL_TRY(sbl_ledger_read(&ledger, sbl_file_item(files->ledger), err));
    SBL_TRY(sbl_certificate_check(statement, text, size, files->ledger != NULL ? &ledger : NULL, path, err));
    SBL_TRY(check_releases(text, size, path, files, err));
    if (files->schema != NULL) SBL_TRY(check_schema(text, size, path, files->schema, err));
    if (files->model != NULL) SBL_TRY(check_file(text, size, path, files->model, true, err));
    for (size_t i = 0; i < files->output_count; i++)
        SBL_TRY(is_folder(files->outputs[i]) ? check_folder(text, size, path, files->outputs[i], err)
                                             : check_file(text, size, path, files->outputs[i], false, err));
done:
    if (status != SBL_OK && statement != NULL) {
        sbl_free(*statement);
        *statement = NULL;
    }
    sbl_ledger_view_clear(&ledger);
    sbl_free(bytes);
    return status;
}
