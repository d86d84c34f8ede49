/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes canonical JSON. The hash covers the bytes of the file, so all holders of the same plan
 * hold the same epsilon, the same sites and the same keys. */
#include "records/shards/plan_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_fields.h"
#include "base/os_random.h"
#include "base/text.h"
#include "semblance/files.h"

#define PLAN_FILE_VERSION 2 /* 1 did not say whether persons are at one site */
#define PLAN_FILE_LIMIT ((size_t)256 << 20)
#define KEY_FILE_LIMIT 256
#define KEY_TEXT_SIZE (2 * SBL_SEAL_KEY_SIZE + 1)

static const char seal_purpose[] = "semblance part files 1";
static const char unit_purpose[] = "semblance whose row it is 1";
static const char part_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

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
    return length > 0 && length < SBL_SITE_NAME_SIZE && strspn(text, part_letters) == length;
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
        SBL_FAIL(
            err, SBL_EARG,
            "%s: a site is named after its file, which must have 1 to 63 letters, digits, '.', '_' or '-'",
            path);
    SBL_TRY(sbl_key_agreement_read_public(site.key, path, err));
    for (size_t i = 0; i < file->site_count; i++)
        if (strcmp(file->sites[i].name, site.name) == 0 ||
            memcmp(file->sites[i].key, site.key, sizeof site.key) == 0)
            SBL_FAIL(err, SBL_EARG, "%s: two sites have the same name or key", path);
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
    if (file->site_count < 2) SBL_FAIL(err, SBL_EARG, "masks need at least two sites: name another one");
done:
    sbl_free(list);
    return status;
}

/* ---- the table ---- */

#define AT(member) SBL_JSON_AT(sbl_site, member)
static const sbl_json_field site_fields[] = {
    {"name", SBL_JSON_CHARS, AT(name), .least = 1, .allowed = part_letters},
    {"key", SBL_JSON_HEX, AT(key)},
    {0},
};
#undef AT

#define AT(member) SBL_JSON_AT(sbl_plan_file, member)
static const sbl_json_field plan_fields[] = {
    {"semblance-plan", SBL_JSON_VERSION, SBL_JSON_HERE, .least = PLAN_FILE_VERSION,
     .wrong = "is another version than this program knows"},
    {"round_id", SBL_JSON_HEX, AT(round_id)},
    {"epsilon", SBL_JSON_REAL, AT(epsilon)},
    {"delta", SBL_JSON_REAL, AT(delta)},
    {"rows", SBL_JSON_WHOLE, AT(rows)},
    {"neighbours", SBL_JSON_CHOICE, AT(neighbours), .names = sbl_neighbours_names},
    {"why", SBL_JSON_COPY, AT(why)},
    {"plan", SBL_JSON_COPY, AT(plan)},
    {"persons_at_one_site", SBL_JSON_BOOL, AT(one_site)},
    {"sites", SBL_JSON_LIST, AT(sites), .counter = offsetof(sbl_plan_file, site_count),
     .item = sizeof(sbl_site), .fields = site_fields, .most = SBL_MOST_SITES},
    {0},
};
#undef AT

/* ---- writing ---- */

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
    SBL_TRY(sbl_json_fields_text(&text, file, plan_fields, "a plan", err));
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

static sbl_status read_file(sbl_plan_file *file, const json_t *root, const char *path, sbl_error *err)
{
    SBL_CHECK(sbl_json_fields_read(file, root, plan_fields, path, err));
    if (!(file->epsilon > 0.0 && isfinite(file->epsilon) && file->delta >= 0.0 && file->delta < 1.0))
        return sbl_fail(err, SBL_EINPUT, "%s: a number is out of range", path);
    if (file->site_count == 1)
        return sbl_fail(err, SBL_EINPUT, "%s: a plan must have no sites, or 2 to %d", path, SBL_MOST_SITES);
    return SBL_OK;
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
    SBL_TRY(sbl_json_fields_text(&again, file, plan_fields, "a plan", err));
    if (strlen(again) != size || memcmp(again, text, size) != 0)
        SBL_FAIL(err, SBL_EINPUT, "%s: the plan was changed: use the file that the program wrote", path);
    SBL_TRY(sbl_sha256(file->hash, text, size, NULL, 0, err));
    SBL_TRY(read_key(file, item, err));
done:
    json_decref(root);
    sbl_free(again);
    sbl_free(text);
    if (status != SBL_OK) sbl_plan_file_clear(file);
    return status;
}
