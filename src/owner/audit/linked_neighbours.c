/* SPDX-License-Identifier: Apache-2.0 */
/* Keys are numbers of three ranges: those of the persons of the pair, which no other person's rows have; those of everybody
 * else, which are few, so that they are shared; and those that no row has. A person of the pair may have keys of
 * others, but its rows refer to its own alone: a row that refers to a key of two persons is a row of both. Orphans may
 * refer to anything. */
#include "owner/audit/linked_neighbours.h"

#include <stdio.h>

#include "base/random/model_rng.h"

#define SEED UINT64_C(0x61756469745f3037)
#define PAIRS_OF_A_KIND 12
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { OTHERS_VISIT = 100, OTHERS_VISITS = 20 };
enum { FIRST_PERSON = 1001, SECOND_PERSON = 1002, OWN_VISIT = 5001, OWN_VISITS = 4 };
enum { ABSENT = 9001, ABSENTS = 5 };
enum { MOST_OTHERS = 12, MOST_ORPHANS = 24, MOST_ROWS_OF_ONE = 1100 };

/* What is hostile in a pair. */
enum {
    ADOPTED = 1,      /* orphans refer to the root rows of the person */
    ADOPTED_DEEP = 2, /* and to rows below them */
    SHARED = 4,       /* the person's visits have keys of others */
    MANY = 8,         /* more rows than count */
    NO_KEY = 16,      /* the root row has no key */
    EMPTY_KEYS = 32,  /* other rows have none, or refer to none */
    SPELLED = 64,     /* keys are not spelled alike */
    TWO_ROOTS = 128,  /* of one key */
    ANY = 256         /* some of all this */
};

static const struct {
    const char *name;
    unsigned traits;
} kinds[] = {
    {"a person with rows in every table", 0},
    {"a person to whom orphans refer", ADOPTED},
    {"a person to whose rows orphans refer", ADOPTED_DEEP},
    {"a person to whom, and to whose rows, orphans refer", ADOPTED | ADOPTED_DEEP},
    {"a person with keys of other persons' rows", SHARED | ADOPTED | ADOPTED_DEEP},
    {"a person with more rows than count", MANY | ADOPTED},
    {"a person without a key", NO_KEY | ADOPTED | EMPTY_KEYS},
    {"a person whose rows lack keys", EMPTY_KEYS | ADOPTED},
    {"a person whose key has several spellings", SPELLED | ADOPTED | ADOPTED_DEEP},
    {"a person with several root rows", TWO_ROOTS | ADOPTED},
    {"a person with some of all this", ANY},
    {"a person with some of all this, other cells", ANY},
};

size_t sbl_package_pair_count(void) { return COUNT(kinds) * PAIRS_OF_A_KIND; }

size_t sbl_package_pair_kinds(void) { return COUNT(kinds); }

typedef struct maker {
    sbl_package_rows *rows;
    sbl_model_rng rng;
    unsigned traits;
    unsigned in;  /* of the rows that are added */
    double from;  /* their places begin here: before all others, among them, or after */
    bool extreme; /* the cells of a person are all alike, and differ between the persons of the pair */
    sbl_package_cells cells;
} maker;

static size_t below(maker *m, size_t bound) { return (size_t)sbl_model_rng_below(&m->rng, bound); }

static bool has(maker *m, unsigned trait) { return (m->traits & trait) != 0 && below(m, 2) == 0; }

/* A number as a key, 0: an empty cell. Whole numbers are one key with a fraction of zeros and without. */
static void write_key(maker *m, char key[SBL_PACKAGE_KEY_SIZE], size_t number)
{
    static const char *const spellings[] = {"%zu", "%zu.0", " %zu", "%zu.000 "};
    const char *spelling = spellings[has(m, SPELLED) ? below(m, COUNT(spellings)) : 0];
    key[0] = '\0';
    if (number != 0) (void)snprintf(key, SBL_PACKAGE_KEY_SIZE, spelling, number);
}

static void add_row(maker *m, sbl_package_table table, size_t key, size_t named)
{
    sbl_package_row row = {.table = table,
                           .in = m->in,
                           .place = m->from + sbl_model_rng_uniform(&m->rng),
                           .cells = m->extreme ? m->cells : (sbl_package_cells)below(m, SBL_CELLS_KINDS)};
    write_key(m, row.key, key);
    write_key(m, row.named, named);
    sbl_package_rows_add(m->rows, &row);
}

/* ---- persons ---- */

/* How many rows of a table a person has. */
static size_t some_rows(maker *m, size_t usual)
{
    if (has(m, MANY)) return MOST_ROWS_OF_ONE;
    return m->extreme ? 1 + usual * below(m, 2) : below(m, usual + 1);
}

