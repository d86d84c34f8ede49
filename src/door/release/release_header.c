/* Both directions of a release's header (docs/FORMATS.md). */
#include "door/release/release_header.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/kinds.h"
#include "base/size.h"
#include "base/text.h"
#include "public/account/survival.h"

#define MAX_BLOCKS 65536
#define MAX_EXACT_INTEGER \
    (UINT64_C(1) << 53) /* larger JSON numbers lose digits in some readers \
                         */
#define MAX_MULTIPLIER (UINT64_C(1) << 62)

static const char guarantee_none[] = "NONE (test key)";
static const char guarantee_real[] = "differential privacy, as the certificate of its ledger says";

static const char *const kind_names[] = {"squares", "products"};
static const char persons_kind[] = "persons";
static const char block_letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.-";

static const char *guarantee_text(bool test_key) { return test_key ? guarantee_none : guarantee_real; }

/* ---- writing ---- */

/* Name, shape, place on the grid and everything that the block's sensitivity follows from. */
static json_t *write_block(const sbl_release *release, const sbl_block *block)
{
    json_t *item =
        json_pack("{s:s, s:I, s:I, s:b, s:o*, s:o, s:o, s:o, s:f}", "name", block->name, "width",
                  (json_int_t)block->width, "columns", (json_int_t)sbl_release_columns(release, block),
                  "nonnegative", block->nonnegative, "pairwise", block->pairwise ? json_true() : NULL,
                  "bound2", sbl_json_u128(block->bound2), "bound1", sbl_json_u128(block->bound1),
                  "multiplier", sbl_json_u128(block->multiplier), "scale", block->scale);
    if (block->survival_bits != 0)
        return sbl_json_put(item, "survival_bits", json_integer(block->survival_bits));
    if (block->kind == SBL_BLOCK_PERSONS) return sbl_json_put(item, "kind", json_string(persons_kind));
    if (!sbl_block_is_moments(block)) return item;
    const char *kind = kind_names[block->kind == SBL_BLOCK_PRODUCTS];
    item = sbl_json_put(item, "kind", json_string(kind));
    item = sbl_json_put(item, "source", json_string(block->source));
    return sbl_json_put(item, "outer", json_integer((json_int_t)block->outer));
}

static json_t *write_blocks(const sbl_release *release)
{
    json_t *list = json_array();
    for (size_t b = 0; b < release->block_count; b++)
        list = sbl_json_append(list, write_block(release, &release->blocks[b]));
    return list;
}

static bool rows_are_public(const sbl_release *release)
{
    return sbl_rows_are_public(release->neighbours, release->rows_per_unit);
}

/* [[column, text], ...]; NULL when out of memory. */
static json_t *write_keys(const sbl_release *release)
{
    json_t *list = json_array();
    for (size_t i = 0; i < release->value_count; i++)
        list = sbl_json_append(
            list, json_pack("[I, s]", (json_int_t)release->keys[i].column, release->keys[i].text));
    return list;
}

sbl_status sbl_release_header_write(char **text, const sbl_release *release, sbl_error *err)
{
    uint8_t hash[SBL_SHA256_SIZE];
    char hex[SBL_SHA256_TEXT_SIZE];
    *text = NULL;
    const sbl_status status = sbl_sha256(hash, release->plan, strlen(release->plan), NULL, 0, err);
    if (status != SBL_OK) return status;
    json_t *n = rows_are_public(release) ? json_integer((json_int_t)release->n) : json_string("private");
    json_t *header =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:s, s:s, s:i, s:o, s:I, s:b, s:s, s:s, s:o}", "format",
                  "semblance-release", "guarantee", guarantee_text(release->test_key), "name", release->name,
                  "rid", release->rid, "ledger", release->ledger, "seq", (json_int_t)release->seq,
                  "mechanism", sbl_mechanism_name(release->mechanism), "neighbours",
                  sbl_neighbours_name(release->neighbours), "k", SBL_NOISE_SCALE_BITS, "n", n, "classes",
                  (json_int_t)release->classes, "counts", release->counts, "plan", release->plan, "plan_hash",
                  sbl_hex_encode(hex, hash, sizeof hash), "blocks", write_blocks(release));
    /* A release of persons says so; one of rows is written as it always was. */
    if (release->rows_per_unit != 0)
        header = sbl_json_put(header, "rows_per_unit", json_integer((json_int_t)release->rows_per_unit));
    if (release->keys != NULL) header = sbl_json_put(header, "keys", write_keys(release));
    if (header != NULL) *text = sbl_json_canonical(header);
    json_decref(header);
    return *text != NULL ? SBL_OK : sbl_no_memory(err, "a release");
}

/* ---- reading ---- */

