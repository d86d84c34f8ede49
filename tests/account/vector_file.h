/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tests/vectors/account*.csv: quantity,a,b,c,d,value. */
#ifndef SBL_TESTS_ACCOUNT_VECTOR_FILE_H
#define SBL_TESTS_ACCOUNT_VECTOR_FILE_H

#include <stddef.h>

typedef struct vector_row {
    char quantity[32];
    double argument[4]; /* empty cells are 0 */
    long double value;
} vector_row;

typedef struct vector_file {
    vector_row rows[1024];
    size_t count;
} vector_file;

/* Fails the test when the file is missing or malformed. */
void vector_file_read(vector_file *file, const char *name);

/* The value of the row with this quantity and these arguments; fails the test without one. */
long double vector_value(const vector_file *file, const char *quantity, double a, double b, double c,
                         double d);

#endif
