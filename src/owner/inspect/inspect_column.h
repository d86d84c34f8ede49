/* SPDX-License-Identifier: Apache-2.0 */
/* What one column of a table without a schema seems to hold. NOT PRIVATE. */
#ifndef SBL_INSPECT_INSPECT_COLUMN_H
#define SBL_INSPECT_INSPECT_COLUMN_H

#include "base/error.h"
#include "base/text.h"
#include "public/schema/calendar.h"
#include "public/schema/dialect.h"
#include "public/schema/schema_writer.h"
#include "records/rows/table.h"

#define SBL_INSPECT_STYLES 10   /* ways to write a number */
#define SBL_INSPECT_VALUES 1000 /* different values that are kept */
#define SBL_INSPECT_SLOTS (2 * SBL_INSPECT_VALUES)
#define SBL_INSPECT_CLOCKS 4  /* ways to write a datetime of ISO 8601 */
#define SBL_INSPECT_WAYS 36   /* ways to write a date, a datetime or a time of day (inspect_moments.c) */
#define SBL_INSPECT_TIMES 4   /* of them, the last ones: times of day */
#define SBL_INSPECT_MASKS 32  /* different sets of ways that read a cell */
#define SBL_INSPECT_FORMATS 4 /* of one column */
#define SBL_INSPECT_SHAPE 48  /* bytes of the shape of an id */
#define SBL_INSPECT_MARKS 8   /* spellings of "no value", beside the empty cell */
#define SBL_INSPECT_WORDS 4   /* different texts among numbers or dates that may mean "no value" */

/* The epsilon of a person with this number of rows, if a row has epsilon 1 (delta 1e-6). */
typedef double (*sbl_inspect_epsilon)(uint64_t rows);

typedef struct sbl_inspect_value {
    char *text;
    uint64_t count;
} sbl_inspect_value;

/* Numbers or moments of one way of writing. */
typedef struct sbl_inspect_range {
    uint64_t count;
    double low, high;
} sbl_inspect_range;

/* What stands before and after numbers: the pair that most cells have, if more than half do (majority vote of
 * Boyer and Moore 1991). */
typedef struct sbl_inspect_affixes {
    char prefix[SBL_AFFIX_MOST + 1], suffix[SBL_AFFIX_MOST + 1];
    uint64_t votes;
} sbl_inspect_affixes;

/* What a column seems to be. */
typedef enum sbl_inspect_kind {
    SBL_INSPECT_NOTHING, /* no cell holds a value */
    SBL_INSPECT_MOMENTS, /* dates, datetimes or times of day, in `formats` */
    SBL_INSPECT_NUMBERS, /* of style `way` */
    SBL_INSPECT_CODES,   /* whole numbers of 16 digits and more: of cards and accounts */
    SBL_INSPECT_CATEGORIES,
    SBL_INSPECT_TEXTS /* many different ones: names, ids, remarks */
} sbl_inspect_kind;

/* Cells that the same ways read, a bit for each. */
typedef struct sbl_inspect_mask {
    uint64_t ways;
    uint64_t count;
} sbl_inspect_mask;