static sbl_status fail_field(const char *where, const char *field, const char *what, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "release %s: field '%s' %s", where, field, what);
}

/* A string of 1 to size - 1 of the allowed characters, copied to at. */
static sbl_status read_name(char *at, size_t size, const json_t *object, const char *field,
                            const char *allowed, const char *where, sbl_error *err)
{
    const char *value;
    const sbl_status status = sbl_json_get_string(&value, object, field, where, err);
    if (status != SBL_OK) return status;
    const size_t length = strlen(value);
    if (length == 0 || length >= size || strspn(value, allowed) != length)
        return fail_field(where, field, "is not a name of the allowed length and characters", err);
    memcpy(at, value, length + 1);
    return SBL_OK;
}

static sbl_status read_id(char at[33], const json_t *object, const char *field, const char *where,
                          sbl_error *err)
{
    const sbl_status status = read_name(at, 33, object, field, "0123456789abcdef", where, err);
    if (status != SBL_OK) return status;
    return strlen(at) == 32 ? SBL_OK : fail_field(where, field, "must have 32 hex digits", err);
}

/* A JSON integer in [least, most]. */
static sbl_status read_count(uint64_t *at, uint64_t least, uint64_t most, const json_t *object,
                             const char *field, const char *where, sbl_error *err)
{
    const sbl_status status = sbl_json_get_u64(at, object, field, where, err);
    if (status != SBL_OK) return status;
    return *at >= least && *at <= most ? SBL_OK : fail_field(where, field, "is out of range", err);
}

/* A string that must be one of two; *second says which. */
static sbl_status read_choice(bool *second, const char *no, const char *yes, const json_t *object,
                              const char *field, const char *where, sbl_error *err)
{
    const char *value;
    const sbl_status status = sbl_json_get_string(&value, object, field, where, err);
    if (status != SBL_OK) return status;
    *second = strcmp(value, yes) == 0;
    return *second || strcmp(value, no) == 0 ? SBL_OK : fail_field(where, field, "has no known value", err);
}

/* n is public under replace-one, "private" under add-remove and where a person may own several. */
static sbl_status read_rows(sbl_release *release, const json_t *object, const char *where, sbl_error *err)
{
    const char *value = json_string_value(json_object_get(object, "n"));
    if (json_object_get(object, "rows_per_unit") != NULL) {
        const sbl_status status = read_count(&release->rows_per_unit, 1, SBL_ROWS_PER_UNIT_MAX, object,
                                             "rows_per_unit", where, err);
        if (status != SBL_OK) return status;
    }
    if (rows_are_public(release))
        return read_count(&release->n, 0, MAX_EXACT_INTEGER, object, "n", where, err);
    if (value == NULL || strcmp(value, "private") != 0)
        return fail_field(where, "n", "must be \"private\" here", err);
    return SBL_OK;
}

static sbl_status read_plan(sbl_release *release, const json_t *object, const char *where, sbl_error *err)
{
    const char *plan;
    const char *recorded;
    uint8_t hash[SBL_SHA256_SIZE];
    char hex[SBL_SHA256_TEXT_SIZE];
    SBL_CHECK(sbl_json_get_string(&plan, object, "plan", where, err));
    SBL_CHECK(sbl_json_get_string(&recorded, object, "plan_hash", where, err));
    SBL_CHECK(sbl_sha256(hash, plan, strlen(plan), NULL, 0, err));
    if (strcmp(sbl_hex_encode(hex, hash, sizeof hash), recorded) != 0)
        return fail_field(where, "plan_hash", "is not the SHA-256 of the plan", err);
    return sbl_copy_text(&release->plan, plan, where, err);
}

/* A decimal integer written as a string, at most so large. */
static sbl_status read_bound(uint64_t *at, uint64_t least, uint64_t most, const json_t *object,
                             const char *field, const char *where, sbl_error *err)
{
    sbl_u128 wide;
    const sbl_status status = sbl_json_get_u128(&wide, object, field, where, err);
    if (status != SBL_OK) return status;
    if (wide < least || wide > most) return fail_field(where, field, "is out of range", err);
    *at = (uint64_t)wide;
    return SBL_OK;
}

