/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate as JSON, in both directions by one table for each object (docs/FORMATS.md). Integers that may
 * exceed 2^53 are decimal strings. A field that is only written follows from others: a check builds the certificate
 * again and compares. */
#include <string.h>

#include "base/alloc.h"
#include "base/json_fields.h"
#include "door/certificate/certificate_content.h"
#include "public/account/survival.h"

#define MAX_LIST 65536

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
static const char hexadecimal[] = "0123456789abcdef";
static const char printable[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/* ---- blocks ---- */

/* A block with what its release says of it. */
typedef struct listed_block {
    sbl_block block;
    size_t columns;
    sbl_mechanism mechanism;
    bool named; /* the blocks of this release say of which columns they are */
    const char *of;
} listed_block;

static bool is_pure(const void *at)
{
    const listed_block *listed = at;
    return listed->block.kind == SBL_BLOCK_VECTOR && listed->mechanism == SBL_DISCRETE_LAPLACE;
}

static bool is_gaussian_vector(const listed_block *listed)
{
    return listed->block.kind == SBL_BLOCK_VECTOR && listed->mechanism == SBL_DISCRETE_GAUSSIAN;
}

static bool is_of_keys(const void *at)
{
    const listed_block *listed = at;
    return is_gaussian_vector(listed) && listed->block.survival_bits != 0;
}

static bool has_sign(const void *at)
{
    const listed_block *listed = at;
    return is_gaussian_vector(listed) && listed->block.survival_bits == 0;
}

/* Persons rest on how they are formed, moments under either mechanism on bound2. */
static bool has_bound2(const void *at)
{
    const listed_block *listed = at;
    return !is_pure(at) && listed->block.kind != SBL_BLOCK_PERSONS;
}

static bool is_moments(const void *at) { return sbl_block_is_moments(&((const listed_block *)at)->block); }

static bool is_named(const void *at) { return ((const listed_block *)at)->named; }

static const char *const block_kinds[] = {"", "squares", "products", "persons", NULL};

#define AT(member) SBL_JSON_AT(sbl_sensitivity, member)
static const sbl_json_field sensitivity_fields[] = {
    {"same_label", SBL_JSON_DECIMAL, AT(same_label)},
    {"label_change", SBL_JSON_DECIMAL, AT(label_change)},
    {"one_record", SBL_JSON_DECIMAL, AT(one_record)},
    {0},
};
#undef AT

/* Only the bound that the mechanism's sensitivity depends on: no field could be changed without a consequence. */
#define AT(member) SBL_JSON_AT(listed_block, member)
static const sbl_json_field block_fields[] = {
    {"name", SBL_JSON_CHARS, AT(block.name), .least = 1, .allowed = plain},
    {"kind", SBL_JSON_CHOICE, AT(block.kind), .least = 1, .names = block_kinds, .optional = true},
    {"source", SBL_JSON_CHARS, AT(block.source), .least = 1, .allowed = plain, .when = is_moments},
    {"width", SBL_JSON_WHOLE, AT(block.width)},
    {"columns", SBL_JSON_WHOLE, AT(columns)},
    {"survival_bits", SBL_JSON_WHOLE, AT(block.survival_bits), .least = SBL_SURVIVAL_LEAST_BITS,
     .most = SBL_SURVIVAL_MOST_BITS, .optional = true, .when = is_of_keys},
    {"nonnegative", SBL_JSON_BOOL, AT(block.nonnegative), .when = has_sign},
    {"pairwise", SBL_JSON_BOOL, AT(block.pairwise), .optional = true, .when = has_sign},
    {"bound1", SBL_JSON_DECIMAL, AT(block.bound1), .when = is_pure},
    {"bound2", SBL_JSON_DECIMAL, AT(block.bound2), .when = has_bound2},
    {"multiplier", SBL_JSON_DECIMAL, AT(block.multiplier)},
    {"sensitivity", SBL_JSON_OBJECT, AT(block.sensitivity), .fields = sensitivity_fields, .derived = true},
    {"of", SBL_JSON_TEXT, AT(of), .least = 1, .when = is_named},
    {0},
};
#undef AT

/* The number of classes: of the blocks that have a sum for each. */
static size_t classes_of(const json_t *blocks)
{
    json_int_t classes = 1;
    for (size_t b = 0; b < json_array_size(blocks); b++) {
        const json_int_t columns = json_integer_value(json_object_get(json_array_get(blocks, b), "columns"));
        if (columns > classes) classes = columns;
    }
    return (size_t)classes;
}

static sbl_status read_block(sbl_certified_release *release, size_t b, const json_t *object,
                             const char *where, sbl_error *err)
{
    listed_block listed = {.mechanism = release->mechanism, .named = release->of != NULL};
    sbl_block *block = &listed.block;
    SBL_CHECK(sbl_json_fields_read(&listed, object, block_fields, where, err));
    if (listed.columns != 1 && listed.columns != release->classes)
        return sbl_json_fail(where, "columns", "must be 1 or the number of classes", err);
    block->per_class = listed.columns != 1;
    /* Counts and keys are nonnegative; of other blocks without the field it says nothing. */
    if (!has_sign(&listed)) block->nonnegative = true;
    if (block->kind == SBL_BLOCK_PERSONS) block->bound1 = block->bound2 = 1;
    release->blocks[b] = *block;
    if (listed.named) release->of[b] = listed.of;
    return SBL_OK;
}

static sbl_status read_blocks(void *at, const json_t *object, const char *where, sbl_error *err)
{
    sbl_certified_release *release = at;
    json_t *list;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_array(&list, object, "blocks", where, err));
    const size_t count = json_array_size(list);
    if (count < 1 || count > MAX_LIST)
        return sbl_json_fail(where, "blocks", "must hold between 1 and 65536 blocks", err);
    SBL_ALLOC(release->blocks, count, where);
    release->block_count = count;
    release->classes = classes_of(list);
    if (json_object_get(json_array_get(list, 0), "of") != NULL) SBL_ALLOC(release->of, count, where);
    for (size_t b = 0; b < count; b++) SBL_TRY(read_block(release, b, json_array_get(list, b), where, err));
done:
    return status;
}

