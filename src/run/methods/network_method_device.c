/* SPDX-License-Identifier: Apache-2.0 */
/* From options to a device that can do the work. */
#include "run/methods/network_method_device.h"

#include <stdio.h>
#include <string.h>

#include "after/model/model.h"
#include "base/text.h"
#include "public/options/option_row.h"
#include "run/methods/network_method.h"

const sbl_option sbl_option_device = SBL_SETTING(
    "device", SBL_OPTION_TEXT, "D", SBL_IMAGES, SBL_STEPS_PLAN | SBL_STEP_TRAIN,
    "who trains, after the release: cpu, cuda (a graphics card, by its plug-in), cuda:N (the N-th, "
    "from 0), or auto (cuda where it can be had and serves, else the CPU); results of the same "
    "device, seed and version are the same bits, those of different devices close",
    SBL_STANDARD_IMAGES("auto"));
const sbl_option sbl_option_device_path = SBL_SETTING(
    "device-path", SBL_OPTION_TEXT, "FOLDER", SBL_IMAGES, SBL_STEPS_PLAN | SBL_STEP_TRAIN,
    "where libsemblance-cuda.so is, and CUDA's libraries if they are there, too", .names_code = true,
    SBL_STANDARD_WORDS("beside the library or program, and where libraries are"));
const sbl_option sbl_option_device_cache = SBL_SETTING(
    "device-cache", SBL_OPTION_TEXT, "FOLDER", SBL_IMAGES, SBL_STEPS_PLAN | SBL_STEP_TRAIN,
    "keep the compiled kernels of a device there; else they are compiled for each run, in seconds",
    SBL_STANDARD_WORDS("none"));

static const char *const precisions[] = {"single", "tf32", NULL};

const sbl_option sbl_option_device_precision =
    SBL_SETTING("device-precision", SBL_OPTION_CHOICE, "P", SBL_IMAGES, SBL_STEPS_PLAN | SBL_STEP_TRAIN,
                "of products on a graphics card: single, or tf32 (factors of 10 bits, which its tensor cores "
                "multiply several times as fast)",
                .choices = precisions, SBL_STANDARD_IMAGES("single"));

/* Tables have no such option. */
static sbl_device_options asked_of(const sbl_synth_options *options, sbl_data_kinds kind)
{
    const char *name = sbl_setting_text(options, &sbl_option_device, kind);
    return (sbl_device_options){
        .name = name != NULL ? name : "cpu",
        .path = sbl_setting_given(options, sbl_option_device_path.name),
        .cache = sbl_setting_given(options, sbl_option_device_cache.name),
        .tf32 = kind != SBL_TABLES && sbl_setting_is(options, &sbl_option_device_precision, kind, "tf32")};
}

/* Does it serve, has it the memory, and does it work? */
static sbl_status try_task(const sbl_device *device, const sbl_device_task *task, sbl_error *err)
{
    sbl_train_options training = *task->training;
    training.on = device->on;
    const sbl_status status = sbl_train_serves(device->on, task->generator, training.validation_terms,
                                               training.validation_count, err);
    if (status != SBL_OK) return status;
    return sbl_train_check(task->generator, task->terms, task->count, &training, err);
}

sbl_status sbl_generate_device(sbl_device *device, const sbl_device_task *task,
                               const sbl_synth_options *options, sbl_error *err)
{
    const bool asked = sbl_setting_given(options, sbl_option_device.name) != NULL;
    const sbl_device_options by = asked_of(options, sbl_kinds_of(&task->generator->facts));
    const bool is_auto = strcmp(by.name, "auto") == 0;
    sbl_error own = {0};
    sbl_status status = sbl_device_open(device, &by, err);
    /* Most machines have none, and most people did not ask. */
    if (!asked && device->absent) device->why[0] = '\0';
    if (status != SBL_OK || device->on->is_host) return status;
    status = try_task(device, task, is_auto ? &own : err);
    if (status == SBL_OK) return SBL_OK;
    sbl_device_close(device);
    if (!is_auto) return status;
    if (status == SBL_EIO) return sbl_fail(err, status, "%s", own.message);
    (void)snprintf(device->why, sizeof device->why, "%.255s", own.message);
    return SBL_OK;
}

void sbl_generate_name_device(char *name, size_t size, const sbl_device *device)
{
    (void)snprintf(name, size, "%s", device->on->is_host ? SBL_DEVICE_CPU : device->on->name);
    (void)sbl_ascii_line(name);
}

bool sbl_generate_asks_for_cpu(const sbl_synth_options *options)
{
    return strcmp(asked_of(options, SBL_IMAGES).name, "cpu") == 0;
}

bool sbl_generate_on_cpu(const sbl_synth_options *options)
{
    const sbl_device_options by = asked_of(options, SBL_IMAGES);
    sbl_device device = {0};
    if (sbl_generate_asks_for_cpu(options)) return true;
    const bool host = sbl_device_open(&device, &by, NULL) != SBL_OK || device.on->is_host;
    sbl_device_close(&device);
    return host;
}

void sbl_generate_tell_device(const sbl_device *device, const sbl_train_options *training)
{
    char line[300], name[SBL_MODEL_DEVICE_SIZE];
    if (training->tell == NULL || (device->on->is_host && device->why[0] == '\0')) return;
    sbl_generate_name_device(name, sizeof name, device);
    if (device->on->is_host)
        (void)snprintf(line, sizeof line, "training is on the CPU: %s", device->why);
    else
        (void)snprintf(line, sizeof line, "training is on %s", name);
    training->tell(training->progress_data, line);
}