typedef struct sbl_inspect_column {
    char *name;
    const sbl_column *styles; /* (SBL_INSPECT_STYLES), borrowed: how numbers may be written */
    bool unnamed;             /* the header has no name for it */
    uint64_t cells, missing;
    uint64_t zero_led;             /* whole numbers with a leading zero, or like 12E4: codes */
    char unit[SBL_AFFIX_MOST + 1]; /* the first that follows a number: " kg" */
    sbl_inspect_range numbers[SBL_INSPECT_STYLES];
    uint64_t wholes[SBL_INSPECT_STYLES];
    int decimals[SBL_INSPECT_STYLES]; /* most that were seen */
    bool grouped[SBL_INSPECT_STYLES]; /* a mark between thousands was seen */
    sbl_inspect_affixes affixes[SBL_INSPECT_STYLES];
    /* Without codes for a missing answer (999): */
    sbl_inspect_range answers[SBL_INSPECT_STYLES];
    double steps[SBL_INSPECT_STYLES]; /* their greatest common divisor, in units of 10^-4; NaN: none */
    sbl_inspect_range moments[SBL_INSPECT_WAYS];
    sbl_inspect_range dated[SBL_INSPECT_WAYS]; /* without days that people write where there is no date */
    uint64_t placeholders;                     /* cells with such a day */
    sbl_inspect_mask masks[SBL_INSPECT_MASKS];
    size_t mask_count;
    uint64_t clocks[SBL_INSPECT_CLOCKS]; /* of ISO 8601: by how they are written */
    /* Of moments, by sbl_inspect_moments_decide(): the ways that they are written in, the most frequent one first, how
     * many cells each of them adds, and all of them. */
    int formats[SBL_INSPECT_FORMATS];
    uint64_t format_cells[SBL_INSPECT_FORMATS];
    size_t format_count;
    uint64_t moment_cells;
    sbl_inspect_range span;    /* of them, in seconds, without placeholders (inspect_placeholders.c) */
    sbl_inspect_value *values; /* hashed by text; (SBL_INSPECT_SLOTS) */
    size_t value_count;
    sbl_inspect_value marks[SBL_INSPECT_MARKS]; /* what stands for a missing value */
    size_t mark_count;
    uint64_t read;     /* cells that some style of numbers reads */
    uint64_t infinite; /* cells that are an infinity, which no style reads here */
    uint64_t texts;    /* all other cells that are neither a number nor a date or time in any known format */
    uint64_t first_text;                        /* which row has the first of them, from 1 */
    sbl_inspect_value words[SBL_INSPECT_WORDS]; /* the first different ones of them */
    size_t word_count;
    bool more_words;               /* than these */
    char shape[SBL_INSPECT_SHAPE]; /* of every value, with # for digits; "": they differ, or none was seen */
    bool shapes_differ;
    uint64_t uuids;        /* values that are one */
    uint64_t wordy;        /* values without a digit */
    bool many;             /* more than SBL_INSPECT_VALUES */
    bool failed;           /* out of memory */
    sbl_inspect_kind kind; /* by sbl_inspect_column_decide() */
    int way;
} sbl_inspect_column;

/* ---- taking cells (inspect_cells.c) ---- */

/* The ways of writing a number that are tried; what was given holds in all of them. */
void sbl_inspect_styles(sbl_column styles[SBL_INSPECT_STYLES], const sbl_data_options *given);
bool sbl_inspect_column_init(sbl_inspect_column *column, const char *name, size_t length,
                             const sbl_column *styles);
void sbl_inspect_column_clear(sbl_inspect_column *column);
void sbl_inspect_column_take(sbl_inspect_column *column, const char *text, size_t length);
/* A value is seen `times` more times. */
void sbl_inspect_column_count(sbl_inspect_column *column, const char *text, size_t length, uint64_t times);

void sbl_inspect_widen(sbl_inspect_range *range, double value);
/* Is it a number that is written so, one of a column's styles, and which? */
bool sbl_inspect_number(double *value, const sbl_column *style, const char *text);

/* Is it a number that people write for "no answer": -1, -9, -99, 77, 88, 97, 98, 99, 777, 999, -999.9, ...? */
bool sbl_inspect_is_code(double value);
/* The greatest common divisor of a number of units of 10^-4 and a value; NaN: there is none. */
double sbl_inspect_common_step(double units, double value);

/* ---- what it seems to be (inspect_decide.c) ---- */

/* Of all rows, which may have fewer cells. comma: the table's cells are separated by commas. */
void sbl_inspect_column_decide(sbl_inspect_column *column, uint64_t rows, bool comma);
/* Is it described, and not just ignored? */
bool sbl_inspect_column_is_used(const sbl_inspect_column *column);
/* Cells that hold something else than what the column seems to be. */
uint64_t sbl_inspect_column_others(const sbl_inspect_column *column);
/* Has the column so few different texts that they are categories? */
bool sbl_inspect_column_has_few(const sbl_inspect_column *column);

