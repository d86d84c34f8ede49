/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a release: the charge is on disk before a key of noise exists, sums are read when the noise is drawn, and what is not
 * released is wiped. Every step may fail. What comes to each number is proved apart: its own draw, and the multiplier times its
 * sum, for a block of one number and one of two, and multipliers 3 and 5. The functions below stand for those of other files. */
#include "door/privatise/privatise.c"

#include "proof.h"

#define VALUES 3
static const uint64_t multipliers[2] = {3, 5};
static sbl_block layout_block = {.width = 1};
static const sbl_layout layout = {.blocks = &layout_block, .block_count = 1, .classes = 2, .counts = true};
static int64_t exact[VALUES], noise_of[VALUES]; /* the sums, and the draws */

static bool reserved, opened, drawn, saved, named, committed, voided, closed, sum_freed, out_of_order;
static bool token_freed;
static const void *wiped;
static sbl_release *shown;
static sbl_reserve_token *const the_token = (sbl_reserve_token *)&layout_block;
static sbl_noise *const the_noise = (sbl_noise *)&multipliers;

static sbl_status any_status(void) { return nondet_bool() ? SBL_OK : SBL_EIO; }

/* ---- before the charge ---- */

sbl_status sbl_fail(sbl_error *err, sbl_status status, const char *format, ...)
{
    (void)err, (void)format;
    return status;
}
sbl_status sbl_no_memory(sbl_error *err, const char *what) { return (void)err, (void)what, SBL_EMEM; }
int snprintf(char *text, size_t size, const char *format, ...)
{
    (void)format;
    if (size > 0) text[0] = '\0';
    return nondet_int();
}
sbl_status sbl_sha256(uint8_t *hash, const void *a, size_t a_size, const void *b, size_t b_size,
                      sbl_error *err)
{
    (void)a, (void)a_size, (void)b, (void)b_size, (void)err;
    for (size_t i = 0; i < SBL_SHA256_SIZE; i++) hash[i] = 0;
    return any_status();
}
bool sbl_rows_are_public(sbl_neighbours neighbours, uint64_t rows_per_unit)
{
    return (void)neighbours, (void)rows_per_unit, nondet_bool();
}
sbl_status sbl_store_entry_check(sbl_store_entry entry, bool overwrite, sbl_error *err)
{
    return (void)entry, (void)overwrite, (void)err, any_status();
}
size_t sbl_layout_noisy_blocks(const sbl_layout *of) { return (void)of, 2; }
size_t sbl_layout_noisy_values(const sbl_layout *of) { return (void)of, VALUES; }
size_t sbl_layout_noisy_block(const sbl_layout *of, size_t i) { return (void)of, i; }
size_t sbl_block_columns(const sbl_block *block, size_t classes) { return (void)block, (void)classes, 1; }
void sbl_layout_describe(sbl_block *described, const sbl_layout *of, const uint64_t *by)
{
    (void)of;
    described[0] = (sbl_block){.width = 1, .offset = 0, .multiplier = by[0]};
    described[1] = (sbl_block){.width = 2, .offset = 1, .multiplier = by[1]};
}
sbl_status sbl_layout_charge(sbl_charge *charge, sbl_u128 *joint, const sbl_layout *of,
                             sbl_mechanism mechanism, sbl_neighbours neighbours, const uint64_t *by,
                             sbl_error *err)
{
    (void)charge, (void)joint, (void)mechanism, (void)neighbours, (void)err;
    PROVE(of == &layout && by == multipliers, "the charge is that of the multipliers that are used");
    return any_status();
}
bool sbl_noise_is_test_build(void) { return nondet_bool(); }
sbl_status sbl_copy_text(char **copy, const char *text, const char *what, sbl_error *err)
{
    (void)text, (void)what, (void)err;
    *copy = NULL;
    return any_status();
}
/* Each array has its own room, by the size of its elements. */
void *sbl_alloc_array(size_t count, size_t size)
{
    static sbl_release release;
    static sbl_block blocks[2];
    static sbl_i128 values[VALUES];
    static int64_t draws[VALUES];
    PROVE(count == (size == sizeof release   ? 1
                    : size == sizeof *blocks ? 2
                                             : VALUES),
          "every number has its place");
    if (nondet_bool()) return NULL;
    if (size == sizeof release) return &release;
    if (size == sizeof *blocks) return blocks;
    return size == sizeof *values ? (void *)values : draws;
}

