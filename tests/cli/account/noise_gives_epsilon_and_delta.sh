# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
while IFS=, read -r first value second other result number; do
    json=$("$SEMBLANCE" account "--$first" "$value" "--$second" "$other" --json)
    compare "$result($first=$value,$second=$other)" "$number" "$(json_member "$result" <<< "$json")"
done < <(numbers spent.csv)
compared 1e-10
