/* SPDX-License-Identifier: Apache-2.0 */
/* [8] Ids, fakes and constants. Ids get a key of their own for each column, so that two id columns do
 * not count in step; fakes share the seed, so that a row's name and e-mail agree. */
#include "after/synthetic_ids/synthetic_ids.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/random/model_rng.h"

/* ---- ids: each number has its own, whatever the seed ---- */

#define ROUNDS 6
#define UUID_BITS 60 /* of a uuid's 122 free bits: the number, permuted */

/* One round's function: 32 bits of the generator for this half, round and key. */
static uint32_t mix(uint32_t half, uint32_t round, uint64_t key)
{
    uint32_t out[4];
    const uint32_t counter[4] = {half, round, 0x6d616465, 0};
    const uint32_t keys[2] = {(uint32_t)key, (uint32_t)(key >> 32)};
    sbl_philox4x32(out, counter, keys);
    return out[0];
}

/* A Feistel network over 2 * width bits: a bijection whatever mix() is. */
static uint64_t shuffle_bits(uint64_t value, unsigned width, uint64_t key)
{
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    uint64_t left = value >> width;
    uint64_t right = value & mask;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint64_t next = left ^ (mix((uint32_t)right, round, key) & mask);
        left = right;
        right = next;
    }
    return left << width | right;
}

/* Cycle walking (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002): the bits are
 * shuffled until they are a number of the range again, which is a bijection of the range. The bits
 * hold fewer than four times as many numbers: four steps on average, and it always ends, because
 * the cycle comes back to where it began. */
uint64_t sbl_synthetic_permute(uint64_t value, uint64_t count, uint64_t key)
{
    unsigned width = 1;
    while (width < 30 && UINT64_C(1) << (2 * width) < count) width++;
    do value = shuffle_bits(value, width, key);
    while (value >= count);
    return value;
}

static void put_uuid(sbl_text *cell, uint64_t key, uint64_t number)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, key, SBL_RNG_SYNTHETIC_IDS, number);
    const uint64_t bits = sbl_model_rng_u64(&rng);
    const uint64_t own = sbl_synthetic_permute(number, UINT64_C(1) << UUID_BITS, key);
    /* RFC 9562, version 4: random; the variant's digit is 8, 9, a or b. */
    sbl_text_printf(cell, "%08" PRIx32 "-%04" PRIx32 "-4%03" PRIx32 "-%c%03" PRIx32 "-%012" PRIx64,
                    (uint32_t)(bits >> 32), (uint32_t)(bits >> 16) & 0xffff, (uint32_t)(bits >> 4) & 0xfff,
                    "89ab"[bits & 3], (uint32_t)(own >> 48), own & ((UINT64_C(1) << 48) - 1));
}

/* The number's digits take the places of the #; what does not fit stands before the first. */
static void put_pattern(sbl_text *cell, const char *pattern, uint64_t key, uint64_t number)
{
    uint64_t count = 1;
    for (const char *p = pattern; *p != '\0'; p++)
        if (*p == '#') count *= 10;
    uint64_t place = count;
    uint64_t rest = number < count ? sbl_synthetic_permute(number, count, key) : number;
    for (const char *p = pattern; *p != '\0'; p++) {
        if (*p != '#') {
            sbl_text_append(cell, p, 1);
            continue;
        }
        if (place == count && rest >= count) sbl_text_printf(cell, "%" PRIu64, rest / count);
        rest %= place;
        place /= 10;
        sbl_text_printf(cell, "%c", (char)('0' + rest / place));
    }
}

void sbl_synthetic_id(sbl_text *cell, const char *how, uint64_t key, uint64_t number)
{
    if (strcmp(how, "sequential") == 0)
        sbl_text_printf(cell, "%" PRIu64, number + 1);
    else if (strcmp(how, "uuid") == 0)
        put_uuid(cell, key, number);
    else
        put_pattern(cell, how, key, number);
}

/* ---- fakes: people, places and words that exist nowhere but in these lists ---- */

