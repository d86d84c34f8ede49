/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one record after the other. The usual cell, a plain decimal number or a declared category, is read
 * in place; every other cell takes the general path through cell_decode.c. */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "public/rows/decimal.h"
#include "records/formats/csv.h"

/* Does the record's line, or the cell, end at p? Moves *p from a CR to its LF. */
static inline bool at_delimiter(const char **p, char delimiter)
{
    if (**p == delimiter || **p == '\n') return true;
    if (**p != '\r' || (*p)[1] != '\n') return false;
    (*p)++;
    return true;
}

static inline const char *skip_digits(uint64_t *mantissa, const char *p)
{
    for (unsigned digit; (digit = (unsigned)((unsigned char)*p - '0')) <= 9; p++)
        *mantissa = *mantissa * 10 + digit;
    return p;
}

/* A number of at most 18 digits with an optional minus and point, up to its delimiter; NULL when
 * the cell is anything else. Such a number cannot be a declared missing value unless the caller
 * has checked that none looks like one. */
static inline const char *plain_number(double *value, bool *whole, const char *p, char delimiter)
{
    uint64_t mantissa = 0;
    const bool negative = *p == '-';
    const char *first = p + (negative ? 1 : 0);
    const char *stop = skip_digits(&mantissa, first);
    size_t digits = (size_t)(stop - first);
    unsigned fraction = 0;
    if (*stop == '.') {
        const char *after = stop + 1;
        stop = skip_digits(&mantissa, after);
        fraction = (unsigned)(stop - after);
        digits += fraction;
    }
    if (digits == 0 || digits > 18 || !at_delimiter(&stop, delimiter)) return NULL;
    *whole = fraction == 0;
    const double size = fraction == 0 ? (double)mantissa : sbl_decimal_quotient(mantissa, fraction);
    *value = negative ? -size : size;
    return stop;
}

/* The row has no person until its cell is read. batch: NULL where cells are read as they are. */
static void forget_unit(sbl_batch *batch, size_t row)
{
    if (batch != NULL && batch->units != NULL) batch->units[row] = (sbl_unit_tag){0};
    if (batch != NULL && batch->keys != NULL) batch->keys[row] = (sbl_unit_tag){0};
}

/* A cell of a row without a schema, good until the next row. */
static void keep_cell(sbl_csv_reader *reader, const sbl_field *field, const sbl_csv_cell *cell)
{
    const bool copied = cell->text == reader->scratch + reader->kept;
    if (copied) reader->kept += cell->length;
    reader->cells[field->index] =
        cell->malformed ? (sbl_cell){.sort = SBL_CELL_IS_UNREADABLE}
                        : (sbl_cell){.sort = SBL_CELL_IS_TEXT, .text = cell->text, .length = cell->length};
}

/* A cell that is not there or not read. */
static void pass_cell(const sbl_csv_reader *reader, const sbl_field *field, sbl_batch *batch, size_t row,
                      sbl_cell_fault reason)
{
    if (field->column != NULL)
        sbl_field_store_fault(field, &batch->columns[field->index], row, reason,
                              sbl_csv_fault(reader, field));
    else if (reader->cells != NULL)
        reader->cells[field->index] = (sbl_cell){.sort = SBL_CELL_IS_UNREADABLE};
}

