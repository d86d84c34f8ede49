/* The main job, top to bottom: table -> features -> sum -> door -> release -> model -> table. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "certificate/certificate.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "features/image_plan.h"
#include "pipeline/gather.h"
#include "pipeline/image_store.h"
#include "pipeline/method.h"
#include "pipeline/model_store.h"
#include "pipeline/publish.h"
#include "pipeline/recipe.h"
#include "pipeline/run_common.h"
#include "pipeline/targets.h"
#include "semblance/synth.h"

#define CERTIFICATE_LIMIT ((size_t)1 << 20)

void sbl_synth_options_init(sbl_synth_options *options)
{
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    options->delta = 1e-5;
    options->neighbours = SBL_REPLACE_ONE;
}

static sbl_status read_recipe(sbl_recipe *recipe, const char *schema_path,
                              const sbl_synth_options *options, sbl_error *err)
{
    sbl_schema *schema = NULL;
    sbl_status status = sbl_run_check_options(options, err);
    memset(recipe, 0, sizeof *recipe);
    if (status == SBL_OK) status = sbl_schema_read(&schema, schema_path, err);
    if (status == SBL_OK) status = sbl_recipe_build(recipe, schema, options, err);
    return status;
}

/* Where a run's files go: as given, or named after the output. */
typedef struct run_files {
    sbl_text release;
    sbl_text certificate;
} run_files;

static sbl_status name_files(run_files *files, const char *output, const sbl_synth_options *options,
                             sbl_error *err)
{
    const bool named = options->release_path != NULL && options->certificate_path != NULL;
    if (strcmp(output, "-") == 0 && !named)
        return sbl_fail(err, SBL_EARG,
                        "with standard output as the table, name the release and the certificate");
    sbl_text_printf(&files->release, options->release_path != NULL ? "%s" : "%s.release",
                    options->release_path != NULL ? options->release_path : output);
    sbl_text_printf(&files->certificate,
                    options->certificate_path != NULL ? "%s" : "%s.certificate.json",
                    options->certificate_path != NULL ? options->certificate_path : output);
    return files->release.failed || files->certificate.failed
               ? sbl_fail(err, SBL_EMEM, "out of memory for a file name")
               : SBL_OK;
}

static void clear_files(run_files *files)
{
    sbl_text_clear(&files->release);
    sbl_text_clear(&files->certificate);
}

/* [1] to [5]: one pass over the data, one release. Everything after this is post-processing. */
static sbl_publish_request request_of(const sbl_recipe *recipe, const run_files *files,
                                      const sbl_synth_options *options)
{
    return (sbl_publish_request){
        .method = recipe->method->name,
        .name = recipe->method->release_name,
        .plan = recipe->text,
        .neighbours = options->neighbours,
        .epsilon = options->epsilon,
        .delta = options->pure ? 0.0 : options->delta,
        .weights = recipe->weights,
        .release_path = files->release.data,
        .certificate_path = files->certificate.data,
        .ledger_path = options->ledger_path,
        .overwrite = options->overwrite,
        .can_be_trained_on = !recipe->more,
        .share = recipe->share,
        .other_values = recipe->other_values,
        .also_public = recipe->method->also_public,
        .also_public_count = recipe->method->also_public_count,
    };
}