static json_t *write_blocks(const void *at)
{
    const sbl_certified_release *release = at;
    json_t *list = json_array();
    for (size_t b = 0; b < release->block_count; b++) {
        const sbl_block *block = &release->blocks[b];
        const listed_block listed = {.block = *block,
                                     .columns = sbl_block_columns(block, release->classes),
                                     .mechanism = release->mechanism,
                                     .named = release->of != NULL,
                                     .of = release->of != NULL ? release->of[b] : NULL};
        list = sbl_json_append(list, sbl_json_fields_write(json_object(), &listed, block_fields));
    }
    return list;
}

/* ---- releases, files, health ---- */

#define AT(member) SBL_JSON_AT(sbl_certified_release, member)
static const sbl_json_field release_fields[] = {
    {"name", SBL_JSON_TEXT, AT(name), .least = 1, .most = SBL_LEDGER_NAME_SIZE - 1, .allowed = plain},
    {"mechanism", SBL_JSON_CHOICE, AT(mechanism), .names = sbl_mechanism_names},
    {"blocks", SBL_JSON_OWN, SBL_JSON_HERE, .read = read_blocks, .write = write_blocks},
    {"values", SBL_JSON_DECIMAL, AT(values), .derived = true},
    {"joint", SBL_JSON_DECIMAL128, AT(joint), .derived = true},
    {"k", SBL_JSON_VERSION, SBL_JSON_HERE, .least = SBL_NOISE_SCALE_BITS, .derived = true},
    {"draws", SBL_JSON_DECIMAL, AT(charge.draws), .derived = true},
    {"mu2", SBL_JSON_DECIMAL128, AT(charge.mu2), .derived = true},
    {"eps0", SBL_JSON_DECIMAL128, AT(charge.eps0), .derived = true},
    {"delta", SBL_JSON_DECIMAL128, AT(charge.delta), .derived = true},
    {"plan", SBL_JSON_CHARS, AT(plan), .least = 64, .allowed = hexadecimal},
    {"out", SBL_JSON_CHARS, AT(out), .least = 64, .allowed = hexadecimal},
    {"rid", SBL_JSON_TEXT, AT(rid), .least = 32, .most = 32, .allowed = hexadecimal},
    {"seq", SBL_JSON_WHOLE, AT(seq)},
    {0},
};
#undef AT

