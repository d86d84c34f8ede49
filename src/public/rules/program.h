/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the rules: a condition or expression as steps of a stack machine. It has no jumps: running it
 * takes as many steps as it has. Truth is 1, 0 or NaN for "depends on a missing value" (Kleene's logic);
 * a value that cannot be computed, such as a division by zero, is NaN too. */
#ifndef SBL_RULES_PROGRAM_H
#define SBL_RULES_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SBL_PROGRAM_MOST_STEPS 256
#define SBL_PROGRAM_MOST_STACK 64

typedef enum sbl_op {
    SBL_OP_NUMBER,   /* push number */
    SBL_OP_COLUMN,   /* push the column's value */
    SBL_OP_CATEGORY, /* push numbers[code]: a category that is a number */
    SBL_OP_ADD,
    SBL_OP_SUBTRACT,
    SBL_OP_MULTIPLY,
    SBL_OP_DIVIDE,
    SBL_OP_NEGATE,
    SBL_OP_ROUND, /* to `number` decimals, half to even */
    SBL_OP_YEAR,  /* of days */
    SBL_OP_DAYS,  /* of seconds, rounded down */
    SBL_OP_EQUAL,
    SBL_OP_LESS,
    SBL_OP_AT_MOST,
    SBL_OP_MORE,
    SBL_OP_AT_LEAST,
    SBL_OP_IN,      /* push: is the column's code in `set`? */
    SBL_OP_SAME,    /* push: do two categories read the same? set[code] = code of the other + 1 */
    SBL_OP_MISSING, /* push: is the column missing? */
    SBL_OP_NOT,
    SBL_OP_AND,
    SBL_OP_OR
} sbl_op;

typedef struct sbl_rule_step {
    sbl_op op;
    double number;
    size_t column, other;
    bool before, other_before; /* they are of the row before, not of this one */
    double *numbers;           /* (size), owned */
    uint32_t *set;             /* (size), owned */
    size_t size;               /* categories */
} sbl_rule_step;

typedef struct sbl_program {
    sbl_rule_step *steps; /* room for SBL_PROGRAM_MOST_STEPS */
    size_t count;
} sbl_program;

void sbl_program_clear(sbl_program *program);

/* Steps first .. last - 1 on a full row; they must leave one value. */
double sbl_program_run(const sbl_program *program, size_t first, size_t last, const double *row);
/* The same beside the row before, which may be asked for too. NULL: all of it is missing. */
double sbl_program_run_after(const sbl_program *program, size_t first, size_t last, const double *row,
                             const double *before);

/* Where the operand that ends before step `end` begins. */
size_t sbl_program_operand(const sbl_program *program, size_t end);

/* Does the step read `column`; does the program read this column, of either row? */
bool sbl_op_reads(sbl_op op);
bool sbl_program_reads(const sbl_program *program, size_t column);

/* Is this a comparison of two numbers? */
bool sbl_op_compares(sbl_op op);

/* Equal but for the rounding of a few operations. */
bool sbl_rules_equal(double a, double b);

#endif
