/* SPDX-License-Identifier: Apache-2.0 */
/* From noisy tables to a model and back from its file: made-up persons whose histories are known. */
#include "support/cmocka_all.h"

#include <math.h>
#include <string.h>

#include "after/histories/history_sampler.h"
#include "after/histories/history_selection.h"
#include "base/random/model_rng.h"
#include "base/store/store.h"
#include "public/schema/schema_type.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"

ALL_TESTS(make_folder, remove_folder)

#define PERSONS 3000
#define MOST 6

/* Sex decides how many events there are; a ward is kept with probability 9/10. */
static const char schema_text[] = JSON({"fields":[{"name":"id"},{"name":"sex","type":"string",
    "constraints":{"enum":["f","m"],"required":true},"semblance":{"per":"unit"}},
    {"name":"ward","type":"string","constraints":{"enum":["a","b","c"],"required":true}}],
    "semblance":{"unit":"id","max_rows_per_unit":6}});

typedef struct world {
    sbl_schema *schema;
    sbl_heads heads;
    sbl_history_tree tree;
    sbl_history_selection *selection;
} world;

/* The true sums of a plan's tables over made-up persons, weighted as records are. */
static void sum_tables(const world *w, const sbl_pairs_plan *plan, const sbl_pairs_map *codes,
                       double **values)
{
    const sbl_history_shape *s = &w->tree.links[0];
    const sbl_walk_rows each = {0};
    uint32_t counts[16];
    uint16_t rows[MOST * 16];
    sbl_history_past past;
    CLEARED(sbl_pool_clear) sbl_pool pool = {0};
    sbl_model_rng rng;
    for (size_t b = 0; b < s->base_count; b++)
        counts[b] = codes[b].of == NULL ? s->columns[b].cells : codes[b].cells;
    assert_ok(sbl_history_past_init(&past, &pool, s, counts, NULL));
    sbl_model_rng_init(&rng, 11, SBL_RNG_OTHER, 0);
    for (size_t p = 0; p < PERSONS; p++) {
        const size_t sex = sbl_model_rng_below(&rng, 2);
        const size_t m = sex == 0 ? 2 : 3 + sbl_model_rng_below(&rng, 4);
        size_t ward = sbl_model_rng_below(&rng, 3);
        memset(rows, 0, sizeof rows);
        for (size_t r = 0; r < m; r++) {
            const size_t cells[] = {sex, sbl_history_count_cell(s, m), ward};
            for (size_t b = 0; b < s->base_count; b++)
                rows[r * s->side_count + b] =
                    (uint16_t)(codes[b].of == NULL ? cells[b] : codes[b].of[cells[b]]);
            sbl_history_look_back(&past, rows + r * s->side_count, NULL, r, m);
            if (sbl_model_rng_uniform(&rng) < 0.1) ward = sbl_model_rng_below(&rng, 3);
        }
        sbl_history_forget(&past, rows, m);
        for (size_t t = 0; t < plan->table_count; t++) {
            const sbl_pairs_map *a = &plan->maps[plan->tables[t].first];
            const bool one = plan->tables[t].second == SBL_PAIRS_NO_MAP;
            const sbl_pairs_map *b = one ? NULL : &plan->maps[plan->tables[t].second];
            const sbl_history_sort sort =
                sbl_history_sort_of(s, a->column, one ? SBL_HISTORY_NONE : b->column);
            for (size_t r = sort == SBL_OF_STEPS; r < (sort == SBL_OF_PERSONS ? 1 : m); r++) {
                const uint16_t *row = rows + r * s->side_count;
                size_t entry = a->of[row[a->column]];
                if (!one) entry = entry * b->cells + b->of[row[b->column]];
                values[t][entry] += sbl_walk_weight(&each, 0, m, r, sort);
            }
        }
    }
}

static void take(world *w)
{
    const sbl_pairs_plan *plan = sbl_history_selection_plan(w->selection);
    const sbl_pairs_map *codes = sbl_history_selection_codes(w->selection);
    double **values = test_calloc(plan->table_count, sizeof *values);
    double *noise = test_calloc(plan->table_count, sizeof *noise);
    for (size_t t = 0; t < plan->table_count; t++) {
        values[t] = test_calloc(sbl_pairs_table_entries(plan, t), sizeof **values);
        noise[t] = 2.0;
    }
    const size_t tables = plan->table_count;
    sum_tables(w, plan, codes, values);
    assert_ok(
        sbl_history_selection_take(w->selection, plan, codes, (const double *const *)values, noise, NULL));
    for (size_t t = 0; t < tables; t++) test_free(values[t]);
    test_free(values);
    test_free(noise);
}

static void begin(world *w)
{
    const sbl_history_setting setting = {.persons = PERSONS, .mu = 1.0, .sensitivity2 = 1.0, .seed = 3};
    *w = (world){0};
    assert_ok(sbl_schema_parse(&w->schema, schema_text, strlen(schema_text), "test", NULL));
    assert_ok(sbl_heads_init(&w->heads, w->schema, NULL));
    assert_ok(sbl_history_tree_init(&w->tree, w->schema, &w->heads, 24, 128, 8, true, NULL));
    assert_ok(sbl_history_selection_new(&w->selection, &w->tree, &setting, NULL));
    take(w);
    take(w);
    assert_null(sbl_history_selection_plan(w->selection));
}

static void end(world *w)
{
    sbl_history_selection_free(w->selection);
    sbl_history_tree_clear(&w->tree);
    sbl_heads_clear(&w->heads);
    sbl_schema_free(w->schema);
}

