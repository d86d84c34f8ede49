/* From JSON back to the facts of a certificate. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/kinds.h"
#include "base/text.h"
#include "door/certificate/certificate_content.h"
#include "public/account/survival.h"

#define MAX_LIST 65536

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
static const char hexadecimal[] = "0123456789abcdef";
static const char printable[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

static sbl_status fail_field(const char *where, const char *field, const char *what, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s: field '%s' %s", where, field, what);
}

/* ---- fields ---- */

/* A text of least to most of the allowed characters, borrowed. What is printed later can hold
 * nothing else. allowed NULL: what people wrote, without control characters. */
static sbl_status get_text(const char **value, size_t least, size_t most, const char *allowed,
                           const json_t *object, const char *field, const char *where, sbl_error *err)
{
    const sbl_status status = sbl_json_get_string(value, object, field, where, err);
    if (status != SBL_OK) return status;
    const size_t length = strlen(*value);
    if (length < least || length > most ||
        (allowed != NULL ? strspn(*value, allowed) != length : sbl_text_has_control(*value)))
        return fail_field(where, field, "has a length or characters that it cannot have", err);
    return SBL_OK;
}

static sbl_status copy_text(char *at, size_t least, size_t size, const char *allowed, const json_t *object,
                            const char *field, const char *where, sbl_error *err)
{
    const char *value;
    const sbl_status status = get_text(&value, least, size - 1, allowed, object, field, where, err);
    if (status == SBL_OK) memcpy(at, value, strlen(value) + 1);
    return status;
}

/* What people wrote, where it need not be there: NULL then. */
static sbl_status get_optional_words(const char **value, const json_t *object, const char *field,
                                     const char *where, sbl_error *err)
{
    *value = NULL;
    if (json_object_get(object, field) == NULL) return SBL_OK;
    return get_text(value, 1, SBL_CERTIFICATE_TEXT, NULL, object, field, where, err);
}

/* A list of least to MAX_LIST items; what says it of another. */
static sbl_status get_list(json_t **list, size_t *count, size_t least, const json_t *object,
                           const char *field, const char *what, const char *where, sbl_error *err)
{
    const sbl_status status = sbl_json_get_array(list, object, field, where, err);
    if (status != SBL_OK) return status;
    *count = json_array_size(*list);
    return *count >= least && *count <= MAX_LIST ? SBL_OK : fail_field(where, field, what, err);
}

/* One of two texts; *second says which. */
static sbl_status get_choice(bool *second, const char *no, const char *yes, const json_t *object,
                             const char *field, const char *where, sbl_error *err)
{
    const char *value;
    const sbl_status status = sbl_json_get_string(&value, object, field, where, err);
    if (status != SBL_OK) return status;
    *second = strcmp(value, yes) == 0;
    if (!*second && strcmp(value, no) != 0) return fail_field(where, field, "has no known value", err);
    return SBL_OK;
}

/* A decimal integer written as a string, at most 64 bits. */
static sbl_status get_u64_text(uint64_t *value, const json_t *object, const char *field, const char *where,
                               sbl_error *err)
{
    sbl_u128 wide;
    const sbl_status status = sbl_json_get_u128(&wide, object, field, where, err);
    if (status != SBL_OK) return status;
    if (wide > UINT64_MAX) return fail_field(where, field, "is out of range", err);
    *value = (uint64_t)wide;
    return SBL_OK;
}

/* A number, or "inf". */
static sbl_status get_real(double *value, const json_t *object, const char *field, const char *where,
                           sbl_error *err)
{
    const char *text = json_string_value(json_object_get(object, field));
    *value = INFINITY;
    if (text != NULL && strcmp(text, "inf") == 0) return SBL_OK;
    return sbl_json_get_double(value, object, field, where, err);
}

/* ---- the parts of a certificate ---- */

