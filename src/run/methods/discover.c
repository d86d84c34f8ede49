/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of after/discover/discovery.h: the questions about every cell, the plan that states them, and the
 * shares of the remaining rounds. Nothing is kept between rounds: each round derives its state from the
 * releases so far, so a stopped run continues as it began. */
#include "run/methods/discover.h"

#include <string.h>

#include "after/discover/discovery.h"
#include "base/alloc.h"
#include "public/account/survival.h"
#include "public/rows/text_cell.h"
#include "records/features/counts.h"

static const char *const also_public[] = {"the header: number and names of the columns",
                                          "how the file divides into records",
                                          "which texts mean that a value is missing", NULL};

/* ---- facts ---- */

/* For a round: the columns with the answers it asks for. The step of keys asks for texts, and
 * its facts are those of the votes. */
static sbl_status facts_of_answers(sbl_facts *facts, const sbl_probe *probes, bool texts,
                                   const sbl_strings *names, const sbl_dialect *dialect, sbl_error *err)
{
    sbl_probe *asked = NULL;
    sbl_schema *schema = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(asked, names->count, "a plan");
    for (size_t c = 0; c < names->count; c++) {
        if (probes != NULL) asked[c] = probes[c];
        if (texts) asked[c].kind = SBL_PROBE_TYPE;
    }
    SBL_TRY(sbl_probe_schema(&schema, asked, names, dialect, err));
    SBL_TRY(sbl_facts_of_table(facts, schema, err));
done:
    sbl_free(asked);
    return status;
}

sbl_status sbl_discover_header(sbl_facts *header, const sbl_strings *names, const sbl_written *written,
                               sbl_error *err)
{
    const sbl_status status = facts_of_answers(header, NULL, true, names, &written->dialect, err);
    for (size_t c = 0; status == SBL_OK && c < names->count; c++) {
        header->declared->columns[c].decimal_char = written->decimal_char;
        header->declared->columns[c].group_char = written->group_char;
    }
    return status;
}

/* What is known after the releases of the rounds so far. */
static sbl_status conclude(sbl_discovery *discovery, const sbl_facts *header, const sbl_round *rounds,
                           size_t count, sbl_error *err)
{
    const sbl_schema *schema = header->declared;
    sbl_strings names = {0};
    const sbl_written written = {schema->dialect, schema->columns[0].decimal_char,
                                 schema->columns[0].group_char};
    sbl_status status = SBL_OK;
    if (!sbl_strings_reserve(&names, schema->column_count)) SBL_TRY(sbl_no_memory(err, "a plan"));
    for (size_t c = 0; c < schema->column_count; c++)
        if (!sbl_strings_add(&names, schema->columns[c].name)) SBL_TRY(sbl_no_memory(err, "a plan"));
    SBL_TRY(sbl_discovery_init(discovery, &names, &written, err));
    for (size_t i = 0; i < count; i++) SBL_TRY(sbl_discovery_take(discovery, rounds[i].release, err));
done:
    sbl_strings_clear(&names);
    return status;
}

/* ---- plans ---- */

static json_t *names_of_texts(const sbl_discovery *discovery)
{
    json_t *list = json_array();
    for (size_t i = 0; i < discovery->text_count; i++)
        list = sbl_json_append(list, json_string(discovery->names.items[discovery->texts[i]]));
    return list;
}

/* The fewest bits that the delta reserved for keys allows for this number of columns. */
static sbl_status bits_of_keys(unsigned *bits, size_t columns, const sbl_synth_options *options,
                               sbl_error *err)
{
    sbl_u128 most;
    const sbl_status status =
        sbl_fixed96_from_double_down(&most, SBL_DISCOVER_KEYS_PART * options->delta, err);
    if (status != SBL_OK) return status;
    *bits = sbl_survival_bits(most, columns, options->neighbours);
    return *bits != 0
               ? SBL_OK
               : sbl_fail(err, SBL_EARG,
                          "delta is too small to discover categories: use a larger delta, or give a schema");
}

