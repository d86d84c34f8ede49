/* The association matrices of real and synthetic, and how far apart they are: mean and largest
 * |difference| over pairs of different columns. Where a measure exists in one table only (a column
 * is constant in the other), the missing one counts as 0; where in neither, the pair is left out.
 */
#include <math.h>

#include "base/memory.h"
#include "compute/threads.h"
#include "fidelity/association.h"
#include "fidelity/measures.h"

/* Matrices of all tables, (columns, columns) each; NULL for a table that does not exist. */
typedef struct matrices {
    double *of[SBL_ROLE_COUNT];
    size_t columns;
} matrices;

static size_t widest(const sbl_view *view)
{
    size_t widest_column = 1;
    for (size_t c = 0; c < view->count; c++)
        if (view->columns[c].cells > widest_column) widest_column = view->columns[c].cells;
    return widest_column;
}

static void fill_row(double *matrix, sbl_association_room *room, const sbl_columnar *columnar,
                     size_t i, bool *failed)
{
    const size_t columns = columnar->view->count;
    for (size_t j = i; j < columns; j++) {
        double value;
        if (sbl_associate(&value, room, columnar, i, j) != SBL_OK) {
            SBL_OMP(omp atomic write)
            *failed = true;
            return;
        }
        matrix[i * columns + j] = matrix[j * columns + i] = value;
    }
}

static bool fill_matrix(double *matrix, const sbl_view *view, const sbl_frame *frame, int threads,
                        const sbl_progress_span *progress)
{
    sbl_columnar columnar = {0};
    bool failed = sbl_columnar_init(&columnar, view, frame, NULL) != SBL_OK;
    const size_t width = 2 * widest(view);
    sbl_association_room *rooms = sbl_alloc_array((size_t)threads, sizeof *rooms);
    for (int t = 0; rooms != NULL && t < threads; t++) {
        rooms[t].sums = sbl_alloc_array(width, sizeof *rooms[t].sums);
        failed = failed || rooms[t].sums == NULL;
    }
    if (!failed && rooms != NULL) {
        SBL_OMP(omp parallel for num_threads(threads) schedule(dynamic))
        for (long i = 0; i < (long)view->count; i++)
            if (sbl_progress_team_goes_on(progress, sbl_thread_index(), (uint64_t)i, view->count))
                fill_row(matrix, &rooms[sbl_thread_index()], &columnar, (size_t)i, &failed);
    }
    for (int t = 0; rooms != NULL && t < threads; t++) {
        sbl_tally_clear(&rooms[t].tally);
        sbl_free_wiped(rooms[t].sums, width * sizeof *rooms[t].sums);
    }
    failed = failed || rooms == NULL;
    sbl_free(rooms);
    sbl_columnar_clear(&columnar);
    return !failed;
}

static bool compute(matrices *all, const sbl_tables *tables, const sbl_view *view)
{
    bool good = true;
    all->columns = view->count;
    for (size_t t = 0; good && t < SBL_ROLE_COUNT; t++) {
        if (tables->frames[t].rows == 0) continue;
        const sbl_progress_span progress = sbl_progress_part(&tables->progress, t, SBL_ROLE_COUNT);
        all->of[t] = sbl_alloc_array(view->count, view->count * sizeof *all->of[t]);
        good = all->of[t] != NULL &&
               fill_matrix(all->of[t], view, &tables->frames[t], tables->threads, &progress);
    }
    return good;
}

static void compare(sbl_triple *mean, sbl_triple *largest, const matrices *all,
                    const sbl_tables *tables, sbl_pair pair)
{
    sbl_table_role side[2];
    size_t pairs = 0;
    if (!sbl_tables_pair(side, tables, pair)) return;
    for (size_t i = 0; i < all->columns; i++)
        for (size_t j = i + 1; j < all->columns; j++) {
            const double a = all->of[side[0]][i * all->columns + j];
            const double b = all->of[side[1]][i * all->columns + j];
            if (isnan(a) && isnan(b)) continue;
            const double difference = fabs((isnan(a) ? 0.0 : a) - (isnan(b) ? 0.0 : b));
            mean->value[pair] += difference;
            largest->value[pair] = fmax(largest->value[pair], difference);
            pairs++;
        }
    mean->exists[pair] = largest->exists[pair] = pairs != 0;
    if (pairs != 0) mean->value[pair] /= (double)pairs;
}

static json_t *matrix_json(const double *matrix, size_t columns)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < columns; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < columns; j++)
            (void)json_array_append_new(row, sbl_number_json(matrix[i * columns + j]));
        if (json_array_size(row) != columns || json_array_append_new(rows, row) != 0) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}

static json_t *measure_json(const sbl_view *view)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < view->count; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < view->count; j++)
            (void)json_array_append_new(row, json_string(sbl_association_measure(view, i, j)));
        (void)json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *names_json(const sbl_view *view)
{
    json_t *names = json_array();
    for (size_t c = 0; c < view->count; c++)
        (void)json_array_append_new(names, json_string(view->columns[c].column->name));
    return names;
}

/* Columns that have no association with themselves: all their values are equal. */
static json_t *constant_json(const double *matrix, const sbl_view *view)
{
    json_t *names = json_array();
    for (size_t c = 0; c < view->count; c++)
        if (isnan(matrix[c * view->count + c]))
            (void)json_array_append_new(names, json_string(view->columns[c].column->name));
    return names;
}

static json_t *to_json(const matrices *all, const sbl_view *view, const sbl_triple *mean,
                       const sbl_triple *largest)
{
    const double *real = all->of[SBL_ROLE_REAL];
    const double *synthetic = all->of[SBL_ROLE_SYNTHETIC];
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:s}}", "names", names_json(view),
                     "real", matrix_json(real, view->count), "synthetic",
                     matrix_json(synthetic, view->count), "measure", measure_json(view),
                     "mean_difference", sbl_triple_json(mean), "largest_difference",
                     sbl_triple_json(largest), "constant", "real", constant_json(real, view),
                     "synthetic", constant_json(synthetic, view), "why",
                     "a constant column goes together with nothing: its associations are null");
}

sbl_status sbl_measure_association(json_t **result, const sbl_tables *tables, const sbl_view *view,
                                   sbl_error *err)
{
    matrices all = {0};
    sbl_triple mean = {0};
    sbl_triple largest = {0};
    *result = NULL;
    if (compute(&all, tables, view)) {
        for (sbl_pair p = 0; p < SBL_PAIR_COUNT; p++) compare(&mean, &largest, &all, tables, p);
        *result = to_json(&all, view, &mean, &largest);
    }
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) sbl_free(all.of[t]);
    return *result != NULL ? SBL_OK : sbl_fail(err, SBL_EMEM, "out of memory for associations");
}
