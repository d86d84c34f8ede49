/* SPDX-License-Identifier: Apache-2.0 */
/* The guarantee in words. Every fact that has no other check is part of the statement, so a changed field
 * makes the statement disagree with the certificate. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "door/certificate/certificate_content.h"

/* Beyond this the factor is written as a power only. */
#define LARGEST_FACTOR 100.0
#define MOST_ALWAYS 6

/* What differs between the kinds of data, by sbl_data_kind. */
#define OF_THE_SCHEMA 4 /* the first of what is always public about a table */

static const struct {
    const char *record;
    const char *records;
    const char *always_public[MOST_ALWAYS];
    size_t always;
    const char *not_covered[6]; /* NULL-terminated */
} words[] = {
    {.record = "row",
     .records = "rows",
     .always_public = {"schema", "bounds", "categories", "label set", "hyper-parameters", "public seed"},
     .always = 6,
     .not_covered = {"facts true of the population", "correlated rows beyond 1 per unit",
                     "co-resident timing", "anything computed from the raw data outside this program",
                     "a second ledger for the same data"}},
    {.record = "image",
     .records = "images",
     .always_public = {"range of the pixels (0 to 255)", "label set", "hyper-parameters", "public seed"},
     .always = 4,
     .not_covered = {"facts true of the population", "correlated images beyond 1 per unit",
                     "co-resident timing", "anything computed from the raw data outside this program",
                     "a second ledger for the same data"}},
};

/* Where persons may own several rows. */
static const char *const not_covered_of_persons[] = {
    "facts true of the population",
    "one person's rows under several ids, or without one",
    "co-resident timing",
    "anything computed from the raw data outside this program",
    "a second ledger for the same data",
    NULL};

/* The sums of one process are wiped when they are released. The sums of shards were in files, or in the
 * memory of other processes, which this process cannot erase. */
const char *const *sbl_certificate_assumes_secret(const sbl_certificate_content *content)
{
    static const char *const usual[] = {"noise key (not stored)", "partial sums (erased)", "raw data", NULL};
    static const char *const in_parts[] = {
        "noise key (not stored)",
        "partial sums (not erased by this program: parts, and the key that they are sealed with)", "raw data",
        NULL};
    for (size_t i = 0; i < content->also_public_count; i++)
        if (strcmp(content->also_public[i], SBL_ROWS_ARE_IN_PARTS) == 0 ||
            strcmp(content->also_public[i], SBL_IMAGES_ARE_IN_PARTS) == 0)
            return in_parts;
    return usual;
}

const char *const *sbl_certificate_not_covered(const sbl_certificate_content *content)
{
    return content->ledger_facts.by_person ? not_covered_of_persons : words[content->data].not_covered;
}

/* What is protected, in a word. */
static const char *unit_word(const sbl_certificate_content *content)
{
    return content->ledger_facts.by_person ? "person" : words[content->data].record;
}

/* Was a table's schema discovered by the first releases of the run? Then it is not assumed. */
static bool schema_is_discovered(const sbl_certificate_content *content)
{
    static const char method[] = "discover";
    return content->data == SBL_DATA_TABLE && content->release_count > 0 &&
           content->releases[0].name != NULL &&
           strncmp(content->releases[0].name, method, sizeof method - 1) == 0;
}

const char *sbl_certificate_assumes_public(const sbl_certificate_content *content, size_t i)
{
    const size_t rows = sbl_certificate_rows_are_public(content) ? 1 : 0;
    const size_t known = schema_is_discovered(content) ? OF_THE_SCHEMA : 0;
    const size_t always = words[content->data].always - known;
    if (i < always) return words[content->data].always_public[known + i];
    if (i < always + rows) return "n";
    i -= always + rows;
    return i < content->also_public_count ? content->also_public[i] : NULL;
}

/* value with the given number of digits, rounded up, in any locale. A hair below a digit counts as the
 * digit, so that two mathematical libraries write the same. */
static const char *write_up(char text[SBL_DOUBLE_TEXT_SIZE], double value, int digits)
{
    const int exponent = value > 0.0 ? (int)floor(log10(value)) + 1 - digits : 0;
    const double units = ceil(value / pow(10.0, exponent) - 1e-9);
    double rounded = 0.0;
    (void)snprintf(text, SBL_DOUBLE_TEXT_SIZE, "%llue%d", (unsigned long long)units, exponent);
    (void)sbl_text_to_double(&rounded, text);
    return sbl_double_to_text(text, rounded);
}

