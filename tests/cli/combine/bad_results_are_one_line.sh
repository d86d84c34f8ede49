# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# bad PATTERN LINE...: a file of these lines is refused.
bad() {
    local pattern=$1
    shift
    printf '%s\n' "$@" > results.csv
    refused 3 "$pattern" combine results.csv
    refused 3 "$pattern" combine results.csv --json
}
bad "results.csv: 'estimate': 1 replicate: an interval needs at least 2*" estimate,variance 1,1
bad "results.csv: 'b': 1 replicate: *" name,estimate,variance b,1,1
bad "results.csv: there is no column 'estimate'" name,variance b,1
bad "results.csv: give one of the columns 'variance' and 'std.error'" name,estimate b,1
bad "results.csv: give one of the columns 'variance' and 'std.error'" estimate,se,variance 1,1,1
bad "results.csv: column 'term' is there twice*" name,term,estimate,se b,b,1,1
bad "results.csv has no results" estimate,variance
bad "results.csv: row 3: 'variance' is negative" estimate,variance 1,1 2,-1
bad "results.csv: row 3: 'estimate' is not a number;*" estimate,variance 1,1 NA,1
bad "results.csv: row 2: 'variance' is not a number;*" estimate,variance 1 2,1
bad "results.csv: row 2: 'estimate' is not a number;*" estimate,variance inf,1 2,1
bad "results.csv: row 3: 'b' is there twice for one replicate" replicate,name,estimate,variance 1,b,1,1 1,b,1,1
bad "results.csv: 'a' has 2 results and 'b' has 1; each needs one from every replicate" name,estimate,se a,1,1 b,1,1 a,1,1
bad "results.csv: row 2 has a quote that is not closed" name,estimate,se '"a,1,1'
printf 'estimate,se\n1,\0001\n' > results.csv
refused 3 "results.csv is not a CSV file of results*" combine results.csv
refused 5 "cannot read nothing.csv: *" combine nothing.csv
refused 2 "give --csv or --json, not both*" combine results.csv --csv --json
refused 2 "*--level*" combine results.csv --level 1
refused 2 "*--row-ratio*" combine results.csv --row-ratio 0