/* Of numbers: are they all whole? And could they be a running number, of which no two are the same? */
bool sbl_inspect_column_is_whole(const sbl_inspect_column *column);
bool sbl_inspect_column_may_all_differ(const sbl_inspect_column *column);

/* Add what was decided to the schema, and to notes a line where the owner should look. A column that no schema can
 * hold is ignored. */
sbl_status sbl_inspect_column_write(const sbl_inspect_column *column, sbl_schema_writer *writer,
                                    sbl_text *notes, sbl_error *err);

/* The same of one column that is described, and a line for the owner. */
sbl_status sbl_inspect_column_add(const sbl_inspect_column *column, sbl_writer_column *made,
                                  sbl_schema_writer *writer, sbl_text *notes, sbl_error *err);
void sbl_inspect_note(sbl_text *notes, const sbl_inspect_column *column, const char *words);

/* ---- dates, datetimes and times of day, in one format or several (inspect_moments.c) ---- */

/* Is the cell one of them? */
bool sbl_inspect_moment_take(sbl_inspect_column *column, const char *text, size_t length);
/* Does the column hold them? Sets its formats. */
bool sbl_inspect_moments_decide(sbl_inspect_column *column);
sbl_status sbl_inspect_moments_write(const sbl_inspect_column *column, sbl_schema_writer *writer,
                                     sbl_text *notes, sbl_error *err);

/* In which of its formats a column that holds them reads a text, and the seconds; false: in none. */
bool sbl_inspect_moment_read(int64_t *at, size_t *format, const sbl_inspect_column *column, const char *text);

/* ---- days that mean "no date": 9999-12-31, 1900-01-01 (inspect_placeholders.c) ---- */

bool sbl_inspect_is_placeholder(int64_t seconds);
/* Of a column of dates or datetimes: such days become marks for missing values where they lie far from all other
 * dates and are far more frequent. Sets its span. */
void sbl_inspect_placeholders_take(sbl_inspect_column *column);

/* ---- what people write where there is no value: "NA", "n/a", "none", "-", in any case (inspect_marks.c) ---- */

typedef enum sbl_inspect_mark {
    SBL_MARK_NOT,
    SBL_MARK_SURE,    /* no column has it as a value */
    SBL_MARK_LETTERS, /* NA: among texts that are spelled like it a value, a country or a test */
    SBL_MARK_SIGN,    /* "-": a value where "+" is one */
    SBL_MARK_WORD     /* among numbers and dates no value, among categories one: none, mild, severe */
} sbl_inspect_mark;

sbl_inspect_mark sbl_inspect_mark_of(const char *text, size_t length);

/* Is a text one of a list, in any case? */
bool sbl_inspect_is_among(const char *const *list, size_t count, const char *text, size_t length);

/* Where the values are texts, a mark may be a value like them. */
void sbl_inspect_marks_to_values(sbl_inspect_column *column);

/* Could all cells but `numbers` hold nothing but a text, or a few, that mean "missing"? What the column would be
 * without them: at least half of its cells, and more than a few values. */
bool sbl_inspect_words_are_marks(const sbl_inspect_column *column, uint64_t numbers);

/* The column's own missing values, where an empty cell is not all: the one that is written comes first. Texts are
 * borrowed; count 0: an empty cell is all. */
#define SBL_INSPECT_OWN_MARKS (SBL_INSPECT_MARKS + SBL_INSPECT_WORDS + 1)
void sbl_inspect_marks_list(const char *own[SBL_INSPECT_OWN_MARKS], size_t *count,
                            const sbl_inspect_column *column);

/* A line for the owner about every mark, and about cells that are not what the column is. */
void sbl_inspect_marks_note(const sbl_inspect_column *column, sbl_text *notes);

/* ---- how its numbers lie: values that many rows share, and whether they crowd at the lower end (inspect_shape.c) ---- */

typedef struct sbl_inspect_shape {
    double spikes[SBL_MOST_SPIKES]; /* each held by more than a tenth of the rows, or a sentinel */
    size_t spike_count;
    size_t sentinels; /* of them: codes for a missing answer far outside of all else; the last ones */
    double low, high; /* of all values but for sentinels */
    double step;      /* of which these are whole multiples; 0: none that says anything */
    bool skewed;      /* the others crowd at the lower end of the bounds, with a long tail above */
} sbl_inspect_shape;