/* Whose privacy it is: a person's, where the number of their rows that count is said, else a row's. */
static sbl_status get_unit(sbl_certificate_content *content, const json_t *guarantee, const char *where,
                           sbl_error *err)
{
    sbl_ledger_facts *facts = &content->ledger_facts;
    const bool together = json_object_get(guarantee, "rows_together") != NULL;
    facts->by_person = json_object_get(guarantee, "rows_per_unit") != NULL;
    facts->rows_per_unit = 1;
    if (!facts->by_person) return SBL_OK;
    sbl_status status = sbl_json_get_u64(&facts->rows_per_unit, guarantee, "rows_per_unit", where, err);
    if (status != SBL_OK) return status;
    if (facts->rows_per_unit < 1 || facts->rows_per_unit > SBL_ROWS_PER_UNIT_MAX ||
        (together && facts->rows_per_unit != 1))
        return fail_field(where, "rows_per_unit", "is out of range", err);
    if (!together) return SBL_OK;
    status = sbl_json_get_u64(&content->rows_together, guarantee, "rows_together", where, err);
    if (status != SBL_OK) return status;
    return content->rows_together >= 1 && content->rows_together <= SBL_ROWS_PER_UNIT_MAX
               ? SBL_OK
               : fail_field(where, "rows_together", "is out of range", err);
}

static sbl_status get_guarantee(sbl_certificate_content *content, const json_t *certificate,
                                const char *where, sbl_error *err)
{
    json_t *object;
    bool second;
    SBL_CHECK(sbl_json_get_object(&object, certificate, "guarantee", where, err));
    SBL_CHECK(get_real(&content->epsilon, object, "epsilon", where, err));
    SBL_CHECK(get_real(&content->own_epsilon, object, "epsilon_of_this_run", where, err));
    SBL_CHECK(sbl_json_get_double(&content->delta, object, "delta", where, err));
    SBL_CHECK(get_real(&content->mu, object, "mu", where, err));
    SBL_CHECK(get_choice(&second, sbl_neighbours_name(SBL_REPLACE_ONE), sbl_neighbours_name(SBL_ADD_REMOVE),
                         object, "neighbours", where, err));
    content->ledger_facts.neighbours = second ? SBL_ADD_REMOVE : SBL_REPLACE_ONE;
    SBL_CHECK(get_unit(content, object, where, err));
    if (sbl_certificate_rows_are_public(content))
        SBL_CHECK(sbl_json_get_u64(&content->n, object, "n", where, err));
    SBL_CHECK(get_choice(&content->run_only, "all releases recorded in the ledger", SBL_SCOPE_OF_RUN, object,
                         "scope", where, err));
    SBL_CHECK(sbl_json_get_object(&object, certificate, "allowance", where, err));
    SBL_CHECK(sbl_json_get_double(&content->allowance.epsilon, object, "epsilon", where, err));
    return sbl_json_get_double(&content->allowance.delta, object, "delta", where, err);
}

/* A block that an ordinary one is not: persons, which have no bounds of their own, and the fields
 * that only squares and products have. */
static sbl_status get_kind(sbl_block *block, const json_t *object, const char *where, sbl_error *err)
{
    const char *kind;
    bool second;
    SBL_CHECK(sbl_json_get_string(&kind, object, "kind", where, err));
    if (strcmp(kind, "persons") == 0) {
        block->kind = SBL_BLOCK_PERSONS;
        block->nonnegative = true;
        block->bound1 = 1;
        block->bound2 = 1;
        return SBL_OK;
    }
    SBL_CHECK(get_choice(&second, "squares", "products", object, "kind", where, err));
    block->kind = second ? SBL_BLOCK_PRODUCTS : SBL_BLOCK_SQUARES;
    SBL_CHECK(copy_text(block->source, 1, sizeof block->source, plain, object, "source", where, err));
    return get_u64_text(&block->bound2, object, "bound2", where, err);
}

/* The field that only a block of keys has, whose counts are nonnegative. */
static sbl_status get_survival(sbl_block *block, const json_t *object, const char *where, sbl_error *err)
{
    uint64_t bits;
    const sbl_status status = sbl_json_get_u64(&bits, object, "survival_bits", where, err);
    if (status != SBL_OK) return status;
    if (bits < SBL_SURVIVAL_LEAST_BITS || bits > SBL_SURVIVAL_MOST_BITS)
        return fail_field(where, "survival_bits", "is out of range", err);
    block->survival_bits = (unsigned)bits;
    block->nonnegative = true;
    return SBL_OK;
}

