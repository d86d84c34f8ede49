# SPDX-License-Identifier: Apache-2.0
# What cannot be asked is refused in one line, before anything is charged or written.
. "$CLI_TESTS/lib.sh"
make_people
# bad CODE PATTERN OPTION...: nothing is charged, no file is left.
bad() {
    local code=$1 pattern=$2
    shift 2
    refused "$code" "$pattern" ask people.csv --schema people.json --epsilon 1 -o out.csv "$@"
    [ ! -e people.csv.ledger ] || fail "it was charged: $*"
    ! ls out.csv* > /dev/null 2>&1 || fail "a file was left: $*"
}
bad 2 "*no question was asked*"
bad 2 "*column 'towne', which the schema does not have*" --count towne
bad 2 "*groups by column 'age', which is not a category*" --count age
bad 2 "*sum of column 'town', which is not a number with bounds*" --mean town
bad 2 "*names column 'town' twice*" --count town,town
bad 2 "*by divides sums and means*" --count town --by town
bad 2 "*by divides sums and means*" --by town
bad 2 "*--regress has an empty value*" --regress ''
bad 2 "*a formula is VALUE ~ TERM + TERM*" --regress '~ town'
bad 2 "*a formula is VALUE ~ TERM + TERM*" --regress 'age ~'
bad 2 "*a formula is VALUE ~ TERM + TERM*" --regress 'age'
bad 2 "*the formula has an empty term*" --regress 'age ~ town + '
bad 2 "*column 'age' on both sides*" --regress 'age ~ age'
bad 2 "*column 'x', which the schema does not have*" --regress 'age ~ x'
bad 2 "*sum of column 'income', which is not a number*" --regress 'income ~ age'
bad 2 "*there are 1 weights for 2 questions*" --count town --mean age --weight 1
bad 2 "*weight 1 is not a number*" --count town --weight x
bad 2 "*weight of a question must be a finite number above 0*" --count town --weight 0
echo '{"questions": [{"median": "age"}]}' > q.json
bad 2 "*one of count, sum, mean and regress*" --questions q.json
echo '{"question": 3}' > f.json
bad 2 "*the finding*" --check f.json
bad 5 "cannot read absent.json*" --questions absent.json
refused 2 "*--epsilon is missing*" ask people.csv --schema people.json --count town -o out.csv
refused 2 "*--schema is missing*" ask people.csv --epsilon 1 --count town -o out.csv
refused 2 "*cannot be given with --from*" ask --from x --count town
# A column without bounds has no place in a schema; one that is left out has none in a question.
sed 's/{"name": "age".*/{"name": "age", "type": "integer", "semblance": {"role": "ignore"}},/' people.json > ignore.json
refused 2 "*'age', which the schema leaves out of the statistics*" ask people.csv --schema ignore.json --epsilon 1 --mean age -o out.csv
# More groups than rows: most would be empty.
head -n 6 people.csv > few.csv
refused 2 "*has 8 groups, more than the 5 rows*" ask few.csv --schema people.json --epsilon 1 --count town,income -o out.csv
[ ! -e few.csv.ledger ] || fail "it was charged"
# The same for a plan.
refused 2 "*column 'towne'*" plan --schema people.json --epsilon 1 -n 100 --count towne
refused 2 "*leave it out of a plan of questions*" plan --schema people.json --epsilon 1 -n 100 --count town --method pairs
