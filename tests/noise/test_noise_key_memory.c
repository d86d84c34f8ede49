/* SPDX-License-Identifier: Apache-2.0 */
/* The noise key: where it lies, what happens to it on close, on fork and when the system refuses,
 * and that no stretch of keystream is used twice. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "door/noise/bit_source.h"
#include "door/noise/key.h"
#include "door/noise/noise.h"
#include "fake_token.h"
#include "support/cmocka_all.h"
#include "support/key_test.h"

FREES(sbl_noise_close);

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

/* What the system is told to do, and what it saw. */
static struct {
    bool fail_mmap;
    bool fail_mlock;
    int fail_madvise; /* the advice that fails, or -1 */
    bool fail_key;
    int keystream_calls_left; /* before failure; -1: never */
    size_t unmapped;
    bool unmapped_clean;
    bool key_made_unprotected;
    bool locked, no_dump, wipe_on_fork;
    uint64_t nonces[16];
    uint32_t blocks[16];
    size_t sizes[16];
    size_t keystream_calls;
} world;

AROUND(reset_world)
{
    memset(&world, 0, sizeof world);
    world.fail_madvise = -1;
    world.keystream_calls_left = -1;
    sbl_test_key_set(0);
}

void *__wrap_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);
void *__real_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);
int __wrap_mlock(const void *address, size_t size);
int __real_mlock(const void *address, size_t size);
int __wrap_madvise(void *address, size_t size, int advice);
int __real_madvise(void *address, size_t size, int advice);
int __wrap_munmap(void *address, size_t size);
int __real_munmap(void *address, size_t size);
sbl_status __wrap_sbl_key_make(uint8_t *key, sbl_error *err);
sbl_status __real_sbl_key_make(uint8_t *key, sbl_error *err);
sbl_status __wrap_sbl_chacha20_keystream(uint8_t *out, size_t size, const uint8_t *key, const uint8_t *nonce,
                                         uint32_t block, sbl_error *err);
sbl_status __real_sbl_chacha20_keystream(uint8_t *out, size_t size, const uint8_t *key, const uint8_t *nonce,
                                         uint32_t block, sbl_error *err);

void *__wrap_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    if (world.fail_mmap) return MAP_FAILED;
    return __real_mmap(address, size, protection, flags, file, offset);
}

int __wrap_mlock(const void *address, size_t size)
{
    world.locked = !world.fail_mlock;
    return world.fail_mlock ? -1 : __real_mlock(address, size);
}

int __wrap_madvise(void *address, size_t size, int advice)
{
    if (advice == world.fail_madvise) return -1;
    world.no_dump |= advice == MADV_DONTDUMP;
    world.wipe_on_fork |= advice == MADV_WIPEONFORK;
    return __real_madvise(address, size, advice);
}

int __wrap_munmap(void *address, size_t size)
{
    const uint8_t *bytes = address;
    world.unmapped = size;
    world.unmapped_clean = true;
    for (size_t i = 0; i < size; i++) world.unmapped_clean &= bytes[i] == 0;
    return __real_munmap(address, size);
}

sbl_status __wrap_sbl_key_make(uint8_t *key, sbl_error *err)
{
    world.key_made_unprotected = !world.locked || !world.no_dump || !world.wipe_on_fork;
    const sbl_status status = __real_sbl_key_make(key, err);
    return world.fail_key ? sbl_fail(err, SBL_EENTROPY, "no key") : status;
}

sbl_status __wrap_sbl_chacha20_keystream(uint8_t *out, size_t size, const uint8_t *key, const uint8_t *nonce,
                                         uint32_t block, sbl_error *err)
{
    const size_t call = world.keystream_calls++ % 16;
    world.nonces[call] = sbl_load_u64(nonce);
    world.blocks[call] = block;
    world.sizes[call] = size;
    if (world.keystream_calls_left == 0) return sbl_fail(err, SBL_EINTERNAL, "no keystream");
    world.keystream_calls_left--;
    return __real_sbl_chacha20_keystream(out, size, key, nonce, block, err);
}

static sbl_status try_open(sbl_noise **noise, sbl_error *err)
{
    fake_token token = {.is_test = true};
    return sbl_noise_open(noise, (sbl_reserve_token *)&token, err);
}

