/* SPDX-License-Identifier: Apache-2.0 */
/* Quantises the tables of levels and compares every pair of their rows in exact integers. A table that
 * breaks |t - t'|^2 <= 2 M is refused. Parts with one factor are counted in histograms and multiplied out
 * once (fold); outer products are added record by record. */
#include "records/accumulate/levels.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clones.h"
#include "base/int128.h"
#include "records/accumulate/enforce.h"

#define TABLES "tables of levels" /* as a lack of memory for them is reported */
#define UNIT_BITS 28              /* later factors of a product are in units of 2^-28 */
#define UNIT (UINT64_C(1) << UNIT_BITS)
#define MOST_WIDTH (UINT64_C(1) << 32)
#define FLOAT_SLACK 0x1p-20 /* of a norm, for the floating-point error of the rows that are given */

/* A table in integers: `first` where it is the first factor of a part (or the only one), `later`
 * elsewhere; NULL where no part wants it. */
typedef struct int_table {
    size_t levels, width;
    bool is_unit; /* unit vectors: nothing is stored */
    bool wanted_first, wanted_later;
    int32_t *first, *later;
} int_table;

typedef struct part {
    size_t factor, count; /* into factors */
    size_t offset, width; /* into the block */
} part;

struct sbl_levels {
    size_t coordinates;
    size_t *level_counts; /* (coordinates) */
    size_t *cells_at;     /* (coordinates + 1): histograms of those with a part of their own */
    int_table *tables;
    size_t table_count;
    sbl_level_factor *factors;
    part *parts;
    size_t part_count;
    size_t width, widest; /* of the block; of a part */
    uint64_t bound2;
    uint64_t limit;      /* L: norm of the first factors' rows */
    int32_t first_value; /* of a unit vector as first factor */
    double scale;
    uint8_t hash[SBL_SHA256_SIZE];
};

void sbl_levels_free(sbl_levels *l)
{
    if (l == NULL) return;
    for (size_t t = 0; l->tables != NULL && t < l->table_count; t++) {
        sbl_free(l->tables[t].first);
        sbl_free(l->tables[t].later);
    }
    sbl_free(l->tables);
    sbl_free(l->factors);
    sbl_free(l->parts);
    sbl_free(l->level_counts);
    sbl_free(l->cells_at);
    sbl_free(l);
}

/* ---- the rule ---- */

static bool table_is_good(const sbl_level_table *table)
{
    return table->levels >= 1 && table->levels <= SBL_LEVELS_MOST && table->width >= 1 &&
           table->width <= SBL_LEVELS_MOST && (table->rows != NULL || table->width == table->levels);
}

/* Does the part name a coordinate twice, or what is not there? */
static bool part_is_good(const sbl_level_part *given, const sbl_levels_rule *rule)
{
    if (given->count < 1 || given->count > SBL_LEVELS_MOST_FACTORS) return false;
    for (size_t i = 0; i < given->count; i++) {
        if (given->factors[i].coordinate >= rule->coordinates || given->factors[i].table >= rule->table_count)
            return false;
        for (size_t j = 0; j < i; j++)
            if (given->factors[j].coordinate == given->factors[i].coordinate) return false;
    }
    return true;
}

static sbl_status check_rule(const sbl_levels_rule *rule, sbl_error *err)
{
    if (rule->coordinates < 1 || rule->part_count < 1 || rule->table_count < 1)
        return sbl_fail(err, SBL_EARG, "levels need coordinates, tables and parts of them");
    for (size_t t = 0; t < rule->table_count; t++)
        if (!table_is_good(&rule->tables[t]))
            return sbl_fail(err, SBL_EARG, "table %zu of levels: sizes are from 1 to %d", t, SBL_LEVELS_MOST);
    for (size_t p = 0; p < rule->part_count; p++)
        if (!part_is_good(&rule->parts[p], rule))
            return sbl_fail(err, SBL_EARG, "part %zu of levels: coordinates are 1 to %d different ones", p,
                            SBL_LEVELS_MOST_FACTORS);
    return SBL_OK;
}

