/* Writes the reports that the browser test opens:
 *     make_report table|wide|hostile|images|public|none REPORT.html [EVALUATION.json]
 * With a third argument the made-up evaluation is written there too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "certificate/certificate_kit.h"
#include "report/report.h"
#include "report/report_kit.h"

typedef struct kind {
    const char *name;
    kit_evaluation facts;
    size_t certificate; /* of kit_cases */
    bool public_only;
} kind;

static const kind kinds[] = {
    {"table", {.columns = 14}, 1, false},
    {"wide", {.columns = 500}, 0, false},
    {"hostile", {.columns = 14, .hostile = true, .regression = true}, 2, false},
    {"images", {.columns = 2, .images = true, .without_real = true}, 3, false},
    {"public", {.columns = 14}, 0, true},
    {"none", {.columns = 14}, 5, false},
};

static int write_report(const kind *k, const char *path, const char *evaluation_path)
{
    certified c;
    sbl_error err;
    char *evaluation = kit_evaluation_text(&k->facts);
    kit_certify(&c, &kit_cases[k->certificate]);
    const sbl_report_options options = {
        .public_only = k->public_only,
        .overwrite = true,
        .title = k->facts.hostile ? kit_hostile_names[3] : "Synthetic clinic data, release 2"};
    const sbl_status status = sbl_report_write(path, c.text, evaluation, &options, &err);
    if (status != SBL_OK) (void)fprintf(stderr, "make_report: %s\n", err.message);
    if (evaluation_path != NULL) {
        FILE *file = fopen(evaluation_path, "w");
        if (file == NULL) return 1;
        (void)fputs(evaluation, file);
        (void)fclose(file);
    }
    kit_clear(&c);
    free(evaluation);
    return status != SBL_OK;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc >= 3 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            return write_report(&kinds[i], argv[2], argc > 3 ? argv[3] : NULL);
    (void)fprintf(stderr, "make_report KIND REPORT.html [EVALUATION.json]\n");
    return 2;
}
