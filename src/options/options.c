/* The table of options and the list of methods (include/semblance/options.h). */
#include "options/options.h"

#include <math.h>
#include <string.h>

#include "account/budget.h"
#include "base/caller_struct.h"
#include "options/defaults.h"

/* ---- methods ---- */

#define DEFAULT_METHOD "auto"

/* X(name, what it is in a few words, kinds of data); the default comes first. */
#define METHODS(X)                                                         \
    X(DEFAULT_METHOD, "pairs, of images mepf", SBL_TABLES | SBL_IMAGES)    \
    X("pairs", "pairs of columns, largest entropy", SBL_TABLES)            \
    X("mepf", "what a frozen public network sees", SBL_IMAGES)             \
    X("merf", "random Fourier mean embeddings", SBL_TABLES | SBL_IMAGES)   \
    X("hp", "Hermite polynomial mean embeddings", SBL_TABLES | SBL_IMAGES) \
    X("ron-gauss", "Gaussians in a random projection", SBL_TABLES)         \
    X("marginals", "independent columns", SBL_TABLES)

#define AS_FACTS(name, summary, kinds) {name, summary, kinds},
#define AS_NAME(name, summary, kinds) name,
#define AS_WORDS(name, summary, kinds) "; " name ": " summary

static const sbl_method_facts methods[] = {METHODS(AS_FACTS)};
static const char *const method_names[] = {METHODS(AS_NAME) NULL};

#define METHOD_COUNT (sizeof methods / sizeof methods[0])

size_t sbl_method_count(void) { return METHOD_COUNT; }

const sbl_method_facts *sbl_method_at(size_t index)
{
    return index < METHOD_COUNT ? &methods[index] : NULL;
}

const char *sbl_method_of_auto(sbl_data_kinds kind, bool pure)
{
    if (kind == SBL_IMAGES) return "mepf";
    return pure ? "marginals" : "pairs";
}

const sbl_method_facts *sbl_method_facts_of(const char *name)
{
    if (name == NULL) return &methods[0];
    for (size_t i = 0; i < METHOD_COUNT; i++)
        if (strcmp(methods[i].name, name) == 0) return &methods[i];
    return NULL;
}

/* ---- who uses an option ---- */

static const char *const by_fourier[] = {"merf", "mepf", NULL};
static const char *const by_hp[] = {"hp", NULL};
static const char *const by_hermite[] = {"hp", "mepf", NULL};
static const char *const by_generators[] = {"merf", "hp", "mepf", NULL};
static const char *const by_table_generators[] = {"merf", "hp", NULL};
static const char *const by_mepf[] = {"mepf", NULL};
static const char *const by_marginals[] = {"marginals", NULL};
static const char *const by_ron_gauss[] = {"ron-gauss", NULL};
static const char *const by_pairs[] = {"pairs", NULL};
static const char *const by_planners[] = {"pairs", "ron-gauss", NULL};
static const char *const by_pure[] = {"ron-gauss", "marginals", NULL};

#define BOTH_KINDS (SBL_TABLES | SBL_IMAGES)
#define PLANS (SBL_STEP_PLAN | SBL_STEP_FIT)
#define FITS SBL_STEP_FIT
#define TRAINS (SBL_STEP_FIT | SBL_STEP_TRAIN)
#define RUNS (SBL_STEP_FIT | SBL_STEP_TRAIN | SBL_STEP_SAMPLE)
#define EVERY_STEP (SBL_STEP_PLAN | RUNS)
/* Of what is released, whatever for. */
#define ASKS (PLANS | SBL_STEP_SUGGEST)
#define PAYS (FITS | SBL_STEP_SUGGEST)
/* Of how a table is written. */
#define READS (ASKS | SBL_STEP_READ)

/* ---- values ---- */

#define MOST_EXACT 9007199254740992.0 /* 2^53 */

