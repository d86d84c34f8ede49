/* SPDX-License-Identifier: Apache-2.0 */
/* The options of data: every field has a row, every row is read from text, and each is refused by name for a form of data
 * that it does not apply to. */
#include <stdio.h>
#include <string.h>

#include "public/options/data_options.h"
#include "semblance/data.h"
#include "support/cmocka_all.h"

#define FORMS 7

static const char *some_value(const sbl_option *option)
{
    if (option->type == SBL_OPTION_FLAG) return NULL;
    if (option->type == SBL_OPTION_CHOICE) return option->choices[1];
    if (option->type == SBL_OPTION_WHOLE) return "7";
    return option->type == SBL_OPTION_SIZE ? "6x7" : "some.file";
}

static sbl_data_options with(const sbl_option *option)
{
    sbl_error err = {0};
    sbl_data_options options;
    sbl_data_options_init(&options);
    if (sbl_data_options_set(&options, option->name, some_value(option), &err) != SBL_OK)
        fail_msg("%s", err.message);
    return options;
}

TEST(rows_of_data_are_complete_and_come_last)
{
    size_t first = 0;
    while (sbl_option_at(first)->forms == 0) first++;
    for (size_t i = 0; sbl_data_option_rows[i] != NULL; i++) {
        const sbl_option *o = sbl_data_option_rows[i];
        assert_ptr_equal(sbl_option_at(first + i), o);
        assert_non_null(o->help);
        assert_int_equal(o->type == SBL_OPTION_FLAG, o->value == NULL);
        assert_int_equal(o->type == SBL_OPTION_CHOICE, o->choices != NULL);
        assert_int_equal(o->type == SBL_OPTION_WHOLE, o->range != NULL);
        assert_true(o->forms != 0 && o->forms <= SBL_FORMS_ALL);
        assert_false(o->common);
        for (size_t j = 0; sbl_option_at(j) != o; j++)
            assert_string_not_equal(sbl_option_at(j)->name, o->name);
    }
}

/* A field that is not in the table would be one that only C knows. */
TEST(every_field_of_data_has_a_row)
{
    const size_t others[] = {offsetof(sbl_data_options, name),     offsetof(sbl_data_options, images),
                             offsetof(sbl_data_options, width),    offsetof(sbl_data_options, package),
                             offsetof(sbl_data_options, progress), offsetof(sbl_data_options, context),
                             offsetof(sbl_data_options, person)};
    for (size_t at = sizeof(size_t); at < sizeof(sbl_data_options); at += sizeof(size_t)) {
        bool known = false;
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            known = known || others[i] / sizeof(size_t) == at / sizeof(size_t);
        for (size_t i = 0; sbl_data_option_rows[i] != NULL; i++)
            known = known || sbl_data_option_rows[i]->offset / sizeof(size_t) == at / sizeof(size_t);
        assert_true(known);
    }
}

TEST(option_of_data_is_refused_by_name_for_other_forms)
{
    for (size_t i = 0; sbl_data_option_rows[i] != NULL; i++)
        for (unsigned form = 0; form < FORMS; form++) {
            const sbl_option *o = sbl_data_option_rows[i];
            const sbl_data_options options = with(o);
            char words[64];
            sbl_error err = {0};
            const bool fits = (o->forms & 1U << form) != 0;
            assert_int_equal(sbl_data_options_check(&options, (sbl_data_form)(1U << form), &err),
                             fits ? SBL_OK : SBL_EARG);
            (void)snprintf(words, sizeof words, "%s does not apply to ", o->name);
            if (!fits) assert_non_null(strstr(err.message, words));
        }
}

/* The same where records are opened, but for what asks for a database by being given. */
TEST(records_are_not_opened_with_an_option_that_does_not_apply)
{
    static const char *const names[FORMS] = {"a.csv", "a.json", "a.parquet", "a.sqlite",
                                             "a",     "p.json", "a.sav"};
    for (size_t i = 0; sbl_data_option_rows[i] != NULL; i++)
        for (unsigned form = 0; form < FORMS; form++) {
            const sbl_option *o = sbl_data_option_rows[i];
            sbl_data_options options = with(o);
            sbl_data *data;
            sbl_error err = {0};
            options.images = 1U << form == SBL_FORM_IMAGES;
            options.package = 1U << form == SBL_FORM_PACKAGE;
            const bool asks =
                (options.table != NULL || options.query != NULL) && !options.images && !options.package;
            if ((o->forms & 1U << form) != 0 || asks) continue;
            assert_int_equal(sbl_data_open(&data, names[form], &options, &err), SBL_EARG);
            assert_true(strncmp(err.message, o->name, strlen(o->name)) == 0);
        }
}

TEST(values_of_data_are_checked)
{
    static const char *const bad[][2] = {{"delimiter", "x"},  {"header", "maybe"}, {"classes", "0"},
                                         {"classes", "1001"}, {"size", "28"},      {"size", "28x129"},
                                         {"size", "x28"},     {"size", "28x28x"},  {"size", "00000000028x28"},
                                         {"grey", "maybe"},   {"table", NULL},     {"nothing", "1"}};
    sbl_data_options options;
    sbl_error err = {0};
    sbl_data *data;
    sbl_data_options_init(&options);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(sbl_data_options_set(&options, bad[i][0], bad[i][1], &err), SBL_EARG);
        assert_non_null(strstr(err.message, bad[i][0]));
    }
    assert_int_equal(sbl_data_options_set(NULL, "grey", NULL, &err), SBL_EARG);
    assert_int_equal(sbl_data_options_set(&options, NULL, NULL, &err), SBL_EARG);
    options.struct_size = offsetof(sbl_data_options, allow_outside);
    assert_int_equal(sbl_data_options_set(&options, "allow-outside", NULL, &err), SBL_EARG);
    assert_string_equal(err.message, "allow-outside is newer than the struct of this caller");
    /* A tab is its name, or itself; a field that was filled by hand is checked, too. */
    sbl_data_options_init(&options);
    assert_int_equal(sbl_data_options_set(&options, "delimiter", "\t", &err), SBL_OK);
    assert_string_equal(options.delimiter, "tab");
    options.delimiter = "x";
    assert_int_equal(sbl_data_open(&data, "a.csv", &options, &err), SBL_EARG);
    assert_string_equal(err.message, "delimiter must be , or ; or tab or | or : or ~ or ^");
    sbl_data_options_init(&options);
    options.images = true;
    options.height = 28; /* and no width */
    assert_int_equal(sbl_data_open(&data, "a", &options, &err), SBL_EARG);
    assert_string_equal(err.message, "size must be a height and a width from 1 to 128, as 28x28");
}
