/* SPDX-License-Identifier: Apache-2.0 */
/* Both directions of a release's header by one table for each object (docs/FORMATS.md). */
#include "door/release/release.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json_fields.h"
#include "base/kinds.h"
#include "base/size.h"
#include "base/text.h"
#include "public/account/survival.h"

#define MAX_BLOCKS 65536
/* Larger JSON numbers lose digits in some readers. */
#define MAX_EXACT_INTEGER (UINT64_C(1) << 53)
#define MAX_MULTIPLIER (UINT64_C(1) << 62)

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
static const char block_letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
static const char hexadecimal[] = "0123456789abcdef";
static const char no_name[] = "is not a name of the allowed length and characters";
static const char no_id[] = "must have 32 hex digits";
static const char *const format_name[] = {"semblance-release", NULL};
static const char *const block_kinds[] = {"", "squares", "products", "persons", NULL};
/* By test_key. */
static const char *const guarantees[] = {"differential privacy, as the certificate of its ledger says",
                                         "NONE (test key)", NULL};

/* ---- blocks ---- */

typedef struct listed_block {
    sbl_block block;
    size_t columns;
} listed_block;

static bool is_moments(const void *at) { return sbl_block_is_moments(&((const listed_block *)at)->block); }

/* Name, shape, place on the grid and everything that the block's sensitivity follows from. */
#define AT(member) SBL_JSON_AT(listed_block, member)
static const sbl_json_field block_fields[] = {
    {"name", SBL_JSON_CHARS, AT(block.name), .least = 1, .allowed = block_letters, .wrong = no_name},
    {"width", SBL_JSON_WHOLE, AT(block.width), .most = MAX_EXACT_INTEGER},
    {"columns", SBL_JSON_WHOLE, AT(columns), .least = 1, .most = MAX_EXACT_INTEGER},
    {"nonnegative", SBL_JSON_BOOL, AT(block.nonnegative)},
    {"pairwise", SBL_JSON_BOOL, AT(block.pairwise), .optional = true},
    {"bound2", SBL_JSON_DECIMAL, AT(block.bound2), .least = 1, .most = SBL_BOUND2_MAX},
    {"bound1", SBL_JSON_DECIMAL, AT(block.bound1), .most = SBL_BOUND1_MAX},
    {"multiplier", SBL_JSON_DECIMAL, AT(block.multiplier), .least = 1, .most = MAX_MULTIPLIER},
    {"scale", SBL_JSON_REAL, AT(block.scale)},
    {"survival_bits", SBL_JSON_WHOLE, AT(block.survival_bits), .least = SBL_SURVIVAL_LEAST_BITS,
     .most = SBL_SURVIVAL_MOST_BITS, .optional = true},
    {"kind", SBL_JSON_CHOICE, AT(block.kind), .least = 1, .names = block_kinds, .optional = true},
    {"source", SBL_JSON_CHARS, AT(block.source), .least = 1, .allowed = block_letters, .wrong = no_name,
     .when = is_moments},
    {"outer", SBL_JSON_WHOLE, AT(block.outer), .least = 1, .most = SBL_WIDTH_MAX, .when = is_moments},
    {0},
};
#undef AT

static json_t *write_blocks(const void *at)
{
    const sbl_release *release = at;
    json_t *list = json_array();
    for (size_t b = 0; b < release->block_count; b++) {
        const listed_block listed = {release->blocks[b], sbl_release_columns(release, &release->blocks[b])};
        list = sbl_json_append(list, sbl_json_fields_write(json_object(), &listed, block_fields));
    }
    return list;
}

/* What of a block does not agree with the rest, or NULL; *what says how. */
static const char *wrong_block(const listed_block *listed, const sbl_release *release, const char **what)
{
    const sbl_block *block = &listed->block;
    *what = "is out of range";
    if (block->width == 0 && block->survival_bits == 0) return "width"; /* no key may have passed */
    *what = "must be positive";
    if (!(block->scale > 0.0)) return "scale"; /* JSON has no infinity */
    *what = "must be 1 or the number of classes";
    if (listed->columns != 1 && listed->columns != release->classes) return "columns";
    *what = "does not give the block's width";
    if (is_moments(listed) && block->width != sbl_moments_width(block->kind, block->outer)) return "outer";
    *what = "names a block twice";
    return sbl_release_find(release, block->name) != NULL ? "blocks" : NULL;
}

