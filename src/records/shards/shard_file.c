/* SPDX-License-Identifier: Apache-2.0 */
/* Layout: magic, length of the header, header (canonical JSON), nonce, sealed words, tag. The header is in
 * the clear, so that a reader can see which shard it is, and it is authenticated by the seal. */
#include "records/shards/shard_file.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/json_fields.h"
#include "base/os_random.h"
#include "base/text.h"

#define PART_VERSION 1
#define HEADER_LIMIT ((size_t)256 << 20)
#define PART_LIMIT ((size_t)16 << 30)

static const char magic[] = "semblance-sum SECRET\n";
#define MAGIC_SIZE (sizeof magic - 1)
#define BEFORE_HEADER (MAGIC_SIZE + 4)
#define AROUND_WORDS (SBL_SEAL_NONCE_SIZE + SBL_SEAL_TAG_SIZE)

/* ---- words ---- */

void sbl_part_clear(sbl_part *part)
{
    sbl_free(part->ids);
    sbl_free(part->places);
    sbl_free_wiped(part->words, part->word_count * sizeof *part->words);
    *part = (sbl_part){0};
}

sbl_status sbl_part_take(sbl_part *part, const sbl_sum *sum, sbl_error *err)
{
    const sbl_layout *layout = sbl_sum_layout(sum);
    const size_t count = sbl_layout_values(layout) + 1;
    uint64_t *words = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(words, count, "a part");
    uint64_t *next = words;
    *next++ = sbl_sum_rows(sum);
    for (size_t b = 0; b < layout->block_count; b++) {
        const size_t values = sbl_block_values(layout, b);
        memcpy(next, sbl_sum_values(sum, b), values * sizeof *next);
        next += values;
    }
    memcpy(next, sbl_sum_counts(sum), layout->classes * sizeof *next);
    sbl_free_wiped(part->words, part->word_count * sizeof *part->words);
    part->words = words;
    part->word_count = count;
done:
    return status;
}

sbl_status sbl_part_give(sbl_sum **sum, const sbl_part *part, const sbl_layout *layout, const char *where,
                         sbl_error *err)
{
    sbl_error reason = {0};
    *sum = NULL;
    if (part->masked)
        return sbl_fail(err, SBL_EINPUT, "%s holds the masked sums of one site: merge those of all sites",
                        where);
    const sbl_status status = sbl_sum_load(sum, layout, (const int64_t *)(part->words + 1),
                                           part->word_count - 1, part->words[0], &reason);
    return status == SBL_OK ? SBL_OK : sbl_fail(err, status, "%s: %s", where, reason.message);
}

/* ---- the header ---- */

static const char *const notes[] = {
    "SECRET: exact sums of records, sealed with the key of their plan; they may leave "
    "through a release only",
    NULL};

static const sbl_json_field id_fields[] = {
    {"part", SBL_JSON_CHARS, SBL_JSON_AT(sbl_part_id, name)},
    {"attempt", SBL_JSON_WHOLE, SBL_JSON_AT(sbl_part_id, attempt)},
    {0},
};

/* A part with what binds it to its plan. */
typedef struct header {
    uint8_t layout[SBL_SHA256_SIZE], plan[SBL_SHA256_SIZE];
    bool masked;
    size_t words;
    sbl_part_id *ids;
    size_t id_count;
} header;

#define AT(member) SBL_JSON_AT(header, member)
static const sbl_json_field header_fields[] = {
    {"version", SBL_JSON_VERSION, SBL_JSON_HERE, .least = PART_VERSION,
     .wrong = "is another version than this program knows; use the program that made it"},
    {"plan", SBL_JSON_HEX, AT(plan)},
    {"words", SBL_JSON_WHOLE, AT(words)},
    {"note", SBL_JSON_CONSTANT, SBL_JSON_HERE, .names = notes},
    {"layout", SBL_JSON_HEX, AT(layout)},
    {"masked", SBL_JSON_BOOL, AT(masked)},
    /* Read when the seal was good: what is slow is done for those who hold the key only. */
    {"parts", SBL_JSON_LIST, AT(ids), .counter = offsetof(header, id_count), .item = sizeof(sbl_part_id),
     .fields = id_fields, .derived = true},
    {0},
};
#undef AT

