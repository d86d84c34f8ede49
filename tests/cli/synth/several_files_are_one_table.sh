# SPDX-License-Identifier: Apache-2.0
# A table in several files, with a header in each, is the table in one; it has one ledger, and so has each of its files.
. "$CLI_TESTS/lib.sh"
make_people
head -n 1 people.csv > header
tail -n +2 people.csv | split -l 90 - rows.
for rows in rows.*; do cat header "$rows" > "$rows.csv"; done
cp people.json s.json
options="--schema s.json --epsilon 1 --method marginals"
# shellcheck disable=SC2086
accepted synth rows.aa.csv rows.ab.csv rows.ac.csv $options -o many.csv
grep -q '^GUARANTEE: (eps=' accepted.err || fail "the guarantee is not stated"
[ "$(wc -l < many.csv)" = 201 ] || fail "not as many rows as all files have"
[ -f rows.aa.csv.ledger ] && [ -L rows.ab.csv.ledger ] && [ -L rows.ac.csv.ledger ] || fail "the ledger is not that of all files"
# shellcheck disable=SC2086
accepted fit rows.ac.csv rows.ab.csv $options --model two.model
# shellcheck disable=SC2086
accepted fit rows.ac.csv $options --model one.model
[ "$(grep -c op=RESERVE rows.aa.csv.ledger)" = 3 ] || fail "a file of the list was charged elsewhere"
accepted verify many.csv.certificate.json --ledger rows.aa.csv.ledger
# The list in a job file.
# shellcheck disable=SC2086
accepted synth rows.aa.csv rows.ab.csv $options -o job.csv --save-job job.json
accepted synth --job job.json --epsilon 1 -o again.csv
[ "$(wc -l < again.csv)" = 181 ] || fail "the job has not both files"
# What is no one table.
echo age,town > lacks.csv
cp people.csv a,b.csv
# shellcheck disable=SC2086
refused 3 "*lacks.csv has no column 'income', which rows.aa.csv has" synth rows.aa.csv lacks.csv $options -o x.csv
# shellcheck disable=SC2086
refused 2 '*a,b.csv: the names of several input files must not contain a comma*' synth rows.aa.csv a,b.csv $options -o x.csv
# shellcheck disable=SC2086
refused 2 '*rows.aa.csv is in the list of files twice: remove one' synth rows.aa.csv ./rows.aa.csv $options -o x.csv
# shellcheck disable=SC2086
refused 2 '*is a stream: a list can name only files' synth rows.aa.csv - $options -o x.csv
# shellcheck disable=SC2086
refused 2 '*rows.ab.csv*' synth rows.aa.csv rows.ab.csv $options -o rows.ab.csv --overwrite
[ ! -e x.csv ] && [ ! -e x.csv.release ] || fail "something was released"
# shellcheck disable=SC2086
accepted synth a,b.csv $options -o alone.csv
# As parts: a list is as many parts, none of which counts twice.
accepted plan --schema s.json --epsilon 1 --method marginals -n 200 --save plan
accepted sum rows.aa.csv rows.ab.csv --plan plan -o ab.sum
accepted sum rows.ac.csv --plan plan -o c.sum
accepted sum rows.ab.csv --plan plan -o b.sum
refused 3 "*part 'rows.ab.csv' is given twice*" merge ab.sum b.sum --plan plan -o whole
accepted merge ab.sum c.sum --plan plan -o whole
accepted release whole --plan plan -o whole.release
