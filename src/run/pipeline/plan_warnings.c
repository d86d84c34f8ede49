/* SPDX-License-Identifier: Apache-2.0 */
/* Few records, a large delta or epsilon, columns with too many categories, and what the method itself warns of. */
#include "run/pipeline/plan_warnings.h"

#include <math.h>
#include <string.h>

#include "public/options/option_values.h"
#include "records/features/counts.h"
#include "records/features/features.h"
#include "run/pipeline/estimate.h"
#include "semblance/options.h"

sbl_block_facts sbl_block_facts_of(const sbl_layout *layout, size_t i, uint64_t multiplier, double records)
{
    const size_t b = sbl_layout_noisy_block(layout, i);
    const bool counts = b == layout->block_count;
    const sbl_block *block = counts ? NULL : &layout->blocks[b];
    sbl_block_facts facts = {.name = counts ? "counts" : block->name};
    const double norm = counts ? 1.0 : sqrt((double)block->bound2) / block->scale;
    facts.values = counts ? layout->classes : sbl_block_values(layout, b);
    facts.deviation = ldexp(1.0, SBL_NOISE_SCALE_BITS) / (double)multiplier / (counts ? 1.0 : block->scale);
    facts.share = facts.deviation * sqrt((double)facts.values) / (records * norm);
    return facts;
}

const char *sbl_unit_word(const sbl_rounds *rounds)
{
    if (rounds->items[0].features.layout.rows_per_unit != 0) return "person";
    return rounds->facts->kind == SBL_DATA_IMAGES ? "image" : "row";
}

const char *sbl_records_word(const sbl_rounds *rounds)
{
    if (rounds->method->whole_units) return "persons";
    return rounds->facts->kind == SBL_DATA_IMAGES ? "images" : "rows";
}

/* Does the block count records in cells? */
static bool counts_cells(const sbl_rounds *rounds, const sbl_block *block)
{
    return block->nonnegative && block->width > 1 && (block->scale == 1.0 || rounds->method->whole_units) &&
           strcmp(block->name, SBL_HEALTH) != 0;
}

/* Of the blocks of features in the first release. */
typedef struct noise_facts {
    double share;       /* the largest noise over signal; 0: the number of records is not known */
    bool share_is_cell; /* that is of a block which counts records in cells */
    double cell;        /* the largest noise on such a count; 0: there is none */
} noise_facts;

static noise_facts find_noise(const sbl_rounds *rounds, const uint64_t *multipliers, double records)
{
    const sbl_layout *layout = &rounds->items[0].features.layout;
    const size_t blocks = sbl_layout_noisy_blocks(layout) - (layout->counts ? 1 : 0);
    noise_facts found = {0};
    for (size_t i = 0; i < blocks; i++) {
        const bool cells = counts_cells(rounds, &layout->blocks[sbl_layout_noisy_block(layout, i)]);
        const sbl_block_facts facts = sbl_block_facts_of(layout, i, multipliers[i], fmax(records, 1.0));
        if (strcmp(facts.name, SBL_HEALTH) == 0) continue;
        if (cells) found.cell = fmax(found.cell, facts.deviation);
        if (records == 0.0 || facts.share <= found.share) continue;
        found.share = facts.share;
        found.share_is_cell = cells;
    }
    return found;
}

/* "150 rows". A number that is neither public nor declared is the plan's assumption, and is called so. */
static void put_records(sbl_text *text, const sbl_rounds *rounds, uint64_t n, double records,
                        const sbl_synth_options *options)
{
    const bool persons = rounds->method->whole_units;
    const bool declared = n != 0 || options->expected_rows != 0 ||
                          (persons && sbl_setting_given(options, "expect-persons") != NULL);
    sbl_text_printf(text, "%.0f %s", records, sbl_records_word(rounds));
    if (!declared)
        sbl_text_printf(text, " (assumed: %s declares the number)",
                        persons ? "expect-persons" : "expect-rows");
}

