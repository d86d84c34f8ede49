/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a plan, makes its features and gathers exact sums through run/pipeline/gather.h. */
#include "support/sum_kit.h"

#include "records/source/data_handle.h"
#include "records/source/source.h"
#include "run/pipeline/gather.h"
#include "support/cmocka_all.h"

static void must(sbl_status status, const sbl_error *err)
{
    if (status != SBL_OK) print_error("%s\n", err->message);
    assert_ok(status);
}

void planned_make(planned *p, const char *text)
{
    sbl_error err = {0};
    *p = (planned){0};
    must(sbl_plan_parse(&p->plan, &p->facts, text, "here", &err), &err);
    must(sbl_features_make(&p->features, &p->plan, &p->facts, NULL, &err), &err);
}

void planned_clear(planned *p)
{
    sbl_features_clear(&p->features);
    sbl_plan_clear(&p->plan);
    sbl_facts_clear(&p->facts);
}

sbl_sum *sum_of_source(const planned *p, sbl_source *source, unsigned threads)
{
    sbl_error err = {0};
    sbl_synth_options options;
    sbl_sum *sum = NULL;
    sbl_synth_options_init(&options);
    options.threads = threads;
    must(sbl_gather(&sum, source, &p->features, "nothing", &options, &err), &err);
    return sum;
}

sbl_sum *sum_of_table(const planned *p, const char *path, unsigned threads)
{
    sbl_error err = {0};
    sbl_source *source = NULL;
    must(sbl_source_open_rows(&source, (sbl_table[1]){sbl_csv_table(path)}, &p->facts, NULL, NULL, &err),
         &err);
    sbl_sum *sum = sum_of_source(p, source, threads);
    sbl_source_close(source);
    return sum;
}
