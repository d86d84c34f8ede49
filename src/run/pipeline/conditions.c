/* SPDX-License-Identifier: Apache-2.0 */
/* A line is first tried as COLUMN=VALUE, with the longest column name that fits, then as a
 * constraint. What the kind of model can fix is fixed, one class can be asked of every kind,
 * and the rest is met by rejection. */
#include "run/pipeline/conditions.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "public/schema/moment.h"
#include "public/schema/spikes.h"

#define REFUSE(...) return sbl_fail_hint(err, SBL_EARG, SBL_HINT_WHERE, NULL, __VA_ARGS__)
#define LISTED 12 /* classes or categories that a message names */

void sbl_conditions_clear(sbl_conditions *asked)
{
    for (size_t i = 0; i < asked->count; i++) sbl_row_condition_free(asked->items[i].on_row);
    sbl_free(asked->fixed);
    sbl_free(asked->items);
    *asked = (sbl_conditions){.wanted = SBL_ANY_CLASS, .kept = SBL_ANY_CLASS};
}

/* "a, b, c and 4 more": names that are public. */
static void list_names(char *list, size_t size, const char *const *names, size_t count)
{
    size_t used = 0;
    size_t i = 0;
    list[0] = '\0';
    for (; i < count && i < LISTED && used + 60 < size; i++) {
        sbl_text name = {0};
        sbl_text_printf(&name, "%s%.40s", i > 0 ? ", " : "", names[i]);
        if (name.failed) break;
        memcpy(list + used, name.data, name.length + 1);
        used += name.length;
        sbl_text_clear(&name);
    }
    if (i == count) return;
    sbl_text more = {0};
    sbl_text_printf(&more, " and %zu more", count - i);
    if (!more.failed && used + more.length < size) memcpy(list + used, more.data, more.length + 1);
    sbl_text_clear(&more);
}

/* ---- images ---- */

static sbl_status read_class(size_t *wanted, const char *text, const sbl_image_facts *facts, sbl_error *err)
{
    static const char label[] = "label=";
    char list[512];
    if (facts->classes == 0) REFUSE("one class can be drawn of a model of labelled images only");
    if (strchr(text, '\n') != NULL) REFUSE("of images one class is drawn: say it once");
    if (strncmp(text, label, sizeof label - 1) == 0) text += sizeof label - 1;
    if (sbl_image_facts_class(wanted, facts, text)) return SBL_OK;
    if (facts->names == NULL)
        REFUSE("a class is drawn by its number, 0 to %zu: 'label=CLASS'", facts->classes - 1);
    list_names(list, sizeof list, (const char *const *)facts->names, facts->classes);
    REFUSE("a class is drawn by its name, 'label=CLASS', one of: %s", list);
}

/* ---- tables: what was asked for ---- */

/* Does a sign or word stand here that follows the name of a column? */
static bool at_comparison(const char *text)
{
    while (*text == ' ') text++;
    return (*text != '\0' && strchr("=<>!", *text) != NULL) || strncmp(text, "in ", 3) == 0 ||
           strncmp(text, "in(", 3) == 0 || strncmp(text, "is ", 3) == 0;
}

/* The column that the condition begins with: of the longest name, since a name may hold signs. */
static size_t find_column(const sbl_schema *schema, const char *text)
{
    size_t found = SBL_NO_COLUMN;
    size_t longest = 0;
    for (size_t i = 0; i < schema->column_count; i++) {
        const size_t size = strlen(schema->columns[i].name);
        if (strncmp(text, schema->columns[i].name, size) != 0 || !at_comparison(text + size) ||
            (found != SBL_NO_COLUMN && size <= longest))
            continue;
        found = i;
        longest = size;
    }
    return found;
}

/* A number, or a moment as the table writes it or as ISO 8601 does. */
static bool read_number(double *number, const sbl_column *column, const char *value)
{
    if (!sbl_column_is_moment(column)) return sbl_text_to_double(number, value);
    return sbl_moment_read_any(number, NULL, column, value, strlen(value));
}

static sbl_status read_category(sbl_condition *condition, const sbl_column *column, const char *value,
                                sbl_error *err)
{
    char list[512];
    for (size_t i = 0; i < column->categories.count; i++)
        if (strcmp(value, column->categories.items[i]) == 0) {
            condition->code = (uint32_t)i;
            return SBL_OK;
        }
    list_names(list, sizeof list, (const char *const *)column->categories.items, column->categories.count);
    return sbl_fail(err, SBL_EINPUT, "the requested value is not a category of '%s', which has: %s",
                    column->name, list);
}

