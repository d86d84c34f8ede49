/* Checking a certificate file (include/semblance/certificate.h). */
#include "semblance/certificate.h"

#include <stdint.h>

#include "certificate/certificate.h"
#include "ledger/ledger.h"
#include "base/file.h"
#include "base/memory.h"

#define CERTIFICATE_SIZE_LIMIT ((size_t)64 << 20)

sbl_status sbl_certificate_verify(char **statement, const char *path, const char *ledger_path,
                                  sbl_error *err)
{
    sbl_ledger_view ledger = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    sbl_status status = SBL_OK;
    *statement = NULL;
    SBL_TRY(sbl_file_read(&bytes, &size, path, CERTIFICATE_SIZE_LIMIT, err));
    if (ledger_path != NULL) SBL_TRY(sbl_ledger_read(&ledger, ledger_path, err));
    SBL_TRY(sbl_certificate_check(statement, (const char *)bytes, size,
                                  ledger_path != NULL ? &ledger : NULL, path, err));
done:
    sbl_ledger_view_clear(&ledger);
    sbl_free(bytes);
    return status;
}

void sbl_string_free(char *text) { sbl_free(text); }