static const char *const file_kinds[] = {"output", "model", NULL};

#define AT(member) SBL_JSON_AT(sbl_certified_file, member)
static const sbl_json_field file_fields[] = {
    {"kind", SBL_JSON_CHOICE, AT(is_model), .names = file_kinds},
    {"sha256", SBL_JSON_CHARS, AT(hash), .least = 64, .allowed = hexadecimal},
    {"name", SBL_JSON_CHARS, AT(name), .least = 1, .allowed = printable, .optional = true},
    {0},
};
#undef AT

#define AT(member) SBL_JSON_AT(sbl_certified_health, member)
static const sbl_json_field health_fields[] = {
    {"column", SBL_JSON_TEXT, AT(column), .least = 1},
    {"misfits", SBL_JSON_SIGNED, AT(misfits)},
    {"deviation", SBL_JSON_SIGNED, AT(deviation)},
    {0},
};
#undef AT

#define AT(member) SBL_JSON_AT(sbl_certified_relation, member)
static const sbl_json_field suspect_fields[] = {
    {"first", SBL_JSON_TEXT, AT(first), .least = 1},
    {"second", SBL_JSON_TEXT, AT(second), .least = 1},
    {0},
};
#undef AT

#define AT(member) SBL_JSON_AT(sbl_certified_relations, member)
static const sbl_json_field relation_fields[] = {
    {"measured", SBL_JSON_WHOLE, AT(measured)},
    {"seen", SBL_JSON_WHOLE, AT(seen)},
    {"suspects", SBL_JSON_LIST, AT(suspects), .counter = offsetof(sbl_certified_relations, suspect_count),
     .item = sizeof(sbl_certified_relation), .fields = suspect_fields, .most = SBL_CERTIFIED_SUSPECTS,
     .wrong = "lists too many"},
    {0},
};
#undef AT

#define AT(member) SBL_JSON_AT(sbl_totals, member)
static const sbl_json_field total_fields[] = {
    {"releases", SBL_JSON_DECIMAL, AT(releases)},
    {"gaussian_releases", SBL_JSON_DECIMAL, AT(gaussian_releases)},
    {"draws", SBL_JSON_DECIMAL, AT(charge.draws)},
    {"mu2", SBL_JSON_DECIMAL128, AT(charge.mu2)},
    {"eps0", SBL_JSON_DECIMAL128, AT(charge.eps0)},
    {"delta", SBL_JSON_DECIMAL128, AT(charge.delta)},
    {0},
};
#undef AT

/* ---- what is guaranteed ---- */

static json_t *write_statement(const void *at)
{
    char *statement = sbl_certificate_statement(at, false);
    json_t *value = json_string(statement);
    sbl_free(statement);
    return value;
}

static json_t *write_kind(const void *at)
{
    return json_string(sbl_certificate_no_guarantee(at) != NULL ? "NONE" : "differential privacy");
}

/* Whose privacy it is. For persons the number of their rows that count follows as a field. */
static json_t *write_unit(const void *at)
{
    static const char *const old_units[] = {"one row; who owns several rows is protected less",
                                            "one image; who owns several images is protected less"};
    static const char *const units[] = {"one row; a person with several rows gets weaker protection",
                                        "one image; a person with several images gets weaker protection"};
    const sbl_certificate_content *content = at;
    const sbl_ledger_facts *facts = &content->ledger_facts;
    if (content->rows_together != 0)
        return json_sprintf("one person, with all rows; at most %llu of them enter, as one record",
                            (unsigned long long)content->rows_together);
    return facts->by_person
               ? json_sprintf("one person; at most %llu rows of a person count",
                              (unsigned long long)facts->rows_per_unit)
               : json_string((content->format < SBL_CERTIFICATE_PLAIN ? old_units : units)[content->data]);
}

static bool by_person(const void *at)
{
    return ((const sbl_certificate_content *)at)->ledger_facts.by_person;
}