/* ---- charge, noise, release ---- */

sbl_status sbl_ledger_reserve(sbl_reserve_token **token, sbl_store_entry ledger,
                              const sbl_ledger_entry *entry, sbl_error *err)
{
    (void)ledger, (void)entry, (void)err;
    out_of_order |= reserved;
    reserved = nondet_bool();
    *token = reserved ? the_token : NULL;
    return reserved ? SBL_OK : SBL_EBUDGET;
}
const char *sbl_reserve_token_rid(const sbl_reserve_token *token) { return (void)token, ""; }
const char *sbl_reserve_token_ledger_id(const sbl_reserve_token *token) { return (void)token, ""; }
uint64_t sbl_reserve_token_seq(const sbl_reserve_token *token) { return (void)token, nondet_u64(); }

sbl_status sbl_noise_open(sbl_noise **noise, sbl_reserve_token *token, sbl_error *err)
{
    (void)err;
    out_of_order |= !reserved || opened || token != the_token;
    opened = nondet_bool();
    *noise = opened ? the_noise : NULL;
    return opened ? SBL_OK : SBL_EENTROPY;
}
sbl_status sbl_noise_gaussian(sbl_noise *noise, int64_t *out, size_t count, sbl_error *err)
{
    (void)err;
    out_of_order |= !opened || closed || drawn || noise != the_noise;
    PROVE(count == VALUES, "there is a draw for every number");
    drawn = nondet_bool();
    for (size_t i = 0; i < VALUES; i++) out[i] = drawn ? noise_of[i] : 0;
    return drawn ? SBL_OK : SBL_EENTROPY;
}
sbl_status sbl_noise_laplace(sbl_noise *noise, sbl_i128 *out, size_t count, sbl_error *err)
{
    (void)err;
    out_of_order |= !opened || closed || drawn || noise != the_noise;
    PROVE(count == VALUES, "there is a draw for every number");
    drawn = nondet_bool();
    for (size_t i = 0; i < VALUES; i++) out[i] = drawn ? noise_of[i] : 0;
    return drawn ? SBL_OK : SBL_EENTROPY;
}
void sbl_noise_close(sbl_noise *noise) { closed |= noise == the_noise; }
const sbl_layout *sbl_sum_layout(const sbl_sum *sum) { return (void)sum, &layout; }
uint64_t sbl_sum_rows(const sbl_sum *sum) { return (void)sum, nondet_u64(); }
bool sbl_sum_is_whole(const sbl_sum *sum) { return (void)sum, nondet_bool(); }
const int64_t *sbl_sum_counts(const sbl_sum *sum)
{
    (void)sum;
    out_of_order |= !drawn;
    return exact + 1;
}
const int64_t *sbl_sum_values(const sbl_sum *sum, size_t block)
{
    (void)sum;
    out_of_order |= !drawn || block != 0;
    return exact;
}
sbl_status sbl_release_save(const sbl_release *release, sbl_store_entry to, bool overwrite,
                            uint8_t hash[SBL_SHA256_SIZE], bool *appeared, sbl_error *err)
{
    (void)to, (void)overwrite, (void)hash, (void)err;
    out_of_order |= !drawn || saved;
    (void)release;
    saved = nondet_bool();
    *appeared = named = saved || nondet_bool();
    return saved ? SBL_OK : SBL_EIO;
}
sbl_status sbl_ledger_commit(const sbl_reserve_token *token, const uint8_t hash[SBL_SHA256_SIZE],
                             sbl_error *err)
{
    (void)hash, (void)err;
    out_of_order |= !saved || token != the_token;
    committed = nondet_bool();
    return committed ? SBL_OK : SBL_EIO;
}
sbl_status sbl_ledger_void(const sbl_reserve_token *token, const char *reason, sbl_error *err)
{
    (void)reason, (void)err;
    out_of_order |= !reserved || token != the_token || token_freed;
    voided = true;
    return any_status();
}

