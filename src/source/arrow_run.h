/* Inside Arrow tables: a run of cells of one column, taken out of its buffers by one loop per type.
 *
 * A cell that is what most are (there, finite, a text within its buffer) is a value of the run. Any other is
 * missing or odd, and whoever reads the run looks at an odd one by itself (arrow_type.h): what a cell means does
 * not depend on the way that it is read. */
#ifndef SBL_SOURCE_ARROW_RUN_H
#define SBL_SOURCE_ARROW_RUN_H

#include "source/arrow_type.h"
#include "table/typed.h"

#define SBL_ARROW_RUN 256 /* cells: what a run takes stays in the first cache */

enum { SBL_RUN_MISSING = 0, SBL_RUN_VALUE = 1, SBL_RUN_ODD = 2 };

/* Privacy: cells of records. */
typedef struct sbl_arrow_run {
    size_t count;
    bool exceptions; /* is any cell no value? */
    uint8_t is[SBL_ARROW_RUN];
    union {
        double values[SBL_ARROW_RUN];
        uint64_t keys[SBL_ARROW_RUN];
        sbl_typed_piece texts[SBL_ARROW_RUN]; /* NULL where it is no value */
    };
} sbl_arrow_run;

/* How a column's values become the numbers that its cells are. */
typedef enum sbl_arrow_scale {
    SBL_SCALE_PLAIN,   /* numbers */
    SBL_SCALE_DAYS,    /* days and moments as days; a moment that is no midnight is odd */
    SBL_SCALE_SECONDS, /* days and moments as seconds */
} sbl_arrow_scale;

/* Can this type be read as numbers of that scale? */
bool sbl_arrow_has_numbers(const sbl_arrow_type *type, sbl_arrow_scale scale);
/* Has none of these numbers a fraction? */
bool sbl_arrow_is_whole(const sbl_arrow_type *type);
bool sbl_arrow_has_texts(const sbl_arrow_type *type);

/* count cells (at most SBL_ARROW_RUN) of a batch, from row `from` of it on. array: the batch's column, which was
 * checked; type: of what its buffer holds, with numbers or texts as the function wants. Values that are no finite
 * numbers are odd. */
void sbl_arrow_run_numbers(sbl_arrow_run *run, const sbl_arrow_type *type, sbl_arrow_scale scale,
                           const struct ArrowArray *batch, const struct ArrowArray *array,
                           int64_t from, size_t count);
void sbl_arrow_run_texts(sbl_arrow_run *run, const sbl_arrow_type *type,
                         const struct ArrowArray *batch, const struct ArrowArray *array,
                         int64_t from, size_t count);
/* What tells two cells of one type apart, in 64 bits: the codes of a dictionary, truths, the bits of a number. A
 * decimal that is wider is odd. type: any but texts and nulls. */
void sbl_arrow_run_keys(sbl_arrow_run *run, const sbl_arrow_type *type,
                        const struct ArrowArray *batch, const struct ArrowArray *array,
                        int64_t from, size_t count);

#endif