static sbl_status read_block_numbers(sbl_block *block, const json_t *item, size_t classes, const char *where,
                                     sbl_error *err)
{
    uint64_t columns;
    /* No key may have passed. */
    const uint64_t least = json_object_get(item, "survival_bits") != NULL ? 0 : 1;
    SBL_CHECK(read_count(&block->width, least, MAX_EXACT_INTEGER, item, "width", where, err));
    SBL_CHECK(read_count(&columns, 1, MAX_EXACT_INTEGER, item, "columns", where, err));
    SBL_CHECK(sbl_json_get_bool(&block->nonnegative, item, "nonnegative", where, err));
    if (json_object_get(item, "pairwise") != NULL)
        SBL_CHECK(sbl_json_get_bool(&block->pairwise, item, "pairwise", where, err));
    SBL_CHECK(read_bound(&block->bound2, 1, SBL_BOUND2_MAX, item, "bound2", where, err));
    SBL_CHECK(read_bound(&block->bound1, 0, SBL_BOUND1_MAX, item, "bound1", where, err));
    SBL_CHECK(read_bound(&block->multiplier, 1, MAX_MULTIPLIER, item, "multiplier", where, err));
    SBL_CHECK(sbl_json_get_double(&block->scale, item, "scale", where, err));
    if (!(block->scale > 0.0)) /* JSON has no infinity */
        return fail_field(where, "scale", "must be positive", err);
    if (columns != 1 && columns != classes)
        return fail_field(where, "columns", "must be 1 or the number of classes", err);
    block->per_class = columns != 1;
    return SBL_OK;
}

/* The fields that an ordinary block has not. */
static sbl_status read_kind(sbl_block *block, const json_t *item, const char *where, sbl_error *err)
{
    bool second;
    const json_t *kind = json_object_get(item, "kind");
    if (kind == NULL) return SBL_OK;
    if (json_is_string(kind) && strcmp(json_string_value(kind), persons_kind) == 0) {
        block->kind = SBL_BLOCK_PERSONS;
        return SBL_OK;
    }
    SBL_CHECK(read_choice(&second, kind_names[0], kind_names[1], item, "kind", where, err));
    block->kind = second ? SBL_BLOCK_PRODUCTS : SBL_BLOCK_SQUARES;
    SBL_CHECK(read_name(block->source, sizeof block->source, item, "source", block_letters, where, err));
    SBL_CHECK(read_count(&block->outer, 1, SBL_WIDTH_MAX, item, "outer", where, err));
    if (block->width != sbl_moments_width(block->kind, block->outer))
        return fail_field(where, "outer", "does not give the block's width", err);
    return SBL_OK;
}

/* The field that only a block of keys has. */
static sbl_status read_survival(sbl_block *block, const json_t *item, const char *where, sbl_error *err)
{
    uint64_t bits;
    if (json_object_get(item, "survival_bits") == NULL) return SBL_OK;
    const sbl_status status =
        read_count(&bits, SBL_SURVIVAL_LEAST_BITS, SBL_SURVIVAL_MOST_BITS, item, "survival_bits", where, err);
    block->survival_bits = status == SBL_OK ? (unsigned)bits : 0;
    return status;
}

/* Block number release->block_count; its values follow those of the blocks before it. */
static sbl_status read_block(sbl_release *release, const json_t *item, const char *where, sbl_error *err)
{
    sbl_block *block = &release->blocks[release->block_count];
    size_t size;
    SBL_CHECK(read_name(block->name, sizeof block->name, item, "name", block_letters, where, err));
    SBL_CHECK(read_block_numbers(block, item, release->classes, where, err));
    SBL_CHECK(read_kind(block, item, where, err));
    SBL_CHECK(read_survival(block, item, where, err));
    if (sbl_release_find(release, block->name) != NULL)
        return fail_field(where, "blocks", "names a block twice", err);
    block->offset = release->value_count;
    if (!sbl_size_mul(&size, block->width, sbl_release_columns(release, block)) ||
        !sbl_size_add(&release->value_count, release->value_count, size))
        return fail_field(where, "blocks", "describes too many values", err);
    release->block_count++;
    return SBL_OK;
}

static sbl_status read_blocks(sbl_release *release, const json_t *object, const char *where, sbl_error *err)
{
    json_t *list;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_array(&list, object, "blocks", where, err));
    const size_t count = json_array_size(list);
    if (count == 0 || count > MAX_BLOCKS)
        return fail_field(where, "blocks", "must hold between 1 and 65536 blocks", err);
    SBL_ALLOC(release->blocks, count, where);
    for (size_t b = 0; b < count; b++) SBL_TRY(read_block(release, json_array_get(list, b), where, err));
    const sbl_block *last = &release->blocks[count - 1];
    if (release->counts &&
        (strcmp(last->name, SBL_COUNTS_BLOCK) != 0 || last->per_class || last->width != release->classes))
        return fail_field(where, "counts", "is true, but the last block does not hold them", err);
done:
    return status;
}

/* Do keys rise by column, then by bytes, each once? */
static bool key_follows(const sbl_release_key *key, const sbl_release_key *before)
{
    return key->column > before->column ||
           (key->column == before->column && strcmp(key->text, before->text) > 0);
}

