/* SPDX-License-Identifier: Apache-2.0 */
/* What this library was built from, and what it found and chose on this machine. */
#include "base/compute/lapack.h"
#include "base/compute/variants.h"
#include "base/error.h"
#include "base/readstat/readstat_there.h"
#include "base/text.h"
#include "records/formats/duckdb.h"
#include "records/image/jpeg.h"
#include "semblance/version.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif
#ifdef _OPENMP
#define THREADS "OpenMP"
#else
#define THREADS "one: built without OpenMP"
#endif

/* Whether it serves, or why not. */
static sbl_status describe_duckdb(sbl_text *words, const char *path, sbl_error *err)
{
    sbl_error why = {0};
    const sbl_status status = sbl_engine_check(*path != '\0' ? path : NULL, &why);
    if (status == SBL_EMEM) return sbl_no_memory(err, "DuckDB");
    sbl_text_printf(words, "DuckDB\t%s\n", status == SBL_OK ? "there" : why.message);
    return SBL_OK;
}

sbl_status sbl_build_describe(char **text, const char *duckdb, sbl_error *err)
{
    sbl_text words = {0};
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    sbl_text_printf(&words, "compiler\t%s\n", COMPILER);
    sbl_text_printf(&words, "threads\t%s\n", THREADS);
    sbl_text_printf(&words, "kernels\t%s\n", sbl_kernels_best()->name);
    const char *blas = sbl_lapack_version();
    sbl_text_printf(&words, "blas\t%s\n",
                    blas != NULL ? blas : "none: OpenBLAS is not installed, or has no memory");
    sbl_text_printf(&words, "ReadStat\t%s\n",
                    sbl_readstat_missing() != NULL ? sbl_readstat_missing() : sbl_readstat_name());
    sbl_text_printf(&words, "JPEG\t%s\n",
                    sbl_jpeg_library() != NULL ? sbl_jpeg_library() : "none: built without libjpeg-turbo");
    if (duckdb != NULL) SBL_TRY(describe_duckdb(&words, duckdb, err));
    if (words.failed) SBL_FAIL(err, SBL_EMEM, "out of memory");
    *text = words.data;
    words = (sbl_text){0};
done:
    sbl_text_clear(&words);
    return status;
}
