/* A table as a source: a CSV file or an Arrow table, read, typed and encoded by its public bounds. */
#include <string.h>

#include "base/memory.h"
#include "base/os_random.h"
#include "base/siphash.h"
#include "codec/codec.h"
#include "rules/rules.h"
#include "source/row_feed.h"
#include "source/source.h"
#include "table/diagnose.h"
#include "table/reader.h"

#define BATCH_ROWS 8192

typedef struct table_source {
    sbl_codec codec;
    sbl_table_options options;
    uint8_t *unit_key; /* of the hashes that say whose row it is; NULL: a row is a person */
    const sbl_row_feed *feed;
    sbl_arrow_origin arrow; /* of an Arrow feed */
    void *reader;           /* the feed's own */
    sbl_batch *rows;
    double *numeric;
    uint32_t *codes;
    uint32_t *labels; /* NULL: one class */
    uint8_t *misfits;
    struct stat seen; /* of the file when it was opened first */
    size_t passes;    /* begun */
    uint64_t read;    /* rows of this pass */
    uint64_t counted; /* of the first pass that came to its end */
    bool was_counted;
} table_source;

/* ---- a CSV file as a feed ---- */

static sbl_status open_csv(void **state, const void *origin, const char *name,
                           const sbl_schema *schema, const sbl_table_options *options,
                           sbl_error *err)
{
    sbl_table_reader *reader;
    (void)origin;
    const sbl_status status = sbl_table_open(&reader, name, schema, options, err);
    *state = reader;
    return status;
}

static sbl_status read_csv(void *state, sbl_batch *batch, sbl_error *err)
{
    return sbl_table_read(state, batch, err);
}

static void close_csv(void *state) { sbl_table_close(state); }

static const sbl_row_feed csv_feed = {open_csv, read_csv, close_csv};

/* ---- rows of any feed ---- */

static sbl_status has_changed(const sbl_source *source, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s changed after it was read first", source->name);
}

/* Of a file the looks count, of streams the number of rows. */
static bool is_unchanged(const sbl_source *source)
{
    const table_source *table = source->state;
    return table->feed == &csv_feed ? sbl_source_unchanged(source->name, &table->seen)
                                    : !table->was_counted || table->read == table->counted;
}

static void count_rows(table_source *table)
{
    table->read += table->rows->rows;
    if (table->rows->rows != 0 || table->was_counted) return;
    table->counted = table->read;
    table->was_counted = true;
}

/* Which cells did not fit, of the columns that are fitted. */
static void find_misfits(table_source *table, const sbl_facts *facts)
{
    const sbl_schema *schema = facts->schema;
    uint8_t *misfit = table->misfits;
    for (size_t r = 0; r < table->rows->rows; r++) {
        const uint8_t *faults = sbl_batch_faults(table->rows, r);
        for (size_t i = 0; i < schema->column_count; i++)
            if (schema->columns[i].kind != SBL_COLUMN_IGNORED)
                *misfit++ =
                    sbl_cell_is_misfit(&facts->declared->columns[i], (sbl_cell_fault)faults[i]);
    }
}

/* A column that is fitted as its difference from another becomes that. Of this record's own cells
 * alone, whatever the record before it was; what leaves the difference's bounds is clamped. */
static void take_differences(sbl_batch *batch, const sbl_rules *rules)
{
    for (size_t i = 0; i < sbl_rules_differences(rules); i++) {
        const sbl_difference d = sbl_rules_difference(rules, i);
        double *values = batch->columns[d.column].values;
        const double *base = batch->columns[d.base].values;
        for (size_t row = 0; row < batch->rows; row++)
            values[row] = d.sign * (values[row] - base[row]);
    }
}

static sbl_status read_rows(sbl_source *source, sbl_error *err)
{
    table_source *table = source->state;
    const size_t columns = table->codec.heads.categorical_count;
    const sbl_status status = table->feed->read(table->reader, table->rows, err);
    if (status != SBL_OK) return status;
    /* A table that is read again must have been the same to its end. */
    if (table->rows->rows == 0 && table->passes > 1 && !is_unchanged(source))
        return has_changed(source, err);
    count_rows(table);
    take_differences(table->rows, source->facts->rules);
    sbl_codec_encode(&table->codec, table->numeric, table->codes, table->rows);
    for (size_t r = 0; table->labels != NULL && r < table->rows->rows; r++)
        table->labels[r] = table->codes[r * columns + source->facts->label_column];
    find_misfits(table, source->facts);
    source->batch = (sbl_records){.numeric = table->numeric,
                                  .codes = table->codes,
                                  .labels = table->labels,
                                  .units = table->rows->units,
                                  .misfits = table->misfits,
                                  .rows = table->rows->rows};
    return SBL_OK;
}

static sbl_status open_reader(sbl_source *source, sbl_error *err)
{
    table_source *table = source->state;
    table->passes++;
    table->read = 0;
    return table->feed->open(&table->reader, &table->arrow, source->name, source->facts->declared,
                             &table->options, err);
}