static bool is_unchanged(const char *input, const struct stat *before)
{
    struct stat now;
    return stat(input, &now) == 0 && now.st_dev == before->st_dev && now.st_ino == before->st_ino &&
           now.st_size == before->st_size && now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

/* before: what the input was when it was read first; NULL: this is the first time. */
static sbl_status release_once(sbl_release **release, char **statement, const char *input,
                               const struct stat *before, const sbl_recipe *recipe,
                               const sbl_publish_request *request, const sbl_synth_options *options,
                               sbl_error *err)
{
    sbl_sum *sum = NULL;
    sbl_status status = sbl_gather(&sum, input, recipe, options, err);
    if (status == SBL_OK && before != NULL && !is_unchanged(input, before))
        status =
            sbl_fail(err, SBL_EINPUT,
                     "%s changed while it was read twice: only the first release was made", input);
    if (status == SBL_OK) status = sbl_publish(release, statement, &sum, request, err);
    sbl_sum_free(sum);
    return status;
}

/* The files of the first of two releases, which are named here, must be none of the others. */
static sbl_status check_first_files(const char *input, const sbl_text names[2],
                                    const run_files *files, sbl_error *err)
{
    const sbl_named_path paths[] = {
        {"the input", input, false},
        {"the first release", names[0].data, true},
        {"the first certificate", names[1].data, true},
        {"the release", files->release.data, true},
        {"the certificate", files->certificate.data, true},
    };
    return sbl_check_targets(paths, sizeof paths / sizeof paths[0], err);
}

/* A method whose second release depends on its first: two passes, two charges, one ledger. The
 * recipe becomes that of the second. */
static sbl_status release_twice(sbl_release **release, char **statement, const char *input,
                                const struct stat *before, sbl_recipe *recipe,
                                const run_files *files, const sbl_synth_options *options,
                                sbl_error *err)
{
    sbl_publish_request request = request_of(recipe, files, options);
    sbl_text names[3] = {0}; /* the first release, its certificate, the ledger of both */
    sbl_recipe second = {0};
    sbl_release *first = NULL;
    char *words = NULL;
    sbl_status status = SBL_OK;
    sbl_text_printf(&names[0], "%s.first", files->release.data);
    sbl_text_printf(&names[1], "%s.first", files->certificate.data);
    sbl_text_printf(&names[2], "%s.ledger", files->release.data);
    if (names[0].failed || names[1].failed || names[2].failed) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a file name");
        goto done;
    }
    SBL_TRY(check_first_files(input, names, files, err));
    /* Would the whole budget and the last files be refused? Then the first pass is not begun. */
    request.share = 1.0;
    SBL_TRY(sbl_publish_check(&recipe->layout, &request, err));
    request.share = recipe->share;
    request.name = recipe->method->first_release_name;
    request.release_path = names[0].data;
    request.certificate_path = names[1].data;
    request.ledger_stem = files->release.data;
    SBL_TRY(sbl_publish_check(&recipe->layout, &request, err));
    SBL_TRY(release_once(&first, &words, input, NULL, recipe, &request, options, err));
    SBL_TRY(sbl_recipe_next(&second, recipe, first, err));
    request = request_of(&second, files, options);
    request.ledger_is_of_run = options->ledger_path == NULL;
    if (request.ledger_is_of_run) request.ledger_path = names[2].data;
    request.first = first;
    request.first_layout = &recipe->layout;
    SBL_TRY(release_once(release, statement, input, before, &second, &request, options, err));
    sbl_recipe_clear(recipe);
    *recipe = second;
    second = (sbl_recipe){0};
done:
    sbl_recipe_clear(&second);
    sbl_release_free(first);
    sbl_free(words);
    for (size_t i = 0; i < 3; i++) sbl_text_clear(&names[i]);
    return status;
}

static sbl_status release_table(sbl_release **release, char **statement, const char *input,
                                sbl_recipe *recipe, const run_files *files,
                                const sbl_synth_options *options, sbl_error *err)
{
    const sbl_publish_request request = request_of(recipe, files, options);
    struct stat before = {0}; /* where there is no such file, the first reading says so */
    const bool found = recipe->more && stat(input, &before) == 0;
    if (recipe->more && (strcmp(input, "-") == 0 || (found && !S_ISREG(before.st_mode))))
        return sbl_fail(
            err, SBL_EARG,
            "this method reads the table twice: give a file, not standard input or a pipe");
    if (recipe->more)
        return release_twice(release, statement, input, &before, recipe, files, options, err);
    /* Refuse before hours of reading what would be refused after it. */
    const sbl_status status = sbl_publish_check(&recipe->layout, &request, err);
    return status == SBL_OK
               ? release_once(release, statement, input, NULL, recipe, &request, options, err)
               : status;
}

static sbl_status train_and_save(const char *model_path, const sbl_release *release,
                                 const sbl_recipe *recipe, const run_files *files,
                                 const sbl_synth_options *options, sbl_error *err)
{
    uint8_t *certificate = NULL;
    size_t size;
    sbl_status status =
        sbl_file_read(&certificate, &size, files->certificate.data, CERTIFICATE_LIMIT, err);
    if (status == SBL_OK)
        status =
            sbl_model_make(model_path, release, recipe, (const char *)certificate, options, err);
    sbl_free(certificate);
    return sbl_run_keeps_release(status, files->release.data, err);
}

/* Every file of a run at once: what is written must be none of the others. */
static sbl_status check_all_files(const char *input, const char *schema_path,
                                  const char *model_path, const char *output,
                                  const run_files *files, const sbl_synth_options *options,
                                  sbl_error *err)
{
    const sbl_named_path paths[] = {
        {"the input", input, false},
        {"the schema", schema_path, false},
        {"the ledger", options->ledger_path, false},
        {"the release", files->release.data, true},
        {"the certificate", files->certificate.data, true},
        {"the model", model_path, true},
        {"the output", output != model_path ? output : NULL, true},
    };
    return sbl_check_targets(paths, sizeof paths / sizeof paths[0], err);
}

static sbl_status fit_model(char **statement, const char *input, const char *schema_path,
                            const char *model_path, const char *output,
                            const sbl_synth_options *options, sbl_error *err)
{
    sbl_recipe recipe;
    run_files files = {0};
    sbl_release *release = NULL;
    char *words = NULL;
    sbl_status status = read_recipe(&recipe, schema_path, options, err);
    if (statement != NULL) *statement = NULL;
    if (status != SBL_OK) return status;
    SBL_TRY(name_files(&files, output, options, err));
    SBL_TRY(check_all_files(input, schema_path, model_path, output, &files, options, err));
    SBL_TRY(sbl_file_check_target(model_path, options->overwrite, err));
    if (recipe.method->check != NULL) SBL_TRY(recipe.method->check(&recipe, options, err));
    SBL_TRY(release_table(&release, &words, input, &recipe, &files, options, err));
    SBL_TRY(train_and_save(model_path, release, &recipe, &files, options, err));
    if (statement != NULL) {
        *statement = words;
        words = NULL;
    }
done:
    sbl_free(words);
    sbl_release_free(release);
    clear_files(&files);
    sbl_recipe_clear(&recipe);
    return status;
}