static const sbl_option_range positive = {0.0, INFINITY, true, "a finite number above 0"};
static const sbl_option_range fraction = {0.0, 1.0, true, "a number above 0 and below 1"};
static const sbl_option_range rate = {0x1p-1074, 1.0, false, "a number above 0 and at most 1"};
static const sbl_option_range any_whole = {0, 0x1p64, false, "a whole number, 0 or more"};
static const sbl_option_range one_to_three = {1, 3, false, "a whole number from 1 to 3"};
static const sbl_option_range count = {1, MOST_EXACT, false, "a whole number, 1 or more"};
static const sbl_option_range threads = {1, 1024, false, "a whole number from 1 to 1024"};
static const sbl_option_range features = {2, 1e6, false, "an even number from 2 to 1000000"};
static const sbl_option_range thousands = {1, 4096, false, "a whole number from 1 to 4096"};
static const sbl_option_range sizes = {1, 65536, false, "1 to 8 sizes of 1 to 65536, e.g. 256,256"};
static const sbl_option_range order = {1, 500, false, "a whole number from 1 to 500"};
static const sbl_option_range subset_size = {1, 16, false, "a whole number from 1 to 16"};
static const sbl_option_range million = {1, 1e6, false, "a whole number from 1 to 1000000"};
static const sbl_option_range layers = {1, 80, false, "rising numbers from 1 to 80, e.g. 2,4,6"};
static const sbl_option_range steps = {1, 1e8, false, "a whole number from 1 to 100000000"};
static const sbl_option_range batch = {2, 1e6, false, "a whole number from 2 to 1000000"};

static const sbl_option_range words = {1, 200, false,
                                       "a text of 1 to 200 bytes without control characters"};

static const char *const relations[] = {"replace-one", "add-remove", NULL};
static const char *const geometries[] = {"clip", "normalise", NULL};
static const char *const spaces[] = {"original", "projected", NULL};
static const char *const modes[] = {"kernel", "norm", NULL};
static const char *const generators[] = {"small", "residual", NULL};
static const char *const on_or_off[] = {"on", "off", NULL};
static const char *const objectives[] = {"plain", "moving-average", NULL};
static const char *const health_courses[] = {"stop", "tell", "off", NULL};
static const char *const splits[] = {"optimal", "paper", NULL};
static const char *const delimiters[] = {",", ";", "tab", "|", ":", "~", "^", NULL};
static const char *const quotes[] = {"\"", "'", NULL};
static const char *const decimals[] = {".", ",", NULL};
static const char *const marks[] = {"none", ".", ",", "'", "_", "space", NULL};
static const char *const yes_or_no[] = {"yes", "no", NULL};
static const char *const comments[] = {"none", "#", "%", ";", "!", NULL};

/* ---- rows ---- */

#define QUOTE(...) #__VA_ARGS__
#define SHOW(...) QUOTE(__VA_ARGS__)
/* A default that is a value of all data, of tables only, one of tables and one of images; or that
 * is none, and can only be told. */
#define STANDARD(value) .standard = value, .of_tables = value, .of_images = value
#define STANDARD_OF_TABLES(value) .standard = value, .of_tables = value
#define STANDARD_OF_EACH(tables, images) \
    .standard = tables "; images " images, .of_tables = tables, .of_images = images
#define TOLD(words) .standard = words

#define FIELD(field)                              \
    .offset = offsetof(sbl_synth_options, field), \
    .size = sizeof(((const sbl_synth_options *)0)->field)

