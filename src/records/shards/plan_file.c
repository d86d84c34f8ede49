/* Canonical JSON in, canonical JSON out: the hash is that of the bytes of the file, so that all who hold the
 * same plan hold the same epsilon, the same sites and the same keys. */
#include "records/shards/plan_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/os_random.h"
#include "base/text.h"
#include "semblance/files.h"

#define PLAN_FILE_VERSION 2 /* 1 did not say whether persons are at one site */
#define PLAN_FILE_LIMIT ((size_t)256 << 20)
#define KEY_FILE_LIMIT 256
#define KEY_TEXT_SIZE (2 * SBL_SEAL_KEY_SIZE + 1)

static const char seal_purpose[] = "semblance part files 1";
static const char unit_purpose[] = "semblance whose row it is 1";
static const char *const relations[] = {"replace-one", "add-remove"};

void sbl_plan_file_clear(sbl_plan_file *file)
{
    sbl_free(file->why);
    sbl_free(file->plan);
    sbl_free(file->sites);
    sbl_wipe(file, sizeof *file);
}

bool sbl_is_part_name(const char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          c == '.' || c == '_' || c == '-';
        if (!good) return false;
    }
    return length > 0 && length < SBL_SITE_NAME_SIZE;
}

/* ---- keys ---- */

sbl_status sbl_plan_file_seal_key(uint8_t key[SBL_SEAL_KEY_SIZE], const sbl_plan_file *file, sbl_error *err)
{
    return sbl_derive_key(key, SBL_SEAL_KEY_SIZE, file->secret, sizeof file->secret, file->hash,
                          sizeof file->hash, (const uint8_t *)seal_purpose, sizeof seal_purpose, err);
}

sbl_status sbl_plan_file_unit_key(uint8_t key[SBL_SIPHASH_KEY_SIZE], const sbl_plan_file *file,
                                  sbl_error *err)
{
    return sbl_derive_key(key, SBL_SIPHASH_KEY_SIZE, file->secret, sizeof file->secret, NULL, 0,
                          (const uint8_t *)unit_purpose, sizeof unit_purpose, err);
}

sbl_status sbl_plan_file_name_key(sbl_text *name, const char *plan, sbl_error *err)
{
    sbl_text_printf(name, "%s" SBL_ENDING_KEY, plan);
    return sbl_text_check(name, "a file name", err);
}

static sbl_status read_key(sbl_plan_file *file, sbl_store_entry plan, sbl_error *err)
{
    sbl_text name = {0};
    uint8_t *text = NULL;
    size_t size = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_plan_file_name_key(&name, plan.name, err));
    SBL_TRY(
        sbl_store_entry_read(&text, &size, (sbl_store_entry){plan.store, name.data}, KEY_FILE_LIMIT, err));
    if (size > 0 && text[size - 1] == '\n') text[size - 1] = '\0';
    if (!sbl_hex_decode(file->secret, sizeof file->secret, (const char *)text))
        status = sbl_fail(err, SBL_EINPUT, "%s is not the key of a plan", name.data);
done:
    sbl_free_wiped(text, size);
    sbl_text_clear(&name);
    return status;
}

/* ---- sites ---- */

static sbl_status add_site(sbl_plan_file *file, const char *path, sbl_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const size_t length = dot != NULL && dot != base ? (size_t)(dot - base) : strlen(base);
    sbl_site site = {{0}, {0}};
    sbl_status status = SBL_OK;
    (void)snprintf(site.name, sizeof site.name, "%.*s", (int)length, base);
    if (length >= sizeof site.name || !sbl_is_part_name(site.name))
        SBL_FAIL(err, SBL_EARG, "%s: a site is called as its file: 1 to 63 letters, digits, '.', '_', '-'",
                 path);
    SBL_TRY(sbl_key_agreement_read_public(site.key, path, err));
    for (size_t i = 0; i < file->site_count; i++)
        if (strcmp(file->sites[i].name, site.name) == 0 ||
            memcmp(file->sites[i].key, site.key, sizeof site.key) == 0)
            SBL_FAIL(err, SBL_EARG, "%s: two sites have one name or one key", path);
    if (file->site_count == SBL_MOST_SITES)
        SBL_FAIL(err, SBL_EARG, "there are more than %d sites", SBL_MOST_SITES);
    SBL_RESIZE(file->sites, file->site_count + 1, "the sites");
    file->sites[file->site_count++] = site;
done:
    return status;
}

