# SPDX-License-Identifier: Apache-2.0
# Excel by readxl: each cell by its own type. readxl would guess the type of a column from its cells, so a list is asked for.

read_excel <- function(path, sheet = NULL, range = NULL) {
    if (!requireNamespace("readxl", quietly = TRUE))
        stop("reading Excel needs the package readxl: install.packages(\"readxl\")", call. = FALSE)
    found <- readxl::read_excel(path, sheet = sheet, range = range, col_types = "list", trim_ws = FALSE, na = character(),
                                .name_repair = "minimal", progress = FALSE)
    made <- lapply(found, function(cells) vapply(cells, .excel_cell, ""))
    as.data.frame(made, optional = TRUE, stringsAsFactors = FALSE)
}

# The text of one cell, as a CSV file has it.
.excel_cell <- function(value) {
    if (length(value) != 1 || is.na(value)) return(NA_character_)
    if (inherits(value, "POSIXt")) {
        # To the second, as the sheet shows it: Excel stores fractions of a day. Times of day are before its first day.
        seconds <- round(as.double(value))
        value <- .POSIXct(seconds, tz = "UTC")
        if (seconds < -2208988800) return(format(value, "%H:%M:%S", tz = "UTC"))
        if (seconds %% 86400 == 0) return(format(value, "%Y-%m-%d", tz = "UTC"))
        return(format(value, "%Y-%m-%dT%H:%M:%S", tz = "UTC"))
    }
    if (is.logical(value)) return(tolower(as.character(value)))
    if (is.numeric(value)) return(.shortest(value + 0)) # zero has no sign
    as.character(value)
}

# The shortest digits that mean the same number.
.shortest <- function(value) {
    for (digits in 15:17) {
        text <- formatC(value, digits = digits, width = -1, format = "g")
        if (as.double(text) == value) break
    }
    if (value == round(value) && abs(value) < 1e15) sprintf("%.0f", value) else text
}
