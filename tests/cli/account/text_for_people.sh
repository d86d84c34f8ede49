# SPDX-License-Identifier: Apache-2.0
"$SEMBLANCE" account --epsilon 1
