/* SPDX-License-Identifier: Apache-2.0 */
/* The functions themselves, in double: in float the recursion leaves its bound from order 150 on,
 * where phi_0 is subnormal and everything after it is scaled by its rounding error. */
#include "public/features/hermite_basis.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/size.h"
#include "public/plan/parameters.h"

double sbl_hermite_rho(double s2)
{
    /* sqrt(s2^2 + 1) - s2 without cancellation */
    return 1.0 / (sqrt(s2 * s2 + 1.0) + s2);
}

/* Where phi_0 is below 2^-960 it is lifted by 2^900 and the sequence is let down by the same as soon
 * as it has grown: no digit is lost, at any |u| that a range of reach 100 can have. */
#define LIFT 0x1p900
#define SMALL 0x1p-60

void sbl_hermite_values(double *phi, double u, double rho, size_t order)
{
    const double start = 0.25 * log1p(-rho * rho) - rho * u * u / (1.0 + rho);
    const bool lifted = start < -660.0;
    double down = lifted ? 1.0 / LIFT : 1.0;
    const double up = sqrt(2.0 * rho) * u;
    double last_root = 0.0; /* sqrt(c) */
    double before = 0.0;
    double now = exp(lifted ? start + 900.0 * 0.693147180559945309417 : start);
    for (size_t c = 0;; c++) {
        phi[c] = now * down;
        if (c == order) return;
        /* phi_{c+1} sqrt(c+1) = sqrt(2 rho) u phi_c - rho sqrt(c) phi_{c-1} */
        const double root = sqrt((double)c + 1.0);
        const double next = (up * now - rho * last_root * before) / root;
        last_root = root;
        before = now;
        now = next;
        if (down != 1.0 && fabs(now) > LIFT * SMALL) {
            now *= down;
            before *= down;
            down = 1.0;
        }
    }
}

double sbl_hermite_held(const sbl_hermite_function *function)
{
    double phi[SBL_HERMITE_MOST_ORDER + 1];
    double least = 1.0;
    const double s = function->length * function->reach;
    const double rho = sbl_hermite_rho(s * s);
    for (int i = 0; i <= 16; i++) {
        double norm2 = 0.0;
        sbl_hermite_values(phi, function->reach * (double)i / 32.0, rho, function->order);
        for (size_t c = 0; c <= function->order; c++) norm2 += phi[c] * phi[c];
        least = fmin(least, norm2);
    }
    return least;
}

double sbl_hermite_reach(double length, size_t order)
{
    sbl_hermite_function function = {length, order, 1.0};
    double best = 1.0;
    double most = -1.0;
    for (int i = 0; i <= 80; i++) { /* 0.1 .. 40, by about 8 % */
        function.reach = 0.1 * pow(400.0, (double)i / 80.0);
        const double held = sbl_hermite_held(&function);
        if (held > most + 1e-9) {
            most = held;
            best = function.reach;
        }
    }
    /* three digits, as in a plan */
    const double unit = pow(10.0, floor(log10(best)) - 2.0);
    return rint(best / unit) * unit;
}

/* From the parameters of a plan to parts. */

/* Sums of one thread; what is more is refused before anything is allocated for it. */
#define MOST_BYTES ((uint64_t)4 << 30)

/* ---- writing ---- */

