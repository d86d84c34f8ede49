/* The report of a release: one HTML file that needs no network and holds no script.
 *
 *     sbl_report_certificate("report.html", "synthetic.csv.certificate.json", NULL, false, &err);
 *
 * In libsemblance-evaluate, which is linked before libsemblance and is of the same version.
 *
 * Here the public part: what is guaranteed, by what and assuming what. sbl_evaluate()
 * (semblance/evaluate.h) writes a report that also compares real with synthetic rows; that one is
 * NOT PRIVATE, and so is what sbl_report_texts makes of an evaluation. */
#ifndef SEMBLANCE_REPORT_H
#define SEMBLANCE_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "semblance/export.h"
#include "semblance/options.h"
#include "semblance/status.h"
#include "semblance/synthesizer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Would a report at path be refused for a reason that can be seen beforehand: a file that is there
 * already, a folder that cannot be written to, one of the other files of the run (others: count
 * paths, of which NULL and "-" are passed over), a ledger? To be asked before a budget is spent. */
SBL_API SBL_MUST_USE sbl_status sbl_report_check_target(const char *path, const char *const *others,
                                                        size_t count, bool overwrite,
                                                        sbl_error *err);

/* Write the public report of the certificate at certificate_path. title may be NULL.
 * Privacy: says nothing but what the certificate says; the file may be published.
 * Returns: SBL_OK; SBL_EINPUT when the certificate does not check; SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_report_certificate(const char *path,
                                                       const char *certificate_path,
                                                       const char *title, bool overwrite,
                                                       sbl_error *err);

/* The same of a table, with pictures of the synthetic one, its columns and some pairs of them.
 * In:      table_path   the synthetic table, as sbl_synthesizer_fit() or sbl_synthesizer_sample() wrote it
 *          schema_path  its schema
 *          reading      how the table is written, as its run was told; NULL: as the schema says
 * Privacy: says nothing but what the certificate and the synthetic table say.
 * Returns: as above; SBL_EINPUT also for a table that cannot be read */
SBL_API SBL_MUST_USE sbl_status sbl_report_table_certificate(
    const char *path, const char *certificate_path, const char *table_path, const char *schema_path,
    const sbl_synth_options *reading, const char *title, bool overwrite, sbl_error *err);

/* The same of an image set, with a picture of some of the synthetic images, at most 300 kB.
 * In:      release_path  the release that the certificate is of: knows the classes by name
 *          folder        the synthetic images, as sbl_synthesizer_fit() or sbl_synthesizer_sample()
 *                        wrote them
 * Privacy: says nothing but what the certificate, the release and the synthetic images say.
 * Returns: as above; SBL_EINPUT also for a release or a certificate of a table */
SBL_API SBL_MUST_USE sbl_status sbl_report_image_certificate(const char *path,
                                                             const char *certificate_path,
                                                             const char *release_path,
                                                             const char *folder, const char *title,
                                                             bool overwrite, sbl_error *err);

/* A report in memory, from texts: what a certificate says, how good an evaluation found the data to be, or both. Pages of
 * sbl_evaluate() (semblance/evaluate.h) and sbl_synthesizer_report_images() show images besides.
 * Out:     html  the page; sbl_free()
 * In:      certificate, evaluation  JSON texts (docs/FORMATS.md); one of them may be NULL
 *          title                    NULL: one of ours
 * Privacy: with an evaluation it is NOT PRIVATE, and says so; without, it may be published
 * Returns: SBL_OK; SBL_EARG: html is NULL, or there is neither text; SBL_EINPUT for a text that does not check; SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_report_texts(char **html, const char *certificate,
                                                 const char *evaluation, const char *title,
                                                 sbl_error *err);

/* The public report of a synthesizer's certificate as a page in HTML, which may be published; sbl_synthesizer_report_images() shows
 * some images besides.
 * In:      title  NULL: one of ours
 * Returns: SBL_OK; SBL_EARG when there is no certificate; SBL_EINPUT, SBL_EIO, SBL_EMEM
 * Owner:   of html the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_report(const sbl_synthesizer *synth, char **html,
                                                       const char *title, sbl_error *err);

/* The public report (sbl_synthesizer_report()) of a model of images with a picture of some that it draws, as the program
 * writes it beside an image set: the first ones of each class of the set that the options describe, at most 300 kB. The
 * set is drawn whole, into memory, since a class may be rare.
 * In:      options  rows, seed and where of the set; NULL: defaults.   title  NULL: one of ours
 * Privacy: says nothing but what the certificate and the model say; the page may be published
 * Returns: SBL_OK; SBL_EARG when there is no certificate or no model of images; SBL_EINPUT, SBL_ESTOPPED, SBL_EMEM
 * Owner:   of html the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_report_images(sbl_synthesizer *synth, char **html,
                                                              const sbl_sample_options *options,
                                                              const char *title, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
