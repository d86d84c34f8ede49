# Containers that cannot be read, and budgets that are too small: one line, before any ledger is made.
. "$CLI_TESTS/lib.sh"
suggest=(--epsilon 1 -o s.json)
: > empty.csv
refused 3 '*empty.csv is empty*' schema suggest empty.csv "${suggest[@]}"
printf '17,Ayr\n18,Bath\n' > headless.csv
refused 3 '*headless.csv has no header: its first line must name every column, and cell 1*' schema suggest headless.csv "${suggest[@]}"
! grep -q Ayr refused.err || fail "a cell was shown"
printf 'a,a\n1,2\n' > twice.csv
refused 3 '*two columns have the same name*' schema suggest twice.csv "${suggest[@]}"
printf 'a,b\n' > none.csv
refused 3 'none.csv: the table has no rows' schema suggest none.csv "${suggest[@]}"
printf 'a\n1\n2\n' > few.csv
refused 4 '*this budget discovers the schema of 1 column from about * rows on, and there are 2*' schema suggest few.csv "${suggest[@]}"
refused 5 '*absent.csv*' schema suggest absent.csv "${suggest[@]}"
refused 2 '*--epsilon is needed*' schema suggest few.csv -o s.json
refused 2 '*INPUT is missing*' schema suggest "${suggest[@]}"
for file in *.ledger s.json*; do [ ! -e "$file" ] || fail "$file was made"; done