static void write_list(sbl_text *text, const char *title, const char *const *items)
{
    sbl_text_printf(text, "%s: ", title);
    for (size_t i = 0; items[i] != NULL; i++) sbl_text_printf(text, "%s%s", i == 0 ? "" : ", ", items[i]);
    sbl_text_printf(text, ".\n");
}

static void write_numbers(sbl_text *text, const sbl_certificate_content *content)
{
    const sbl_charge *spent = &content->totals.charge;
    char delta[SBL_DOUBLE_TEXT_SIZE];
    char epsilon[SBL_DOUBLE_TEXT_SIZE];
    char mu[SBL_DOUBLE_TEXT_SIZE];
    char pure[SBL_DOUBLE_TEXT_SIZE];
    write_up(epsilon, content->epsilon, 6);
    sbl_double_to_text(delta, content->delta);
    write_up(mu, content->mu, 10);
    write_up(pure, sbl_fixed96_to_double_up(spent->eps0), 10);
    sbl_text_printf(text, "GUARANTEE: (eps=%s, delta=%s)-differential privacy", epsilon, delta);
    if (spent->mu2 != 0) sbl_text_printf(text, ", and mu=%s Gaussian DP", mu);
    if (spent->eps0 != 0)
        sbl_text_printf(text, "%s eps=%s pure DP", spent->mu2 != 0 ? " composed with" : ", and", pure);
    sbl_text_printf(text, ",\n  for one %s", unit_word(content));
}

/* What the symbols mean for a person in the data, and the part of this run in it. */
static void write_meaning(sbl_text *text, const sbl_certificate_content *content)
{
    char all[SBL_DOUBLE_TEXT_SIZE];
    char own[SBL_DOUBLE_TEXT_SIZE];
    char delta[SBL_DOUBLE_TEXT_SIZE];
    char factor[SBL_DOUBLE_TEXT_SIZE] = "";
    sbl_double_to_text(delta, content->delta);
    if (content->epsilon < LARGEST_FACTOR) write_up(factor, exp(content->epsilon), 3);
    sbl_text_printf(
        text,
        content->format < SBL_CERTIFICATE_PLAIN
            ? "IN WORDS: what anyone may believe about one %s, seeing all of this, changes its odds by\n"
              "  at most a factor exp(eps)%s%s"
            : "IN WORDS: seeing all of this changes the odds of any belief about one %s by at most\n"
              "  a factor of exp(eps)%s%s",
        unit_word(content), factor[0] != '\0' ? " = " : "", factor);
    if (content->delta > 0.0) sbl_text_printf(text, ", except with probability %s", delta);
    sbl_text_printf(text,
                    ".\nTHIS RUN: eps=%s; ALL RELEASES OF THIS LEDGER (%llu): eps=%s; at "
                    "delta=%s.\n",
                    write_up(own, content->own_epsilon, 6), (unsigned long long)content->totals.releases,
                    write_up(all, content->epsilon, 6), delta);
}

/* The sum over periods, for a person in the data of each; the account of the earlier ones, which was carried over. */
static void write_periods(sbl_text *text, const sbl_certificate_content *content, bool brief)
{
    const sbl_ledger_past *past = &content->ledger_facts.past;
    const sbl_charge *spent = &past->totals.charge;
    char hex[SBL_SHA256_TEXT_SIZE];
    char mu2[SBL_INT128_TEXT_SIZE], eps0[SBL_INT128_TEXT_SIZE], extra[SBL_INT128_TEXT_SIZE];
    char epsilon[SBL_DOUBLE_TEXT_SIZE], delta[SBL_DOUBLE_TEXT_SIZE];
    if (!sbl_certificate_has_past(content)) return;
    if (sbl_certificate_no_guarantee(content) == NULL && isfinite(content->all_epsilon))
        sbl_text_printf(text,
                        "ALL PERIODS: eps=%s at delta=%s for one %s in the data of each of %llu periods,\n"
                        "  over ALL releases (%llu) of their ledgers.\n",
                        write_up(epsilon, content->all_epsilon, 6), sbl_double_to_text(delta, content->delta),
                        unit_word(content), (unsigned long long)past->periods + 1,
                        (unsigned long long)(past->totals.releases + content->totals.releases));
    else
        sbl_text_printf(text,
                        "ALL PERIODS: NONE: no epsilon holds at this delta for one %s in all of them.\n",
                        unit_word(content));
    if (brief) return;
    sbl_text_printf(
        text,
        "EARLIER PERIODS: %llu, the last in ledger %s\n  (head %s);\n  %llu releases, %llu of them "
        "Gaussian, %llu draws, mu^2=%s/2^96, pure eps=%s/2^96, delta=%s/2^96.\n",
        (unsigned long long)past->periods, past->id, sbl_hex_encode(hex, past->head, sizeof past->head),
        (unsigned long long)past->totals.releases, (unsigned long long)past->totals.gaussian_releases,
        (unsigned long long)spent->draws, sbl_u128_to_text(mu2, spent->mu2),
        sbl_u128_to_text(eps0, spent->eps0), sbl_u128_to_text(extra, spent->delta));
}