sbl_status sbl_plan_file_read_sites(sbl_plan_file *file, const char *paths, sbl_error *err)
{
    char *list = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_copy_text(&list, paths, "the sites", err));
    for (char *path = list; path != NULL;) {
        char *comma = strchr(path, ',');
        if (comma != NULL) *comma = '\0';
        SBL_TRY(add_site(file, path, err));
        path = comma != NULL ? comma + 1 : NULL;
    }
    if (file->site_count < 2) SBL_FAIL(err, SBL_EARG, "masks are between sites: name at least two");
done:
    sbl_free(list);
    return status;
}

/* ---- writing ---- */

static json_t *sites_to_json(const sbl_plan_file *file)
{
    char key[2 * SBL_AGREE_SIZE + 1];
    json_t *list = json_array();
    for (size_t i = 0; i < file->site_count; i++)
        list = sbl_json_append(list, json_pack("{s:s, s:s}", "name", file->sites[i].name, "key",
                                               sbl_hex_encode(key, file->sites[i].key, SBL_AGREE_SIZE)));
    return list;
}

/* The text of the file; NULL: out of memory. */
static char *to_text(const sbl_plan_file *file)
{
    char id[2 * SBL_ROUND_ID_SIZE + 1];
    json_t *root = json_pack(
        "{s:i, s:s, s:f, s:f, s:s, s:I, s:s, s:s, s:b}", "semblance-plan", PLAN_FILE_VERSION, "round_id",
        sbl_hex_encode(id, file->round_id, sizeof file->round_id), "epsilon", file->epsilon, "delta",
        file->delta, "neighbours", relations[file->neighbours], "rows", (json_int_t)file->rows, "why",
        file->why, "plan", file->plan, "persons_at_one_site", (int)file->one_site);
    root = sbl_json_put(root, "sites", sites_to_json(file));
    char *text = root != NULL ? sbl_json_canonical(root) : NULL;
    json_decref(root);
    return text;
}

static sbl_status check_names(sbl_store_entry plan, sbl_store_entry key, bool overwrite, sbl_error *err)
{
    const sbl_named_file files[] = {{"the plan", sbl_store_entry_path(plan), true},
                                    {"the key of the plan", sbl_store_entry_path(key), true}};
    SBL_CHECK(sbl_files_check(files, sizeof files / sizeof files[0], err));
    SBL_CHECK(sbl_store_entry_check(plan, overwrite, err));
    return sbl_store_entry_check(key, overwrite, err);
}

sbl_status sbl_plan_file_save(sbl_plan_file *file, const sbl_plan_file *before, sbl_store_entry item,
                              bool overwrite, sbl_error *err)
{
    char hex[KEY_TEXT_SIZE + 1] = "";
    char *text = NULL;
    sbl_text name = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_plan_file_name_key(&name, item.name, err));
    const sbl_store_entry key = {item.store, name.data};
    SBL_TRY(check_names(item, key, overwrite, err));
    SBL_TRY(sbl_os_random(file->round_id, sizeof file->round_id, err));
    if (before != NULL)
        memcpy(file->secret, before->secret, sizeof file->secret);
    else
        SBL_TRY(sbl_os_random(file->secret, sizeof file->secret, err));
    text = to_text(file);
    if (text == NULL) SBL_TRY(sbl_no_memory(err, "a plan"));
    SBL_TRY(sbl_sha256(file->hash, text, strlen(text), NULL, 0, err));
    (void)sbl_hex_encode(hex, file->secret, sizeof file->secret);
    hex[KEY_TEXT_SIZE - 1] = '\n';
    SBL_TRY(sbl_store_entry_write(key, hex, KEY_TEXT_SIZE,
                                  (sbl_file_write_options){.mode = 0600, .overwrite = overwrite}, err));
    SBL_TRY(sbl_store_entry_write(item, text, strlen(text),
                                  (sbl_file_write_options){.mode = 0644, .overwrite = overwrite}, err));
done:
    sbl_wipe(hex, sizeof hex);
    sbl_free(text);
    sbl_text_clear(&name);
    return status;
}

/* ---- reading ---- */

