# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
refused 2 "unknown option --epsilom (did you mean --epsilon?); see 'semblance account --help'" \
    account --epsilom 1
refused 2 'unknown option --epslion (did you mean --epsilon?)*' account --epslion=1
refused 2 'unknown option --eps (did you mean --epsilon?)*' account --eps 1
refused 2 "unknown option --zzzz; see 'semblance account --help'" account --zzzz
refused 2 'unknown option --ledgers (did you mean --ledger?)*' verify x --ledgers y
refused 2 'unknown option -x; *' account -x
refused 2 "unknown option --checkpoint, which is an option of synth, fit, resume, train; see 'semblance plan --help'" plan --checkpoint c
refused 2 'unknown option --overwrite*' ledger init file --overwrite
refused 2 'option --epsilon needs a value (E)*' account --epsilon
refused 2 'option --epsilon needs a value (E)*' account --epsilon --json
refused 2 'option --ledger needs a value (FILE)*' verify file --ledger --quiet
refused 2 'option --ledger has an empty value*' verify file --ledger=
refused 2 'option --json takes no value*' account --json=yes
refused 2 'option --epsilon is given twice*' account --epsilon 1 --epsilon=1
refused 2 'option --quiet is given twice*' verify file -q --quiet
refused 2 "unexpected argument 'extra'*" account --epsilon 1 extra
refused 2 "unexpected argument '-'*" account --epsilon 1 -
refused 2 "unexpected argument 'b'*" verify a b
refused 2 "unexpected argument '--quiet'*" verify a -- --quiet
refused 2 "CERTIFICATE is missing*see 'semblance verify --help'" verify
refused 2 "CERTIFICATE is empty*" verify ""
refused 2 'FILE is missing*ledger show*' ledger show
refused 2 "'acount' is not a command (did you mean 'account'?); see 'semblance --help'" acount
refused 2 "'frobnicate' is not a command; see 'semblance --help'" frobnicate
refused 2 "'' is not a command*" ""
refused 2 "'ledger shwo' is not a command (did you mean 'ledger show'?)*" ledger shwo
refused 2 "'ledger' needs one of its commands; see 'semblance ledger --help'" ledger
refused 2 "'ledger' needs a command before '--json'*" ledger --json
refused 2 "a command must come before '--json'*" --json account
refused 2 "'nothing' is not a command*" help nothing
refused 2 "'account' has no command 'init'*" help account init
refused 2 "unknown option --all*" version --all
# What was once spelled otherwise.
refused 2 'unknown option --force (did you mean --overwrite?)*' synth x --force
refused 2 'unknown option --engine (did you mean --duckdb?)*' synth x --engine y
refused 2 'unknown option --driver (did you mean --adbc-driver?)*' evaluate --driver y
refused 2 "'schema guess' is not a command (did you mean 'schema inspect'?)*" schema guess x
refused 2 "'schema suggest' is not a command (did you mean 'schema discover'?)*" schema suggest x
refused 2 'unknown option --n (did you mean --rows?)*' plan --n 5
refused 2 'unknown option --max-rows-per-unit (did you mean --rows-per-person?)*' ledger init x --max-rows-per-unit 3
refused 2 'unknown option --output (did you mean --model?)*' fit x -o m
refused 2 'unknown option --output (did you mean --model?)*' train x --output m
