/* SPDX-License-Identifier: Apache-2.0 */
/* Checks which layouts can be summed: every bound must leave room for rows_cap rows in 62 bits, and blocks
 * of moments, levels and persons must be exactly what follows from their sources. The hash is a chain over
 * all fields, in forms whose lengths differ, so no two layouts share one. */
#include "records/accumulate/layout.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/int128.h"
#include "base/kinds.h"
#include "records/accumulate/levels.h"

sbl_run_bounds sbl_block_run_bounds(const sbl_block *block)
{
    const size_t run = block->group != 0 ? block->group : block->width;
    const uint64_t runs = block->width / run;
    const uint64_t bound2 = block->bound2 / runs;
    return (sbl_run_bounds){
        .run = run, .bound2 = bound2, .bound1 = block->bound1 / runs, .largest = sbl_u128_sqrt_floor(bound2)};
}

size_t sbl_block_values(const sbl_layout *layout, size_t block)
{
    const sbl_block *b = &layout->blocks[block];
    return b->withheld ? 0 : b->width * sbl_block_columns(b, layout->classes);
}

size_t sbl_layout_source(const sbl_layout *layout, size_t block)
{
    return sbl_block_find(layout->blocks, layout->block_count, layout->blocks[block].source);
}

size_t sbl_layout_values(const sbl_layout *layout)
{
    size_t values = layout->classes;
    for (size_t b = 0; b < layout->block_count; b++) values += sbl_block_values(layout, b);
    return values;
}

size_t sbl_layout_noisy_blocks(const sbl_layout *layout)
{
    size_t count = layout->counts ? 1 : 0;
    for (size_t b = 0; b < layout->block_count; b++) count += !layout->blocks[b].withheld;
    return count;
}

size_t sbl_layout_noisy_block(const sbl_layout *layout, size_t i)
{
    size_t block = 0;
    for (size_t seen = 0; block < layout->block_count; block++) {
        if (layout->blocks[block].withheld) continue;
        if (seen == i) break;
        seen++;
    }
    return block;
}

size_t sbl_layout_noisy_values(const sbl_layout *layout)
{
    return sbl_layout_values(layout) - (layout->counts ? 0 : layout->classes);
}

static bool name_is_good(const char name[SBL_BLOCK_NAME_SIZE])
{
    const size_t length = strnlen(name, SBL_BLOCK_NAME_SIZE);
    return length > 0 && length < SBL_BLOCK_NAME_SIZE &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.-") == length;
}

static bool name_is_taken(const sbl_layout *layout, size_t block)
{
    const char *name = layout->blocks[block].name;
    for (size_t b = 0; b < block; b++)
        if (strcmp(layout->blocks[b].name, name) == 0) return true;
    return layout->counts && strcmp(name, SBL_COUNTS_BLOCK) == 0;
}

/* What is wrong with a block's numbers, or NULL. A bound shared out over runs must leave each run
 * at least 1: a bound1 of 0 would read as "no bound". */
static const char *block_fault(const sbl_block *block, uint64_t rows_cap)
{
    if (block->survival_bits != 0) return "keys are tallied, not summed";
    if (block->width == 0) return "width is 0; a block needs a coordinate";
    if (block->width > SBL_WIDTH_MAX) return "width exceeds 2^32; split the block";
    if (block->group != 0 && block->width % block->group != 0) return "group does not divide width";
    if (block->bound2 > SBL_BOUND2_MAX) return "bound2 exceeds 2^60; use a coarser grid";
    if (block->bound1 > SBL_BOUND1_MAX) return "bound1 exceeds 2^62; use a coarser grid";
    if (!(block->scale > 0) || isinf(block->scale)) return "scale is not a positive finite number";
    const sbl_run_bounds bounds = sbl_block_run_bounds(block);
    if (bounds.bound2 == 0) return "bound2 is less than 1 for a group; use a finer grid";
    if (block->bound1 != 0 && bounds.bound1 == 0)
        return "bound1 is less than 1 for a group; use a finer grid";
    if (rows_cap > SBL_SUM_LIMIT / bounds.largest)
        return "rows_cap times the largest coordinate exceeds 2^62; lower the row cap or the bound";
    return NULL;
}