/* The cell at p into row; returns its delimiter, or NULL when a quote stays open. */
static inline const char *read_cell(sbl_csv_reader *reader, const sbl_field *field, sbl_batch *batch,
                                    size_t row, const char *p)
{
    sbl_csv_cell cell;
    double value;
    bool whole;
    if (field->column == NULL) {
        p = sbl_csv_cell_at(&cell, p, reader);
        if (field->is_unit && p != NULL)
            batch->units[row] = sbl_unit_id_of(reader->unit_key, cell.text, cell.length);
        if (field->is_key && p != NULL)
            batch->keys[row] = sbl_unit_id_of(reader->unit_key, cell.text, cell.length);
        if (p != NULL && reader->cells != NULL) keep_cell(reader, field, &cell);
        return p;
    }
    sbl_batch_column *column = &batch->columns[field->index];
    if (field->plain_numbers) {
        const sbl_column *facts = field->column;
        const char *stop = plain_number(&value, &whole, p, reader->delimiter);
        if (stop != NULL && value >= facts->minimum && value <= facts->maximum &&
            (whole || facts->type == SBL_TYPE_NUMBER) && !facts->step_declared) {
            column->values[row] = value;
            if (column->missing != NULL) column->missing[row] = 0;
            return stop;
        }
        if (stop != NULL) {
            sbl_field_store_number(field, column, row, value, sbl_csv_fault(reader, field));
            return stop;
        }
    }
    p = sbl_csv_cell_at(&cell, p, reader);
    if (p == NULL) return NULL;
    if (column->codes != NULL && !cell.malformed) {
        const uint32_t code = sbl_lookup_find(&field->lookup, cell.text, cell.length);
        if (code < field->missing_code) {
            column->codes[row] = code;
            return p;
        }
    }
    if (cell.malformed)
        sbl_field_store_fault(field, column, row, SBL_CELL_UNPARSEABLE, sbl_csv_fault(reader, field));
    else
        sbl_field_store_text(field, column, row, cell.text, cell.length, sbl_csv_fault(reader, field));
    return p;
}

static const char *skip_extra_cells(const sbl_csv_reader *reader, const char *p)
{
    sbl_csv_cell cell;
    while (p != NULL && *p == reader->delimiter) p = sbl_csv_cell_at(&cell, p + 1, reader);
    return p;
}

/* The record at p into row. Returns its final line feed, which may be the one past the data; NULL
 * when a quote stays open in what the buffer holds. */
static const char *read_record(sbl_csv_reader *reader, sbl_batch *batch, size_t row, const char *p)
{
    reader->few_cells = false;
    reader->extra_cells = false;
    reader->kept = 0;
    forget_unit(batch, row);
    for (size_t i = 0; i < reader->field_count; i++) {
        const sbl_field *field = &reader->fields[i];
        if (reader->few_cells) {
            pass_cell(reader, field, batch, row, SBL_CELL_ABSENT);
            continue;
        }
        p = read_cell(reader, field, batch, row, p);
        if (p == NULL) return NULL;
        if (i + 1 == reader->field_count) break;
        if (*p == reader->delimiter)
            p++;
        else
            reader->few_cells = true;
    }
    if (*p == '\n') return p;
    reader->extra_cells = true;
    return skip_extra_cells(reader, p);
}

sbl_status sbl_csv_refill(sbl_csv_reader *reader, sbl_error *err)
{
    size_t got;
    const size_t kept = reader->end - reader->start;
    const size_t space = reader->capacity - kept;
    const size_t wanted = reader->chunk < space ? reader->chunk : space;
    if (kept > 0) memmove(reader->buffer, reader->buffer + reader->start, kept);
    reader->start = 0;
    reader->end = kept;
    const sbl_status status = sbl_byte_source_read(reader->source, reader->buffer + kept, wanted, &got, err);
    reader->end += got;
    reader->exhausted = got < wanted;
    reader->buffer[reader->end] = '\n';
    return status;
}

static void forget_faults(const sbl_csv_reader *reader)
{
    if (reader->row_faults != NULL) memset(reader->row_faults, 0, reader->schema->column_count);
}

/* Count the row at hand, whose record the scan has seen; only where a diagnosis was asked for. */
static void count_row(sbl_csv_reader *reader, const sbl_csv_scan *scan, bool too_long)
{
    sbl_diagnosis *counts = reader->diagnosis;
    counts->rows++;
    counts->rows_with_few_cells += reader->few_cells;
    counts->rows_with_extra_cells += reader->extra_cells;
    counts->rows_too_long += too_long;
    counts->rows_with_odd_quotes += scan->odd_quote;
    counts->rows_of_several_lines += scan->several_lines;
}

/* Leave the record whose final line feed is at feed, which may be the one past the data. */
static void advance(sbl_csv_reader *reader, const char *feed)
{
    const size_t after = (size_t)(feed - reader->buffer) + 1;
    reader->start = after < reader->end ? after : reader->end;
}

