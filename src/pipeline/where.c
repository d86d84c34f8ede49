#include "pipeline/where.h"

#include <string.h>

#include "base/memory.h"
#include "schema/calendar.h"

#define REFUSE(...) return sbl_fail_hint(err, SBL_EARG, SBL_HINT_WHERE, NULL, __VA_ARGS__)

void sbl_where_clear(sbl_where *where)
{
    sbl_free(where->fixed);
    *where = (sbl_where){.wanted = SBL_ANY_CLASS, .kept = SBL_ANY_CLASS};
}

/* ---- images ---- */

static sbl_status where_of_images(size_t *wanted, const char *text, const sbl_image_facts *facts,
                                  sbl_error *err)
{
    static const char label[] = "label=";
    if (facts->classes == 0) REFUSE("one class can be drawn of a model of labelled images only");
    if (strncmp(text, label, sizeof label - 1) == 0) text += sizeof label - 1;
    if (sbl_image_facts_class(wanted, facts, text)) return SBL_OK;
    if (facts->names != NULL) REFUSE("a class is drawn by its name: 'label=CLASS'");
    REFUSE("a class is drawn by its number, 0 to %zu: 'label=CLASS'", facts->classes - 1);
}

/* ---- tables ---- */

/* The head whose column the condition names: the longest name that it begins with, since a name
 * may hold the sign. */
static size_t find_head(const sbl_facts *facts, const char *text, size_t length)
{
    size_t found = SBL_NO_HEAD;
    size_t longest = 0;
    for (size_t h = 0; h < facts->heads.count; h++) {
        const char *name = facts->schema->columns[facts->heads.items[h].column].name;
        const size_t size = strlen(name);
        if (facts->heads.items[h].indicator || size >= length || text[size] != '=' ||
            strncmp(text, name, size) != 0 || (found != SBL_NO_HEAD && size <= longest))
            continue;
        found = h;
        longest = size;
    }
    return found;
}

static bool is_among(const sbl_strings *texts, const char *value)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strcmp(texts->items[i], value) == 0) return true;
    return false;
}

static bool read_number(double *number, const sbl_column *column, const char *value)
{
    int64_t whole = 0;
    if (column->kind == SBL_COLUMN_NUMBER) return sbl_text_to_double(number, value);
    const bool good = column->kind == SBL_COLUMN_DATE
                          ? sbl_date_parse(&whole, value, strlen(value))
                          : sbl_datetime_parse(&whole, NULL, value, strlen(value));
    *number = (double)whole;
    return good;
}

static sbl_status read_value(sbl_fixed *fixed, const sbl_column *column, const char *value,
                             sbl_error *err)
{
    double number = 0.0;
    if (column->missing_allowed && (value[0] == '\0' || is_among(&column->missing_values, value))) {
        fixed->missing = true;
        fixed->code = (uint32_t)column->categories.count;
        return SBL_OK;
    }
    if (column->kind == SBL_COLUMN_CATEGORY) {
        for (size_t i = 0; i < column->categories.count; i++)
            if (strcmp(value, column->categories.items[i]) == 0) {
                fixed->code = (uint32_t)i;
                return SBL_OK;
            }
        REFUSE("what was asked for is no category of '%s'", column->name);
    }
    if (!read_number(&number, column, value))
        REFUSE("what was asked for is no value of '%s'", column->name);
    if (!(number >= column->minimum && number <= column->maximum))
        REFUSE("what was asked for is outside the bounds of '%s'", column->name);
    fixed->unit = sbl_column_to_unit(column, sbl_column_snap(column, number));
    return SBL_OK;
}

static sbl_status read_condition(sbl_where *where, const sbl_facts *facts, char *text,
                                 sbl_error *err)
{
    const size_t head = find_head(facts, text, strlen(text));
    if (head == SBL_NO_HEAD)
        REFUSE("rows are drawn by the columns of the model: 'COLUMN=VALUE' names none of them");
    const sbl_column *column = &facts->schema->columns[facts->heads.items[head].column];
    for (size_t i = 0; i < where->count; i++)
        if (where->fixed[i].head == head) REFUSE("'%s' is asked for twice", column->name);
    sbl_fixed *fixed = &where->fixed[where->count];
    *fixed = (sbl_fixed){.head = head};
    const sbl_status status = read_value(fixed, column, text + strlen(column->name) + 1, err);
    if (status == SBL_OK) where->count++;
    return status;
}

static sbl_status where_of_table(sbl_where *where, char *text, const sbl_facts *facts,
                                 sbl_error *err)
{
    size_t lines = 1;
    for (const char *c = text; *c != '\0'; c++) lines += *c == '\n';
    where->fixed = sbl_alloc_array(lines, sizeof *where->fixed);
    if (where->fixed == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for conditions");
    for (char *line = text; line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL) *end++ = '\0';
        const sbl_status status = read_condition(where, facts, line, err);
        if (status != SBL_OK) return status;
        line = end;
    }
    return SBL_OK;
}

/* Rows that break a constraint are mended after they were drawn, and one class is what mending leaves
 * alone. */
static sbl_status beside_rules(sbl_where *where, const sbl_facts *facts, sbl_error *err)
{
    const sbl_heads *heads = &facts->heads;
    if (where->count != 1 || where->fixed[0].head != heads->label || where->fixed[0].missing)
        REFUSE("beside the constraints of the schema rows can be drawn by the label only");
    where->kept = where->fixed[0].code;
    return SBL_OK;
}

/* A kind of model that draws by class alone. */
static sbl_status as_class(sbl_where *where, const sbl_facts *facts, sbl_error *err)
{
    const sbl_heads *heads = &facts->heads;
    if (facts->label_column == SBL_NO_HEAD || heads->label == SBL_NO_HEAD)
        REFUSE("one class can be drawn from a model with a classification label only");
    if (where->count != 1 || where->fixed[0].head != heads->label || where->fixed[0].missing)
        REFUSE("rows of such a model can be drawn by the label only: '%s=VALUE'",
               facts->schema->columns[heads->items[heads->label].column].name);
    where->wanted = where->kept = where->fixed[0].code;
    where->count = 0;
    return SBL_OK;
}

sbl_status sbl_where_read(sbl_where *where, const char *text, const sbl_model *model,
                          sbl_error *err)
{
    const sbl_facts *facts = &model->facts;
    sbl_status status = SBL_OK;
    *where = (sbl_where){.wanted = SBL_ANY_CLASS, .kept = SBL_ANY_CLASS};
    if (text == NULL) return SBL_OK;
    if (facts->kind != SBL_DATA_TABLE)
        return where_of_images(&where->wanted, text, &facts->images, err);
    char *copy = sbl_alloc_array(strlen(text) + 1, 1);
    if (copy == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for conditions");
    memcpy(copy, text, strlen(text) + 1);
    SBL_TRY(where_of_table(where, copy, facts, err));
    if (facts->rules != NULL) SBL_TRY(beside_rules(where, facts, err));
    if (!model->kind->fixes) SBL_TRY(as_class(where, facts, err));
done:
    sbl_free(copy);
    if (status != SBL_OK) sbl_where_clear(where);
    return status;
}
