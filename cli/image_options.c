#include "image_options.h"

#include "output.h"
#include "synth_common.h"

const char *const sbl_cli_image_formats[] = {"idx", "png", NULL};

bool sbl_cli_wants_images(const sbl_cli_parsed *parsed)
{
    return sbl_cli_given(parsed, "images") != NULL;
}

sbl_image_input sbl_cli_image_input(const sbl_cli_parsed *parsed)
{
    const sbl_cli_value *classes = sbl_cli_given(parsed, "classes");
    return (sbl_image_input){.images = sbl_cli_text(parsed, "images"),
                             .labels = sbl_cli_text(parsed, "labels"),
                             .classes = classes != NULL ? classes->whole : 0,
                             .balanced = sbl_cli_given(parsed, "balanced") != NULL,
                             .grey = sbl_cli_given(parsed, "grey") != NULL};
}

sbl_image_output sbl_cli_image_output(const sbl_cli_parsed *parsed, const char *output)
{
    const sbl_cli_value *format = sbl_cli_given(parsed, "format");
    return (sbl_image_output){
        .folder = output,
        .format = format != NULL && format->whole == 1 ? SBL_IMAGES_PNG : SBL_IMAGES_IDX,
        .preview = sbl_cli_text(parsed, "preview")};
}

sbl_status sbl_cli_check_input(const sbl_cli_parsed *parsed, sbl_error *err)
{
    static const char *const of_images[] = {"labels", "classes", "balanced",
                                            "grey",   "format",  "preview"};
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
    return images ? SBL_OK : sbl_cli_need(parsed, "schema", err);
}