static sbl_status read_key(sbl_release *release, size_t i, const json_t *item, const char *where,
                           sbl_error *err)
{
    sbl_release_key *key = &release->keys[i];
    const json_t *column = json_array_get(item, 0);
    const char *text = json_string_value(json_array_get(item, 1));
    if (!json_is_integer(column) || text == NULL || *text == '\0' || json_integer_value(column) < 0 ||
        (uint64_t)json_integer_value(column) >= release->blocks[0].bound2)
        return fail_field(where, "keys", "holds what is no key", err);
    key->column = (uint32_t)json_integer_value(column);
    const sbl_status status = sbl_copy_text(&key->text, text, where, err);
    if (status != SBL_OK) return status;
    if (i > 0 && !key_follows(key, &release->keys[i - 1]))
        return fail_field(where, "keys", "are not in order", err);
    return SBL_OK;
}

/* A release of keys is one block of them, and has one for each value. */
static sbl_status read_keys(sbl_release *release, const json_t *object, const char *where, sbl_error *err)
{
    const json_t *list = json_object_get(object, "keys");
    size_t of_keys = 0;
    sbl_status status = SBL_OK;
    for (size_t b = 0; b < release->block_count; b++) of_keys += release->blocks[b].survival_bits != 0;
    if (of_keys == 0 && list == NULL) return SBL_OK;
    if (of_keys != 1 || release->block_count != 1 || release->blocks[0].per_class ||
        release->blocks[0].kind != SBL_BLOCK_VECTOR || json_array_size(list) != release->value_count ||
        !json_is_array(list))
        return fail_field(where, "keys", "must be there for one block of keys, one for each value", err);
    SBL_ALLOC(release->keys, release->value_count, where);
    for (size_t i = 0; i < release->value_count; i++)
        SBL_TRY(read_key(release, i, json_array_get(list, i), where, err));
done:
    return status;
}

static sbl_status read_facts(sbl_release *release, const json_t *object, const char *where, sbl_error *err)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
    uint64_t classes;
    uint64_t scale_bits;
    bool second;
    SBL_CHECK(read_choice(&second, "", "semblance-release", object, "format", where, err));
    SBL_CHECK(
        read_choice(&release->test_key, guarantee_real, guarantee_none, object, "guarantee", where, err));
    SBL_CHECK(read_name(release->name, sizeof release->name, object, "name", allowed, where, err));
    SBL_CHECK(read_id(release->rid, object, "rid", where, err));
    SBL_CHECK(read_id(release->ledger, object, "ledger", where, err));
    SBL_CHECK(read_count(&release->seq, 1, MAX_EXACT_INTEGER, object, "seq", where, err));
    SBL_CHECK(read_choice(&second, sbl_mechanism_name(SBL_DISCRETE_GAUSSIAN),
                          sbl_mechanism_name(SBL_DISCRETE_LAPLACE), object, "mechanism", where, err));
    release->mechanism = second ? SBL_DISCRETE_LAPLACE : SBL_DISCRETE_GAUSSIAN;
    SBL_CHECK(read_choice(&second, sbl_neighbours_name(SBL_REPLACE_ONE), sbl_neighbours_name(SBL_ADD_REMOVE),
                          object, "neighbours", where, err));
    release->neighbours = second ? SBL_ADD_REMOVE : SBL_REPLACE_ONE;
    SBL_CHECK(read_count(&scale_bits, SBL_NOISE_SCALE_BITS, SBL_NOISE_SCALE_BITS, object, "k", where, err));
    SBL_CHECK(read_rows(release, object, where, err));
    SBL_CHECK(read_count(&classes, 1, MAX_EXACT_INTEGER, object, "classes", where, err));
    release->classes = (size_t)classes;
    return sbl_json_get_bool(&release->counts, object, "counts", where, err);
}

/* The text must be the one that its facts give: no other fields, no other spelling, and no number
 * that was misread for lack of memory. */
static sbl_status check_canonical(const sbl_release *release, const char *text, size_t length,
                                  const char *where, sbl_error *err)
{
    char *again = NULL;
    sbl_status status = sbl_release_header_write(&again, release, err);
    if (status == SBL_OK && (strlen(again) != length || memcmp(again, text, length) != 0))
        status = sbl_fail(err, SBL_EINPUT, "release %s: its header holds more than its facts", where);
    sbl_free(again);
    return status;
}

sbl_status sbl_release_header_read(sbl_release *release, const char *text, size_t length, const char *where,
                                   sbl_error *err)
{
    json_t *object = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_parse(&object, text, length, where, err));
    SBL_TRY(read_facts(release, object, where, err));
    SBL_TRY(read_plan(release, object, where, err));
    SBL_TRY(read_blocks(release, object, where, err));
    SBL_TRY(read_keys(release, object, where, err));
    SBL_TRY(check_canonical(release, text, length, where, err));
done:
    json_decref(object);
    return status;
}