/* SBL_EINPUT: what stands there is no value of the column, and may be something else. */
static sbl_status read_value(sbl_condition *condition, const sbl_column *column, const char *value,
                             sbl_error *err)
{
    double number = 0.0;
    if (column->missing_allowed &&
        (value[0] == '\0' || sbl_strings_contain(&column->missing_values, value))) {
        condition->missing = true;
        condition->code = sbl_column_missing_code(column);
        return SBL_OK;
    }
    if (column->kind == SBL_COLUMN_CATEGORY) return read_category(condition, column, value, err);
    if (!read_number(&number, column, value))
        return sbl_fail(err, SBL_EINPUT, "the requested value is not in the domain of '%s'", column->name);
    if (!(number >= column->minimum && number <= column->maximum) &&
        sbl_spikes_sentinel(column, number) == SBL_NO_SPIKE)
        REFUSE("what was asked for is outside the bounds of '%s'", column->name);
    condition->value = sbl_column_snap(column, number);
    return SBL_OK;
}

static sbl_status add_cell(sbl_conditions *asked, const sbl_condition *cell, const sbl_column *column,
                           sbl_error *err)
{
    for (size_t i = 0; i < asked->count && !asked->persons; i++)
        if (asked->items[i].on_row == NULL && asked->items[i].column == cell->column)
            REFUSE("'%s' is asked for twice", column->name);
    asked->items[asked->count++] = *cell;
    return SBL_OK;
}

/* A condition in the language of constraints. The column that it begins with needs no quotes. */
static sbl_status read_rule(sbl_conditions *asked, const sbl_schema *schema, size_t place, const char *text,
                            sbl_error *err)
{
    sbl_row_condition *made = NULL;
    sbl_text quoted = {0};
    sbl_status status = SBL_OK;
    if (place != SBL_NO_COLUMN) {
        const char *name = schema->columns[place].name;
        const char quote = strchr(name, '"') == NULL ? '"' : '`';
        sbl_text_printf(&quoted, "%c%s%c%s", quote, name, quote, text + strlen(name));
    } else {
        sbl_text_printf(&quoted, "%s", text);
    }
    SBL_TRY(sbl_text_check(&quoted, "conditions", err));
    SBL_TRY(sbl_row_condition_new(&made, quoted.data, schema, err));
    asked->items[asked->count++] = (sbl_condition){.on_row = made};
done:
    sbl_text_clear(&quoted);
    return status;
}

/* "COLUMN=VALUE" where that reads as a value of the column, else a condition; if it is neither, the
 * message is of what it looks like. */
static sbl_status read_condition(sbl_conditions *asked, const sbl_schema *schema, const char *text,
                                 sbl_error *err)
{
    const size_t place = find_column(schema, text);
    const sbl_column *column = place != SBL_NO_COLUMN ? &schema->columns[place] : NULL;
    const char *rest = column != NULL ? text + strlen(column->name) : NULL;
    sbl_condition cell = {.column = place};
    sbl_error other = {.status = SBL_OK};
    sbl_status status = SBL_EINPUT;
    if (column != NULL && column->kind == SBL_COLUMN_IGNORED)
        REFUSE("'%s' is left out or made up, and no row can be drawn by it", column->name);
    const bool equals = rest != NULL && *rest == '=';
    if (equals) status = read_value(&cell, column, rest + 1, &other);
    if (status == SBL_OK) return add_cell(asked, &cell, column, err);
    if (status == SBL_EINPUT) status = read_rule(asked, schema, place, text, equals ? NULL : &other);
    if (status == SBL_OK) return SBL_OK;
    if (status == SBL_EMEM) return sbl_no_memory(err, "conditions");
    REFUSE("%s", other.message);
}

static sbl_status read_conditions(sbl_conditions *asked, char *text, const sbl_schema *schema, sbl_error *err)
{
    size_t lines = 1;
    sbl_status status = SBL_OK;
    for (const char *c = text; *c != '\0'; c++) lines += *c == '\n';
    SBL_ALLOC(asked->fixed, lines, "conditions");
    SBL_ALLOC(asked->items, lines, "conditions");
    for (char *line = text; line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL) *end++ = '\0';
        SBL_TRY(read_condition(asked, schema, line, err));
        line = end;
    }
