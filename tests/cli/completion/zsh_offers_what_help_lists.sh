# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
command -v zsh > /dev/null || fail "no zsh: tools/setup.sh --test installs it"
"$SEMBLANCE" completion zsh > _semblance || fail "no script"
cmp -s _semblance "$COMPLETIONS/semblance.zsh" || fail "the built script is not current"
[ "$(head -n 1 _semblance)" = "#compdef semblance" ] || fail "compinit would not see it"

# offered WORD...: what the script hands to zsh's own functions for the last word, which are played here.
offered() {
    zsh -f -c '_arguments() { print -rl -- "$@" }
               _describe() { print -rl -- ${(P)2} }
               words=("$@") CURRENT=$#
               source ./_semblance' zsh "$@" || fail "zsh: $*"
}

offered semblance '' > given
grep -q '^synth:' given || fail "commands"
offered semblance ledger '' > given
grep -q '^init:' given || fail "subcommands"
offered semblance synth '' > given
grep -Eq '^--method=\[.*\]:.*:\(auto .*marginals.*\)$' given || fail "the words of an option"
offered semblance synth '' > given
grep -Eq '^--schema=\[.*\]:.*:_files$' given || fail "files"
for words in synth fit resume sample plan train "schema inspect" "schema accept" "ledger init" evaluate audit account verify version help; do
    # shellcheck disable=SC2086
    offered semblance $words '' | sed -nE 's/^\*?(--[a-z-]+).*/\1/p' | sort > offered
    listed "$words" > listed
    diff listed offered > difference || fail "$words: $(<difference)"
done
# In zsh itself, where it can be asked: the script loads as a completion.
zsh -f -c 'fpath=($PWD $fpath); autoload -Uz compinit; compinit -D -u; [[ ${_comps[semblance]} == _semblance ]]' ||
    fail "compinit did not take it"