sbl_status sbl_synth_fit(char **statement, const char *input, const char *schema_path,
                         const char *model_path, const sbl_synth_options *options, sbl_error *err)
{
    return fit_model(statement, input, schema_path, model_path, model_path, options, err);
}

/* A certificate goes into a model only when it holds and is that of this very release: the last
 * that it lists. */
static sbl_status read_certificate(uint8_t **certificate, const char *path,
                                   const sbl_release *release, sbl_error *err)
{
    size_t size;
    json_t *root = NULL;
    json_t *mechanisms;
    const char *rid;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_file_read(certificate, &size, path, CERTIFICATE_LIMIT, err));
    SBL_TRY(sbl_certificate_check(NULL, (const char *)*certificate, size, NULL, path, err));
    SBL_TRY(sbl_json_parse(&root, (const char *)*certificate, size, path, err));
    SBL_TRY(sbl_json_get_array(&mechanisms, root, "mechanisms", path, err));
    const json_t *last = json_array_get(mechanisms, json_array_size(mechanisms) - 1);
    SBL_TRY(sbl_json_get_string(&rid, last, "rid", path, err));
    if (strcmp(rid, release->rid) != 0)
        status = sbl_fail(err, SBL_EINPUT, "%s is the certificate of another release", path);
done:
    json_decref(root);
    return status;
}

sbl_status sbl_synth_train(const char *release_path, const char *model_path,
                           const sbl_synth_options *options, sbl_error *err)
{
    sbl_recipe recipe = {0};
    sbl_release *release = NULL;
    uint8_t *certificate = NULL;
    const sbl_named_path paths[] = {{"the release", release_path, false},
                                    {"the certificate", options->certificate_path, false},
                                    {"the model", model_path, true}};
    sbl_status status = sbl_run_check_options(options, err);
    if (status != SBL_OK) return status;
    SBL_TRY(sbl_check_targets(paths, 3, err));
    SBL_TRY(sbl_file_check_target(model_path, options->overwrite, err));
    SBL_TRY(sbl_release_load(&release, release_path, err));
    if (options->certificate_path != NULL)
        SBL_TRY(read_certificate(&certificate, options->certificate_path, release, err));
    if (sbl_image_plan_is(release->plan)) {
        status = sbl_image_model_make(model_path, release, release_path, (const char *)certificate,
                                      options, err);
        goto done;
    }
    SBL_TRY(sbl_recipe_parse(&recipe, release->plan, release_path, err));
    SBL_TRY(sbl_model_make(model_path, release, &recipe, (const char *)certificate, options, err));
done:
    sbl_free(certificate);
    sbl_release_free(release);
    sbl_recipe_clear(&recipe);
    return status;
}

sbl_status sbl_synth_run(char **statement, const char *input, const char *schema_path,
                         const char *output, uint64_t rows, const char *model_path,
                         const sbl_synth_options *options, sbl_error *err)
{
    sbl_text passing = {0};
    char *words = NULL;
    sbl_status status = sbl_run_check_options(options, err);
    if (statement != NULL) *statement = NULL;
    if (status != SBL_OK) return status;
    if (strcmp(output, "-") != 0) SBL_TRY(sbl_file_check_target(output, options->overwrite, err));
    if (model_path == NULL) {
        const bool to_stdout = strcmp(output, "-") == 0;
        if (to_stdout && options->release_path == NULL) {
            status = sbl_fail(err, SBL_EARG,
                              "with standard output as the table, name the release "
                              "and the certificate");
            goto done;
        }
        sbl_text_printf(&passing, "%s.model.tmp", to_stdout ? options->release_path : output);
        if (passing.failed) {
            status = sbl_fail(err, SBL_EMEM, "out of memory for a file name");
            goto done;
        }
        SBL_TRY(sbl_run_check_passing_model(passing.data, options->overwrite, err));
    }
    const char *model = model_path != NULL ? model_path : passing.data;
    SBL_TRY(fit_model(&words, input, schema_path, model, output, options, err));
    status =
        sbl_run_keeps_model(sbl_synth_sample(model, output, rows, NULL, options, err), model, err);
    if (status == SBL_OK && model_path == NULL) (void)unlink(model);
    if (status == SBL_OK && statement != NULL) {
        *statement = words;
        words = NULL;
    }
done:
    sbl_free(words);
    sbl_text_clear(&passing);
    return status;
}
