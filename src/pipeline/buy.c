/* [1] to [5] for a schema: the steps of discover/discovery.h as rounds of releases. Each plan
 * follows from the releases before it; answers are gathered as a sum, names of categories as a
 * tally, and both go through publish. The file is compared by stat() before and after each of
 * them, because all rounds must see the same records. Drawing conclusions is discovery's; this
 * file only asks. */
#include "pipeline/buy.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "account/survival.h"
#include "base/file.h"
#include "base/memory.h"
#include "discover/discovery.h"
#include "features/cells.h"
#include "features/features.h"
#include "options/options.h"
#include "pipeline/dialect.h"
#include "pipeline/gather.h"
#include "plan/plan.h"
#include "source/source.h"

/* The round at hand: its plan, and for answers what is summed. */
typedef struct round_of_buy {
    sbl_facts facts;
    sbl_plan plan;
    sbl_features features;
    sbl_layout keys; /* of the step of keys; empty otherwise */
} round_of_buy;

struct sbl_buy {
    const char *input;
    struct stat seen; /* of the input: it must not change between the rounds */
    double share;
    const sbl_synth_options *options;
    uint64_t rows; /* public or declared; 0: not known */
    double delta;  /* of the whole run */
    sbl_discovery discovery;
    double shares[SBL_DISCOVER_STEPS];
    size_t rounds; /* that there can be */
    size_t done;
    round_of_buy round;
    sbl_release *releases[SBL_DISCOVER_STEPS]; /* made by this run; NULL: replayed */
};

const char *const sbl_buy_also_public[] = {"the header: number and names of the columns",
                                           "how the file divides into records",
                                           "which texts mean that a value is missing", NULL};

static void clear_round(round_of_buy *round)
{
    sbl_features_clear(&round->features);
    sbl_plan_clear(&round->plan);
    sbl_facts_clear(&round->facts);
    sbl_layout_clear(&round->keys);
    *round = (round_of_buy){0};
}

void sbl_buy_free(sbl_buy *buy)
{
    if (buy == NULL) return;
    clear_round(&buy->round);
    for (size_t i = 0; i < SBL_DISCOVER_STEPS; i++) sbl_release_free(buy->releases[i]);
    sbl_discovery_clear(&buy->discovery);
    sbl_free(buy);
}

_Static_assert(SBL_BUY_MOST_ROUNDS == SBL_DISCOVER_STEPS, "a round for each step");

bool sbl_buy_is_done(const sbl_buy *buy) { return buy->discovery.step == SBL_DISCOVER_DONE; }

size_t sbl_buy_rounds(const sbl_buy *buy) { return buy->rounds; }

const double *sbl_buy_shares(const sbl_buy *buy) { return buy->shares; }

/* ---- plans ---- */

static double keys_delta(const sbl_buy *buy) { return SBL_BUY_KEYS_PART * buy->delta; }

static json_t *names_of_texts(const sbl_discovery *discovery)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < discovery->text_count; i++)
        if (json_array_append_new(list, json_string(discovery->names.items[discovery->texts[i]])) !=
            0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* The fewest bits that the delta which is kept for keys allows for so many columns. */
static sbl_status bits_of_keys(unsigned *bits, const sbl_buy *buy, sbl_error *err)
{
    sbl_u128 most;
    const sbl_status status = sbl_fixed96_from_double_down(&most, keys_delta(buy), err);
    if (status != SBL_OK) return status;
    *bits = sbl_survival_bits(most, buy->discovery.text_count, buy->options->neighbours);
    return *bits != 0 ? SBL_OK
                      : sbl_fail(err, SBL_EARG, "delta is too small to buy categories with it");
}

static sbl_status plan_keys(sbl_buy *buy, sbl_error *err)
{
    round_of_buy *round = &buy->round;
    unsigned bits = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(bits_of_keys(&bits, buy, err));
    SBL_TRY(sbl_plan_add(&round->plan, "keys",
                         json_pack("{s:o, s:i, s:i}", "columns", names_of_texts(&buy->discovery),
                                   "longest", SBL_TEXT_LONGEST, "survival_bits", (int)bits),
                         1.0, err));
    SBL_TRY(sbl_plan_finish(&round->plan, &round->facts, err));
    SBL_TRY(sbl_tally_layout(&round->keys, buy->discovery.text_count, bits, round->plan.hash, err));
done:
    return status;
}

static sbl_status plan_answers(sbl_buy *buy, sbl_error *err)
{
    round_of_buy *round = &buy->round;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_plan_set(&round->plan, "bins", sbl_discovery_probes(&buy->discovery), err));
    SBL_TRY(sbl_plan_add(&round->plan, "cells", sbl_cells_parameters(1, 1), 1.0, err));
    SBL_TRY(sbl_plan_finish(&round->plan, &round->facts, err));
    SBL_TRY(sbl_features_make(&round->features, &round->plan, &round->facts, NULL, err));
done:
    return status;
}