static sbl_status allocate(sbl_levels *l, const sbl_levels_rule *rule, sbl_error *err)
{
    size_t factors = 0;
    sbl_status status = SBL_OK;
    for (size_t p = 0; p < rule->part_count; p++) factors += rule->parts[p].count;
    l->coordinates = rule->coordinates;
    l->table_count = rule->table_count;
    l->part_count = rule->part_count;
    l->bound2 = rule->bound2;
    SBL_ALLOC(l->level_counts, l->coordinates, TABLES);
    SBL_ALLOC(l->cells_at, l->coordinates + 1, TABLES);
    SBL_ALLOC(l->tables, l->table_count, TABLES);
    SBL_ALLOC(l->parts, l->part_count, TABLES);
    SBL_ALLOC(l->factors, factors, TABLES);
done:
    return status;
}

/* One part's factors and place; what its tables are wanted for. */
static sbl_status take_part(sbl_levels *l, size_t number, const sbl_levels_rule *rule, size_t first_factor,
                            sbl_error *err)
{
    const sbl_level_part *given = &rule->parts[number];
    part *p = &l->parts[number];
    *p = (part){.factor = first_factor, .count = given->count, .offset = l->width, .width = 1};
    for (size_t i = 0; i < given->count; i++) {
        const sbl_level_factor factor = given->factors[i];
        int_table *table = &l->tables[factor.table];
        size_t *levels = &l->level_counts[factor.coordinate];
        if (*levels != 0 && *levels != table->levels)
            return sbl_fail(err, SBL_EARG, "coordinate %zu has tables of different levels",
                            factor.coordinate);
        *levels = table->levels;
        l->factors[first_factor + i] = factor;
        if (i == 0) table->wanted_first = true;
        if (i > 0) table->wanted_later = true;
        p->width *= table->width; /* at most 2^32 times 2^16 */
        if (p->width > MOST_WIDTH)
            return sbl_fail(err, SBL_EARG, "part %zu of levels is wider than 2^32", number);
    }
    if (p->width > l->widest) l->widest = p->width;
    l->width += p->width;
    if (l->width > MOST_WIDTH)
        return sbl_fail(err, SBL_EARG, "the parts of levels are together wider than 2^32");
    return SBL_OK;
}

static sbl_status take_rule(sbl_levels *l, const sbl_levels_rule *rule, sbl_error *err)
{
    size_t factor = 0;
    for (size_t t = 0; t < l->table_count; t++)
        l->tables[t] = (int_table){.levels = rule->tables[t].levels,
                                   .width = rule->tables[t].width,
                                   .is_unit = rule->tables[t].rows == NULL};
    for (size_t p = 0; p < l->part_count; p++) {
        const sbl_status status = take_part(l, p, rule, factor, err);
        if (status != SBL_OK) return status;
        factor += l->parts[p].count;
    }
    for (size_t i = 0; i < l->coordinates; i++)
        if (l->level_counts[i] == 0) l->level_counts[i] = 1;
    /* Histograms: of coordinates that stand alone. cells_at[i + 1] is marked, then added up. */
    for (size_t p = 0; p < l->part_count; p++)
        if (l->parts[p].count == 1) {
            const size_t i = l->factors[l->parts[p].factor].coordinate;
            l->cells_at[i + 1] = l->level_counts[i];
        }
    for (size_t i = 0; i < l->coordinates; i++) l->cells_at[i + 1] += l->cells_at[i];
    return SBL_OK;
}

/* ---- the integers ---- */

/* A part of D factors is rounded D - 1 times, each time by at most 1/2 in every coordinate, and
 * later factors have norm at most 1: two records' parts come nearer or go further apart by at most
 * (D - 1) sqrt(W). That much of a part's share of the bound is left free:
 *     L = floor(sqrt(bound2 / parts)) - max (D - 1) ceil(sqrt(W)). */
static sbl_status find_limit(sbl_levels *l, sbl_error *err)
{
    uint64_t margin = 0;
    size_t widest = 1;
    const uint64_t share = sbl_u128_sqrt_floor(l->bound2 / l->part_count);
    for (size_t p = 0; p < l->part_count; p++) {
        const part *of = &l->parts[p];
        const uint64_t own = (of->count - 1) * (uint64_t)sbl_u128_sqrt_ceil(of->width);
        if (own > margin) margin = own;
    }
    for (size_t t = 0; t < l->table_count; t++)
        if (l->tables[t].width > widest) widest = l->tables[t].width;
    const double rounding = (double)sbl_u128_sqrt_ceil(widest) + 1.0;
    l->limit = share > margin ? share - margin : 0;
    l->scale = (double)l->limit * (1.0 - FLOAT_SLACK) - rounding;
    if (!(l->scale >= 16.0) || l->limit > UNIT)
        return sbl_fail(err, SBL_EARG,
                        "the grid does not fit %zu parts of levels, the widest of %zu numbers: "
                        "use fewer or smaller parts",
                        l->part_count, l->widest);
    l->first_value = (int32_t)l->scale;
    return SBL_OK;
}