static sbl_noise *open_noise(void)
{
    sbl_noise *noise;
    assert_ok(try_open(&noise, NULL));
    return noise;
}

/* QEMU 7.2 accepts the advice on dumps and forks and does not follow it. tools/check_bits.sh sets this variable. */
static void skip_in_qemu(void)
{
    if (getenv("SBL_TEST_EMULATED") != NULL) skip();
}

static bool all_zero(const void *block, size_t size)
{
    const uint8_t *bytes = block;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0) return false;
    return true;
}

TEST(key_is_made_in_memory_that_is_already_protected)
{
    FREED(sbl_noise_close) sbl_noise *noise = open_noise();
    assert_false(world.key_made_unprotected);
    assert_false(all_zero(noise->key, sizeof noise->key));
}

/* The VmFlags line of the mapping that holds address. */
static void read_flags(char flags[256], const void *address)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    assert_non_null(file);
    bool inside = false;
    char line[512];
    flags[0] = '\0';
    while (flags[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        unsigned long first;
        unsigned long end;
        if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
            inside = first <= (uintptr_t)address && (uintptr_t)address < end;
        else if (inside && strncmp(line, "VmFlags:", 8) == 0)
            snprintf(flags, 256, "%.255s", line + 8);
    }
    fclose(file);
}

TEST(key_memory_is_locked_left_out_of_dumps_and_wiped_on_fork)
{
    skip_in_qemu();
    sbl_noise *noise = open_noise();
    const void *const places[] = {noise->key, &noise->buffer[0], &noise->buffer[SBL_KEYSTREAM_WORDS - 1]};
    for (size_t i = 0; i < 3; i++) {
        char flags[256];
        read_flags(flags, places[i]);
#ifndef SANITIZED /* sanitizers make mlock do nothing */
        assert_non_null(strstr(flags, " lo"));
#endif
        assert_non_null(strstr(flags, " dd"));
        assert_non_null(strstr(flags, " wf"));
    }
    sbl_noise_close(noise);
}

TEST(close_wipes_key_and_keystream_before_unmapping)
{
    sbl_noise *noise = open_noise();
    int64_t out[10];
    assert_ok(sbl_noise_gaussian(noise, out, 10, NULL));
    sbl_noise_close(noise);
    assert_int_equal(world.unmapped, sizeof(sbl_noise));
    assert_true(world.unmapped_clean);
}

TEST(close_of_nothing_does_nothing)
{
    sbl_noise_close(NULL);
    assert_int_equal(world.unmapped, 0);
}

static void check_open_fails(const char *word)
{
    sbl_error err;
    sbl_noise *noise = (sbl_noise *)&err;
    assert_int_equal(try_open(&noise, &err), SBL_EENTROPY);
    assert_null(noise);
    assert_non_null(strstr(err.message, word));
}

TEST(open_mapping_refused_is_an_entropy_error)
{
    world.fail_mmap = true;
    check_open_fails("mapped");
    assert_int_equal(sbl_test_key_next(), 0);
}

TEST(open_lock_refused_is_an_entropy_error_and_makes_no_key)
{
    world.fail_mlock = true;
    check_open_fails("ulimit -l");
    assert_int_equal(world.unmapped, sizeof(sbl_noise));
    assert_int_equal(sbl_test_key_next(), 0);
}

TEST(open_advice_refused_is_an_entropy_error_and_makes_no_key)
{
    const int advices[] = {MADV_DONTDUMP, MADV_WIPEONFORK};
    for (int i = 0; i < 2; i++) {
        reset_world(state);
        world.fail_madvise = advices[i];
        check_open_fails("dumps and forks");
        assert_int_equal(world.unmapped, sizeof(sbl_noise));
        assert_int_equal(sbl_test_key_next(), 0);
    }
}

TEST(open_key_refused_wipes_what_came_of_it)
{
    world.fail_key = true;
    check_open_fails("no key");
    assert_int_equal(world.unmapped, sizeof(sbl_noise));
    assert_true(world.unmapped_clean);
}