/* Canonical JSON; sbl_free. */
static sbl_status write_header(char **text, const sbl_part *part, const sbl_plan_file *plan,
                               const sbl_layout *layout, sbl_error *err)
{
    header of = {
        .masked = part->masked, .words = part->word_count, .ids = part->ids, .id_count = part->id_count};
    *text = NULL;
    SBL_CHECK(sbl_layout_hash(of.layout, layout, err));
    memcpy(of.plan, plan->hash, sizeof of.plan);
    return sbl_json_fields_text(text, &of, header_fields, "a part", err);
}

/* Is it a header of this plan, with words for all values? */
static sbl_status check_header(bool *masked, const json_t *root, const sbl_plan_file *plan,
                               const sbl_layout *layout, const char *path, sbl_error *err)
{
    header of = {.words = 0};
    SBL_CHECK(sbl_json_fields_read(&of, root, header_fields, path, err));
    if (memcmp(of.plan, plan->hash, sizeof of.plan) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s is a part of another plan", path);
    if (of.words != sbl_layout_values(layout) + 1)
        return sbl_fail(err, SBL_EINPUT, "%s does not match its plan", path);
    *masked = of.masked;
    return SBL_OK;
}

static bool is_id(const char *name)
{
    uint64_t number, shares;
    return sbl_is_part_name(name) || sbl_part_share(&number, &shares, name);
}

static sbl_status read_ids(sbl_part *part, const json_t *root, const char *path, sbl_error *err)
{
    json_t *list;
    SBL_CHECK(sbl_json_get_array(&list, root, "parts", path, err));
    for (size_t i = 0; i < json_array_size(list); i++) {
        sbl_part_id id = {{0}, 0};
        SBL_CHECK(sbl_json_fields_read(&id, json_array_get(list, i), id_fields, path, err));
        if (!is_id(id.name)) return sbl_fail(err, SBL_EINPUT, "%s: a part has an invalid name", path);
        SBL_CHECK(sbl_part_add_id(part, &id, path, err));
    }
    return part->id_count > 0 ? SBL_OK : sbl_fail(err, SBL_EINPUT, "%s does not name its part", path);
}

/* Is this the header that is written for the part? Then it says nothing else. */
static sbl_status check_canonical(const sbl_part *part, const char *text, size_t size,
                                  const sbl_plan_file *plan, const sbl_layout *layout, const char *path,
                                  sbl_error *err)
{
    char *again = NULL;
    sbl_status status = write_header(&again, part, plan, layout, err);
    if (status == SBL_OK && (strlen(again) != size || memcmp(again, text, size) != 0))
        status =
            sbl_fail(err, SBL_EINPUT, "%s: the part was changed: use the file that the program wrote", path);
    sbl_free(again);
    return status;
}

/* ---- the file ---- */

sbl_status sbl_part_save(const sbl_part *part, const sbl_plan_file *plan, const sbl_layout *layout,
                         sbl_store_entry item, bool overwrite, sbl_error *err)
{
    uint8_t key[SBL_SEAL_KEY_SIZE];
    char *text = NULL;
    uint8_t *file = NULL;
    size_t size = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(write_header(&text, part, plan, layout, err));
    const size_t header_size = strlen(text);
    const size_t before = BEFORE_HEADER + header_size;
    if (header_size > HEADER_LIMIT || part->word_count > PART_LIMIT / 16)
        SBL_FAIL(err, SBL_EARG, "the part is too large for a file");
    size = before + AROUND_WORDS + 8 * part->word_count;
    SBL_ALLOC(file, size, "a part");
    memcpy(file, magic, MAGIC_SIZE);
    memcpy(sbl_store_u32(file + MAGIC_SIZE, (uint32_t)header_size), text, header_size);
    uint8_t *nonce = file + before;
    uint8_t *next = nonce + SBL_SEAL_NONCE_SIZE;
    const sbl_sealed sealed = {next, 8 * part->word_count, file, before};
    for (size_t i = 0; i < part->word_count; i++) next = sbl_store_u64(next, part->words[i]);
    SBL_TRY(sbl_plan_file_seal_key(key, plan, err));
    SBL_TRY(sbl_os_random(nonce, SBL_SEAL_NONCE_SIZE, err));
    SBL_TRY(sbl_seal(&sealed, next, key, nonce, err));
    SBL_TRY(sbl_store_entry_write(item, file, size,
                                  (sbl_file_write_options){.mode = 0600, .overwrite = overwrite}, err));
done:
    sbl_wipe(key, sizeof key);
    sbl_free_wiped(file, size);
    sbl_free(text);
    return status;
}

/* The words behind the header, at `file + before`. */
static sbl_status open_words(sbl_part *part, uint8_t *file, size_t before, const sbl_plan_file *plan,
                             const char *path, sbl_error *err)
{
    uint8_t key[SBL_SEAL_KEY_SIZE];
    uint8_t *bytes = file + before + SBL_SEAL_NONCE_SIZE;
    const sbl_sealed text = {bytes, 8 * part->word_count, file, before};
    bool good = false;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_plan_file_seal_key(key, plan, err));
    SBL_TRY(sbl_unseal(&good, &text, bytes + text.size, key, file + before, err));
    if (!good)
        SBL_FAIL(err, SBL_EINPUT, "%s was changed, or was made with another key than the plan's", path);
    SBL_ALLOC(part->words, part->word_count, "a part");
    for (size_t i = 0; i < part->word_count; i++) part->words[i] = sbl_load_u64(bytes + 8 * i);
done:
    sbl_wipe(key, sizeof key);
    return status;
}

