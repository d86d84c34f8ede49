# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
for value in 0 -1 -0 nan NaN inf -inf 1e999 1e-999 x '' ' 1' 1x 0x1p3 1,5 1e --1; do
    refused 2 '*--epsilon*' account "--epsilon=$value"
    refused 2 '*--sigma*' account "--sigma=$value"
    refused 2 '*--mu*' account "--mu=$value"
    refused 2 '*--pure*' account --epsilon 1 "--pure=$value"
done
for value in 0 1 2 -1e-5 nan inf x; do
    refused 2 '*--delta must be a number above 0 and below 1*' account --epsilon 1 --delta "$value"
done
for value in 0 -1 1.5 1e3 x 99999999999999999999; do
    refused 2 '*--releases must be a whole number*' account --epsilon 1 --releases "$value"
    refused 2 '*--rows-per-person must be*' account --epsilon 1 --rows-per-person "$value"
    refused 2 '*--parts must be*' account --epsilon 1 --pure 0.1 --parts "$value"
done
refused 2 '*--neighbours must be replace-one or add-remove*' account --epsilon 1 --neighbours both
refused 2 '*--sigma is out of range*' account --sigma 1e-300
refused 2 '*--mu is out of range*' account --mu 1e300