/* The format of numbers decides what is counted: it is in the plan, unless it is the usual one. */
static sbl_status plan_marks(sbl_plan *plan, const sbl_written *written, sbl_error *err)
{
    if (written->decimal_char != '.')
        SBL_CHECK(sbl_plan_set(plan, "decimalChar", json_stringn(&written->decimal_char, 1), err));
    if (written->group_char != 0)
        SBL_CHECK(sbl_plan_set(plan, "groupChar", json_stringn(&written->group_char, 1), err));
    return SBL_OK;
}

static sbl_status plan_step(sbl_plan *plan, const sbl_discovery *discovery, unsigned survival_bits,
                            sbl_error *err)
{
    const char *step = sbl_discover_step_name(discovery->step);
    SBL_CHECK(sbl_plan_set(plan, "step", json_string(step), err));
    SBL_CHECK(plan_marks(plan, &discovery->written, err));
    if (discovery->step == SBL_DISCOVER_KEYS)
        return sbl_plan_add(plan, "keys",
                            json_pack("{s:o, s:i, s:i}", "columns", names_of_texts(discovery), "longest",
                                      SBL_TEXT_LONGEST, "survival_bits", (int)survival_bits),
                            1.0, err);
    SBL_CHECK(sbl_plan_set(plan, "bins", sbl_discovery_probes(discovery), err));
    return sbl_plan_add(plan, "cells", sbl_bins_parameters(1, 1), 1.0, err);
}

static sbl_status ask(sbl_asked *asked, sbl_plan *plan, const sbl_facts *header,
                      const sbl_synth_options *options, const sbl_round *rounds, size_t count, sbl_error *err)
{
    sbl_discovery discovery = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(conclude(&discovery, header, rounds, count, err));
    asked->rounds = sbl_discovery_shares(asked->shares, &discovery, options->discover_share);
    if (discovery.step == SBL_DISCOVER_DONE) goto done;
    const bool texts = discovery.step == SBL_DISCOVER_KEYS;
    plan->share = asked->shares[0];
    if (texts) SBL_TRY(bits_of_keys(&asked->survival_bits, discovery.text_count, options, err));
    SBL_TRY(plan_step(plan, &discovery, asked->survival_bits, err));
    SBL_TRY(facts_of_answers(&asked->facts, discovery.probes, texts, &discovery.names,
                             &discovery.written.dialect, err));
    asked->probes = discovery.probes;
    asked->text_count = texts ? discovery.text_count : 0;
    discovery.probes = NULL;
done:
    sbl_discovery_clear(&discovery);
    return status;
}

sbl_status sbl_discover_check_commas(const sbl_facts *header, const sbl_round *votes, const char *where,
                                     sbl_error *err)
{
    sbl_discovery discovery = {0};
    size_t count;
    sbl_status status = SBL_OK;
    SBL_TRY(conclude(&discovery, header, votes, 1, err));
    const char *first = sbl_discovery_commas(&count, &discovery);
    if (first != NULL)
        status = sbl_fail_hint(
            err, SBL_EINPUT, SBL_HINT_COMMAS, NULL,
            "%s: by the first release column '%s'%s holds numbers with a comma, which would become "
            "categories; the rest of the budget was not spent: tell whether the comma is their "
            "decimal mark",
            where, first, count > 1 ? " and others" : "");
done:
    sbl_discovery_clear(&discovery);
    return status;
}

/* ---- the end ---- */

sbl_status sbl_discover_conclude(char **text, sbl_schema **schema, sbl_text *remarks, const sbl_facts *header,
                                 const sbl_round *rounds, size_t count, json_t *origin, sbl_error *err)
{
    sbl_discovery discovery = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(conclude(&discovery, header, rounds, count, err));
    sbl_discovery_remark(remarks, &discovery);
    status = sbl_discovery_finish(text, schema, &discovery, origin, err);
    origin = NULL;
done:
    json_decref(origin);
    sbl_discovery_clear(&discovery);
    return status;
}

const sbl_method sbl_method_discover = {
    .name = "discover", .tables = true, .also_public = also_public, .ask = ask};
