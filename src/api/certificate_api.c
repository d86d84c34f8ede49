/* Checking a certificate file (include/semblance/certificate.h). */
#include "semblance/certificate.h"

#include <stdint.h>

#include "base/caller_struct.h"
#include "base/file.h"
#include "base/memory.h"
#include "certificate/certificate.h"
#include "ledger/ledger.h"
#include "pipeline/evidence.h"

#define CERTIFICATE_SIZE_LIMIT ((size_t)64 << 20)

void sbl_certificate_files_init_sized(sbl_certificate_files *files, size_t size)
{
    const sbl_certificate_files ours = {.struct_size = sizeof ours};
    sbl_struct_set_up(files, size, &ours, sizeof ours);
}

static sbl_status check_releases(const char *text, size_t size, const char *path,
                                 const sbl_certificate_files *files, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t r = 0; r < files->release_count && status == SBL_OK; r++) {
        sbl_release_evidence evidence;
        sbl_described described = {0};
        sbl_release *release = NULL;
        status = sbl_evidence_load(&release, &described, &evidence, files->releases[r], err);
        if (status == SBL_OK)
            status = sbl_certificate_check_releases(text, size, &evidence, 1, path, err);
        sbl_described_clear(&described);
        sbl_release_free(release);
    }
    return status;
}

static sbl_status check_file(const char *text, size_t size, const char *path, const char *name,
                             bool is_model, sbl_error *err)
{
    sbl_certified_file file = {.is_model = is_model};
    const sbl_status status = sbl_file_sha256(file.hash, name, err);
    return status == SBL_OK ? sbl_certificate_check_file(text, size, &file, name, path, err)
                            : status;
}

sbl_status sbl_certificate_verify(char **statement, const char *path,
                                  const sbl_certificate_files *theirs, sbl_error *err)
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
    if (files->ledger != NULL) SBL_TRY(sbl_ledger_read(&ledger, files->ledger, err));
    SBL_TRY(sbl_certificate_check(statement, text, size, files->ledger != NULL ? &ledger : NULL,
                                  path, err));
    SBL_TRY(check_releases(text, size, path, files, err));
    if (files->model != NULL) SBL_TRY(check_file(text, size, path, files->model, true, err));
    for (size_t i = 0; i < files->output_count; i++)
        SBL_TRY(check_file(text, size, path, files->outputs[i], false, err));
done:
    if (status != SBL_OK && statement != NULL) {
        sbl_free(*statement);
        *statement = NULL;
    }
    sbl_ledger_view_clear(&ledger);
    sbl_free(bytes);
    return status;
}

void sbl_string_free(char *text) { sbl_free(text); }
