/* Reads and checks the options of image sets, and fills the library's structs with them. */
#include "image_options.h"

#include <stdlib.h>

#include "output.h"
#include "synth_common.h"

const char *const sbl_cli_image_formats[] = {"idx", "png", NULL};

bool sbl_cli_wants_images(const sbl_cli_parsed *parsed)
{
    return sbl_cli_given(parsed, "images") != NULL;
}

/* A whole number from 1 to 128 at *text, which moves behind it; 0: there is none. */
static uint64_t read_side(const char **text)
{
    char *end = NULL;
    if (**text < '1' || **text > '9') return 0;
    const unsigned long long side = strtoull(*text, &end, 10);
    *text = end;
    return side <= 128 ? side : 0;
}

bool sbl_cli_image_size(const sbl_cli_parsed *parsed, uint64_t *height, uint64_t *width)
{
    const char *text = sbl_cli_text(parsed, "size");
    *height = *width = 0;
    if (text == NULL) return true;
    *height = read_side(&text);
    if (*height != 0 && *text++ == 'x') *width = read_side(&text);
    return *width != 0 && *text == '\0';
}

sbl_status sbl_cli_check_size(const sbl_cli_parsed *parsed, sbl_error *err)
{
    uint64_t height, width;
    if (sbl_cli_image_size(parsed, &height, &width)) return SBL_OK;
    return sbl_cli_misuse(err, parsed->command,
                          "--size takes a height and a width from 1 to 128, e.g. 28x28");
}

sbl_image_input sbl_cli_image_input(const sbl_cli_parsed *parsed)
{
    const sbl_cli_value *classes = sbl_cli_given(parsed, "classes");
    uint64_t height, width;
    (void)sbl_cli_image_size(parsed, &height, &width); /* it was checked */
    return (sbl_image_input){.struct_size = sizeof(sbl_image_input),
                             .images = sbl_cli_text(parsed, "images"),
                             .labels = sbl_cli_text(parsed, "labels"),
                             .classes = classes != NULL ? classes->whole : 0,
                             .balanced = sbl_cli_given(parsed, "balanced") != NULL,
                             .grey = sbl_cli_given(parsed, "grey") != NULL,
                             .height = height,
                             .width = width};
}

sbl_image_output sbl_cli_image_output(const sbl_cli_parsed *parsed, const char *output)
{
    const sbl_cli_value *format = sbl_cli_given(parsed, "format");
    return (sbl_image_output){
        .struct_size = sizeof(sbl_image_output),
        .folder = output,
        .format = format != NULL && format->whole == 1 ? SBL_IMAGES_PNG : SBL_IMAGES_IDX,
        .preview = sbl_cli_text(parsed, "preview")};
}

sbl_status sbl_cli_check_input(const sbl_cli_parsed *parsed, sbl_error *err)
{
    static const char *const of_images[] = {"labels", "classes", "balanced", "grey",
                                            "size",   "format",  "preview"};
    const bool images = sbl_cli_wants_images(parsed);
    if (images && parsed->operand_count > 0)
        return sbl_cli_misuse(err, parsed->command, "give a table or --images, not both");
    if (images && sbl_cli_given(parsed, "schema") != NULL)
        return sbl_cli_misuse(err, parsed->command, "--schema is for tables, not for --images");
    for (size_t i = 0; !images && i < SBL_CLI_COUNT(of_images); i++)
        if (sbl_cli_given(parsed, of_images[i]) != NULL)
            return sbl_cli_misuse(err, parsed->command, "--%s goes with --images", of_images[i]);
    if (!images && parsed->operand_count < parsed->command->operand_count)
        return sbl_cli_misuse(err, parsed->command, "%s is missing",
                              parsed->command->operands[parsed->operand_count].name);
    if (sbl_cli_given(parsed, "schema") != NULL && sbl_cli_given(parsed, "discover-share") != NULL)
        return sbl_cli_misuse(err, parsed->command,
                              "--discover-share is for tables without a --schema");
    return images ? sbl_cli_check_size(parsed, err) : SBL_OK;
}
