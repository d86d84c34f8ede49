# SPDX-License-Identifier: Apache-2.0
"$SEMBLANCE" account --sigma 5 --delta 1e-6 --releases 4 --rows-per-person 2 --pure 0.25 --parts 3 --neighbours add-remove