static const char *const first_names[] = {
    "Ada",     "Amir",  "Anna",  "Ben",  "Bruno", "Carla", "Chen",   "Clara", "David", "Dina",
    "Elena",   "Emil",  "Eva",   "Fadi", "Felix", "Greta", "Hana",   "Hugo",  "Ida",   "Ivan",
    "Jana",    "Jonas", "Julia", "Kofi", "Lara",  "Leo",   "Lina",   "Luca",  "Maya",  "Mia",
    "Mohamed", "Nadia", "Nils",  "Nora", "Olga",  "Omar",  "Paul",   "Priya", "Rosa",  "Sam",
    "Sara",    "Sofia", "Tariq", "Tom",  "Uma",   "Vera",  "Viktor", "Wen",   "Yara",  "Zoe"};
static const char *const female_names[] = {"Ada",   "Anna", "Carla", "Clara", "Dina",  "Elena", "Eva",
                                           "Greta", "Hana", "Ida",   "Jana",  "Julia", "Lara",  "Lina",
                                           "Maya",  "Mia",  "Nadia", "Nora",  "Olga",  "Rosa",  "Sara",
                                           "Sofia", "Uma",  "Vera",  "Yara",  "Zoe"};
static const char *const male_names[] = {"Amir", "Ben",  "Bruno", "David", "Emil", "Fadi",  "Felix",
                                         "Hugo", "Ivan", "Jonas", "Kofi",  "Leo",  "Luca",  "Mohamed",
                                         "Nils", "Omar", "Paul",  "Tariq", "Tom",  "Viktor"};
static const char *const last_names[] = {
    "Abbot",  "Adler",   "Almeida", "Arnold", "Bakker", "Barros", "Becker",  "Bell",   "Berger",  "Brandt",
    "Castro", "Chandra", "Cole",    "Cruz",   "Dahl",   "Diaz",   "Eriksen", "Farah",  "Ferrari", "Fischer",
    "Garcia", "Graf",    "Haddad",  "Hansen", "Hill",   "Ito",    "Jansen",  "Kaya",   "Keller",  "Khan",
    "Kovacs", "Kumar",   "Lang",    "Lee",    "Lopez",  "Maas",   "Meyer",   "Moreau", "Novak",   "Okoye",
    "Olsen",  "Park",    "Petit",   "Rossi",  "Sato",   "Silva",  "Stone",   "Tran",   "Weber",   "Yilmaz"};
static const char *const streets[] = {
    "Acorn Street", "Beech Road",   "Bridge Street", "Canal Walk",    "Cedar Lane",   "Church Road",
    "Elm Street",   "Field Lane",   "Garden Street", "Harbour Road",  "High Street",  "Hill Road",
    "Lake View",    "Maple Avenue", "Market Street", "Mill Lane",     "Oak Avenue",   "Orchard Road",
    "Park Street",  "River Road",   "School Lane",   "Spring Street", "Station Road", "West Street"};
static const char *const cities[] = {"Ashbourne",  "Brackford",  "Calderby",   "Dunmere",    "Eastholm",
                                     "Fairwater",  "Glenport",   "Harrowick",  "Ironbridge", "Kelstead",
                                     "Larkfield",  "Marlow End", "Northmoor",  "Oakhaven",   "Pinebury",
                                     "Queensford", "Redcliffe",  "Stonewell",  "Thornby",    "Upperton",
                                     "Valehurst",  "Westmere",   "Yarrowdale", "Zennorth"};
static const char *const subjects[] = {"The letter", "A neighbour", "The morning", "Some paper",
                                       "The garden", "A window",    "The meeting", "Old music"};
static const char *const verbs[] = {"came",  "was late", "stood open", "waited",
                                    "ended", "began",    "was found",  "went well"};
static const char *const ends[] = {"as usual",     "after lunch", "before noon", "in the rain",
                                   "on a Tuesday", "once more",   "by the door", "without a word"};

#define PICK(list, rng) ((list)[sbl_model_rng_below((rng), sizeof(list) / sizeof((list)[0]))])

/* Streams 0 and 1 of each number: who it is, and the rest. */
static sbl_model_rng stream(uint64_t seed, uint64_t number, uint64_t which)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_SYNTHETIC_IDS, 2 * number + which);
    return rng;
}

