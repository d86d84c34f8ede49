/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluations (include/semblance/evaluate.h): NOT PRIVATE. No ledger is opened here. */
#include "semblance/evaluate.h"

#include <string.h>

#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/json.h"
#include "base/text.h"
#include "owner/evaluate/evaluation_text.h"
#include "owner/evaluate/image_evaluate.h"
#include "owner/evaluate/linked_evaluate.h"
#include "owner/evaluate/pictures.h"
#include "owner/evaluate/table_study.h"
#include "owner/learners/learner.h"
#include "public/schema/spikes.h"
#include "records/source/data_handle.h"
#include "run/api/api_call.h"

/* A caller's options as ours, and in range. */
static sbl_status take_options(sbl_evaluate_options *options, const sbl_evaluate_options *theirs,
                               sbl_error *err)
{
    *options = (sbl_evaluate_options){.struct_size = sizeof *options};
    const sbl_status status = sbl_struct_take(options, sizeof *options, theirs, "options", err);
    if (status != SBL_OK) return status;
    if (options->threads > 1024) return sbl_fail(err, SBL_EARG, "threads must be at most 1024");
    if (options->sets > SBL_EVALUATE_MAX_SETS)
        return sbl_fail(err, SBL_EARG, "sets must be at most %d", SBL_EVALUATE_MAX_SETS);
    return SBL_OK;
}

/* ---- tables ---- */

/* Within bounds measures compare numbers, however they were fitted: a schema without spikes. */
static sbl_status schema_of_measures(sbl_schema **own, const sbl_schema *schema, sbl_error *err)
{
    const sbl_status status = sbl_schema_copy(own, schema, err);
    if (status == SBL_OK) sbl_spikes_forget(*own);
    for (size_t t = 0; status == SBL_OK && t < (*own)->table_count; t++)
        sbl_spikes_forget((*own)->tables[t].schema);
    return status;
}

/* One that was not given has no name. */
static sbl_status link_input(sbl_linked_input *input, const sbl_data *data, const sbl_schema *schema,
                             sbl_error *err)
{
    *input = (sbl_linked_input){0};
    if (data == NULL) return SBL_OK;
    for (size_t t = 0; t < schema->table_count; t++) {
        const sbl_data *one;
        SBL_CHECK(sbl_data_linked(&one, data, schema->tables[t].name, err));
        SBL_CHECK(sbl_data_table(&input->tables[t], one, err));
    }
    input->name = data->name;
    return SBL_OK;
}

/* Models and rules are of single tables: there they are seen. */
static sbl_status evaluate_linked(json_t **document, sbl_data *const sets[3], const sbl_schema *schema,
                                  const sbl_evaluate_options *options, sbl_error *err)
{
    sbl_evaluate_request request = {.sets = (size_t)options->sets,
                                    .seed = options->seed,
                                    .threads = options->threads,
                                    .progress = options->progress,
                                    .context = options->context};
    sbl_linked_input inputs[3];
    sbl_schema *own = NULL;
    sbl_status status = SBL_OK;
    if (options->models != NULL && strcmp(options->models, "none") != 0)
        SBL_FAIL(err, SBL_EARG,
                 "models learn from one table: compare a table by itself, or ask for no models");
    for (size_t i = 0; i < 3; i++) SBL_TRY(link_input(&inputs[i], sets[i], schema, err));
    SBL_TRY(schema_of_measures(&own, schema, err));
    request.schema = own;
    SBL_TRY(sbl_evaluate_linked(document, &request, &inputs[0], &inputs[1], &inputs[2], err));
done:
    sbl_schema_free(own);
    return status;
}

static sbl_status evaluate_tables(json_t **document, sbl_data *const sets[3], const sbl_schema *schema,
                                  const sbl_evaluate_options *options, sbl_error *err)
{
    const sbl_table_options reading = {.extra_column = options->notice, .context = options->context};
    sbl_evaluate_request request = {
        .schema_name = options->schema_name != NULL ? options->schema_name : "the schema",
        .models = options->models,
        .sets = (size_t)options->sets,
        .seed = options->seed,
        .threads = options->threads,
        .table_options = &reading,
        .progress = options->progress,
        .context = options->context};
    sbl_schema *own = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(schema);
    if (schema->table_count != 0) return evaluate_linked(document, sets, schema, options, err);
    SBL_TRY(sbl_data_keep(sets[1], err)); /* is read twice */
    SBL_TRY(sbl_data_table(&request.real, sets[0], err));
    SBL_TRY(sbl_data_table(&request.synthetic, sets[1], err));
    if (sets[2] != NULL) SBL_TRY(sbl_data_table(&request.train, sets[2], err));
    SBL_TRY(schema_of_measures(&own, schema, err));
    request.schema = own;
    SBL_TRY(sbl_evaluate_study(document, &request, err));
done:
    sbl_schema_free(own);
    return status;
}

/* ---- images ---- */

/* NULL: there is none. */
static sbl_status place_images(sbl_image_place *place, const sbl_data *data, sbl_error *err)
{
    *place = (sbl_image_place){0};
    if (data == NULL) return SBL_OK;
    if (data->kind != SBL_DATA_IMAGES)
        return sbl_fail(err, SBL_EARG, "%s holds a table, not images", data->name);
    *place = data->images;
    return SBL_OK;
}

