/* SPDX-License-Identifier: Apache-2.0 */
/* The options of data, each a field of sbl_data_options (include/semblance/data.h), one row each: the program, job
 * files, the server, the page and Python take them from here. */
#include "public/options/data_options.h"

#include <stdio.h>
#include <string.h>

#include "base/caller_struct.h"
#include "public/options/option_row.h"
#include "public/schema/encoding_layout.h"

static const char *const delimiters[] = {",", ";", "tab", "|", ":", "~", "^", NULL};
static const char *const quotes[] = {"\"", "'", NULL};
static const char *const decimals[] = {".", ",", NULL};
static const char *const thousands[] = {"none", ".", ",", "'", "_", "space", NULL};
static const char *const yes_or_no[] = {"yes", "no", NULL};
static const char *const comments[] = {"none", "#", "%", ";", "!", NULL};
static const sbl_option_range classes = {1, SBL_IMAGE_FACTS_MOST_CLASSES, false,
                                         "a whole number from 1 to " SBL_SHOW(SBL_IMAGE_FACTS_MOST_CLASSES)};

#define FIELD(field) \
    .offset = offsetof(sbl_data_options, field), .size = sizeof(((const sbl_data_options *)0)->field)

/* Then the help text and .choices, .range, .names_code or a default, where it has one. */
#define ROW(field, row_forms, row_name, row_type, row_value, ...)                                         \
    &(const sbl_option)                                                                                   \
    {                                                                                                     \
        .name = (row_name), .type = (row_type), .value = (row_value), .forms = (row_forms), FIELD(field), \
        .help = __VA_ARGS__                                                                               \
    }

const sbl_option *const sbl_data_option_rows[] = {
    ROW(delimiter, SBL_FORM_CSV, "delimiter", SBL_OPTION_CHOICE, "C",
        "what separates the cells of the table: a sign, or tab", .choices = delimiters,
        SBL_STANDARD_WORDS("as the schema says, or a comma")),
    ROW(quote, SBL_FORM_CSV, "quote", SBL_OPTION_CHOICE, "C", "what surrounds cells that hold the delimiter",
        .choices = quotes, SBL_STANDARD_WORDS("as the schema says, or \"")),
    ROW(decimal, SBL_FORM_CSV, "decimal", SBL_OPTION_CHOICE, "C", "the decimal mark of every number",
        .choices = decimals, SBL_STANDARD_WORDS("as the schema says, or a point")),
    ROW(thousands, SBL_FORM_CSV, "thousands", SBL_OPTION_CHOICE, "C",
        "what may separate the thousands of every number", .choices = thousands,
        SBL_STANDARD_WORDS("as the schema says, or none")),
    ROW(encoding, SBL_FORM_CSV, "encoding", SBL_OPTION_TEXT, "E",
        "utf-8, utf-8-sig, utf-16, utf-16le, utf-16be, iso-8859-1, iso-8859-15 or windows-1252",
        SBL_STANDARD_WORDS("as the schema says, or utf-8")),
    ROW(header, SBL_FORM_CSV, "header", SBL_OPTION_CHOICE, "H",
        "whether the first line names the columns; without one they are in the order of the schema",
        .choices = yes_or_no, SBL_STANDARD_WORDS("as the schema says, or yes")),
    ROW(comment, SBL_FORM_CSV, "comment", SBL_OPTION_CHOICE, "C",
        "skip the lines before the table that begin with this sign", .choices = comments,
        SBL_STANDARD_WORDS("as the schema says, or none")),
    ROW(columns, SBL_FORM_JSON, "columns", SBL_OPTION_TEXT, "A,B,...",
        "for a JSON table that no schema describes: the names of its columns, which are public then"),
    ROW(table, SBL_FORM_DATABASE, "table", SBL_OPTION_TEXT, "NAME",
        "for a database (a file of SQLite or DuckDB, or postgresql://...): its table"),
    ROW(query, SBL_FORM_DATABASE, "query", SBL_OPTION_TEXT, "SQL",
        "for a database, instead of a table: the query; under add-remove neighbours only"),
    ROW(one_row_per_person, SBL_FORM_DATABASE, "one-row-per-person", SBL_OPTION_FLAG, NULL,
        "you declare that each person has at most one row in the result of the query, and the certificate "
        "says so; not needed if the schema has a unit"),
    ROW(adbc_driver, SBL_FORM_DATABASE, "adbc-driver", SBL_OPTION_TEXT, "PATH",
        "the library that reads the database: an ADBC driver of PostgreSQL, or libsqlite3.so.0",
        .names_code = true, SBL_STANDARD_WORDS("found where libraries are")),
    ROW(duckdb, SBL_FORM_TABLES, "duckdb", SBL_OPTION_TEXT, "PATH",
        "DuckDB's library, which reads and writes Parquet: libduckdb.so", .names_code = true,
        .steps = SBL_STEP_SAMPLE, SBL_STANDARD_WORDS("found beside the program, or where libraries are")),
    ROW(labels, SBL_FORM_IMAGES, "labels", SBL_OPTION_TEXT, "FILE", "labels of IDX images",
        SBL_STANDARD_WORDS("none: a set without labels")),
    ROW(classes, SBL_FORM_IMAGES, "classes", SBL_OPTION_WHOLE, "K",
        "number of classes of the images; state it, because a label of K or above silently becomes the first "
        "class; for CIFAR, 100 and 20 (coarse) mean CIFAR-100, others CIFAR-10",
        .range = &classes, SBL_STANDARD_WORDS("10; folders: the subfolders")),
    ROW(grey, SBL_FORM_IMAGES, "grey", SBL_OPTION_FLAG, NULL,
        "read PNG and JPEG files as grey; else as RGB, whatever they hold"),
    ROW(height, SBL_FORM_IMAGES, "size", SBL_OPTION_SIZE, "HxW",
        "height and width of the images: in folders, each file that is not an image of this size is silently "
        "read "
        "as grey; for IDX and CIFAR, another size is refused",
        SBL_STANDARD_WORDS("that of the file; folders: that of the first image")),
    ROW(resize, SBL_FORM_IMAGES, "resize", SBL_OPTION_FLAG, NULL,
        "with size, for folders: take images of any size up to 2^25 pixels, crop the middle to these "
        "proportions and scale it"),
    ROW(balanced, SBL_FORM_IMAGES, "balanced", SBL_OPTION_FLAG, NULL,
        "you declare that the classes of the images are equally frequent; else they are counted with noise"),
    ROW(allow_outside, SBL_FORM_PACKAGE, "allow-outside", SBL_OPTION_FLAG, NULL,
        "let the package name files outside its folder, which is refused otherwise"),
    NULL,
};
_Static_assert(offsetof(sbl_data_options, width) == offsetof(sbl_data_options, height) + sizeof(uint64_t),
               "size is both");

