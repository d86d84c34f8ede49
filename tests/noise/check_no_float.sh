#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_no_float.sh OBJDUMP OBJECT...: fails when an object's code names a floating-point or vector
# register. x86-64: st(i), mm, xmm, ymm, zmm. AArch64: b, h, s, d, q, v followed by a number.
objdump=$1
shift
[ $# -gt 0 ] || { echo "no objects to look at" >&2; exit 1; }
found=0
for object in "$@"; do
    code=$("$objdump" -d --no-show-raw-insn "$object") || exit 1
    case $code in
    *x86-64*) registers='%(st|x?mm[0-9]|[yz]mm[0-9])' ;;
    *aarch64*) registers='(^|[^a-z0-9_<.+])([bhsdq][0-9]+|v[0-9]+\.)([^a-z0-9_]|$)' ;;
    *) echo "$object: objdump names no known machine" >&2; exit 1 ;;
    esac
    # instructions only: "  address:<tab>mnemonic operands", without what follows a symbol or comment
    hits=$(printf '%s\n' "$code" | grep -E '^ *[0-9a-f]+:' | cut -f2- | sed 's/[#<].*//; s,//.*,,' |
        grep -E "$registers")
    if [ -n "$hits" ]; then
        echo "$object: uses floating-point or vector registers:" >&2
        printf '%s\n' "$hits" | head -n 3 >&2
        found=1
    fi
done
exit $found