/* The words of write_several() before version 8. */
static void write_several_of_old(sbl_text *text, const sbl_certificate_content *content, const char *grows)
{
    sbl_text_printf(text, "  One %s is protected, not one person: who owns several %s is protected less",
                    words[content->data].record, words[content->data].records);
    if (grows != NULL) sbl_text_printf(text, ", g of\n  them as by g times the %s", grows);
    sbl_text_printf(text, ".\n");
}

/* What a row is not. The delta of released keys does not grow by the number of rows alone. */
static void write_several(sbl_text *text, const sbl_certificate_content *content)
{
    const sbl_charge *spent = &content->totals.charge;
    const char *record = words[content->data].record, *records = words[content->data].records;
    const char *grows = spent->mu2 == 0 ? "eps" : spent->eps0 == 0 ? "mu" : "mu and pure eps";
    if (spent->delta != 0) grows = NULL;
    if (content->format < SBL_CERTIFICATE_PLAIN) {
        write_several_of_old(text, content, grows);
        return;
    }
    sbl_text_printf(text,
                    "  One %s is protected, not one person. A person with several %s gets weaker protection",
                    record, records);
    if (grows != NULL) sbl_text_printf(text, ":\n  with g %s, g times the %s", records, grows);
    sbl_text_printf(text, ".\n");
}

/* At most k rows of a person count. */
static void write_rows_of_persons(sbl_text *text, const sbl_certificate_content *content)
{
    sbl_text_printf(
        text,
        content->format < SBL_CERTIFICATE_PLAIN
            ? "  One person is all rows with one id, and every row without an id; at most "
              "%llu of a person's\n  rows count, the others add nothing.\n"
            : "  A person is all rows that share an id. Each row without an id counts as a separate\n"
              "  person. At most %llu rows of a person count; the others add nothing.\n",
        (unsigned long long)content->ledger_facts.rows_per_unit);
}

/* Who is a person, where all its rows are one record. */
static void write_whole_persons(sbl_text *text, const sbl_certificate_content *content)
{
    static const char with_orphans[] =
        "  One person is all rows with one id, of linked tables with all that hangs on them, and "
        "every\n  row without an id. A person's rows enter together, as one record of bounded "
        "size,\n";
    static const char without_orphans[] =
        "  A person is all rows that share an id and, in linked tables, all rows that refer to "
        "them;\n  a child row that refers to no person adds nothing. Any other row without an id "
        "is a person\n  by itself. A person's rows enter together, as one record of bounded "
        "size,\n";
    sbl_text_printf(text,
                    "%s  at most %llu of them; the cost is that of one record and does not grow with that "
                    "number.\n",
                    content->format < SBL_CERTIFICATE_WITHOUT_ORPHANS ? with_orphans : without_orphans,
                    (unsigned long long)content->rows_together);
}

