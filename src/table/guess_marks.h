/* What people write where there is no value: "NA", "n/a", "none", "-", in any case. */
#ifndef SBL_TABLE_GUESS_MARKS_H
#define SBL_TABLE_GUESS_MARKS_H

#include <stddef.h>

typedef enum sbl_mark {
    SBL_MARK_NOT,
    SBL_MARK_SURE,    /* no column has it as a value */
    SBL_MARK_DOUBTFUL /* among numbers and dates no value, among categories one: none, mild, severe */
} sbl_mark;

sbl_mark sbl_mark_of(const char *text, size_t length);

/* Spellings that a guessed schema lists whether they were seen or not; the first is the empty cell. */
extern const char *const sbl_usual_marks[];
#define SBL_USUAL_MARKS 7

#endif
