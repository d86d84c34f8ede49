/* SPDX-License-Identifier: Apache-2.0 */
/* Who is let in: the token of this start, the name of this machine, a page of ours. */
#include <stdio.h>
#include <string.h>

#include "serve/admit.h"
#include "support/cmocka_all.h"

TEST(tokens_are_long_and_new_each_time)
{
    char a[SBL_TOKEN_SIZE], b[SBL_TOKEN_SIZE];
    assert_ok(sbl_serve_token_make(a, NULL));
    assert_ok(sbl_serve_token_make(b, NULL));
    assert_int_equal(strlen(a), 64); /* 256 bits */
    assert_int_equal(strspn(a, "0123456789abcdef"), 64);
    assert_string_not_equal(a, b);
}

TEST(only_the_whole_token_matches)
{
    char token[SBL_TOKEN_SIZE], other[SBL_TOKEN_SIZE + 1];
    assert_ok(sbl_serve_token_make(token, NULL));
    assert_true(sbl_serve_token_matches(token, token, 64));
    for (size_t i = 0; i < 64; i++) {
        memcpy(other, token, sizeof token);
        other[i] = (char)(other[i] ^ 1);
        assert_false(sbl_serve_token_matches(token, other, 64));
        assert_false(sbl_serve_token_matches(token, token, i));
    }
    memcpy(other, token, 64);
    memcpy(other + 64, "0", 2);
    assert_false(sbl_serve_token_matches(token, other, 65));
    assert_false(sbl_serve_token_matches(token, "", 0));
}

TEST(a_path_begins_with_the_token)
{
    char token[SBL_TOKEN_SIZE], path[128];
    assert_ok(sbl_serve_token_make(token, NULL));
    (void)snprintf(path, sizeof path, "/%s/api/files", token);
    assert_string_equal(sbl_serve_path_behind_token(path, token), "api/files");
    (void)snprintf(path, sizeof path, "/%s/", token);
    assert_string_equal(sbl_serve_path_behind_token(path, token), "");
    static const char *const bad[] = {"/%s", "%s/", "//%s/", "/x%s/", "/%sx/", "/x/%s/", ""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *at = strstr(bad[i], "%s");
        const size_t before = at != NULL ? (size_t)(at - bad[i]) : strlen(bad[i]);
        (void)snprintf(path, sizeof path, "%.*s%s%s", (int)before, bad[i], at != NULL ? token : "",
                       at != NULL ? at + 2 : "");
        assert_null(sbl_serve_path_behind_token(path, token));
    }
}

TEST(other_hosts_and_origins_are_strangers)
{
    static const char *const hosts[] = {"127.0.0.1",
                                        "localhost",
                                        "evil.example:81",
                                        "127.0.0.1:81",
                                        "127.0.0.1:800",
                                        "127.0.0.1:80 ",
                                        "localhost:80.evil.example",
                                        "[::1]:80",
                                        ""};
    static const char *const origins[] = {
        "null", "https://127.0.0.1:80", "127.0.0.1:80", "http://127.0.0.1:80/", "http://evil.example:80", ""};
    assert_true(sbl_serve_host_is_ours("127.0.0.1:80", 80));
    assert_true(sbl_serve_host_is_ours("localhost:80", 80));
    assert_true(sbl_serve_origin_is_ours("http://127.0.0.1:80", 80));
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++)
        assert_false(sbl_serve_host_is_ours(hosts[i], 80));
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++)
        assert_false(sbl_serve_origin_is_ours(origins[i], 80));
}
