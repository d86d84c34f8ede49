# SPDX-License-Identifier: Apache-2.0
# Schemas: what is publicly known about a table.

.schema <- function(json) {
    structure(list(json = json, handle = .value(.Call(semblance_schema_new, enc2utf8(json)))), class = "semblance_schema")
}

schema <- function(source) {
    if (inherits(source, "semblance_schema")) return(source)
    if (is.list(source)) return(.schema(.json(source)))
    if (!is.character(source)) stop("a schema is a file, a JSON text, a list or what frame_schema() gives", call. = FALSE)
    text <- paste(source, collapse = "\n")
    if (grepl("^\\s*\\{", text)) return(.schema(text))
    handle <- .value(.Call(semblance_schema_open, path.expand(enc2utf8(text))))
    structure(list(json = .value(.Call(semblance_schema_json, handle)), handle = handle), class = "semblance_schema")
}

print.semblance_schema <- function(x, ...) {
    columns <- .Call(semblance_schema_columns, x$handle)
    cat("A schema of", length(columns), "columns:", paste(names(columns), collapse = ", "), "\n")
    invisible(x)
}

# A field of a schema from the class of a column, or the fact that is missing.
.field <- function(values, name, bounds, categories) {
    levels <- if (!is.null(categories)) as.character(categories) else levels(values)
    made <- list(name = name)
    if (inherits(values, "logical")) return(c(made, type = "boolean"))
    if (!is.null(levels)) return(c(made, type = "string", list(constraints = list(enum = I(levels)))))
    if (is.character(values) || is.null(bounds))
        stop(sprintf("column '%s' needs %s, which are public: %s", name,
                     if (is.character(values)) "categories" else "bounds",
                     if (is.character(values)) sprintf("categories = list(%s = c(\"a\", \"b\"))", name)
                     else sprintf("bounds = list(%s = c(0, 100))", name)), call. = FALSE)
    whole <- is.integer(values) || inherits(values, "integer64")
    type <- if (inherits(values, "Date")) "date" else if (inherits(values, "POSIXt")) "datetime" else
        if (inherits(values, "difftime")) "time" else if (whole) "integer" else "number"
    ends <- if (type == "date") format(as.Date(bounds)) else
        if (type == "datetime") format(as.POSIXct(bounds, tz = "UTC"), "%Y-%m-%dT%H:%M:%S") else
        if (type == "time") as.character(bounds) else as.list(bounds)
    c(made, type = type, list(constraints = list(minimum = ends[[1]], maximum = ends[[2]])))
}

frame_schema <- function(data, bounds = list(), categories = list(), label = NULL, unit = NULL, max_rows_per_unit = NULL) {
    unknown <- setdiff(c(names(bounds), names(categories), label, unit), names(data))
    if (length(unknown) > 0) stop("the data frame has no column '", unknown[1], "'", call. = FALSE)
    fields <- lapply(names(data), function(name) {
        if (identical(name, unit)) return(list(name = name, type = "string"))
        .field(data[[name]], name, bounds[[name]], categories[[name]])
    })
    options <- list(label = label, unit = unit, max_rows_per_unit = max_rows_per_unit)
    options <- options[!vapply(options, is.null, NA)]
    whole <- list(fields = fields)
    if (length(options) > 0) whole$semblance <- options
    schema(whole)
}

inspect <- function(data, ...) {
    json <- .value(.Call(semblance_inspect, .columns(data), .options(...)))
    structure(list(json = json, handle = .value(.Call(semblance_schema_new, json))),
              class = c("semblance_draft", "semblance_schema"))
}

# For functions with an argument of this name.
.as_schema <- function(source) schema(source)