static sbl_status get_block(sbl_block *block, const sbl_certified_release *release, const json_t *object,
                            const char *where, sbl_error *err)
{
    uint64_t columns;
    SBL_CHECK(copy_text(block->name, 1, sizeof block->name, plain, object, "name", where, err));
    SBL_CHECK(sbl_json_get_u64(&block->width, object, "width", where, err));
    SBL_CHECK(sbl_json_get_u64(&columns, object, "columns", where, err));
    if (columns != 1 && columns != release->classes)
        return fail_field(where, "columns", "must be 1 or the number of classes", err);
    block->per_class = columns != 1;
    SBL_CHECK(get_u64_text(&block->multiplier, object, "multiplier", where, err));
    if (json_object_get(object, "kind") != NULL) return get_kind(block, object, where, err);
    if (release->mechanism == SBL_DISCRETE_LAPLACE) {
        block->nonnegative = true; /* says nothing here */
        return get_u64_text(&block->bound1, object, "bound1", where, err);
    }
    if (json_object_get(object, "survival_bits") != NULL)
        SBL_CHECK(get_survival(block, object, where, err));
    else
        SBL_CHECK(sbl_json_get_bool(&block->nonnegative, object, "nonnegative", where, err));
    if (json_object_get(object, "pairwise") != NULL)
        SBL_CHECK(sbl_json_get_bool(&block->pairwise, object, "pairwise", where, err));
    return get_u64_text(&block->bound2, object, "bound2", where, err);
}

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

/* Of which columns each block is: of all blocks of a release, or of none. */
static sbl_status get_of(sbl_certified_release *release, const json_t *list, const char *where,
                         sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (json_object_get(json_array_get(list, 0), "of") == NULL) return SBL_OK;
    SBL_ALLOC(release->of, release->block_count, where);
    for (size_t b = 0; b < release->block_count; b++)
        SBL_TRY(get_text(&release->of[b], 1, SIZE_MAX, NULL, json_array_get(list, b), "of", where, err));
done:
    return status;
}

static sbl_status get_blocks(sbl_certified_release *release, const json_t *object, const char *where,
                             sbl_error *err)
{
    json_t *list;
    size_t count;
    sbl_status status = SBL_OK;
    SBL_TRY(get_list(&list, &count, 1, object, "blocks", "must hold between 1 and 65536 blocks", where, err));
    SBL_ALLOC(release->blocks, count, where);
    release->block_count = count;
    release->classes = classes_of(list);
    for (size_t b = 0; b < count; b++)
        SBL_TRY(get_block(&release->blocks[b], release, json_array_get(list, b), where, err));
    SBL_TRY(get_of(release, list, where, err));
done:
    return status;
}

static sbl_status get_mechanism(sbl_certified_release *release, const json_t *object, const char *where,
                                sbl_error *err)
{
    bool second;
    SBL_CHECK(get_text(&release->name, 1, SBL_LEDGER_NAME_SIZE - 1, plain, object, "name", where, err));
    SBL_CHECK(get_choice(&second, sbl_mechanism_name(SBL_DISCRETE_GAUSSIAN),
                         sbl_mechanism_name(SBL_DISCRETE_LAPLACE), object, "mechanism", where, err));
    release->mechanism = second ? SBL_DISCRETE_LAPLACE : SBL_DISCRETE_GAUSSIAN;
    SBL_CHECK(get_blocks(release, object, where, err));
    SBL_CHECK(copy_text(release->plan, 64, sizeof release->plan, hexadecimal, object, "plan", where, err));
    SBL_CHECK(copy_text(release->out, 64, sizeof release->out, hexadecimal, object, "out", where, err));
    SBL_CHECK(get_text(&release->rid, 32, 32, hexadecimal, object, "rid", where, err));
    return sbl_json_get_u64(&release->seq, object, "seq", where, err);
}