static sbl_status rewind_table(sbl_source *source, sbl_error *err)
{
    table_source *table = source->state;
    if (!source->can_rewind)
        return sbl_fail(err, SBL_EARG,
                        "%s is a stream and cannot be read again: give a file, or a plan of one "
                        "round",
                        source->name);
    if (table->feed == &csv_feed && !is_unchanged(source)) return has_changed(source, err);
    table->feed->close(table->reader);
    table->reader = NULL;
    table->options.extra_column = NULL; /* told once */
    return open_reader(source, err);
}

static void close_table(sbl_source *source)
{
    table_source *table = source->state;
    if (table == NULL) return;
    const sbl_heads *heads = &table->codec.heads;
    table->feed->close(table->reader);
    sbl_batch_free(table->rows);
    sbl_free_wiped(table->numeric, heads->numeric_count * BATCH_ROWS * sizeof *table->numeric);
    sbl_free_wiped(table->codes, heads->categorical_count * BATCH_ROWS * sizeof *table->codes);
    sbl_free_wiped(table->labels, BATCH_ROWS * sizeof *table->labels);
    sbl_locked_free(table->unit_key, SBL_SIPHASH_KEY_SIZE, 1);
    sbl_free_wiped(table->misfits, source->facts->columns * BATCH_ROWS);
    sbl_codec_clear(&table->codec);
    sbl_free(table);
}

/* A key of this reading alone, from getrandom(2): nobody else can tell whose hash is whose. */
static sbl_status make_unit_key(table_source *table, const sbl_facts *facts, sbl_error *err)
{
    if (sbl_facts_rows_per_unit(facts) == 0) return SBL_OK;
    table->unit_key = sbl_locked_alloc(SBL_SIPHASH_KEY_SIZE, 1);
    table->options.unit_key = table->unit_key;
    return table->unit_key != NULL ? sbl_os_random(table->unit_key, SBL_SIPHASH_KEY_SIZE, err)
                                   : sbl_fail(err, SBL_EMEM, "out of memory for a key");
}

static sbl_status make_room(table_source *table, const sbl_facts *facts, sbl_error *err)
{
    const sbl_heads *heads = &facts->heads;
    const bool labelled = facts->classes > 1;
    const sbl_status status = sbl_codec_init(&table->codec, facts->schema, err);
    if (status != SBL_OK) return status;
    table->numeric = sbl_alloc_array(heads->numeric_count, BATCH_ROWS * sizeof *table->numeric);
    table->codes = sbl_alloc_array(heads->categorical_count, BATCH_ROWS * sizeof *table->codes);
    table->misfits = sbl_alloc_array(facts->columns, BATCH_ROWS);
    if (labelled) table->labels = sbl_alloc_array(BATCH_ROWS, sizeof *table->labels);
    if (table->numeric == NULL || table->codes == NULL || table->misfits == NULL ||
        (labelled && table->labels == NULL))
        return sbl_fail(err, SBL_EMEM, "out of memory for a batch of rows");
    const sbl_status made = sbl_batch_new(&table->rows, facts->declared, BATCH_ROWS, err);
    return made == SBL_OK ? sbl_batch_keep_faults(table->rows, err) : made;
}

/* path: of a file, or the name of an Arrow table. */
static sbl_status open_table(sbl_source **source, const char *path, const sbl_arrow_origin *arrow,
                             const sbl_facts *facts,
                             void (*notice)(void *context, const char *name), void *context,
                             sbl_error *err)
{
    static const sbl_source_kind kind = {read_rows, rewind_table, close_table};
    sbl_status status = sbl_source_new(source, &kind, path, facts, err);
    if (status != SBL_OK) return status;
    table_source *table = (*source)->state = sbl_alloc_array(1, sizeof *table);
    if (table == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for %.80s", path);
    table->feed = arrow != NULL ? &sbl_arrow_feed : &csv_feed;
    table->options = (sbl_table_options){.extra_column = notice, .context = context};
    if (arrow != NULL) {
        table->arrow = *arrow;
        (*source)->can_rewind = arrow->can_rewind;
        (*source)->count = arrow->count;
    } else {
        (*source)->can_rewind = sbl_source_is_stream(path) ? false : stat(path, &table->seen) == 0;
    }
    SBL_TRY(make_room(table, facts, err));
    SBL_TRY(make_unit_key(table, facts, err));
    SBL_TRY(open_reader(*source, err));
done:
    if (status != SBL_OK) {
        sbl_source_close(*source);
        *source = NULL;
    }
    return status;
}

sbl_status sbl_source_open_table(sbl_source **source, const char *path, const sbl_facts *facts,
                                 void (*notice)(void *context, const char *name), void *context,
                                 sbl_error *err)
{
    return open_table(source, path, NULL, facts, notice, context, err);
}

sbl_status sbl_source_open_arrow(sbl_source **source, const sbl_arrow_origin *origin,
                                 const sbl_facts *facts,
                                 void (*notice)(void *context, const char *name), void *context,
                                 sbl_error *err)
{
    return open_table(source, origin->name, origin, facts, notice, context, err);
}