/* Block number release->block_count; its values follow those of the blocks before it. */
static sbl_status read_block(sbl_release *release, const json_t *item, const char *where, sbl_error *err)
{
    listed_block listed = {.columns = 0};
    const char *what;
    size_t size;
    SBL_CHECK(sbl_json_fields_read(&listed, item, block_fields, where, err));
    const char *wrong = wrong_block(&listed, release, &what);
    if (wrong != NULL) return sbl_json_fail(where, wrong, what, err);
    listed.block.per_class = listed.columns != 1;
    listed.block.offset = release->value_count;
    if (!sbl_size_mul(&size, listed.block.width, listed.columns) ||
        !sbl_size_add(&release->value_count, release->value_count, size))
        return sbl_json_fail(where, "blocks", "describes too many values", err);
    release->blocks[release->block_count++] = listed.block;
    return SBL_OK;
}

static sbl_status read_blocks(void *at, const json_t *object, const char *where, sbl_error *err)
{
    sbl_release *release = at;
    json_t *list;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_array(&list, object, "blocks", where, err));
    const size_t count = json_array_size(list);
    if (count == 0 || count > MAX_BLOCKS)
        return sbl_json_fail(where, "blocks", "must hold between 1 and 65536 blocks", err);
    SBL_ALLOC(release->blocks, count, where);
    for (size_t b = 0; b < count; b++) SBL_TRY(read_block(release, json_array_get(list, b), where, err));
    const sbl_block *last = &release->blocks[count - 1];
    if (release->counts &&
        (strcmp(last->name, SBL_COUNTS_BLOCK) != 0 || last->per_class || last->width != release->classes))
        return sbl_json_fail(where, "counts", "is true, but the last block does not hold them", err);
done:
    return status;
}

/* ---- keys ---- */

/* [[column, text], ...]; NULL when out of memory. */
static json_t *write_keys(const void *at)
{
    const sbl_release *release = at;
    json_t *list = json_array();
    for (size_t i = 0; i < release->value_count; i++)
        list = sbl_json_append(
            list, json_pack("[I, s]", (json_int_t)release->keys[i].column, release->keys[i].text));
    return list;
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
        return sbl_json_fail(where, "keys", "holds an entry that is not a key", err);
    key->column = (uint32_t)json_integer_value(column);
    const sbl_status status = sbl_copy_text(&key->text, text, where, err);
    if (status != SBL_OK) return status;
    if (i > 0 && !key_follows(key, &release->keys[i - 1]))
        return sbl_json_fail(where, "keys", "are not in order", err);
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
        return sbl_json_fail(where, "keys", "must be there for one block of keys, one for each value", err);
    SBL_ALLOC(release->keys, release->value_count, where);
    for (size_t i = 0; i < release->value_count; i++)
        SBL_TRY(read_key(release, i, json_array_get(list, i), where, err));
done:
    return status;
}

static bool has_keys(const void *at) { return ((const sbl_release *)at)->keys != NULL; }

/* ---- the header ---- */

/* n is public under replace-one, "private" under add-remove and where a person may own several. */
static bool rows_are_public(const sbl_release *release)
{
    return sbl_rows_are_public(release->neighbours, release->rows_per_unit);
}

static json_t *write_rows(const void *at)
{
    const sbl_release *release = at;
    return rows_are_public(release) ? json_integer((json_int_t)release->n) : json_string("private");
}

static sbl_status read_rows(void *at, const json_t *object, const char *where, sbl_error *err)
{
    static const char *const secret[] = {"private", NULL};
    static const sbl_json_field when_public[] = {
        {"n", SBL_JSON_WHOLE, SBL_JSON_AT(sbl_release, n), .most = MAX_EXACT_INTEGER}, {0}};
    static const sbl_json_field when_private[] = {
        {"n", SBL_JSON_CONSTANT, SBL_JSON_HERE, .names = secret, .wrong = "must be \"private\" here"}, {0}};
    return sbl_json_fields_read(at, object, rows_are_public(at) ? when_public : when_private, where, err);
}

static sbl_status hash_plan(char hex[SBL_SHA256_TEXT_SIZE], const sbl_release *release, sbl_error *err)
{
    uint8_t hash[SBL_SHA256_SIZE];
    SBL_CHECK(sbl_sha256(hash, release->plan, strlen(release->plan), NULL, 0, err));
    (void)sbl_hex_encode(hex, hash, sizeof hash);
    return SBL_OK;
}