#define AT(member) SBL_JSON_AT(sbl_certificate_content, member)
static const sbl_json_field person_fields[] = {
    {"rows_per_unit", SBL_JSON_WHOLE, AT(ledger_facts.rows_per_unit), .least = 1,
     .most = SBL_ROWS_PER_UNIT_MAX, .when = by_person},
    {"rows_together", SBL_JSON_WHOLE, AT(rows_together), .least = 1, .most = SBL_ROWS_PER_UNIT_MAX,
     .optional = true, .when = by_person},
    {0},
};

/* A person's, where the number of their rows that count is said, else a row's. */
static sbl_status read_unit(void *at, const json_t *guarantee, const char *where, sbl_error *err)
{
    sbl_certificate_content *content = at;
    sbl_ledger_facts *facts = &content->ledger_facts;
    facts->by_person = json_object_get(guarantee, "rows_per_unit") != NULL;
    facts->rows_per_unit = 1;
    if (facts->by_person) SBL_CHECK(sbl_json_fields_read(content, guarantee, person_fields, where, err));
    if (content->rows_together != 0 && facts->rows_per_unit != 1)
        return sbl_json_fail(where, "rows_per_unit", "is out of range", err);
    return SBL_OK;
}

static bool rows_are_public(const void *at) { return sbl_certificate_rows_are_public(at); }

static json_t *write_rows(const void *at)
{
    const sbl_certificate_content *content = at;
    return rows_are_public(at) ? json_integer((json_int_t)content->n) : json_string("private");
}

static sbl_status read_rows(void *at, const json_t *guarantee, const char *where, sbl_error *err)
{
    sbl_certificate_content *content = at;
    return rows_are_public(at) ? sbl_json_get_u64(&content->n, guarantee, "n", where, err) : SBL_OK;
}

static bool has_past(const void *at) { return sbl_certificate_has_past(at); }

static const char *const scopes[] = {"all releases recorded in the ledger", SBL_SCOPE_OF_RUN, NULL};

static const sbl_json_field guarantee_fields[] = {
    {"statement", SBL_JSON_OWN, SBL_JSON_HERE, .write = write_statement, .derived = true},
    {"kind", SBL_JSON_OWN, SBL_JSON_HERE, .write = write_kind, .derived = true},
    {"epsilon", SBL_JSON_REAL_OR_INF, AT(epsilon)},
    {"epsilon_of_this_run", SBL_JSON_REAL_OR_INF, AT(own_epsilon)},
    {"delta", SBL_JSON_REAL, AT(delta)},
    {"mu", SBL_JSON_REAL_OR_INF, AT(mu)},
    {"epsilon_all_periods", SBL_JSON_REAL_OR_INF, AT(all_epsilon), .when = has_past, .optional = true},
    {"mu_all_periods", SBL_JSON_REAL_OR_INF, AT(all_mu), .when = has_past, .optional = true},
    {"neighbours", SBL_JSON_CHOICE, AT(ledger_facts.neighbours), .names = sbl_neighbours_names},
    {"unit", SBL_JSON_OWN, SBL_JSON_HERE, .read = read_unit, .write = write_unit},
    {"n", SBL_JSON_OWN, SBL_JSON_HERE, .read = read_rows, .write = write_rows},
    {"scope", SBL_JSON_CHOICE, AT(run_only), .names = scopes},
    {0},
};

/* ---- the whole ---- */

static json_t *write_guarantee(const void *at)
{
    json_t *object = sbl_json_fields_write(json_object(), at, guarantee_fields);
    return sbl_json_fields_write(object, at, person_fields);
}

static sbl_status read_guarantee(void *at, const json_t *certificate, const char *where, sbl_error *err)
{
    json_t *object;
    SBL_CHECK(sbl_json_get_object(&object, certificate, "guarantee", where, err));
    return sbl_json_fields_read(at, object, guarantee_fields, where, err);
}

static json_t *text_list(const char *const *items)
{
    json_t *list = json_array();
    for (size_t i = 0; items[i] != NULL; i++) list = sbl_json_append(list, json_string(items[i]));
    return list;
}

static json_t *write_public(const void *at)
{
    const char *item;
    json_t *list = json_array();
    for (size_t i = 0; (item = sbl_certificate_assumes_public(at, i)) != NULL; i++)
        list = sbl_json_append(list, json_string(item));
    return list;
}

