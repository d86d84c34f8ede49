/* SPDX-License-Identifier: Apache-2.0 */
/* What a run without a schema does besides: it reads the header, counts the rows where their number
 * is public, reads cells as answers or as texts, and writes the schema that was discovered. The
 * rounds are planned by run/methods/discover.c and released as in job.c. The file is compared by
 * stat() before and after each reading, because all rounds must see the same records. */
#include <math.h>
#include <string.h>

#include "after/discover/discovery.h"
#include "after/sinks/sink.h"
#include "base/alloc.h"
#include "base/file.h"
#include "public/options/option_values.h"
#include "records/rows/table.h"
#include "run/methods/discover.h"
#include "run/methods/merf_features.h"
#include "run/pipeline/gather.h"
#include "run/pipeline/job_run.h"

/* ---- the beginning ---- */

/* One column with another delimiter in its name: the file is not written as it was read. The header is
 * public, and nothing else is looked at. */
static sbl_status check_delimiter(const sbl_strings *names, const sbl_run *r, sbl_error *err)
{
    const char *sign = names->count == 1 ? strpbrk(names->items[0], ";\t|") : NULL;
    if (sign == NULL || sbl_data_tell(r->job->data).written.delimiter != NULL) return SBL_OK;
    return sbl_fail_hint(err, SBL_EINPUT, SBL_HINT_DELIMITER, NULL,
                         "%s has a header of one column, with %s in its name: if that separates cells, give "
                         "it as the delimiter",
                         sbl_data_tell(r->job->data).name,
                         *sign == ';'    ? "';'"
                         : *sign == '\t' ? "a tab"
                                         : "'|'");
}

/* Files with semicolons between cells often have commas in numbers. Whether this one does is asked, not looked up in the records:
 * what is refused would tell of them. */
static sbl_status check_decimal(const sbl_written *written, const sbl_run *r, sbl_error *err)
{
    const sbl_data_about about = sbl_data_tell(r->job->data);
    if (written->dialect.delimiter != ';' || about.written.decimal != NULL) return SBL_OK;
    return sbl_fail_hint(err, SBL_EINPUT, SBL_HINT_DECIMAL, NULL,
                         "%s separates its cells by semicolons, as files with decimal commas do: give the "
                         "decimal mark of its numbers",
                         about.name);
}

/* Where no line names the columns, how many there are would be a fact of the first record. */
static sbl_status find_dialect(sbl_written *written, const sbl_run *r, sbl_error *err)
{
    const sbl_data_about about = sbl_data_tell(r->job->data);
    *written = SBL_WRITTEN_USUALLY;
    const sbl_status status = sbl_written_apply(written, &about.written, err);
    if (status != SBL_OK || written->dialect.header) return status;
    return sbl_fail(err, SBL_EARG,
                    "discovering a schema needs a header that names the columns: give a schema for a table "
                    "without a header");
}

static sbl_status read_header(sbl_run *r, sbl_error *err)
{
    const sbl_data *data = r->job->data;
    sbl_strings names = {0};
    sbl_written written;
    sbl_status status = SBL_OK;
    SBL_TRY(find_dialect(&written, r, err));
    r->look = sbl_file_stamp_read(sbl_data_tell(data).path);
    SBL_TRY(sbl_source_read_names(&names, &written.dialect, data, err));
    SBL_TRY(check_delimiter(&names, r, err));
    SBL_TRY(check_decimal(&written, r, err));
    SBL_TRY(sbl_discover_header(&r->header, &names, &written, err));
done:
    sbl_strings_clear(&names);
    return status;
}

static sbl_status open_asked(sbl_source **source, const sbl_run *r, sbl_error *err)
{
    const sbl_asked *asked = r->discover.items[r->discover.count - 1].asked;
    return sbl_source_open_probes(source, r->job->data, asked->probes, &asked->facts, err);
}

/* How many rows there are, where that is public. */
static sbl_status count_rows(sbl_run *r, sbl_error *err)
{
    sbl_source *source = NULL;
    sbl_status status = SBL_OK;
    r->public_rows = r->options->expected_rows;
    if (r->options->neighbours != SBL_REPLACE_ONE) return SBL_OK;
    SBL_TRY(open_asked(&source, r, err));
    SBL_TRY(sbl_source_count(&r->public_rows, source, err));
    if (r->public_rows == 0)
        status = sbl_fail(err, SBL_EINPUT, "%s: the table has no rows", sbl_data_tell(r->job->data).name);
done:
    sbl_source_close(source);
    return status;
}

/* Before the schema is paid for: has the method replicates, and can they be written beside these columns? */
static sbl_status check_replicates(const sbl_run *r, sbl_error *err)
{
    const sbl_replicate_files wanted = sbl_run_replicates(r->job);
    const sbl_method *method;
    SBL_CHECK(sbl_method_find(&method, r->options->method, SBL_DATA_TABLE, r->options->more_methods, err));
    SBL_CHECK(sbl_posterior_check(method, err));
    return sbl_replicates_check_files(&wanted, &r->header, r->options->overwrite, err);
}