done:
    return status;
}

/* ---- tables: how it is met ---- */

/* The head of a column that is fitted as it is written; SBL_NO_HEAD: it is computed from others, a
 * difference from another (public/plan/facts.h), or no column of the fit at all. */
static size_t head_of(const sbl_facts *facts, size_t column)
{
    if (!sbl_facts_fit_column(facts, column)) return SBL_NO_HEAD;
    for (size_t h = 0; h < facts->heads.count; h++)
        if (facts->heads.items[h].column == column && !facts->heads.items[h].indicator) return h;
    return SBL_NO_HEAD;
}

/* Is it one class of a classification? Any kind of model can be asked for that. */
static bool is_class(const sbl_facts *facts, const sbl_condition *condition)
{
    return condition->on_row == NULL && facts->label_column != SBL_NO_HEAD &&
           facts->declared->label == condition->column && !condition->missing;
}

static void meet(sbl_conditions *asked, const sbl_facts *facts, const sbl_model *model)
{
    const bool as_fitted = facts == &model->facts;
    for (size_t i = 0; i < asked->count; i++) {
        const sbl_condition *condition = &asked->items[i];
        const bool a_cell = as_fitted && condition->on_row == NULL;
        const size_t head = a_cell ? head_of(facts, condition->column) : SBL_NO_HEAD;
        if (is_class(facts, condition)) {
            asked->kept = condition->code;
            if (!model->kind->fixes) {
                asked->wanted = condition->code;
                continue;
            }
        }
        const sbl_column *column = &facts->schema->columns[condition->column];
        if (!model->kind->fixes || head == SBL_NO_HEAD || column->by_domains != NULL ||
            sbl_spikes_sentinel(column, condition->value) != SBL_NO_SPIKE) {
            asked->rejects = true;
            continue;
        }
        asked->fixed[asked->fixed_count++] =
            (sbl_fixed){.head = head,
                        .code = condition->code,
                        .unit = sbl_column_is_numeric(column) && !condition->missing
                                    ? sbl_column_to_unit(column, condition->value)
                                    : 0.0,
                        .missing = condition->missing};
    }
    /* Mending a row that breaks a constraint leaves one class alone, and nothing else. */
    if (facts->rules != NULL && (asked->count > 1 || asked->kept == SBL_ANY_CLASS)) asked->rejects = true;
}

sbl_status sbl_conditions_read_rows(sbl_conditions *asked, const char *text, const sbl_schema *schema,
                                    sbl_error *err)
{
    char *copy = NULL;
    sbl_status status = SBL_OK;
    *asked = (sbl_conditions){.wanted = SBL_ANY_CLASS, .kept = SBL_ANY_CLASS};
    if (text == NULL) return SBL_OK;
    SBL_TRY(sbl_copy_text(&copy, text, "conditions", err));
    SBL_TRY(read_conditions(asked, copy, schema, err));
done:
    sbl_free(copy);
    if (status != SBL_OK) sbl_conditions_clear(asked);
    return status;
}

sbl_status sbl_conditions_read(sbl_conditions *asked, const char *text, const sbl_model *model,
                               sbl_error *err)
{
    const sbl_facts *facts = sbl_model_output(model);
    char *copy = NULL;
    sbl_status status = SBL_OK;
    *asked =
        (sbl_conditions){.wanted = SBL_ANY_CLASS, .kept = SBL_ANY_CLASS, .persons = model->kind->whole_units};
    if (text == NULL) return SBL_OK;
    if (facts->table_facts != NULL)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_WHERE, NULL,
                             "persons of linked tables cannot be drawn by conditions: leave them out");
    if (facts->kind != SBL_DATA_TABLE) return read_class(&asked->wanted, text, &facts->images, err);
    SBL_TRY(sbl_copy_text(&copy, text, "conditions", err));
    SBL_TRY(read_conditions(asked, copy, facts->declared, err));
    if (asked->persons)
        asked->rejects = true; /* no class of a row and no cell can be asked of a person */
    else
        meet(asked, facts, model);
done:
    sbl_free(copy);
    if (status != SBL_OK) sbl_conditions_clear(asked);
    return status;
}
