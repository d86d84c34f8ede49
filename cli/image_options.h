/* The options of commands that take image sets, once. */
#ifndef SBL_CLI_IMAGE_OPTIONS_H
#define SBL_CLI_IMAGE_OPTIONS_H

#include "command.h"
#include "semblance/images.h"

extern const char *const sbl_cli_image_formats[];

#define SBL_OPTION_IMAGE_SIZE                                                                      \
    {                                                                                              \
        "size", 0, "HxW", SBL_CLI_TEXT,                                                            \
            "height and width of the images: of PNG files, each that is no image of this size is " \
            "read as grey, without a word; of IDX and CIFAR, another size is refused",             \
            "of the file; PNG folders: the first", NULL, NULL                                      \
    }

#define SBL_OPTIONS_IMAGES                                                                          \
    {"images",                                                                                      \
     0,                                                                                             \
     "FILE",                                                                                        \
     SBL_CLI_TEXT,                                                                                  \
     "in place of a table, private images: IDX, CIFAR binary, or a folder of PNG files",            \
     NULL,                                                                                          \
     NULL,                                                                                          \
     NULL},                                                                                         \
        {"labels", 0,   "FILE", SBL_CLI_TEXT, "labels of IDX images", "none: a set without labels", \
         NULL,     NULL},                                                                           \
        {"classes",                                                                                 \
         0,                                                                                         \
         "K",                                                                                       \
         SBL_CLI_WHOLE,                                                                             \
         "number of classes of the images: state it, for any label of K or above becomes the "      \
         "first class, without a word; of CIFAR, 100 and 20 (coarse) mean CIFAR-100, others "       \
         "CIFAR-10",                                                                                \
         "10; PNG folders: the subfolders",                                                         \
         &sbl_cli_count,                                                                            \
         NULL},                                                                                     \
        {"grey",                                                                                    \
         0,                                                                                         \
         NULL,                                                                                      \
         SBL_CLI_FLAG,                                                                              \
         "read PNG files as grey; else as RGB, whatever they hold",                                 \
         NULL,                                                                                      \
         NULL,                                                                                      \
         NULL},                                                                                     \
        SBL_OPTION_IMAGE_SIZE,                                                                      \
    {                                                                                               \
        "balanced", 0, NULL, SBL_CLI_FLAG,                                                          \
            "declare the images' classes equally frequent; else noisy counts say", NULL, NULL,      \
            NULL                                                                                    \
    }

#define SBL_OPTIONS_IMAGE_OUTPUT                                                                \
    {"format",                                                                                  \
     0,                                                                                         \
     "F",                                                                                       \
     SBL_CLI_CHOICE,                                                                            \
     "of synthetic images: idx (always gzip) or png",                                           \
     "idx",                                                                                     \
     NULL,                                                                                      \
     sbl_cli_image_formats},                                                                    \
    {                                                                                           \
        "preview", 0, "FILE", SBL_CLI_WRITES, "also a PNG of some images of every class", NULL, \
            NULL, NULL                                                                          \
    }

/* The sides that --size names; false: it names none. Both are 0 where it is not given. */
bool sbl_cli_image_size(const sbl_cli_parsed *parsed, uint64_t *height, uint64_t *width);
sbl_status sbl_cli_check_size(const sbl_cli_parsed *parsed, sbl_error *err);

/* Was --images given? */
bool sbl_cli_wants_images(const sbl_cli_parsed *parsed);
sbl_image_input sbl_cli_image_input(const sbl_cli_parsed *parsed);
/* output: the folder. */
sbl_image_output sbl_cli_image_output(const sbl_cli_parsed *parsed, const char *output);

/* A command takes a table, its operand with --schema, or --images, and not both. */
sbl_status sbl_cli_check_input(const sbl_cli_parsed *parsed, sbl_error *err);

#endif
