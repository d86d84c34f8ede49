/* SPDX-License-Identifier: Apache-2.0 */
/* The one file that needs no library opens none: what it calls by name is linked into it. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <openssl/crypto.h>

#include "base/library.h"

typedef struct linked {
    const char *library, *name;
    void (*call)(void);
} linked;

static char lapack_name[] = "LAPACK of Netlib, in the program";
static char *lapack_config(void) { return lapack_name; }

/* Their types are those of who calls them, by way of sbl_library_find(). */
void dsyevd_(void);
void train(void);
void predict_values(void);
void free_and_destroy_model(void);
void set_print_string_function(void);

#define LAPACK "libopenblas.so.0"
static const linked all[] = {
    {LAPACK, "dsyevd_", dsyevd_},
    {LAPACK, "openblas_get_config", (void (*)(void))lapack_config},
    {SBL_LIBLINEAR_NAME, "train", train},
    {SBL_LIBLINEAR_NAME, "predict_values", predict_values},
    {SBL_LIBLINEAR_NAME, "free_and_destroy_model", free_and_destroy_model},
    {SBL_LIBLINEAR_NAME, "set_print_string_function", set_print_string_function},
};

/* libcrypto would open what its configuration file names. */
__attribute__((constructor)) static void read_no_configuration(void)
{
    (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
}

const char *sbl_library_why(void)
{
    return "this program, which is one file, opens no libraries; an installed semblance does";
}

bool sbl_library_loaded(const char *name) { return sbl_library_open(name) != NULL; }

void *sbl_library_open(const char *name)
{
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].library, name) == 0) return (void *)(uintptr_t)all[i].library;
    return NULL;
}

void *sbl_library_open_path(const char *path)
{
    (void)path;
    return NULL;
}

void *sbl_library_open_beside(bool *there, const char *name)
{
    (void)name;
    if (there != NULL) *there = false;
    return NULL;
}

const char *sbl_library_find(void *pointers, void *library, const sbl_library_call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const linked *found = NULL;
        for (size_t j = 0; j < sizeof all / sizeof all[0]; j++)
            if (strcmp(all[j].library, library) == 0 && strcmp(all[j].name, calls[i].name) == 0)
                found = &all[j];
        if (found == NULL) return calls[i].name;
        memcpy((char *)pointers + calls[i].offset, &found->call, sizeof found->call);
    }
    return NULL;
}
