/* Projections of two-way tables: centring, margins, Dykstra's alternation with the nonnegative
 * orthant, and Gaussian conditioning on sums over groups. */
#include "pairs/interaction.h"

#include <math.h>
#include <string.h>

#define DYKSTRA_ROUNDS 40
#define SCALING_ROUNDS 60
#define EXACT 1e-13 /* of the total: margins that agree so far are equal */

void sbl_table_centre(double *table, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < columns; j++) sum += table[i * columns + j];
        for (size_t j = 0; j < columns; j++) table[i * columns + j] -= sum / (double)columns;
    }
    for (size_t j = 0; j < columns; j++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++) sum += table[i * columns + j];
        for (size_t i = 0; i < rows; i++) table[i * columns + j] -= sum / (double)rows;
    }
}

double sbl_table_energy(const double *table, size_t rows, size_t columns)
{
    double sum = 0;
    for (size_t i = 0; i < rows * columns; i++) sum += table[i] * table[i];
    return sum;
}

/* What is missing from the margins, spread evenly: row_gap, column_gap are scratch. */
static void restore_margins(double *table, size_t rows, size_t columns, const double *p,
                            const double *q, double *row_gap, double *column_gap)
{
    double total = 0;
    memcpy(column_gap, q, columns * sizeof *q);
    for (size_t i = 0; i < rows; i++) {
        row_gap[i] = p[i];
        for (size_t j = 0; j < columns; j++) {
            row_gap[i] -= table[i * columns + j];
            column_gap[j] -= table[i * columns + j];
        }
        total += row_gap[i];
    }
    const double all = total / (double)(rows * columns);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            table[i * columns + j] +=
                row_gap[i] / (double)columns + column_gap[j] / (double)rows - all;
}

void sbl_table_set_margins(double *table, size_t rows, size_t columns, const double *p,
                           const double *q)
{
    double total = 0;
    for (size_t i = 0; i < rows; i++) total += p[i];
    sbl_table_centre(table, rows, columns);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            table[i * columns + j] +=
                p[i] / (double)columns + q[j] / (double)rows - total / (double)(rows * columns);
}

/* Rows, then columns, to their margins. Returns the largest gap of a row before. */
static double scale_once(double *table, size_t rows, size_t columns, const double *p,
                         const double *q, double *sums)
{
    double worst = 0;
    memset(sums, 0, columns * sizeof *sums);
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < columns; j++) sum += table[i * columns + j];
        worst = fmax(worst, fabs(sum - p[i]));
        const double factor = sum > 0 ? p[i] / sum : 0;
        for (size_t j = 0; j < columns; j++) {
            table[i * columns + j] *= factor;
            sums[j] += table[i * columns + j];
        }
    }
    for (size_t j = 0; j < columns; j++) {
        const double factor = sums[j] > 0 ? q[j] / sums[j] : 0;
        for (size_t i = 0; i < rows; i++) table[i * columns + j] *= factor;
    }
    return worst;
}

/* A trace of independence lets every margin be reached. */
static void scale_to_margins(double *table, size_t rows, size_t columns, const double *p,
                             const double *q, double *sums)
{
    double total = 0;
    for (size_t i = 0; i < rows; i++) total += p[i];
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double *entry = &table[i * columns + j];
            *entry = fmax(*entry, 0) + (total > 0 ? 1e-9 * p[i] * q[j] / total : 0);
        }
    for (int round = 0; round < SCALING_ROUNDS; round++)
        if (scale_once(table, rows, columns, p, q, sums) <= EXACT * total) break;
}

void sbl_table_project(double *table, size_t rows, size_t columns, const double *p, const double *q,
                       const uint8_t *holes, double *scratch)
{
    const size_t entries = rows * columns;
    double *memory = scratch, *row_gap = memory + entries, *column_gap = row_gap + rows;
    memset(memory, 0, entries * sizeof *memory);
    for (int round = 0; round < DYKSTRA_ROUNDS; round++) {
        for (size_t i = 0; i < entries; i++) {
            const double moved = table[i] + memory[i];
            table[i] = holes && holes[i] ? 0 : fmax(moved, 0);
            memory[i] = moved - table[i];
        }
        restore_margins(table, rows, columns, p, q, row_gap, column_gap);
    }
    for (size_t i = 0; holes && i < entries; i++)
        if (holes[i]) table[i] = 0;
    scale_to_margins(table, rows, columns, p, q, column_gap);
}

double sbl_table_condition(double *table, size_t rows, size_t columns, double noise2,
                           const sbl_table_groups *groups, const double *sums, double group_noise2,
                           double *scratch)
{
    const size_t cells = groups->row_groups * groups->column_groups;
    double *surprise = scratch, known = 0;
    memcpy(surprise, sums, cells * sizeof *sums);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            surprise[groups->row_group[i] * groups->column_groups + groups->column_group[j]] -=
                table[i * columns + j];
    for (size_t g = 0; g < cells; g++) {
        double height = 0, width = 0;
        for (size_t i = 0; i < rows; i++)
            height += groups->row_group[i] == g / groups->column_groups;
        for (size_t j = 0; j < columns; j++)
            width += groups->column_group[j] == g % groups->column_groups;
        const double share = noise2 / (height * width * noise2 + group_noise2);
        surprise[g] *= share;
        known += share * height * width;
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            table[i * columns + j] +=
                surprise[groups->row_group[i] * groups->column_groups + groups->column_group[j]];
    return noise2 * (1 - known / (double)(rows * columns));
}
