# SPDX-License-Identifier: Apache-2.0
# Containers that cannot be read, and budgets that are too small: one line, before any ledger is made.
. "$CLI_TESTS/lib.sh"
budget=(--epsilon 1 -o s.json)
: > empty.csv
refused 3 '*empty.csv is empty*' schema discover empty.csv "${budget[@]}"
printf '17,Ayr\n18,Bath\n' > headless.csv
refused 3 '*headless.csv has no header: its first line must name every column, but its cell 1*' schema discover headless.csv "${budget[@]}"
! grep -q Ayr refused.err || fail "a cell was shown"
printf 'a,a\n1,2\n' > twice.csv
refused 3 '*two columns have the same name*' schema discover twice.csv "${budget[@]}"
printf 'a,b\n' > none.csv
refused 3 'none.csv: the table has no rows' schema discover none.csv "${budget[@]}"
printf 'a\n1\n2\n' > few.csv
refused 4 '*this budget discovers the schema of 1 column from about * rows on, and there are 2*' schema discover few.csv "${budget[@]}"
refused 5 '*absent.csv*' schema discover absent.csv "${budget[@]}"
refused 2 '*--epsilon is missing*' schema discover few.csv -o s.json
refused 2 '*INPUT is missing*' schema discover "${budget[@]}"
for file in *.ledger s.json*; do [ ! -e "$file" ] || fail "$file was made"; done