static json_t *functions_json(const sbl_hermite_function *functions, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < count; i++) {
        json_t *item =
            json_pack("[f, I, f]", functions[i].length, (json_int_t)functions[i].order, functions[i].reach);
        if (json_array_append_new(list, item) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

json_t *sbl_hermite_parameters(const sbl_hermite_options *options, json_t *columns)
{
    return json_pack("{s:s, s:I, s:f, s:o, s:o}", "mode", options->norm ? "norm" : "kernel", "levels",
                     (json_int_t)options->level_count, "pull", options->pull, "functions",
                     functions_json(options->functions, options->function_count), "columns",
                     columns != NULL ? columns : json_array());
}

json_t *sbl_hermite_product_parameters(const sbl_hermite_options *options, json_t *columns, json_t *subsets)
{
    json_t *parameters = sbl_hermite_parameters(options, columns);
    if (parameters == NULL || json_object_set_new(parameters, "subsets", subsets) != 0) {
        if (parameters == NULL) json_decref(subsets);
        json_decref(parameters);
        return NULL;
    }
    if (options->metric != NULL && options->metric->count > 0)
        parameters = sbl_json_put(parameters, "mahalanobis", sbl_metric_to_json(options->metric));
    return parameters;
}

/* ---- reading ---- */

static sbl_status read_function(sbl_hermite_function *function, const json_t *item, const char *name,
                                sbl_error *err)
{
    const json_t *length = json_array_get(item, 0);
    const json_t *order = json_array_get(item, 1);
    const json_t *reach = json_array_get(item, 2);
    if (json_array_size(item) != 3 || !json_is_number(length) || !json_is_integer(order) ||
        !json_is_number(reach))
        return sbl_fail(err, SBL_EINPUT, "feature '%s': a function must have a length, an order and a reach",
                        name);
    *function = (sbl_hermite_function){.length = json_number_value(length),
                                       .order = (size_t)json_integer_value(order),
                                       .reach = json_number_value(reach)};
    if (!(function->length >= 1e-3 && function->length <= 1e2))
        return sbl_fail(err, SBL_EARG, "a length scale is not between 0.001 and 100");
    if (json_integer_value(order) < 0 || function->order > SBL_HERMITE_MOST_ORDER)
        return sbl_fail(err, SBL_EARG, "an order is not between 0 and %d", SBL_HERMITE_MOST_ORDER);
    if (!(function->reach >= 1e-2 && function->reach <= 1e2))
        return sbl_fail(err, SBL_EARG, "a reach is not between 0.01 and 100");
    return SBL_OK;
}

static sbl_status read_functions(sbl_hermite *h, const json_t *parameters, const char *name, sbl_error *err)
{
    json_t *list;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_array(&list, parameters, "functions", name, err));
    h->function_count = json_array_size(list);
    if (h->function_count < 1 || h->function_count > SBL_HERMITE_MOST_FUNCTIONS)
        SBL_FAIL(err, SBL_EINPUT, "feature '%s': 'functions' must be a list of 1 to %d", name,
                 SBL_HERMITE_MOST_FUNCTIONS);
    SBL_ALLOC(h->functions, h->function_count, "a plan");
    for (size_t i = 0; i < h->function_count; i++)
        SBL_TRY(read_function(&h->functions[i], json_array_get(list, i), name, err));
done:
    return status;
}

static sbl_status read_head(sbl_hermite *h, const json_t *parameters, const char *name, sbl_error *err)
{
    const char *mode;
    uint64_t levels;
    SBL_CHECK(sbl_json_get_string(&mode, parameters, "mode", name, err));
    SBL_CHECK(sbl_json_get_u64(&levels, parameters, "levels", name, err));
    SBL_CHECK(sbl_json_get_double(&h->pull, parameters, "pull", name, err));
    if (strcmp(mode, "kernel") != 0 && strcmp(mode, "norm") != 0)
        return sbl_fail(err, SBL_EINPUT, "feature '%s': 'mode' must be kernel or norm", name);
    h->kernel = strcmp(mode, "kernel") == 0;
    if (levels < 2 || levels > SBL_HERMITE_MOST_LEVELS)
        return sbl_fail(err, SBL_EARG, "levels must be from 2 to %d", SBL_HERMITE_MOST_LEVELS);
    if (h->facts->kind == SBL_DATA_IMAGES && levels != 256)
        return sbl_fail(err, SBL_EARG, "a pixel has 256 levels");
    if (!(h->pull > 0 && h->pull <= 1e6))
        return sbl_fail(err, SBL_EARG, "pull must be above 0 and at most 1000000");
    h->level_count = levels;
    return read_functions(h, parameters, name, err);
}

/* A whole number below limit? */
static bool read_index(size_t *index, const json_t *item, size_t limit)
{
    const json_int_t value = json_integer_value(item);
    *index = (size_t)value;
    return json_is_integer(item) && value >= 0 && (size_t)value < limit;
}

/* ---- parts ---- */

static sbl_status allocate_parts(sbl_hermite *h, size_t parts, size_t factors, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(h->parts, parts, "a plan");
    SBL_ALLOC(h->factors, factors, "a plan");
done:
    return status;
}

static void begin_part(sbl_hermite *h)
{
    h->parts[h->part_count++] = (sbl_hermite_part){.factor = h->factor_count, .offset = h->width, .width = 1};
}

static sbl_status add_factor(sbl_hermite *h, size_t coordinate, size_t function, sbl_error *err)
{
    const sbl_record_shape *shape = &h->facts->shape;
    sbl_hermite_part *part = &h->parts[h->part_count - 1];
    const bool number = coordinate < shape->numeric || coordinate >= sbl_hermite_first_metric(h);
    const sbl_hermite_factor factor = {.coordinate = coordinate,
                                       .function = number ? function : SBL_HERMITE_ONEHOT,
                                       .width = number ? h->functions[function].order + 1
                                                       : shape->cardinalities[coordinate - shape->numeric]};
    h->factors[h->factor_count++] = factor;
    part->count++;
    if (!sbl_size_mul(&part->width, part->width, factor.width) || part->width > UINT64_C(1) << 32)
        return sbl_fail(err, SBL_EARG,
                        "the outer product of a subset has more than 2^32 numbers: use fewer columns "
                        "together, or a lower order");
    return SBL_OK;
}

/* Sums of all classes, 8 bytes each. */
static sbl_status end_part(sbl_hermite *h, sbl_error *err)
{
    h->width += h->parts[h->part_count - 1].width; /* at most 2^32 a part */
    if (h->width > MOST_BYTES / 8 / h->facts->classes)
        return sbl_fail(err, SBL_EARG,
                        "the sums of the Hermite features would take more than %llu MB: use a lower order, "
                        "or fewer or smaller subsets",
                        (unsigned long long)(MOST_BYTES >> 20));
    return SBL_OK;
}

/* Coordinate i's list of functions; NULL: all of them. */
static sbl_status add_singles(sbl_hermite *h, size_t i, const json_t *list, sbl_error *err)
{
    const size_t count = list != NULL ? json_array_size(list) : h->function_count;
    for (size_t f = 0; f < count; f++) {
        size_t function = f;
        if (list != NULL && !read_index(&function, json_array_get(list, f), h->function_count))
            return sbl_fail(err, SBL_EINPUT, "feature '%s': 'columns' names a function that does not exist",
                            SBL_HERMITE);
        begin_part(h);
        SBL_CHECK(add_factor(h, i, function, err));
        SBL_CHECK(end_part(h, err));
    }
    return SBL_OK;
}

static sbl_status take_singles(sbl_hermite *h, const json_t *parameters, sbl_error *err)
{
    json_t *columns;
    size_t parts = 0;
    const size_t d = h->facts->shape.numeric;
    SBL_CHECK(sbl_json_get_array(&columns, parameters, "columns", SBL_HERMITE, err));
    const bool all = json_array_size(columns) == 0;
    if (d == 0) return sbl_fail(err, SBL_EINPUT, "feature '%s' needs a column of numbers", SBL_HERMITE);
    if (!all && json_array_size(columns) != d)
        return sbl_fail(err, SBL_EINPUT, "feature '%s': 'columns' must have a list for each numeric column",
                        SBL_HERMITE);
    for (size_t i = 0; i < d; i++) {
        const json_t *list = json_array_get(columns, i);
        if (!all && !json_is_array(list))
            return sbl_fail(err, SBL_EINPUT, "feature '%s': 'columns' must hold lists", SBL_HERMITE);
        parts += all ? h->function_count : json_array_size(list);
    }
    if (parts == 0) return sbl_fail(err, SBL_EINPUT, "feature '%s': no column has a function", SBL_HERMITE);
    SBL_CHECK(allocate_parts(h, parts, parts, err));
    for (size_t i = 0; i < d; i++) SBL_CHECK(add_singles(h, i, all ? NULL : json_array_get(columns, i), err));
    return SBL_OK;
}

static sbl_status add_subset(sbl_hermite *h, const json_t *subset, const json_t *columns, sbl_error *err)
{
    begin_part(h);
    for (size_t k = 0; k < json_array_size(subset); k++) {
        size_t coordinate, function = 0;
        if (!read_index(&coordinate, json_array_get(subset, k), sbl_hermite_first_metric(h)))
            return sbl_fail(err, SBL_EINPUT, "feature '%s': 'subsets' names a column that does not exist",
                            SBL_HERMITE_PRODUCT);
        if (coordinate < h->facts->shape.numeric && json_array_size(columns) > 0)
            function = (size_t)json_integer_value(json_array_get(columns, coordinate));
        SBL_CHECK(add_factor(h, coordinate, function, err));
    }
    return end_part(h, err);
}

/* The last functions are those of the metric's coordinates. */
static sbl_status add_metric(sbl_hermite *h, sbl_error *err)
{
    if (h->metric.count == 0) return SBL_OK;
    begin_part(h);
    for (size_t j = 0; j < h->metric.count; j++)
        SBL_CHECK(
            add_factor(h, sbl_hermite_first_metric(h) + j, h->function_count - h->metric.count + j, err));
    return end_part(h, err);
}

static sbl_status read_metric(sbl_hermite *h, const json_t *parameters, sbl_error *err)
{
    const json_t *metric = json_object_get(parameters, "mahalanobis");
    if (metric == NULL) return SBL_OK;
    SBL_CHECK(sbl_metric_from_json(&h->metric, metric, h->facts->shape.numeric, SBL_HERMITE_PRODUCT, err));
    return h->metric.count < h->function_count
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "feature '%s': 'mahalanobis' has more columns than functions",
                          SBL_HERMITE_PRODUCT);
}

