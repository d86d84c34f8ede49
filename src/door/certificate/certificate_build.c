/* The certificate as JSON, from its facts (docs/FORMATS.md). Integers that may exceed 2^53 are
 * decimal strings. */
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "door/certificate/certificate_content.h"

/* By sbl_data_kind. */
static const char *const data_names[] = {"table", "images"};
static const char *const units[] = {"one row; who owns several rows is protected less",
                                    "one image; who owns several images is protected less"};
static const char scope_run[] = SBL_SCOPE_OF_RUN;
static const char scope_ledger[] = "all releases recorded in the ledger";

/* A number, or "inf". */
static json_t *real(double value) { return isinf(value) ? json_string("inf") : json_real(value); }

static json_t *text_list(const char *const *items)
{
    json_t *list = json_array();
    for (size_t i = 0; items[i] != NULL; i++) list = sbl_json_append(list, json_string(items[i]));
    return list;
}

static json_t *public_list(const sbl_certificate_content *content)
{
    const char *item;
    json_t *list = json_array();
    for (size_t i = 0; (item = sbl_certificate_assumes_public(content, i)) != NULL; i++)
        list = sbl_json_append(list, json_string(item));
    return list;
}

/* Whose privacy it is. Of persons the number of their rows that count stands beside it. */
static json_t *unit_text(const sbl_certificate_content *content)
{
    const sbl_ledger_facts *facts = &content->ledger_facts;
    if (content->rows_together != 0)
        return json_sprintf("one person, with all rows; at most %llu of them enter, as one record",
                            (unsigned long long)content->rows_together);
    return facts->by_person ? json_sprintf("one person; at most %llu rows of a person count",
                                           (unsigned long long)facts->rows_per_unit)
                            : json_string(units[content->data]);
}

/* The object with one more text; NULL: there is nothing to add. */
static json_t *with_text(json_t *object, const char *name, const char *text)
{
    return text == NULL ? object : sbl_json_put(object, name, json_string(text));
}

static json_t *guarantee_object(const sbl_certificate_content *content)
{
    char *statement = sbl_certificate_statement(content);
    const sbl_ledger_facts *facts = &content->ledger_facts;
    const bool none = sbl_certificate_no_guarantee(content) != NULL;
    json_t *n = sbl_certificate_rows_are_public(content) ? json_integer((json_int_t)content->n)
                                                         : json_string("private");
    json_t *object =
        json_pack("{s:s, s:s, s:o, s:o, s:f, s:o, s:s, s:o, s:o, s:s}", "statement", statement, "kind",
                  none ? "NONE" : "differential privacy", "epsilon", real(content->epsilon),
                  "epsilon_of_this_run", real(content->own_epsilon), "delta", content->delta, "mu",
                  real(content->mu), "neighbours", sbl_neighbours_name(facts->neighbours), "unit",
                  unit_text(content), "n", n, "scope", content->run_only ? scope_run : scope_ledger);
    sbl_free(statement);
    if (!facts->by_person) return object;
    object = sbl_json_put(object, "rows_per_unit", json_integer((json_int_t)facts->rows_per_unit));
    return content->rows_together == 0
               ? object
               : sbl_json_put(object, "rows_together", json_integer((json_int_t)content->rows_together));
}

/* The bound that the mechanism's sensitivity rests on, and no other: nothing stands here that
 * could be changed without a consequence. */
static json_t *block_object(const sbl_block *block, const sbl_certified_release *release)
{
    static const char *const kinds[] = {
        [SBL_BLOCK_SQUARES] = "squares", [SBL_BLOCK_PRODUCTS] = "products", [SBL_BLOCK_PERSONS] = "persons"};
    const json_int_t columns = (json_int_t)sbl_block_columns(block, release->classes);
    const bool vector = block->kind == SBL_BLOCK_VECTOR;
    const bool pure = vector && release->mechanism == SBL_DISCRETE_LAPLACE;
    const bool keys = vector && !pure && block->survival_bits != 0;
    json_t *object = json_pack("{s:s}", "name", block->name);
    if (!vector) object = with_text(object, "kind", kinds[block->kind]);
    if (sbl_block_is_moments(block)) object = with_text(object, "source", block->source);
    object = sbl_json_put(object, "width", json_integer((json_int_t)block->width));
    object = sbl_json_put(object, "columns", json_integer(columns));
    if (keys) object = sbl_json_put(object, "survival_bits", json_integer(block->survival_bits));
    if (vector && !pure && !keys) {
        object = sbl_json_put(object, "nonnegative", json_boolean(block->nonnegative));
        if (block->pairwise) object = sbl_json_put(object, "pairwise", json_true());
    }
    if (pure) object = sbl_json_put(object, "bound1", sbl_json_u128(block->bound1));
    /* Persons rest on how they are formed, moments under either mechanism on bound2. */
    if (!pure && block->kind != SBL_BLOCK_PERSONS)
        object = sbl_json_put(object, "bound2", sbl_json_u128(block->bound2));
    object = sbl_json_put(object, "multiplier", sbl_json_u128(block->multiplier));
    return sbl_json_put(
        object, "sensitivity",
        json_pack("{s:o, s:o, s:o}", "same_label", sbl_json_u128(block->sensitivity.same_label),
                  "label_change", sbl_json_u128(block->sensitivity.label_change), "one_record",
                  sbl_json_u128(block->sensitivity.one_record)));
}