SBL_CLONES static uint64_t distance2(const int32_t *a, const int32_t *b, size_t width)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < width; i++) {
        const int64_t difference = (int64_t)a[i] - b[i];
        sum += (uint64_t)(difference * difference);
    }
    return sum;
}

/* Every row |t|^2 <= limit^2 and every pair of rows |t - t'|^2 <= 2 limit^2, limit <= 2^28: checked
 * row by row first, so that no sum of the second check exceeds (2 limit)^2. */
static bool rows_keep_bounds(const int32_t *rows, size_t levels, size_t width, uint64_t limit)
{
    const uint64_t norm2 = limit * limit;
    for (size_t i = 0; i < levels; i++) {
        uint64_t halves[2];
        sbl_sum_of_squares(halves, rows + i * width, width);
        if (((sbl_u128)halves[1] << 32) + halves[0] > norm2) return false;
    }
    for (size_t i = 0; i < levels; i++)
        for (size_t j = 0; j < i; j++)
            if (distance2(rows + i * width, rows + j * width, width) > 2 * norm2) return false;
    return true;
}

static sbl_status quantise(int32_t **rows, const sbl_level_table *given, double scale, uint64_t limit,
                           sbl_error *err)
{
    const size_t count = given->levels * given->width; /* both at most 2^16 */
    sbl_status status = SBL_OK;
    SBL_ALLOC(*rows, count, TABLES);
    for (size_t i = 0; i < count; i++) {
        const double value = scale * given->rows[i];
        /* NaN, and values beyond any norm, fail the check below */
        (*rows)[i] = fabs(value) <= 0x1p30 ? (int32_t)rint(value) : INT32_MAX;
    }
    if (!rows_keep_bounds(*rows, given->levels, given->width, limit))
        status = sbl_fail(err, SBL_EARG, "a table of levels breaks its bounds");
done:
    return status;
}

static sbl_status make_tables(sbl_levels *l, const sbl_levels_rule *rule, sbl_error *err)
{
    for (size_t t = 0; t < l->table_count; t++) {
        int_table *table = &l->tables[t];
        const double unit =
            (double)UNIT * (1.0 - FLOAT_SLACK) - (double)sbl_u128_sqrt_ceil(table->width) - 1.0;
        if (table->is_unit) continue;
        if (table->wanted_first)
            SBL_CHECK(quantise(&table->first, &rule->tables[t], l->scale, l->limit, err));
        if (table->wanted_later) SBL_CHECK(quantise(&table->later, &rule->tables[t], unit, UNIT, err));
    }
    return SBL_OK;
}

/* A chain over the sizes, the parts and the integers. */
static sbl_status hash_all(sbl_levels *l, sbl_error *err)
{
    static const char domain[] = "semblance levels 1\n";
    uint8_t head[5 * 8];
    uint8_t *next = sbl_store_u64(head, l->coordinates);
    next = sbl_store_u64(next, l->table_count);
    next = sbl_store_u64(next, l->part_count);
    next = sbl_store_u64(next, l->bound2);
    (void)sbl_store_u64(next, (uint64_t)l->first_value);
    SBL_CHECK(sbl_sha256(l->hash, domain, sizeof domain, head, sizeof head, err));
    for (size_t p = 0; p < l->part_count; p++)
        SBL_CHECK(sbl_sha256(l->hash, l->hash, sizeof l->hash, l->factors + l->parts[p].factor,
                             l->parts[p].count * sizeof *l->factors, err));
    for (size_t t = 0; t < l->table_count; t++) {
        const int_table *table = &l->tables[t];
        const size_t bytes = table->levels * table->width * sizeof(int32_t);
        next = sbl_store_u64(head, table->levels);
        (void)sbl_store_u64(next, table->width);
        SBL_CHECK(sbl_sha256(l->hash, l->hash, sizeof l->hash, head, 16, err));
        if (table->first != NULL)
            SBL_CHECK(sbl_sha256(l->hash, l->hash, sizeof l->hash, table->first, bytes, err));
        if (table->later != NULL)
            SBL_CHECK(sbl_sha256(l->hash, l->hash, sizeof l->hash, table->later, bytes, err));
    }
    return SBL_OK;
}

