/* SPDX-License-Identifier: Apache-2.0 */
/* The public side of the ledger: making one, and looking at one (include/semblance/ledger.h). */
#include "run/api/ledger_api.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/file.h"
#include "base/kinds.h"
#include "base/text.h"
#include "door/ledger/ledger_line.h"
#include "door/ledger/ledger_read.h"
#include "door/privatise/privatise.h"
#include "records/source/data_source.h"
#include "run/pipeline/ledger_place.h"
#include "semblance/files.h"

/* ---- making ---- */

static sbl_status copy_number(char at[SBL_BUDGET_TEXT_SIZE], const char *text, const char *name,
                              sbl_error *err)
{
    if (text == NULL || strlen(text) >= SBL_BUDGET_TEXT_SIZE)
        return sbl_fail(err, SBL_EARG, "%s must be a number of at most %d characters", name,
                        SBL_BUDGET_TEXT_SIZE - 1);
    memcpy(at, text, strlen(text) + 1);
    return SBL_OK;
}

static sbl_status read_options(sbl_budget *budget, const sbl_ledger_options *options, sbl_error *err)
{
    double delta = 0.0;
    if (options->neighbours != SBL_REPLACE_ONE && options->neighbours != SBL_ADD_REMOVE)
        return sbl_fail(err, SBL_EARG, "neighbours must be replace-one or add-remove");
    SBL_CHECK(copy_number(budget->epsilon, options->epsilon != NULL ? options->epsilon : SBL_NO_LIMIT,
                          "epsilon", err));
    SBL_CHECK(copy_number(budget->delta, options->pure ? "0" : options->delta, "delta", err));
    SBL_CHECK(sbl_budget_validate(budget, err));
    (void)sbl_text_to_double(&delta, budget->delta);
    if (!options->pure && delta == 0.0)
        return sbl_fail(err, SBL_EARG,
                        "delta must be above 0 and below 1; for delta 0 ask for a pure budget");
    SBL_CHECK(sbl_delta_check(delta, 0, err));
    /* A limit is rounded down, against the spender. */
    SBL_CHECK(sbl_fixed96_from_double_down(&budget->mu2, options->mu * options->mu, err));
    if (options->mu < 0.0 || (options->mu > 0.0 && budget->mu2 == 0))
        return sbl_fail(err, SBL_EARG, "mu must be positive, or 0 for no limit");
    return SBL_OK;
}

/* From now on the tables of a package lead to the new ledger, as after a first release. A file that is not a
 * package has no tables, and if a table already has a ledger the next run says so. */
static void link_tables(const char *path)
{
    const sbl_data_options as_package = {
        .struct_size = sizeof as_package, .package = true, .allow_outside = true};
    const char *tables[SBL_MOST_TABLES];
    sbl_ledger_choice choice = {.is_there = true, .beside = true};
    sbl_text package = {0};
    sbl_data *data = NULL;
    sbl_text_printf(&choice.path, "%s", path);
    if (sbl_path_ends_in(path, ".json" SBL_ENDING_LEDGER)) {
        sbl_text_append(&package, path, strlen(path) - strlen(SBL_ENDING_LEDGER));
        if (!choice.path.failed && !package.failed &&
            sbl_data_open(&data, package.data, &as_package, NULL) == SBL_OK) {
            const sbl_data_places places = {package.data, tables, sbl_data_tell(data).tables};
            for (size_t t = 0; t < places.table_count; t++) tables[t] = sbl_data_table_path(data, t);
            (void)sbl_ledger_link(&choice, &places, NULL);
        }
    }
    sbl_data_free(data);
    sbl_text_clear(&package);
    sbl_text_clear(&choice.path);
}

