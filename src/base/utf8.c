/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8, declared in base/text.h: is it valid, which characters are shown as themselves, and '?' in
 * the place of those that are not. Lines also lose logins of addresses. Allocates nothing and cannot fail: messages of errors pass here. */
#include "base/text.h"

#include <string.h>
#include <strings.h>

size_t sbl_utf8_length(const char *text, size_t left)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t length = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] > 0xf4 || length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if (length >= 3) {
        /* Overlong forms, surrogates and what lies beyond U+10FFFF. */
        if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)) return 0;
        if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) return 0;
    }
    return length;
}

bool sbl_text_is_utf8(const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        const size_t part = sbl_utf8_length(text, left);
        if (part == 0) return false;
        text += part;
        left -= part;
    }
    return true;
}

bool sbl_is_plain(uint32_t point)
{
    const uint32_t c = point;
    return !(c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
             (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff ||
             (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe);
}

size_t sbl_utf8_decode(uint32_t *point, const char *text)
{
    /* A sequence that the end of the text cuts off is invalid at its NUL: nothing behind is read. */
    const size_t length = sbl_utf8_length(text, 4);
    const unsigned char first = (unsigned char)text[0];
    if (length == 0) return 0;
    *point = length == 1 ? first : first & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) *point = *point << 6 | ((unsigned char)text[i] & 0x3fU);
    return length;
}

bool sbl_text_has_control(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f) return true;
    return false;
}

static char *make_plain(char *text, bool keep_lines)
{
    char *to = text;
    for (const char *from = text; from != NULL && *from != '\0';) {
        uint32_t c = 0;
        const size_t length = sbl_utf8_decode(&c, from);
        if (length != 0 && (sbl_is_plain(c) || (c == '\n' && keep_lines))) {
            memmove(to, from, length);
            to += length;
        } else {
            *to++ = '?';
        }
        from += length != 0 ? length : 1;
    }
    if (to != NULL) *to = '\0';
    return text;
}

/* An address that was cut before its @ may still hold a password: HOST:PORT has digits behind its colon.
 * Colons between brackets belong to an IPv6 address. */
static bool may_have_password(const char *hosts, size_t length)
{
    bool inside = false;
    for (size_t i = 0; i < length; i++) {
        if (hosts[i] == '[' || hosts[i] == ']') inside = hosts[i] == '[';
        if (hosts[i] != ':' || inside) continue;
        const size_t digits = strspn(hosts + i + 1, "0123456789");
        if (i + 1 + digits < length && strchr("/?#,:", hosts[i + 1 + digits]) == NULL) return true;
    }
    return false;
}

/* Shows no user and no password of SCHEME://USER:PASSWORD@HOST. A password may hold any character, so all that stands
 * before the last @ goes. Of "password=..." nothing that follows is shown. */
static void hide_logins(char *line)
{
    for (char *at = line; (at = strstr(at, "://")) != NULL;) {
        const char *login_end = strrchr(at += 3, '@');
        const size_t word = strcspn(at, " '\"");
        if (login_end != NULL)
            memmove(at, login_end + 1, strlen(login_end + 1) + 1);
        else if (may_have_password(at, word))
            memmove(at, at + word, strlen(at + word) + 1);
    }
    static const char key[] = "password=";
    char *secret = strcasestr(line, key);
    if (secret != NULL) (void)memcpy(secret + sizeof key - 1, "", 1);
}

char *sbl_plain_line(char *text)
{
    if (make_plain(text, false) != NULL) hide_logins(text);
    return text;
}

char *sbl_plain_lines(char *text) { return make_plain(text, true); }

char *sbl_ascii_line(char *text)
{
    for (char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at < 0x20 || (unsigned char)*at > 0x7e) *at = '?';
    return text;
}