sbl_status sbl_levels_new(sbl_levels **levels, const sbl_levels_rule *rule, sbl_error *err)
{
    sbl_levels *made = NULL;
    *levels = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(check_rule(rule, err));
    SBL_ALLOC(made, 1, TABLES);
    SBL_TRY(allocate(made, rule, err));
    SBL_TRY(take_rule(made, rule, err));
    SBL_TRY(find_limit(made, err));
    SBL_TRY(make_tables(made, rule, err));
    SBL_TRY(hash_all(made, err));
    *levels = made;
    made = NULL;
done:
    sbl_levels_free(made);
    return status;
}

size_t sbl_levels_width(const sbl_levels *l) { return l->width; }
uint64_t sbl_levels_bound2(const sbl_levels *l) { return l->bound2; }
double sbl_levels_scale(const sbl_levels *l) { return l->scale; }
size_t sbl_levels_coordinates(const sbl_levels *l) { return l->coordinates; }
size_t sbl_levels_of(const sbl_levels *l, size_t coordinate) { return l->level_counts[coordinate]; }
const uint8_t *sbl_levels_hash(const sbl_levels *l) { return l->hash; }
size_t sbl_levels_cells(const sbl_levels *l) { return l->cells_at[l->coordinates]; }
size_t sbl_levels_workspace(const sbl_levels *l) { return 2 * l->widest; }

/* ---- records ---- */

static size_t level_of(const sbl_levels *l, const uint32_t *row, size_t coordinate)
{
    return row[coordinate] < l->level_counts[coordinate] ? row[coordinate] : 0;
}

/* to = from (x) row / 2^28, rounded to the nearest. |from|, |row| <= 2^28. */
SBL_CLONES static void multiply_row(int32_t *restrict to, const int32_t *restrict from, size_t count,
                                    const int32_t *restrict row, size_t width)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < width; j++)
            to[i * width + j] = (int32_t)(((int64_t)from[i] * row[j] + (int64_t)(UNIT / 2)) >> UNIT_BITS);
}

/* The integers of one part of a record, in one half of the room; returns where. */
static const int32_t *part_row(const sbl_levels *l, const part *p, const uint32_t *row, int32_t *room)
{
    int32_t *now = room, *next = room + l->widest;
    size_t width = 1;
    now[0] = l->first_value;
    for (size_t i = 0; i < p->count; i++) {
        const sbl_level_factor factor = l->factors[p->factor + i];
        const int_table *table = &l->tables[factor.table];
        const size_t level = level_of(l, row, factor.coordinate);
        if (table->is_unit) {
            memset(next, 0, width * table->width * sizeof *next);
            for (size_t k = 0; k < width; k++) next[k * table->width + level] = now[k];
        } else if (i == 0) {
            memcpy(next, table->first + level * table->width, table->width * sizeof *next);
        } else {
            multiply_row(next, now, width, table->later + level * table->width, table->width);
        }
        width *= table->width;
        int32_t *swap = now;
        now = next;
        next = swap;
    }
    return now;
}

void sbl_levels_add_row(const sbl_levels *l, int32_t *cells, int64_t *sums, const uint32_t *row,
                        int32_t *room)
{
    for (size_t i = 0; i < l->coordinates; i++)
        if (l->cells_at[i + 1] > l->cells_at[i]) cells[l->cells_at[i] + level_of(l, row, i)]++;
    for (size_t p = 0; p < l->part_count; p++)
        if (l->parts[p].count > 1)
            sbl_add_record(sums + l->parts[p].offset, part_row(l, &l->parts[p], row, room),
                           l->parts[p].width);
}

SBL_CLONES static void add_times(int64_t *restrict sums, const int32_t *restrict row, size_t width,
                                 int32_t times)
{
    for (size_t j = 0; j < width; j++) sums[j] += (int64_t)times * row[j];
}

void sbl_levels_fold(const sbl_levels *l, int64_t *sums, const int32_t *cells)
{
    for (size_t p = 0; p < l->part_count; p++) {
        if (l->parts[p].count > 1) continue;
        const sbl_level_factor factor = l->factors[l->parts[p].factor];
        const int_table *table = &l->tables[factor.table];
        const int32_t *histogram = cells + l->cells_at[factor.coordinate];
        int64_t *to = sums + l->parts[p].offset;
        for (size_t level = 0; level < table->levels; level++) {
            if (table->is_unit)
                to[level] += (int64_t)l->first_value * histogram[level];
            else
                add_times(to, table->first + level * table->width, table->width, histogram[level]);
        }
    }
}