static json_t *block_list(const sbl_certified_release *release)
{
    json_t *list = json_array();
    for (size_t b = 0; b < release->block_count; b++) {
        const char *of = release->of != NULL ? release->of[b] : NULL;
        list = sbl_json_append(list, with_text(block_object(&release->blocks[b], release), "of", of));
    }
    return list;
}

static json_t *mechanism_object(const sbl_certified_release *release)
{
    const sbl_charge *charge = &release->charge;
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:I}", "name", release->name,
        "mechanism", sbl_mechanism_name(release->mechanism), "blocks", block_list(release), "values",
        sbl_json_u128(release->values), "joint", sbl_json_u128(release->joint), "k", SBL_NOISE_SCALE_BITS,
        "draws", sbl_json_u128(charge->draws), "mu2", sbl_json_u128(charge->mu2), "eps0",
        sbl_json_u128(charge->eps0), "delta", sbl_json_u128(charge->delta), "plan", release->plan, "out",
        release->out, "rid", release->rid, "seq", (json_int_t)release->seq);
}

static json_t *mechanism_list(const sbl_certificate_content *content)
{
    json_t *list = json_array();
    for (size_t r = 0; r < content->release_count; r++)
        list = sbl_json_append(list, mechanism_object(&content->releases[r]));
    return list;
}

static json_t *file_list(const sbl_certificate_content *content)
{
    json_t *list = json_array();
    for (size_t i = 0; i < content->file_count; i++) {
        const sbl_certified_file *file = &content->files[i];
        const char *name = file->name[0] != '\0' ? file->name : NULL;
        list =
            sbl_json_append(list, json_pack("{s:s, s:s, s:s*}", "kind", file->is_model ? "model" : "output",
                                            "sha256", file->hash, "name", name));
    }
    return list;
}

static json_t *health_list(const sbl_certificate_content *content)
{
    json_t *list = json_array();
    for (size_t i = 0; i < content->health_count; i++) {
        const sbl_certified_health *health = &content->health[i];
        list = sbl_json_append(
            list, json_pack("{s:s, s:I, s:I}", "column", health->column, "misfits",
                            (json_int_t)health->misfits, "deviation", (json_int_t)health->deviation));
    }
    return list;
}

static json_t *totals_object(const sbl_totals *totals)
{
    const sbl_charge *charge = &totals->charge;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "releases", sbl_json_u128(totals->releases),
                     "gaussian_releases", sbl_json_u128(totals->gaussian_releases), "draws",
                     sbl_json_u128(charge->draws), "mu2", sbl_json_u128(charge->mu2), "eps0",
                     sbl_json_u128(charge->eps0), "delta", sbl_json_u128(charge->delta));
}

static json_t *ledger_object(const sbl_certificate_content *content)
{
    const sbl_budget *budget = &content->ledger_facts.budget;
    return json_pack("{s:s, s:I, s:s, s:s, s:{s:s, s:s, s:o}}", "id", content->ledger_id, "seq",
                     (json_int_t)content->ledger_seq, "head", content->head, "key",
                     content->ledger_facts.test_key ? "test" : "system", "budget", "epsilon", budget->epsilon,
                     "delta", budget->delta, "mu2", sbl_json_u128(budget->mu2));
}

/* What people call it, who made it and when. */
static json_t *about_object(const sbl_certificate_content *content)
{
    json_t *about = json_pack("{s:s}", "date", content->date);
    return with_text(with_text(about, "title", content->title), "by", content->by);
}

/* {}: there is none. */
static json_t *schema_object(const sbl_certificate_content *content)
{
    if (content->schema[0] == '\0') return json_object();
    return json_pack("{s:s, s:s}", "sha256", content->schema, "origin", content->origin);
}

json_t *sbl_certificate_build(const sbl_certificate_content *content)
{
    json_t *certificate = json_pack(
        "{s:s, s:i, s:o, s:o, s:o, s:{s:f, s:f}, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:s, s:s}, "
        "s:s, s:s, s:o, s:o}",
        "format", "semblance-certificate", "version", (int)content->format, "about", about_object(content),
        "schema", schema_object(content), "guarantee", guarantee_object(content), "allowance", "epsilon",
        content->allowance.epsilon, "delta", content->allowance.delta, "mechanisms", mechanism_list(content),
        "totals", totals_object(&content->totals), "others", totals_object(&content->others),
        "assumes_public", public_list(content), "assumes_secret",
        text_list(sbl_certificate_assumes_secret(content)), "not_covered",
        text_list(sbl_certificate_not_covered(content)), "ledger", ledger_object(content), "program", "name",
        "semblance", "version", content->version, "method", content->method, "data",
        data_names[content->data], "files", file_list(content), "health", health_list(content));
    return with_text(certificate, "trained_on", content->trained_on);
}
