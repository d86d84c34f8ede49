/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths become functions: a column's length sets rho of its kernel (public/features/hermite_basis.h), and
 * its order is the given one or the least that holds most of the kernel. */
#include "run/methods/hp_functions.h"

#include "base/alloc.h"
#include "public/options/option_row.h"
#include "public/options/option_values.h"
#include "run/methods/hermite_sum.h"
#include "run/methods/kernel_lengths.h"
#include "run/methods/kernel_matrix.h"
#include "run/methods/method.h"

#define HELD 0.9 /* of the kernel, by the least order that is taken by itself */

static const sbl_option_range any_order = {1, 500, false, "a whole number from 1 to 500"};

const sbl_option sbl_option_lengths = SBL_SETTING(
    "lengths", SBL_OPTION_TEXT, "LIST", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
    "length scales of the sum kernel, in units of a column's range, with :ORDER and COLUMN= if wanted: "
    "0.1,0.4:5,age=0.05:40",
    SBL_STANDARD_EACH("0.02,0.1,0.4", "0.1,0.4"));
const sbl_option sbl_option_order =
    SBL_SETTING("order", SBL_OPTION_WHOLE, "C", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "order of the sum kernel's Hermite features", .range = &any_order,
                SBL_STANDARD_WORDS("what holds 0.9 of the kernel of each length"));
const sbl_option sbl_option_product_length = SBL_SETTING(
    "product-length", SBL_OPTION_TEXT, "LIST", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
    "length scale of the product kernel, in the same way: 0.2,age=0.05:40", SBL_STANDARD_EACH("0.1", "0.3"));
const sbl_option sbl_option_product_order =
    SBL_SETTING("product-order", SBL_OPTION_WHOLE, "C", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "order of the product kernel's Hermite features", .range = &any_order,
                SBL_STANDARD_WORDS("what holds 0.9 of its kernel"));

void sbl_hp_functions_clear(sbl_hp_functions *functions)
{
    json_decref(functions->columns);
    *functions = (sbl_hp_functions){0};
}

/* The least order that holds most of the kernel of a length, at its best reach. */
static size_t order_of(double length)
{
    size_t order = 1;
    for (; order < SBL_HERMITE_MOST_ORDER; order += 1 + order / 8) {
        const sbl_hermite_function f = {length, order, sbl_hermite_reach(length, order)};
        if (sbl_hermite_held(&f) >= HELD) break;
    }
    return order;
}

/* The place of a function of this length and order (0: by the rule). It is added if it is not there, or if `anew`. */
static sbl_status place_function(size_t *place, sbl_hp_functions *made, double length, uint64_t order,
                                 bool anew, const char *option, sbl_error *err)
{
    const size_t taken = order != 0 ? (size_t)order : order_of(length);
    for (*place = anew ? made->count : 0; *place < made->count; ++*place)
        if (made->list[*place].length == length && made->list[*place].order == taken) return SBL_OK;
    if (made->count == SBL_HERMITE_MOST_FUNCTIONS)
        return sbl_fail(err, SBL_EARG, "%s takes at most %d lengths and orders", option,
                        SBL_HERMITE_MOST_FUNCTIONS);
    made->list[made->count++] = (sbl_hermite_function){length, taken, sbl_hermite_reach(length, taken)};
    return SBL_OK;
}

/* The functions of one column, or of all that are not named, as a list of places. */
static sbl_status take_column(json_t **list, sbl_hp_functions *made, const sbl_kernel_lengths *lengths,
                              size_t column, uint64_t order, const char *option, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *list = json_array();
    for (size_t i = 0; i < lengths->count; i++) {
        const sbl_kernel_length *item = &lengths->items[i];
        size_t place;
        if (item->column != column) continue;
        SBL_TRY(place_function(&place, made, item->length, item->order != 0 ? item->order : order,
                               column == SBL_EVERY_COLUMN, option, err));
        *list = sbl_json_append(*list, json_integer((json_int_t)place));
    }
    if (*list == NULL) status = sbl_no_memory(err, "a plan");
done:
    return status;
}

/* A list of places for every number; one: its only place instead. */
static sbl_status take_columns(sbl_hp_functions *made, const sbl_kernel_lengths *lengths,
                               const json_t *general, const sbl_facts *facts, bool one, uint64_t order,
                               const char *option, sbl_error *err)
{
    made->columns = json_array();
    for (size_t i = 0; i < facts->shape.numeric; i++) {
        json_t *list = NULL;
        const sbl_status status = take_column(&list, made, lengths, i, order, option, err);
        if (status != SBL_OK) {
            json_decref(list);
            return status;
        }
        const json_t *own = json_array_size(list) > 0 ? list : general;
        made->columns =
            sbl_json_append(made->columns, one ? json_integer(json_integer_value(json_array_get(own, 0)))
                                               : json_copy((json_t *)own));
        json_decref(list);
    }
    return made->columns != NULL ? SBL_OK : sbl_no_memory(err, "a plan");
}

