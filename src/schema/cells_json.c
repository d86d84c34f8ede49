/* Cells as JSON: the facts they follow from, and how many they are. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "schema/cells.h"

#define LARGEST_WHOLE 9007199254740992.0 /* 2^53 */
#define MOST_DECIMALS 22                 /* 10^22 is the last exact power */
#define MOST_COLUMNS 1000000

static json_t *column_to_json(const sbl_cells_column *column)
{
    const sbl_column *domain = &column->domain;
    if (column->kind == SBL_HEAD_CATEGORICAL)
        return json_pack("{s:s, s:I}", "kind", "category", "cells", (json_int_t)column->count);
    return json_pack("{s:s, s:I, s:b, s:f, s:f, s:b, s:i, s:f, s:f, s:f}", "kind", "number",
                     "cells", (json_int_t)column->count, "missing", domain->missing_allowed,
                     "minimum", domain->minimum, "maximum", domain->maximum, "log",
                     domain->log_transform, "decimals", domain->decimals, "grid_minimum",
                     domain->grid_minimum, "grid_maximum", domain->grid_maximum, "fallback",
                     domain->fallback);
}

json_t *sbl_cells_to_json(const sbl_cells *cells)
{
    json_t *columns = json_array();
    bool good = columns != NULL;
    for (size_t k = 0; k < cells->count; k++)
        good = good && json_array_append_new(columns, column_to_json(&cells->columns[k])) == 0;
    json_t *object =
        json_pack("{s:I, s:I, s:I, s:I, s:o}", "bins", (json_int_t)cells->bins, "singles",
                  (json_int_t)cells->singles, "classes", (json_int_t)cells->classes, "label",
                  cells->label == SBL_NO_HEAD ? (json_int_t)-1 : (json_int_t)cells->label,
                  "columns", columns);
    if (good) return object;
    json_decref(object);
    return NULL;
}

static bool is_grid(const sbl_column *domain)
{
    return domain->grid_minimum <= domain->grid_maximum &&
           fabs(domain->grid_minimum) <= LARGEST_WHOLE &&
           fabs(domain->grid_maximum) <= LARGEST_WHOLE &&
           floor(domain->grid_minimum) == domain->grid_minimum &&
           floor(domain->grid_maximum) == domain->grid_maximum;
}

static sbl_status number_from_json(sbl_column *domain, const json_t *entry, const char *where,
                                   sbl_error *err)
{
    sbl_status status;
    double decimals;
    domain->kind = SBL_COLUMN_NUMBER;
    SBL_TRY(sbl_json_get_bool(&domain->missing_allowed, entry, "missing", where, err));
    SBL_TRY(sbl_json_get_double(&domain->minimum, entry, "minimum", where, err));
    SBL_TRY(sbl_json_get_double(&domain->maximum, entry, "maximum", where, err));
    SBL_TRY(sbl_json_get_bool(&domain->log_transform, entry, "log", where, err));
    SBL_TRY(sbl_json_get_double(&decimals, entry, "decimals", where, err));
    SBL_TRY(sbl_json_get_double(&domain->grid_minimum, entry, "grid_minimum", where, err));
    SBL_TRY(sbl_json_get_double(&domain->grid_maximum, entry, "grid_maximum", where, err));
    SBL_TRY(sbl_json_get_double(&domain->fallback, entry, "fallback", where, err));
    bool good = decimals >= -1 && decimals <= MOST_DECIMALS && floor(decimals) == decimals &&
                domain->minimum <= domain->maximum && isfinite(domain->maximum - domain->minimum);
    if (!good || (decimals >= 0 && !is_grid(domain)))
        return sbl_fail(err, SBL_EINPUT, "%s: a number's bounds or decimals are impossible", where);
    domain->decimals = (int)decimals;
    domain->scale = 1;
    for (int i = 0; i < domain->decimals; i++) domain->scale *= 10;
done:
    return status;
}

static sbl_status column_from_json(sbl_cells_column *column, const json_t *entry, const char *where,
                                   sbl_error *err)
{
    const char *kind;
    uint64_t count;
    sbl_status status;
    SBL_TRY(sbl_json_get_string(&kind, entry, "kind", where, err));
    if (strcmp(kind, "number") == 0) {
        column->kind = SBL_HEAD_NUMERIC;
        return number_from_json(&column->domain, entry, where, err);
    }
    if (strcmp(kind, "category") != 0)
        return sbl_fail(err, SBL_EINPUT, "%s: field 'kind' of a column is not known", where);
    column->kind = SBL_HEAD_CATEGORICAL;
    SBL_TRY(sbl_json_get_u64(&count, entry, "cells", where, err));
    column->count = count;
done:
    return status;
}

static sbl_status columns_from_json(sbl_cells *cells, const json_t *object, const char *where,
                                    sbl_error *err)
{
    json_t *list;
    sbl_status status = sbl_json_get_array(&list, object, "columns", where, err);
    if (status != SBL_OK) return status;
    if (json_array_size(list) > MOST_COLUMNS)
        return sbl_fail(err, SBL_EINPUT, "%s: there are too many columns", where);
    cells->columns = sbl_alloc_array(json_array_size(list), sizeof *cells->columns);
    if (!cells->columns) return sbl_fail(err, SBL_EMEM, "out of memory for the cells of a table");
    for (size_t k = 0; status == SBL_OK && k < json_array_size(list); k++)
        status =
            column_from_json(&cells->columns[cells->count++], json_array_get(list, k), where, err);
    return status;
}

static sbl_status label_from_json(sbl_cells *cells, const json_t *object, const char *where,
                                  sbl_error *err)
{
    const json_t *label = json_object_get(object, "label");
    json_int_t value = json_integer_value(label);
    if (!json_is_integer(label) || value < -1 || (value == -1) != (cells->classes == 1))
        return sbl_fail(err, SBL_EINPUT, "%s: field 'label' does not fit the classes", where);
    cells->label = value == -1 ? SBL_NO_HEAD : (size_t)value;
    return SBL_OK;
}

sbl_status sbl_cells_from_json(sbl_cells *cells, const json_t *object, const char *where,
                               sbl_error *err)
{
    uint64_t bins, singles, classes;
    sbl_status status;
    *cells = (sbl_cells){0};
    SBL_TRY(sbl_json_get_u64(&bins, object, "bins", where, err));
    SBL_TRY(sbl_json_get_u64(&singles, object, "singles", where, err));
    SBL_TRY(sbl_json_get_u64(&classes, object, "classes", where, err));
    if (bins < 1 || singles < bins || singles > SBL_CELLS_MAX_BINS || classes < 1 ||
        classes > UINT32_MAX)
        return sbl_fail(err, SBL_EINPUT, "%s: field 'bins', 'singles' or 'classes' is out of range",
                        where);
    cells->bins = bins;
    cells->singles = singles;
    cells->classes = classes;
    SBL_TRY(label_from_json(cells, object, where, err));
    SBL_TRY(columns_from_json(cells, object, where, err));
    SBL_TRY(sbl_cells_finish(cells, err));
done:
    if (status == SBL_EARG)
        status = sbl_fail(err, SBL_EINPUT, "%s: the list of columns is impossible", where);
    if (status != SBL_OK) sbl_cells_clear(cells);
    return status;
}
