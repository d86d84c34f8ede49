/* SPDX-License-Identifier: Apache-2.0 */
/* Change every leaf of a valid certificate, one at a time, with the digest computed anew: each
 * change must be found without the ledger, and with it (which checks the same first: one case is
 * enough). There are no exceptions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "certificate/certificate_kit.h"
#include "support/cmocka_all.h"

static const certified *current;
static int also_with_ledger;
static size_t leaves;
static size_t changes;

/* The change must be refused in one line that names a field. */
static void expect_refused(const char *path, json_t *value)
{
    FREED(free) char *text = kit_change(current->text, path, value);
    for (int with_ledger = 0; with_ledger <= also_with_ledger; with_ledger++) {
        sbl_error err = {0};
        char *statement = (char *)1;
        const sbl_status status = sbl_certificate_check(
            &statement, text, strlen(text), with_ledger ? &current->ledger : NULL, "c.json", &err);
        if (status != SBL_EINPUT) fail_msg("a change of '%s' was not found: %s", path, text);
        assert_null(statement);
        assert_non_null(strstr(err.message, "c.json: field '"));
        assert_null(strchr(err.message, '\n'));
    }
    changes++;
}

/* Another text of the same kind: the last letter or digit moves on by one. */
static json_t *next_text(const char *text)
{
    char copy[4096];
    (void)snprintf(copy, sizeof copy, "%s", text);
    for (size_t i = strlen(copy); i-- > 0;) {
        char *c = &copy[i];
        if (*c >= '0' && *c <= '9') {
            *c = *c == '9' ? '8' : (char)(*c + 1);
            break;
        }
        if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z')) {
            *c = *c == 'a' ? 'b' : *c == 'A' ? 'B' : (char)(*c - 1);
            break;
        }
    }
    return json_string(copy);
}

static const char *const choices[][2] = {
    {"replace-one", "add-remove"},
    {"discrete-gaussian", "discrete-laplace"},
    {"system", "test"},
    {"NONE", "differential privacy"},
    {"this run only", "all releases recorded in the ledger"},
    {"counts", "embed"},
    {"private", "public"},
    {"squares", "products"},
    {"mean", "counts"},
    {"moments.squares", "counts"},
};

static void change_text(const char *path, const char *text)
{
    expect_refused(path, next_text(text));
    expect_refused(path, json_string(""));
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        for (int j = 0; j < 2; j++)
            if (strcmp(text, choices[i][j]) == 0) expect_refused(path, json_string(choices[i][1 - j]));
}

static void change_leaf(const char *path, const json_t *leaf)
{
    leaves++;
    if (json_is_string(leaf)) change_text(path, json_string_value(leaf));
    if (json_is_integer(leaf)) {
        expect_refused(path, json_integer(json_integer_value(leaf) + 1));
        expect_refused(path, json_integer(json_integer_value(leaf) - 1));
        expect_refused(path, json_integer(0));
        expect_refused(path, json_integer(-1));
    }
    if (json_is_real(leaf)) {
        const double value = json_real_value(leaf);
        expect_refused(path, json_real(value * 1.000001 + 1e-300));
        expect_refused(path, json_real(value * 0.999999 - 1e-300));
    }
    if (json_is_boolean(leaf)) expect_refused(path, json_boolean(!json_is_true(leaf)));
    expect_refused(path, NULL);
    expect_refused(path, json_null());
    expect_refused(path, json_pack("[s]", "a list"));
    expect_refused(path, json_pack("{s:i}", "an", 1));
}

static void change_all(const char *path, const json_t *node)
{
    char inner[256];
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_object(node)) {
        json_object_foreach((json_t *)node, key, member)
        {
            if (strcmp(key, "digest") == 0) continue;
            (void)snprintf(inner, sizeof inner, "%s%s%s", path, path[0] == '\0' ? "" : ".", key);
            change_all(inner, member);
        }
        (void)snprintf(inner, sizeof inner, "%s%sunknown", path, path[0] == '\0' ? "" : ".");
        expect_refused(inner, json_integer(1));
    } else if (json_is_array(node)) {
        json_array_foreach(node, i, member)
        {
            (void)snprintf(inner, sizeof inner, "%s.%zu", path, i);
            change_all(inner, member);
            expect_refused(inner, NULL);
        }
        (void)snprintf(inner, sizeof inner, "%s.%zu", path, json_array_size(node));
        expect_refused(inner, json_string("one more"));
        expect_refused(path, json_array());
        expect_refused(path, json_integer(1));
    } else {
        change_leaf(path, node);
        return;
    }
    if (path[0] != '\0') {
        expect_refused(path, NULL);
        expect_refused(path, json_string("a text"));
    }
}

TEST(every_change_of_every_leaf_is_found)
{
    for (size_t i = 0; i < kit_case_count; i++) {
        CLEARED(kit_clear) certified c;
        kit_certify(&c, &kit_cases[i]);
        json_auto_t *root = json_loads(c.text, 0, NULL);
        current = &c;
        also_with_ledger = i == 1;
        leaves = 0;
        changes = 0;
        change_all("", root);
        print_message("%s: %zu leaves, %zu changes, all found\n", kit_cases[i].name, leaves, changes);
        assert_true(leaves >= 80);
    }
}

TEST(digest_of_another_text_is_found)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[0]);
    current = &c;
    expect_refused("digest", json_string(""));
    expect_refused("digest", json_integer(1));
    expect_refused("digest", NULL);
    json_auto_t *root = json_loads(c.text, 0, NULL);
    expect_refused("digest", next_text(json_string_value(json_object_get(root, "digest"))));
}
