/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/ledger_kit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "door/ledger/ledger_line.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

sbl_ledger_facts kit_facts(const char *epsilon, const char *delta)
{
    sbl_ledger_facts facts = {.neighbours = SBL_REPLACE_ONE, .rows_per_unit = 1};
    (void)snprintf(facts.budget.epsilon, sizeof facts.budget.epsilon, "%s", epsilon);
    (void)snprintf(facts.budget.delta, sizeof facts.budget.delta, "%s", delta);
    return facts;
}

static sbl_ledger_entry entry_of(const char *name, sbl_mechanism mechanism, sbl_u128 joint)
{
    sbl_ledger_entry entry = {
        .mechanism = mechanism, .neighbours = SBL_REPLACE_ONE, .n_public = true, .n = 1000, .joint = joint};
    (void)snprintf(entry.name, sizeof entry.name, "%s", name);
    memset(entry.plan_hash, 0xab, sizeof entry.plan_hash);
    assert_ok(sbl_charge_from_joint(&entry.charge, mechanism, joint, 20, NULL));
    return entry;
}

sbl_ledger_entry kit_gaussian(unsigned mu_64)
{
    return entry_of("test.embed+counts", SBL_DISCRETE_GAUSSIAN,
                    (sbl_u128)mu_64 * mu_64 << (2 * SBL_NOISE_SCALE_BITS - 12));
}

sbl_ledger_entry kit_laplace(unsigned eps_64)
{
    return entry_of("test.pure", SBL_DISCRETE_LAPLACE, (sbl_u128)eps_64 << (SBL_NOISE_SCALE_BITS - 6));
}

static sbl_reserve_token *reserve(const char *path, const sbl_ledger_entry *entry)
{
    sbl_error err = {0};
    sbl_reserve_token *token = NULL;
    assert_ok_or_say(sbl_ledger_reserve(&token, sbl_file_item(path), entry, &err));
    return token;
}

void kit_release(const char *path, const sbl_ledger_entry *entry)
{
    const uint8_t out[SBL_SHA256_SIZE] = {1, 2, 3};
    sbl_reserve_token *token = reserve(path, entry);
    assert_ok(sbl_ledger_commit(token, out, NULL));
    sbl_reserve_token_free(token);
}

void kit_make_sample(const char *path)
{
    const sbl_ledger_facts facts = kit_facts("8", "1e-5");
    const sbl_ledger_entry gaussian = kit_gaussian(16);
    const sbl_ledger_entry laplace = kit_laplace(8);
    assert_ok(sbl_ledger_create(sbl_file_item(path), &facts, NULL));
    kit_release(path, &gaussian);
    sbl_reserve_token *token = reserve(path, &laplace);
    assert_ok(sbl_ledger_void(token, "error", NULL));
    sbl_reserve_token_free(token);
    sbl_reserve_token_free(reserve(path, &gaussian));
    kit_cut(path, 30); /* within h=: the charge can be read */
    assert_ok(sbl_ledger_append_repair(sbl_file_item(path), NULL, NULL));
    sbl_reserve_token_free(reserve(path, &laplace));
    const sbl_ledger_facts lower = kit_facts("7", "1e-6");
    assert_ok(sbl_ledger_append_limit(sbl_file_item(path), &lower.budget, NULL));
    kit_release(path, &gaussian);
}

char *kit_rehash(const char *text)
{
    uint8_t hash[SBL_SHA256_SIZE] = {0};
    char hex[SBL_SHA256_TEXT_SIZE];
    sbl_text result = {0};
    while (*text != '\0') {
        const char *end = strchr(text, '\n');
        const size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
        size_t body = length;
        for (size_t i = 0; i + 2 < length; i++)
            if (memcmp(text + i, " h=", 3) == 0) body = i;
        assert_ok(sbl_ledger_hash(hash, hash, text, body, NULL));
        sbl_text_append(&result, text, body);
        sbl_text_printf(&result, " h=%s\n", sbl_hex_encode(hex, hash, sizeof hash));
        text += length + (end != NULL);
    }
    return result.data;
}

char *kit_edit(const char *text, size_t line, const char *key, const char *value)
{
    char wanted[64];
    sbl_text result = {0};
    const char *field = text;
    for (size_t i = 1; i < line; i++) field = strchr(field, '\n') + 1;
    const char *line_end = strchr(field, '\n');
    (void)snprintf(wanted, sizeof wanted, " %s=", key);
    if (strcmp(key, "seq") != 0) field = strstr(field, wanted) + 1;
    if (field == (const char *)1 || field > line_end) fail_msg("no field '%s' in the line", key);
    const char *end = field + strcspn(field, " \n");
    sbl_text_append(&result, text, (size_t)(field - text));
    if (value != NULL)
        sbl_text_printf(&result, "%s=%s", key, value);
    else
        end += *end == ' ';
    sbl_text_append(&result, end, strlen(end));
    char *whole = kit_rehash(result.data);
    sbl_text_clear(&result);
    return whole;
}

void kit_write(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void kit_cut(const char *path, size_t bytes)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(truncate(path, facts.st_size - (off_t)bytes), 0);
}