/* Is another block before this one of the same kind, from the same source? */
static bool is_repeated(const sbl_layout *layout, size_t block)
{
    const sbl_block *b = &layout->blocks[block];
    for (size_t other = 0; other < block; other++)
        if (layout->blocks[other].kind == b->kind && strcmp(layout->blocks[other].source, b->source) == 0)
            return true;
    return false;
}

/* Does any block hold moments of this one? */
static bool is_source(const sbl_layout *layout, size_t block)
{
    for (size_t b = 0; b < layout->block_count; b++)
        if (sbl_block_is_moments(&layout->blocks[b]) &&
            strcmp(layout->blocks[b].source, layout->blocks[block].name) == 0)
            return true;
    return false;
}

/* What is wrong with a block whose records are levels, or with one that claims to be such, or
 * NULL. That any two records are near each other is a fact of the tables and of nothing else. */
static const char *levels_fault(const sbl_block *block)
{
    if (block->pairwise != (block->levels != NULL)) return "pairwise bounds are those of tables of levels";
    if (block->levels == NULL) return NULL;
    if (block->kind != SBL_BLOCK_VECTOR || block->withheld || block->group != 0 || block->nonnegative ||
        block->bound1 != 0)
        return "a block of levels is one of signed features, whole, without a bound1";
    if (block->width != sbl_levels_width(block->levels) ||
        block->bound2 != sbl_levels_bound2(block->levels) || block->scale != sbl_levels_scale(block->levels))
        return "width, bound2 or scale is not that of its levels";
    return NULL;
}

/* What is wrong with a block of features beyond its numbers, or NULL. */
static const char *vector_fault(const sbl_layout *layout, size_t block)
{
    const sbl_block *b = &layout->blocks[block];
    if (b->source[0] != '\0' || b->outer != 0)
        return "source and outer belong to blocks of squares and products";
    if (b->levels != NULL && is_source(layout, block))
        return "squares and products are not formed from levels";
    if (b->withheld && !is_source(layout, block))
        return "it is withheld and nothing is formed from it; leave it out";
    return NULL;
}

/* What is wrong with a block of squares or products, or NULL: it must be what its source makes of
 * it, since nothing is enforced on it but through the source. */
static const char *moments_fault(const sbl_layout *layout, size_t block)
{
    const sbl_block *b = &layout->blocks[block];
    if (!sbl_block_is_moments(b)) return "kind is not known";
    const size_t number = sbl_layout_source(layout, block);
    if (number == layout->block_count) return "there is no block of the source's name";
    const sbl_block *source = &layout->blocks[number];
    if (source->kind != SBL_BLOCK_VECTOR) return "its source holds no features";
    if (source->group != 0 || b->group != 0) return "moments need a record whole: no groups";
    if (source->per_class != b->per_class) return "per_class is not its source's";
    if (b->withheld) return "only a block of features can be withheld";
    if (b->outer == 0 || b->outer > source->width) return "outer does not fit its source";
    if (b->width != sbl_moments_width(b->kind, b->outer)) return "width does not follow from outer";
    if (b->bound1 != 0) return "bound1 is not for moments: their L1 bound follows from bound2";
    if (source->bound2 > SBL_MOMENTS_BOUND2_MAX)
        return "the source's bound2 exceeds 2^30; use a coarser grid";
    if (b->bound2 != source->bound2 * source->bound2) return "bound2 is not its source's squared";
    if (b->scale != source->scale * source->scale) return "scale is not its source's squared";
    if (b->nonnegative != (b->kind == SBL_BLOCK_SQUARES || source->nonnegative))
        return "nonnegative does not follow from its kind and its source";
    if (is_repeated(layout, block)) return "its source has such a block already";
    return NULL;
}