/* The facts of a plan are the columns with the answers that are asked for; of keys, with none. */
static sbl_status facts_of_round(sbl_facts *facts, const sbl_buy *buy, sbl_error *err)
{
    const sbl_discovery *discovery = &buy->discovery;
    sbl_probe *probes = sbl_alloc_array(discovery->names.count, sizeof *probes);
    sbl_schema *schema = NULL;
    sbl_status status = SBL_OK;
    if (probes == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a plan");
    for (size_t c = 0; c < discovery->names.count; c++) {
        probes[c] = discovery->probes[c];
        if (discovery->step == SBL_DISCOVER_KEYS) probes[c].kind = SBL_PROBE_TYPE;
    }
    SBL_TRY(sbl_probe_schema(&schema, probes, &discovery->names, &discovery->written.dialect, err));
    SBL_TRY(sbl_facts_of_table(facts, schema, err));
done:
    sbl_free(probes);
    return status;
}

/* The shares of the rounds that are left, from what is known by now: public, as the releases are. */
static void plan_shares(sbl_buy *buy)
{
    double left[SBL_DISCOVER_STEPS];
    const size_t count = sbl_discovery_shares(left, &buy->discovery, buy->share);
    memcpy(buy->shares + buy->done, left, count * sizeof *left);
    buy->rounds = buy->done + count;
}

static sbl_status plan_round(sbl_buy *buy, sbl_error *err)
{
    const sbl_discover_step step = buy->discovery.step;
    round_of_buy *round = &buy->round;
    sbl_status status = SBL_OK;
    clear_round(round);
    plan_shares(buy);
    if (step == SBL_DISCOVER_DONE) return SBL_OK;
    SBL_TRY(facts_of_round(&round->facts, buy, err));
    SBL_TRY(sbl_plan_init(&round->plan, SBL_BUY_METHOD, err));
    round->plan.round = buy->done + 1;
    round->plan.share = buy->shares[buy->done];
    SBL_TRY(sbl_plan_set(&round->plan, "step", json_string(sbl_discover_step_name(step)), err));
    SBL_TRY(sbl_plan_written(&round->plan, &buy->discovery.written, err));
    SBL_TRY(step == SBL_DISCOVER_KEYS ? plan_keys(buy, err) : plan_answers(buy, err));
done:
    return status;
}

/* ---- the beginning ---- */

/* One column with another delimiter in its name: the file is not written as it was read. The header is
 * public, and nothing else is looked at. */
static sbl_status check_delimiter(const sbl_strings *names, const sbl_buy *buy, sbl_error *err)
{
    const char *sign = names->count == 1 ? strpbrk(names->items[0], ";\t|") : NULL;
    if (sign == NULL || sbl_dialect_of_options(buy->options).delimiter != NULL) return SBL_OK;
    return sbl_fail_hint(err, SBL_EINPUT, SBL_HINT_DELIMITER, NULL,
                         "%s has a header of one column, with %s in its name: if that stands "
                         "between cells, say so",
                         buy->input,
                         *sign == ';'    ? "';'"
                         : *sign == '\t' ? "a tab"
                                         : "'|'");
}

/* How many rows there are, where that is public; one reading that keeps nothing else. */
static sbl_status count_rows(sbl_buy *buy, sbl_error *err)
{
    sbl_source *source = NULL;
    const sbl_records *batch;
    sbl_status status = SBL_OK;
    buy->rows = buy->options->expected_rows;
    if (buy->options->neighbours != SBL_REPLACE_ONE) return SBL_OK;
    buy->rows = 0;
    SBL_TRY(
        sbl_source_open_probes(&source, buy->input, buy->discovery.probes, &buy->round.facts, err));
    do {
        SBL_TRY(sbl_source_read(source, &batch, err));
        buy->rows += batch->rows;
    } while (batch->rows != 0);
    if (buy->rows == 0) status = sbl_fail(err, SBL_EINPUT, "the table has no rows");
done:
    sbl_source_close(source);
    return status;
}

double sbl_buy_delta(const sbl_buy *buy) { return buy->delta; }

sbl_status sbl_buy_begin(sbl_buy **buy, const char *input, bool in_memory, double share,
                         const sbl_synth_options *options, sbl_error *err)
{
    sbl_strings names = {0};
    sbl_written written;
    sbl_buy *made = NULL;
    sbl_status status = SBL_OK;
    *buy = NULL;
    if (options->pure)
        return sbl_fail(err, SBL_EARG,
                        "a pure guarantee (delta 0) cannot buy a schema: naming categories takes "
                        "a delta; give a schema");
    if (sbl_source_is_stream(input))
        return sbl_fail(err, SBL_EARG,
                        "buying a schema reads the data several times: give a file, or a schema");
    made = sbl_alloc_array(1, sizeof *made);
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    made->input = input;
    made->share = share;
    made->options = options;
    SBL_TRY(sbl_written_of_options(&written, options, err));
    written.dialect.surely = in_memory;
    SBL_TRY(sbl_source_read_names(&names, input, &written.dialect, err));
    SBL_TRY(check_delimiter(&names, made, err));
    if (stat(input, &made->seen) != 0) SBL_FAIL(err, SBL_EIO, "cannot look at %s", input);
    SBL_TRY(sbl_discovery_init(&made->discovery, &names, &written, err));
    SBL_TRY(plan_round(made, err));
    SBL_TRY(count_rows(made, err));
    made->delta = sbl_delta_of_options(options, made->rows);
    *buy = made;
    made = NULL;
done:
    sbl_strings_clear(&names);
    sbl_buy_free(made);
    return status;
}

/* Would the votes drown in their noise? Said before anything is charged. */
static sbl_status check_noise(const sbl_buy *buy, const sbl_publish_facts *facts, sbl_error *err)
{
    const sbl_features *features = &buy->round.features;
    uint64_t multiplier;
    const sbl_status status = sbl_publish_multipliers(
        &multiplier, &features->layout, features->weights, buy->round.plan.share, facts, err);
    if (status != SBL_OK || buy->rows == 0) return status;
    const double noise = ldexp(1.0, SBL_NOISE_SCALE_BITS) / (double)multiplier;
    if (sbl_discovery_can_tell(noise, (double)buy->rows)) return SBL_OK;
    return sbl_fail_hint(err, SBL_EBUDGET, SBL_HINT_SCHEMA, NULL,
                         "this budget buys the schema of %zu columns from about %.0f rows on, and "
                         "there are %llu: spend more, or declare the schema",
                         buy->discovery.names.count, ceil(SBL_DISCOVER_LEAST_ROWS * noise),
                         (unsigned long long)buy->rows);
}

sbl_status sbl_buy_open(sbl_publish **publish, sbl_buy *buy, const sbl_publish_facts *facts,
                        sbl_error *err)
{
    const sbl_features *features = &buy->round.features;
    const sbl_status status = check_noise(buy, facts, err);
    *publish = NULL;
    return status == SBL_OK
               ? sbl_publish_open(publish, facts, &features->layout, features->weights,
                                  buy->round.plan.share,
                                  facts->neighbours == SBL_REPLACE_ONE ? buy->rows : 0, err)
               : status;
}

/* ---- rounds ---- */

static sbl_status gather_keys(sbl_tally **tally, const sbl_buy *buy, const char *charged,
                              sbl_error *err)
{
    const sbl_discovery *discovery = &buy->discovery;
    sbl_text_source *source = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_text_source_open(&source, buy->input, &discovery->written.dialect, discovery->texts,
                                 discovery->text_count, err));
    SBL_TRY(
        sbl_gather_texts(tally, source, &buy->round.keys, buy->input, charged, buy->options, err));
done:
    sbl_text_source_close(source);
    return status;
}