/* ---- wipe ---- */

void sbl_wipe(void *block, size_t size)
{
    PROVE(!opened || size == VALUES * sizeof(sbl_i128),
          "all of what is not released is wiped, once it holds noise");
    wiped = block;
}
void sbl_free_wiped(void *block, size_t size)
{
    PROVE(block == NULL || size == VALUES * sizeof(int64_t), "all draws are wiped");
}
void sbl_release_free(sbl_release *release)
{
    PROVE(release == NULL || release->values == NULL || wiped == release->values,
          "noisy numbers that nobody gets are wiped");
}
void sbl_reserve_token_free(sbl_reserve_token *token) { token_freed = token == the_token; }
void sbl_sum_free(sbl_sum *sum) { sum_freed = sum == (sbl_sum *)exact; }

static void any_numbers(void)
{
    for (size_t v = 0; v < VALUES; v++) exact[v] = nondet_i64(), noise_of[v] = nondet_i64();
}

void prove_sbl_privatise(void)
{
    const sbl_door_request request = {
        .name = "n",
        .plan = "{}",
        .multipliers = multipliers,
        .overwrite = nondet_bool(),
        .mechanism = nondet_bool() ? SBL_DISCRETE_GAUSSIAN : SBL_DISCRETE_LAPLACE};
    sbl_sum *sum = (sbl_sum *)exact;
    any_numbers();
    const sbl_status status = sbl_privatise(&shown, &sum, &request, NULL);
    PROVE(!out_of_order,
          "charge, key, noise, sums, file and COMMIT come in this order, each once and after the one before "
          "succeeded");
    PROVE((status == SBL_OK) == (shown != NULL), "there is a release exactly if nothing failed");
    PROVE(shown == NULL || (saved && committed), "a release that is handed out was written and committed");
    PROVE(sum == NULL && sum_freed, "the sums are freed, whatever happened");
    PROVE(!opened || closed, "the source of noise is closed");
    PROVE(voided == (reserved && !named), "a charge without a file is VOID, and no other");
    PROVE(token_freed == reserved, "the token is freed");
}

/* ---- what comes to each number ---- */

void prove_draw_noise(void)
{
    sbl_i128 values[VALUES] = {0};
    sbl_release release = {.value_count = VALUES,
                           .values = values,
                           .mechanism = nondet_bool() ? SBL_DISCRETE_GAUSSIAN : SBL_DISCRETE_LAPLACE};
    any_numbers();
    reserved = true;
    const sbl_status status = draw_noise(&release, the_token, NULL);
    for (size_t v = 0; v < VALUES; v++)
        PROVE(status != SBL_OK || values[v] == noise_of[v], "every number has its own draw, once");
    PROVE((status != SBL_OK || drawn) && !out_of_order, "a failed draw is a failure");
    PROVE(!opened || closed, "the source of noise is closed");
}

void prove_add_scaled_sums(void)
{
    sbl_i128 values[VALUES];
    sbl_block blocks[2];
    sbl_release release = {.value_count = VALUES, .values = values, .blocks = blocks, .block_count = 2};
    any_numbers();
    sbl_layout_describe(blocks, &layout, multipliers);
    for (size_t v = 0; v < VALUES; v++) values[v] = noise_of[v];
    drawn = true;
    add_scaled_sums(&release, (sbl_sum *)exact);
    for (size_t v = 0; v < VALUES; v++)
        PROVE(values[v] == noise_of[v] + (sbl_i128)multipliers[v == 0 ? 0 : 1] * exact[v],
              "to every number comes the multiplier times its sum, once");
}