/* example.org is reserved (RFC 2606); the number distinguishes people of the same name. */
static void put_email(sbl_text *cell, const char *first, const char *last, uint64_t number)
{
    char address[64] = {0};
    size_t length = 0;
    for (const char *p = first; *p != '\0'; p++) address[length++] = *p;
    address[length++] = '.';
    for (const char *p = last; *p != '\0'; p++) address[length++] = *p;
    for (size_t i = 0; i < length; i++)
        if (address[i] >= 'A' && address[i] <= 'Z') address[i] = (char)(address[i] - 'A' + 'a');
    sbl_text_printf(cell, "%s%" PRIu64 "@example.org", address, number + 1);
}

static void put_phone(sbl_text *cell, sbl_model_rng *rng)
{
    const unsigned a = (unsigned)sbl_model_rng_below(rng, 1000);
    const unsigned b = (unsigned)sbl_model_rng_below(rng, 10000);
    /* +999 is not assigned to a country, so no real phone rings. */
    sbl_text_printf(cell, "+999 %03u %04u", a, b);
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool is_among(const char *const *words, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(words[i], text) == 0) return true;
    return false;
}

/* Takes one number of the stream whatever the sex: a person's last name and house stay the same. */
static const char *pick_first(sbl_model_rng *rng, const char *sex)
{
    static const char *const female[] = {"f",    "female", "w",     "weiblich", "frau",     "woman",
                                         "girl", "mrs",    "femme", "mujer",    "feminino", "kvinna"};
    static const char *const male[] = {"m",   "male", "mann",  "man",    "maennlich", "m\xc3\xa4nnlich",
                                       "boy", "mr",   "homme", "hombre", "masculino", "herr"};
    const size_t at = (size_t)sbl_model_rng_below(rng, COUNT(first_names));
    if (sex != NULL && is_among(female, COUNT(female), sex)) return female_names[at % COUNT(female_names)];
    if (sex != NULL && is_among(male, COUNT(male), sex)) return male_names[at % COUNT(male_names)];
    return first_names[at];
}

void sbl_synthetic_fake(sbl_text *cell, const char *what, const char *sex, uint64_t seed, uint64_t number)
{
    sbl_model_rng who = stream(seed, number, 0);
    sbl_model_rng rest = stream(seed, number, 1);
    const char *first = pick_first(&who, sex);
    const char *last = PICK(last_names, &who);
    const unsigned house = 1 + (unsigned)sbl_model_rng_below(&who, 180);
    const char *street = PICK(streets, &who);
    if (strcmp(what, "name") == 0) {
        sbl_text_printf(cell, "%s %s", first, last);
    } else if (strcmp(what, "first_name") == 0) {
        sbl_text_printf(cell, "%s", first);
    } else if (strcmp(what, "last_name") == 0) {
        sbl_text_printf(cell, "%s", last);
    } else if (strcmp(what, "email") == 0) {
        put_email(cell, first, last, number);
    } else if (strcmp(what, "phone") == 0) {
        put_phone(cell, &rest);
    } else if (strcmp(what, "street") == 0) {
        sbl_text_printf(cell, "%u %s", house, street);
    } else if (strcmp(what, "city") == 0) {
        sbl_text_printf(cell, "%s", PICK(cities, &who));
    } else {
        const char *subject = PICK(subjects, &rest);
        const char *verb = PICK(verbs, &rest);
        sbl_text_printf(cell, "%s %s %s.", subject, verb, PICK(ends, &rest));
    }
}

/* ---- a cell of any of them ---- */

/* Columns of one table count in different orders. */
#define KEY_STEP UINT64_C(0x9e3779b97f4a7c15)

void sbl_synthetic_cell(sbl_text *cell, const sbl_schema *schema, size_t column, const char *sex,
                        uint64_t seed, uint64_t number)
{
    const sbl_column *facts = &schema->columns[column];
    switch (facts->made) {
    case SBL_SYNTHETIC_NOT:
        return;
    case SBL_SYNTHETIC_ID:
        sbl_synthetic_id(cell, facts->made_as, seed + KEY_STEP * ((uint64_t)column + 1), number);
        return;
    case SBL_SYNTHETIC_FAKE:
        sbl_synthetic_fake(cell, facts->made_as, sex, seed, number);
        return;
    case SBL_SYNTHETIC_CONSTANT:
        sbl_text_append(cell, facts->made_as, strlen(facts->made_as));
        return;
    }
}