sbl_status sbl_part_load(sbl_part *part, const sbl_plan_file *plan, const sbl_layout *layout,
                         sbl_store_entry item, sbl_error *err)
{
    const char *path = item.name;
    uint8_t *file = NULL;
    size_t size = 0;
    json_t *root = NULL;
    sbl_status status = SBL_OK;
    *part = (sbl_part){0};
    SBL_TRY(sbl_store_entry_read(&file, &size, item, PART_LIMIT, err));
    if (size < BEFORE_HEADER || memcmp(file, magic, MAGIC_SIZE) != 0)
        SBL_FAIL(err, SBL_EINPUT, "%s is not a shard", path);
    const size_t header_size = sbl_load_u32(file + MAGIC_SIZE);
    if (header_size > HEADER_LIMIT || size - BEFORE_HEADER < header_size)
        SBL_FAIL(err, SBL_EINPUT, "%s is truncated: copy it again", path);
    const size_t before = BEFORE_HEADER + header_size;
    const char *text = (const char *)file + BEFORE_HEADER;
    SBL_TRY(sbl_json_parse(&root, text, header_size, path, err));
    SBL_TRY(check_header(&part->masked, root, plan, layout, path, err));
    part->word_count = sbl_layout_values(layout) + 1;
    if (size - before != AROUND_WORDS + 8 * part->word_count)
        SBL_FAIL(err, SBL_EINPUT, "%s is truncated: copy it again", path);
    SBL_TRY(open_words(part, file, before, plan, path, err));
    SBL_TRY(read_ids(part, root, path, err));
    SBL_TRY(check_canonical(part, text, header_size, plan, layout, path, err));
done:
    json_decref(root);
    sbl_free_wiped(file, size);
    if (status != SBL_OK) {
        if (part->words == NULL) part->word_count = 0;
        sbl_part_clear(part);
    }
    return status;
}
