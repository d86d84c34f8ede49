# SPDX-License-Identifier: Apache-2.0
# Lengths of kernels, a matrix of one and the weights of classes are options. A bad length, a name that is not a column of numbers and a
# bad matrix are refused in one line that costs nothing.
. "$CLI_TESTS/lib.sh"
cat > people.json <<'JSON'
{"fields": [
  {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": true}},
  {"name": "height", "type": "number", "constraints": {"minimum": 1, "maximum": 2, "required": true}},
  {"name": "town", "type": "string", "constraints": {"enum": ["Ayr", "Bath", "Cork"], "required": true}},
  {"name": "ill", "type": "string", "constraints": {"enum": ["no", "yes"], "required": true}}],
 "semblance": {"label": "ill", "task": "classification"}}
JSON
awk 'BEGIN { print "age,height,town,ill"; split("Ayr Bath Cork", town, " ")
    for (i = 0; i < 200; i++) printf "%d,%.2f,%s,%s\n", (i * 37) % 100, 1 + i % 90 / 100, town[1 + i % 3], i % 5 ? "no" : "yes" }' > people.csv
accepted ledger init data.ledger --epsilon 100
cp data.ledger untouched
paid=(people.csv --schema people.json --epsilon 1 --ledger data.ledger -o y)
must='must be numbers from 0.001 to 100, e.g. 0.05,0.2 or age=0.1*, not'
for wrong in 0 -1 nan inf 1e9 0.1, age= age=0 0.1:5; do
    refused 2 "length $must '*" synth "${paid[@]}" --method merf --length "$wrong"
done
for wrong in 0 -0.1 0.1,0 height=0 0.1:0 0.1:501 0.1:x; do
    refused 2 "lengths $must '*" synth "${paid[@]}" --method hp --lengths "$wrong"
    refused 2 "product-length $must '*" synth "${paid[@]}" --method hp --product-length "$wrong"
done
for option in 'merf --length' 'hp --lengths' 'hp --product-length'; do
    read -r method name <<< "$option"
    refused 2 "${name#--}: 'nobody' is not a column of numbers in the schema" synth "${paid[@]}" --method "$method" "$name" nobody=0.1
    refused 2 "${name#--}: 'town' is not a column of numbers in the schema" synth "${paid[@]}" --method "$method" "$name" town=0.1
done
refused 2 'length: a column is named twice' synth "${paid[@]}" --method merf --length age=0.1,age=0.2
refused 2 'product-length takes one number for all columns' synth "${paid[@]}" --method hp --product-length 0.1,0.2
for method in merf hp; do
    entry="mahalanobis: '*' is not an entry over columns of numbers, e.g. age=400 or age*bmi=-120"
    for wrong in 4 age age=x age=1e9 nobody=4 'age=4,age*town=1' 'age=4,'; do
        refused 2 "$entry" synth "${paid[@]}" --method $method --mahalanobis "$wrong"
    done
    refused 2 'mahalanobis: the matrix is not positive definite' synth "${paid[@]}" --method $method --mahalanobis 'age=4,height=1,age*height=3'
    refused 2 'mahalanobis: the matrix is not positive definite' synth "${paid[@]}" --method $method --mahalanobis age=-4
    refused 2 'mahalanobis: each column of a product needs its own entry, e.g. age=400' synth "${paid[@]}" --method $method --mahalanobis 'age=4,age*height=1'
    refused 2 'mahalanobis: an entry of the diagonal is given twice: remove one' synth "${paid[@]}" --method $method --mahalanobis age=4,age=5
    refused 2 "option --class-weights must be share or equal, not 'rare'*" synth "${paid[@]}" --method $method --class-weights rare
    refused 2 "option --distance must be unbiased or plain, not 'near'*" synth "${paid[@]}" --method $method --distance near
done
refused 2 'mahalanobis: the lengths of the matrix must be from 0.001 to 100 of a range' synth "${paid[@]}" --method hp --mahalanobis age=0.000001
refused 2 'option --counts-share must be *' synth "${paid[@]}" --method hp --counts-share 1
cmp untouched data.ledger || fail "a refusal was charged"
ls -d y* 2> /dev/null && fail "a refusal left files"

# The plan, and so the release and its certificate, holds what was given.
small=(--hidden 8 --latent 2 --steps 5 --batch 20 --quiet)
accepted synth "${paid[@]}" --method merf --features 20 --length 'uniform,age=0.05' --mahalanobis 'height=9' "${small[@]}" --overwrite
tr -d '\\' < y.release > plan.txt
grep -qa '"lengths":\[0.05' plan.txt || fail "no lengths in the plan"
grep -qa '"mahalanobis":{"columns":\[1\],"factor":\[\[3' plan.txt || fail "no matrix in the plan"
accepted synth "${paid[@]}" --method hp --lengths '0.4,age=0.1:9' --product-length height=0.2:4 --mahalanobis 'age=40,height=30,age*height=-20' \
    --counts-share 0.2 --products 3 "${small[@]}" --overwrite
grep -qa '\[0.1[0-9]*,9,' y.release || fail "no order of a column in the plan"
grep -qa '\[0.2[0-9]*,4,' y.release || fail "no order of a product's column in the plan"
accepted verify y.certificate.json
# A job file holds them.
accepted synth "${paid[@]}" --method merf --features 20 --length 0.2,age=0.05 --class-weights equal "${small[@]}" --save-job job.json --overwrite
grep -q '"length": "0.2,age=0.05"' job.json || fail "no length in the job"
grep -q '"class-weights": "equal"' job.json || fail "no weights in the job"
accepted synth --job job.json --overwrite

# Weights of classes and the estimate of the distance are of training: one release, other models.
for weights in share equal; do
    accepted train y.release --model "$weights.model" --class-weights $weights --seed 3 "${small[@]}"
done
accepted train y.release --model usual.model --seed 3 "${small[@]}"
cmp -s share.model equal.model && fail "the weights of the classes change nothing"
cmp share.model usual.model || fail "a class does not count by its share"
for distance in unbiased plain; do
    accepted train y.release --model "$distance.model" --distance $distance --seed 3 "${small[@]}"
done
cmp -s unbiased.model plain.model && fail "the estimate of the distance changes nothing"
cmp plain.model usual.model || fail "the distance of tables is not the plain one"
exit 0
