/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels, compiled by the real NVRTC for several kinds of devices, where it can be had (make nvrtc): no
 * device is needed for that. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cuda/cuda_api.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

ALL_TESTS(make_folder, remove_folder)

static void link_to(const char *from, const char *name)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(symlink(from, path), 0);
}

TEST(kernels_compile_for_every_kind_of_device)
{
    static const cuda_target kinds[] = {{7, 0, 0}, {8, 0, 1}, {9, 0, 0}, {9, 0, 1}, {10, 0, 1}};
    cuda_api api = {0};
    sbl_error err = {0};
    if (access(SBL_TEST_NVRTC "/libnvrtc.so.12", R_OK) != 0) skip();
    link_to(SBL_TEST_NVRTC "/libnvrtc.so.12", "libnvrtc.so.12");
    link_to(SBL_TEST_NVRTC "/libnvrtc-builtins.so.12.9", "libnvrtc-builtins.so.12.9");
    link_to(SBL_TEST_FAKE, "libcublas.so.13"); /* only its names are looked for */
    assert_ok(cuda_api_load_tools(&api, folder, &err));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *code = NULL;
        if (cuda_compile(&code, &api, &kinds[i], NULL, &err) != SBL_OK)
            fail_msg("%d.%d: %s", kinds[i].major, kinds[i].minor, err.message);
        assert_memory_equal(code, "\177ELF", 4);
        free(code);
    }
    cuda_api_unload(&api);
}