sbl_status sbl_data_options_set(sbl_data_options *options, const char *name, const char *text, sbl_error *err)
{
    sbl_data_options known = {.struct_size = sizeof known};
    sbl_option_value value;
    const sbl_option *const *option = sbl_data_option_rows;
    SBL_CHECK(sbl_struct_take(&known, sizeof known, options, "options", err));
    SBL_CHECK(sbl_need(name, "name", err));
    while (*option != NULL && strcmp((*option)->name, name) != 0) option++;
    if (*option == NULL) return sbl_fail(err, SBL_EARG, "there is no data option '%.40s'", name);
    SBL_CHECK(sbl_option_has_field(*option, options->struct_size, err));
    SBL_CHECK(sbl_option_take(&value, *option, text, err));
    sbl_option_store(*option, options, &value);
    return SBL_OK;
}

/* "CSV files", or several with commas between them. */
static const char *forms_in_words(char words[128], unsigned forms)
{
    static const char *const names[] = {"CSV files", "JSON files",    "Parquet files",         "databases",
                                        "images",    "linked tables", "files of SPSS or Stata"};
    size_t length = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((forms & 1U << i) != 0)
            length +=
                (size_t)snprintf(words + length, 128 - length, "%s%s", length > 0 ? ", " : "", names[i]);
    return words;
}

sbl_status sbl_data_options_check(const sbl_data_options *options, sbl_data_form form, sbl_error *err)
{
    char given[128], fitting[128];
    for (const sbl_option *const *option = sbl_data_option_rows; *option != NULL; option++) {
        if (!sbl_option_is_given(*option, options)) continue;
        if (((*option)->forms & (unsigned)form) == 0)
            return sbl_fail(err, SBL_EARG, "%s does not apply to %s, only to %s", (*option)->name,
                            forms_in_words(given, form), forms_in_words(fitting, (*option)->forms));
        if (!sbl_option_is_good(*option, options)) return sbl_option_refuse(*option, NULL, err);
    }
    return SBL_OK;
}