/* What is wrong with the block of persons, or NULL: nothing is enforced on it but how it is formed,
 * so that it can be one block only. */
static const char *persons_fault(const sbl_layout *layout, size_t block)
{
    const sbl_block *b = &layout->blocks[block];
    const sbl_block formed = sbl_block_of_persons(layout->rows_per_unit);
    if (layout->rows_per_unit == 0) return "persons are counted where a unit is declared only";
    if (b->width != formed.width) return "width is not the number of a person's rows that count";
    if (strcmp(b->name, formed.name) != 0 || b->group != 0 || b->per_class || !b->nonnegative ||
        b->bound2 != 1 || b->bound1 != 1 || b->scale != 1.0 || b->source[0] != '\0' || b->outer != 0 ||
        b->withheld)
        return "persons are counted in one way only";
    return NULL;
}

static const char *kind_fault(const sbl_layout *layout, size_t block)
{
    const sbl_block_kind kind = layout->blocks[block].kind;
    if (kind == SBL_BLOCK_PERSONS) return persons_fault(layout, block);
    return kind == SBL_BLOCK_VECTOR ? vector_fault(layout, block) : moments_fault(layout, block);
}

/* Do all values, with room for a file's header, fit in memory that size_t can count? */
static bool sizes_fit(const sbl_layout *layout)
{
    const sbl_u128 limit = SIZE_MAX / (2 * sizeof(int64_t));
    sbl_u128 values = layout->classes;
    for (size_t b = 0; b < layout->block_count; b++) {
        const sbl_u128 sums = sbl_block_columns(&layout->blocks[b], layout->classes);
        values += layout->blocks[b].width * sums; /* both factors are at most 2^32 */
        if (values > limit) return false;
    }
    return true;
}

sbl_status sbl_layout_validate(const sbl_layout *layout, sbl_error *err)
{
    if (layout->blocks == NULL || layout->block_count == 0)
        return sbl_fail(err, SBL_EARG, "a layout needs at least one block");
    if (layout->classes == 0 || layout->classes > UINT32_MAX)
        return sbl_fail(err, SBL_EARG, "classes must be between 1 and 2^32 - 1");
    if (layout->rows_cap == 0) return sbl_fail(err, SBL_EARG, "rows_cap must be at least 1");
    if (layout->rows_per_unit > SBL_ROWS_PER_UNIT_MAX)
        return sbl_fail(err, SBL_EARG, "at most %d rows of a person can count", SBL_ROWS_PER_UNIT_MAX);
    for (size_t b = 0; b < layout->block_count; b++) {
        const sbl_block *block = &layout->blocks[b];
        if (!name_is_good(block->name))
            return sbl_fail(err, SBL_EARG, "block %zu: name must be 1 to %d of [a-z0-9_.-]", b,
                            SBL_BLOCK_NAME_SIZE - 1);
        if (name_is_taken(layout, b))
            return sbl_fail(err, SBL_EARG, "block '%s': name is taken; choose another", block->name);
        const char *fault = block_fault(block, layout->rows_cap);
        if (fault == NULL) fault = levels_fault(block);
        if (fault == NULL) fault = kind_fault(layout, b);
        if (fault != NULL) return sbl_fail(err, SBL_EARG, "block '%s': %s", block->name, fault);
    }
    if (!sizes_fit(layout))
        return sbl_fail(err, SBL_EARG, "width times classes is too large for this machine");
    return SBL_OK;
}

sbl_status sbl_layout_copy(sbl_layout *copy, const sbl_layout *layout, sbl_error *err)
{
    sbl_block *blocks;
    sbl_status status = SBL_OK;
    *copy = (sbl_layout){0};
    SBL_ALLOC(blocks, layout->block_count, "a layout");
    memcpy(blocks, layout->blocks, layout->block_count * sizeof *blocks);
    *copy = *layout;
    copy->blocks = blocks;
done:
    return status;
}