/* Of numbers, in the way in which the column is written. Looks at the first SBL_INSPECT_VALUES different
 * values; spikes and skewness are not found among fewer than 20, codes not among fewer than 5.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_inspect_shape_of(sbl_inspect_shape *shape, const sbl_inspect_column *column, sbl_error *err);

/* Propose the spikes and the step of a column, where it has any. */
sbl_status sbl_inspect_shape_propose(sbl_schema_writer *writer, const sbl_inspect_column *column,
                                     const sbl_inspect_shape *shape, sbl_error *err);

/* ---- columns that name people or things: ids of rows, and one whose values repeat and that may say whose row it is
 * (inspect_ids.c) ---- */

/* The table whose columns they are. */
typedef struct sbl_inspect_place {
    const sbl_table *table;
    const sbl_dialect *dialect;
    uint64_t rows;
    sbl_inspect_epsilon epsilon_of; /* may be NULL */
    const char *person;             /* the name of the unit; "": there is none; NULL: it is looked for */
} sbl_inspect_place;

/* Propose one column as the unit and others as ids, and note each other one whose values may be persons. Reads the
 * table once.
 * In:  columns  (count), decided
 * Out: named    (count): true where a proposal makes it an id
 *      unit     which is the unit; count: none */
sbl_status sbl_inspect_ids_propose(sbl_schema_writer *writer, const sbl_inspect_column *columns, size_t count,
                                   const sbl_inspect_place *place, bool *named, size_t *unit, sbl_text *notes,
                                   sbl_error *err);

/* ---- names of people (inspect_names.c) ---- */

/* Propose made-up names for columns that hold names. named: (count), as above. */
sbl_status sbl_inspect_names_propose(sbl_schema_writer *writer, const sbl_inspect_column *columns,
                                     size_t count, bool *named, sbl_error *err);

/* ---- codes with prefixes in common (inspect_hierarchy.c) ---- */

/* Propose a hierarchy for columns of many codes that few prefixes group. named: (count), as above. */
sbl_status sbl_inspect_hierarchy_propose(sbl_schema_writer *writer, const sbl_inspect_column *columns,
                                         size_t count, const bool *named, sbl_error *err);

/* ---- what is a person's, of a table whose rows are persons' (inspect_persons.c) ---- */

/* Reads the table with the schema that was found, and proposes which columns are constant within a person and
 * which rise or fall from row to row. Notes the share of a date that does neither. In a large table it looks at some persons only.
 * In: schema   whose unit is set
 *     named    (columns of the schema): proposed as ids, which have no values then
 *     orders   (columns of the schema): may be the order of rows, as far as its values go
 *     rows     of the table */
sbl_status sbl_inspect_persons_propose(sbl_schema_writer *writer, sbl_text *notes, const sbl_table *table,
                                       const sbl_schema *schema, const bool *named, const bool *orders,
                                       uint64_t rows, sbl_error *err);

/* Propose a change to the schema. Takes the words and the rest of it, of which NULL is out of memory. */
sbl_status sbl_inspect_propose(sbl_schema_writer *writer, const char *kind, sbl_text *words, json_t *rest,
                               sbl_error *err);

/* ---- bounds of a number by a category of its row (inspect_by.c); named: as below ---- */

sbl_status sbl_inspect_by_propose(sbl_schema_writer *writer, const sbl_table *table, const sbl_schema *schema,
                                  const bool *named, sbl_error *err);

/* ---- constraints that nearly every row keeps (inspect_rules.c, rule_search.h) ---- */

/* Read the table with the schema that was found, and propose what holds.
 * In: named  (columns of the schema): true where a column is proposed as an id, and has no values then */
sbl_status sbl_inspect_rules_propose(sbl_schema_writer *writer, const sbl_table *table,
                                     const sbl_schema *schema, const bool *named, sbl_error *err);

#endif
