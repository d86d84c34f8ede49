/* SPDX-License-Identifier: Apache-2.0 */
/* The device that a generator is trained on, by the options (of images: auto unless they say otherwise). After the
 * door only: methods is the one folder that may ask for a device. */
#ifndef SBL_METHODS_NETWORK_METHOD_DEVICE_H
#define SBL_METHODS_NETWORK_METHOD_DEVICE_H

#include "after/train/trainer.h"
#include "base/device/device.h"
#include "public/options/option_values.h"

/* A training that is to be: its targets may be zeros. */
typedef struct sbl_device_task {
    sbl_generator *generator;
    const sbl_train_term *terms;
    size_t count;
    const sbl_train_options *training;
} sbl_device_task;

/* Opens the requested device and checks that it supports this training, has the memory, and takes a step. auto
 * falls back to the CPU if it does not support it or lacks the memory; device->why says why. A card that fails
 * otherwise is refused under auto, too: better than a CPU that works for hours because a card is broken.
 * Returns: SBL_OK; SBL_EARG: no such name, or it does not serve; SBL_EINPUT: it cannot be had; SBL_EMEM; SBL_EIO: it
 *          failed
 * Owner:   the caller, sbl_device_close() */
sbl_status sbl_generate_device(sbl_device *device, const sbl_device_task *task,
                               const sbl_synth_options *options, sbl_error *err);
/* One line: which it is, or why it is the CPU; none if only the CPU was requested, or if there is no
 * other and none was requested. */
void sbl_generate_tell_device(const sbl_device *device, const sbl_train_options *training);
/* SBL_DEVICE_CPU, or the device's name as models and certificates hold it: printable ASCII, whatever its
 * driver says. */
void sbl_generate_name_device(char *name, size_t size, const sbl_device *device);

/* Do the options name the CPU? Of auto: no, though it may come to that. */
bool sbl_generate_asks_for_cpu(const sbl_synth_options *options);

#endif
