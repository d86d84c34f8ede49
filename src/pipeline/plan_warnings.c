/* Few records, a large delta or epsilon, columns with too many categories. */
#include "pipeline/plan_warnings.h"

#include <math.h>
#include <string.h>

#include "features/counts.h"
#include "features/features.h"
#include "pipeline/estimate.h"
#include "semblance/options.h"

sbl_block_facts sbl_block_facts_of(const sbl_layout *layout, size_t i, uint64_t multiplier,
                                   double records)
{
    const size_t b = sbl_layout_noisy_block(layout, i);
    const bool counts = b == layout->block_count;
    const sbl_block *block = counts ? NULL : &layout->blocks[b];
    sbl_block_facts facts = {.name = counts ? "counts" : block->name};
    const double norm = counts ? 1.0 : sqrt((double)block->bound2) / block->scale;
    facts.values = counts ? layout->classes : sbl_block_values(layout, b);
    facts.deviation =
        ldexp(1.0, SBL_NOISE_SCALE_BITS) / (double)multiplier / (counts ? 1.0 : block->scale);
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

static double worst_share(const sbl_layout *layout, const uint64_t *multipliers, double records)
{
    double worst = 0.0;
    const size_t blocks = sbl_layout_noisy_blocks(layout) - (layout->counts ? 1 : 0);
    for (size_t b = 0; b < blocks; b++) {
        const sbl_block_facts facts = sbl_block_facts_of(layout, b, multipliers[b], records);
        if (strcmp(facts.name, SBL_HEALTH) != 0) worst = fmax(worst, facts.share);
    }
    return worst;
}

/* The largest noise on a count of records in a cell; 0: there is no such count. */
static double noise_of_counts(const sbl_rounds *rounds, const uint64_t *multipliers)
{
    const sbl_layout *layout = &rounds->items[0].features.layout;
    double worst = 0.0;
    const size_t blocks = sbl_layout_noisy_blocks(layout) - (layout->counts ? 1 : 0);
    for (size_t i = 0; i < blocks; i++) {
        const sbl_block *block = &layout->blocks[sbl_layout_noisy_block(layout, i)];
        const bool counts = block->nonnegative && block->width > 1 &&
                            (block->scale == 1.0 || rounds->method->whole_units);
        if (counts && strcmp(block->name, SBL_HEALTH) != 0)
            worst = fmax(worst, sbl_block_facts_of(layout, i, multipliers[i], 1.0).deviation);
    }
    return worst;
}

/* Columns with so many categories that an even share of the records is less than the noise on it. */
static void warn_of_categories(sbl_text *text, const sbl_rounds *rounds, double noise,
                               double records)
{
    const sbl_facts *facts = rounds->facts;
    size_t found = 0;
    const sbl_column *first = NULL;
    for (size_t i = 0; facts->schema != NULL && i < facts->schema->column_count; i++) {
        const sbl_column *column = &facts->schema->columns[i];
        if (column->kind != SBL_COLUMN_CATEGORY ||
            records >= noise * (double)column->categories.count)
            continue;
        if (first == NULL) first = column;
        found++;
    }
    if (found == 0) return;
    sbl_text_printf(text,
                    "WARNING: column '%s' has %zu categories, with fewer %s for each than the "
                    "noise on their counts%s\n",
                    first->name, first->categories.count, sbl_records_word(rounds),
                    found > 1 ? ", and it is not the only one" : "");
}

void sbl_plan_warnings(sbl_text *text, const sbl_rounds *rounds, const uint64_t *multipliers,
                       uint64_t n, const sbl_synth_options *options)
{
    const sbl_layout *layout = &rounds->items[0].features.layout;
    const bool images = rounds->facts->kind == SBL_DATA_IMAGES;
    const double records = sbl_planned_records(rounds, n);
    if (worst_share(layout, multipliers, records) > 0.5)
        sbl_text_printf(text,
                        "WARNING: at this epsilon %.0f %s are few: noise will drown much of "
                        "the signal; take a larger epsilon%s\n",
                        records, sbl_records_word(rounds),
                        images || strcmp(rounds->method->name, "marginals") == 0
                            ? ""
                            : " or the method marginals");
    if (!options->pure && options->delta * records > 0.5)
        sbl_text_printf(text,
                        "WARNING: a delta of %g is large for %.0f %s: it lets one %s in %.0f "
                        "down; take 1/(10 n) or less\n",
                        options->delta, records, sbl_records_word(rounds), sbl_unit_word(rounds),
                        1.0 / options->delta);
    if (options->epsilon > 10.0)
        sbl_text_printf(text,
                        "WARNING: epsilon %g promises little: what anyone believes of one %s may "
                        "change its odds by a factor of %.2g; 1 to 3 is usual\n",
                        options->epsilon, sbl_unit_word(rounds), exp(options->epsilon));
    warn_of_categories(text, rounds, noise_of_counts(rounds, multipliers), records);
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
