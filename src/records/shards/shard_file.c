/* magic, length of the header, header (canonical JSON), nonce, sealed words, tag. The header is in the clear, for who
 * looks which part it is, and is sealed along. */
#include "records/shards/shard_file.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/os_random.h"
#include "base/text.h"

#define PART_VERSION 1
#define HEADER_LIMIT ((size_t)256 << 20)
#define PART_LIMIT ((size_t)16 << 30)

static const char magic[] = "semblance-sum SECRET\n";
#define MAGIC_SIZE (sizeof magic - 1)
#define BEFORE_HEADER (MAGIC_SIZE + 4)
#define AROUND_WORDS (SBL_SEAL_NONCE_SIZE + SBL_SEAL_TAG_SIZE)

static const char note[] =
    "SECRET: exact sums of records, sealed with the key of their plan; they may leave "
    "through a release only";

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

static json_t *ids_to_json(const sbl_part *part)
{
    json_t *list = json_array();
    for (size_t i = 0; i < part->id_count; i++)
        list = sbl_json_append(list, json_pack("{s:s, s:I}", "part", part->ids[i].name, "attempt",
                                               (json_int_t)part->ids[i].attempt));
    return list;
}

/* Canonical JSON; sbl_free. */
static sbl_status write_header(char **text, const sbl_part *part, const sbl_plan_file *plan,
                               const sbl_layout *layout, sbl_error *err)
{
    uint8_t hash[SBL_SHA256_SIZE];
    char layout_hash[SBL_SHA256_TEXT_SIZE];
    char plan_hash[SBL_SHA256_TEXT_SIZE];
    *text = NULL;
    const sbl_status status = sbl_layout_hash(hash, layout, err);
    if (status != SBL_OK) return status;
    json_t *root = json_pack("{s:i, s:s, s:s, s:s, s:b, s:I}", "version", PART_VERSION, "note", note,
                             "layout", sbl_hex_encode(layout_hash, hash, sizeof hash), "plan",
                             sbl_hex_encode(plan_hash, plan->hash, sizeof plan->hash), "masked", part->masked,
                             "words", (json_int_t)part->word_count);
    root = sbl_json_put(root, "parts", ids_to_json(part));
    *text = root != NULL ? sbl_json_canonical(root) : NULL;
    json_decref(root);
    return *text != NULL ? SBL_OK : sbl_no_memory(err, "a part");
}

static bool is_id(const char *name)
{
    uint64_t number, shares;
    return strlen(name) < SBL_SITE_NAME_SIZE &&
           (sbl_is_part_name(name) || sbl_part_share(&number, &shares, name));
}

static sbl_status read_ids(sbl_part *part, const json_t *root, const char *path, sbl_error *err)
{
    json_t *list;
    SBL_CHECK(sbl_json_get_array(&list, root, "parts", path, err));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name;
        sbl_part_id id = {{0}, 0};
        SBL_CHECK(sbl_json_get_string(&name, json_array_get(list, i), "part", path, err));
        SBL_CHECK(sbl_json_get_u64(&id.attempt, json_array_get(list, i), "attempt", path, err));
        if (!is_id(name)) return sbl_fail(err, SBL_EINPUT, "%s: a part has no good name", path);
        (void)snprintf(id.name, sizeof id.name, "%s", name);
        SBL_CHECK(sbl_part_add_id(part, &id, path, err));
    }
    return SBL_OK;
}

/* Is it of this version and this plan? */
static sbl_status check_origin(const json_t *root, const sbl_plan_file *plan, const char *path,
                               sbl_error *err)
{
    char ours[SBL_SHA256_TEXT_SIZE];
    uint64_t version;
    const char *theirs;
    SBL_CHECK(sbl_json_get_u64(&version, root, "version", path, err));
    if (version != PART_VERSION)
        return sbl_fail(err, SBL_EINPUT,
                        "%s: the part has another version than %d; use the program that made it", path,
                        PART_VERSION);
    SBL_CHECK(sbl_json_get_string(&theirs, root, "plan", path, err));
    (void)sbl_hex_encode(ours, plan->hash, sizeof plan->hash);
    if (strcmp(ours, theirs) != 0) return sbl_fail(err, SBL_EINPUT, "%s is a part of another plan", path);
    return SBL_OK;
}

