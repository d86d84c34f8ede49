/* Buying the schema of a table: rounds of releases of their own, at the beginning of a run
 * (discover/discovery.h). What is bought is public once it is paid for, and the rest of the run goes
 * on from there as with a schema that was given. */
#ifndef SBL_PIPELINE_BUY_H
#define SBL_PIPELINE_BUY_H

#include "base/status.h"
#include "base/text.h"
#include "pipeline/publish.h"
#include "release/release.h"
#include "schema/schema.h"
#include "semblance/synth.h"

/* The method's name in plans and certificates. */
#define SBL_BUY_METHOD "discover"
/* The part of delta that is kept for the names of categories (privacy of keys). */
#define SBL_BUY_KEYS_PART 0.01

#define SBL_BUY_MOST_ROUNDS 4

typedef struct sbl_buy sbl_buy;

/* input: a file. in_memory: it is our copy of a table in memory, whose columns may have any names.
 * share: of the run's budget that the schema may cost, in (0, 1].
 * Reads the header, which is public, and under replace-one how many rows there are.
 * Returns: SBL_OK; SBL_EARG for a stream or a pure run; SBL_EINPUT, SBL_EIO, SBL_EMEM
 * Owner:   the caller; sbl_buy_free() */
sbl_status sbl_buy_begin(sbl_buy **buy, const char *input, bool in_memory, double share,
                         const sbl_synth_options *options, sbl_error *err);
void sbl_buy_free(sbl_buy *buy); /* NULL is fine */

/* Rounds and shares as they are planned so far, for sbl_publish_facts; borrowed. */
size_t sbl_buy_rounds(const sbl_buy *buy);
const double *sbl_buy_shares(const sbl_buy *buy);
extern const char *const sbl_buy_also_public[]; /* ends with NULL */

/* The delta of the run: as given, else by the number of rows where that is public. */
double sbl_buy_delta(const sbl_buy *buy);
/* sbl_publish_open with the plan of the first round. SBL_EBUDGET also where the noise would be too
 * large to tell anything of as many rows as there are. */
sbl_status sbl_buy_open(sbl_publish **publish, sbl_buy *buy, const sbl_publish_facts *facts,
                        sbl_error *err);

/* Releases of a stopped run, in order, of which the first are of its schema: their number. */
sbl_status sbl_buy_count(size_t *count, sbl_release *const *releases, size_t release_count,
                         const char *where, sbl_error *err);
/* Draw the conclusions of those that are there (borrowed), which must be of the plans that would be
 * made now. where is for messages. */
sbl_status sbl_buy_replay(sbl_buy *buy, const sbl_release *const *releases, size_t count,
                          const char *where, sbl_error *err);

/* Is everything bought? */
bool sbl_buy_is_done(const sbl_buy *buy);

/* The rounds that are left. Releases stay with buy, which must outlive publish. */
sbl_status sbl_buy_run(sbl_buy *buy, sbl_publish *publish, sbl_error *err);

/* The schema and its file's text, which says what was bought in which release; remarks (may be NULL)
 * grows by lines for people. sbl_free, sbl_schema_free. */
sbl_status sbl_buy_finish(char **text, sbl_schema **schema, sbl_text *remarks, const sbl_buy *buy,
                          const char *release_path, sbl_error *err);

/* `semblance schema suggest`: a run that is nothing else. output: the schema's file.
 * resume: go on with one that was stopped. statement: may be NULL. */
sbl_status sbl_buy_schema(char **statement, const char *input, const char *output, bool resume,
                          const sbl_synth_options *options, sbl_error *err);

#endif