static void write_scope(sbl_text *text, const sbl_certificate_content *content, bool brief)
{
    char epsilon[SBL_DOUBLE_TEXT_SIZE];
    char delta[SBL_DOUBLE_TEXT_SIZE];
    char limit[SBL_INT128_TEXT_SIZE];
    char stated[SBL_DOUBLE_TEXT_SIZE];
    const sbl_budget *budget = &content->ledger_facts.budget;
    const sbl_neighbours neighbours = content->ledger_facts.neighbours;
    sbl_text_printf(text, " under %s neighbours ", sbl_neighbours_name(neighbours));
    if (sbl_certificate_rows_are_public(content))
        sbl_text_printf(text, "(n=%llu is public),\n", (unsigned long long)content->n);
    else
        sbl_text_printf(text, "(n is private),\n");
    sbl_text_printf(text, "  over ALL releases (%llu) recorded in ledger %s%s%s\n",
                    (unsigned long long)content->totals.releases, content->ledger_id,
                    content->run_only ? ",\n  which was made for this run only: other runs on the "
                                        "same data are not counted"
                                      : "",
                    brief ? "." : "");
    if (!brief)
        sbl_text_printf(text, "  (head %s at line %llu;\n", content->head,
                        (unsigned long long)content->ledger_seq);
    if (!brief)
        sbl_text_printf(text, "  stated at delta=%s; budget eps=%s, delta=%s, mu^2=%s%s).\n",
                        sbl_double_to_text(stated, content->delta), budget->epsilon, budget->delta,
                        budget->mu2 == 0 ? SBL_NO_LIMIT : sbl_u128_to_text(limit, budget->mu2),
                        budget->mu2 == 0 ? "" : "/2^96");
    if (content->rows_together != 0)
        write_whole_persons(text, content);
    else if (content->ledger_facts.by_person)
        write_rows_of_persons(text, content);
    else
        write_several(text, content);
    if (!brief)
        sbl_text_printf(text, "  eps, delta include +%s / +%s for sampler and discretisation error.\n",
                        write_up(epsilon, content->allowance.epsilon, 2),
                        write_up(delta, content->allowance.delta, 2));
}

static bool may_hold_free_blocks(const sbl_certified_release *release)
{
    for (size_t b = 0; b < release->block_count; b++)
        if (release->blocks[b].kind != SBL_BLOCK_VECTOR) return true;
    return false;
}

/* For moments and persons the multipliers are listed here: the smaller one of a family may be free, and so
 * may persons, and a change of it would show nowhere else. */
static void write_block(sbl_text *text, const sbl_certified_release *release, size_t b)
{
    const sbl_block *block = &release->blocks[b];
    const bool named = release->of != NULL;
    sbl_text_printf(text, " %s%s%s", named ? release->of[b] : "", named ? " (" : "", block->name);
    if (sbl_block_is_moments(block)) sbl_text_printf(text, " of %s", block->source);
    sbl_text_printf(text, "%s%llu x %llu", named ? ", " : " (",
                    (unsigned long long)sbl_block_columns(block, release->classes),
                    (unsigned long long)block->width);
    if (may_hold_free_blocks(release))
        sbl_text_printf(text, ", times %llu", (unsigned long long)block->multiplier);
    sbl_text_printf(text, ")");
}

static void write_release(sbl_text *text, const sbl_certified_release *release,
                          const sbl_certificate_content *content)
{
    sbl_text_printf(text, "RELEASED: %s (rid %s) at line %llu, %s noise on", release->name, release->rid,
                    (unsigned long long)release->seq, sbl_mechanism_name(release->mechanism));
    for (size_t b = 0; b < release->block_count; b++) {
        if (b != 0) sbl_text_printf(text, ",");
        write_block(text, release, b);
    }
    sbl_text_printf(text, ";\n  method %s, plan %s, semblance %s,\n  file %s.\n", content->method,
                    release->plan, content->version, release->out);
}

/* What it is of, when and by whom it was made, and where the schema's facts came from. */
static void write_about(sbl_text *text, const sbl_certificate_content *content)
{
    if (content->title != NULL) sbl_text_printf(text, "DATA SET: %s.\n", content->title);
    sbl_text_printf(text, "MADE: %s", content->date);
    if (content->by != NULL) sbl_text_printf(text, ", by %s", content->by);
    sbl_text_printf(text, ".\n");
    /* Else one that says nothing of a device could be called the version before. */
    if (content->format > SBL_CERTIFICATE_OLDEST)
        sbl_text_printf(text, "CERTIFICATE: of version %u.\n", content->format);
    if (content->schema[0] != '\0')
        sbl_text_printf(text, "SCHEMA: sha256 %s;\n  its bounds and categories: %s.\n", content->schema,
                        content->origin);
}