static sbl_status get_mechanisms(sbl_certificate_content *content, const json_t *certificate,
                                 const char *where, sbl_error *err)
{
    json_t *list;
    size_t count;
    sbl_status status = SBL_OK;
    SBL_TRY(
        get_list(&list, &count, 1, certificate, "mechanisms", "must hold the releases of a run", where, err));
    SBL_ALLOC(content->releases, count, where);
    content->release_count = count;
    for (size_t r = 0; r < count; r++)
        SBL_TRY(get_mechanism(&content->releases[r], json_array_get(list, r), where, err));
done:
    return status;
}

static sbl_status get_totals(sbl_totals *totals, const json_t *certificate, const char *where, sbl_error *err)
{
    json_t *object;
    SBL_CHECK(sbl_json_get_object(&object, certificate, "totals", where, err));
    SBL_CHECK(get_u64_text(&totals->releases, object, "releases", where, err));
    SBL_CHECK(get_u64_text(&totals->gaussian_releases, object, "gaussian_releases", where, err));
    SBL_CHECK(get_u64_text(&totals->charge.draws, object, "draws", where, err));
    SBL_CHECK(sbl_json_get_u128(&totals->charge.mu2, object, "mu2", where, err));
    SBL_CHECK(sbl_json_get_u128(&totals->charge.eps0, object, "eps0", where, err));
    return sbl_json_get_u128(&totals->charge.delta, object, "delta", where, err);
}

static sbl_status get_ledger(sbl_certificate_content *content, const json_t *certificate, const char *where,
                             sbl_error *err)
{
    sbl_budget *budget = &content->ledger_facts.budget;
    json_t *object;
    json_t *limits;
    SBL_CHECK(sbl_json_get_object(&object, certificate, "ledger", where, err));
    SBL_CHECK(get_text(&content->ledger_id, 32, 32, hexadecimal, object, "id", where, err));
    SBL_CHECK(sbl_json_get_u64(&content->ledger_seq, object, "seq", where, err));
    SBL_CHECK(copy_text(content->head, 64, sizeof content->head, hexadecimal, object, "head", where, err));
    SBL_CHECK(get_choice(&content->ledger_facts.test_key, "system", "test", object, "key", where, err));
    SBL_CHECK(sbl_json_get_object(&limits, object, "budget", where, err));
    SBL_CHECK(copy_text(budget->epsilon, 1, sizeof budget->epsilon, plain, limits, "epsilon", where, err));
    SBL_CHECK(copy_text(budget->delta, 1, sizeof budget->delta, plain, limits, "delta", where, err));
    return sbl_json_get_u128(&budget->mu2, limits, "mu2", where, err);
}

/* The public assumptions beyond those that every certificate names. */
static sbl_status get_also_public(sbl_certificate_content *content, const json_t *certificate,
                                  const char *where, sbl_error *err)
{
    json_t *list;
    size_t count;
    size_t fixed = 0;
    sbl_status status = SBL_OK;
    while (sbl_certificate_assumes_public(content, fixed) != NULL) fixed++;
    SBL_TRY(get_list(&list, &count, fixed, certificate, "assumes_public",
                     "does not name what is always assumed", where, err));
    SBL_ALLOC(content->own_texts, count, where);
    for (size_t i = fixed; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text == NULL || strlen(text) > 200 || strspn(text, printable) != strlen(text))
            return fail_field(where, "assumes_public", "must hold short plain texts", err);
        content->own_texts[i - fixed] = text;
    }
    content->also_public = content->own_texts;
    content->also_public_count = count - fixed;
done:
    return status;
}

static sbl_status get_files(sbl_certificate_content *content, const json_t *certificate, const char *where,
                            sbl_error *err)
{
    json_t *list;
    size_t count;
    sbl_status status = SBL_OK;
    SBL_TRY(get_list(&list, &count, 0, certificate, "files", "lists too many", where, err));
    SBL_ALLOC(content->files, count + 1, where);
    content->file_count = count;
    for (size_t i = 0; i < count; i++) {
        sbl_certified_file *file = &content->files[i];
        const json_t *item = json_array_get(list, i);
        SBL_TRY(get_choice(&file->is_model, "output", "model", item, "kind", where, err));
        SBL_TRY(copy_text(file->hash, 64, sizeof file->hash, hexadecimal, item, "sha256", where, err));
        if (json_object_get(item, "name") == NULL) continue;
        SBL_TRY(copy_text(file->name, 1, sizeof file->name, printable, item, "name", where, err));
        if (strchr(file->name, '/') != NULL)
            SBL_TRY(fail_field(where, "name", "is the name of a file in a folder", err));
    }
done:
    return status;
}

