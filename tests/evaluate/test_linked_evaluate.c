/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables compared: accounts, their clients and the clients' cards, made so that each distance is known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "owner/evaluate/evaluation_text.h"
#include "owner/evaluate/linked_evaluate.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/temp_folder.h"

static const char package[] = JSON({"resources":[{"name":"accounts","path":"a.csv",
    "schema":{"primaryKey":"id","fields":[{"name":"id",
    "type":"string"},{"name":"region","type":"string","constraints":{"enum":["n","s"],"required":true}}]}},
    {"name":"clients","path":"c.csv","schema":{"primaryKey":"client","foreignKeys":[{"fields":"account",
    "reference":{"resource":"accounts","fields":"id"}}],"fields":[{"name":"client","type":"string"},
    {"name":"account","type":"string"},
    {"name":"sex","type":"string","constraints":{"enum":["f","m"],"required":true}},
    {"name":"born","type":"integer","constraints":{"minimum":0,"maximum":9,"required":true}}],
    "semblance":{"max_rows_per_unit":4}}},{"name":"cards","path":"k.csv",
    "schema":{"foreignKeys":[{"fields":"client","reference":{"resource":"clients","fields":"client"}}],
    "fields":[{"name":"client","type":"string"},
    {"name":"kind","type":"string","constraints":{"enum":["gold","grey"],"required":true}}],
    "semblance":{"max_rows_per_unit":4}}}]});

enum { ACCOUNTS = 200, TABLES = 3 };

/* How a set is made; 0 is the real one. */
typedef struct shape {
    const char *name;
    bool bunched;  /* two clients on every second account, not one on each */
    bool swapped;  /* sexes do not follow the region */
    bool orphaned; /* every tenth client hangs on nothing, every twentieth has the key before */
    bool no_cards;
} shape;

typedef struct kit {
    char folder[256];
    sbl_schema *schema;
    sbl_table tables[3][TABLES];
    sbl_linked_input inputs[3];
    sbl_evaluate_request request;
    sbl_error err;
} kit;

static FILE *create(kit *k, size_t set, size_t table, const shape *s, const char *head)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s-%zu.csv", s->name, table);
    char *path = strdup(in_folder(k->folder, name));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file, "%s\n", head);
    k->tables[set][table] = sbl_csv_table(path);
    k->inputs[set].tables[table] = &k->tables[set][table];
    k->inputs[set].name = s->name;
    return file;
}

/* Client c hangs on account c; bunched, on the even one below. Region and sex are the same. */
static void make(kit *k, size_t set, const shape *s)
{
    FILE *accounts = create(k, set, 0, s, "id,region");
    FILE *clients = create(k, set, 1, s, "client,account,sex,born");
    FILE *cards = create(k, set, 2, s, "client,kind");
    for (unsigned i = 0; i < ACCOUNTS; i++) {
        const unsigned on = s->bunched ? i / 2 * 2 : i;
        const bool north = on / 2 % 2 == 0;
        (void)fprintf(accounts, "A%u,%s\n", i, i / 2 % 2 == 0 ? "n" : "s");
        (void)fprintf(clients, "C%u,%s%u,%s,%u\n", s->orphaned && i % 20 == 19 ? i - 1 : i,
                      s->orphaned && i % 10 == 0 ? "X" : "A", on,
                      (s->swapped ? i % 2 == 0 : north) ? "f" : "m", i % 10);
        if (!s->no_cards && i % 2 == 0) (void)fprintf(cards, "C%u,%s\n", i, north ? "gold" : "grey");
    }
    (void)fclose(accounts);
    (void)fclose(clients);
    (void)fclose(cards);
}

static void begin(kit *k, const shape *synthetic, const shape *train)
{
    static const shape real = {.name = "real"};
    memset(k, 0, sizeof *k);
    temp_folder_make(k->folder);
    if (sbl_schema_parse(&k->schema, package, strlen(package), "p.json", &k->err) != SBL_OK)
        fail_msg("%s", k->err.message);
    k->request = (sbl_evaluate_request){.schema = k->schema, .threads = 1};
    make(k, 0, &real);
    make(k, 1, synthetic);
    if (train != NULL) make(k, 2, train);
}

