/* SPDX-License-Identifier: Apache-2.0 */
/* The API of data in memory, driven by any bytes: each byte is a call, the bytes after it say with what. Handles are made,
 * used in any order, used after failures, and freed; Arrow arrays come with lengths, counts and types that the bytes
 * choose. Whatever is called answers with a status and, where it fails, one line that has no path of ours in it;
 * everything that was made is given back. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "semblance/certificate.h"
#include "semblance/evaluate.h"
#include "semblance/report.h"
#include "semblance/synthesizer.h"
#include "support/arrow_kit.h"
#include "support/json_text.h"

#define CHECK(condition) \
    if (!(condition)) abort()
#define ROWS 12

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
    const uint8_t *at;
    size_t left;
} bytes;

static uint8_t next(bytes *b)
{
    if (b->left == 0) return 0;
    b->left--;
    return *b->at++;
}

/* What is alive. */
typedef struct world {
    sbl_schema *schema;
    sbl_data *data, *other, *images;
    uint8_t pixels[ROWS * 16];
    uint32_t labels[ROWS];
    sbl_synthesizer *synth;
    kit_cell cells[2][ROWS];
    kit_cell values[4];
    kit_column columns[2];
    kit_table table;
    sbl_error err;
} world;

static void answered(const world *w, sbl_status status)
{
    if (status == SBL_OK) return;
    CHECK(w->err.status == status && w->err.message[0] != '\0');
    CHECK(strchr(w->err.message, '\n') == NULL && strstr(w->err.message, "/dev/shm") == NULL &&
          strstr(w->err.message, "/proc/self") == NULL);
}

/* ---- tables ---- */

static int (*kit_next)(struct ArrowArrayStream *, struct ArrowArray *);
static const uint8_t *spoil; /* 4 bytes that say what is wrong with a batch; NULL: nothing */

/* Numbers that a reader must look at before it believes them. */
static int spoiled_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    const int result = kit_next(stream, out);
    if (spoil == NULL || out->release == NULL) return result;
    struct ArrowArray *child = out->children[spoil[1] % 2];
    const int64_t value = (int8_t)spoil[2];
    switch (spoil[0] % 8) {
    case 0:
        out->length = value;
        break;
    case 1:
        out->offset = value;
        break;
    case 2:
        out->null_count = value;
        break;
    case 3:
        child->length = value;
        break;
    case 4:
        child->null_count = value < 0 ? value : 0;
        break; /* counted nulls are there, or none */
    case 5:
        child->offset = value < 0 ? value : 0;
        break;
    default:
        break;
    }
    return result;
}

static int open_spoiled(void *table, struct ArrowArrayStream *stream)
{
    (void)kit_open(table, stream);
    kit_next = stream->get_next;
    stream->get_next = spoiled_next;
    return 0;
}

static void make_table(world *w, bytes *b)
{
    static const char *const formats[] = {"c", "C", "s",    "S",       "i",     "I",        "l",   "L",
                                          "e", "f", "g",    "b",       "u",     "U",        "vu",  "tdD",
                                          "n", "z", "tss:", "tsn:UTC", "d:9,2", "d:9,2,32", "tdm", "+l"};
    static const char *const texts[] = {
        "a", "b", "", "1.5", "a text of more than twelve bytes", "2020-02-29", "true", "\xff"};
    static const char *const names[] = {"x", "y", "z"};
    for (size_t c = 0; c < 2; c++) {
        for (size_t r = 0; r < ROWS; r++) {
            const uint8_t value = next(b);
            w->cells[c][r] = (kit_cell){value % 11 == 0, .whole = (int8_t)value, .number = value / 8.0 - 10,
                                        .text = texts[value % 8]};
        }
        for (size_t v = 0; v < 4; v++)
            w->values[v] = (kit_cell){.text = texts[v], .whole = (int64_t)v, .number = (double)v};
        const uint8_t codes = next(b);
        w->columns[c] = (kit_column){names[(c + (codes & 1)) % 3], .format = formats[next(b) % 22],
                                     .cells = w->cells[c],         .codes = codes % 5 == 0 ? "c" : NULL,
                                     .values = w->values,          .value_count = 4};
    }
    w->table = (kit_table){w->columns,           .column_count = 2,     .rows = ROWS,
                           .chunk = next(b) % 7, .offset = next(b) % 5, .batch_offset = next(b) % 3};
}

