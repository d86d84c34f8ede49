/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's answer names columns and says by how much pairs leave them unexplained. */
#include "run/methods/forest_describe.h"

#include <math.h>

const char *sbl_forest_course(const sbl_pairs_setting *setting)
{
    const sbl_pairs_shape shape = sbl_pairs_shape_of(setting);
    if (!shape.forest) return sbl_pairs_setup_course(shape.course);
    return setting->forest == SBL_FOREST_ALWAYS
               ? "one-way tables, a sketch of all pairs, a probe of trees, precise tables of some "
                 "pairs and three forests"
               : "one-way tables, a sketch of all pairs, a probe of trees; as that says, precise "
                 "tables of some pairs, or fewer of them and three forests";
}

static const char *answer_words(sbl_forest_answer answer)
{
    return answer == SBL_FOREST_YES  ? "asks for forests"
           : answer == SBL_FOREST_NO ? "asks for precise pairs"
                                     : "is overruled by the method's name";
}

static double errors_of(const sbl_forest_surprise *found) { return found->energy / found->error; }

/* Room for names of columns in the line: a certificate takes short plain texts. */
#define NAMES_ROOM 48u

/* A name in printable ASCII, cut: what else it holds is a question mark. */
static void add_name(sbl_text *line, const char *name, size_t most)
{
    for (size_t i = 0; name[i] != '\0' && i < most; i++)
        sbl_text_printf(line, "%c", name[i] >= ' ' && name[i] <= '~' ? name[i] : '?');
}

/* " (blind trees, 4.5 errors)": the kind of trees that has more of a column, and how sure it is. */
static const sbl_forest_surprise *clearer(const sbl_forest_finding *finding)
{
    return errors_of(&finding->blind) > errors_of(&finding->grown) ? &finding->blind : &finding->grown;
}

static void add_errors(sbl_text *line, const sbl_forest_finding *finding)
{
    const sbl_forest_surprise *found = clearer(finding);
    sbl_text_printf(line, " (%s trees, %.1f errors)", found == &finding->blind ? "blind" : "grown",
                    errors_of(found));
}

/* The columns that get forests, and what was found of the first of them. */
static void add_chosen(sbl_text *line, const sbl_forest_plan *wanted, const sbl_pairs_setup *g,
                       const sbl_facts *facts)
{
    const size_t room = NAMES_ROOM / wanted->chosen_count - 2;
    sbl_text_printf(line, " for");
    for (size_t i = 0; i < wanted->chosen_count; i++) {
        sbl_text_printf(line, i > 0 ? ", " : " ");
        add_name(line, sbl_pairs_setup_name(g, facts, wanted->chosen[i]), room);
    }
    for (size_t i = 0; i < wanted->found_count; i++) {
        const sbl_forest_finding *finding = &wanted->found[i];
        if (finding->column != wanted->chosen[0]) continue;
        sbl_text_printf(line, ": pairs leave up to %.3f unexplained", clearer(finding)->effect);
        add_errors(line, finding);
    }
}

/* Where none gets a forest: the most that was found of any of them. */
static void add_most(sbl_text *line, const sbl_forest_plan *wanted, const sbl_pairs_setup *g,
                     const sbl_facts *facts)
{
    size_t most = 0;
    sbl_text_printf(line, ", of %zu columns asked about", wanted->found_count);
    if (wanted->found_count == 0) return;
    for (size_t i = 1; i < wanted->found_count; i++)
        if (errors_of(clearer(&wanted->found[i])) > errors_of(clearer(&wanted->found[most]))) most = i;
    sbl_text_printf(line, ": pairs leave %.3f of ", clearer(&wanted->found[most])->effect);
    add_name(line, sbl_pairs_setup_name(g, facts, wanted->found[most].column), NAMES_ROOM - 2);
    add_errors(line, &wanted->found[most]);
}

void sbl_forest_answer_line(sbl_text *line, const sbl_forest_plan *wanted, const sbl_pairs_setup *g,
                            const sbl_facts *facts)
{
    const bool many = wanted->found_count != 1;
    sbl_text_printf(line, "the probe of trees %s", answer_words(wanted->answer));
    if (!many) {
        const sbl_forest_surprise *grown = &wanted->found[0].grown, *blind = &wanted->found[0].blind;
        sbl_text_printf(line,
                        ": pairs leave %.3f unexplained (grown trees, %.1f errors) and %.3f "
                        "(blind ones, %.1f errors)",
                        grown->effect, errors_of(grown), blind->effect, errors_of(blind));
    } else if (wanted->chosen_count > 0) {
        add_chosen(line, wanted, g, facts);
    } else {
        add_most(line, wanted, g, facts);
    }
    sbl_text_printf(line, "; forests from %.3f and %d errors on", fmax(0.06, wanted->loss), many ? 4 : 3);
}