void sbl_layout_clear(sbl_layout *layout)
{
    sbl_free(layout->blocks);
    *layout = (sbl_layout){0};
}

/* name (32), width, group, per_class, nonnegative, bound2, bound1, scale: each 8 bytes. */
#define BLOCK_BYTES (SBL_BLOCK_NAME_SIZE + 7 * 8)
/* and, unless it is an ordinary block: kind, number of the source, outer, withheld. */
#define LONG_BLOCK_BYTES (BLOCK_BYTES + 4 * 8)
/* and, where it has levels, their hash. */
#define LEVELS_BLOCK_BYTES (LONG_BLOCK_BYTES + SBL_SHA256_SIZE)

/* Returns the number of bytes. */
static size_t encode_block(uint8_t bytes[LEVELS_BLOCK_BYTES], const sbl_layout *layout, size_t b)
{
    const sbl_block *block = &layout->blocks[b];
    const bool is_vector = block->kind == SBL_BLOCK_VECTOR;
    uint64_t scale_bits;
    memset(bytes, 0, LEVELS_BLOCK_BYTES);
    memcpy(bytes, block->name, strnlen(block->name, SBL_BLOCK_NAME_SIZE));
    memcpy(&scale_bits, &block->scale, sizeof scale_bits);
    uint8_t *next = bytes + SBL_BLOCK_NAME_SIZE;
    next = sbl_store_u64(next, block->width);
    next = sbl_store_u64(next, block->group);
    next = sbl_store_u64(next, block->per_class);
    next = sbl_store_u64(next, block->nonnegative);
    next = sbl_store_u64(next, block->bound2);
    next = sbl_store_u64(next, block->bound1);
    next = sbl_store_u64(next, scale_bits);
    if (is_vector && !block->withheld && block->levels == NULL) return BLOCK_BYTES;
    next = sbl_store_u64(next, (uint64_t)block->kind);
    next = sbl_store_u64(next, is_vector ? 0 : sbl_layout_source(layout, b));
    next = sbl_store_u64(next, block->outer);
    next = sbl_store_u64(next, block->withheld);
    if (block->levels == NULL) return LONG_BLOCK_BYTES;
    memcpy(next, sbl_levels_hash(block->levels), SBL_SHA256_SIZE);
    return LEVELS_BLOCK_BYTES;
}

/* A chain: h_0 hashes the fields of the layout, h_(i+1) = SHA-256(h_i, block i). The number of
 * blocks is in h_0, the three forms of a block differ in length, and so do those of h_0 where a row is
 * a person and where not, so the encoding is injective. */
sbl_status sbl_layout_hash(uint8_t hash[SBL_SHA256_SIZE], const sbl_layout *layout, sbl_error *err)
{
    static const char domain[] = "semblance layout 1\n";
    uint8_t head[4 * 8 + SBL_SHA256_SIZE + 8];
    const size_t head_size = sizeof head - (layout->rows_per_unit == 0 ? 8 : 0);
    uint8_t block[LEVELS_BLOCK_BYTES];
    uint8_t *next = head;
    next = sbl_store_u64(next, layout->block_count);
    next = sbl_store_u64(next, layout->classes);
    next = sbl_store_u64(next, layout->counts);
    next = sbl_store_u64(next, layout->rows_cap);
    memcpy(next, layout->plan_hash, SBL_SHA256_SIZE);
    (void)sbl_store_u64(next + SBL_SHA256_SIZE, layout->rows_per_unit);
    sbl_status status = sbl_sha256(hash, domain, sizeof domain, head, head_size, err);
    for (size_t b = 0; b < layout->block_count && status == SBL_OK; b++) {
        const size_t bytes = encode_block(block, layout, b);
        status = sbl_sha256(hash, hash, SBL_SHA256_SIZE, block, bytes, err);
    }
    return status;
}