static void end(kit *k)
{
    for (size_t s = 0; s < 3; s++)
        for (size_t t = 0; t < TABLES; t++) free((void *)(uintptr_t)k->tables[s][t].path);
    sbl_schema_free(k->schema);
    temp_folder_remove(k->folder);
}

static json_t *study(kit *k)
{
    json_t *document = NULL;
    if (sbl_evaluate_linked(&document, &k->request, &k->inputs[0], &k->inputs[1], &k->inputs[2], &k->err) !=
        SBL_OK)
        fail_msg("%s", k->err.message);
    return document;
}

static const json_t *table_of(const json_t *document, size_t t)
{
    return json_array_get(json_object_get(document, "tables"), t);
}

/* A distance of the synthetic tables; whose: "synthetic", "floor" or "ceiling". */
static double distance(const json_t *owner, const char *member, const char *whose)
{
    const json_t *value = json_object_get(json_object_get(owner, member), whose);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static double of_columns(const json_t *document, size_t t, size_t way)
{
    return distance(json_array_get(json_object_get(table_of(document, t), "marginals"), way - 1), "tvd",
                    "synthetic");
}

static long long key_count(const json_t *document, size_t t, const char *member)
{
    const json_t *keys = json_object_get(json_object_get(table_of(document, t), "keys"), "synthetic");
    assert_true(json_is_integer(json_object_get(keys, member)));
    return (long long)json_integer_value(json_object_get(keys, member));
}

static const json_t *child_of(const json_t *document, size_t t)
{
    return json_array_get(json_object_get(table_of(document, t), "children"), 0);
}

/* Are these words among the worst relations of parents and children? count: how many are named. */
static bool is_named(size_t *count, const json_t *document, const char *words)
{
    const json_t *list = json_object_get(json_object_get(document, "worst"), "parents");
    bool found = false;
    assert_true(json_is_array(list));
    *count = json_array_size(list);
    for (size_t i = 0; i < *count; i++)
        found =
            found || strcmp(json_string_value(json_object_get(json_array_get(list, i), "what")), words) == 0;
    return found;
}

TEST(a_set_beside_itself_is_at_no_distance)
{
    kit k;
    begin(&k, &(shape){.name = "same"}, NULL);
    json_t *document = study(&k);
    size_t named;
    assert_string_equal(json_string_value(json_object_get(document, "kind")), "linked");
    assert_int_equal(json_array_size(json_object_get(document, "tables")), TABLES);
    for (size_t t = 0; t < TABLES; t++) {
        assert_true(of_columns(document, t, 1) == 0.0);
        if (t == 0) continue;
        const json_t *events = json_object_get(table_of(document, t), "histories");
        assert_true(distance(events, "person_event", "synthetic") == 0.0);
        assert_true(distance(events, "person_event", "floor") > 0.1);
        assert_true(key_count(document, t, "orphans") == 0);
    }
    for (size_t t = 0; t < 2; t++) {
        assert_true(distance(child_of(document, t), "number", "synthetic") == 0.0);
        assert_true(distance(child_of(document, t), "number_columns", "synthetic") == 0.0);
        assert_true(key_count(document, t, "repeated") == 0);
    }
    assert_true(json_is_null(json_object_get(table_of(document, 0), "parent")));
    assert_false(is_named(&named, document, ""));
    assert_int_equal(named, 0);
    assert_string_equal(json_string_value(json_object_get(table_of(document, 2), "parent")), "clients");
    json_decref(document);
    end(&k);
}

TEST(rows_that_hang_elsewhere_are_seen_though_no_table_changed)
{
    CLEARED(end) kit k;
    begin(&k, &(shape){.name = "bunched", .bunched = true}, NULL);
    json_auto_t *document = study(&k);
    /* One client on each account, against none or two on half of them each. */
    assert_true(distance(child_of(document, 0), "number", "synthetic") == 1.0);
    for (size_t t = 0; t < TABLES; t++) assert_true(of_columns(document, t, 1) == 0.0);
    assert_true(of_columns(document, 1, 2) == 0.0);
    size_t named;
    assert_true(is_named(&named, document, "number of rows of clients per row of accounts"));
}

TEST(what_follows_the_parent_is_seen)
{
    CLEARED(end) kit k;
    begin(&k, &(shape){.name = "swapped", .swapped = true}, NULL);
    json_auto_t *document = study(&k);
    const json_t *events = json_object_get(table_of(document, 1), "histories");
    assert_true(of_columns(document, 1, 1) == 0.0);
    /* Half of the clients of a region have the other sex: of the pair (region, sex) a half moved, of
     * (region, born) nothing. */
    assert_true(distance(events, "person_event", "synthetic") == 0.25);
    size_t named;
    assert_true(is_named(&named, document, "accounts.region with clients.sex"));
    assert_false(is_named(&named, document, "accounts.region with clients.born"));
}

TEST(orphans_and_repeated_keys_are_counted)
{
    CLEARED(end) kit k;
    begin(&k, &(shape){.name = "orphaned", .orphaned = true}, &(shape){.name = "fitted"});
    json_auto_t *document = study(&k);
    assert_int_equal(key_count(document, 1, "rows"), ACCOUNTS);
    assert_int_equal(key_count(document, 1, "orphans"), ACCOUNTS / 10);
    assert_int_equal(key_count(document, 1, "repeated"), ACCOUNTS / 20);
    assert_int_equal(key_count(document, 0, "repeated"), 0);
    /* With a table that was fitted, the ceiling is that one. */
    assert_true(distance(child_of(document, 0), "number", "ceiling") == 0.0);
    assert_int_equal(json_integer_value(json_object_get(
                         json_object_get(json_object_get(document, "inputs"), "train"), "rows")),
                     ACCOUNTS);
}

TEST(tables_without_rows_have_no_distances)
{
    CLEARED(end) kit k;
    begin(&k, &(shape){.name = "bare", .no_cards = true}, NULL);
    json_auto_t *document = study(&k);
    assert_true(json_is_null(json_object_get(table_of(document, 2), "histories")));
    assert_true(distance(child_of(document, 1), "number", "synthetic") == 0.5);
}

TEST(units_are_shown_with_what_hangs_on_them)
{
    CLEARED(end) kit k;
    begin(&k, &(shape){.name = "same"}, NULL);
    json_auto_t *document = study(&k);
    char *shown = json_dumps(json_object_get(document, "units"), JSON_COMPACT);
    assert_non_null(strstr(shown,
                           "{\"cells\":[[\"region\",\"n\"]],\"under\":[{\"table\":\"clients\",\"rows\":1,"
                           "\"shown\":[{\"cells\":[[\"sex\",\"f\"],[\"born\",\"0\"]],\"under\":[{\"table\":"
                           "\"cards\",\"rows\":1,\"shown\":[{\"cells\":[[\"kind\",\"gold\"]],\"under\":[]}]}"
                           "]}]}]}"));
    free(shown);
    char *text = sbl_evaluation_text(document);
    assert_memory_equal(text, "NOT PRIVATE", 11);
    assert_non_null(strstr(text, "Table cards, which refers to clients"));
    assert_non_null(strstr(text, "number, TVD, of clients"));
    sbl_free(text);
}

TEST(a_key_that_is_not_there_is_refused_by_name)
{
    CLEARED(end) kit k;
    json_t *document = NULL;
    begin(&k, &(shape){.name = "same"}, NULL);
    FILE *file = fopen(k.tables[1][1].path, "w");
    (void)fputs("client,sex,born\nC1,f,3\n", file);
    (void)fclose(file);
    assert_int_equal(
        sbl_evaluate_linked(&document, &k.request, &k.inputs[0], &k.inputs[1], &k.inputs[2], &k.err),
        SBL_EINPUT);
    assert_non_null(strstr(k.err.message, "account"));
    assert_null(document);
}

TEST(lack_of_memory_is_reported)
{
    CLEARED(end) kit k;
    json_auto_t *document = NULL;
    long n = 0;
    begin(&k, &(shape){.name = "same"}, &(shape){.name = "fitted"});
    while (sbl_test_fail_next(&n))
        if (sbl_test_no_memory(
                sbl_evaluate_linked(&document, &k.request, &k.inputs[0], &k.inputs[1], &k.inputs[2], &k.err)))
            assert_null(document);
    assert_true(n > 100);
}