/* What was made of the releases, and by which device: no cost follows from it. */
static void write_files(sbl_text *text, const sbl_certificate_content *content)
{
    if (content->trained_on != NULL)
        sbl_text_printf(text, "TRAINED ON: %s, after the releases.\n", content->trained_on);
    for (size_t i = 0; i < content->file_count; i++)
        sbl_text_printf(text, "%s: %s%sfile %s.\n", content->files[i].is_model ? "MODEL" : "OUTPUT",
                        content->files[i].name, content->files[i].name[0] != '\0' ? ", " : "",
                        content->files[i].hash);
}

/* Parts of 10,000 as a percentage, to the last digit. */
static void write_percent(sbl_text *text, int64_t parts)
{
    const long long whole = parts < 0 ? -(long long)parts : (long long)parts;
    sbl_text_printf(text, "%s%lld.%02lld %%", parts < 0 ? "-" : "", whole / 100, whole % 100);
}

static void write_health(sbl_text *text, const sbl_certificate_content *content)
{
    if (content->health_count == 0) return;
    const char *what = "cells that did not fit the schema";
    if (content->data == SBL_DATA_IMAGES) what = "files that are not an image of the set's size";
    if (content->rows_together != 0)
        what = "persons with at least half of a column's cells not fitting the schema";
    sbl_text_printf(text, "HEALTH: %s, of the first release, and the deviation of their noise:\n ", what);
    for (size_t i = 0; i < content->health_count; i++) {
        const sbl_certified_health *health = &content->health[i];
        sbl_text_printf(text, "%s %s ", i == 0 ? "" : ",", health->column);
        write_percent(text, health->misfits);
        sbl_text_printf(text, " (");
        write_percent(text, health->deviation);
        sbl_text_printf(text, ")");
    }
    sbl_text_printf(text, ".\n");
}

void sbl_certified_relations_write(sbl_text *text, const sbl_certified_relations *told)
{
    const unsigned long long seen = told->seen, measured = told->measured;
    if (seen == measured)
        sbl_text_printf(text, "all %llu relations between columns stand out from the noise", measured);
    else
        sbl_text_printf(
            text,
            "%llu of %llu relations between columns stand out from the noise; the others come out "
            "independent",
            seen, measured);
    for (size_t i = 0; i < told->suspect_count; i++)
        sbl_text_printf(text, "%s%s with %s", i == 0 ? ". Possibly lost: " : "; ", told->suspects[i].first,
                        told->suspects[i].second);
}

static void write_relations(sbl_text *text, const sbl_certificate_content *content)
{
    if (content->relations.measured == 0) return;
    sbl_text_printf(text, "RELATIONS: ");
    sbl_certified_relations_write(text, &content->relations);
    sbl_text_printf(text, ".\n");
}

static void write_assumes_public(sbl_text *text, const sbl_certificate_content *content)
{
    const char *item;
    sbl_text_printf(text, "ASSUMES PUBLIC: ");
    for (size_t i = 0; (item = sbl_certificate_assumes_public(content, i)) != NULL; i++)
        sbl_text_printf(text, "%s%s", i == 0 ? "" : ", ", item);
    sbl_text_printf(text, ".\n");
}

/* Names of columns are the owner's words: nothing in them may turn or hide a word of the guarantee. */
static char *finish(sbl_text *raw)
{
    sbl_text text = {.failed = raw->failed};
    if (!raw->failed) sbl_text_append_plain(&text, raw->data);
    sbl_text_clear(raw);
    if (text.failed) sbl_text_clear(&text);
    return text.data;
}

char *sbl_certificate_statement(const sbl_certificate_content *content, bool brief)
{
    sbl_text text = {0};
    const char *reason = sbl_certificate_no_guarantee(content);
    if (reason == NULL)
        write_numbers(&text, content);
    else
        sbl_text_printf(&text, "GUARANTEE: NONE: %s.\n  It was accounted for one %s", reason,
                        unit_word(content));
    write_scope(&text, content, brief);
    if (reason == NULL) write_meaning(&text, content);
    write_periods(&text, content, brief);
    if (brief) return finish(&text);
    write_about(&text, content);
    for (size_t r = 0; r < content->release_count; r++) write_release(&text, &content->releases[r], content);
    write_files(&text, content);
    write_health(&text, content);
    write_relations(&text, content);
    write_assumes_public(&text, content);
    write_list(&text, "ASSUMES SECRET", sbl_certificate_assumes_secret(content));
    write_list(&text, "NOT COVERED", sbl_certificate_not_covered(content));
    return finish(&text);
}
