/* SPDX-License-Identifier: Apache-2.0 */
/* A file as bytes of the program: SBL_EMBED(name, "path") defines name_bytes and name_end. */
#ifndef SBL_SERVE_EMBED_H
#define SBL_SERVE_EMBED_H

#define SBL_EMBED(name, path)                                                                    \
    __asm__(                                                                                     \
        ".section .rodata\n"                                                                     \
        ".balign 16\n"                                                                           \
        ".hidden sbl_serve_" #name                                                               \
        "_bytes\n"                                                                               \
        ".global sbl_serve_" #name                                                               \
        "_bytes\n"                                                                               \
        "sbl_serve_" #name                                                                       \
        "_bytes:\n"                                                                              \
        ".incbin \"" path                                                                        \
        "\"\n"                                                                                   \
        ".hidden sbl_serve_" #name                                                               \
        "_end\n"                                                                                 \
        ".global sbl_serve_" #name                                                               \
        "_end\n"                                                                                 \
        "sbl_serve_" #name                                                                       \
        "_end:\n"                                                                                \
        ".byte 0\n"                                                                              \
        ".previous\n");                                                                          \
    extern const unsigned char sbl_serve_##name##_bytes[] __attribute__((visibility("hidden"))); \
    extern const unsigned char sbl_serve_##name##_end[] __attribute__((visibility("hidden")))

#endif