static sbl_status evaluate_images(json_t **document, sbl_data *const sets[3], const sbl_schema *schema,
                                  const sbl_evaluate_options *options, sbl_error *err)
{
    sbl_image_request request = {.models = options->models,
                                 .encoder_path = options->encoder_path,
                                 .seed = options->seed,
                                 .threads = options->threads,
                                 .progress = options->progress,
                                 .context = options->context};
    if (schema != NULL)
        return sbl_fail(err, SBL_EARG, "images have no schema: compare %s without one", sets[0]->name);
    SBL_CHECK(place_images(&request.real, sets[0], err));
    SBL_CHECK(place_images(&request.synthetic, sets[1], err));
    SBL_CHECK(place_images(&request.train, sets[2], err));
    return sbl_evaluate_image_files(document, &request, err);
}

/* ---- either ---- */

/* Canonical JSON and a line end. */
static char *json_line(const json_t *document)
{
    char *text = sbl_json_canonical(document);
    sbl_text line = {.failed = text == NULL};
    if (text != NULL) sbl_text_append_plain(&line, text);
    sbl_text_append(&line, "\n", 1);
    sbl_free(text);
    if (line.failed) sbl_text_clear(&line);
    return line.data;
}

/* A member of the document, for readers of the JSON. */
static sbl_status add_verdict(json_t *document, sbl_error *err)
{
    char *verdict = sbl_evaluation_verdict(document);
    const bool added = verdict != NULL && json_object_set_new(document, "verdict", json_string(verdict)) == 0;
    sbl_free(verdict);
    return added ? SBL_OK : sbl_no_memory(err, "an evaluation");
}

/* The document as it is wanted. */
static sbl_status hand_over(char **json, char **text, const json_t *document, sbl_error *err)
{
    char *line = json != NULL ? json_line(document) : NULL;
    char *words = text != NULL ? sbl_evaluation_text(document) : NULL;
    if ((json != NULL && line == NULL) || (text != NULL && words == NULL)) {
        sbl_free(line);
        sbl_free(words);
        return sbl_no_memory(err, "an evaluation");
    }
    if (json != NULL) *json = line;
    if (text != NULL) *text = words;
    return SBL_OK;
}

/* One handle may be given twice: a table beside itself. */
static sbl_status use_all(sbl_mark *used[3], sbl_data *const sets[3], sbl_error *err)
{
    for (size_t i = 0; i < 3; i++) {
        const bool again = i > 0 && (sets[i] == sets[0] || (i > 1 && sets[i] == sets[1]));
        if (sets[i] != NULL && !again) SBL_CHECK(sbl_data_use(&used[i], sets[i], err));
    }
    return SBL_OK;
}

sbl_status sbl_evaluate(char **json, char **text, sbl_data *real, sbl_data *synthetic, sbl_data *train,
                        const sbl_schema *schema, const sbl_evaluate_options *options, sbl_error *err)
{
    sbl_data *const sets[] = {real, synthetic, train};
    sbl_evaluate_options ours;
    json_t *document = NULL;
    sbl_mark *used[3] = {NULL};
    int threads = 0;
    sbl_status status = SBL_OK;
    if (json != NULL) *json = NULL;
    if (text != NULL) *text = NULL;
    SBL_NEED(real);
    SBL_NEED(synthetic);
    SBL_TRY(take_options(&ours, options, err));
    SBL_TRY(use_all(used, sets, err));
    threads = sbl_threads_borrow(ours.threads);
    SBL_TRY(real->kind == SBL_DATA_IMAGES ? evaluate_images(&document, sets, schema, &ours, err)
                                          : evaluate_tables(&document, sets, schema, &ours, err));
    SBL_TRY(add_verdict(document, err));
    SBL_TRY(hand_over(json, text, document, err));
done:
    sbl_threads_restore(threads);
    for (size_t i = 0; i < 3; i++) sbl_use_end(used[i]);
    json_decref(document);
    return status;
}

sbl_status sbl_data_histograms(char **json, sbl_data *data, const sbl_schema *schema, sbl_error *err)
{
    const sbl_table *table;
    sbl_schema *own = NULL;
    json_t *found = NULL;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (json != NULL) *json = NULL;
    SBL_NEED(json);
    SBL_NEED(data);
    SBL_NEED(schema);
    if (schema->table_count != 0)
        SBL_FAIL(err, SBL_EARG, "histograms are of one table: give the schema of one");
    SBL_TRY(sbl_data_use(&used, data, err));
    SBL_TRY(sbl_data_table(&table, data, err));
    SBL_TRY(sbl_schema_copy(&own, schema, err));
    SBL_TRY(sbl_data_apply_written(&own, data, err));
    SBL_TRY(sbl_table_histograms(&found, table, own, err));
    *json = json_line(found);
    if (*json == NULL) status = sbl_no_memory(err, "histograms");
done:
    json_decref(found);
    sbl_schema_free(own);
    sbl_use_end(used);
    return status;
}

/* The list of learners has those of one library together. */
sbl_status sbl_evaluate_describe_build(char **text, sbl_error *err)
{
    size_t count;
    const char *last = NULL;
    sbl_text words = {0};
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    const sbl_learner *learners = sbl_learners(&count);
    for (size_t i = 0; i < count; i++) {
        const char *needs = learners[i].needs, *missing = learners[i].missing();
        if (needs != NULL && needs != last)
            sbl_text_printf(&words, "%s\t%s\n", needs, missing != NULL ? missing : "there");
        last = needs;
    }
    SBL_TRY(sbl_text_check(&words, "the libraries of models", err));
    *text = words.data;
    words = (sbl_text){0};
done:
    sbl_text_clear(&words);
    return status;
}
