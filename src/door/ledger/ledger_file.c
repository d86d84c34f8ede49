/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger's log: it is locked, read as a whole, and extended by whole lines that are synced and read
 * back (base/store/store.h). No floating point. */
#include "door/ledger/ledger_file.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "door/ledger/ledger_line.h"
#include "door/ledger/ledger_read.h"

static sbl_status load(sbl_ledger_file *file, sbl_error *err)
{
    const size_t size = file->log.size;
    char *bytes = NULL;
    sbl_status status = SBL_OK;
    if (size > SBL_LEDGER_SIZE_LIMIT)
        SBL_FAIL(err, SBL_EINPUT, "ledger %s is larger than %zu bytes", file->path, SBL_LEDGER_SIZE_LIMIT);
    SBL_ALLOC(bytes, size, "reading a ledger");
    SBL_TRY(file->log.store->kind->log_read(&file->log, bytes, size, 0, err));
    SBL_TRY(sbl_ledger_parse(&file->view, bytes, size, file->path, err));
done:
    sbl_free(bytes);
    return status;
}

sbl_status sbl_ledger_file_open(sbl_ledger_file *file, sbl_store_entry ledger, bool writing, sbl_error *err)
{
    memset(file, 0, sizeof *file);
    file->path = ledger.name;
    file->log = (sbl_log){.store = ledger.store, .name = ledger.name, .descriptor = -1};
    const sbl_status status = ledger.store->kind->log_open(&file->log, writing, err);
    return status == SBL_OK ? load(file, err) : status;
}

void sbl_ledger_file_close(sbl_ledger_file *file)
{
    sbl_ledger_view_clear(&file->view);
    file->log.store->kind->log_close(&file->log);
}

static sbl_status read_view(sbl_ledger_view *view, sbl_store_entry ledger, bool writing, sbl_error *err)
{
    sbl_ledger_file file;
    const sbl_status status = sbl_ledger_file_open(&file, ledger, writing, err);
    *view = file.view;
    memset(&file.view, 0, sizeof file.view);
    sbl_ledger_file_close(&file);
    return status;
}

sbl_status sbl_ledger_read(sbl_ledger_view *view, sbl_store_entry ledger, sbl_error *err)
{
    return read_view(view, ledger, false, err);
}

sbl_status sbl_ledger_read_to_charge(sbl_ledger_view *view, sbl_store_entry ledger, sbl_error *err)
{
    return read_view(view, ledger, true, err);
}

/* ---- appending ---- */

/* Number, time and hash a line, check it as a reader would, and add it to the view and to text. */
static sbl_status add_line(sbl_ledger_file *file, sbl_text *text, sbl_ledger_line *line, sbl_error *err)
{
    sbl_ledger_view *view = &file->view;
    const sbl_ledger_place place = {file->path, view->line_count + 2, ""};
    sbl_status status = SBL_OK;
    sbl_text body = {0};
    char hex[SBL_SHA256_TEXT_SIZE];
    line->seq = view->line_count + 1;
    line->totals = view->totals;
    /* Where they do not fit, the check below says so. */
    (void)sbl_totals_add(&line->totals, &line->entry.charge);
    sbl_utc_now(line->time);
    sbl_ledger_line_format(&body, line, view->version);
    SBL_TRY(sbl_ledger_hash(line->hash, view->head, body.data, body.length, err));
    sbl_text_printf(&body, " h=%s", sbl_hex_encode(hex, line->hash, sizeof line->hash));
    sbl_text_append(text, body.data, body.length);
    sbl_text_append(text, "\n", 1);
    if (body.failed || text->failed)
        SBL_FAIL(err, SBL_EMEM, "out of memory while writing ledger %s", file->path);
    status = sbl_ledger_extend(view, body.data, body.length, &place, err);
done:
    sbl_text_clear(&body);
    return status;
}

sbl_status sbl_ledger_file_prepare(sbl_ledger_file *file, sbl_text *text, const sbl_ledger_line *line,
                                   sbl_error *err)
{
    sbl_ledger_line next = *line;
    if (file->view.torn && line->op != SBL_LEDGER_REPAIR)
        return sbl_fail(err, SBL_EBUDGET,
                        "ledger %s ends in a torn line, so all of its budget counts as spent until a repair "
                        "records the cost of that line",
                        file->path);
    return add_line(file, text, &next, err);
}

/* Read back what a later reader will see. */
static sbl_status compare_with_file(const sbl_ledger_file *file, const sbl_text *text, sbl_error *err)
{
    char *bytes = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(bytes, text->length, "writing a ledger");
    SBL_TRY(file->log.store->kind->log_read(&file->log, bytes, text->length, file->view.whole_size, err));
    if (memcmp(bytes, text->data, text->length) != 0)
        SBL_FAIL(err, SBL_EIO, "ledger %s does not contain the line that was just written: check the disk",
                 file->path);
done:
    sbl_free(bytes);
    return status;
}

sbl_status sbl_ledger_file_append(sbl_ledger_file *file, const sbl_text *text, sbl_error *err)
{
    const sbl_status status =
        file->log.store->kind->log_append(&file->log, file->view.whole_size, text->data, text->length, err);
    return status == SBL_OK ? compare_with_file(file, text, err) : status;
}