static sbl_status check_unchanged(const sbl_buy *buy, sbl_error *err)
{
    return sbl_source_unchanged(buy->input, &buy->seen)
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "%s changed after it was read first", buy->input);
}

static sbl_status release_round(sbl_buy *buy, sbl_publish *publish, sbl_error *err)
{
    const char *charged = buy->done > 0 ? "what was released before" : "nothing";
    const round_of_buy *round = &buy->round;
    sbl_release **release = &buy->releases[buy->done];
    sbl_source *source = NULL;
    sbl_sum *sum = NULL;
    sbl_tally *tally = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(check_unchanged(buy, err));
    if (buy->discovery.step == SBL_DISCOVER_KEYS) {
        SBL_TRY(gather_keys(&tally, buy, charged, err));
        SBL_TRY(check_unchanged(buy, err));
        SBL_TRY(sbl_publish_next_keys(publish, release, &tally, &round->plan, err));
    } else {
        SBL_TRY(
            sbl_source_open_probes(&source, buy->input, buy->discovery.probes, &round->facts, err));
        SBL_TRY(sbl_gather(&sum, source, &round->features, charged, buy->options, err));
        SBL_TRY(check_unchanged(buy, err));
        SBL_TRY(
            sbl_publish_next(publish, release, &sum, &round->plan, round->features.weights, err));
    }
done:
    sbl_source_close(source);
    sbl_sum_free(sum);
    sbl_tally_free(tally);
    return status;
}

