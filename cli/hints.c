/* The one place where a hint of the library becomes an option or a command. */
#include "hints.h"

#include <stdio.h>
#include <string.h>

#include "command.h"

const char *sbl_cli_hint(char text[SBL_CLI_HINT_SIZE], const sbl_error *err)
{
    /* A question mark stands for the file. */
    static const char *const words[] = {
        [SBL_HINT_OVERWRITE] = "; choose another name or use --overwrite",
        [SBL_HINT_LEDGER_SHARE] = " (--ledger)",
        [SBL_HINT_LEDGER_MAKE] = "; make it with 'semblance ledger init'",
        [SBL_HINT_TRAIN] = ": 'semblance train ? -o MODEL'",
        [SBL_HINT_HEALTH] =
            (": 'semblance schema check SCHEMA INPUT' shows what is wrong in a table; the same "
             "command with 'resume' and --health tell goes on all the same"),
        [SBL_HINT_RESUME] = ": the same command with 'resume' goes on",
        [SBL_HINT_WHERE] = " (--where)",
        [SBL_HINT_ROWS] = " (--rows)",
        [SBL_HINT_CLASSES] = " (--classes)",
        [SBL_HINT_REAL_LABELS] = " (--real-labels)",
        [SBL_HINT_SYNTHETIC_LABELS] = " (--synthetic-labels)",
        [SBL_HINT_TRAIN_LABELS] = " (--train-labels)",
        [SBL_HINT_NO_MODELS] = " (--models none)",
        [SBL_HINT_TRAIN_SET] = " (--train)",
        [SBL_HINT_SCHEMA] = " (--epsilon, --discover-share, --schema)",
        [SBL_HINT_FILES] = " (--release FILE --certificate FILE)",
        [SBL_HINT_DELIMITER] = " (--delimiter; ',' if it does not)",
        [SBL_HINT_DELTA] = " (--delta; the rows of a stream are not known beforehand)",
        [SBL_HINT_TAKE] = " (--take 1,3, all or none); 'semblance schema check ?' lists them",
        [SBL_HINT_LEDGER_UNIT] =
            (" (--ledger; 'semblance ledger init --rows-per-person K' makes one for persons); "
             "'semblance ledger total' adds both up"),
        [SBL_HINT_ROWS_PER_PERSON] = " (--rows-per-person)",
    };
    const size_t place = (size_t)err->hint;
    const char *found = place < SBL_CLI_COUNT(words) && words[place] != NULL ? words[place] : "";
    const char *mark = strchr(found, '?');
    if (mark == NULL) return found;
    (void)snprintf(text, SBL_CLI_HINT_SIZE, "%.*s%s%s", (int)(mark - found), found,
                   err->file[0] != '\0' ? err->file : "FILE", mark + 1);
    return text;
}