sbl_status sbl_csv_fail_open_quote(const sbl_csv_reader *reader, sbl_error *err)
{
    const char *source = sbl_byte_source_name(reader->source);
    if (reader->diagnosis != NULL)
        return sbl_fail(err, SBL_EINPUT,
                        "%s ends inside a quoted cell; the quote that is not closed opens in record "
                        "%" PRIu64 " after the header (NOT PRIVATE)",
                        source, reader->diagnosis->rows + 1);
    return sbl_fail(
        err, SBL_EINPUT,
        "%s ends inside a quoted cell: close every quote that begins a cell, and double the quotes inside it",
        source);
}

/* Pass over the record at start, however long it is, to the line end that the grammar gives it. */
static sbl_status skip_record(sbl_csv_reader *reader, sbl_csv_scan *scan, sbl_error *err)
{
    for (;;) {
        const char *end = reader->buffer + reader->end;
        const char *feed = sbl_csv_scan_piece(scan, reader->buffer + reader->start, end);
        if (feed < end) {
            advance(reader, feed);
            return SBL_OK;
        }
        reader->start = reader->end;
        if (reader->exhausted)
            return scan->place == SBL_CSV_QUOTED ? sbl_csv_fail_open_quote(reader, err) : SBL_OK;
        const sbl_status status = sbl_csv_refill(reader, err);
        if (status != SBL_OK) return status;
    }
}

/* A record longer than the limit is one row of constants, of the person that it names. Comes here too
 * for a quote that is open where the file ends, which is a fault of the container. */
static sbl_status read_long(sbl_csv_reader *reader, sbl_batch *batch, size_t row, sbl_error *err)
{
    sbl_csv_scan scan = {.delimiter = reader->delimiter, .quote = reader->quote};
    sbl_unit_id ids[2];
    sbl_unit_tag *tags[2];
    forget_faults(reader);
    reader->few_cells = false;
    reader->extra_cells = false;
    forget_unit(batch, row);
    for (size_t i = 0; i < reader->field_count; i++) {
        const sbl_field *field = &reader->fields[i];
        pass_cell(reader, field, batch, row, SBL_CELL_UNPARSEABLE);
        if (!field->is_unit && !field->is_key) continue;
        sbl_unit_id_begin(&ids[scan.id_count], reader->unit_key);
        tags[scan.id_count] = field->is_unit ? &batch->units[row] : &batch->keys[row];
        scan.ids[scan.id_count].id = &ids[scan.id_count];
        scan.ids[scan.id_count++].cell = i;
    }
    const sbl_status status = skip_record(reader, &scan, err);
    for (size_t i = 0; i < scan.id_count; i++) *tags[i] = sbl_unit_id_end(&ids[i]);
    if (status == SBL_OK && reader->diagnosis != NULL) count_row(reader, &scan, true);
    return status;
}

/* Leave a record that was read, from .. feed. */
static void finish_record(sbl_csv_reader *reader, const char *from, const char *feed)
{
    if (reader->diagnosis != NULL) {
        sbl_csv_scan scan = {.delimiter = reader->delimiter, .quote = reader->quote};
        (void)sbl_csv_scan_piece(&scan, from, feed);
        count_row(reader, &scan, false);
    }
    advance(reader, feed);
}

sbl_status sbl_csv_next_row(sbl_csv_reader *reader, sbl_batch *batch, size_t row, bool *found, sbl_error *err)
{
    for (;;) {
        const size_t left = reader->end - reader->start;
        *found = left > 0;
        if (left > 0) {
            const char *from = reader->buffer + reader->start;
            reader->row_faults = batch != NULL ? sbl_batch_faults(batch, row) : NULL;
            forget_faults(reader);
            const char *feed = read_record(reader, batch, row, from);
            const bool complete = feed != NULL && (reader->exhausted || feed < reader->buffer + reader->end);
            if (complete && (size_t)(feed - from) <= reader->record_limit) {
                finish_record(reader, from, feed);
                return SBL_OK;
            }
            /* One byte beyond the limit tells a record that just fits from one that does not. */
            if (complete || reader->exhausted || left > reader->record_limit)
                return read_long(reader, batch, row, err);
        } else if (reader->exhausted) {
            return SBL_OK;
        }
        const sbl_status status = sbl_csv_refill(reader, err);
        if (status != SBL_OK) return status;
    }
}