static void open_data(world *w, bytes *b)
{
    struct ArrowArrayStream stream;
    const uint8_t how = next(b);
    sbl_data_free(w->data);
    w->data = NULL;
    make_table(w, b);
    static uint8_t wrong[4];
    for (size_t i = 0; i < 4; i++) wrong[i] = next(b);
    spoil = how % 4 == 3 ? wrong : NULL;
    if (how % 2 == 0) {
        answered(w, kit_data_opened(&w->data, open_spoiled, &w->table, &w->err));
        return;
    }
    (void)open_spoiled(&w->table, &stream);
    answered(w, kit_data_once(&w->data, &stream, how % 8 < 4, &w->err));
}

static void append(world *w, bytes *b)
{
    static const int64_t wholes[ROWS] = {1, 2, 3, -4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const double numbers[ROWS] = {0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1e300};
    static const char *texts[ROWS] = {"a", "b", NULL, "", "a", "b", "c", "a", "a", "b", "b", "a"};
    const uint8_t type = (uint8_t)(next(b) % 18);
    const void *values = type == SBL_VALUES_TEXT     ? (const void *)texts
                         : type == SBL_VALUES_DOUBLE ? (const void *)numbers
                                                     : (const void *)wholes;
    const sbl_values columns[] = {{sizeof columns[0], "x", (sbl_values_type)type, values, NULL},
                                  {sizeof columns[0], "y", SBL_VALUES_TEXT, texts, NULL}};
    if (w->other == NULL) answered(w, sbl_data_new(&w->other, NULL, &w->err));
    const size_t count = next(b) % 3, rows = next(b) % ROWS;
    answered(w, sbl_data_append(w->other, columns, count, rows, &w->err));
}

/* ---- calls ---- */

static void describe(world *w, bytes *b)
{
    static const char *const schemas[] = {JSON({"fields":[{"name":"x","type":"number",
        "constraints":{"minimum":0,"maximum":9}},
        {"name":"y","type":"string","constraints":{"enum":["a","b"]}}]}),
        JSON({"fields":[{"name":"x","type":"date","constraints":{"minimum":"2000-01-01",
        "maximum":"2030-01-01"}},{"name":"y","type":"boolean"}]}),
               "{\"fields\":[{\"name\":\"y\",\"type\":\"integer\",\"constraints\":{\"enum\":[1,2,3]}}]}"};
    const char *json = schemas[next(b) % 3];
    const size_t cut = next(b) % 8 == 0 ? next(b) : 0;
    const size_t length = strlen(json);
    sbl_schema_free(w->schema);
    w->schema = NULL;
    answered(w, sbl_schema_from_json(&w->schema, json, cut < length ? length - cut : 0, NULL, &w->err));
}

static int stop_sometimes(void *context, const char *what, uint64_t step, uint64_t steps, double l)
{
    int *left = context;
    (void)what, (void)step, (void)steps, (void)l;
    return (*left)-- == 0;
}

static sbl_synth_options options_of(bytes *b, int *left)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = "marginals";
    options.epsilon = 1 + next(b);
    options.threads = 1;
    if (sbl_options_set(&options, "bins", "4", NULL) != SBL_OK) abort();
    *left = next(b);
    options.progress = stop_sometimes;
    options.context = left;
    return options;
}

static void draw(world *w, bytes *b)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    sbl_sample_options sample;
    sbl_sample_options_init(&sample);
    sample.rows = next(b);
    sample.threads = 1;
    const sbl_status status = kit_sample_stream(w->synth, &stream, &sample, &w->err);
    answered(w, status);
    CHECK((status == SBL_OK) == (stream.release != NULL));
    if (status != SBL_OK) return;
    if (next(b) % 2 == 0) {
        CHECK(stream.get_schema(&stream, &schema) == 0);
        schema.release(&schema);
        do {
            CHECK(stream.get_next(&stream, &batch) == 0);
            if (batch.release != NULL) batch.release(&batch);
        } while (batch.length != 0);
    }
    stream.release(&stream);
}

static void fit(world *w, bytes *b)
{
    int left;
    const sbl_synth_options options = options_of(b, &left);
    sbl_data *data = next(b) % 2 == 0 ? w->data : w->other;
    if (data == NULL) return;
    const sbl_schema *schema = w->schema;
    if (schema == NULL) return; /* to discover one takes long */
    answered(w, next(b) % 4 == 0 ? sbl_synthesizer_resume(w->synth, data, schema, &options, &w->err)
                                 : sbl_synthesizer_fit(w->synth, data, schema, &options, &w->err));
}

static void keep(world *w, bytes *b)
{
    uint8_t *model = NULL;
    size_t size = 0;
    answered(w, sbl_synthesizer_save(w->synth, &model, &size, NULL, false, &w->err));
    if (model == NULL) return;
    const uint8_t spoiled = next(b);
    if (spoiled != 0) model[size * spoiled / 256] ^= next(b);
    answered(w, sbl_synthesizer_load(w->synth, model, size, NULL, &w->err));
    sbl_free(model);
}

