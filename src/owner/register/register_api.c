/* SPDX-License-Identifier: Apache-2.0 */
/* The register in the form that was asked for (include/semblance/register.h). */
#include "semblance/register.h"

#include <string.h>

#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/file.h"
#include "owner/register/books.h"

static void write(sbl_text *text, const json_t *whole, sbl_register_form form)
{
    if (form == SBL_REGISTER_CSV)
        sbl_register_write_csv(text, whole);
    else if (form == SBL_REGISTER_HTML)
        sbl_register_write_page(text, whole);
    else
        sbl_register_write_table(text, whole);
}

static sbl_status write_form(char **made, const json_t *whole, sbl_register_form form, sbl_error *err)
{
    sbl_text text = {0};
    if (form == SBL_REGISTER_JSON) {
        *made = sbl_json_pretty(whole);
        return *made != NULL ? SBL_OK : sbl_no_memory(err, "a register");
    }
    write(&text, whole, form);
    if (text.failed) return sbl_no_memory(err, "a register");
    *made = text.data;
    return SBL_OK;
}

sbl_status sbl_register(char **made, size_t *problems, const char *const *folders, size_t count,
                        const sbl_register_options *theirs, sbl_error *err)
{
    sbl_register_options options = {.struct_size = sizeof options};
    sbl_books books = {0};
    json_t *whole = NULL;
    sbl_status status = SBL_OK;
    if (problems != NULL) *problems = 0;
    SBL_NEED(made);
    *made = NULL;
    SBL_NEED(folders);
    if (count == 0) SBL_FAIL(err, SBL_EARG, "a register needs at least one folder");
    for (size_t i = 0; i < count; i++) SBL_NEED(folders[i]);
    if (theirs != NULL) SBL_TRY(sbl_struct_take(&options, sizeof options, theirs, "options", err));
    if (options.path != NULL) SBL_TRY(sbl_file_check_target(options.path, options.overwrite, err));
    SBL_TRY(sbl_books_read(&books, folders, count, err));
    SBL_TRY(sbl_books_check(&books, err));
    whole = sbl_register_build(&books);
    if (whole == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for a register");
    SBL_TRY(write_form(made, whole, options.form, err));
    if (options.path != NULL)
        SBL_TRY(sbl_file_write(options.path, *made, strlen(*made),
                               (sbl_file_write_options){.mode = 0600, .overwrite = options.overwrite}, err));
    if (problems != NULL) *problems = (size_t)json_integer_value(json_object_get(whole, "problems"));
done:
    if (status != SBL_OK && made != NULL) {
        sbl_free(*made);
        *made = NULL;
    }
    json_decref(whole);
    sbl_books_clear(&books);
    return status;
}

/* Of the ledger at this path, among those of its folder. */
static void write_outputs(sbl_text *text, const json_t *whole, const char *id)
{
    const json_t *ledgers = json_object_get(whole, "ledgers");
    for (size_t i = 0; i < json_array_size(ledgers); i++) {
        const json_t *ledger = json_array_get(ledgers, i), *releases = json_object_get(ledger, "releases");
        if (strcmp(sbl_register_member(ledger, "id"), id) != 0) continue;
        for (size_t r = 0; r < json_array_size(releases); r++) {
            const json_t *release = json_array_get(releases, r);
            if (json_array_size(json_object_get(release, "outputs")) == 0) continue;
            sbl_text_printf(text, "%lld ", (long long)json_integer_value(json_object_get(release, "seq")));
            sbl_register_outputs_write(text, release);
            sbl_text_printf(text, "\n");
        }
        return;
    }
}

sbl_status sbl_register_outputs(char **lines, const char *ledger, sbl_error *err)
{
    sbl_books books = {0};
    sbl_ledger_view view = {0};
    sbl_text folder = {0}, text = {0};
    json_t *whole = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(lines);
    *lines = NULL;
    SBL_NEED(ledger);
    const char *slash = strrchr(ledger, '/');
    SBL_TRY(sbl_ledger_read(&view, sbl_file_item(ledger), err));
    sbl_text_printf(&folder, "%.*s", slash != NULL ? (int)(slash - ledger) + 1 : 1,
                    slash != NULL ? ledger : ".");
    SBL_TRY(sbl_text_check(&folder, "a file name", err));
    const char *const folders[] = {folder.data};
    SBL_TRY(sbl_books_read(&books, folders, 1, err));
    whole = sbl_register_build(&books);
    if (whole == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for a register");
    sbl_text_printf(&text, "%s", "");
    write_outputs(&text, whole, view.id);
    SBL_TRY(sbl_text_check(&text, "a register", err));
    *lines = text.data;
    text = (sbl_text){0};
done:
    json_decref(whole);
    sbl_books_clear(&books);
    sbl_ledger_view_clear(&view);
    sbl_text_clear(&folder);
    sbl_text_clear(&text);
    return status;
}
