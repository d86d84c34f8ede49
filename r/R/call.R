# SPDX-License-Identifier: Apache-2.0
# Calls of the library, and its failures as conditions.

.kinds <- c("option", "input", "budget", "file", "memory", "entropy", "internal", "stopped", "busy", "weak")

# The value of a call, or a condition of class semblance_error. Lines that the library told become warnings.
.value <- function(answer) {
    lines <- attr(answer, "lines", exact = TRUE)
    if (!is.null(lines))
        for (line in strsplit(lines, "\n", fixed = TRUE)[[1]])
            warning(structure(class = c("semblance_warning", "warning", "condition"),
                              list(message = line, call = NULL)))
    if (inherits(answer, "semblance_failure")) {
        kind <- .kinds[answer$status]
        stop(structure(class = c(paste0("semblance_", kind, "_error"), "semblance_error", "error", "condition"),
                       list(message = answer$message, call = NULL)))
    }
    attr(answer, "lines") <- NULL
    answer
}

.process <- new.env()

.onLoad <- function(libname, pkgname) .process$id <- Sys.getpid()

# A forked process may use one thread: OpenMP's threads stay in the parent.
.threads <- function() if (identical(.process$id, Sys.getpid())) 0L else 1L

# Options as texts by name; NA is a flag that is set.
.options <- function(...) {
    given <- list(...)
    given <- given[!vapply(given, is.null, NA)]
    if (length(given) > 0 && (is.null(names(given)) || any(names(given) == "")))
        stop("options are given by name, such as method = \"pairs\"", call. = FALSE)
    given <- given[!vapply(given, identical, NA, FALSE)]
    if (.threads() == 1L) given$threads <- 1
    names(given) <- gsub("_", "-", names(given), fixed = TRUE)
    vapply(given, function(value) {
        if (isTRUE(value)) NA_character_ else paste(.number(value), collapse = ",")
    }, "")
}

# A number with all its digits, without an exponent where it is whole.
.number <- function(value) {
    if (!is.numeric(value)) return(as.character(value))
    ifelse(value == round(value) & abs(value) < 1e15, sprintf("%.0f", value), sprintf("%.17g", value))
}

.text <- function(value, between = ",") if (is.null(value)) NULL else paste(value, collapse = between)
