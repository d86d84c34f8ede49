# SPDX-License-Identifier: Apache-2.0
# Data frames in, data frames out. The class of a column decides how its cells are read, never their values.

# The columns as logical, integer, double or character vectors, each with attribute "kind".
.columns <- function(data) {
    if (is.character(data) && length(data) == 1 && !is.na(data)) return(path.expand(enc2utf8(data)))
    if (!is.data.frame(data)) stop("data must be a data.frame, a tibble or the name of a file", call. = FALSE)
    if (anyDuplicated(names(data))) stop("two columns have the same name: rename one of them", call. = FALSE)
    made <- lapply(names(data), function(name) .column(data[[name]], name))
    structure(made, names = enc2utf8(names(data)), rows = as.numeric(nrow(data)))
}

.kind <- function(values, kind) structure(values, class = NULL, dim = NULL, names = NULL, kind = kind)

.column <- function(values, name) {
    if (inherits(values, "factor")) return(.kind(values, "factor"))
    if (inherits(values, "integer64")) return(.kind(unclass(values), "integer64"))
    if (inherits(values, "Date")) return(.kind(as.double(unclass(values)), "date"))
    if (inherits(values, "POSIXt")) return(.kind(as.double(as.POSIXct(values)), "moment"))
    if (inherits(values, "difftime")) return(.kind(.clock(values), "text"))
    if (is.matrix(values) || is.list(values) || is.complex(values) || is.raw(values))
        stop(sprintf("column '%s' is not a vector of numbers, texts, factors, dates or truth values: convert it", name),
             call. = FALSE)
    switch(typeof(values), logical = .kind(values, "logical"), integer = .kind(values, "integer"),
           double = .kind(values, "double"), character = .kind(values, "text"),
           stop(sprintf("column '%s' has a type that a table cannot hold: convert it", name), call. = FALSE))
}

# A time of day (hms) as the text of a cell.
.clock <- function(values) {
    units(values) <- "secs"
    seconds <- floor(as.double(values))
    ifelse(is.na(seconds), NA_character_,
           sprintf("%02.0f:%02.0f:%02.0f", seconds %/% 3600, seconds %/% 60 %% 60, seconds %% 60))
}

# What synthetic rows are to look like: the columns of the fitted frame without rows, and of factors no level yet, since a level may
# be a fact about a record.
.template <- function(data) {
    if (!is.data.frame(data)) return(NULL)
    list(tibble = inherits(data, "tbl_df"), columns = lapply(data, function(values) {
        list(class = class(values), type = typeof(values), tzone = attr(values, "tzone"), levels = levels(values))
    }))
}

.as_frame <- function(drawn, template, categories) {
    columns <- lapply(names(drawn), function(name)
        .as_it_was(drawn[[name]], template$columns[[name]], categories[[name]]))
    frame <- as.data.frame(setNames(columns, names(drawn)), optional = TRUE, stringsAsFactors = FALSE)
    names(frame) <- names(drawn)
    if (isTRUE(template$tibble) && requireNamespace("tibble", quietly = TRUE)) frame <- tibble::as_tibble(frame)
    frame
}

.as_it_was <- function(values, column, categories) {
    form <- attr(values, "form")
    attributes(values) <- NULL
    if ("factor" %in% column$class) return(.as_factor(values, column, categories))
    if (form == "d") return(structure(values, class = "Date"))
    if (form == "s") {
        zone <- if (is.null(column$tzone)) "UTC" else column$tzone
        return(structure(values, class = c("POSIXct", "POSIXt"), tzone = zone))
    }
    if (form == "u" && length(categories) > 0 && is.null(column)) return(factor(values, levels = categories))
    if ("integer64" %in% column$class && requireNamespace("bit64", quietly = TRUE)) return(bit64::as.integer64(values))
    if (identical(column$type, "logical") && form == "u") return(as.logical(values))
    whole <- identical(column$type, "integer") || (is.null(column) && form == "l")
    if (whole && is.numeric(values) && all(abs(values) <= .Machine$integer.max, na.rm = TRUE)) return(as.integer(values))
    values
}

# Levels are those that the schema declares, in the order of the fitted factor.
.as_factor <- function(values, column, categories) {
    texts <- if (is.numeric(values)) ifelse(is.na(values), NA, .number(values)) else as.character(values)
    levels <- c(intersect(column$levels, categories), setdiff(categories, column$levels))
    if (length(levels) == 0) levels <- unique(texts[!is.na(texts)])
    factor(texts, levels = levels, ordered = "ordered" %in% column$class)
}
