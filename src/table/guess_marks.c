/* Lists of spellings of "no value", compared without regard to case. Doubtful ones ("-", "none")
 * are values in a column of categories. */
#include "table/guess_marks.h"

#include <string.h>
#include <strings.h>

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

const char *const sbl_usual_marks[] = {"", "NA", "N/A", "NULL", "null", "NaN", "nan"};

static const char *const sure[] = {"",    "na",   "n/a", "n.a.", "n.a", "#n/a",
                                   "#na", "<na>", "nan", "null", "?",   "??"};
static const char *const doubtful[] = {"-", "--", "---", ".", "none", "nil", "missing"};

static int among(const char *const *list, size_t count, const char *text, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == length && strncasecmp(list[i], text, length) == 0) return 1;
    return 0;
}

sbl_mark sbl_mark_of(const char *text, size_t length)
{
    if (among(sure, COUNT(sure), text, length)) return SBL_MARK_SURE;
    return among(doubtful, COUNT(doubtful), text, length) ? SBL_MARK_DOUBTFUL : SBL_MARK_NOT;
}
