/* SPDX-License-Identifier: Apache-2.0 */
/* The measures of fidelity. Each gives one part of the evaluation document (docs/FORMATS.md says
 * what is in it, docs/EVALUATION.md how it is computed), owned by the caller (json_decref).
 * No NaN or infinity gets into it: a number that does not exist is null.
 *
 * NOT PRIVATE: all of it comes from real records.
 * Returns: SBL_OK, SBL_EMEM */
#ifndef SBL_FIDELITY_MEASURES_H
#define SBL_FIDELITY_MEASURES_H

#include "owner/fidelity/compared_tables.h"
#include "owner/fidelity/tally.h"
#include "records/formats/diagnose.h"

/* "columns": total variation, Kolmogorov-Smirnov and Wasserstein-1 distance and a histogram of each
 * column. */
sbl_status sbl_measure_columns(json_t **result, const sbl_tables *tables, const sbl_view *view,
                               sbl_error *err);

/* "by": numbers with bounds by category, category by category (docs/FORMATS.md). schema: of the table; columns: the
 * columns of the view that are the schema's, in its order. */
sbl_status sbl_measure_by(json_t **result, const sbl_tables *tables, const sbl_view *view,
                          const sbl_column *columns, const sbl_schema *schema, sbl_error *err);

/* The histogram of each column of one table: its name, the labels of the bars, and the share of rows in each. */
sbl_status sbl_measure_histograms(json_t **result, const sbl_frame *frame, const sbl_view *view,
                                  sbl_error *err);

/* "marginals": total variation distance over sets of 1 to 4 columns; all sets, or a seeded sample
 * of `limit` where there are more. */
sbl_status sbl_measure_marginals(json_t **result, const sbl_tables *tables, const sbl_view *view,
                                 size_t limit, sbl_error *err);

/* "association": Cramer's V, correlation ratio, Pearson, and how far they differ. */
sbl_status sbl_measure_association(json_t **result, const sbl_tables *tables, const sbl_view *view,
                                   sbl_error *err);

/* "pairs": the few that say most by their associations (of sbl_measure_association), in cells for a
 * picture. */
sbl_status sbl_measure_pairs(json_t **result, const sbl_tables *tables, const sbl_view *view,
                             const json_t *association, sbl_error *err);

/* "mmd": unbiased estimate of the squared maximum mean discrepancy under a fixed kernel. */
sbl_status sbl_measure_mmd(json_t **result, const sbl_tables *tables, const sbl_view *view, sbl_error *err);

/* "disclosure": copies, distance to the closest record, a membership attack. Needs a training
 * table; the real table is the holdout. */
sbl_status sbl_measure_disclosure(json_t **result, const sbl_tables *tables, const sbl_view *view,
                                  sbl_error *err);

/* "histories": where the schema has a unit, what persons and their events in order are like, and some
 * synthetic persons; null where it has none. limit: of pairs of columns. */
sbl_status sbl_measure_histories(json_t **result, const sbl_tables *tables, const sbl_view *view,
                                 const sbl_schema *schema, size_t limit, sbl_error *err);

/* "out_of_domain", from a diagnosis of the synthetic file. */
sbl_status sbl_measure_domain(json_t **result, const sbl_diagnosis *diagnosis, const sbl_schema *schema,
                              sbl_error *err);

/* Kolmogorov-Smirnov and Wasserstein-1 distance of two sorted samples, neither empty. */
void sbl_sample_distances(double *ks, double *wasserstein, const double *a, size_t count_a, const double *b,
                          size_t count_b);

/* Both of each pair of tables; values (SBL_ROLE_COUNT) are sorted, counts may be 0. */
void sbl_sample_triples(sbl_triple ks, sbl_triple wasserstein, double *const values[SBL_ROLE_COUNT],
                        const size_t counts[SBL_ROLE_COUNT], const sbl_tables *tables);

/* Counts what the input says of all tables, and the total variation distance of each pair of them.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_tally_triple(sbl_triple tvd, sbl_tally *tally, const sbl_tally_input *input,
                            const sbl_tables *tables);

/* Sets of columns: sets[i * way ...], ascending in each set and in order. Owner: the caller,
 * sbl_free(); NULL when out of memory. */
uint32_t *sbl_column_sets(size_t *count, uint64_t *total, size_t columns, size_t way, size_t limit,
                          uint64_t seed);

#endif
