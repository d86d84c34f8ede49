/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_file.h"

#include <stdint.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/file.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"

char model_path[300];

int model_file_setup(void **state)
{
    (void)state;
    temp_folder_make(folder);
    (void)snprintf(model_path, sizeof model_path, "%s/m.safetensors", folder);
    return 0;
}

void damaged_files_are_refused(model_loader load)
{
    const sbl_file_write_options over = {.mode = 0644, .overwrite = true};
    sbl_error err = {0};
    uint8_t *bytes;
    size_t size;
    assert_ok(load(model_path));
    assert_ok(sbl_file_read(&bytes, &size, model_path, 1 << 20, &err));
    for (size_t cut = 0; cut < size; cut += cut < 64 ? 1 : 61) {
        assert_ok(sbl_file_write(model_path, bytes, cut, over, &err));
        assert_int_equal(load(model_path), SBL_EINPUT);
    }
    for (size_t at = 8; at < size; at += 37) {
        bytes[at] ^= 1;
        assert_ok(sbl_file_write(model_path, bytes, size, over, &err));
        assert_int_equal(load(model_path), SBL_EINPUT);
        bytes[at] ^= 1;
    }
    sbl_free(bytes);
    assert_int_equal(load("/nonexistent/m"), SBL_EIO);
}

long lack_of_memory_is_an_error(model_loader load)
{
    for (long n = 1;; n++) {
        sbl_test_fail_alloc(n);
        const sbl_status status = load(model_path);
        const bool failed = sbl_test_fail_end();
        assert_int_equal(status, failed ? SBL_EMEM : SBL_OK);
        if (!failed) return n - 1;
    }
}