static sbl_status take_subsets(sbl_hermite *h, const json_t *parameters, sbl_error *err)
{
    json_t *columns, *subsets;
    size_t factors = 0, unused;
    SBL_CHECK(sbl_json_get_array(&columns, parameters, "columns", SBL_HERMITE_PRODUCT, err));
    SBL_CHECK(sbl_json_get_array(&subsets, parameters, "subsets", SBL_HERMITE_PRODUCT, err));
    SBL_CHECK(read_metric(h, parameters, err));
    if (json_array_size(columns) != 0 && json_array_size(columns) != h->facts->shape.numeric)
        return sbl_fail(err, SBL_EINPUT,
                        "feature '%s': 'columns' must have a function for each numeric column",
                        SBL_HERMITE_PRODUCT);
    for (size_t i = 0; i < json_array_size(columns); i++)
        if (!read_index(&unused, json_array_get(columns, i), h->function_count))
            return sbl_fail(err, SBL_EINPUT, "feature '%s': 'columns' names a function that does not exist",
                            SBL_HERMITE_PRODUCT);
    if (json_array_size(subsets) == 0 && h->metric.count == 0)
        return sbl_fail(err, SBL_EINPUT, "feature '%s' needs a subset", SBL_HERMITE_PRODUCT);
    for (size_t p = 0; p < json_array_size(subsets); p++) {
        const size_t size = json_array_size(json_array_get(subsets, p));
        if (size < 1 || size > SBL_HERMITE_MOST_SIZE)
            return sbl_fail(err, SBL_EINPUT, "feature '%s': a subset must have 1 to %d columns",
                            SBL_HERMITE_PRODUCT, SBL_HERMITE_MOST_SIZE);
        factors += size;
    }
    SBL_CHECK(allocate_parts(h, json_array_size(subsets) + 1, factors + h->metric.count, err));
    for (size_t p = 0; p < json_array_size(subsets); p++)
        SBL_CHECK(add_subset(h, json_array_get(subsets, p), columns, err));
    return add_metric(h, err);
}