/* The keys of its visits are `keys` from `visit` on. */
static void add_person(maker *m, size_t id, size_t visit, size_t keys)
{
    for (size_t left = has(m, TWO_ROOTS) && id != 0 ? 3 : 1; left > 0; left--)
        add_row(m, SBL_PACKAGE_PERSONS, id, 0);
    if (id == 0) return; /* no row can refer to it */
    for (size_t left = some_rows(m, 8); left > 0; left--) {
        size_t key = visit + below(m, keys);
        if (visit == OWN_VISIT && has(m, SHARED)) key = OTHERS_VISIT + below(m, OTHERS_VISITS);
        add_row(m, SBL_PACKAGE_VISITS, has(m, EMPTY_KEYS) ? 0 : key, id);
    }
    for (size_t left = some_rows(m, 12); left > 0; left--)
        add_row(m, SBL_PACKAGE_DRUGS, 0, visit + below(m, keys));
    for (size_t left = some_rows(m, 3); left > 0; left--) add_row(m, SBL_PACKAGE_CARDS, 0, id);
}

static void add_others(maker *m, size_t persons)
{
    for (size_t i = 0; i < persons; i++)
        add_person(m, has(m, NO_KEY) ? 0 : 1 + i, OTHERS_VISIT + i % OTHERS_VISITS, 3);
}

/* ---- orphans ---- */

static void add_orphan(maker *m)
{
    const sbl_package_table table =
        (sbl_package_table)(SBL_PACKAGE_VISITS + below(m, SBL_PACKAGE_TABLES - SBL_PACKAGE_VISITS));
    size_t named = ABSENT + below(m, ABSENTS);
    if (table != SBL_PACKAGE_DRUGS && has(m, ADOPTED)) named = FIRST_PERSON + below(m, 2);
    if (table == SBL_PACKAGE_DRUGS && has(m, ADOPTED_DEEP)) named = OWN_VISIT + below(m, OWN_VISITS);
    if (has(m, EMPTY_KEYS)) named = 0;
    /* Adopted or not, a visit may have a key that a visit of the pair has, or one of the others'. */
    add_row(m, table,
            below(m, 2) == 0 ? OWN_VISIT + below(m, OWN_VISITS) : OTHERS_VISIT + below(m, OTHERS_VISITS),
            named);
}

/* ---- pairs ---- */

static void begin_part(maker *m, unsigned in, sbl_package_cells cells)
{
    static const double places[] = {-2.0, 0.0, 2.0};
    m->in = in;
    m->cells = cells;
    m->from = in == (SBL_PAIR_FIRST | SBL_PAIR_SECOND) ? 0.0 : places[below(m, COUNT(places))];
}

static size_t person_key(maker *m, size_t usual)
{
    if (has(m, NO_KEY)) return 0;
    return below(m, 4) == 0 ? FIRST_PERSON : usual; /* both may have one key */
}

sbl_package_pair sbl_package_pair_make(size_t number, sbl_neighbours neighbours)
{
    const size_t kind = number / PAIRS_OF_A_KIND % COUNT(kinds);
    sbl_package_pair pair = {.name = kinds[kind].name};
    maker m = {.rows = &pair.rows, .traits = kinds[kind].traits};
    sbl_model_rng_init(&m.rng, SEED, SBL_RNG_OTHER, number);
    if ((m.traits & ANY) != 0) m.traits = (unsigned)below(&m, ANY);
    m.extreme = below(&m, 2) == 0;
    begin_part(&m, SBL_PAIR_FIRST | SBL_PAIR_SECOND, SBL_CELLS_MIDDLE);
    add_others(&m, below(&m, MOST_OTHERS));
    for (size_t left = below(&m, MOST_ORPHANS); left > 0; left--) add_orphan(&m);
    begin_part(&m, SBL_PAIR_FIRST, SBL_CELLS_LOW);
    add_person(&m, person_key(&m, FIRST_PERSON), OWN_VISIT, OWN_VISITS);
    begin_part(&m, SBL_PAIR_SECOND, SBL_CELLS_HIGH);
    if (neighbours == SBL_REPLACE_ONE) add_person(&m, person_key(&m, SECOND_PERSON), OWN_VISIT, OWN_VISITS);
    sbl_package_rows_sort(&pair.rows);
    return pair;
}

sbl_package_rows sbl_package_crowd(size_t persons)
{
    sbl_package_rows rows = {0};
    maker m = {.rows = &rows, .traits = EMPTY_KEYS | SPELLED};
    sbl_model_rng_init(&m.rng, SEED, SBL_RNG_OTHER, UINT32_MAX);
    begin_part(&m, SBL_PAIR_FIRST | SBL_PAIR_SECOND, SBL_CELLS_MIDDLE);
    add_others(&m, persons);
    for (size_t left = persons / 4; left > 0; left--) add_orphan(&m);
    sbl_package_rows_sort(&rows);
    return rows;
}
