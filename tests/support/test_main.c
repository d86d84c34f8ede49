/* SPDX-License-Identifier: Apache-2.0 */
/* The main of every test program: the tests that TEST() lists, file by file, each file a group of cmocka's. An
 * argument is the pattern (* and ?) of those that are run. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

#define MOST 512

extern const test_entry *const __start_listed_tests[], *const __stop_listed_tests[];

static int compare(const void *a, const void *b)
{
    const test_entry *x = *(const test_entry *const *)a, *y = *(const test_entry *const *)b;
    const int files = strcmp(x->file, y->file);
    return files != 0 ? files : (x->line > y->line) - (x->line < y->line);
}

/* Some entries of one file, the first `count`; how many tests failed. */
static int run_file(const test_entry *const *entries, size_t count)
{
    static struct CMUnitTest tests[MOST];
    struct CMUnitTest each = {0}, all = {0};
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (entries[i]->kind == AROUND_EACH) each = entries[i]->test;
        if (entries[i]->kind == AROUND_ALL) all = entries[i]->test;
        if (entries[i]->kind == ONE_TEST) tests[used++] = entries[i]->test;
    }
    for (size_t i = 0; i < used; i++) {
        tests[i].setup_func = each.setup_func;
        tests[i].teardown_func = each.teardown_func;
    }
    const char *slash = strrchr(entries[0]->file, '/');
    return _cmocka_run_group_tests(slash == NULL ? entries[0]->file : slash + 1, tests, used, all.setup_func,
                                   all.teardown_func);
}

int main(int argc, char **argv)
{
    static const test_entry *entries[MOST];
    const size_t count = (size_t)(__stop_listed_tests - __start_listed_tests);
    bool failed = false;
    if (count > MOST) {
        (void)fprintf(stderr, "%zu tests in one program; %d fit\n", count, MOST);
        return 2;
    }
    memcpy(entries, __start_listed_tests, count * sizeof entries[0]);
    qsort(entries, count, sizeof entries[0], compare);
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && strcmp(entries[end]->file, entries[first]->file) == 0) end++;
        if (run_file(entries + first, end - first) != 0) failed = true;
    }
    return failed;
}