static json_t *write_secret(const void *at) { return text_list(sbl_certificate_assumes_secret(at)); }

static json_t *write_not_covered(const void *at) { return text_list(sbl_certificate_not_covered(at)); }

static bool has_schema(const void *at) { return ((const sbl_certificate_content *)at)->schema[0] != '\0'; }

static const char *const format_name[] = {"semblance-certificate", NULL};
static const char *const program_name[] = {"semblance", NULL};
static const char *const data_names[] = {"table", "images", NULL};
static const char *const key_names[] = {"system", "test", NULL};

static const sbl_json_field about_fields[] = {
    {"date", SBL_JSON_CHARS, AT(date), .least = 20, .allowed = "0123456789-:TZ"},
    {"title", SBL_JSON_TEXT, AT(title), .least = 1, .most = SBL_CERTIFICATE_TEXT, .optional = true},
    {"by", SBL_JSON_TEXT, AT(by), .least = 1, .most = SBL_CERTIFICATE_TEXT, .optional = true},
    {0},
};
/* {}: there is none. */
static const sbl_json_field schema_fields[] = {
    {"sha256", SBL_JSON_CHARS, AT(schema), .least = 64, .allowed = hexadecimal, .optional = true},
    {"origin", SBL_JSON_TEXT, AT(origin), .least = 1, .most = SBL_CERTIFICATE_TEXT, .when = has_schema},
    {0},
};
static const sbl_json_field allowance_fields[] = {
    {"epsilon", SBL_JSON_REAL, AT(allowance.epsilon)},
    {"delta", SBL_JSON_REAL, AT(allowance.delta)},
    {0},
};
static const sbl_json_field budget_fields[] = {
    {"epsilon", SBL_JSON_CHARS, AT(ledger_facts.budget.epsilon), .least = 1, .allowed = plain},
    {"delta", SBL_JSON_CHARS, AT(ledger_facts.budget.delta), .least = 1, .allowed = plain},
    {"mu2", SBL_JSON_DECIMAL128, AT(ledger_facts.budget.mu2)},
    {0},
};
static const sbl_json_field ledger_fields[] = {
    {"id", SBL_JSON_TEXT, AT(ledger_id), .least = 32, .most = 32, .allowed = hexadecimal},
    {"seq", SBL_JSON_WHOLE, AT(ledger_seq)},
    {"head", SBL_JSON_CHARS, AT(head), .least = 64, .allowed = hexadecimal},
    {"key", SBL_JSON_CHOICE, AT(ledger_facts.test_key), .names = key_names},
    {"budget", SBL_JSON_OBJECT, SBL_JSON_HERE, .fields = budget_fields},
    {0},
};
static const sbl_json_field past_fields[] = {
    {"periods", SBL_JSON_WHOLE, AT(ledger_facts.past.periods), .least = 1},
    {"ledger", SBL_JSON_CHARS, AT(ledger_facts.past.id), .least = 32, .allowed = hexadecimal},
    {"head", SBL_JSON_HEX, AT(ledger_facts.past.head)},
    {"totals", SBL_JSON_OBJECT, AT(ledger_facts.past.totals), .fields = total_fields},
    {0},
};
static const sbl_json_field program_fields[] = {
    {"name", SBL_JSON_CONSTANT, SBL_JSON_HERE, .names = program_name, .derived = true},
    {"version", SBL_JSON_TEXT, AT(version), .least = 1, .most = 63, .allowed = plain},
    {0},
};
static bool has_relations(const void *at)
{
    const sbl_certificate_content *content = at;
    return content->format >= SBL_CERTIFICATE_WITH_RELATIONS && content->relations.measured > 0;
}
static const sbl_json_field certificate_fields[] = {
    {"format", SBL_JSON_CONSTANT, SBL_JSON_HERE, .names = format_name, .derived = true},
    {"version", SBL_JSON_WHOLE, AT(format)}, /* a small number: sbl_certificate_check() has looked at it */
    {"about", SBL_JSON_OBJECT, SBL_JSON_HERE, .fields = about_fields},
    {"schema", SBL_JSON_OBJECT, SBL_JSON_HERE, .fields = schema_fields},
    {"guarantee", SBL_JSON_OWN, SBL_JSON_HERE, .read = read_guarantee, .write = write_guarantee},
    {"allowance", SBL_JSON_OBJECT, SBL_JSON_HERE, .fields = allowance_fields},
    {"mechanisms", SBL_JSON_LIST, AT(releases), .counter = offsetof(sbl_certificate_content, release_count),
     .item = sizeof(sbl_certified_release), .fields = release_fields, .least = 1, .most = MAX_LIST,
     .wrong = "must hold the releases of a run"},
    {"totals", SBL_JSON_OBJECT, AT(totals), .fields = total_fields},
    {"others", SBL_JSON_OBJECT, AT(others), .fields = total_fields, .derived = true},
    {"assumes_public", SBL_JSON_OWN, SBL_JSON_HERE, .write = write_public, .derived = true},
    {"assumes_secret", SBL_JSON_OWN, SBL_JSON_HERE, .write = write_secret, .derived = true},
    {"not_covered", SBL_JSON_OWN, SBL_JSON_HERE, .write = write_not_covered, .derived = true},
    {"ledger", SBL_JSON_OBJECT, SBL_JSON_HERE, .fields = ledger_fields},
    {"earlier_periods", SBL_JSON_OBJECT, SBL_JSON_HERE, .fields = past_fields, .when = has_past,
     .optional = true},
    {"program", SBL_JSON_OBJECT, SBL_JSON_HERE, .fields = program_fields},
    {"method", SBL_JSON_TEXT, AT(method), .least = 1, .most = 63, .allowed = plain},
    {"data", SBL_JSON_CHOICE, AT(data), .names = data_names},
    {"files", SBL_JSON_LIST, AT(files), .counter = offsetof(sbl_certificate_content, file_count),
     .item = sizeof(sbl_certified_file), .fields = file_fields, .most = MAX_LIST, .wrong = "lists too many"},
    {"health", SBL_JSON_LIST, AT(health), .counter = offsetof(sbl_certificate_content, health_count),
     .item = sizeof(sbl_certified_health), .fields = health_fields},
    {"relations", SBL_JSON_OBJECT, AT(relations), .fields = relation_fields, .when = has_relations,
     .optional = true},
    {"trained_on", SBL_JSON_TEXT, AT(trained_on), .least = 1, .most = SBL_CERTIFICATE_TEXT, .optional = true},
    {0},
};