static sbl_status read_sites(sbl_plan_file *file, const json_t *root, const char *path, sbl_error *err)
{
    json_t *list;
    const char *name;
    const char *key;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_array(&list, root, "sites", path, err));
    const size_t count = json_array_size(list);
    if (count == 1 || count > SBL_MOST_SITES)
        SBL_FAIL(err, SBL_EINPUT, "%s: a plan has no site, or 2 to %d", path, SBL_MOST_SITES);
    SBL_ALLOC(file->sites, count, "the sites");
    for (size_t i = 0; i < count; i++) {
        sbl_site *site = &file->sites[i];
        SBL_TRY(sbl_json_get_string(&name, json_array_get(list, i), "name", path, err));
        SBL_TRY(sbl_json_get_string(&key, json_array_get(list, i), "key", path, err));
        if (!sbl_is_part_name(name) || !sbl_hex_decode(site->key, sizeof site->key, key))
            SBL_FAIL(err, SBL_EINPUT, "%s: a site has no good name or key", path);
        (void)snprintf(site->name, sizeof site->name, "%s", name);
    }
    file->site_count = count;
done:
    return status;
}

static sbl_status read_numbers(sbl_plan_file *file, const json_t *root, const char *path, sbl_error *err)
{
    const char *relation;
    SBL_CHECK(sbl_json_get_double(&file->epsilon, root, "epsilon", path, err));
    SBL_CHECK(sbl_json_get_double(&file->delta, root, "delta", path, err));
    SBL_CHECK(sbl_json_get_u64(&file->rows, root, "rows", path, err));
    SBL_CHECK(sbl_json_get_string(&relation, root, "neighbours", path, err));
    const bool add_remove = strcmp(relation, relations[SBL_ADD_REMOVE]) == 0;
    const bool good = file->epsilon > 0.0 && isfinite(file->epsilon) && file->delta >= 0.0 &&
                      file->delta < 1.0 && (add_remove || strcmp(relation, relations[SBL_REPLACE_ONE]) == 0);
    file->neighbours = add_remove ? SBL_ADD_REMOVE : SBL_REPLACE_ONE;
    if (!good) return sbl_fail(err, SBL_EINPUT, "%s: a number is out of range", path);
    return SBL_OK;
}

static sbl_status read_file(sbl_plan_file *file, const json_t *root, const char *path, sbl_error *err)
{
    uint64_t version;
    const char *id;
    const char *why;
    const char *plan;
    SBL_CHECK(sbl_json_get_u64(&version, root, "semblance-plan", path, err));
    if (version != PLAN_FILE_VERSION)
        return sbl_fail(err, SBL_EINPUT, "%s: the plan has another version than %d", path, PLAN_FILE_VERSION);
    SBL_CHECK(sbl_json_get_string(&id, root, "round_id", path, err));
    if (!sbl_hex_decode(file->round_id, sizeof file->round_id, id))
        return sbl_fail(err, SBL_EINPUT, "%s: the id of the round is none", path);
    SBL_CHECK(read_numbers(file, root, path, err));
    SBL_CHECK(sbl_json_get_string(&why, root, "why", path, err));
    SBL_CHECK(sbl_json_get_string(&plan, root, "plan", path, err));
    SBL_CHECK(sbl_json_get_bool(&file->one_site, root, "persons_at_one_site", path, err));
    SBL_CHECK(sbl_copy_text(&file->why, why, "a plan", err));
    SBL_CHECK(sbl_copy_text(&file->plan, plan, "a plan", err));
    return read_sites(file, root, path, err);
}

sbl_status sbl_plan_file_load(sbl_plan_file *file, sbl_store_entry item, sbl_error *err)
{
    const char *path = item.name;
    uint8_t *text = NULL;
    char *again = NULL;
    size_t size = 0;
    json_t *root = NULL;
    sbl_status status = SBL_OK;
    *file = (sbl_plan_file){.epsilon = 0};
    SBL_TRY(sbl_store_entry_read(&text, &size, item, PLAN_FILE_LIMIT, err));
    SBL_TRY(sbl_json_parse(&root, (const char *)text, size, path, err));
    SBL_TRY(read_file(file, root, path, err));
    again = to_text(file);
    if (again == NULL) SBL_TRY(sbl_no_memory(err, "a plan"));
    if (strlen(again) != size || memcmp(again, text, size) != 0)
        SBL_FAIL(err, SBL_EINPUT, "%s: the plan is not as it was written", path);
    SBL_TRY(sbl_sha256(file->hash, text, size, NULL, 0, err));
    SBL_TRY(read_key(file, item, err));
done:
    json_decref(root);
    sbl_free(again);
    sbl_free(text);
    if (status != SBL_OK) sbl_plan_file_clear(file);
    return status;
}