sbl_status sbl_ledger_init(const char *path, const sbl_ledger_options *theirs, sbl_error *err)
{
    sbl_ledger_options options = {.struct_size = sizeof options};
    sbl_ledger_facts facts = {.rows_per_unit = 1, .test_key = sbl_door_is_test_build()};
    SBL_CHECK(sbl_need(path, "path", err));
    SBL_CHECK(sbl_struct_take(&options, sizeof options, theirs, "options", err));
    SBL_CHECK(read_options(&facts.budget, &options, err));
    facts.neighbours = options.neighbours;
    facts.by_person = options.rows_per_unit != 0;
    if (facts.by_person) facts.rows_per_unit = options.rows_per_unit;
    if (facts.rows_per_unit > SBL_ROWS_PER_UNIT_MAX)
        return sbl_fail(err, SBL_EARG, "at most %d rows per person can be counted", SBL_ROWS_PER_UNIT_MAX);
    SBL_CHECK(sbl_ledger_create(sbl_file_item(path), &facts, err));
    link_tables(path);
    return SBL_OK;
}

/* Without options: what holds in the old ledger, so the first period's limit is that of each. */
static sbl_status facts_of_next(sbl_ledger_facts *facts, const char *old, const sbl_ledger_options *theirs,
                                sbl_error *err)
{
    sbl_ledger_options options = {.struct_size = sizeof options};
    sbl_ledger_view view = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_ledger_read(&view, sbl_file_item(old), err));
    facts->budget = view.budget;
    facts->rows_per_unit = view.facts.rows_per_unit;
    if (theirs == NULL) goto done;
    SBL_TRY(sbl_struct_take(&options, sizeof options, theirs, "options", err));
    SBL_TRY(read_options(&facts->budget, &options, err));
    if (options.rows_per_unit != 0) facts->rows_per_unit = options.rows_per_unit;
    if (facts->rows_per_unit > SBL_ROWS_PER_UNIT_MAX)
        SBL_FAIL(err, SBL_EARG, "at most %d rows per person can be counted", SBL_ROWS_PER_UNIT_MAX);
done:
    sbl_ledger_view_clear(&view);
    return status;
}

sbl_status sbl_ledger_next_period(const char *old, const char *next, const sbl_ledger_options *options,
                                  const char *reason, sbl_error *err)
{
    sbl_ledger_facts facts = {.test_key = sbl_door_is_test_build()};
    SBL_CHECK(sbl_need(old, "old", err));
    SBL_CHECK(sbl_need(next, "next", err));
    SBL_CHECK(sbl_need(reason, "reason", err));
    SBL_CHECK(facts_of_next(&facts, old, options, err));
    SBL_CHECK(sbl_ledger_succeed(sbl_file_item(old), sbl_file_item(next), &facts, reason, err));
    link_tables(next);
    return SBL_OK;
}

sbl_status sbl_ledger_limit(const char *path, const sbl_ledger_options *theirs, sbl_error *err)
{
    sbl_ledger_options options = {.struct_size = sizeof options};
    sbl_budget budget = {0};
    SBL_CHECK(sbl_need(path, "path", err));
    SBL_CHECK(sbl_struct_take(&options, sizeof options, theirs, "options", err));
    SBL_CHECK(read_options(&budget, &options, err));
    return sbl_ledger_append_limit(sbl_file_item(path), &budget, err);
}

/* The number of noise integers that the release would have had is unknown: assume more than any has. */
#define STATED_DRAWS (UINT64_C(1) << 40)

sbl_status sbl_ledger_repair(const char *path, double mu, double pure_epsilon, sbl_error *err)
{
    sbl_charge stated = {.draws = mu > 0.0 ? STATED_DRAWS : 0};
    SBL_CHECK(sbl_need(path, "path", err));
    SBL_CHECK(sbl_fixed96_from_double_up(&stated.mu2, nextafter(mu * mu, INFINITY), err));
    SBL_CHECK(sbl_fixed96_from_double_up(&stated.eps0, pure_epsilon, err));
    if (mu == 0.0) stated.mu2 = 0;
    return sbl_ledger_append_repair(sbl_file_item(path), mu > 0.0 || pure_epsilon > 0.0 ? &stated : NULL,
                                    err);
}

/* ---- looking ---- */