/* Of a pass: persons of sex f with other than two events, and wards that are kept. */
static void check_pass(const world *w, const sbl_history_pass *pass)
{
    const sbl_history_part *part = &pass->links[0];
    size_t wrong = 0, kept = 0, steps = 0, males = 0;
    for (size_t p = 0; p < pass->persons; p++) {
        const size_t m = part->starts[p + 1] - part->starts[p];
        const uint16_t sex = pass->person_cells[p * w->tree.person_count];
        males += sex;
        wrong += (m == 2) != (sex == 0);
        for (size_t r = 1; r < m; r++, steps++)
            kept += part->event_cells[part->starts[p] + r] == part->event_cells[part->starts[p] + r - 1];
    }
    assert_true(labs((long)(2 * males) - (long)pass->persons) < (long)pass->persons / 20);
    assert_true(wrong < pass->persons / 40);
    assert_true(kept > steps * 88 / 100 && kept < steps * 97 / 100); /* 14 of 15 */
}

TEST(what_persons_are_like_and_how_events_follow_each_other_is_fitted)
{
    CLEARED(end) world w;
    CLEARED(sbl_history_model_clear) sbl_history_model model;
    begin(&w);
    assert_true(fabs(sbl_history_selection_persons(w.selection) - PERSONS) < 1.0);
    assert_ok(sbl_history_selection_fit(w.selection, &model, NULL, NULL));
    assert_int_equal(model.persons, PERSONS);
    for (uint64_t number = 0; number < 3; number++) {
        sbl_history_pass pass, again;
        assert_ok(sbl_history_pass_draw(&pass, &model, &w.tree, 5, number, NULL));
        assert_ok(sbl_history_pass_draw(&again, &model, &w.tree, 5, number, NULL));
        check_pass(&w, &pass);
        const size_t events = pass.links[0].starts[pass.persons];
        assert_memory_equal(pass.links[0].event_cells, again.links[0].event_cells, events * sizeof(uint16_t));
        sbl_history_pass_clear(&pass);
        sbl_history_pass_clear(&again);
    }
}

static void save(const sbl_history_model *model, char path[320])
{
    (void)snprintf(path, 320, "%s/model", folder);
    assert_ok(sbl_history_model_save(model, sbl_file_item(path), NULL, true, NULL));
}

TEST(a_model_comes_back_from_its_file)
{
    CLEARED(end) world w;
    sbl_history_model model, read;
    sbl_safetensors file;
    sbl_history_pass pass, again;
    char path[320];
    begin(&w);
    assert_ok(sbl_history_selection_fit(w.selection, &model, NULL, NULL));
    save(&model, path);
    assert_ok(sbl_safetensors_load(&file, sbl_file_item(path), NULL));
    assert_ok(sbl_history_model_read(&read, &w.tree, &file, path, NULL));
    for (uint64_t number = 0; number < 2; number++) {
        assert_ok(sbl_history_pass_draw(&pass, &model, &w.tree, 9, number, NULL));
        assert_ok(sbl_history_pass_draw(&again, &read, &w.tree, 9, number, NULL));
        assert_memory_equal(pass.links[0].starts, again.links[0].starts, (pass.persons + 1) * sizeof(size_t));
        assert_memory_equal(pass.links[0].event_cells, again.links[0].event_cells,
                            pass.links[0].starts[pass.persons] * sizeof(uint16_t));
        sbl_history_pass_clear(&pass);
        sbl_history_pass_clear(&again);
    }
    sbl_history_model_clear(&read);
    sbl_safetensors_clear(&file);
    sbl_history_model_clear(&model);
}

/* One number of the model at a time, changed to what cannot be. */
TEST(an_impossible_model_is_refused_by_the_tensor_s_name)
{
    CLEARED(end) world w;
    sbl_history_model model, read;
    sbl_safetensors file;
    char path[320];
    begin(&w);
    assert_ok(sbl_history_selection_fit(w.selection, &model, NULL, NULL));
    const struct {
        void *at;
        size_t size;
        uint32_t value;
        const char *name;
    } cases[] = {{&model.codes[0], 4, 0, "codes"},
                 {&model.code_of[0], 4, 9, "share"},
                 {&model.share[0], 4, 0xffffffff, "share"},
                 {&model.tables[0][0], 4, 77, "tables"},
                 {&model.links[0].field.theta[0], 4, 0x7f800000, "event_theta"},
                 {&model.field.bias[0], 4, 0x7fc00000, "person_bias"},
                 {&model.person_rows[0], 2, 7, "persons"},
                 {&model.links[0].rows[0], 2, 7, "events"},
                 {&model.links[0].counts[0], 4, 0, "counts"},
                 {&model.links[0].counts[0], 4, MOST + 1, "counts"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t was = 0;
        sbl_error err = {0};
        memcpy(&was, cases[i].at, cases[i].size);
        memcpy(cases[i].at, &cases[i].value, cases[i].size);
        save(&model, path);
        memcpy(cases[i].at, &was, cases[i].size);
        assert_ok(sbl_safetensors_load(&file, sbl_file_item(path), NULL));
        assert_int_equal(sbl_history_model_read(&read, &w.tree, &file, path, &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, cases[i].name));
        sbl_safetensors_clear(&file);
    }
    sbl_history_model_clear(&model);
}

TEST(lack_of_memory_for_a_fit_leaves_nothing)
{
    CLEARED(end) world w;
    begin(&w);
    for (long n = 0; sbl_test_fail_next(&n);) {
        sbl_history_model model;
        sbl_test_no_memory(sbl_history_selection_fit(w.selection, &model, NULL, NULL));
        sbl_history_model_clear(&model);
        if (n > 60) n += 40; /* sweeps repeat themselves */
    }
}