sbl_status sbl_run_plan_discovery(sbl_run *r, sbl_error *err)
{
    const sbl_data_about about = sbl_data_tell(r->job->data);
    if (r->options->pure)
        return sbl_fail(err, SBL_EARG,
                        "a pure guarantee (delta 0) cannot discover a schema, because naming categories "
                        "needs a delta: give a schema");
    if (!about.can_rewind)
        return sbl_fail(err, SBL_EARG,
                        "discovering a schema reads the data several times: give a file, or a schema");
    r->planning = *r->options;
    r->planning.discover_share = sbl_run_discover_share(r);
    SBL_CHECK(read_header(r, err));
    if (sbl_run_draws(r->job)) /* again, now that there are names */
        SBL_CHECK(r->job->replicates != 0
                      ? check_replicates(r, err)
                      : sbl_sink_check_table(r->job->output, r->job->engine, r->header.declared, err));
    SBL_CHECK(sbl_rounds_begin_discovery(&r->discover, &r->header, &r->planning, err));
    SBL_CHECK(count_rows(r, err));
    SBL_CHECK(sbl_features_check_rows(r->options, SBL_TABLES, r->public_rows, err));
    r->planning.delta = sbl_delta_of_options(r->options, r->public_rows);
    return SBL_OK;
}

/* Would the votes drown in their noise? Said before anything is charged. */
sbl_status sbl_run_check_discovery(const sbl_run *r, const sbl_publish_facts *facts, sbl_error *err)
{
    const sbl_round *first = &r->discover.items[0];
    uint64_t multiplier;
    const sbl_status status = sbl_publish_multipliers(&multiplier, &first->features.layout,
                                                      first->features.weights, first->plan.share, facts, err);
    if (status != SBL_OK || r->public_rows == 0) return status;
    const double noise = ldexp(1.0, SBL_NOISE_SCALE_BITS) / (double)multiplier;
    if (sbl_discovery_can_tell(noise, (double)r->public_rows)) return SBL_OK;
    return sbl_fail_hint(err, SBL_EBUDGET, SBL_HINT_SCHEMA, NULL,
                         "this budget discovers the schema of %zu column%s from about %.0f rows on, "
                         "and there are %llu: spend more, or declare the schema",
                         r->header.declared->column_count, r->header.declared->column_count == 1 ? "" : "s",
                         ceil(SBL_DISCOVER_LEAST_ROWS * noise), (unsigned long long)r->public_rows);
}

/* ---- a round ---- */

static sbl_status check_unchanged(const sbl_run *r, sbl_error *err)
{
    const sbl_data_about about = sbl_data_tell(r->job->data);
    return sbl_file_stamp_equal(&r->look, about.path) ? SBL_OK : sbl_source_has_changed(about.name, err);
}

sbl_status sbl_run_gather_asked(sbl_gathered *gathered, const sbl_run *r, const sbl_round *round,
                                const char *charged, sbl_error *err)
{
    sbl_source *source = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(check_unchanged(r, err));
    SBL_TRY(open_asked(&source, r, err));
    SBL_TRY(
        round->asked->text_count != 0
            ? sbl_gather_texts(&gathered->tally, source, &round->features.layout, charged, r->options, err)
            : sbl_gather(&gathered->sum, source, &round->features, charged, r->options, err));
    SBL_TRY(check_unchanged(r, err));
done:
    sbl_source_close(source);
    return status;
}

sbl_status sbl_run_check_commas(const sbl_run *r, sbl_error *err)
{
    const sbl_data_about about = sbl_data_tell(r->job->data);
    if (!about.has_dialect || about.written.decimal != NULL || about.written.thousands != NULL) return SBL_OK;
    return sbl_discover_check_commas(&r->header, &r->discover.items[0], about.name, err);
}

/* ---- the end ---- */

/* What was discovered, where it stands and what it may have cost. */
static json_t *origin_of(const sbl_run *r)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < r->discover.count; i++) {
        char hash[SBL_SHA256_TEXT_SIZE];
        sbl_text name = {0};
        sbl_store_entry release;
        const bool good = sbl_publish_item(&release, &name, r->release, i + 1, NULL) == SBL_OK &&
                          sbl_store_entry_sha256(hash, release, NULL) == SBL_OK;
        list = sbl_json_append(
            list, good ? json_pack("{s:s, s:f}", "sha256", hash, "share", r->discover.shares[i]) : NULL);
        sbl_text_clear(&name);
    }
    return json_pack("{s:s, s:f, s:f, s:s, s:f, s:o}", "how",
                     "discovered from the data under differential privacy", "epsilon", r->options->epsilon,
                     "delta", r->planning.delta, "neighbours", sbl_neighbours_name(r->options->neighbours),
                     "share", sbl_run_discover_share(r), "releases", list);
}

sbl_status sbl_run_conclude_discovery(sbl_run *r, sbl_error *err)
{
    const bool alone = r->job->discovered.store != NULL;
    const sbl_file_write_options as_public = {
        .mode = 0644, .overwrite = r->options->overwrite || (r->known_count > 0 && !alone)};
    sbl_schema *schema = NULL;
    char *text = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_discover_conclude(&text, &schema, &r->remarks, &r->header, r->discover.items,
                                  r->discover.count, origin_of(r), err));
    SBL_TRY(sbl_store_entry_write(r->schema, text, strlen(text), as_public, err));
    if (!alone) {
        status = sbl_facts_of_table(&r->facts, schema, err);
        schema = NULL;
    }
done:
    sbl_schema_free(schema);
    sbl_free(text);
    return status;
}
