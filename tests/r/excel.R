# SPDX-License-Identifier: Apache-2.0
# A sheet of Excel gives the texts of the same table as CSV, those that tests/python/test_excel.py holds Python to.
stopifnot("readxl is not installed (r-cran-readxl)" = requireNamespace("readxl", quietly = TRUE))
folder <- Sys.getenv("SBL_R_TESTS")
found <- semblance::read_excel(file.path(folder, "cells.xlsx"))
expected <- read.csv(file.path(folder, "cells.csv"), colClasses = "character", na.strings = character(), encoding = "UTF-8", check.names = FALSE)
found[is.na(found)] <- ""
stopifnot(nrow(found) == 8, identical(names(found), names(expected)), all(found == expected))