static json_t *write_plan_hash(const void *at)
{
    char hex[SBL_SHA256_TEXT_SIZE];
    return hash_plan(hex, at, NULL) == SBL_OK ? json_string(hex) : NULL;
}

static sbl_status read_plan_hash(void *at, const json_t *object, const char *where, sbl_error *err)
{
    const char *recorded;
    char hex[SBL_SHA256_TEXT_SIZE];
    SBL_CHECK(sbl_json_get_string(&recorded, object, "plan_hash", where, err));
    SBL_CHECK(hash_plan(hex, at, err));
    if (strcmp(hex, recorded) != 0)
        return sbl_json_fail(where, "plan_hash", "is not the SHA-256 of the plan", err);
    return SBL_OK;
}

/* A release of persons says so; one of rows is written as it always was. */
#define AT(member) SBL_JSON_AT(sbl_release, member)
static const sbl_json_field header_fields[] = {
    {"format", SBL_JSON_CONSTANT, SBL_JSON_HERE, .names = format_name},
    {"guarantee", SBL_JSON_CHOICE, AT(test_key), .names = guarantees},
    {"name", SBL_JSON_CHARS, AT(name), .least = 1, .allowed = letters, .wrong = no_name},
    {"rid", SBL_JSON_CHARS, AT(rid), .least = 32, .allowed = hexadecimal, .wrong = no_id},
    {"ledger", SBL_JSON_CHARS, AT(ledger), .least = 32, .allowed = hexadecimal, .wrong = no_id},
    {"seq", SBL_JSON_WHOLE, AT(seq), .least = 1, .most = MAX_EXACT_INTEGER},
    {"mechanism", SBL_JSON_CHOICE, AT(mechanism), .names = sbl_mechanism_names},
    {"neighbours", SBL_JSON_CHOICE, AT(neighbours), .names = sbl_neighbours_names},
    {"k", SBL_JSON_VERSION, SBL_JSON_HERE, .least = SBL_NOISE_SCALE_BITS},
    {"rows_per_unit", SBL_JSON_WHOLE, AT(rows_per_unit), .least = 1, .most = SBL_ROWS_PER_UNIT_MAX,
     .optional = true},
    {"n", SBL_JSON_OWN, SBL_JSON_HERE, .read = read_rows, .write = write_rows},
    {"classes", SBL_JSON_WHOLE, AT(classes), .least = 1, .most = MAX_EXACT_INTEGER},
    {"counts", SBL_JSON_BOOL, AT(counts)},
    {"plan", SBL_JSON_COPY, AT(plan)},
    {"plan_hash", SBL_JSON_OWN, SBL_JSON_HERE, .read = read_plan_hash, .write = write_plan_hash},
    {"blocks", SBL_JSON_OWN, SBL_JSON_HERE, .read = read_blocks, .write = write_blocks},
    {"keys", SBL_JSON_OWN, SBL_JSON_HERE, .write = write_keys, .when = has_keys, .derived = true},
    {0},
};
#undef AT

sbl_status sbl_release_header_write(char **text, const sbl_release *release, sbl_error *err)
{
    return sbl_json_fields_text(text, release, header_fields, "a release", err);
}

/* The text must be the one that its facts give: no other fields, no other spelling, and no number
 * that was misread for lack of memory. */
static sbl_status check_canonical(const sbl_release *release, const char *text, size_t length,
                                  const char *where, sbl_error *err)
{
    char *again = NULL;
    sbl_status status = sbl_release_header_write(&again, release, err);
    if (status == SBL_OK && (strlen(again) != length || memcmp(again, text, length) != 0))
        status = sbl_fail(err, SBL_EINPUT,
                          "release %s: its header has unknown fields: use the program that made it", where);
    sbl_free(again);
    return status;
}

sbl_status sbl_release_header_read(sbl_release *release, const char *text, size_t length, const char *where,
                                   sbl_error *err)
{
    json_t *object = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_parse(&object, text, length, where, err));
    SBL_TRY(sbl_json_fields_read(release, object, header_fields, where, err));
    SBL_TRY(read_keys(release, object, where, err));
    SBL_TRY(check_canonical(release, text, length, where, err));
done:
    json_decref(object);
    return status;
}