/* Is it a header of this plan, with words for all values? */
static sbl_status check_header(const json_t *root, const sbl_plan_file *plan, const sbl_layout *layout,
                               const char *path, sbl_error *err)
{
    uint64_t words;
    SBL_CHECK(check_origin(root, plan, path, err));
    SBL_CHECK(sbl_json_get_u64(&words, root, "words", path, err));
    if (words != sbl_layout_values(layout) + 1)
        return sbl_fail(err, SBL_EINPUT, "%s does not hold the sums of its plan", path);
    return SBL_OK;
}

/* The header as far as it says something, which must be all of it. The seal was good: what is slow is done for those who
 * hold the key only. */
static sbl_status read_header(sbl_part *part, const json_t *root, const char *text, size_t size,
                              const sbl_plan_file *plan, const sbl_layout *layout, const char *path,
                              sbl_error *err)
{
    char *again = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(read_ids(part, root, path, err));
    SBL_TRY(sbl_json_get_bool(&part->masked, root, "masked", path, err));
    if (part->id_count == 0) SBL_FAIL(err, SBL_EINPUT, "%s is of no part", path);
    SBL_TRY(write_header(&again, part, plan, layout, err));
    if (strlen(again) != size || memcmp(again, text, size) != 0)
        status = sbl_fail(err, SBL_EINPUT, "%s: the part is not as it was written", path);
done:
    sbl_free(again);
    return status;
}

/* ---- the file ---- */

sbl_status sbl_part_save(const sbl_part *part, const sbl_plan_file *plan, const sbl_layout *layout,
                         sbl_store_entry item, bool overwrite, sbl_error *err)
{
    uint8_t key[SBL_SEAL_KEY_SIZE];
    char *header = NULL;
    uint8_t *file = NULL;
    size_t size = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(write_header(&header, part, plan, layout, err));
    const size_t header_size = strlen(header);
    const size_t before = BEFORE_HEADER + header_size;
    if (header_size > HEADER_LIMIT || part->word_count > PART_LIMIT / 16)
        SBL_FAIL(err, SBL_EARG, "the part is too large for a file");
    size = before + AROUND_WORDS + 8 * part->word_count;
    SBL_ALLOC(file, size, "a part");
    memcpy(file, magic, MAGIC_SIZE);
    memcpy(sbl_store_u32(file + MAGIC_SIZE, (uint32_t)header_size), header, header_size);
    uint8_t *nonce = file + before;
    uint8_t *next = nonce + SBL_SEAL_NONCE_SIZE;
    const sbl_sealed text = {next, 8 * part->word_count, file, before};
    for (size_t i = 0; i < part->word_count; i++) next = sbl_store_u64(next, part->words[i]);
    SBL_TRY(sbl_plan_file_seal_key(key, plan, err));
    SBL_TRY(sbl_os_random(nonce, SBL_SEAL_NONCE_SIZE, err));
    SBL_TRY(sbl_seal(&text, next, key, nonce, err));
    SBL_TRY(sbl_store_entry_write(item, file, size,
                                  (sbl_file_write_options){.mode = 0600, .overwrite = overwrite}, err));
done:
    sbl_wipe(key, sizeof key);
    sbl_free_wiped(file, size);
    sbl_free(header);
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
        SBL_FAIL(err, SBL_EINPUT, "%s is no part of a sum", path);
    const size_t header_size = sbl_load_u32(file + MAGIC_SIZE);
    if (header_size > HEADER_LIMIT || size - BEFORE_HEADER < header_size)
        SBL_FAIL(err, SBL_EINPUT, "%s was cut", path);
    const size_t before = BEFORE_HEADER + header_size;
    const char *header = (const char *)file + BEFORE_HEADER;
    SBL_TRY(sbl_json_parse(&root, header, header_size, path, err));
    SBL_TRY(check_header(root, plan, layout, path, err));
    part->word_count = sbl_layout_values(layout) + 1;
    if (size - before != AROUND_WORDS + 8 * part->word_count) SBL_FAIL(err, SBL_EINPUT, "%s was cut", path);
    SBL_TRY(open_words(part, file, before, plan, path, err));
    SBL_TRY(read_header(part, root, header, header_size, plan, layout, path, err));
done:
    json_decref(root);
    sbl_free_wiped(file, size);
    if (status != SBL_OK) {
        if (part->words == NULL) part->word_count = 0;
        sbl_part_clear(part);
    }
    return status;
}