/* Draw conclusions and plan what is next. */
static sbl_status conclude(sbl_buy *buy, const sbl_release *release, sbl_error *err)
{
    const sbl_status status = sbl_discovery_take(&buy->discovery, release, err);
    if (status != SBL_OK) return status;
    buy->done++;
    return plan_round(buy, err);
}

sbl_status sbl_buy_run(sbl_buy *buy, sbl_publish *publish, sbl_error *err)
{
    sbl_status status = SBL_OK;
    while (buy->discovery.step != SBL_DISCOVER_DONE) {
        const sbl_publish_rest rest = {.method = SBL_BUY_METHOD,
                                       .rounds = buy->rounds,
                                       .shares = buy->shares,
                                       .also_public = sbl_buy_also_public,
                                       .also_public_count = 3};
        SBL_TRY(sbl_publish_replan(publish, &rest, err));
        SBL_TRY(release_round(buy, publish, err));
        SBL_TRY(conclude(buy, buy->releases[buy->done], err));
    }
done:
    return status;
}

/* ---- going on ---- */

static sbl_status is_of_buying(bool *is, const sbl_release *release, const char *where,
                               sbl_error *err)
{
    sbl_plan plan = {0};
    sbl_facts facts = {0};
    const sbl_status status = sbl_plan_parse(&plan, &facts, release->plan, where, err);
    *is = status == SBL_OK && strcmp(plan.method, SBL_BUY_METHOD) == 0;
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
    return status;
}

sbl_status sbl_buy_count(size_t *count, sbl_release *const *releases, size_t release_count,
                         const char *where, sbl_error *err)
{
    bool is = true;
    sbl_status status = SBL_OK;
    for (*count = 0; *count < release_count; (*count)++) {
        SBL_TRY(is_of_buying(&is, releases[*count], where, err));
        if (!is) break;
    }
done:
    return status;
}

sbl_status sbl_buy_replay(sbl_buy *buy, const sbl_release *const *releases, size_t count,
                          const char *where, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < count; i++) {
        if (buy->discovery.step == SBL_DISCOVER_DONE ||
            strcmp(releases[i]->plan, buy->round.plan.text) != 0)
            SBL_FAIL(err, SBL_EINPUT,
                     "%s: release %zu was planned for other data, or with other options", where,
                     i + 1);
        SBL_TRY(conclude(buy, releases[i], err));
    }
done:
    return status;
}

/* ---- the end ---- */

/* What was bought, where it stands and what it may have cost. */
static json_t *origin_of(const sbl_buy *buy, const char *release_path)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < buy->done; i++) {
        char hash[SBL_SHA256_TEXT_SIZE];
        sbl_text path = {0};
        sbl_publish_release_path(&path, release_path, i + 1);
        const bool good = !path.failed && sbl_file_sha256(hash, path.data, NULL) == SBL_OK &&
                          json_array_append_new(list, json_pack("{s:s, s:f}", "sha256", hash,
                                                                "share", buy->shares[i])) == 0;
        sbl_text_clear(&path);
        if (good) continue;
        json_decref(list);
        return NULL;
    }
    return json_pack(
        "{s:s, s:f, s:f, s:s, s:f, s:o}", "how", "bought from the data under differential privacy",
        "epsilon", buy->options->epsilon, "delta", buy->delta, "neighbours",
        sbl_neighbours_name(buy->options->neighbours), "share", buy->share, "releases", list);
}

sbl_status sbl_buy_finish(char **text, sbl_schema **schema, sbl_text *remarks, const sbl_buy *buy,
                          const char *release_path, sbl_error *err)
{
    if (remarks != NULL) sbl_discovery_remark(remarks, &buy->discovery);
    return sbl_discovery_finish(text, schema, &buy->discovery, origin_of(buy, release_path), err);
}