static const sbl_option table[] = {
    {.name = "method",
     .type = SBL_OPTION_CHOICE,
     .value = "M",
     .help = "what is released and what is made of it" METHODS(AS_WORDS),
     .choices = method_names,
     STANDARD(DEFAULT_METHOD),
     .kinds = BOTH_KINDS,
     .steps = PLANS,
     FIELD(method)},
    {.name = "epsilon",
     .type = SBL_OPTION_NUMBER,
     .value = "E",
     .help = "the privacy budget of all releases of this run; it has no default",
     .range = &positive,
     .kinds = BOTH_KINDS,
     .steps = ASKS,
     .needed = ASKS,
     FIELD(epsilon)},
    {.name = "delta",
     .type = SBL_OPTION_NUMBER,
     .value = "D",
     .help = "the delta, above 0, at most 1e-3, and below 1/n where n is public; of more than "
             "10000 public rows 1/(10 n) where none is given",
     STANDARD(SHOW(SBL_DEFAULT_DELTA)),
     .range = &fraction,
     .kinds = BOTH_KINDS,
     .steps = ASKS,
     FIELD(delta)},
    {.name = "neighbours",
     .type = SBL_OPTION_CHOICE,
     .value = "RELATION",
     .help = "replace-one (the number of rows is public) or add-remove (it is private)",
     STANDARD("replace-one"),
     .choices = relations,
     .kinds = BOTH_KINDS,
     .steps = ASKS,
     .by_place = true,
     FIELD(neighbours)},
    {.name = "ledger",
     .type = SBL_OPTION_TEXT,
     .value = "FILE",
     .help = "charge this ledger, which must be there, and respect its budget",
     TOLD("INPUT.ledger, made without a limit where there is none; of a stream RELEASE.ledger"),
     .kinds = BOTH_KINDS,
     .steps = PAYS,
     FIELD(ledger_path)},
    {.name = "certificate",
     .type = SBL_OPTION_TEXT,
     .value = "FILE",
     .help = "where the certificate goes",
     TOLD("OUTPUT.certificate.json"),
     .kinds = BOTH_KINDS,
     .steps = TRAINS | SBL_STEP_SUGGEST,
     FIELD(certificate_path)},
    {.name = "title",
     .type = SBL_OPTION_TEXT,
     .value = "TEXT",
     .help = "what the certificate calls the data set",
     TOLD("not said"),
     .range = &words,
     .kinds = BOTH_KINDS,
     .steps = PAYS,
     FIELD(title)},
    {.name = "by",
     .type = SBL_OPTION_TEXT,
     .value = "TEXT",
     .help = "who made it, for the certificate",
     TOLD("not said"),
     .range = &words,
     .kinds = BOTH_KINDS,
     .steps = PAYS,
     FIELD(by)},
    {.name = "release",
     .type = SBL_OPTION_TEXT,
     .value = "FILE",
     .help = "where the noisy sums go: further releases to FILE.2, FILE.3",
     TOLD("OUTPUT.release"),
     .kinds = BOTH_KINDS,
     .steps = PAYS,
     FIELD(release_path)},
    {.name = "overwrite",
     .type = SBL_OPTION_FLAG,
     .help = "overwrite files (never a ledger, and nothing that is read)",
     .kinds = BOTH_KINDS,
     .steps = RUNS | SBL_STEP_SUGGEST,
     FIELD(overwrite)},
    {.name = "seed",
     .type = SBL_OPTION_WHOLE,
     .value = "K",
     .help = "seed of the public randomness (features, weights, sampling); the noise has none",
     STANDARD("0"),
     .range = &any_whole,
     .kinds = BOTH_KINDS,
     .steps = EVERY_STEP,
     FIELD(seed)},
    {.name = "threads",
     .type = SBL_OPTION_WHOLE,
     .value = "T",
     .help = "threads to use",
     TOLD("all"),
     .range = &threads,
     .kinds = BOTH_KINDS,
     .steps = RUNS | SBL_STEP_SUGGEST,
     FIELD(threads)},
    {.name = "health",
     .type = SBL_OPTION_CHOICE,
     .value = "H",
     .help =
         "the paid count of cells that do not fit the schema, or of PNG files that are no image "
         "of the set's size: stop after the first release where a column or the files are "
         "clearly all wrong, only tell, or off",
     STANDARD("stop"),
     .choices = health_courses,
     .kinds = BOTH_KINDS,
     .steps = PLANS,
     FIELD(health)},
    {.name = "delimiter",
     .type = SBL_OPTION_CHOICE,
     .value = "C",
     .help = "what separates the cells of the table: a sign, or tab",
     TOLD("as the schema says, or a comma"),
     .choices = delimiters,
     .kinds = SBL_TABLES,
     .steps = READS,
     FIELD(delimiter)},
    {.name = "quote",
     .type = SBL_OPTION_CHOICE,
     .value = "C",
     .help = "what stands around cells that hold the delimiter",
     TOLD("as the schema says, or \""),
     .choices = quotes,
     .kinds = SBL_TABLES,
     .steps = READS,
     FIELD(quote)},
    {.name = "decimal",
     .type = SBL_OPTION_CHOICE,
     .value = "C",
     .help = "the decimal mark of every number",
     TOLD("as the schema says, or a point"),
     .choices = decimals,
     .kinds = SBL_TABLES,
     .steps = READS,
     FIELD(decimal)},
    {.name = "thousands",
     .type = SBL_OPTION_CHOICE,
     .value = "C",
     .help = "what may stand between thousands of every number",
     TOLD("as the schema says, or none"),
     .choices = marks,
     .kinds = SBL_TABLES,
     .steps = READS,
     FIELD(thousands)},
    {.name = "encoding",
     .type = SBL_OPTION_TEXT,
     .value = "E",
     .help = "utf-8, utf-16, utf-16le, utf-16be, iso-8859-1, iso-8859-15 or windows-1252",
     TOLD("as the schema says, or utf-8"),
     .kinds = SBL_TABLES,
     .steps = READS,
     FIELD(encoding)},
    {.name = "header",
     .type = SBL_OPTION_CHOICE,
     .value = "H",
     .help = "whether the first line names the columns; without one they stand in the order of the "
             "schema",
     TOLD("as the schema says, or yes"),
     .choices = yes_or_no,
     .kinds = SBL_TABLES,
     .steps = READS,
     FIELD(header)},
    {.name = "comment",
     .type = SBL_OPTION_CHOICE,
     .value = "C",
     .help = "lines before the table that begin with it are passed over",
     TOLD("as the schema says, or none"),
     .choices = comments,
     .kinds = SBL_TABLES,
     .steps = READS,
     FIELD(comment)},
    {.name = "features",
     .type = SBL_OPTION_WHOLE,
     .value = "D",
     .help = "number of random Fourier features",
     STANDARD_OF_EACH(SHOW(SBL_DEFAULT_FEATURES), SHOW(SBL_DEFAULT_IMAGE_FEATURES)),
     .range = &features,
     .methods = by_fourier,
     .kinds = BOTH_KINDS,
     .steps = PLANS,
     FIELD(features)},
    {.name = "sensitivity",
     .type = SBL_OPTION_CHOICE,
     .value = "MODE",
     .help = "of Hermite features: kernel (sqrt 2, every pair of a table compared) or norm (2, "
             "records clipped)",
     STANDARD("kernel"),
     .choices = modes,
     .methods = by_hermite,
     .kinds = BOTH_KINDS,
     .steps = PLANS,
     FIELD(sensitivity)},
    {.name = "lengths",
     .type = SBL_OPTION_TEXT,
     .value = "LIST",
     .help = "length scales of the sum kernel, in units of a column's range",
     STANDARD_OF_EACH(SBL_DEFAULT_LENGTHS, SBL_DEFAULT_IMAGE_LENGTHS),
     .methods = by_hermite,
     .kinds = BOTH_KINDS,
     .steps = PLANS,
     FIELD(lengths)},
    {.name = "order",
     .type = SBL_OPTION_WHOLE,
     .value = "C",
     .help = "order of the sum kernel's Hermite features",
     TOLD("what holds 0.9 of the kernel of each length"),
     .range = &order,
     .methods = by_hermite,
     .kinds = BOTH_KINDS,
     .steps = PLANS,
     FIELD(order)},
    {.name = "product-order",
     .type = SBL_OPTION_WHOLE,
     .value = "C",
     .help = "order of the product kernel's Hermite features",
     TOLD("what holds 0.9 of its kernel"),
     .range = &order,
     .methods = by_hp,
     .kinds = BOTH_KINDS,
     .steps = PLANS,
     FIELD(product_order)},
    {.name = "product-size",
     .type = SBL_OPTION_WHOLE,
     .value = "D",
     .help = "columns of a subset of the product kernel; 1: there is no product kernel",
     STANDARD(SHOW(SBL_DEFAULT_PRODUCT_SIZE)),
     .range = &subset_size,
     .methods = by_hp,
     .kinds = BOTH_KINDS,
     .steps = PLANS,
     FIELD(product_size)},
    {.name = "products",
     .type = SBL_OPTION_WHOLE,
     .value = "R",
     .help = "subsets of the product kernel at most; more than there are: all, else drawn by seed",
     STANDARD_OF_EACH(SHOW(SBL_DEFAULT_PRODUCTS), SHOW(SBL_DEFAULT_IMAGE_PRODUCTS)),
     .range = &million,
     .methods = by_hp,
     .kinds = BOTH_KINDS,
     .steps = PLANS,
     FIELD(products)},
    {.name = "subsets",
     .type = SBL_OPTION_TEXT,
     .value = "LIST",
     .help = "subsets of columns of the product kernel, e.g. age+ward,ward+drug",
     TOLD("drawn"),
     .methods = by_hp,
     .kinds = SBL_TABLES,
     .steps = PLANS,
     FIELD(subsets)},
    {.name = "gamma",
     .type = SBL_OPTION_NUMBER,
     .value = "G",
     .help = "weight of the product kernel's loss beside the others'",
     STANDARD(SHOW(SBL_DEFAULT_GAMMA)),
     .range = &positive,
     .methods = by_hp,
     .kinds = BOTH_KINDS,
     .steps = PLANS,
     FIELD(gamma)},
    {.name = "product-share",
     .type = SBL_OPTION_NUMBER,
     .value = "S",
     .help = "part of mu^2 that the product kernel gets",
     TOLD("optimal by public sizes"),
     .range = &fraction,
     .methods = by_hp,
     .kinds = BOTH_KINDS,
     .steps = PLANS,
     FIELD(product_share)},
    {.name = "generator",
     .type = SBL_OPTION_CHOICE,
     .value = "G",
     .help = "of images: small, or residual, which takes hidden channels at 4 x 4 (default " SHOW(
         SBL_DEFAULT_RESIDUAL_CHANNELS) ") and is for RGB and larger images",
     .standard = "small",
     .of_images = "small",
     .choices = generators,
     .methods = by_generators,
     .kinds = SBL_IMAGES,
     .steps = TRAINS,
     FIELD(generator)},
    {.name = "hidden",
     .type = SBL_OPTION_WHOLES,
     .value = "LIST",
     .help = "sizes of the generator's hidden layers, e.g. 256,256; for images the width of the "
             "dense layer and, if wanted, two numbers of channels",
     STANDARD_OF_EACH(SHOW(SBL_DEFAULT_HIDDEN),
                      SHOW(SBL_DEFAULT_IMAGE_HIDDEN, SBL_DEFAULT_IMAGE_CHANNELS)),
     .range = &sizes,
     .methods = by_generators,
     .kinds = BOTH_KINDS,
     .steps = TRAINS,
     .count_offset = offsetof(sbl_synth_options, hidden_count),
     FIELD(hidden)},
    {.name = "latent",
     .type = SBL_OPTION_WHOLE,
     .value = "L",
     .help = "size of the generator's random input",
     STANDARD_OF_EACH(SHOW(SBL_DEFAULT_LATENT), SHOW(SBL_DEFAULT_IMAGE_LATENT)),
     .range = &count,
     .methods = by_generators,
     .kinds = BOTH_KINDS,
     .steps = TRAINS,
     FIELD(latent)},
    {.name = "signs",
     .type = SBL_OPTION_WHOLE,
     .value = "S",
     .help = "numbers of a table's random input that are -1 or 1, the others being normal: for "
             "records that lie in clusters apart",
     TOLD("none"),
     .range = &count,
     .methods = by_table_generators,
     .kinds = SBL_TABLES,
     .steps = TRAINS,
     FIELD(signs)},
    {.name = "steps",
     .type = SBL_OPTION_WHOLE,
     .value = "S",
     .help = "training steps",
     STANDARD_OF_EACH(SHOW(SBL_DEFAULT_STEPS), SHOW(SBL_DEFAULT_IMAGE_STEPS)),
     .range = &steps,
     .methods = by_generators,
     .kinds = BOTH_KINDS,
     .steps = TRAINS,
     FIELD(steps)},
    {.name = "batch",
     .type = SBL_OPTION_WHOLE,
     .value = "B",
     .help = "generated rows per training step",
     STANDARD_OF_EACH(SHOW(SBL_DEFAULT_BATCH), SHOW(SBL_DEFAULT_IMAGE_BATCH)),
     .range = &batch,
     .methods = by_generators,
     .kinds = BOTH_KINDS,
     .steps = TRAINS,
     FIELD(batch)},
    {.name = "learning-rate",
     .type = SBL_OPTION_NUMBER,
     .value = "R",
     .help = "of training; decays to zero as a cosine",
     STANDARD(SHOW(SBL_DEFAULT_RATE)),
     .range = &rate,
     .methods = by_generators,
     .kinds = BOTH_KINDS,
     .steps = TRAINS,
     FIELD(learning_rate)},
    {.name = "checkpoint",
     .type = SBL_OPTION_TEXT,
     .value = "FILE",
     .help =
         "where training keeps its place: a run that was killed goes on from there with 'resume' "
         "or 'train', to the same result; removed at the end",
     TOLD("RELEASE.training"),
     .methods = by_generators,
     .kinds = BOTH_KINDS,
     .steps = TRAINS,
     FIELD(checkpoint)},
    {.name = "encoder",
     .type = SBL_OPTION_TEXT,
     .value = "FILE",
     .help = "a frozen network in safetensors that was trained on public data",
     TOLD("vgg-s, which is built in"),
     .methods = by_mepf,
     .kinds = SBL_IMAGES,
     .steps = PLANS | SBL_STEP_TRAIN,
     FIELD(encoder)},
    {.name = "embedding",
     .type = SBL_OPTION_TEXT,
     .value = "E",
     .help =
         "what is released, joined by +: pixels and perceptual (Fourier features of pixels and of "
         "what the network sees), hermite (of pixels, as hp), and one of moments (of its "
         "activations, as in the paper), first-moments, signed-moments (before the ReLUs), "
         "signed-first-moments; best: pixels+first-moments, all: pixels+perceptual+moments",
     .standard = "best",
     .of_images = "best",
     .methods = by_mepf,
     .kinds = SBL_IMAGES,
     .steps = PLANS,
     FIELD(embedding)},
    {.name = "layers",
     .type = SBL_OPTION_WHOLES,
     .value = "LIST",
     .help = "activations of the network that are taken, as 'encoder show' numbers them",
     TOLD("moments all, perceptual the last of each size"),
     .range = &layers,
     .methods = by_mepf,
     .kinds = SBL_IMAGES,
     .steps = PLANS,
     .count_offset = offsetof(sbl_synth_options, layer_count),
     FIELD(layers)},
    {.name = "early-stopping",
     .type = SBL_OPTION_CHOICE,
     .value = "S",
     .help = "on: a second, small release chooses among the weights of training; off: its share "
             "of the budget goes to the first",
     .standard = "on",
     .of_images = "on",
     .choices = on_or_off,
     .methods = by_mepf,
     .kinds = SBL_IMAGES,
     .steps = PLANS,
     FIELD(early_stopping)},
    {.name = "objective",
     .type = SBL_OPTION_CHOICE,
     .value = "O",
     .help =
         "of training: plain (each step's own means are matched, but for what looks at a part of "
         "a batch) or moving-average (running means are, as in the paper)",
     .standard = "plain",
     .of_images = "plain",
     .choices = objectives,
     .methods = by_mepf,
     .kinds = SBL_IMAGES,
     .steps = TRAINS,
     FIELD(objective)},
    {.name = "pure",
     .type = SBL_OPTION_FLAG,
     .help = "delta 0: discrete Laplace noise in place of Gaussian",
     .methods = by_pure, /* random features have no bound in L1 */
     .kinds = SBL_TABLES,
     .steps = PLANS,
     FIELD(pure)},
    {.name = "geometry",
     .type = SBL_OPTION_CHOICE,
     .value = "G",
     .help = "clip (records scaled by their public bounds) or normalise (records on the unit "
             "sphere; reads the table twice)",
     STANDARD_OF_TABLES("clip"),
     .choices = geometries,
     .methods = by_ron_gauss,
     .kinds = SBL_TABLES,
     .steps = PLANS,
     FIELD(geometry)},
    {.name = "space",
     .type = SBL_OPTION_CHOICE,
     .value = "S",
     .help = "rows in the original columns or the projected coordinates p1, p2, ...",
     STANDARD_OF_TABLES("original"),
     .choices = spaces,
     .methods = by_ron_gauss,
     .kinds = SBL_TABLES,
     .steps = PLANS,
     FIELD(space)},
    {.name = "dimensions",
     .type = SBL_OPTION_WHOLE,
     .value = "P",
     .help = "dimensions of the random projection",
     TOLD("a rule from public sizes"),
     .range = &thousands,
     .methods = by_ron_gauss,
     .kinds = SBL_TABLES,
     .steps = PLANS,
     FIELD(dimensions)},
    {.name = "split",
     .type = SBL_OPTION_CHOICE,
     .value = "S",
     .help = "budget of mean and moments: optimal or paper (0.3 and 0.7 of mu^2, of pure noise of "
             "epsilon)",
     STANDARD_OF_TABLES("optimal"),
     .choices = splits,
     .methods = by_ron_gauss,
     .kinds = SBL_TABLES,
     .steps = PLANS,
     FIELD(split)},
    {.name = "rounds",
     .type = SBL_OPTION_WHOLE,
     .value = "R",
     .help = "1: one release, from one reading of the data, which may then be a stream",
     TOLD("up to 3; 1 for a stream"),
     .range = &one_to_three,
     .methods = by_pairs,
     .kinds = SBL_TABLES,
     .steps = PLANS,
     FIELD(rounds)},
    {.name = "discover-share",
     .type = SBL_OPTION_NUMBER,
     .value = "P",
     .help = "without a schema: the part of the budget spent on discovering one",
     STANDARD_OF_TABLES(SHOW(SBL_DEFAULT_DISCOVER_SHARE)),
     .range = &fraction,
     .kinds = SBL_TABLES,
     .steps = FITS,
     FIELD(discover_share)},
    {.name = "expect-rows",
     .type = SBL_OPTION_WHOLE,
     .value = "N",
     .help = "about how many rows, for rules of public sizes only",
     TOLD("counted by pairs where it is public, else " SHOW(SBL_DEFAULT_EXPECTED_ROWS)),
     .range = &count,
     .methods = by_planners,
     .kinds = SBL_TABLES,
     .steps = ASKS,
     FIELD(expected_rows)},
    {.name = "bins",
     .type = SBL_OPTION_WHOLE,
     .value = "B",
     .help = "equal bins of a number; integers are counted value by value where they have no more "
             "values than that",
     TOLD(SHOW(SBL_DEFAULT_BINS) "; integers of up to " SHOW(
         SBL_DEFAULT_SINGLES) " values one by one"),
     .range = &thousands,
     .methods = by_marginals,
     .kinds = SBL_TABLES,
     .steps = PLANS,
     FIELD(bins)},
};

