# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# What the build wrote is what the program prints; in bash it offers commands, options, words and files.
"$SEMBLANCE" completion bash > script.bash || fail "no script"
cmp -s script.bash "$COMPLETIONS/semblance.bash" || fail "the built script is not current"
bash -n script.bash || fail "no bash"
. ./script.bash
[[ $(complete -p semblance) == *"-o default -F _semblance semblance" ]] || fail "not registered"

# offered WORD...: what bash would offer for the last word.
offered() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _semblance
    printf '%s\n' "${COMPREPLY[@]}"
}

[ "$(offered semblance syn)" = synth ] || fail "commands: $(offered semblance syn)"
[ -z "$(offered semblance man)" ] || fail "a hidden command is offered"
[ "$(offered semblance ledger ini)" = init ] || fail "subcommands"
[ "$(offered semblance synth --method ma)" = marginals ] || fail "the words of an option"
[ "$(offered semblance synth --method = mar)" = marginals ] || fail "after an equals sign"
[ -z "$(offered semblance synth --epsilon 1)" ] || fail "a number has words"
[ -z "$(offered semblance synth people)" ] || fail "files are the shell's"
for words in synth fit resume sample plan train "schema inspect" "schema accept" "ledger init" evaluate audit account verify version help; do
    # shellcheck disable=SC2086
    offered semblance $words -- | sort > offered
    listed "$words" > listed
    [ -s listed ] || fail "$words: no options in its help"
    diff listed offered > difference || fail "$words: $(<difference)"
done
