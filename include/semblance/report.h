/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a release: one HTML file that needs no network and holds no script.
 *
 *     sbl_report_options options;
 *     sbl_report_options_init(&options);
 *     options.synth = synth;                           what was fitted: its certificate
 *     options.path = "report.html";
 *     sbl_report(NULL, &options, &err);
 *
 * In libsemblance-evaluate, which is linked before libsemblance and is of the same version.
 *
 * The report states the guarantee, its mechanisms and its assumptions, with pictures of synthetic records. It may be
 * published. With an evaluation (semblance/evaluate.h) it also compares real with synthetic records. That page is NOT
 * PRIVATE, and says so.
 *
 * Stability: stable (docs/C.md). */
#ifndef SEMBLANCE_REPORT_H
#define SEMBLANCE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/data.h"
#include "semblance/export.h"
#include "semblance/options.h"
#include "semblance/schema.h"
#include "semblance/status.h"
#include "semblance/synthesizer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set up by sbl_report_options_init(). A NULL or false is the default. */
typedef struct sbl_report_options {
    /* Set by sbl_report_options_init(). */
    size_t struct_size;
    /* JSON text. Default: the certificate of `synth`, or none. */
    const char *certificate;
    /* JSON text of sbl_evaluate(). It makes the page NOT PRIVATE. Default: none. */
    const char *evaluation;
    /* The fitted handle: it has the certificate, and knows the names of image classes. Default: none. */
    sbl_synthesizer *synth;
    /* Shown next to the certificate: the columns of a table and some pairs of them, some persons of linked
     * tables with all their rows, or some of the images, at most 300 kB. Without `synth` the page says
     * that these images were not compared with the certificate. Default: none. */
    sbl_data *synthetic;
    /* For a synthetic table, or for linked tables. */
    const sbl_schema *schema;
    /* Default: one of ours. */
    const char *title;
    /* The page's file: mode 0644, or 0600 if the page is NOT PRIVATE. Default: none. */
    const char *path;
    bool overwrite;
    /* Makes no page; says whether one would be refused for a reason that can be seen beforehand: a file that is
     * already there, a folder that cannot be written to, a path that names an input or a ledger, a certificate
     * that does not check. Ask before you spend a budget or minutes; a certificate is not yet required. Default
     * false. */
    bool check_only;
    /* The first release file of the run: the bars and cells of a table, or of linked tables, get 95 % intervals, from
     * releases alone. The certificate must list it and those that follow it. Without `synthetic`, bars are the
     * estimates. Default: the releases that `synth` holds. */
    const char *release;
    /* Models that are drawn given the releases, for the intervals: 2 to 1000, each a fraction of a fit. 1: no
     * intervals. Default 0: 6. */
    uint64_t draws;
    /* Also write the shares and intervals of the pictures to this file, as JSON (docs/FORMATS.md). Default: none. */
    const char *pictures;
    /* For the draws. */
    sbl_progress progress;
    void *context;
} sbl_report_options;

#define sbl_report_options_init(pointer) SBL_STRUCT_INIT(pointer)

/* Make the page.
 * Out:     html  the page; NULL: it goes to path only; sbl_free()
 * Privacy: without an evaluation, everything in it comes from the certificate, the releases and the synthetic records
 * Returns: SBL_OK; SBL_EARG: there is neither a certificate nor an evaluation; SBL_EINPUT: one that is not valid,
 *          images with the certificate of a table, synthetic records that cannot be read; SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_report(char **html, const sbl_report_options *options, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
