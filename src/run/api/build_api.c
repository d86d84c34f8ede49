/* What this library was built from, and what it found and chose on this machine. */
#include "base/compute/lapack.h"
#include "base/compute/variants.h"
#include "base/error.h"
#include "base/text.h"
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

sbl_status sbl_build_describe(char **text, sbl_error *err)
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
    sbl_text_printf(&words, "JPEG\t%s\n",
                    sbl_jpeg_library() != NULL ? sbl_jpeg_library() : "none: built without libjpeg-turbo");
    if (words.failed) SBL_FAIL(err, SBL_EMEM, "out of memory");
    *text = words.data;
    words = (sbl_text){0};
done:
    sbl_text_clear(&words);
    return status;
}
