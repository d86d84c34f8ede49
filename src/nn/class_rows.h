/* Rows sorted by class: class c is rows starts[c] .. starts[c + 1] - 1, starts (classes + 1). */
#ifndef SBL_NN_CLASS_ROWS_H
#define SBL_NN_CLASS_ROWS_H

#include <stddef.h>

/* rows of class c = values[c]; values (classes, width). */
void sbl_class_rows_fill(float *rows, const float *values, size_t width, const size_t *starts,
                         size_t classes);
/* sums (classes, width): over the rows of each class, in row order for any number of threads. */
void sbl_class_rows_sum(float *sums, const float *rows, size_t width, const size_t *starts,
                        size_t classes);

#endif