/* The given list; where it names columns alone, the usual lengths are the others'. */
static sbl_status read_functions(sbl_hp_functions *made, const sbl_facts *facts,
                                 const sbl_synth_options *options, const sbl_option *option, uint64_t order,
                                 bool one, sbl_error *err)
{
    const sbl_data_kinds kind = sbl_kinds_of(facts);
    sbl_kernel_lengths lengths = {0}, usual = {0};
    const sbl_kernel_lengths *others = &lengths;
    json_t *general = NULL;
    sbl_status status = SBL_OK;
    *made = (sbl_hp_functions){0};
    SBL_TRY(sbl_kernel_lengths_read(&lengths, sbl_setting_text(options, option, kind), true, option->name,
                                    facts, err));
    if (one) SBL_TRY(sbl_kernel_lengths_once(&lengths, option->name, err));
    if (one && sbl_kernel_lengths_general(&lengths) > 1)
        SBL_FAIL(err, SBL_EARG, "%s takes one number for all columns", option->name);
    if (sbl_kernel_lengths_general(&lengths) == 0) {
        SBL_TRY(sbl_kernel_lengths_read(&usual, kind == SBL_IMAGES ? option->of_images : option->of_tables,
                                        true, option->name, facts, err));
        others = &usual;
    }
    SBL_TRY(take_column(&general, made, others, SBL_EVERY_COLUMN, order, option->name, err));
    if (sbl_kernel_lengths_general(&lengths) < lengths.count)
        SBL_TRY(take_columns(made, &lengths, general, facts, one, order, option->name, err));
done:
    json_decref(general);
    sbl_kernel_lengths_clear(&lengths);
    sbl_kernel_lengths_clear(&usual);
    if (status != SBL_OK) sbl_hp_functions_clear(made);
    return status;
}

sbl_status sbl_hp_sum_functions(sbl_hp_functions *made, const sbl_facts *facts,
                                const sbl_synth_options *options, sbl_error *err)
{
    const uint64_t order = sbl_setting_whole(options, &sbl_option_order, sbl_kinds_of(facts));
    return read_functions(made, facts, options, &sbl_option_lengths, order, false, err);
}

/* Column j of the factor is a coordinate whose kernel has length 1; its range is public, too. */
static sbl_status take_metric(sbl_hp_functions *made, uint64_t order, sbl_error *err)
{
    const char *option = sbl_option_mahalanobis.name;
    for (size_t j = 0; j < made->metric.count; j++) {
        double low, range;
        sbl_metric_bounds(&low, &range, &made->metric, j);
        const double length = 1.0 / range;
        if (!(length >= SBL_LENGTH_LEAST && length <= SBL_LENGTH_MOST))
            return sbl_fail(err, SBL_EARG, "%s: the lengths of the matrix must be from %g to %g of a range",
                            option, SBL_LENGTH_LEAST, SBL_LENGTH_MOST);
        if (made->count == SBL_HERMITE_MOST_FUNCTIONS)
            return sbl_fail(err, SBL_EARG,
                            "%s and product-length have more than %d functions in total: use fewer lengths "
                            "or lower orders",
                            option, SBL_HERMITE_MOST_FUNCTIONS);
        const size_t taken = order != 0 ? (size_t)order : order_of(length);
        made->list[made->count++] = (sbl_hermite_function){length, taken, sbl_hermite_reach(length, taken)};
    }
    return SBL_OK;
}

sbl_status sbl_hp_product_functions(sbl_hp_functions *made, const sbl_facts *facts,
                                    const sbl_synth_options *options, sbl_error *err)
{
    const uint64_t order = sbl_setting_whole(options, &sbl_option_product_order, sbl_kinds_of(facts));
    sbl_status status = SBL_OK;
    SBL_CHECK(read_functions(made, facts, options, &sbl_option_product_length, order, true, err));
    SBL_TRY(sbl_kernel_matrix(&made->metric, facts, options, err));
    SBL_TRY(take_metric(made, order, err));
done:
    if (status != SBL_OK) sbl_hp_functions_clear(made);
    return status;
}

double sbl_hp_number_width(const sbl_hp_functions *functions, size_t i)
{
    const json_t *own = json_array_get(functions->columns, i);
    double width = 0.0;
    if (json_is_integer(own)) return (double)(functions->list[json_integer_value(own)].order + 1);
    const size_t plain = functions->count - functions->metric.count;
    const size_t count = own != NULL ? json_array_size(own) : plain;
    for (size_t f = 0; f < count; f++) {
        const size_t place = own != NULL ? (size_t)json_integer_value(json_array_get(own, f)) : f;
        width += (double)(functions->list[place].order + 1);
    }
    return width;
}

double sbl_hp_metric_width(const sbl_hp_functions *functions)
{
    double width = functions->metric.count > 0 ? 1.0 : 0.0;
    for (size_t f = functions->count - functions->metric.count; f < functions->count; f++)
        width *= (double)(functions->list[f].order + 1);
    return width;
}
