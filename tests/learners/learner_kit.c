/* SPDX-License-Identifier: Apache-2.0 */
#include "learners/learner_kit.h"

#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

json_t *kit_vectors(void)
{
    json_error_t trouble;
    json_t *vectors = json_load_file(SBL_TEST_SOURCE_DIR "/learners/utility_vectors.json", 0, &trouble);
    if (vectors == NULL) fail_msg("utility_vectors.json: %s", trouble.text);
    return vectors;
}

static size_t flatten(double *out, const json_t *value)
{
    size_t count = 0;
    if (json_is_number(value)) {
        if (out != NULL) *out = json_number_value(value);
        return 1;
    }
    for (size_t i = 0; i < json_array_size(value); i++)
        count += flatten(out != NULL ? out + count : NULL, json_array_get(value, i));
    return count;
}

double *kit_doubles(const json_t *object, const char *name, size_t *count)
{
    const json_t *member = json_object_get(object, name);
    assert_non_null(member);
    *count = flatten(NULL, member);
    double *out = calloc(*count + 1, sizeof *out);
    assert_non_null(out);
    (void)flatten(out, member);
    return out;
}

static uint32_t *as_codes(const double *values, size_t count)
{
    uint32_t *codes = calloc(count + 1, sizeof *codes);
    assert_non_null(codes);
    for (size_t i = 0; i < count; i++) codes[i] = (uint32_t)values[i];
    return codes;
}

static uint32_t *codes_of(const json_t *object, const char *name, size_t *count)
{
    double *values = kit_doubles(object, name, count);
    uint32_t *codes = as_codes(values, *count);
    free(values);
    return codes;
}

sbl_samples kit_samples(const json_t *learners, const char *part, const char *label)
{
    const json_t *object = json_object_get(learners, part);
    sbl_samples samples = {0};
    size_t count;
    double *numbers = kit_doubles(object, "numbers", &count);
    samples.rows = json_array_size(json_object_get(object, "numbers"));
    samples.number_count = count / samples.rows;
    samples.numbers = calloc(count, sizeof *samples.numbers);
    for (size_t i = 0; i < count; i++) samples.numbers[i] = (float)(numbers[i] / 1024);
    free(numbers);
    samples.codes = codes_of(object, "codes", &count);
    samples.category_count = count / samples.rows;
    samples.cardinality = codes_of(learners, "cardinality", &count);
    if (strcmp(label, "target") == 0) {
        samples.targets = kit_doubles(object, label, &count);
    } else {
        samples.labels = codes_of(object, label, &count);
        samples.class_count = strcmp(label, "binary") == 0 ? 2 : 3;
    }
    return samples;
}

void kit_samples_free(sbl_samples *samples)
{
    free(samples->numbers);
    free(samples->codes);
    free((uint32_t *)samples->cardinality);
    free(samples->labels);
    free(samples->targets);
}

const sbl_learner *kit_learner(const char *key)
{
    size_t count;
    const sbl_learner *learners = sbl_learners(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(learners[i].key, key) == 0) return &learners[i];
    fail_msg("no learner %s", key);
    return NULL;
}