/* A part names a coordinate once, in either mode. */
static sbl_status check_subsets(const sbl_hermite *h, sbl_error *err)
{
    for (size_t p = 0; p < h->part_count; p++)
        for (size_t i = 0; i < h->parts[p].count; i++)
            for (size_t j = 0; j < i; j++)
                if (h->factors[h->parts[p].factor + i].coordinate ==
                    h->factors[h->parts[p].factor + j].coordinate)
                    return sbl_fail(err, SBL_EINPUT, "feature '%s': a subset has a column twice",
                                    SBL_HERMITE_PRODUCT);
    return SBL_OK;
}

sbl_status sbl_hermite_parts_read(sbl_hermite *h, const sbl_facts *facts, const json_t *parameters,
                                  bool product, sbl_error *err)
{
    const char *name = product ? SBL_HERMITE_PRODUCT : SBL_HERMITE;
    *h = (sbl_hermite){.facts = facts, .name = name};
    const bool metric = product && json_object_get(parameters, "mahalanobis") != NULL;
    SBL_CHECK(sbl_parameters_are(parameters, (product ? 6 : 5) + (size_t)metric, name, err));
    SBL_CHECK(read_head(h, parameters, name, err));
    SBL_CHECK(product ? take_subsets(h, parameters, err) : take_singles(h, parameters, err));
    return check_subsets(h, err);
}

void sbl_hermite_parts_clear(sbl_hermite *h)
{
    sbl_free(h->functions);
    sbl_free(h->factors);
    sbl_free(h->parts);
}