/* A whole number that may be negative. */
static sbl_status get_parts(int64_t *value, const json_t *object, const char *field, const char *where,
                            sbl_error *err)
{
    const json_t *number = json_object_get(object, field);
    if (!json_is_integer(number)) return fail_field(where, field, "is not a whole number", err);
    *value = json_integer_value(number);
    return SBL_OK;
}

static sbl_status get_health(sbl_certificate_content *content, const json_t *certificate, const char *where,
                             sbl_error *err)
{
    json_t *list;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_array(&list, certificate, "health", where, err));
    const size_t count = json_array_size(list);
    SBL_ALLOC(content->health, count + 1, where);
    content->health_count = count;
    for (size_t i = 0; i < count; i++) {
        sbl_certified_health *health = &content->health[i];
        const json_t *item = json_array_get(list, i);
        SBL_TRY(get_text(&health->column, 1, SIZE_MAX, NULL, item, "column", where, err));
        SBL_TRY(get_parts(&health->misfits, item, "misfits", where, err));
        SBL_TRY(get_parts(&health->deviation, item, "deviation", where, err));
    }
done:
    return status;
}

static sbl_status get_about(sbl_certificate_content *content, const json_t *certificate, const char *where,
                            sbl_error *err)
{
    json_t *object;
    SBL_CHECK(sbl_json_get_object(&object, certificate, "about", where, err));
    SBL_CHECK(get_optional_words(&content->title, object, "title", where, err));
    SBL_CHECK(get_optional_words(&content->by, object, "by", where, err));
    SBL_CHECK(
        copy_text(content->date, 20, sizeof content->date, "0123456789-:TZ", object, "date", where, err));
    SBL_CHECK(sbl_json_get_object(&object, certificate, "schema", where, err));
    if (json_object_size(object) == 0) return SBL_OK;
    SBL_CHECK(
        copy_text(content->schema, 64, sizeof content->schema, hexadecimal, object, "sha256", where, err));
    return get_text(&content->origin, 1, SBL_CERTIFICATE_TEXT, NULL, object, "origin", where, err);
}

sbl_status sbl_certificate_extract(sbl_certificate_content *content, const json_t *certificate,
                                   const char *where, sbl_error *err)
{
    json_t *program;
    uint64_t format;
    bool images;
    memset(content, 0, sizeof *content);
    SBL_CHECK(sbl_json_get_u64(&format, certificate, "version", where, err));
    content->format = (unsigned)format; /* a small number: sbl_certificate_check() has looked at it */
    SBL_CHECK(get_guarantee(content, certificate, where, err));
    SBL_CHECK(get_choice(&images, "table", "images", certificate, "data", where, err));
    content->data = images ? SBL_DATA_IMAGES : SBL_DATA_TABLE;
    SBL_CHECK(get_about(content, certificate, where, err));
    SBL_CHECK(get_mechanisms(content, certificate, where, err));
    SBL_CHECK(get_totals(&content->totals, certificate, where, err));
    SBL_CHECK(get_ledger(content, certificate, where, err));
    SBL_CHECK(get_also_public(content, certificate, where, err));
    SBL_CHECK(get_files(content, certificate, where, err));
    SBL_CHECK(get_health(content, certificate, where, err));
    if (format > SBL_CERTIFICATE_OLDEST)
        SBL_CHECK(get_optional_words(&content->trained_on, certificate, "trained_on", where, err));
    SBL_CHECK(sbl_json_get_object(&program, certificate, "program", where, err));
    SBL_CHECK(get_text(&content->version, 1, 63, plain, program, "version", where, err));
    return get_text(&content->method, 1, 63, plain, certificate, "method", where, err);
}
