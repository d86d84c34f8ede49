# SPDX-License-Identifier: Apache-2.0
"""python -m semblance: the program."""

from ._program import main

main()
