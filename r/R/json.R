# SPDX-License-Identifier: Apache-2.0
# Schemas as JSON. Only what a schema needs: texts, numbers, truth values, lists and arrays.

.quote <- function(text) {
    text <- gsub("\\", "\\\\", enc2utf8(text), fixed = TRUE)
    text <- gsub("\"", "\\\"", text, fixed = TRUE)
    for (sign in list(c("\n", "\\n"), c("\r", "\\r"), c("\t", "\\t"))) text <- gsub(sign[1], sign[2], text, fixed = TRUE)
    paste0("\"", text, "\"")
}

.json <- function(value) {
    if (is.list(value) && !is.null(names(value)))
        return(paste0("{", paste0(.quote(names(value)), ": ", vapply(value, .json, ""), collapse = ", "), "}"))
    if (is.list(value)) return(paste0("[", paste(vapply(value, .json, ""), collapse = ", "), "]"))
    texts <- if (is.character(value)) .quote(value) else if (is.logical(value)) tolower(value) else .number(value)
    if (inherits(value, "AsIs") || length(texts) != 1) paste0("[", paste(texts, collapse = ", "), "]") else texts
}
