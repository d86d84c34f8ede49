"""python -m semblance: the program."""

from ._program import main

main()
