/* SPDX-License-Identifier: Apache-2.0 */
/* Hierarchies over categories: what is read, refused and written back. */
#include "public/schema/hierarchy.h"

#include <string.h>

#include "base/alloc.h"
#include "public/schema/bins.h"
#include "support/cmocka_all.h"

FREES(sbl_schema_free);

#define CODES "\"I25.1\",\"I25.2\",\"I30\",\"O80\",\"é1\",\"é2\""
#define TABLE(options)                                                                      \
    "{\"fields\":[{\"name\":\"code\",\"type\":\"string\",\"constraints\":{\"enum\":[" CODES \
    "]},\"semblance\":{\"hierarchy\":" options                                              \
    "}},{\"name\":\"n\",\"type\":\"integer\",\"constraints\":{"                             \
    "\"minimum\":0,\"maximum\":3}}]}"
#define PARENTS                                                                                    \
    "{\"parents\":{\"I25.1\":\"I25\",\"I25.2\":\"I25\",\"I25\":\"I\",\"I30\":\"I\",\"O80\":\"O\"," \
    "\"é1\":\"e\",\"é2\":\"e\"}}"

static sbl_schema *parse(const char *text)
{
    sbl_schema *schema;
    sbl_error err = {0};
    assert_ok_or_say(sbl_schema_parse(&schema, text, strlen(text), "s.json", &err));
    return schema;
}

/* Are two categories in one group at a level? */
static bool together(const sbl_column *column, size_t level, size_t a, size_t b)
{
    const uint32_t *group = column->ancestors + level * column->categories.count;
    return group[a] == group[b];
}

TEST(prefixes_and_parents_group_categories)
{
    static const char *const tables[] = {TABLE("{\"prefix\":[1,3]}"), TABLE(PARENTS)};
    for (size_t t = 0; t < 2; t++) {
        FREED(sbl_schema_free) sbl_schema *schema = parse(tables[t]);
        const sbl_column *code = &schema->columns[0];
        assert_int_equal(code->levels, 2);
        assert_true(together(code, 0, 0, 1) && together(code, 0, 0, 2) && !together(code, 0, 0, 3));
        assert_true(together(code, 1, 0, 1) && !together(code, 1, 0, 2));
        assert_true(together(code, 0, 4, 5) && !together(code, 0, 3, 4)); /* characters, not bytes */
        for (size_t c = 0; c < 12; c++) assert_true(code->ancestors[c] < 6);
        char *json = sbl_schema_json(schema);
        FREED(sbl_schema_free) sbl_schema *again = parse(json);
        char *same = sbl_schema_json(again);
        assert_string_equal(json, same);
        assert_memory_equal(code->ancestors, again->columns[0].ancestors, 12 * sizeof *code->ancestors);
        sbl_free(json);
        sbl_free(same);
    }
}

TEST(bins_keep_the_hierarchy_after_the_schema)
{
    sbl_schema *schema = parse(TABLE("{\"prefix\":[1]}"));
    CLEARED(sbl_heads_clear) sbl_heads heads;
    CLEARED(sbl_bins_clear) sbl_bins bins;
    CLEARED(sbl_bins_clear) sbl_bins copy;
    assert_ok(sbl_heads_init(&heads, schema, NULL));
    assert_ok(sbl_bins_init(&bins, schema, &heads, 8, 8, NULL));
    sbl_schema_free(schema);
    assert_ok(sbl_bins_copy(&copy, &bins, NULL));
    assert_ptr_not_equal(copy.columns[0].ancestors, bins.columns[0].ancestors);
    assert_int_equal(copy.columns[0].levels, 1);
    assert_int_equal(copy.columns[0].ancestors[0], copy.columns[0].ancestors[2]);
    assert_int_equal(copy.columns[1].levels, 0);
}

static void refuse(const char *text, const char *because)
{
    sbl_schema *schema = NULL;
    sbl_error err = {0};
    assert_int_equal(sbl_schema_parse(&schema, text, strlen(text), "s.json", &err), SBL_EINPUT);
    assert_null(schema);
    if (strstr(err.message, because) == NULL) fail_msg("'%s' is not about '%s'", err.message, because);
}

TEST(bad_hierarchies_are_refused)
{
    refuse(TABLE("3"), "not an object");
    refuse(TABLE("{}"), "either 'prefix' or 'parents'");
    refuse(TABLE("{\"prefix\":[1],\"parents\":{}}"), "either 'prefix' or 'parents'");
    refuse(TABLE("{\"prefix\":[]}"), "list of 1 to 8");
    refuse(TABLE("{\"prefix\":[3,1]}"), "ascending");
    refuse(TABLE("{\"prefix\":[0]}"), "ascending");
    refuse(TABLE("{\"parents\":[1]}"), "neither an object of parents");
    refuse(TABLE("{\"parents\":\"parents.csv\"}"),
           "names a file, which is read only if the schema is a file");
    refuse(TABLE("{\"parents\":{\"I25.1\":\"I\",\"I25.2\":\"I\",\"I30\":\"I\",\"é1\":\"e\",\"é2\":\"e\"}}"),
           "has no parent for 'O80'");
    refuse(TABLE("{\"parents\":{\"I25.1\":\"I\",\"I25.2\":\"I\",\"I30\":\"I\",\"O80\":\"O\",\"é1\":\"e\","
                 "\"é2\":\"e\",\"I\":\"I25\",\"I25\":\"I\"}}"),
           "a circle or more than 8 levels above 'I25.1'");
    refuse(TABLE("{\"parents\":{\"I25.1\":\"I\",\"I25.2\":\"I\",\"I30\":\"I\",\"O80\":\"O\",\"é1\":\"e\","
                 "\"é2\":\"e\",\"Z\":\"I\"}}"),
           "'Z' in semblance.hierarchy.parents");
    refuse(
        "{\"fields\":[{\"name\":\"n\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":3},"
        "\"semblance\":{\"hierarchy\":{\"prefix\":[1]}}}]}",
        "for categories without an order");
}