#define OPTION_COUNT (sizeof table / sizeof table[0])

size_t sbl_option_count(void) { return OPTION_COUNT; }

const sbl_option *sbl_option_at(size_t index)
{
    return index < OPTION_COUNT ? &table[index] : NULL;
}

const sbl_option *sbl_option_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < OPTION_COUNT; i++)
        if (strcmp(table[i].name, name) == 0) return &table[i];
    return NULL;
}

bool sbl_option_is_used(const sbl_option *option, const char *method, sbl_data_kinds kind)
{
    const sbl_method_facts *facts = sbl_method_facts_of(method);
    if (facts != NULL && strcmp(facts->name, DEFAULT_METHOD) == 0)
        facts = sbl_method_facts_of(
            sbl_method_of_auto(kind, option != NULL && strcmp(option->name, "pure") == 0));
    if (option == NULL || facts == NULL) return false;
    if ((option->kinds & facts->kinds & (unsigned)kind) == 0) return false;
    if (option->methods == NULL) return true;
    for (size_t i = 0; option->methods[i] != NULL; i++)
        if (strcmp(option->methods[i], facts->name) == 0) return true;
    return false;
}

static sbl_synth_options usual(void)
{
    return (sbl_synth_options){.struct_size = sizeof(sbl_synth_options),
                               .neighbours = SBL_REPLACE_ONE};
}

double sbl_delta_of_options(const sbl_synth_options *options, uint64_t n)
{
    if (options->pure) return 0.0;
    if (options->delta != 0.0) return options->delta;
    return sbl_delta_usual(options->neighbours == SBL_REPLACE_ONE ? n : 0);
}

void sbl_synth_options_init_sized(sbl_synth_options *options, size_t size)
{
    const sbl_synth_options ours = usual();
    sbl_struct_set_up(options, size, &ours, sizeof ours);
}

sbl_status sbl_synth_options_take(sbl_synth_options *options, const sbl_synth_options *theirs,
                                  sbl_error *err)
{
    *options = usual();
    return sbl_struct_take(options, sizeof *options, theirs, "options", err);
}
