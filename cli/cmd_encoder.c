/* SPDX-License-Identifier: Apache-2.0 */
/* encoder show: what a frozen network is, before it is used. */
#include <stdio.h>

#include "command.h"
#include "output.h"
#include "semblance/synthesizer.h"

static const sbl_cli_range sides = {16, 256, false, "a whole number from 16 to 256"};

static const sbl_cli_option show_options[] = {
    SBL_WHOLE_ROW("side", 0, "S", "pixels of a side of its input", "32", &sides),
    SBL_FLAG_ROW("json", 0, "one JSON object"),
};

static const sbl_cli_example show_examples[] = {
    {"semblance encoder show", "what does the built-in network look at?"},
    {"semblance encoder show vgg19.safetensors --side 64",
     "activations of a network that was downloaded, for images of 64 x 64"},
};

static sbl_status run_show(const sbl_cli_parsed *parsed, sbl_error *err)
{
    char *text = NULL;
    const char *path = parsed->operand_count > 0 ? parsed->operands[0] : NULL;
    const sbl_status status = sbl_images_encoder_show(&text, path, sbl_cli_whole(parsed, "side", 0),
                                                      sbl_cli_given(parsed, "json") != NULL, err);
    if (status == SBL_OK) (void)fputs(text, stdout);
    sbl_free(text);
    return status;
}

static const sbl_cli_command encoder_show = {
    .name = "encoder show",
    .summary = "print a frozen network's layers, shapes, counts, hash and origin",
    .usage = "[FILE] [options]",
    .description =
        "Known are networks that describe themselves (vgg, resnet), torchvision's VGG and "
        "ResNet 18 and 34 under its own names, and SqueezeNet 1.1.\n\n"
        "The numbers of the activations are what --layers takes, the hash is what plans and "
        "certificates name. What a network was trained on must be public: one that has seen the "
        "private images would carry them past the noise.",
    SBL_CLI_OPERAND("FILE", "a network in safetensors; left out, or vgg-s: the one that is built in"),
    .optional_operands = 1,
    SBL_CLI_OPTIONS(show_options),
    SBL_CLI_EXAMPLES(show_examples),
    .run = run_show,
};

static const sbl_cli_command *const children[] = {&encoder_show, NULL};

const sbl_cli_command sbl_cmd_encoder = {
    .name = "encoder",
    .summary = "look at a frozen network for images",
    .children = children,
};
