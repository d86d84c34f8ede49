/* People, places and words that nobody is: from the lists below, which are all there is to know. */
#include <inttypes.h>
#include <string.h>

#include "made/made.h"
#include "random/model_rng.h"

static const char *const first_names[] = {
    "Ada",     "Amir",  "Anna",  "Ben",  "Bruno", "Carla", "Chen",   "Clara", "David", "Dina",
    "Elena",   "Emil",  "Eva",   "Fadi", "Felix", "Greta", "Hana",   "Hugo",  "Ida",   "Ivan",
    "Jana",    "Jonas", "Julia", "Kofi", "Lara",  "Leo",   "Lina",   "Luca",  "Maya",  "Mia",
    "Mohamed", "Nadia", "Nils",  "Nora", "Olga",  "Omar",  "Paul",   "Priya", "Rosa",  "Sam",
    "Sara",    "Sofia", "Tariq", "Tom",  "Uma",   "Vera",  "Viktor", "Wen",   "Yara",  "Zoe"};
static const char *const last_names[] = {
    "Abbot",   "Adler",   "Almeida", "Arnold", "Bakker", "Barros", "Becker", "Bell",    "Berger",
    "Brandt",  "Castro",  "Chandra", "Cole",   "Cruz",   "Dahl",   "Diaz",   "Eriksen", "Farah",
    "Ferrari", "Fischer", "Garcia",  "Graf",   "Haddad", "Hansen", "Hill",   "Ito",     "Jansen",
    "Kaya",    "Keller",  "Khan",    "Kovacs", "Kumar",  "Lang",   "Lee",    "Lopez",   "Maas",
    "Meyer",   "Moreau",  "Novak",   "Okoye",  "Olsen",  "Park",   "Petit",  "Rossi",   "Sato",
    "Silva",   "Stone",   "Tran",    "Weber",  "Yilmaz"};
static const char *const streets[] = {
    "Acorn Street", "Beech Road",    "Bridge Street", "Canal Walk",    "Cedar Lane",
    "Church Road",  "Elm Street",    "Field Lane",    "Garden Street", "Harbour Road",
    "High Street",  "Hill Road",     "Lake View",     "Maple Avenue",  "Market Street",
    "Mill Lane",    "Oak Avenue",    "Orchard Road",  "Park Street",   "River Road",
    "School Lane",  "Spring Street", "Station Road",  "West Street"};
static const char *const cities[] = {
    "Ashbourne", "Brackford", "Calderby",   "Dunmere",    "Eastholm",   "Fairwater",
    "Glenport",  "Harrowick", "Ironbridge", "Kelstead",   "Larkfield",  "Marlow End",
    "Northmoor", "Oakhaven",  "Pinebury",   "Queensford", "Redcliffe",  "Stonewell",
    "Thornby",   "Upperton",  "Valehurst",  "Westmere",   "Yarrowdale", "Zennorth"};
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
    sbl_model_rng_init(&rng, seed, SBL_RNG_MADE, 2 * number + which);
    return rng;
}

/* example.org is nobody's (RFC 2606); the number tells people of one name apart. */
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
    /* +999 is no country's code: nobody is called. */
    sbl_text_printf(cell, "+999 %03u %04u", a, b);
}

void sbl_made_fake(sbl_text *cell, const char *what, uint64_t seed, uint64_t number)
{
    sbl_model_rng who = stream(seed, number, 0);
    sbl_model_rng rest = stream(seed, number, 1);
    const char *first = PICK(first_names, &who);
    const char *last = PICK(last_names, &who);
    const unsigned house = 1 + (unsigned)sbl_model_rng_below(&who, 180);
    const char *street = PICK(streets, &who);
    if (strcmp(what, "name") == 0) {
        sbl_text_printf(cell, "%s %s", first, last);
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
