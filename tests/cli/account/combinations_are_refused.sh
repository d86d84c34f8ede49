# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
refused 2 'give --epsilon, --sigma or --mu; see *account --help*' account
refused 2 'give --epsilon*' account --delta 1e-5
refused 2 'give --sigma or --mu, not both*' account --sigma 1 --mu 1
refused 2 '*leave one of the three out*' account --sigma 1 --epsilon 1 --delta 1e-5
refused 2 '*leave one of the three out*' account --mu 1 --epsilon 1 --delta 1e-5
refused 2 '*--parts needs --pure*' account --epsilon 1 --parts 2
refused 2 '*--pure: the pure releases alone cost more than --epsilon;*' account --epsilon 1 --pure 3
