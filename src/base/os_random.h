/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from getrandom(2): blocking, complete, or an error. */
#ifndef SBL_BASE_OS_RANDOM_H
#define SBL_BASE_OS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

sbl_status sbl_os_random(uint8_t *bytes, size_t size, sbl_error *err);

#endif