sbl_status sbl_data_ledger(char **path, const sbl_data *data, sbl_error *err)
{
    const char *tables[SBL_MOST_TABLES];
    sbl_ledger_choice choice = {0};
    sbl_status status = SBL_OK;
    if (path != NULL) *path = NULL;
    SBL_NEED(path);
    SBL_NEED(data);
    const sbl_data_about about = sbl_data_tell(data);
    const sbl_data_places places = {about.path, tables, about.tables};
    for (size_t t = 0; t < about.tables; t++) tables[t] = sbl_data_table_path(data, t);
    SBL_TRY(sbl_ledger_choose(&choice, (sbl_store_entry){0}, &places, sbl_file_item("-"), err));
    if (!choice.fell_back) SBL_TRY(sbl_copy_text(path, choice.path.data, "a file name", err));
done:
    sbl_text_clear(&choice.path);
    return status;
}

sbl_status sbl_ledger_open(sbl_ledger **ledger, const char *path, sbl_error *err)
{
    if (ledger == NULL || path == NULL)
        return sbl_fail(err, SBL_EARG, "a ledger needs a path and an output argument");
    *ledger = NULL;
    sbl_ledger *made = sbl_alloc_array(1, sizeof *made);
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory while reading %s", path);
    const sbl_status status = sbl_ledger_read(&made->view, sbl_file_item(path), err);
    if (status != SBL_OK) {
        sbl_ledger_close(made);
        return status;
    }
    sbl_hex_encode(made->head, made->view.head, sizeof made->view.head);
    (void)sbl_text_to_double(&made->delta, made->view.budget.delta);
    *ledger = made;
    return SBL_OK;
}

void sbl_ledger_close(sbl_ledger *ledger)
{
    if (ledger == NULL) return;
    sbl_ledger_view_clear(&ledger->view);
    sbl_free(ledger);
}

static double mu_of(sbl_u128 mu2)
{
    return mu2 == 0 ? 0.0 : nextafter(sqrt(sbl_fixed96_to_double_up(mu2)), INFINITY);
}

/* Would one more release of this much, in one draw, fit the budget? */
static bool fits(const sbl_ledger_view *view, sbl_mechanism mechanism, sbl_u128 amount)
{
    sbl_charge charge = {0};
    sbl_totals totals = view->totals;
    if (mechanism == SBL_DISCRETE_GAUSSIAN) {
        charge.mu2 = amount;
        charge.draws = 1;
    } else {
        charge.eps0 = amount;
    }
    return sbl_totals_add(&totals, &charge) && sbl_budget_check(&view->budget, &totals, NULL) == SBL_OK;
}

/* The largest mu^2 or eps0 that fits, bit by bit; the budget decides, so that what is shown as left
 * is what a release will be granted. */
static sbl_u128 largest_that_fits(const sbl_ledger_view *view, sbl_mechanism mechanism)
{
    sbl_u128 amount = 0;
    for (int bit = 127; bit >= 0; bit--) {
        const sbl_u128 more = amount | (sbl_u128)1 << bit;
        if (fits(view, mechanism, more)) amount = more;
    }
    return amount;
}

static void fill_left(sbl_ledger_summary *summary, const sbl_ledger_view *view)
{
    const bool unlimited =
        strcmp(view->budget.epsilon, "inf") == 0 || strcmp(view->budget.epsilon, SBL_NO_LIMIT) == 0;
    if (view->torn || view->exhausted || view->next[0] != '\0') return; /* nothing */
    summary->epsilon_left = sbl_budget_epsilon_left(&view->budget, &view->totals);
    summary->pure_left = INFINITY;
    summary->mu_left = INFINITY;
    if (!unlimited)
        summary->pure_left = sbl_fixed96_to_double_down(largest_that_fits(view, SBL_DISCRETE_LAPLACE));
    if (unlimited && view->budget.mu2 == 0) return;
    const sbl_u128 mu2 = largest_that_fits(view, SBL_DISCRETE_GAUSSIAN);
    summary->mu_left = nextafter(sqrt(sbl_fixed96_to_double_down(mu2)), 0.0);
}

static sbl_status fill_all(sbl_ledger_summary *summary, const sbl_ledger *ledger, sbl_error *err)
{
    sbl_totals all;
    SBL_CHECK(sbl_ledger_all_periods(&all, &ledger->view.facts.past, &ledger->view.totals, err));
    summary->mu_all = mu_of(all.charge.mu2);
    summary->pure_all = sbl_fixed96_to_double_up(all.charge.eps0);
    summary->releases_all = all.releases;
    return sbl_totals_epsilon(&summary->epsilon_all, &all, ledger->delta, err);
}