json_t *sbl_certificate_build(const sbl_certificate_content *content)
{
    return sbl_json_fields_write(json_object(), content, certificate_fields);
}

/* The public assumptions beyond those that every certificate names. */
static sbl_status read_also_public(sbl_certificate_content *content, const json_t *certificate,
                                   const char *where, sbl_error *err)
{
    json_t *list;
    size_t fixed = 0;
    sbl_status status = SBL_OK;
    while (sbl_certificate_assumes_public(content, fixed) != NULL) fixed++;
    SBL_TRY(sbl_json_get_array(&list, certificate, "assumes_public", where, err));
    const size_t count = json_array_size(list);
    if (count < fixed || count > MAX_LIST)
        return sbl_json_fail(where, "assumes_public", "does not name what is always assumed", err);
    SBL_ALLOC(content->own_texts, count, where);
    for (size_t i = fixed; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text == NULL || strlen(text) > 200 || strspn(text, printable) != strlen(text))
            return sbl_json_fail(where, "assumes_public", "must hold short plain texts", err);
        content->own_texts[i - fixed] = text;
    }
    content->also_public = content->own_texts;
    content->also_public_count = count - fixed;
done:
    return status;
}

sbl_status sbl_certificate_extract(sbl_certificate_content *content, const json_t *certificate,
                                   const char *where, sbl_error *err)
{
    memset(content, 0, sizeof *content);
    SBL_CHECK(sbl_json_fields_read(content, certificate, certificate_fields, where, err));
    if (content->format == SBL_CERTIFICATE_OLDEST) content->trained_on = NULL; /* it has no such field */
    for (size_t i = 0; i < content->file_count; i++)
        if (strchr(content->files[i].name, '/') != NULL)
            return sbl_json_fail(where, "name", "is the name of a file in a folder", err);
    return read_also_public(content, certificate, where, err);
}