static void look(world *w, bytes *b)
{
    char *text = NULL, *notes = NULL;
    sbl_guarantee facts = {.struct_size = sizeof facts};
    sbl_synthesizer_facts model = {.struct_size = sizeof model};
    const char *certificate = sbl_synthesizer_text(w->synth, SBL_TEXT_CERTIFICATE);
    if (certificate != NULL)
        answered(w, sbl_certificate_read(&facts, NULL, certificate, strlen(certificate), &w->err));
    answered(w, sbl_synthesizer_get_facts(w->synth, &model, &w->err));
    if (w->data != NULL && next(b) % 2 == 0)
        answered(w, sbl_schema_inspect(&text, &notes, w->data, NULL, false, &w->err));
    else if (w->data != NULL && w->schema != NULL)
        answered(w, sbl_schema_check(&text, w->schema, w->data, &w->err));
    sbl_free(text);
    sbl_free(notes);
}

static void open_images(world *w, bytes *b)
{
    sbl_pixels images;
    sbl_pixels_init(&images);
    sbl_data_free(w->images);
    w->images = NULL;
    for (size_t i = 0; i < sizeof w->pixels; i++) w->pixels[i] = (uint8_t)(next(b) * (i + 1));
    for (size_t i = 0; i < ROWS; i++) w->labels[i] = next(b) % 5;
    images.pixels = w->pixels;
    images.labels = next(b) % 4 == 0 ? NULL : w->labels;
    images.count = next(b) % (ROWS + 1);
    images.height = next(b) % 5; /* 0 is refused; 16 bytes are enough for the others */
    images.width = next(b) % 5;
    images.classes = next(b) % 6;
    answered(w, sbl_data_from_pixels(&w->images, &images, next(b) % 2 == 0 ? NULL : "i", &w->err));
}

/* Anything with anything: kinds that do not go together are refused. */
static void compare(world *w, bytes *b)
{
    sbl_data *const all[] = {w->data, w->other, w->images, NULL};
    sbl_evaluate_options options;
    char *json = NULL, *page = NULL;
    sbl_data *real = all[next(b) % 4], *synthetic = all[next(b) % 4], *train = all[next(b) % 4];
    const uint8_t how = next(b);
    int left = next(b);
    sbl_evaluate_options_init(&options);
    options.models = "none";
    options.threads = 1;
    options.progress = stop_sometimes;
    options.context = &left;
    const sbl_schema *schema = how % 2 == 0 ? w->schema : NULL;
    sbl_status status = sbl_evaluate(&json, NULL, real, synthetic, train, schema, &options, &w->err);
    answered(w, status);
    CHECK((status == SBL_OK) == (json != NULL));
    const sbl_report_options as = {sizeof as, .evaluation = how % 8 == 0 ? NULL : json,
                                   .synth = how % 3 == 0 ? w->synth : NULL, .synthetic = synthetic,
                                   .schema = schema};
    status = sbl_report(&page, &as, &w->err);
    answered(w, status);
    CHECK((status == SBL_OK) == (page != NULL));
    CHECK(page == NULL || as.evaluation == NULL || strstr(page, "NOT PRIVATE") != NULL);
    sbl_free(json);
    sbl_free(page);
}

static void call(world *w, bytes *b)
{
    int left;
    switch (next(b) % 10) {
    case 0:
        describe(w, b);
        break;
    case 1:
        open_data(w, b);
        break;
    case 2:
        append(w, b);
        break;
    case 3:
        fit(w, b);
        break;
    case 4:
        draw(w, b);
        break;
    case 5:
        keep(w, b);
        break;
    case 6:
        look(w, b);
        break;
    case 7: {
        const sbl_synth_options options = options_of(b, &left);
        answered(w, sbl_synthesizer_train(w->synth, &options, &w->err));
        break;
    }
    case 8:
        open_images(w, b);
        break;
    default:
        compare(w, b);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size};
    world w = {0};
    CHECK(sbl_synthesizer_new(&w.synth, &w.err) == SBL_OK);
    for (int calls = 0; b.left > 0 && calls < 24; calls++) call(&w, &b);
    sbl_synthesizer_free(w.synth);
    sbl_data_free(w.data);
    sbl_data_free(w.other);
    sbl_data_free(w.images);
    sbl_schema_free(w.schema);
    CHECK(kit_alive == 0);
    return 0;
}
