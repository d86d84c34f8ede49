# SPDX-License-Identifier: Apache-2.0
# Rows of persons, no label, persons replaced: the number of rows is released as the count of one class, and the certificate
# derives the same cost as the door charged.
. "$CLI_TESTS/lib.sh"
printf '{"fields":[{"name":"id"},{"name":"x","type":"number","constraints":{"minimum":0,"maximum":1,"required":true}},
{"name":"y","type":"boolean"}],"semblance":{"unit":"id","max_rows_per_unit":3}}' > p.json
{ echo id,x,y; for i in $(seq 60); do echo "$((i / 2)),0.$i,true"; done; } > p.csv
accepted synth p.csv --schema p.json --method merf --features 32 --steps 5 --neighbours replace-one --epsilon 1 -o out.csv
accepted verify out.csv.certificate.json --ledger p.csv.ledger --output out.csv
