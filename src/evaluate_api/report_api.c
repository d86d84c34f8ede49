/* Reports of certificates (include/semblance/report.h). */
#include "semblance/report.h"

#include <stdint.h>

#include "base/file.h"
#include "base/memory.h"
#include "evaluate/pictures.h"
#include "evaluate_api/evaluation.h"
#include "plan/plan.h"
#include "release/release.h"
#include "report/report.h"
#include "semblance/files.h"

#define CERTIFICATE_SIZE_LIMIT ((size_t)64 << 20)

sbl_status sbl_report_check_target(const char *path, const char *const *others, size_t count,
                                   bool overwrite, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_NEED(path);
    if (count > 0) SBL_NEED(others);
    for (size_t i = 0; i < count; i++) {
        const sbl_named_file pair[] = {{"the report", path, true},
                                       {"another file of this run", others[i], false}};
        SBL_TRY(sbl_files_check(pair, 2, err));
    }
    SBL_TRY(sbl_file_check_target(path, overwrite, err));
done:
    return status;
}

static sbl_status write_public(const char *path, const char *certificate_path,
                               const sbl_report_options *options, sbl_error *err)
{
    uint8_t *certificate = NULL;
    size_t size = 0;
    sbl_status status =
        sbl_file_read(&certificate, &size, certificate_path, CERTIFICATE_SIZE_LIMIT, err);
    if (status == SBL_OK)
        status = sbl_report_write(path, (const char *)certificate, NULL, options, err);
    sbl_free(certificate);
    return status;
}

sbl_status sbl_report_certificate(const char *path, const char *certificate_path, const char *title,
                                  bool overwrite, sbl_error *err)
{
    const sbl_named_file files[] = {{"the certificate", certificate_path, false},
                                    {"the report", path, true}};
    const sbl_report_options options = {
        .public_only = true, .overwrite = overwrite, .title = title};
    sbl_status status = SBL_OK;
    SBL_NEED(path);
    SBL_NEED(certificate_path);
    SBL_TRY(sbl_files_check(files, 2, err));
    SBL_TRY(write_public(path, certificate_path, &options, err));
done:
    return status;
}

sbl_status sbl_report_table_certificate(const char *path, const char *certificate_path,
                                        const char *table_path, const char *schema_path,
                                        const sbl_synth_options *reading, const char *title,
                                        bool overwrite, sbl_error *err)
{
    const sbl_named_file files[] = {{"the certificate", certificate_path, false},
                                    {"the synthetic table", table_path, false},
                                    {"the schema", schema_path, false},
                                    {"the report", path, true}};
    sbl_schema *schema = NULL;
    json_t *pictures = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(path);
    SBL_NEED(certificate_path);
    SBL_NEED(table_path);
    SBL_NEED(schema_path);
    SBL_TRY(sbl_files_check(files, 4, err));
    SBL_TRY(sbl_schema_read_as(&schema, schema_path, reading, err));
    const sbl_table table = sbl_csv_table(table_path);
    SBL_TRY(sbl_table_pictures(&pictures, &table, schema, err));
    const sbl_report_options options = {
        .public_only = true, .overwrite = overwrite, .title = title, .pictures = pictures};
    SBL_TRY(write_public(path, certificate_path, &options, err));
done:
    json_decref(pictures);
    sbl_schema_free(schema);
    return status;
}

sbl_status sbl_report_texts(char **html, const char *certificate, const char *evaluation,
                            const char *title, sbl_error *err)
{
    const sbl_report_options options = {.title = title};
    sbl_status status = SBL_OK;
    if (html != NULL) *html = NULL;
    SBL_NEED(html);
    SBL_TRY(sbl_report_render(html, certificate, evaluation, &options, err));
done:
    return status;
}

sbl_status sbl_report_image_certificate(const char *path, const char *certificate_path,
                                        const char *release_path, const char *folder,
                                        const char *title, bool overwrite, sbl_error *err)
{
    const sbl_named_file files[] = {{"the certificate", certificate_path, false},
                                    {"the release", release_path, false},
                                    {"the report", path, true}};
    sbl_release *release = NULL;
    sbl_plan plan = {0};
    sbl_facts facts = {0};
    sbl_report_preview preview = {0};
    sbl_status status = SBL_OK;
    SBL_NEED(path);
    SBL_NEED(certificate_path);
    SBL_NEED(release_path);
    SBL_NEED(folder);
    SBL_TRY(sbl_files_check(files, 3, err));
    SBL_TRY(sbl_release_load(&release, sbl_file_item(release_path), err));
    SBL_TRY(sbl_plan_parse(&plan, &facts, release->plan, release_path, err));
    const sbl_image_place place = {
        .images = folder, .classes = facts.images.classes, .channels = facts.images.channels};
    SBL_TRY(
        sbl_report_preview_make(&preview, &place, (const char *const *)facts.images.names, err));
    const sbl_report_options options = {
        .public_only = true, .overwrite = overwrite, .title = title, .preview = &preview};
    SBL_TRY(write_public(path, certificate_path, &options, err));
done:
    sbl_report_preview_clear(&preview);
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
    sbl_release_free(release);
    return status;
}