/* The parent draws, forks, the child tries to draw, the parent goes on. */
TEST(fork_child_gets_an_error_and_the_parent_its_own_stream)
{
    skip_in_qemu();
    int64_t whole[40];
    sbl_noise *noise = open_noise();
    assert_ok(sbl_noise_gaussian(noise, whole, 40, NULL));
    sbl_noise_close(noise);

    reset_world(state);
    noise = open_noise();
    int64_t part[20];
    assert_ok(sbl_noise_gaussian(noise, part, 20, NULL));
    assert_memory_equal(part, whole, sizeof part);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sbl_error err;
        int64_t in_child[20];
        memset(in_child, 1, sizeof in_child);
        const bool right = all_zero(noise, sizeof *noise) &&
                           sbl_noise_gaussian(noise, in_child, 20, &err) == SBL_EENTROPY &&
                           all_zero(in_child, sizeof in_child) && strstr(err.message, "child") != NULL;
        sbl_noise_close(noise);
        _exit(right ? 0 : 1);
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), 0);
    assert_ok(sbl_noise_gaussian(noise, part, 20, NULL));
    assert_memory_equal(part, whole + 20, sizeof part);
    sbl_noise_close(noise);
}

TEST(wiped_state_gives_an_error_whatever_is_drawn)
{
    FREED(sbl_noise_close) sbl_noise *noise = open_noise();
    memset(noise, 0, sizeof *noise);
    int64_t gaussian[2] = {1, 1};
    sbl_i128 laplace[2] = {1, 1};
    assert_int_equal(sbl_noise_gaussian(noise, gaussian, 2, NULL), SBL_EENTROPY);
    assert_true(all_zero(gaussian, sizeof gaussian));
    assert_int_equal(sbl_noise_laplace(noise, laplace, 2, NULL), SBL_EENTROPY);
    assert_true(all_zero(laplace, sizeof laplace));
    assert_int_equal(world.keystream_calls, 0);
}

/* Every sampler, with the keystream failing at its first and at its third stretch. */
TEST(keystream_failure_zeroes_the_batch_and_lasts)
{
    static int64_t gaussian[8192];
    static sbl_i128 laplace[8192];
    const size_t counts[] = {4000, 8192};
    for (int i = 0; i < 4; i++) {
        const size_t count = counts[i % 2];
        for (int kind = 0; kind < 2; kind++) {
            reset_world(state);
            world.keystream_calls_left = i < 2 ? 0 : 2;
            FREED(sbl_noise_close) sbl_noise *noise = open_noise();
            memset(gaussian, 1, sizeof gaussian);
            memset(laplace, 1, sizeof laplace);
            const sbl_status status = kind == 0 ? sbl_noise_gaussian(noise, gaussian, count, NULL)
                                                : sbl_noise_laplace(noise, laplace, count, NULL);
            assert_int_equal(status, SBL_EENTROPY);
            assert_true(kind == 0 ? all_zero(gaussian, count * sizeof *gaussian)
                                  : all_zero(laplace, count * sizeof *laplace));
            world.keystream_calls_left = -1;
            assert_int_equal(sbl_noise_gaussian(noise, gaussian, 1, NULL), SBL_EENTROPY);
            assert_int_equal(gaussian[0], 0);
        }
    }
}

TEST(keystream_stretches_follow_each_other_into_the_next_nonce)
{
    FREED(sbl_noise_close) sbl_noise *noise = open_noise();
    noise->refills = (3 << 24) - 2;
    for (int i = 0; i < 4; i++) {
        noise->left = 0;
        assert_true(sbl_keystream_refill(noise));
    }
    assert_int_equal(world.keystream_calls, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(world.nonces[i], i < 2 ? 2 : 3);
        assert_int_equal(world.blocks[i], 256 * (i - 2)); /* 2^32 - 512, 2^32 - 256, 0, 256 */
        assert_int_equal(world.sizes[i], 256 * SBL_CHACHA20_BLOCK_SIZE);
    }
}

TEST(keystream_used_up_is_an_error)
{
    FREED(sbl_noise_close) sbl_noise *noise = open_noise();
    int64_t out;
    noise->refills = UINT64_MAX;
    assert_int_equal(sbl_noise_gaussian(noise, &out, 1, NULL), SBL_EENTROPY);
    assert_int_equal(world.keystream_calls, 0);
}

EACH_TEST(reset_world, NULL)