/* Copy as much of a filled struct as the caller's version of it has room for. */
static sbl_status hand_out(void *to, const void *from, size_t from_size, sbl_error *err)
{
    size_t size;
    memcpy(&size, to, sizeof size);
    if (size < sizeof size || size > from_size)
        return sbl_fail(err, SBL_EARG, "struct_size is not set to the size of the struct");
    memcpy((char *)to + sizeof size, (const char *)from + sizeof size, size - sizeof size);
    return SBL_OK;
}

sbl_status sbl_ledger_get_summary(const sbl_ledger *ledger, sbl_ledger_summary *summary, sbl_error *err)
{
    if (ledger == NULL || summary == NULL)
        return sbl_fail(err, SBL_EARG, "the ledger or the argument for its summary is NULL");
    const sbl_ledger_view *view = &ledger->view;
    const sbl_totals *totals = &view->totals;
    sbl_ledger_summary filled = {
        .id = view->id,
        .created = view->created,
        .head = ledger->head,
        .epsilon = view->budget.epsilon,
        .delta = view->budget.delta,
        .mu_limit = sqrt(sbl_fixed96_to_double_down(view->budget.mu2)),
        .neighbours = view->facts.neighbours,
        .test_key = view->facts.test_key,
        .torn = view->torn,
        .exhausted = view->exhausted,
        .line_count = view->line_count,
        .releases = totals->releases,
        .mu_spent = mu_of(totals->charge.mu2),
        .pure_spent = sbl_fixed96_to_double_up(totals->charge.eps0),
        .delta_spent = sbl_fixed96_to_double_up(totals->charge.delta),
        .by_person = view->facts.by_person,
        .rows_per_unit = view->facts.rows_per_unit,
        .earlier_periods = view->facts.past.periods,
        .predecessor = view->facts.past.periods != 0 ? view->facts.past.id : "",
        .successor = view->next,
    };
    SBL_CHECK(sbl_totals_epsilon(&filled.epsilon_spent, totals, ledger->delta, err));
    SBL_CHECK(fill_all(&filled, ledger, err));
    fill_left(&filled, view);
    return hand_out(summary, &filled, sizeof filled, err);
}

static const char *state_of(const sbl_ledger_line *line)
{
    if (line->op == SBL_LEDGER_REPAIR) return "repaired";
    if (line->op != SBL_LEDGER_RESERVE) return "";
    if (line->committed) return "committed";
    return line->voided ? "void" : "open";
}

sbl_status sbl_ledger_get_record(const sbl_ledger *ledger, sbl_ledger_record *record, size_t index,
                                 sbl_error *err)
{
    if (ledger == NULL || record == NULL || index >= ledger->view.line_count)
        return sbl_fail(err, SBL_EARG, "the ledger has no line %zu", index);
    const sbl_ledger_line *line = &ledger->view.lines[index];
    const sbl_charge *charge = &line->entry.charge;
    const bool reserves = line->op == SBL_LEDGER_RESERVE;
    const bool succeeds = line->op == SBL_LEDGER_SUCCEED;
    sbl_ledger_record filled = {
        .seq = line->seq,
        .op = sbl_ledger_op_name(line->op),
        .rid = line->rid,
        .name = line->op == SBL_LEDGER_REPAIR ? "(torn line)" : line->entry.name,
        .mechanism = reserves ? sbl_mechanism_name(line->entry.mechanism) : "",
        .state = state_of(line),
        .time = line->time,
        .n = line->entry.n,
        .draws = charge->draws,
        .mu = mu_of(charge->mu2),
        .pure_epsilon = sbl_fixed96_to_double_up(charge->eps0),
        .mu_total = mu_of(line->totals.charge.mu2),
        .pure_total = sbl_fixed96_to_double_up(line->totals.charge.eps0),
        .who = line->entry.who,
        .title = succeeds ? line->why : line->entry.title,
        .successor = line->next,
    };
    const sbl_status status = sbl_totals_epsilon(&filled.epsilon_total, &line->totals, ledger->delta, err);
    if (status != SBL_OK) return status;
    return hand_out(record, &filled, sizeof filled, err);
}