/* Columns with so many categories that an even share of the records is less than the noise on it. */
static void warn_of_categories(sbl_text *text, const sbl_rounds *rounds, double noise, double records,
                               const char *in_words)
{
    const sbl_facts *facts = rounds->facts;
    size_t found = 0;
    const sbl_column *first = NULL;
    for (size_t i = 0; facts->schema != NULL && i < facts->schema->column_count; i++) {
        const sbl_column *column = &facts->schema->columns[i];
        if (column->kind != SBL_COLUMN_CATEGORY || records >= noise * (double)column->categories.count)
            continue;
        if (first == NULL) first = column;
        found++;
    }
    if (found == 0) return;
    sbl_text_printf(text,
                    "WARNING: column '%s' has %zu categories, too many for %s%s: most counts will "
                    "be smaller than their noise; merge categories, or use a larger epsilon\n",
                    first->name, first->categories.count, in_words,
                    found > 1 ? ", and so have other columns" : "");
}

static void warn_of_records(sbl_text *text, const sbl_rounds *rounds, const uint64_t *multipliers, uint64_t n,
                            const sbl_synth_options *options)
{
    const double records = sbl_planned_records(rounds, n);
    const noise_facts noise = find_noise(rounds, multipliers, records);
    sbl_text words = {0};
    put_records(&words, rounds, n, records, options);
    if (records == 0.0 || words.failed) goto done;
    if (noise.share > 0.5)
        sbl_text_printf(text,
                        "WARNING: at this epsilon %s are few: noise will drown much of the signal; "
                        "use a larger epsilon%s\n",
                        words.data, noise.share_is_cell ? ", or fewer columns" : "");
    if (rounds->method->warn != NULL)
        rounds->method->warn(text, rounds->facts, &rounds->items[0], words.data, options);
    if (!options->pure && options->delta * records > 0.5)
        sbl_text_printf(
            text,
            "WARNING: a delta of %g is large for %s: the guarantee may fail for one %s in %.0f; use "
            "1/(10 n) or less\n",
            options->delta, words.data, sbl_unit_word(rounds), 1.0 / options->delta);
    warn_of_categories(text, rounds, noise.cell, records, words.data);
done:
    sbl_text_clear(&words);
}

void sbl_plan_warnings(sbl_text *text, const sbl_rounds *rounds, const uint64_t *multipliers, uint64_t n,
                       const sbl_synth_options *options)
{
    const sbl_schema *schema = rounds->facts->declared;
    const char *person = schema != NULL ? sbl_schema_likely_person(schema) : NULL;
    warn_of_records(text, rounds, multipliers, n, options);
    if (person != NULL)
        sbl_text_printf(
            text,
            "WARNING: the schema declares no person, and column '%s' looks like a person's id: people "
            "with several rows get weaker protection; set semblance.unit\n",
            person);
    if (options->epsilon > 10.0)
        sbl_text_printf(
            text,
            "WARNING: epsilon %g promises little: the odds of any belief about one %s may change by a "
            "factor of %.2g; 1 to 3 is usual\n",
            options->epsilon, sbl_unit_word(rounds), exp(options->epsilon));
}

json_t *sbl_plan_warnings_json(const sbl_rounds *rounds, const uint64_t *multipliers, uint64_t n,
                               const sbl_synth_options *options)
{
    static const char word[] = "WARNING: ";
    json_t *list = json_array();
    sbl_text words = {0};
    sbl_plan_warnings(&words, rounds, multipliers, n, options);
    for (char *line = words.data; !words.failed && line != NULL && *line != '\0';) {
        char *feed = strchr(line, '\n');
        if (feed != NULL) *feed = '\0';
        const char *plain = sbl_plain_line(line);
        if (strncmp(plain, word, sizeof word - 1) == 0) plain += sizeof word - 1;
        list = sbl_json_append(list, json_string(plain));
        line = feed != NULL ? feed + 1 : NULL;
    }
    sbl_text_clear(&words);
    return list;
}
